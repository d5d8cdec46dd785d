"""Sorting and searching against NumPy's stable sort: values bit for bit, positions, layouts, errors."""

import cases
import numpy as np
import pytest
from cases import BFLOAT16, DTYPES, NUMPY_DTYPES
from check import assert_raises_same, assert_same, check, to_numpy

import gpunp as cp
from gpunp import _C

# One row in a block, several rows in a block, rows of several tiles; and nothing at all.
SHAPES = [(1,), (31,), (700,), (4096,), (9000,), (7, 3), (3, 500), (300, 16), (2, 5000), (2, 3, 4)]
EMPTY = [(0,), (3, 0), (0, 3)]


def mixed(dtype, shape, rng):
    """Random values of a dtype with duplicates, and special ones among them."""
    x = cases.values(dtype, shape, rng)
    points = cases.special(dtype)
    hit = rng.random(shape) < 0.3
    x[hit] = points[rng.integers(0, points.size, int(hit.sum()))]
    return x


def same_bits(ours, theirs):
    """The same array to the last bit: signs of zero and payloads of NaN as well."""
    ours = to_numpy(ours)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(theirs).tobytes()


@pytest.mark.parametrize("shape", SHAPES + EMPTY, ids=str)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_sort_and_argsort(dtype, shape, rng):
    x = mixed(dtype, shape, rng)
    a = cp.asarray(x)
    order = np.argsort(x, kind="stable")
    same_bits(cp.argsort(a), order)
    same_bits(cp.sort(a), np.take_along_axis(x, order, -1))
    same_bits(a, x)


def test_bfloat16_sorts_as_its_values(rng):
    x = mixed(BFLOAT16, (5000,), rng)
    order = np.argsort(x.astype("f4"), kind="stable")
    same_bits(cp.argsort(cp.asarray(x)), order)
    same_bits(cp.sort(cp.asarray(x)), x[order])


@pytest.mark.parametrize("shape", [(600,), (40, 20), (2, 6000)], ids=str)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_descending_keeps_nan_last_and_equals_in_order(dtype, shape, rng):
    x = cases.values(dtype, shape, rng)
    if x.dtype.kind in "fc":
        x[rng.random(shape) < 0.1] = np.nan
    # Negated ranks sort the other way round; NaN stays behind.
    rank = np.unique(x, return_inverse=True)[1].reshape(shape)
    rank = np.where(np.isnan(x), rank.max() + 1, -rank) if x.dtype.kind in "fc" else -rank
    order = np.argsort(rank, kind="stable")
    same_bits(cp.argsort(cp.asarray(x), descending=True), order)
    same_bits(cp.sort(cp.asarray(x), descending=True), np.take_along_axis(x, order, -1))


@pytest.mark.parametrize("n", [5, 3000, 6000])
def test_equal_elements(n):
    for value in (0, -1.5, np.nan):
        x = np.full(n, value, "f4")
        same_bits(cp.sort(cp.asarray(x)), x)
        same_bits(cp.argsort(cp.asarray(x)), np.arange(n))


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("layout", cases.LAYOUTS)
def test_layouts(layout, axis, rng):
    x = rng.integers(0, 9, (6, 7, 8)).astype("i4")
    if layout == "offset":
        x = x.reshape(6, 56)
    check(lambda xp: xp.sort(cases.arrange(xp, x, layout), axis=axis))
    check(lambda xp: xp.argsort(cases.arrange(xp, x, layout), axis=axis, kind="stable"))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("layout", [name for name in cases.LAYOUTS if name != "broadcast"])
def test_sort_in_place(layout, axis, rng):
    x = rng.normal(size=(6, 50))

    def body(xp):
        a = cases.arrange(xp, x, layout)
        assert a.sort(axis) is None
        return a

    check(body)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_sort_in_place_of_long_rows(dtype, rng):
    # An odd and an even number of bytes that differ, and none.
    top = [3] if dtype.kind == "b" else [1, 120, 30000, 2**20]
    for high in top:
        x = (
            rng.integers(0, high, (2, 4500)) % 2**15
            if dtype.itemsize == 2
            else rng.integers(0, high, (2, 4500))
        ).astype(dtype)
        a = cp.asarray(x)
        a.sort()
        same_bits(a, np.sort(x, kind="stable"))
    x = mixed(dtype, (9000,), rng)
    a = cp.asarray(x)
    a.sort(descending=True)
    same_bits(a, to_numpy(cp.sort(cp.asarray(x), descending=True)))


def test_sorted_pairs(rng):
    for shape in [(40,), (3, 100), (9000,), (2, 9000)]:
        for dtype in "BefdD":
            x = mixed(np.dtype(dtype), shape, rng)
            keys, indices = _C.sorted_pairs(cp.asarray(x))
            order = np.argsort(x, kind="stable")
            same_bits(indices, order)
            same_bits(keys, np.take_along_axis(x, order, -1))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
