"""Sample frequencies of a spectrum, and the order of its elements."""

import operator
from typing import Any

import numpy as np

from .._core._convert import as_array, number_on_host, on_device
from .._core._docstrings import documented_as
from .._core.multiarray import arange, ndarray
from .._core.numeric import roll

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def _points(n: Any, d: Any) -> tuple[int, Any]:
    """Number of points, and the frequency step."""
    try:
        return operator.index(n), 1.0 / (n * d)
    except TypeError:
        raise ValueError("n should be an integer") from None


def _typed(frequencies: ndarray, dtype: Any) -> ndarray:
    """The frequencies in the floating-point type that was asked for."""
    if dtype is None:
        return frequencies
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        raise ValueError(f"dtype must be a real floating-point type, not {dtype}")
    return frequencies.astype(dtype, copy=False)


def fftfreq(n, d=1.0, device=None, *, dtype=None) -> ndarray:
    """Return the sample frequencies of the result of `fft`, in cycles per unit of the spacing.

    Parameters
    ----------
    n : int
        Number of points of the transform.
    d : scalar, optional
        Spacing of the samples.
    device : optional
        Device, or its number. By default the current one.
    dtype : dtype, optional
        Floating-point type of the result. By default float64.

    Returns
    -------
    ndarray
        Frequencies: zero, the positive ones, then the negative ones.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fft.fftfreq(5, 0.1)
    array([ 0.,  2.,  4., -4., -2.])
    """
    n, scale = _points(n, d)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    with on_device(device):
        return _typed(roll(arange(-(n // 2), (n + 1) // 2) * scale, -(n // 2)), dtype)


@documented_as(fftfreq)
def rfftfreq(n, d=1.0, device=None, *, dtype=None) -> ndarray:
    """Return the sample frequencies of the result of `rfft`: n // 2 + 1 nonnegative numbers.

    Parameters
    ----------
    n : int
        Number of points of the signal.

    Returns
    -------
    ndarray
        Frequencies in ascending order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fft.rfftfreq(5, 0.1)
    array([0., 2., 4.])
    """
    n, scale = _points(n, d)
    with on_device(device):
        return _typed(arange(n // 2 + 1) * scale, dtype)


def _shifts(x: ndarray, axes: Any, sign: int) -> tuple[Any, Any]:
    if axes is None:
        axes = tuple(range(x.ndim))
    axes = number_on_host(axes)
    single = isinstance(axes, (int, np.integer))
    sizes = [x.shape[operator.index(axis)] for axis in ([axes] if single else axes)]
    shifts = [size // 2 if sign > 0 else -(size // 2) for size in sizes]
    return (shifts[0] if single else shifts), axes


def fftshift(x, axes=None) -> ndarray:
    """Shift the zero frequency to the centre of a spectrum.

    Parameters
    ----------
    x : array_like
        Spectrum in the order of `fft`.
    axes : int or sequence of ints, optional
        Axes to shift. By default all axes are shifted.

    Returns
    -------
    ndarray
        Shifted copy of `x`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fft.fftshift(cp.fft.fftfreq(5, 0.1))
    array([-4., -2.,  0.,  2.,  4.])
    """
    x = as_array(x)
    return roll(x, *_shifts(x, axes, 1))


@documented_as(fftshift)
def ifftshift(x, axes=None) -> ndarray:
    """Invert `fftshift`: shift the zero frequency to the beginning.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fft.ifftshift(cp.array([-2, -1, 0, 1, 2]))
    array([ 0,  1,  2, -2, -1])
    """
    x = as_array(x)
    return roll(x, *_shifts(x, axes, -1))
