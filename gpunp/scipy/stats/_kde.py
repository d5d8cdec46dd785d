"""Densities estimated by a Gaussian about each element of a sample."""

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._docstrings import documented_as
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, ascontiguousarray, empty, ndarray
from ..._core.numeric import full
from ..._core.raw import ElementwiseKernel
from ...linalg import cholesky, det, inv
from .._host import to_host
from .._kept import kept
from ..special import logsumexp, ndtr

__all__ = ["gaussian_kde"]

# A thread adds what a part of the data gives at a point. Coordinates are scaled so that a term is
# 2 to the minus squared distance; threads of a warp read the same datum at the same time.
_BODY = """
    const ptrdiff_t point = i %% points, size = count;
    const ptrdiff_t first = i / points * length;
    const ptrdiff_t last = first + length < size ? first + length : size;
    %s
    #pragma unroll %d
    for (ptrdiff_t j = first; j < last; j++) {
        T exponent = 0;
        %s
        const T weight = %s;
        %s
    }
    %s
"""
_SUM = "sum = fma(weight, exp2(-exponent), sum);"
# The largest exponent so far is kept apart, so that nothing underflows.
_LOG_SUM = """
        if (-exponent > largest) {
            sum *= exp2(largest + exponent);
            largest = -exponent;
        }
        sum = fma(weight, exp2(-exponent - largest), sum);
"""
MOST_DIMENSIONS = 8  # in registers
_UNROLLED = 8  # squares of differences in a step of the loop
THREADS = 1 << 17


