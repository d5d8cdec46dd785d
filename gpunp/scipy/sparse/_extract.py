"""Parts of a matrix, and its elements."""

from typing import Any

from ..._core._docstrings import documented_as
from ..._core.numeric import flatnonzero
from ._base import CLASSES, issparse

__all__ = ["find", "matrix_transpose", "tril", "triu"]


def find(A: Any) -> tuple:
    """Return the coordinates and values of the elements that are not zero.

    Parameters
    ----------
    A : sparse matrix or ndarray
        Matrix of two axes.

    Returns
    -------
    tuple of ndarray
        Rows, columns and values; duplicates are summed.
    """
    a = (A if issparse(A) else CLASSES["coo", False](A)).tocoo(copy=True)
    a.sum_duplicates()
    a.eliminate_zeros()
    return (*a.coords, a.data)


def matrix_transpose(A: Any) -> Any:
    """Return a sparse array with its last two axes exchanged.

    Parameters
    ----------
    A : sparse array
        Array of two axes or more.

    Returns
    -------
    sparse array
        The transposed array, which shares memory with `A` where its format can.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    ValueError
        If the array has fewer than two axes.
    """
    if not issparse(A):
        raise TypeError(f"A must be a sparse array, not {type(A).__name__}")
    if A.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {A.ndim}")
    axes = (*range(A.ndim - 2), A.ndim - 1, A.ndim - 2)
    return A.T if A.ndim == 2 else A.transpose(axes=axes)


def _part(A: Any, k: int, format: Any, lower: bool) -> Any:
    a = (A if issparse(A) else CLASSES["coo", True](A)).tocoo(copy=False)
    above = a.col - a.row
    kept = flatnonzero(above <= k if lower else above >= k)
    made = a._made(a.data[kept], (a.row[kept], a.col[kept]), a.shape, a._canonical_flag)
    return made.asformat(format)


def tril(A: Any, k: int = 0, format: Any = None) -> Any:
    """Return the lower triangle.

    Parameters
    ----------
    A : sparse matrix or ndarray
        Matrix of two axes.
    k : int, optional
        Highest diagonal that is kept, positive above the main one.
    format : str, optional
        Format of the result, by default "coo".

    Returns
    -------
    sparse matrix
        Elements on and below the diagonal.
    """
    return _part(A, k, format, True)


@documented_as(tril)
def triu(A: Any, k: int = 0, format: Any = None) -> Any:
    """Return the upper triangle.

    Parameters
    ----------
    k : int, optional
        Lowest diagonal that is kept, positive above the main one.

    Returns
    -------
    sparse matrix
        Elements on and above the diagonal.
    """
    return _part(A, k, format, False)
