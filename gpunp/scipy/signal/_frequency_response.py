"""Responses of filters at frequencies: one launch that evaluates the polynomials in float64."""

import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import host_ndim
from ..._core._docstrings import documented_as
from ..._core.function_base import linspace
from ..._core.multiarray import array, asarray, empty, ndarray, result_type
from ..._core.raw import ElementwiseKernel
from ..._core.shape_base import atleast_2d
from ._filter_design import findfreqs
from ._host import host_coefficients

__all__ = ["freqs", "freqs_zpk", "freqz", "freqz_sos", "freqz_zpk", "group_delay", "sosfreqz"]

# Polynomials at the point of frequency w: on the unit circle (1/z), or on the imaginary axis.
_POLYNOMIAL = """
    template <typename P>
    __device__ complex<double> polynomial(
        const P &c, ptrdiff_t start, int count, complex<double> at, bool is_analog)
    {
        complex<double> sum = 0;
    #pragma unroll 1
        for (int k = 0; k < count; k++) {
            sum = sum * at + complex<double>(c[start + (is_analog ? k : count - 1 - k)]);
        }
        return sum;
    }
    __device__ complex<double> point(double w, bool is_analog)
    {
        return is_analog ? complex<double>(0, w) : complex<double>(cos(w), -sin(w));
    }
"""
_QUOTIENT = ElementwiseKernel(
    "float64 w, raw T b, int32 nb, raw T a, int32 na, bool is_analog",
    "R h",
    """
    const complex<double> at = point(w, is_analog);
    h = R(polynomial(b, 0, nb, at, is_analog) / polynomial(a, 0, na, at, is_analog));
    """,
    "quotient_response",
    preamble=_POLYNOMIAL,
)
_SECTIONS = ElementwiseKernel(
    "float64 w, raw T sos, int32 count",
    "R h",
    """
    const complex<double> at = point(w, false);
    complex<double> product = 1;
    #pragma unroll 1
    for (int k = 0; k < count; k++) {
        product *= polynomial(sos, 6 * k, 3, at, false) / polynomial(sos, 6 * k + 3, 3, at, false);
    }
    h = R(product);
    """,
    "sections_response",
    preamble=_POLYNOMIAL,
)
_ROOTS = ElementwiseKernel(
    "float64 w, raw complex128 z, int32 nz, raw complex128 p, int32 np, complex128 k, bool analog",
    "R h",
    """
    const complex<double> at = analog ? complex<double>(0, w) : complex<double>(cos(w), sin(w));
    complex<double> above = k, below = 1;
    #pragma unroll 1
    for (int j = 0; j < nz; j++) above *= at - complex<double>(z[j]);
    #pragma unroll 1
    for (int j = 0; j < np; j++) below *= at - complex<double>(p[j]);
    h = R(above / below);
    """,
    "roots_response",
)
_DELAY = ElementwiseKernel(
    "float64 w, raw T c, int32 count, int32 lag",
    "float64 delay",
    """
    const complex<double> at = point(w, false);
    complex<double> above = 0, below = 0;
    #pragma unroll 1
    for (int k = count - 1; k >= 0; k--) {
        above = above * at + complex<double>(c[k]) * (double)k;
        below = below * at + complex<double>(c[k]);
    }
    delay = (above / below).real() - lag;
    if (!isfinite(delay)) delay = 0;
    """,
    "group_delay",
    preamble=_POLYNOMIAL,
)


# ---- arguments -----------------------------------------------------------------------------------


def _coefficients(*given: Any) -> list[ndarray]:
    """Coefficients of the host or the device as arrays of one dimension or more."""
    arrays = [asarray(x) for x in given]
    return [x.reshape(1) if x.ndim == 0 else x for x in arrays]


def _real_type(*arrays: ndarray) -> np.dtype:
    """Type of frequencies: float32 where all coefficients have that precision."""
    return np.dtype("f4" if result_type(*arrays).char in "efF" else "f8")


def _rate(fs: Any) -> float:
    """The sampling rate, which has to be one number."""
    if fs is None:
        raise ValueError("Sampling frequency can not be none.")
    if host_ndim(fs) != 0:
        raise ValueError("Sampling frequency fs must be a single scalar.")
    return float(fs)


def _digital(wanted: Any, whole: Any, fs: float, kind: Any, nyquist: bool = False) -> tuple:
    """(frequencies of the result, the same in radians per sample in float64)."""
    wanted = 512 if wanted is None else wanted
    last = 2 * math.pi if whole else math.pi
    try:
        count = operator.index(wanted)
    except TypeError:
        w = asarray(wanted)
        w = w.reshape(1) if w.ndim == 0 else w
        return w.astype(kind, copy=False), w.astype(float) * (2 * math.pi / fs)
    if count < 0:
        raise ValueError(f"worN must be nonnegative, got {count}")
    at = linspace(0, last, count, endpoint=bool(nyquist and not whole))
    return (at * (fs / (2 * math.pi))).astype(kind, copy=False), at


