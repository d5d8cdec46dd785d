"""Placeholders, raw arguments, indices and options of elementwise kernels."""

import cupy as cp
import numpy as np

squared = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")
x = cp.arange(10, dtype=np.float32).reshape(2, 5)
y = cp.arange(5, dtype=np.float32)
cp.testing.assert_array_equal(squared(x, y), (x - y) ** 2)
cp.testing.assert_array_equal(squared(x, 5), (x - 5) ** 2)
out = cp.empty((2, 5), dtype=np.float32)
assert squared(x, y, out) is out
mixed = cp.ElementwiseKernel("X x, Y y", "Z z", "z = x * y", "mixed")
z = cp.empty(5, dtype=np.float64)
mixed(cp.arange(5), y, z)
backwards = cp.ElementwiseKernel("raw T x", "T y", "y = x[_ind.size() - i - 1]", "backwards")
assert backwards(y, size=5).tolist() == [4, 3, 2, 1, 0]
clamp = cp.ElementwiseKernel("T x", "T y", "y = min(max(x, T(LOW)), T(3))", options=("-DLOW=1",))
assert clamp(y).tolist() == [1, 1, 2, 3, 3]
