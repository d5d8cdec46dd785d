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
