"""Basic linear algebra under BLAS's names: CuPy's `cupy.cublas`.

Arrays have one of the types float32, float64, complex64 and complex128, and one function's arrays
have the same. `alpha` and `beta` are numbers, or arrays of one element on either side, and are
converted to that type. What a function overwrites is its last array or `out`; an `out` of NumPy
waits for the device. `trans` is "N" (or 0) for a matrix, "T" (or 1) for its transposed and "H", "C"
(or 2) for its conjugate transposed.
"""

import numpy as np

from ._core._convert import as_host, shown
from ._core.fusion import fuse
from ._core.multiarray import ndarray, where, zeros
from ._core.umath import conjugate, matmul, multiply
from .lib._twodim_base_impl import tri
from .linalg import norm, solve
from .scipy.sparse import dia_array

__all__ = [
    "asum",
    "axpy",
    "batched_gesv",
    "dgmm",
    "dot",
    "dotc",
    "dotu",
    "geam",
    "gemm",
    "gemv",
    "ger",
    "gerc",
    "geru",
    "get_batched_gesv_limit",
    "iamax",
    "iamin",
    "nrm2",
    "sbmv",
    "scal",
    "set_batched_gesv_limit",
    "syrk",
]

_TYPES = "fdFD"
_batched_gesv_limit = 256  # the largest matrices for `batched_gesv`


# ---- arguments -----------------------------------------------------------------------------------


def _check(name, *arrays, types=_TYPES):
    """Raise unless arrays are of one of the types, and of the same one."""
    for array in arrays:
        if not isinstance(array, ndarray):
            raise TypeError(f"{name}: arguments must be gpunp arrays, not {type(array).__name__}")
        if array.dtype.char not in types:
            wanted = ", ".join(str(np.dtype(char)) for char in types)
            raise TypeError(f"{name}: dtype {array.dtype} is none of {wanted}")
        if array.dtype != arrays[0].dtype:
            raise TypeError(f"{name}: arrays of {arrays[0].dtype} and {array.dtype}")


def _check_axes(name, array, ndim):
    if array.ndim != ndim:
        raise ValueError(f"{name}: an array must have {ndim} axes, not {array.ndim}")


def _check_vectors(name, *vectors, types=_TYPES):
    _check(name, *vectors, types=types)
    for vector in vectors:
        _check_axes(name, vector, 1)
        if vector.size != vectors[0].size:
            raise ValueError(f"{name}: vectors of {vectors[0].size} and {vector.size} elements")


def _check_shape(name, what, array, shape):
    if array.shape != shape:
        raise ValueError(f"{name}: {what} must have the shape {shape}, not {array.shape}")


def _number(value, dtype):
    """A factor in the type of the arrays: a scalar of NumPy, or an array of no axes."""
    if isinstance(value, ndarray):
        return value.astype(dtype, copy=False).reshape(())
    return dtype.type(as_host(value).item())


def _is(value, number):
    """Whether a factor is a number on the host that has this value: `_number`'s result."""
    return not isinstance(value, ndarray) and value == number


def _letter(name, what, value, letters):
    """One of the letters, which is given in either case or as its number."""
    if isinstance(value, int) and 0 <= value < len(letters):
        return letters[value]
    letter = value.upper() if isinstance(value, str) else ""
    if letter not in [*letters]:
        wanted = ", ".join(map(repr, letters))
        raise ValueError(f"{name}: {what} must be one of {wanted}, not {shown(value)}")
    return letter


def _transposed(name, trans, a):
    """The matrix that `trans` makes of `a`."""
    letter = _letter(name, "trans", trans, "NTCH")
    if letter == "N":
        return a
    return conjugate(a).T if letter in "HC" and a.dtype.kind == "c" else a.T


def _given(result, out):
    """The result, stored in `out` if there is one."""
    if out is None:
        return result
    if not isinstance(out, (ndarray, np.ndarray)):
        raise TypeError(f"out is an array of gpunp or NumPy, not {type(out).__name__}")
    values = result if isinstance(out, ndarray) else result.get()
    out[...] = values.reshape(out.shape)
    return out


# ---- vectors -------------------------------------------------------------------------------------


