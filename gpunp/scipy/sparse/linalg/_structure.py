"""Which elements a sparse matrix stores: triangles and bands."""

from typing import Any

from ...._core._docstrings import documented_as
from ...._core.multiarray import empty
from .._base import inefficient, issparse

__all__ = ["is_sptriangular", "spbandwidth"]


def _offsets(A: Any, name: str, converted: tuple) -> tuple[int, int] | None:
    """The least and the largest column less its row among the stored elements; None without any."""
    if not issparse(A):
        from .._base import CLASSES

        A = CLASSES["csc", False](A)
    if A.format in converted:
        inefficient(f"{name} converts a matrix of the format {A.format} to csr")
    if A.format == "dia":
        numbers = A.offsets
    else:
        coo = A.tocoo()
        numbers = coo.col.astype("q") - coo.row
    if not numbers.size:
        return None
    ends = empty(2, numbers.dtype)
    ends[0], ends[1] = numbers.min(), numbers.max()
    low, high = ends.get().tolist()
    return low, high


def is_sptriangular(A: Any) -> tuple[bool, bool]:
    """Find whether the stored elements of a sparse matrix lie in a triangle.

    Parameters
    ----------
    A : sparse matrix
        Matrix whose structure is looked at; stored zeros count.

    Returns
    -------
    lower : bool
        Whether no element lies above the diagonal.
    upper : bool
        Whether no element lies below the diagonal.

    Notes
    -----
    Waits for the device.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.linalg.is_sptriangular(sparse.eye_array(3, format="csr"))
    (True, True)
    """
    ends = _offsets(A, "is_sptriangular", ("bsr",))
    return (True, True) if ends is None else (ends[1] <= 0, ends[0] >= 0)


@documented_as(is_sptriangular)
def spbandwidth(A: Any) -> tuple[int, int]:
    """Find how far the stored elements of a sparse matrix lie from the diagonal.

    Returns
    -------
    below : int
        Number of diagonals below the main one.
    above : int
        Number of diagonals above the main one.

    Notes
    -----
    Waits for the device.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.linalg.spbandwidth(sparse.eye_array(3, k=2, format="csr"))
    (0, 2)
    """
    low, high = _offsets(A, "spbandwidth", ("lil", "bsr")) or (0, 0)
    return max(-low, 0), max(high, 0)
