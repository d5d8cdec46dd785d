"""A dictionary of keys, in host memory."""

import operator
from typing import Any

import scipy.sparse

from ..._core._convert import check_host_memory, without_cycles
from ._base import CLASSES, sparray
from ._docs import HOST
from ._host import _host_base, on_host
from ._matrix import spmatrix
from ._sputils import is_scalar

__all__ = ["dok_array", "dok_matrix", "isspmatrix_dok"]


class _dok_base(_host_base):
    format = "dok"

    def __contains__(self, key: Any) -> bool:
        return key in self.host

    def __add__(self, other: Any) -> Any:
        if is_scalar(other):  # as in SciPy, every element is stored then
            return type(self)(self.host + on_host(other))
        return super().__add__(other)

    def todok(self, copy: bool = False) -> Any:
        """Return this matrix.

        Parameters
        ----------
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        dok matrix or array
            This matrix, or its copy.
        """
        return self.copy() if copy else self

    def __reversed__(self) -> Any:
        raise TypeError("a sparse array is no sequence: reversed(a.keys()) are its places")

    def __delitem__(self, key: Any) -> None:
        del self.host[key]

    def __len__(self) -> int:
        return len(self.host)

    @classmethod
    def fromkeys(cls, iterable: Any, value: Any = 1, /) -> Any:
        """Make a matrix with one value at several places.

        Parameters
        ----------
        iterable : iterable of tuple of int
            Indices of the elements.
        value : scalar, optional
            Value of each of them.

        Returns
        -------
        dok matrix or array
            The smallest one that has the places.
        """
        check_host_memory(8 * operator.length_hint(iterable, 0))
        return cls(getattr(scipy.sparse, cls.__name__).fromkeys(iterable, value))

    def keys(self) -> Any:
        """Return the places that have an element.

        Returns
        -------
        dict_keys
            Tuples of indices, or an index where there is one axis.
        """
        return self.host.keys()

    def values(self) -> Any:
        """Return the elements that are stored.

        Returns
        -------
        dict_values
            Elements in the order of `keys`.
        """
        return self.host.values()

    def items(self) -> Any:
        """Return the places that have an element, and the elements.

        Returns
        -------
        dict_items
            Pairs of a key and an element.
        """
        return self.host.items()

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """Return an element, which is set first where there is none.

        Parameters
        ----------
        key : tuple of int
            Indices of the element.
        default : scalar, optional
            Value that is set where no element is stored.

        Returns
        -------
        scalar
            Element that is stored now.
        """
        return self.host.setdefault(key, default)

    def pop(self, key: Any, /, *args: Any) -> Any:
        """Remove an element.

        Parameters
        ----------
        key : tuple of int
            Indices of the element.
        *args : object
            Value to be returned where no element is stored; without it that is an error.

        Returns
        -------
        scalar
            Element that was removed.
        """
        return self.host.pop(key, *args)

    def popitem(self) -> tuple:
        """Remove the element that was added last.

        Returns
        -------
        tuple
            Key and element.
        """
        return self.host.popitem()

    def clear(self) -> None:
        """Remove all elements."""
        self.host.clear()

    def update(self, val: Any) -> None:
        """Set the elements of a dictionary.

        Parameters
        ----------
        val : dict
            Elements by their indices, of this matrix's type.
        """
        self.host.update(on_host(without_cycles(val)))

    def get(self, key: Any = None, default: Any = 0.0) -> Any:
        """Return an element, or copy the object of the host.

        Parameters
        ----------
        key : tuple of int, optional
            Indices of the element; without them everything is copied.
        default : scalar, optional
            Value where no element is stored.

        Returns
        -------
        scalar or scipy.sparse matrix
            Element, or SciPy's object of the same class.
        """
        return super().get() if key is None else self.host.get(key, default)


class dok_array(_dok_base, sparray):
    __doc__ = HOST.format(what="a dictionary of keys", kind="array", name="dok_array")


class dok_matrix(spmatrix, _dok_base):
    __doc__ = HOST.format(what="a dictionary of keys", kind="matrix", name="dok_matrix")

    def __or__(self, other: Any) -> Any:
        return self.host | on_host(other)

    def __ror__(self, other: Any) -> Any:
        return on_host(other) | self.host

    def __ior__(self, other: Any) -> Any:
        self.host |= on_host(other)
        return self

    def __reversed__(self) -> Any:
        return reversed(self.host)


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