@fuse
def _sizes(x):
    return abs(x.real) + abs(x.imag)


@fuse
def _sum_of_sizes(x):
    return (abs(x.real) + abs(x.imag)).sum()


def iamax(x, out=None):
    """Return the position, counted from 1, of the element of largest magnitude.

    Parameters
    ----------
    x : ndarray
        Vector. The magnitude of a complex number is `|real| + |imag|`.
    out : ndarray or numpy.ndarray, optional
        Array of one int32 for the result.

    Returns
    -------
    ndarray
        Position as an int32 array of no axes, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cublas.iamax(cp.array([1.0, -3.0, 2.0]))
    array(2, dtype=int32)
    """
    _check_vectors("iamax", x)
    return _given((_sizes(x).argmax() + 1).astype(np.int32), out)


def iamin(x, out=None):
    """Return the position, counted from 1, of the element of smallest magnitude.

    Parameters
    ----------
    x : ndarray
        Vector. The magnitude of a complex number is `|real| + |imag|`.
    out : ndarray or numpy.ndarray, optional
        Array of one int32 for the result.

    Returns
    -------
    ndarray
        Position as an int32 array of no axes, or `out`.
    """
    _check_vectors("iamin", x)
    return _given((_sizes(x).argmin() + 1).astype(np.int32), out)


def asum(x, out=None):
    """Return the sum of the magnitudes of the elements.

    Parameters
    ----------
    x : ndarray
        Vector. The magnitude of a complex number is `|real| + |imag|`.
    out : ndarray or numpy.ndarray, optional
        Array of one real number for the result.

    Returns
    -------
    ndarray
        Sum as a real array of no axes, or `out`.
    """
    _check_vectors("asum", x)
    return _given(_sum_of_sizes(x), out)


def nrm2(x, out=None):
    """Return the Euclidean length of a vector.

    Parameters
    ----------
    x : ndarray
        Vector of real or complex numbers.
    out : ndarray or numpy.ndarray, optional
        Array of one real number for the result.

    Returns
    -------
    ndarray
        Length as a real array of no axes, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cublas.nrm2(cp.array([3.0, 4.0]))
    array(5.)
    """
    _check_vectors("nrm2", x)
    return _given(norm(x), out)


def dot(x, y, out=None):
    """Return the scalar product of two real vectors.

    Parameters
    ----------
    x : ndarray
        Vector of real numbers.
    y : ndarray
        Vector of as many real numbers.
    out : ndarray or numpy.ndarray, optional
        Array of one number for the result.

    Returns
    -------
    ndarray
        Product as an array of no axes, or `out`.
    """
    _check_vectors("dot", x, y, types="fd")
    return _given(matmul(x, y), out)


def dotu(x, y, out=None):
    """Return the sum of the products of elements, without conjugation.

    Parameters
    ----------
    x : ndarray
        Vector of complex numbers.
    y : ndarray
        Vector of as many complex numbers.
    out : ndarray or numpy.ndarray, optional
        Array of one number for the result.

    Returns
    -------
    ndarray
        Sum as an array of no axes, or `out`.
    """
    _check_vectors("dotu", x, y, types="FD")
    return _given(matmul(x, y), out)


def dotc(x, y, out=None):
    """Return the scalar product of two complex vectors, the first of them conjugated.

    Parameters
    ----------
    x : ndarray
        Vector of complex numbers.
    y : ndarray
        Vector of as many complex numbers.
    out : ndarray or numpy.ndarray, optional
        Array of one number for the result.

    Returns
    -------
    ndarray
        Product as an array of no axes, or `out`.
    """
    _check_vectors("dotc", x, y, types="FD")
    return _given(matmul(conjugate(x), y), out)


@fuse
def _add_scaled(a, x, y):
    y += a * x


def axpy(a, x, y) -> None:
    """Add a multiple of a vector to another: ``y += a * x``.

    Parameters
    ----------
    a : number or ndarray
        Factor of the first vector.
    x : ndarray
        Vector that is added.
    y : ndarray
        Vector of the same length, which is overwritten.

    Examples
    --------
    >>> import gpunp as cp
    >>> y = cp.ones(3)
    >>> cp.cublas.axpy(2.0, cp.arange(3.0), y)
    >>> y
    array([1., 3., 5.])
    """
    _check_vectors("axpy", x, y)
    _add_scaled(_number(a, y.dtype), x, y)


