"""What lessons about CuPy do with random numbers, in our words."""

import numpy as np
import pytest

import gpunp as cp


def test_matrices_of_uniform_numbers():
    a = cp.random.uniform(low=-1.0, high=1.0, size=(64, 64)).astype(cp.float32)
    b = cp.random.uniform(low=-1.0, high=1.0, size=(64, 64)).astype(cp.float32)
    c = cp.matmul(a, b)
    assert type(c) is cp.ndarray and c.shape == (64, 64) and c.dtype == np.float32
    assert -1 <= float(a.min()) < -0.9 and 0.9 < float(a.max()) < 1


def test_functions_take_a_dtype_where_numpys_do_not():
    with pytest.raises(TypeError):
        np.random.randn(dtype=np.float32)
    x = cp.random.randn(dtype=np.float32)
    assert x.shape == () and x.dtype == np.float32 and "dtype=float32" in repr(x)


def test_numpys_sum_of_an_array_of_normals():
    values = cp.random.randn(1, 2, 3, 4).astype(cp.float32)
    assert type(np.sum(values)) is cp.ndarray


def test_a_seed_may_be_an_array():
    state = cp.random.RandomState(seed=np.array([1, 2, 3, 4, 5]))
    other = cp.random.RandomState(seed=np.array([1, 2, 3, 4, 5]))
    assert (state.rand(4) == other.rand(4)).all()


def test_a_size_may_be_an_unsigned_numpy_integer():
    size = cp.uint32(2**12)
    x = cp.random.normal(size=(size,), dtype=cp.float32)
    assert x.shape == (4096,) and x.dtype == np.float32


def test_a_generator_of_a_seed():
    rng = cp.random.default_rng(seed=123)
    u = rng.random(5, dtype=cp.float32)
    n = rng.normal(0, 1, 5, dtype=cp.float32)
    assert u.dtype == n.dtype == np.float32 and u.shape == n.shape == (5,)
    print("Uniform:", u)


def test_column_means():
    x = cp.random.random((512, 256), dtype=cp.float32)
    means = x.mean(axis=0)
    assert means.shape == (256,) and means.dtype == np.float32
    assert float(means.min()) > 0.4 and float(means.max()) < 0.6


def test_a_kernel_on_random_vectors():
    n = 10_000
    x = cp.random.random(n, dtype=cp.float32)
    y = cp.random.random(n, dtype=cp.float32)
    out = cp.empty_like(x)
    kernel = cp.RawKernel(
        'extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out,'
        " int n) { int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) out[i] = a * x[i] + y[i]; }",
        "saxpy",
    )
    kernel(((n + 255) // 256,), (256,), (cp.float32(2.0), x, y, out, cp.int32(n)))
    assert cp.allclose(out, 2 * x + y)


def test_pi_by_throwing_darts():
    rng = cp.random.default_rng(1)
    x, y = rng.random((2, 200_000), dtype=cp.float32)
    assert abs(4 * float((x * x + y * y <= 1).mean()) - np.pi) < 0.015
