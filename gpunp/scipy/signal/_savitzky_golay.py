"""Savitzky and Golay's filters: the polynomial of each window."""

import functools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._core._convert import as_array, check_device_memory
from ..._core.multiarray import asarray, ndarray
from ..._core.numeric import moveaxis
from ..._core.umath import matmul
from ...lib._stride_tricks_impl import as_strided
from ..ndimage import convolve1d
from ._host import moved, to_host

__all__ = ["savgol_coeffs", "savgol_filter"]


def savgol_coeffs(
    window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv", *, xp=None, device=None
) -> Any:
    """Return the weights with which a window's polynomial is evaluated at one of its samples.

    Parameters
    ----------
    window_length : int
        Number of samples of the window.
    polyorder : int
        Degree of the polynomial, less than `window_length`.
    deriv : int, optional
        Order of the derivative that is evaluated.
    delta : float, optional
        Distance of the samples, of which derivatives are quotients.
    pos : int, optional
        Sample at which the polynomial is evaluated. By default the middle.
    use : {'conv', 'dot'}, optional
        Whether the weights are in the order of a convolution or of a scalar product.
    xp : module, optional
        Namespace of the result. By default this package.
    device : optional
        Device of the result, as `asarray` of the namespace takes it.

    Returns
    -------
    ndarray
        Weights, computed on the host.

    Raises
    ------
    ValueError
        If the degree, the sample or the order do not fit the window.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.savgol_coeffs(3, 1).round(4)
    array([0.3333, 0.3333, 0.3333])
    """
    from scipy.signal import savgol_coeffs as host

    given = to_host([window_length, polyorder, deriv, delta, pos])
    check_device_memory(given[0])
    weights = host(*given, use)
    return moved(weights, xp, device)


@functools.lru_cache(maxsize=64)
def _design(size: int, polyorder: int, deriv: int, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a window for its middle, and those for each sample of either end.

    The latter are two matrices, one column for each of the first and of the last `size // 2`
    samples. They are least squares in a basis of Legendre polynomials, which is well conditioned.
    """
    from numpy.polynomial import legendre
    from scipy.signal import savgol_coeffs as host

    middle = host(size, polyorder, deriv=deriv, delta=delta)
    half, reach, degree = size // 2, max(size - 1, 1) / 2, int(polyorder)
    at = np.arange(size) / reach - 1
    fit = np.linalg.pinv(legendre.legvander(at, degree))
    scale = 1 / (reach * delta) if deriv else 1.0  # values need no distance, which may be 0
    basis = legendre.legder(np.eye(degree + 1), deriv, scale)
    where = np.stack([at[:half], at[size - half :]])
    rows = np.moveaxis(legendre.legval(where, basis), 0, -1) @ fit
    return middle, np.ascontiguousarray(np.swapaxes(rows, 1, 2))


def _both_ends(a: ndarray, axis: int, count: int) -> ndarray:
    """A view of the first and the last samples of each line: the end, the lines, the samples."""
    lines = moveaxis(a, axis, -1)
    if lines.ndim == 1:
        lines = lines[None]
    n, step = lines.shape[-1], lines.strides[-1]
    shape = [2, *lines.shape[:-1], count]
    return as_strided(lines, shape, [(n - count) * step, *lines.strides])


def savgol_filter(
    x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0
) -> ndarray:
    """Smooth signals, or derive them, by the polynomial that fits each window best.

    Parameters
    ----------
    x : array_like
        Signals, on the device; they become float64 unless they are float32.
    window_length : int
        Number of samples of the window.
    polyorder : int
        Degree of the polynomial, less than `window_length`.
    deriv : int, optional
        Order of the derivative that is computed.
    delta : float, optional
        Distance of the samples, of which derivatives are quotients.
    axis : int, optional
        Axis of time, along which each line is one signal.
    mode : {'interp', 'mirror', 'constant', 'nearest', 'wrap'}, optional
        What happens at the ends: the polynomials of the first and the last window are used, or the
        signals are extended by the mirror image, `cval`, the last sample, or the other end.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.

    Returns
    -------
    ndarray
        Filtered signals of the shape of `x`.

    Raises
    ------
    ValueError
        If `mode` is unknown, the degree is too high, or a window for 'interp' is longer than `x`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.savgol_filter(cp.array([2.0, 2, 5, 2, 1, 0]), 5, 2).round(3)
    array([ 1.657,  3.171,  3.543,  2.857,  1.629, -0.457])
    """
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    x = as_array(x)
    if x.dtype not in (np.float32, np.float64):
        x = x.real.astype(np.float64)
    polyorder = operator.index(polyorder)
    window_length, deriv = to_host(window_length), to_host(deriv)
    check_device_memory(window_length)
    weights, ends = _design(window_length, polyorder, deriv, to_host(delta) + 0.0)
    weights = weights.astype(x.dtype)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    if mode != "interp":
        return convolve1d(x, weights, axis=axis, mode=mode, cval=cval)
    if window_length > x.shape[axis]:
        raise ValueError(
            "If mode is 'interp', window_length must be less than or equal to the size of x."
        )
    y = convolve1d(x, weights, axis=axis, mode="constant")
    half = window_length // 2
    if y.size and half:
        rows = asarray(ends.astype(x.dtype)).reshape(2, *[1] * (x.ndim - 2), window_length, half)
        matmul(_both_ends(x, axis, window_length), rows, out=_both_ends(y, axis, half))
    return y
