"""Ufuncs, broadcasting, indexing and views."""

import cupy as cp
import numpy as np

a = cp.arange(10000, dtype=cp.float32)
b = cp.sin(a) + cp.cos(a)
np.testing.assert_allclose(b[:5].get(), np.sin(np.arange(5)) + np.cos(np.arange(5)), rtol=1e-5)
x = cp.random.random((16, 24), dtype=cp.float32)
means = (x * cp.linspace(0, 1, 24, dtype=cp.float32)).mean(axis=0)
assert means.shape == (24,) and means.dtype == cp.float32
y = x.reshape(4, 4, 24).transpose(2, 0, 1)
assert y.base is not None and y.shape == (24, 4, 4)
y[0] = 0
assert float(x[:, 0].sum()) == 0
x[x > 0.5] = 1
assert float(x.max()) == 1
z = cp.zeros((3, 3))
z[cp.arange(3), cp.arange(3)] = cp.array([1, 2, 3])
assert z.diagonal().tolist() == [1, 2, 3]
assert cp.add.reduce(z, axis=0).tolist() == [1, 2, 3]
assert cp.einsum("ij,jk->ik", z, z).trace().item() == 14
q, r = cp.divmod(cp.arange(7), 3)
assert q.tolist() == [0, 0, 0, 1, 1, 1, 2] and r.tolist() == [0, 1, 2, 0, 1, 2, 0]
assert int(cp.sum(cp.arange(3))) == 3 and type(cp.sum(cp.arange(3))) is cp.ndarray
