"""pad: every mode, by axis, against NumPy."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

WIDTHS = {
    "one": 1,
    "both": (2, 3),
    "per axis": ((1, 2), (3, 0)),
    "none": 0,
    "wide": ((7, 9), (8, 5)),
    "first axis only": ((2, 2), (0, 0)),
    "dict": {-1: 2},
}
MODES = {
    "constant": {},
    "constant values": {"mode": "constant", "constant_values": ((1, 2), (3, 4))},
    "constant float": {"mode": "constant", "constant_values": 2.5},
    "edge": {},
    "empty": {},
    "linear_ramp": {},
    "linear_ramp ends": {"mode": "linear_ramp", "end_values": ((5, -4), (3, 0))},
    "maximum": {},
    "maximum of two": {"mode": "maximum", "stat_length": 2},
    "minimum": {},
    "minimum of some": {"mode": "minimum", "stat_length": ((1, 2), (2, 1))},
    "mean": {},
    "median": {},
    "median of three": {"mode": "median", "stat_length": 3},
    "mean of two": {"mode": "mean", "stat_length": 2},
    "reflect": {},
    "reflect odd": {"mode": "reflect", "reflect_type": "odd"},
    "symmetric": {},
    "symmetric odd": {"mode": "symmetric", "reflect_type": "odd"},
    "wrap": {},
}


def options(name):
    return {"mode": name, **MODES[name]}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [name for name in MODES if name != "empty"])
def test_modes(name, width):
    check(
        lambda xp: xp.pad(xp.arange(1.0, 13).reshape(3, 4), WIDTHS[width], **options(name)),
        rtol=1e-12,
    )


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "c8"])
@pytest.mark.parametrize("name", [name for name in MODES if "linear" not in name])
def test_dtypes(name, dtype, rng):
    if name == "empty" or (dtype in "?c8" and ("odd" in name or "m" in name[:2])):
        pytest.skip("not of this dtype")
    values = cases.values(dtype, (3, 4), rng)
    check(lambda xp: xp.pad(xp.asarray(values), 2, **options(name)), rtol=1e-3)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_linear_ramp_dtypes(dtype):
    check(
        lambda xp: xp.pad(xp.arange(4, dtype=dtype), (3, 4), "linear_ramp", end_values=(9, -3)),
        rtol=1e-6,
    )


@pytest.mark.parametrize("layout", ["c", "f", "strided", "reversed"])
@pytest.mark.parametrize("name", ["constant", "edge", "reflect", "wrap"])
def test_layouts(name, layout, rng):
    values = cases.values("f4", (3, 4), rng)
    check(lambda xp: xp.pad(cases.arrange(xp, values, layout), ((1, 2), (2, 1)), name))


def test_shape_of_empty():
    assert cp.pad(cp.ones((2, 3)), 1, "empty").shape == (4, 5)
    assert cp.pad(cp.ones((2, 3)), 1, "empty")[1:-1, 1:-1].tolist() == [[1] * 3] * 2


def test_one_element():
    for mode in ("reflect", "symmetric", "wrap", "edge"):
        check(lambda xp, mode=mode: xp.pad(xp.array([7]), (3, 2), mode))


def test_long_reflections():
    for mode in ("reflect", "symmetric", "wrap"):
        for kind in ("even", "odd"):
            more = {} if mode == "wrap" else {"reflect_type": kind}
            for width in ((2, 11), (11, 2), (20, 13)):
                check(lambda xp, m=mode, w=width, k=more: xp.pad(xp.array([1, 4, 2]), w, m, **k))


def test_by_function():
    def fill(vector, width, axis, kwargs):
        value = kwargs.get("value", 10)
        vector[: width[0]] = value
        if width[1] != 0:
            vector[-width[1] :] = value + axis

    check(lambda xp: xp.pad(xp.arange(6).reshape(2, 3), 2, fill))
    check(lambda xp: xp.pad(xp.arange(6).reshape(2, 3), (1, 2), fill, value=100))


def test_three_axes():
    check(lambda xp: xp.pad(xp.arange(24).reshape(2, 3, 4), ((1, 0), (0, 2), (3, 1)), "reflect"))
    check(lambda xp: xp.pad(xp.zeros((2, 0)), ((1, 1), (0, 2))))
    check(lambda xp: xp.pad(xp.array(3), 0))
    check(lambda xp: xp.pad(xp.array(3), 2))


ERRORS = {
    "mode": lambda xp: xp.pad(xp.arange(3), 1, "nonsense"),
    "negative": lambda xp: xp.pad(xp.arange(3), -1),
    "float width": lambda xp: xp.pad(xp.arange(3), 1.5),
    "too many": lambda xp: xp.pad(xp.arange(3), ((1, 2), (3, 4))),
    "keyword": lambda xp: xp.pad(xp.arange(3), 1, "edge", constant_values=3),
    "empty axis": lambda xp: xp.pad(xp.zeros((0, 3)), 1, "edge"),
    "stat_length": lambda xp: xp.pad(xp.arange(3), 1, "maximum", stat_length=0),
    "negative stat_length": lambda xp: xp.pad(xp.arange(3), 1, "mean", stat_length=-1),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    assert_raises_same(ERRORS[name])


def test_pads_on_the_device():
    assert isinstance(np.pad(cp.arange(3), 1), cp.ndarray)
