"""The overview lesson: cupyx.scipy's parts, random numbers, overlapping streams."""

import cupy as cp
from cupyx.scipy import fftpack, linalg, sparse

A = cp.random.random((32, 32), dtype=cp.float32) + 32 * cp.eye(32, dtype=cp.float32)
b = cp.random.random(32, dtype=cp.float32)
x = linalg.solve(A, b)
assert float(cp.linalg.norm(A @ x - b) / cp.linalg.norm(b)) < 1e-4
rows, cols = cp.array([0, 0, 1, 2, 2, 2]), cp.array([0, 2, 2, 0, 1, 2])
values = cp.array([1, 2, 3, 4, 5, 6], dtype=cp.float32)
S = sparse.coo_matrix((values, (rows, cols)), shape=(3, 3)).tocsr()
assert S.dot(cp.array([1, 2, 3], dtype=cp.float32)).tolist() == [7, 9, 32]
z = cp.random.random(64).astype(cp.complex64)
assert float(cp.max(cp.abs(z - fftpack.ifft(fftpack.fft(z))))) < 1e-5
rng = cp.random.default_rng(seed=123)
assert rng.random(5, dtype=cp.float32).dtype == cp.float32
assert rng.normal(0, 1, 5).shape == (5,)
s1, s2 = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
a, b = cp.empty(1000, dtype=cp.float32), cp.empty(1000, dtype=cp.float32)
with s1:
    a.fill(1.0)
with s2:
    b.fill(2.0)
s1.synchronize()
s2.synchronize()
assert float(a[0]) + float(b[0]) == 3
