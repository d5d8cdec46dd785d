"""Comparison of structured arrays, field by field.

The operators ``==`` and ``!=`` come here; ufuncs have no loop of structured dtypes, as in NumPy.
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
