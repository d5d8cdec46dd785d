"""Spectra of signals: frames in one launch, a batched transform, powers and their mean in one more.

The frames of an average are taken in parts, so that they need no more than twice the memory of the
signal however much they overlap.
"""

import math
import operator
from typing import Any, NamedTuple

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core._signals import frames as _frames
from ..._core._signals import harmonics as _harmonics
from ..._core._warnings import warn
from ..._core.multiarray import (
    arange,
    asarray,
    ascontiguousarray,
    empty,
    ndarray,
    result_type,
)
from ..._core.numeric import moveaxis, ones, roll
from ..._core.raw import ElementwiseKernel, ReductionKernel
from ...lib._arraypad_impl import pad
from ...lib._function_base_impl import angle, unwrap
from ...lib._quantile_impl import median
from ...lib._stride_tricks_impl import broadcast_to, sliding_window_view
from .. import fft as _fft
from ._host import by_scipy, host_coefficients
from .windows import get_window

__all__ = [
    "check_COLA",
    "check_NOLA",
    "closest_STFT_dual_window",
    "coherence",
    "csd",
    "istft",
    "lombscargle",
    "periodogram",
    "spectrogram",
    "stft",
    "vectorstrength",
    "welch",
]

_LONGEST_FRAME = 1 << 15  # longer ones are many blocks' work, and are taken one operation at a time
_TRENDS = {"c": 1, "constant": 1, "l": 2, "linear": 2}
_FLAT = ("boxcar", "box", "ones", "rect", "rectangular")
_BOUNDARIES = ("even", "odd", "constant", "zeros", None)

# Sum of |z|^2 over frames, and of conj(x) y.
_POWER = ReductionKernel(
    "T z",
    "float64 p",
    "(double)z.real() * z.real() + (double)z.imag() * z.imag()",
    "a + b",
    "p = a",
    "0",
    "power_sum",
)
_CROSS = ReductionKernel(
    "T x, T y",
    "complex128 p",
    "conj(complex<double>(x)) * complex<double>(y)",
    "a + b",
    "p = a",
    "complex<double>(0)",
    "cross_power_sum",
)
# Two sums over a window, which may stand for itself several times: of its squares for densities, of
# itself for spectra; the scale is in `s`.
_SCALE = ReductionKernel(
    "T w, float64 fs, bool density, float64 times",
    "float64 s",
    "part(complex<double>(w), density)",
    "a + b",
    "s = density ? 1 / (fs * times * a.real())"
    " : 1 / (times * times * (a.real() * a.real() + a.imag() * a.imag()))",
    "complex<double>(0)",
    "window_scale",
    reduce_type="complex<double>",
    preamble="""
    __device__ complex<double> part(complex<double> w, bool density)
    {
        return density ? complex<double>(w.real() * w.real() + w.imag() * w.imag(), 0) : w;
    }
    """,
)
_SCALED_WINDOW = ElementwiseKernel(
    "W w, raw float64 scale",
    "R y",
    "y = R(scaled(w, sqrt(scale[0])))",
    "scaled_window",
    preamble="""
    __device__ double scaled(double w, double by) { return w * by; }
    template <typename F>
    __device__ complex<double> scaled(complex<F> w, double by)
    {
        return complex<double>(w.real() * by, w.imag() * by);
    }
    """,
)
# Frequencies and times; from `middle` on the numbers of points are negative.
_GRID = ElementwiseKernel(
    "float64 step, float64 offset, float64 divisor, int64 middle, int64 n",
    "float64 y",
    "y = ((i < middle ? i : i - n) * step + offset) / divisor",
    "grid",
)
_COHERENCE = ElementwiseKernel(
    "complex128 z, float64 p, float64 q",
    "R c",
    "c = (R)((z.real() * z.real() + z.imag() * z.imag()) / p / q)",
    "coherence",
)
# The mean of unit vectors that turn once in a period.
_TURNS = ReductionKernel(
    "T event, float64 period",
    "complex128 mean",
    "unit(event / period)",
    "a + b",
    "mean = a / complex<double>((double)(_in_ind.size() / _out_ind.size()))",
    "complex<double>(0)",
    "mean_turns",
    preamble="""
    __device__ complex<double> unit(double turns)
    {
        double s, c;
        sincospi(2 * turns, &s, &c);
        return complex<double>(c, s);
    }
    """,
)
# A density or spectrum of sums of powers; frequencies that stand for two count twice.
_SCALED = ElementwiseKernel(
    "P p, raw float64 scale, float64 factor, int64 n, int64 last, bool is_doubled",
    "R y",
    """
    const ptrdiff_t k = i % n;
    y = (R)(p * (scale[0] * factor * (is_doubled && k > 0 && k <= last ? 2 : 1)));
    """,
    "scaled_power",
)
_SQUARED = ElementwiseKernel(
    "T z, raw float64 scale, int64 n, int64 last, bool is_doubled",
    "R y",
    """
    const ptrdiff_t k = i % n;
    const R factor = (R)(scale[0] * (is_doubled && k > 0 && k <= last ? 2 : 1));
    y = (z.real() * z.real() + z.imag() * z.imag()) * factor;
    """,
    "scaled_square",
)
# Frames times a window, added where they overlap: each sample gathers its frames in order.
_OVERLAP = ElementwiseKernel(
    "raw T frames, raw W window, raw float64 scale, int64 n, int64 count, int64 size, int64 pitch,"
    " int64 hop, int64 start, bool is_divided",
    "T x",
    """
    const ptrdiff_t row = i / n, at = i - row * n + start;
    ptrdiff_t k = at < size ? 0 : (at - size) / hop + 1;
    T sum = 0;
    W squares = 0;
    #pragma unroll 1
    for (; k < count && k * hop <= at; k++) {
        const W w = window[at - k * hop];
        sum += frames[(row * count + k) * pitch + at - k * hop] * w;
        squares += w * w;
    }
    x = sum * W(1 / sqrt(scale[0]));
    if (is_divided && abs(squares) > 1e-10) x /= squares;  // W may be complex
    """,
    "overlap_add",
)


