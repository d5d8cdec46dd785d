"""More multivariate distributions: directions, counts of tables and urns, a conjugate prior."""

import math
from typing import Any, cast

import numpy as np

from ..._core._convert import as_array, as_host, host_ndim, host_shape, shape_tuple, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import nonzero
from ..._core.multiarray import asarray, empty, ndarray, where, zeros
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ..._core.shape_base import stack
from ..._core.umath import arctan2, cos, exp, floor, log, log1p, maximum, sin, sqrt
from ...lib._stride_tricks_impl import broadcast_arrays, broadcast_to
from ...lib._twodim_base_impl import eye
from ..special import betaln, gammaln
from ._multivariate_base import Frozen, Multivariate, real

__all__ = [
    "dirichlet_multinomial",
    "multivariate_hypergeom",
    "normal_inverse_gamma",
    "random_table",
    "uniform_direction",
    "vonmises_fisher",
]


def _unit(x: ndarray) -> ndarray:
    """Vectors along the last axis, divided by their lengths."""
    return x / sqrt(sum(x * x, axis=-1, keepdims=True))


# ---- directions ----------------------------------------------------------------------------------


class _UniformDirection(Multivariate):
    """Uniform distribution of unit vectors.

    Parameters
    ----------
    dim : int, optional
        Number of coordinates of the vectors.
    """

    def __call__(self, dim=None, seed=None) -> Any:
        return Frozen(self, seed, dim=self._dimension(dim))

    def _dimension(self, dim: Any) -> int:
        if dim is None or not cast(bool, np.isscalar(dim)) or dim < 1 or int(dim) != dim:
            raise ValueError(
                "Dimension of vector must be specified, and must be an integer greater than 0,"
                f" got {dim!r}"
            )
        return int(dim)

    @documented_as(Multivariate.rvs)
    def rvs(self, dim, size=None, random_state=None) -> ndarray:
        """Draw unit vectors.

        Parameters
        ----------
        dim : int
            Number of coordinates of the vectors.
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the coordinates.

        Returns
        -------
        ndarray
            Samples of type float64.
        """
        shape = (*(() if size is None else shape_tuple(size)), self._dimension(dim))
        return _unit(self._source(random_state).standard_normal(size=shape))


