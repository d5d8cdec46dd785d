"""Histograms: number of elements, or sum of weights, in each bin.

Bins are half open, but for the last, which holds its upper edge too. An element belongs to a bin by
comparison with the edges alone, so counts are exact for any range and number of bins.
"""

import builtins
import math
import operator
import sys
from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import (
    as_array,
    as_host,
    as_numbers,
    check_device_memory,
    host_ndim,
    refuse_host,
    shown,
    without_cycles,
)  # fmt: skip
from .._core._warnings import warn
from .._core.fromnumeric import searchsorted
from .._core.function_base import linspace
from .._core.multiarray import asarray, bincount, ndarray

__all__ = ["histogram", "histogram_bin_edges", "histogramdd"]


# ---- estimators of the bin width: functions of the data, its peak-to-peak, the given range -------


def _interquartile(x: ndarray) -> float:
    """The distance between the quartiles, interpolated linearly."""
    ordered = x.copy()
    ordered.sort()
    ends = []
    for q in (0.25, 0.75):
        place = q * (x.size - 1)
        low, high = ordered[[math.floor(place), math.ceil(place)]].tolist()
        ends.append(low + (high - low) * (place - math.floor(place)))
    return ends[1] - ends[0]


def _by_sqrt(x: ndarray, ptp: float, range: Any) -> float:
    return ptp / math.sqrt(x.size)


def _by_sturges(x: ndarray, ptp: float, range: Any) -> float:
    return ptp / (math.log2(x.size) + 1.0)


def _by_rice(x: ndarray, ptp: float, range: Any) -> float:
    return ptp / (2.0 * x.size ** (1.0 / 3))


def _by_scott(x: ndarray, ptp: float, range: Any) -> float:
    return (24.0 * math.sqrt(math.pi) / x.size) ** (1.0 / 3.0) * float(x.std())


def _by_freedman_diaconis(x: ndarray, ptp: float, range: Any) -> float:
    return 2.0 * _interquartile(x) * x.size ** (-1.0 / 3.0)


def _by_doane(x: ndarray, ptp: float, range: Any) -> float:
    n = x.size
    sigma = float(x.std()) if n > 2 else 0.0
    if sigma <= 0:
        return 0.0
    skew = abs(float((((x - x.mean()) / sigma) ** 3).mean()))
    spread = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return ptp / (1.0 + math.log2(n) + math.log2(1.0 + skew / spread))


def _by_stone(x: ndarray, ptp: float, range: Any) -> float:
    """Number of bins that minimizes the cross-validated squared error."""
    n = x.size
    if n <= 1 or ptp == 0:
        return 0.0
    most = max(100, int(math.sqrt(n)))
    best, least = 1, math.inf
    for bins in builtins.range(1, most + 1):
        share = histogram(x, bins, range)[0] / n
        error = (2 - (n + 1) * float(um.square(share).sum())) * bins / ptp
        if error < least:
            best, least = bins, error
    return ptp / best


def _by_both(x: ndarray, ptp: float, range: Any) -> float:
    """Minimum of Freedman and Diaconis' width, bounded from below, and Sturges'."""
    narrow = max(_by_freedman_diaconis(x, ptp, range), _by_sqrt(x, ptp, range) / 2)
    return min(narrow, _by_sturges(x, ptp, range))


_RULES = {
    "auto": _by_both,
    "doane": _by_doane,
    "fd": _by_freedman_diaconis,
    "rice": _by_rice,
    "scott": _by_scott,
    "sqrt": _by_sqrt,
    "stone": _by_stone,
    "sturges": _by_sturges,
}


# ---- edges -------------------------------------------------------------------------------------

# From this number of edges on they are computed on the device, if they are certainly distinct.
_MANY = 1000


