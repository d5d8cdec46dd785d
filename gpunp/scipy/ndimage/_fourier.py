"""Filters of images given by their Fourier transforms: products with functions of frequency."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core._filters import fourier
from ..._core.multiarray import asarray, empty, ndarray, shares_memory
from ._ni_support import axis_of, numbers, sequence

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]


def _new_output(output: Any, a: ndarray, is_complex: bool) -> ndarray:
    """An array for the result, whose type is one of four: by default float64 or complex128."""
    allowed: tuple[str, ...] = ("complex64", "complex128") if is_complex else ("float32", "float64")
    if not is_complex and (output is not None or a.dtype.kind == "c"):
        allowed += ("complex64", "complex128")
    if isinstance(output, ndarray):
        if output.shape != a.shape:
            raise RuntimeError("output shape not correct")
        dtype = output.dtype
    elif output is not None:
        dtype = np.dtype(output)
    elif a.dtype.name in allowed:
        dtype = a.dtype
    else:
        dtype = np.dtype("complex128" if is_complex else "float64")
    if dtype.name not in allowed or (a.dtype.kind == "c" and dtype.kind != "c"):
        raise RuntimeError(f"output type not supported: {dtype}")
    return output if isinstance(output, ndarray) else empty(a.shape, dtype)


def _frequencies(a: ndarray, n: Any, axis: int) -> list[np.ndarray]:
    """Frequencies along each axis, in cycles an element; those of a real transform of length n."""
    axis = axis_of(axis, a.ndim)
    found = []
    for i, size in enumerate(a.shape):
        k = np.arange(size)
        if n >= 0 and i == axis:
            with np.errstate(invalid="ignore", divide="ignore"):
                found.append(k / n)
        else:
            found.append(np.where(k < (size + 1) // 2, k, k - size) / max(size, 1))
    return found


def _product(input: Any, values: Any, n: Any, axis: int, output: Any, kind: str, table: Callable):
    """The image times a function of the frequencies; `table` makes an axis' numbers."""
    a = numbers(as_array(input))
    out = _new_output(output, a, kind == "phases")
    frequencies = _frequencies(a, n, axis)
    values = sequence(values, a.ndim)
    tables = [table(float(v), f) for v, f in zip(values, frequencies, strict=True)]
    joined = np.concatenate(tables) if tables else np.zeros(0)
    is_direct = out.flags.c_contiguous and not (shares_memory(a, out) and a is not out)
    target = out if is_direct else empty(out.shape, out.dtype)
    source = a if a.flags.c_contiguous else a.copy("C")
    fourier(source, target, asarray(np.ascontiguousarray(joined).view(np.float64)), kind)
    if target is not out:
        out[...] = target
    return out


def _gaussian(sigma: float, f: np.ndarray) -> np.ndarray:
    return np.exp(-2 * (np.pi * sigma * f) ** 2)


def _uniform(size: float, f: np.ndarray) -> np.ndarray:
    return np.sinc(size * f) if size > 0 else (np.arange(f.size) == 0).astype(float)


def _phases(shift: float, f: np.ndarray) -> np.ndarray:
    return np.exp(-2j * np.pi * shift * f)


def _squares(size: float, f: np.ndarray) -> np.ndarray:
    return (size * f) ** 2


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None) -> ndarray:
    """Multiply a Fourier transform by that of a Gaussian.

    Parameters
    ----------
    input : ndarray
        Fourier transform of an image.
    sigma : float or sequence of floats
        Standard deviation of the Gaussian; one number for all axes, or one for each.
    n : int, optional
        Length of the image along `axis` if its transform is a real one (`rfft`), which has the
        frequencies from 0 on alone. Negative: the transform is a complex one (`fft`).
    axis : int, optional
        Axis of the real transform.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: float32, float64, complex64 or complex128.
        By default that of `input` if it is one of these, else float64.

    Returns
    -------
    ndarray
        Product of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the number of values, or the type or shape of `output` is wrong.

    See Also
    --------
    scipy.ndimage.fourier_gaussian

    Notes
    -----
    The product is computed in float64 or complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.fourier_gaussian(cp.ones(4), sigma=0.5).round(3)
    array([1.   , 0.735, 0.291, 0.735])
    """
    return _product(input, sigma, n, axis, output, "factors", _gaussian)


@documented_as(fourier_gaussian)
def fourier_uniform(input, size, n=-1, axis=-1, output=None) -> ndarray:
    """Multiply a Fourier transform by that of a box, whose filter is a mean over a window.

    Parameters
    ----------
    size : float or sequence of floats
        Size of the box; one number for all axes, or one for each.
    """
    return _product(input, size, n, axis, output, "factors", _uniform)


@documented_as(fourier_gaussian)
def fourier_shift(input, shift, n=-1, axis=-1, output=None) -> ndarray:
    """Multiply a Fourier transform by phases, which shifts the image.

    Parameters
    ----------
    shift : float or sequence of floats
        Distance in elements; one number for all axes, or one for each.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: complex64 or complex128. By default that
        of `input` if it is one of these, else complex128.
    """
    return _product(input, shift, n, axis, output, "phases", _phases)


@documented_as(fourier_gaussian)
def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None) -> ndarray:
    """Multiply a Fourier transform by that of an ellipsoid of up to three dimensions.

    Parameters
    ----------
    size : float or sequence of floats
        Diameters of the ellipsoid; one number for all axes, or one for each.
    """
    a = as_array(input)
    if a.ndim > 3:
        raise NotImplementedError("fourier_ellipsoid takes images of 1, 2 or 3 dimensions")
    return _product(a, size, n, axis, output, "ellipsoid", _squares)
