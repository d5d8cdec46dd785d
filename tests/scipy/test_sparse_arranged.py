"""Coordinates whose rows are sorted first and columns within them: the bits of the other way."""

import numpy as np
import pytest

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import _sparsetools


def compressed(parts, shape, monkeypatch, many):
    """Rows from coordinates, and whether rows were sorted first."""
    used = []
    way = _sparsetools.compress_short_rows
    with monkeypatch.context() as patch:
        patch.setattr(_sparsetools, "MANY", many)
        patch.setattr(
            _sparsetools,
            "compress_short_rows",
            lambda *args: used.append(way(*args)) or used[-1],
        )
        data, rows, columns = map(cp.asarray, parts)
        made = sparse.coo_array((data, (rows, columns)), shape=shape).tocsr()
    return [a.get() for a in (made.indptr, made.indices, made.data)], used[0] is not None


@pytest.mark.parametrize("dtype", ["f", "i", "I"])
@pytest.mark.parametrize("shape", [(700, 900), (3000, 3), (900, 2**31 - 1)])
def test_rows_first_gives_the_same_bits(shape, dtype, rng, monkeypatch):
    n = 5000
    rows, columns = (rng.integers(0, k, n).astype("i") for k in shape)
    columns[:30] = columns[0]  # many duplicates, and empty rows
    rows[:30] = rows[40] = 5
    data = (1000 * rng.standard_normal(n)).astype("f").astype("i" if dtype == "I" else dtype)
    parts = data.astype(dtype), rows, columns
    (ours, is_new), (others, is_old) = (
        compressed(parts, shape, monkeypatch, many) for many in (1, n + 1)
    )
    assert is_new and not is_old
    for a, b in zip(ours, others, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_what_is_not_sorted_by_rows_first(rng, monkeypatch):
    rows, columns = (rng.integers(0, 300, 2000).astype("i") for _ in range(2))
    data = rng.standard_normal(2000).astype("f")
    for parts in (
        (data.astype("d"), rows, columns),  # values of 8 bytes
        (data, np.sort(rows), columns),  # rows that ascend
        (data, np.where(np.arange(2000) % 4 == 0, 7, rows).astype("i"), columns),  # a long row
    ):
        (_, is_new) = compressed(parts, (300, 300), monkeypatch, 1)
        assert not is_new