class _VonMisesFisher(Multivariate):
    """Von Mises-Fisher distribution of unit vectors.

    Parameters
    ----------
    mu : array_like
        Mean direction of the distribution, a unit vector.
    kappa : float, optional
        Positive concentration about the mean direction.
    """

    def __call__(self, mu=None, kappa=1, seed=None) -> Any:
        mu, kappa = self._parameters(mu, kappa)
        return Frozen(self, seed, mu=mu, kappa=kappa, dim=mu.size)

    def _parameters(self, mu: Any, kappa: Any) -> tuple[ndarray, float]:
        """The mean direction, which is read, and the concentration."""
        if mu is None:
            raise TypeError("the mean direction 'mu' must be given")
        mu = real(mu)
        if mu.ndim != 1:
            raise ValueError("'mu' must have one-dimensional shape.")
        if mu.size < 2:
            raise ValueError("'mu' must have at least two entries.")
        if not np.allclose(np.linalg.norm(mu.get()), 1.0):
            raise ValueError("'mu' must be a unit vector of norm 1.")
        kappa = kappa.item() if isinstance(kappa, ndarray) and kappa.ndim == 0 else kappa
        if not cast(bool, np.isscalar(kappa)) or kappa < 0:
            raise ValueError("'kappa' must be a positive scalar.")
        if kappa == 0:
            raise ValueError(
                "For 'kappa=0' the von Mises-Fisher distribution becomes the uniform distribution"
                " on the sphere surface. Consider using 'uniform_direction' instead."
            )
        return mu, float(kappa)

    def _constant(self, size: int, kappa: float) -> float:
        """The logarithm of the largest density."""
        from scipy.special import ive

        half = 0.5 * size
        powers = (half - 1) * math.log(kappa) - half * math.log(2 * math.pi)
        return powers - float(np.log(ive(half - 1, kappa)))

    def logpdf(self, x, mu=None, kappa=1) -> ndarray:
        """Evaluate the logarithm of the density; the mean direction is read.

        Parameters
        ----------
        x : array_like
            Unit vectors along the last axis. Those on the device are not checked.
        mu : array_like
            Mean direction of the distribution.
        kappa : float, optional
            Positive concentration about the mean direction.

        Returns
        -------
        ndarray
            Values of type float64.
        """
        mu, kappa = self._parameters(mu, kappa)
        points = _vectors(x, mu.size)
        return kappa * (points @ mu - 1.0) + self._constant(mu.size, kappa)

    @documented_as(logpdf)
    def pdf(self, x, mu=None, kappa=1) -> ndarray:
        """Evaluate the density; the mean direction is read."""
        return exp(self.logpdf(x, mu, kappa))

    @documented_as(logpdf)
    def entropy(self, mu=None, kappa=1) -> ndarray:
        """Return the differential entropy; the mean direction is read.

        Returns
        -------
        ndarray
            Entropy in nats, without axes.
        """
        mu, kappa = self._parameters(mu, kappa)
        rest = 1.0 - _resultant(mu.size, kappa)
        return asarray(kappa * rest - self._constant(mu.size, kappa))

    @documented_as(logpdf)
    @documented_as(Multivariate.rvs)
    def rvs(self, mu=None, kappa=1, size=1, random_state=None) -> ndarray:
        """Draw samples; the mean direction is read.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the coordinates.

        Returns
        -------
        ndarray
            Unit vectors of type float64.

        Notes
        -----
        The component along the mean direction has a closed form for three coordinates. For more of
        them it is drawn by rejection (A. T. A. Wood, Comm. Statist. Simulation Comput. 23, 1994),
        and **each round reads how many are left**.
        """
        mu, kappa = self._parameters(mu, kappa)
        shape = () if size is None else shape_tuple(size)
        source = self._source(random_state)
        if mu.size == 2:
            angles = source.vonmises(0.0, kappa, size=shape) + arctan2(mu[1], mu[0])
            samples = empty((*shape, 2), np.float64)
            samples[..., 0], samples[..., 1] = cos(angles), sin(angles)
            return samples
        count = math.prod(shape)
        if mu.size == 3:
            uniform = source.uniform(size=count)
            rest = -log1p(uniform * math.expm1(-2 * kappa)) / kappa
        else:
            rest = _rests(source, count, mu.size, kappa)
        normal = source.standard_normal(size=(count, mu.size))
        across = _unit(normal - (normal @ mu)[:, None] * mu)
        length = sqrt(rest * (2.0 - rest))
        samples = (1.0 - rest)[:, None] * mu + length[:, None] * across
        return samples.reshape(*shape, mu.size)

    def fit(self, x) -> tuple[ndarray, float]:
        """Estimate the parameters with the largest likelihood; reads the length of the mean.

        Parameters
        ----------
        x : array_like
            Unit vectors, one in each row. Those on the device are not checked.

        Returns
        -------
        mu : ndarray
            Estimated mean direction.
        kappa : float
            Estimated concentration, the root of the equation for the mean's length.
        """
        from scipy.optimize import brentq

        if host_ndim(x) != 2:
            raise ValueError("'x' must be two dimensional.")
        points = _vectors(x, host_shape(x)[-1])
        mean = points.mean(axis=0)
        length = float(sqrt(sum(mean * mean)))
        size = mean.size
        if length > 1 - 1e-15:
            raise ValueError("vectors of one direction have no largest likelihood")
        guess = length * (size - length**2) / (1 - length**2)
        kappa = brentq(
            lambda k: _resultant(size, k) - length, 1e-8 * guess, 4 * guess + 1, xtol=1e-14 * guess
        )
        return mean / length, float(kappa)


def _resultant(size: int, kappa: float) -> float:
    """The length of the mean, a ratio of modified Bessel functions."""
    from scipy.special import ive

    return float(ive(0.5 * size, kappa) / ive(0.5 * size - 1, kappa))


def _vectors(x: Any, size: int) -> ndarray:
    """Unit vectors along the last axis; those of the host are checked."""
    if not isinstance(x, ndarray):
        x = as_host(x, np.float64)
    if x.ndim == 0 or x.shape[-1] != size:
        raise ValueError(
            "The dimensionality of the last axis of 'x' must match the dimensionality of the"
            " von Mises Fisher distribution."
        )
    if not isinstance(x, ndarray) and not np.allclose(np.linalg.norm(x, axis=-1), 1.0):
        raise ValueError("'x' must be unit vectors of norm 1 along last dimension.")
    return real(asarray(x))


