"""Classification by nearest neighbours: by sorting, by a tree, and by a kernel of shuffles."""

import cupy as cp
import numpy as np
from cupyx.scipy.spatial import KDTree
from cupyx.scipy.spatial.distance import cdist

nearest = cp.RawKernel(
    r"""
extern "C" __global__
void nearest(const float* points, const float* asked, int n, int d, int* index, float* distance) {
    extern __shared__ float query[];
    for (int k = threadIdx.x; k < d; k += blockDim.x) query[k] = asked[blockIdx.x * d + k];
    __syncthreads();
    float best = 3.4e38f;
    int at = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float sum = 0;
        for (int k = 0; k < d; ++k) {
            const float step = points[i * d + k] - query[k];
            sum += step * step;
        }
        if (sum < best) { best = sum; at = i; }
    }
    for (int shift = 16; shift > 0; shift /= 2) {
        const float other = __shfl_down_sync(0xffffffff, best, shift);
        const int its = __shfl_down_sync(0xffffffff, at, shift);
        if (other < best || (other == best && its < at)) { best = other; at = its; }
    }
    if (threadIdx.x == 0) { index[blockIdx.x] = at; distance[blockIdx.x] = sqrtf(best); }
}
""",
    "nearest",
)

rng = np.random.RandomState(0)
points, asked = rng.rand(200, 5).astype("f4"), rng.rand(24, 5).astype("f4")
kinds = rng.randint(0, 3, 200)
squares = ((points[None] - asked[:, None]) ** 2).sum(-1)
want = np.argsort(squares, axis=1)[:, :5]

p, q = cp.asarray(points), cp.asarray(asked)
distances = cp.sum((p[None] - q[:, None]) ** 2, axis=-1)
few = cp.argpartition(distances, 5, axis=1)[:, :5]
order = cp.argsort(cp.take_along_axis(distances, few, axis=1), axis=1)
found = cp.take_along_axis(few, order, axis=1)
assert (found.get() == want).all()

index, distance = cp.empty(24, cp.int32), cp.empty(24, cp.float32)
nearest((24,), (32,), (p, q, 200, 5, index, distance), shared_mem=5 * 4)
assert (index == found[:, 0]).all()
cp.testing.assert_allclose(distance, np.sqrt(squares.min(axis=1)), rtol=1e-5)

lengths, places = KDTree(p.astype("f8")).query(q.astype("f8"), k=5)
assert (places.get() == want).all()
cp.testing.assert_allclose(cdist(q.astype("f8"), p.astype("f8")).min(axis=1), lengths[:, 0])

votes = (cp.asarray(kinds)[found][:, :, None] == cp.arange(3)).sum(axis=1)
counted = np.array([np.bincount(row, minlength=3) for row in kinds[want]])
assert (votes.get() == counted).all()
assert (votes.argmax(axis=1).get() == counted.argmax(axis=1)).all()
