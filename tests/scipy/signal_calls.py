"""Comparing functions of signals with SciPy's: one call, run with both modules."""

import warnings

import numpy as np
import pytest

import gpunp as cp

theirs = pytest.importorskip("scipy.signal")
import gpunp.scipy.signal as ours  # noqa: E402

__all__ = ["compare", "ours", "theirs"]


def tolerance(dtype, single):
    """The relative error allowed in a result, of the largest number in it."""
    return 2e-3 if dtype == np.float16 else 2e-5 if single or dtype.char in "fF" else 2e-12


def compare(call, limit=None):
    """call(module, to_device) gives the same arrays with both, or raises the same exception.

    Parameters
    ----------
    call : callable
        Takes the module and the function that moves an array to where the module works.
    limit : float, optional
        Relative error allowed, of the largest number; by default that of the result's type.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = call(theirs, np.asarray)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours, cp.asarray)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        actual = call(ours, cp.asarray)
    if not isinstance(expected, tuple):
        actual, expected = (actual,), (expected,)
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        assert isinstance(a, cp.ndarray)
        b = np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
        if b.dtype.kind in "?biu":
            assert np.array_equal(a.get(), b)
            continue
        error = tolerance(b.dtype, False) if limit is None else limit
        scale = np.abs(b).max(initial=1e-30)
        np.testing.assert_allclose(a.get(), b, rtol=0, atol=error * scale)
