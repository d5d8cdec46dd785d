"""Norms, and products of matrices and vectors, under NumPy's names and signatures."""

from operator import index
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from .._core.fromnumeric import diagonal as _diagonal
from .._core.fusion import lazy
from .._core.multiarray import asarray, ndarray
from .._core.norms import norm_max, norm_min, norm_one, norm_two, norm_zero
from .._core.numeric import cross as _cross
from .._core.numeric import identity, moveaxis
from .._core.numeric import tensordot as _tensordot
from .._core.products import dot
from .._core.reductions import amax, amin
from .._core.reductions import sum as _sum
from .._core.reductions import trace as _trace
from .._core.umath import absolute, multiply, power
from .._core.umath import matmul as _matmul
from .._core.umath import vecdot as _vecdot
from ._decomposition import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from ._solving import (
    cond,
    det,
    inv,
    lstsq,
    matrix_rank,
    pinv,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)
from ._triangular import cho_solve, invh

__all__ = [
    "LinAlgError",
    "cho_solve",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "invh",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


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
    """The norm over one axis, or over all of them flattened, in one pass."""
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    row = _ROWS.get(ord)
    if row is norm_max and not x.size:
        return amax(absolute(x), axis=axis, keepdims=keepdims, initial=0)
    if row is not None:
        return row(x, axis, keepdims=keepdims)
    with lazy():  # so that powers and their sum are one kernel
        total = _sum(power(absolute(x), ord), axis=axis, keepdims=keepdims)
    return power(total, 1.0 / ord)


def _matrix(x: ndarray, ord: Any, axis: tuple[int, int], keepdims: bool) -> ndarray:
    """The norm over two axes."""
    row, column = (a + x.ndim if a < 0 else a for a in axis)
    for given, a in zip(axis, (row, column), strict=True):
        if not 0 <= a < x.ndim:
            raise np.exceptions.AxisError(given, x.ndim)
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord is None or ord in ("fro", "f"):
        return norm_two(x, axis, keepdims=keepdims)
    if ord in (2, -2, "nuc"):
        s = svdvals(moveaxis(x, (row, column), (-2, -1)))
        if ord == "nuc":
            result = _sum(s, axis=-1)
        elif s.shape[-1]:
            result = s[..., 0 if ord == 2 else -1].copy()
        else:  # the largest of no values is 0, the smallest is an error
            result = amax(s, axis=-1, initial=0) if ord == 2 else amin(s, axis=-1)
        shape = [1 if k in (row, column) else n for k, n in enumerate(x.shape)]
        return result.reshape(shape) if keepdims else result
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    inner, outer = (row, column) if ord in (1, -1) else (column, row)
    sums = norm_one(x, inner, keepdims=True)
    if ord > 0:
        result = amax(sums, axis=outer, keepdims=True, initial=0)
    else:
        result = amin(sums, axis=outer, keepdims=True)
    return result if keepdims else result.squeeze(axis=(row, column))


def norm(x, ord=None, axis=None, keepdims=False) -> ndarray:
    """Matrix or vector norm. One pass over the data for the usual orders.

    Parameters
    ----------
    x : array_like
    ord : {None, int, float, inf, -inf, 'fro', 'nuc'}, optional
        The orders 2, -2 and 'nuc' of matrices are computed from singular values.
    axis : int or 2-tuple of int, optional
        One axis: norms of vectors; two: of matrices.
    keepdims : bool, optional

    Returns
    -------
    gpunp.ndarray

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

    Parameters
    ----------
    x : array_like
        Numbers.
    axis : int or tuple of int, optional
        Axes of the vectors; by default all elements are one.
    keepdims : bool, optional
        Keep these axes, with length one.
    ord : float, optional
        The order; inf and -inf give the largest and the smallest, 0 counts.

    Returns
    -------
    ndarray
        Real.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.vector_norm(cp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(5.)
    """
    return _vector(_floating(x), ord, axis, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro") -> ndarray:
    """Norm of the matrices in the last two axes; see `norm` for the orders.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrices.
    keepdims : bool, optional
        Keep the last two axes, with length one.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, optional
        The order.

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        Another order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matrix_norm(cp.ones((2, 2)))
    array(2.)
    """
    return _matrix(_floating(x), ord, (-2, -1), keepdims)


def matrix_transpose(x, /) -> ndarray:
    """The last two axes exchanged: a view.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrices.

    Returns
    -------
    ndarray, (..., N, M)

    Raises
    ------
    ValueError
        `x` has fewer than two dimensions.

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


# ---- products ----------------------------------------------------------------------------------


def matmul(x1, x2, /) -> ndarray:
    """Matrix product; see `gpunp.matmul`.

    Parameters
    ----------
    x1, x2 : array_like
        Matrices, stacks of them, or vectors.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        Shapes that do not fit, or numbers alone.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matmul(cp.array([[1, 2]]), cp.array([[3], [4]]))
    array([[11]])
    """
    return _matmul(x1, x2)


def vecdot(x1, x2, /, *, axis=-1) -> ndarray:
    """Dot products of vectors along an axis; complex `x1` are conjugated.

    Parameters
    ----------
    x1, x2 : array_like
        Broadcast over the other axes.
    axis : int, optional
        The axis of the vectors.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        The vectors have different lengths.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.vecdot(cp.ones((2, 3)), cp.ones((2, 3)))
    array([3., 3.])
    """
    return _vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2) -> ndarray:
    """Sum of products over pairs of axes; see `gpunp.tensordot`.

    Parameters
    ----------
    x1, x2 : array_like
        The arrays.
    axes : int or pair of sequences of int, optional
        The last so many of the one and the first of the other, or which of each.

    Returns
    -------
    ndarray
        The axes that are left of `x1`, then those of `x2`.

    Raises
    ------
    ValueError
        Axes of different lengths.
    """
    return _tensordot(x1, x2, axes=axes)


def outer(x1, x2, /) -> ndarray:
    """Outer product of two vectors.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors.

    Returns
    -------
    ndarray, (M, N)

    Raises
    ------
    ValueError
        Arguments that are no vectors.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.outer(cp.array([1, 2]), cp.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}."
        )
    return multiply(x1[:, None], x2)


def cross(x1, x2, /, *, axis=-1) -> ndarray:
    """Cross product of (arrays of) vectors of three components.

    Parameters
    ----------
    x1, x2 : array_like
        Broadcast over the other axes.
    axis : int, optional
        The axis of the vectors.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        Vectors of other lengths than three.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.cross(cp.array([1, 0, 0]), cp.array([0, 1, 0]))
    array([0, 0, 1])
    """
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return _cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0) -> ndarray:
    """Diagonals of the matrices in the last two axes: a view.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrices.
    offset : int, optional
        How far above the main diagonal; below it where negative.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.diagonal(cp.arange(4).reshape(2, 2))
    array([0, 3])
    """
    return _diagonal(asarray(x), offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None) -> ndarray:
    """Sums along the diagonals of the matrices in the last two axes.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrices.
    offset : int, optional
        How far above the main diagonal; below it where negative.
    dtype : dtype, optional
        Of the sums.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.trace(cp.ones((2, 3, 3)))
    array([3., 3.])
    """
    return _trace(asarray(x), offset, -2, -1, dtype)


