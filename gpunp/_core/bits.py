"""Truth values packed into the bits of bytes."""

import operator
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import as_array, integer_axis, normalize_axis_index

__all__ = [
    "packbits",
    "unpackbits",
]


def _bit_order(bitorder: Any) -> str:
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be a str, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return bitorder


def packbits(a, /, axis=None, bitorder="big") -> ndarray:
    """Pack truth values into the bits of uint8 elements along an axis.

    Parameters
    ----------
    a : array_like of bool or int
        Array of truth values; every nonzero element counts as one.
    axis : int, optional
        Axis along which to pack. By default the flattened array is packed.
    bitorder : {'big', 'little'}, optional
        Whether the first element becomes the most or the least significant bit.

    Returns
    -------
    ndarray
        Packed array of uint8; the last byte is padded with zeros.

    Raises
    ------
    TypeError
        If `a` holds floats or complex numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.packbits(cp.array([1, 0, 1, 0, 0, 0, 0, 1, 1]))
    array([161, 128], dtype=uint8)
    """
    a, order = as_array(a), _bit_order(bitorder)
    if a.dtype.kind not in "iub":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None:
        a, axis = a.ravel(), 0
    elif a.ndim == 0:
        a = a.reshape(1)
    axis = integer_axis(axis, a.ndim)
    last = a.swapaxes(axis, -1)
    count = last.shape[-1]
    bits = last.astype(np.bool_, order="C", copy=False)
    if count % 8:
        whole = (*last.shape[:-1], -(-count // 8) * 8)
        bits = _C.pad(bits, (0,) * last.ndim, whole, "constant", False)
    packed = _C.pack_words(bits.view(np.uint64), order == "big")
    return packed if axis == a.ndim - 1 else packed.swapaxes(axis, -1).copy()


def packed_rows(flags: ndarray) -> ndarray:
    """Truth values along the last of two axes as words of 64 bits, the first one lowest."""
    rows, count = flags.shape
    if count % 64:
        flags = _C.pad(flags, (0, 0), (rows, -(-count // 64) * 64), "constant", False)
    return _C.pack_words(flags.view(np.uint64), False).view(np.uint64)


def unpackbits(a, /, axis=None, count=None, bitorder="big") -> ndarray:
    """Unpack the bits of uint8 elements into zeros and ones along an axis.

    Parameters
    ----------
    a : array_like of uint8
        Array of bytes to unpack.
    axis : int, optional
        Axis along which to unpack. By default the flattened array is unpacked.
    count : int, optional
        Number of bits to keep, padded with zeros if there are fewer; a negative number is how many
        to drop at the end.
    bitorder : {'big', 'little'}, optional
        Whether the most or the least significant bit comes first.

    Returns
    -------
    ndarray
        Array of zeros and ones, of type uint8.

    Raises
    ------
    TypeError
        If `a` is not uint8.
    ValueError
        If more bits are to be dropped than there are.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unpackbits(cp.array([5], dtype=cp.uint8))
    array([0, 0, 0, 0, 0, 1, 0, 1], dtype=uint8)
    """
    a, order = as_array(a), _bit_order(bitorder)
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        a, axis = a.ravel(), 0
    elif a.ndim == 0:
        a = a.reshape(1)
    axis = normalize_axis_index(axis, a.ndim)
    last = a.swapaxes(axis, -1)
    weights = _C.array([1 << (7 - k if order == "big" else k) for k in range(8)], np.uint8)
    bits = _C.not_equal(_C.bitwise_and(last[..., None], weights), 0).view(np.uint8)
    bits = bits.reshape((*last.shape[:-1], last.shape[-1] * 8)).swapaxes(axis, -1)
    if count is None:
        return bits.copy()
    count = operator.index(count)
    n = bits.shape[axis]
    if count < -n:
        raise ValueError(f"-count larger than number of elements ({-count} > {n})")
    shape = list(bits.shape)
    shape[axis] = count if count >= 0 else n + count
    kept = (slice(None),) * axis + (slice(0, min(shape[axis], n)),)
    out = _C.zeros(tuple(shape), np.uint8)
    out[kept] = bits[kept]
    return out
