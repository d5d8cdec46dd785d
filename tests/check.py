"""Comparing gpunp with NumPy: one body of a test, run with each of them.

check(lambda xp: xp.arange(6).reshape(2, 3).T)          same dtype, shape, order, values
check(lambda xp: xp.sin(a(xp)), ulp=2)                  within two units in the last place
assert_raises_same(lambda xp: xp.zeros(3) + xp.zeros(4))  the same type of exception
"""

import warnings

import numpy as np

import gpunp as cp

__all__ = ["assert_raises_same", "assert_same", "check", "to_numpy", "ulp_distance"]


def to_numpy(x):
    """The NumPy array (or scalar's array) of anything a gpunp or NumPy function returned."""
    return x.get() if isinstance(x, cp.ndarray) else np.asarray(x)


def is_float(dtype):
    """Whether a dtype is a real floating one; ml_dtypes' bfloat16 has kind V or f by version."""
    return dtype.kind == "f" or dtype.name == "bfloat16"


def ordered_bits(x):
    """Floats as integers in the same order, neighbours one apart and -0 beside +0."""
    bits = np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}").astype(np.int64)
    low = -(1 << (8 * x.dtype.itemsize - 1))
    return np.where(bits < 0, low - bits, bits)


def ulp_distance(a, b):
    """Units in the last place between two float arrays, as float64; 0 where both are NaN."""
    with np.errstate(all="ignore"):
        both_nan = np.isnan(a) & np.isnan(b)
        one_nan = np.isnan(a) != np.isnan(b)
        x, y = ordered_bits(a), ordered_bits(b)
        far = (np.maximum(x, y).view(np.uint64) - np.minimum(x, y).view(np.uint64)).astype(
            np.float64
        )
    return np.where(both_nan, 0, np.where(one_nan, np.inf, far))


def complex_distance(a, b):
    """Units in the last place of the larger part, which is what a complex function promises."""
    part = a.real.dtype
    with np.errstate(all="ignore"):
        sizes = [np.where(np.isfinite(x), np.abs(x), 0) for x in (b.real, b.imag)]
        unit = np.spacing(np.maximum(*sizes).astype(part))
        parts = []
        for x, y in [(a.real, b.real), (a.imag, b.imag)]:
            same = (x == y) | (np.isnan(x) & np.isnan(y))
            gap = np.abs(x.astype(np.float64) - y.astype(np.float64)) / np.abs(unit)
            parts.append(np.where(same, 0, np.where(np.isnan(gap), np.inf, gap)))
    return np.maximum(*parts)


def first_difference(bad, ours, theirs):
    """Words about the first element that differs."""
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return (
        f"{int(bad.sum())} of {bad.size} elements differ; at {at} "
        f"gpunp has {ours[at]!r}, NumPy {theirs[at]!r}"
    )


def assert_same(ours, theirs, *, ulp=0, rtol=None, atol=0.0, zero_sign=None, order=True):
    """`ours` has the dtype, shape, memory order and values of `theirs`.

    Values agree within `ulp` units in the last place, or within `rtol`/`atol` where those are
    given. NaNs match NaNs; the sign of zero matters when the comparison is exact, or as
    `zero_sign` says. `order=False` leaves the order of memory out.
    """
    if isinstance(theirs, (tuple, list)):
        assert isinstance(ours, (tuple, list)) and len(ours) == len(theirs), (ours, theirs)
        for x, y in zip(ours, theirs, strict=True):
            assert_same(x, y, ulp=ulp, rtol=rtol, atol=atol, zero_sign=zero_sign, order=order)
        return
    if theirs is None or isinstance(theirs, (str, bytes, np.dtype, type)):
        assert ours == theirs, (ours, theirs)
        return
    arrays = isinstance(ours, cp.ndarray) and isinstance(theirs, np.ndarray)
    if order and arrays and theirs.ndim > 1:
        ours_order = (ours.flags.c_contiguous, ours.flags.f_contiguous)
        theirs_order = (theirs.flags.c_contiguous, theirs.flags.f_contiguous)
        assert ours_order == theirs_order, f"C, F order: {ours_order}, NumPy's {theirs_order}"
    ours, theirs = to_numpy(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype, f"dtype {ours.dtype}, NumPy's {theirs.dtype}"
    assert ours.shape == theirs.shape, f"shape {ours.shape}, NumPy's {theirs.shape}"
    assert_values(ours, theirs, ulp, rtol, atol, ulp == 0 if zero_sign is None else zero_sign)


def assert_values(ours, theirs, ulp, rtol, atol, zero_sign):
    """The part of assert_same that looks at the elements."""
    if theirs.size == 0:
        return
    if rtol is not None:
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
        return
    if theirs.dtype.kind == "c":
        bad = complex_distance(ours, theirs) > ulp
    elif is_float(theirs.dtype):
        bad = ulp_distance(ours, theirs) > ulp
        if zero_sign:
            zero = (theirs == 0) & (ours == 0)
            bad |= zero & (np.signbit(ours) != np.signbit(theirs))
    else:
        bad = ours != theirs
    if atol:
        with np.errstate(all="ignore"):
            bad &= ~(np.abs(ours - theirs) <= atol)
    assert not bad.any(), first_difference(np.asarray(bad), ours, theirs)


def run_numpy(body):
    """body(numpy), without its warnings: about division and overflow, and about what it will drop."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return body(np)


def check(body, **tolerance):
    """body(gpunp) gives what body(numpy) gives, or raises the same type of exception."""
    try:
        theirs = run_numpy(body)
    except Exception as error:
        assert_raises_same(body, type(error))
        return
    assert_same(body(cp), theirs, **tolerance)


def assert_raises_same(body, expected=None):
    """body(gpunp) raises what body(numpy) raises; the types are compared, not the words."""
    if expected is None:
        try:
            run_numpy(body)
        except Exception as error:
            expected = type(error)
        else:
            raise AssertionError("NumPy raises nothing here")
    try:
        body(cp)
    except Exception as error:
        same = isinstance(error, expected) or issubclass(expected, type(error))
        assert same, f"gpunp raises {error!r}, NumPy {expected.__name__}"
    else:
        raise AssertionError(f"gpunp raises nothing, NumPy {expected.__name__}")
