"""Products of two sparse matrices, whose elements are counted first, or not."""

import numpy as np
import pytest
import scipy.sparse
from check import assert_same

from gpunp.scipy import sparse
from gpunp.scipy.sparse import _products


@pytest.mark.parametrize("dtype", ["f", "D"])
@pytest.mark.parametrize(
    ("m", "k", "n", "density"),
    [(300, 200, 500, 0.02), (100, 100, 90, 0.3), (50, 1000, 7, 0.1), (2000, 2000, 2000, 0.002)],
)
def test_counting_first_gives_the_same_bits(m, k, n, density, dtype, rng, monkeypatch):
    a, b = (
        scipy.sparse.random_array(shape, density=density, rng=rng, format="csr").astype(dtype)
        for shape in ((m, k), (k, n))
    )
    ours = []
    for most in (_products.MOST_BYTES, 0):
        monkeypatch.setattr(_products, "MOST_BYTES", most)
        c = sparse.csr_array(a) @ sparse.csr_array(b)
        ours.append([part.get() for part in (c.indptr, c.indices, c.data)])
    for once, counted in zip(*ours, strict=True):
        assert_same(once, counted)
    exact = a @ b
    exact.sort_indices()
    assert (ours[0][0] == exact.indptr).all() and (ours[0][1] == exact.indices).all()
    np.testing.assert_allclose(ours[0][2], exact.data, rtol=1e-5)
