"""Reductions and scans over axes, which are methods of arrays too."""

import builtins
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import NoValue, as_array, normalize_axis_index
from ._docstrings import documented_as

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "trace",
    "var",
]


def sum(
    a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue
) -> ndarray:
    """Sum the elements of an array over axes.

    Parameters
    ----------
    a : array_like
        Array whose elements are summed.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    dtype : dtype, optional
        Type of the accumulator and of the result. By default that of `a`, or the default integer
        for smaller integers.
    out : ndarray, optional
        Array into which the result is written.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.
    initial : scalar, optional
        Starting value of the reduction.
    where : array_like of bool, optional
        Elements to include in the reduction; the mask is broadcast against the array.

    Returns
    -------
    ndarray
        The reduced array, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sum(cp.ones((2, 3)), axis=0)
    array([2., 2., 2.])
    """
    return _C.sum(as_array(a), axis, dtype, out, keepdims, initial, where)


@documented_as(sum)
def prod(
    a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue
) -> ndarray:
    """Multiply the elements of an array over axes."""
    return _C.prod(as_array(a), axis, dtype, out, keepdims, initial, where)


@documented_as(sum)
def max(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue) -> ndarray:
    """Return the largest elements over axes; NaNs propagate.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.max(cp.arange(5))
    array(4)
    """
    return _C.max(as_array(a), axis, out, keepdims, initial, where)


@documented_as(max)
def min(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue) -> ndarray:
    """Return the smallest elements over axes; NaNs propagate."""
    return _C.min(as_array(a), axis, out, keepdims, initial, where)


amax = max


amin = min


