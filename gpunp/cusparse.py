"""Operations of sparse matrices under cuSPARSE's names: CuPy's `cupyx.cusparse`.

They are computed by this library's own kernels, of matrices and arrays of every type that
`gpunp.scipy.sparse` has. Sparse results are of the class of the first argument.
"""

from typing import Any

import numpy as np

from ._core import umath
from ._core._convert import as_array
from ._core.multiarray import ascontiguousarray, ndarray
from .scipy.sparse import _sparsetools as tools
from .scipy.sparse import csc_matrix, csr_matrix, issparse
from .scipy.sparse._base import CLASSES
from .scipy.sparse._matrix import spmatrix
from .scipy.sparse.linalg import spsolve_triangular

__all__ = [
    "check_availability",
    "coo2csc",
    "coo2csr",
    "coosort",
    "csc2coo",
    "csc2csr",
    "csc2csrEx2",
    "csc2dense",
    "cscsort",
    "csr2coo",
    "csr2csc",
    "csr2cscEx2",
    "csr2csr_compress",
    "csr2dense",
    "csrgeam",
    "csrgeam2",
    "csrgemm",
    "csrgemm2",
    "csrmm",
    "csrmm2",
    "csrmv",
    "csrsm2",
    "csrsort",
    "dense2csc",
    "dense2csr",
    "denseToSparse",
    "sparseToDense",
    "spgeam",
    "spgemm",
    "spmm",
    "spmv",
    "spsm",
]


def check_availability(name: str) -> bool:
    """Tell whether this module has a function.

    Parameters
    ----------
    name : str
        Name of the function, as cuSPARSE or CuPy have it.

    Returns
    -------
    bool
        Whether there is such a function here.

    Examples
    --------
    >>> from gpunp import cusparse
    >>> cusparse.check_availability("spmv")
    True
    """
    return name in __all__


def _sparse(a: Any, *formats: str) -> Any:
    if not issparse(a) or (formats and a.format not in formats):
        wanted = " or ".join(formats) or "any"
        found = a.format if issparse(a) else type(a).__name__
        raise TypeError(f"expected a sparse matrix of format {wanted}, not {found}")
    return a


def _times(x: Any, factor: Any) -> Any:
    """x times a number, of x's type; x itself for the number 1."""
    if isinstance(factor, (int, float, complex)) and factor == 1:
        return x
    return x * (factor if isinstance(factor, ndarray) else x.dtype.type(factor))


def _added(product: ndarray, out: Any, alpha: Any, beta: Any) -> ndarray:
    """``alpha * product + beta * out`` in `out`, or without it ``alpha * product``."""
    product = _times(product, alpha)
    if out is None:
        return product
    if out.shape != product.shape:
        raise ValueError(f"the result has shape {product.shape}, but the output {out.shape}")
    if isinstance(beta, (int, float, complex)) and beta == 0:
        out[...] = product
    else:
        umath.add(product, _times(out, beta), out=out, casting="same_kind")
    return out


def _turned(a: Any, transposed: bool) -> Any:
    return a.T if transposed else a