def _checked_range(range: Any) -> tuple[Any, Any]:
    """`range` as two finite numbers in order; equal ones are moved half a unit apart."""
    first, last = without_cycles(range)
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _edge_dtype(a: ndarray, *ends: Any) -> np.dtype[Any]:
    """Type of the edges as in NumPy: integers become float64."""
    dtype = np.result_type(*ends, a.dtype)
    return np.result_type(dtype, float) if dtype.kind in "biu" else dtype


def _uniform(a: ndarray, nbins: int, range: Any) -> ndarray:
    """Edges of equal bins. Without a range they are computed on the device, from its extremes."""
    if nbins >= 2**63 - 1:
        raise ValueError(f"Maximum allowed size exceeded: {nbins} bins")
    if range is None and a.size:
        return um.uniform_edges(um.extent(a), nbins, _edge_dtype(a))
    first, last = (0, 1) if range is None else range
    first, last = _checked_range((first, last))
    dtype = _edge_dtype(a, first, last)
    step = abs((last - first) / nbins)
    if nbins > _MANY and step > 8 * np.finfo(dtype).eps * max(abs(first), abs(last)):
        return linspace(first, last, nbins + 1, dtype=dtype)
    check_device_memory(nbins + 1, dtype=dtype)
    edges = np.linspace(first, last, nbins + 1, dtype=dtype)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"Too many bins for data range. Cannot create {nbins} finite-sized bins.")
    return asarray(edges)


def _rounding(edges: ndarray, range: Any) -> float:
    """Units in the last place of the larger end by which single precision rounds an edge and the
    ends of a range together; 0 where edges were not computed in double precision."""
    if edges.dtype != np.float32 or np.result_type(*range, 1.0) != np.float64:
        return 0.0
    return 0.5 if all(np.float32(end) == end for end in _checked_range(range)) else 1.0


