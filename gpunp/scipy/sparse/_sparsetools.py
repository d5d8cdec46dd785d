"""Arrays of indices and values: what every format is computed with.

A compressed matrix is (indptr, indices, data) of `m` rows and `n` columns. The key of an element is
its row above its column in the bits of one integer, so that sorted keys are elements row by row.
"""

from typing import Any

import numpy as np

from ..._core._sparse import (
    GROUP_ROWS,
    MERGE_THREADS,
    MERGE_TILE,
    RUNS_TILE,
    sparse_arrange,
    sparse_begins,
    sparse_check,
    sparse_check_pairs,
    sparse_columns,
    sparse_find,
    sparse_keys,
    sparse_merge,
    sparse_merge_rows,
    sparse_product,
    sparse_rows,
    sparse_runs,
    sparse_split,
)
from ..._core.multiarray import (
    arange,
    ascontiguousarray,
    concatenate,
    empty,
    ndarray,
    run_starts,
    sorted_pairs,
    sorted_values,
    sorted_words,
    zeros,
)
from ..._core.numeric import flatnonzero
from ..._core.reductions import cumsum
from ._sputils import check_rows

ONE_TILE = 4096  # elements below which the longest row does not matter
FEW = 32  # elements of one position that one thread sums
AWAITED = 1 << 20  # elements of whose rows the longest one's length is waited for
MANY = 1 << 16  # elements from which on rows are sorted first, and columns within them
MEAN = 64  # elements of a row on the average, for that
GATHERED = 64  # bytes that are read for a value in another order
GROUP = 512  # elements of a block of the kernel that sorts columns, half of what it takes
COUNT = (1 << 62) - 1  # the bits of a kernel's last word that are the number of its results
ORDERED = 1 << 24, 1 << 30  # bytes of values of which an ordered copy is worth while


def column_bits(n: int) -> int:
    """The bits that hold every column."""
    return max(int(n) - 1, 0).bit_length()


def key_dtype(m: int, n: int) -> Any:
    """The type of the keys of a matrix of this shape."""
    bits = column_bits(m) + column_bits(n)
    if bits > 63:
        raise ValueError(f"a sparse matrix of shape {(m, n)} has positions of {bits} bits, over 63")
    return np.int32 if bits < 32 else np.int64


def index_dtype(*values: int) -> Any:
    """int32, or int64 where one of the numbers needs it."""
    return np.int64 if max(values, default=0) > np.iinfo(np.int32).max else np.int32


def keys_of_pairs(rows: ndarray, columns: ndarray, shape: tuple[int, int]) -> ndarray:
    """Keys of elements given by their coordinates, of one type of integer."""
    out = empty(rows.size, key_dtype(*shape))
    sparse_keys(rows, columns, out, rows.size, -1, column_bits(shape[1]))
    return out


def keys_of_rows(indptr: ndarray, indices: ndarray, shape: tuple[int, int]) -> ndarray:
    """Keys of the elements of a compressed matrix, in the order in which they are stored."""
    out = empty(indices.size, key_dtype(*shape))
    sparse_keys(indptr, indices, out, indices.size, shape[0], column_bits(shape[1]))
    return out


def rows_of(indptr: ndarray, count: int) -> ndarray:
    """The row of each stored element."""
    out = empty(count, indptr.dtype)
    sparse_keys(indptr, None, out, count, indptr.size - 1, 0)
    return out


def begins_of(keys: ndarray, m: int, bits: int, dtype: Any) -> ndarray:
    """Where each of `m` rows begins among sorted keys, and the end."""
    out = empty(m + 1, dtype)
    sparse_begins(keys, out, keys.size, m + 1, bits)
    return out


def look(indptr: ndarray, indices: ndarray, minor: int) -> tuple[int, bool, bool, int]:
    """(last value of indptr, whether the indices of each row ascend, and whether none is there
    twice, length of the longest row) of a compressed matrix. Waits for the device; ValueError where
    the arrays do not fit."""
    counts = zeros(5, np.int64)
    sparse_check(indptr, indices, counts, indices.size, indptr.size - 1, minor)
    wrong, less, same, end, longest = counts.get().tolist()
    if wrong:
        check_rows(indptr.get(), indices.get(), minor)
    return end, less == 0, less == 0 and same == 0, longest


def look_at_pairs(
    rows: ndarray, columns: ndarray, shape: tuple[int, int]
) -> tuple[bool, bool, bool]:
    """Whether coordinates are within a shape, whether rows ascend, and whether rows and columns do.
    Waits for the device."""
    counts = zeros(3, np.int64)
    sparse_check_pairs(rows, columns, counts, rows.size, *shape)
    wrong, less, pairs = counts.get().tolist()
    return wrong == 0, less == 0, pairs == 0


