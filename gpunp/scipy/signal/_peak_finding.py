"""Peaks of signals: local maxima and their heights, distances, prominences and widths.

Plateaus are found by a scan. A peak's neighbourhood is walked by one thread, which passes blocks of
64 and 4096 samples at once by their extrema. Functions whose result has as many elements as there
are peaks wait for their number.
"""

import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, index_of_axis, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, asarray, empty, ndarray, zeros
from ..._core.numeric import flatnonzero
from ..._core.raw import ElementwiseKernel

__all__ = [
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "find_peaks",
    "peak_prominences",
    "peak_widths",
]

# The last sample of a run of equal ones, from the end of the signal to its beginning.
_RUN_ENDS = ElementwiseKernel(
    "raw T x, int64 n",
    "I last",
    """
    const ptrdiff_t at = n - 1 - i;
    last = at == n - 1 || x[at] != x[at + 1] ? at : n;
    """,
    "run_ends",
)
_RISES = ElementwiseKernel(
    "raw T x, raw I last, int64 n",
    "bool is_peak",
    """
    const ptrdiff_t right = last[n - 1 - i];
    is_peak = i > 0 && right < n - 1 && x[i - 1] < x[i] && x[right + 1] < x[i];
    """,
    "rising_runs",
)
_BLOCKS = ElementwiseKernel(
    "raw T low, raw T high, int64 n",
    "T least, T most",
    """
    const ptrdiff_t end = min((ptrdiff_t)n, (i + 1) * 64);
    least = low[i * 64];
    most = high[i * 64];
    bool is_nan = false;
    #pragma unroll 1
    for (ptrdiff_t k = i * 64; k < end; k++) {
        const T a = low[k], b = high[k];
        least = a < least ? a : least;
        most = b > most ? b : most;
        is_nan = is_nan || a != a || b != b;
    }
    if (is_nan) {  // no walk passes the block at once
        least = -(T)(1.0 / 0.0);
        most = (T)(1.0 / 0.0);
    }
    """,
    "block_extrema",
)
_WALK = """
    // Whether a block begins at sample i, in the direction of the step, and ends within the limit.
    __device__ bool block_at(ptrdiff_t i, ptrdiff_t limit, int step, ptrdiff_t size)
    {
        const ptrdiff_t first = i / size * size, last = first + size - 1;
        return step < 0 ? (i == last && first >= limit) : (i == first && last <= limit);
    }

    template <typename T, typename X, typename Blocks>
    struct Walk {
        const X &x;
        const Blocks &low, &high, &low2, &high2;
        ptrdiff_t limit;
        int step;

        // The least sample before one above the peak, nearest to the peak: prominences.
        __device__ T base(ptrdiff_t peak, ptrdiff_t &at)
        {
            const T top = x[peak];
            T least = top;
            ptrdiff_t i = peak, size = 1;
            at = peak;
    #pragma unroll 1
            while ((limit - i) * step >= 0) {
                ptrdiff_t wide = 1;
                T a, b;
                if (block_at(i, limit, step, 4096) && high2[i / 4096] <= top) {
                    wide = 4096, a = low2[i / 4096], b = high2[i / 4096];
                }
                else if (block_at(i, limit, step, 64) && high[i / 64] <= top) {
                    wide = 64, a = low[i / 64], b = high[i / 64];
                }
                else {
                    a = b = x[i];
                }
                if (!(b <= top)) break;
                if (a < least) least = a, at = i, size = wide;
                i += step * wide;
            }
            if (size == 4096) {
    #pragma unroll 1
                while (low[at / 64] != least) at += step * 64;
            }
            if (size > 1) {
    #pragma unroll 1
                while (x[at] != least) at += step;
            }
            return least;
        }

        // The first sample that is not above a height: widths.
        __device__ ptrdiff_t crossing(ptrdiff_t i, double height)
        {
    #pragma unroll 1
            while ((limit - i) * step > 0 && height < x[i]) {
                const ptrdiff_t end = limit - step;
                const bool is_wide = block_at(i, end, step, 4096) && height < low2[i / 4096];
                const bool is_block = block_at(i, end, step, 64) && height < low[i / 64];
                i += step * (is_wide ? 4096 : is_block ? 64 : 1);
            }
            return i;
        }
    };
"""
_PROMINENCES = ElementwiseKernel(
    "int64 peak, raw T x, raw T low, raw T high, raw T low2, raw T high2, int64 n, int64 half",
    "float64 prominence, int64 left, int64 right",
    """
    typedef Walk<T, decltype(x), decltype(low)> Way;
    const ptrdiff_t p = min(max((ptrdiff_t)peak, (ptrdiff_t)0), (ptrdiff_t)n - 1);
    const ptrdiff_t end_of_x = n - 1, reach = half < 0 ? (ptrdiff_t)n : (ptrdiff_t)half;
    Way down = {x, low, high, low2, high2, max(p - reach, (ptrdiff_t)0), -1};
    Way up = {x, low, high, low2, high2, min(p + reach, end_of_x), 1};
    ptrdiff_t at, end;
    const double a = down.base(p, at), b = up.base(p, end);
    prominence = (double)x[p] - max(a, b);
    left = at;
    right = end;
    """,
    "prominences",
    preamble=_WALK,
)
_WIDTHS = ElementwiseKernel(
    "int64 peak, float64 prominence, int64 left, int64 right, raw T x, raw T low, raw T high,"
    " raw T low2, raw T high2, int64 n, float64 part",
    "float64 width, float64 height, float64 from, float64 to",
    """
    typedef Walk<T, decltype(x), decltype(low)> Way;
    const ptrdiff_t last = n - 1, zero = 0;
    const ptrdiff_t p = min(max((ptrdiff_t)peak, zero), last);
    Way down = {x, low, high, low2, high2, min(max((ptrdiff_t)left, zero), p), -1};
    Way up = {x, low, high, low2, high2, max(min((ptrdiff_t)right, last), p), 1};
    height = x[p] - prominence * part;
    const ptrdiff_t a = down.crossing(p, height), b = up.crossing(p, height);
    from = a;
    to = b;
    if (x[a] < height && a < last) from += (height - x[a]) / ((double)x[a + 1] - x[a]);
    if (x[b] < height && b > 0) to -= (height - x[b]) / ((double)x[b - 1] - x[b]);
    width = to - from;
    """,
    "peak_widths",
    preamble=_WALK,
)
# Rounds of the selection by distance; `state` of a peak: 0 undecided, 1 kept, 2 removed.
_TOPS = ElementwiseKernel(
    "raw int64 rank, raw int8 state, int64 n",
    "int64 top",
    """
    top = -1;
    #pragma unroll 1
    for (ptrdiff_t k = i * 64; k < min((ptrdiff_t)n, (i + 1) * 64); k++) {
        if (state[k] == 0) top = max((long long)top, (long long)rank[k]);
    }
    """,
    "undecided_tops",
)
_HIGHEST = ElementwiseKernel(
    "int64 first, int64 end, raw int64 rank, raw int8 state, raw int64 tops",
    "int32 is_highest",
    """
    bool is_beaten = state[i] != 0;
    #pragma unroll 1
    for (ptrdiff_t k = first; k < end && !is_beaten;) {
        if (k % 64 == 0 && k + 64 <= end) {
            is_beaten = tops[k / 64] > rank[i];
            k += 64;
        }
        else {
            is_beaten = state[k] == 0 && rank[k] > rank[i];
            k++;
        }
    }
    is_highest = !is_beaten;
    """,
    "highest_undecided",
)
_DECIDE = ElementwiseKernel(
    "int64 first, int64 end, raw int32 is_highest, raw int64 counts",
    "int8 state",
    """
    const long long before = first > 0 ? counts[first - 1] : 0;
    if (state == 0) state = is_highest[i] ? 1 : counts[end - 1] > before ? 2 : 0;
    """,
    "decided_peaks",
)
# Relation of an element to `order` neighbours on both sides, which `step` elements lie apart.
_EXTREMA = ElementwiseKernel(
    "raw T x, I n, I step, I order, bool is_wrapped, int32 relation",
    "bool is_extremum",
    """
    const I at = step * n == (I)_ind.size() && step == 1 ? (I)i : (I)i / step % n;
    const T value = x[i];
    is_extremum = true;
    #pragma unroll 1
    for (I k = 1; k <= order && is_extremum; k++) {
        const I far = is_wrapped ? k % n : min(k, n);
        const I after = at + far < n ? at + far : is_wrapped ? at + far - n : n - 1;
        const I before = at >= far ? at - far : is_wrapped ? at - far + n : 0;
        const T a = x[i + (ptrdiff_t)(after - at) * step];
        const T b = x[i + (ptrdiff_t)(before - at) * step];
        is_extremum = relation == 0   ? value > a && value > b
                      : relation == 1 ? value < a && value < b
                      : relation == 2 ? value >= a && value >= b
                                      : value <= a && value <= b;
    }
    """,
    "relative_extrema",
)
_RELATIONS = {
    relation: i
    for i, name in enumerate(("greater", "less", "greater_equal", "less_equal"))
    for relation in (getattr(um, name), getattr(np, name))
}
_ROUNDS = 4  # between two looks at whether all peaks are decided


