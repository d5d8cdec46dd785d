"""Linear operators: what solvers need of a matrix."""

from typing import Any

import numpy as np

from ...._core.multiarray import empty, ndarray, zeros
from .._base import issparse
from .._sputils import is_scalar, upcast

__all__ = ["LinearOperator", "aslinearoperator"]


class LinearOperator:
    """Matrix given by its products with vectors.

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
        Type of the elements, by default that of a product with zeros.
    rmatmat : callable, optional
        Function of a dense matrix that returns the adjoint's product with it.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import LinearOperator
    >>> LinearOperator((2, 2), matvec=lambda x: 3 * x) @ cp.ones(2)
    array([3., 3.])
    """

    __array_priority__ = 10.2
    __array_ufunc__ = None
    ndim = 2

    def __init__(
        self,
        shape: Any,
        matvec: Any,
        rmatvec: Any = None,
        matmat: Any = None,
        dtype: Any = None,
        rmatmat: Any = None,
    ) -> None:
        self.shape = tuple(int(n) for n in shape)
        if len(self.shape) != 2:
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self._given = {"matvec": matvec, "rmatvec": rmatvec, "matmat": matmat, "rmatmat": rmatmat}
        if dtype is None:
            dtype = matvec(zeros(self.shape[1])).dtype
        self.dtype = np.dtype(dtype)

    def _product(self, name: str, x: Any, length: int) -> ndarray:
        if x.shape not in ((length,), (length, 1)):
            raise ValueError(f"dimension mismatch: {x.shape} for an operator of shape {self.shape}")
        function = self._given[name]
        if function is None:
            raise NotImplementedError(f"{name} is not defined")
        return function(x).reshape(-1 if x.ndim == 1 else (-1, 1))

    def matvec(self, x: Any) -> ndarray:
        """Multiply with a vector.

        Parameters
        ----------
        x : ndarray
            Vector, or matrix of one column.

        Returns
        -------
        ndarray
            Product of the shape that `x` has.
        """
        return self._product("matvec", x, self.shape[1])

    def rmatvec(self, x: Any) -> ndarray:
        """Multiply the adjoint with a vector.

        Parameters
        ----------
        x : ndarray
            Vector, or matrix of one column.

        Returns
        -------
        ndarray
            Product of the shape that `x` has.
        """
        return self._product("rmatvec", x, self.shape[0])

    def _columns(self, name: str, one: Any, x: Any, length: int, rows: int) -> ndarray:
        if x.ndim != 2 or x.shape[0] != length:
            raise ValueError(f"dimension mismatch: {x.shape} for an operator of shape {self.shape}")
        if self._given[name] is not None:
            return self._given[name](x)
        out = empty((rows, x.shape[1]), upcast(self.dtype, x.dtype))
        for k in range(x.shape[1]):
            out[:, k] = one(x[:, k])
        return out

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
        return self._columns("matmat", self.matvec, X, self.shape[1], self.shape[0])

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
        return self._columns("rmatmat", self.rmatvec, X, self.shape[0], self.shape[1])

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
        return self.matvec(x) if x.ndim == 1 else self.matmat(x)

    def __matmul__(self, x: Any) -> Any:
        if is_scalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(x)

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return self.dot(x) if is_scalar(x) else NotImplemented

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

    def adjoint(self) -> Any:
        """Return the adjoint operator.

        Returns
        -------
        LinearOperator
            Conjugate transpose.
        """
        swap = {"matvec": "rmatvec", "rmatvec": "matvec", "matmat": "rmatmat", "rmatmat": "matmat"}

        def other(f: str, v: Any) -> Any:
            return getattr(self, swap[f])(v)

        return _derived(self.shape[::-1], self.dtype, other, other)

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
        adjoint = self.adjoint()

        def other(f: str, v: Any) -> Any:
            return getattr(adjoint, f)(v.conj()).conj()

        return _derived(self.shape[::-1], self.dtype, other, other)

    @property
    def T(self) -> Any:
        """Transposed operator."""
        return self.transpose()

    def __repr__(self) -> str:
        return f"<{self.shape[0]}x{self.shape[1]} LinearOperator with dtype={self.dtype}>"


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

        def back(v: Any) -> Any:
            return A.T @ v if real else (A.T @ v.conj()).conj()

        def forward(v: Any) -> Any:
            return A @ v

        return LinearOperator(A.shape, forward, back, forward, A.dtype, back)
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