def _rests(source: Any, count: int, size: int, kappa: float) -> ndarray:
    """One minus the component along the mean direction, by Wood's rejection."""
    rest = size - 1
    b = rest / (2 * kappa + math.hypot(2 * kappa, rest))
    x, gap = (1 - b) / (1 + b), 2 * b / (1 + b)  # 1 - x
    top = math.log(gap * (1 + x))
    found, places = empty(count, np.float64), None
    while count:
        z = source.beta(0.5 * rest, 0.5 * rest, size=count)
        less = 2 * b * z / (1 - (1 - b) * z)  # 1 - w
        gain = kappa * (gap - less) + rest * (log(gap + x * less) - top)
        taken = gain >= log(1 - source.uniform(size=count))
        at = nonzero(taken)[0]
        if places is None:
            found[at], places = less[at], nonzero(~taken)[0]
        else:
            found[places[at]], places = less[at], places[nonzero(~taken)[0]]
        count = places.size
    return found


# ---- counts --------------------------------------------------------------------------------------


class _MultivariateHypergeometric(Multivariate):
    """Multivariate hypergeometric distribution.

    Parameters
    ----------
    m : array_like of int
        Number of items of each kind, along the last axis.
    n : array_like of int
        Number of items that are drawn.
    """

    def __call__(self, m, n, seed=None) -> Any:
        self._parameters(m, n)
        return Frozen(self, seed, m=m, n=n)

    def _parameters(self, m: Any, n: Any) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        """The numbers of items, of those drawn and of all, and whether they are valid."""
        m, n = _whole(m, "m"), _whole(n, "n")
        if m.ndim == 0:
            raise ValueError("'m' must be an array with at least one dimension.")
        total = sum(m, axis=-1)
        valid = (m >= 0).all(axis=-1) & (n >= 0) & (n <= total)
        return m, n, total, valid

    def logpmf(self, x, m, n) -> ndarray:
        """Evaluate the logarithm of the probabilities of counts.

        Parameters
        ----------
        x : array_like of int
            Counts of the kinds, along the last axis.
        m, n : array_like of int
            Number of items of each kind, and of items that are drawn.

        Returns
        -------
        ndarray
            Values of type float64, NaN where a parameter is out of its domain.
        """
        m, n, total, valid = self._parameters(m, n)
        x = _whole(x, "x")
        if x.ndim == 0:
            raise ValueError("'x' must be an array with at least one dimension.")
        if x.shape[-1] != m.shape[-1]:
            raise ValueError(
                f"Size of each quantile must be size of 'm': received {x.shape[-1]}, but expected"
                f" {m.shape[-1]}."
            )
        possible = ((x >= 0) & (x <= m)).all(axis=-1) & (sum(x, axis=-1) == n)
        terms = sum(_log_binomial(m, x), axis=-1) - _log_binomial(total, n)
        return where(valid, where(possible, terms, -math.inf), math.nan)

    @documented_as(logpmf)
    def pmf(self, x, m, n) -> ndarray:
        """Evaluate the probabilities of counts.

        Returns
        -------
        ndarray
            Probabilities of type float64, NaN where a parameter is out of its domain.
        """
        return exp(self.logpmf(x, m, n))

    @documented_as(logpmf)
    def mean(self, m, n) -> ndarray:
        """Return the expected counts.

        Returns
        -------
        ndarray
            Expected count of each kind.
        """
        m, n, total, valid = self._parameters(m, n)
        counts = n[..., None] * (m / maximum(total, 1.0)[..., None])
        return where(valid[..., None], counts, math.nan)

    def _factor(self, n: ndarray, total: ndarray) -> ndarray:
        """What products of shares have in the covariances."""
        return n * (total - n) / maximum(total - 1, 1.0)

    @documented_as(logpmf)
    def var(self, m, n) -> ndarray:
        """Return the variances of the counts.

        Returns
        -------
        ndarray
            Variance of each count.
        """
        m, n, total, valid = self._parameters(m, n)
        share = m / maximum(total, 1.0)[..., None]
        squares = self._factor(n, total)[..., None] * share * (1 - share)
        return where(valid[..., None], squares, math.nan)

    @documented_as(logpmf)
    def cov(self, m, n) -> ndarray:
        """Return the covariance of the counts.

        Returns
        -------
        ndarray
            Matrix along the last two axes.
        """
        m, n, total, valid = self._parameters(m, n)
        share = m / maximum(total, 1.0)[..., None]
        matrix = share[..., None] * (eye(m.shape[-1]) - share[..., None, :])
        matrix = self._factor(n, total)[..., None, None] * matrix
        return where(valid[..., None, None], matrix, math.nan)

    @documented_as(logpmf)
    @documented_as(Multivariate.rvs)
    def rvs(self, m, n, size=None, random_state=None) -> ndarray:
        """Draw samples, one kind after the other.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples, before the axis of the kinds; by default that of the parameters.

        Returns
        -------
        ndarray
            Counts of type int64.
        """
        if not isinstance(m, ndarray) and not isinstance(n, ndarray):
            items, taken = as_host(m), as_host(n)  # type: Any, Any
            if not set(items.dtype.kind + taken.dtype.kind) <= set("biu"):
                raise TypeError(f"m and n must be integers, not {items.dtype} and {taken.dtype}")
            if (items < 0).any() or (taken < 0).any() or (items.sum(-1) < taken).any():
                raise ValueError(
                    f"n must be from 0 to the number of all items, got {shown(n)} of {shown(m)}"
                )
        m, n, _, _ = self._parameters(m, n)
        shape = np.broadcast_shapes(m.shape[:-1], n.shape)
        shape = shape if size is None else shape_tuple(size)
        kinds = m.shape[-1]
        items = broadcast_to(m, (*shape, kinds)).astype(np.int64)
        return _drawn_counts(self._source(random_state), items, broadcast_to(n, shape))


