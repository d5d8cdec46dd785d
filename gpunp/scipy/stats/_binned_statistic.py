"""Statistics of the values in bins, and frequencies."""

import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, number_on_host, refuse_host, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import argsort
from ..._core.multiarray import asarray, ascontiguousarray, concatenate, ndarray, where, zeros
from ..._core.numeric import full
from ..._core.raw import ElementwiseKernel
from ..._core.shape_base import stack
from ...lib._histograms_impl import histogram
from ..ndimage._measurements import _medians
from ..ndimage._segments import Segments
from ._axis import floating, result_type

__all__ = [
    "binned_statistic",
    "binned_statistic_2d",
    "binned_statistic_dd",
    "cumfreq",
    "relfreq",
]

BinnedStatisticResult: Any = result_type("BinnedStatisticResult", "statistic bin_edges binnumber")
BinnedStatistic2dResult: Any = result_type(
    "BinnedStatistic2dResult", "statistic x_edge y_edge binnumber"
)
BinnedStatisticddResult: Any = result_type(
    "BinnedStatisticddResult", "statistic bin_edges binnumber"
)
CumfreqResult: Any = result_type("CumfreqResult", "cumcount lowerlimit binsize extrapoints")
RelfreqResult: Any = result_type("RelfreqResult", "frequency lowerlimit binsize extrapoints")

STATISTICS = ("mean", "median", "count", "sum", "std", "min", "max")

# The bin of an element, 1 the first; 0 below all and the number of edges above, or of NaN. The last
# edge belongs to the last bin.
_PLACES = ElementwiseKernel(
    "T x, raw E edges, int64 count",
    "int64 place",
    """
    ptrdiff_t low = 0, high = count;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (edges[middle] <= x) low = middle + 1;
        else high = middle;
    }
    place = x != x ? count : x == edges[count - 1] ? count - 1 : low;
    """,
    "bin_places",
)


def _edges(x: ndarray, bins: Any, range: Any) -> ndarray:
    """The edges along one dimension."""
    bins = number_on_host(bins)
    if not isinstance(bins, (int, np.integer)):
        refuse_host(bins, "bins")
        edges = as_array(bins)
        if edges.ndim != 1:
            raise ValueError("bins must be numbers of bins, or arrays of edges of one dimension")
        if edges.size < 2:
            raise ValueError(f"bins must have two edges or more, not {edges.size}")
        return edges.astype(np.float64) if edges.dtype.kind in "biu" else edges
    count = operator.index(bins)
    if count < 1:
        raise ValueError(f"the number of bins must be positive, not {count}")
    dtype = np.dtype(float) if x.dtype.kind in "biu" else x.dtype
    if range is None:
        if not x.size:
            raise ValueError("bins of no elements need a range")
        return um.uniform_edges(um.extent(x), count, dtype)
    low, high = (float(as_host(end)) for end in range)
    if high < low:
        raise ValueError(f"In range, start must be <= stop; it is ({low}, {high})")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return asarray(np.linspace(low, high, count + 1).astype(dtype))


def _columns(sample: Any) -> list:
    if isinstance(sample, ndarray):
        if sample.ndim == 1:
            return [sample]
        if sample.ndim != 2:
            raise ValueError("sample must be of one or two dimensions")
        return list(sample.T)
    refuse_host(sample, "sample")
    if not np.iterable(sample):
        return [as_array(sample).reshape(1)]
    columns = [as_array(column) for column in sample]
    if columns and columns[0].ndim == 0:
        return [as_array(sample)]
    return columns


def _by_bins(values: ndarray, numbers: ndarray, total: int, statistic: Any) -> ndarray:
    """A statistic of the values of each bin."""
    if callable(statistic):
        return _by_function(values, numbers, total, statistic)
    by = Segments(values, numbers, np.arange(total))
    if not values.size:
        fill = 0.0 if statistic in ("count", "sum") else np.nan
        return full(total, fill)
    count = by.total("one")
    if statistic == "count":
        return count
    if statistic == "median":
        return _medians(by)
    if statistic in ("min", "max"):
        found, _ = by.extreme("least" if statistic == "min" else "most")
    else:
        found = by.total()
        if statistic == "sum":
            return found
        found = found / count
        if statistic == "std":
            found = um.sqrt(by.total("square", centres=found) / count)
    return where(count > 0, found, np.nan)


