"""Counting: bincount, histogram and its kin, digitize."""

import numpy as np
import pytest
from check import assert_raises_same, check, to_numpy

import gpunp as cp


def both(xp, result):
    """A histogram's parts as arrays."""
    return [xp.asarray(part) for part in result]


# ---- bincount ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("n", [0, 1, 1000, 20001])
def test_bincount_of_every_dtype(dtype, n, rng):
    values = rng.integers(0, 100, n).astype(dtype)
    for minlength in (0, 5, 3000):
        check(lambda xp, m=minlength: xp.bincount(xp.asarray(values), minlength=m))
    check(lambda xp: xp.bincount(xp.asarray(values)[::-2]))


@pytest.mark.parametrize("largest", [0, 2047, 2048, 8192, 100000])
def test_bincount_of_few_and_many_bins(largest, rng):
    values = rng.integers(0, largest + 1, 5000)
    values[17] = largest
    weights = rng.integers(0, 9, 5000).astype("f4")
    check(lambda xp: xp.bincount(xp.asarray(values)))
    check(lambda xp: xp.bincount(xp.asarray(values), xp.asarray(weights)))


@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f4", "f8"])
def test_bincount_of_weights(dtype, rng):
    values, weights = rng.integers(0, 7, 300), rng.normal(0, 9, 300).astype(dtype)
    check(lambda xp: xp.bincount(xp.asarray(values), weights=xp.asarray(weights)), rtol=1e-12)


def test_bincount_errors():
    assert_raises_same(lambda xp: xp.bincount(xp.asarray([1, -1])))
    assert_raises_same(lambda xp: xp.bincount(xp.asarray([1.0])))
    assert_raises_same(lambda xp: xp.bincount(xp.asarray([[1]])))
    assert_raises_same(lambda xp: xp.bincount(xp.asarray([1]), minlength=-1))
    assert cp.bincount(cp.asarray([1]), minlength=None).tolist() == [0, 1]  # CuPy's default
    assert_raises_same(lambda xp: xp.bincount(xp.asarray([1]), xp.asarray([1.0, 2.0])))
    assert_raises_same(lambda xp: xp.bincount(xp.asarray([1]), xp.asarray([1j])))
    check(lambda xp: xp.bincount([]))


# ---- histogram ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("bins", [1, 10, 100, 1000])
def test_equal_bins_have_numpys_edges_and_counts(dtype, bins, rng):
    values = (abs if dtype[0] == "u" else np.asarray)(rng.normal(0, 30, 3001)).astype(dtype)
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), bins)))
    for ends in [(-10, 10), (0.1, 0.9), (5, 5), (-100, 0.3)]:
        check(lambda xp, e=ends: both(xp, xp.histogram(xp.asarray(values), bins, range=e)))


@pytest.mark.parametrize("offset", [0, 1e3, 1e6, -1e7])
def test_values_on_edges(offset):
    """Where rounding of edges and estimates decides, the edges do."""
    for dtype in ("f4", "f8"):
        edges = np.linspace(offset, offset + 100, 101).astype(dtype)
        values = np.concatenate(
            [np.nextafter(edges, np.dtype(dtype).type(way)) for way in (-9e9, 9e9)]
        )
        values = np.concatenate([values, edges])
        check(lambda xp, v=values: both(xp, xp.histogram(xp.asarray(v), 10)))
        check(lambda xp, v=values: both(xp, xp.histogram(xp.asarray(v), 7)))
        if dtype == "f8" or abs(offset) < 1e4:  # else such bins are too narrow for the dtype
            check(lambda xp, v=values: both(xp, xp.histogram(xp.asarray(v), 10000)))


def test_bins_outside_of_shared_memory(rng):
    values = rng.normal(size=4000)
    for dtype in ("f4", "f8"):
        check(lambda xp, t=dtype: both(xp, xp.histogram(xp.asarray(values.astype(t)), 20000)))
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), np.linspace(-2, 2, 9001).tolist())))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_bins_that_fill_shared_memory(dtype, rng):
    values = (rng.random(150_000) * 9000).astype(dtype)
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), 9000)))
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), 9001, range=(0, 8000))))
    if dtype == "i4":
        check(lambda xp: xp.bincount(xp.asarray(values)))
        weights = small_weights(values)
        check(lambda xp: xp.bincount(xp.asarray(values % 5000), xp.asarray(weights)))


