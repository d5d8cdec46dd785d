"""A dictionary of keys, in host memory."""

from typing import Any

from ._base import CLASSES, sparray
from ._host import _host_base
from ._matrix import spmatrix

__all__ = ["dok_array", "dok_matrix", "isspmatrix_dok"]

_DOC = """Sparse {kind} of a dictionary of keys, in host memory.

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


class _dok_base(_host_base):
    format = "dok"


class dok_array(_dok_base, sparray):
    __doc__ = _DOC.format(kind="array", name="dok_array")


class dok_matrix(spmatrix, _dok_base):
    __doc__ = _DOC.format(kind="matrix", name="dok_matrix")


CLASSES["dok", False], CLASSES["dok", True] = dok_array, dok_matrix


def isspmatrix_dok(x: Any) -> bool:
    """Tell whether an object is a dok_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, dok_matrix)
