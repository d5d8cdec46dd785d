"""Distributions of vectors: their results have an axis for the components."""

import math
import operator
from typing import Any

import numpy as np

from .._core._convert import MAX_DIMS, as_host, host_shape, shown
from .._core._warnings import warn
from .._core.multiarray import asarray, ascontiguousarray, ndarray, where
from .._core.numeric import allclose
from .._core.randomness import looked_at, random_draw, random_rows
from .._core.reductions import amax
from .._core.reductions import sum as _sum
from .._core.umath import divide, exp, matmul, maximum, sqrt
from ..lib._stride_tricks_impl import broadcast_to
from ..linalg import cholesky, eigh, svd
from ._distributions import _ROW, Distributions, check_long, counts, real

__all__ = ["Multivariate"]

_BAD_COLORS = (
    "colors must be a one-dimensional sequence of nonnegative integers not exceeding "
    "9223372036854775807."
)
# Of such parameters a gamma variate underflows, to float32 too, less than once in 10^22 draws.
_NEVER_ALL_ZERO = 0.5
_BAD_PVALS = (
    "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
)


def _shape(size: Any) -> tuple[int, ...]:
    """A size as a tuple."""
    if size is None:
        return ()
    return tuple(np.empty(size, np.dtype([])).shape)


def _same(a: tuple[int, ...], b: tuple[int, ...], size: Any) -> tuple[int, ...]:
    """Common shape of the parameters, or the size, to which they must broadcast."""
    common = np.broadcast_shapes(a, b)
    if size is None:
        return common
    shape = _shape(size)
    if np.broadcast_shapes(common, shape) != shape:
        raise ValueError("Output size is not compatible with broadcast dimensions of inputs.")
    return shape


