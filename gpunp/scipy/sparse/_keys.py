"""Keys of `a[key]`: what selects along each axis, and the shape of the selection."""

from typing import Any, NamedTuple

import numpy as np

from ..._core import umath
from ..._core._convert import as_host
from ..._core.multiarray import arange, asarray, broadcast_view, ndarray
from ..._core.numeric import flatnonzero


class Keys(NamedTuple):
    """A key of each axis, an int or an array of int64, both from 0 on, or a slice.

    `shape` is that of the selection, new axes included, and `begins` says which of its axes each
    key's own are: the first of them, those of all arrays being the same ones.
    """

    axes: list
    shape: tuple
    begins: list

    def places(self, own: tuple) -> list:
        """The indices of all selected elements along each axis, of `own` lengths."""
        made = []
        for k, n, begin in zip(self.axes, own, self.begins, strict=True):
            if isinstance(k, int):
                a = asarray([k])
            else:
                a = arange(*k.indices(n)) if isinstance(k, slice) else k
                a = a.reshape(a.shape + (1,) * (len(self.shape) - begin - self._ndim(k)))
            made.append(broadcast_view(a.reshape(()) if a.size == 1 else a, self.shape).reshape(-1))
        return made

    def _ndim(self, k: Any) -> int:
        if isinstance(k, slice):
            return 1
        return max(a.ndim for a in self.axes if isinstance(a, ndarray))


def is_integer(k: Any) -> bool:
    """Whether k is one whole number."""
    return (isinstance(k, (int, np.integer)) and not isinstance(k, (bool, np.bool_))) or (
        isinstance(k, ndarray) and k.ndim == 0 and k.dtype.kind in "iu"
    )


def parse_keys(key: Any, own: tuple) -> Keys:
    """The keys of axes of `own` lengths; raise IndexError where they do not fit."""
    axes: list = []
    begins: list = []  # of slices among the axes that no array makes
    rest: list = []
    fancy: list = []  # the entries that are integers or arrays
    at = 0
    for place, k in enumerate(_entries(key, len(own))):
        if k is None:
            rest.append(1)
            continue
        begins.append(len(rest))
        if isinstance(k, slice):
            rest.append(len(range(*k.indices(own[len(axes)]))))
            axes.append(k)
            continue
        at = at if fancy else len(rest)
        fancy.append(place)
        made = _indices(k, own[len(axes) :])
        begins += begins[-1:] * (len(made) - 1)
        axes += made
    arrays = [k for k in axes if isinstance(k, ndarray)]
    if not arrays:
        return Keys(axes, tuple(rest), begins)
    both = _broadcast_shape([k.shape for k in arrays])
    if fancy[-1] - fancy[0] + 1 != len(fancy):
        at = 0  # what lies between them leaves no place for their axes but the first
    begins = [
        (b if b < at else b + len(both)) if isinstance(k, slice) else at
        for k, b in zip(axes, begins, strict=True)
    ]
    return Keys(axes, (*rest[:at], *both, *rest[at:]), begins)


def _entries(key: Any, ndim: int) -> list:
    """The parts of a key, without an ellipsis: as many as there are axes, and the new ones."""
    from ._base import issparse

    parts = [
        k if k is None or k is Ellipsis or isinstance(k, slice) or issparse(k) else _entry(k)
        for k in (key if isinstance(key, tuple) else (key,))
    ]
    if sum(k is Ellipsis for k in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(_width(k) for k in parts)
    if used > ndim:
        raise IndexError(f"too many indices: the array has {ndim} axes, but {used} were indexed")
    at = next((i for i, k in enumerate(parts) if k is Ellipsis), len(parts))
    return [*parts[:at], *[slice(None)] * (ndim - used), *parts[at + 1 :]]


def _width(k: Any) -> int:
    """How many axes a part of a key selects along."""
    if k is None or k is Ellipsis:
        return 0
    return 1 if isinstance(k, (int, slice)) or k.dtype != bool else k.ndim


def _entry(k: Any) -> Any:
    """An int, an array of the host or the device of whole numbers, or a mask of the device."""
    if is_integer(k):
        return int(k)
    if not isinstance(k, ndarray):
        k = as_host(k)
        k = k.astype(np.int64) if k.size == 0 and k.dtype.kind == "f" else k
    if k.ndim == 0:
        raise IndexError("Index dimension must be 1 or 2, not 0")
    if k.dtype.kind not in "biu":
        raise IndexError(
            "Index results in an invalid type: it must consist of integers, slices or masks"
        )
    return asarray(k) if k.dtype == bool else k


def _indices(k: Any, lengths: tuple) -> list:
    """What a part of a key is for its axes, whose lengths and those behind are given."""
    n = lengths[0]
    if isinstance(k, int):
        if not -n <= k < n:
            raise IndexError(f"index ({k}) out of range")
        return [k % n]
    if k.dtype == bool:
        if k.shape != lengths[: k.ndim]:
            raise IndexError(f"bool index has shape {k.shape} instead of {lengths[: k.ndim]}")
        found = [flatnonzero(k)] if k.ndim == 1 and isinstance(k, ndarray) else k.nonzero()
        return [c.astype(np.int64, copy=False) for c in found]
    if not isinstance(k, (ndarray, np.ndarray)):
        raise IndexError("sparse indices must be boolean")
    if isinstance(k, np.ndarray) and k.size and not (-n <= k.min() and k.max() < n):
        raise IndexError(f"index is out of bounds for an axis of {n}")
    if k.size and n == 0:
        raise IndexError("index is out of bounds for an axis of 0")
    # Those of the device are not looked at: out of bounds they wrap around, as of dense arrays.
    return [umath.remainder(asarray(k).astype(np.int64, copy=False), max(n, 1))]


def _broadcast_shape(shapes: list) -> tuple:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        words = " ".join(map(str, shapes))
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {words}"
        ) from None
