"""jit.cub: reductions of the toolkit."""

import numpy as np
import pytest

import gpunp as cp
from gpunp import jit


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_block_reduce(dtype):
    @jit.rawkernel()
    def f(x, out):
        Reduce = jit.cub.BlockReduce[x.dtype, 64]
        storage = jit.shared_memory(Reduce.TempStorage, 1)
        i, j = jit.blockIdx.x, jit.threadIdx.x
        reducer = Reduce(storage[0])
        total = reducer.Sum(x[i, j])
        jit.syncthreads()
        top = reducer.Reduce(x[i, j], jit.cub.Max())
        if j == 0:
            out[i, 0], out[i, 1] = total, top

    x = (np.arange(192) * 7 % 101).astype(dtype).reshape(3, 64)
    out = cp.zeros((3, 2), dtype)
    f[3, 64](cp.asarray(x), out)
    assert out.tolist() == [[row.sum(), row.max()] for row in x]


def test_warp_reduce():
    @jit.rawkernel()
    def f(x, out):
        WarpReduce = jit.cub.WarpReduce[np.int32]
        temp_storage = jit.shared_memory(dtype=WarpReduce.TempStorage, size=2)
        i = jit.threadIdx.x
        warp = i // 32
        aggregator = WarpReduce(temp_storage[warp])
        total = aggregator.Reduce(x[i], jit.cub.Sum())
        jit.syncwarp()
        least = aggregator.Reduce(x[i], jit.cub.Min())
        if i % 32 == 0:
            out[warp, 0], out[warp, 1] = total, least

    x = (np.arange(64) * 7 % 101).astype("i4")
    out = cp.zeros((2, 2), "i4")
    f[1, 64](cp.asarray(x), out)
    assert out.tolist() == [[part.sum(), part.min()] for part in x.reshape(2, 32)]


def test_misuse():
    with pytest.raises(TypeError, match="32 and 64 bits"):
        jit.cub.WarpReduce[np.int8]
    with pytest.raises(TypeError, match="2 parameters"):
        jit.cub.BlockReduce[np.int32]
    with pytest.raises(RuntimeError, match="only inside a kernel"):
        jit.cub.Sum()
