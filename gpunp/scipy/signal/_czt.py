"""Chirp z-transforms: Bluestein's algorithm by Fourier transforms, in complex128."""

import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, refuse_text, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, empty, ndarray
from ..._core.numeric import moveaxis
from ..._core.raw import ElementwiseKernel
from .. import fft as _fft
from ._host import host_coefficients

__all__ = ["CZT", "ZoomFFT", "czt", "czt_points", "zoom_fft"]


# exp(2 pi i t) for t = i^2 step, or i^2 / -period, where i^2 modulo a period is exact.
_CHIRP = ElementwiseKernel(
    "int64 period, float64 step",
    "complex128 z",
    """
    const double turns = period > 0 ? (double)(i * i % period) / -(double)period : i * i * step;
    double s, c;
    sincospi(2 * turns, &s, &c);
    z = complex<double>(c, s);
    """,
    "chirp_factors",
)
# What the spectrum of a signal is multiplied with: 1 / chirp in both directions, then zeros. The
# factor of the inverse transform is in it.
_AROUND = ElementwiseKernel(
    "raw complex128 chirp, int64 n, int64 m, float64 factor",
    "complex128 z",
    """
    const ptrdiff_t at = i < n ? n - 1 - i : i - (n - 1);
    z = complex<double>(factor) / chirp[i < n + m - 1 ? at : 0];
    if (i >= n + m - 1) z = 0;
    """,
    "chirp_filter",
)
_WEIGHTED = ElementwiseKernel(
    "raw T x, raw complex128 factors, int64 n, int64 padded",
    "complex128 z",
    """
    const ptrdiff_t row = i / padded, at = i - row * padded, k = at < n ? at : 0;
    z = complex<double>(x[row * n + k]) * factors[k];
    if (at >= n) z = 0;
    """,
    "weighted_rows",
)


def _size(n: Any, what: str) -> int:
    """A positive number of points."""
    try:
        size = operator.index(n)
    except TypeError:
        size = 0
    if size < 1:
        raise ValueError(
            f"Invalid number of CZT {what} points ({shown(n)}) specified. n must be positive and"
            " integer type."
        )
    return size


def _unit(turns: Any) -> ndarray:
    """exp(2 pi i turns)."""
    return um.exp(2j * np.pi * turns)


def czt_points(m, w=None, a=1 + 0j) -> ndarray:
    """Compute the points of the complex plane at which a chirp z-transform is taken.

    Parameters
    ----------
    m : int
        Number of points to compute.
    w : complex, optional
        Ratio between two points; by default they are equidistant on the unit circle.
    a : complex, optional
        The first point of all.

    Returns
    -------
    ndarray
        Points in complex128.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.czt_points(4).round(3)
    array([ 1.+0.j,  0.+1.j, -1.+0.j, -0.-1.j])
    """
    m = _size(m, "output")
    k = arange(m)
    if w is None:
        return _unit(k / m) * complex(a)
    return complex(a) * um.power(complex(w), -1.0 * k)


