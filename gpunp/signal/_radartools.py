"""Radar: compression of pulses, Doppler spectra, detection by a constant false alarm rate."""

from typing import Any

from .._core import umath as um
from .._core._convert import as_array, per_axis
from .._core.multiarray import ndarray, zeros
from ..lib._arraypad_impl import pad
from ..lib._statistics_impl import cov
from ..linalg import norm, solve
from ..scipy import fft as _fft
from ..scipy.signal import get_window

__all__ = ["ca_cfar", "cfar_alpha", "mvdr", "pulse_compression", "pulse_doppler"]


def _window(window: Any, n: int) -> Any:
    """A window of n points: by name, as it is given, or as a function of frequencies."""
    if callable(window):
        if n == 0:
            raise ValueError("window as a function of frequencies needs at least one sample")
        return window(_fft.fftfreq(n))
    return window if isinstance(window, ndarray) else get_window(window, n, False)


def pulse_compression(x, template, normalize=False, window=None, nfft=None) -> ndarray:
    """Correlate received pulses with the one that was sent.

    Parameters
    ----------
    x : array_like
        Received samples, a row for each pulse.
    template : array_like
        Samples of the pulse that was sent.
    normalize : bool, optional
        If True, the template is divided by its norm.
    window : str, tuple, ndarray or callable, optional
        Window of the template, as in `get_window`, its values, or a function of frequencies.
    nfft : int, optional
        Length of the transforms; by default that of a row.

    Returns
    -------
    ndarray
        Complex samples, a row for each pulse.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([[0.0, 1.0, 1.0, 0.0]])
    >>> cp.signal.pulse_compression(x, cp.ones(2)).real.round(3)
    array([[1., 2., 1., 0.]])
    """
    x, template = as_array(x), as_array(template)
    if x.ndim != 2:
        raise ValueError(f"x must have a row for each pulse, not the shape {x.shape}")
    n = x.shape[1] if nfft is None else nfft
    if window is not None:
        template = template * _window(window, template.size)
    if normalize:
        template = template / norm(template)
    return _fft.ifft(_fft.fft(x, n) * um.conj(_fft.fft(template, n)))


def pulse_doppler(x, window=None, nfft=None) -> ndarray:
    """Compute the spectra over the pulses, for each range.

    Parameters
    ----------
    x : array_like
        Received samples, a row for each pulse.
    window : str, tuple, ndarray or callable, optional
        Window over the pulses, as in `get_window`, its values, or a function of frequencies.
    nfft : int, optional
        Length of the transforms; by default the number of pulses.

    Returns
    -------
    ndarray
        Complex spectra, a row for each Doppler frequency.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.pulse_doppler(cp.ones((4, 2)))[:2].real
    array([[4., 4.],
           [0., 0.]])
    """
    x = as_array(x)
    if x.ndim != 2:
        raise ValueError(f"x must have a row for each pulse, not the shape {x.shape}")
    if window is not None:
        x = x * _window(window, x.shape[0])[:, None]
    return _fft.fft(x, x.shape[0] if nfft is None else nfft, axis=0)


def cfar_alpha(pfa, N) -> Any:
    """Compute the factor of the mean noise that gives a rate of false alarms.

    Parameters
    ----------
    pfa : float
        Probability of a false alarm.
    N : int
        Number of reference cells that the mean is over.

    Returns
    -------
    float
        Factor of the threshold.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(cp.signal.cfar_alpha(1e-3, 16), 3)
    8.64
    """
    if isinstance(N, (int, float)) and N <= 0:
        raise ValueError(f"N must be positive, not {N}")
    if isinstance(pfa, (int, float)) and pfa <= 0:
        raise ValueError(f"pfa must be positive, not {pfa}")
    return N * (pfa ** (-1.0 / N) - 1)


def _box_sums(sums: ndarray, reach: tuple[int, ...], margin: tuple[int, ...]) -> ndarray:
    """Sums over boxes of 2 * reach + 1 cells around those at least `margin` from the ends."""
    for axis, (r, m) in enumerate(zip(reach, margin, strict=True)):
        n = sums.shape[axis] - 1

        def cut(first: int, last: int, axis: int = axis) -> tuple:
            return (*[slice(None)] * axis, slice(first, last))

        sums = sums[cut(m + r + 1, n - m + r + 1)] - sums[cut(m - r, n - m - r)]
    return sums


def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3) -> tuple[ndarray, ndarray]:
    """Find cells above a threshold that follows the noise around them.

    The threshold is a factor of the mean over the reference cells, which surround the guard cells.

    Parameters
    ----------
    array : array_like
        Powers, of one or two dimensions.
    guard_cells : int or pair of int
        Number of cells on each side that the mean leaves out.
    reference_cells : int or pair of int
        Number of cells beyond them that it is over.
    pfa : float, optional
        Probability of a false alarm.

    Returns
    -------
    threshold : ndarray
        Threshold of each cell; zero where the reference cells reach beyond the ends.
    detections : ndarray of bool
        Where the powers are above the threshold.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.ones(30)
    >>> x[15] = 100.0
    >>> cp.signal.ca_cfar(x, 1, 5)[1][8:20].nonzero()[0]
    array([7])
    """
    power = as_array(array)
    if power.ndim not in (1, 2):
        raise TypeError("Only 1D and 2D arrays are currently supported.")
    inner, outer = (
        (int(c),) * power.ndim if not hasattr(c, "__iter__") else tuple(map(int, per_axis(c)))
        for c in (guard_cells, reference_cells)
    )
    outer = tuple(g + r for g, r in zip(inner, outer, strict=True))
    if any(n <= 2 * r for n, r in zip(power.shape, outer, strict=True)):
        raise IndexError("Array too small for given parameters")
    sums = power.astype(float)
    for axis in range(power.ndim):
        sums = sums.cumsum(axis=axis)
    sums = pad(sums, ((1, 0),) * power.ndim)
    around = _box_sums(sums, outer, outer) - _box_sums(sums, inner, outer)
    count = _cells(outer) - _cells(inner)
    threshold = zeros(power.shape, "f4" if power.dtype.char in "ef" else "f8")
    middle = tuple(slice(r, n - r) for n, r in zip(power.shape, outer, strict=True))
    threshold[middle] = around * (cfar_alpha(pfa, count) / count)
    return threshold, power > threshold


def _cells(reach: tuple[int, ...]) -> int:
    total = 1
    for r in reach:
        total *= 2 * r + 1
    return total


def mvdr(x, sv, calc_cov=True) -> ndarray:
    """Compute the weights of sensors that let one direction pass with the least power of others.

    Parameters
    ----------
    x : array_like
        Samples, a row for each sensor, or their covariance.
    sv : array_like
        Steering vector of the direction.
    calc_cov : bool, optional
        If True, `x` has samples, otherwise it is the covariance.

    Returns
    -------
    ndarray
        Weights of the sensors.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.mvdr(cp.eye(2), cp.ones(2), calc_cov=False)
    array([0.5, 0.5])
    """
    x, sv = as_array(x), as_array(sv)
    if x.shape[0] > x.shape[1]:
        raise ValueError("Matrix has more sensors than samples. Consider transposing the samples.")
    if x.shape[0] != sv.shape[0]:
        raise ValueError("Steering Vector and input data do not align")
    weights = solve(cov(x) if calc_cov else x, sv)
    return weights / (um.conj(sv) @ weights)
