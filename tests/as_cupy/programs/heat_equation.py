"""The heat equation by slices, with a stencil in a raw module beside it."""

import cupy as cp

n, steps = 32, 20
u = cp.zeros((n, n))
u[n // 2, n // 2] = 1000
v = u.copy()
for _ in range(steps):
    u[1:-1, 1:-1] += 0.2 * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )
module = cp.RawModule(
    code=r"""
extern "C" __global__ void step(const double* in, double* out, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    double c = in[i * n + j];
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        c += 0.2 * (in[(i + 1) * n + j] + in[(i - 1) * n + j] + in[i * n + j + 1] + in[i * n + j - 1] - 4 * c);
    out[i * n + j] = c;
}
"""
)
step, w = module.get_function("step"), cp.empty_like(v)
for _ in range(steps):
    step((2, 2), (16, 16), (v, w, cp.int32(n)))
    v, w = w, v
cp.testing.assert_allclose(u, v)
