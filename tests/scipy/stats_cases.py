"""Calls of the functions of samples, compared with SciPy's: arrays go to the device for ours."""

import importlib

import numpy as np

import gpunp as cp


def to_device(value):
    """A value with device arrays for NumPy's."""
    if isinstance(value, np.ndarray):
        return cp.asarray(value)
    return type(value)(map(to_device, value)) if type(value) in (list, tuple) else value


def to_numpy(value):
    return value.get() if isinstance(value, cp.ndarray) else np.asarray(value)


def parts(result, fields):
    """The numbers of a result, one after another."""
    if fields:
        result = [getattr(result, name) for name in fields]
    items = result if isinstance(result, (tuple, list)) else [result]
    for item in items:
        if isinstance(item, (tuple, list)) and len(item) and hasattr(item[0], "shape"):
            yield from item
        else:
            yield item


def called(function, arguments, options):
    """(result, None), or (None, type of the exception)."""
    try:
        return function(*arguments, **options), None
    except (ValueError, TypeError, AttributeError, IndexError, RuntimeError) as error:
        return None, type(error)


def same(module, name, *arguments, fields=None, tolerance=1e-11, **options):
    """Both libraries give the same numbers, of the same dtypes and shapes, or the same error."""
    theirs = getattr(importlib.import_module(f"scipy.{module}"), name)
    ours = getattr(importlib.import_module(f"gpunp.scipy.{module}"), name)
    wanted, error = called(theirs, arguments, options)
    device = {key: to_device(value) for key, value in options.items()}
    found, ours_error = called(ours, to_device(arguments), device)
    assert ours_error == error
    if error:
        return
    pairs = zip(parts(found, fields), parts(wanted, fields), strict=True)
    for actual, desired in ((to_numpy(a), np.asarray(d)) for a, d in pairs):
        assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
        np.testing.assert_allclose(actual, desired, rtol=tolerance, atol=tolerance)
