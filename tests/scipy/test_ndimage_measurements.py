"""Measurements by label against SciPy."""

import warnings

import numpy as np
import pytest
import scipy.ndimage as theirs

import gpunp as cp
from gpunp.scipy import ndimage as ours
from gpunp.scipy.ndimage._segments import Segments

NAMES = ["sum_labels", "sum", "mean", "variance", "standard_deviation", "minimum", "maximum",
         "minimum_position", "maximum_position", "extrema", "median", "center_of_mass"]  # fmt: skip
IMAGE = np.array([[3, 1, 2], [5, 4, 9]])
LABELS = np.array([[0, 1, 1], [2, 2, 0]])


def plain(x):
    """Arrays of the device as NumPy's, in tuples and lists too."""
    if isinstance(x, (tuple, list)):
        return type(x)(plain(item) for item in x)
    return x.get() if isinstance(x, cp.ndarray) else np.asarray(x)


def agree(actual, desired, rtol=1e-12):
    if isinstance(desired, (tuple, list)):
        assert type(actual) is type(desired) and len(actual) == len(desired)
        for x, y in zip(actual, desired, strict=True):
            agree(x, y, rtol)
        return
    actual, desired = plain(actual), np.asarray(desired)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    if actual.dtype.kind in "fc":
        np.testing.assert_allclose(actual, desired, rtol=rtol, atol=1e-13)
    else:
        np.testing.assert_array_equal(actual, desired)


def compare(name, a, labels=None, index=None, rtol=1e-12):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        desired = getattr(theirs, name)(a, labels, index)
    given = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in (a, labels, index)]
    agree(getattr(ours, name)(*given), desired, rtol)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("name", NAMES)
def test_types(name, dtype):
    a = IMAGE.astype(dtype)
    sums = name in ("sum_labels", "sum", "mean", "variance", "standard_deviation", "center_of_mass")
    rtol = 2e-3 if dtype == "e" else 1e-6 if dtype in "fF" else 1e-12
    for index in (None, 1, [1, 2, 1]):
        if dtype in "FD" and sums and isinstance(index, list):
            with pytest.raises(TypeError):
                getattr(ours, name)(cp.asarray(a), cp.asarray(LABELS), index)
            continue
        if dtype == "e" and (name == "center_of_mass" or (index is None and name == "extrema")):
            continue
        compare(name, a, LABELS, index, rtol)
    compare(name, a, rtol=rtol)


@pytest.mark.parametrize("name", NAMES)
def test_indices(name):
    for index in ([], 1, [1, 2], [2, 1], np.array([2, 0]), np.array([[1, 2], [2, 1]])):
        compare(name, IMAGE, LABELS, index)
    compare(name, IMAGE, LABELS, np.float64(2))
    compare(name, IMAGE, LABELS, [1.0, 2.0])
    compare(name, IMAGE, LABELS - 0.5, [0.5, 1.5])
    compare(name, IMAGE, -LABELS, [-1, -2, 0])
    compare(name, IMAGE, LABELS > 0, [True, False])
    compare(name, IMAGE, LABELS[:1], [1])
    compare(name, IMAGE, LABELS[:1])
    compare(name, IMAGE, None, [1])
    compare(name, IMAGE[::-1].T, LABELS.T[:, ::-1], [1, 2])
    if name != "center_of_mass":
        compare(name, IMAGE, 1, 1)
        compare(name, np.float64(3), 1, [1])


@pytest.mark.parametrize("name", NAMES)
def test_absent_labels(name):
    if name == "median":
        found = ours.median(cp.asarray(IMAGE), cp.asarray(LABELS), [1, 7]).get()
        np.testing.assert_array_equal(found, [1.5, np.nan])
        return
    compare(name, IMAGE, LABELS, [1, 7, 2])
    if not name.startswith(("mini", "maxi", "extr")):
        compare(name, IMAGE, LABELS, 7)


@pytest.mark.parametrize("name", NAMES)
def test_many_elements(name, rng):
    for shape, count, dtype in [((40, 70), 5, "f"), ((9, 8, 10), 100, "d")]:
        a = rng.permutation(int(np.prod(shape))).reshape(shape).astype(dtype)
        labels = rng.integers(-1, count, shape).astype("i4")
        index = np.unique(labels[labels >= 0])  # SciPy's median of absent labels is another's
        compare(name, a, labels, index, 1e-9)
        compare(name, a, np.sort(labels, axis=None).reshape(shape), index, 1e-9)


def test_sorted_segments_agree(rng, monkeypatch):
    """Without shared memory: labels of few and of many elements."""
    a = rng.permutation(20_000).astype("f")
    labels = np.where(rng.random(20_000) < 0.6, 3, rng.integers(0, 50, 20_000))
    by = [Segments(cp.asarray(a), cp.asarray(labels), np.arange(52)) for _ in range(2)]
    shared = [by[0].total(), by[0].total("one"), *by[0].extreme("least"), *by[0].extreme("most")]
    monkeypatch.setattr("gpunp.scipy.ndimage._segments.segments", lambda *_: False)
    many = [by[1].total(), by[1].total("one"), *by[1].extreme("least"), *by[1].extreme("most")]
    for x, y in zip(shared, many, strict=True):
        cp.testing.assert_allclose(x, y, rtol=1e-13)
    np.testing.assert_array_equal(by[1].total("one").get(), np.bincount(labels, minlength=52))