def all(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Return whether all elements are true, over axes.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.
    where : array_like of bool, optional
        Elements to include in the reduction; the mask is broadcast against the array.

    Returns
    -------
    ndarray
        Array of bool, or `out`.
    """
    return as_array(a).all(axis, out, keepdims, where=where)


@documented_as(all)
def any(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Return whether any element is true, over axes."""
    return as_array(a).any(axis, out, keepdims, where=where)


@documented_as(sum)
def mean(a, axis=None, dtype=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Compute the arithmetic mean over axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.mean(cp.array([1, 2, 6]))
    array(3.)
    """
    return as_array(a).mean(axis, dtype, out, keepdims, where=where)


def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *,
    where=NoValue, mean=NoValue, correction=NoValue,
) -> ndarray:  # fmt: skip
    """Compute the variance over axes, with `ddof` subtracted from the count.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    dtype : dtype, optional
        Type of the accumulator and of the result. By default it follows from the dtype of the
        array.
    out : ndarray, optional
        Array into which the result is written.
    ddof : number, optional
        Number subtracted from the number of elements in the divisor.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.
    where : array_like of bool, optional
        Elements to include in the reduction; the mask is broadcast against the array.
    mean : array_like, optional
        Precomputed mean, with the reduced axes kept.
    correction : number, optional
        Alternative name of `ddof`.

    Returns
    -------
    ndarray
        The reduced array, or `out`.
    """
    ddof = _ddof(ddof, correction)
    if mean is not NoValue:
        return _about("var", as_array(a), mean, axis, dtype, out, ddof, keepdims, where)
    return as_array(a).var(axis, dtype, out, ddof, keepdims, where=where)


@documented_as(var)
def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *,
    where=NoValue, mean=NoValue, correction=NoValue,
) -> ndarray:  # fmt: skip
    """Compute the standard deviation over axes, with `ddof` subtracted from the count."""
    ddof = _ddof(ddof, correction)
    if mean is not NoValue:
        return _about("std", as_array(a), mean, axis, dtype, out, ddof, keepdims, where)
    return as_array(a).std(axis, dtype, out, ddof, keepdims, where=where)


def _about(
    name: str, a: ndarray, mean: Any, axis: Any, dtype: Any, out: Any, ddof: Any,
    keepdims: Any, where: Any,
) -> ndarray:  # fmt: skip
    """Variance or standard deviation about a given mean (with its dimensions kept)."""
    apart = _C.subtract(a, mean, dtype=dtype)
    square = _C.square(_C.absolute(apart) if a.dtype.kind == "c" else apart)
    total = square.sum(axis, keepdims=keepdims, where=where)
    count = (
        _C.ones(a.shape, bool) if where is NoValue else _C.broadcast_to(as_array(where), a.shape)
    )
    spread = total / (_C.count_nonzero(count, axis, keepdims=keepdims) - ddof)
    return _C.sqrt(spread, out) if name == "std" else _C.positive(spread, out)


def _ddof(ddof: Any, correction: Any) -> Any:
    if correction is NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def cumsum(a, axis=None, dtype=None, out=None) -> ndarray:
    """Compute the cumulative sum of the elements along an axis.

    Parameters
    ----------
    a : array_like
        Array whose elements are summed.
    axis : int, optional
        Axis along which to sum. By default the flattened array is used.
    dtype : dtype, optional
        Type of the sums. By default int64 or uint64 for booleans and integers, otherwise that of
        `a`.
    out : ndarray, optional
        Array into which the result is written; it may be `a` or overlap it.

    Returns
    -------
    ndarray
        Array with the shape of `a`, or one-dimensional, or `out`.

    Differences
    -----------
    float16 and bfloat16 are summed in float32 and rounded once. Floats are summed in an order that
    depends on the shape alone, so results repeat bit for bit, but not in NumPy's.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cumsum(cp.array([[1, 2], [3, 4]]), axis=1)
    array([[1, 3],
           [3, 7]])
    """
    return _C.cumsum(as_array(a), axis, dtype, out)


@documented_as(cumsum)
def cumprod(a, axis=None, dtype=None, out=None) -> ndarray:
    """Compute the cumulative product of the elements along an axis (see `cumsum`)."""
    return _C.cumprod(as_array(a), axis, dtype, out)


def cummax(a, axis=None, dtype=None, out=None) -> ndarray:
    """Return the cumulative maximum along an axis; NaNs propagate.

    NumPy spells it ``maximum.accumulate``; here the flattened array is the default.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int, optional
        Axis along which to operate. By default the flattened array is used.
    dtype : dtype, optional
        Type of the result. By default that of `a`.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.

    Returns
    -------
    ndarray
        Array with the shape of `a`, or one-dimensional, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cummax(cp.array([1, 3, 2, 5]))
    array([1, 3, 3, 5])
    """
    return _C.cummax(as_array(a), axis, dtype, out)


@documented_as(cummax)
def cummin(a, axis=None, dtype=None, out=None) -> ndarray:
    """Return the cumulative minimum along an axis; NaNs propagate."""
    return _C.cummin(as_array(a), axis, dtype, out)


def _cumulate(f: Any, x: Any, axis: Any, dtype: Any, out: Any, initial: Any) -> ndarray:
    """Cumulative sum or product of the array API: `initial` (unless None) precedes the first
    element.
    """
    x = as_array(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    if initial is None:
        return f(x, axis, dtype, out)
    x = x.reshape(-1) if x.ndim == 0 else x
    axis = normalize_axis_index(axis, x.ndim)
    if out is None:
        rest = np.dtype(x.dtype if dtype is None else dtype)
        if dtype is None and rest.kind in "bi":
            rest = np.promote_types(rest, np.int64)
        elif dtype is None and rest.kind == "u":
            rest = np.dtype(np.uint64)
        shape = list(x.shape)
        shape[axis] += 1
        out = _C.empty(tuple(shape), rest)
    first, others = [builtins.slice(None)] * x.ndim, [builtins.slice(None)] * x.ndim
    first[axis], others[axis] = builtins.slice(0, 1), builtins.slice(1, None)
    f(x, axis, dtype, out[tuple(others)])
    out[tuple(first)] = initial
    return out


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False) -> ndarray:
    """Compute the cumulative sum along an axis, optionally starting with zero.

    Parameters
    ----------
    x : array_like
        Array on which to operate.
    axis : int, optional
        Axis along which to operate. It is optional for one-dimensional arrays only.
    dtype : dtype, optional
        Type of the result, as for `cumsum`.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.
    include_initial : bool, optional
        If True, the result starts with the sum (product) of no elements, and is one element longer.

    Returns
    -------
    ndarray
        Array with the shape of `x`, one element longer along the axis if `include_initial` is True.

    Raises
    ------
    ValueError
        If `x` has no dimensions, or several dimensions and no `axis` is given.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cumulative_sum(cp.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulate(_C.cumsum, x, axis, dtype, out, 0 if include_initial else None)


@documented_as(cumulative_sum)
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False) -> ndarray:
    """Compute the cumulative product along an axis, optionally starting with one."""
    return _cumulate(_C.cumprod, x, axis, dtype, out, 1 if include_initial else None)


def ptp(a, axis=None, out=None, keepdims=NoValue) -> ndarray:
    """Return the range (largest minus smallest element) over axes.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.

    Returns
    -------
    ndarray
        Array with the dtype of `a`: differences of integers may wrap around, as in NumPy.

    Raises
    ------
    ValueError
        If there are no elements to compare.
    """
    a = as_array(a)
    largest = a.max(axis, out, keepdims)
    return _C.subtract(largest, a.min(axis, keepdims=keepdims), out)


def argmax(a, axis=None, out=None, *, keepdims=NoValue) -> ndarray:
    """Return the index of the first largest element, in the flattened array or along an axis.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int, optional
        Axis along which to operate. By default the flattened array is used.
    out : ndarray, optional
        Array into which the result is written.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.

    Returns
    -------
    ndarray of int64
        Array of indices, or `out`.
    """
    return as_array(a).argmax(axis, out, keepdims=keepdims)


@documented_as(argmax)
def argmin(a, axis=None, out=None, *, keepdims=NoValue) -> ndarray:
    """Return the index of the first smallest element, in the flattened array or along an axis."""
    return as_array(a).argmin(axis, out, keepdims=keepdims)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None) -> ndarray:
    """Sum the diagonals over two axes.

    Parameters
    ----------
    a : array_like
        Array of at least two dimensions.
    offset : int, optional
        Offset from the main diagonal: positive above it, negative below it.
    axis1, axis2 : int, optional
        Axes of the matrices whose diagonals are taken.
    dtype : dtype, optional
        Type of the accumulator and of the result, as for `sum`.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.

    Returns
    -------
    ndarray
        Sums, with the shape of the other axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.trace(cp.eye(3))
    array(3.)
    """
    return as_array(a).diagonal(offset, axis1, axis2).sum(-1, dtype, out)
