"""Operations on the elements of arrays seen as sequences."""

from .._core import umath as um
from .._core._convert import as_array
from .._core.multiarray import can_cast, empty, ndarray

__all__ = ["ediff1d"]


def ediff1d(ary, to_end=None, to_begin=None) -> ndarray:
    """Differences between neighbours of the flattened array, with others before and after them.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.ediff1d(cp.array([1, 2, 4, 7]))
    array([1, 2, 3])
    """
    ary = as_array(ary).ravel()
    parts = []
    for name, part in (("to_begin", to_begin), ("to_end", to_end)):
        part = empty(0, ary.dtype) if part is None else as_array(part).ravel()
        if not can_cast(part, ary.dtype, casting="same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        parts.append(part)
    first, last = parts
    count = max(ary.size - 1, 0)
    out = empty(first.size + count + last.size, ary.dtype)
    out[: first.size] = first
    out[first.size + count :] = last
    um.subtract(ary[1:], ary[:-1], out=out[first.size : first.size + count])
    return out
