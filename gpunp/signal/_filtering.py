"""Filters with finite responses, and banks of them."""

import operator
from typing import Any

from .._core import umath as um
from .._core._convert import as_array, as_host, normalize_axis_index, shown
from .._core.multiarray import arange, empty, ndarray, result_type
from .._core.numeric import moveaxis
from .._core.raw import ElementwiseKernel
from ..lib._arraypad_impl import pad
from ..scipy import fft as _fft
from ..scipy.signal import oaconvolve

__all__ = [
    "channelize_poly",
    "firfilter",
    "firfilter2",
    "firfilter_zi",
    "freq_shift",
]

# Rows of samples, newest last; a column is a channel with taps of its own.
_CHANNELS = ElementwiseKernel(
    "raw T x, raw T h, int64 channels, int64 taps",
    "T y",
    """
    const ptrdiff_t row = i / channels, channel = i - row * channels;
    y = T(0);
    #pragma unroll 1
    for (ptrdiff_t t = 0; t < taps && t <= row; t++) {
        y += h[t * channels + channel] * x[(row - t + 1) * channels - 1 - channel];
    }
    """,
    "channel_filters",
)


def channelize_poly(x, h, n_chans) -> ndarray:
    """Split a signal into channels of equal width by a polyphase filter bank.

    Parameters
    ----------
    x : array_like
        Samples of the signal; those beyond a multiple of `n_chans` are left out.
    h : array_like
        Coefficients of the prototype, a low-pass filter; a multiple of `n_chans` of them.
    n_chans : int
        Number of channels of the result.

    Returns
    -------
    ndarray
        Complex samples: a row for each channel, at the rate of the signal divided by `n_chans`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.channelize_poly(cp.ones(8), cp.ones(4) / 4, 4).round(3)[0]
    array([1.+0.j, 1.+0.j])
    """
    n_chans = operator.index(n_chans)
    if n_chans < 1:
        raise ValueError(f"n_chans must be positive, not {n_chans}")
    x, h = as_array(x), as_array(h)
    taps, rows = h.size // n_chans, x.size // n_chans
    if x.ndim != 1 or h.ndim != 1 or taps == 0:
        raise ValueError("x and h must have one dimension, and h a coefficient for each channel")
    kind = result_type(x, h, "f4")
    y = empty((rows, n_chans), kind)
    x, h = x.astype(kind, order="C", copy=False), h.astype(kind, order="C", copy=False)
    _CHANNELS(x, h, n_chans, taps, y)
    return _fft.ifft(y, axis=1, norm="forward").T


def freq_shift(x, freq, fs) -> ndarray:
    """Move the spectrum of a signal down by a frequency.

    Parameters
    ----------
    x : array_like
        Samples of the signal, along the last axis.
    freq : float
        Frequency by which the spectrum is moved.
    fs : float
        Sampling rate, in the units of `freq`.

    Returns
    -------
    ndarray
        Complex samples: the signal times ``exp(-2j * pi * freq / fs * n)``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.freq_shift(cp.ones(3), 0.25, 1.0).round(3)
    array([ 1.+0.j,  0.-1.j, -1.+0.j])
    """
    x = as_array(x)
    if isinstance(fs, (int, float)) and fs == 0:
        raise ValueError("fs must not be zero")
    freq, fs = (v if isinstance(v, ndarray) else as_host(v) for v in (freq, fs))
    turns = arange(x.shape[-1]) * (freq / fs)
    return x * um.exp(-2j * um.multiply(turns, 3.141592653589793))


def firfilter_zi(b) -> ndarray:
    """Compute the state of a filter that has had ones for a long time.

    Parameters
    ----------
    b : array_like
        Coefficients of the filter.

    Returns
    -------
    ndarray
        State for `firfilter`, one number less than coefficients.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.firfilter_zi(cp.array([1.0, 2.0, 3.0]))
    array([5., 3.])
    """
    b = as_array(b)
    b = b.astype(result_type(b, "f4"), copy=False)
    return b[:0:-1].cumsum()[::-1]


def firfilter(b, x, axis=-1, zi=None) -> Any:
    """Filter signals with a finite response.

    Parameters
    ----------
    b : array_like
        Coefficients of the filter.
    x : array_like
        Samples of the signals.
    axis : int, optional
        Axis of the samples.
    zi : array_like, optional
        State at the beginning: what it adds to the first outputs, along `axis`.

    Returns
    -------
    y : ndarray
        Filtered signals with the shape of `x`.
    zf : ndarray
        State at the end; only if `zi` is given.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.firfilter(cp.array([1.0, 1.0]), cp.array([1.0, 2.0, 3.0])).round(3)
    array([1., 3., 5.])
    """
    b, x = as_array(b), as_array(x)
    axis = normalize_axis_index(axis, x.ndim)
    if b.ndim != 1 or b.size == 0:
        raise ValueError("b must have one dimension and a coefficient")
    lines = moveaxis(x, axis, -1)
    whole = oaconvolve(lines, b.reshape((1,) * (x.ndim - 1) + (-1,)), axes=-1)
    n = lines.shape[-1]
    if zi is None:
        return moveaxis(whole[..., :n], -1, axis)
    state = moveaxis(as_array(zi), axis, -1)
    whole = whole.astype(result_type(whole, state))
    whole[..., : b.size - 1] += state
    return moveaxis(whole[..., :n], -1, axis), moveaxis(whole[..., n:], -1, axis)


def _extended(x: ndarray, padtype: Any, count: int) -> ndarray:
    width = [(0, 0)] * (x.ndim - 1) + [(count, count)]
    if padtype == "constant":
        return pad(x, width, mode="edge")
    return pad(x, width, mode="reflect", reflect_type=padtype)


def firfilter2(b, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None) -> ndarray:
    """Filter signals forwards and backwards with a finite response, so that no delay is left.

    Parameters
    ----------
    b : array_like
        Coefficients of the filter.
    x : array_like
        Samples of the signals.
    axis : int, optional
        Axis of the samples.
    padtype : {"odd", "even", "constant", None}, optional
        How signals go on beyond their ends.
    padlen : int, optional
        Number of samples beyond each end; by default three for each coefficient.
    method : {"pad"}, optional
        How ends are handled: by samples beyond them.
    irlen : int, optional
        Not used by this method.

    Returns
    -------
    ndarray
        Filtered signals with the shape of `x`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.firfilter2(cp.array([0.5, 0.5]), cp.ones(20)).round(3)[:3]
    array([1., 1., 1.])
    """
    if method != "pad":
        raise ValueError(f"method must be 'pad', not {shown(method)}")
    if padtype not in ("odd", "even", "constant", None):
        raise ValueError(f"padtype must be 'odd', 'even', 'constant' or None, not {shown(padtype)}")
    b, x = as_array(b), as_array(x)
    axis = normalize_axis_index(axis, x.ndim)
    lines = moveaxis(x, axis, -1)
    count = 0 if padtype is None else 3 * b.size if padlen is None else padlen
    if lines.shape[-1] <= count:
        raise ValueError(f"the samples must be more than padlen, which is {count}")
    y = _extended(lines, padtype, count) if count else lines
    zi = firfilter_zi(b)
    for _ in range(2):
        y = firfilter(b, y, zi=zi * y[..., :1])[0][..., ::-1]
    return moveaxis(y[..., count : y.shape[-1] - count], -1, axis)
