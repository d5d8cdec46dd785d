"""Cosine and sine transforms: inverses are transforms of the inverse type, which are not scaled."""

from typing import Any

from ..._core._convert import number_on_host, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray
from .. import fft as _fft
from ._basic import checked_shape

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]

_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _inverse(type: Any) -> Any:
    number = number_on_host(type)
    if number not in _INVERSES:
        raise ValueError(f"type must be 1, 2, 3 or 4, not {shown(type)}")
    return _INVERSES[number]


@documented_as(_fft.dct)
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False) -> ndarray:
    """Compute the discrete cosine transform over one axis, like `gpunp.scipy.fft.dct`."""
    return _fft.dct(x, type, n, axis, norm)


@documented_as(_fft.dct)
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False) -> ndarray:
    """Compute the inverse discrete cosine transform over one axis.

    Unlike that of `gpunp.scipy.fft` it is not scaled unless `norm="ortho"`.
    """
    return _fft.dct(x, _inverse(type), n, axis, norm)


@documented_as(_fft.dct)
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False) -> ndarray:
    """Compute the discrete sine transform over one axis, like `gpunp.scipy.fft.dst`."""
    return _fft.dst(x, type, n, axis, norm)


@documented_as(_fft.dct)
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False) -> ndarray:
    """Compute the inverse discrete sine transform over one axis.

    Unlike that of `gpunp.scipy.fft` it is not scaled unless `norm="ortho"`.
    """
    return _fft.dst(x, _inverse(type), n, axis, norm)


@documented_as(_fft.dct)
def dctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False) -> ndarray:
    """Compute the discrete cosine transform over several axes, like `gpunp.scipy.fft.dctn`.

    Parameters
    ----------
    shape : int or sequence of int, optional
        Lengths of the transform: the axes are cropped or padded with zeros to them.
    axes : int or sequence of int, optional
        Axes over which to transform. By default all.
    """
    return _fft.dctn(x, type, checked_shape(x, shape, axes), axes, norm)


@documented_as(dctn)
def idctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False) -> ndarray:
    """Compute the inverse discrete cosine transform over several axes, not scaled."""
    return _fft.dctn(x, _inverse(type), checked_shape(x, shape, axes), axes, norm)


@documented_as(dctn)
def dstn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False) -> ndarray:
    """Compute the discrete sine transform over several axes, like `gpunp.scipy.fft.dstn`."""
    return _fft.dstn(x, type, checked_shape(x, shape, axes), axes, norm)


@documented_as(dctn)
def idstn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False) -> ndarray:
    """Compute the inverse discrete sine transform over several axes, not scaled."""
    return _fft.dstn(x, _inverse(type), checked_shape(x, shape, axes), axes, norm)
