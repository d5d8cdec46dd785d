"""Derivatives of Bessel functions in their argument."""

import operator
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray
from . import _ufuncs as ufuncs

__all__ = ["h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"]


def _derivative(function: Any, derivative: Any, v: Any, z: Any, n: Any) -> ndarray:
    """The function itself where n is 0; otherwise one launch adds the functions of n + 1 orders."""
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"n must not be negative, and is {n}")
    if n == 0:
        return function(v, z)
    v = v if isinstance(v, ndarray) else as_host(v)[()]
    return derivative(v, as_array(z), np.int64(n))


def jvp(v, z, n=1) -> ndarray:
    """Compute a derivative of the Bessel function of the first kind.

    Parameters
    ----------
    v : array_like
        Orders of the function, which are real numbers.
    z : array_like
        Real or complex arguments, broadcast against `v`.
    n : int, optional
        Order of the derivative, zero or more; above 1000 the values are NaN.

    Returns
    -------
    ndarray
        Values of the derivative with respect to `z`.

    Raises
    ------
    TypeError
        If `n` is no integer.
    ValueError
        If `n` is negative.

    See Also
    --------
    scipy.special.jvp

    Notes
    -----
    They are sums of functions of neighbouring orders (DLMF 10.6.7, 10.29.5), added in one launch.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.jvp(0, cp.array([1., 2.]))
    array([-0.44005059, -0.57672481])
    """
    return _derivative(ufuncs.jv, ufuncs._jvp, v, z, n)


@documented_as(jvp)
def yvp(v, z, n=1) -> ndarray:
    """Compute a derivative of the Bessel function of the second kind.

    See Also
    --------
    scipy.special.yvp

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.yvp(0, cp.array([1., 2.]))
    array([0.78121282, 0.10703243])
    """
    return _derivative(ufuncs.yv, ufuncs._yvp, v, z, n)


@documented_as(jvp)
def ivp(v, z, n=1) -> ndarray:
    """Compute a derivative of the modified Bessel function of the first kind.

    See Also
    --------
    scipy.special.ivp

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.ivp(0, cp.array([1., 2.]))
    array([0.5651591 , 1.59063685])
    """
    return _derivative(ufuncs.iv, ufuncs._ivp, v, z, n)


@documented_as(jvp)
def kvp(v, z, n=1) -> ndarray:
    """Compute a derivative of the modified Bessel function of the second kind.

    See Also
    --------
    scipy.special.kvp

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.kvp(0, cp.array([1., 2.]))
    array([-0.60190723, -0.13986588])
    """
    return _derivative(ufuncs.kv, ufuncs._kvp, v, z, n)


@documented_as(jvp)
def h1vp(v, z, n=1) -> ndarray:
    """Compute a derivative of the Hankel function of the first kind.

    See Also
    --------
    scipy.special.h1vp

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.h1vp(0, cp.array([1., 2.]))
    array([-0.44005059+0.78121282j, -0.57672481+0.10703243j])
    """
    return _derivative(ufuncs.hankel1, ufuncs._h1vp, v, z, n)


@documented_as(jvp)
def h2vp(v, z, n=1) -> ndarray:
    """Compute a derivative of the Hankel function of the second kind.

    See Also
    --------
    scipy.special.h2vp

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.h2vp(0, cp.array([1., 2.]))
    array([-0.44005059-0.78121282j, -0.57672481-0.10703243j])
    """
    return _derivative(ufuncs.hankel2, ufuncs._h2vp, v, z, n)