def scal(a, x) -> None:
    """Multiply a vector by a number, in place.

    Parameters
    ----------
    a : number or ndarray
        Factor of all elements.
    x : ndarray
        Vector, which is overwritten.
    """
    _check_vectors("scal", x)
    multiply(x, _number(a, x.dtype), out=x)


# ---- matrices and vectors ------------------------------------------------------------------------


@fuse
def _combined(alpha, product, beta, out):
    return alpha * product + beta * out


def _accumulate(alpha, product, beta, out):
    """Store ``alpha * product + beta * out`` in `out`, which is not read where beta is 0."""
    if not _is(beta, 0):
        out[...] = _combined(alpha, product, beta, out)
    else:
        multiply(product, alpha, out=out)


def gemv(transa, alpha, a, x, beta, y) -> None:
    """Multiply a matrix and a vector: ``y = alpha * op(a) @ x + beta * y``.

    Parameters
    ----------
    transa : {'N', 'T', 'H', 'C'} or int
        What is made of the matrix before the product.
    alpha : number or ndarray
        Factor of the product.
    a : ndarray
        Matrix of two axes.
    x : ndarray
        Vector that the matrix takes.
    beta : number or ndarray
        Factor of `y`, which is not read if this is 0.
    y : ndarray
        Vector, which is overwritten.
    """
    _check("gemv", a, x, y)
    for array, ndim in ((a, 2), (x, 1), (y, 1)):
        _check_axes("gemv", array, ndim)
    matrix = _transposed("gemv", transa, a)
    _check_shape("gemv", "x", x, matrix.shape[1:])
    _check_shape("gemv", "y", y, matrix.shape[:1])
    _accumulate(_number(alpha, a.dtype), matmul(matrix, x), _number(beta, a.dtype), y)


@fuse
def _add_outer(alpha, x, y, a):
    a += alpha * x * y


def _rank_one(name, alpha, x, y, a, types, conjugates):
    _check(name, x, y, a, types=types)
    for array, ndim in ((x, 1), (y, 1), (a, 2)):
        _check_axes(name, array, ndim)
    _check_shape(name, "a", a, (x.size, y.size))
    row = conjugate(y) if conjugates else y
    _add_outer(_number(alpha, a.dtype), x[:, None], row[None], a)


def ger(alpha, x, y, a) -> None:
    """Add the outer product of two real vectors to a matrix: ``a += alpha * outer(x, y)``.

    Parameters
    ----------
    alpha : number or ndarray
        Factor of the outer product.
    x : ndarray
        Vector of as many elements as the matrix has rows.
    y : ndarray
        Vector of as many elements as the matrix has columns.
    a : ndarray
        Matrix, which is overwritten.
    """
    _rank_one("ger", alpha, x, y, a, "fd", False)


def geru(alpha, x, y, a) -> None:
    """Add the outer product of two complex vectors to a matrix: ``a += alpha * outer(x, y)``.

    Parameters
    ----------
    alpha : number or ndarray
        Factor of the outer product.
    x : ndarray
        Vector of as many elements as the matrix has rows.
    y : ndarray
        Vector of as many elements as the matrix has columns.
    a : ndarray
        Matrix, which is overwritten.
    """
    _rank_one("geru", alpha, x, y, a, "FD", False)


def gerc(alpha, x, y, a) -> None:
    """Add an outer product, `y` conjugated, to a matrix: ``a += alpha * outer(x, conj(y))``.

    Parameters
    ----------
    alpha : number or ndarray
        Factor of the outer product.
    x : ndarray
        Vector of as many elements as the matrix has rows.
    y : ndarray
        Vector of as many elements as the matrix has columns.
    a : ndarray
        Matrix, which is overwritten.
    """
    _rank_one("gerc", alpha, x, y, a, "FD", True)


