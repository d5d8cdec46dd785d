"""Every size of a block, up to 2^63: memory, or OutOfMemoryError."""

import pytest

import gpunp as cp


@pytest.mark.parametrize("power", [33, 40, 46, 50, *range(51, 62)])
def test_sizes_beyond_the_device(power):
    pool = cp.cuda.MemoryPool()
    pool.set_limit(size=1 << 30)
    for bytes_ in (2**power, 2**power * 31 // 32):
        with pytest.raises(MemoryError):
            pool.malloc(bytes_)
        if power > 39:
            with pytest.raises(MemoryError):
                cp.empty(bytes_ * 2, "u1")
    with pytest.raises(MemoryError):
        pool.malloc(2**63 - 1)
    assert pool.used_bytes() == 0
    pool.malloc(2**20)


def test_the_allocation_that_once_crashed():
    for n in (2**52, 2**53):
        with pytest.raises(MemoryError):
            cp.random.random_sample(n)
