"""The base of all sparse matrices and arrays."""

import math
import types
from typing import Any

import numpy as np
import scipy.sparse

from ..._core import umath
from ..._core._convert import check_out
from ..._core._warnings import warn
from ..._core.multiarray import ascontiguousarray, empty, ndarray, zeros
from ..._core.numeric import ones
from ._matrix import Part, spmatrix
from ._sputils import (
    as_operand,
    as_values,
    check_axis,
    check_dtype,
    check_shape,
    is_scalar,
    sum_dtype,
)

__all__ = ["SparseEfficiencyWarning", "SparseWarning", "issparse", "sparray"]

SparseWarning = scipy.sparse.SparseWarning
SparseEfficiencyWarning = scipy.sparse.SparseEfficiencyWarning

CLASSES: dict = {}  # (format, whether a matrix) -> class
LATER: dict = {}  # conversions to a format, and products of stacks: set by their modules

_SUMMARY = {
    "bsr": "Block Sparse Row",
    "coo": "COOrdinate",
    "csc": "Compressed Sparse Column",
    "csr": "Compressed Sparse Row",
    "dia": "DIAgonal",
    "dok": "Dictionary Of Keys",
    "lil": "List of Lists",
}


def inefficient(text: str) -> None:
    """Warn of an operation that a sparse matrix is not made for."""
    warn(text, SparseEfficiencyWarning)


# NumPy's functions that ask an argument for attributes, or call its method of their name.
_BY_ATTRIBUTES = {
    np.amax, np.amin, np.argmax, np.argmin, np.can_cast, np.common_type, np.imag, np.iscomplexobj,
    np.isrealobj, np.max, np.mean, np.min, np.ndim, np.nonzero, np.real, np.reshape, np.result_type,
    np.shape, np.size, np.sum, np.transpose,
}  # fmt: skip

# Those that make a dense array of another shape with the matrix's type, as Dask calls them.
_OF_A_SHAPE: dict[Any, Any] = {np.empty_like: empty, np.ones_like: ones, np.zeros_like: zeros}