def _analog(wanted: Any, num: Any, den: Any, roots: bool, kind: Any) -> ndarray:
    """Frequencies of an analog filter, chosen on the host where their number is given."""
    try:
        count = 200 if wanted is None else operator.index(wanted)
    except TypeError:
        w = asarray(wanted)
    else:
        w = findfreqs(num, den, count, kind="zp" if roots else "ba")
    return (w.reshape(1) if w.ndim == 0 else w).astype(kind, copy=False)


def _as_complex(kind: np.dtype) -> np.dtype:
    return np.dtype("F" if kind.char == "f" else "D")


# ---- responses -----------------------------------------------------------------------------------


def _quotient(b: ndarray, a: ndarray, w: ndarray, kind: np.dtype, is_analog: bool) -> ndarray:
    """b / a at angular frequencies w, which are numbers of float64."""
    dtype = np.dtype("D" if "c" in b.dtype.kind + a.dtype.kind else "d")
    b, a = b.astype(dtype, copy=False), a.astype(dtype, copy=False)
    if b.ndim == a.ndim == 1:
        h = empty(w.shape, _as_complex(kind))
        return _QUOTIENT(w, b, b.size, a, a.size, is_analog, h)
    at = um.exp(-1j * w)
    above, below = (_evaluated(c, at) for c in (b, a))
    return (above / below).astype(_as_complex(kind))


def _evaluated(c: ndarray, at: ndarray) -> ndarray:
    """Polynomials along the first axis of `c` in ascending powers, broadcast with `at`."""
    total = c[-1] if c.ndim > 1 else c[-1:]
    total = total + um.multiply(at, 0)
    for k in range(c.shape[0] - 2, -1, -1):
        total = total * at + c[k]
    return total


def freqz(
    b, a=1, worN=512, whole=False, plot=None, fs=6.283185307179586, include_nyquist=False
) -> tuple[ndarray, ndarray]:
    """Compute the response of a digital filter at frequencies.

    Parameters
    ----------
    b : array_like
        Coefficients of the numerator, on the host or the device. With more than one dimension the
        first is that of the coefficients, and the others are broadcast with the frequencies.
    a : array_like, optional
        Coefficients of the denominator.
    worN : None, int or array_like, optional
        Number of frequencies, or the frequencies in the units of `fs`.
    whole : bool, optional
        If True, frequencies reach to the sampling rate, otherwise to half of it.
    plot : callable, optional
        Function that is called with both results.
    fs : float, optional
        Sampling rate; by default frequencies are in radians per sample.
    include_nyquist : bool, optional
        If True, half the sampling rate is the last frequency.

    Returns
    -------
    w : ndarray
        Frequencies in the units of `fs`.
    h : ndarray
        Complex response at each of them.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> w, h = signal.freqz([0.5, 0.5], worN=2)
    >>> h.round(3)
    array([1. +0.j , 0.5-0.5j])
    """
    b, a = _coefficients(b, a)
    if b.size == 0 or a.size == 0:
        raise IndexError("a filter has at least one coefficient")
    kind = _real_type(b, a)
    w, at = _digital(worN, whole, _rate(fs), kind, include_nyquist)
    try:
        h = _quotient(b, a, at, kind, False)
    except ValueError as error:
        raise ValueError("Array shapes are incompatible for broadcasting.") from error
    if plot is not None:
        plot(w, h)
    return w, h


@documented_as(freqz)
def freqz_zpk(z, p, k, worN=512, whole=False, fs=6.283185307179586) -> tuple[ndarray, ndarray]:
    """Compute the frequency response of a digital filter from its zeros and poles.

    Parameters
    ----------
    z, p : array_like
        Zeros and poles of the filter.
    k : float
        Gain of the filter.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> w, h = signal.freqz_zpk([-1.0], [0.0], 0.5, worN=2)
    >>> h.round(3)
    array([1. +0.j , 0.5-0.5j])
    """
    z, p = _coefficients(z, p)
    kind = _real_type(z, p)
    w, at = _digital(worN, whole, _rate(fs), kind)
    return w, _from_roots(z, p, k, at, kind, False)


def _gain(k: Any) -> complex | ndarray:
    """A number, or a sequence that broadcasts with the frequencies."""
    return complex(k) if host_ndim(k) == 0 else asarray(host_coefficients(k).astype("D"))