def order_of(keys: ndarray, bits: int | None = None) -> tuple[ndarray, ndarray]:
    """Sorted keys, and where each of them was; equal ones stay in order. Keys of so many bits are
    integers that are not negative."""
    return sorted_pairs(keys) if bits is None else sorted_values(keys, None, bits)


def places_of(indices: ndarray, bits: int) -> tuple[ndarray, ndarray]:
    """Sorted indices of so many bits, and where they were, of the same type."""
    if indices.size > ONE_TILE and indices.dtype == np.int32:
        return sorted_values(indices, arange(indices.size, dtype=np.int32), bits)
    columns, places = order_of(indices, bits)
    return columns, places.astype(indices.dtype)


def sorted_by(keys: ndarray, data: ndarray, bits: int) -> tuple[ndarray, ndarray | None, ndarray]:
    """Sorted keys of so many bits, where their values are (None: as they are), and the values."""
    if keys.size > ONE_TILE and data.itemsize in (4, 8):
        keys, data = sorted_values(keys, data, bits)
        return keys, None, data
    keys, order = order_of(keys, bits)
    return keys, order, ascontiguousarray(data)


def longest_row(indptr: ndarray) -> ndarray:
    """The length of the longest row, an array of one element."""
    return (indptr[1:] - indptr[:-1]).max().reshape(1)


def run_begins(keys: ndarray, dtype: Any) -> ndarray | None:
    """Where runs of equal keys begin, and the end; None where all differ. Waits for the device."""
    if keys.size < 2:
        return None
    starts = flatnonzero(run_starts(keys, False))
    if starts.size == keys.size:
        return None
    out = empty(starts.size + 1, dtype)
    out[:-1] = starts
    out[-1] = keys.size
    return out


def sum_of_rows(
    indptr: ndarray, data: ndarray, dtype: Any, places: Any = None, longest: Any = None
) -> ndarray:
    """The sum of each row's values, in the order in which they are stored."""
    out = empty(indptr.size - 1, dtype)
    if longest is None and data.size >= ONE_TILE:
        longest = longest_row(indptr)
    sizes = out.size, data.size, 0
    sparse_product(indptr, None, places, data, None, out, longest, None, None, *sizes)
    return out


def times_vector(matrix: Any, x: ndarray, dtype: Any, both: ndarray | None = None) -> ndarray:
    """A compressed matrix (indptr, indices, places, data, longest) times a vector. `both` has
    values in the order of `places`, and then as they were when it was made: they are used where
    those of `data` are the same."""
    indptr, indices, places, data, longest = matrix
    if not x.size:
        return zeros(indptr.size - 1, dtype)
    out = empty(indptr.size - 1, dtype)
    step = x.strides[0] // x.itemsize if x.size > 1 else 1
    if step < 0 or x.strides[0] % x.itemsize or not x.flags.aligned or step != 1:
        x = ascontiguousarray(x)
    sizes, changed = (out.size, data.size, 1), None if both is None else zeros(1, np.uint32)
    sparse_product(indptr, indices, places, data, x, out, longest, both, changed, *sizes)
    return out


def times_matrix(matrix: Any, x: ndarray, dtype: Any) -> ndarray:
    """A compressed matrix (indptr, indices, places, data, longest) times a dense one."""
    indptr, indices, places, data, _ = matrix
    x = ascontiguousarray(x)
    width = x.shape[1]
    if not x.size:
        return zeros((indptr.size - 1, width), dtype)
    out = empty((indptr.size - 1, width), dtype)
    if out.size:
        sparse_columns(indptr, indices, places, data, x, out, indptr.size - 1, width, width)
    return out


def times_dense(matrix: Any, x: ndarray, dtype: Any) -> ndarray:
    """A compressed matrix (indptr, indices, places, data, longest) times a vector or a matrix."""
    if x.ndim == 1:
        return times_vector(matrix, x, dtype)
    if x.shape[1] == 1:
        return times_vector(matrix, x[:, 0], dtype).reshape(-1, 1)
    return times_matrix(matrix, x, dtype)


def take_rows(indptr: ndarray, indices: ndarray, data: ndarray, first: ndarray, lengths: ndarray):
    """The rows that begin at `first` with these lengths, one behind the other.

    Returns (indptr, indices, data). Waits for the device: the number of elements is a shape.
    """
    begins = zeros(first.size + 1, indptr.dtype)
    cumsum(lengths, dtype=begins.dtype, out=begins[1:])
    count = int(begins[-1])
    out_indices, out_data = empty(count, indices.dtype), empty(count, data.dtype)
    first = ascontiguousarray(first.astype(indptr.dtype, copy=False))
    if count:
        sparse_rows(begins, first, indices, data, out_indices, out_data, count, first.size)
    return begins, out_indices, out_data


