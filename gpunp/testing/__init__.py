"""Assertions about device arrays, and settings for the time of a test.

The assertions are NumPy's; both sides may be on the device or on the host.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core.multiarray import asnumpy, ndarray

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
    "env",
    "shaped_arange",
    "shaped_random",
    "shaped_reverse_arange",
]


def _host(x: Any) -> Any:
    return x.get() if isinstance(x, ndarray) else x


def assert_allclose(
    actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False
) -> None:  # fmt: skip
    """Raise AssertionError unless two arrays are equal within a tolerance.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.assert_allclose(cp.ones(2), [1.0, 1.0 + 1e-9])
    """
    np.testing.assert_allclose(
        _host(actual), _host(desired), rtol, atol, equal_nan, err_msg, verbose, strict=strict
    )


def assert_array_equal(
    actual, desired, err_msg="", verbose=True, *, strict=False, strides_check=False
) -> None:  # fmt: skip
    """Raise AssertionError unless two arrays are equal (and, if asked, have equal strides)."""
    np.testing.assert_array_equal(_host(actual), _host(desired), err_msg, verbose, strict=strict)
    if strides_check and actual.strides != desired.strides:
        raise AssertionError(f"strides {actual.strides} and {desired.strides} differ\n{err_msg}")


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two arrays are equal to so many decimals."""
    np.testing.assert_array_almost_equal(_host(actual), _host(desired), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x, y, nulp=1) -> None:
    """Raise AssertionError unless two arrays are at most `nulp` units in the last place apart."""
    np.testing.assert_array_almost_equal_nulp(_host(x), _host(y), nulp)


def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """Return the distances in units in the last place, or raise when one is above `maxulp`."""
    return np.testing.assert_array_max_ulp(_host(a), _host(b), maxulp, dtype)


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False) -> None:
    """Raise AssertionError unless every element of `x` is less than that of `y`."""
    np.testing.assert_array_less(_host(x), _host(y), err_msg, verbose, strict=strict)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True) -> None:
    """Raise AssertionError unless two lists hold equal arrays."""
    if type(xlist) is not type(ylist) or len(xlist) != len(ylist):
        raise AssertionError(f"lists of different types or lengths\n{err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


# ---- example data ------------------------------------------------------------------------------


def _filled(values: Any, shape: Any, xp: Any, dtype: Any, order: str) -> Any:
    return xp.asarray(np.asarray(values).reshape(shape).astype(dtype), order=order)


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """An array of a shape with the elements 1, 2, 3 ..."""
    size = int(np.prod(shape))
    return _filled(np.arange(1, size + 1), shape, _module(xp), dtype, order)


def shaped_reverse_arange(shape, xp=None, dtype=np.float32):
    """An array of a shape with the elements size, size - 1 ... 1."""
    size = int(np.prod(shape))
    return _filled(np.arange(size, 0, -1), shape, _module(xp), dtype, "C")


def shaped_random(shape, xp=None, dtype=np.float32, scale=10, seed=0, order="C"):
    """An array of random numbers: booleans, or from 0 to `scale`, on both axes when complex."""
    rng = np.random.RandomState(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return _filled(rng.randint(2, size=shape), shape, _module(xp), dtype, order)
    values = rng.rand(*np.atleast_1d(shape)) if shape != () else rng.rand()
    if dtype.kind == "c":
        values = values + 1j * rng.rand(*np.atleast_1d(shape)) if shape != () else values + 0j
    return _filled(values * scale, shape, _module(xp), dtype, order)


def _module(xp: Any) -> Any:
    if xp is not None:
        return xp
    import gpunp

    return gpunp


# ---- settings ----------------------------------------------------------------------------------


@contextlib.contextmanager
def env(**settings: Any) -> Iterator[None]:
    """Set GPUNP_* variables for the time of a block: ``with env(DEBUG=2): ...``.

    Only settings that are read again while running take effect; `python -m gpunp` lists them all.
    """
    names = {f"GPUNP_{key}": str(value) for key, value in settings.items()}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