def test_sorted_places(rng, dtype):
    for size in (0, 1, 40, 9000, 20_001):
        x = mixed(np.dtype(dtype), (size,), rng)
        for host in (x, np.zeros_like(x), np.sort(x)[::-1]):
            keys, places = _C.sorted_places(cp.asarray(host))
            order = np.argsort(host, kind="stable")
            same_bits(places, order.astype(np.uint32))
            same_bits(keys, host[order])
    with pytest.raises(TypeError):
        _C.sorted_places(cp.ones((2, 2)))


def test_arguments(rng):
    x = rng.normal(size=(4, 5))
    for kind in ("quicksort", "stable", "heapsort", "mergesort", None):
        check(lambda xp: xp.sort(xp.asarray(x), kind=kind))
    check(lambda xp: xp.sort([3, 1, 2], stable=True))
    check(lambda xp: xp.sort(xp.asarray(2.0), axis=None))
    for body in (
        lambda xp: xp.sort(xp.asarray(x), axis=2),
        lambda xp: xp.sort(xp.asarray(x), kind="x"),
        lambda xp: xp.sort(xp.asarray(x), kind="stable", stable=True),
        lambda xp: xp.sort(xp.asarray(x), order="field"),
        lambda xp: xp.sort(xp.asarray(2.0)),
        lambda xp: xp.argsort(xp.asarray(x), axis=-3),
        lambda xp: xp.broadcast_to(xp.asarray(x), (2, 4, 5)).sort(),
    ):
        assert_raises_same(body)


def test_partition(rng):
    x = rng.integers(0, 50, (6, 40))
    for kth, axis in [(3, -1), (-2, 0), ([1, 5, 20], 1), (np.array([7]), 1)]:
        place = xp_place = np.sort(x, axis=axis)
        out = to_numpy(cp.partition(cp.asarray(x), kth, axis))
        picked = np.atleast_1d(kth)
        assert (np.take(out, picked, axis) == np.take(place, picked, axis)).all()
        assert (np.sort(out, axis) == xp_place).all()
        index = to_numpy(cp.argpartition(cp.asarray(x), kth, axis))
        assert (
            np.take(np.take_along_axis(x, index, axis), picked, axis)
            == np.take(place, picked, axis)
        ).all()
        a = cp.asarray(x.copy())
        a.partition(kth, axis)
        assert (np.take(to_numpy(a), picked, axis) == np.take(place, picked, axis)).all()
    for kth in (40, [0, -41], 1.5, True, [[1]]):
        assert_raises_same(lambda xp: xp.partition(xp.asarray(x), kth))
        assert_raises_same(lambda xp: xp.asarray(x).argpartition(kth))
    assert_raises_same(lambda xp: xp.partition(xp.asarray(x), 1, axis=5))
    assert_raises_same(lambda xp: xp.partition(xp.asarray(x), 1, kind="quick"))


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((2, 49157), 1), ((5000,), 0), ((49152, 2), 0)], ids=str
)
def test_partition_of_long_rows(shape, axis, dtype, rng):
    """Rows that do not fit into a block; of NaN and of elements that equal the pivot, too."""
    x = (rng.standard_normal(shape) * 50).astype(dtype)
    if x.dtype.kind == "f":
        x.ravel()[::97], x.ravel()[5::31] = np.nan, -0.0
    ordered = np.moveaxis(np.sort(x, axis), axis, -1)
    for kth in (0, 30, -1, x.shape[axis] // 2):
        index = to_numpy(cp.argpartition(cp.asarray(x), kth, axis))
        assert (np.sort(index, axis) == np.sort(np.argsort(x, axis), axis)).all()
        found = np.take_along_axis(x, index, axis)
        same_bits(cp.partition(cp.asarray(x), kth, axis), found)
        k, found = kth % x.shape[axis], np.moveaxis(found, axis, -1)
        for part in (slice(0, k), slice(k, k + 1), slice(k, None)):
            np.testing.assert_array_equal(np.sort(found[..., part], -1), ordered[..., part])


def test_lexsort(rng):
    keys = [rng.integers(0, 4, 200), rng.integers(0, 3, 200).astype("f4"), rng.random(200) < 0.5]
    check(lambda xp: xp.lexsort([xp.asarray(key) for key in keys]))
    check(lambda xp: xp.lexsort([xp.asarray(key).reshape(10, 20) for key in keys], axis=0))
    check(lambda xp: xp.lexsort(xp.asarray(np.array(keys))))
    check(lambda xp: xp.lexsort((xp.asarray(3), xp.asarray(1))))
    assert_raises_same(lambda xp: xp.lexsort(()))
    assert_raises_same(lambda xp: xp.lexsort((xp.zeros(3), xp.zeros(4))))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sort_complex_and_msort(dtype, rng):
    x = cases.values(dtype, (6, 3), rng)
    if dtype != BFLOAT16:
        check(lambda xp: xp.sort_complex(xp.asarray(x)))
        same_bits(cp.msort(cp.asarray(x)), np.sort(x, axis=0))


# ---- searchsorted ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 6, 9000])
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_searchsorted(dtype, n, rng):
    x, v = np.sort(mixed(dtype, (n,), rng)), mixed(dtype, (30, 40), rng)
    order = rng.permutation(n)
    shuffled = np.empty_like(x)
    shuffled[order] = x
    for side in ("left", "right"):
        check(lambda xp: xp.searchsorted(xp.asarray(x), xp.asarray(v), side))
        check(lambda xp: xp.asarray(x).searchsorted(xp.asarray(v[:3]), side=side))
        check(
            lambda xp: xp.searchsorted(xp.asarray(shuffled), xp.asarray(v), side, xp.asarray(order))
        )


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.int64], ids=str)
def test_searchsorted_of_many_among_samples(dtype, rng):
    multiprocessors = cp.cuda.Device().attributes["MultiProcessorCount"]
    x = np.sort(mixed(np.dtype(dtype), (40000,), rng))
    v = np.resize(mixed(np.dtype(dtype), (999,), rng), 8192 * multiprocessors)
    check(lambda xp: xp.searchsorted(xp.asarray(x), xp.asarray(v)))


