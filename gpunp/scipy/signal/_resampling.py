"""Resampling: by polyphase filters, by decimation, by Fourier transforms."""

import functools
import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._core._convert import as_array, check_device_memory, shown
from ..._core.multiarray import arange, asarray, ndarray, zeros
from ..._core.reductions import amax, amin, mean
from ...lib._quantile_impl import median
from .. import fft as _fft
from ._lfilter import filtfilt, lfilter, sosfilt, sosfiltfilt
from ._recurrences import coefficients
from ._upfirdn import MODES, filter_of, output_length, resampled

__all__ = ["decimate", "resample", "resample_poly"]


# ---- polyphase -----------------------------------------------------------------------------------

# What is subtracted before and added after.
_LEVELS: dict[str, Any] = {"maximum": amax, "mean": mean, "median": median, "minimum": amin}


def _lowpass(half: int, cutoff: float, window: Any) -> np.ndarray:
    from scipy.signal import firwin

    return firwin(2 * half + 1, cutoff, window=window)


def _is_plain(window: Any) -> bool:
    """Whether a window is a name or numbers, which hold no arrays and may be kept."""
    parts = window if isinstance(window, tuple) else (window,)
    return all(type(part) in (str, int, float) for part in parts)


def _level(x: ndarray, padtype: str, axis: int) -> ndarray:
    return _LEVELS[padtype](x, axis=axis, keepdims=True)


_kept_lowpass = functools.lru_cache(maxsize=64)(_lowpass)


def _lowpass_for(
    design: Any, window: Any, up: int, down: int, dtype: str, n: int
) -> tuple[np.ndarray, int]:
    """The filter that is designed for n samples, and its first output."""
    half = 10 * max(up, down)
    check_device_memory(2 * half + 1)
    taps = (design(half, 1.0 / max(up, down), window) * up).astype(dtype)
    return _placed(taps, half, up, down, n)


_kept_lowpass_for = functools.lru_cache(maxsize=64)(_lowpass_for)


