"""Element by element, two sparse matrices of many shapes: rows and duplicates across tiles."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import _sparsetools as tools

SHAPES = [  # rows, columns, elements, how uneven
    (1, 5000, 3000, 1),
    (3, 900, 2500, 1),
    (5000, 40, 2500, 1),
    (100_000, 7, 1500, 2),
    (7, 3000, 1024, 1),
    (2000, 2000, 2048, 1),
    (300, 300, 8000, 2),
]


def random_parts(shape, duplicates, rng):
    """Values, indices and begins of a matrix with sorted indices."""
    m, n, count, uneven = shape
    rows, columns = ((rng.random(count) ** uneven * k).astype("q") for k in (m, n))
    if duplicates:
        half = count // 2
        rows[:half], columns[:half] = rows[-half:], columns[-half:]
    keys = np.sort(rows * n + columns)
    keys = keys if duplicates else np.unique(keys)
    values = rng.integers(-3, 4, keys.size).astype("d")
    return values, keys % n, np.searchsorted(keys // n, np.arange(m + 1))


def assert_same_parts(found, expected):
    """The bits of SciPy's matrix, whose duplicates are summed and zeros dropped."""
    expected.sum_duplicates()
    expected.eliminate_zeros()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("index", ["i", "q"])
@pytest.mark.parametrize("dtype", ["?", "f", "D"])
def test_elements_of_each_size(dtype, index, rng):
    """The widest values and indices need the most shared memory."""
    ours, theirs = [], []
    for _ in range(2):
        data, *parts = random_parts((50, 300, 4000, 1), False, rng)
        parts = [p.astype(index) for p in parts]
        data = data.astype(dtype)
        theirs.append(scipy.sparse.csr_array((data, *parts), shape=(50, 300)))
        ours.append(sparse.csr_array(theirs[-1]))
        ours[-1].indices, ours[-1].indptr = (cp.asarray(p) for p in parts)
    found, expected = (ours[0] + ours[1]).get(), theirs[0] + theirs[1]
    expected.eliminate_zeros()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("index", ["i", "q"])
@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_and_products_of_elements(shape, duplicates, index, rng):
    m, n, count, uneven = shape
    ours, theirs = [], []
    for size in (count, count // 2 + 1):
        data, *parts = random_parts((m, n, size, uneven), duplicates, rng)
        parts = [p.astype(index) for p in parts]
        given = tuple(map(cp.asarray, (data, *parts)))
        ours.append(sparse.csr_array(given, shape=(m, n)))
        theirs.append(scipy.sparse.csr_array((data, *parts), shape=(m, n)))
    for operation in (lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a.multiply(b)):
        assert_same_parts(operation(*ours).get(), operation(*theirs).tocsr())


@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("most", [(1, 0), (4, 4), (8, 6), (20, 12), (16, 16), (20, 20)], ids=str)
def test_rows_of_a_few_elements(most, duplicates, rng):
    """Of up to 8, 16 and 32 elements in both matrices, which threads of a warp merge."""
    m, n, ours, theirs = 331, 45 if duplicates else 10_000, [], []
    for largest in most:
        lengths = np.where(
            rng.random(m) < 0.1, 0, rng.integers(largest - largest // 4, largest + 1, m)
        )
        lengths[m // 3] = largest
        indptr = np.concatenate([[0], lengths.cumsum()])
        columns = [np.sort(rng.choice(n, k, replace=duplicates)) for k in lengths]
        data = rng.integers(-2, 3, indptr[-1]).astype("f" if largest == most[0] else "d")
        data[: data.size // 2] *= 0.1  # whose sums depend on their order
        parts = data, np.concatenate(columns), indptr
        theirs.append(scipy.sparse.csr_array(parts, shape=(m, n)))
        ours.append(sparse.csr_array(tuple(map(cp.asarray, parts)), shape=(m, n)))
    for operation in (lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a.multiply(b)):
        assert_same_parts(operation(*ours).get(), operation(*theirs).tocsr())


@pytest.mark.parametrize("many", [False, True])
def test_indices_that_are_not_sorted(many, rng):
    """Duplicates are kept, and summed by the merge, but where an element has many."""
    m, n, ours, theirs = 70, 50, [], []
    for size in (6000, 5000):
        rows = np.sort(rng.integers(0, m, size))
        columns = rng.integers(0, n, size)
        columns[: 60 if many else 3] = 7
        data = rng.standard_normal(size).astype("f")
        indptr = np.searchsorted(rows, np.arange(m + 1))
        given = tuple(map(cp.asarray, (data, columns, indptr)))
        ours.append(sparse.csr_array(given, shape=(m, n)))
        theirs.append(scipy.sparse.csr_array((data, columns, indptr), shape=(m, n)))
    for _ in range(2):
        for operation in (lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a.multiply(b)):
            found = operation(*ours)
            expected = operation(*theirs)
            assert not ours[0].has_sorted_indices
            assert found.has_canonical_format
            np.testing.assert_allclose(
                found.toarray().get(), expected.toarray(), rtol=1e-4, atol=1e-5
            )
        ours[0].data[10] = theirs[0].data[10] = 5


def test_rows_are_merged_by_few_threads_where_these_have_enough_to_do():
    assert tools.lanes_of_rows(16, 16, 100, 3200) == 32
    assert tools.lanes_of_rows(4, 3, 100, 700) == 8
    assert tools.lanes_of_rows(0, 1, 100, 500) == 8
    assert tools.lanes_of_rows(17, 16, 100, 3000) is None
    assert tools.lanes_of_rows(16, 16, 100, 1500) is None
    assert tools.lanes_of_rows(None, 16, 100, 3000) is None


def test_the_longest_row_is_known(rng):
    """From the look at the arrays, for the matrix in order too."""
    columns = rng.integers(0, 90, 600)
    indptr = np.array([0, 100, 100, 340, 600])
    a = sparse.csr_array(tuple(map(cp.asarray, (columns * 1.0, columns, indptr))), shape=(4, 90))
    assert a._checked()._longest() == 260
    assert a._ascending()._longest() == 260
    assert sparse.csr_array(a.toarray())._longest() is None


@pytest.mark.parametrize("index", ["i", "q"])
@pytest.mark.parametrize("most", [5, 15, 32])
def test_rows_of_wide_matrices(most, index, rng):
    """Columns that leave no room for a place beside them in 32 bits, up to the last one."""
    m, n, ours, theirs = 90, 2**31 - 1, [], []
    for dtype in ("D", "d"):
        several = rng.permuted(np.tile(np.arange(2 * most), (m, 1)), axis=1)[:, :most]
        columns = np.sort(n - 1 - several * 2**20, axis=1)  # SciPy has an array of n for duplicates
        data = rng.integers(-2, 3, (m, most)).astype(dtype)
        parts = data.ravel(), columns.ravel().astype(index), np.arange(m + 1, dtype=index) * most
        theirs.append(scipy.sparse.csr_array(parts, shape=(m, n)))
        ours.append(sparse.csr_array(tuple(map(cp.asarray, parts)), shape=(m, n)))
    for operation in (lambda a, b: a + b, lambda a, b: a.multiply(b)):
        assert_same_parts(operation(*ours).get(), operation(*theirs).tocsr())
