"""Covariance matrices by a decomposition, which are not made before they are asked for."""

from collections.abc import Callable
from types import GenericAlias
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import asarray, ndarray, where
from ..._core.reductions import amax, any, sum
from ..._core.umath import absolute, log, sqrt
from ...lib._stride_tricks_impl import broadcast_to
from ...lib._twodim_base_impl import diag, eye
from ...linalg import cholesky, eigh, norm
from ...linalg._stacks import common_type
from ...linalg._triangular import cholesky_solved, triangle_solved
from .._kept import kept_property
from ._multivariate_base import real

__all__ = ["Covariance"]


def _checked(a: Any, name: str, ndim: int) -> ndarray:
    """A vector or a square matrix of real numbers, from what SciPy accepts for it."""
    a = as_array(a)
    a = a.reshape((1,) * (ndim - a.ndim) + a.shape)
    if a.ndim != ndim or a.dtype.kind not in "iuf" or a.shape[0] != a.shape[-1]:
        kind = "a square, two-dimensional" if ndim == 2 else "a one-dimensional"
        raise ValueError(f"The input `{name}` must be {kind} array of real numbers.")
    return a


def _solved(triangle: ndarray, x: ndarray, lower: bool) -> ndarray:
    """The solutions of a triangular system for points along the last axis of x."""
    columns = x.T.reshape(x.shape[-1] if x.ndim else 1, -1).astype(common_type(triangle, x))
    return triangle_solved(triangle, columns, lower)[0].reshape(x.T.shape).T


class Covariance:
    """Covariance matrix by one of its decompositions.

    Objects are made by the methods whose names begin with `from_`. `multivariate_normal` takes them
    for `cov`, and computes with the decomposition: nothing is factorized, nor read.
    """

    __class_getitem__: Any = classmethod(GenericAlias)
    _covariance: Any
    _is_singular = False  # whether the rank may be less than the dimension

    def __init__(self):
        raise NotImplementedError(
            "Covariance has no constructor: one of its methods makes an object, such as"
            " Covariance.from_diagonal"
        )

    @staticmethod
    def from_diagonal(diagonal) -> "Covariance":
        """Return a diagonal covariance matrix.

        Parameters
        ----------
        diagonal : array_like
            Variances of the coordinates, of shape (n,). Nothing varies where one is not positive.

        Returns
        -------
        Covariance
            Matrix with these elements on its diagonal.

        Raises
        ------
        ValueError
            If `diagonal` is not a vector of real numbers.

        Examples
        --------
        >>> import gpunp as cp
        >>> from gpunp.scipy import stats
        >>> cov = stats.Covariance.from_diagonal([1, 4, 9])
        >>> cov.whiten(cp.asarray([2.0, 2.0, 3.0]))
        array([2., 1., 1.])
        """
        return _Diagonal(diagonal)

    @staticmethod
    def from_precision(precision, covariance=None) -> "Covariance":
        """Return the covariance matrix whose inverse is given.

        Parameters
        ----------
        precision : array_like
            Symmetric positive definite matrix of shape (n, n), the inverse of the covariance.
        covariance : array_like, optional
            The covariance itself, of the same shape; by default the inverse of `precision`, which
            is computed when it is first asked for.

        Returns
        -------
        Covariance
            Inverse of `precision`.

        Raises
        ------
        ValueError
            If a matrix is not square or not real, or if the shapes differ.
        LinAlgError
            If `precision` is not positive definite.
        """
        return _Inverse(precision, covariance)

    @staticmethod
    def from_cholesky(cholesky) -> "Covariance":
        """Return the covariance matrix with a Cholesky factor.

        Parameters
        ----------
        cholesky : array_like
            Lower triangular matrix L of shape (n, n); the covariance is L @ L.T.

        Returns
        -------
        Covariance
            Product of the factor and its transpose.

        Raises
        ------
        ValueError
            If `cholesky` is not square or not real.
        """
        return _Triangular(cholesky)

    @staticmethod
    def from_eigendecomposition(eigendecomposition) -> "Covariance":
        """Return the covariance matrix with given eigenvalues and eigenvectors.

        Parameters
        ----------
        eigendecomposition : sequence of array_like
            Eigenvalues w of shape (n,) and eigenvectors V of shape (n, n), one in each column, as
            `linalg.eigh` returns them. Nothing varies where an eigenvalue is not positive.

        Returns
        -------
        Covariance
            Matrix V @ diag(w) @ V.T.

        Raises
        ------
        ValueError
            If the shapes do not fit, or the numbers are not real.
        """
        return _Eigen(eigendecomposition)

    def whiten(self, x) -> ndarray:
        """Transform points so that samples with this covariance get the identity for theirs.

        Parameters
        ----------
        x : array_like
            Points, whose coordinates are along the last axis.

        Returns
        -------
        ndarray
            Transformed points, of the shape of `x`.
        """
        return self._whiten(as_array(x))

    def colorize(self, x) -> ndarray:
        """Transform points so that samples with the identity as covariance get this one.

        Parameters
        ----------
        x : array_like
            Points, whose coordinates are along the last axis.

        Returns
        -------
        ndarray
            Transformed points, of the shape of `x`.
        """
        return self._colorize(as_array(x))

    @property
    def log_pdet(self) -> ndarray:
        """Logarithm of the product of the positive eigenvalues, of type float64, without axes."""
        return self._log_pdet

    @property
    def rank(self) -> ndarray:
        """Rank of the matrix, of type int64, without axes."""
        return asarray(self._rank)

    @property
    def covariance(self) -> ndarray:
        """The matrix itself."""
        return self._covariance

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the matrix."""
        return self._shape

    def _distances(self, x: ndarray, center: ndarray) -> tuple[ndarray, Any]:
        """Squares of Mahalanobis's distance, and whether points lie where the density does."""
        moved = x - center
        within = self._is_within(moved) if self._is_singular else None
        return sum(self._whiten(moved) ** 2, axis=-1), within

    _log_pdet: ndarray
    _rank: Any
    _shape: tuple[int, ...]
    _whiten: Callable[[ndarray], ndarray]
    _colorize: Callable[[ndarray], ndarray]
    _is_within: Callable[[ndarray], ndarray]