class sparray(Part):
    """Base of the classes whose operators are those of arrays."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __mul__(self, other: Any) -> Any:
        other = as_operand(other)
        return other if other is NotImplemented else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __pow__(self, power: Any) -> Any:
        return self.power(power)


class _spbase(Part):
    """What sparse matrices of every format have."""

    __class_getitem__: Any = classmethod(types.GenericAlias)
    __array_priority__ = 10.1
    __array_ufunc__ = None  # operators of arrays and NumPy's scalars leave the work to ours
    __hash__ = None  # type: ignore[assignment]
    format = "und"
    maxprint = 50  # elements that str() shows
    _ranks: tuple = (2,)

    def _class(self, kind: str) -> Any:
        return CLASSES[kind, isinstance(self, spmatrix)]

    # ---- attributes

    @property
    def shape(self) -> tuple:
        """Lengths of the axes; those of a matrix can be set."""
        return self._shape

    @shape.setter
    def shape(self, value: Any) -> None:
        if not isinstance(self, spmatrix):
            raise AttributeError(
                "the shape of a sparse array cannot be set: reshape() gives another"
            )
        self.set_shape(value)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """Number of stored values, explicit zeros included."""
        return self._getnnz()

    @property
    def size(self) -> int:
        """Number of stored values."""
        return self._getnnz()

    @property
    def T(self) -> Any:
        """Transpose."""
        return self.transpose()

    @property
    def mT(self) -> Any:
        """Transpose of a matrix."""
        if self.ndim < 2:
            raise ValueError(f"a matrix transpose needs two axes or more, not {self.ndim}")
        if self.ndim == 2:
            return self.transpose()
        return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    @property
    def device(self) -> Any:
        """Device of the values."""
        return self.data.device

    @property
    def real(self) -> Any:
        """Real parts of the values."""
        return self._with_data(ascontiguousarray(self.data.real))

    @property
    def imag(self) -> Any:
        """Imaginary parts of the values."""
        return self._with_data(ascontiguousarray(self.data.imag))

    def _getnnz(self, axis: Any = None) -> Any:
        axis = check_axis(axis, self.ndim)
        if axis is None:
            return int(self.data.size)
        return self.tocoo()._count_along(axis)

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    def __bool__(self) -> bool:
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()."
        )

    def __repr__(self) -> str:
        kind = "matrix" if isinstance(self, spmatrix) else "array"
        return (
            f"<{_SUMMARY[self.format]} sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements{self._more_words()} and shape {self.shape}>"
        )

    def _more_words(self) -> str:
        return ""

    def __str__(self) -> str:
        on_host = self.get()
        on_host.maxprint = self.maxprint
        return str(on_host)

    def __iter__(self) -> Any:
        for i in range(self.shape[0]):
            yield self[i]  # type: ignore[index]  # classes of formats have it

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "a sparse matrix of gpunp is no NumPy array: .get() copies it to the host as SciPy's, "
            ".toarray() makes a dense array"
        )

    def __array_function__(self, function, types, args, kwargs):
        if function in _BY_ATTRIBUTES:
            return function._implementation(*args, **kwargs)
        if function in _OF_A_SHAPE and kwargs.get("shape") is not None:
            dtype = kwargs.get("dtype")
            return _OF_A_SHAPE[function](kwargs["shape"], self.dtype if dtype is None else dtype)
        raise TypeError(f"numpy.{function.__name__} does not take sparse matrices of gpunp")

    # ---- conversions

    def get(self) -> Any:
        """Copy to the host, as SciPy's object of the same class.

        Returns
        -------
        scipy.sparse matrix or array
            Copy in host memory.
        """
        return self.tocoo().get().asformat(self.format)

    def asformat(self, format: Any, copy: bool = False) -> Any:
        """Convert to a format given by its name.

        Parameters
        ----------
        format : str or None
            Three letters such as "csr"; None keeps the format; "array" and "dense" give a dense
            array.
        copy : bool, optional
            If True, the values are copied even where the format stays.

        Returns
        -------
        sparse matrix
            The same elements in the format.
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format in ("array", "dense"):
            return self.toarray()
        if format not in _SUMMARY or not hasattr(self, f"to{format}"):
            raise ValueError(f"Format {format} is unknown.")
        return getattr(self, f"to{format}")(copy=copy)

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        """Convert the values to a type.

        Parameters
        ----------
        dtype : dtype
            Type of the values of the result.
        casting : str, optional
            Which conversions are allowed, by default all of them.
        copy : bool, optional
            If False, a matrix that has the type is returned itself.

        Returns
        -------
        sparse matrix
            Matrix of the same structure.
        """
        dtype = check_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if not np.can_cast(self.dtype, dtype, casting):  # type: ignore[arg-type]
            raise TypeError(f"cannot cast {self.dtype} to {dtype} according to {casting!r}")
        return self._with_data(self.data.astype(dtype), copy=True)

    def copy(self) -> Any:
        """Copy indices and values.

        Returns
        -------
        sparse matrix
            Matrix that shares no memory with this one.
        """
        return self._with_data(self.data.copy(), copy=True)

    def toarray(self, order: Any = None, out: Any = None) -> ndarray:
        """Return the dense array of the elements.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            Order of the result in memory, by default C.
        out : ndarray, optional
            Array of the same shape and type that the elements are written to.

        Returns
        -------
        ndarray
            Dense array, `out` where it was given.
        """
        return self.tocoo().toarray(order, out)

    def todense(self, order: Any = None, out: Any = None) -> ndarray:
        """Return the dense array of the elements, an ndarray for matrices too.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            Order of the result in memory, by default C.
        out : ndarray, optional
            Array of the same shape and type that the elements are written to.

        Returns
        -------
        ndarray
            Dense array, `out` where it was given.
        """
        return self.toarray(order, out)

    def tocsr(self, copy: bool = False) -> Any:
        """Convert to compressed rows; duplicates are summed.

        Parameters
        ----------
        copy : bool, optional
            If True, the result shares no memory with this matrix.

        Returns
        -------
        csr matrix or array
            The same elements, row by row.
        """
        return self.tocoo(copy=copy).tocsr()

    def tocsc(self, copy: bool = False) -> Any:
        """Convert to compressed columns; duplicates are summed.

        Parameters
        ----------
        copy : bool, optional
            If True, the result shares no memory with this matrix.

        Returns
        -------
        csc matrix or array
            The same elements, column by column.
        """
        return self.tocoo(copy=copy).tocsc()

    def tocoo(self, copy: bool = False) -> Any:
        """Convert to coordinates.

        Parameters
        ----------
        copy : bool, optional
            If True, the result shares no memory with this matrix.

        Returns
        -------
        coo matrix or array
            The same elements with their coordinates.
        """
        return self.tocsr(copy=False).tocoo(copy=copy)

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> Any:
        """Convert to dense blocks in compressed rows; waits for the device.

        Parameters
        ----------
        blocksize : tuple of int, optional
            Rows and columns of a block, by default some that the elements fill.
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        bsr matrix or array
            The same elements in blocks.
        """
        self._need_two_axes("bsr")
        return LATER["bsr"](self.tocsr()._canonical(), blocksize)

    def todia(self, copy: bool = False) -> Any:
        """Convert to diagonals, whose offsets are read on the host.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        dia matrix or array
            The same elements on their diagonals.
        """
        self._need_two_axes("dia")
        return LATER["dia"](self.tocoo(copy=False)._canonical())

    def todok(self, copy: bool = False) -> Any:
        """Convert to a dictionary of keys, on the host.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        dok matrix or array
            The same elements in host memory.
        """
        return self._class("dok")(self)

    def tolil(self, copy: bool = False) -> Any:
        """Convert to lists of rows, on the host.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        lil matrix or array
            The same elements in host memory.
        """
        return self._class("lil")(self)

    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> Any:
        """Give the elements a new shape.

        Parameters
        ----------
        *shape : int or tuple of int
            New lengths of the axes; one of them may be -1.
        order : {'C', 'F'}, optional
            Order in which elements are numbered.
        copy : bool, optional
            If True, the values are copied even where the shape stays.

        Returns
        -------
        sparse matrix
            Coordinates where the shape changes, otherwise this matrix.
        """
        ranks = (2,) if isinstance(self, spmatrix) else tuple(range(1, 65))
        new = check_shape(shape, ranks, self.shape)
        if order not in ("C", "F"):
            raise ValueError("'order' must be 'C' or 'F'")
        if new == self.shape:
            return self.copy() if copy else self
        result = self.tocoo(copy=copy)._reshaped(new, order)
        return result.asformat("lil" if self.format == "lil" else "coo")

    # ---- products

    def dot(self, other: Any) -> Any:
        """Multiply as matrices, or by a number.

        Parameters
        ----------
        other : sparse matrix, ndarray or scalar
            Right operand of the product.

        Returns
        -------
        sparse matrix or ndarray
            Product, sparse where both operands are.
        """
        return self * other if is_scalar(other) else self @ other

    def __matmul__(self, other: Any) -> Any:
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._times(other)

    def __rmatmul__(self, other: Any) -> Any:
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._rtimes(other)

    def _times(self, other: Any) -> Any:
        x = as_operand(other)
        if is_scalar(x):
            return self._scaled(x)
        if issparse(x):
            return self._times_sparse(x)
        if x is NotImplemented:
            return x
        check_dtype(x.dtype)
        if self.ndim > 2 or x.ndim > 2:
            return LATER["stacks"](self, x)
        if self.shape[-1] != x.shape[0 if x.ndim == 1 else -2]:
            raise ValueError(f"matmul: dimension mismatch with shapes {self.shape} and {x.shape}")
        if self.ndim == 1:
            return self.reshape(1, -1)._times(x)[0]
        return self._times_dense(x)

    def _times_dense(self, x: ndarray) -> ndarray:
        return self.tocsr()._times_dense(x)

    def _times_sparse(self, other: Any) -> Any:
        if self.ndim > 2 or other.ndim > 2:
            return LATER["stacks"](self, other)
        if self.shape[-1] != other.shape[0]:
            raise ValueError(f"matmul: dimension mismatch with {self.shape} and {other.shape}")
        if self.ndim == 1 or other.ndim == 1:
            left = self.reshape(1, -1) if self.ndim == 1 else self
            right = other.reshape(-1, 1) if other.ndim == 1 else other
            result = left._times_sparse(right)
            rest = self.shape[:-1] + other.shape[1:]
            return result.reshape(rest) if rest else result.sum()
        keeps = self.format in ("bsr", "dia") and other.format == self.format
        return self.tocsr()._times_sparse(other).asformat(self.format if keeps else None)

    def _rtimes(self, other: Any) -> Any:
        x = as_operand(other)
        if is_scalar(x):
            return self._scaled(x)
        if x is NotImplemented:
            return x
        if x.ndim > 2 or self.ndim > 2:
            return LATER["stacks"](x, self)
        if x.shape[-1] != self.shape[0]:
            raise ValueError(f"matmul: dimension mismatch with shapes {x.shape} and {self.shape}")
        if self.ndim == 1:
            return x @ self.toarray()
        if x.ndim == 1:
            return self.transpose()._times(x)
        return self.transpose()._times(x.T).T

    def _matrix_power(self, power: Any) -> Any:
        if self.shape[0] != self.shape[1]:
            raise TypeError("sparse matrix is not square")
        if not isinstance(power, (int, np.integer)) or power < 0:
            raise ValueError("exponent must be an integer >= 0")
        result: Any
        result, rest = None, int(power)
        square = self if self.format == "csc" else self.tocsr()
        if rest == 0:
            from ._construct import eye_array

            return eye_array(self.shape[0], dtype=self.dtype)
        while rest:
            if rest & 1:
                result = square if result is None else result @ square
            rest >>= 1
            square = square @ square if rest else square
        return result.copy() if power == 1 else result

    # ---- element by element

    def _scaled(self, factor: Any) -> Any:
        return self._with_data(self.data * factor)

    def __neg__(self) -> Any:
        if self.dtype == bool:
            raise NotImplementedError("elements of type bool have no negative")
        return self._with_data(-self.data)

    def __abs__(self) -> Any:
        whole = self._canonical()
        return whole._with_data(abs(whole.data))

    def __round__(self, ndigits: int = 0) -> Any:
        whole = self._canonical()
        return whole._with_data(whole.data.round(ndigits))

    def _need_two_axes(self, kind: str) -> None:
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. {kind} format must be 2D. Got {self.ndim}D")

    def _canonical(self) -> Any:
        """This matrix, or one whose duplicates are summed, where the format may have some."""
        return self

    def _plus(self, other: Any, operation: Any, swapped: bool = False) -> Any:
        if is_scalar(other):
            if not isinstance(other, ndarray) and other == 0:
                return -self if swapped and operation is umath.subtract else self.copy()
            raise NotImplementedError("the sum with a number other than 0 would be dense")
        if issparse(other):
            return self._merged(other, operation)
        dense = as_operand(other)
        if dense is NotImplemented:
            return dense
        mine = self.toarray()
        return operation(dense, mine) if swapped else operation(mine, dense)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, umath.add)

    def __radd__(self, other: Any) -> Any:
        return self._plus(other, umath.add, True)

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, umath.subtract)

    def __rsub__(self, other: Any) -> Any:
        return self._plus(other, umath.subtract, True)

    def _merged(self, other: Any, operation: Any, result: Any = None) -> Any:
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        if self.ndim == 2:
            made = self.tocsr()._merged(other, operation, result)
            keeps = self.format == other.format and operation in _KEEPS.get(self.format, ())
            return made.asformat(self.format) if keeps else made
        flat = (1, math.prod(self.shape))
        a, b = self.tocoo()._reshaped(flat).tocsr(), other.tocoo()._reshaped(flat).tocsr()
        made = a._merged(b, operation, result).tocoo()._reshaped(self.shape)
        return made.tocsr() if self.ndim == 1 else made

    def multiply(self, other: Any) -> Any:
        """Multiply element by element.

        Parameters
        ----------
        other : sparse matrix, ndarray or scalar
            Operand, broadcast to this matrix or the other way round.

        Returns
        -------
        sparse matrix
            Products; coordinates where `other` is dense.
        """
        if is_scalar(other):
            return self._scaled(other)
        if issparse(other):
            a, b = self._broadcast(other)
            by_column = self.ndim == 2 and other.shape[-1:] == (1,) != self.shape[-1:]
            return (a.tocsr() if by_column else a)._merged(b, umath.multiply)
        return self._times_elements(other, umath.multiply)

    def _broadcast(self, other: Any) -> Any:
        if self.shape == other.shape:
            return self, other
        shape = np.broadcast_shapes(self.shape, other.shape)
        return tuple(
            x
            if x.shape == shape
            else x.tocoo()._broadcast_to(shape).asformat("csr" if len(shape) == 2 else "coo")
            for x in (self, other)
        )

    def _times_elements(self, other: Any, operation: Any) -> Any:
        x = other if isinstance(other, ndarray) else as_values(other)
        shape = np.broadcast_shapes(self.shape, x.shape)
        mine = self.tocoo()
        mine = mine if shape == self.shape else mine._broadcast_to(shape)
        x = x.reshape((1,) * (len(shape) - x.ndim) + x.shape)
        at = tuple(
            mine.coords[axis] if x.shape[axis] != 1 else zeros(1, np.int32)
            for axis in range(len(shape))
        )
        return mine._with_data(operation(mine.data, x[at]))

    def _divide(self, other: Any) -> Any:
        if is_scalar(other):
            if isinstance(other, (int, float, complex)) and other == 0:
                raise ZeroDivisionError("division by zero")
            dtype = self.dtype if self.dtype.kind == "c" else np.float64  # of float32 too
            return self._with_data(umath.divide(self.data.astype(dtype, copy=False), other))
        if issparse(other):
            if self.shape != other.shape:
                raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
            return umath.divide(self.toarray(), other.toarray())
        return self._times_elements(other, umath.divide)

    def __truediv__(self, other: Any) -> Any:
        other = as_operand(other)
        return other if other is NotImplemented else self._divide(other)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Raise each element to a power.

        Waits for the device where duplicates may have to be summed first.

        Parameters
        ----------
        n : int or float
            Exponent, a number other than zero.
        dtype : dtype, optional
            Type that the values are converted to first.

        Returns
        -------
        sparse matrix
            Matrix of the same structure.
        """
        if not is_scalar(n):
            raise NotImplementedError("the exponent must be a number")
        if not n:
            raise NotImplementedError("zero power is not supported: its result is dense")
        whole = self._canonical()
        data = whole.data if dtype is None else whole.data.astype(check_dtype(dtype))
        return whole._with_data(data**n)

    def _compared(self, other: Any, operation: Any) -> Any:
        zero = operation in _OPPOSITE  # what elements that are not stored give
        if is_scalar(other):
            return self._compared_to_number(other, operation)
        if issparse(other):
            if self.shape != other.shape:
                if operation in (umath.equal, umath.not_equal):
                    return operation is umath.not_equal
                raise ValueError("inconsistent shapes")
            if not zero:
                return self._merged(other, operation, np.bool_)
            name = {umath.equal: "==", umath.less_equal: "<=", umath.greater_equal: ">="}[operation]
            inefficient(f"Comparing two sparse matrices using {name} is inefficient.")
            return self._complement(self._merged(other, _OPPOSITE[operation], np.bool_))
        other = as_operand(other)
        return other if other is NotImplemented else operation(self.toarray(), other)

    def _complement(self, made: Any) -> Any:
        full = ~made.toarray()
        return self._class(made._compared_format())(full)

    def _compared_format(self) -> str:
        """Format of a comparison's result."""
        if self.ndim > 2:
            return "coo"
        return self.format if self.format in ("csr", "csc") else "csr"

    def _compared_to_number(self, other: Any, operation: Any) -> Any:
        if not isinstance(other, ndarray) and other != other:
            made = self._class("csr" if self.ndim <= 2 else "coo")
            if operation is umath.not_equal:
                return made(umath.not_equal(zeros(self.shape), 1))
            return made(self.shape, dtype=np.bool_)
        number = other.get() if isinstance(other, ndarray) else other
        if getattr(np, operation.__name__)(np.zeros((), self.dtype), number):
            inefficient(
                "Comparing a sparse matrix with a number that zero compares to as true "
                "results in a dense matrix."
            )
            return self._class(self._compared_format())(operation(self.toarray(), other))
        mine = self.asformat(self._compared_format())._canonical()
        made = mine._with_data(operation(mine.data, other))
        made.eliminate_zeros()
        return made

    def __eq__(self, other: Any) -> Any:
        return self._compared(other, umath.equal)

    def __ne__(self, other: Any) -> Any:
        return self._compared(other, umath.not_equal)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, umath.less)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, umath.greater)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, umath.less_equal)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, umath.greater_equal)

    def maximum(self, other: Any) -> Any:
        """Return the larger elements of this matrix and another operand.

        Parameters
        ----------
        other : sparse matrix, ndarray or scalar
            Operand of the same shape, or a number.

        Returns
        -------
        sparse matrix or ndarray
            Maxima; an array where `other` is a dense one.
        """
        return self._extreme(other, umath.maximum)

    def minimum(self, other: Any) -> Any:
        """Return the smaller elements of this matrix and another operand.

        Parameters
        ----------
        other : sparse matrix, ndarray or scalar
            Operand of the same shape, or a number.

        Returns
        -------
        sparse matrix or ndarray
            Minima; an array where `other` is a dense one.
        """
        return self._extreme(other, umath.minimum)

    def _extreme(self, other: Any, operation: Any) -> Any:
        if is_scalar(other):
            number = other.get() if isinstance(other, ndarray) else other
            if bool(number > 0 if operation is umath.maximum else number < 0):
                sign = "positive" if operation is umath.maximum else "negative"
                inefficient(
                    f"Taking {operation.__name__} with a {sign} number results in a dense matrix."
                )
                dense = operation(self.toarray(), other)
                return self._class(self.format)(dense)
            mine = self.asformat(self._compared_format())._canonical()
            made = mine._with_data(operation(mine.data, other))
            made.eliminate_zeros()
            return made
        if issparse(other):
            return self._merged(other, operation)
        return operation(self.toarray(), other if isinstance(other, ndarray) else as_values(other))

    # ---- reductions

    def _into(self, out: Any, total: ndarray) -> ndarray:
        """Write a result to `out`, if there is one; that of a whole matrix has two axes there."""
        if check_out(out) is None:
            return total
        shape = total.shape or ((1, 1) if isinstance(self, spmatrix) else ())
        if out.shape not in (shape, total.shape):
            raise ValueError(
                f"output parameter has a wrong shape or dimension: {out.shape}, not {shape}"
            )
        out[...] = total
        return out

    def _result_along(self, axis: int, values: ndarray) -> ndarray:
        if isinstance(self, spmatrix):
            return values.reshape((1, -1) if axis == 0 else (-1, 1))
        return values

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Sum the elements over an axis or all of them.

        Parameters
        ----------
        axis : int or tuple of ints, optional
            Axis or axes along which elements are summed; None sums all.
        dtype : dtype, optional
            Type of the result, by default 64 bits for integers and that of the values otherwise.
        out : ndarray, optional
            Array that the sums are written to.

        Returns
        -------
        ndarray
            Sums; two axes where this is a matrix.
        """
        axis = check_axis(axis, self.ndim)
        inner = sum_dtype(self.dtype)
        if axis is None or self.ndim == 1:
            total = self.data.sum(dtype=inner)
        elif self.ndim > 2:
            rows, lengths = self.tocoo()._rows_over(axis)
            total = rows._sums(1, inner).reshape(lengths)
        else:
            total = self._result_along(axis, self.tocsr()._sums(axis, inner))
        if dtype is not None:
            total = total.astype(dtype)
        return self._into(out, total)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Average the elements over an axis or all of them.

        Parameters
        ----------
        axis : int or tuple of ints, optional
            Axis or axes along which elements are averaged; None averages all.
        dtype : dtype, optional
            Type of the result, by default float64 for integers and that of the values otherwise.
        out : ndarray, optional
            Array that the averages are written to.

        Returns
        -------
        ndarray
            Averages; two axes where this is a matrix.
        """
        axis = check_axis(axis, self.ndim)
        integral = self.dtype.kind in "biu"
        result = np.dtype(dtype) if dtype is not None else np.dtype("d") if integral else self.dtype
        inner = np.dtype("d") if integral else self.dtype
        over = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        count = math.prod(self.shape[i] for i in over)
        if count == 0:
            raise ZeroDivisionError("mean of no elements")
        scaled = self.astype(inner, copy=False)
        total = (scaled._scaled(1.0 / count)).sum(axis, dtype=None)
        return self._into(out, total.astype(result, copy=False))

    def count_nonzero(self, axis: Any = None) -> Any:
        """Count the elements that are not zero.

        Waits for the device where duplicates may have to be summed first.

        Parameters
        ----------
        axis : int or tuple of ints, optional
            Axis or axes along which values are counted; None counts all.

        Returns
        -------
        int or ndarray
            Count, which waits for the device, or counts along the axis.
        """
        axis = check_axis(axis, self.ndim)
        whole = self._canonical()
        flags = whole._with_data(whole.data != 0)
        if axis is None:
            return int(flags.data.sum())
        total = flags.sum(axis)
        if self.ndim > 2:
            return total
        total = total.reshape(-1)
        along = {"csr": 1, "csc": 0}.get(self.format)
        return total.astype(self.indices.dtype) if axis == along else total

    def trace(self, offset: int = 0) -> Any:
        """Sum the elements on a diagonal.

        Parameters
        ----------
        offset : int, optional
            Diagonal that is summed, positive above the main one.

        Returns
        -------
        ndarray
            Sum, an array without axes.
        """
        return self.diagonal(k=offset).sum()

    def diagonal(self, k: int = 0) -> ndarray:
        """Return a diagonal as a dense array.

        Parameters
        ----------
        k : int, optional
            Diagonal that is returned, positive above the main one.

        Returns
        -------
        ndarray
            Elements on the diagonal.
        """
        return self.tocsr().diagonal(k)

    def nonzero(self) -> tuple:
        """Return the coordinates of the values that are not zero.

        Returns
        -------
        tuple of ndarray
            Indices along each axis; their number waits for the device.
        """
        a = (self.tocsr() if self.format == "csc" else self).tocoo()
        mask = a.data != 0
        return tuple(c[mask] for c in a.coords)

    def conjugate(self, copy: bool = True) -> Any:
        """Return the conjugate values.

        Parameters
        ----------
        copy : bool, optional
            If False, a real matrix is returned itself.

        Returns
        -------
        sparse matrix
            Matrix of the same structure.
        """
        if self.dtype.kind == "c":
            return self._with_data(self.data.conj(), copy=copy)
        return self.copy() if copy else self

    def conj(self, copy: bool = True) -> Any:
        """Return the conjugate values.

        Parameters
        ----------
        copy : bool, optional
            If False, a real matrix is returned itself.

        Returns
        -------
        sparse matrix
            Matrix of the same structure.
        """
        return self.conjugate(copy)

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set the elements of a diagonal.

        Parameters
        ----------
        values : array_like
            New values, or one for the whole diagonal.
        k : int, optional
            Diagonal that is set, positive above the main one.
        """
        made = self.tocsr(copy=True)
        made.setdiag(values, k)
        self._assume(made.asformat(self.format))

    def _assume(self, other: Any) -> None:
        """Take over another matrix's contents."""
        self.__dict__ = other.__dict__


# Operations of two matrices of a format that have it too; others are csr.
_KEEPS = {
    "bsr": (umath.add, umath.subtract, umath.multiply),
    "dia": (umath.add, umath.subtract, umath.multiply),
    "dok": (umath.add,),
}
_OPPOSITE = {
    umath.equal: umath.not_equal,
    umath.less_equal: umath.greater,
    umath.greater_equal: umath.less,
}


def issparse(x: Any) -> bool:
    """Tell whether an object is a sparse matrix or array of this library.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for sparse matrices and sparse arrays.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.issparse(sparse.eye_array(3)), sparse.issparse(3)
    (True, False)
    """
    return isinstance(x, _spbase)
