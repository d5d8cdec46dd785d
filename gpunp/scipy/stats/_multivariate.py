"""Multivariate distributions: normal, t, multinomial, Dirichlet."""

import math
import operator
from typing import Any

import numpy as np

from ..._core._convert import (
    as_array,
    as_host,
    check_device_memory,
    host_ndim,
    shape_tuple,
    shown,
)
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, concatenate, ndarray, where, zeros
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import amin, mean, sum
from ..._core.umath import absolute, exp, floor, log, log1p, sqrt
from ...lib._twodim_base_impl import diag, eye
from ...linalg import cholesky
from .._kept import kept_property
from ..special import gammaln, psi, xlogy
from ._covariance import Covariance, Symmetric, placed
from ._distributions import binom, gamma
from ._multivariate_base import Frozen, Multivariate, Semidefinite, real, squeezed

__all__ = ["dirichlet", "multinomial", "multivariate_normal", "multivariate_t"]

_MOST_DIMENSIONS = 64  # of an integral
_POINTS, _MOST_POINTS, _PARTS = 1 << 14, 1 << 20, 64

# The probability of a box by A. Genz, J. Comput. Graph. Statist. 1 (1992): one conditional
# probability after the other, at the points of a Kronecker sequence made periodic. A thread takes a
# part of the points for one box. The t distribution (Genz and Bretz, 1999) divides by a chi number.
_BOX = ElementwiseKernel(
    "raw float64 low, raw float64 high, raw float64 factor, raw float64 steps, int64 size,"
    " int64 points, int64 parts, float64 df",
    "float64 total",
    """
    const ptrdiff_t box = i / parts, part = i - box * parts;
    double y[%d];
    total = 0;
    for (int64_t k = 0; k < size; k++) {
        const double from = low[box * size + k], to = high[box * size + k];
        if (isnan(from) || isnan(to)) {
            total = NAN_F64;
            return;
        }
    }
    for (ptrdiff_t n = part; n < points; n += parts) {
        double product = 1, stretch = 1;
        if (df > 0) {
            const double u = (n + 0.5) * steps[size], w = fabs(2 * (u - floor(u)) - 1);
            stretch = sqrt(2 * special::gammaincinv(0.5 * df, w) / df);
            stretch = fmax(stretch, 1e-300); // above zero, by which infinite ends are multiplied
        }
        for (int64_t k = 0; k < size; k++) {
            double sum = 0;
            for (int64_t j = 0; j < k; j++) sum += factor[k * size + j] * y[j];
            const double scale = factor[k * size + k];
            const double from = special::ndtr((low[box * size + k] * stretch - sum) / scale);
            const double to = special::ndtr((high[box * size + k] * stretch - sum) / scale);
            const double u = (n + 0.5) * steps[k], w = fabs(2 * (u - floor(u)) - 1);
            product *= to - from;
            if (product == 0 || k + 1 == size) break; // no later factor, or none that counts
            y[k] = special::ndtri(fmin(fmax(from + w * (to - from), 1e-300), 1 - 0x1p-53));
        }
        total += product;
    }
    """
    % _MOST_DIMENSIONS,
    "box_probability",
    preamble="""
using namespace gnp;
#include "special/ndtr.cuh"
#include "special/gammaincinv.cuh"
""",
)


# ---- parameters ----------------------------------------------------------------------------------


def _place(center: Any, matrix: Any, words: tuple[str, str]) -> tuple[ndarray, ndarray]:
    """A vector and a square matrix of one size, from what SciPy accepts for them."""
    matrix = asarray(1.0) if matrix is None else real(matrix)
    if center is None:
        center = zeros(matrix.shape[0] if matrix.ndim else 1)
    center = real(center).reshape(-1) if host_ndim(center) == 0 else real(center)
    if center.ndim != 1:
        raise ValueError(f"Array '{words[0]}' must be a vector of length {center.size}.")
    size = center.size
    matrix = matrix * eye(size) if matrix.ndim == 0 else matrix
    matrix = diag(matrix) if matrix.ndim == 1 else matrix
    if matrix.ndim > 2:
        raise ValueError(
            f"Array '{words[1]}' must be at most two-dimensional,"
            f" but {words[1]}.ndim = {matrix.ndim}"
        )
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"Array '{words[1]}' must be square if it is two dimensional,"
            f" but {words[1]}.shape = {matrix.shape}."
        )
    if matrix.shape != (size, size):
        raise ValueError(
            f"Dimension mismatch: array '{words[1]}' is of shape {matrix.shape},"
            f" but '{words[0]}' is a vector of length {size}."
        )
    return center, matrix


