"""Comparison, order and truth of structured arrays, field by field.

The operators ``==`` and ``!=``, sorts, searches and ``nonzero`` come here; ufuncs have no loop of
structured dtypes, as in NumPy.
"""

from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray

__all__: list[str] = []


def _operand(x: Any) -> ndarray:
    """A structured operand as an array; what is none raises TypeError."""
    if isinstance(x, np.void):
        x = _C.array(x)
    if not isinstance(x, ndarray) or not issubclass(x.dtype.type, np.void):
        raise TypeError("Cannot compare structured or void to non-void arrays.")
    return x


def _equal_fields(a: ndarray, b: ndarray, names: tuple[str, ...]) -> ndarray:
    """Where all fields are equal; those of a subarray are equal where all of its elements are."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    found = None
    for name in names:
        same = a[name] == b[name]
        if same.ndim > len(shape):
            same = same.all(axis=tuple(range(len(shape), same.ndim)))
        found = same if found is None else _C.logical_and(found, same, out=found)
    return _C.ones(shape, bool) if found is None else found


def equal(x: Any, y: Any) -> ndarray:
    """Return ``x == y`` of structured arrays, or of void ones by their bytes."""
    a, b = _operand(x), _operand(y)
    if (a.dtype.names is None) != (b.dtype.names is None):
        raise TypeError("Cannot compare structured with unstructured void arrays.")
    if a.dtype.names is None:
        if a.itemsize != b.itemsize:
            raise TypeError("cannot compare unstructured voids of different length")
        bytes_of = f"({a.itemsize},)u1"
        whole = [array.view([("bytes", bytes_of)]) for array in (a, b)]
        return _equal_fields(whole[0], whole[1], ("bytes",))
    try:
        common = np.result_type(a.dtype, b.dtype)
    except TypeError as error:
        raise TypeError(
            "Cannot compare structured arrays unless they have a common dtype: "
            f"{a.dtype} and {b.dtype} have none"
        ) from error
    a, b = (array if array.dtype == common else array.astype(common) for array in (a, b))
    return _equal_fields(a, b, common.names or ())


def not_equal(x: Any, y: Any) -> ndarray:
    """Return ``x != y`` of structured arrays, or of void ones by their bytes."""
    found = equal(x, y)
    return _C.logical_not(found, out=found)


# ---- truth and elements --------------------------------------------------------------------------


def truth(a: ndarray) -> ndarray:
    """Return where elements are nonzero: where any field is, or any byte of a void element.

    A subarray counts by its bytes, as in NumPy: its negative zeros are nonzero.
    """
    found = _C.zeros(a.shape, bool)
    for name in a.dtype.names or ():
        field, at = a.dtype.fields[name][:2]  # type: ignore[index]  # there are names
        if field.subdtype is None:
            some = truth(a[name]) if issubclass(field.type, np.void) else a[name]
        else:
            some = truth(a.view(_bytes_at(field.itemsize, at, a.dtype.itemsize))[""])
        _C.logical_or(found, some, out=found)
    if a.dtype.names is None and a.dtype.itemsize:
        raw = a.view([("bytes", f"({a.dtype.itemsize},)u1")])["bytes"]
        found = _C.any(raw, axis=-1)
    return found


def _bytes_at(size: int, offset: int, whole: int) -> np.dtype:
    """A dtype of `whole` bytes whose field, of no name, is `size` of them as void."""
    return np.dtype({"names": [""], "formats": [f"V{size}"], "offsets": [offset],
                     "itemsize": whole})  # fmt: skip


# ---- order ---------------------------------------------------------------------------------------


def _names_by(dtype: np.dtype, order: Any) -> tuple[str, ...]:
    """Names of the fields, those of `order` first; NumPy's errors for what names none."""
    names = dtype.names
    if order is None:
        return names or ()
    if names is None:
        raise ValueError("Cannot specify order when the array has no fields.")
    wanted = [order] if isinstance(order, str) else order
    if not isinstance(wanted, (list, tuple)) or any(not isinstance(x, str) for x in wanted):
        raise ValueError(f"unsupported order value: {order}")
    for k, name in enumerate(wanted):
        if name not in names:
            raise ValueError(f"unknown field name: {name}")
        if name in wanted[:k]:
            raise ValueError(f"duplicate field name: {name}")
    return (*wanted, *(name for name in names if name not in wanted))


