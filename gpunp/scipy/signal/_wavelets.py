"""Wavelets, and transforms with them, which SciPy had until version 1.14 and CuPy has."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core.function_base import linspace
from ..._core.multiarray import arange, array, asarray, concatenate, ndarray, where
from ..._core.shape_base import stack
from ...lib._nanfunctions_impl import nanpercentile
from ._host import host_coefficients
from ._peak_finding import argrelmax
from ._signaltools import convolve

__all__ = ["cwt", "find_peaks_cwt", "morlet", "morlet2", "qmf", "ricker"]

_MOST_SAMPLES = 1 << 24  # of windows of noise at a time


def ricker(points, a) -> ndarray:
    """Return the second derivative of a bell curve, with its sign changed.

    Parameters
    ----------
    points : int
        Number of points of the wavelet.
    a : float
        Width of the curve in points.

    Returns
    -------
    ndarray
        Wavelet in float64, of norm one.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.ricker(3, 1.0).round(3)
    array([0.   , 0.867, 0.   ])
    """
    if not a > 0:
        raise ValueError(f"the width a must be a positive number, not {shown(a)}")
    x = arange(0, points) - (points - 1.0) / 2
    squares = x * x / a**2
    return 2 / (math.sqrt(3 * a) * math.pi**0.25) * (1 - squares) * um.exp(squares / -2)


def morlet(M, w=5.0, s=1.0, complete=True) -> ndarray:
    """Return a complex exponential below a bell curve.

    Parameters
    ----------
    M : int
        Number of points of the wavelet.
    w : float, optional
        Angular frequency of the exponential.
    s : float, optional
        Half the width of the interval, in units of two pi.
    complete : bool, optional
        If True, the mean of the wavelet is corrected to zero.

    Returns
    -------
    ndarray
        Wavelet in complex128.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.morlet(3).shape
    (3,)
    """
    x = linspace(-s * 2 * math.pi, s * 2 * math.pi, M)
    wave = um.exp(1j * w * x)
    if complete:
        wave -= math.exp(-0.5 * w * w)
    return wave * um.exp(-0.5 * x * x) * math.pi**-0.25


def morlet2(M, s, w=5) -> ndarray:
    """Return a complex exponential below a bell curve, for `cwt`.

    Parameters
    ----------
    M : int
        Number of points of the wavelet.
    s : float
        Width of the curve in points.
    w : float, optional
        Angular frequency of the exponential, in units of the width.

    Returns
    -------
    ndarray
        Wavelet in complex128.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.morlet2(3, 1.0).shape
    (3,)
    """
    x = (arange(0, M) - (M - 1.0) / 2) / s
    return um.exp(1j * w * x) * um.exp(-0.5 * x * x) * (math.pi**-0.25 * math.sqrt(1 / s))


def qmf(hk) -> ndarray:
    """Return the high-pass filter that belongs to a low-pass filter of a pair of mirror filters.

    Parameters
    ----------
    hk : array_like
        Coefficients of the low-pass filter.

    Returns
    -------
    ndarray
        Coefficients in reverse order, every second one with its sign changed.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.qmf(cp.array([1.0, 2.0, 3.0]))
    array([ 3., -2.,  1.])
    """
    hk = as_array(hk)
    return hk[::-1] * (1 - 2 * (arange(hk.size) % 2))


def cwt(data, wavelet: Callable[..., Any], widths) -> ndarray:
    """Convolve a signal with a wavelet of several widths.

    Parameters
    ----------
    data : array_like
        Samples of the signal, along one axis.
    wavelet : callable
        Function of the number of points and the width, such as `ricker`.
    widths : array_like
        Widths of the wavelets; those of the device are copied to the host.

    Returns
    -------
    ndarray
        A row for each width.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.cwt(cp.ones(50), signal.ricker, [1, 2, 3]).shape
    (3, 50)
    """
    data = as_array(data)
    rows = []
    for width in host_coefficients(widths).tolist():
        points = int(min(10 * width, data.size))
        rows.append(_row(data, wavelet(points, width)))
    return stack(rows)


def _row(data: ndarray, wave: Any) -> ndarray:
    return convolve(data, um.conj(asarray(wave)[::-1]), mode="same")


# ---- peaks ---------------------------------------------------------------------------------------


class _Ridge(NamedTuple):
    """Maxima of rows that follow each other, from the widest wavelet to the narrowest."""

    rows: list
    columns: list


def _closest(columns: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each column the first of the nearest ends, and the distance."""
    order = np.argsort(ends, kind="stable")
    ordered = ends[order]
    right = np.searchsorted(ordered, columns)
    left = np.searchsorted(ordered, ordered[np.maximum(right - 1, 0)])
    right = np.minimum(right, ends.size - 1)
    to_left, to_right = (np.abs(columns - ordered[k]) for k in (left, right))
    first, second = order[left], order[right]
    is_right = (to_right < to_left) | ((to_right == to_left) & (second < first))
    return np.where(is_right, second, first), np.where(is_right, to_right, to_left)


