"""Properties of sorting over any dtype, shape, axis and layout: stable, complete, in NumPy's order."""

import cases
import hypothesis
import numpy as np
from check import to_numpy
from hypothesis import strategies as st

import gpunp as cp

DTYPES = st.sampled_from([d.char for d in cases.NUMPY_DTYPES])


@st.composite
def arrays(draw):
    """An array with duplicates, special values and one of several layouts, and an axis of it."""
    dtype = np.dtype(draw(DTYPES))
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=1, max_size=3)))
    if draw(st.integers(0, 3)) == 0:
        shape = (draw(st.sampled_from([257, 1025, 4097, 8000])),)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    few = draw(st.integers(1, 40))
    points = np.concatenate([cases.special(dtype), cases.values(dtype, few, rng)])
    x = points[rng.integers(0, draw(st.integers(1, points.size)), shape)]
    layout = draw(st.sampled_from(["c", "f", "reversed", "strided"]))
    return x, layout, draw(st.integers(-x.ndim, x.ndim - 1))


@hypothesis.given(arrays())
def test_sort_is_stable(case):
    x, layout, axis = case
    ours, theirs = cases.arrange(cp, x, layout), cases.arrange(np, x, layout)
    order = np.argsort(theirs, axis, kind="stable")
    np.testing.assert_array_equal(to_numpy(cp.argsort(ours, axis)), order)
    expected = np.take_along_axis(theirs, order, axis)
    assert np.ascontiguousarray(to_numpy(cp.sort(ours, axis))).tobytes() == expected.tobytes()


@hypothesis.given(arrays())
def test_searchsorted_finds_its_own_elements(case):
    x = np.sort(case[0].ravel())
    for side in ("left", "right"):
        ours = cp.searchsorted(cp.asarray(x), cp.asarray(case[0]), side)
        np.testing.assert_array_equal(to_numpy(ours), np.searchsorted(x, case[0], side))


@hypothesis.given(arrays())
def test_unique_gives_everything_back(case):
    x = cp.asarray(case[0])
    values, index, inverse, counts = cp.unique(x, True, True, True)
    host = to_numpy(values)
    assert int(counts.sum()) == x.size
    np.testing.assert_array_equal(to_numpy(cp.sort(values)), host)
    if case[0].dtype.kind != "c":
        np.testing.assert_array_equal(host[to_numpy(inverse)], case[0])
        np.testing.assert_array_equal(case[0].ravel()[to_numpy(index)], host)


@hypothesis.given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=30), min_size=1, max_size=4)
)
def test_lexsort_is_lexicographic(lists):
    n = min(map(len, lists))
    keys = np.array([row[:n] for row in lists])
    np.testing.assert_array_equal(to_numpy(cp.lexsort(cp.asarray(keys))), np.lexsort(keys))