# ---- arguments -----------------------------------------------------------------------------------


def _signal(x: Any) -> ndarray:
    """The samples in float32 or float64."""
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    if x.dtype.kind == "c":
        x = x.real
    return x if x.dtype.char in "fd" else x.astype(float)


def _border(value: Any, x: ndarray, peaks: ndarray, side: str) -> Any:
    """A border of an interval: a number, which reductions give as an array without axes, or those
    of an array at the peaks.
    """
    if isinstance(value, (list, tuple)):
        value = asarray(value)
        if value.shape not in ((), (1,), peaks.shape):
            raise ValueError(f"the {side} interval border has shape {value.shape}")
        return value
    if not isinstance(value, (np.ndarray, ndarray)):
        return value
    if isinstance(value, ndarray) and value.ndim == 0:
        return value
    if value.size != x.size:
        raise ValueError(f"array size of {side} interval border must match x")
    return asarray(value)[peaks]


def _interval(given: Any, x: ndarray, peaks: ndarray) -> tuple[Any, Any]:
    """(least, largest) of a condition: a number, an array, or a pair of them."""
    try:
        low, high = given
    except (TypeError, ValueError):
        low, high = given, None
    return _border(low, x, peaks, "lower"), _border(high, x, peaks, "upper")


def _within(values: ndarray, low: Any, high: Any) -> Any:
    keep: Any = True
    if low is not None:
        keep = low <= values
    if high is not None:
        keep = um.logical_and(keep, values <= high)
    return keep