def _from_roots(
    z: ndarray, p: ndarray, k: Any, w: ndarray, kind: np.dtype, analog: bool
) -> ndarray:
    z, p = z.astype("D").reshape(-1), p.astype("D").reshape(-1)
    gain = k.astype("D") if isinstance(k, ndarray) else _gain(k)
    return _ROOTS(w, z, z.size, p, p.size, gain, analog, empty(w.shape, _as_complex(kind)))


@documented_as(freqz)
def freqz_sos(sos, worN=512, whole=False, fs=6.283185307179586) -> tuple[ndarray, ndarray]:
    """Compute the frequency response of second-order sections.

    Parameters
    ----------
    sos : array_like
        Sections of the filter, a row of six coefficients for each; a vector is one section.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> w, h = signal.freqz_sos(signal.butter(4, 0.5, output="sos"), worN=3)
    >>> abs(h).round(3)
    array([1.   , 0.994, 0.11 ])
    """
    sos = atleast_2d(asarray(sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if sos.shape[0] == 0:
        raise ValueError("Cannot compute frequencies with no sections")
    kind = _real_type(sos)
    w, at = _digital(worN, whole, _rate(fs), kind)
    rows = sos.astype("D" if sos.dtype.kind == "c" else "d", copy=False)
    return w, _SECTIONS(at, rows, rows.shape[0], empty(at.shape, _as_complex(kind)))


@documented_as(freqz_sos)
def sosfreqz(sos, worN=512, whole=False, fs=6.283185307179586) -> tuple[ndarray, ndarray]:
    """Call `freqz_sos`, whose older name this is."""
    return freqz_sos(sos, worN, whole, fs)


@documented_as(freqz)
def freqs(b, a, worN=200, plot=None) -> tuple[ndarray, ndarray]:
    """Compute the frequency response of an analog filter.

    Parameters
    ----------
    worN : None, int or array_like, optional
        Number of frequencies, which are then chosen on the host and wait for coefficients of the
        device, or the frequencies in radians per second.

    Returns
    -------
    w : ndarray
        Frequencies in radians per second.
    h : ndarray
        Complex response at each of them.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> w, h = signal.freqs([1.0], [1.0, 1.0], [0.0, 1.0])
    >>> h
    array([1. +0.j , 0.5-0.5j])
    """
    given, (b, a) = (b, a), _coefficients(b, a)
    kind = _real_type(b, a)
    w = _analog(worN, *given, False, kind)
    h = _quotient(b, a, w.astype(float), kind, True)
    if plot is not None:
        plot(w, h)
    return w, h


@documented_as(freqs)
def freqs_zpk(z, p, k, worN=200) -> tuple[ndarray, ndarray]:
    """Compute the frequency response of an analog filter from its zeros and poles.

    Parameters
    ----------
    z, p : array_like
        Zeros and poles of the filter.
    k : float
        Gain of the filter.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> w, h = signal.freqs_zpk([], [-1.0], 1.0, [0.0, 1.0])
    >>> h
    array([1. +0.j , 0.5-0.5j])
    """
    given, (z, p) = (z, p), _coefficients(z, p)
    kind = _real_type(z, p)
    w = _analog(worN, *given, True, kind)
    return w, _from_roots(z, p, k, w.astype(float), np.dtype("d"), True)


def group_delay(system, w=512, whole=False, fs=6.283185307179586) -> tuple[ndarray, ndarray]:
    """Compute the group delay of a digital filter in samples.

    Parameters
    ----------
    system : tuple of array_like
        Numerator and denominator of the filter, on the host or the device.
    w : None, int or array_like, optional
        Number of frequencies, or the frequencies in the units of `fs`.
    whole : bool, optional
        If True, frequencies reach to the sampling rate, otherwise to half of it.
    fs : float, optional
        Sampling rate; by default frequencies are in radians per sample.

    Returns
    -------
    w : ndarray
        Frequencies in the units of `fs`.
    gd : ndarray
        Delay at each of them; zero where it is singular.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.group_delay(([0.5, 0.5], [1.0]), 2)[1]
    array([0.5, 0.5])
    """
    b, a = system
    b, a = (np.atleast_1d(host_coefficients(c)) for c in (b, a))
    c: Any = np.convolve(b, a[::-1].conj())
    w, at = _digital(w, whole, _rate(fs), np.dtype("d"))
    c = array(c.astype("D" if c.dtype.kind == "c" else "d"))
    return w, _DELAY(at, c, c.size, a.size - 1, empty(at.shape))
