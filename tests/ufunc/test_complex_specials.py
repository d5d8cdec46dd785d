"""Complex ufuncs at special values: NaNs, infinities and the signs of zeros are NumPy's.

Every ufunc with a loop for complex numbers is run over all pairs of special parts; binary ones also
with a real operand on either side.
"""

import numpy as np
import pytest
from check import check

import gpunp as cp
from gpunp import _C

PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan]


def grid(dtype):
    z = np.empty((len(PARTS), len(PARTS)), dtype)
    z.real = np.array(PARTS)[:, None]
    z.imag = PARTS
    return z.ravel()


def loops(nin):
    """Names of ufuncs with a complex loop of so many operands and one result."""
    for name in sorted({row["name"] for row in _C.ufunc_table()}):
        f = getattr(np, name, None)
        if isinstance(f, np.ufunc) and (f.nin, f.nout, f.signature) == (nin, 1, None):
            if any(loop.startswith("D" * nin + "->") for loop in f.types):
                yield name


def parts(z):
    return [z.real, z.imag] if np.iscomplexobj(z) else [z]


def special_differences(actual, expected, loose):
    """Where NaN, infinity or a zero's sign differ, or a number is another one."""
    if expected.dtype == bool:
        return actual != expected
    bad = np.zeros(expected.shape, bool)
    size = np.maximum.reduce([np.where(np.isfinite(p), abs(p), 0) for p in parts(expected)])
    for a, b in zip(parts(actual), parts(expected), strict=True):
        bad |= np.isnan(a) != np.isnan(b)
        bad |= (np.isinf(a) | np.isinf(b)) & ~np.isnan(a) & (a != b)
        bad |= (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
        with np.errstate(all="ignore"):
            far = abs(a - b) > loose * np.maximum(size, abs(b))
        bad |= np.isfinite(a) & np.isfinite(b) & far
    return bad


def run(name, *operands):
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*operands)
    actual = getattr(cp, name)(*map(cp.asarray, operands)).get()
    assert actual.dtype == expected.dtype
    bad = special_differences(actual, expected, 2e-6 if operands[0].itemsize <= 8 else 1e-14)
    return bad, actual, expected


def assert_none(bad, operands, actual, expected):
    at = np.flatnonzero(bad)[:5]
    cases = [(*(x[i] for x in operands), actual[i], expected[i]) for i in at]
    assert not bad.any(), f"{bad.sum()} differ; (operands, gpunp's, NumPy's): {cases}"


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("name", list(loops(1)))
def test_unary(name, dtype):
    z = grid(dtype)
    bad, actual, expected = run(name, z)
    if name == "expm1":  # NumPy has NaN where exp has a limit: exp(z) - 1 here
        bad &= np.isfinite(z)
    if name == "arctan":  # the sign of the zero beside a NaN is left open
        bad &= ~np.isnan(z)
    assert_none(bad, [z], actual, expected)


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("name", list(loops(2)))
@pytest.mark.parametrize(
    "kinds", ["cc", *(pytest.param(k, marks=pytest.mark.slow) for k in ["cr", "rc"])]
)
def test_binary(name, kinds, dtype):
    values = {"c": grid(dtype), "r": np.array(PARTS, np.dtype(dtype).char.lower())}
    a, b = values[kinds[0]], values[kinds[1]]
    operands = np.repeat(a, b.size), np.tile(b, a.size)
    bad, actual, expected = run(name, *operands)
    if "power" in name:  # infinity to the power of -1 is 0, where NumPy has NaN
        bad &= ~(np.isinf(operands[0]) & (operands[1] == -1))
    assert_none(bad, operands, actual, expected)


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_quotients_by_zero_have_the_signs_of_the_numerator(dtype):
    z = grid(dtype)
    for zero in (0.0, -0.0):
        check(lambda xp, zero=zero: xp.asarray(z) / zero)
        check(lambda xp, zero=zero: xp.asarray(z) / xp.asarray(zero, dtype.lower()))
        check(lambda xp, zero=zero: xp.asarray(z) / complex(zero, -zero))


def test_expm1_of_zeros():
    zeros = np.array([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)])
    for dtype in "FD":
        ours = cp.expm1(cp.asarray(zeros.astype(dtype))).get()
        assert np.signbit(ours.real).tolist() == [False, False, True, True]
        assert np.signbit(ours.imag).tolist() == [False, True, False, True]


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "nanmax", "cumsum", "prod"])
def test_reductions_of_equal_zeros(name):
    zeros = np.array([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)])
    for k in range(4):
        check(lambda xp, k=k: getattr(xp, name)(xp.asarray(np.roll(zeros, k))))


@pytest.mark.parametrize("low", [0j, complex(-0.0, -0.0), complex(0.0, -0.0)], ids=str)
def test_clip_at_equal_zeros(low):
    z = np.array([complex(a, b) for a in (0.0, -0.0, 1) for b in (0.0, -0.0, 1)])
    check(lambda xp: xp.clip(xp.asarray(z), low, None))
    check(lambda xp: xp.clip(xp.asarray(z), None, low))
    check(lambda xp: xp.clip(xp.asarray(z), low, low))