def small_weights(values):
    """Small whole numbers, so that sums are exact in any order."""
    return (values % 7).astype("f4")


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "f8"])
def test_given_edges(dtype, rng):
    values = abs(rng.normal(0, 30, 500)).astype(dtype)
    for bins in ([0, 1], [-10, 0, 1, 2, 50], [0.5, 0.5, 3], [1, 2, 2, 2, 30], [5.0]):
        check(lambda xp, b=bins: both(xp, xp.histogram(xp.asarray(values), b)))
        check(lambda xp, b=bins: both(xp, xp.histogram(xp.asarray(values), xp.asarray(b))))


def test_nan_and_infinity_are_in_no_bin():
    values = [np.nan, 0.0, 1.0, np.inf, -np.inf, 0.5]
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), 4, range=(0, 1))))
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), [0.0, 0.5, 1.0])))
    counts, edges = cp.histogram(cp.asarray(values), 3)
    assert counts.tolist() == [0, 0, 0]
    assert np.isnan(to_numpy(edges)).any()


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_weights_and_density(dtype, rng):
    values, weights = rng.normal(size=400), rng.integers(1, 9, 400).astype(dtype)
    for bins in (5, [-1, 0, 2]):
        check(
            lambda xp, b=bins: both(
                xp, xp.histogram(xp.asarray(values), b, weights=xp.asarray(weights))
            ),
            rtol=1e-6,
        )
        check(
            lambda xp, b=bins: both(
                xp, xp.histogram(xp.asarray(values), b, density=True, weights=xp.asarray(weights))
            ),
            rtol=1e-6,
        )


def test_shapes_and_nothing():
    check(lambda xp: both(xp, xp.histogram(xp.zeros((0,)), 3)))
    check(lambda xp: both(xp, xp.histogram(xp.arange(24).reshape(2, 3, 4).T, 5)))
    check(lambda xp: both(xp, xp.histogram(xp.asarray(3.0), 2)))
    check(lambda xp: both(xp, xp.histogram([1, 2, 1], [0, 1, 2, 3])))
    check(lambda xp: xp.histogram_bin_edges(xp.arange(9), 4))


@pytest.mark.parametrize(
    "rule", ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]
)
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_rules(rule, dtype, rng):
    values = rng.normal(0, 20, 150).astype(dtype)
    check(lambda xp: both(xp, xp.histogram(xp.asarray(values), rule)))
    check(lambda xp: xp.histogram_bin_edges(xp.asarray(values), rule, range=(-9, 12)))
    check(lambda xp: xp.histogram_bin_edges(xp.asarray(values[:50]), rule, range=(-200, 90)))
    check(lambda xp: xp.histogram_bin_edges(xp.ones(7, dtype), rule))
    check(lambda xp: xp.histogram_bin_edges(xp.ones(0, dtype), rule))


def test_histogram_errors():
    for bins in (0, -1, 1.5, "none", [3, 1, 2], [[1, 2], [3, 4]]):
        assert_raises_same(lambda xp, b=bins: xp.histogram(xp.arange(4.0), b))
    for ends in [(3, 1), (0, np.inf), (np.nan, 1)]:
        assert_raises_same(lambda xp, e=ends: xp.histogram(xp.arange(4.0), 2, range=e))
    assert_raises_same(lambda xp: xp.histogram(xp.arange(4.0), 2, weights=xp.ones(3)))
    assert_raises_same(lambda xp: xp.histogram(xp.arange(4.0), "auto", weights=xp.ones(4)))


# ---- more dimensions ---------------------------------------------------------------------------


def parts(xp, result):
    hist, edges = result
    return [hist, *(xp.asarray(e) for e in edges)]


@pytest.mark.parametrize("bins", [4, [3, 4, 5], [[0, 0.5, 1], 3, [0.1, 0.2, 0.9]]], ids=str)
def test_histogramdd(bins, rng):
    points, weights = rng.random((300, 3)), rng.integers(1, 5, 300)
    check(lambda xp: parts(xp, xp.histogramdd(xp.asarray(points), bins)), order=False)
    check(lambda xp: parts(xp, xp.histogramdd(list(xp.asarray(points).T), bins)), order=False)
    check(
        lambda xp: parts(xp, xp.histogramdd(xp.asarray(points), bins, density=True)),
        rtol=1e-12,
        order=False,
    )
    check(
        lambda xp: parts(
            xp,
            xp.histogramdd(
                xp.asarray(points), bins, [(0, 1), None, (0.2, 0.8)], weights=xp.asarray(weights)
            ),
        ),
        order=False,
    )


