"""What dok and lil share: the elements lie on the host, in SciPy's object; operations are those of
csr on the device."""

from typing import Any

import numpy as np
import scipy.sparse

from ..._core._convert import per_axis, without_cycles
from ..._core.multiarray import ndarray
from ._base import CLASSES, _spbase, issparse
from ._compressed import is_foreign
from ._sputils import is_scalar, is_shape


class _host_base(_spbase):
    """A matrix in host memory: elements are read and set there, all at once converted."""

    host: Any

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        *,
        maxprint: Any = None,
    ) -> None:
        if maxprint is not None:
            self.maxprint = maxprint
        theirs = getattr(scipy.sparse, type(self).__name__)
        if issparse(arg1):
            given = arg1.host.copy() if isinstance(arg1, _host_base) else arg1.get()
        elif isinstance(arg1, ndarray):
            given = arg1.get()
        elif is_foreign(arg1) and not scipy.sparse.issparse(arg1):
            given = CLASSES["csr", False](arg1).get()
        else:
            given = without_cycles(arg1)
        if is_shape(given):
            self.host = theirs(given, dtype=dtype)
        else:
            self.host = theirs(given, shape=shape, dtype=dtype)

    @property
    def _shape(self) -> tuple:
        return self.host.shape

    @property
    def dtype(self) -> Any:
        """Type of the values."""
        return self.host.dtype

    @property
    def data(self) -> ndarray:
        """Values on the device, row by row."""
        return self.tocsr().data

    def _getnnz(self, axis: Any = None) -> Any:
        return self.host.nnz if axis is None else super()._getnnz(axis)

    def _with_data(self, data: ndarray, copy: bool = False) -> Any:
        return type(self)(self.tocsr()._with_data(data))

    def __abs__(self) -> Any:
        return abs(self.tocsr())

    def get(self) -> Any:
        """Copy the object of the host.

        Returns
        -------
        scipy.sparse matrix or array
            SciPy's object of the same class.
        """
        return self.host.copy()

    def tocsr(self, copy: bool = False) -> Any:
        """Move the elements to the device, as compressed rows.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        csr matrix or array
            The same elements, row by row.
        """
        if self.ndim == 1:
            return self._class("coo")(self.host.tocoo()).tocsr()
        return self._class("csr")(self.host.tocsr())

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Exchange the axes, on the host.

        Parameters
        ----------
        axes : None, optional
            Not supported, as in SciPy: it must be None.
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        sparse matrix
            Transpose in the same format.
        """
        return type(self)(self.host.transpose(axes, copy))

    def __getitem__(self, key: Any) -> Any:
        found = self.host[on_host(key)]
        if not scipy.sparse.issparse(found):
            return found
        return self._class(found.format)(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.host[on_host(key)] = on_host(value)

    def __imul__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.host *= on_host(other)
        return self

    def __itruediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.host /= on_host(other)
        return self

    def resize(self, *shape: Any) -> None:
        """Change the shape in place; elements outside of it are dropped.

        Parameters
        ----------
        *shape : int or tuple of int
            New lengths of the axes.
        """
        self.host.resize(*(per_axis(n) if np.iterable(n) else n for n in shape))

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set the elements of a diagonal, on the host.

        Parameters
        ----------
        values : array_like
            New values, or one for the whole diagonal.
        k : int, optional
            Diagonal that is set, positive above the main one.
        """
        self.host.setdiag(on_host(without_cycles(values)), k)


def on_host(x: Any) -> Any:
    """Keys and values as SciPy's objects take them."""
    if isinstance(x, tuple):
        return tuple(on_host(k) for k in x)
    if issparse(x):
        return x.get()
    return x.get() if isinstance(x, ndarray) else x
