"""Ranks of pages of a random graph; sparse matrices of several formats."""

import cupy as cp
import cupyx.scipy.sparse as cs
import numpy as np
import scipy.sparse as ss
from cupyx.scipy.sparse import linalg as csl

rng = np.random.default_rng(3)
n, m = 200, 1500
src, dst = rng.integers(0, n, m), rng.integers(0, n, m)
adj = cs.coo_matrix((cp.ones(m), (cp.asarray(dst), cp.asarray(src))), shape=(n, n))
adj.sum_duplicates()
adj = adj.tocsr()
out = cp.asarray(adj.sum(axis=0)).ravel()
scale = cp.where(out > 0, 1 / cp.maximum(out, 1), 0)
P = adj @ cs.diags(scale)
r = cp.full(n, 1 / n)
for _ in range(100):
    dangling = r[out == 0].sum()
    new = 0.85 * (P @ r + dangling / n) + 0.15 / n
    err = cp.abs(new - r).sum()
    r = new
    if err < 1e-12:
        break
dense = np.zeros((n, n))
np.add.at(dense, (dst, src), 1)
o = dense.sum(0)
pd = dense * np.where(o > 0, 1 / np.maximum(o, 1), 0)
pd[:, o == 0] = 1 / n
w = np.full(n, 1 / n)
for _ in range(200):
    w = 0.85 * pd @ w + 0.15 / n
cp.testing.assert_allclose(r, w, atol=1e-10)
assert abs(adj - adj.T).nnz > 0 and adj.has_canonical_format
sym = (adj + adj.T).astype(cp.float64)
vals = csl.eigsh(sym, k=3, return_eigenvectors=False)
want = np.sort(np.linalg.eigvalsh(dense + dense.T))
big = want[np.argsort(abs(want))[-3:]]
cp.testing.assert_allclose(cp.sort(vals), np.sort(big), rtol=1e-6)
csr = cs.random(40, 30, density=0.2, format="csr", random_state=5)
csc = csr.tocsc()
assert (csr != csc).nnz == 0
cp.testing.assert_allclose(csr.multiply(2).toarray(), 2 * csr.todense())
cp.testing.assert_allclose(
    (csr.power(2)).sum(axis=1), (csr.toarray() ** 2).sum(axis=1, keepdims=True)
)
cp.testing.assert_array_equal(csr[3:10, ::2].toarray(), csr.toarray()[3:10, ::2])
cp.testing.assert_allclose(csr.dot(csc.T).toarray(), csr.toarray() @ csc.toarray().T)
assert cs.issparse(csr) and cs.isspmatrix_csr(csr) and cs.isspmatrix_csc(csc)
host = csr.get()
assert isinstance(host, ss.csr_matrix)
back = cs.csr_matrix(host)
assert (back != csr).nnz == 0
v = cs.vstack([csr, back])
h = cs.hstack([csr, csr])
k = cs.kron(cs.eye(2), csr)
b = cs.bmat([[csr, None], [None, csr]])
assert v.shape == (80, 30) and h.shape == (40, 60) and k.shape == b.shape == (80, 60)
assert cs.find(csr)[2].size == csr.nnz