def test_histogram2d(rng):
    x, y = rng.random(100), rng.random(100)
    for bins in (5, [3, 4], [0, 0.2, 1], [[0, 0.2, 1], 3]):
        check(lambda xp, b=bins: xp.histogram2d(xp.asarray(x), xp.asarray(y), b), order=False)


def test_errors_of_more_dimensions():
    assert_raises_same(lambda xp: xp.histogramdd(xp.ones((4, 2)), [1, 2, 3]))
    assert_raises_same(lambda xp: xp.histogramdd(xp.ones((4, 2)), [0, 2]))
    assert_raises_same(lambda xp: xp.histogramdd(xp.ones((4, 2)), 3, range=[(0, 1)]))
    assert_raises_same(lambda xp: xp.histogram2d(xp.ones(3), xp.ones(4)))


# ---- digitize ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bins", [[0.0, 0.3, 0.5, 1.0], [1.0, 0.5, 0.3, 0.0], [0.5], []], ids=str)
@pytest.mark.parametrize("right", [False, True])
def test_digitize(bins, right, rng):
    values = np.concatenate([rng.random(50), [0.3, 0.5, np.nan, -1, 2]])
    check(lambda xp: xp.digitize(xp.asarray(values), np.asarray(bins).tolist(), right))
    check(lambda xp: xp.digitize(xp.asarray(values), xp.asarray(bins, dtype=float), right))


def test_many_bins_and_runs_of_one(rng):
    """More bins than shared memory holds, where neighbours often fall into the same one."""
    x = np.repeat(rng.integers(0, 20_000, 3000), 7)
    weights = rng.integers(0, 5, x.size)
    check(lambda xp: xp.bincount(xp.asarray(x)))
    check(lambda xp: xp.bincount(xp.asarray(x), xp.asarray(weights)))
    y = x.astype("f4")
    check(lambda xp: xp.histogram(xp.asarray(y), 20_000)[0])


@pytest.mark.parametrize("bins", [1, 7, 100, 4000])
def test_float32_on_the_edges(bins):
    """Values at the edges and beside them belong where NumPy says."""
    edges = np.histogram_bin_edges(np.asarray([0.1, 3.7], "f4"), bins).astype("f4")
    x = np.concatenate(
        [edges, np.nextafter(edges, np.float32(9)), np.nextafter(edges, np.float32(-9))]
    )
    x = x[(x >= np.float32(0.1)) & (x <= np.float32(3.7))]
    check(lambda xp: xp.histogram(xp.asarray(x), bins)[0])


@pytest.mark.parametrize(
    "ends",
    [(0, 1), (0.1, 0.9), (-1000.3, 7), (-3, -2.9), (np.float32(0.1), np.float32(0.9))],
    ids=str,
)
@pytest.mark.parametrize("bins", [900, 20_000, 60_000])
def test_float32_on_many_edges_of_a_range(ends, bins):
    """Double precision rounds to these edges; values at them and beside them, in and out."""
    edges = np.linspace(*ends, bins + 1, dtype="f4")
    x = np.concatenate(
        [edges, np.nextafter(edges, np.float32(9e9)), np.nextafter(edges, np.float32(-9e9))]
    )
    check(lambda xp: xp.histogram(xp.asarray(x), bins, ends)[0])


def test_digitize_errors():
    assert_raises_same(lambda xp: xp.digitize(xp.arange(3), [1, 3, 2]))
    assert_raises_same(lambda xp: xp.digitize(xp.arange(3), 1.0))
    assert_raises_same(lambda xp: xp.digitize(xp.asarray([1j]), [1.0]))


@pytest.mark.parametrize("minlength", [2**63 - 1, 2**63 - 2, 2**62])
def test_bincount_of_more_bins_than_there_are(minlength):
    for values in ([0, 1], [2**63 - 1]):
        with pytest.raises((ValueError, MemoryError)) as caught:
            cp.bincount(cp.asarray(values), minlength=minlength)
        assert "negative dim" not in str(caught.value)
