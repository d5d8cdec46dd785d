"""Least squares with sparse matrices: all that SciPy returns, step by step."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg


def matrix(shape, dtype, rng):
    """A matrix of a small condition number: steps of others repeat to a few digits only."""
    host = scipy.sparse.random_array(shape, density=0.3, rng=rng)
    host = host + 4 * scipy.sparse.eye_array(*shape)
    if np.dtype(dtype).kind == "c":
        host = host * np.exp(1j * rng.random(shape))
    return scipy.sparse.csr_array(host).astype(dtype)


def compare(ours, theirs, rtol=1e-6):
    assert ours[1:3] == theirs[1:3]
    assert ours[0].dtype == theirs[0].dtype
    if theirs[-1] is not None and np.iscomplexobj(theirs[-1]):
        ours, theirs = ours[:-1], theirs[:-1]  # SciPy sums squares there, not squared magnitudes
    for mine, other in zip(ours, theirs, strict=True):
        mine = mine.get() if isinstance(mine, cp.ndarray) else mine
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("dtype", ["f8", "D"])
@pytest.mark.parametrize("shape", [(30, 20), (20, 20), (15, 25)])
@pytest.mark.parametrize("damp", [0.0, 0.7])
def test_lsqr(shape, dtype, damp, rng):
    host, b = matrix(shape, dtype, rng), rng.random(shape[0])
    a, ours_b = sparse.csr_array(host), cp.asarray(b)
    for options in (
        {"iter_lim": 3},
        {"iter_lim": 11, "atol": 1e-3, "btol": 1e-3, "calc_var": True},
        {"atol": 1e-5, "btol": 1e-5},
        {"conlim": 3.0},
    ):
        theirs = scipy.sparse.linalg.lsqr(host, b, damp, **options)
        compare(linalg.lsqr(a, ours_b, damp, **options), theirs, 1e-5)


def test_lsqr_starts_and_special_cases(rng, capsys):
    host, b, x0 = matrix((12, 7), "f8", rng), rng.random(12), rng.random(7)
    a, ours = sparse.csc_array(host), cp.asarray(b)
    options = {"iter_lim": 5}
    theirs = scipy.sparse.linalg.lsqr(host, b, x0=x0, **options)
    compare(linalg.lsqr(a, ours, x0=cp.asarray(x0), **options), theirs)
    compare(linalg.lsqr(a, 0 * ours), scipy.sparse.linalg.lsqr(host, 0 * b))
    compare(linalg.lsqr(a, ours, iter_lim=0), scipy.sparse.linalg.lsqr(host, b, iter_lim=0))
    x, istop, *_ = linalg.lsqr(sparse.eye_array(9), cp.arange(9.0))
    zero = linalg.lsqr(a, 0 * ours, x0=cp.asarray(x0), atol=1e-12)
    assert zero[1] == 2 and abs(zero[0].get()).max() < 1e-8
    assert istop == 1 and np.allclose(x.get(), np.arange(9.0))
    assert linalg.lsqr(a.astype("f4"), ours.astype("f4")[:, None])[0].dtype == np.float64
    linalg.lsqr(a, ours, show=True, **options)
    assert "after 5 steps" in capsys.readouterr().out
    for bad in ({"b": ours[:5]}, {"b": ours, "x0": cp.ones(3)}):
        with pytest.raises(ValueError, match="dimension mismatch"):
            linalg.lsqr(a, **bad)


@pytest.mark.parametrize("dtype", ["f8", "D"])
@pytest.mark.parametrize("shape", [(30, 20), (20, 20), (15, 25)])
@pytest.mark.parametrize("damp", [0.0, 0.7])
def test_lsmr(shape, dtype, damp, rng):
    host, b = matrix(shape, dtype, rng), rng.random(shape[0]).astype(dtype)
    a, ours_b = sparse.csr_array(host), cp.asarray(b)
    for options in (
        {"maxiter": 3},
        {"maxiter": 11, "atol": 1e-3, "btol": 1e-3},
        {"atol": 1e-5, "btol": 1e-5},
        {"conlim": 3.0},
    ):
        theirs = scipy.sparse.linalg.lsmr(host, b, damp, **options)
        compare(linalg.lsmr(a, ours_b, damp, **options), theirs, 1e-5)


def test_lsmr_starts_and_special_cases(rng, capsys):
    host, b, x0 = matrix((12, 7), "f8", rng), rng.random(12), rng.random(7)
    a, ours = sparse.csc_array(host), cp.asarray(b)
    theirs = scipy.sparse.linalg.lsmr(host, b, x0=x0, maxiter=5)
    compare(linalg.lsmr(a, ours, x0=cp.asarray(x0), maxiter=5), theirs)
    compare(linalg.lsmr(a, 0 * ours), scipy.sparse.linalg.lsmr(host, 0 * b))
    compare(linalg.lsmr(a, ours, maxiter=0), scipy.sparse.linalg.lsmr(host, b, maxiter=0))
    linalg.lsmr(a, ours, show=True, maxiter=5)
    assert "after 5 steps" in capsys.readouterr().out
    with pytest.raises(ValueError, match="dimension mismatch"):
        linalg.lsmr(a, ours[:5])
