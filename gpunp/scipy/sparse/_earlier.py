"""Where the results of rows were in an earlier operation of matrices with the same structure."""

import weakref
from typing import Any

from ..._core.multiarray import ndarray
from .._kept import Kept

FAILURES = 3  # times that results were elsewhere, after which nothing is kept


class Earlier:
    """Where results began, kept from the second operation with the same arrays of indices on.

    Parameters
    ----------
    arrays : tuple of ndarray
        Indices of both matrices. They are not kept alive.
    """

    __slots__ = ("_arrays", "_failures", "_kept")

    def __init__(self, arrays: tuple) -> None:
        self._arrays = [weakref.ref(a) for a in arrays]
        self._failures = 0
        self._kept: Kept | None = None

    def is_of(self, arrays: tuple) -> bool:
        """Whether these are the arrays."""
        return all(ref() is a for ref, a in zip(self._arrays, arrays, strict=True))

    def keep(self, indptr: ndarray, count: int) -> None:
        """Keep a copy of where rows of `count` results begin, unless that has failed often."""
        self._failures += self._kept is not None
        self._kept = Kept((indptr.copy(), count)) if self._failures < FAILURES else None

    def get(self) -> tuple[ndarray, int] | None:
        """Where the rows of results begin, and their number; None where it is not kept."""
        return None if self._kept is None else self._kept.get()


def earlier(store: dict, operation: Any, arrays: tuple) -> tuple[Earlier, bool]:
    """What `store` has of an operation of matrices with these arrays of indices, and whether it is
    new."""
    found = store.get(("merged", operation))
    if found is not None and found.is_of(arrays):
        return found, False
    store["merged", operation] = found = Earlier(arrays)
    return found, True