def _filter_for(window: Any, up: int, down: int, dtype: np.dtype, n: int) -> tuple[Any, int]:
    """The filter for n samples, designed or the user's, and its first output."""
    if isinstance(window, (list, np.ndarray, ndarray)):
        taps = filter_of(window)
        return _placed(taps * up, (taps.size - 1) // 2, up, down, n)
    given = window, up, down, "f" if dtype.char in "efF" else "d", n
    if _is_plain(window):
        return _kept_lowpass_for(_kept_lowpass, *given)
    return _lowpass_for(_lowpass, *given)


def resample_poly(
    x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None
) -> ndarray:
    """Resample signals by a rational factor with a polyphase filter of zero phase.

    Parameters
    ----------
    x : array_like
        Signals, on the device.
    up : int
        Factor by which the sampling rate is raised.
    down : int
        Factor by which the sampling rate is lowered.
    axis : int, optional
        Axis of time, along which each line is one signal.
    window : str, tuple or array_like, optional
        Window of the filter that is designed on the host, or the coefficients of a filter, on the
        host or on the device, which are multiplied by `up`.
    padtype : str, optional
        What stands beyond the ends: a mode of `upfirdn`, or 'maximum', 'mean', 'median' or
        'minimum', which are subtracted before filtering and added after.
    cval : float, optional
        What stands beyond the ends for 'constant'. By default 0.

    Returns
    -------
    ndarray
        Signals of ``ceil(n * up / down)`` samples.

    Raises
    ------
    ValueError
        If a factor is not a positive integer, or `padtype` or `window` is wrong.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.resample_poly(cp.ones(6), 1, 2, padtype="line").round(3)
    array([1., 1., 1.])
    """
    x = as_array(x)
    for name, rate in (("up", up), ("down", down)):
        if rate != int(rate):
            raise ValueError(f"{name} must be an integer")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise ValueError("cval has no effect when padtype is " + str(padtype))
    divisor = math.gcd(up, down)
    up, down = up // divisor, down // divisor
    if up == down == 1:
        return x.copy()
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    if padtype not in (*_LEVELS, *MODES):
        raise ValueError(
            f"padtype must be one of: {', '.join((*_LEVELS, *MODES))}, not {shown(padtype)}"
        )
    n = x.shape[axis]
    taps, first = _filter_for(window, up, down, x.dtype, n)
    level = _level(x, padtype, axis) if padtype in _LEVELS else None
    y = resampled(
        x if level is None else x - level,
        taps,
        (up, down),
        axis,
        (first, _count(n, up, down)),
        "constant" if level is not None else padtype,
        0 if cval is None else cval,
    )
    if level is not None:
        y += level
    return y


def _count(n: int, up: int, down: int) -> int:
    return n * up // down + bool(n * up % down)


def _placed(taps: Any, half: int, up: int, down: int, n: int) -> tuple[Any, int]:
    """A filter with zeros around it for n samples, and the first output.

    Zeros in front of it make its middle fall on a sample that is kept.
    """
    before = down - half % down
    first = (half + before) // down
    behind = (_count(n, up, down) + first - 1) * down + 1 - (n - 1) * up - taps.size
    return _padded(taps, before, max(0, behind - before)), first


def _padded(taps: Any, before: int, behind: int) -> Any:
    make = np.zeros if isinstance(taps, np.ndarray) else zeros
    longer = make(before + taps.size + behind, taps.dtype)
    longer[before : before + taps.size] = taps
    return longer


# ---- decimation ----------------------------------------------------------------------------------


def _every(y: ndarray, q: int, axis: int) -> ndarray:
    return y[(slice(None),) * axis + (slice(None, None, q),)]


@functools.lru_cache(maxsize=64)
def _designed(ftype: str, q: int, n: int) -> np.ndarray:
    """A filter of `decimate`, whose design takes the host longer than a signal the device."""
    import scipy.signal as host

    check_device_memory(n + 1)
    if ftype == "fir":
        return host.firwin(n + 1, 1.0 / q, window="hamming")
    return host.cheby1(n, 0.05, 0.8 / q, output="sos")


def _system(ftype: Any, q: int, n: Any) -> tuple[str, Any]:
    """('sos', sections), ('fraction', (numerator, denominator)) or ('fir', coefficients), designed
    on the host."""
    import scipy.signal as host

    if isinstance(ftype, str) and ftype in ("fir", "iir"):
        default, kind = (20 * q, "fir") if ftype == "fir" else (8, "sos")
        return kind, _designed(ftype, q, default if n is None else n)
    if not hasattr(ftype, "to_zpk"):
        raise ValueError("invalid ftype")
    system = ftype.to_zpk()
    if coefficients(system.poles).size:
        zeros_, poles, gain = map(coefficients, (system.zeros, system.poles, system.gain))
        fraction = host.zpk2tf(zeros_, poles, gain)
        if any(map(np.iscomplexobj, fraction)):  # sections have pairs of conjugates
            return "fraction", fraction
        return "sos", host.zpk2sos(zeros_, poles, gain)
    system = ftype.to_tf()
    numerator, denominator = coefficients(system.num), coefficients(system.den)
    return "fir", np.atleast_1d(numerator / denominator[0])


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True) -> ndarray:
    """Lower the sampling rate of signals by an integer factor, after a filter against aliasing.

    Parameters
    ----------
    x : array_like
        Signals, on the device.
    q : int
        Factor by which the sampling rate is lowered.
    n : int, optional
        Order of the filter. By default 8 for 'iir' and ``20 * q`` for 'fir'.
    ftype : {'iir', 'fir'} or dlti, optional
        A Chebyshev filter of type I, a filter of finite length with Hamming's window, or a system.
    axis : int, optional
        Axis of time, along which each line is one signal.
    zero_phase : bool, optional
        If True, the delay of the filter is removed.

    Returns
    -------
    ndarray
        Signals with every `q`-th sample; a view where a recursive filter was used.

    Raises
    ------
    ValueError
        If `ftype` is none of these, or the signals are too short for a recursive filter.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.decimate(cp.ones(60), 4).shape
    (15,)
    """
    x = as_array(x)
    q = operator.index(q)
    if n is not None:
        n = operator.index(n)
    kind, numbers = _system(ftype, q, n)
    dtype = x.dtype
    if dtype.kind not in "fc" or dtype.char == "e":
        dtype = np.dtype(float)
    if kind == "fraction":
        axis = normalize_axis_index(operator.index(axis), x.ndim)
        b, a = numbers
        return _every((filtfilt if zero_phase else lfilter)(b, a, x, axis), q, axis)
    real = np.empty(0, dtype).real.dtype
    numbers = numbers.astype(dtype if numbers.dtype.kind == "c" else real)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    if kind == "sos":
        x = x.astype(dtype, copy=False)
        y = sosfiltfilt(numbers, x, axis) if zero_phase else sosfilt(numbers, x, axis)
        return _every(y, q, axis)
    x = x.astype(dtype, copy=False)
    if zero_phase:
        return resample_poly(x, 1, q, axis=axis, window=numbers)
    count = x.shape[axis] // q + bool(x.shape[axis] % q)
    have = output_length(numbers.size, x.shape[axis], 1, q)
    return resampled(x, numbers, (1, q), axis, (0, min(count, have)), "constant", 0)


# ---- by Fourier transforms -----------------------------------------------------------------------