def _kept(dimensions: Any, size: int) -> ndarray:
    """The indices of a marginal distribution, which are checked on the host."""
    host = np.atleast_1d(as_host(dimensions))
    if host.size == 0:
        raise ValueError("Cannot marginalize all dimensions.")
    if host.dtype.kind not in "iu":
        raise ValueError(
            f"`dimensions` must be integers, indices of what is kept, got {host.dtype}"
        )
    kept = np.where(host < 0, host + size, host)
    if len(np.unique(kept)) != kept.size:
        raise ValueError("All elements of `dimensions` must be unique.")
    wrong = (kept < 0) | (kept >= size)
    if wrong.any():
        raise ValueError(
            f"Dimensions {host[wrong]} are invalid for a distribution in {size} dimensions."
        )
    return asarray(kept)


def _quantiles(x: Any, size: int) -> ndarray:
    """Points along the last axis, from what SciPy accepts for them."""
    x = real(x)
    x = x.reshape(1, 1) if x.ndim == 0 else x
    if x.ndim == 1:
        x = x[:, None] if size == 1 else x[None]
    if x.shape[-1] not in (1, size):
        raise ValueError(
            f"operands could not be broadcast together with shapes {x.shape} ({size},)"
        )
    if x.shape[-1] != size:
        x = x + zeros(size)
    return x


def _box(x: Any, center: ndarray, matrix: ndarray, lower: Any, df: float, points: int) -> ndarray:
    """The probability of boxes up to x; infinite degrees of freedom give the normal one."""
    size = center.size
    if size > _MOST_DIMENSIONS:
        raise ValueError(f"cdf takes at most {_MOST_DIMENSIONS} dimensions, got {size}")
    high = _quantiles(x, size) - center
    if lower is not None:
        lower = real(lower)
        if lower.ndim and lower.shape[-1] not in (1, size):
            raise ValueError(f"lower_limit must have {size} coordinates, not shape {lower.shape}")
    low = zeros(high.shape) + (-math.inf if lower is None else lower - center)
    high = high + zeros(low.shape)
    flipped = low > high  # a box the other way around counts with the other sign
    low, high = where(flipped, high, low), where(flipped, low, high)
    signs = where(sum(flipped, axis=-1) % 2 == 0, 1.0, -1.0)
    steps = asarray(np.sqrt(_primes(size + 1)) % 1)
    if size == 1 and df == math.inf:
        points = 1  # each has the same share
    shape = high.shape[:-1]
    totals = _BOX(
        low, high, cholesky(matrix), steps, size, points, _PARTS, 0.0 if df == math.inf else df,
        size=math.prod(shape) * _PARTS,
    )  # fmt: skip
    found = sum(totals.reshape((*shape, _PARTS)), axis=-1) / points
    return squeezed(found * signs)


def _points(maxpts: Any) -> int:
    """The number of points of an integral, of which there is a most for which it ends."""
    return _POINTS if maxpts is None else min(operator.index(maxpts), _MOST_POINTS)


def _primes(count: int) -> np.ndarray:
    numbers = np.arange(2, 400)
    return numbers[[all(n % k for k in range(2, n)) for n in numbers.tolist()]][:count]


# ---- normal and t --------------------------------------------------------------------------------


def _parts(mean: Any, cov: Any, allow_singular: bool) -> tuple[ndarray, Any]:
    """The mean, and the covariance with its rank and its transformations."""
    if isinstance(cov, Covariance):
        return placed(mean, cov), cov
    center, matrix = _place(mean, cov, ("mean", "cov"))
    return center, Semidefinite(matrix, allow_singular)


def _log_density(x: Any, center: ndarray, known: Any, df: float) -> ndarray:
    """The logarithm of the density of a t distribution, which is normal for infinite `df`."""
    size = center.size
    distance, within = known._distances(_quantiles(x, size), center)
    if df == math.inf:
        result = -0.5 * (distance + (known.rank * math.log(2 * math.pi) + known.log_pdet))
    else:
        constant = math.lgamma(0.5 * (df + size)) - math.lgamma(0.5 * df)
        constant -= 0.5 * (size * math.log(df * math.pi) + known.log_pdet)
        result = constant - 0.5 * (df + size) * log1p(distance / df)
    return squeezed(result if within is None else where(within, result, -math.inf))


