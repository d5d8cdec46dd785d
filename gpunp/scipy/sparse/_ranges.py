"""Coordinates in any order to compressed rows, by ranges of rows.

One pass over memory brings the elements of a range of 2**shift rows together, as words of a row in
its range, a column and a value, or where the value is; a block then sorts a range in shared memory.
"""

import numpy as np

from ..._core._sparse import (
    BUCKET_BITS,
    RANGE_BITS,
    RANGE_MOST,
    RANGE_TILE,
    RANGES,
    sparse_range_begins,
    sparse_range_count,
    sparse_range_fits,
    sparse_range_move,
    sparse_range_sort,
)
from ..._core.multiarray import ascontiguousarray, empty, ndarray, zeros
from ._sparsetools import COUNT, are_short, column_bits, front

LEAST = 1 << 22  # elements below which ranges are too few for all of a device
MEAN = 8192  # elements of a range, at most


def shift_of(indices: ndarray, shape: tuple[int, int]) -> int | None:
    """The bits of a row in its range; None where coordinates are not sorted by ranges."""
    m, size = shape[0], indices.size
    if size < LEAST or not are_short(indices, m):
        return None
    shift = min((MEAN * m // size).bit_length() - 1, BUCKET_BITS)
    fits = (m - 1) >> shift < RANGES and shift + column_bits(shape[1]) <= RANGE_BITS
    return shift if fits and sparse_range_fits() else None


def look(
    rows: ndarray, columns: ndarray, shape: tuple[int, int], shift: int
) -> tuple[bool, bool, bool, tuple[ndarray, ndarray] | None]:
    """What `look_at_pairs` says of coordinates, and where elements of tiles and ranges go; None
    where a range has too many. Waits for the device."""
    tiles = -(-rows.size // RANGE_TILE)
    counts, parts = zeros(5, np.int64), empty((tiles, RANGES), np.uint16)
    starts, begins = empty((tiles, RANGES), np.uint32), empty(RANGES + 1, np.uint32)
    sparse_range_count(rows, columns, counts, parts, rows.size, *shape, shift)
    sparse_range_begins(parts, starts, begins, counts, tiles)
    wrong, less, pairs, most, _ = counts.get().tolist()
    return wrong == 0, less == 0, pairs == 0, (starts, begins) if most <= RANGE_MOST else None


def compress(
    coordinates: tuple[ndarray, ndarray],
    data: ndarray,
    shape: tuple[int, int],
    shift: int,
    places: tuple[ndarray, ndarray],
) -> tuple[ndarray, ndarray, ndarray] | None:
    """Canonical rows (indptr, indices, data) of elements whose places are those of `look`; None
    where a row is too long. Waits for the device, for that and for the number of elements."""
    m, size, bits = shape[0], data.size, column_bits(shape[1])
    data, words = ascontiguousarray(data), empty(size, np.uint64)
    values = data if data.itemsize == 4 else None
    sparse_range_move(*coordinates, values, *places, words, size, shift, bits)
    state, indptr = zeros((m - 1 >> shift) + 3, np.int64), empty(m + 1, np.int32)
    indices, out = empty(size, np.int32), empty(size, data.dtype)
    sparse_range_sort(words, data, places[1], state, indptr, indices, out, m, shift, bits)
    last, _, too_long = state[-3:].get().tolist()
    return None if too_long else (indptr, *front(last & COUNT, indices, out))
