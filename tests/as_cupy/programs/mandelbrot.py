"""The Mandelbrot set with masks and complex numbers."""

import cupy as cp

x = cp.linspace(-2, 1, 24, dtype=cp.float64)
y = cp.linspace(-1, 1, 16, dtype=cp.float64)
X, Y = cp.meshgrid(x, y, indexing="ij")
C = X + 1j * Y
Z = cp.zeros_like(C, dtype=cp.complex128)
steps = cp.zeros(C.shape, dtype=cp.float64)
mask = cp.ones(C.shape, dtype=bool)
for n in range(30):
    Z[mask] = Z[mask] * Z[mask] + C[mask]
    escaped = (cp.abs(Z) > 2.0) & mask
    if escaped.any():
        steps[escaped] = n + 1 - cp.log(cp.log(cp.abs(Z[escaped]))) / cp.log(2.0)
        mask[escaped] = False
    if not mask.any():
        break
assert 0 < int(mask.sum()) < mask.size
assert bool((steps[mask] == 0).all())
