"""Wavelets, and transforms with them, which SciPy had until version 1.14 and CuPy has."""

import math
from collections.abc import Callable
from typing import Any

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core.function_base import linspace
from ..._core.multiarray import arange, ndarray
from ..._core.shape_base import stack
from ._host import host_coefficients
from ._signaltools import convolve

__all__ = ["cwt", "morlet", "morlet2", "qmf", "ricker"]


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
        rows.append(convolve(data, um.conj(wavelet(points, width)[::-1]), mode="same"))
    return stack(rows)