def _window(wlen: Any) -> int:
    """Half the window of a prominence, or -1."""
    if wlen is None:
        return -1
    if not wlen > 1:
        raise ValueError(f"`wlen` must be larger than 1, was {shown(wlen)}")
    return math.ceil(wlen) // 2


def _positions(peaks: Any) -> ndarray:
    peaks = as_array(peaks) if not isinstance(peaks, np.ndarray) else asarray(peaks)
    if peaks.size == 0:
        return empty(0, np.int64)
    if peaks.dtype.kind not in "iub" or peaks.dtype == np.uint64:
        raise TypeError("cannot safely cast `peaks` to dtype('intp')")
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    return peaks.astype(np.int64, copy=False)


# ---- plateaus ------------------------------------------------------------------------------------


def _local_maxima(x: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """(middle, first, last sample) of each plateau that both neighbours lie below."""
    n = x.size
    if n < 3:
        none = empty(0, np.int64)
        return none, none, none
    last = empty(n, np.int32 if n < 2**31 - 1 else np.int64)
    last = um.minimum.accumulate(_RUN_ENDS(x, n, last))
    flags = empty(n, bool)
    left = flatnonzero(_RISES(x, last, n, flags))
    right = last[n - 1 - left].astype(np.int64)
    return (left + right) // 2, left, right


class _Pyramid:
    """Least and largest samples of blocks of 64 and of 4096."""

    def __init__(self, x: ndarray) -> None:
        self.x = x
        low, high = self._halved(x, x)
        self.arrays = (x, low, high, *self._halved(low, high))

    @staticmethod
    def _halved(low: ndarray, high: ndarray) -> tuple[ndarray, ndarray]:
        count = -(-low.size // 64)
        return _BLOCKS(low, high, low.size, empty(count, low.dtype), empty(count, low.dtype))

    def prominences(self, peaks: ndarray, half: int) -> tuple[ndarray, ndarray, ndarray]:
        """(prominences, left bases, right bases)."""
        return _PROMINENCES(peaks, *self.arrays, self.x.size, half)

    def widths(self, peaks: ndarray, part: float, data: tuple) -> tuple:
        """(widths, heights, left ends, right ends)."""
        if part < 0:
            raise ValueError("`rel_height` must be greater or equal to 0.0")
        return _WIDTHS(peaks, *data, *self.arrays, self.x.size, float(part))


# ---- distances -----------------------------------------------------------------------------------


def _far_enough(peaks: ndarray, heights: ndarray, distance: int) -> ndarray:
    """Which peaks stay when from the highest on each removes its neighbours within a distance."""
    n = peaks.size
    if n == 0:
        return empty(0, bool)
    rank = empty(n, np.int64)
    rank[heights.argsort()] = arange(n)
    first = peaks.searchsorted(peaks - distance, side="right")
    end = peaks.searchsorted(peaks + distance, side="left")
    state = zeros(n, np.int8)
    while True:
        for _ in range(_ROUNDS):
            tops = _TOPS(rank, state, n, empty(-(-n // 64), np.int64))
            highest = _HIGHEST(first, end, rank, state, tops)
            _DECIDE(first, end, highest, highest.cumsum(dtype=np.int64), state)
        if not bool((state == 0).any()):
            return state == 1


# ---- functions -----------------------------------------------------------------------------------


class _Found:
    """Peaks with their properties, and which of them meet all conditions so far."""

    properties: dict[str, ndarray]
    keep: Any

    def __init__(self, peaks: ndarray) -> None:
        self.peaks, self.properties, self.keep = peaks, {}, True

    def add(self, **properties: ndarray) -> None:
        self.properties.update(properties)

    def demand(self, keep: Any) -> None:
        if keep is not True:
            self.keep = keep if self.keep is True else um.logical_and(self.keep, keep)

    def select(self) -> None:
        """Leave out what does not meet the conditions."""
        if self.keep is not True:
            which = flatnonzero(self.keep)
            self.peaks = self.peaks[which]
            self.properties = {name: p[which] for name, p in self.properties.items()}
            self.keep = True


def find_peaks(
    x,
    height=None,
    threshold=None,
    distance=None,
    prominence=None,
    width=None,
    wlen=None,
    rel_height=0.5,
    plateau_size=None,
) -> tuple[ndarray, dict[str, ndarray]]:
    """Find local maxima that meet conditions.

    Waits for the number of maxima and that of the result; `distance` also waits for each four
    rounds of its selection, some five for noise.

    Parameters
    ----------
    x : array_like
        Samples of the signal, along one axis.
    height : number, array_like or pair of them, optional
        Least height, or least and largest height; an array has a value for each sample.
    threshold : number, array_like or pair of them, optional
        Least difference from both neighbours, or least and largest one.
    distance : number, optional
        Least distance of two peaks in samples: lower ones are removed first.
    prominence : number, array_like or pair of them, optional
        Least prominence, or least and largest one.
    width : number, array_like or pair of them, optional
        Least width in samples, or least and largest one.
    wlen : int, optional
        Number of samples around a peak in which its prominence is computed.
    rel_height : float, optional
        Part of the prominence at which widths are measured.
    plateau_size : number, array_like or pair of them, optional
        Least number of equal samples at the top, or least and largest one.

    Returns
    -------
    peaks : ndarray
        Positions of the peaks; the middle of a plateau.
    properties : dict
        Arrays of what the conditions needed, by SciPy's names.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> x = cp.array([0.0, 1.0, 0.0, 3.0, 3.0, 0.0])
    >>> signal.find_peaks(x)[0]
    array([1, 3])
    """
    x = _signal(x)
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    peaks, left, right = _local_maxima(x)
    found = _Found(peaks)
    if plateau_size is not None:
        found.add(plateau_sizes=right - left + 1, left_edges=left, right_edges=right)
        found.demand(_within(right - left + 1, *_interval(plateau_size, x, peaks)))
    if height is not None:
        found.add(peak_heights=x[peaks].astype(float))
        found.demand(_within(x[peaks], *_interval(height, x, peaks)))
    if threshold is not None:
        _by_threshold(found, x, threshold)
    if distance is not None:
        found.select()
        found.demand(_far_enough(found.peaks, x[found.peaks], math.ceil(distance)))
    if prominence is not None or width is not None:
        _by_prominence(found, x, prominence, width, wlen, rel_height)
    found.select()
    return found.peaks, found.properties


def _by_threshold(found: _Found, x: ndarray, threshold: Any) -> None:
    peaks = found.peaks
    left, right = ((x[peaks].astype(float) - x[peaks + k]) for k in (-1, 1))
    low, high = _interval(threshold, x, peaks)
    found.add(left_thresholds=left, right_thresholds=right)
    if low is not None:
        found.demand(low <= um.minimum(left, right))
    if high is not None:
        found.demand(um.maximum(left, right) <= high)


def _by_prominence(found: _Found, x, prominence, width, wlen, rel_height) -> None:
    half = _window(wlen)
    if found.keep is not True:  # few peaks are left, as a rule
        found.select()
    pyramid = _Pyramid(x) if x.size else None
    peaks = found.peaks
    data = pyramid.prominences(peaks, half) if pyramid else (empty(0), peaks, peaks)
    found.add(prominences=data[0], left_bases=data[1], right_bases=data[2])
    if prominence is not None:
        found.demand(_within(data[0], *_interval(prominence, x, peaks)))
    if width is not None:
        names = ("widths", "width_heights", "left_ips", "right_ips")
        sizes = pyramid.widths(peaks, rel_height, data) if pyramid else (empty(0),) * 4
        found.add(**dict(zip(names, sizes, strict=True)))
        found.demand(_within(sizes[0], *_interval(width, x, peaks)))


def peak_prominences(x, peaks, wlen=None) -> tuple[ndarray, ndarray, ndarray]:
    """Compute how far peaks stand out from what surrounds them.

    Positions beyond the signal count as its ends, and a prominence of zero gives no warning, since
    looking at either would wait for the device.

    Parameters
    ----------
    x : array_like
        Samples of the signal, along one axis.
    peaks : array_like of int
        Positions of the peaks.
    wlen : int, optional
        Number of samples around a peak that are looked at; by default all.

    Returns
    -------
    prominences : ndarray
        Height above the higher of both bases.
    left_bases, right_bases : ndarray
        Positions of the least samples on both sides, before one above the peak.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.peak_prominences(cp.array([0.0, 2.0, 1.0, 3.0, 0.0]), cp.array([1, 3]))[0]
    array([1., 3.])
    """
    x, peaks = _signal(x), _positions(peaks)
    half = _window(wlen)
    if peaks.size == 0 or x.size == 0:
        return empty(0), empty(0, np.int64), empty(0, np.int64)
    return _Pyramid(x).prominences(peaks, half)


@documented_as(peak_prominences)
def peak_widths(
    x, peaks, rel_height=0.5, prominence_data=None, wlen=None
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Compute how wide peaks are.

    Parameters
    ----------
    rel_height : float, optional
        Part of the prominence at which widths are measured.
    prominence_data : tuple of ndarray, optional
        What `peak_prominences` returned for the same peaks.

    Returns
    -------
    widths : ndarray
        Widths in samples.
    width_heights : ndarray
        Heights at which they are measured.
    left_ips, right_ips : ndarray
        Interpolated positions of both ends.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.peak_widths(cp.array([0.0, 2.0, 1.0, 3.0, 0.0]), cp.array([3]))[0]
    array([1.25])
    """
    x, peaks = _signal(x), _positions(peaks)
    half = _window(wlen)
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    if peaks.size == 0 or x.size == 0:
        return empty(0), empty(0), empty(0), empty(0)
    pyramid = _Pyramid(x)
    if prominence_data is None:
        prominence_data = pyramid.prominences(peaks, half)
    data = tuple(asarray(a) for a in prominence_data)
    if any(a.shape != peaks.shape for a in data):
        raise ValueError("arrays in `prominence_data` must have the same shape as `peaks`")
    return pyramid.widths(peaks, rel_height, data)


def argrelextrema(data, comparator, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Find elements that compare with all their neighbours along an axis.

    Waits for the number of elements found.

    Parameters
    ----------
    data : array_like
        Array whose elements are compared.
    comparator : callable
        Function of two arrays that returns an array of bool, such as `gpunp.greater`.
    axis : int, optional
        Axis along which neighbours lie.
    order : int, optional
        Number of neighbours on each side.
    mode : {"clip", "wrap"}, optional
        What stands beyond the ends: the last element, or the other end.

    Returns
    -------
    tuple of ndarray
        Positions of the elements along each axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.argrelextrema(cp.array([2, 1, 2, 3, 2, 0, 1, 0]), cp.greater)[0]
    array([3, 6])
    """
    order = operator.index(order)
    if order < 1:
        raise ValueError("Order must be an int >= 1")
    data = as_array(data)
    axis = index_of_axis(axis, data.ndim)
    n = data.shape[axis]
    relation = _relation(comparator)
    if relation is not None and mode in ("clip", "wrap") and data.dtype.kind in "biuf":
        small = data.size < 2**31 - 1 and order < 2**30
        step = math.prod(data.shape[axis + 1 :])
        sizes = map(np.int32 if small else np.int64, (n, step, order))
        return _EXTREMA(data, *sizes, mode == "wrap", relation, empty(data.shape, bool)).nonzero()
    places = arange(n)
    keep: Any = True
    for shift in range(1, min(order, max(n, 1)) + 1):  # farther neighbours are among these
        for step in (shift, -shift):
            other = data.take(places + step, axis=axis, mode=mode)
            keep = um.logical_and(keep, comparator(data, other))
    return keep.nonzero()


def _relation(comparator: Any) -> int | None:
    """The number of a relation that the kernel knows."""
    try:
        return _RELATIONS.get(comparator)
    except TypeError:  # callables need not be hashable
        return None


@documented_as(argrelextrema)
def argrelmax(data, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Find elements that are greater than all their neighbours along an axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.argrelmax(cp.array([2, 1, 2, 3, 2, 0, 1, 0]))[0]
    array([3, 6])
    """
    return argrelextrema(data, um.greater, axis, order, mode)


@documented_as(argrelextrema)
def argrelmin(data, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Find elements that are less than all their neighbours along an axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.argrelmin(cp.array([2, 1, 2, 3, 2, 0, 1, 0]))[0]
    array([1, 5])
    """
    return argrelextrema(data, um.less, axis, order, mode)