def _bytes_as_keys(a: ndarray) -> list[ndarray]:
    """Elements as unsigned numbers of up to 8 bytes, whose order is that of the bytes."""
    size = a.dtype.itemsize
    words = -(-size // 8)
    raw = a.view([("bytes", f"({size},)u1")])["bytes"]
    padded = _C.zeros((*a.shape, 8 * words), np.uint8, "C")
    padded[..., :size] = raw
    numbers = padded.reshape(*a.shape, words, 8)[..., ::-1].copy("C").view(np.uint64)[..., 0]
    return [numbers[..., k] for k in range(words)]


def _keys(a: ndarray, names: tuple[str, ...]) -> list[ndarray]:
    """Arrays of numbers whose order, that of the first before the others', is the elements' order.

    Fields count in their order, subarrays and void by their bytes, as in NumPy.
    """
    if a.dtype.names is None:
        return _bytes_as_keys(a) if a.dtype.itemsize else []
    keys = []
    for name in names:
        field, at = a.dtype.fields[name][:2]  # type: ignore[index]  # there are names
        if field.subdtype is not None:
            keys += _keys(a.view(_bytes_at(field.itemsize, at, a.dtype.itemsize))[""], ())
        elif issubclass(field.type, np.void):
            keys += _keys(a[name], field.names or ())
        else:
            keys.append(a[name])
    return keys


def _order_of(keys: list[ndarray], shape: tuple[int, ...], axis: int, descending: bool) -> ndarray:
    """Positions that sort by several keys, the first before the others. Stable."""
    if not keys:
        along = _C.arange(shape[axis]).reshape([-1] + [1] * (len(shape) - 1 - axis))
        return _C.add(along, _C.zeros(shape, np.intp, "C"))
    order = keys[-1].argsort(axis, descending=descending)
    for key in keys[-2::-1]:
        again = _C.take_along(key, order, axis).argsort(axis, descending=descending)
        order = _C.take_along(order, again, axis)
    return order


def argsort(a: ndarray, axis: int, order: Any, descending: bool) -> ndarray:
    """Return the positions that sort structured elements along an axis."""
    return _order_of(_keys(a, _names_by(a.dtype, order)), a.shape, axis, bool(descending))


def _whole(a: ndarray) -> ndarray:
    """The elements as void, which is moved with what lies between the fields."""
    return a.view(f"V{a.dtype.itemsize}") if a.dtype.itemsize else a


def sort_in_place(a: ndarray, axis: int, order: Any, descending: bool) -> None:
    """Sort structured elements along an axis."""
    taken = _C.take_along(a, argsort(a, axis, order, descending), axis)
    _whole(a)[...] = _whole(taken)


def sort(a: ndarray, axis: int, order: Any, descending: bool) -> ndarray:
    """Return a sorted copy of structured elements, in the memory order of `a`."""
    out = a.copy("K")
    sort_in_place(out, axis, order, descending)
    return out


def sorted_pairs(a: ndarray) -> tuple[ndarray, ndarray]:
    """Return structured elements sorted along the last axis, and where each was."""
    order = argsort(a, a.ndim - 1, None, False)
    return _C.take_along(a, order, a.ndim - 1), order


def run_starts(a: ndarray) -> ndarray:
    """Return where a run of equal structured elements starts; NaN is equal to nothing."""
    starts = _C.ones(a.shape, bool)
    if a.size:
        starts[1:] = not_equal(a[1:], a[:-1])
    return starts


def _unlike(key: ndarray) -> ndarray:
    """Where a key differs from the one before in the order of a sort, in which NaNs are equal."""
    if key.dtype.kind == "c":
        return _C.logical_or(_unlike(key.real), _unlike(key.imag))
    after, before = key[1:], key[:-1]
    differs = after != before
    if key.dtype.kind not in "biu":
        differs &= _C.logical_or(after == after, before == before)
    return differs


def _ranks(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """int64 numbers in the order of the elements of two arrays, equal for equal ones."""
    if not all(issubclass(x.dtype.type, np.void) for x in (a, b)):
        raise TypeError(f"elements of type {a.dtype} and of type {b.dtype} have no common order")
    dtype = np.result_type(a.dtype, b.dtype)
    both = _C.empty(a.size + b.size, dtype, "C")
    both[: a.size], both[a.size :] = a, b.ravel()
    keys = _keys(both, dtype.names or ())
    order = _order_of(keys, both.shape, 0, False)
    starts = _C.zeros(both.shape, bool, "C")
    for key in keys:
        starts[1:] |= _unlike(key.take(order))
    ranks = _C.empty(both.shape, np.intp, "C")
    ranks[order] = starts.cumsum()
    return ranks[: a.size], ranks[a.size :].reshape(b.shape)


def searchsorted(a: ndarray, v: ndarray, right: int, sorter: Any) -> ndarray:
    """Return where to insert structured elements; both sequences are sorted together for it."""
    ranks, wanted = _ranks(a, v)
    return ranks.searchsorted(wanted, "right" if right else "left", sorter)


def is_member(a: ndarray, values: ndarray, invert: Any) -> ndarray:
    """Return whether each value is an element of the sorted `a`; NaN is equal to nothing."""
    ranks, wanted = _ranks(a, values)
    found = _C.logical_and(_C.is_member(ranks, wanted, False), equal(values, values))
    return _C.logical_not(found, out=found) if invert else found