def _by_function(values: ndarray, numbers: ndarray, total: int, statistic: Any) -> ndarray:
    """What a function of the user's gives for the values of each bin, in one call each."""
    order = argsort(numbers, stable=True)
    ordered = values[order]
    ends = np.cumsum(np.bincount(numbers.get(), minlength=total))
    try:
        empty_bin = as_array(statistic(values[:0])).item()
    except Exception:
        empty_bin = np.nan
    filled = [(k, end) for k, end in enumerate(ends.tolist()) if end > (ends[k - 1] if k else 0)]
    found, first = [], 0
    for _, end in filled:
        found.append(as_array(statistic(ordered[first:end])).reshape(1))
        first = end
    result = full(total, empty_bin, np.result_type(*(f.dtype for f in found), np.float64))
    if found:
        result[[k for k, _ in filled]] = concatenate(found)
    return result


def binned_statistic_dd(
    sample,
    values,
    statistic="mean",
    bins=10,
    range=None,
    expand_binnumbers=False,
    binned_statistic_result=None,
) -> tuple:
    """Compute a statistic of the values of the points in each bin of a grid.

    Parameters
    ----------
    sample : (N, D) array or sequence of D arrays
        Points, as rows of an array, or coordinates, one array for each dimension.
    values : (N,) array_like or sequence of such, or None
        Value of each point, or several sets of them.
    statistic : str or callable, optional
        'mean', 'median', 'count', 'sum', 'std', 'min' or 'max', or a function that is called with
        the values of each bin that has some; then the numbers of points are read from the device.
    bins : int or sequence of ints or array_like, optional
        Number of bins for all dimensions, or a number of bins or edges for each.
    range : sequence of (float, float), optional
        Lower and upper end of the bins, for each dimension.
    expand_binnumbers : bool, optional
        If True, the numbers of bins are those of each dimension, in rows.
    binned_statistic_result : BinnedStatisticddResult, optional
        Result for the same points, whose edges and numbers of bins are used again.

    Returns
    -------
    statistic : ndarray
        The statistic of each bin; NaN where there is no point, but for counts and sums.
    bin_edges : list of ndarray
        Edges of the bins, for each dimension.
    binnumber : ndarray of int
        The bin of each point, where bins outside of the grid count.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([[0.0, 0.0], [1.0, 1.0], [0.9, 0.8]])
    >>> cp.scipy.stats.binned_statistic_dd(x, cp.array([1, 2, 4]), bins=2).statistic
    array([[ 1., nan],
           [nan,  3.]])
    """
    if not callable(statistic) and statistic not in STATISTICS:
        raise ValueError(f"invalid statistic {shown(statistic)}")
    columns = _columns(sample)
    ndim, count = len(columns), columns[0].size if columns else 0
    is_count = isinstance(statistic, str) and statistic == "count"
    stacked, is_single = _values_of(zeros(count) if values is None and is_count else values)
    if not columns or (not is_count and stacked.shape[1] != count):
        raise AttributeError(
            "The number of `values` elements must match the length of each `sample` dimension."
        )
    if binned_statistic_result is None:
        edges, numbers, places = _binned(columns, bins, range)
    elif isinstance(binned_statistic_result, BinnedStatisticddResult):
        edges, numbers = binned_statistic_result.bin_edges, binned_statistic_result.binnumber
        places = None
    else:
        kind = type(binned_statistic_result).__name__
        raise TypeError(f"binned_statistic_result must be a result of this function, not a {kind}")
    shape = [e.size + 1 for e in edges]
    total = math.prod(shape)
    inside = (slice(None), *(slice(1, -1),) * ndim)
    if is_count:
        found = [_by_bins(columns[0], numbers, total, "count")] * len(stacked)
    else:
        found = [_by_bins(v, numbers, total, statistic) for v in stacked]
    result = ascontiguousarray(stack(found).reshape(-1, *shape)[inside])
    if expand_binnumbers and ndim > 1:
        numbers = stack(places if places is not None else _unraveled(numbers, shape))
    return BinnedStatisticddResult(result[0] if is_single else result, edges, numbers)