def test_more_labels_than_shared_memory_holds(rng):
    a, labels = rng.random(60_000), rng.integers(0, 40_000, 60_000)
    found = ours.sum_labels(cp.asarray(a), cp.asarray(labels), cp.arange(40_000))
    desired = theirs.sum_labels(a, labels, np.arange(40_000))
    np.testing.assert_allclose(found.get(), desired, rtol=1e-13)
    # An index that is no range.
    index = rng.permutation(40_000)[:30_000] * 2
    found = ours.maximum(cp.asarray(a), cp.asarray(labels), cp.asarray(index))
    np.testing.assert_array_equal(found.get(), theirs.maximum(a, labels, index))


def test_sums_repeat_bit_for_bit(rng):
    a, labels = cp.asarray(rng.random(30_000)), cp.asarray(rng.integers(0, 9, 30_000))
    first = ours.sum_labels(a, labels, cp.arange(9))
    for _ in range(2):
        assert (ours.sum_labels(a, labels, cp.arange(9)) == first).all()


@pytest.mark.parametrize("labels_of", ["scattered", "runs", "few words", "mostly absent"])
def test_lanes_of_one_label(labels_of, rng):
    """Lanes of a warp that add to one accumulator: none, some, all; sums of integers are exact."""
    n = 6001
    labels = rng.integers(0, 300, n)
    if labels_of == "runs":
        labels = np.repeat(labels[: -(-n // 37)], 37)[:n]
    elif labels_of == "few words":  # labels that differ by multiples of 256 share a word
        labels = labels % 3 * 256 % 300
    elif labels_of == "mostly absent":
        labels = np.where(rng.random(n) < 0.9, -1, labels)
    a = rng.permutation(n).astype("f")
    index = np.arange(300)
    for dtype in ("i2", "i4", "u4", "i8", "f8"):
        given = cp.asarray(labels if dtype != "u4" else labels % 2**32).astype(dtype)
        for wanted in (index, index[::-1], index * 1.0):
            x, at = cp.asarray(a), cp.asarray(wanted)
            found = ours.sum_labels(x, given, at).get()
            desired = theirs.sum_labels(a, labels, wanted)
            np.testing.assert_array_equal(found, desired)
            np.testing.assert_array_equal(
                ours.maximum(x, given, at).get(), theirs.maximum(a, labels, wanted)
            )


def test_labels_that_differ_in_their_upper_bits():
    labels = np.array([1, 1 + 2**32, 2, 3 + 2**33, -1], np.int64)
    a = np.array([1.0, 2, 4, 8, 16])
    for index in ([1, 2, 3], np.array([1, 2, 3]) + 2**32, [-1, 0]):
        for k in (labels, labels.astype("i4")):
            for given in (np.asarray(index), cp.asarray(index)):
                found = ours.sum_labels(cp.asarray(a), cp.asarray(k), given)
                np.testing.assert_array_equal(found.get(), theirs.sum_labels(a, k, index))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u8"])
def test_labels_and_index_from_end_to_end_of_their_type(dtype, rng):
    """The difference of two of them does not fit in the type."""
    ends = np.iinfo(dtype)
    values = np.array([ends.min, ends.min + 1, 0, 5, ends.max - 1, ends.max], dtype)
    a, labels = rng.permutation(60) * 1.0, rng.choice(values, 60)
    for index in (values, values[::-1], values[[0, 5]], values[[5, 0, 0]], values[1:5]):
        found = ours.sum_labels(cp.asarray(a), cp.asarray(labels), cp.asarray(index))
        np.testing.assert_array_equal(found.get(), theirs.sum_labels(a, labels, index))
        found = ours.maximum_position(cp.asarray(a), cp.asarray(labels), cp.asarray(index))
        assert [tuple(map(int, p)) for p in found] == theirs.maximum_position(a, labels, index)


@pytest.mark.parametrize("size", [1, 2, 255, 700, 2048, 2049])
def test_index_of_the_device(size, rng):
    a, labels = rng.random(4000), rng.integers(0, 700, 4000)
    for index in (np.arange(size), np.arange(size)[::-1] // 2, rng.integers(-9, 709, size)):
        for dtype in ("i2", "i8", "f4"):
            given = index.astype(dtype)
            found = ours.sum_labels(cp.asarray(a), cp.asarray(labels), cp.asarray(given))
            np.testing.assert_allclose(found.get(), theirs.sum_labels(a, labels, given), 1e-13)
    given = np.where(rng.random(size) < 0.3, np.nan, index * 1.0)
    found = ours.sum_labels(cp.asarray(a), cp.asarray(labels), cp.asarray(given)).get()
    desired = np.where(
        np.isnan(given), 0, theirs.sum_labels(a, labels, np.nan_to_num(given, nan=-1))
    )
    np.testing.assert_allclose(found, desired, 1e-13)


def test_nan():
    a, labels = np.array([1, np.nan, 2, 0]), np.array([1, 1, 2, 2])
    for name in NAMES:
        compare(name, a, labels, [1, 2])
        if not name.endswith("position") and name != "extrema":  # SciPy: IndexError
            compare(name, a, labels, 1)
            compare(name, a)


def test_histogram(rng):
    a, labels = rng.integers(0, 12, (7, 30)), rng.integers(0, 4, (7, 30))
    for image in (a, a.astype("f"), a * 0.9):
        for index in (None, 1):
            found = ours.histogram(cp.asarray(image), 0, 10, 5, cp.asarray(labels), index)
            agree(found, theirs.histogram(image, 0, 10, 5, labels, index))
        agree(ours.histogram(cp.asarray(image), 1, 9, 4), theirs.histogram(image, 1, 9, 4))
        found = ours.histogram(cp.asarray(image), 0, 10, 5, cp.asarray(labels), [2, 1, 9])
        desired = [x if x is not None else [0] * 5
                   for x in theirs.histogram(image, 0, 10, 5, labels, [2, 1, 9])]  # fmt: skip
        np.testing.assert_array_equal(found.get(), np.stack(desired))


def test_labeled_comprehension():
    x, labels = cp.asarray(IMAGE), cp.asarray(LABELS)
    for index in ([1, 2, 7], 1, 7, [2, 1]):
        for dtype in (float, int, "f4", None):
            agree(
                ours.labeled_comprehension(x, labels, index, lambda v: v.sum(), dtype, -1),
                theirs.labeled_comprehension(IMAGE, LABELS, index, np.sum, dtype, -1),
            )
    agree(
        ours.labeled_comprehension(x, labels, [1, 2], lambda v, p: p.sum(), int, -1, True),
        theirs.labeled_comprehension(IMAGE, LABELS, [1, 2], lambda v, p: p.sum(), int, -1, True),
    )
    assert ours.labeled_comprehension(x, None, None, lambda v: v.sum(), float, 0) == 24
    assert ours.labeled_comprehension(x, labels, None, lambda v, p: p.sum(), float, 0, True) == 10
    with pytest.raises(ValueError, match="index without"):
        ours.labeled_comprehension(x, None, [1], lambda v: v.sum(), float, 0)


def test_find_objects(rng):
    for a in (LABELS, np.array([[0, 3]]), -LABELS, LABELS * 0, np.array(2), LABELS.astype("u1")):
        for most in (0, 1, 5):
            assert ours.find_objects(cp.asarray(a), most) == theirs.find_objects(a, most)
    a = rng.integers(0, 900, (9, 10, 20)) * (rng.random((9, 10, 20)) < 0.3)
    assert ours.find_objects(cp.asarray(a)) == theirs.find_objects(a)
    for wrong, error in [(LABELS * 1.0, TypeError), (LABELS > 0, TypeError), (LABELS * 1j, TypeError),
                         (LABELS[:0], ValueError)]:  # fmt: skip
        with pytest.raises(error):
            ours.find_objects(cp.asarray(wrong))


def test_find_objects_beyond_the_memory():
    for a, most in ((cp.array(2**50), 0), (cp.asarray(LABELS), 2**50)):
        with pytest.raises(MemoryError):
            ours.find_objects(a, most)


def test_value_indices(rng):
    for a in (LABELS, rng.integers(-3, 3, (4, 5, 2)).astype("i2"), LABELS[:0], np.array(3)):
        for ignored in (None, 0, 9):
            found = ours.value_indices(cp.asarray(a), ignore_value=ignored)
            desired = theirs.value_indices(a, ignore_value=ignored)
            assert list(found) == list(desired)
            for key, places in desired.items():
                assert type(found[key]) is tuple
                agree(found[key], places)
    with pytest.raises(ValueError, match="integer"):
        ours.value_indices(cp.asarray(LABELS > 0))


@pytest.mark.parametrize("name", NAMES)
def test_errors(name):
    call = getattr(ours, name)
    with pytest.raises(ValueError):
        call(cp.asarray(IMAGE), cp.asarray(LABELS[:, :2]), [1])
    with pytest.raises(ValueError):
        call(cp.zeros((0, 3)), cp.zeros((0, 3), int), [1])
    if name.startswith(("mini", "maxi", "extr")):
        with pytest.raises(ValueError):
            call(cp.zeros(0))
    with pytest.raises(TypeError):
        call(cp.asarray(IMAGE), cp.asarray(LABELS * 1j), [1])


@pytest.mark.parametrize("dtype", ["i8", "u8", "i1"])
def test_indices_of_the_least_and_the_largest_labels(dtype):
    """SciPy ends the process for those of int64."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    labels = cp.asarray(np.array([[low, high, 5], [high, 5, low]], dtype))
    found = cp.scipy.ndimage.value_indices(labels, ignore_value=5)
    places = {int(k): [axis.get().tolist() for axis in v] for k, v in found.items()}
    assert places == {low: [[0, 1], [0, 2]], high: [[0, 1], [1, 0]]}
