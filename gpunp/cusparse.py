"""Operations of sparse matrices under cuSPARSE's names: CuPy's `cupyx.cusparse`.

They are those of `gpunp.scipy.sparse`. `transa` and `transb` are True for a matrix that is
transposed first. Functions of a format raise `TypeError` for another one.
"""

from ._core._convert import as_array, shown
from ._core._docstrings import documented_as
from ._core.multiarray import asfortranarray, lexsort, ndarray, where, zeros
from ._core.raw import ElementwiseKernel
from ._core.umath import absolute
from .scipy import sparse
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
    "csrilu02",
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


def check_availability(name) -> bool:
    """Return whether a function of this module exists.

    Parameters
    ----------
    name : str
        Name of the function, such as "spmm".

    Returns
    -------
    bool
        Whether it can be called.
    """
    return name in __all__


def _check(name, a, *formats):
    """Raise unless `a` is a sparse matrix, of one of the formats if any are given."""
    if not sparse.issparse(a) or (formats and a.format not in formats):
        got = f"one of format {a.format!r}" if sparse.issparse(a) else type(a).__name__
        wanted = " or ".join(formats) or "any format"
        raise TypeError(f"{name}: the argument must be a sparse matrix of {wanted}, not {got}")


def _product(name, a, b, c, alpha, beta, transa, transb, ndim):
    """``alpha * op(a) @ op(b) + beta * c``, stored in `c` if that is given."""
    if not isinstance(b, ndarray) or b.ndim != ndim:
        raise ValueError(f"{name}: the dense operand must be an array of {ndim} axes")
    result = (a.T if transa else a) @ (b.T if transb else b)
    if alpha != 1:
        result *= alpha
    if c is None:
        return asfortranarray(result) if ndim == 2 else result
    if beta == 0:
        c[...] = result
    else:
        c *= beta
        c += result
    return c


# ---- products ------------------------------------------------------------------------------------


def spmv(a, x, y=None, alpha=1, beta=0, transa=False):
    """Multiply a sparse matrix and a vector: ``alpha * op(a) @ x + beta * y``.

    Parameters
    ----------
    a : sparse matrix
        Matrix of any format with a product.
    x : ndarray
        Vector that the matrix takes.
    y : ndarray, optional
        Vector for the result. By default a new one.
    alpha : number, optional
        Factor of the product.
    beta : number, optional
        Factor of `y`, which is not read if this is 0.
    transa : bool, optional
        Whether the matrix is transposed first.

    Returns
    -------
    ndarray
        The result, or `y`.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.scipy.sparse.eye(3, format="csr")
    >>> cp.cusparse.spmv(a, cp.arange(3.0), alpha=2)
    array([0., 2., 4.])
    """
    _check("spmv", a)
    return _product("spmv", a, x, y, alpha, beta, transa, False, 1)


@documented_as(spmv)
def csrmv(a, x, y=None, alpha=1, beta=0, transa=False):
    """Multiply a matrix of format csr and a vector."""
    _check("csrmv", a, "csr")
    return _product("csrmv", a, x, y, alpha, beta, transa, False, 1)


def spmm(a, b, c=None, alpha=1, beta=0, transa=False, transb=False):
    """Multiply a sparse and a dense matrix: ``alpha * op(a) @ op(b) + beta * c``.

    Parameters
    ----------
    a : sparse matrix
        Matrix of any format with a product.
    b : ndarray
        Dense matrix of two axes.
    c : ndarray, optional
        Dense matrix for the result. By default a new one, stored by columns.
    alpha : number, optional
        Factor of the product.
    beta : number, optional
        Factor of `c`, which is not read if this is 0.
    transa : bool, optional
        Whether the sparse matrix is transposed first.
    transb : bool, optional
        Whether the dense matrix is transposed first.

    Returns
    -------
    ndarray
        The result, or `c`.
    """
    _check("spmm", a)
    return _product("spmm", a, b, c, alpha, beta, transa, transb, 2)


@documented_as(spmm)
def csrmm(a, b, c=None, alpha=1, beta=0, transa=False):
    """Multiply a matrix of format csr and a dense matrix."""
    _check("csrmm", a, "csr")
    return _product("csrmm", a, b, c, alpha, beta, transa, False, 2)


@documented_as(spmm)
def csrmm2(a, b, c=None, alpha=1.0, beta=0.0, transa=False, transb=False):
    """Multiply a matrix of format csr and a dense matrix, which may be transposed."""
    _check("csrmm2", a, "csr")
    return _product("csrmm2", a, b, c, alpha, beta, transa, transb, 2)


