"""Coordinates that are moved to ranges of rows, and sorted there: the bits of the other ways."""

import numpy as np
import pytest

import gpunp as cp
from gpunp._core._sparse import MOST_ARRANGED, RANGE_MOST, RANGES
from gpunp.scipy import sparse
from gpunp.scipy.sparse import _ranges
from gpunp.scipy.sparse import _sparsetools as tools

SHAPES = [(700, 900), (3000, 3), (20_000, 1 << 18), (9000, 1), (4097, 1 << 20)]


def compressed(parts, shape, monkeypatch, least, kind="csr"):
    """Rows from coordinates, and whether they were sorted in ranges."""
    used = []
    way = _ranges.compress
    with monkeypatch.context() as patch:
        patch.setattr(_ranges, "LEAST", least)
        patch.setattr(tools, "MANY", 1)
        patch.setattr(_ranges, "compress", lambda *args: used.append(way(*args)) or used[-1])
        data, rows, columns = map(cp.asarray, parts)
        made = sparse.coo_array((data, (rows, columns)), shape=shape).asformat(kind)
    arrays = [a.get() for a in (made.indptr, made.indices, made.data)]
    return arrays, bool(used) and used[0] is not None


def assert_same_both_ways(parts, shape, monkeypatch, kind="csr", is_used=True):
    (ours, is_new), (others, is_old) = (
        compressed(parts, shape, monkeypatch, least, kind) for least in (1, parts[0].size + 1)
    )
    assert (is_new, is_old) == (is_used, False)
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
def test_ranges_give_the_same_bits(shape, dtype, rng, monkeypatch):
    assert_same_both_ways(coordinates(shape, 17_000, dtype, rng), shape, monkeypatch)


@pytest.mark.parametrize("dtype", ["?", "b", "H", "q", "d", "F", "D"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_values_of_other_sizes_are_read_through_places(dtype, kind, rng, monkeypatch):
    shape = (5000, 1 << 13)
    assert_same_both_ways(coordinates(shape, 8193, dtype, rng), shape, monkeypatch, kind)


@pytest.mark.parametrize("mean", [3, 100, 1000])
def test_many_ranges(mean, rng, monkeypatch):
    monkeypatch.setattr(_ranges, "MEAN", mean)
    shape = (2000, 5000)
    assert_same_both_ways(coordinates(shape, 5000, "f", rng), shape, monkeypatch)


def test_neighbouring_columns_share_a_bucket(rng, monkeypatch):
    shape = (4000, 4000)
    data, rows, _ = coordinates(shape, 20_000, "f", rng)
    columns = (rows + rng.integers(-2, 3, rows.size)).clip(0, 3999).astype("i")
    assert_same_both_ways((data, rows, columns), shape, monkeypatch)


@pytest.mark.parametrize("more", [0, 1])
def test_rows_longer_than_a_limit_are_sorted_by_keys(more, rng, monkeypatch):
    data, rows, columns = coordinates((4000, 4000), 12_000, "f", rng)
    rows[rows == 77] = 78
    rows[rng.permutation(rows.size)[: MOST_ARRANGED + more]] = 77
    assert_same_both_ways((data, rows, columns), (4000, 4000), monkeypatch, is_used=not more)


@pytest.mark.parametrize("more", [0, 1])
def test_ranges_larger_than_a_block_takes_are_sorted_otherwise(more, rng, monkeypatch):
    m, n = 1 << 13, 18_000  # a range has 2048 rows
    rows = rng.integers(2048, m, n).astype("i")
    rows[rng.permutation(n)[: RANGE_MOST + more]] = np.arange(RANGE_MOST + more) % 2048
    parts = rng.standard_normal(n).astype("f"), rows, rng.integers(0, m, n).astype("i")
    assert_same_both_ways(parts, (m, m), monkeypatch, is_used=not more)


def test_rows_that_ascend_are_not_moved(rng, monkeypatch):
    data, rows, columns = coordinates((1500, 1 << 18), 6000, "f", rng)
    parts = data, np.sort(rows), columns
    assert_same_both_ways(parts, (1500, 1 << 18), monkeypatch, is_used=False)


@pytest.mark.parametrize(
    ("shape", "size", "shift"),
    [
        ((1 << 20, 1 << 20), 1 << 24, 9),
        ((1 << 20, 1 << 22), 1 << 24, None),  # bits of a column
        ((1 << 20, 1 << 20), 1 << 25, None),  # too many ranges
        ((1 << 22, 1 << 18), 1 << 22, 12),
        ((1 << 20, 1 << 20), (1 << 22) - 1, None),
    ],
)
def test_which_coordinates_are_moved(shape, size, shift):
    class Indices:
        dtype = np.dtype("i")

    Indices.size = size
    assert _ranges.shift_of(Indices, shape) == shift
    assert shift is None or (shape[0] - 1) >> shift < RANGES


@pytest.mark.parametrize("wrong", [(1500, 7), (-1, 7), (7, 4000), (7, -1)])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_coordinates_out_of_bounds_are_found_by_the_same_look(wrong, kind, rng, monkeypatch):
    monkeypatch.setattr(_ranges, "LEAST", 1)
    monkeypatch.setattr(tools, "MANY", 1)
    rows, columns = (rng.integers(0, k, 6000).astype("i") for k in (1500, 4000))
    rows[5432], columns[5432] = wrong
    coo = sparse.coo_array((cp.ones(6000), (cp.asarray(rows), cp.asarray(columns))), (1500, 4000))
    with pytest.raises(ValueError, match="ax"):
        coo.asformat(kind)
