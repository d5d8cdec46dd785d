"""Fits of many lines at once, and BLAS by name."""

import cupy as cp
from cupy import cublas
from cupyx import lapack

rng = cp.random.default_rng(0)
t = cp.linspace(0, 1, 20)
design = cp.stack([cp.ones_like(t), t], axis=1)
truth = rng.standard_normal((5, 2))
data = truth @ design.T
normal = cublas.gemm("T", "N", design, design)
right = cublas.gemm("N", "N", data, design)
fits = lapack.posv(normal, right.T).T
cp.testing.assert_allclose(fits, truth, rtol=1e-9, atol=1e-9)
residual = data - fits @ design.T
assert float(cublas.nrm2(residual.ravel())) < 1e-9