def _sums_of_halves(numbers: ndarray) -> list[ndarray]:
    """The numbers, zeros up to a power of two, then sums of two neighbours until one is left."""
    count = numbers.shape[-1]
    levels = [zeros((*numbers.shape[:-1], 1 << max(count - 1, 0).bit_length()), np.int64)]
    levels[0][..., :count] = numbers
    while levels[-1].shape[-1] > 1:
        levels.append(levels[-1][..., ::2] + levels[-1][..., 1::2])
    return levels


def _drawn_counts(source: Any, items: ndarray, drawn: ndarray) -> ndarray:
    """How many of `drawn` items are of each kind: of the first half of the kinds, then of halves of
    both, each a hypergeometric number."""
    counts = drawn.astype(np.int64)[..., None]
    for level in reversed(_sums_of_halves(items)[:-1]):
        first = source.hypergeometric(level[..., ::2], level[..., 1::2], counts, size=counts.shape)
        counts = stack((first, counts - first), axis=-1).reshape(level.shape)
    return counts[..., : items.shape[-1]]


def _whole(value: Any, name: str) -> ndarray:
    """An array of whole numbers, in float64."""
    value = as_array(value)
    if value.dtype.kind not in "iu":
        raise TypeError(f"'{name}' must be an array of integers, got {value.dtype}")
    return value.astype(np.float64)


def _log_binomial(n: ndarray, k: ndarray) -> ndarray:
    """The logarithm of a binomial coefficient."""
    return -log1p(n) - betaln(n - k + 1, k + 1)