class _FrozenNormal(Frozen):
    """A multivariate normal distribution with its parameters."""

    @property
    def cov(self) -> ndarray:
        """Covariance, a matrix."""
        given = self._given["cov"]
        return given.covariance if isinstance(given, Covariance) else given

    @kept_property
    def cov_object(self) -> Covariance:
        """Covariance, an object: that which was given, or one that is made of the matrix."""
        given = self._given["cov"]
        return given if isinstance(given, Covariance) else Symmetric(given)


class _MultivariateNormal(Multivariate):
    """Multivariate normal distribution.

    Parameters
    ----------
    mean : array_like, optional
        Mean of the distribution, by default 0.
    cov : array_like or Covariance, optional
        Covariance: a matrix, its diagonal, or one variance for all coordinates; or one of the
        objects of `Covariance`, of which nothing is read.
    allow_singular : bool, optional
        If True, the covariance may be singular.
    maxpts, abseps, releps : float, optional
        Those of `cdf`.
    """

    def __call__(
        self, mean=None, cov=1, allow_singular=False, seed=None, *, maxpts=None, abseps=1e-5,
        releps=1e-5,
    ) -> Any:  # fmt: skip
        center, known = _parts(mean, cov, allow_singular)
        is_given = isinstance(cov, Covariance)
        given = cov if is_given else known.covariance
        allow_singular = allow_singular or (is_given and cov._is_singular)
        return _FrozenNormal(
            self, seed, mean=center, cov=given, allow_singular=allow_singular, maxpts=maxpts,
            abseps=abseps, releps=releps, dim=center.size,
        )  # fmt: skip

    def logpdf(self, x, mean=None, cov=1, allow_singular=False) -> ndarray:
        """Evaluate the logarithm of the density; the rank of the covariance is read.

        Parameters
        ----------
        x : array_like
            Points, whose coordinates are along the last axis.
        mean : array_like, optional
            Mean of the distribution.
        cov : array_like or Covariance, optional
            Covariance of the distribution.
        allow_singular : bool, optional
            If True, the covariance may be singular.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        center, known = _parts(mean, cov, allow_singular)
        return _log_density(x, center, known, math.inf)

    @documented_as(logpdf)
    def pdf(self, x, mean=None, cov=1, allow_singular=False) -> ndarray:
        """Evaluate the density; the rank of the covariance is read."""
        return exp(self.logpdf(x, mean, cov, allow_singular))

    @documented_as(logpdf)
    def cdf(
        self, x, mean=None, cov=1, allow_singular=False, maxpts=None, abseps=1e-5, releps=1e-5, *,
        lower_limit=None, rng=None,
    ) -> ndarray:  # fmt: skip
        """Evaluate the distribution function, by an integral over fixed points.

        Parameters
        ----------
        allow_singular : bool, optional
            Accepted for compatibility; the covariance must not be singular.
        maxpts : int, optional
            Number of points of the integral: 16384 by default, 2**20 at most.
        abseps, releps : float, optional
            Tolerances, which are accepted and not used: the error is some 1e-5.
        lower_limit : array_like, optional
            Lower ends of the box, by default minus infinity.
        rng : object, optional
            Accepted for compatibility; the points are fixed.

        Returns
        -------
        ndarray
            Probabilities of type float64.
        """
        if isinstance(cov, Covariance):
            center, matrix = placed(mean, cov), real(cov.covariance)
        else:
            center, matrix = _place(mean, cov, ("mean", "cov"))
        return _box(x, center, matrix, lower_limit, math.inf, _points(maxpts))

    def logcdf(
        self, x, mean=None, cov=1, allow_singular=False, maxpts=None, abseps=1e-5, releps=1e-5, *,
        lower_limit=None, rng=None,
    ) -> ndarray:  # fmt: skip
        """Evaluate the logarithm of the distribution function.

        Parameters
        ----------
        x, mean, cov, allow_singular, maxpts, abseps, releps, lower_limit, rng
            Points, parameters and options, as for `cdf`.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        return log(self.cdf(x, mean, cov, allow_singular, maxpts, lower_limit=lower_limit))

    @documented_as(Multivariate.rvs)
    def rvs(self, mean=None, cov=1, size=1, random_state=None) -> ndarray:
        """Draw samples; the eigenvalues of the covariance are read.

        Parameters
        ----------
        mean, cov : array_like, optional
            Mean and covariance of the distribution.
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the coordinates.

        Returns
        -------
        ndarray
            Samples; axes of one element are left out.
        """
        center, known = _parts(mean, cov, True)
        normal = self._source(random_state).standard_normal
        if isinstance(cov, Covariance):  # as SciPy, of which other axes stay and 0 is none
            return center + cov.colorize(normal(size=(*shape_tuple(size or ()), center.size)))
        return squeezed(center + normal(size=(*shape_tuple(size), center.size)) @ known.root.T)

    @documented_as(logpdf)
    def entropy(self, mean=None, cov=1) -> ndarray:
        """Return the differential entropy; the eigenvalues of the covariance are read.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        _, known = _parts(mean, cov, True)
        return asarray(0.5 * (known.rank * (math.log(2 * math.pi) + 1) + known.log_pdet))

    @documented_as(logpdf)
    def marginal(self, dimensions, mean=None, cov=1, allow_singular=False) -> Any:
        """Return the distribution of some of the coordinates.

        Parameters
        ----------
        dimensions : int or array_like of int
            Indices of the coordinates that are kept.

        Returns
        -------
        frozen distribution
            Multivariate normal distribution of these coordinates.

        Raises
        ------
        ValueError
            If an index is out of range, or twice in `dimensions`, or if there is none.
        """
        center, known = _parts(mean, cov, allow_singular)
        kept = _kept(dimensions, center.size)
        return self(center[kept], known.covariance[kept[:, None], kept], allow_singular)

    def fit(self, x, fix_mean=None, fix_cov=None) -> tuple[ndarray, ndarray]:
        """Estimate mean and covariance from samples, with the largest likelihood.

        Parameters
        ----------
        x : array_like
            Samples, one in each row.
        fix_mean, fix_cov : array_like, optional
            Mean and covariance that are known.

        Returns
        -------
        mean, cov : ndarray
            Estimated or known parameters.
        """
        x = real(x)
        if x.ndim != 2:
            raise ValueError("`x` must be two-dimensional.")
        size = x.shape[1]
        if fix_mean is not None:
            fix_mean = real(fix_mean).reshape(-1)
            if fix_mean.size != size:
                raise ValueError(
                    "`fix_mean` must be a one-dimensional array the same length as the"
                    " dimensionality of the vectors `x`."
                )
        if fix_cov is not None:
            fix_cov = real(fix_cov)
            if fix_cov.shape != (size, size):
                raise ValueError(
                    "`fix_cov` must be a two-dimensional square array of same side length as the"
                    " dimensionality of the vectors `x`."
                )
            Semidefinite(fix_cov, True)
        center = mean(x, axis=0) if fix_mean is None else fix_mean
        moved = x - center
        return center, moved.T @ moved / x.shape[0] if fix_cov is None else fix_cov


class _MultivariateT(Multivariate):
    """Multivariate t distribution.

    Parameters
    ----------
    loc : array_like, optional
        Location of the distribution, by default 0.
    shape : array_like, optional
        Matrix of the shape, its diagonal, or one number for all coordinates.
    df : float, optional
        Degrees of freedom; infinity gives the normal distribution.
    allow_singular : bool, optional
        If True, the matrix may be singular.
    """

    def __call__(self, loc=None, shape=1, df=1, allow_singular=False, seed=None) -> Any:
        center, matrix = _place(loc, shape, ("loc", "shape"))
        Semidefinite(matrix, allow_singular)
        return Frozen(
            self, seed, loc=center, shape=matrix, df=_degrees(df), allow_singular=allow_singular,
            dim=center.size,
        )  # fmt: skip

    def logpdf(self, x, loc=None, shape=1, df=1) -> ndarray:
        """Evaluate the logarithm of the density; the rank of the matrix is read.

        Parameters
        ----------
        x : array_like
            Points, whose coordinates are along the last axis.
        loc, shape : array_like, optional
            Location and matrix of the distribution.
        df : float, optional
            Degrees of freedom of the distribution.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        center, matrix = _place(loc, shape, ("loc", "shape"))
        return _log_density(x, center, Semidefinite(matrix, False), _degrees(df))

    @documented_as(logpdf)
    def pdf(self, x, loc=None, shape=1, df=1, allow_singular=False) -> ndarray:
        """Evaluate the density; the rank of the matrix is read.

        Parameters
        ----------
        allow_singular : bool, optional
            If True, the matrix may be singular.
        """
        center, matrix = _place(loc, shape, ("loc", "shape"))
        return exp(_log_density(x, center, Semidefinite(matrix, allow_singular), _degrees(df)))

    @documented_as(logpdf)
    def cdf(
        self, x, loc=None, shape=1, df=1, allow_singular=False, *, maxpts=None, lower_limit=None,
        random_state=None,
    ) -> ndarray:  # fmt: skip
        """Evaluate the distribution function, by an integral over fixed points.

        Parameters
        ----------
        allow_singular : bool, optional
            Accepted for compatibility; the matrix must not be singular.
        maxpts : int, optional
            Number of points of the integral: 16384 by default, 2**20 at most.
        lower_limit : array_like, optional
            Lower ends of the box, by default minus infinity.
        random_state : object, optional
            Accepted for compatibility; the points are fixed.

        Returns
        -------
        ndarray
            Probabilities of type float64.
        """
        center, matrix = _place(loc, shape, ("loc", "shape"))
        return _box(x, center, matrix, lower_limit, _degrees(df), _points(maxpts))

    @documented_as(logpdf)
    @documented_as(Multivariate.rvs)
    def rvs(self, loc=None, shape=1, df=1, size=1, random_state=None) -> ndarray:
        """Draw samples; the eigenvalues of the matrix are read.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the coordinates.

        Returns
        -------
        ndarray
            Samples; axes of one element are left out.
        """
        center, matrix = _place(loc, shape, ("loc", "shape"))
        root, df = Semidefinite(matrix, True).root, _degrees(df)
        source, dims = self._source(random_state), shape_tuple(size)
        normal = source.standard_normal(size=(*dims, center.size)) @ root.T
        if df != math.inf:
            normal = normal / sqrt(source.chisquare(df, size=dims) / df)[..., None]
        return squeezed(center + normal)

    @documented_as(logpdf)
    def entropy(self, loc=None, shape=1, df=1) -> ndarray:
        """Return the differential entropy; the eigenvalues of the matrix are read.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        center, matrix = _place(loc, shape, ("loc", "shape"))
        known, df, size = Semidefinite(matrix, True), _degrees(df), center.size
        if df == math.inf:
            return multivariate_normal.entropy(center, matrix)
        # Entropies of gamma distributions do not cancel where their terms are large.
        half, whole = asarray(0.5 * df), asarray(0.5 * (df + size))
        rest = gamma.entropy(half) - gamma.entropy(whole) + psi(whole) - psi(half)
        constant = 0.5 * (size * (math.log(2 * math.pi) + 1) + known.log_pdet)
        return rest + 0.5 * size * (log(half) - psi(half)) + constant

    @documented_as(pdf)
    def marginal(self, dimensions, loc=None, shape=1, df=1, allow_singular=False) -> Any:
        """Return the distribution of some of the coordinates.

        Parameters
        ----------
        dimensions : int or array_like of int
            Indices of the coordinates that are kept.

        Returns
        -------
        frozen distribution
            Multivariate t distribution of these coordinates.

        Raises
        ------
        ValueError
            If an index is out of range, or twice in `dimensions`, or if there is none.
        """
        center, matrix = _place(loc, shape, ("loc", "shape"))
        kept = _kept(dimensions, center.size)
        return self(center[kept], matrix[kept[:, None], kept], df, allow_singular)


def _degrees(df: Any) -> float:
    df = 1.0 if df is None else float(df)
    if df <= 0:
        raise ValueError("'df' must be greater than zero.")
    if math.isnan(df):
        raise ValueError("'df' is 'nan' but must be greater than zero or 'np.inf'.")
    return df


# ---- multinomial and Dirichlet -------------------------------------------------------------------


class _Multinomial(Multivariate):
    """Multinomial distribution.

    Parameters
    ----------
    n : int or array_like of int
        Number of trials of the distribution.
    p : array_like
        Probabilities of the outcomes, along the last axis; the last one is what the others leave.
    """

    def __call__(self, n, p, seed=None) -> Any:
        return Frozen(self, seed, n=n, p=p)

    def _parameters(self, n: Any, p: Any) -> tuple[ndarray, ndarray, ndarray]:
        """The parameters, a last probability that is not the rest adjusted, and their validity."""
        p = as_array(p)
        kind = np.promote_types(p.dtype, np.float32)
        n, p = real(n), p.astype(np.float64)  # a copy
        rest = 1.0 - sum(p[..., :-1], axis=-1)
        is_rest = absolute(1.0 - sum(p, axis=-1)) <= 10 * float(np.finfo(kind).eps)
        p[..., -1] = where(is_rest, p[..., -1], rest)
        valid = (amin(p, axis=-1) >= 0) & (p.max(axis=-1) <= 1) & (n >= 0)
        return n, p, valid

    def logpmf(self, x, n, p) -> ndarray:
        """Evaluate the logarithm of the probabilities of counts.

        Parameters
        ----------
        x : array_like
            Counts of the outcomes, along the last axis.
        n, p : array_like
            Number of trials and probabilities of the outcomes.

        Returns
        -------
        ndarray
            Values of type float64, NaN where a parameter is out of its domain.
        """
        n, p, valid = self._parameters(n, p)
        x = real(x)
        if x.ndim == 0 or x.shape[-1] != p.shape[-1]:
            raise ValueError(
                f"Size of each quantile should be size of p: received {x.shape[-1:]},"
                f" but expected {p.shape[-1]}."
            )
        possible = (amin(x, axis=-1) >= 0) & (sum(x, axis=-1) == n) & (x == floor(x)).all(axis=-1)
        terms = gammaln(n + 1) + sum(xlogy(x, p) - gammaln(x + 1), axis=-1)
        return where(valid, where(possible, terms, -math.inf), math.nan)

    @documented_as(logpmf)
    def pmf(self, x, n, p) -> ndarray:
        """Evaluate the probabilities of counts.

        Returns
        -------
        ndarray
            Probabilities of type float64, NaN where a parameter is out of its domain.
        """
        return exp(self.logpmf(x, n, p))

    @documented_as(logpmf)
    def mean(self, n, p) -> ndarray:
        """Return the expected counts.

        Returns
        -------
        ndarray
            Expected count of each outcome.
        """
        n, p, valid = self._parameters(n, p)
        return where(valid[..., None], n[..., None] * p, math.nan)

    @documented_as(logpmf)
    def cov(self, n, p) -> ndarray:
        """Return the covariance of the counts.

        Returns
        -------
        ndarray
            Matrix along the last two axes.
        """
        n, p, valid = self._parameters(n, p)
        matrix = p[..., None] * (eye(p.shape[-1]) - p[..., None, :])
        return where(valid[..., None, None], n[..., None, None] * matrix, math.nan)

    @documented_as(logpmf)
    def entropy(self, n, p) -> ndarray:
        """Return the entropy; the largest number of trials is read.

        Returns
        -------
        ndarray
            Entropy in nats.
        """
        n, p, valid = self._parameters(n, p)
        most = max(float(n.max()), 0)
        check_device_memory(int(min(most, 2.0**62)))
        k = asarray(np.arange(1.0, most + 1)).reshape((-1,) + (1,) * max(p.ndim, n.ndim + 1))
        counted = binom.pmf(k, n[..., None], p) * gammaln(k + 1)
        terms = n * -sum(xlogy(p, p), axis=-1) - gammaln(n + 1) + sum(sum(counted, axis=-1), axis=0)
        return where(valid, terms, math.nan)

    @documented_as(Multivariate.rvs)
    def rvs(self, n, p, size=None, random_state=None) -> ndarray:
        """Draw samples.

        Parameters
        ----------
        n, p : array_like
            Number of trials and probabilities of the outcomes.
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the outcomes.

        Returns
        -------
        ndarray
            Counts of type int64.
        """
        return self._source(random_state).multinomial(n, p, size=size)


class _Dirichlet(Multivariate):
    """Dirichlet distribution.

    Parameters
    ----------
    alpha : array_like
        Positive concentration parameters, one for each component.
    """

    def __call__(self, alpha, seed=None) -> Any:
        return Frozen(self, seed, alpha=self._concentrations(alpha))

    def _concentrations(self, alpha: Any) -> ndarray:
        if not isinstance(alpha, ndarray) and as_host(alpha, np.float64).min(initial=1) <= 0:
            raise ValueError("All parameters must be greater than 0")
        alpha = real(alpha)
        if alpha.ndim != 1:
            raise ValueError(
                "Parameter vector 'a' must be one dimensional, but a.shape = " + str(alpha.shape)
            )
        return alpha

    def _points(self, x: Any, alpha: ndarray) -> ndarray:
        """Points with components along the first axis; the last may be left out."""
        if not isinstance(x, ndarray):
            host = as_host(x, np.float64)
            whole = host.shape[:1] == alpha.shape
            if host.size and (host.min() < 0 or host.max() > 1):
                raise ValueError("Each entry in 'x' must be from zero to one, got " + shown(x))
            if whole and (abs(host.sum(0) - 1) > 1e-9).any():
                raise ValueError(
                    "The input vector 'x' must lie within the normal simplex."
                    f" but np.sum(x, 0) = {host.sum(0)}."
                )
        x = real(x)
        if x.ndim == 0 or x.shape[0] not in (alpha.size, alpha.size - 1):
            raise ValueError(
                "Vector 'x' must have either the same number of entries as, or one entry fewer"
                f" than, parameter vector 'a', but alpha.shape = {alpha.shape} and x.shape ="
                f" {x.shape}."
            )
        if x.shape[0] == alpha.size:
            return x
        return concatenate([x, 1.0 - sum(x, axis=0, keepdims=True)])

    def logpdf(self, x, alpha) -> ndarray:
        """Evaluate the logarithm of the density.

        Parameters
        ----------
        x : array_like
            Points, whose components are along the first axis and sum to 1; the last may be left
            out. Points on the device are not checked.
        alpha : array_like
            Concentration parameters of the distribution.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        alpha = self._concentrations(alpha)
        x = self._points(x, alpha)
        constant = gammaln(sum(alpha)) - sum(gammaln(alpha))
        return constant + sum(xlogy((alpha - 1).reshape((-1,) + (1,) * (x.ndim - 1)), x), axis=0)

    @documented_as(logpdf)
    def pdf(self, x, alpha) -> ndarray:
        """Evaluate the density.

        Parameters
        ----------
        x : array_like
            Points, whose components are along the first axis, as for `logpdf`.
        """
        return exp(self.logpdf(x, alpha))

    @documented_as(logpdf)
    def mean(self, alpha) -> ndarray:
        """Return the expected components.

        Returns
        -------
        ndarray
            Expected value of each component.
        """
        alpha = self._concentrations(alpha)
        return squeezed(alpha / sum(alpha))

    @documented_as(logpdf)
    def var(self, alpha) -> ndarray:
        """Return the variances of the components.

        Returns
        -------
        ndarray
            Variance of each component.
        """
        alpha = self._concentrations(alpha)
        total = sum(alpha)
        return squeezed(alpha * (total - alpha) / (total * total * (total + 1)))

    @documented_as(logpdf)
    def cov(self, alpha) -> ndarray:
        """Return the covariance of the components.

        Returns
        -------
        ndarray
            Matrix of covariances.
        """
        alpha = self._concentrations(alpha)
        total = sum(alpha)
        share = alpha / total
        return squeezed((diag(share) - share[:, None] * share) / (total + 1))

    @documented_as(logpdf)
    def entropy(self, alpha) -> ndarray:
        """Return the differential entropy.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        alpha = self._concentrations(alpha)
        total, size = sum(alpha), alpha.size
        constant = sum(gammaln(alpha)) - gammaln(total)
        return constant + (total - size) * psi(total) - sum((alpha - 1) * psi(alpha))

    @documented_as(Multivariate.rvs)
    def rvs(self, alpha, size=1, random_state=None) -> ndarray:
        """Draw samples.

        Parameters
        ----------
        alpha : array_like
            Concentration parameters of the distribution.
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the components.

        Returns
        -------
        ndarray
            Samples, whose components are along the last axis.
        """
        return self._source(random_state).dirichlet(self._concentrations(alpha), size=size)


multivariate_normal = _MultivariateNormal()
multivariate_t = _MultivariateT()
multinomial = _Multinomial()
dirichlet = _Dirichlet()
