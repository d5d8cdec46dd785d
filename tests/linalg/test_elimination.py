"""LU factors of stacks by our own kernels, against SciPy's one by one."""

import numpy as np
import pytest
import scipy.linalg

import gpunp as cp
from gpunp import _C

DTYPES = ["f4", "f8", "c8", "c16"]
SHAPES = [(2, 33, 33), (3, 64, 64), (2, 70, 70), (2, 7, 7), (2, 40, 90), (2, 90, 40), (5, 1, 1)]


def values(shape, dtype, rng):
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return a.astype(dtype)


def panels(a):
    """Factors, pivots and info of matrices as gpunp's kernels have them."""
    work = cp.asarray(np.swapaxes(a, -1, -2).copy())
    pivots, info = _C.lapack_getrf(work, "panels")
    return np.swapaxes(work.get(), -1, -2), pivots.get(), info.get()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_panels_are_lapacks_factors(dtype, shape, rng):
    a = values(shape, dtype, rng)
    lu, pivots, info = panels(a)
    assert not info.any()
    assert pivots.dtype == np.int32
    for i, x in enumerate(a):
        expected, order = scipy.linalg.lu_factor(x)
        assert np.array_equal(pivots[i] - 1, order)
        eps = np.finfo(dtype).eps
        assert np.allclose(lu[i], expected, rtol=2000 * eps, atol=2000 * eps)


def test_panels_of_few_values_choose_the_first_of_equals(rng):
    a = rng.integers(-1, 2, (3, 50, 50)).astype("f8")
    lu, pivots, info = panels(a)
    for i, x in enumerate(a):
        lower, upper = np.tril(lu[i], -1) + np.eye(50), np.triu(lu[i])
        rows = np.arange(50)
        for k, p in enumerate(pivots[i] - 1):
            rows[[k, p]] = rows[[p, k]]
        assert np.allclose(lower @ upper, x[rows])
        assert np.abs(lower).max() <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_panels_tell_where_a_matrix_is_singular(dtype, rng):
    a = values((4, 40, 40), dtype, rng)
    a[1, :, 3] = 0
    a[2, :, 37] = 0
    a[2, :, 39] = 0
    assert panels(a)[2].tolist() == [0, 4, 38, 0]
    assert panels(np.zeros_like(a))[2].tolist() == [1] * 4


def test_panels_keep_nan_and_infinity_to_their_matrix(rng):
    a = values((3, 40, 40), "f8", rng)
    a[1, 5, 7] = np.nan
    lu, _, info = panels(a)
    assert np.isnan(lu[1]).any() and not np.isnan(lu[[0, 2]]).any() and not info.any()


@pytest.mark.parametrize("method", ["getrf", "getrfBatched", "panels"])
def test_every_method_gives_the_same(method, rng):
    a = values((2, 50, 50), "f8", rng)
    work = cp.asarray(a)
    pivots, info = _C.lapack_getrf(work, method)
    lu, expected, _ = panels(np.swapaxes(a, -1, -2))
    assert np.allclose(np.swapaxes(work.get(), -1, -2), lu)
    assert np.array_equal(pivots.get(), expected) and not info.get().any()
