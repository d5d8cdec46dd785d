"""tools/minimax.py: coefficients of kernels/special are made by it, to the bit."""

import importlib
import sys
from pathlib import Path

import mpmath as mp
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tools" / "fits"))
import minimax  # noqa: E402

pytestmark = pytest.mark.null


@pytest.fixture(autouse=True)
def sixty_digits():
    with mp.workdps(60):
        yield


@pytest.mark.parametrize("family, name", [("erf", "DAWSON_NEAR"), ("erf", "DAWSON_FAR")])
def test_a_fit_is_remade(family, name):
    fit = next(f for f in importlib.import_module(family).FITS if f.name == name)
    text = (ROOT / "kernels" / "special" / f"{family}_fits.cuh").read_text()
    assert minimax.text_of(fit) in text


def test_the_exchange_finds_a_known_polynomial():
    """The best line for x^2 on [0, 1] is x - 1/8, DLMF 3.11(i)."""
    top, _, error = minimax.remez(lambda x: x * x, (0, 1), 1, weight=lambda x: 1)
    assert abs(top[0] + mp.mpf(1) / 8) < 1e-20
    assert abs(top[1] - 1) < 1e-20
    assert abs(error - mp.mpf(1) / 8) < 1e-4


def test_the_exchange_finds_a_known_quotient():
    top, bottom, error = minimax.remez(lambda x: (2 + x) / (1 + x / 3), (0, 1), 2, 2)
    x = mp.mpf("0.3")
    value = minimax.horner(top, x) / minimax.horner(bottom, x)
    assert abs(value - (2 + x) / (1 + x / 3)) < 1e-15
    assert error < 1e-15


def test_literals_are_exact():
    for x in (0.1, -1.0, 3.5e-310, 2.0**-1074):
        assert float.fromhex(minimax.literal(mp.mpf(x), "f64")) == x
    assert minimax.literal(minimax.rounded("0.1", "f32"), "f32") == "0x1.99999ap-4f"


def test_all_headers_compile_together():
    """A fused kernel may need any of them, so that their names have to differ."""
    import gpunp as cp

    operands = {"d": cp.ones(2), "l": cp.ones(2, dtype="i8"), "D": cp.ones(2, dtype="D")}
    seen = {}
    for row in cp._C.special_table():
        loop = next((t for t in row["types"] if set(t) <= set("dl->")), None)
        if loop and row["nout"] == 1:
            seen.setdefault(row["header"], (row["name"], loop.split("->")[0]))

    def everything():
        total = 0
        for name, loop in seen.values():
            total = total + cp._C.special_ufuncs()[name](*[operands[c] for c in loop])
        return total

    assert cp.fuse(everything)().shape == (2,)
