"""Analytic signals, envelopes, trends."""

import itertools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._core import umath as um
from ..._core._convert import as_array, as_host, per_axis, shown
from ..._core.multiarray import asarray, concatenate, ndarray, zeros
from ..._core.numeric import moveaxis
from .. import fft as _fft
from ._resampling import with_samples

__all__ = ["detrend", "envelope", "hilbert", "hilbert2"]


def _along(axis: int, *where: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + (slice(*where),)


def _real(x: Any) -> ndarray:
    x = as_array(x)
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    return x


def hilbert(x, N=None, axis=-1) -> ndarray:
    """Compute analytic signals by Hilbert's transform.

    Parameters
    ----------
    x : array_like
        Real signals, on the device.
    N : int, optional
        Number of points of the transform. By default the length of the signals.
    axis : int, optional
        Axis of time, along which each line is one signal.

    Returns
    -------
    ndarray
        Complex signals whose real part is `x`.

    Raises
    ------
    ValueError
        If `x` is complex or `N` is not positive.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.hilbert(cp.array([1.0, 0, -1, 0])).imag
    array([ 0.,  1.,  0., -1.])
    """
    x = _real(x)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    n = x.shape[axis] if N is None else operator.index(N)
    if n <= 0:
        raise ValueError("N must be positive.")
    spectrum = _fft.rfft(x, n, axis=axis)
    spectrum[_along(axis, 1, (n + 1) // 2)] *= 2
    return _fft.ifft(spectrum, n, axis=axis, overwrite_x=True)  # negative frequencies are zero


def hilbert2(x, N=None, axes=(-2, -1)) -> ndarray:
    """Compute analytic signals of two dimensions by Hilbert's transform along both.

    Parameters
    ----------
    x : array_like
        Real array, on the device.
    N : int or tuple of two ints, optional
        Numbers of points of the transforms. By default the lengths of the axes.
    axes : tuple of two ints, optional
        Axes of the transform.

    Returns
    -------
    ndarray
        Complex array.

    Raises
    ------
    ValueError
        If `x` is complex or has less than two dimensions, or `N` is not positive.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.hilbert2(cp.ones((2, 2))).real
    array([[1., 1.],
           [1., 1.]])
    """
    x = _real(x)
    if x.ndim < 2:
        x = x.reshape(1, -1)
    axes = tuple(normalize_axis_index(operator.index(axis), x.ndim) for axis in axes)
    if len(set(axes)) != 2:
        raise ValueError("axes must be two different axes")
    if N is None:
        sizes = [x.shape[axis] for axis in axes]
    elif np.iterable(N):
        sizes = [operator.index(n) for n in per_axis(N)]
        if len(sizes) != 2 or min(sizes) <= 0:
            raise ValueError("When given as a tuple, N must hold exactly two positive integers")
    else:
        sizes = [operator.index(N)] * 2
    if any(n <= 0 for n in sizes):
        raise ValueError("N must be positive.")
    spectrum = _fft.fft2(x, sizes, axes)
    for n, axis in zip(sizes, axes, strict=True):
        spectrum[_along(axis, 1, (n + 1) // 2)] *= 2
        spectrum[_along(axis, (n + 1) // 2, None)] = 0
    return _fft.ifft2(spectrum, axes=axes, overwrite_x=True)


# ---- envelope ------------------------------------------------------------------------------------


def _band(bp_in: Any, n: int) -> tuple[int, int]:
    """The limits of a band of frequencies, from -(n // 2) to (n + 1) // 2."""
    if not (isinstance(bp_in, tuple) and len(bp_in) == 2):
        raise ValueError(f"bp_in must be a 2-tuple of integers or None, not {shown(bp_in)}")
    low, high = bp_in
    if not all(b is None or hasattr(b, "__index__") for b in bp_in):
        raise ValueError(f"bp_in must be a 2-tuple of integers or None, not {shown(bp_in)}")
    low = -(n // 2) if low is None else operator.index(low)
    high = (n + 1) // 2 if high is None else operator.index(high)
    if not -n // 2 <= low < high <= (n + 1) // 2:
        raise ValueError(f"bp_in must satisfy -n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2, n={n}")
    return low, high


def envelope(
    z, bp_in=(1, None), *, n_out=None, squared=False, residual="lowpass", axis=-1
) -> ndarray:
    """Compute the envelope of signals in a band of frequencies, and the rest of the signals.

    Parameters
    ----------
    z : array_like
        Real or complex signals, on the device.
    bp_in : tuple of two ints or None, optional
        Limits of the band, as multiples of the lowest frequency; None: all on that side.
    n_out : int, optional
        Number of samples of the result. By default that of `z`.
    squared : bool, optional
        If True, compute the square of the envelope.
    residual : {'lowpass', 'all', None}, optional
        Rest that is computed: what lies below the band, what lies outside, or nothing.
    axis : int, optional
        Axis of time, along which each line is one signal.

    Returns
    -------
    ndarray
        The envelope, or the envelope and the rest behind each other along a new first axis.

    Raises
    ------
    ValueError
        If `bp_in` is no band, `n_out` is not positive, or `residual` is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.envelope(cp.array([3.0, 1, -1, 1]), residual=None)
    array([2., 2., 2., 2.])
    """
    z = as_array(z)
    axis = normalize_axis_index(operator.index(axis), z.ndim)
    n = z.shape[axis]
    if n == 0:
        raise ValueError("z must not be empty along axis")
    if residual not in ("lowpass", "all", None):
        raise ValueError(f"residual must be 'lowpass', 'all' or None, not {shown(residual)}")
    if n_out is not None and not (hasattr(n_out, "__index__") and operator.index(n_out) > 0):
        raise ValueError(f"n_out must be a positive integer or None, not {shown(n_out)}")
    count = n if n_out is None else operator.index(n_out)
    low, high = _band(bp_in, n)
    parts = _real_parts if z.dtype.kind != "c" else _complex_parts
    inside, rest = parts(moveaxis(z, axis, -1), n, count, (low, high), residual)
    size = um.absolute(inside)
    if squared:
        size = um.square(size)
    if residual is None:
        return moveaxis(size, -1, axis)
    size, rest = (moveaxis(a, -1, axis)[None] for a in (size, rest))
    return concatenate([size, rest])


def _moved(bins: ndarray, first: int, count: int) -> ndarray:
    """The spectrum of `count` samples with these frequencies from the index `first` on."""
    out = zeros([*bins.shape[:-1], count], bins.dtype)
    width = min(bins.shape[-1], max(count - first, 0))
    out[..., first : first + width] = bins[..., :width]
    return out


def _real_parts(z: ndarray, n: int, count: int, band: tuple, residual: Any) -> tuple[ndarray, Any]:
    """The analytic signal of a band moved to frequency 0, and the rest of a real signal.

    The highest frequency of an even number of samples counts as the lowest negative one.
    """
    low, high = max(band[0], 0), max(band[1], 0)
    spectrum = _fft.rfft(z)
    bins = spectrum.shape[-1]
    has_highest = n % 2 == 0 and band[0] == -(n // 2)
    inside = _moved(spectrum[..., low:high] * (2 * count / n), low - band[0], count)
    if low == 0 and -band[0] < count:
        inside[..., -band[0]] *= 0.5
    if has_highest:
        inside[..., 0] = spectrum[..., bins - 1] * (count / n)
    inside = _fft.ifft(inside, overwrite_x=True)
    if residual is None:
        return inside, None
    if residual == "lowpass" and band[0] == 0:
        spectrum[...] = 0
    if has_highest:
        spectrum[..., bins - 1] = 0
    spectrum[..., low : high if residual == "all" else (n + 1) // 2] = 0
    return inside, with_samples(spectrum, n, count, z.ndim - 1, True)


def _complex_parts(
    z: ndarray, n: int, count: int, band: tuple, residual: Any
) -> tuple[ndarray, Any]:
    """A band of a complex signal moved to frequency 0, and the rest of the signal."""
    shifted = _fft.fftshift(_fft.fft(z), axes=-1)
    low, high = (b + n // 2 for b in band)
    inside = _fft.ifft(_moved(shifted[..., low:high] * (count / n), 0, count), overwrite_x=True)
    if residual is None:
        return inside, None
    shifted[..., low : high if residual == "all" else n] = 0
    rest = _fft.ifftshift(shifted, axes=-1)
    return inside, with_samples(rest, n, count, z.ndim - 1, False)


# ---- trends --------------------------------------------------------------------------------------


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False) -> ndarray:
    """Subtract the mean, or the line that fits best, from signals.

    Parameters
    ----------
    data : array_like
        Signals, on the device.
    axis : int, optional
        Axis of time, along which each line is one signal.
    type : {'linear', 'constant'}, optional
        What is subtracted: a line, or the mean.
    bp : int or sequence of ints, optional
        Samples at which pieces with a line of their own begin.
    overwrite_data : bool, optional
        If True, the result may be stored in `data`.

    Returns
    -------
    ndarray
        Signals without their trend, float64 unless `data` is single or complex.

    Raises
    ------
    ValueError
        If `type` is unknown, or a breakpoint lies beyond the signals.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.detrend(cp.array([1.0, 3, 5, 7]) + cp.array([0, 0, 0, 1])).round(2)
    array([ 0.2, -0.1, -0.4,  0.3])
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    x = as_array(data)
    dtype = x.dtype if x.dtype.char in "dfDF" else np.dtype(float)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    if type in ("constant", "c"):
        return x - x.mean(axis=axis, keepdims=True)
    n = x.shape[axis]
    points = bp.get() if isinstance(bp, ndarray) else as_host(bp)
    ends = np.unique(np.concatenate([[0], np.atleast_1d(points), [n]]))
    if not (np.all(ends >= 0) and np.all(ends <= n)):
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    ends = ends.astype(int).tolist()
    is_mine = overwrite_data and x.dtype == dtype
    y = x if is_mine else x.astype(dtype)
    lines = moveaxis(y, axis, -1)
    for first, last in itertools.pairwise(ends):
        _subtract_line(lines[..., first:last], dtype)
    return y


def _subtract_line(part: ndarray, dtype: np.dtype) -> None:
    """Subtract mean and slope: times about their mean are orthogonal to a constant."""
    m = part.shape[-1]
    t = np.arange(m) - (m - 1) / 2
    real = np.empty(0, dtype).real.dtype
    basis: Any = np.stack([np.full(m, m**-0.5), t / (np.sqrt((t * t).sum()) or 1)]).astype(real)
    basis = asarray(basis)
    part -= (part @ basis.T) @ basis
