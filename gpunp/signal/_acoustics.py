"""Cepstra: transforms of the logarithms of spectra (Oppenheim & Schafer, "Discrete-Time Signal
Processing", chapter 13)."""

import math
from typing import Any

from .._core import umath as um
from .._core._convert import as_array
from .._core._docstrings import documented_as
from .._core.multiarray import arange, ndarray, where
from .._core.numeric import moveaxis
from ..lib._function_base_impl import angle, unwrap
from ..scipy import fft as _fft

__all__ = ["complex_cepstrum", "inverse_complex_cepstrum", "minimum_phase", "real_cepstrum"]


def _ramp(n: int) -> ndarray:
    """The phase of a delay by one sample at n frequencies."""
    return arange(n) * (2 * math.pi / n)


def real_cepstrum(x, n=None, axis=-1) -> ndarray:
    """Compute the transform of the logarithm of a magnitude spectrum.

    Parameters
    ----------
    x : array_like
        Samples of the signal.
    n : int, optional
        Length of the transform; by default that of the signal.
    axis : int, optional
        Axis of the samples.

    Returns
    -------
    ndarray
        Real cepstrum.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.real_cepstrum(cp.array([1.0, 0.0, 0.0]))
    array([0., 0., 0.])
    """
    spectrum = _fft.fft(as_array(x), n, axis)
    return _fft.ifft(um.log(um.abs(spectrum)), axis=axis).real


@documented_as(real_cepstrum)
def complex_cepstrum(x, n=None, axis=-1) -> tuple[ndarray, ndarray]:
    """Compute the transform of the logarithm of a complex spectrum.

    The sign of a signal with a negative sum is lost.

    Returns
    -------
    ceps : ndarray
        Complex cepstrum, whose numbers are real.
    ndelay : ndarray
        Delay of each signal in samples, which was taken out.

    Examples
    --------
    >>> import gpunp as cp
    >>> ceps, delay = cp.signal.complex_cepstrum(cp.array([1.0, 0.5, 0.0, 0.0]))
    >>> ceps.round(3)
    array([ 0.016,  0.492, -0.141,  0.133])
    """
    spectrum = moveaxis(_fft.fft(as_array(x), n, axis), axis, -1)
    phase = unwrap(angle(spectrum))
    count = phase.shape[-1]
    middle = (count + 1) // 2 if count > 1 else 0
    turn = 2 * math.pi * middle / count
    delay = um.rint(phase[..., middle] / turn) if middle else phase[..., 0] * 0
    phase = phase - delay[..., None] * _ramp(count)
    ceps = _fft.ifft(um.log(um.abs(spectrum)) + 1j * phase).real
    return moveaxis(ceps, -1, axis), delay


def inverse_complex_cepstrum(ceps, ndelay) -> ndarray:
    """Compute the signals whose complex cepstra are given.

    Parameters
    ----------
    ceps : array_like
        Complex cepstra along the last axis.
    ndelay : array_like
        Delay of each signal in samples, as `complex_cepstrum` returns it.

    Returns
    -------
    ndarray
        Samples of the signals.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([1.0, 0.5, 0.25, 0.125])
    >>> cp.signal.inverse_complex_cepstrum(*cp.signal.complex_cepstrum(x)).round(3)
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    spectrum = _fft.fft(as_array(ceps))
    delay: Any = as_array(ndelay)
    phase = spectrum.imag + delay[..., None] * _ramp(spectrum.shape[-1])
    return _fft.ifft(um.exp(spectrum.real + 1j * phase)).real


def minimum_phase(x, n=None) -> ndarray:
    """Compute the signal of minimum phase that has the same magnitude spectrum.

    Parameters
    ----------
    x : array_like
        Samples of the signal, along the last axis.
    n : int, optional
        Length of the transform; by default that of the signal.

    Returns
    -------
    ndarray
        Samples of the signal of minimum phase.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.minimum_phase(cp.array([0.0, 1.0, 0.0, 0.0])).round(3)
    array([1., 0., 0., 0.])
    """
    ceps = real_cepstrum(x, n)
    k = arange(ceps.shape[-1])
    mirror = (ceps.shape[-1] - k) % ceps.shape[-1]
    kept = where(k < mirror, 2.0, where(k == mirror, 1.0, 0.0)).astype(ceps.dtype)
    return _fft.ifft(um.exp(_fft.fft(kept * ceps))).real