def find(indptr: ndarray, indices: ndarray, rows: ndarray, columns: ndarray) -> ndarray:
    """Where elements of a canonical matrix are stored, -1 for those that are not."""
    out = empty(rows.size, np.int64)
    if out.size:
        sparse_find(indptr, indices, rows, columns, out, rows.size)
    return out


def has_few_duplicates(indptr: ndarray, indices: ndarray, shape: tuple[int, int]) -> bool:
    """Whether no element of sorted rows has many duplicates. Waits for the device."""
    return not are_repeated(keys_of_rows(indptr, indices, shape), FEW)


def are_repeated(keys: ndarray, times: int) -> bool:
    """Whether one of sorted keys equals the one that is so many places behind it. Waits for the
    device."""
    return bool((keys[times:] == keys[:-times]).any())


def merge(operation: Any, a: Any, b: Any, shape: tuple[int, int], dtype: Any, result: Any):
    """An operation of two matrices (indptr, indices, data, has duplicates, length of the longest
    row or None) where either has an element. Their indices are sorted, and duplicates few, as one
    thread sums them.

    Returns (indptr, indices, data); results of zero are dropped. Waits for the device.
    """
    size = a[2].size + b[2].size
    like = empty(0, dtype)
    index = index_dtype(*shape, size)
    if not size:
        return zeros(shape[0] + 1, index), empty(0, index), empty(0, result)
    given = *a[:3], *b[:3]
    made = empty(shape[0] + 1, index), empty(size, index), empty(size, result)
    lanes = lanes_of_rows(a[4], b[4], shape[0], size)
    run = merge_tiles if lanes is None else merge_rows
    state = run(operation, like, given, made, shape, a[3] or b[3], lanes)
    return made[0], *front(int(state[-2]) & COUNT, *made[1:])


def lanes_of_rows(longest_a: Any, longest_b: Any, rows: int, size: int) -> int | None:
    """How many threads merge a row of two matrices, 8 to 32; None where rows are longer, or leave
    most of the threads without an element."""
    if longest_a is None or longest_b is None:
        return None
    lanes = max(1 << max(longest_a + longest_b - 1, 0).bit_length(), 8)
    return lanes if lanes <= 32 and 2 * size >= lanes * rows else None


