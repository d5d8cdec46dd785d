"""ReductionKernel: norms along axes, and a pair as the state."""

import cupy as cp
import numpy as np

l2norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
x = cp.arange(10, dtype=np.float32).reshape(2, 5)
cp.testing.assert_allclose(l2norm(x, axis=1), np.linalg.norm(x.get(), axis=1), rtol=1e-6)
assert l2norm(x).shape == () and l2norm(x, axis=0, keepdims=True).shape == (1, 5)
largest = cp.ReductionKernel(
    in_params="T x",
    out_params="int64 y",
    map_expr="pair(x, _j)",
    reduce_expr="better(a, b)",
    post_map_expr="y = a.index",
    identity="pair()",
    name="largest",
    reduce_type="pair",
    preamble="""
    struct pair {
        double value; long long index;
        __device__ pair() : value(-1e300), index(-1) {}
        __device__ pair(double v, long long i) : value(v), index(i) {}
    };
    __device__ pair better(pair a, pair b) { return b.value > a.value ? b : a; }
    """,
)
y = cp.array([3.0, 9.0, 1.0])
assert int(largest(y)) == 1
