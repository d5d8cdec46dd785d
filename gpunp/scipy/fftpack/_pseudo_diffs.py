"""Derivatives and their relatives of periodic sequences: spectra are multiplied by a response."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array, number_on_host
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray
from .. import fft as _fft

__all__ = [
    "cc_diff",
    "cs_diff",
    "diff",
    "hilbert",
    "ihilbert",
    "itilbert",
    "sc_diff",
    "shift",
    "ss_diff",
    "tilbert",
]


def _scaled(value: Any, period: Any) -> float:
    """A length in units of which the period is 2 pi."""
    value = float(number_on_host(value))
    return value if period is None else value * 2 * math.pi / float(number_on_host(period))


def _filtered(x: Any, response: Callable[[Any], Any], at_0: float, at_end: Any) -> ndarray:
    """`x` with its spectrum multiplied by a response, given for the frequency 0 and those above.

    At the frequency n / 2 of an even length, which has no imaginary part, the response is replaced
    by the real number of `at_end`, a function of the frequency, unless that is None.
    """
    x = as_array(x)
    if x.ndim != 1 or not x.size:
        raise ValueError(f"x must be of one dimension, with elements; its shape is {x.shape}")
    if x.dtype.kind == "c":
        return _filtered(x.real, response, at_0, at_end) + 1j * _filtered(
            x.imag, response, at_0, at_end
        )
    n = x.size
    factors = np.full(n // 2 + 1, at_0, np.complex128)
    with np.errstate(all="ignore"):
        factors[1:] = response(np.arange(1.0, n // 2 + 1))
        if n % 2 == 0 and at_end is not None:
            factors[-1] = at_end(n / 2)
    return _fft.irfft(_fft.rfft(x.astype(np.float64, copy=False)) * asarray(factors), n)


def _zero(k: float) -> float:
    """The response at the highest frequency of what is odd there."""
    return 0.0


def diff(x, order=1, period=None) -> ndarray:
    """Return the derivative or the integral of a periodic sequence.

    Parameters
    ----------
    x : array_like
        Values of one dimension at equal distances, over one period.
    order : int, optional
        How often to differentiate; a negative number integrates, and makes the mean zero.
    period : float, optional
        Length of the period. By default 2 pi.

    Returns
    -------
    ndarray
        Array of float64, or of complex128 for complex numbers; `x` itself for the order 0. The
        highest frequency of an even length is set to zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import fftpack
    >>> fftpack.diff(cp.array([1.0, 0.0, -1.0, 0.0])).round(12) + 0.0
    array([ 0., -1.,  0.,  1.])
    """
    order = operator.index(order)
    if order == 0:
        return as_array(x)
    unit = _scaled(1.0, period)
    turn = (1, 1j, -1, -1j)[order % 4]
    return _filtered(x, lambda k: turn * (unit * k) ** float(order), 0.0, _zero)


@documented_as(diff)
def tilbert(x, h, period=None) -> ndarray:
    """Return the transform that `itilbert` undoes: spectra are multiplied by i coth(k h).

    Parameters
    ----------
    h : float
        Depth, in the unit of the period.
    """
    h = _scaled(h, period)
    return _filtered(x, lambda k: 1j / np.tanh(h * k), 0.0, _zero)


@documented_as(tilbert)
def itilbert(x, h, period=None) -> ndarray:
    """Return the inverse of `tilbert`: spectra are multiplied by -i tanh(k h)."""
    h = _scaled(h, period)
    return _filtered(x, lambda k: -1j * np.tanh(h * k), 0.0, _zero)


@documented_as(diff)
def hilbert(x) -> ndarray:
    """Return the Hilbert transform of a periodic sequence: spectra are multiplied by i sign(k)."""
    return _filtered(x, lambda k: 1j, 0.0, _zero)


@documented_as(diff)
def ihilbert(x) -> ndarray:
    """Return the inverse Hilbert transform: spectra are multiplied by -i sign(k)."""
    return _filtered(x, lambda k: -1j, 0.0, _zero)


@documented_as(diff)
def cs_diff(x, a, b, period=None) -> ndarray:
    """Return a sequence whose spectrum is multiplied by -i cosh(k a) / sinh(k b).

    Parameters
    ----------
    a, b : float
        Lengths, in the unit of the period.
    """
    a, b = _scaled(a, period), _scaled(b, period)
    return _filtered(x, lambda k: -1j * (np.cosh(a * k) / np.sinh(b * k)), 0.0, _zero)


@documented_as(cs_diff)
def sc_diff(x, a, b, period=None) -> ndarray:
    """Return a sequence whose spectrum is multiplied by i sinh(k a) / cosh(k b)."""
    a, b = _scaled(a, period), _scaled(b, period)
    return _filtered(x, lambda k: 1j * (np.sinh(a * k) / np.cosh(b * k)), 0.0, _zero)


@documented_as(cs_diff)
def ss_diff(x, a, b, period=None) -> ndarray:
    """Return a sequence whose spectrum is multiplied by sinh(k a) / sinh(k b), by a / b at 0."""
    a, b = _scaled(a, period), _scaled(b, period)
    return _filtered(x, lambda k: np.sinh(a * k) / np.sinh(b * k), a / b, None)


@documented_as(cs_diff)
def cc_diff(x, a, b, period=None) -> ndarray:
    """Return a sequence whose spectrum is multiplied by cosh(k a) / cosh(k b)."""
    a, b = _scaled(a, period), _scaled(b, period)
    return _filtered(x, lambda k: np.cosh(a * k) / np.cosh(b * k), 1.0, None)


@documented_as(diff)
def shift(x, a, period=None) -> ndarray:
    """Return a periodic sequence shifted to the left: the value at t is that at t + a.

    Parameters
    ----------
    a : float
        Distance, in the unit of the period.
    """
    a = _scaled(a, period)
    return _filtered(
        x, lambda k: np.exp(1j * a * k), 1.0, lambda k: math.cos(a * k) + math.sin(a * k)
    )