@pytest.mark.parametrize("pair", ["if", "lL", "bB", "ed", "fF", "?i", "Bf"])
def test_searchsorted_promotes(pair, rng):
    x, v = np.sort(cases.values(pair[0], 100, rng)), cases.values(pair[1], 50, rng)
    check(lambda xp: xp.searchsorted(xp.asarray(x), xp.asarray(v)))
    check(lambda xp: xp.searchsorted(xp.asarray(x), xp.asarray(v)[::2]))


@pytest.mark.parametrize("dtype", ["u1", "i8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("n", [40_000, 65_536, 70_001])
def test_searchsorted_many_values_in_a_long_sequence(n, dtype, rng):
    """Enough of them for the search that begins among samples."""
    x = np.sort((rng.random(n) * 200).astype(dtype))
    v = (rng.random(80_000) * 240).astype(dtype)
    v[:4] = x[0], x[-1], x[n // 2], 0
    if dtype[0] in "fc":
        v[9], x[-3:] = np.nan, np.nan
    for side in ("left", "right"):
        check(lambda xp, side=side: xp.searchsorted(xp.asarray(x), xp.asarray(v), side))


def test_searchsorted_arguments():
    check(lambda xp: xp.searchsorted(xp.asarray([1, 2, 3]), 2.5))
    check(lambda xp: xp.searchsorted(xp.asarray([1, 2, 3])[::2], [[2], [4]]))
    check(lambda xp: xp.searchsorted(xp.asarray([1, 2, 3]), xp.zeros((0, 3))))
    for body in (
        lambda xp: xp.searchsorted(xp.zeros((2, 2)), 1),
        lambda xp: xp.searchsorted(xp.asarray(1.0), 1),
        lambda xp: xp.searchsorted(xp.zeros(3), 1, "middle"),
        lambda xp: xp.searchsorted(xp.zeros(3), 1, sorter=xp.asarray([0, 1])),
        lambda xp: xp.searchsorted(xp.zeros(3), 1, sorter=xp.asarray([0.0, 1.0, 2.0])),
    ):
        assert_raises_same(body)
    with pytest.raises(TypeError, match="asarray"):
        cp.zeros(3).searchsorted(np.zeros(2))


def test_compress_is_a_method(rng):
    x = rng.normal(size=(4, 5))
    check(lambda xp: xp.asarray(x).compress([False, True, True], axis=0))
    check(lambda xp: xp.asarray(x).compress(xp.asarray([True, False, True])))


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", BFLOAT16], ids=str
)
@pytest.mark.parametrize(
    "shape, axis",
    [((3, 1024), 1), ((1500, 2), 0), ((2, 4096), 1), ((1, 8192), -1), ((2, 2, 1031), 2)],
)
def test_rows_parted_without_a_sort(dtype, shape, axis, rng):
    x = (rng.normal(size=shape) * 20).astype("f4").astype(dtype)
    if x.dtype.kind in "fV":
        x[rng.random(shape) < 0.01] = np.nan
        x[rng.random(shape) < 0.01] = -0.0
    n, ours = shape[axis], cp.asarray(x)
    x = x.astype("f4") if x.dtype == BFLOAT16 else x  # which NumPy does not sort among NaN
    ordered = np.sort(x, axis=axis)
    for kth in (0, 1, n // 2, -1):
        for out in (
            cp.partition(ours, kth, axis),
            cp.take_along_axis(ours, cp.argpartition(ours, kth, axis), axis),
        ):
            out = to_numpy(out).astype(x.dtype)
            pivot = np.take(ordered, [kth], axis)
            np.testing.assert_array_equal(np.take(out, [kth], axis), pivot)
            np.testing.assert_array_equal(np.sort(out, axis), ordered)
            before, behind = np.split(out, [kth % n], axis)
            assert not (np.isnan(before) & ~np.isnan(pivot)).any() and not (before > pivot).any()
            assert not (behind < pivot).any()


def test_a_long_row_is_parted(rng):
    x = rng.random(300_001).astype("f4")
    x[::1000] = np.nan
    ordered = np.sort(x)
    for kth in (0, 10, 150_000, 300_000):
        for out in (
            cp.partition(cp.asarray(x), kth),
            cp.asarray(x)[cp.argpartition(cp.asarray(x), kth)],
        ):
            out = out.get()
            np.testing.assert_array_equal(out[kth], ordered[kth])
            np.testing.assert_array_equal(np.sort(out), ordered)
            np.testing.assert_array_equal(np.sort(out[:kth]), ordered[:kth])


def test_nth_rows(rng):
    from gpunp._core.multiarray import nth_rows

    x = rng.integers(0, 300, (5, 700)).astype("i4")
    ranks = [0, 3, 350, 699, 3]
    assert np.array_equal(nth_rows(cp.asarray(x), ranks, 0).get(), np.sort(x, 1)[:, ranks])
    assert nth_rows(cp.zeros((2, 8193), "f4"), [0], 0) is None
    with pytest.raises(IndexError):
        nth_rows(cp.asarray(x), [700], 0)
    with pytest.raises(ValueError):
        nth_rows(cp.asarray(x), [1, 2], 1)
    with pytest.raises(TypeError):
        nth_rows(cp.asarray(x).T, [1], 1)


@pytest.mark.parametrize("keys", [("i4", 1 << 20), ("i8", 1 << 37), ("i8", 7), ("i4", 1)], ids=str)
@pytest.mark.parametrize("size", [0, 1, 5000, 20_001])
def test_values_are_sorted_with_their_keys(size, keys, rng):
    dtype, end = keys
    host = rng.integers(0, end, size).astype(dtype)
    order = np.argsort(host, kind="stable")
    for values in (None, np.arange(size, dtype="i4"), np.arange(size) * 1j, np.arange(size) * 0.5):
        if values is not None and values.itemsize == 16:
            values = values.astype("F")
        given = None if values is None else cp.asarray(values)
        for bits in ((end - 1).bit_length(), 0):
            found = _C.sorted_values(cp.asarray(host), given, bits)
            assert_same(found[0], host[order])
            assert_same(found[1], order if values is None else values[order])


def test_values_and_keys_must_suit():
    keys = cp.arange(5)
    for wrong in (cp.arange(4), cp.ones(5, bool), cp.ones((5, 1))):
        with pytest.raises((TypeError, ValueError), match="sorted_values"):
            _C.sorted_values(keys, wrong, 0)


@pytest.mark.parametrize("first", [0, 3, 4, 12, 19], ids=str)
@pytest.mark.parametrize("size", [0, 1, 5000, 20_001])
def test_words_are_sorted_by_some_bits_of_their_keys(size, first, rng):
    keys = rng.integers(0, 1 << 20, size).astype("i4")
    low = rng.integers(0, 1 << 31, size).astype("i4")
    above = rng.standard_normal(size).astype("f4")
    order = np.argsort(keys >> first, kind="stable")
    for half in (above, None):
        given = None if half is None else cp.asarray(half)
        bits = np.arange(size, dtype="u4") if half is None else half.view("u4")
        found = _C.sorted_words(cp.asarray(keys), cp.asarray(low), given, first, 20)
        assert_same(found[0], keys[order])
        assert_same(found[1], (bits.astype("u8") << np.uint64(32) | low.view("u4"))[order])


def test_words_and_keys_must_suit():
    keys, low = cp.arange(5, dtype="i4"), cp.arange(5, dtype="i4")
    for wrong in ((keys, low[:4], None, 0, 3), (keys, low, cp.ones(5), 0, 3), (low, 1, None, 0, 3)):
        with pytest.raises((TypeError, ValueError), match="sorted_words"):
            _C.sorted_words(*wrong)
    for first, bits in ((3, 3), (-1, 3), (0, 32)):
        with pytest.raises(ValueError, match="sorted_words"):
            _C.sorted_words(keys, low, None, first, bits)