class _RandomTable(Multivariate):
    """Distribution of tables with fixed sums of their rows and columns.

    Parameters
    ----------
    row, col : array_like of int
        Sums of the rows and of the columns, which have one total.
    """

    def __call__(self, row, col, *, seed=None) -> Any:
        row, col = self._margins(row, col)
        return Frozen(self, seed, row=row, col=col)

    def _margins(self, row: Any, col: Any) -> tuple[ndarray, ndarray]:
        """The sums as int64; those of the host are checked."""
        sums = []
        for name, value in (("row", row), ("col", col)):
            if not isinstance(value, ndarray):
                value = as_host(value)
                if value.ndim != 1:
                    raise ValueError(f"`{name}` must be one-dimensional")
                if value.dtype.kind in "mM":
                    raise ValueError(f"each element of `{name}` must be an integer")
                sums.append(int(value.sum()))
                if value.size and value.min() < 0:
                    raise ValueError(f"each element of `{name}` must be non-negative")
                if (value.astype(np.int64) != value).any():
                    raise ValueError(f"each element of `{name}` must be an integer")
            if value.ndim != 1:
                raise ValueError(f"`{name}` must be one-dimensional")
        if len(sums) == 2 and sums[0] != sums[1]:
            raise ValueError("sums over `row` and `col` must be equal")
        row, col = as_array(row).astype(np.int64), as_array(col).astype(np.int64)
        return row, col

    def logpmf(self, x, row, col) -> ndarray:
        """Evaluate the logarithm of the probabilities of tables.

        Parameters
        ----------
        x : array_like of int
            Tables along the last two axes. Numbers on the device are not checked.
        row, col : array_like of int
            Sums of the rows and of the columns, which have one total.

        Returns
        -------
        ndarray
            Values of type float64, minus infinity for tables with other sums.
        """
        row, col = self._margins(row, col)
        if isinstance(x, (list, tuple)) and any(isinstance(row, ndarray) for row in x):
            x = as_array(x)
        if not isinstance(x, ndarray):
            host = as_host(x)
            if host.ndim >= 2 and (host.astype(np.int64) != host).any():
                raise ValueError("`x` must contain only integral values")
            if host.ndim >= 2 and host.size and host.min() < 0:
                raise ValueError("`x` must contain only non-negative values")
        x = as_array(x)
        if x.ndim < 2:
            raise ValueError("`x` must be at least two-dimensional")
        if x.shape[-2] != row.size:
            raise ValueError("shape of `x` must agree with `row`")
        if x.shape[-1] != col.size:
            raise ValueError("shape of `x` must agree with `col`")
        x = real(x)
        possible = (sum(x, axis=-1) == row).all(axis=-1) & (sum(x, axis=-2) == col).all(axis=-1)
        possible &= ((x >= 0) & (floor(x) == x)).all(axis=(-2, -1))
        total = sum(gammaln(row + 1.0)) + sum(gammaln(col + 1.0)) - gammaln(sum(row) + 1.0)
        return where(possible, total - sum(gammaln(x + 1), axis=(-2, -1)), -math.inf)

    @documented_as(logpmf)
    def pmf(self, x, row, col) -> ndarray:
        """Evaluate the probabilities of tables.

        Returns
        -------
        ndarray
            Probabilities of type float64, zero for tables with other sums.
        """
        return exp(self.logpmf(x, row, col))

    @documented_as(logpmf)
    def mean(self, row, col) -> ndarray:
        """Return the expected table.

        Returns
        -------
        ndarray
            Table of type float64.
        """
        row, col = self._margins(row, col)
        return row[:, None] * (col / sum(row))

    @documented_as(Multivariate.rvs)
    def rvs(self, row, col, *, size=None, method=None, random_state=None) -> ndarray:
        """Draw tables: sums of the first half of the rows, then of halves of both.

        Parameters
        ----------
        row, col : array_like of int
            Sums of the rows and of the columns, which have one total.
        size : int or tuple of int, optional
            Shape of the samples, before the axes of the tables.
        method : {None, 'boyett', 'patefield'}, optional
            Method that SciPy would use; here all mean one hypergeometric number for each element.

        Returns
        -------
        ndarray
            Counts of type int64.
        """
        if method not in (None, "boyett", "patefield"):
            raise ValueError(
                f"{method!r} not recognized, must be one of {{'patefield', 'boyett', None}}"
            )
        row, col = self._margins(row, col)
        try:
            shape = () if size is None else shape_tuple(size)
        except TypeError as error:
            raise ValueError("`size` must be a non-negative integer or `None`") from error
        if min(shape, default=0) < 0:
            raise ValueError("`size` must be a non-negative integer or `None`")
        source = self._source(random_state)
        tables = broadcast_to(col.astype(np.int64), (*shape, 1, col.size))
        for level in reversed(_sums_of_halves(row)[:-1]):
            first = _drawn_counts(source, tables, broadcast_to(level[::2], tables.shape[:-1]))
            halves = stack((first, tables - first), axis=-2)
            tables = halves.reshape((*shape, level.size, col.size))
        return tables[..., : row.size, :]


def _refuse_fractions(value: Any, words: str) -> None:
    """Raise ValueError for numbers of the host that are no counts."""
    if not isinstance(value, ndarray):
        host = as_host(value, np.float64)
        if (host < 0).any() or (np.floor(host) != host).any():
            raise ValueError(words)