def _values_of(values: Any) -> tuple[ndarray, bool]:
    """(values of float64 in rows, whether there is one set only)."""
    if not isinstance(values, ndarray):
        refuse_host(values, "values")
        if isinstance(values, (list, tuple)) and any(isinstance(v, ndarray) for v in values):
            values = stack([as_array(v) for v in values])
    values = as_array(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"values must be real numbers, not {values.dtype}")
    values = values.astype(np.float64, copy=False)
    return (values.reshape(1, -1), True) if values.ndim < 2 else (values, False)


def _unraveled(numbers: ndarray, shape: list) -> list:
    parts: list = []
    for size in reversed(shape):
        parts.insert(0, numbers % size)
        numbers = numbers // size
    return parts


def _binned(columns: list, bins: Any, range: Any) -> tuple:
    """(edges, numbers of bins of the whole grid, those of each dimension)."""
    ndim = len(columns)
    bins = number_on_host(bins)
    if isinstance(bins, (int, np.integer)):
        bins = [bins] * ndim
    elif len(bins) != ndim:
        raise AttributeError(
            "The dimension of bins must be equal to the dimension of the sample x."
        )
    if range is not None and len(range) != ndim:
        raise ValueError(f"range given for {len(range)} dimensions; {ndim} required")
    edges, places, numbers = [], [], None
    for k, x in enumerate(columns):
        if x.dtype.kind not in "biuf":
            raise TypeError(f"sample must be of real numbers, not of {x.dtype}")
        e = _edges(x, bins[k], None if range is None else range[k])
        place = _PLACES(x, e, e.size)
        numbers = place if numbers is None else numbers * (e.size + 1) + place
        edges.append(e)
        places.append(place)
    return edges, numbers, places


@documented_as(binned_statistic_dd)
def binned_statistic(x, values, statistic="mean", bins=10, range=None) -> tuple:
    """Compute a statistic of the values in each bin of a line.

    Parameters
    ----------
    x : array_like
        Coordinates of the points.
    bins : int or array_like, optional
        Number of bins, or their edges.
    range : (float, float), optional
        Lower and upper end of the bins.

    Returns
    -------
    statistic : ndarray
        The statistic of each bin; NaN where there is no point, but for counts and sums.
    bin_edges : ndarray
        Edges of the bins.
    binnumber : ndarray of int
        The bin of each point, 1 the first.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([1, 2, 3, 9])
    >>> cp.scipy.stats.binned_statistic(x, x, "sum", bins=2).statistic
    array([6., 9.])
    """
    bins = number_on_host(bins)
    if not isinstance(bins, (int, np.integer)):
        bins = [bins]
    if range is not None and len(range) == 2:
        range = [range]
    statistic, edges, numbers = binned_statistic_dd([as_array(x)], values, statistic, bins, range)
    return BinnedStatisticResult(statistic, edges[0], numbers)


@documented_as(binned_statistic_dd)
def binned_statistic_2d(
    x, y, values, statistic="mean", bins=10, range=None, expand_binnumbers=False
) -> tuple:
    """Compute a statistic of the values in each bin of a plane.

    Parameters
    ----------
    x, y : array_like
        Coordinates of the points.
    bins : int, (int, int), array_like or (array_like, array_like), optional
        Number of bins or edges, for both dimensions or for each.

    Returns
    -------
    statistic : ndarray
        The statistic of each bin; NaN where there is no point, but for counts and sums.
    x_edge, y_edge : ndarray
        Edges of the bins.
    binnumber : ndarray of int
        The bin of each point, where bins outside of the grid count.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([1, 2, 3, 9])
    >>> cp.scipy.stats.binned_statistic_2d(x, x, None, "count", bins=2).statistic
    array([[3., 0.],
           [0., 1.]])
    """
    bins = number_on_host(bins)
    if not isinstance(bins, (int, np.integer)) and len(bins) not in (1, 2):
        bins = [as_array(bins)] * 2
    columns = [as_array(x), as_array(y)]
    statistic, edges, numbers = binned_statistic_dd(
        columns, values, statistic, bins, range, expand_binnumbers
    )
    return BinnedStatistic2dResult(statistic, *edges, numbers)


