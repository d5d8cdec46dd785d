"""A Poisson problem with a sparse matrix and conjugate gradients."""

import cupy
import cupyx.scipy.sparse as sparse
from cupyx.scipy.sparse.linalg import LinearOperator, cg, spsolve

n = 64
main = cupy.full(n, 2.0)
side = cupy.full(n - 1, -1.0)
matrix = sparse.diags([side, main, side], [-1, 0, 1], format="csr")
b = cupy.ones(n)
x, info = cg(matrix, b, maxiter=2000)
assert info == 0
assert float(cupy.linalg.norm(matrix @ x - b)) < 1e-3
jacobi = LinearOperator(matrix.shape, matvec=lambda v: v / 2)
x2, info = cg(matrix, b, M=jacobi, maxiter=2000)
cupy.testing.assert_allclose(x2, spsolve(matrix, b), rtol=1e-2, atol=1)
assert sparse.isspmatrix_csr(matrix) and matrix.nnz == 3 * n - 2
assert isinstance(matrix.get().indices, __import__("numpy").ndarray)