def spgemm(a, b, alpha=1):
    """Multiply two matrices of format csr: ``alpha * a @ b``.

    Parameters
    ----------
    a : csr_matrix
        First matrix of the product.
    b : csr_matrix
        Second matrix of the product.
    alpha : number, optional
        Factor of the product.

    Returns
    -------
    csr_matrix
        The product.
    """
    _check("spgemm", a, "csr")
    _check("spgemm", b, "csr")
    product = a @ b
    return product if alpha == 1 else product * alpha


def csrgemm(a, b, transa=False, transb=False):
    """Multiply two matrices of format csr, either of which may be transposed.

    Parameters
    ----------
    a : csr_matrix
        First matrix of the product.
    b : csr_matrix
        Second matrix of the product.
    transa : bool, optional
        Whether the first matrix is transposed first.
    transb : bool, optional
        Whether the second matrix is transposed first.

    Returns
    -------
    csr_matrix
        The product.
    """
    _check("csrgemm", a, "csr")
    _check("csrgemm", b, "csr")
    return ((a.T if transa else a) @ (b.T if transb else b)).tocsr()


def csrgemm2(a, b, d=None, alpha=1, beta=1):
    """Multiply two matrices of format csr and add a third one: ``alpha * a @ b + beta * d``.

    Parameters
    ----------
    a : csr_matrix
        First matrix of the product.
    b : csr_matrix
        Second matrix of the product.
    d : csr_matrix, optional
        Matrix that is added.
    alpha : number, optional
        Factor of the product.
    beta : number, optional
        Factor of the third matrix.

    Returns
    -------
    csr_matrix
        The result.
    """
    product = spgemm(a, b, alpha)
    if d is None:
        return product
    _check("csrgemm2", d, "csr")
    return product + (d if beta == 1 else d * beta)


def spgeam(a, b, alpha=1, beta=1):
    """Add multiples of two matrices of format csr: ``alpha * a + beta * b``.

    Parameters
    ----------
    a : csr_matrix
        First matrix of the sum.
    b : csr_matrix
        Second matrix of the sum.
    alpha : number, optional
        Factor of the first matrix.
    beta : number, optional
        Factor of the second matrix.

    Returns
    -------
    csr_matrix
        The sum.
    """
    _check("spgeam", a, "csr")
    _check("spgeam", b, "csr")
    return a * alpha + b * beta


@documented_as(spgeam)
def csrgeam(a, b, alpha=1, beta=1):
    """Add multiples of two matrices of format csr, as `spgeam`."""
    return spgeam(a, b, alpha, beta)


@documented_as(spgeam)
def csrgeam2(a, b, alpha=1, beta=1):
    """Add multiples of two matrices of format csr, as `csrgeam`."""
    return spgeam(a, b, alpha, beta)


# ---- conversions ---------------------------------------------------------------------------------


def sparseToDense(x, out=None):
    """Convert a sparse matrix to a dense one.

    Parameters
    ----------
    x : sparse matrix
        Matrix of any format.
    out : ndarray, optional
        Dense matrix for the result. By default a new one, stored by columns.

    Returns
    -------
    ndarray
        Dense matrix, or `out`.
    """
    _check("sparseToDense", x)
    return x.toarray(order="F") if out is None else x.toarray(out=out)


@documented_as(sparseToDense)
def csr2dense(x, out=None):
    """Convert a matrix of format csr to a dense one."""
    _check("csr2dense", x, "csr")
    return sparseToDense(x, out)


@documented_as(sparseToDense)
def csc2dense(x, out=None):
    """Convert a matrix of format csc to a dense one."""
    _check("csc2dense", x, "csc")
    return sparseToDense(x, out)


def denseToSparse(x, format="csr"):
    """Convert a dense matrix to a sparse one; its size waits for the device.

    Parameters
    ----------
    x : ndarray
        Dense matrix of two axes.
    format : {'csr', 'csc', 'coo'}, optional
        Format of the result.

    Returns
    -------
    sparse matrix
        Matrix of the elements that are not zero.
    """
    if format not in ("csr", "csc", "coo"):
        raise TypeError(f"denseToSparse: format must be csr, csc or coo, not {shown(format)}")
    if not isinstance(x, ndarray) or x.ndim != 2:
        raise ValueError("denseToSparse: the argument must be a dense array of two axes")
    return getattr(sparse, f"{format}_matrix")(x)


