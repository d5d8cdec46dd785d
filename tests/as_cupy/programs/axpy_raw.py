"""SAXPY as a raw kernel, timed with events."""

import cupy as cp

saxpy = cp.RawKernel(
    r"""
extern "C" __global__
void saxpy(const float a, const float* x, const float* y, float* out, const int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
""",
    "saxpy",
)
n = 1000
x = cp.random.random(n, dtype=cp.float32)
y = cp.random.random(n, dtype=cp.float32)
out = cp.empty_like(x)
start, stop = cp.cuda.Event(), cp.cuda.Event()
start.record()
saxpy(((n + 255) // 256,), (256,), (cp.float32(2.0), x, y, out, n))
stop.record()
stop.synchronize()
assert cp.cuda.get_elapsed_time(start, stop) >= 0
assert cp.allclose(out, 2 * x + y)
