"""Linear operators: what solvers need of a matrix."""

import functools
import types
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import Signature, signature
from typing import Any, overload

import numpy as np

from ...._core._convert import as_array, per_axis
from ...._core._warnings import warn
from ...._core.multiarray import empty, ndarray, zeros
from .._base import issparse
from .._sputils import is_scalar, upcast

__all__ = ["LinearOperator", "aslinearoperator"]

# Formats whose products neither wait nor move data, and those of which the adjoint's do not either.
FIXED, ADJOINT_FIXED = ("bsr", "csc", "csr", "dia"), ("csc", "csr")


@contextmanager
def _naming_sparse(X: Any) -> Iterator[None]:
    """Say what is wrong where a function of the program's does not take a sparse matrix."""
    try:
        yield
    except Exception as error:
        if not issparse(X):
            raise
        raise TypeError(
            "Unable to multiply a LinearOperator with a sparse matrix. "
            "Wrap the matrix in aslinearoperator first."
        ) from error


class LinearOperator:
    """Matrix given by its products with vectors.

    A class derived from it defines `_matvec` or `_matmat`, and `_rmatvec`, `_rmatmat` or `_adjoint`
    for products of the adjoint, and calls ``super().__init__(dtype, shape)``.

    Parameters
    ----------
    shape : tuple of int
        Numbers of rows and columns.
    matvec : callable
        Function of a vector that returns the product with it.
    rmatvec : callable, optional
        Function of a vector that returns the adjoint's product with it.
    matmat : callable, optional
        Function of a dense matrix that returns the product with it.
    dtype : dtype, optional
        Type of the elements, by default that of a product with zeros of float64.
    rmatmat : callable, optional
        Function of a dense matrix that returns the adjoint's product with it.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import LinearOperator
    >>> LinearOperator((2, 2), matvec=lambda x: 3 * x) @ cp.ones(2)
    array([3., 3.])
    >>> class Doubled(LinearOperator):
    ...     def _matvec(self, x):
    ...         return 2 * x
    >>> Doubled("d", (2, 2)) @ cp.ones((2, 1))
    array([[2.],
           [2.]])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    __array_priority__ = 10.2
    __array_ufunc__ = None
    ndim = 2
    # Whether products, and those of the adjoint, are the same launches every time and never wait.
    _is_fixed = _is_adjoint_fixed = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is LinearOperator:
            return super().__new__(_Functions)
        made = super().__new__(cls)
        if not made._defines("_matvec") and not made._defines("_matmat"):
            warn(
                "LinearOperator subclass should implement at least one of _matvec and _matmat.",
                RuntimeWarning,
            )
        return made

    def __init_subclass__(cls) -> None:
        parameters = list(signature(cls.__init__).parameters.values())[1:]
        # Not the signature of __new__.
        cls.__signature__ = Signature(parameters)  # type: ignore[attr-defined]

    @overload
    def __init__(self, dtype: Any, shape: Any) -> None: ...
    @overload
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __init__(self, dtype: Any, shape: Any) -> None:
        self.shape = tuple(int(n) for n in per_axis(shape))
        if len(self.shape) != 2:
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self.dtype: Any = None if dtype is None else np.dtype(dtype)

    def _defines(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(LinearOperator, name)

    def _init_dtype(self) -> None:
        """Take the type of a product, if none was given: with float64, which kernels expect."""
        if self.dtype is None:
            self.dtype = np.dtype(self.matvec(zeros(self.shape[1])).dtype)

    def _matvec(self, x: Any) -> Any:
        return self._matmat(x.reshape(-1, 1))

    def _matmat(self, X: Any) -> Any:
        return _by_columns(self.matvec, X, self.shape[0], self.dtype)

    def _rmatvec(self, x: Any) -> Any:
        if self._defines("_adjoint"):
            return self.H.matvec(x)
        if self._defines("_rmatmat"):
            return self._rmatmat(x.reshape(-1, 1))
        raise NotImplementedError("rmatvec is not defined")

    def _rmatmat(self, X: Any) -> Any:
        if self._defines("_adjoint"):
            return self.H.matmat(X)
        return _by_columns(self.rmatvec, X, self.shape[1], self.dtype)

    def _adjoint(self) -> Any:
        swap = {"matvec": "rmatvec", "rmatvec": "matvec", "matmat": "rmatmat", "rmatmat": "matmat"}

        def other(f: str, v: Any) -> Any:
            return getattr(self, swap[f])(v)

        return _derived(self.shape[::-1], self.dtype, other, other)

    def _transpose(self) -> Any:
        adjoint = self.adjoint()

        def other(f: str, v: Any) -> Any:
            return getattr(adjoint, f)(v.conj()).conj()

        return _derived(self.shape[::-1], self.dtype, other, other)

    def _checked(self, x: Any, length: int, is_vector: bool) -> Any:
        x = x if issparse(x) else as_array(x)
        fits = x.shape in ((length,), (length, 1)) if is_vector else x.shape[:1] == (length,)
        if not fits or x.ndim != 2 - (is_vector and x.ndim == 1):
            raise ValueError(f"dimension mismatch: {x.shape} for an operator of shape {self.shape}")
        return x

    def matvec(self, x: Any) -> ndarray:
        """Multiply with a vector.

        Parameters
        ----------
        x : ndarray
            Vector, or matrix of one column.

        Returns
        -------
        ndarray
            Product of as many axes as `x` has.
        """
        x = self._checked(x, self.shape[1], True)
        return as_array(self._matvec(x)).reshape(-1 if x.ndim == 1 else (-1, 1))

    def rmatvec(self, x: Any) -> ndarray:
        """Multiply the adjoint with a vector.

        Parameters
        ----------
        x : ndarray
            Vector, or matrix of one column.

        Returns
        -------
        ndarray
            Product of as many axes as `x` has.
        """
        x = self._checked(x, self.shape[0], True)
        return as_array(self._rmatvec(x)).reshape(-1 if x.ndim == 1 else (-1, 1))

    def matmat(self, X: Any) -> ndarray:
        """Multiply with a dense matrix.

        Parameters
        ----------
        X : ndarray
            Matrix of two axes.

        Returns
        -------
        ndarray
            Product, column by column where no function for matrices was given.
        """
        X = self._checked(X, self.shape[1], False)
        with _naming_sparse(X):
            return self._matmat(X)

    def rmatmat(self, X: Any) -> ndarray:
        """Multiply the adjoint with a dense matrix.

        Parameters
        ----------
        X : ndarray
            Matrix of two axes.

        Returns
        -------
        ndarray
            Product, column by column where no function for matrices was given.
        """
        X = self._checked(X, self.shape[0], False)
        with _naming_sparse(X):
            return self._rmatmat(X)

    def dot(self, x: Any) -> Any:
        """Multiply with a vector, a matrix, an operator or a number.

        Parameters
        ----------
        x : ndarray, LinearOperator or scalar
            Right operand of the product.

        Returns
        -------
        ndarray or LinearOperator
            Product, an operator where `x` is one or a number.
        """
        if is_scalar(x):
            return _derived(
                self.shape,
                self.dtype,
                lambda f, v: x * getattr(self, f)(v),
                lambda f, v: np.conj(x) * getattr(self, f)(v),
            )
        if isinstance(x, LinearOperator):
            if self.shape[1] != x.shape[0]:
                raise ValueError(f"cannot multiply {self.shape} and {x.shape}")
            return _derived(
                (self.shape[0], x.shape[1]),
                upcast(self.dtype, x.dtype),
                lambda f, v: getattr(self, f)(getattr(x, f)(v)),
                lambda f, v: getattr(x, f)(getattr(self, f)(v)),
            )
        x = x if issparse(x) else as_array(x)
        return self.matvec(x) if x.ndim == 1 else self.matmat(x)

    def __matmul__(self, x: Any) -> Any:
        if is_scalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if is_scalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.rdot(x)

    def rdot(self, x: Any) -> Any:
        """Multiply a vector, a matrix, an operator or a number with this operator.

        Parameters
        ----------
        x : ndarray, LinearOperator or scalar
            Left operand of the product: a row vector or a matrix of rows.

        Returns
        -------
        ndarray or LinearOperator
            Product ``x @ self``, an operator where `x` is one or a number.
        """
        if is_scalar(x):
            return self.dot(x)
        if isinstance(x, LinearOperator):
            return x.dot(self)
        x = x if issparse(x) else as_array(x)
        if x.ndim == 1:
            return self.T.matvec(x)
        return self.T.matmat(x.T).T

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return self.rdot(x)

    def __call__(self, x: Any) -> Any:
        return self.dot(x)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, LinearOperator):
            return NotImplemented
        if self.shape != other.shape:
            raise ValueError(f"cannot add {self.shape} and {other.shape}")

        def both(f: str, v: Any) -> Any:
            return getattr(self, f)(v) + getattr(other, f)(v)

        return _derived(self.shape, upcast(self.dtype, other.dtype), both, both)

    def __neg__(self) -> Any:
        return self.dot(-1)

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __pow__(self, power: Any) -> Any:
        if not isinstance(power, (int, np.integer)) or power < 0:
            return NotImplemented

        def repeated(f: str, v: Any) -> Any:
            for _ in range(int(power)):
                v = getattr(self, f)(v)
            return v

        if self.shape[0] != self.shape[1]:
            raise ValueError(f"square LinearOperator expected, got {self!r}")
        return _derived(self.shape, self.dtype, repeated, repeated)

    def __truediv__(self, x: Any) -> Any:
        if not is_scalar(x):
            raise ValueError("Can only divide a linear operator by a scalar.")
        return self.dot(1 / x)

    def adjoint(self) -> Any:
        """Return the adjoint operator.

        Returns
        -------
        LinearOperator
            Conjugate transpose.
        """
        return self._adjoint()

    @property
    def H(self) -> Any:
        """Adjoint operator."""
        return self.adjoint()

    def transpose(self) -> Any:
        """Return the transposed operator.

        Returns
        -------
        LinearOperator
            Transpose, without conjugation.
        """
        return self._transpose()

    @property
    def T(self) -> Any:
        """Transposed operator."""
        return self.transpose()

    def __repr__(self) -> str:
        name = "LinearOperator" if isinstance(self, _Functions) else type(self).__name__
        return f"<{self.shape[0]}x{self.shape[1]} {name} with dtype={self.dtype}>"


class _Functions(LinearOperator):
    """An operator made of functions, which may be None."""

    def __init__(
        self,
        shape: Any,
        matvec: Any,
        rmatvec: Any = None,
        matmat: Any = None,
        dtype: Any = None,
        rmatmat: Any = None,
    ) -> None:
        super().__init__(dtype, shape)
        self._given = {"matvec": matvec, "rmatvec": rmatvec, "matmat": matmat, "rmatmat": rmatmat}
        self._is_fixed = _is_fixed_method(matvec)
        self._init_dtype()

    def _matvec(self, x: Any) -> Any:
        return self._given["matvec"](x)

    def _rmatvec(self, x: Any) -> Any:
        if self._given["rmatvec"] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._given["rmatvec"](x)

    def _matmat(self, X: Any) -> Any:
        function = self._given["matmat"]
        return super()._matmat(X) if function is None else function(X)

    def _rmatmat(self, X: Any) -> Any:
        function = self._given["rmatmat"]
        return super()._rmatmat(X) if function is None else function(X)


def _is_fixed_method(function: Any) -> bool:
    """Whether a function is a method of an object of this library whose products are fixed."""
    owner = getattr(function, "__self__", None)
    is_ours = type(owner).__module__.startswith(__package__)
    return is_ours and getattr(owner, "_is_fixed", False)


LinearOperator.__signature__ = signature(_Functions)  # type: ignore[attr-defined]


def _by_columns(product: Any, X: Any, rows: int, dtype: Any) -> ndarray:
    out = empty((rows, X.shape[1]), upcast(dtype, X.dtype))
    for k in range(X.shape[1]):
        out[:, k] = product(X[:, k])
    return out


def _derived(shape: tuple, dtype: Any, forward: Any, backward: Any) -> LinearOperator:
    """An operator made of others: functions of a method's name and its argument."""
    return LinearOperator(
        shape,
        matvec=lambda v: forward("matvec", v),
        rmatvec=lambda v: backward("rmatvec", v),
        matmat=lambda v: forward("matmat", v),
        rmatmat=lambda v: backward("rmatmat", v),
        dtype=dtype,
    )


