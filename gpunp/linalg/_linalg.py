"""Norms, and products of matrices and vectors, under NumPy's names and signatures."""

from operator import index
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from .._core._convert import number_on_host
from .._core.fromnumeric import diagonal as _diagonal
from .._core.fusion import lazy
from .._core.multiarray import asarray, ndarray
from .._core.norms import norm_max, norm_min, norm_one, norm_three, norm_two, norm_zero
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
    """Convert to a floating or complex type; integers become float64."""
    x = asarray(x)
    return x if x.dtype.kind in "fcV" else x.astype(np.float64)


_ROWS = {
    None: norm_two,
    2: norm_two,
    1: norm_one,
    3: norm_three,
    0: norm_zero,
    np.inf: norm_max,
    -np.inf: norm_min,
}


def _vector(x: ndarray, ord: Any, axis: Any, keepdims: bool) -> ndarray:
    """The norm over one axis, or over all of them flattened, in one pass."""
    ord = number_on_host(ord)
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
    """Compute a matrix or vector norm. One pass over the data for the usual orders.

    Parameters
    ----------
    x : array_like
        Array of vectors or matrices.
    ord : {None, int, float, inf, -inf, 'fro', 'nuc'}, optional
        Order of the norm. The orders 2, -2 and 'nuc' of matrices are computed from singular values.
    axis : int or 2-tuple of int, optional
        Axis of the vectors, or the two axes of the matrices. By default a vector or matrix norm of
        all elements.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against `x`.

    Returns
    -------
    gpunp.ndarray
        Real norms; the axes of the vectors or matrices are removed.

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
            axis = (int(axis),)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    if len(axis) == 1:
        return _vector(x, ord, axis, keepdims)
    if len(axis) == 2:
        return _matrix(x, ord, axis, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2) -> ndarray:
    """Compute the vector norm over an axis, several axes, or all elements.

    Parameters
    ----------
    x : array_like
        Array of real or complex numbers.
    axis : int or tuple of int, optional
        Axes that hold the vectors. By default all elements form one vector.
    keepdims : bool, optional
        If True, these axes are kept with size one, so that the result broadcasts against the input.
    ord : float, optional
        Order of the norm; inf and -inf give the largest and the smallest magnitude, 0 counts
        nonzero elements.

    Returns
    -------
    ndarray
        Real norms.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.vector_norm(cp.array([[1.0, 2.0], [2.0, 4.0]]))
    array(5.)
    """
    return _vector(_floating(x), ord, axis, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro") -> ndarray:
    """Compute the norm of the matrices in the last two axes; see `norm` for the orders.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    keepdims : bool, optional
        If True, the last two axes are kept with size one, so that the result broadcasts against the
        input.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, optional
        Order of the norm.

    Returns
    -------
    ndarray
        Real norms.

    Raises
    ------
    ValueError
        If the order is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matrix_norm(cp.ones((2, 2)))
    array(2.)
    """
    return _matrix(_floating(x), ord, (-2, -1), keepdims)


def matrix_transpose(x, /) -> ndarray:
    """Return a view with the last two axes exchanged.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrix, or a stack of matrices.

    Returns
    -------
    ndarray, (..., N, M)
        A view of the input.

    Raises
    ------
    ValueError
        If `x` has fewer than two dimensions.

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
    """Multiply matrices; see `gpunp.matmul`.

    Parameters
    ----------
    x1, x2 : array_like
        Matrices, stacks of them, or vectors.

    Returns
    -------
    ndarray
        Product, of the common dtype.

    Raises
    ------
    ValueError
        If the shapes do not fit, or an operand is a scalar.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matmul(cp.array([[1, 2]]), cp.array([[3], [4]]))
    array([[11]])
    """
    return _matmul(x1, x2)


def vecdot(x1, x2, /, *, axis=-1) -> ndarray:
    """Compute dot products of vectors along an axis; complex `x1` are conjugated.

    Parameters
    ----------
    x1, x2 : array_like
        Arrays of vectors, broadcast over all other axes.
    axis : int, optional
        Axis that holds the vectors.

    Returns
    -------
    ndarray
        Products, with the axis of the vectors removed.

    Raises
    ------
    ValueError
        If the vectors differ in length.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.vecdot(cp.ones((2, 3)), cp.ones((2, 3)))
    array([3., 3.])
    """
    return _vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2) -> ndarray:
    """Compute the sum of products over pairs of axes; see `gpunp.tensordot`.

    Parameters
    ----------
    x1, x2 : array_like
        Arrays of which products are summed.
    axes : int or pair of sequences of int, optional
        Number N of axes: the last N of `x1` and the first N of `x2`. Or two sequences, of axes of
        `x1` and of `x2`.

    Returns
    -------
    ndarray
        Array with the remaining axes of `x1`, followed by those of `x2`.

    Raises
    ------
    ValueError
        If the axes differ in length.
    """
    return _tensordot(x1, x2, axes=axes)


def outer(x1, x2, /) -> ndarray:
    """Compute the outer product of two vectors; others raise ValueError.

    Parameters
    ----------
    x1, x2 : array_like
        First and second vector.

    Returns
    -------
    ndarray, (M, N)
        Products of all pairs of elements.

    Raises
    ------
    ValueError
        If an argument is not a vector.

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
    """Compute the cross product of (arrays of) vectors with three components.

    Parameters
    ----------
    x1, x2 : array_like
        Arrays of vectors, broadcast over all other axes.
    axis : int, optional
        Axis that holds the vectors.

    Returns
    -------
    ndarray
        Vectors, with the shape of `x1` and `x2` after broadcasting.

    Raises
    ------
    ValueError
        If the vectors do not have three components.

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
    """Return a view of the diagonals of the matrices in the last two axes.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    offset : int, optional
        Offset from the main diagonal: positive above it, negative below it.

    Returns
    -------
    ndarray
        View with the diagonals along the last axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.diagonal(cp.arange(4).reshape(2, 2))
    array([0, 3])
    """
    return _diagonal(asarray(x), offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None) -> ndarray:
    """Sum the diagonals of the matrices in the last two axes.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    offset : int, optional
        Offset from the main diagonal: positive above it, negative below it.
    dtype : dtype, optional
        Type of the accumulator and of the result.

    Returns
    -------
    ndarray
        Sums, without the last two axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.trace(cp.ones((2, 3, 3)))
    array([3., 3.])
    """
    return _trace(asarray(x), offset, -2, -1, dtype)


def matrix_power(a, n) -> ndarray:
    """Raise square matrices to an integer power, by repeated squaring.

    A negative power is a power of the inverse.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    n : int
        Exponent, an integer of any sign.

    Returns
    -------
    ndarray, (..., M, M)
        Powers of the matrices.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or, for a negative power, singular.
    TypeError
        If `n` is not an integer.

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
    """Multiply several matrices, in the order that needs the fewest multiplications.

    The first and the last may be vectors.

    Parameters
    ----------
    arrays : sequence of array_like
        Two or more matrices to multiply.
    out : ndarray, optional
        Array into which the result is written.

    Returns
    -------
    ndarray
        Product, a matrix; or a vector or 0-d array if vectors are given.

    Raises
    ------
    ValueError
        If there are fewer than two arrays, or `out` does not fit.
    LinAlgError
        If an argument is not a matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.multi_dot([cp.ones((2, 3)), cp.ones((3, 4)), cp.ones(4)])
    array([12., 12.])
    """
    operands, given = [asarray(a) for a in arrays], out
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
    if given is not None:
        return given
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
