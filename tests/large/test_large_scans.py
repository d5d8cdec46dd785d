"""Scans and counts of more than 2^31 and 2^32 elements, against closed forms. On a GPU."""

import pytest

import gpunp as cp

pytestmark = pytest.mark.gpu

PART = 2**29


@pytest.fixture(autouse=True)
def give_memory_back():
    yield
    cp.get_default_memory_pool().free_all_blocks()


def counts_up(sums):
    """Whether element i is i + 1, looked at in parts."""
    return all(
        bool(
            (
                sums[k : k + PART]
                == cp.arange(k + 1, min(k + PART, sums.size) + 1, dtype=sums.dtype)
            ).all()
        )
        for k in range(0, sums.size, PART)
    )


@pytest.mark.parametrize("size", [2**31 - 1, 2**31, 2**31 + 7, 2**32 + 5])
def test_cumsum_of_ones(size):
    assert counts_up(cp.cumsum(cp.ones(size, dtype="i1")))


def test_long_columns_and_many_rows():
    a = cp.ones((2**30 + 3, 4), dtype="i1")
    assert counts_up(cp.cumsum(a, axis=0, dtype="i4")[:, 3])
    rows = cp.cumsum(a, axis=1, dtype="i1")
    assert bool((rows[:, 0] == 1).all())
    assert bool((rows[:, 3] == 4).all())


@pytest.mark.parametrize("size", [2**31 + 7, 2**32 + 5])
def test_counts(size):
    a = cp.ones(size, dtype="u1")
    a[size - 1] = 3
    assert cp.bincount(a).tolist() == [0, size - 1, 0, 1]
    assert cp.histogram(a, [0, 2, 4])[0].tolist() == [size - 1, 1]
    assert cp.histogram(a, 2)[0].tolist() == [size - 1, 1]


def test_update_beyond_4_gib():
    a = cp.zeros(2**32 + 5, dtype="u1")
    cp.add.at(a, cp.asarray([2**32 + 4, 2**32 + 4, 0, 2**31]), 1)
    assert [int(a[i]) for i in (0, 2**31, 2**32 + 4, 2**32 + 3)] == [1, 1, 2, 0]
    assert int(a.sum(dtype="i8")) == 4
