"""Lists of rows, in host memory."""

from typing import Any

from ._base import CLASSES, sparray
from ._docs import HOST
from ._host import _host_base
from ._matrix import spmatrix

__all__ = ["lil_array", "lil_matrix", "isspmatrix_lil"]


class _lil_base(_host_base):
    format = "lil"

    def __iadd__(self, other: Any) -> Any:
        self[:, :] = self + other
        return self

    def __isub__(self, other: Any) -> Any:
        self[:, :] = self - other
        return self

    def tolil(self, copy: bool = False) -> Any:
        """Return this matrix.

        Parameters
        ----------
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        lil matrix or array
            This matrix, or its copy.
        """
        return self.copy() if copy else self


class lil_array(_lil_base, sparray):
    __doc__ = HOST.format(what="lists of rows", kind="array", name="lil_array")


class lil_matrix(spmatrix, _lil_base):
    __doc__ = HOST.format(what="lists of rows", kind="matrix", name="lil_matrix")


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
