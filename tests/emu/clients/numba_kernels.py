"""Numba's kernels on the emulated device, and on gpunp's arrays: run by test_clients.py.

`python numba_kernels.py` calls gpunp.cuda.emulate_driver() itself, so it needs no variable but
GPUNP_DEVICE=emulated.
"""

import math
import warnings

import numpy as np

import gpunp as cp

assert cp.cuda.emulate_driver()

from numba import config, cuda, guvectorize, vectorize  # noqa: E402

warnings.simplefilter("ignore")
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0

N = 1000
rng = np.random.default_rng(1)
x, y = rng.standard_normal((2, N))


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def test_host_arrays():
    out = np.zeros(N)
    add[8, 128](x, y, out)
    assert np.array_equal(out, x + y)


def test_gpunp_arrays_are_taken_and_given():
    a, b = cp.asarray(x), cp.asarray(y)
    out = cp.zeros(N)
    add[8, 128](a, b, out)
    assert np.array_equal(cp.asnumpy(out), x + y)
    add[8, 128](a[::-1], b, out)  # a view with its stride
    assert np.array_equal(cp.asnumpy(out), x[::-1] + y)
    theirs = cuda.to_device(x)
    ours = cp.asarray(theirs)
    assert ours.data.ptr == theirs.device_ctypes_pointer.value
    assert np.array_equal(cp.asnumpy(cp.sqrt(ours * ours)), np.abs(x))


def test_shared_memory_and_barriers():
    @cuda.jit
    def reverse(a):
        tile = cuda.shared.array(64, np.float64)
        i = cuda.threadIdx.x
        tile[i] = a[i]
        cuda.syncthreads()
        a[i] = tile[63 - i]

    a = cuda.to_device(x[:64])
    reverse[1, 64](a)
    assert np.array_equal(a.copy_to_host(), x[63::-1])


def test_atomics_and_reduction():
    @cuda.jit
    def histogram(values, bins):
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.add(bins, values[i], 1)

    values = rng.integers(0, 10, N)
    bins = cuda.to_device(np.zeros(10, np.int64))
    histogram[8, 128](values, bins)
    assert np.array_equal(bins.copy_to_host(), np.bincount(values, minlength=10))
    total = cuda.reduce(lambda a, b: a + b)
    assert total(np.arange(N)) == N * (N - 1) // 2


def test_device_functions_math_complex():
    @cuda.jit(device=True)
    def twice(v):
        return 2 * v

    @cuda.jit
    def compute(a, z, out, zout):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = twice(math.sin(a[i])) + math.exp(-a[i] * a[i])
            zout[i] = z[i] * z[i] + 1j

    z = x + 1j * y
    out, zout = np.zeros(N), np.zeros(N, np.complex128)
    compute[8, 128](x, z, out, zout)
    assert np.allclose(out, 2 * np.sin(x) + np.exp(-x * x), rtol=1e-14)
    assert np.allclose(zout, z * z + 1j, rtol=1e-14)


def test_records():
    record = np.dtype([("a", np.int32), ("b", np.float64)], align=True)

    @cuda.jit
    def fill(rows):
        i = cuda.grid(1)
        if i < rows.size:
            rows[i].a = i
            rows[i].b = i / 2

    rows = cuda.to_device(np.zeros(N, record))
    fill[8, 128](rows)
    got = rows.copy_to_host()
    assert np.array_equal(got["a"], np.arange(N)) and np.array_equal(got["b"], np.arange(N) / 2)


def test_streams_and_events():
    stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
    begin.record(stream)
    a, b = cuda.to_device(x, stream=stream), cuda.to_device(y, stream=stream)
    out = cuda.device_array(N, stream=stream)
    add[8, 128, stream](a, b, out)
    end.record(stream)
    got = out.copy_to_host(stream=stream)
    stream.synchronize()
    assert np.array_equal(got, x + y) and cuda.event_elapsed_time(begin, end) >= 0


def test_grid_barrier():
    @cuda.jit
    def rotate(a):
        i, n = cuda.grid(1), cuda.gridsize(1)
        for _ in range(3):
            v = a[(i + 1) % n]
            cuda.cg.this_grid().sync()
            a[i] = v
            cuda.cg.this_grid().sync()

    a = cuda.to_device(np.arange(128))
    rotate[4, 32](a)
    assert np.array_equal(a.copy_to_host(), np.roll(np.arange(128), -3))


def test_ufuncs():
    @vectorize(["float64(float64, float64)"], target="cuda")
    def hypotenuse(a, b):
        return math.sqrt(a * a + b * b)

    @guvectorize(["(float64[:], float64[:])"], "(n)->()", target="cuda")
    def total(a, out):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i]
        out[0] = s

    assert np.allclose(hypotenuse(x, y), np.hypot(x, y), rtol=1e-15)
    rows = x.reshape(10, 100)
    assert np.allclose(total(rows), rows.sum(1), rtol=1e-12)


def test_printing():
    @cuda.jit
    def speak():
        print("thread", cuda.threadIdx.x)

    speak[1, 2]()
    cuda.synchronize()


def test_exceptions_of_kernels():
    @cuda.jit(debug=True, opt=False)
    def fail(a):
        if cuda.threadIdx.x == 3:
            raise ValueError("three")

    try:
        fail[1, 4](np.zeros(4))
    except ValueError as error:
        assert "three" in str(error)
    else:
        raise AssertionError("no exception")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed", name, flush=True)
