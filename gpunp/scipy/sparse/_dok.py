"""A dictionary of keys, in host memory."""

from typing import Any

from ._base import CLASSES, sparray
from ._docs import HOST
from ._host import _host_base
from ._matrix import spmatrix

__all__ = ["dok_array", "dok_matrix", "isspmatrix_dok"]


class _dok_base(_host_base):
    format = "dok"


class dok_array(_dok_base, sparray):
    __doc__ = HOST.format(what="a dictionary of keys", kind="array", name="dok_array")


class dok_matrix(spmatrix, _dok_base):
    __doc__ = HOST.format(what="a dictionary of keys", kind="matrix", name="dok_matrix")


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
