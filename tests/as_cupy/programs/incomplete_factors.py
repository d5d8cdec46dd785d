"""A system of a grid, solved with incomplete factors as the preconditioner."""

import cupy
from cupyx import cusparse
from cupyx.scipy import sparse
from cupyx.scipy.sparse.linalg import LinearOperator, gmres

n = 20
line = sparse.diags([-cupy.ones(n - 1), 2.5 * cupy.ones(n), -cupy.ones(n - 1)], [-1, 0, 1])
a = (sparse.kron(line, sparse.eye(n)) + sparse.kron(sparse.eye(n), line)).tocsr()
b = cupy.random.RandomState(1).rand(n * n)

factors = a.copy()
cusparse.csrilu02(factors)
lower, upper = sparse.tril(factors, -1).tocsr(), sparse.triu(factors).tocsr()


def precondition(v):
    y = cusparse.spsm(lower, v, lower=True, unit_diag=True)
    return cusparse.spsm(upper, y, lower=False)


x, info = gmres(a, b, M=LinearOperator(a.shape, matvec=precondition, dtype=a.dtype), restart=30)
assert info == 0
residual = cusparse.spmv(a, x) - b
assert float(cupy.linalg.norm(residual)) < 1e-3 * float(cupy.linalg.norm(b))
assert factors.nnz == a.nnz