def sbmv(k, alpha, a, x, beta, y, lower=False):
    """Multiply a symmetric band matrix and a vector: ``y = alpha * A @ x + beta * y``.

    Parameters
    ----------
    k : int
        Number of diagonals on each side of the main one.
    alpha : number or ndarray
        Factor of the product.
    a : ndarray
        Array of shape (k + 1, n) with one diagonal in each row, as LAPACK stores the lower or the
        upper ones: element (i, j) of the matrix is ``a[i - j, j]`` or ``a[k + i - j, j]``.
    x : ndarray
        Vector of real numbers.
    beta : number or ndarray
        Factor of `y`, which is not read if this is 0.
    y : ndarray
        Vector, which is overwritten.
    lower : bool, optional
        Whether `a` has the diagonals from the main one downwards. By default the upper ones.

    Returns
    -------
    ndarray
        The vector `y`.
    """
    _check("sbmv", a, x, y, types="fd")
    _check_axes("sbmv", x, 1)
    _check_shape("sbmv", "a", a, (k + 1, x.size))
    _check_shape("sbmv", "y", y, x.shape)
    offsets = [-d for d in range(k + 1)] if lower else list(range(k, -1, -1))
    others = slice(1, None) if lower else slice(k)  # rows of all diagonals but the main one
    shape = (x.size, x.size)
    product = dia_array((a, offsets), shape=shape) @ x
    if k:
        product += dia_array((a[others], offsets[others]), shape=shape).T @ x
    _accumulate(_number(alpha, y.dtype), product, _number(beta, y.dtype), y)
    return y


# ---- matrices ------------------------------------------------------------------------------------


def _check_out(name, out, shape, like):
    _check(name, like, out)
    _check_shape(name, "out", out, shape)


def gemm(transa, transb, a, b, out=None, alpha=1.0, beta=0.0):
    """Multiply two matrices: ``out = alpha * op(a) @ op(b) + beta * out``.

    Parameters
    ----------
    transa : {'N', 'T', 'H', 'C'} or int
        What is made of the first matrix before the product.
    transb : {'N', 'T', 'H', 'C'} or int
        What is made of the second matrix before the product.
    a : ndarray
        First matrix of the product.
    b : ndarray
        Second matrix of the product.
    out : ndarray, optional
        Matrix for the result. By default a new one.
    alpha : number or ndarray, optional
        Factor of the product.
    beta : number or ndarray, optional
        Factor of `out`, which is not read if this is 0.

    Returns
    -------
    ndarray
        The result, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[1.0, 2.0], [3.0, 4.0]])
    >>> cp.cublas.gemm("N", "T", a, cp.eye(2), alpha=2.0)
    array([[2., 4.],
           [6., 8.]])
    """
    _check("gemm", a, b)
    _check_axes("gemm", a, 2)
    _check_axes("gemm", b, 2)
    left, right = _transposed("gemm", transa, a), _transposed("gemm", transb, b)
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"gemm: matrices of shapes {left.shape} and {right.shape}")
    alpha, beta = _number(alpha, a.dtype), _number(beta, a.dtype)
    product = matmul(left, right)
    if out is None:
        return product if _is(alpha, 1) else multiply(product, alpha, out=product)
    _check_out("gemm", out, product.shape, a)
    _accumulate(alpha, product, beta, out)
    return out


def geam(transa, transb, alpha, a, beta, b, out=None):
    """Add multiples of two matrices: ``out = alpha * op(a) + beta * op(b)``.

    Parameters
    ----------
    transa : {'N', 'T', 'H', 'C'} or int
        What is made of the first matrix before the sum.
    transb : {'N', 'T', 'H', 'C'} or int
        What is made of the second matrix before the sum.
    alpha : number or ndarray
        Factor of the first matrix.
    a : ndarray
        First matrix of the sum.
    beta : number or ndarray
        Factor of the second matrix.
    b : ndarray
        Second matrix of the sum.
    out : ndarray, optional
        Matrix for the result. By default a new one.

    Returns
    -------
    ndarray
        The result, or `out`.
    """
    _check("geam", a, b)
    _check_axes("geam", a, 2)
    _check_axes("geam", b, 2)
    left, right = _transposed("geam", transa, a), _transposed("geam", transb, b)
    _check_shape("geam", "op(b)", right, left.shape)
    result = _combined(_number(alpha, a.dtype), left, _number(beta, a.dtype), right)
    if out is None:
        return result
    _check_out("geam", out, left.shape, a)
    out[...] = result
    return out