class _Scaled(Covariance):
    """A matrix by variances along axes, which may be zero."""

    _is_singular = True

    def _take(self, variances: ndarray) -> tuple[ndarray, ndarray]:
        """Where nothing varies, and what makes variances one elsewhere; sets rank and determinant.

        A variance that is not positive counts as zero.
        """
        is_null = variances <= 0
        positive = where(is_null, 1.0, real(variances))
        self._log_pdet, self._rank = sum(log(positive)), sum(~is_null)
        return is_null, where(is_null, 0.0, 1 / sqrt(positive))


class _Diagonal(_Scaled):
    """A diagonal matrix."""

    def __init__(self, diagonal: Any):
        self._diagonal = _checked(diagonal, "diagonal", 1)
        self._shape = (self._diagonal.size, self._diagonal.size)
        self._is_null, self._factors = self._take(self._diagonal)

    @property
    def _covariance(self) -> ndarray:
        return diag(self._diagonal)

    def _whiten(self, x: ndarray) -> ndarray:
        return x * self._factors

    def _colorize(self, x: ndarray) -> ndarray:
        return x * sqrt(self._diagonal)

    def _is_within(self, x: ndarray) -> ndarray:
        return ~any(where(self._is_null, x, 0.0), axis=-1)


class _Full(Covariance):
    """A matrix of full rank, by a triangular factor."""

    __class_getitem__ = None

    def _set(self, factor: ndarray, sign: int) -> None:
        self._factor, self._rank, self._shape = factor, factor.shape[-1], factor.shape
        self._log_pdet = real(sign * 2 * sum(log(diag(factor))))


class _Inverse(_Full):
    """The inverse of a matrix."""

    def __init__(self, precision: Any, covariance: Any):
        precision = _checked(precision, "precision", 2)
        self._given = None if covariance is None else _checked(covariance, "covariance", 2)
        if self._given is not None and self._given.shape != precision.shape:
            raise ValueError("`precision.shape` must equal `covariance.shape`.")
        self._set(cholesky(precision), -1)

    @kept_property
    def _covariance(self) -> ndarray:
        if self._given is not None:
            return self._given
        return cholesky_solved(self._factor, eye(self._rank, dtype=self._factor.dtype), True)

    def _whiten(self, x: ndarray) -> ndarray:
        return x @ self._factor

    def _colorize(self, x: ndarray) -> ndarray:
        return _solved(self._factor.T, x, False)


class _Triangular(_Full):
    """The product of a triangular matrix and its transpose."""

    def __init__(self, factor: Any):
        self._set(_checked(factor, "cholesky", 2), 1)

    @kept_property
    def _covariance(self) -> ndarray:
        return self._factor @ self._factor.T

    def _whiten(self, x: ndarray) -> ndarray:
        return _solved(self._factor, x, True)

    def _colorize(self, x: ndarray) -> ndarray:
        return x @ self._factor.T


class _Eigen(_Scaled):
    """Eigenvalues and eigenvectors."""

    __class_getitem__ = None

    def __init__(self, decomposition: Any):
        values, vectors = decomposition
        values, vectors = _checked(values, "eigenvalues", 1), _checked(vectors, "eigenvectors", 2)
        size = vectors.shape[-1]
        if values.size not in (1, size):
            raise ValueError("The shapes of `eigenvalues` and `eigenvectors` must be compatible.")
        values = broadcast_to(values, (size,))
        is_null, factors = self._take(values)
        self._shape, self._factors = vectors.shape, vectors * factors
        self._values, self._vectors, self._null = values, vectors, vectors * is_null
        single = values.dtype == np.float32  # SciPy's tolerances of a rank
        relative = 1e3 * np.finfo(np.float32).eps if single else 1e6 * np.finfo(np.float64).eps
        self._tolerance = 1e3 * float(relative) * amax(absolute(values))

    @kept_property
    def _covariance(self) -> ndarray:
        return (self._vectors * self._values) @ self._vectors.T

    def _whiten(self, x: ndarray) -> ndarray:
        return x @ self._factors

    def _colorize(self, x: ndarray) -> ndarray:
        return x @ (self._vectors * sqrt(self._values)).T

    def _is_within(self, x: ndarray) -> ndarray:
        return norm(x @ self._null, axis=-1) < self._tolerance


class Symmetric(_Eigen):
    """A matrix itself, whose eigenvalues that are zero but for rounding errors count as zero."""

    def __init__(self, matrix: ndarray):
        values, vectors = eigh(matrix)
        least = 1e6 * float(np.finfo(np.float64).eps) * amax(absolute(values))
        super().__init__((where(values > least, values, 0.0), vectors))
        self._matrix = matrix

    @property
    def _covariance(self) -> ndarray:
        return self._matrix


def placed(mean: Any, cov: Covariance) -> ndarray:
    """The mean of a distribution with a covariance, of the covariance's size."""
    size = cov.shape[-1]
    center = real([0.0] if mean is None else mean)
    if center.ndim > 1 or (center.ndim and center.size not in (1, size)):
        raise ValueError(
            f"`cov` represents a covariance matrix in {size} dimensions, and so `mean` must be"
            f" broadcastable to shape {(size,)}, got {center.shape}"
        )
    return broadcast_to(center, (size,))
