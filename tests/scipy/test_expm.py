"""Exponentials of matrices far from normal, against mpmath's with 120 digits."""

import mpmath
import numpy as np
import pytest
import scipy.linalg

import gpunp as cp
from gpunp.scipy.linalg import _expm, expm


def exact(a):
    with mpmath.workdps(120):
        found = mpmath.expm(mpmath.matrix(a.tolist()), method="taylor").tolist()
    return np.array(found, np.complex128).reshape(a.shape)


def triangular(size, kind, diagonal=1.0, rng=None):
    """Upper triangular numbers times `size`, those of the diagonal times `diagonal`."""
    values = rng.normal(size=(7, 7)).astype(kind)
    if values.dtype.kind == "c":
        values += 1j * rng.normal(size=(7, 7))
    return (np.triu(values, 1) * size + np.diag(np.diag(values)) * diagonal).astype(kind)


def assert_accurate(ours, a, bound):
    """Each element is compared relative to itself: where the exact one is zero, so is ours."""
    desired = exact(a)
    assert ours.dtype == a.dtype
    np.testing.assert_allclose(ours.get(), desired, rtol=bound * np.finfo(a.dtype).eps, atol=0)


# The first is of experiment 1 of A. H. Al-Mohy and N. J. Higham, "Improved inverse scaling and
# squaring algorithms for the matrix logarithm", SIAM J. Sci. Comput. 34 (2012).
LARGE = [
    np.diag([3.2346e-1, 3.0089e-1, 3.2210e-1, 3.0744e-1]) + np.triu(np.full((4, 4), 3e4), 1),
    np.array([[1, 1e8], [0, -1]]),
    np.array([[1, 1e50], [0, -1]]),
    np.array([[0, 1.0], [0, -2000]]),
    np.array([[-300.0]]),
    np.triu(np.full((10, 10), 1e3), 1),
    np.diag(np.arange(0, -800.0, -100)) + np.triu(np.full((8, 8), 50.0)),
    np.diag([0.0, 700.0, -700.0]),
]


@pytest.mark.parametrize("a", LARGE, ids=range(len(LARGE)))
def test_far_from_normal(a):
    assert_accurate(expm(cp.asarray(a)), a, 64)
    assert_accurate(expm(cp.asarray(a).T), a.T, 64)


@pytest.mark.parametrize("diagonal", [1.0, 30.0])
@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16"])
def test_triangles(kind, diagonal, rng):
    a = triangular(1e3 if kind in "f4 c8" else 1e6, kind, diagonal, rng)
    ours = expm(cp.asarray(a))
    desired = exact(a)
    error = np.abs(ours.get() - desired).max() / np.abs(desired).max()
    assert ours.dtype == a.dtype and error < 40 * np.finfo(kind).eps
    assert not np.tril(ours.get(), -1).any()


def test_of_no_triangle():
    a = np.array([[1, 1e4], [-1e-6, -1]])
    assert_accurate(expm(cp.asarray(a)), a, 64)


def test_stacks_of_all_kinds(rng):
    full = rng.normal(size=(4, 4))
    spoiled = LARGE[0].copy()
    spoiled[0, 1] = np.nan
    a = np.stack([LARGE[0], full, LARGE[0].T, 40 * full, np.diag([1.0, 2, 3, 4]), spoiled])
    ours = expm(cp.asarray(a.reshape(2, 3, 4, 4))).reshape(a.shape)
    for x, y in zip(ours[:-1], a[:-1], strict=True):
        desired = exact(y).real
        assert np.linalg.norm(x.get() - desired, 1) < 1e-13 * np.linalg.norm(desired, 1)
    assert_accurate(ours[0], a[0], 64)
    assert_accurate(ours[2], a[2], 64)
    assert cp.isnan(ours[-1]).any()


def test_blocks_of_many_rows():
    a = np.kron(np.eye(75), LARGE[0])
    ours = expm(cp.asarray(a)).get()
    desired = np.kron(np.eye(75), exact(LARGE[0]).real)
    np.testing.assert_allclose(ours, desired, rtol=1e-14, atol=0)


def test_powers_that_cancel():
    """Squares of the matrix are zero, those of its absolute values are not."""
    a = 1e3 * np.array([[1, 1.0], [-1, -1]])
    np.testing.assert_allclose(expm(cp.asarray(a)).get(), np.eye(2) + a, rtol=1e-9)


def test_columns_beyond_the_sixth_power():
    a = np.array([[1e100, 1e100], [0, 0]])
    assert expm(cp.asarray(-a)).get().tolist() == [[0, -1], [0, 1]]
    single = np.minimum(a, 1e20).astype("f4")
    assert expm(cp.asarray(-single)).get().tolist() == [[0, -1], [0, 1]]


@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.05, 0.3, 1.0, 10.0])
def test_products_instead_of_a_factorization(size, kind, rng, monkeypatch):
    """As for many rows: approximants of each order, and scaled ones."""
    monkeypatch.setattr(_expm, "_MANY", 2)
    a = rng.normal(size=(2, 9, 9))
    a[1] = -a[1] @ a[1].T / 3
    a = (a * (1 + 0.5j) if kind in "c8 c16" else a).astype(kind) * np.finfo(kind).dtype.type(size)
    ours = expm(cp.asarray(a))
    assert ours.dtype == a.dtype
    for x, y in zip(ours.get(), a, strict=True):
        desired = exact(y)
        desired = desired if kind in "c8 c16" else desired.real
        bound = (16 + 4 * np.linalg.norm(y, 1)) * np.finfo(kind).eps
        assert np.linalg.norm(x - desired, 1) < bound * np.linalg.norm(desired, 1)


def test_many_rows(rng):
    a = rng.normal(size=(260, 260)) / 8
    a[:, 3] = 0
    for kind in ("f4", "f8"):
        b = a.astype(kind)
        ours = expm(cp.asarray(b)).get()
        desired = scipy.linalg.expm(b.astype("f8"))
        assert np.linalg.norm(ours - desired) < 200 * np.finfo(kind).eps * np.linalg.norm(desired)
        b[7, 9] = np.nan
        assert np.isnan(expm(cp.asarray(b)).get()).any()