def aslinearoperator(A: Any) -> LinearOperator:
    """Return an object as a linear operator.

    Parameters
    ----------
    A : LinearOperator, sparse matrix or ndarray
        Object with a shape and products, or one with a method `matvec`.

    Returns
    -------
    LinearOperator
        `A` itself where it is one.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import aslinearoperator
    >>> aslinearoperator(cp.eye(2)) @ cp.ones(2)
    array([1., 1.])
    """
    if isinstance(A, LinearOperator):
        return A
    if issparse(A) or isinstance(A, ndarray):
        if A.ndim != 2:
            raise ValueError("array must have ndim <= 2")
        real = A.dtype.kind != "c"
        # Made at the first use and kept, as SciPy does: what a transpose finds out about itself,
        # such as the rows of a matrix of diagonals, is not found out at each product.
        transposed = functools.cache(lambda: A.T)

        def back(v: Any) -> Any:
            return transposed() @ v if real else (transposed() @ v.conj()).conj()

        def forward(v: Any) -> Any:
            return A @ v

        operator = LinearOperator(A.shape, forward, back, forward, A.dtype, back)
        operator._is_fixed = isinstance(A, ndarray) or A.format in FIXED
        operator._is_adjoint_fixed = isinstance(A, ndarray) or A.format in ADJOINT_FIXED
        return operator
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        return LinearOperator(
            A.shape,
            A.matvec,
            getattr(A, "rmatvec", None),
            getattr(A, "matmat", None),
            getattr(A, "dtype", None),
            getattr(A, "rmatmat", None),
        )
    raise TypeError("type not understood")
