"""Cosine and sine transforms of types 1 to 4, over one axis or several."""

import math
import operator
from collections.abc import Iterable
from typing import Any

from ..._core._convert import as_array, index_of_axis, number_on_host, per_axis, shown
from ..._core._docstrings import documented_as
from ..._core.dtypes import real_dtype
from ..._core.multiarray import empty, ndarray
from ..._core.numeric import moveaxis, normalize_axis_index
from ..._core.transforms import cosine_transform

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]

_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _rows(x: ndarray, axis: int, n: int) -> ndarray:
    """`x` with the axis at the end, cut or padded to `n`, C-contiguous and floating."""
    dtype = real_dtype(x.dtype)
    moved = moveaxis(x, axis, -1)
    length = moved.shape[-1]
    if length >= n:
        rows = moved[..., :n].astype(dtype, order="C", copy=False)
        return rows if rows.flags.c_contiguous else rows.copy()
    rows = empty((*moved.shape[:-1], n), dtype)
    rows[..., :length] = moved
    rows[..., length:] = 0
    return rows


def _scale(length: int, norm: Any, inverse: bool) -> float:
    if norm == "ortho":
        return 1 / math.sqrt(length)
    if norm not in (None, "backward", "forward"):
        raise ValueError(
            f'Invalid norm value {shown(norm)}, should be "backward", "ortho" or "forward"'
        )
    return 1 / length if inverse == (norm != "forward") else 1.0


def _line(
    x: ndarray, kind: tuple[bool, int, bool], n: int, axis: int, norm: Any, orthogonalize: Any
) -> ndarray:
    """One axis of a real array: the result is a view that has the axis where it was."""
    is_sine, type, inverse = kind
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    length = 2 * (n + (1 if is_sine else -1) * (type == 1))
    scale = _scale(length, norm, inverse) if length else 1.0
    orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    code = _INVERSES[type] if inverse else type
    return moveaxis(cosine_transform(_rows(x, axis, n), code, is_sine, scale, orthogonal), -1, axis)


def _apply(
    x: Any, kind: tuple[bool, int, bool], s: list[int], axes: list[int], norm: Any, orthog: Any
) -> ndarray:
    """All axes one after the other; complex input by its parts."""
    kind = kind[0], number_on_host(kind[1]), kind[2]
    if kind[1] not in _INVERSES:
        raise ValueError(f"invalid {'DST' if kind[0] else 'DCT'} type")
    if x.dtype.kind == "c":
        parts = [_apply(part, kind, s, axes, norm, orthog) for part in (x.real, x.imag)]
        out = empty(parts[0].shape, x.dtype)
        out.real, out.imag = parts
        return out
    for n, axis in zip(s, axes, strict=True):
        x = _line(x, kind, n, axis, norm, orthog)
    return x if x.flags.c_contiguous else x.copy(order="C")


def _one(
    x: Any, kind: tuple[bool, int, bool], n: Any, axis: Any, norm: Any, orthog: Any
) -> ndarray:
    x = as_array(x)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    n = x.shape[axis] if n is None else operator.index(n)
    return _apply(x, kind, [n], [axis], norm, orthog)


def _each(values: Any, name: str) -> tuple:
    """A value for each axis; one value alone is a number, here also as an array without axes."""
    is_one = isinstance(values, ndarray) and not values.ndim and values.dtype.kind in "iu"
    if not isinstance(values, Iterable) or is_one:
        return (values,)
    if getattr(values, "ndim", 1) == 0:
        raise ValueError(f"{name} must be an integer or an iterable of integers, not a 0-d array")
    return per_axis(values)


