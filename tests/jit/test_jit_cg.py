"""jit.cg: cooperative groups."""

import numpy as np
import pytest

import gpunp as cp
from gpunp import jit
from gpunp.jit import cg


def test_thread_block():
    @jit.rawkernel()
    def f(x, out):
        block = cg.this_thread_block()
        i = block.thread_rank()
        s = jit.shared_memory(np.int32, 64)
        s[i] = x[i]
        if i % 2 == 0:
            s[i] += 1
        block.sync()
        out[0, i] = s[block.num_threads() - 1 - i]
        jit.cg.sync(block)
        out[1, i] = block.thread_index().x + 100 * block.thread_index().y
        out[2, i] = block.group_index().x + block.size()
        out[3, i] = block.dim_threads().y * 10 + block.group_dim().x

    x, out = cp.arange(64, dtype="i4"), cp.zeros((4, 64), "i4")
    f[1, (16, 4)](x, out)
    lanes = np.arange(64)
    assert out[0].tolist() == (lanes + (lanes % 2 == 0))[::-1].tolist()
    assert out[1].tolist() == (lanes % 16 + 100 * (lanes // 16)).tolist()
    assert set(out[2].tolist()) == {64} and set(out[3].tolist()) == {56}


def test_grid_is_launched_cooperatively():
    @jit.rawkernel()
    def f(x, out):
        grid = cg.this_grid()
        jit.atomic_add(x, 0, 1)
        grid.sync()
        i = grid.thread_rank()
        out[i] = x[0]
        jit.cg.sync(grid)
        if grid.is_valid() and i == 0:
            x[1] = grid.num_threads()
            x[2] = grid.num_blocks() * 10 + grid.block_rank()
            x[3] = grid.dim_blocks().x + grid.block_index().x + grid.group_dim().x
            x[4] = grid.size()

    x, out = cp.zeros(5, "i8"), cp.zeros(12, "i4")
    f[3, 4](x, out)
    assert out.tolist() == [12] * 12 and x.tolist() == [12, 12, 30, 6, 12]


@pytest.mark.parametrize("aligned", [None, 16])
def test_memcpy_async(aligned):
    @jit.rawkernel()
    def f(x, out):
        block = cg.this_thread_block()
        tile = jit.shared_memory(np.float32, 32, alignment=16)
        if aligned is None:
            cg.memcpy_async(block, tile, 0, x, 4, 32 * 4)
        else:
            cg.memcpy_async(block, tile, 0, x, 4, 32 * 4, aligned_size=aligned)
        if aligned is None:
            cg.wait(block)
        else:
            cg.wait_prior(block, 0)
        i = block.thread_rank()
        out[i] = tile[31 - i]

    x, out = cp.arange(40, dtype="f4"), cp.zeros(32, "f4")
    f[1, 32](x, out)
    assert out.tolist() == list(range(35, 3, -1))


def test_groups_are_checked():
    @jit.rawkernel()
    def f(x):
        cg.sync(x)

    with pytest.raises(TypeError, match="a group of threads is needed"):
        f[1, 1](cp.zeros(1))
