"""Products of two sparse matrices."""

from itertools import pairwise
from typing import Any

import numpy as np

from ..._core._sparse import SQUARE_MOST, sparse_lengths, sparse_square
from ..._core.multiarray import empty, zeros
from ..._core.reductions import cumsum
from . import _sparsetools as tools
from ._sputils import upcast

MOST_PRODUCTS = 1 << 25  # that are sorted at once


def sparse_times_sparse(a: Any, b: Any) -> Any:
    """The product of two csr matrices. Rows of few products are sorted in shared memory; if one has
    more, all products are sorted at once and summed.

    Waits for the device twice for each part of the rows: for the numbers of products and elements.
    """
    shape = a.shape[0], b.shape[1]
    dtype = upcast(a.dtype, b.dtype)
    index = tools.index_dtype(*shape, 2 * max(a.indices.size, b.indices.size))
    if not a.indices.size or not b.indices.size:
        parts = zeros(shape[0] + 1, index), zeros(0, index), zeros(0, dtype)
    else:
        parts = _in_parts(a, b, shape, dtype, index)
    made = a._new(parts[2], parts[1], parts[0], shape, canonical=True)
    return made


def _in_parts(a: Any, b: Any, shape: tuple, dtype: Any, index: Any) -> tuple:
    a, b = a._checked(), b._checked()
    given = _of_one_type(a, b)
    numbers = zeros(2, "Q")
    sparse_lengths(given[0], given[1], given[3], numbers, shape[0], a.indices.size)
    total, most = numbers.get().tolist()
    if most <= SQUARE_MOST:
        return _by_rows(given, shape, dtype, most)
    if total <= MOST_PRODUCTS:
        return _all_products(a, b, shape, dtype, index)
    before = zeros(a.indices.size + 1, "q")
    cumsum((b.indptr[1:] - b.indptr[:-1])[a.indices], dtype="q", out=before[1:])
    rows = before[a.indptr].get()  # products before each row
    bounds, keys, data = [0], [], []
    while bounds[-1] < shape[0]:
        limit = rows[bounds[-1]] + MOST_PRODUCTS
        bounds.append(max(int(rows.searchsorted(limit, "right")) - 1, bounds[-1] + 1))
    made = [_all_products(a[i:j], b, (j - i, shape[1]), dtype, "q") for i, j in pairwise(bounds)]
    indptr, done = zeros(shape[0] + 1, "q"), 0
    for (part, columns, values), (i, j) in zip(made, pairwise(bounds), strict=True):
        indptr[i + 1 : j + 1] = part[1:] + done
        done += columns.size
        keys.append(columns)
        data.append(values)
    index = tools.index_dtype(*shape, done)
    return indptr.astype(index), tools.joined(keys).astype(index), tools.joined(data)


def _of_one_type(a: Any, b: Any) -> list:
    """The arrays of both matrices, with indices of one type."""
    kind = np.promote_types(a.indices.dtype, b.indices.dtype)
    return [
        part.astype(kind, copy=False) if k % 3 != 2 else part
        for k, part in enumerate((a.indptr, a.indices, a.data, b.indptr, b.indices, b.data))
    ]


def _by_rows(given: list, shape: tuple, dtype: Any, most: int) -> tuple:
    """Rows of few products: each is sorted where it is computed."""
    begins, like = zeros(shape[0] + 1, "q"), empty(0, dtype)
    sparse_square(*given, begins[1:], None, None, like, shape[0], most, shape[1])
    cumsum(begins, out=begins)
    count = int(begins[-1])
    indices, data = empty(count, given[1].dtype), empty(count, dtype)
    if count:
        sparse_square(*given, begins, indices, data, like, shape[0], most, shape[1])
    index = tools.index_dtype(*shape, count)
    return begins.astype(index), indices.astype(index, copy=False), data


def _all_products(a: Any, b: Any, shape: tuple, dtype: Any, index: Any) -> tuple:
    if not a.indices.size:
        return zeros(shape[0] + 1, index), zeros(0, index), zeros(0, dtype)
    first = b.indptr[:-1][a.indices]
    lengths = b.indptr[1:][a.indices] - first
    values = b.data.astype(dtype, copy=False)
    begins, columns, right = tools.take_rows(
        b.indptr.astype("q", copy=False),
        b.indices.astype("q", copy=False),
        values,
        first.astype("q"),
        lengths,
    )
    element = tools.rows_of(begins, columns.size)
    rows = tools.rows_of(a.indptr, a.indices.size).astype("q")[element]
    data = a.data.astype(dtype, copy=False)[element] * right
    keys = tools.keys_of_pairs(rows, columns, shape)
    return tools.compress(keys, data, shape, index)
