"""Construction of matrices: diagonals, triangles, Vandermonde matrices."""

import operator
from typing import Any

import numpy as np

from .._core._convert import as_array, descr, elsewhere, make_like, number_on_host, on_device
from .._core._docstrings import documented_as
from .._core.multiarray import (
    array,
    empty,
    eye_fill,
    ndarray,
    promote_types,
    tri_fill,
    triangle,
    where,
    zeros,
)
from .._core.raw import ElementwiseKernel
from ._histograms_impl import histogramdd

__all__ = [
    "diag",
    "diagflat",
    "eye",
    "fliplr",
    "flipud",
    "histogram2d",
    "mask_indices",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]


def fliplr(m) -> ndarray:
    """Return a view with the second axis reversed.

    Parameters
    ----------
    m : array_like
        Array of at least two dimensions.

    Returns
    -------
    ndarray
        A view of the input.
    """
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m) -> ndarray:
    """Return a view with the first axis reversed.

    Parameters
    ----------
    m : array_like
        Array of at least one dimension.

    Returns
    -------
    ndarray
        A view of the input.
    """
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def _near(k: Any, rows: int, columns: int) -> int:
    """The number of a diagonal, those far outside the matrix brought nearer: k may be any int."""
    return max(-rows - 1, min(operator.index(k), columns + 1))


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None) -> ndarray:
    """Return a matrix with ones on the k-th diagonal, zeros elsewhere. One launch.

    Parameters
    ----------
    N : int
        Number of rows of the array.
    M : int, optional
        Number of columns. By default as many as rows.
    k : int, optional
        Diagonal in question: 0 is the main diagonal, positive values are above it and negative
        values below it.
    dtype : dtype, optional
        Type of the result. By default float64.
    order : {'C', 'F'}, optional
        Memory layout of the result.
    device : Device, optional
        Device on which to create the array. By default the current one.
    like : optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        Matrix of shape ``(N, M)``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    if elsewhere(like):
        return make_like(like, "eye", N, M, k, dtype, order)
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    if rows < 0 or columns < 0:
        raise ValueError("negative dimensions are not allowed")
    with on_device(device):
        return eye_fill(rows, columns, _near(k, rows, columns), descr(dtype), order)


def diag(v, k=0) -> ndarray:
    """Return a matrix with `v` on its k-th diagonal; or the k-th diagonal of a matrix, as a view.

    Parameters
    ----------
    v : array_like
        Vector for the diagonal, or a matrix whose diagonal is taken.
    k : int, optional
        Diagonal in question: 0 is the main diagonal, positive values are above it and negative
        values below it.

    Returns
    -------
    ndarray
        Square matrix, or a view of the diagonal.

    Differences
    -----------
    The view of a matrix's diagonal is writeable.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.diag(cp.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    v = as_array(v)
    if v.ndim == 2:
        return v.diagonal(k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    out = zeros((n, n), v.dtype)
    out.diagonal(k)[...] = v
    return out


@documented_as(diag)
def diagflat(v, k=0) -> ndarray:
    """Return a matrix with the flattened input on its k-th diagonal.

    Returns
    -------
    ndarray
        Square matrix, zero off the diagonal.
    """
    return diag(as_array(v).ravel(), k)


@documented_as(eye)
def tri(N, M=None, k=0, dtype=float, *, like=None) -> ndarray:
    """Return a matrix with ones at and below the k-th diagonal, zeros above. One launch.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    if elsewhere(like):
        return make_like(like, "tri", N, M, k, dtype)
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    return tri_fill(rows, columns, _near(k, rows, columns), descr(dtype))


def _triangle(m: Any, k: Any, lower: bool) -> ndarray:
    m = as_array(m)
    if m.ndim == 0:
        raise TypeError("a triangle needs an array of at least one dimension")
    rows, columns = (m.shape[-2] if m.ndim > 1 else m.shape[0]), m.shape[-1]
    k = _near(k, rows, columns)
    is_structured = issubclass(m.dtype.type, np.void)
    if not is_structured and (m.ndim <= 2 or m.flags.c_contiguous):
        return triangle(m, k, lower)
    mask = tri_fill(rows, columns, k - (not lower), np.dtype(np.bool_))
    zero = np.zeros((), m.dtype)[()]
    return where(mask, m, zero) if lower else where(mask, zero, m)


def tril(m, k=0) -> ndarray:
    """Return a copy with the elements above the k-th diagonal of the last two axes zeroed.

    Parameters
    ----------
    m : array_like
        Matrix, or a stack of matrices.
    k : int, optional
        Diagonal in question: 0 is the main diagonal, positive values are above it and negative
        values below it.

    Returns
    -------
    ndarray
        Copy with the shape and dtype of `m`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.tril(cp.ones((2, 2)))
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle(m, k, True)


@documented_as(tril)
def triu(m, k=0) -> ndarray:
    """Return a copy with the elements below the k-th diagonal of the last two axes zeroed."""
    return _triangle(m, k, False)


# By repeated multiplication, as NumPy forms powers; power() rounds differently.
_POWERS = ElementwiseKernel(
    "T x, int64 columns, bool increasing",
    "R y",
    """
    const long long column = i % columns, n = increasing ? column : columns - 1 - column;
    const R base = x;
    y = n ? base : R(1);
    for (long long k = 1; k < n; k++) y *= base;
    """,
    "powers",
)


def vander(x, N=None, increasing=False) -> ndarray:
    """Return the Vandermonde matrix, whose columns are powers of `x`.

    Parameters
    ----------
    x : array_like
        Vector of which powers are taken.
    N : int
        Number of columns. By default the length of `x`.
    increasing : bool, optional
        If True, powers increase from left to right.

    Returns
    -------
    ndarray
        Matrix of shape ``(len(x), N)``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.vander(cp.array([1, 2, 3]), 3)
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = len(x) if N is None else operator.index(N)
    out = empty((len(x), n), promote_types(x.dtype, int))
    return _POWERS(x[:, None], n, bool(increasing), out)


def _mask_nonzero(mask: np.ndarray[Any, Any]) -> tuple[ndarray, ...]:
    return tuple(array(i) for i in mask.nonzero())


def mask_indices(n, mask_func, k=0) -> tuple[ndarray, ...]:
    """Return the indices of an (n, n) array where ``mask_func(ones((n, n)), k)`` is nonzero.

    Waits for their number.

    Parameters
    ----------
    n : int
        Number of rows and of columns.
    mask_func : callable
        Function such as `triu` that returns a mask.
    k : object, optional
        Second argument of `mask_func`, such as the diagonal.

    Returns
    -------
    tuple of ndarray
        Row and column indices, of type int64.
    """
    return mask_func(tri_fill(n, n, n, np.dtype(int)), k).nonzero()


def _host_triangle(n: Any, k: Any, m: Any) -> Any:
    """Boolean numpy.tri; MemoryError, before the host allocates it, if such a mask is too large for
    the memory of the device.
    """
    shape = (n, n if m is None else m)
    if all(isinstance(length, (int, np.integer)) for length in shape):
        empty(tuple(max(int(length), 0) for length in shape), bool)
    return np.tri(n, m, k=k, dtype=bool)


def tril_indices(n, k=0, m=None) -> tuple[ndarray, ...]:
    """Return the indices of the lower triangle of an (n, m) array.

    Parameters
    ----------
    n : int
        Number of rows of the array.
    k : int, optional
        Diagonal that bounds the triangle, and belongs to it: 0 is the main diagonal, negative
        values are below it.
    m : int, optional
        Number of columns. By default `n`.

    Returns
    -------
    tuple of ndarray
        Row and column indices, of type int64. They are computed on the host and copied: nothing
        waits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return _mask_nonzero(_host_triangle(n, k, m))


def tril_indices_from(arr, k=0) -> tuple[ndarray, ...]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    arr : ndarray
        Matrix whose shape is used.
    k : int, optional
        Diagonal that bounds the triangle, as for `tril_indices`.

    Returns
    -------
    tuple of ndarray
        Row and column indices, of type int64.

    Raises
    ------
    ValueError
        If `arr` is not a matrix.
    """
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


@documented_as(tril_indices)
def triu_indices(n, k=0, m=None) -> tuple[ndarray, ...]:
    """Return the indices of the upper triangle of an (n, m) array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return _mask_nonzero(~_host_triangle(n, k - 1, m))


@documented_as(tril_indices_from)
def triu_indices_from(arr, k=0) -> tuple[ndarray, ...]:
    """Return the indices of the upper triangle of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def histogram2d(
    x, y, bins=10, range=None, density=None, weights=None
) -> tuple[ndarray, ndarray, ndarray]:
    """Compute the histogram of points in two dimensions; see `histogramdd`.

    Parameters
    ----------
    x, y : (N,) array_like
        Coordinates of the points.
    bins : int, [int, int], edges, [edges, edges] or a mixture, optional
        Number of bins or bin edges, for both axes or for each.
    range : pair of pairs of float, optional
        Lower and upper end of the bins, for each axis. By default the smallest and the largest
        coordinates.
    density : bool, optional
        If True, return the probability density, whose integral is 1, instead of counts.
    weights : (N,) array_like, optional
        Weight of each of the points.

    Returns
    -------
    H : ndarray
        The counts, sums of weights or densities. x varies along the first axis.
    xedges, yedges : ndarray
        The bin edges along both axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.histogram2d(cp.array([0.0, 1.0]), cp.array([0.0, 1.0]), bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    bins = number_on_host(bins)
    if not np.isscalar(bins) and len(bins) not in (1, 2):
        bins = [bins, bins]
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]
