"""The first steps of a tutorial: copies, devices, agnostic code, differences from NumPy."""

import cupy as cp
import numpy as np

assert float(cp.linalg.norm(cp.array([1, 2, 3]))) == float(np.linalg.norm(np.array([1, 2, 3])))
x_cpu, y_cpu = np.array([1, 2, 3]), np.array([4, 5, 6])
x_gpu = cp.asarray(x_cpu)
try:
    x_gpu + y_cpu
    raise AssertionError("it should fail")
except TypeError as error:
    assert "unsupported type" in str(error).lower()
assert (cp.asnumpy(x_gpu) + y_cpu).tolist() == [5, 7, 9]
assert (x_gpu + cp.asarray(y_cpu)).tolist() == [5, 7, 9]
assert repr(x_gpu.device) == "<CUDA Device 0>"
A = cp.random.uniform(low=-1.0, high=1.0, size=(16, 16)).astype(cp.float32)
u, s, v = cp.linalg.svd(A)
assert type(cp.asnumpy(u)) is np.ndarray
assert cp.matmul(A, A).dtype == cp.float32
assert cp.array([-1], dtype=np.float32).astype(np.uint32).dtype == np.uint32
assert cp.random.randn(dtype=np.float32).shape == ()
x = cp.array([0, 1, 2])
assert x[[1, 3]].tolist() == [1, 0]
x[[1, 3]] = 10
assert x.tolist() == [10, 10, 2]
assert type(cp.sum(cp.arange(3))) is cp.ndarray
product = cp.array(3, dtype=np.int32) * cp.array([1.0, 2.0], dtype=np.float32)
assert product.dtype == np.float64
nans = cp.asarray([0.5 + 3.7j, complex(0.7, np.nan), complex(np.nan, -3.9)])
assert np.isnan(complex(nans.max())) and np.isnan(complex(nans.min()))
rs = cp.random.RandomState(seed=np.array([1, 2, 3, 4, 5]))
assert rs.rand(2).shape == (2,)