def dgmm(side, a, x, out=None, incx=1):
    """Multiply the rows or the columns of a matrix by the elements of a vector.

    Parameters
    ----------
    side : {'L', 'R'} or int
        'L' (or 0) for ``diag(x) @ a``, 'R' (or 1) for ``a @ diag(x)``.
    a : ndarray
        Matrix of two axes.
    x : ndarray
        Vector, of which every `incx`-th element is taken.
    out : ndarray, optional
        Matrix for the result. By default a new one.
    incx : int, optional
        Distance of the elements taken. If it is negative, they are taken from the end.

    Returns
    -------
    ndarray
        The result, or `out`.
    """
    _check("dgmm", a, x)
    _check_axes("dgmm", a, 2)
    letter = _letter("dgmm", "side", side, "LR")
    if incx == 0:
        raise ValueError("dgmm: incx is 0")
    length = a.shape[letter == "R"]
    elements = x.ravel()[::incx][:length]
    _check_shape("dgmm", "x[::incx]", elements, (length,))
    factors = elements[:, None] if letter == "L" else elements[None]
    if out is None:
        return multiply(a, factors)
    _check_out("dgmm", out, a.shape, a)
    return multiply(a, factors, out=out)


def syrk(trans, a, out=None, alpha=1.0, beta=0.0, lower=False):
    """Multiply a matrix and its transposed: ``out = alpha * op(a) @ op(a).T + beta * out``.

    Parameters
    ----------
    trans : {'N', 'T'} or int
        What is made of the matrix before the product; there is no conjugation.
    a : ndarray
        Matrix of two axes.
    out : ndarray, optional
        Square matrix for the result. By default a new one of zeros.
    alpha : number or ndarray, optional
        Factor of the product.
    beta : number or ndarray, optional
        Factor of `out`, which is not read if this is 0.
    lower : bool, optional
        Whether the lower triangle is stored. By default the upper one; the other one stays.

    Returns
    -------
    ndarray
        The result, or `out`.
    """
    _check("syrk", a)
    _check_axes("syrk", a, 2)
    matrix = a if _letter("syrk", "trans", trans, "NT") == "N" else a.T
    product = matmul(matrix, matrix.T)
    if out is None:
        out = zeros(product.shape, a.dtype)
    _check_out("syrk", out, product.shape, a)
    result = out.copy()
    _accumulate(_number(alpha, a.dtype), product, _number(beta, a.dtype), result)
    mask = tri(len(out), k=0 if lower else -1, dtype=bool)
    out[...] = where(mask, result, out) if lower else where(mask, out, result)
    return out


# ---- many systems --------------------------------------------------------------------------------


def get_batched_gesv_limit():
    """Return the size of the largest matrices that `batched_gesv` is meant for.

    Returns
    -------
    int
        Number of rows.
    """
    return _batched_gesv_limit


def set_batched_gesv_limit(limit) -> None:
    """Set the size of the largest matrices that `batched_gesv` is meant for.

    Parameters
    ----------
    limit : int
        Number of rows, for programs that ask; gpunp's own functions choose by themselves.
    """
    global _batched_gesv_limit
    _batched_gesv_limit = int(limit)


def batched_gesv(a, b):
    """Solve a stack of linear systems ``a @ x = b``.

    Parameters
    ----------
    a : ndarray, (..., M, M)
        Stack of square matrices.
    b : ndarray, (..., M) or (..., M, K)
        Right-hand sides: vectors if it has one axis less than `a`, otherwise matrices.

    Returns
    -------
    ndarray
        Solutions, with the shape of `b`.
    """
    _check("batched_gesv", a, b)
    if a.ndim < 3 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"batched_gesv: a must have a shape (..., M, M), not {a.shape}")
    if b.ndim == a.ndim - 1:
        _check_shape("batched_gesv", "b", b, a.shape[:-1])
        return solve(a, b[..., None])[..., 0]
    return solve(a, b)