def merge_rows(
    operation: Any,
    like: ndarray,
    given: tuple,
    made: tuple,
    shape: Any,
    duplicates: bool,
    lanes: Any,
) -> ndarray:
    """Merge rows of at most so many elements; returns the state of the kernel's blocks."""
    each = 4 if like.itemsize <= 8 else 2
    state = zeros(-(-shape[0] // (MERGE_THREADS // lanes * each)) + 1, np.int64)
    sparse_merge_rows(operation, like, *given, state, *made, *shape, duplicates, lanes, each)
    return state


def merge_tiles(
    operation: Any, like: ndarray, given: tuple, made: tuple, shape: Any, duplicates: bool, _: Any
) -> ndarray:
    """Merge rows of any lengths; returns the state of the kernel's blocks."""
    size = made[1].size
    is_wide = like.itemsize == 16 and given[0].itemsize == 8  # shared memory has half as many
    tile = MERGE_TILE // 2 if is_wide else MERGE_TILE
    tiles = -(-size // tile)
    splits, state = empty(2 * (tiles + 1), np.int64), empty(tiles + 1, np.int64)
    sparse_split(*given[:2], *given[3:5], splits, state, shape[0], tiles, tile)
    sparse_merge(operation, like, *given, splits, state, *made, shape[0], size, duplicates, tile)
    return state


def front(count: int, indices: ndarray, data: ndarray) -> tuple[ndarray, ndarray]:
    """The first elements; memory behind them is kept where little of it is left."""
    if 4 * count < 3 * indices.size:
        return indices[:count].copy(), data[:count].copy()
    return indices[:count], data[:count]


def compress(
    keys: ndarray, data: ndarray, shape: tuple[int, int], dtype: Any, ascending: bool = False
):
    """Elements in any order as canonical rows (indptr, indices, data); duplicates are summed. Waits
    for the device."""
    bits, size = column_bits(shape[1]), keys.size
    if not size:
        return zeros(shape[0] + 1, dtype), empty(0, dtype), data.copy()
    order = None
    if ascending:
        data = ascontiguousarray(data)
    else:
        keys, order, data = sorted_by(keys, data, column_bits(shape[0]) + bits)
    counts = empty(-(-size // RUNS_TILE), np.int64)
    numbers = size, shape[0], bits
    sparse_runs(keys, None, data, counts, None, None, None, *numbers)
    sums = cumsum(counts)
    count = int(sums[-1])
    if count > size:
        data = data if order is None else data[order]
        return compress_long(keys, data, shape, dtype, bits)
    indptr, indices = empty(shape[0] + 1, dtype), empty(count, dtype)
    out = empty(count, data.dtype)
    sparse_runs(keys, order, data, sums, indptr, indices, out, *numbers)
    return indptr, indices, out


def is_shorter(shape: tuple[int, int], size: int, item: int, ascends: bool) -> bool:
    """Whether `compress_rows` moves fewer bytes of memory than `compress` for each of `size`
    elements, whose values have `item` bytes: docs/sparse.md has the sums."""
    rows, columns = map(column_bits, shape)
    moved, key = item if item in (4, 8) else 4, 4 if rows + columns < 32 else 8
    passes, gather = -(-max(rows - group_bits(shape[0], size), 1) // 8), max(item, GATHERED)
    ours = 20 + item + 24 * passes + (0 if item == 4 else gather)
    theirs = 12 + item + moved + 4 * key + (0 if item == moved else gather)
    theirs += 2 * (key + moved) * -(-(rows + columns) // 8)
    return (12 + 2 * item if ascends else ours) < theirs


def group_bits(m: int, size: int) -> int:
    """How many bits of a row are left to `sparse_arrange`: a group has GROUP elements on the
    average."""
    return max(min(GROUP * m // size, GROUP_ROWS).bit_length() - 1, 0)


def are_short(indices: ndarray, m: int) -> bool:
    """Whether elements in `m` rows are many, and few in a row, for `sparse_arrange`, whose blocks
    have too little to do with fewer than one in two rows."""
    size = indices.size
    return indices.dtype == np.int32 and max(MANY, m // 2) <= size <= MEAN * m


def compress_rows(
    rows: ndarray, columns: ndarray, data: ndarray, shape: tuple[int, int], ascends: bool
):
    """Elements in any order as canonical rows, by sorting rows first, unless they ascend, and then
    columns in each row; None where that is no gain.

    Waits for the device: how long rows are, and for the number of elements.
    """
    m, size = shape[0], rows.size
    if not are_short(columns, m) or not is_shorter(shape, size, data.itemsize, ascends):
        return None
    bits, words = column_bits(m), None
    data = ascontiguousarray(data)
    if not ascends:
        first = max(bits - 8 * -(-max(bits - group_bits(m, size), 1) // 8), 0)
        above = data if data.itemsize == 4 else None
        rows, words = sorted_words(rows, columns, above, first, bits)
    return arranged(rows, words, columns, data, shape)


def arranged(
    rows: ndarray,
    words: ndarray | None,
    columns: ndarray,
    data: ndarray,
    shape: tuple[int, int],
    keeps: bool = False,
):
    """Rows in order of elements that are together in groups of rows: of words, or of columns and
    data. With `keeps` duplicates stay; None where a row is too long. Waits for the device."""
    m, size = shape[0], columns.size
    group = group_bits(m, size)
    groups = begins_of(rows, -(-m >> group), group, np.int32)
    state, indptr = zeros(groups.size + 1, np.int64), empty(m + 1, np.int32)
    indices, out = empty(size, np.int32), empty(size, data.dtype)
    given, made = (rows, words, columns, data, groups, state), (indptr, indices, out)
    sparse_arrange(*given, *made, m, group, column_bits(shape[1]), keeps)
    last, _, too_long = state[-3:].get().tolist()
    return None if too_long else (indptr, *front(last & COUNT, indices, out))


def sort_rows(indptr: ndarray, indices: ndarray, data: ndarray, shape: tuple[int, int]):
    """Indices and values of a compressed matrix, sorted by indices in each row. Waits for the
    device where there are many: how long rows are."""
    if are_short(indices, shape[0]):
        made = arranged(rows_of(indptr, indices.size), None, indices, data, shape, True)
        if made is not None:
            return made[1:]
    bits = sum(map(column_bits, shape))
    order = order_of(keys_of_rows(indptr, indices, shape), bits)[1]
    return indices[order], data[order]


def compress_long(keys: ndarray, data: ndarray, shape: tuple[int, int], dtype: Any, bits: int):
    """The same of sorted elements, many of which may have one position: sums are balanced."""
    begins = run_begins(keys, dtype)
    if begins is not None:
        keys, data = keys[begins[:-1]], sum_of_rows(begins, data, data.dtype)
    indices = (keys & ((1 << bits) - 1)).astype(dtype)
    return begins_of(keys, shape[0], bits, dtype), indices, data


def joined(parts: list) -> ndarray:
    """Arrays one behind the other."""
    return concatenate(parts) if len(parts) != 1 else parts[0]
