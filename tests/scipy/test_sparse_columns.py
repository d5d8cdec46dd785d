"""Products of a sparse matrix with dense ones of all widths: the bits do not depend on the width."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse


def random_rows(rows, columns, dtype, rng):
    """A matrix with rows of many lengths: empty ones, and one of all columns."""
    lengths = rng.integers(0, 40, rows)
    lengths[[0, rows - 1]] = 0
    lengths[3] = columns
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype("i")
    indices = np.concatenate([np.sort(rng.permutation(columns)[:n]) for n in lengths]).astype("i")
    data = rng.integers(-9, 9, indices.size) / (8 if np.dtype(dtype).kind in "fc" else 1)
    return data.astype(dtype), indices, indptr


@pytest.mark.parametrize(
    ("kind", "dtype"), [("csr", d) for d in "fdFDib?"] + [("csc", "f"), ("csc", "d")]
)
def test_all_widths_give_the_bits_of_one(kind, dtype, rng):
    parts = random_rows(61, 300, dtype, rng)
    host = scipy.sparse.csr_array(parts, shape=(61, 300)).asformat(kind)
    a = sparse.csr_array(host) if kind == "csr" else sparse.csc_array(host)
    x = rng.standard_normal((300, 260)) * 8
    x = (x + 1j * x[::-1]).astype(dtype) if np.dtype(dtype).kind == "c" else x.astype(dtype)
    expected = host.toarray() @ x
    narrow = (a @ cp.asarray(x[:, :3])).get()
    for width in (16, 24, 32, 33, 128, 260):
        found = (a @ cp.asarray(x[:, :width])).get()
        np.testing.assert_array_equal(found[:, :3], narrow)
        np.testing.assert_allclose(found, expected[:, :width], rtol=1e-4, atol=1e-3)


def test_indices_out_of_bounds_are_left_out_of_columns_read_together(rng):
    data, indices, indptr = random_rows(61, 300, "f", rng)
    wrong = rng.random(indices.size) < 0.2
    x = rng.standard_normal((300, 32)).astype("f")
    x[0] = np.inf  # what is left out is not multiplied by anything
    indices = np.where(indices == 0, 1, indices)
    broken = np.where(wrong, np.where(indices % 2, -5, 1 << 20), indices).astype("i")
    parts = [cp.asarray(p) for p in (data, broken, indptr)]
    found = (sparse.csr_array(tuple(parts), shape=(61, 300)) @ cp.asarray(x)).get()
    kept = np.where(wrong, 0, data)
    expected = np.zeros((61, 32))
    rows = np.repeat(np.arange(61), np.diff(indptr))
    np.add.at(expected, rows, kept[:, None].astype("d") * np.where(wrong[:, None], 0, x[indices]))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
