"""Filters by order in a window, and by the statistics of one."""

import math
import operator
from typing import Any

import numpy as np

from ..._core._convert import as_array, per_axis
from ..._core._warnings import warn
from ..._core.multiarray import ndarray, zeros
from ..._core.raw import ElementwiseKernel, ReductionKernel
from ..ndimage import rank_filter, uniform_filter
from ._recurrences import coefficients

__all__ = ["medfilt", "medfilt2d", "order_filter", "wiener"]


# The mean of the variances of windows, from their means and the means of their squares.
_LEVEL = ReductionKernel(
    "T mean, T square", "T level", "square - mean * mean", "a + b",
    "level = a / T((double)_in_ind.size())", "0", "wiener_level",
)  # fmt: skip
_SMOOTH = ElementwiseKernel(
    "T x, T mean, T square, T level",
    "T y",
    """
    const T variance = square - mean * mean;
    y = is_less(variance, level) ? mean : (x - mean) * (T(1) - level / variance) + mean;
    """,
    "wiener",
    preamble="""
    __device__ bool is_less(double a, double b) { return a < b; }
    __device__ bool is_less(complex<double> a, complex<double> b)
    {
        return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
    }
    """,
)


def _ordered(a: Any, function: str) -> ndarray:
    a = as_array(a)
    if a.dtype.kind not in "iuf" and a.dtype.name != "bfloat16":
        raise ValueError(f"dtype={a.dtype} is not supported by {function}")
    return a


def _sizes(sizes: Any, ndim: int) -> list[int]:
    """A window's size along each axis."""
    if isinstance(sizes, ndarray):
        sizes = coefficients(sizes)
    given = per_axis(sizes) if np.iterable(sizes) else (sizes,) * ndim
    return [operator.index(n) for n in given]


def order_filter(a, domain, rank) -> ndarray:
    """Replace each element by the one of a given rank among its neighbours.

    Parameters
    ----------
    a : array_like
        Array of any dimension, on the device.
    domain : array_like
        Mask of the neighbours: each axis has an odd number of elements, the middle one of which
        stands for the element itself. On the device it is read back.
    rank : int
        Position among the sorted neighbours, 0 for the least.

    Returns
    -------
    ndarray
        Result of the shape and type of `a`. Beyond the ends stand zeros.

    Raises
    ------
    ValueError
        If an axis of `domain` has an even number of elements, or `a` is complex or boolean.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.order_filter(cp.array([5, 1, 4, 2]), [1, 1, 1], 2)
    array([5, 5, 4, 4])
    """
    a, mask = _ordered(a, "order_filter"), coefficients(domain)
    if any(n % 2 != 1 for n in mask.shape):
        raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    return rank_filter(a, rank, footprint=mask, mode="constant")


def medfilt(volume, kernel_size=None) -> ndarray:
    """Replace each element by the median of a window around it.

    Parameters
    ----------
    volume : array_like
        Array of any dimension, on the device.
    kernel_size : int or sequence of ints, optional
        Size of the window, odd, along each axis or one for all. By default 3.

    Returns
    -------
    ndarray
        Result of the shape and type of `volume`. Beyond the ends stand zeros.

    Raises
    ------
    ValueError
        If a size is even, or `volume` is complex or boolean.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.medfilt(cp.array([5, 1, 4, 2]))
    array([1, 4, 2, 2])
    """
    return _medians(_ordered(volume, "medfilt"), 3 if kernel_size is None else kernel_size)


def _medians(a: ndarray, kernel_size: Any) -> ndarray:
    is_list = isinstance(kernel_size, (list, tuple))
    sizes = kernel_size
    if not is_list or len(sizes) == a.ndim:  # a list may have more items than arrays have axes
        sizes = _sizes(kernel_size, a.ndim)
    if any(n % 2 != 1 for n in sizes[: a.ndim]):
        raise ValueError("Each element of kernel_size should be odd.")
    if len(sizes) != a.ndim:
        raise RuntimeError(f"kernel_size must have {a.ndim} items, one an axis, not {len(sizes)}")
    if any(k > n for k, n in zip(sizes, a.shape, strict=True)):
        warn("kernel_size exceeds volume extent: the volume will be zero-padded.", UserWarning)
    if min(sizes, default=1) > 0 and math.prod(sizes) > 2 * a.size:
        return zeros(a.shape, a.dtype)  # more than half of each window lies beyond the ends
    return rank_filter(a, math.prod(sizes) // 2, size=sizes, mode="constant")


def medfilt2d(input, kernel_size=3) -> ndarray:
    """Replace each element of a matrix by the median of a window around it.

    Parameters
    ----------
    input : array_like
        Array of two dimensions, on the device.
    kernel_size : int or sequence of ints, optional
        Size of the window, odd, along both axes or one for both.

    Returns
    -------
    ndarray
        Result of the shape and type of `input`. Beyond the ends stand zeros.

    Raises
    ------
    ValueError
        If a size is even, or `input` has not two dimensions or is complex or boolean.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.medfilt2d(cp.eye(3))
    array([[0., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    a = _ordered(input, "medfilt2d")
    if a.ndim != 2:
        raise ValueError(f"input must have two dimensions, not {a.ndim}")
    return _medians(a, kernel_size)


def wiener(im, mysize=None, noise=None) -> ndarray:
    """Smooth by Wiener's filter: the less, the more the elements of a window differ.

    Parameters
    ----------
    im : array_like
        Array of any dimension, on the device.
    mysize : int or sequence of ints, optional
        Size of the window along each axis, or one for all. By default 3.
    noise : float, optional
        Power of the noise. By default the mean of the windows' variances.

    Returns
    -------
    ndarray
        Result of the shape of `im`, float64 or complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.wiener(cp.array([1.0, 1, 4, 1, 1]), noise=9.0).round(3)
    array([0.667, 2.   , 2.   , 2.   , 0.667])
    """
    im = as_array(im)
    sizes = _sizes(3 if mysize is None else mysize, im.ndim)
    kind = np.dtype(complex if im.dtype.kind == "c" else float)
    if noise is not None and not isinstance(noise, (int, float)):
        noise = as_array(noise)
        kind = np.result_type(kind, noise.dtype)
    x = im.astype(kind, copy=False)
    mean = uniform_filter(x, sizes, mode="constant")
    square = uniform_filter(x * x, sizes, mode="constant")
    level = _LEVEL(mean, square) if noise is None else noise
    return _SMOOTH(x, mean, square, level)