def dense2csr(x):
    """Convert a dense matrix to format csr; its size waits for the device.

    Parameters
    ----------
    x : ndarray
        Dense matrix of two axes.

    Returns
    -------
    csr_matrix
        Matrix of the elements that are not zero.
    """
    return denseToSparse(x, "csr")


def dense2csc(x):
    """Convert a dense matrix to format csc; its size waits for the device.

    Parameters
    ----------
    x : ndarray
        Dense matrix of two axes.

    Returns
    -------
    csc_matrix
        Matrix of the elements that are not zero.
    """
    return denseToSparse(x, "csc")


def csrsort(x) -> None:
    """Sort the indices of each row of a matrix of format csr, in place.

    Parameters
    ----------
    x : csr_matrix
        Matrix that is changed.
    """
    _check("csrsort", x, "csr")
    x.sort_indices()


def cscsort(x) -> None:
    """Sort the indices of each column of a matrix of format csc, in place.

    Parameters
    ----------
    x : csc_matrix
        Matrix that is changed.
    """
    _check("cscsort", x, "csc")
    x.sort_indices()


def coosort(x, sort_by="r") -> None:
    """Sort the entries of a matrix of format coo, in place.

    Parameters
    ----------
    x : coo_matrix
        Matrix that is changed; entries of one position keep their order.
    sort_by : {'r', 'c'}, optional
        Whether rows or columns come first in the order.
    """
    _check("coosort", x, "coo")
    if sort_by not in ("r", "c"):
        raise ValueError(f"coosort: sort_by must be 'r' or 'c', not {shown(sort_by)}")
    first, second = (x.row, x.col) if sort_by == "r" else (x.col, x.row)
    order = lexsort((second, first))
    x.row, x.col, x.data = x.row[order], x.col[order], x.data[order]


def _conversion(name, source, target):
    """A function that converts a matrix of one format to another."""

    def convert(x):
        _check(name, x, source)
        return getattr(x, f"to{target}")()

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"""Convert a matrix of format {source} to format {target}.

    Parameters
    ----------
    x : {source}_matrix
        Matrix that is converted.

    Returns
    -------
    {target}_matrix
        Matrix of the same elements.
    """
    return convert


coo2csr = _conversion("coo2csr", "coo", "csr")
coo2csc = _conversion("coo2csc", "coo", "csc")
csr2csc = _conversion("csr2csc", "csr", "csc")
csr2cscEx2 = _conversion("csr2cscEx2", "csr", "csc")
csc2csr = _conversion("csc2csr", "csc", "csr")
csc2csrEx2 = _conversion("csc2csrEx2", "csc", "csr")


def csr2coo(x, data, indices):
    """Make a matrix of format coo with the structure of one of format csr.

    Parameters
    ----------
    x : csr_matrix
        Matrix whose rows are counted.
    data : ndarray
        Values of the result, which shares them.
    indices : ndarray
        Columns of the values, which the result shares.

    Returns
    -------
    coo_matrix
        Matrix of the same shape.
    """
    _check("csr2coo", x, "csr")
    return sparse.coo_matrix((data, (x.tocoo().row, indices)), shape=x.shape)


def csc2coo(x, data, indices):
    """Make a matrix of format coo with the structure of one of format csc.

    Parameters
    ----------
    x : csc_matrix
        Matrix whose columns are counted.
    data : ndarray
        Values of the result, which shares them.
    indices : ndarray
        Rows of the values, which the result shares.

    Returns
    -------
    coo_matrix
        Matrix of the same shape.
    """
    _check("csc2coo", x, "csc")
    return sparse.coo_matrix((data, (indices, x.tocoo().col)), shape=x.shape)


def csr2csr_compress(x, tol):
    """Leave out the values of a matrix that are not above a limit; the size waits for the device.

    Parameters
    ----------
    x : csr_matrix
        Matrix whose values are compared.
    tol : number
        Limit: values whose magnitude is at most this are left out.

    Returns
    -------
    csr_matrix
        Matrix of the values that are kept.
    """
    _check("csr2csr_compress", x, "csr")
    result = x.copy()
    result.data = where(absolute(x.data) > tol, x.data, x.data.dtype.type(0))
    result.eliminate_zeros()
    return result


