"""Elementary functions whose result is complex where a real one does not exist.

Whether it does depends on the values, so for real input every function here waits for the device.
"""

from typing import Any

import numpy as np

from .._core import umath
from .._core._convert import as_array
from .._core._docstrings import documented_as
from .._core.multiarray import ndarray
from .._core.reductions import any as _any

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]

_SINGLE = np.dtype("f4"), np.dtype("i1"), np.dtype("i2"), np.dtype("u1"), np.dtype("u2")


def _complex_where(x: ndarray, outside: ndarray) -> ndarray:
    """`x` in the complex type beside its own when `outside` holds anywhere."""
    if bool(_any(outside)):
        return x.astype(np.complex64 if x.dtype in _SINGLE else np.complex128)
    return x


def _nonnegative(x: Any) -> ndarray:
    x = as_array(x)
    return x if x.dtype.kind == "c" else _complex_where(x, x < 0)


def _within_one(x: Any) -> ndarray:
    x = as_array(x)
    return x if x.dtype.kind == "c" else _complex_where(x, umath.absolute(x) > 1)


def sqrt(x) -> ndarray:
    """Compute the square root; complex if any element is negative. Waits for the device.

    Parameters
    ----------
    x : array_like
        Array of real or complex numbers.

    Returns
    -------
    ndarray
        Complex if an element requires it. Testing the elements waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.sqrt(cp.array([-1, 4]))
    array([0.+1.j, 2.+0.j])
    """
    return umath.sqrt(_nonnegative(x))


@documented_as(sqrt)
def log(x) -> ndarray:
    """Compute the natural logarithm; complex if any element is negative. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.log(cp.array([-1.0]))
    array([0.+3.14159265j])
    """
    return umath.log(_nonnegative(x))


@documented_as(sqrt)
def log10(x) -> ndarray:
    """Compute the logarithm to base 10; complex if any element is negative. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.log10(cp.array([100.0]))
    array([2.])
    """
    return umath.log10(_nonnegative(x))


@documented_as(sqrt)
def log2(x) -> ndarray:
    """Compute the logarithm to base 2; complex if any element is negative. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.log2(cp.array([8.0]))
    array([3.])
    """
    return umath.log2(_nonnegative(x))


def logn(n, x) -> ndarray:
    """Compute the logarithm of `x` to base `n`; complex if any is negative. Waits for the device.

    Parameters
    ----------
    n : array_like
        Array of bases of the logarithm.
    x : array_like
        Array of real or complex numbers.

    Returns
    -------
    ndarray
        Complex if an element requires it. Testing the elements waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.logn(2, cp.array([4.0, 8.0]))
    array([2., 3.])
    """
    return umath.log(_nonnegative(x)) / umath.log(_nonnegative(n))


def power(x, p) -> ndarray:
    """Compute `x` to the power `p`; complex if any `x` is negative. Waits for the device.

    Negative integer powers are computed in floating point.

    Parameters
    ----------
    x : array_like
        Array of bases of the powers.
    p : array_like
        Array of exponents of the powers.

    Returns
    -------
    ndarray
        Complex if a base requires it. Testing the bases waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.power(cp.array([2, 4]), -2)
    array([0.25  , 0.0625])
    """
    p = as_array(p)
    if p.dtype.kind in "iu" and bool(_any(p < 0)):
        p = p.astype(np.float64)
    return umath.power(_nonnegative(x), p)


@documented_as(sqrt)
def arccos(x) -> ndarray:
    """Compute the inverse cosine; complex if any element is outside [-1, 1]. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.arccos(cp.array([1.0]))
    array([0.])
    """
    return umath.arccos(_within_one(x))


@documented_as(sqrt)
def arcsin(x) -> ndarray:
    """Compute the inverse sine; complex if any element is outside [-1, 1]. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.arcsin(cp.array([0.0]))
    array([0.])
    """
    return umath.arcsin(_within_one(x))


@documented_as(sqrt)
def arctanh(x) -> ndarray:
    """Compute the inverse hyperbolic tangent; complex outside [-1, 1]. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.emath.arctanh(cp.array([0.5]))
    array([0.54930614])
    """
    return umath.arctanh(_within_one(x))