# ---- frequencies ---------------------------------------------------------------------------------


def _limits(a: Any, numbins: Any, limits: Any) -> tuple:
    """Lowest and highest edge; by default half a bin beyond the elements."""
    if limits is not None:
        low, high = (a.dtype.type(as_host(end)) for end in limits)
        if not low < high:
            raise ValueError(f"the lower limit, {low}, must be below the upper limit, {high}")
        return low, high
    if not a.size:
        return a.dtype.type(0), a.dtype.type(1)
    if numbins == 1:
        raise ValueError("one bin has no width by which limits could go beyond the values")
    low, high = (as_host(end)[()] for end in (a.min(), a.max()))
    margin = (high - low) / (2.0 * (numbins - 1.0))
    return low - margin, high + margin


def _frequencies(a: Any, numbins: Any, limits: Any, weights: Any) -> tuple:
    """(counts, lower limit, width of a bin, number of elements outside).

    Edges are computed and compared with as SciPy does from 1.18 on: where all elements are equal,
    so are the edges, and all elements are in the last bin.
    """
    a = floating(a).ravel()
    numbins = operator.index(numbins)
    if numbins < 1:
        raise ValueError(f"numbins must be positive, not {numbins}")
    low, high = _limits(a, numbins, limits)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"the limits must be finite, not {low} and {high}")
    edges = np.linspace(low, high, numbins + 1, dtype=a.dtype)
    counts, _ = histogram(a, bins=asarray(edges), weights=weights)
    outside = int(((a < low) | (a > high)).sum())
    kind = a.dtype if weights is None else np.result_type(a.dtype, as_array(weights).dtype)
    return counts.astype(kind), low, edges[1] - edges[0], outside


def cumfreq(a, numbins=10, defaultreallimits=None, weights=None) -> tuple:
    """Return how many elements are in each bin and those below.

    Parameters
    ----------
    a : array_like
        Numbers that are counted.
    numbins : int, optional
        Number of bins of equal width.
    defaultreallimits : (float, float), optional
        Lower and upper end of the bins. By default half a bin around the elements, whose extremes
        are read from the device.
    weights : array_like, optional
        Weight of each element, by default one.

    Returns
    -------
    cumcount : ndarray
        Cumulative counts of float64.
    lowerlimit : float
        Lower end of the bins.
    binsize : float
        Width of a bin.
    extrapoints : int
        Number of elements outside of the bins, read from the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.cumfreq(cp.array([1, 2, 2, 9]), 2).cumcount
    array([3., 4.])
    """
    counts, *rest = _frequencies(a, numbins, defaultreallimits, weights)
    return CumfreqResult(counts.cumsum(), *rest)


@documented_as(cumfreq)
def relfreq(a, numbins=10, defaultreallimits=None, weights=None) -> tuple:
    """Return the share of the elements that is in each bin.

    Returns
    -------
    frequency : ndarray
        Counts divided by the number of elements, or by the sum of their weights.
    lowerlimit : float
        Lower end of the bins.
    binsize : float
        Width of a bin.
    extrapoints : int
        Number of elements outside of the bins, read from the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.relfreq(cp.array([1, 2, 2, 9]), 2).frequency
    array([0.75, 0.25])
    """
    counts, *rest = _frequencies(a, numbins, defaultreallimits, weights)
    total = as_array(a).size if weights is None else as_array(weights).sum()
    return RelfreqResult((counts / total).astype(counts.dtype, copy=False), *rest)
