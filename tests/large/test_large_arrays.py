"""Arrays beyond 2^31 and 2^32 elements: every index and offset has to be 64 bits wide. On a GPU."""

import pytest

import gpunp as cp

pytestmark = pytest.mark.gpu

SIZES = [2**31 - 1, 2**31, 2**31 + 1, 2**32 + 7]


@pytest.fixture(autouse=True)
def give_memory_back():
    yield
    cp.get_default_memory_pool().free_all_blocks()


def marked(size):
    """Zeros but for a 1 at the ends and on both sides of 2^31 and 2^32."""
    a = cp.zeros(size, dtype="uint8")
    places = [p for p in (0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, size - 1) if p < size]
    for place in places:
        a[place] = 1
    return a, len(set(places))


@pytest.mark.parametrize("size", SIZES)
def test_contiguous(size):
    a, ones = marked(size)
    b = a + a
    assert int(b[size - 1]) == 2
    assert int(b.sum()) == 2 * ones
    assert int(cp.count_nonzero(b)) == ones


@pytest.mark.parametrize("size", SIZES)
def test_reversed(size):
    a, ones = marked(size)
    b = a[::-1].copy()
    assert int(b[0]) == int(b[size - 1]) == 1
    assert int(b.sum()) == ones


def test_strided():
    a, _ = marked(2**32 + 7)
    a[::2] = 5
    b = a[::2] + 1
    assert b.size == 2**31 + 4
    assert int(b.max()) == int(b.min()) == 6


def test_rows_and_broadcast():
    a = cp.zeros(((1 << 22) + 1, 1025), dtype="uint8")
    a += cp.arange(1025, dtype="uint8") % 3
    assert int(a[-1, -1]) == 1024 % 256 % 3
    expected = int((cp.arange(1025, dtype="uint8") % 3).sum()) * a.shape[0]
    assert int(a.sum()) == expected


def test_transposed_copy():
    a = cp.zeros((2, 2**31 + 5), dtype="uint8")
    a[1, -1] = 9
    b = a.T.copy()
    assert int(b[-1, 1]) == 9
    assert int(b.sum()) == 9


def test_reduction_along_axes():
    a = cp.ones((2**31 + 3, 2), dtype="uint8")
    assert cp.all(a.sum(axis=0) == 2**31 + 3)
    assert int(a.sum(axis=1, dtype="uint8").max()) == 2
    a[2**31 + 1, 1] = 3
    assert int(a.argmax()) == 2 * (2**31 + 1) + 1


def test_mask_and_take():
    a, ones = marked(2**32 + 7)
    assert a[a == 1].size == ones
    places = cp.nonzero(a)[0]
    assert int(places[-1]) == a.size - 1
    assert int(a[places].sum()) == ones