def matrix_power(a, n) -> ndarray:
    """Square matrices raised to a whole power, by repeated squaring.

    A negative power is a power of the inverse.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrices.
    n : int
        The exponent.

    Returns
    -------
    ndarray, (..., M, M)

    Raises
    ------
    LinAlgError
        Matrices that are not square, or, for a negative power, singular.
    TypeError
        `n` is no whole number.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matrix_power(cp.array([[1, 1], [1, 0]]), 10)
    array([[89, 55],
           [55, 34]])
    """
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        result = a.copy()
        result[...] = identity(a.shape[-1], a.dtype)
        return result
    square, result = a, None
    while True:
        if n & 1:
            result = square if result is None else _matmul(result, square)
        n >>= 1
        if n == 0:
            return result.copy() if result is a else result
        square = _matmul(square, square)


def multi_dot(arrays, *, out=None) -> ndarray:
    """Product of several matrices, in the order that needs the fewest multiplications.

    The first and the last may be vectors.

    Parameters
    ----------
    arrays : sequence of array_like
        Two matrices or more.
    out : ndarray, optional
        Where the result goes.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        Fewer than two arrays, or an `out` that does not fit.
    LinAlgError
        Arguments that are no matrices.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.multi_dot([cp.ones((2, 3)), cp.ones((3, 4)), cp.ones(4)])
    array([12., 12.])
    """
    operands = [asarray(a) for a in arrays]
    if len(operands) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(operands) == 2:
        return dot(operands[0], operands[1], out)
    first, last = operands[0].ndim, operands[-1].ndim
    if first == 1:
        operands[0] = operands[0][None]
    if last == 1:
        operands[-1] = operands[-1][:, None]
    for a in operands:
        if a.ndim != 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if out is not None:
        full = (operands[0].shape[0], operands[-1].shape[1])
        shape = full[first == 1 :][: 2 - (first == 1) - (last == 1)]
        if out.shape != shape:
            raise ValueError(
                "output array is not acceptable (must have the right datatype, number of "
                "dimensions, and be a C-Array)"
            )
        out = out.reshape(full, copy=False)
    split = _chain_splits([a.shape[0] for a in operands] + [operands[-1].shape[1]])
    result = _multiply_chain(operands, split, 0, len(operands) - 1, out)
    if first == 1:
        result = result[0]
    return result[..., 0] if last == 1 else result


def _chain_splits(sizes: list[int]) -> list[list[int]]:
    """split[i][j]: after which matrix to cut the product of i..j (Cormen et al., "Introduction to
    Algorithms", section 15.2)."""
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            costs = [
                cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            ]
            cost[i][j] = min(costs)
            split[i][j] = i + costs.index(cost[i][j])
    return split


def _multiply_chain(
    operands: list[ndarray], split: list[list[int]], i: int, j: int, out: Any = None
) -> ndarray:
    if i == j:
        return operands[i]
    k = split[i][j]
    left = _multiply_chain(operands, split, i, k)
    return dot(left, _multiply_chain(operands, split, k + 1, j), out=out)