@functools.cache
def _kernel(dimensions: int, is_log: bool, is_weighted: bool, is_single: bool) -> Any:
    """The kernel for points of so many dimensions; 0 stands for more than fit registers."""
    if dimensions:
        begin = "".join(f"const T x{k} = at[{k} * points + point];" for k in range(dimensions))
        step = "".join(
            f"const T d{k} = x{k} - data[{k} * size + j]; exponent = fma(d{k}, d{k}, exponent);"
            for k in range(dimensions)
        )
    else:
        begin = ""
        step = """
        for (ptrdiff_t k = 0; k < ndim; k++) {
            const T d = at[k * points + point] - data[k * size + j];
            exponent = fma(d, d, exponent);
        }
        """
    begin += "T sum = 0;" + (" T largest = -INFINITY;" if is_log else "")
    end = "total = sum;" + (" most = largest;" if is_log else "")
    # Exponentials in double precision are long: several of them took a third more time than one.
    several = is_single and dimensions and not is_log
    unrolled = max(_UNROLLED // dimensions, 1) if several else 1
    weight = "weights[j]" if is_weighted else "1"
    return ElementwiseKernel(
        "raw T at, raw T data, raw T weights, int64 points, int64 count, int64 length, int64 ndim",
        "float64 total" + (", float64 most" if is_log else ""),
        _BODY % (begin, unrolled, step, weight, _LOG_SUM if is_log else _SUM, end),
        f"gaussians_{dimensions}_{'log' if is_log else 'sum'}",
    )


def gaussian_sums(at: ndarray, data: ndarray, weights: Any, is_log: bool = False) -> ndarray:
    """The weighted sum of 2**-(squared distance) from each datum, at points; or its logarithm.

    Coordinates are rows. The data are cut into parts where there are few points.
    """
    ndim, points = at.shape
    count = data.shape[1]
    if not points:
        return empty((0,))
    parts = max(1, min(-(-THREADS // points), -(-count // 64)))
    length = -(-count // parts)
    parts = -(-count // length)
    is_weighted = weights is not None
    dimensions = ndim if ndim <= MOST_DIMENSIONS else 0
    kernel = _kernel(dimensions, is_log, is_weighted, at.dtype == np.float32)
    given = weights if is_weighted else data[:1]
    options = (points, count, length, ndim)
    result = kernel(
        ascontiguousarray(at), ascontiguousarray(data), given, *options, size=parts * points
    )
    if not is_log:
        return result.reshape(parts, points).sum(axis=0)
    total, most = (r.reshape(parts, points) for r in result)
    return logsumexp(um.log(total) + most * math.log(2), axis=0)


@fuse
def _scaled_distance(x, origin, root, scale):
    return (x - origin) * (scale / root)


@fuse
def _divided(sums, logarithm):
    return sums * um.exp(-logarithm)


class gaussian_kde:
    """Estimate of a density by a Gaussian about each element of a sample.

    Parameters
    ----------
    dataset : array_like
        The sample: one value for each element, or a column of coordinates.
    bw_method : str, float or callable, optional
        Bandwidth in units of the sample's standard deviation: 'scott' (the default), 'silverman',
        a number, or a function of this object.
    weights : array_like, optional
        Weights of the elements. By default all are equal.

    Attributes
    ----------
    dataset : ndarray
        The sample, of shape (d, n).
    d, n : int
        Numbers of dimensions and of elements.
    neff : float
        Effective number of elements; read from the device where there are weights.
    factor : float
        The bandwidth.
    covariance, inv_cov : ndarray
        Covariance of the Gaussians, and its inverse.

    Examples
    --------
    >>> import gpunp as cp
    >>> density = cp.scipy.stats.gaussian_kde(cp.array([0.0, 1.0, 2.0]))
    >>> density(cp.array([1.0])).round(6)
    array([0.322303])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    # What a subclass with an `__init__` of its own need not set.
    _weights: Any = None
    _neff: Any = None
    _single = False

    def __init__(self, dataset, bw_method=None, weights=None) -> None:
        data = as_array(dataset)
        if data.dtype.kind not in "biuf":
            raise TypeError(f"dataset must be of real numbers, not of {data.dtype}")
        data = data.reshape(1, -1) if data.ndim < 2 else data
        if data.ndim != 2:
            raise ValueError(f"dataset must be of one or two dimensions, not {data.ndim}")
        if not data.size > 1:
            raise ValueError("`dataset` input should have multiple elements.")
        self.dataset = data
        self.d, self.n = data.shape
        self._single = data.dtype.kind == "f" and data.dtype.itemsize <= 4
        if weights is not None:
            given = as_array(weights).astype(np.float64)
            if given.ndim != 1:
                raise ValueError("`weights` input should be one-dimensional.")
            if given.size != self.n:
                raise ValueError("`weights` input should be of length n")
            self._weights = given / given.sum()
            self._neff = float(1.0 / (self._weights**2).sum())
        if self.d > self.n:
            raise ValueError(
                "Number of dimensions is greater than number of samples: the covariance matrix is "
                "singular. Each column of `dataset` is a point; transpose it otherwise."
            )
        self.set_bandwidth(bw_method)

    @property
    def weights(self) -> ndarray:
        """Weights of the elements, whose sum is one."""
        return full(self.n, 1.0 / self.n) if self._weights is None else self._weights

    @property
    def neff(self) -> float:
        """Effective number of elements."""
        return float(self.n) if self._neff is None else self._neff

    def scotts_factor(self) -> float:
        """Return the bandwidth by Scott's rule.

        Returns
        -------
        float
            neff ** (-1 / (d + 4)).
        """
        return self.neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self) -> float:
        """Return the bandwidth by Silverman's rule.

        Returns
        -------
        float
            (neff * (d + 2) / 4) ** (-1 / (d + 4)).
        """
        return (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    covariance_factor: Callable[..., Any] = scotts_factor

    def set_bandwidth(self, bw_method=None) -> None:
        """Set the bandwidth, and the covariance that follows from it.

        Parameters
        ----------
        bw_method : str, float or callable, optional
            As of the class. By default the rule stays what it is.
        """
        if bw_method is None:
            pass
        elif isinstance(bw_method, str) and bw_method == "scott":
            self.covariance_factor = self.scotts_factor
        elif isinstance(bw_method, str) and bw_method == "silverman":
            self.covariance_factor = self.silverman_factor
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        elif isinstance(bw_method, (int, float, np.number)):
            self.covariance_factor = lambda: bw_method
        else:
            raise ValueError(
                "`bw_method` should be 'scott', 'silverman', a scalar or a callable,"
                f" not {shown(bw_method)}"
            )
        self._compute_covariance()

    def _compute_covariance(self) -> None:
        self.factor = self.covariance_factor()
        if not hasattr(self, "_data_covariance"):
            self._data_covariance = self._sample_covariance()
            self._data_root = cholesky(self._data_covariance)
        self._kept: dict = {}  # what depends on the sample and the bandwidth alone
        self.covariance = self._data_covariance * self.factor**2
        self.cho_cov = self._data_root * self.factor

    def _sample_covariance(self) -> ndarray:
        x, w = self.dataset.astype(np.float64, copy=False), self._weights
        if w is None:
            rest = x - x.mean(axis=1, keepdims=True)
            return rest @ rest.T / (self.n - 1)
        rest = x - (x * w).sum(axis=1, keepdims=True)
        return (rest * w) @ rest.T / (1.0 - (w * w).sum())

    @property
    def inv_cov(self) -> ndarray:
        """Inverse of the covariance."""
        return inv(self.covariance)

    # ---- evaluation ------------------------------------------------------------------------------

    def _scaled(self, x: ndarray, root: ndarray) -> ndarray:
        """Coordinates in which a Gaussian is 2 to the minus squared distance.

        They are those from the first element, so that float32 keeps the digits of what is far from
        zero.
        """
        scale = math.sqrt(0.5 / math.log(2))
        x, origin = (a.astype(np.float64, copy=False) for a in (x, self.dataset[:, :1]))
        if self.d == 1:
            return _scaled_distance(x, origin, root, scale)
        return (inv(root) * scale) @ (x - origin)

    def _points(self, points: Any, name: str = "points") -> ndarray:
        x = as_array(points)
        if x.dtype.kind not in "biuf":
            raise TypeError(f"{name} must be of real numbers, not of {x.dtype}")
        if x.ndim < 2:
            # A point of d coordinates is taken as such; otherwise there is one dimension.
            x = x.reshape(self.d, 1) if x.size == self.d and self.d > 1 else x.reshape(1, -1)
        if x.ndim != 2 or x.shape[0] != self.d:
            raise ValueError(f"{name} have dimension {x.shape[0]}, dataset has dimension {self.d}")
        return x

    def _sums(self, x: ndarray, root: ndarray, is_log: bool = False) -> ndarray:
        """Weighted sums of the Gaussians with a root of their covariance, unnormalised."""
        single = self._single and x.dtype.kind == "f" and x.dtype.itemsize <= 4
        dtype = np.dtype(np.float32 if single else np.float64)
        if root is not self.cho_cov:
            data = self._scaled(self.dataset, root).astype(dtype)
        else:
            data = kept(
                self._kept, dtype.str, (), lambda: self._scaled(self.dataset, root).astype(dtype)
            )
        weights = None if self._weights is None else self._weights.astype(dtype, copy=False)
        at = self._scaled(x, root).astype(dtype, copy=False)
        return gaussian_sums(at, data, weights, is_log)

    def _log_norm(self) -> ndarray:
        """Logarithm of what sums are divided by."""
        return kept(self._kept, "log_norm", (), self._make_log_norm)

    def _make_log_norm(self) -> ndarray:
        logs = um.log(self.cho_cov.diagonal() * math.sqrt(2 * math.pi)).sum()
        return logs + (math.log(self.n) if self._weights is None else 0.0)

    def evaluate(self, points) -> ndarray:
        """Return the density at points.

        Pairs are computed in float32 where the sample and the points are, otherwise in float64.

        Parameters
        ----------
        points : array_like
            Points, in columns where there are several dimensions.

        Returns
        -------
        ndarray
            Densities of float64, one for each point.
        """
        return _divided(self._sums(self._points(points), self.cho_cov), self._log_norm())

    __call__ = evaluate

    def pdf(self, x) -> ndarray:
        """Return the density at points.

        Parameters
        ----------
        x : array_like
            Points, as of `evaluate`.

        Returns
        -------
        ndarray
            Densities of float64, one for each point.
        """
        return self.evaluate(x)

    @documented_as(pdf)
    def logpdf(self, x) -> ndarray:
        """Return the logarithm of the density at points, where the density underflows too.

        Returns
        -------
        ndarray
            Logarithms of the densities, one for each point.
        """
        return self._sums(self._points(x, "x"), self.cho_cov, True) - self._log_norm()

    # ---- integrals -------------------------------------------------------------------------------

    def integrate_gaussian(self, mean, cov) -> ndarray:
        """Integrate the product of the density and a Gaussian.

        Parameters
        ----------
        mean : array_like
            Mean of the Gaussian, d numbers.
        cov : array_like
            Covariance of the Gaussian, of shape (d, d).

        Returns
        -------
        ndarray
            The integral, without axes.
        """
        mean = as_array(mean).astype(np.float64).reshape(-1)
        cov = as_array(cov).astype(np.float64)
        cov = cov.reshape(1, 1) if cov.ndim < 2 else cov
        if mean.shape != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if cov.shape != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        return self._product_with(self.covariance + cov, mean.reshape(self.d, 1))[0]

    def _product_with(self, covariance: ndarray, points: ndarray) -> ndarray:
        """Sums of Gaussians of a covariance about the elements, at points, normalised."""
        norm = um.sqrt(det(2 * math.pi * covariance))
        sums = self._sums(points, cholesky(covariance)) / norm
        return sums / self.n if self._weights is None else sums

    def integrate_kde(self, other) -> ndarray:
        """Integrate the product of two densities.

        Parameters
        ----------
        other : gaussian_kde
            The other density, of as many dimensions.

        Returns
        -------
        ndarray
            The integral, without axes.
        """
        if not isinstance(other, gaussian_kde):
            raise TypeError(f"other must be a gaussian_kde, not {type(other).__name__}")
        if other.d != self.d:
            raise ValueError("KDEs are not the same dimensionality")
        large, small = (self, other) if self.n >= other.n else (other, self)
        covariance = small.covariance + large.covariance
        sums = large._product_with(covariance, small.dataset.astype(np.float64))
        return (sums * small.weights).sum()

    def integrate_box_1d(self, low, high) -> ndarray:
        """Integrate a density of one dimension between two numbers.

        Parameters
        ----------
        low : float
            Lower end of the interval.
        high : float
            Upper end of the interval.

        Returns
        -------
        ndarray
            The integral, without axes.
        """
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        deviation = um.sqrt(self.covariance[0, 0])
        data = self.dataset[0].astype(np.float64)
        ends = [ndtr((as_host(to_host(end)).item() - data) / deviation) for end in (low, high)]
        return ((ends[1] - ends[0]) * self.weights).sum()

    def integrate_box(self, low_bounds, high_bounds, maxpts=None, *, rng=None) -> ndarray:
        """Integrate the density over a box.

        In several dimensions SciPy computes on the host, where sample and weights are copied.

        Parameters
        ----------
        low_bounds : array_like
            Lower ends of the box, d numbers.
        high_bounds : array_like
            Upper ends of the box, d numbers.
        maxpts : int, optional
            Most points of an integral, in several dimensions.
        rng : int, Generator of gpunp or Generator of NumPy, optional
            Source of the random numbers of an integral, in several dimensions.

        Returns
        -------
        ndarray
            The integral, without axes.
        """
        low, high = (as_host(to_host(end)).ravel() for end in (low_bounds, high_bounds))
        if self.d == 1:
            return self.integrate_box_1d(low[0], high[0])
        from scipy.stats import gaussian_kde as theirs

        kde = theirs(self.dataset.get(), lambda _: self.factor, to_host(self._weights))
        return asarray(float(kde.integrate_box(low, high, maxpts, rng=to_host(rng))))

    # ---- samples ---------------------------------------------------------------------------------

    def resample(self, size=None, seed=None) -> ndarray:
        """Draw from the density, on the device.

        Parameters
        ----------
        size : int, optional
            Number of points. By default the effective size of the sample.
        seed : int or Generator of gpunp, optional
            Source of random numbers. By default a new one.

        Returns
        -------
        ndarray
            Points of float64, of shape (d, size).
        """
        from ...random import Generator, default_rng

        rng = seed if isinstance(seed, Generator) else default_rng(seed)
        size = int(self.neff) if size is None else int(as_host(size))
        noise = self.cho_cov @ rng.standard_normal((self.d, size))
        if self._weights is None:
            chosen = rng.integers(0, self.n, size)
        else:
            chosen = self._weights.cumsum().searchsorted(rng.random(size), side="right")
            chosen = um.minimum(chosen, self.n - 1)
        return self.dataset[:, chosen] + noise

    def marginal(self, dimensions) -> "gaussian_kde":
        """Return the density of some of the dimensions.

        Parameters
        ----------
        dimensions : int or sequence of int
            The dimensions that are kept.

        Returns
        -------
        gaussian_kde
            The marginal density, with the bandwidth of this one.
        """
        kept = np.atleast_1d(as_host(to_host(dimensions)))
        if not np.issubdtype(kept.dtype, np.integer):
            raise ValueError("Elements of `dimensions` must be integers - the indices of the axes")
        if len(np.unique(kept)) != len(kept):
            raise ValueError("All elements of `dimensions` must be unique.")
        if np.any((kept >= self.d) | (kept < -self.d)):
            raise ValueError(f"Dimensions {shown(dimensions)} are invalid for {self.d} of them")
        data = self.dataset[asarray(kept)]
        return gaussian_kde(data, self.factor, self._weights)