def _several(
    x: Any, kind: tuple[bool, int, bool], s: Any, axes: Any, norm: Any, orthog: Any
) -> ndarray:
    x = as_array(x)
    if s is not None:
        s = [operator.index(n) for n in _each(s, "s")]
    if axes is None:
        axes = range(x.ndim - (x.ndim if s is None else len(s)), x.ndim)
    else:
        axes = _each(axes, "axes")
    axes = [index_of_axis(axis, x.ndim) for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    if s is not None and len(s) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    if s is None:
        s = [-1] * len(axes)
    s = [x.shape[axis] if n == -1 else n for n, axis in zip(s, axes, strict=True)]
    return _apply(x, kind, s, axes, norm, orthog)


def dct(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
) -> ndarray:
    """Compute the discrete cosine transform over one axis.

    One launch, one Fourier transform of real numbers, one launch; an axis that is not the last is
    copied to the end and back.

    Parameters
    ----------
    x : array_like
        Input array. Real and imaginary parts are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform, 1 to 4.
    n : int, optional
        Length of the transform: `x` is cropped or padded with zeros to it.
    axis : int, optional
        Axis along which to operate.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization of the transform; "ortho" scales both directions equally.
    overwrite_x : bool, optional
        Accepted for compatibility and ignored.
    workers : int, optional
        Accepted for compatibility and ignored.
    orthogonalize : bool, optional
        If True, the ends are scaled so that the transform is orthogonal. By default True if
        `norm="ortho"`.

    Returns
    -------
    ndarray
        Transform, in the precision of `x`.
    """
    return _one(x, (False, type, False), n, axis, norm, orthogonalize)


@documented_as(dct)
def idct(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
) -> ndarray:
    """Compute the inverse discrete cosine transform over one axis."""
    return _one(x, (False, type, True), n, axis, norm, orthogonalize)


@documented_as(dct)
def dst(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
) -> ndarray:
    """Compute the discrete sine transform over one axis."""
    return _one(x, (True, type, False), n, axis, norm, orthogonalize)


@documented_as(dct)
def idst(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
) -> ndarray:
    """Compute the inverse discrete sine transform over one axis."""
    return _one(x, (True, type, True), n, axis, norm, orthogonalize)


def dctn(
    x,
    type=2,
    s=None,
    axes=None,
    norm=None,
    overwrite_x=False,
    workers=None,
    *,
    orthogonalize=None,
) -> ndarray:
    """Compute the discrete cosine transform over several axes.

    Parameters
    ----------
    x : array_like
        Input array of any shape.
    type : {1, 2, 3, 4}, optional
        Type of the transform, 1 to 4.
    s : int or sequence of ints, optional
        Length of the transform along each axis; -1 keeps the length of the axis.
    axes : int or sequence of ints, optional
        Axes over which to transform. By default all, or the last len(s).
    norm, overwrite_x, workers, orthogonalize
        Further options, as for `dct`.

    Returns
    -------
    ndarray
        Transform, in the precision of `x`.
    """
    return _several(x, (False, type, False), s, axes, norm, orthogonalize)


@documented_as(dctn)
def idctn(
    x,
    type=2,
    s=None,
    axes=None,
    norm=None,
    overwrite_x=False,
    workers=None,
    orthogonalize=None,
) -> ndarray:
    """Compute the inverse discrete cosine transform over several axes.

    Parameters
    ----------
    norm, overwrite_x, workers, orthogonalize
        Further options, as for `idct`.
    """
    return _several(x, (False, type, True), s, axes, norm, orthogonalize)


@documented_as(dctn)
def dstn(
    x,
    type=2,
    s=None,
    axes=None,
    norm=None,
    overwrite_x=False,
    workers=None,
    orthogonalize=None,
) -> ndarray:
    """Compute the discrete sine transform over several axes.

    Parameters
    ----------
    norm, overwrite_x, workers, orthogonalize
        Further options, as for `dst`.
    """
    return _several(x, (True, type, False), s, axes, norm, orthogonalize)


@documented_as(dctn)
def idstn(
    x,
    type=2,
    s=None,
    axes=None,
    norm=None,
    overwrite_x=False,
    workers=None,
    orthogonalize=None,
) -> ndarray:
    """Compute the inverse discrete sine transform over several axes.

    Parameters
    ----------
    norm, overwrite_x, workers, orthogonalize
        Further options, as for `idst`.
    """
    return _several(x, (True, type, True), s, axes, norm, orthogonalize)
