"""Files of sparse matrices, in SciPy's format."""

from typing import Any

import scipy.sparse

from ._base import CLASSES, issparse

__all__ = ["load_npz", "save_npz"]


def save_npz(file: Any, matrix: Any, compressed: bool = True) -> None:
    """Write a matrix to a file that SciPy reads too.

    Parameters
    ----------
    file : str or file-like object
        Name of the file, to which ".npz" is added, or an open one.
    matrix : sparse matrix
        Matrix that is written; it is copied to the host.
    compressed : bool, optional
        If True, the file is compressed.

    Raises
    ------
    TypeError
        If `matrix` is not sparse.
    """
    if not issparse(matrix):
        raise TypeError(f"matrix must be a sparse matrix, not {type(matrix).__name__}")
    scipy.sparse.save_npz(file, matrix.get(), compressed)


def load_npz(file: Any) -> Any:
    """Read a matrix from a file that this library or SciPy wrote.

    Parameters
    ----------
    file : str or file-like object
        Name of the file, or an open one.

    Returns
    -------
    sparse matrix
        Matrix of the class that was written.
    """
    found = scipy.sparse.load_npz(file)
    is_matrix = isinstance(found, scipy.sparse.spmatrix)
    return CLASSES[found.format, is_matrix](found)
