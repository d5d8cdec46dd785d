"""Norms, under NumPy's names and signatures."""

from operator import index
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from .._core.fromnumeric import amax, amin
from .._core.fromnumeric import sum as _sum
from .._core.multiarray import asarray, ndarray
from .._core.norms import norm_max, norm_min, norm_one, norm_two, norm_zero
from .._core.numeric import moveaxis
from .._core.umath import absolute, power

__all__ = ["LinAlgError", "matrix_norm", "matrix_transpose", "norm", "vector_norm"]


def _floating(x: Any) -> ndarray:
    """`x` as an array of a floating or complex type; integers become float64."""
    x = asarray(x)
    return x if x.dtype.kind in "fcV" else x.astype(np.float64)


_ROWS = {
    None: norm_two,
    2: norm_two,
    1: norm_one,
    0: norm_zero,
    np.inf: norm_max,
    -np.inf: norm_min,
}


def _vector(x: ndarray, ord: Any, axis: Any, keepdims: bool) -> ndarray:
    """The norm over one axis, or over all of them flattened: one pass, but for odd orders."""
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    row = _ROWS.get(ord)
    if row is not None:
        return row(x, axis, keepdims=keepdims)
    return power(_sum(power(absolute(x), ord), axis=axis, keepdims=keepdims), 1.0 / ord)


def _matrix(x: ndarray, ord: Any, axis: tuple[int, int], keepdims: bool) -> ndarray:
    """The norm over two axes, of the kinds that need no singular values."""
    row, column = (a + x.ndim if a < 0 else a for a in axis)
    for given, a in zip(axis, (row, column), strict=True):
        if not 0 <= a < x.ndim:
            raise np.exceptions.AxisError(given, x.ndim)
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord is None or ord in ("fro", "f"):
        return norm_two(x, axis, keepdims=keepdims)
    if ord in (2, -2, "nuc"):
        raise NotImplementedError(
            f"the matrix norm of order {ord!r} needs singular values, which are not here yet; "
            "'fro', 1, -1, inf and -inf are"
        )
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    inner, outer = (row, column) if ord in (1, -1) else (column, row)
    sums = norm_one(x, inner, keepdims=True)
    result = (amax if ord > 0 else amin)(sums, axis=outer, keepdims=True)
    return result if keepdims else result.squeeze(axis=(row, column))


def norm(x, ord=None, axis=None, keepdims=False) -> ndarray:
    """Matrix or vector norm. One pass over the data for the usual orders.

    The orders 2, -2 and 'nuc' of matrices need singular values and are not available.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.norm(cp.array([3.0, 4.0]))
    array(5.)
    """
    x = _floating(x)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            return norm_two(x, keepdims=keepdims)
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (index(axis),)
        except TypeError as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    if len(axis) == 1:
        return _vector(x, ord, axis, keepdims)
    if len(axis) == 2:
        return _matrix(x, ord, axis, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2) -> ndarray:
    """Vector norm over an axis, several axes, or all elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.vector_norm(cp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(5.)
    """
    return _vector(_floating(x), ord, axis, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro") -> ndarray:
    """Norm of the matrices in the last two axes; see `norm` for the orders.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matrix_norm(cp.ones((2, 2)))
    array(2.)
    """
    return _matrix(_floating(x), ord, (-2, -1), keepdims)


def matrix_transpose(x, /) -> ndarray:
    """The last two axes exchanged: a view.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matrix_transpose(cp.zeros((2, 3))).shape
    (3, 2)
    """
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return moveaxis(x, -1, -2)