def spsm(
    a,
    b,
    alpha=1.0,
    lower=True,
    unit_diag=False,
    transa=False,
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
    _check("spsm", a)
    matrix = (a.T if transa else a).tocsr()
    b = as_array(b) if alpha == 1 else as_array(b) * alpha
    return spsolve_triangular(matrix, b, bool(lower) != bool(transa), unit_diagonal=unit_diag)


# Element i is a row. It is eliminated when all rows above that it needs were finished by earlier
# launches; then the thread goes on with the next row, as long as that needs rows of this thread,
# and nothing else that is unfinished. So no two threads have the same row, in every run. Whether a
# row that is being finished by this launch is seen as such makes no difference.
_ELIMINATED = ElementwiseKernel(
    "raw I begins, raw I columns, int32 turn",
    "raw T data, raw I pivots, raw int32 finished",
    """
    volatile int *turns = (volatile int *)&finished[0];
    for (I row = i, last = min((I)(i + 64), (I)_ind.size()); row < last; row++) {
        if (turns[row] != 0) break;
        bool is_ready = true, is_own = row == i;
        const I end = begins[row + 1];
        I k = begins[row];
        for (; k < end && columns[k] < row; k++) {
            const I above = columns[k];
            const int at = turns[above];
            is_own = is_own || above >= i;
            is_ready = is_ready && (above >= i || (at != 0 && at < turn));
        }
        if (!is_ready || !is_own) break;
        pivots[row] = k < end && columns[k] == row ? k : -1;
        for (k = begins[row]; k < end && columns[k] < row; k++) {
            const I pivot = pivots[columns[k]], stop = begins[columns[k] + 1];
            if (pivot < 0) continue;
            data[k] = data[k] / data[pivot];
            const T factor = data[k];
            for (I other = pivot + 1, own = k + 1; other < stop && own < end;) {
                if (columns[own] == columns[other]) data[own++] -= factor * data[other++];
                else if (columns[own] < columns[other]) own++;
                else other++;
            }
        }
        turns[row] = turn;
    }
    """,
    "csrilu02",
)
_TURNS_BETWEEN_LOOKS = 16


def csrilu02(a, level_info=False) -> None:
    """Factorise a square matrix incompletely, without fill, in place; this waits for the device.

    Afterwards `a` has U in its upper triangle and, below the diagonal, L, whose diagonal is ones:
    ``spsm(a, b, lower=True, unit_diag=True)`` and ``spsm(a, y, lower=False)`` solve with them.
    Rows that need each other take launches one after another, 64 in a row a launch.

    Parameters
    ----------
    a : csr_matrix or csr_array
        Square matrix, whose values are overwritten; its indices are sorted.
    level_info : bool, optional
        Accepted for compatibility: it chooses an algorithm of cuSPARSE.

    Raises
    ------
    TypeError
        If `a` is of another format, or not of floating numbers.
    ValueError
        If `a` is not square, or a pivot is zero or not stored.

    References
    ----------
    Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, SIAM, 2003, algorithm 10.4.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import cusparse
    >>> a = cusparse.dense2csr(cp.asarray([[2.0, 1.0], [1.0, 4.0]]))
    >>> cusparse.csrilu02(a)
    >>> a.toarray()
    array([[2. , 1. ],
           [0.5, 3.5]])
    """
    _check("csrilu02", a, "csr")
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"csrilu02: the matrix must be square, not of shape {a.shape}")
    if a.dtype.kind not in "fc":
        raise TypeError(f"csrilu02: the matrix must be of floating-point numbers, not {a.dtype}")
    n = a.shape[0]
    a.sum_duplicates()
    pivots, finished = zeros(n, a.indptr.dtype), zeros(n, "i4")
    turn = 0
    while n and (turn == 0 or int(finished.min()) == 0):
        for _ in range(_TURNS_BETWEEN_LOOKS):
            turn += 1
            _ELIMINATED(a.indptr, a.indices, turn, a.data, pivots, finished, size=n)
    is_zero = where(pivots < 0, True, a.data[pivots] == 0) if a.nnz else pivots == 0
    if n and bool(is_zero.any()):
        raise ValueError(f"csrilu02: the pivot of row {int(is_zero.argmax())} is zero")


def csrsm2(
    a,
    b,
    alpha=1.0,
    lower=True,
    unit_diag=False,
    transa=False,
    blocking=True,
    level_info=False,
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
    _check("csrsm2", a, "csr")
    b[...] = spsm(a, b, alpha, lower, unit_diag, transa)
    return b
