"""Lists of rows, in host memory."""

from typing import Any

from ._base import CLASSES, sparray
from ._host import _host_base
from ._matrix import spmatrix

__all__ = ["lil_array", "lil_matrix", "isspmatrix_lil"]

_DOC = """Sparse {kind} of lists of rows, in host memory.

    Made for setting elements one by one; conversions move all of them at once, and operations are
    those of compressed rows on the device.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        Dense elements, a sparse matrix of this or another library, or the shape.
    shape : tuple of int, optional
        Lengths of the axes, by default those of `arg1`.
    dtype : dtype, optional
        Type of the values, by default that of `arg1`.
    copy : bool, optional
        Accepted for compatibility: elements are always copied.
    maxprint : int, optional
        Accepted for compatibility; `str` shows as many elements as SciPy does.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> a = sparse.{name}((2, 2))
    >>> a[0, 1] = 3.0
    >>> a.tocsr().toarray()
    array([[0., 3.],
           [0., 0.]])
    """


class _lil_base(_host_base):
    format = "lil"


class lil_array(_lil_base, sparray):
    __doc__ = _DOC.format(kind="array", name="lil_array")


class lil_matrix(spmatrix, _lil_base):
    __doc__ = _DOC.format(kind="matrix", name="lil_matrix")


CLASSES["lil", False], CLASSES["lil", True] = lil_array, lil_matrix


def isspmatrix_lil(x: Any) -> bool:
    """Tell whether an object is a lil_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, lil_matrix)