def spmv(
    a: Any, x: ndarray, y: Any = None, alpha: Any = 1, beta: Any = 0, transa: bool = False
) -> ndarray:
    """Compute ``alpha * op(a) @ x + beta * y`` for a sparse matrix and vectors.

    Parameters
    ----------
    a : sparse matrix
        Matrix of any format.
    x : ndarray
        Vector, as long as op(a) has columns.
    y : ndarray, optional
        Vector that is added, and overwritten by the result.
    alpha : scalar, optional
        Factor of the product.
    beta : scalar, optional
        Factor of `y`, which is not read where it is zero.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.

    Returns
    -------
    ndarray
        Result, `y` if that was given.

    Raises
    ------
    ValueError
        If the shapes do not suit each other.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.spmv(a, cp.ones(2), alpha=2)
    array([6., 6.])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError(f"x must have one axis, not {x.ndim}")
    return _added(_turned(_sparse(a), transa) @ x, y, alpha, beta)


def csrmv(
    a: Any, x: ndarray, y: Any = None, alpha: Any = 1, beta: Any = 0, transa: bool = False
) -> ndarray:
    """Compute ``alpha * op(a) @ x + beta * y`` for a matrix in compressed rows.

    Parameters
    ----------
    a : csr_matrix or csr_array
        Matrix in compressed rows.
    x : ndarray
        Vector, as long as op(a) has columns.
    y : ndarray, optional
        Vector that is added, and overwritten by the result.
    alpha : scalar, optional
        Factor of the product.
    beta : scalar, optional
        Factor of `y`, which is not read where it is zero.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.

    Returns
    -------
    ndarray
        Result, `y` if that was given.
    """
    return spmv(_sparse(a, "csr"), x, y, alpha, beta, transa)


def spmm(
    a: Any,
    b: ndarray,
    c: Any = None,
    alpha: Any = 1,
    beta: Any = 0,
    transa: bool = False,
    transb: bool = False,
) -> ndarray:
    """Compute ``alpha * op(a) @ op(b) + beta * c`` for a sparse matrix and dense ones.

    Parameters
    ----------
    a : sparse matrix
        Matrix of any format.
    b : ndarray
        Dense matrix, in any order in memory.
    c : ndarray, optional
        Dense matrix that is added, and overwritten by the result.
    alpha : scalar, optional
        Factor of the product.
    beta : scalar, optional
        Factor of `c`, which is not read where it is zero.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.
    transb : bool, optional
        If True, op(b) is the transpose of `b`.

    Returns
    -------
    ndarray
        Result, `c` if that was given.

    Raises
    ------
    ValueError
        If the shapes do not suit each other.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.spmm(a, cp.eye(2), transa=True)
    array([[1., 0.],
           [2., 3.]])
    """
    b = as_array(b)
    if b.ndim != 2:
        raise ValueError(f"b must have two axes, not {b.ndim}")
    return _added(_turned(_sparse(a), transa) @ _turned(b, transb), c, alpha, beta)


def csrmm(
    a: Any, b: ndarray, c: Any = None, alpha: Any = 1, beta: Any = 0, transa: bool = False
) -> ndarray:
    """Compute ``alpha * op(a) @ b + beta * c`` for a matrix in compressed rows and dense ones.

    Parameters
    ----------
    a : csr_matrix or csr_array
        Matrix in compressed rows.
    b : ndarray
        Dense matrix, in any order in memory.
    c : ndarray, optional
        Dense matrix that is added, and overwritten by the result.
    alpha : scalar, optional
        Factor of the product.
    beta : scalar, optional
        Factor of `c`, which is not read where it is zero.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.

    Returns
    -------
    ndarray
        Result, `c` if that was given.
    """
    return spmm(_sparse(a, "csr"), b, c, alpha, beta, transa)


def csrmm2(
    a: Any,
    b: ndarray,
    c: Any = None,
    alpha: Any = 1.0,
    beta: Any = 0.0,
    transa: bool = False,
    transb: bool = False,
) -> ndarray:
    """Compute ``alpha * op(a) @ op(b) + beta * c`` for a matrix in compressed rows and dense ones.

    Parameters
    ----------
    a : csr_matrix or csr_array
        Matrix in compressed rows.
    b : ndarray
        Dense matrix, in any order in memory.
    c : ndarray, optional
        Dense matrix that is added, and overwritten by the result.
    alpha : scalar, optional
        Factor of the product.
    beta : scalar, optional
        Factor of `c`, which is not read where it is zero.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.
    transb : bool, optional
        If True, op(b) is the transpose of `b`.

    Returns
    -------
    ndarray
        Result, `c` if that was given.
    """
    return spmm(_sparse(a, "csr"), b, c, alpha, beta, transa, transb)


def spgeam(a: Any, b: Any, alpha: Any = 1, beta: Any = 1) -> Any:
    """Compute ``alpha * a + beta * b`` for two sparse matrices.

    Waits for the device, since the number of elements is a shape; elements of zero are dropped.

    Parameters
    ----------
    a, b : sparse matrix
        Matrices of one shape.
    alpha, beta : scalar, optional
        Factors of `a` and of `b`.

    Returns
    -------
    sparse matrix
        Sum, in compressed rows.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.spgeam(a, a, 1, -2).toarray()
    array([[-1., -2.],
           [ 0., -3.]])
    """
    dtype = np.promote_types(_sparse(a).dtype, _sparse(b).dtype)
    left, right = (m.tocsr().astype(dtype, copy=False) for m in (a, b))
    return _times(left, alpha) + _times(right, beta)


def csrgeam(a: Any, b: Any, alpha: Any = 1, beta: Any = 1) -> Any:
    """Compute ``alpha * a + beta * b`` for two matrices in compressed rows.

    Parameters
    ----------
    a, b : csr_matrix or csr_array
        Matrices of one shape.
    alpha, beta : scalar, optional
        Factors of `a` and of `b`.

    Returns
    -------
    csr_matrix or csr_array
        Sum, without elements of zero; waits for the device.
    """
    return spgeam(_sparse(a, "csr"), _sparse(b, "csr"), alpha, beta)


csrgeam2 = csrgeam


def spgemm(a: Any, b: Any, alpha: Any = 1) -> Any:
    """Compute ``alpha * a @ b`` for two sparse matrices.

    Waits for the device, since the number of elements is a shape.

    Parameters
    ----------
    a, b : sparse matrix
        Matrices whose shapes suit a product.
    alpha : scalar, optional
        Factor of the product.

    Returns
    -------
    sparse matrix
        Product, in compressed rows.

    Raises
    ------
    ValueError
        If the shapes do not suit each other.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.spgemm(a, a).toarray()
    array([[1., 8.],
           [0., 9.]])
    """
    return _times(_sparse(a).tocsr() @ _sparse(b).tocsr(), alpha)


def csrgemm(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Any:
    """Compute ``op(a) @ op(b)`` for two matrices in compressed rows.

    Parameters
    ----------
    a, b : csr_matrix or csr_array
        Matrices whose shapes suit a product.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.
    transb : bool, optional
        If True, op(b) is the transpose of `b`.

    Returns
    -------
    csr_matrix or csr_array
        Product; waits for the device.
    """
    return spgemm(_turned(_sparse(a, "csr"), transa), _turned(_sparse(b, "csr"), transb))


def csrgemm2(a: Any, b: Any, d: Any = None, alpha: Any = 1, beta: Any = 1) -> Any:
    """Compute ``alpha * a @ b + beta * d`` for matrices in compressed rows.

    Parameters
    ----------
    a, b : csr_matrix or csr_array
        Matrices whose shapes suit a product.
    d : csr_matrix or csr_array, optional
        Matrix of the shape of the product.
    alpha : scalar, optional
        Factor of the product.
    beta : scalar, optional
        Factor of `d`, if that is given.

    Returns
    -------
    csr_matrix or csr_array
        Result; waits for the device.
    """
    product = spgemm(_sparse(a, "csr"), _sparse(b, "csr"), alpha)
    return product if d is None else spgeam(product, _sparse(d, "csr"), 1, beta)


def sparseToDense(x: Any, out: Any = None) -> ndarray:
    """Convert a sparse matrix to a dense array in Fortran order.

    Parameters
    ----------
    x : sparse matrix
        Matrix of any format.
    out : ndarray, optional
        Array of the same shape and type that the elements are written to.

    Returns
    -------
    ndarray
        Dense array, `out` where it was given.

    Examples
    --------
    >>> from gpunp import cusparse
    >>> from gpunp.scipy import sparse
    >>> cusparse.sparseToDense(sparse.eye_array(2))
    array([[1., 0.],
           [0., 1.]])
    """
    return _sparse(x).toarray(order="F") if out is None else x.toarray(out=out)


def csr2dense(x: Any, out: Any = None) -> ndarray:
    """Convert a matrix in compressed rows to a dense array in Fortran order.

    Parameters
    ----------
    x : csr_matrix or csr_array
        Matrix in compressed rows.
    out : ndarray, optional
        Array of the same shape and type that the elements are written to.

    Returns
    -------
    ndarray
        Dense array, `out` where it was given.
    """
    return sparseToDense(_sparse(x, "csr"), out)


def csc2dense(x: Any, out: Any = None) -> ndarray:
    """Convert a matrix in compressed columns to a dense array in Fortran order.

    Parameters
    ----------
    x : csc_matrix or csc_array
        Matrix in compressed columns.
    out : ndarray, optional
        Array of the same shape and type that the elements are written to.

    Returns
    -------
    ndarray
        Dense array, `out` where it was given.
    """
    return sparseToDense(_sparse(x, "csc"), out)


def denseToSparse(x: ndarray, format: str = "csr") -> Any:
    """Convert a dense array to a sparse matrix of its elements other than zero.

    Waits for the device, since the number of elements is a shape.

    Parameters
    ----------
    x : array_like
        Array of two axes.
    format : {'csr', 'csc', 'coo'}, optional
        Format of the result.

    Returns
    -------
    csr_matrix, csc_matrix or coo_matrix
        Sparse matrix of the same elements.

    Raises
    ------
    ValueError
        If `x` has not two axes, or the format is another one.

    Examples
    --------
    >>> from gpunp import cusparse
    >>> cusparse.denseToSparse([[0, 2], [0, 0]]).indices
    array([1], dtype=int32)
    """
    if format not in ("csr", "csc", "coo"):
        raise ValueError(f"format must be 'csr', 'csc' or 'coo', not {format!r}")
    x = as_array(x)
    if x.ndim != 2:
        raise ValueError(f"x must have two axes, not {x.ndim}")
    return CLASSES[format, True](x)


def dense2csr(x: ndarray) -> csr_matrix:
    """Convert a dense array to compressed rows; waits for the device.

    Parameters
    ----------
    x : array_like
        Array of two axes.

    Returns
    -------
    csr_matrix
        Elements other than zero.
    """
    return denseToSparse(x, "csr")


def dense2csc(x: ndarray) -> csc_matrix:
    """Convert a dense array to compressed columns; waits for the device.

    Parameters
    ----------
    x : array_like
        Array of two axes.

    Returns
    -------
    csc_matrix
        Elements other than zero.
    """
    return denseToSparse(x, "csc")


def csrsort(x: Any) -> None:
    """Sort the indices of each row, in place.

    Parameters
    ----------
    x : csr_matrix or csr_array
        Matrix in compressed rows.
    """
    _sparse(x, "csr").sort_indices()


def cscsort(x: Any) -> None:
    """Sort the indices of each column, in place.

    Parameters
    ----------
    x : csc_matrix or csc_array
        Matrix in compressed columns.
    """
    _sparse(x, "csc").sort_indices()


def coosort(x: Any, sort_by: str = "r") -> None:
    """Sort the elements of a matrix of coordinates, in place; duplicates stay in order.

    Parameters
    ----------
    x : coo_matrix or coo_array
        Matrix of two axes.
    sort_by : {'r', 'c'}, optional
        Whether the elements follow row by row, or column by column.

    Raises
    ------
    ValueError
        If `sort_by` is none of the two.

    Examples
    --------
    >>> from gpunp import cusparse
    >>> from gpunp.scipy import sparse
    >>> a = sparse.coo_matrix(([1.0, 2.0], ([1, 0], [0, 1])))
    >>> cusparse.coosort(a)
    >>> a.data
    array([2., 1.])
    """
    if sort_by not in ("r", "c"):
        raise ValueError(f"sort_by must be 'r' or 'c', not {sort_by!r}")
    by_rows = sort_by == "r"
    pair, shape = (_sparse(x, "coo").row, x.col), x.shape
    major, minor = (ascontiguousarray(c) for c in (pair if by_rows else pair[::-1]))
    shape = shape if by_rows else shape[::-1]
    keys = tools.keys_of_pairs(major, minor, shape)
    order = tools.order_of(keys, sum(map(tools.column_bits, shape)))[1]
    x.data = x.data[order]
    x.coords = tuple(c[order] for c in pair)


def _compressed(x: Any, kind: str) -> Any:
    """A matrix of sorted coordinates, compressed; duplicates stay."""
    pair, shape = (_sparse(x, "coo").row, x.col), x.shape
    major, minor = pair if kind == "csr" else pair[::-1]
    index = major.dtype
    begins = tools.begins_of(major, shape[0 if kind == "csr" else 1], 0, index)
    like = CLASSES[kind, isinstance(x, spmatrix)]
    return like((x.data, minor, begins), shape=shape)


def coo2csr(x: Any) -> Any:
    """Compress the rows of a matrix whose coordinates are sorted by rows.

    Duplicates stay, and nothing waits for the device; `tocsr` sorts and sums.

    Parameters
    ----------
    x : coo_matrix or coo_array
        Matrix of sorted coordinates.

    Returns
    -------
    csr_matrix or csr_array
        The same elements, in the same order.

    Examples
    --------
    >>> from gpunp import cusparse
    >>> from gpunp.scipy import sparse
    >>> cusparse.coo2csr(sparse.coo_matrix(([1.0, 2.0], ([0, 1], [1, 0])))).indptr
    array([0, 1, 2], dtype=int32)
    """
    return _compressed(x, "csr")


def coo2csc(x: Any) -> Any:
    """Compress the columns of a matrix whose coordinates are sorted by columns.

    Parameters
    ----------
    x : coo_matrix or coo_array
        Matrix of sorted coordinates.

    Returns
    -------
    csc_matrix or csc_array
        The same elements, in the same order.
    """
    return _compressed(x, "csc")


def _coordinates(x: Any, data: ndarray, indices: ndarray) -> Any:
    major = tools.rows_of(x.indptr, x.indices.size)
    pair = (major, indices) if x.format == "csr" else (indices, major)
    return CLASSES["coo", isinstance(x, spmatrix)]((data, pair), shape=x.shape)


def csr2coo(x: Any, data: ndarray, indices: ndarray) -> Any:
    """Write out the rows of a matrix in compressed rows.

    Parameters
    ----------
    x : csr_matrix or csr_array
        Matrix whose rows are taken.
    data : ndarray
        Values of the result, one for each element of `x`.
    indices : ndarray
        Columns of the result, one for each element of `x`.

    Returns
    -------
    coo_matrix or coo_array
        Coordinates, values and columns as given.
    """
    return _coordinates(_sparse(x, "csr"), data, indices)


def csc2coo(x: Any, data: ndarray, indices: ndarray) -> Any:
    """Write out the columns of a matrix in compressed columns.

    Parameters
    ----------
    x : csc_matrix or csc_array
        Matrix whose columns are taken.
    data : ndarray
        Values of the result, one for each element of `x`.
    indices : ndarray
        Rows of the result, one for each element of `x`.

    Returns
    -------
    coo_matrix or coo_array
        Coordinates, values and rows as given.
    """
    return _coordinates(_sparse(x, "csc"), data, indices)


def csr2csc(x: Any) -> Any:
    """Convert compressed rows to compressed columns.

    Parameters
    ----------
    x : csr_matrix or csr_array
        Matrix in compressed rows.

    Returns
    -------
    csc_matrix or csc_array
        The same elements; nothing waits for the device.
    """
    return _sparse(x, "csr").tocsc()


def csc2csr(x: Any) -> Any:
    """Convert compressed columns to compressed rows.

    Parameters
    ----------
    x : csc_matrix or csc_array
        Matrix in compressed columns.

    Returns
    -------
    csr_matrix or csr_array
        The same elements; nothing waits for the device.
    """
    return _sparse(x, "csc").tocsr()


csr2cscEx2, csc2csrEx2 = csr2csc, csc2csr


def csr2csr_compress(x: Any, tol: Any) -> Any:
    """Drop elements that are not greater in magnitude than a tolerance.

    Waits for the device, since the number of elements is a shape.

    Parameters
    ----------
    x : csr_matrix or csr_array
        Matrix in compressed rows.
    tol : float
        Greatest magnitude that is dropped.

    Returns
    -------
    csr_matrix or csr_array
        Elements of greater magnitude.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[1.0, 2.0], [0.0, 3.0]]))
    >>> cusparse.csr2csr_compress(a, 1.5).data
    array([2., 3.])
    """
    kept = (umath.absolute(_sparse(x, "csr").data) > tol).nonzero()[0]
    rows = tools.rows_of(x.indptr, x.indices.size)[kept]
    begins = tools.begins_of(rows, x.shape[0], 0, x.indptr.dtype)
    return type(x)((x.data[kept], x.indices[kept], begins), shape=x.shape)


def spsm(
    a: Any,
    b: ndarray,
    alpha: Any = 1.0,
    lower: bool = True,
    unit_diag: bool = False,
    transa: bool = False,
) -> ndarray:
    """Solve ``op(a) @ x = alpha * b`` for a triangular sparse matrix.

    Computed by `gpunp.scipy.sparse.linalg.spsolve_triangular`, which says what waits.

    Parameters
    ----------
    a : sparse matrix
        Triangular matrix of any format.
    b : ndarray
        Right-hand sides, of shape (n,) or (n, k).
    alpha : scalar, optional
        Factor of the right-hand sides.
    lower : bool, optional
        Whether `a` is a lower triangle, otherwise an upper one.
    unit_diag : bool, optional
        If True, the diagonal is taken as ones.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.

    Returns
    -------
    ndarray
        Solutions, of the shape of `b`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[2.0, 0.0], [1.0, 4.0]]))
    >>> cusparse.spsm(a, cp.asarray([2.0, 9.0]))
    array([1., 2.])
    """
    matrix = _turned(_sparse(a), transa).tocsr()
    b = _times(as_array(b), alpha)
    return spsolve_triangular(matrix, b, bool(lower) != bool(transa), unit_diagonal=unit_diag)


def csrsm2(
    a: Any,
    b: ndarray,
    alpha: Any = 1.0,
    lower: bool = True,
    unit_diag: bool = False,
    transa: bool = False,
    blocking: bool = True,
    level_info: bool = False,
) -> ndarray:
    """Solve ``op(a) @ x = alpha * b`` for a triangular matrix in compressed rows, in place.

    Parameters
    ----------
    a : csr_matrix or csr_array
        Triangular matrix in compressed rows.
    b : ndarray
        Right-hand sides, of shape (n,) or (n, k), overwritten by the solutions.
    alpha : scalar, optional
        Factor of the right-hand sides.
    lower : bool, optional
        Whether `a` is a lower triangle, otherwise an upper one.
    unit_diag : bool, optional
        If True, the diagonal is taken as ones.
    transa : bool, optional
        If True, op(a) is the transpose of `a`.
    blocking : bool, optional
        Accepted for compatibility: it chooses an algorithm of cuSPARSE.
    level_info : bool, optional
        Accepted for compatibility: it chooses an algorithm of cuSPARSE.

    Returns
    -------
    ndarray
        Solutions, which is `b`.
    """
    b[...] = spsm(_sparse(a, "csr"), b, alpha, lower, unit_diag, transa)
    return b