class _DirichletMultinomial(Multivariate):
    """Dirichlet multinomial distribution.

    Parameters
    ----------
    alpha : array_like
        Positive concentration parameters, along the last axis.
    n : array_like of int
        Number of trials of the distribution.
    """

    def __call__(self, alpha, n, seed=None) -> Any:
        self._parameters(alpha, n)
        return Frozen(self, seed, alpha=alpha, n=n)

    def _parameters(self, alpha: Any, n: Any) -> tuple[ndarray, ndarray, ndarray]:
        """The parameters, and the sum of the first; those of the host are checked."""
        if not isinstance(alpha, ndarray) and not as_host(alpha, np.float64).min(initial=1) > 0:
            raise ValueError("`alpha` must contain only positive values.")
        _refuse_fractions(n, "`n` must be a non-negative integer.")
        alpha, n = real(alpha), real(n)
        alpha = alpha.reshape(1) if alpha.ndim == 0 else alpha
        return alpha, n, sum(alpha, axis=-1)

    def logpmf(self, x, alpha, n) -> ndarray:
        """Evaluate the logarithm of the probabilities of counts.

        Parameters
        ----------
        x : array_like of int
            Counts along the last axis. Those on the device are not checked.
        alpha : array_like
            Positive concentration parameters, along the last axis.
        n : array_like of int
            Number of trials of the distribution.

        Returns
        -------
        ndarray
            Values of type float64, minus infinity where counts do not add up to the number.
        """
        alpha, n, total = self._parameters(alpha, n)
        _refuse_fractions(x, "`x` must contain only non-negative integers.")
        x = real(x)
        try:
            x, alpha = broadcast_arrays(x, alpha)
        except ValueError as error:
            raise ValueError("`x` and `alpha` must be broadcastable.") from error
        possible = (sum(x, axis=-1) == n) & ((x >= 0) & (floor(x) == x)).all(axis=-1)
        terms = _log_ways(total, n) - sum(_log_ways(alpha, x), axis=-1)
        return where(possible, terms, -math.inf)

    @documented_as(logpmf)
    def pmf(self, x, alpha, n) -> ndarray:
        """Evaluate the probabilities of counts.

        Returns
        -------
        ndarray
            Probabilities of type float64, zero where counts do not add up to the number.
        """
        return exp(self.logpmf(x, alpha, n))

    @documented_as(logpmf)
    def mean(self, alpha, n) -> ndarray:
        """Return the expected counts.

        Returns
        -------
        ndarray
            Expected count of each outcome.
        """
        alpha, n, total = self._parameters(alpha, n)
        return n[..., None] * (alpha / total[..., None])

    @documented_as(logpmf)
    def var(self, alpha, n) -> ndarray:
        """Return the variances of the counts.

        Returns
        -------
        ndarray
            Variance of each count.
        """
        alpha, n, total = self._parameters(alpha, n)
        share = alpha / total[..., None]
        return (n * (n + total) / (1 + total))[..., None] * share * (1 - share)

    @documented_as(logpmf)
    def cov(self, alpha, n) -> ndarray:
        """Return the covariance of the counts.

        Returns
        -------
        ndarray
            Matrix along the last two axes.
        """
        alpha, n, total = self._parameters(alpha, n)
        share = alpha / total[..., None]
        matrix = share[..., None] * (eye(alpha.shape[-1]) - share[..., None, :])
        return (n * (n + total) / (1 + total))[..., None, None] * matrix


def _log_ways(alpha: ndarray, n: ndarray) -> ndarray:
    """The logarithm of n B(alpha, n), or 0 for n = 0."""
    return where(n > 0, log(maximum(n, 1.0)) + betaln(alpha, maximum(n, 1.0)), 0.0)


# ---- mean and variance of a normal distribution --------------------------------------------------

_JOINT = ElementwiseKernel(
    "float64 x, float64 s2, float64 mu, float64 lmbda, float64 a, float64 b",
    "float64 y",
    """
    const bool valid = lmbda > 0 && a > 0 && b > 0 && mu == mu && x == x && s2 == s2;
    const double log_two_pi = 1.8378770664093454836, squares = lmbda * (x - mu) * (x - mu);
    const double constant = 0.5 * (log(lmbda / s2) - log_two_pi) - special::gammaln(a) - log(s2);
    const double rest = a * log(b / s2) - (b + 0.5 * squares) / s2;
    y = !valid ? NAN_F64 : s2 > 0 ? constant + rest : -INFINITY_F64;
    """,
    "normal_inverse_gamma_logpdf",
    preamble="""
using namespace gnp;
#include "special/gamma.cuh"
""",
)


