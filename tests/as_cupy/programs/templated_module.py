"""Templates, constants and attributes of a raw module."""

import cupy as cp
import numpy as np

module = cp.RawModule(
    code=r"""
__constant__ float factor[2];
template <typename T> __global__ void scale(T* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor[i % 2];
}
""",
    options=("-std=c++14",),
    name_expressions=("scale<float>", "scale<double>"),
)
pointer = module.get_global("factor")
factor = cp.ndarray((2,), cp.float32, pointer)
factor[...] = cp.array([2, 3], dtype=cp.float32)
for dtype, name in ((np.float32, "scale<float>"), (np.float64, "scale<double>")):
    x = cp.ones(5, dtype=dtype)
    kernel = module.get_function(name)
    kernel((1,), (32,), (x, np.int32(5)))
    assert x.tolist() == [2, 3, 2, 3, 2]
    assert kernel.num_regs > 0 and kernel.max_threads_per_block >= 32
try:
    cp.RawKernel("nonsense", "f").compile()
except cp.cuda.compiler.CompileException as error:
    assert "nonsense" in error.get_message()
