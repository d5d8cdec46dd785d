"""Reductions that leave NaN out."""

import warnings

import numpy as np
import pytest
from check import check

import gpunp as cp

DATA = np.array([[1.0, np.nan, 3, -2], [np.nan, 5, 0.5, 4], [7, 8, np.nan, np.nan]])
NAMES = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_nan(name, options, dtype):
    data = np.nan_to_num(DATA).astype(dtype) if dtype == "i4" else DATA.astype(dtype)
    rtol = 1e-5 if dtype == "f4" else 1e-13
    check(lambda xp: xp.asarray(getattr(xp, name)(xp.asarray(data), **options)), rtol=rtol)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_arguments(name):
    check(lambda xp: getattr(xp, name)(xp.asarray(DATA), axis=1))
    check(lambda xp: xp.asarray(getattr(xp, name)(xp.asarray(DATA))))


def test_options():
    check(lambda xp: xp.nanvar(xp.asarray(DATA), axis=1, ddof=1), rtol=1e-13)
    check(lambda xp: xp.nanstd(xp.asarray(DATA), axis=1, correction=1), rtol=1e-13)
    check(lambda xp: xp.nanmean(xp.asarray(DATA), axis=1, where=xp.asarray(DATA) > 0), rtol=1e-13)


def test_nothing_but_nan():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(float(cp.nanmean(cp.array([np.nan, np.nan]))))
        assert np.isnan(float(cp.nanmax(cp.array([np.nan, np.nan]))))
        assert float(cp.nansum(cp.array([np.nan]))) == 0.0


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize(
    "shape, axis", [((3, 4000), 1), ((900, 11), 0), ((40, 70, 9), 1), ((70_000,), None)]
)
def test_moments_of_many(dtype, shape, axis, rng):
    data = (rng.normal(size=shape) * 3 + 100).astype(dtype)
    data[rng.random(shape) < 0.3] = np.nan
    data[tuple(slice(0, 2) if k != axis else slice(None) for k in range(len(shape)))] *= 1.5
    if len(shape) > 1:
        np.moveaxis(data, axis, -1)[0, :] = np.nan  # rows of nothing else
    wide = data.astype("c16" if dtype[0] == "c" else "f8")
    for name in ("nanmean", "nanvar", "nanstd"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = getattr(np, name)(wide, axis=axis)
        found = getattr(cp, name)(cp.asarray(data), axis=axis)
        np.testing.assert_allclose(
            found.get(), wanted, rtol={"f2": 2e-3, "f4": 2e-5, "c8": 2e-5}.get(dtype, 1e-11)
        )


def test_moments_with_too_few():
    values = np.array([[1.0, np.nan, np.nan], [1.0, 2.0, np.nan], [np.nan, np.nan, np.nan]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ddof in (0, 1, 2):
            wanted = np.nanvar(values, axis=1, ddof=ddof)
            assert np.array_equal(
                cp.nanvar(cp.asarray(values), axis=1, ddof=ddof).get(), wanted, equal_nan=True
            )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D"])
@pytest.mark.parametrize("shape", [(1,), (5,), (300, 4), (3, 2000)], ids=str)
def test_the_sum_of_nothing_but_nan_is_a_positive_zero(dtype, shape):
    x = cp.full(shape, cp.nan, dtype)
    for axis in (None, *range(len(shape))):
        found = cp.nansum(x, axis).get()
        assert not found.any() and not np.signbit([found.real, found.imag]).any()
