"""Transposed products keep copies of values, and compare them."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import _sparsetools as tools


@pytest.mark.parametrize("dtype", ["i1", "f", "d", "D"])
def test_transposed_products_see_values_that_change_in_place(dtype, monkeypatch, rng):
    monkeypatch.setattr(tools, "ORDERED", (0, 1 << 30))
    theirs = scipy.sparse.random_array((70, 50), density=0.2, format="csr", rng=rng)
    theirs = (theirs * 9).astype(dtype)
    ours, x = sparse.csr_array(theirs), (rng.random(70) * 9).astype(dtype)
    expected = theirs.T @ x
    found = [(ours.T @ cp.asarray(x)).get() for _ in range(4)]
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    for other in found[1:]:
        assert other.tobytes() == found[0].tobytes()
    ours.data[5] = theirs.data[5] = 1 - theirs.data[5]
    np.testing.assert_allclose((ours.T @ cp.asarray(x)).get(), theirs.T @ x, rtol=1e-5)
    ours.data = ours.data * 1
    for _ in range(3):
        np.testing.assert_allclose((ours.T @ cp.asarray(x)).get(), theirs.T @ x, rtol=1e-5)


@pytest.mark.parametrize("longest", [0, 3000])
def test_transposed_products_of_many_rows_see_values_that_change(longest, monkeypatch, rng):
    """More blocks than run at once; with a long row the path is taken."""
    monkeypatch.setattr(tools, "ORDERED", (0, 1 << 30))
    rows, columns = rng.integers(0, 9000, (2, 40_000))
    columns[:longest] = 7
    values = rng.integers(1, 9, 40_000).astype("f")
    theirs = scipy.sparse.coo_array((values, (rows, columns)), shape=(9000, 9000)).tocsr()
    ours, x = sparse.csr_array(theirs), rng.integers(0, 9, 9000).astype("f")
    for k in (-1, 0, 20_000, -1, 1):
        for _ in range(2):
            np.testing.assert_array_equal((ours.T @ cp.asarray(x)).get(), theirs.T @ x)
        ours.data[k] += 1
        theirs.data[k] += 1
