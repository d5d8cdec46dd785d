"""A checkerboard of spins, systems solved by one thread each, and a list of pointers."""

import cupy as cp
import numpy as np

module = cp.RawModule(
    code=r"""
extern "C" {

__constant__ double inverse_temperature[1];
__device__ int flips;

__global__ void sweep(signed char *s, const float *draw, int n, int colour)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n / 2) {
        return;
    }
    int y = i / (n / 2), x = 2 * (i % (n / 2)) + ((y + colour) & 1), at = y * n + x;
    int sum = s[(y + 1) % n * n + x] + s[(y + n - 1) % n * n + x]
            + s[y * n + (x + 1) % n] + s[y * n + (x + n - 1) % n];
    float change = 2.0f * s[at] * sum;
    if (change <= 0 || draw[i] < expf(-(float)inverse_temperature[0] * change)) {
        s[at] = -s[at];
        atomicAdd(&flips, 1);
    }
}

__global__ void thomas(const double *a, const double *b, const double *c, double *d, double *w,
                       int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) {
        return;
    }
    d += j * n;
    w += j * n;
    w[0] = c[0] / b[0];
    d[0] /= b[0];
    for (int i = 1; i < n; i++) {
        double q = 1 / (b[i] - a[i] * w[i - 1]);
        w[i] = c[i] * q;
        d[i] = (d[i] - a[i] * d[i - 1]) * q;
    }
    for (int i = n - 2; i >= 0; i--) {
        d[i] -= w[i] * d[i + 1];
    }
}

__global__ void add_all(float **rows, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += rows[i][threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

}"""
)

n = 32
cp.ndarray((1,), "f8", module.get_global("inverse_temperature"))[...] = 1.0
spins = cp.where(cp.random.rand(n, n) < 0.5, -1, 1).astype(cp.int8)
sweep = module.get_function("sweep")
for _ in range(4):
    for colour in (0, 1):
        draw = cp.random.rand(n * n // 2, dtype=cp.float32)
        sweep((4,), (128,), (spins, draw, n, colour))
energy = -(spins * (cp.roll(spins, 1, 0) + cp.roll(spins, 1, 1))).sum(dtype=cp.int64)
assert set(cp.unique(spins).get()) <= {-1, 1} and energy < 0
assert 0 < int(cp.ndarray((), "i4", module.get_global("flips"))) <= 8 * n * n

size, many = 20, 7
below, diagonal, above = -cp.ones(size), 4 * cp.ones(size), -cp.ones(size)
right = cp.random.rand(many, size)
matrix = 4 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
desired = np.linalg.solve(matrix, right.get().T).T
work = cp.empty_like(right)
module.get_function("thomas")((1,), (32,), (below, diagonal, above, right, work, size, many))
cp.testing.assert_allclose(right, desired)

rows = [cp.full(8, i, dtype="f4") for i in range(4)]
pointers = cp.array([row.data.ptr for row in rows], dtype=cp.uint64)
total = cp.empty(8, "f4")
module.get_function("add_all")((1,), (8,), (pointers, total, 4))
assert (total == 6).all()
