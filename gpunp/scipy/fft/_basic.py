"""The transforms of `scipy.fft`, over one axis, two, or any.

`overwrite_x=True` allows a complex transform in place of `x`, which then is the result. `workers`
is ignored: the entire device works. `plan` may be a result of `get_fft_plan`.
"""

import operator
from typing import Any

from ..._core._convert import as_array, shape_tuple
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray
from ..._core.transforms import fft_axes
from ._plan import Plan, check_plan

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]


def _lengths(s: Any, name: str) -> tuple[int, ...] | None:
    try:
        return None if s is None else shape_tuple(s)
    except TypeError:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from None


def _line(
    name: str, x: Any, n: Any, axis: Any, norm: Any, overwrite_x: bool, plan: Plan | None
) -> ndarray:
    """A transform over one axis."""
    if axis is None:
        raise TypeError("axis must be an integer, not None")
    x = as_array(x)
    if n is not None:
        n = operator.index(n)
        if n < 1:
            raise ValueError(f"invalid number of data points ({n}) specified")
        n = (n,)
    check_plan(plan, x, n, (axis,))
    return fft_axes(name, x, n, (axis,), norm, overwrite_x)


def _grid(
    name: str, x: Any, s: Any, axes: Any, norm: Any, overwrite_x: bool, plan: Plan | None
) -> ndarray:
    """A transform over several axes."""
    x, s = as_array(x), _lengths(s, "shape")
    axes = _lengths(axes, "axes")
    if axes is not None:
        there = [axis % x.ndim for axis in axes if -x.ndim <= axis < x.ndim]
        if len(there) != len(axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(there)) != len(there):
            raise ValueError("all axes must be unique")
        if s is not None and len(s) != len(axes):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    elif s is not None and len(s) > x.ndim:
        raise ValueError("shape requires more axes than are present")
    if axes == () and name != "fftn" and name != "ifftn":
        raise ValueError("at least 1 axis must be transformed")
    check_plan(plan, x, s, axes)
    return fft_axes(name, x, s, axes, norm, overwrite_x)


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the discrete Fourier transform over one axis.

    Parameters
    ----------
    x : array_like
        Input array of any shape.
    n : int, optional
        Length of the transform: `x` is cropped or padded with zeros to it.
    axis : int, optional
        Axis along which to operate.
    norm : {"backward", "ortho", "forward"}, optional
        Direction in which the result is divided by the number of points.
    overwrite_x : bool, optional
        If True, the result may overwrite `x`.
    workers : int, optional
        Accepted for compatibility and ignored.
    plan : optional
        Plan made by `get_fft_plan`, which must fit the transform.

    Returns
    -------
    ndarray
        Transform, in the precision of `x`.
    """
    return _line("fft", x, n, axis, norm, overwrite_x, plan)


@documented_as(fft)
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the inverse discrete Fourier transform over one axis."""
    return _line("ifft", x, n, axis, norm, overwrite_x, plan)


@documented_as(fft)
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the Fourier transform of real input over one axis: the nonnegative frequencies."""
    return _line("rfft", x, n, axis, norm, overwrite_x, plan)


@documented_as(fft)
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the inverse of `rfft`: real output of `n` points, by default 2 (m - 1)."""
    return _line("irfft", x, n, axis, norm, overwrite_x, plan)


@documented_as(fft)
def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the Fourier transform of a signal with Hermitian symmetry: real output."""
    return _line("hfft", x, n, axis, norm, overwrite_x, plan)


@documented_as(fft)
def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the inverse of `hfft`: half of a Hermitian signal."""
    return _line("ihfft", x, n, axis, norm, overwrite_x, plan)


@documented_as(fft)
def fft2(
    x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the discrete Fourier transform over two axes.

    Parameters
    ----------
    s : sequence of ints, optional
        Length of the transform along each axis; -1 keeps the length of the axis.
    axes : sequence of ints, optional
        Axes over which to transform.
    """
    return _grid("fftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def ifft2(
    x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the inverse discrete Fourier transform over two axes."""
    return _grid("ifftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def rfft2(
    x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the Fourier transform of real input over two axes."""
    return _grid("rfftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def irfft2(
    x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the inverse of `rfft2`: real output."""
    return _grid("irfftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def hfft2(
    x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the Fourier transform over two axes of a Hermitian signal: real output."""
    return _grid("hfft", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def ihfft2(
    x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the inverse of `hfft2`."""
    return _grid("ihfft", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None) -> ndarray:
    """Compute the discrete Fourier transform over any axes."""
    return _grid("fftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def ifftn(
    x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the inverse discrete Fourier transform over any axes."""
    return _grid("ifftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def rfftn(
    x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the Fourier transform of real input over any axes; the last one is halved."""
    return _grid("rfftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def irfftn(
    x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the inverse of `rfftn`: real output."""
    return _grid("irfftn", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def hfftn(
    x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the Fourier transform over any axes of a Hermitian signal: real output."""
    return _grid("hfft", x, s, axes, norm, overwrite_x, plan)


@documented_as(fft2)
def ihfftn(
    x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None
) -> ndarray:
    """Compute the inverse of `hfftn`."""
    return _grid("ihfft", x, s, axes, norm, overwrite_x, plan)
