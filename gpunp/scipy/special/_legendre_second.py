"""Legendre functions of the second kind, of all degrees and orders up to some."""

import numbers
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import arange, ndarray
from . import _ufuncs as ufuncs

__all__ = ["lqmn", "lqn"]


def _last(n: Any, name: str, whole: bool) -> int:
    """A highest degree or order; SciPy rounds those of `lqmn` up."""
    if not isinstance(n, numbers.Number):
        raise (TypeError if whole else ValueError)(f"{name} must be a non-negative integer")
    if whole and isinstance(n, (float, np.floating)):
        int(n)  # the errors of what is not finite
    if isinstance(n, complex):
        raise TypeError(f"{name} must be a non-negative integer, and is {n}")
    if not n >= 0 or (whole and n != int(n)):
        raise ValueError(f"{name} must be a non-negative integer, and is {n}")
    return int(n)


def _argument(z: Any) -> ndarray:
    z = as_array(z)
    if z.dtype.kind not in "iubfc":
        raise TypeError(f"z must be of numbers, not {z.dtype}")
    return z.astype("complex128" if z.dtype.kind == "c" else "float64", copy=False)


def lqn(n, z) -> tuple[ndarray, ndarray]:
    """Compute Legendre functions of the second kind of all degrees up to one.

    Parameters
    ----------
    n : int
        Highest degree, zero or more.
    z : array_like
        Real or complex arguments.

    Returns
    -------
    qn, dqn : ndarray
        Values and derivatives in `z`, of float64 or complex128 and shape ``(n + 1, *z.shape)``.

    Raises
    ------
    ValueError
        If `n` is negative or no whole number.
    TypeError
        If `n` is no number.

    See Also
    --------
    scipy.special.lqn

    Notes
    -----
    Within the unit circle the functions are cut beyond -1 and 1, outside of it between them. At
    -1 and 1 they are infinite, where SciPy gives 1e300.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.lqn(1, cp.array([0.5, 2.0]))[0]
    array([[ 0.54930614,  0.54930614],
           [-0.72534693,  0.09861229]])
    """
    z = _argument(z)
    degrees = arange(_last(n, "n", whole=True) + 1).reshape((-1, *[1] * z.ndim))
    return ufuncs._legendre_q(0, degrees, z)


def lqmn(m, n, z) -> tuple[ndarray, ndarray]:
    """Compute associated Legendre functions of the second kind up to a degree and an order.

    Parameters
    ----------
    m, n : int
        Highest order and highest degree, zero or more.
    z : array_like
        Real or complex arguments.

    Returns
    -------
    qmn, dqmn : ndarray
        Values and derivatives in `z`, of float64 or complex128 and shape
        ``(m + 1, n + 1, *z.shape)``.

    Raises
    ------
    ValueError
        If `m` or `n` is negative or no number.

    See Also
    --------
    scipy.special.lqmn

    Notes
    -----
    Within the unit circle the functions are cut beyond -1 and 1 and have the sign ``(-1)**m``,
    outside of it they are ``(z**2 - 1)**(m / 2)`` times a derivative of `lqn`. At -1 and 1 they
    are infinite, where SciPy gives 1e300.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.lqmn(1, 1, 0.5)[0]
    array([[ 0.54930614, -0.72534693],
           [-1.15470054, -1.05306334]])
    """
    z = _argument(z)
    ones = [1] * z.ndim
    orders = arange(_last(m, "m", whole=False) + 1).reshape((-1, 1, *ones))
    degrees = arange(_last(n, "n", whole=False) + 1).reshape((1, -1, *ones))
    return ufuncs._legendre_q(orders, degrees, z)
