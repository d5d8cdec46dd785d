"""Sets: unique with all it returns, membership, unions and differences, against NumPy."""

import cases
import numpy as np
import pytest
from cases import NUMPY_DTYPES
from check import assert_raises_same, check, to_numpy

import gpunp as cp

FLAGS = [(i, j, k) for i in (False, True) for j in (False, True) for k in (False, True)]


def mixed(dtype, shape, rng):
    """Few different values of a dtype, special ones among them."""
    x = (
        cases.values(dtype, shape, rng).astype("i8" if np.dtype(dtype).kind != "b" else "?") % 7
    ).astype(dtype)
    points = cases.special(dtype)
    hit = rng.random(shape) < 0.3
    x[hit] = points[rng.integers(0, points.size, int(hit.sum()))]
    return x


@pytest.mark.parametrize("flags", FLAGS, ids=lambda f: "".join("iuc"[k] for k in range(3) if f[k]))
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_unique(dtype, flags, rng):
    # Which zero stands for both, and which NaN for all, is not said anywhere.
    x = mixed(dtype, (300,), rng)
    if dtype.kind == "c":
        x = x[~np.isnan(x)]
    check(lambda xp: xp.unique(xp.asarray(x), *flags), zero_sign=False)
    check(lambda xp: xp.unique(xp.asarray(x[:60]).reshape(6, 10).T, *flags), zero_sign=False)


@pytest.mark.parametrize("flags", FLAGS, ids=lambda f: "".join("iuc"[k] for k in range(3) if f[k]))
@pytest.mark.parametrize("dtype", ["?", "i1", "u1"])
def test_unique_of_bytes(dtype, flags, rng):
    every = np.arange(256).astype("u1").view(dtype if dtype != "?" else "u1").astype(dtype)
    for values in (
        every,
        np.repeat(every[::-37], 3),
        every[:1],
        every[-1:],
        every[100:101],
        every[:0],
    ):
        x = rng.permutation(values)
        check(lambda xp, v=x: xp.unique(xp.asarray(v), *flags))
        check(lambda xp, v=x: xp.unique(xp.asarray(v)[::-2], *flags))


@pytest.mark.parametrize("equal_nan", [False, True])
def test_unique_and_nan(equal_nan):
    x = np.array([np.nan, 1, np.nan, 0, 1, -np.inf])
    check(lambda xp: xp.unique(xp.asarray(x), True, True, True, equal_nan=equal_nan))
    z = np.array([complex(np.nan, 1), 1, complex(1, np.nan), complex(np.nan, np.nan), 1])
    check(lambda xp: xp.unique(xp.asarray(z), return_counts=True, equal_nan=equal_nan))


@pytest.mark.parametrize("flags", [(False, False, False), (True, True, True)])
def test_unique_along_an_axis(flags, rng):
    x = rng.integers(0, 2, (20, 3, 2))
    for axis in (0, 1, -1):
        check(lambda xp: xp.unique(xp.asarray(x), *flags, axis=axis), order=False)
        check(
            lambda xp: xp.unique(xp.asarray(x[..., 0].astype("f4")), *flags, axis=axis), order=False
        )
    y = rng.integers(0, 2, (2, 2, 2, 3))  # the rest of the axes keeps its order when slices compare
    for axis in range(4):
        check(lambda xp: xp.unique(xp.asarray(y), *flags, axis=axis), order=False)
    for shape in [(0, 3), (3, 0), (0,)]:
        check(lambda xp: xp.unique(xp.zeros(shape), axis=0), order=False)
    y = np.array([[np.nan, 1], [np.nan, 1], [2, 3]])
    check(lambda xp: xp.unique(xp.asarray(y), axis=0))
    assert_raises_same(lambda xp: xp.unique(xp.zeros(3), axis=1))


def test_unique_of_little_and_much(rng):
    check(lambda xp: xp.unique(xp.asarray(3), True, True, True))
    check(lambda xp: xp.unique(xp.zeros((2, 0)), True, True, True))
    check(lambda xp: xp.unique([2, 1, 2]))
    x = rng.integers(0, 500, 20000).astype("i2")
    check(lambda xp: xp.unique(xp.asarray(x), True, True, True))
    check(lambda xp: xp.unique(xp.asarray(x), sorted=True))


def test_array_api_names(rng):
    x = np.array([[3.0, np.nan, 1], [np.nan, 3, 0]])
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        check(lambda xp: getattr(xp, name)(xp.asarray(x)))
        ours, theirs = getattr(cp, name)(cp.asarray(x)), getattr(np, name)(x)
        assert ours._fields == theirs._fields and type(ours).__name__ == type(theirs).__name__
    ours, theirs = cp.unique_values(cp.asarray(x)), np.sort(np.unique_values(x))
    np.testing.assert_array_equal(to_numpy(ours), theirs)


@pytest.mark.parametrize("pair", ["ll", "ff", "DD", "??", "ed", "lf", "Bb", "fF", "lL"])
@pytest.mark.filterwarnings("ignore")
def test_sets(pair, rng):
    make = cases.values if pair[0] == "l" != pair[1] else mixed  # 2**63 - 1 has no float of its own
    x, y = make(pair[0], (40,), rng), make(pair[1], (5, 6), rng)
    if "D" in pair or "F" in pair:
        x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
        check(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y)), zero_sign=False)
    check(lambda xp: xp.isin(xp.asarray(y), xp.asarray(x)))
    check(lambda xp: xp.isin(xp.asarray(y).T, xp.asarray(x), invert=True), order=False)
    check(
        lambda xp: xp.intersect1d(xp.asarray(x), xp.asarray(y), return_indices=True),
        zero_sign=False,
    )
    same = cp.in1d(cp.asarray(y), cp.asarray(x))
    assert (to_numpy(same) == np.isin(y, x).ravel()).all()


def test_sets_of_different_elements(rng):
    x, y = rng.permutation(30)[:20], rng.permutation(30)[:15]
    for name in ("intersect1d", "setdiff1d", "setxor1d"):
        check(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y), assume_unique=True))
    check(lambda xp: xp.intersect1d(xp.asarray(x), xp.asarray(y), True, return_indices=True))


def test_sets_and_nothing():
    for a, b in [([], [1.0, 2]), ([1.0, 2], []), ([], [])]:
        for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d", "isin"):
            check(lambda xp: getattr(xp, name)(xp.asarray(a), xp.asarray(b)))
    for kind in ("table", "x"):
        assert_raises_same(lambda xp: xp.isin(xp.asarray([1.0]), xp.asarray([1.0]), kind=kind))
    check(lambda xp: xp.isin(xp.asarray([1, 2]), 2, kind="table"))
