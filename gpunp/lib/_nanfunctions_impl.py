"""Reductions that ignore NaN.

All of them run on the device: NumPy's warnings about slices that are all NaN, which would wait for
the data, are not emitted; the result there is NaN as well.
"""

from typing import Any

import numpy as np

from .._core import reductions as plain
from .._core import umath as um
from .._core._convert import NoValue, as_array, check_out, given
from .._core._docstrings import documented_as
from .._core.multiarray import ndarray, where
from .._core.reductions import _ddof
from ._quantile_impl import any_quantile, median, nan_median, percentile, quantile

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
]


def _filled(a: Any, value: Any) -> ndarray:
    """`a` with NaN replaced; `a` itself when its type has no NaN."""
    a = as_array(a)
    if a.dtype.kind not in "fcV":
        return a
    return where(um.isnan(a), a.dtype.type(value), a)


@documented_as(plain.sum)
def nansum(
    a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue
) -> ndarray:
    """Sum the elements of an array over axes, treating NaN as zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nansum(cp.array([1.0, cp.nan, 2.0]))
    array(3.)
    """
    options = given(keepdims=keepdims, initial=initial, where=where)
    return um.nansum(as_array(a), axis, dtype, out, **options)


@documented_as(plain.sum)
def nanprod(
    a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue
) -> ndarray:
    """Multiply the elements of an array over axes, treating NaN as one."""
    options = given(keepdims=keepdims, initial=initial, where=where)
    return um.nanprod(as_array(a), axis, dtype, out, **options)


@documented_as(plain.cumsum)
def nancumsum(a, axis=None, dtype=None, out=None) -> ndarray:
    """Compute the cumulative sum along an axis, treating NaN as zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nancumsum(cp.array([1.0, cp.nan, 2.0]))
    array([1., 1., 3.])
    """
    return um.nancumsum(as_array(a), axis, dtype, out)


@documented_as(plain.cumsum)
def nancumprod(a, axis=None, dtype=None, out=None) -> ndarray:
    """Compute the cumulative product along an axis, treating NaN as one."""
    return um.nancumprod(as_array(a), axis, dtype, out)


@documented_as(plain.max)
def nanmax(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue) -> ndarray:
    """Return the largest elements over axes, ignoring NaN; NaN if all are NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nanmax(cp.array([1.0, cp.nan, 2.0]))
    array(2.)
    """
    return um.nanmax(
        as_array(a), axis, out, **given(keepdims=keepdims, initial=initial, where=where)
    )


@documented_as(plain.max)
def nanmin(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue) -> ndarray:
    """Return the smallest elements over axes, ignoring NaN; NaN if all are NaN."""
    return um.nanmin(
        as_array(a), axis, out, **given(keepdims=keepdims, initial=initial, where=where)
    )


@documented_as(plain.argmax)
def nanargmax(a, axis=None, out=None, *, keepdims=NoValue) -> ndarray:
    """Return the index of the largest element, ignoring NaN.

    Differences
    -----------
    A slice that is all NaN gives 0, where NumPy raises: the check would wait for the device.
    """
    return _filled(a, -np.inf).argmax(axis, out, **given(keepdims=keepdims))


@documented_as(plain.argmax)
def nanargmin(a, axis=None, out=None, *, keepdims=NoValue) -> ndarray:
    """Return the index of the smallest element, ignoring NaN (see `nanargmax`)."""
    return _filled(a, np.inf).argmin(axis, out, **given(keepdims=keepdims))


def _check_inexact(dtype: Any, out: Any) -> None:
    """Check that a mean of floats is neither computed in integers nor stored in them."""
    if dtype is not None and np.dtype(dtype).kind in "biu":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if check_out(out) is not None and out.dtype.kind in "biu":
        raise TypeError("If a is inexact, then out must be inexact")


@documented_as(plain.mean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Compute the mean over axes, ignoring NaN; NaN if all are NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nanmean(cp.array([1.0, cp.nan, 3.0]))
    array(2.)
    """
    a = as_array(a)
    options = given(keepdims=keepdims, where=where)
    if a.dtype.kind not in "fcV":
        return a.mean(axis, dtype, out, **options)
    _check_inexact(dtype, out)
    return um.nanmean(a, axis, dtype, out, **options)


@documented_as(plain.var)
def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *,
    where=NoValue, mean=NoValue, correction=NoValue,
) -> ndarray:  # fmt: skip
    """Compute the variance over axes, ignoring NaN."""
    ddof = _ddof(ddof, correction)
    a = as_array(a)
    if a.dtype.kind not in "fcV":
        options = given(keepdims=keepdims, where=where, mean=mean)
        return plain.var(a, axis, dtype, out, ddof, **options)
    _check_inexact(dtype, out)
    if mean is NoValue:
        return um.nanvar(a, axis, dtype, out, ddof, **given(keepdims=keepdims, where=where))
    masked = given(where=where)
    valid = ~um.isnan(a)
    apart = _filled(um.subtract(a, mean), 0)
    square = (
        um.square(apart) if a.dtype.kind != "c" else um.square(apart.real) + um.square(apart.imag)
    )
    total = square.sum(axis, dtype, keepdims=keepdims is True, **masked)
    count = valid.sum(axis, keepdims=keepdims is True, **masked) - ddof
    count = count.astype(total.dtype)
    return um.divide(total, _positive(count), out, casting="unsafe")


def _positive(count: ndarray) -> ndarray:
    """Replace counts of zero or less by NaN."""
    return where(um.greater(count, 0), count, count.dtype.type(np.nan))


@documented_as(plain.var)
def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *,
    where=NoValue, mean=NoValue, correction=NoValue,
) -> ndarray:  # fmt: skip
    """Compute the standard deviation over axes, ignoring NaN."""
    a = as_array(a)
    if a.dtype.kind in "fcV":
        _check_inexact(dtype, out)
        if mean is NoValue:
            options = given(keepdims=keepdims, where=where)
            return um.nanstd(a, axis, dtype, out, _ddof(ddof, correction), **options)
    var = nanvar(
        a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction
    )
    return um.sqrt(var, var if out is None and var.dtype.kind == "f" else out)


# ---- order statistics --------------------------------------------------------------------------


@documented_as(median)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=NoValue) -> ndarray:
    """Compute the median over axes, ignoring NaN; NaN if all are NaN.

    Returns
    -------
    ndarray
        The medians; NaN if all elements are NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nanmedian(cp.array([10.0, cp.nan, 4.0]))
    array(7.)
    """
    return nan_median(a, axis, out, keepdims)


@documented_as(percentile)
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=NoValue, *,
    weights=None,
) -> ndarray:  # fmt: skip
    """Compute percentiles over axes, ignoring NaN; see `percentile`.

    Returns
    -------
    ndarray
        Percentiles, with the axes of `q` before the remaining axes of `a`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nanpercentile(cp.array([10.0, cp.nan, 4.0]), 50)
    array(7.)
    """
    return any_quantile(a, q, 100, axis, out, method, keepdims, weights, True)


@documented_as(quantile)
def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=NoValue, *,
    weights=None,
) -> ndarray:  # fmt: skip
    """Compute quantiles over axes, ignoring NaN; see `quantile`.

    Returns
    -------
    ndarray
        Quantiles, with the axes of `q` before the remaining axes of `a`.
    """
    return any_quantile(a, q, 1, axis, out, method, keepdims, weights, True)
