"""Random numbers beyond 2^31 and 2^32 elements: what the end of a long draw holds is what a generator
draws whose counter is set to that place."""

import numpy as np
import pytest

import gpunp as cp

pytestmark = pytest.mark.gpu

GIB = 2**30
SIZES = [2**31 + 9, 2**32 + 9]
TAIL = 1 << 14


@pytest.fixture(autouse=True)
def give_memory_back():
    yield
    cp.get_default_memory_pool().free_all_blocks()


def need(gib):
    """Skip the test where the device has less memory free."""
    cp.get_default_memory_pool().free_all_blocks()
    free = cp.cuda.runtime.memGetInfo()[0]
    if free < gib * GIB:
        pytest.skip(f"needs {gib} GiB of device memory")


def at(group):
    return cp.random.Generator(cp.random.Philox4x3210(key=5, counter=group))


DRAWS = {
    "bytes": (16, 1, lambda g, n: g.integers(0, 256, n, dtype=np.uint8)),
    "bounded": (4, 1, lambda g, n: g.integers(0, 200, n, dtype=np.uint8)),
    "uniform": (4, 4, lambda g, n: g.random(n, dtype=np.float32)),
    "normal": (4, 4, lambda g, n: g.normal(1, 2, n, dtype=np.float32)),
    "gamma": (2, 4, lambda g, n: g.standard_gamma(2.5, n, dtype=np.float32)),
    "poisson": (1, 1, lambda g, n: g.poisson(3.0, n, dtype=np.uint8)),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", DRAWS)
def test_long_draws(name, size):
    group, itemsize, draw = DRAWS[name]
    need(size * itemsize / GIB + 1)
    x = draw(at(0), size)
    for start in (0, 2**31 - TAIL, 2**32 - TAIL, size - size % 16 - TAIL):
        if start < size:
            n = min(2 * TAIL, size - start)
            assert (x[start : start + n] == draw(at(start // group), n)).all()


def test_long_draws_with_parameters_of_each_element():
    size = 2**31 + 9
    need(size * 8 / GIB + 1)
    rows = cp.broadcast_to(cp.asarray([[0.0], [1000.0]]), (2, size // 2))
    x = at(0).normal(rows, 1.0, dtype=np.float32)
    assert float(x[0].max()) < 10 and float(x[1].min()) > 990


def test_long_order():
    size = 2**31 + 9
    need(size * 45 / GIB)
    x = at(0).permutation(size)
    assert int(x.min()) == 0 and int(x.max()) == size - 1
    assert int(cp.bincount(x >> 20).max()) == 2**20
