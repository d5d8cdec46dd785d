"""`gpunp.cusolver`: decompositions under cuSOLVER's names."""

import numpy as np
import pytest

import gpunp as cp
from gpunp import cusolver
from gpunp.scipy import sparse


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 3)])
def test_gesvdj(shape, rng):
    a = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    u, s, v = cusolver.gesvdj(cp.asarray(a), full_matrices=False)
    again = (u * s[..., None, :]) @ cp.swapaxes(v.conj(), -1, -2)
    np.testing.assert_allclose(again.get(), a, atol=1e-12)
    full = cusolver.gesvdj(cp.asarray(a))
    assert full[0].shape[-1] == shape[-2] and full[2].shape[-1] == shape[-1]
    values = cusolver.gesvdj(cp.asarray(a), compute_uv=False)
    np.testing.assert_allclose(values.get(), np.linalg.svd(a, compute_uv=False), atol=1e-12)


def test_gesvda(rng):
    a = rng.normal(size=(2, 5, 3))
    u, s, v = cusolver.gesvda(cp.asarray(a))
    assert (u.shape, s.shape, v.shape) == ((2, 5, 3), (2, 3), (2, 3, 3))
    np.testing.assert_allclose(((u * s[:, None]) @ v.swapaxes(1, 2)).get(), a, atol=1e-12)
    with pytest.raises(ValueError, match="M >= N"):
        cusolver.gesvda(cp.ones((2, 3, 5)))


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_syevj(triangle, rng):
    a = rng.normal(size=(4, 4))
    w, v = cusolver.syevj(cp.asarray(a), triangle)
    wanted = np.linalg.eigvalsh(a, triangle)
    np.testing.assert_allclose(w.get(), wanted, atol=1e-12)
    np.testing.assert_allclose(cusolver.syevj(cp.asarray(a), triangle, False).get(), wanted)
    half = np.tril(a) if triangle == "L" else np.triu(a)
    whole = half + half.T - np.diag(a.diagonal())
    np.testing.assert_allclose(((v * w) @ v.T).get(), whole, atol=1e-12)


def test_systems(rng):
    a, b = rng.normal(size=(5, 3)), rng.normal(size=5)
    x = cusolver.gels(cp.asarray(a), cp.asarray(b))
    np.testing.assert_allclose(x.get(), np.linalg.lstsq(a, b, rcond=None)[0])
    square = np.eye(4) * 3 + np.eye(4, k=1)
    y = cusolver.csrlsvqr(sparse.csr_matrix(cp.asarray(square)), cp.ones(4))
    np.testing.assert_allclose(y.get(), np.linalg.solve(square, np.ones(4)))


def test_what_there_is():
    assert all(cusolver.check_availability(name) for name in cusolver.__all__)
    assert not cusolver.check_availability("potrfBatched")


def test_arguments_that_do_not_fit_together():
    """The library would read and write beyond what is too small."""
    a, pivots = cp.eye(4), cp.zeros(3, "i4")
    for lu, places in ((a, pivots), (a, cp.zeros(8, "i4")[::2]), (a[:, :3].copy(), pivots)):
        with pytest.raises(ValueError, match="fit together"):
            cp._C.lapack_getri(lu, places)
    tall = cp.ones((1, 5, 2), "f8")
    with pytest.raises(ValueError, match="fit together"):
        cp._C.lapack_ormqr(tall, cp.ones((1, 4), "f8"), cp.ones((1, 5, 5), "f8"), False)
