"""What matrices have beyond arrays: `*` is the matrix product, and there are always two axes."""

import types
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:

    class Part:
        """A class that others complete: for type checkers it has every attribute."""

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

else:
    Part = object


class spmatrix(Part):
    """Base of the classes whose operators are those of matrices."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __mul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmul__(self, other: Any) -> Any:
        return self._rtimes(other)

    def __pow__(self, power: Any) -> Any:
        return self._matrix_power(power)

    @property
    def A(self) -> Any:
        """Dense array of the same elements; CuPy's name of `toarray`."""
        return self.toarray()

    @property
    def H(self) -> Any:
        """Conjugate transpose; CuPy's name of `getH`."""
        return self.getH()

    def asfptype(self) -> Any:
        """Return this matrix with floating-point values.

        Returns
        -------
        sparse matrix
            This matrix, or one of float32 where its values are integers of 16 bits at most, of
            float64 where they have more.
        """
        return self if self.dtype.kind in "fc" else self.astype(np.result_type(self.dtype, "f"))

    def getmaxprint(self) -> int:
        """Return the largest number of elements that str() shows.

        Returns
        -------
        int
            Attribute `maxprint`.
        """
        return self.maxprint

    def get_shape(self) -> tuple:
        """Return the number of rows and columns.

        Returns
        -------
        tuple of int
            Shape of the matrix.
        """
        return self._shape

    def getformat(self) -> str:
        """Return the name of the format.

        Returns
        -------
        str
            Three letters, "csr" for example.
        """
        return self.format

    def getH(self) -> Any:
        """Return the conjugate transpose.

        Returns
        -------
        sparse matrix
            Transpose with conjugate values.
        """
        return self.conjugate().transpose()

    def getnnz(self, axis: Any = None) -> Any:
        """Count the stored values, explicit zeros included.

        Parameters
        ----------
        axis : int, optional
            Axis along which values are counted; None counts all.

        Returns
        -------
        int or ndarray
            Number of values, or numbers along the axis.
        """
        return self._getnnz(axis)

    def getcol(self, j: int) -> Any:
        """Return a copy of one column.

        Parameters
        ----------
        j : int
            Index of the column wanted.

        Returns
        -------
        sparse matrix
            Matrix of one column.
        """
        made = self.tocsc()._column(j)
        return made.asformat(self.format if self.format in ("csc", "bsr") else "csr")

    def getrow(self, i: int) -> Any:
        """Return a copy of one row.

        Parameters
        ----------
        i : int
            Index of the row wanted.

        Returns
        -------
        sparse matrix
            Matrix of one row.
        """
        return self.tocsr()._row(i)

    def set_shape(self, shape: Any) -> None:
        """Give the elements a new shape in place; see `reshape`.

        Parameters
        ----------
        shape : tuple of int
            New numbers of rows and columns.
        """
        reshaped = self.reshape(shape).asformat(self.format)
        self.__dict__ = reshaped.__dict__