class Multivariate(Distributions):
    """Methods whose results have an axis for the components."""

    def _rows(self, without_return: bool, n: Any, weights: ndarray, shape: Any) -> ndarray:
        """Counts of the shape (*shape, kinds)."""
        kinds, rows = weights.shape[-1], math.prod(shape)
        if len(shape) >= MAX_DIMS or rows >= 2**63:
            raise ValueError(f"size makes an array beyond any memory: {shown(shape)}")
        totals = asarray(n).astype(np.float64)
        if totals.size > 1:
            totals = ascontiguousarray(broadcast_to(totals, shape))
        if weights.ndim > 1:
            weights = ascontiguousarray(broadcast_to(weights, (*shape, kinds)))
        if rows == 0 or kinds == 0:
            return asarray(np.zeros((*shape, kinds), np.int64))
        counts = random_rows(
            self._stream, without_return, totals.reshape(-1), weights.reshape(-1, kinds), rows
        )
        return counts.reshape(*shape, kinds)

    def multinomial(self, n, pvals, size=None) -> ndarray:
        """Draw multinomial samples: the number of occurrences of each outcome in n trials.

        Parameters
        ----------
        n : int or array_like of ints
            Number of trials, which must be nonnegative.
        pvals : array_like of floats
            Probabilities of the outcomes along the last axis; the last one is replaced by the
            remainder.
        size : int or tuple of ints, optional
            Shape of the result without its last axis. By default that of the parameters.

        Returns
        -------
        ndarray of int64
            Counts; the outcomes are along the last axis.
        """
        check_long(n)
        n, pvals = looked_at(counts(real(n))), looked_at(pvals)
        if isinstance(n, ndarray) and n.dtype.kind in "mM":
            raise TypeError(f"n must be integers, not {n.dtype}")
        if not isinstance(n, ndarray) and np.any(as_host(n) < 0):
            raise ValueError("n < 0")
        if not isinstance(pvals, ndarray):
            host = as_host(pvals, np.float64)
            if host.ndim == 0 or host.shape[-1] == 0:
                raise ValueError(_BAD_PVALS)
            if np.any(~((host >= 0) & (host <= 1))):
                raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
            if np.any(host[..., :-1].sum(-1) > 1 + 1e-12):
                raise ValueError("sum(pvals[:-1]) > 1.0")
            pvals = host
        weights = asarray(pvals).astype(np.float64)
        if weights.ndim == 0:
            raise ValueError(_BAD_PVALS)
        shape = _same(host_shape(n), weights.shape[:-1], size)
        return self._rows(False, n, weights, shape)

    def multivariate_hypergeometric(
        self, colors, nsample, size=None, method="marginals"
    ) -> ndarray:
        """Draw the number of items of each color in a sample without replacement.

        Parameters
        ----------
        colors : array_like of ints
            Number of items of each color.
        nsample : int
            Number of items that are drawn.
        size : int or tuple of ints, optional
            Shape of the result without its last axis, which holds the components.
        method : {"marginals", "count"}, optional
            Method that NumPy would use; here both mean one hypergeometric sample for each color.

        Returns
        -------
        ndarray of int64
            Counts; the colors are along the last axis.
        """
        if method not in ("marginals", "count"):
            raise ValueError('method must be "count" or "marginals".')
        try:
            nsample = operator.index(nsample)
        except TypeError:
            raise ValueError("nsample must be an integer") from None
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        colors = looked_at(colors)
        if not isinstance(colors, ndarray):
            host = as_host(colors)
            whole = host.ndim == 1 and (host.size == 0 or host.dtype.kind in "iu")
            if not whole or np.any(host < 0):
                raise ValueError(_BAD_COLORS)
            if host.sum() >= 1_000_000_000:
                raise ValueError(
                    'When method is "marginals", sum(colors) must be less than 1000000000.'
                )
            if nsample > host.sum():
                raise ValueError("nsample > sum(colors)")
            colors = asarray(host.astype(np.float64))
        if colors.ndim != 1:
            raise ValueError(_BAD_COLORS)
        return self._rows(True, nsample, colors.astype(np.float64), _shape(size))

    def dirichlet(self, alpha, size=None, dtype=None) -> ndarray:
        """Draw samples of the Dirichlet distribution: vectors of probabilities.

        Parameters
        ----------
        alpha : array_like of floats
            Parameters of the distribution, a vector of positive numbers.
        size : int or tuple of ints, optional
            Shape of the result without its last axis, which holds the components.
        dtype : dtype, optional
            Type of the result: float32, or float64, the default.

        Returns
        -------
        ndarray
            Samples, along the last axis; each sums to 1.

        Notes
        -----
        Gamma variates over their sum (Devroye, 1986, XI.4.1), by their logarithms where a parameter
        may be so near 0 that all variates vanish.
        """
        least, is_same = 0.0, False
        alpha = looked_at(alpha)
        if not isinstance(alpha, ndarray):
            if isinstance(alpha, np.ndarray) and alpha.dtype.kind in "SU":
                raise TypeError(f"alpha must be of numbers, not of {alpha.dtype}")
            host = as_host(alpha, np.float64)
            if host.ndim == 0:
                raise TypeError("alpha must be a sequence, not a number")
            if np.any(host < 0):
                raise ValueError("alpha < 0")
            if host.size:
                least, is_same = float(host.min()), bool((host == host.flat[0]).all())
            alpha = asarray(host)
        if alpha.ndim == 0:
            raise TypeError("alpha must be a sequence, not a number")
        shape = (*_shape(size), *alpha.shape)
        if least >= _NEVER_ALL_ZERO:
            shapes = least if is_same else alpha
            parts = random_draw(self._stream, _ROW["standard_gamma"], shape, dtype, None, shapes)
            return divide(parts, _sum(parts, axis=-1, keepdims=True), out=parts)
        logs = random_draw(self._stream, _ROW["log_gamma"], shape, dtype, None, alpha)
        if logs.size == 0:
            return logs
        most = amax(logs, axis=-1, keepdims=True)
        parts = exp(logs - where(most > -np.inf, most, 0.0))  # all parameters 0: all parts 0
        total = _sum(parts, axis=-1, keepdims=True)
        return parts / where(total > 0, total, 1.0)

    def multivariate_normal(
        self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"
    ) -> ndarray:
        """Draw vectors of normal samples with a given covariance.

        Parameters
        ----------
        mean : array_like of floats
            Mean of the distribution, a vector.
        cov : array_like of floats
            Covariance of the distribution, a symmetric and positive semidefinite matrix.
        size : int or tuple of ints, optional
            Shape of the result without its last axis, which holds the components.
        check_valid : {"warn", "raise", "ignore"}, optional
            Action if `cov` is not positive semidefinite. The check waits for the device.
        tol : float, optional
            Tolerance of the check of `cov`.
        method : {"svd", "eigh", "cholesky"}, optional
            Factorization of `cov`; "cholesky" is the fastest, and refuses singular covariances.

        Returns
        -------
        ndarray
            Samples, with the components along the last axis.
        """
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        mean, cov = asarray(mean), asarray(cov)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        if "c" in (mean.dtype.kind, cov.dtype.kind):
            raise TypeError("mean and cov must not be complex")
        mean, cov = mean.astype(np.float64), cov.astype(np.float64)
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        factor = _factor(cov, method, check_valid, tol)
        shape = (*_shape(size), mean.size)
        z = random_draw(self._stream, _ROW["standard_normal"], shape, np.float64, None)
        return mean + matmul(z.reshape(-1, mean.size), factor).reshape(shape)


def _factor(cov: ndarray, method: str, check_valid: str, tol: float) -> ndarray:
    """Return F with transpose(F) @ F = cov, by a decomposition of linalg."""
    if method == "cholesky":
        return cholesky(cov).T
    if method == "eigh":
        values, vectors = eigh(cov)
        factor = (vectors * sqrt(maximum(values, 0.0))).T
        good = check_valid == "ignore" or bool((values > -tol).all())
    else:
        _, values, vectors = svd(cov)
        factor = sqrt(values)[:, None] * vectors
        good = check_valid == "ignore" or bool(
            allclose(matmul(factor.T, factor), cov, rtol=tol, atol=tol)
        )
    if not good:
        if check_valid == "raise":
            raise ValueError("covariance is not symmetric positive-semidefinite.")
        warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning)
    return factor