def _given(bins: Any) -> ndarray:
    """Given edges; those on the host are checked to be ascending."""
    if isinstance(bins, ndarray):
        return bins
    edges = as_host(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if (edges[:-1] > edges[1:]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    return asarray(edges)


def _number_by_rule(a: ndarray, name: str, range: Any, weights: Any) -> int:
    """Number of bins of an estimator. Waits for the device."""
    if name not in _RULES:
        raise ValueError(f"{shown(name)} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    if a.size == 0:
        return 1
    extent = um.extent(a).item()
    first, last = (extent.real, extent.imag) if range is None else _checked_range(range)
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    if range is not None:
        a = a[(a >= first) & (a <= last)]
        if a.size == 0:
            return 1
    own = um.extent(a).item()
    width = _RULES[name](a, own.imag - own.real, range)
    if a.dtype.kind in "iu" and width < 1:
        width = 1.0 if width else 0.0
    return math.ceil((last - first) / width) if width else 1


def _edges(a: ndarray, bins: Any, range: Any, weights: Any) -> tuple[ndarray, bool]:
    """The edges, and whether they are evenly spaced."""
    if isinstance(bins, str):
        return _uniform(a, _number_by_rule(a, bins, range, weights), range), True
    if host_ndim(bins) == 0:
        try:
            nbins = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if nbins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        return _uniform(a, nbins, range), True
    edges = _given(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    return edges, False


def _flat(a: Any, weights: Any) -> tuple[ndarray, ndarray | None]:
    """Data and weights, flattened in the same order."""
    a = as_numbers(a, "histogram")
    if a.dtype.kind == "c":
        raise TypeError("histogram: complex numbers have no order to count them by")
    if a.dtype.kind == "b":
        warn("Converting input from bool to uint8 for compatibility.", RuntimeWarning)
        a = a.view("u1")
    if weights is not None:
        weights = as_array(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    return a.ravel(), weights


def _counted(
    a: ndarray, edges: ndarray, uniform: bool, weights: ndarray | None, range: Any
) -> ndarray:
    """Counts, or sums of weights in the weights' dtype."""
    if edges.size < 2:
        return um.zeros(0, "i8" if weights is None else weights.dtype)
    if not uniform:
        edges = edges.astype(np.result_type(a.dtype, edges.dtype), copy=False)
    ulps = _rounding(edges, range) if uniform and range is not None else 0.0
    if weights is None:
        return um.count_in_bins(a, edges, uniform, None, ulps)
    if weights.dtype.kind == "c":
        sums = um.zeros(edges.size - 1, "c16")
        sums.real = um.count_in_bins(a, edges, uniform, weights.real, ulps)
        sums.imag = um.count_in_bins(a, edges, uniform, weights.imag, ulps)
    else:
        sums = um.count_in_bins(a, edges, uniform, weights, ulps)
    return sums.astype(weights.dtype, copy=False)


def histogram_bin_edges(a, bins=10, range=None, weights=None) -> ndarray:
    """Compute the bin edges that `histogram` would use.

    Parameters
    ----------
    a : array_like
        Data of the histogram; it is flattened first.
    bins : int, sequence or str, optional
        Number of bins, the bin edges, or the name of an estimator: 'auto', 'doane', 'fd', 'rice',
        'scott', 'sqrt', 'stone', 'sturges'.
    range : pair of float, optional
        Lower and upper end of the bins. By default the smallest and the largest value.
    weights : array_like, optional
        Weights with the shape of `a`; not supported by the estimators.

    Returns
    -------
    ndarray
        Bin edges, one more than there are bins. The estimators wait for the device.

    Raises
    ------
    ValueError
        If edges or range are not ascending.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.histogram_bin_edges(cp.array([0.0, 1.0, 4.0]), bins=4)
    array([0., 1., 2., 3., 4.])
    """
    a, weights = _flat(a, weights)
    return _edges(a, bins, range, weights)[0]


def histogram(a, bins=10, range=None, density=None, weights=None) -> tuple[ndarray, ndarray]:
    """Compute the histogram of an array.

    Parameters
    ----------
    a : array_like
        Data of the histogram; it is flattened first. Values outside all bins, and NaN, are not
        counted.
    bins : int, sequence of edges or str, optional
        Number of equal bins, the bin edges, or the name of an estimator of the number of bins:
        'auto', 'doane', 'fd', 'rice', 'scott', 'sqrt', 'stone' or 'sturges'. Estimators wait for
        the device.
    range : (float, float), optional
        Lower and upper end of equal bins. By default those of `a`.
    density : bool, optional
        If True, return the probability density, whose integral is 1, instead of counts.
    weights : array_like, optional
        Weight of each element; sums are in float64, in no fixed order.

    Returns
    -------
    hist : ndarray
        The counts, sums of weights or densities.
    bin_edges : ndarray
        The bin edges.

    Differences
    -----------
    Data whose range is infinite or NaN gives edges of NaN and no counts, where NumPy raises; edges
    in a device array are not checked to be ascending. The checks would wait for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.histogram(cp.array([1, 2, 1]), bins=[0, 1, 2, 3])
    (array([0, 2, 1]), array([0, 1, 2, 3]))
    """
    a, weights = _flat(a, weights)
    edges, uniform = _edges(a, bins, range, weights)
    counts = _counted(a, edges, uniform, weights, range)
    if density:
        width = (edges[1:] - edges[:-1]).astype(float)
        return counts / width / counts.sum(), edges
    return counts, edges


# ---- several dimensions ------------------------------------------------------------------------


def _columns(sample: Any) -> list[ndarray]:
    """Coordinates, one array for each dimension: columns of an array, or a list of arrays."""
    if isinstance(sample, ndarray):
        sample = as_numbers(sample, "histogramdd")
        return list(sample.reshape(-1, 1).T if sample.ndim == 1 else sample.T)
    refuse_host(sample, "sample")
    if isinstance(sample, (str, bytes, np.number, np.bool_, range)):
        return [as_numbers(sample, "histogramdd").reshape(-1)]
    columns = [as_numbers(column, "histogramdd") for column in sample]
    if any(column.ndim == 0 for column in columns):
        return list(as_array(sample).reshape(-1, 1).T)
    if any(column.ndim > 1 for column in columns):
        raise ValueError("each coordinate of a sample must be an array of one axis")
    return columns


def _edges_along(x: ndarray, bins: Any, range: Any, i: int) -> ndarray:
    """The edges of dimension i."""
    if host_ndim(bins) > 1:
        raise ValueError(f"`bins[{i}]` must be a scalar or 1d array")
    if host_ndim(bins) == 1:
        edges = _given(bins)
        return edges
    if bins < 1:
        raise ValueError(f"`bins[{i}]` must be positive, when an integer")
    try:
        nbins = operator.index(bins)
    except TypeError as error:
        raise TypeError(f"`bins[{i}]` must be an integer, when a scalar") from error
    if nbins >= sys.maxsize:
        raise ValueError("Maximum allowed size exceeded")
    dtype = np.dtype(float) if x.dtype.kind in "biu" else x.dtype
    if range is None and x.size:
        return um.uniform_edges(um.extent(x), nbins, dtype)
    first, last = _checked_range((0, 1) if range is None else range)
    return asarray(np.linspace(first, last, nbins + 1))


def _places(x: ndarray, edges: ndarray) -> ndarray:
    """The bin of each element, 1 the first; 0 below all and edges.size above."""
    places = searchsorted(edges, x, side="right")
    places -= x == edges[-1]
    places[um.isnan(x)] = edges.size
    return places


def histogramdd(
    sample, bins=10, range=None, density=None, weights=None
) -> tuple[ndarray, tuple[ndarray, ...]]:
    """Compute the multidimensional histogram of points.

    Parameters
    ----------
    sample : (N, D) array, or a sequence of D arrays of coordinates
        Points, as rows of an array, or coordinates, one array for each dimension.
    bins : int, or a sequence of D numbers of bins or arrays of edges, optional
        Number of bins for all dimensions, or a number of bins or edges for each.
    range : sequence of (float, float) or None, optional
        Lower and upper end of the bins, for each dimension.
    density : bool, optional
        If True, return the probability density, whose integral is 1, instead of counts.
    weights : (N,) array_like, optional
        Weight of each point; sums are in float64, in no fixed order.

    Returns
    -------
    H : ndarray of float64
        The counts, sums of weights or densities.
    edges : tuple of ndarray
        The bin edges, one array for each dimension.

    Examples
    --------
    >>> import gpunp as cp
    >>> H, edges = cp.histogramdd(cp.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.2]]), bins=2)
    >>> H
    array([[1., 0.],
           [1., 1.]])
    """
    columns = _columns(sample)
    ndim = len(columns)
    bins = bins if np.iterable(bins) else [bins] * ndim
    if len(bins) != ndim:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = (None,) * ndim if range is None else without_cycles(range)
    if len(ranges) != ndim:
        raise ValueError("range argument must have one entry per dimension")
    weights = None if weights is None else as_array(weights)
    edges = tuple(_edges_along(x, bins[i], ranges[i], i) for i, x in enumerate(columns))
    shape = [e.size + 1 for e in edges]
    if math.prod(shape) > sys.maxsize:
        raise ValueError(
            f"{' x '.join(map(str, shape))} bins, those beyond the ends included, are too many"
        )
    place: Any = 0
    for x, e, size in zip(columns, edges, shape, strict=True):
        place = place * size + _places(x, e)
    counts = bincount(place, weights, minlength=math.prod(shape))
    inner = counts.reshape(shape)[(slice(1, -1),) * ndim].astype(float)
    if density:
        total = inner.sum()
        for i, e in enumerate(edges):
            form = [1] * ndim
            form[i] = -1
            inner = inner / (e[1:] - e[:-1]).reshape(form)
        inner /= total
    return inner, edges