class CZT:
    """Chirp z-transform of signals of one length.

    Parameters
    ----------
    n : int
        Number of samples of the signals.
    m : int, optional
        Number of points of the result; by default `n`.
    w : complex, optional
        Ratio between two points; by default they are equidistant on the unit circle.
    a : complex, optional
        The first point of all.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.CZT(3)(cp.array([1.0, 2.0, 3.0])).real.round(3)
    array([ 6. , -1.5, -1.5])
    """

    def __init__(self, n, m=None, w=None, a=1 + 0j) -> None:
        self.n = _size(n, "data")
        self.m = self.n if m is None else _size(m, "output")
        count = max(self.m, self.n)
        if w is None:
            chirp = _CHIRP(2 * self.m, 0.0, empty(count, complex))
            self.w = np.exp(-2j * np.pi / self.m)
        else:
            refuse_text(w, "w")
            self.w = complex(w)
            k = arange(count, dtype=np.int64)
            chirp = um.power(self.w, k * k / 2.0)
        refuse_text(a, "a")
        self.a = complex(a)
        self._prepare(chirp, None if self.a == 1 else um.power(self.a, -1.0 * arange(self.n)))

    def _prepare(self, chirp: ndarray, start: ndarray | None) -> None:
        n, m = self.n, self.m
        self._padded = _fft.next_fast_len(n + m - 1)
        self._chirp = chirp[:m]
        self._before = chirp[:n] if start is None else start * chirp[:n]
        around = _AROUND(chirp, n, m, 1.0 / self._padded, empty(self._padded, complex))
        self._filter = _fft.fft(around, overwrite_x=True)

    def __call__(self, x, *, axis=-1) -> ndarray:
        x = as_array(x)
        if x.shape[axis] != self.n:
            raise ValueError(f"CZT defined for length {self.n}, not {x.shape[axis]}")
        x = moveaxis(x if x.dtype.char in "fdFD" else x.astype(float), axis, -1)
        padded = empty((*x.shape[:-1], self._padded), complex)
        _WEIGHTED(x, self._before, self.n, self._padded, padded)
        product = _fft.fft(padded, overwrite_x=True)
        product = um.multiply(product, self._filter, out=product)
        whole = _fft.ifft(product, norm="forward", overwrite_x=True)
        y = whole[..., self.n - 1 : self.n + self.m - 1] * self._chirp
        return moveaxis(y, -1, axis)

    def points(self) -> ndarray:
        """Return the points of the complex plane at which the transform is taken.

        Returns
        -------
        ndarray
            Points in complex128.
        """
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """Part of the Fourier transform of signals of one length, with any resolution.

    Parameters
    ----------
    n : int
        Number of samples of the signals.
    fn : float or pair of float
        Frequencies between which the transform is taken, or the upper one.
    m : int, optional
        Number of points of the result; by default `n`.
    fs : float, optional
        Sampling rate, in the units of `fn`.
    endpoint : bool, optional
        If True, the upper frequency is the last point.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> abs(signal.ZoomFFT(4, [0.0, 1.0], 2)(cp.ones(4))).round(3)
    array([4., 0.])
    """

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False) -> None:
        self.n = _size(n, "data")
        self.m = self.n if m is None else _size(m, "output")
        ends = host_coefficients(fn)
        if ends.size not in (1, 2):
            raise ValueError("fn must be a scalar or 2-length sequence")
        self.f1, self.f2 = (0.0, float(ends.reshape(-1)[0])) if ends.size == 1 else map(float, ends)
        self.fs = fs
        step = (self.f2 - self.f1) / fs / (self.m - 1 if endpoint else self.m)
        self.w = np.exp(-2j * np.pi * step)
        self.a = np.exp(2j * np.pi * self.f1 / fs)
        chirp = _CHIRP(0, -0.5 * step, empty(max(self.m, self.n), complex))
        start = None if self.f1 == 0 else _unit(arange(self.n) * (-self.f1 / fs))
        self._prepare(chirp, start)


def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1) -> ndarray:
    """Compute the z-transform along a spiral in the complex plane.

    Parameters
    ----------
    x : array_like
        Signals along one axis.
    m : int, optional
        Number of points of the result; by default that of the samples.
    w : complex, optional
        Ratio between two points; by default they are equidistant on the unit circle.
    a : complex, optional
        The first point of all.
    axis : int, optional
        Axis of the samples.

    Returns
    -------
    ndarray
        Transform in complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.czt(cp.array([1.0, 2.0, 3.0])).real.round(3)
    array([ 6. , -1.5, -1.5])
    """
    x = as_array(x)
    return CZT(x.shape[axis], m, w, a)(x, axis=axis)


@documented_as(czt)
def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1) -> ndarray:
    """Compute part of the Fourier transform, with any resolution.

    Parameters
    ----------
    fn : float or pair of float
        Frequencies between which the transform is taken, or the upper one.
    fs : float, optional
        Sampling rate, in the units of `fn`.
    endpoint : bool, optional
        If True, the upper frequency is the last point.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> abs(signal.zoom_fft(cp.ones(4), [0.0, 1.0], 2)).round(3)
    array([4., 0.])
    """
    x = as_array(x)
    return ZoomFFT(x.shape[axis], fn, m, fs=fs, endpoint=endpoint)(x, axis=axis)
