"""Utilities of the polynomial modules: series as arrays, and domains."""

from typing import Any

import numpy as np
from numpy.exceptions import RankWarning

from .._core import umath as um
from .._core._convert import as_array
from .._core.multiarray import array, empty, ndarray
from .._core.reductions import amax, amin

__all__ = [
    "RankWarning",
    "as_series",
    "getdomain",
    "mapdomain",
    "mapparms",
    "trimcoef",
    "trimseq",
]


# ---- series ------------------------------------------------------------------------------------


def trimseq(seq) -> ndarray:
    """Drop trailing zeros, but keep at least one number. Waits for the device.

    Parameters
    ----------
    seq : array_like
        Coefficients, of one dimension.

    Returns
    -------
    ndarray
        View of `seq`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.trimseq(cp.array([1, 2, 0, 0]))
    array([1, 2])
    """
    if len(seq) == 0:
        return seq
    seq = as_array(seq)
    if bool(seq[-1] != 0):
        return seq
    kept = np.flatnonzero((seq != 0).get())
    return seq[: kept[-1] + 1 if kept.size else 1]


def as_series(alist, trim=True) -> list[ndarray]:
    """Convert to one-dimensional arrays of one floating type, optionally without trailing zeros.

    Trimming waits for the device.

    Parameters
    ----------
    alist : list of array_like
        Series of at most one dimension, not empty; others raise ValueError.
    trim : bool, optional
        If True, drop trailing zeros.

    Returns
    -------
    list of ndarray
        Copies, in a type that can hold all of them; double precision for integers.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.as_series([cp.array([1, 2, 0]), cp.array([1.5])])
    [array([1., 2.]), array([1.5])]
    """
    arrays = [array(a, ndmin=1, copy=None) for a in alist]
    for a in arrays:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    dtype = np.result_type(*(a.dtype if a.dtype.kind in "fc" else np.float64 for a in arrays))
    return [array(a, copy=True, dtype=dtype) for a in arrays]


def trimcoef(c, tol=0) -> ndarray:
    """Drop trailing coefficients that are no larger than `tol`. Waits for the device.

    Parameters
    ----------
    c : array_like
        Coefficients, of one dimension.
    tol : number, optional
        Largest absolute value that is dropped; a negative one raises ValueError.

    Returns
    -------
    ndarray
        Copy of the other coefficients; [0] if there are none.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.trimcoef(cp.array([0.0, 0, 3, 0, 5, 0, 0]))
    array([0., 0., 3., 0., 5.])
    """
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (c,) = as_series([c])
    large = np.flatnonzero((um.absolute(c) > tol).get())
    return c[:1] * 0 if large.size == 0 else c[: large[-1] + 1].copy()


# ---- domains -----------------------------------------------------------------------------------


def getdomain(x) -> ndarray:
    """Return the smallest interval (for complex numbers, rectangle) that contains all of `x`.

    Parameters
    ----------
    x : array_like
        Points, in one dimension.

    Returns
    -------
    ndarray
        Ends of the interval, or lower left and upper right corners of the rectangle.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.getdomain(cp.array([3.0, -1.0, 2.0]))
    array([-1.,  3.])
    """
    (x,) = as_series([x], trim=False)
    ends = empty(2, x.dtype)
    for i, extreme in enumerate((amin, amax)):
        if x.dtype.kind == "c":
            ends.real[i], ends.imag[i] = extreme(x.real), extreme(x.imag)
        else:
            ends[i] = extreme(x)
    return ends


def mapparms(old, new) -> tuple[Any, Any]:
    """Return offset and scale of the line that maps one domain to another.

    Parameters
    ----------
    old, new : pair of numbers
        Domains to map from and to.

    Returns
    -------
    offset, scale : number
        Numbers with new = offset + scale * old.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.mapparms((-1, 1), (0, 2))
    (1.0, 1.0)
    """
    width = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width


def mapdomain(x, old, new) -> Any:
    """Map points by the line that maps the domain `old` to `new`.

    Parameters
    ----------
    x : array_like, number or series
        Points to be mapped.
    old, new : pair of numbers
        Domains to map from and to.

    Returns
    -------
    ndarray, number or series
        Mapped points, of the type of `x`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.mapdomain(cp.array([0.0, 1.0]), (-1, 1), (0, 4))
    array([2., 4.])
    """
    if isinstance(x, (list, tuple, np.ndarray)):  # numbers and series keep their type
        x = as_array(x)
    offset, scale = mapparms(old, new)
    return offset + scale * x