def _ridges(maxima: list, max_distances: np.ndarray, gap_thresh: float) -> list[_Ridge]:
    """Connect the maxima of each row with those of the row of the next wider wavelet."""
    open_: list[_Ridge] = []
    ended: list[_Ridge] = []
    for row in range(len(maxima) - 1, -1, -1):
        columns = maxima[row]
        before = len(open_)
        if before and columns.size:
            ends = np.array([ridge.columns[-1] for ridge in open_])
            closest, distance = _closest(columns, ends)
            joined = np.where(distance <= max_distances[row], closest, -1).tolist()
        else:
            joined = [-1] * columns.size
        for column, at in zip(columns.tolist(), joined, strict=True):
            if at < 0:
                open_.append(_Ridge([row], [column]))
            else:
                open_[at].rows.append(row)
                open_[at].columns.append(column)
        still = [ridge.rows[-1] - row <= gap_thresh for ridge in open_]
        ended += [r for r, is_open in zip(open_[::-1], still[::-1], strict=True) if not is_open]
        open_ = [r for r, is_open in zip(open_, still, strict=True) if is_open]
    return ended + open_


def _noise(row: ndarray, columns: np.ndarray, size: int, percent: float) -> ndarray:
    """The percentile of the samples in a window around each column."""
    half, odd = divmod(size, 2)
    steps = arange(-half, half + odd)
    parts = []
    at_once = max(_MOST_SAMPLES // max(size, 1), 1)
    for first in range(0, columns.size, at_once):
        at = array(columns[first : first + at_once])[:, None] + steps
        is_inside = um.logical_and(at >= 0, at < row.size)
        samples = where(is_inside, row.take(at, mode="clip"), math.nan)
        parts.append(nanpercentile(samples, percent, axis=1))
    return parts[0] if len(parts) == 1 else concatenate(parts)


def find_peaks_cwt(
    vector,
    widths,
    wavelet=None,
    max_distances=None,
    gap_thresh=None,
    min_length=None,
    min_snr=1,
    noise_perc=10,
    window_size=None,
) -> ndarray:
    """Find peaks by maxima of wavelet transforms that persist over several widths.

    The transforms and the noise are computed on the device. The positions of all maxima are read
    back, connected on the host, one row after the other, and the peaks uploaded.

    Parameters
    ----------
    vector : array_like
        Samples of the signal, along one axis.
    widths : float or array_like
        Widths of the wavelets in samples, in ascending order.
    wavelet : callable, optional
        Function of the number of points and the width. By default `ricker`.
    max_distances : array_like, optional
        Largest distance of connected maxima in each row. By default a quarter of the width.
    gap_thresh : float, optional
        Largest number of rows without a maximum that a ridge may pass. By default the first width.
    min_length : int, optional
        Least number of maxima of a ridge. By default a quarter of the number of widths.
    min_snr : float, optional
        Least ratio of the transform at the end of a ridge to the noise around it.
    noise_perc : float, optional
        Percentile of the samples of the first row that counts as noise.
    window_size : int, optional
        Number of samples around a peak that noise is taken from. By default a twentieth of all.

    Returns
    -------
    ndarray
        Positions of the peaks in ascending order.

    References
    ----------
    P. Du, W. A. Kibbe and S. M. Lin, "Improved peak detection in mass spectrum by incorporating
    continuous wavelet transform-based pattern matching", Bioinformatics 22 (2006).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> x = cp.sin(cp.arange(0, cp.pi, 0.05))
    >>> signal.find_peaks_cwt(x, cp.arange(1, 10))
    array([32])
    """
    vector = as_array(vector)
    wide = np.atleast_1d(host_coefficients(widths))
    gaps = math.ceil(wide[0]) if gap_thresh is None else gap_thresh
    far = wide / 4.0 if max_distances is None else host_coefficients(max_distances)
    wavelet = ricker if wavelet is None else wavelet
    matrix = stack([_row(vector, wavelet(min(10 * w, vector.size), w)) for w in wide.tolist()])
    if len(far) < len(matrix):
        raise ValueError("Max_distances must have at least as many rows as matr")
    rows, columns = (a.get() for a in argrelmax(matrix, axis=1))
    maxima = np.split(columns, np.searchsorted(rows, np.arange(1, len(matrix))))
    least = math.ceil(len(matrix) / 4) if min_length is None else min_length
    ridges = [r for r in _ridges(maxima, far, gaps) if len(r.rows) >= least]
    if not ridges:
        return array([], dtype=np.int64)
    rows, columns = (np.array([ridge[k][-1] for ridge in ridges]) for k in (0, 1))
    size = math.ceil(matrix.shape[1] / 20) if window_size is None else int(window_size)
    noise = _noise(matrix[0], columns, min(size, 2 * matrix.shape[1]), noise_perc)
    ratio = um.abs(matrix[array(rows), array(columns)] / noise).get()
    return array(np.sort(columns[~(ratio < as_host(min_snr))]))
