"""Laguerre polynomials in the older order of arguments; sequences of cylinder functions."""

from typing import Any

from ..._core._convert import as_array, host_ndim
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, ndarray
from . import _ufuncs as ufuncs

__all__ = ["assoc_laguerre", "pbdv_seq", "pbvv_seq"]


def assoc_laguerre(x, n, k=0.0) -> ndarray:
    """Evaluate generalised Laguerre polynomials of whole degree.

    Parameters
    ----------
    x : array_like
        Real arguments of the polynomial.
    n : array_like of int
        Degrees; the polynomial of a negative one is 0.
    k : array_like, optional
        Orders above -1; zero gives the plain polynomials.

    Returns
    -------
    ndarray
        Values of float64, broadcast over the arguments: ``eval_genlaguerre(n, k, x)``.

    See Also
    --------
    scipy.special.assoc_laguerre

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.assoc_laguerre(cp.array([0., 1.]), 2)
    array([ 1. , -0.5])
    """
    return ufuncs.eval_genlaguerre(n, k, as_array(x))


def _sequence(function: Any, v: Any, x: Any) -> tuple[ndarray, ndarray]:
    """Both outputs at the orders from the part of `v` behind the point up, two or more."""
    if not (host_ndim(v) == 0 and host_ndim(x) == 0):
        raise ValueError("arguments must be scalars.")
    whole = int(v)
    orders = arange(max(whole, 1) + 1.0) + abs(float(v) - whole)
    return function(orders, as_array(float(x)))


def pbdv_seq(v, x) -> tuple[ndarray, ndarray]:
    """Compute parabolic cylinder functions D of all orders up to one, and their derivatives.

    Parameters
    ----------
    v : float
        Last order, one or more; the first is what stands behind its point, without a
        sign. Below one there are two orders, the first and the next above it.
    x : float
        Argument of all the functions.

    Returns
    -------
    dv, dp : ndarray
        Values and derivatives at these orders, of float64.

    Raises
    ------
    ValueError
        Where an argument is no scalar.

    Notes
    -----
    For `v` below zero the last derivative is 0 in SciPy, here that of the function.

    See Also
    --------
    scipy.special.pbdv_seq

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.pbdv_seq(1, 0.0)[0]
    array([1., 0.])
    """
    return _sequence(ufuncs.pbdv, v, x)


@documented_as(pbdv_seq)
def pbvv_seq(v, x) -> tuple[ndarray, ndarray]:
    """Compute parabolic cylinder functions V of all orders up to one, and their derivatives.

    Notes
    -----
    For `v` below zero the last derivative is 0 in SciPy, here that of the function.

    See Also
    --------
    scipy.special.pbvv_seq

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.pbvv_seq(1, 0.0)[0]
    array([0.        , 0.79788456])
    """
    return _sequence(ufuncs.pbvv, v, x)