class _NormalInverseGamma(Multivariate):
    """Normal-inverse-gamma distribution, of the mean and the variance of normal numbers.

    Parameters
    ----------
    mu : array_like, optional
        Expected mean of the normal numbers.
    lmbda : array_like, optional
        Positive number of observations that the mean is worth.
    a, b : array_like, optional
        Positive shape and scale of the variance's inverse gamma distribution.
    """

    def __call__(self, mu=0, lmbda=1, a=1, b=1, seed=None) -> Any:
        return Frozen(self, seed, mu=mu, lmbda=lmbda, a=a, b=b)

    def logpdf(self, x, s2, mu=0, lmbda=1, a=1, b=1) -> ndarray:
        """Evaluate the logarithm of the density, in one launch.

        Parameters
        ----------
        x, s2 : array_like
            Mean and variance of normal numbers.
        mu, lmbda, a, b : array_like, optional
            Parameters of the distribution, which broadcast.

        Returns
        -------
        ndarray
            Values of type float64, NaN where a parameter is out of its domain.
        """
        return _JOINT(*map(real, (x, s2, mu, lmbda, a, b)))

    @documented_as(logpdf)
    def pdf(self, x, s2, mu=0, lmbda=1, a=1, b=1) -> ndarray:
        """Evaluate the density.

        Returns
        -------
        ndarray
            Densities of type float64, zero where the variance is not positive.
        """
        return exp(self.logpdf(x, s2, mu, lmbda, a, b))

    @documented_as(logpdf)
    def mean(self, mu=0, lmbda=1, a=1, b=1) -> tuple[ndarray, ndarray]:
        """Return the expected mean and variance.

        Returns
        -------
        x, s2 : ndarray
            Expected values, NaN where they do not exist.
        """
        mu, lmbda, a, b = broadcast_arrays(*map(real, (mu, lmbda, a, b)))
        exists = (lmbda > 0) & (b > 0) & (a > 1)
        return where(exists, mu, math.nan), where(exists, b / (a - 1), math.nan)

    @documented_as(logpdf)
    def var(self, mu=0, lmbda=1, a=1, b=1) -> tuple[ndarray, ndarray]:
        """Return the variances of mean and variance.

        Returns
        -------
        x, s2 : ndarray
            Variances of both, NaN where they do not exist.
        """
        mu, lmbda, a, b = broadcast_arrays(*map(real, (mu, lmbda, a, b)))
        exists, scale = (lmbda > 0) & (b > 0), b / (a - 1)
        return (
            where(exists & (a > 1), scale / lmbda, math.nan),
            where(exists & (a > 2), scale**2 / (a - 2), math.nan),
        )

    @documented_as(logpdf)
    @documented_as(Multivariate.rvs)
    def rvs(self, mu=0, lmbda=1, a=1, b=1, size=None, random_state=None) -> tuple[ndarray, ndarray]:
        """Draw samples.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples; by default that of the parameters.

        Returns
        -------
        x, s2 : ndarray
            Means and variances of type float64; NaN for parameters of the device out of domain.
        """
        for name, value in (("lmbda", lmbda), ("a", a), ("b", b)):
            if not isinstance(value, ndarray) and not (as_host(value, np.float64) > 0).all():
                raise ValueError(
                    f"Domain error in arguments: {name} must be positive, got {shown(value)}"
                )
        mu, lmbda, a, b = map(real, (mu, lmbda, a, b))
        shape = np.broadcast_shapes(mu.shape, lmbda.shape, a.shape, b.shape)
        shape = shape if size is None else shape_tuple(size)
        source = self._source(random_state)
        s2 = b / source.standard_gamma(broadcast_to(a, shape), size=shape)
        return mu + sqrt(s2 / lmbda) * source.standard_normal(size=shape), s2


uniform_direction = _UniformDirection()
vonmises_fisher = _VonMisesFisher()
multivariate_hypergeom = _MultivariateHypergeometric()
random_table = _RandomTable()
dirichlet_multinomial = _DirichletMultinomial()
normal_inverse_gamma = _NormalInverseGamma()
