"""Coordinates whose rows are sorted first and columns within them: the bits of the other way."""

import numpy as np
import pytest

import gpunp as cp
from gpunp._core._sparse import MOST_ARRANGED
from gpunp.scipy import sparse
from gpunp.scipy.sparse import _sparsetools as tools

SHAPES = [(700, 900), (3000, 3), (900, 2**31 - 1), (11_000, 40), (5000, 1 << 22), (300, 1 << 23)]


def compressed(parts, shape, monkeypatch, many, kind="csr"):
    """Rows from coordinates, and whether rows were sorted first."""
    used = []
    way = tools.compress_rows
    with monkeypatch.context() as patch:
        patch.setattr(tools, "MANY", many)
        patch.setattr(tools, "compress_rows", lambda *args: used.append(way(*args)) or used[-1])
        data, rows, columns = map(cp.asarray, parts)
        coo = sparse.coo_array((data, (rows, columns)), shape=shape)
        made = coo.asformat(kind)
    arrays = [a.get() for a in (made.indptr, made.indices, made.data)]
    return arrays, bool(used) and used[0] is not None


def assert_same_both_ways(parts, shape, monkeypatch, kind="csr"):
    (ours, is_new), (others, is_old) = (
        compressed(parts, shape, monkeypatch, many, kind) for many in (1, parts[0].size + 1)
    )
    assert is_new and not is_old
    for a, b in zip(ours, others, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def coordinates(shape, n, dtype, rng):
    """Coordinates with empty rows, and many duplicates of one of them."""
    rows, columns = (rng.integers(0, k, n).astype("i") for k in shape)
    columns[:30] = columns[0]
    rows[:30] = rows[40] = 5
    data = 1000 * rng.standard_normal(n)
    if np.dtype(dtype).kind == "c":
        data = data + 1j * rng.standard_normal(n)
    data = data.astype("i").astype(dtype) if np.dtype(dtype).kind in "uib" else data.astype(dtype)
    return data, rows, columns


@pytest.mark.parametrize("dtype", ["f", "i", "I"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows_first_gives_the_same_bits(shape, dtype, rng, monkeypatch):
    assert_same_both_ways(coordinates(shape, 6000, dtype, rng), shape, monkeypatch)


@pytest.mark.parametrize("dtype", ["?", "b", "H", "q", "d", "F", "D"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_values_of_other_sizes_are_read_through_places(dtype, kind, rng, monkeypatch):
    shape = (5000, 1 << 13)
    assert_same_both_ways(coordinates(shape, 6000, dtype, rng), shape, monkeypatch, kind)


@pytest.mark.parametrize("dtype", ["f", "d", "D", "?"])
def test_rows_that_ascend_are_not_sorted(dtype, rng, monkeypatch):
    shape = 1500, 1 << 21
    data, rows, columns = coordinates(shape, 6000, dtype, rng)
    monkeypatch.setattr(tools, "sorted_words", None)
    assert_same_both_ways((data, np.sort(rows), columns), shape, monkeypatch)


@pytest.mark.parametrize("length", [511, 512, 513, 1100])
def test_rows_longer_than_a_limit_are_sorted_by_keys(length, rng, monkeypatch):
    rows = np.concatenate([np.full(length, 77), rng.integers(0, 4000, 5000)]).astype("i")
    rows[length:][rows[length:] == 77] = 78
    columns, data = rng.integers(0, 4000, rows.size).astype("i"), rng.standard_normal(rows.size)
    order = rng.permutation(rows.size)
    parts = data[order].astype("f"), rows[order], columns[order]
    (ours, is_new), (others, _) = (
        compressed(parts, (4000, 4000), monkeypatch, many) for many in (1, rows.size + 1)
    )
    assert is_new == (length <= MOST_ARRANGED)
    for a, b in zip(ours, others, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("more", [0, 1])
def test_groups_larger_than_a_block_are_sorted_by_keys(more, rng, monkeypatch):
    m, n = 1 << 13, 6000  # 128 rows are a group
    assert tools.group_bits(m, n) == 7
    rows = rng.integers(128, m, n).astype("i")
    rows[: 1024 + more] = np.arange(1024 + more) % 128
    parts = rng.standard_normal(n).astype("f"), rows, rng.integers(0, m, n).astype("i")
    (ours, is_new), (others, _) = (
        compressed(parts, (m, m), monkeypatch, many) for many in (1, n + 1)
    )
    assert is_new == (more == 0)
    for a, b in zip(ours, others, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_is_not_sorted_by_rows_first(rng, monkeypatch):
    rows, columns = (rng.integers(0, 300, 5000).astype("i") for _ in range(2))
    data = rng.standard_normal(5000).astype("f")
    for parts, shape in (
        ((data, rows, columns), (70, 300)),  # many elements in a row
        ((data, rows, columns), (10_001, 300)),  # few elements in a row
        ((data.astype("d"), rows, columns), (4000, 4000)),  # keys of few bits
        ((data, np.sort(rows), np.sort(columns)), (300, 300)),  # in order
    ):
        parts = parts[0], parts[1] % shape[0], parts[2]
        if shape == (300, 300):
            parts = data, np.sort(rows), np.sort(columns)
        (_, is_new) = compressed(parts, shape, monkeypatch, 1)
        assert not is_new, shape


@pytest.mark.parametrize("ascends", [False, True])
@pytest.mark.parametrize("item", [1, 2, 4, 8, 16])
def test_fewer_bytes_are_moved_where_rows_are_sorted_first(item, ascends):
    for bits in (12, 16, 20, 24):  # square matrices with 16 elements in a row
        shorter = tools.is_shorter((1 << bits, 1 << bits), 16 << bits, item, ascends)
        assert shorter == (ascends or (bits, item) != (12, 8))


@pytest.mark.parametrize("wrong", [(1500, 7), (-1, 7), (7, 4000), (7, -1)])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_coordinates_out_of_bounds_are_found_by_the_same_look(wrong, kind, rng):
    rows, columns = (rng.integers(0, k, 6000).astype("i") for k in (1500, 4000))
    rows[5432], columns[5432] = wrong
    coo = sparse.coo_array((cp.ones(6000), (cp.asarray(rows), cp.asarray(columns))), (1500, 4000))
    with pytest.raises(ValueError, match="ax"):
        coo.asformat(kind)


@pytest.mark.parametrize("dtype", ["f", "d", "D", "?"])
@pytest.mark.parametrize("longest", [40, 600])
def test_indices_are_sorted_in_rows_and_duplicates_stay(dtype, longest, rng, monkeypatch):
    rows = np.sort(np.concatenate([rng.integers(0, 900, 6000), np.full(longest, 7)]))
    indices = rng.integers(0, 50, rows.size).astype("i")
    indptr = np.searchsorted(rows, np.arange(901)).astype("i")
    data = coordinates((900, 50), rows.size, dtype, rng)[0]
    monkeypatch.setattr(tools, "MANY", 1)
    a = sparse.csr_array(tuple(map(cp.asarray, (data, indices, indptr))), shape=(900, 50))
    a.sort_indices()
    order = np.lexsort((indices, rows))
    np.testing.assert_array_equal(a.indices.get(), indices[order])
    np.testing.assert_array_equal(a.data.get(), data[order])
    np.testing.assert_array_equal(a.indptr.get(), indptr)
