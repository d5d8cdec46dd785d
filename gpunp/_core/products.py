"""Dot products."""

import math
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import as_array, as_numbers

__all__ = [
    "dot",
    "inner",
    "vdot",
]


def _check_aligned(a: ndarray, b: ndarray, axis: int) -> None:
    """ValueError in NumPy's words unless a's last axis is as long as b's `axis`."""
    if a.shape[-1] != b.shape[axis]:
        left, right = (str(x.shape).replace(" ", "") for x in (a, b))
        raise ValueError(
            f"shapes {left} and {right} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[axis]} (dim {axis % b.ndim})"
        )


def _check_dot_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(out, ndarray):
        raise TypeError(f"return arrays must be gpunp arrays, not {type(out)!r}")
    if out.shape != shape or out.dtype != dtype or not out._c_contiguous:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, "
            "and be a C-Array)"
        )


def dot(a, b, out=None) -> ndarray:
    """Compute the dot product of vectors, of matrices, or over a's last axis and b's last but one.

    Parameters
    ----------
    a, b : array_like
        Vectors, matrices or stacks of them. Scalars are multiplied.
    out : ndarray, optional
        C-contiguous array with the shape and dtype of the result.

    Returns
    -------
    ndarray
        The product; for two vectors a 0-d array.

    Raises
    ------
    ValueError
        If the lengths or `out` do not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.dot(cp.array([[1, 2], [3, 4]]), cp.array([10, 1]))
    array([12, 34])
    """
    if type(a) is type(b) is ndarray and out is None and a.ndim == b.ndim == 2:
        _check_aligned(a, b, 0)
        return _C.matmul(a, b)
    a, b = as_array(a), as_array(b)
    if out is not None or a.ndim == 0 or b.ndim == 0:
        a, b = as_numbers(a, "dot"), as_numbers(b, "dot")
    if a.ndim == 0 or b.ndim == 0:
        if out is not None:
            _check_dot_out(out, a.shape or b.shape, _C.result_type(a, b))
        return _C.multiply(a, b, out)
    _check_aligned(a, b, -2 if b.ndim > 1 else -1)
    if out is not None:
        shape = a.shape[:-1] + b.shape[:-2] + b.shape[b.ndim - 1 :] * (b.ndim > 1)
        _check_dot_out(out, shape, _C.result_type(a, b))
    if b.ndim <= 2:
        return _C.matmul(a, b, out)
    k, rows, columns = a.shape[-1], math.prod(a.shape[:-1]), math.prod(b.shape[:-2])
    if out is None:
        out = _C.empty(a.shape[:-1] + b.shape[:-2] + b.shape[-1:], _C.result_type(a, b), "C")
    matrices = out.reshape(rows, columns, b.shape[-1]).transpose(1, 0, 2)
    _C.matmul(a.reshape(rows, k), b.reshape(columns, k, b.shape[-1]), matrices)
    return out


def inner(a, b, /) -> ndarray:
    """Compute the sum of products over the last axes of two arrays.

    Parameters
    ----------
    a, b : array_like
        Arrays with last axes of equal length. Scalars are multiplied.

    Returns
    -------
    ndarray
        Array with the other axes of `a`, followed by those of `b`.

    Raises
    ------
    ValueError
        If the lengths of the last axes differ.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.inner(cp.array([1, 2, 3]), cp.array([0, 1, 0]))
    array(2)
    """
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        a, b = as_numbers(a, "inner"), as_numbers(b, "inner")
        return _C.multiply(a, b)
    if b.ndim == 1:
        _check_aligned(a, b, -1)
        return _C.matmul(a, b)
    _check_aligned(a, b.swapaxes(-1, -2), -2)
    k = a.shape[-1]
    flat = _C.matmul(a.reshape(math.prod(a.shape[:-1]), k), b.reshape(math.prod(b.shape[:-1]), k).T)
    return flat.reshape(a.shape[:-1] + b.shape[:-1])


def vdot(a, b, /) -> ndarray:
    """Compute the dot product of two flattened arrays; complex elements of `a` are conjugated.

    Parameters
    ----------
    a, b : array_like
        Arrays of equal size; they are flattened.

    Returns
    -------
    ndarray
        The product, as a 0-d array.

    Raises
    ------
    ValueError
        If the sizes differ.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.vdot(cp.array([1 + 2j]), cp.array([3j]))
    array(6.+3.j)
    """
    a, b = as_array(a).ravel(), as_array(b).ravel()
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
    return _C.vecdot(a, b)
