"""Bounds of random integers: NumPy's checks, and the pair (low, count) that the kernel takes."""

import functools
import operator
from typing import Any

import numpy as np

from .._core._convert import as_host, host_ndim
from .._core.multiarray import asarray, empty, ndarray
from .._core.randomness import RandomStream, looked_at, random_integers

__all__ = ["draw_integers"]

# The ends of each type that can be drawn.
_LIMITS = {np.dtype(bool): (0, 1)} | {
    np.dtype(letter): (int(np.iinfo(letter).min), int(np.iinfo(letter).max))
    for letter in "bBhHiIlLqQ"
}


_CUT = float, np.floating, np.timedelta64, str


def _whole(value: Any) -> int:
    """A bound as an int; floats are cut as NumPy cuts them, text is read."""
    return int(value) if isinstance(value, _CUT) else operator.index(value)


@functools.cache
def _type(dtype: Any) -> tuple[np.dtype[Any], int, int]:
    """The dtype and its ends; TypeError for what has none."""
    descr = np.dtype(dtype)
    if descr not in _LIMITS:
        if not descr.isnative and descr.newbyteorder("=") in _LIMITS:
            raise ValueError("Providing a dtype with a non-native byteorder is not supported.")
        raise TypeError(f"Unsupported dtype {descr!r} for integers")
    return descr, *_LIMITS[descr]


def _device_bounds(low: Any, high: Any, endpoint: bool) -> tuple[ndarray, ndarray]:
    """(low, count) of bounds of which one is on the device: not checked."""
    low, high = asarray(low), asarray(high)
    for x in (low, high):
        if x.dtype.kind in "mM":
            raise TypeError(f"bounds must be integers, not {x.dtype}")
    low, high = (x.astype(np.int64).view(np.uint64) for x in (low, high))
    return low, high - low + (1 if endpoint else 0)


def _host_bounds(low: Any, high: Any, dtype: Any, endpoint: bool) -> tuple[ndarray, ndarray]:
    """(low, count) of host arrays, checked."""
    least, most = _LIMITS[dtype]
    exact = [as_host(x) for x in (low, high)]
    for x in exact:
        if x.dtype.kind in "mMV":
            raise TypeError(f"bounds must be integers, not {x.dtype}")
    exact = [x if x.dtype.kind in "iuO" else x.astype(np.int64) for x in exact]
    if any(x.dtype.kind == "O" or x.dtype == np.uint64 for x in exact):
        exact = [x.astype(object) for x in exact]
    else:
        exact = [x.astype(np.int64) for x in exact]
    if np.any(exact[0] < least):
        raise ValueError(f"low is out of bounds for {dtype.name}")
    if np.any(exact[1] > (most if endpoint else most + 1)):
        raise ValueError(f"high is out of bounds for {dtype.name}")
    if np.any(exact[0] > exact[1] if endpoint else exact[0] >= exact[1]):
        raise ValueError("low > high" if endpoint else "low >= high")
    modulo = [
        np.array([int(v) % 2**64 for v in x.ravel()], np.uint64).reshape(x.shape)
        if x.dtype == object
        else x.view(np.uint64)
        for x in exact
    ]
    with np.errstate(over="ignore"):
        count = modulo[1] - modulo[0] + np.uint64(1 if endpoint else 0)
    return asarray(modulo[0]), asarray(count)


def draw_integers(
    stream: RandomStream, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool
) -> ndarray:
    """Integers of [low, high), or of [low, high] with `endpoint`."""
    descr, least, most = _type(np.dtype(dtype) if isinstance(dtype, np.timedelta64) else dtype)
    alone = high is None
    if alone:
        low, high = 0, low
    if type(low) is not int or type(high) is not int:
        low, high = looked_at(low), looked_at(high)
        if isinstance(low, ndarray) or isinstance(high, ndarray):
            return random_integers(stream, *_device_bounds(low, high, endpoint), size, descr)
        if host_ndim(low) or host_ndim(high):
            return random_integers(stream, *_host_bounds(low, high, descr, endpoint), size, descr)
        low, high = _whole(low), _whole(high)
    last = high if endpoint else high - 1
    if low < least:
        raise ValueError(f"low is out of bounds for {descr.name}")
    if last > most:
        raise ValueError(f"high is out of bounds for {descr.name}")
    if low > last:
        if 0 in (size if isinstance(size, (tuple, list)) else (size,)):
            return empty(size, descr)  # an empty range is allowed if nothing is drawn
        if alone:
            raise ValueError("high < 0" if endpoint else "high <= 0")
        raise ValueError("low > high" if endpoint else "low >= high")
    return random_integers(stream, low, last - low + 1, size, descr)
