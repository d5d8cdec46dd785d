"""Transforms with the names and arguments of `scipy.fftpack`."""

import operator
from typing import Any

import numpy as np

from ..._core._convert import as_array, per_axis
from ..._core._docstrings import documented_as
from ..._core.dtypes import complex_dtype
from ..._core.multiarray import empty, ndarray
from ..._core.numeric import moveaxis
from .. import fft as _fft
from ..fft import get_fft_plan

__all__ = ["fft", "fft2", "fftn", "get_fft_plan", "ifft", "ifft2", "ifftn", "irfft", "rfft"]


def checked_shape(x: Any, shape: Any, axes: Any) -> Any:
    """Lengths of a transform, which must be those of all axes where none are named."""
    if shape is not None and axes is None:
        shape = [operator.index(n) for n in (per_axis(shape) if np.iterable(shape) else (shape,))]
        if len(shape) != as_array(x).ndim:
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    return shape


def fft(x, n=None, axis=-1, overwrite_x=False, plan=None) -> ndarray:
    """Compute the discrete Fourier transform over one axis, like `gpunp.scipy.fft.fft`.

    Parameters
    ----------
    x : array_like
        Array to be transformed.
    n : int, optional
        Length of the transform: the axis is cropped or padded with zeros to it.
    axis : int, optional
        Axis over which to transform.
    overwrite_x : bool, optional
        If True, the result may overwrite `x`.
    plan : Plan, optional
        Plan made by `get_fft_plan`, which must fit the transform.

    Returns
    -------
    ndarray
        Complex array.
    """
    return _fft.fft(x, n, axis, overwrite_x=overwrite_x, plan=plan)


@documented_as(fft)
def ifft(x, n=None, axis=-1, overwrite_x=False, plan=None) -> ndarray:
    """Compute the inverse discrete Fourier transform over one axis, like `gpunp.scipy.fft.ifft`."""
    return _fft.ifft(x, n, axis, overwrite_x=overwrite_x, plan=plan)


@documented_as(fft)
def fftn(x, shape=None, axes=None, overwrite_x=False, plan=None) -> ndarray:
    """Compute the discrete Fourier transform over any axes, like `gpunp.scipy.fft.fftn`.

    Parameters
    ----------
    shape : int or sequence of int, optional
        Lengths of the transform: the axes are cropped or padded with zeros to them.
    axes : int or sequence of int, optional
        Axes over which to transform.
    """
    return _fft.fftn(x, checked_shape(x, shape, axes), axes, overwrite_x=overwrite_x, plan=plan)


@documented_as(fftn)
def ifftn(x, shape=None, axes=None, overwrite_x=False, plan=None) -> ndarray:
    """Compute the inverse discrete Fourier transform over any axes, like `scipy.fft.ifftn`."""
    return _fft.ifftn(x, checked_shape(x, shape, axes), axes, overwrite_x=overwrite_x, plan=plan)


@documented_as(fftn)
def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None) -> ndarray:
    """Compute the discrete Fourier transform over two axes, like `gpunp.scipy.fft.fft2`."""
    return _fft.fft2(x, checked_shape(x, shape, axes), axes, overwrite_x=overwrite_x, plan=plan)


@documented_as(fftn)
def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None) -> ndarray:
    """Compute the inverse discrete Fourier transform over two axes, like `scipy.fft.ifft2`."""
    return _fft.ifft2(x, checked_shape(x, shape, axes), axes, overwrite_x=overwrite_x, plan=plan)


def _real(x: Any) -> ndarray:
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("1st argument must be a real sequence")
    return x


def rfft(x, n=None, axis=-1, overwrite_x=False, plan=None) -> ndarray:
    """Compute the Fourier transform of real input, packed into n real numbers.

    Parameters
    ----------
    x : array_like
        Real array to be transformed.
    n : int, optional
        Length of the transform: `x` is cropped or padded with zeros to it.
    axis : int, optional
        Axis along which to operate.
    overwrite_x : bool, optional
        Accepted for compatibility and ignored.
    plan : optional
        Plan made by `get_fft_plan`, which must fit the transform.

    Returns
    -------
    ndarray
        The constant term, then real and imaginary part of each frequency in turn; of the last one
        the real part only if n is even.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import fftpack
    >>> fftpack.rfft(cp.array([9.0, -9.0, 1.0, 3.0]))
    array([ 4.,  8., 12., 16.])
    """
    x = _real(x)
    points = x.shape[axis] if n is None else operator.index(n)
    spectrum = moveaxis(_fft.rfft(x, n, axis, plan=plan), axis, -1)
    out = empty(spectrum.shape[:-1] + (points,), spectrum.real.dtype)
    out[..., 0] = spectrum.real[..., 0]
    out[..., 1::2] = spectrum.real[..., 1:]
    out[..., 2::2] = spectrum.imag[..., 1 : (points + 1) // 2]
    return moveaxis(out, -1, axis)


def irfft(x, n=None, axis=-1, overwrite_x=False) -> ndarray:
    """Compute the inverse of `rfft`: from n packed real numbers to n real points.

    Parameters
    ----------
    x : array_like
        Real array, packed like the result of `rfft`.
    n : int, optional
        Length of the transform: `x` is cropped or padded with zeros to it.
    axis : int, optional
        Axis along which to operate.
    overwrite_x : bool, optional
        Accepted for compatibility and ignored.

    Returns
    -------
    ndarray
        Real array of `n` points along the axis.
    """
    x = moveaxis(_real(x), axis, -1)
    points = x.shape[-1] if n is None else operator.index(n)
    if points < 1:
        raise ValueError(f"invalid number of data points ({points}) specified")
    spectrum = empty(x.shape[:-1] + (points // 2 + 1,), complex_dtype(x.dtype))
    spectrum[...] = 0
    given = x[..., :points]
    spectrum.real[..., 0] = given[..., 0]
    real, imag = given[..., 1::2], given[..., 2::2]
    spectrum.real[..., 1 : real.shape[-1] + 1] = real
    spectrum.imag[..., 1 : imag.shape[-1] + 1] = imag
    return moveaxis(_fft.irfft(spectrum, points, overwrite_x=True), -1, axis)