def _window_of(window: Any, n: int) -> Any:
    """Weights of the frequencies in the order of the transform, or None."""
    if window is None:
        return None
    if callable(window):
        weights = window(_fft.fftfreq(n))
        weights = asarray(weights) if isinstance(weights, np.ndarray) else as_array(weights)
        if weights.shape != (n,):
            raise ValueError(f"window must give {n} weights, not an array of {weights.shape}")
        return weights
    if isinstance(window, (np.ndarray, ndarray)):
        if window.shape != (n,):
            raise ValueError("window must have the same length as data")
        return asarray(window)
    from scipy.signal import get_window

    return asarray(np.fft.fftshift(get_window(window, n)))


def _at(axis: int, where: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + (where,)


def _weighted(spectrum: ndarray, weights: Any, axis: int, is_real: bool, n: int) -> ndarray:
    """The spectrum with a window, both halves of which act on the half spectrum of real signals."""
    if weights is None:
        return spectrum
    if is_real:
        folded = weights.copy()
        folded[1:] += weights[:0:-1]
        folded[1:] *= 0.5
        weights = folded[: n // 2 + 1]
    shape = [1] * spectrum.ndim
    shape[axis] = -1
    real = np.empty(0, spectrum.dtype).real.dtype
    weights = weights.astype(spectrum.dtype if weights.dtype.kind == "c" else real, copy=False)
    return spectrum * weights.reshape(shape)


def resample(x, num, t=None, axis=0, window=None, domain="time") -> Any:
    """Resample periodic signals to a number of samples by Fourier transforms.

    Parameters
    ----------
    x : array_like
        Signals, on the device.
    num : int
        Number of samples of the result.
    t : array_like, optional
        Equally spaced times of the samples; the new times are returned as well.
    axis : int, optional
        Axis of time, along which each line is one signal.
    window : array_like, callable, str, float or tuple, optional
        Window applied to the spectrum: its values in the order of the transform, a function of
        frequencies, which are on the device, or the name of a window.
    domain : {'time', 'freq'}, optional
        Whether `x` is a signal, or a spectrum in the order of the transform.

    Returns
    -------
    y : ndarray
        Resampled signals.
    new_t : ndarray
        Times of their samples, only if `t` is given.

    Raises
    ------
    ValueError
        If `domain` is unknown, or the window has a wrong shape.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.resample(cp.array([1.0, -1, 1, -1]), 8, axis=-1).round(3) + 0
    array([ 1.,  0., -1.,  0.,  1.,  0., -1.,  0.])
    """
    if domain not in ("time", "freq"):
        raise ValueError(f"Parameter domain={shown(domain)} not in ('time', 'freq')!")
    x = as_array(x)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    n, num = x.shape[axis], operator.index(num)
    if num < 1:
        raise ValueError(f"num must be positive, not {num}")
    is_real = domain == "time" and x.dtype.kind != "c"
    weights = _window_of(window, n)
    forward = _fft.rfft if is_real else _fft.fft
    spectrum = x if domain == "freq" else forward(x, axis=axis)
    spectrum = _weighted(spectrum, weights, axis, is_real, n)
    y = with_samples(spectrum, n, num, axis, is_real)
    if t is None:
        return y
    t = as_array(t)
    return y, arange(num) * ((t[1] - t[0]) * n / num) + t[0]


def with_samples(spectrum: ndarray, n: int, num: int, axis: int, is_real: bool) -> ndarray:
    """The signals of `num` samples whose spectrum is that of n samples, cut off or filled up."""
    kept = min(n, num)
    middle = kept // 2
    scale = 1.0 / n  # with that of the inverse transform
    if is_real:
        part = spectrum[_at(axis, slice(0, middle + 1))]
        part = part * scale
        if kept % 2 == 0 and n != num:  # the highest frequency stands for two, or is halved
            part[_at(axis, slice(middle, middle + 1))] *= 2 if num < n else 0.5
        return _fft.irfft(part, num, axis=axis, norm="forward", overwrite_x=True)
    shape = list(spectrum.shape)
    shape[axis] = num
    is_exact = spectrum.dtype.kind in "biu"  # transforms of integers are of float64
    dtype = np.result_type(spectrum.dtype, np.complex128 if is_exact else np.complex64)
    longer = zeros(shape, dtype)
    positive = (kept + 1) // 2
    longer[_at(axis, slice(0, positive))] = spectrum[_at(axis, slice(0, positive))]
    low = kept - positive
    if low:
        longer[_at(axis, slice(num - low, num))] = spectrum[_at(axis, slice(n - low, n))]
    if kept % 2 == 0 and n != num:  # the highest frequency stands for two, or is halved
        here, there = (_at(axis, slice(i, i + 1)) for i in (middle, num - middle))
        if num < n:
            longer[there] += spectrum[_at(axis, slice(middle, middle + 1))]
        else:
            longer[there] *= 0.5
            longer[here] = longer[there]
    longer *= scale
    return _fft.ifft(longer, axis=axis, norm="forward", overwrite_x=True)