# ---- arguments -----------------------------------------------------------------------------------


class Segments(NamedTuple):
    """How a signal is cut into frames."""

    window: ndarray  # with `size` points
    size: int
    overlap: int
    padded: int  # length of the transform
    trend: Any  # number of enum FrameTrend, or a function

    @property
    def hop(self) -> int:
        """Distance between the beginnings of two frames."""
        return self.size - self.overlap

    def count(self, n: int) -> int:
        """Number of frames within n samples."""
        return max((n - self.overlap) // self.hop, 0)


def signal_type(*arrays: Any) -> np.dtype:
    """Floating or complex type in which signals are transformed."""
    kind = result_type(*arrays, np.complex64)
    if any(a.dtype.kind == "c" for a in arrays):
        return kind
    return np.dtype("f4" if kind == np.complex64 else "f8")


def _is_flat(window: ndarray) -> bool:
    """Whether a window is ones, of which there is one in memory."""
    return window.strides == (0,)


def _trend(detrend: Any) -> Any:
    if detrend is None or detrend is False:
        return 0
    if callable(detrend):
        return detrend
    if not isinstance(detrend, str) or detrend not in _TRENDS:
        raise ValueError(f"Trend type must be 'linear' or 'constant', not {shown(detrend)}")
    return _TRENDS[detrend]


def _window(window: Any, size: Any, n: int) -> tuple[ndarray, int]:
    """(window, its number of points): by name, or as it is given."""
    if isinstance(window, (str, tuple)):
        size = 256 if size is None else size
        name = window if isinstance(window, str) else window[0] if len(window) == 1 else None
        if size > n:
            warn(
                f"nperseg = {size} is greater than input length {n}, using nperseg = {n}",
                UserWarning,
            )
            size = n
        if name in _FLAT:  # one element, so that a window of a whole signal needs no memory
            return broadcast_to(ones(1), (size,)), size
        return get_window(window, size), size
    win = asarray(window)
    if win.ndim != 1:
        raise ValueError(f"window must be 1-D, not of shape {win.shape}")
    if n < win.size:
        raise ValueError("window is longer than input signal")
    if size is not None and size != win.size:
        raise ValueError("value specified for nperseg is different from length of window")
    return win, win.size


def segments(window, nperseg, noverlap, nfft, detrend, n: int, part: int = 2) -> Segments:
    """The frames of n samples, from the arguments of a function as SciPy's; the overlap is one
    part in `part` of the frame where none is given."""
    if nperseg is not None:
        if isinstance(nperseg, float) and not math.isfinite(nperseg):
            raise ValueError(f"nperseg must be a positive integer, not {nperseg}")
        nperseg = operator.index(int(nperseg))
        if nperseg < 1:
            raise ValueError(f"nperseg must be a positive integer, not {nperseg}")
    win, size = _window(window, nperseg, n)
    overlap = size // part if noverlap is None else int(noverlap)
    if overlap >= size:
        raise ValueError(f"noverlap={overlap} must be less than nperseg={size}")
    padded = size if nfft is None else _whole_or_less(nfft)
    if padded < size:
        raise ValueError(f"nfft={padded} must be greater than or equal to nperseg={size}")
    if padded >= 2**63:
        raise ValueError(f"nfft={padded} is more than an array can have")
    return Segments(win, size, overlap, padded, _trend(detrend))


def _whole_or_less(length: Any) -> int:
    """A length as an int: minus infinity is less than any other."""
    return -1 if length == -math.inf else int(length)


def _check_scaling(scaling: Any) -> bool:
    """Whether results are densities."""
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Unknown scaling: {shown(scaling)}")
    return scaling == "density"


# ---- frames --------------------------------------------------------------------------------------


def _check_rate(fs: Any) -> None:
    if not fs > 0:
        raise ValueError(f"the sampling rate fs must be positive, not {shown(fs)}")


def _without_trend(views: ndarray, trend: int) -> ndarray:
    if trend == 0:
        return views
    n = views.shape[-1]
    rest = views - views.mean(axis=-1, keepdims=True)
    if trend == 2 and n > 1:
        ramp = (arange(n) - (n - 1) / 2).astype(rest.real.dtype)
        slope = (rest * ramp).sum(axis=-1, keepdims=True) / (n * (n * n - 1) / 12)
        rest = rest - slope * ramp
    return rest


def framed(x: ndarray, s: Segments, first: int, count: int, shift: int = 0) -> ndarray:
    """Frames of the rows of `x`, the first of which begins at a sample before or after its first.

    Beyond the ends are zeros. The result has `padded` points a frame, rotated by `shift`.
    """
    if callable(s.trend) or s.padded > _LONGEST_FRAME:
        return _framed_by_steps(x, s, first, count, shift)
    window = ascontiguousarray(s.window, x.dtype)
    out = empty((x.shape[0], count, s.padded), x.dtype)
    _frames(x, window, out, first, s.hop, s.trend, shift)
    return out


def _framed_by_steps(x, s: Segments, first: int, count: int, shift: int) -> ndarray:
    end = first + (count - 1) * s.hop + s.size
    before, after = max(-first, 0), max(end - x.shape[1], 0)
    if before or after:
        x = pad(x, ((0, 0), (before, after)))
    whole = x[:, first + before : end + before]
    views = sliding_window_view(whole, s.size, axis=1)[:, :: s.hop]
    rest = s.trend(views) if callable(s.trend) else _without_trend(views, s.trend)
    if _is_flat(s.window):
        out = rest.copy() if rest is views or callable(s.trend) else rest
    else:
        window = s.window.astype(x.dtype, copy=False)
        out = (rest * window).astype(result_type(rest, x.dtype), copy=False)
    if s.padded > s.size:
        out = pad(out, ((0, 0), (0, 0), (0, s.padded - s.size)))
    if shift:
        out = roll(out, -shift, axis=-1)
    return out


def spectra(frames: ndarray, is_onesided: bool) -> ndarray:
    """Transforms along the last axis; the frames may be overwritten."""
    if is_onesided:
        return _fft.rfft(frames, overwrite_x=True)
    return _fft.fft(frames, overwrite_x=True)


def _rows(x: ndarray, kind: Any) -> ndarray:
    """The lines along the last axis as rows of a C-contiguous matrix."""
    return ascontiguousarray(x.reshape(-1, x.shape[-1]).astype(kind, copy=False))


def _frequencies(n: int, fs: float, is_onesided: bool) -> ndarray:
    count = n // 2 + 1 if is_onesided else n
    middle = count if is_onesided else (n + 1) // 2
    step = 1.0 / (n * (1 / float(fs)))
    return _GRID(step, 0.0, 1.0, middle, n, empty(count))


# ---- averages ------------------------------------------------------------------------------------


def _median_bias(n: int) -> float:
    """Expectation of the median of n powers of noise, in units of their mean."""
    twice = 2 * np.arange(1.0, (n - 1) // 2 + 1)
    return 1 + float((1 / (twice + 1) - 1 / twice).sum())


def _parts(s: Segments, n: int, count: int):
    """Ranges of frames that need twice the memory of the signal at most."""
    step = max(2 * n // s.padded, 1)
    return [(k, min(k + step, count)) for k in range(0, count, step)]


def _sums(rows: list[ndarray], s: Segments, onesided: bool, pairs: list[tuple[int, int]]) -> list:
    """Sums over all frames of the products of spectra; `pairs` says of which signals."""
    n = rows[0].shape[1]
    totals: list[Any] = [None] * len(pairs)
    for first, end in _parts(s, n, s.count(n)):
        parts = [spectra(framed(x, s, first * s.hop, end - first), onesided) for x in rows]
        for at, (j, k) in enumerate(pairs):
            made = _POWER(parts[j], axis=1) if j == k else _CROSS(parts[j], parts[k], axis=1)
            totals[at] = made if totals[at] is None else um.add(totals[at], made, out=made)
    return totals


def _medians(rows: list[ndarray], s: Segments, onesided: bool) -> ndarray:
    n = rows[0].shape[1]
    count = s.count(n)
    both = [spectra(framed(x, s, 0, count), onesided) for x in rows]
    if len(both) == 1:
        z = both[0]
        return median(z.real * z.real + z.imag * z.imag, axis=1) / _median_bias(count)
    product = um.conj(both[0]) * both[1]
    middle = median(product.real, axis=1) + 1j * median(product.imag, axis=1)
    return middle / _median_bias(count)


def _scale(s: Segments, fs: float, density: bool) -> ndarray:
    window, times = (s.window[:1], s.size) if _is_flat(s.window) else (s.window, 1)
    return _SCALE(window, float(fs), density, float(times))


def _finished(p: ndarray, s: Segments, scale, factor, onesided: bool, kind: Any) -> ndarray:
    last = (s.padded - 1) // 2
    out = empty(p.shape, kind)
    return _SCALED(p, scale, factor, p.shape[-1], last, onesided, out)


def _signals(x: Any, y: Any, axis: int) -> tuple[list[ndarray], Any, int]:
    """([x] or [x, y] with the axis last and of equal shapes, type, axis of the results)."""
    x = as_array(x)
    axis = normalize_axis_index(axis, x.ndim)
    arrays = [moveaxis(x, axis, -1)]
    if y is not None:
        y = as_array(y)
        arrays.append(moveaxis(y, normalize_axis_index(axis - x.ndim, y.ndim), -1))
    kind = signal_type(*arrays)
    if len(arrays) == 2:
        n = max(a.shape[-1] for a in arrays)
        if min(a.size for a in arrays):
            arrays = [_lengthened(a, n) for a in arrays]
        outer = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        arrays = [broadcast_to(a, (*outer, a.shape[-1])) for a in arrays]
        axis += arrays[0].ndim - x.ndim  # of a result with more axes than `x`
    return arrays, kind, axis


def _lengthened(a: ndarray, n: int) -> ndarray:
    short = n - a.shape[-1]
    return pad(a, [(0, 0)] * (a.ndim - 1) + [(0, short)]) if short else a


def _empty_result(arrays: list[ndarray], axis: int) -> tuple[ndarray, ndarray]:
    least = min(a.shape[-1] for a in arrays)
    shape = (*arrays[0].shape[:-1], least)
    return tuple(moveaxis(empty(shape), -1, axis) for _ in range(2))  # type: ignore[return-value]


def _density(x, y, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis, average):
    """The mean or median of the products of spectra."""
    arrays, kind, axis = _signals(x, y, axis)
    if any(a.size == 0 for a in arrays):
        return _empty_result(arrays, axis)
    density = _check_scaling(scaling)
    _check_rate(fs)
    if average not in ("mean", "median"):
        raise ValueError(f'average must be "median" or "mean", got {shown(average)}')
    s = segments(window, nperseg, noverlap, nfft, detrend, arrays[0].shape[-1])
    onesided = bool(onesided) and kind.kind != "c"
    if onesided and s.window.dtype.kind == "c":
        raise ValueError("one-sided spectra of complex windows do not exist")
    if s.window.dtype.kind == "c":
        kind = result_type(kind, np.complex64)
    rows = [_rows(a, kind) for a in arrays]
    result = np.dtype(kind.type(0).real.dtype if y is None else result_type(kind, np.complex64))
    scale = _scale(s, fs, density)
    if y is None and s.count(rows[0].shape[1]) == 1:
        p = _squared(spectra(framed(rows[0], s, 0, 1), onesided)[:, 0], s, scale, onesided)
    else:
        p = _averaged(rows, s, scale, onesided, result, average)
    p = p.reshape(*arrays[0].shape[:-1], p.shape[-1])
    return _frequencies(s.padded, fs, onesided), moveaxis(p, -1, axis)


def _squared(z: ndarray, s: Segments, scale: ndarray, onesided: bool) -> ndarray:
    """The powers of single spectra."""
    out = empty(z.shape, "f4" if z.dtype.char == "F" else "f8")
    return _SQUARED(z, scale, z.shape[-1], (s.padded - 1) // 2, onesided, out)


def _averaged(rows: list[ndarray], s: Segments, scale, onesided: bool, kind, average) -> ndarray:
    if average == "mean":
        p = _sums(rows, s, onesided, [(0, len(rows) - 1)])[0]
        factor = 1 / s.count(rows[0].shape[1])
    else:
        p, factor = _medians(rows, s, onesided), 1.0
    return _finished(p, s, scale, factor, onesided, kind)


def welch(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
) -> tuple[ndarray, ndarray]:
    """Compute a power spectrum as the average over overlapping frames.

    Parameters
    ----------
    x : array_like
        Samples of the signal; integers are computed in float64 or, where small, in float32.
    fs : float, optional
        Sampling rate, samples per unit of time.
    window : str, tuple or array_like, optional
        Window of the frames, as in `get_window`, or its values.
    nperseg : int, optional
        Number of samples of a frame; by default 256, or those of the window.
    noverlap : int, optional
        Number of samples that two frames share; by default half of them.
    nfft : int, optional
        Length of the transform; longer frames are filled with zeros.
    detrend : {"constant", "linear", None, False} or callable, optional
        What is subtracted from each frame: its mean, a line, or nothing. A function gets the
        frames along the last axis.
    return_onesided : bool, optional
        If True, spectra of real signals have frequencies from zero on only.
    scaling : {"density", "spectrum"}, optional
        Power per frequency, or power.
    axis : int, optional
        Axis of the samples.
    average : {"mean", "median"}, optional
        How frames are averaged; the median is divided by its bias.

    Returns
    -------
    f : ndarray
        Frequencies of the result.
    Pxx : ndarray
        Power of the signal at each of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> f, p = signal.welch(cp.sin(cp.arange(4096) * 0.5), fs=2 * cp.pi, nperseg=1024)
    >>> float(f[p.argmax()].round(2))
    0.5
    """
    return _density(
        x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
        average,
    )  # fmt: skip


@documented_as(welch)
def csd(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
) -> tuple[ndarray, ndarray]:
    """Compute the cross power spectrum of two signals as the average over overlapping frames.

    Parameters
    ----------
    y : array_like
        Samples of the other signal; the shorter of the two is filled with zeros.

    Returns
    -------
    f : ndarray
        Frequencies of the result.
    Pxy : ndarray
        Complex cross power: the conjugate of the first spectrum times the second one.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> f, p = signal.csd(cp.ones(100), cp.ones(100), nperseg=10, detrend=False)
    >>> p.shape
    (6,)
    """
    other = None if y is x else y  # whose result is real
    return _density(
        x, other, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
        average,
    )  # fmt: skip


@documented_as(welch)
def periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
) -> tuple[ndarray, ndarray]:
    """Compute the power spectrum of a whole signal.

    Parameters
    ----------
    nfft : int, optional
        Length of the transform; a longer signal is cut, a shorter one filled with zeros.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> f, p = signal.periodogram(cp.array([1.0, -1.0, 1.0, -1.0]))
    >>> p
    array([0., 0., 4.])
    """
    x = as_array(x)
    axis = normalize_axis_index(axis, x.ndim)
    if x.size == 0 or nfft == 0:
        return tuple(  # type: ignore[return-value]  # of two
            empty(tuple(0 if k == axis and x.size else n for k, n in enumerate(x.shape)))
            for _ in range(2)
        )
    window = "boxcar" if window is None else window
    size = x.shape[axis]
    if nfft is not None and nfft < size:
        x = x[tuple(slice(nfft) if k == axis else slice(None) for k in range(x.ndim))]
        size, nfft = nfft, None
    if not isinstance(window, (str, tuple)) and len(window) != size:
        raise ValueError(
            "the size of the window must be the same size of the input on the specified axis"
        )
    return welch(x, fs, window, size, 0, nfft, detrend, return_onesided, scaling, axis)


@documented_as(welch)
def coherence(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    axis=-1,
) -> tuple[ndarray, ndarray]:
    """Compute how far two signals depend on each other linearly, at each frequency.

    Parameters
    ----------
    y : array_like
        Samples of the other signal.

    Returns
    -------
    f : ndarray
        Frequencies of the result.
    Cxy : ndarray
        Squared magnitude of the cross power, divided by both powers: from 0 to 1.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> x = cp.random.default_rng(1).standard_normal(1000)
    >>> f, c = signal.coherence(x, 2 * x, nperseg=100)
    >>> bool(cp.allclose(c, 1))
    True
    """
    x, y = as_array(x), as_array(y)
    if x.ndim and y.ndim and x.shape[axis] != y.shape[axis]:
        options = (fs, window, nperseg, noverlap, nfft, detrend)
        f, both = csd(x, y, *options, axis=axis)
        return f, um.abs(both) ** 2 / (
            welch(x, *options, axis=axis)[1] * welch(y, *options, axis=axis)[1]
        )
    arrays, kind, axis = _signals(x, y, axis)
    if any(a.size == 0 for a in arrays):
        return _empty_result(arrays, axis)
    _check_rate(fs)
    s = segments(window, nperseg, noverlap, nfft, detrend, arrays[0].shape[-1])
    onesided = kind.kind != "c"
    rows = [_rows(a, kind) for a in arrays]
    first, second, both = _sums(rows, s, onesided, [(0, 0), (1, 1), (0, 1)])
    c = empty(both.shape, "f4" if kind.char in "fF" else "f8")
    _COHERENCE(both, first, second, c)
    c = c.reshape(*arrays[0].shape[:-1], c.shape[-1])
    return _frequencies(s.padded, fs, onesided), moveaxis(c, -1, axis)


# ---- short-time transforms -----------------------------------------------------------------------


def _extended(x: ndarray, n: int, boundary: str) -> ndarray:
    """`x` with n more samples at both ends of its last axis."""
    width = [(0, 0)] * (x.ndim - 1) + [(n, n)]
    if boundary == "constant":
        return pad(x, width, mode="edge")
    if n > x.shape[-1] - 1:
        raise ValueError(f"the extension of {n} samples is longer than the signal minus one")
    kind = "even" if boundary == "even" else "odd"
    return pad(x, width, mode="reflect", reflect_type=kind)


def _short_time(x, fs, s: Segments, onesided, boundary, padded, kind):
    """(times, spectra of shape (rows, frames, frequencies)) of the rows of a signal."""
    half = s.size // 2 if boundary is not None else 0
    first = -half if boundary == "zeros" else 0
    if half and boundary != "zeros":
        x = _extended(x, half, boundary)
    n = x.shape[-1] - 2 * first
    if padded:
        n += -(n - s.size) % s.hop
    count = s.count(n)
    z = spectra(framed(_rows(x, kind), s, first, count), onesided)
    middle = 0.0 if boundary is not None else s.size / 2
    times = _GRID(float(s.hop), middle, float(fs), count, 0, empty(count))
    return times, z


def _is_onesided(x: ndarray, s: Segments, wanted: bool) -> bool:
    is_complex = x.dtype.kind == "c" or s.window.dtype.kind == "c"
    if is_complex and wanted:
        warn("Input data is complex, switching to return_onesided=False", UserWarning)
    return bool(wanted) and not is_complex


@documented_as(welch)
def stft(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
) -> tuple[ndarray, ndarray, ndarray]:
    """Compute the spectra of overlapping frames; `ShortTimeFFT` has more choices.

    Parameters
    ----------
    boundary : {"zeros", "even", "odd", "constant", None}, optional
        How the signal goes on by half a frame at both ends.
    padded : bool, optional
        If True, zeros at the end complete the last frame.
    scaling : {"spectrum", "psd"}, optional
        Whether amplitudes are those of sines, or their squares are densities of power.

    Returns
    -------
    f : ndarray
        Frequencies of the result.
    t : ndarray
        Times of the middles of the frames.
    Zxx : ndarray
        Spectra: frequencies along `axis`, and frames along the last axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> f, t, z = signal.stft(cp.sin(cp.arange(1000.0)), nperseg=100)
    >>> z.shape
    (51, 21)
    """
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={shown(scaling)} not in ['spectrum', 'psd']!")
    if boundary not in _BOUNDARIES:
        raise ValueError(f"Unknown boundary option {shown(boundary)}, must be one of {_BOUNDARIES}")
    x = as_array(x)
    axis = normalize_axis_index(axis, x.ndim)
    if x.size == 0:
        return empty(x.shape), empty(x.shape), empty(x.shape)
    s = segments(window, nperseg, noverlap, nfft, detrend, x.shape[axis])
    return _stft(x, fs, s, return_onesided, boundary, padded, axis, scaling == "psd")


def _stft(x, fs, s: Segments, onesided, boundary, padded, axis, density):
    onesided = _is_onesided(x, s, onesided)
    kind = signal_type(x, s.window) if s.window.dtype.kind == "c" else signal_type(x)
    window = s.window if s.window.dtype.char in "fdFD" else s.window.astype(float)
    scaled = _SCALED_WINDOW(window, _scale(s, fs, density), empty(s.size, kind))
    times, z = _short_time(
        moveaxis(x, axis, -1), fs, s._replace(window=scaled), onesided, boundary, padded, kind
    )
    outer = tuple(n for k, n in enumerate(x.shape) if k != axis)
    z = moveaxis(z.reshape(*outer, *z.shape[1:]), -1, axis)
    return _frequencies(s.padded, fs, onesided), times, z


@documented_as(welch)
def spectrogram(
    x,
    fs=1.0,
    window=("tukey_periodic", 0.25),
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
) -> tuple[ndarray, ndarray, ndarray]:
    """Compute the powers of overlapping frames.

    Parameters
    ----------
    noverlap : int, optional
        Number of samples that two frames share; by default an eighth of them.
    mode : {"psd", "complex", "magnitude", "angle", "phase"}, optional
        What is returned of the spectra: power, themselves, magnitude, or phase, which "phase"
        makes continuous.

    Returns
    -------
    f : ndarray
        Frequencies of the result.
    t : ndarray
        Times of the middles of the frames.
    Sxx : ndarray
        Powers: frequencies along `axis`, and frames along the last axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> f, t, p = signal.spectrogram(cp.sin(cp.arange(1000.0)), nperseg=100)
    >>> p.shape
    (51, 11)
    """
    modes = ["psd", "complex", "magnitude", "angle", "phase"]
    if mode not in modes:
        raise ValueError(f"unknown value for mode {shown(mode)}, must be one of {modes}")
    x = as_array(x)
    axis = normalize_axis_index(axis, x.ndim)
    density = _check_scaling(scaling)
    s = segments(window, nperseg, noverlap, nfft, detrend, x.shape[axis], 8)
    if x.size == 0:
        return empty(x.shape), empty(x.shape), empty(x.shape)
    if mode == "psd":
        return _powers(x, fs, s, return_onesided, axis, density)
    f, t, z = _stft(x, fs, s, return_onesided, None, False, axis, density)
    if mode == "complex":
        return f, t, z
    if mode == "magnitude":
        return f, t, um.abs(z)
    phase = angle(z)
    return f, t, unwrap(phase, axis=-1) if mode == "phase" else phase


def _powers(x: ndarray, fs, s: Segments, onesided, axis, density):
    onesided = _is_onesided(x, s, onesided)
    kind = signal_type(x, s.window) if s.window.dtype.kind == "c" else signal_type(x)
    times, z = _short_time(moveaxis(x, axis, -1), fs, s, onesided, None, False, kind)
    out = _squared(z, s, _scale(s, fs, density), onesided)
    outer = tuple(n for k, n in enumerate(x.shape) if k != axis)
    p = moveaxis(out.reshape(*outer, *out.shape[1:]), -1, axis)
    return _frequencies(s.padded, fs, onesided), times, p


def overlapped(frames, window, scale, start: int, n: int, hop: int, is_divided: bool) -> ndarray:
    """Samples start to start + n of the sum of frames, each times the window over a scale's root.

    Frames have the shape (rows, count, points); with `is_divided` the sum of the squares of the
    window divides it, where that is not zero.
    """
    rows, count, pitch = frames.shape
    out = empty((rows, n), frames.dtype)
    return _OVERLAP(
        frames, window, scale, n, count, window.size, pitch, hop, start, is_divided, out
    )


def istft(
    Zxx,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
) -> tuple[ndarray, ndarray]:
    """Compute the signal whose `stft` is given.

    Samples that no frame contributes to are left as they are, without SciPy's warning, since
    looking at them would wait for the device.

    Parameters
    ----------
    Zxx : array_like
        Spectra of the frames.
    fs : float, optional
        Sampling rate, samples per unit of time.
    window : str, tuple or array_like, optional
        Window of the frames, as in `get_window`, or its values.
    nperseg : int, optional
        Number of samples of a frame; by default that of the spectra.
    noverlap : int, optional
        Number of samples that two frames share; by default half of them.
    nfft : int, optional
        Length of the transform.
    input_onesided : bool, optional
        If True, spectra have frequencies from zero on only.
    boundary : bool, optional
        If True, half a frame is cut off at both ends, which `stft` has added.
    time_axis : int, optional
        Axis of the frames.
    freq_axis : int, optional
        Axis of the frequencies.
    scaling : {"spectrum", "psd"}, optional
        Scaling of the spectra, as `stft` was given it.

    Returns
    -------
    t : ndarray
        Times of the samples.
    x : ndarray
        The signal, along the last axis or in place of `time_axis`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> x = cp.sin(cp.arange(1000.0))
    >>> _, again = signal.istft(signal.stft(x, nperseg=100)[2], nperseg=100)
    >>> bool(cp.allclose(again, x))
    True
    """
    z = as_array(Zxx)
    if z.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    time_axis, freq_axis = int(time_axis), int(freq_axis)
    times, rows = (normalize_axis_index(k, z.ndim) for k in (time_axis, freq_axis))
    if times == rows:
        raise ValueError("Must specify differing time and frequency axes!")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={shown(scaling)} not in ['spectrum', 'psd']!")
    frames = moveaxis(z, (times, rows), (-2, -1))
    s = _inverse_segments(frames.shape[-1], window, nperseg, noverlap, nfft, input_onesided)
    x = _inverted(frames, s, fs, bool(input_onesided), boundary, scaling == "psd")
    x = x.reshape(*frames.shape[:-2], x.shape[-1])
    if x.ndim > 1:
        x = moveaxis(x, -1, times - (rows < times))
    return _GRID(1.0, 0.0, float(fs), x.shape[0], 0, empty(x.shape[0])), x


def _inverse_segments(points: int, window, nperseg, noverlap, nfft, onesided) -> Segments:
    whole = 2 * (points - 1) if onesided else points
    size = whole if nperseg is None else int(nperseg)
    if size < 1:
        raise ValueError("nperseg must be a positive integer")
    padded = whole if nfft is None else _whole_or_less(nfft)
    if nfft is None and onesided and size == whole + 1:
        padded = size  # odd lengths are not known from the spectra
    if padded < size:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    overlap = size // 2 if noverlap is None else int(noverlap)
    if overlap >= size:
        raise ValueError("noverlap must be less than nperseg.")
    if isinstance(window, (str, tuple)):
        win = get_window(window, size)
    else:
        win = asarray(window)
        if win.ndim != 1:
            raise ValueError("window must be 1-D")
        if win.size != size:
            raise ValueError(f"window must have length of {size}")
    return Segments(win, size, overlap, padded, 0)


def _inverted(frames: ndarray, s: Segments, fs, onesided: bool, boundary, density: bool) -> ndarray:
    count = frames.shape[-2]
    z = frames.reshape(-1, count, frames.shape[-1])
    made = _fft.irfft(z, s.padded) if onesided else _fft.ifft(z, s.padded)
    window = s.window.astype(made.real.dtype)
    scale = _scale(s, fs, density)
    start = s.size // 2 if boundary else 0
    n = s.size + (count - 1) * s.hop - 2 * start
    return overlapped(made, window, scale, start, max(n, 0), s.hop, True)


# ---- windows that can be inverted ----------------------------------------------------------------


@by_scipy("bool\n    Whether the condition holds.")
def check_COLA(window, nperseg, noverlap, tol=1e-10) -> bool:  # type: ignore[empty-body]
    """Check that overlapping windows add up to a constant.

    window : str, tuple or array_like
        Window of the frames, as in `get_window`, or its values.

    nperseg : int
        Number of samples of a frame.

    noverlap : int
        Number of samples that two frames share.

    tol : float, optional
        Largest deviation of a sum from the median.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> bool(signal.check_COLA("hann", 120, 60))
    True
    """


@by_scipy("bool\n    Whether the condition holds.")
def check_NOLA(window, nperseg, noverlap, tol=1e-10) -> bool:  # type: ignore[empty-body]
    """Check that the squares of overlapping windows add up to more than zero everywhere.

    window : str, tuple or array_like
        Window of the frames, as in `get_window`, or its values.

    nperseg : int
        Number of samples of a frame.

    noverlap : int
        Number of samples that two frames share.

    tol : float, optional
        Least sum that counts as more than zero.
    """


@by_scipy(
    """dual_win : ndarray
    Dual window, on the device.
alpha : float
    Factor of the wanted window that brings it closest."""
)
def closest_STFT_dual_window(  # type: ignore[empty-body]
    win, hop, desired_dual=None, *, scaled=True
) -> tuple:
    """Compute the dual window that is closest to a wanted one.

    win : array_like
        Window of the transform.

    hop : int
        Distance between two frames in samples.

    desired_dual : array_like, optional
        Wanted dual window; by default ones.

    scaled : bool, optional
        If True, the wanted window may be multiplied by a factor.
    """


# ---- points in time ------------------------------------------------------------------------------

# Least squares from the sums of `harmonics`, in the notation of Zechmeister & Kürster, "The
# generalised Lomb-Scargle periodogram", A&A 496 (2009): a and b belong to axes in which cosine and
# sine are orthogonal.
_PERIODOGRAM = ElementwiseKernel(
    "raw float64 sums, raw float64 total, int64 n, float64 factor, int32 form, bool has_mean",
    "R p",
    """
    const double w = 1 / total[0], y = total[1] * w;
    double cc = sums[i] * w, cs = sums[n + i] * w;
    double yc = sums[2 * n + i] * w, ys = sums[3 * n + i] * w, ss = 1 - cc, yy = total[2] * w;
    if (has_mean) {
        const double c = sums[4 * n + i] * w, s = sums[5 * n + i] * w;
        cc -= c * c, ss -= s * s, cs -= c * s, yc -= y * c, ys -= y * s, yy -= y * y;
    }
    const double tau = 0.5 * atan2(2 * cs, cc - ss), ct = cos(tau), st = sin(tau);
    const double along = yc * ct + ys * st, across = ys * ct - yc * st;
    const double least = 1.1102230246251565e-16;
    const double a = along / max(cc * ct * ct + 2 * cs * ct * st + ss * st * st, least);
    const double b = across / max(cc * st * st - 2 * cs * ct * st + ss * ct * ct, least);
    p = result<R>(a, b, ct, st, (a * along + b * across) * (form == 1 ? 1 / yy : factor));
    """,
    "lombscargle",
    preamble="""
    template <typename R>
    __device__ R result(double a, double b, double ct, double st, double power)
    {
        if constexpr (sizeof(R) == 16) return R(a * ct - b * st, a * st + b * ct);
        else return power;
    }
    """,
)
_FORMS = {"power": 0, "normalize": 1, "amplitude": 2}


def lombscargle(
    x, y, freqs, precenter=False, normalize=False, *, weights=None, floating_mean=False
) -> ndarray:
    """Compute the power at frequencies of a signal that is known at any times.

    Sums over all times are computed for each frequency, in float64.

    Parameters
    ----------
    x : array_like
        Times of the samples.
    y : array_like
        Values of the samples.
    freqs : array_like
        Angular frequencies of the result; where they are equidistant the sums are faster.
    precenter : bool, optional
        If True, the mean of `y` is subtracted first.
    normalize : bool or {"power", "normalize", "amplitude"}, optional
        Whether powers are relative to that of the signal, or complex amplitudes are returned.
    weights : array_like, optional
        Weights of the samples. They must not be negative, which is checked for those of the host.
    floating_mean : bool, optional
        If True, a constant is fitted at each frequency as well.

    Returns
    -------
    ndarray
        Power, or complex amplitude, at each frequency.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> t = cp.random.default_rng(1).random(200) * 100
    >>> w = cp.linspace(0.1, 4, 100)
    >>> p = signal.lombscargle(t, cp.sin(2 * t), w)
    >>> float(w[p.argmax()].round(1))
    2.0
    """
    form = {False: "power", True: "normalize"}.get(normalize, normalize)
    if form not in _FORMS:
        raise ValueError("normalize must be False, True, 'power', 'normalize' or 'amplitude'")
    times, values, at = (asarray(v).astype(float) for v in (x, y, freqs))
    w = ones(times.size) if weights is None else asarray(weights).astype(float)
    if not all(v.ndim == 1 and v.size == times.size > 0 for v in (times, values, w)):
        raise ValueError("x, y and weights must be 1-D arrays of one length that is not zero")
    if at.ndim != 1 or at.size == 0:
        raise ValueError("freqs must be a 1-D array of a length that is not zero")
    if weights is not None and not isinstance(weights, ndarray):
        host = host_coefficients(weights)
        if not ((host >= 0).all() and host.sum() > 0):
            raise ValueError("weights must not be negative, and not all of them zero")
    if precenter:
        values = values - values.mean()
    return _lombscargle(times, values, w, at, _FORMS[form], bool(floating_mean))


def _lombscargle(times, values, w, at, form: int, has_mean: bool) -> ndarray:
    weighted = values * w
    sums = empty((6 if has_mean else 4, at.size))
    _harmonics(times, values, w, at, sums)
    total = empty(3)
    w.sum(out=total[0]), weighted.sum(out=total[1]), (weighted * values).sum(out=total[2])
    out = empty(at.shape, "D" if form == 2 else "d")
    return _PERIODOGRAM(sums, total, at.size, times.size / 2, form, has_mean, out)


def vectorstrength(events, period) -> tuple[Any, Any]:
    """Compute how far events recur with a period.

    Parameters
    ----------
    events : array_like
        Times of the events, along one axis.
    period : float or array_like
        Period, or several of them; those of the device are copied to the host to be checked.

    Returns
    -------
    strength : ndarray
        Length of the mean of unit vectors, from 0 to 1: one for each period.
    phase : ndarray
        Angle of that mean, in radians.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> strength, phase = signal.vectorstrength(cp.array([0.0, 2.0, 4.0]), 2.0)
    >>> float(strength)
    1.0
    """
    events, periods = asarray(events), host_coefficients(period)
    if events.ndim > 1:
        raise ValueError("events cannot have dimensions more than 1")
    if periods.ndim > 1:
        raise ValueError("period cannot have dimensions more than 1")
    if not np.all(periods > 0):
        raise ValueError("periods must be positive")
    events = events if events.dtype.char in "fd" else events.astype(float)
    columns = asarray(periods.astype(float)).reshape(-1, 1)
    rows = broadcast_to(events.reshape(1, -1), (periods.size, events.size))
    mean = _TURNS(rows, columns, axis=1).reshape(periods.shape)
    return um.abs(mean), angle(mean)
