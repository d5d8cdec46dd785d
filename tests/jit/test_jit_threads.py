"""jit: threads, shared memory, atomics, shuffles."""

import numpy as np
import pytest
from check import assert_same

import gpunp as cp
from gpunp import jit


def test_positions():
    @jit.rawkernel()
    def f(out):
        x, y, z = jit.grid(3)
        nx, ny, nz = jit.gridsize(3)
        at = (z * ny + y) * nx + x
        out[at, 0] = jit.threadIdx.x + 10 * jit.threadIdx.y + 100 * jit.threadIdx.z
        out[at, 1] = jit.blockIdx.x + 10 * jit.blockIdx.y
        out[at, 2] = jit.blockDim.x * jit.gridDim.y
        out[at, 3] = jit.laneid()
        out[at, 4] = jit.warpsize

    out = cp.full((2 * 2 * 4 * 2 * 2, 5), -1, "i4")
    f[(2, 2), (4, 2, 2)](out)
    got = out.get()
    assert got[:, 4].tolist() == [32] * len(got) and got[:, 2].tolist() == [8] * len(got)
    assert set(got[:, 0]) == {
        x + 10 * y + 100 * z for x in range(4) for y in (0, 1) for z in (0, 1)
    }
    assert set(got[:, 1]) == {0, 1, 10, 11} and set(got[:, 3]) == set(range(16))


def test_reduction_in_shared_memory():
    @jit.rawkernel()
    def reduction(x, y, size):
        tid = jit.threadIdx.x
        ntid = jit.blockDim.x
        value = cp.float32(0)
        for i in range(tid, size, ntid):
            value += x[i]
        smem = jit.shared_memory(cp.float32, 1024)
        smem[tid] = value
        jit.syncthreads()
        if tid == cp.uint32(0):
            value = cp.float32(0)
            for i in range(ntid):
                value += smem[i]
            y[0] = value

    x = cp.arange(1000, dtype="f4")
    y = cp.empty(1, "f4")
    reduction((1,), (256,), (x, y, cp.uint32(1000)))
    assert y.item() == 499500.0


def test_shared_memory_of_two_dimensions_and_by_the_launch():
    @jit.rawkernel()
    def transpose(x, y):
        tile = jit.shared_memory(np.float64, (8, 9), alignment=16)
        extra = jit.shared_memory(np.int32, None)
        i, j = jit.threadIdx.y, jit.threadIdx.x
        tile[i, j] = x[i, j]
        extra[i * 8 + j] = i
        jit.syncthreads()
        y[i, j] = tile[j, i] + extra[j * 8 + i]

    x = np.arange(64.0).reshape(8, 8)
    y = cp.empty((8, 8))
    transpose[1, (8, 8), 256](cp.asarray(x), y)
    assert_same(y, x.T + np.arange(8)[None, :], order=False)


ATOMICS = {
    "add": lambda old, values: old + values.sum(dtype=old.dtype),
    "sub": lambda old, values: (old - values.sum(dtype=old.dtype, keepdims=True))[0],
    "min": lambda old, values: min(old, values.min()),
    "max": lambda old, values: max(old, values.max()),
    "and": lambda old, values: np.bitwise_and.reduce(values) & old,
    "or": lambda old, values: np.bitwise_or.reduce(values) | old,
    "xor": lambda old, values: np.bitwise_xor.reduce(values) ^ old,
}


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "F"])
@pytest.mark.parametrize("name", ATOMICS)
def test_atomics(name, dtype):
    if (name in ("and", "or", "xor") and dtype[0] in "fF") or (
        dtype == "F" and name in ("min", "max")
    ):
        pytest.skip("not defined")
    atomic = getattr(jit, f"atomic_{name}")

    @jit.rawkernel()
    def f(x, values):
        i = jit.grid(1)
        atomic(x, 1, values[i])

    values = (np.arange(40) % 3).astype(dtype)
    x = np.array([9, 7, 9], dtype)
    ours = cp.asarray(x)
    f[2, 20](ours, cp.asarray(values))
    x[1] = ATOMICS[name](x[1], values)
    assert_same(ours, x)


def test_atomics_give_the_old_value():
    @jit.rawkernel()
    def f(x, out):
        i = jit.threadIdx.x
        out[jit.atomic_add(x, (0, 0), 1)] = i + 1
        jit.atomic_inc(x, (0, 1), 4)
        jit.atomic_dec(x, (0, 2), 5)
        jit.atomic_exch(x, (0, 3), 77)
        if i == 3:
            out[40] = jit.atomic_cas(x, (0, 4), 5, 6)
            out[41] = jit.atomic_cas(x, (0, 4), 5, 8)

    x = cp.array([[0, 0, 0, 0, 5]], "u4")
    out = cp.zeros(42, "i4")
    f[1, 32](x, out)
    assert sorted(out[:32].tolist()) == list(range(1, 33)) and out[40:].tolist() == [5, 6]
    assert x.tolist() == [[32, 32 % 5, (-32) % 6, 77, 6]]


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "F", "D", "?"])
def test_shuffles(dtype):
    @jit.rawkernel()
    def f(x, out):
        i = jit.threadIdx.x
        v = x[i]
        out[0, i] = jit.shfl_sync(0xFFFFFFFF, v, 3)
        out[1, i] = jit.shfl_up_sync(0xFFFFFFFF, v, 2)
        out[2, i] = jit.shfl_down_sync(0xFFFFFFFF, v, 1, width=8)
        out[3, i] = jit.shfl_xor_sync(0xFFFFFFFF, v, 16)
        jit.syncwarp()
        jit.syncwarp(mask=0xFFFFFFFF)

    x = np.arange(32).astype(dtype)
    out = cp.zeros((4, 32), dtype)
    f[1, 32](cp.asarray(x), out)
    lanes = np.arange(32)
    expected = np.stack(
        [
            np.full(32, x[3]),
            x[np.where(lanes >= 2, lanes - 2, lanes)],
            x[np.where(lanes % 8 < 7, lanes + 1, lanes)],
            x[lanes ^ 16],
        ]
    ).astype(dtype)
    assert_same(out, expected)
