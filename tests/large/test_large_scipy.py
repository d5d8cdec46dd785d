"""Images, signals and sparse matrices of more than 2^31 elements, against closed forms. On a GPU."""

import pytest

import gpunp as cp
from gpunp.scipy import ndimage, signal, sparse

pytestmark = [pytest.mark.gpu, pytest.mark.slow]

COLUMNS = 2**15
ROWS = 2**16 + 3  # 2^31 + 3 * 2^15 elements


@pytest.fixture(autouse=True)
def give_memory_back():
    yield
    cp.get_default_memory_pool().free_all_blocks()


def spot(rows, columns):
    """An image of zeros with a one near its end."""
    a = cp.zeros((rows, columns), "u1")
    a[rows - 5, columns - 7] = 1
    return a


@pytest.mark.parametrize("rows", [ROWS])
def test_windows(rows, columns=COLUMNS):
    a = spot(rows, columns)
    for found in (
        ndimage.maximum_filter(a, 3),
        ndimage.grey_dilation(a, (3, 3)),
        ndimage.uniform_filter1d(9 * a, 3, axis=0) // 3 + 2 * ndimage.convolve(a, cp.ones((3, 3))),
    ):
        assert bool((found[-7:-2, -9:-4] > 0).sum() == 9)
        assert int(cp.count_nonzero(found)) == 9
        del found


@pytest.mark.parametrize("rows", [ROWS])
def test_correlation_along_axes(rows, columns=COLUMNS):
    a = spot(rows, columns)
    for axis in (0, 1):
        found = ndimage.correlate1d(a, [1, 2, 3], axis=axis)
        part = found[-7:-2, -9:-4].get()
        assert (part[:, 2] if axis == 0 else part[2]).tolist() == [0, 3, 2, 1, 0]
        assert int(found.sum(dtype="i8")) == 6
        del found


@pytest.mark.parametrize("rows", [ROWS])
def test_places_of_elements(rows, columns=COLUMNS):
    a = spot(rows, columns)
    assert ndimage.maximum_position(a) == (rows - 5, columns - 7)
    moved = ndimage.shift(a, (1, 2), order=1)
    assert int(moved[-4, -5]) == 1
    assert int(moved.sum(dtype="i8")) == 1


@pytest.mark.parametrize("rows", [ROWS])
def test_components(rows, columns=COLUMNS):
    a = cp.zeros((rows, columns), bool)
    a[:2], a[-2:], a[3:-3, 1] = True, True, True
    labels, count = ndimage.label(a)
    assert count == 3
    assert [int(labels[i, 1]) for i in (0, 2, 3, rows - 4, rows - 1)] == [1, 0, 2, 2, 3]
    assert int((labels == 3).sum(dtype="i8")) == 2 * columns


@pytest.mark.parametrize("size", [2**31 + 7])
def test_recurrences(size):
    x = cp.ones(size, "f4")
    y = signal.lfilter([1.0], [1.0, -1.0], x)
    for k in (0, size // 3, size - 1):
        assert float(y[k]) == k + 1
    del y
    y = signal.sosfilt([[0.5, 0, 0, 1, -0.5, 0]], x)
    assert abs(float(y[-1]) - 1) < 1e-12


@pytest.mark.parametrize("size", [2**31 + 7])
def test_resampling(size):
    x = cp.zeros(size, "f4")
    x[-3:] = cp.asarray([1, 2, 3], "f4")
    y = signal.upfirdn([1.0, 1.0], x)
    assert y[-5:].tolist() == [0, 1, 3, 5, 3]
    del y
    y = signal.upfirdn([1.0], x, 1, 2)
    assert y.size == (size + 1) // 2
    assert y[-2:].tolist() == [1, 3]


@pytest.mark.parametrize("rows", [2**20 + 3])
def test_sparse_products(rows, each=2048):
    """More than 2^31 stored elements, with indices of 64 bits."""
    indices = cp.empty((rows, each), "i8")
    indices[...] = cp.arange(each)
    indptr = cp.arange(rows + 1, dtype="i8") * each
    data = cp.ones(rows * each, "i1")
    data[-1] = 3
    a = sparse.csr_array((data, indices.reshape(-1), indptr), shape=(rows, each))
    assert a.nnz == rows * each
    y = a @ cp.ones(each, "i4")
    assert int(y[-1]) == each + 2
    assert int(y.sum(dtype="i8")) == rows * each + 2
    assert int(a[rows - 1, each - 1]) == 3
