"""Decompositions and errors of linear algebra."""

import cupy as cp
import cupyx
from cupyx import cusolver
from cupyx.scipy import linalg

x = cp.random.random((24, 24))
x *= 2
u, s, v = cp.linalg.svd(x)
cp.testing.assert_allclose((u * s) @ v, x, atol=1e-10)
u, s, v = cusolver.gesvdj(x)
cp.testing.assert_allclose((u * s) @ v.T, x, atol=1e-10)
symmetric = x @ x.T + cp.eye(24)
w, vectors = cp.linalg.eigh(symmetric)
cp.testing.assert_allclose(symmetric @ vectors, vectors * w, atol=1e-9)
lu = linalg.lu_factor(x)
b = cp.ones(24)
cp.testing.assert_allclose(x @ linalg.lu_solve(lu, b), b, atol=1e-8)
q, r = cp.linalg.qr(x)
assert float(abs(cp.tril(r, -1)).max()) == 0
with cupyx.errstate(linalg="raise"):
    try:
        cp.linalg.inv(cp.zeros((2, 2)))
    except cp.linalg.LinAlgError:
        pass
