"""`gpunp.cublas` against SciPy's BLAS."""

import numpy as np
import pytest
from scipy.linalg import blas

import gpunp as cp

TYPES = ["f", "D"]


def numbers(rng, dtype, *shape):
    """Random numbers on the host, complex where the type is."""
    values = rng.normal(size=shape)
    if dtype in "FD":
        values = values + 1j * rng.normal(size=shape)
    return values.astype(dtype)


def close(actual, desired, dtype):
    actual = cp.asnumpy(actual)
    assert actual.dtype == np.dtype(dtype) and actual.shape == np.shape(desired)
    tolerance = 2e-5 if dtype in "fF" else 1e-12
    np.testing.assert_allclose(actual, desired, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("step", [1, -2])
def test_vectors(dtype, step, rng):
    x, y = numbers(rng, dtype, 2, 40)[:, ::step]
    dx, dy = cp.asarray(x), cp.asarray(y)
    sizes, real = abs(x.real) + abs(x.imag), dtype.lower()
    close(cp.cublas.iamax(dx), np.int32(sizes.argmax() + 1), "i")
    close(cp.cublas.iamin(dx), np.int32(sizes.argmin() + 1), "i")
    close(cp.cublas.asum(dx), sizes.sum(), real)
    close(cp.cublas.nrm2(dx), np.linalg.norm(x), real)
    if dtype in "fd":
        close(cp.cublas.dot(dx, dy), x @ y, dtype)
    else:
        close(cp.cublas.dotu(dx, dy), x @ y, dtype)
        close(cp.cublas.dotc(dx, dy), np.vdot(x, y), dtype)
    cp.cublas.axpy(1.5, dx, dy)
    close(dy, 1.5 * x + y, dtype)
    cp.cublas.scal(cp.asarray(-0.5), dx)
    close(dx, -0.5 * x, dtype)


def test_results_go_where_they_are_wanted():
    x = cp.array([3.0, -4.0])
    for out in (cp.empty((), "d"), np.empty((), "d"), np.empty(1)):
        assert cp.cublas.nrm2(x, out=out) is out and float(out.reshape(())) == 5
    place = np.zeros((), "i")
    cp.cublas.iamax(x, place)
    assert place == 2


def test_a_cast_factor_does_not_widen():
    y = cp.ones(3, "f")
    cp.cublas.axpy(np.float64(2), cp.ones(3, "f"), y)
    cp.cublas.axpy(np.array([2.0]), cp.ones(3, "f"), y)
    assert y.dtype == "f" and y.get().tolist() == [5, 5, 5]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("trans", ["N", "T", "H", 1])
def test_gemv(dtype, trans, rng):
    letter = "NTC"[trans] if isinstance(trans, int) else trans
    a = numbers(rng, dtype, 5, 7)
    matrix = {"N": a, "T": a.T, "H": a.conj().T}[letter]
    x, y = numbers(rng, dtype, matrix.shape[1]), numbers(rng, dtype, matrix.shape[0])
    for alpha, beta in ((1, 0), (0.5, 2.0), (cp.asarray(2.0), cp.asarray(0.0))):
        out = cp.asarray(y)
        cp.cublas.gemv(trans, alpha, cp.asarray(a), cp.asarray(x), beta, out)
        close(out, float(alpha) * (matrix @ x) + float(beta) * y, dtype)


def test_beta_of_zero_does_not_read():
    y = cp.full(2, cp.nan)
    cp.cublas.gemv("N", 1, cp.eye(2), cp.ones(2), 0, y)
    assert y.get().tolist() == [1, 1]
    out = cp.full((2, 2), cp.nan)
    cp.cublas.gemm("N", "N", cp.eye(2), cp.eye(2), out=out, beta=0)
    assert not bool(cp.isnan(out).any())


@pytest.mark.parametrize("dtype", TYPES)
def test_rank_one(dtype, rng):
    x, y, a = numbers(rng, dtype, 4), numbers(rng, dtype, 6), numbers(rng, dtype, 4, 6)
    names = ["ger"] if dtype in "fd" else ["geru", "gerc"]
    for name in names:
        out = cp.asarray(a, order="F")
        getattr(cp.cublas, name)(0.5, cp.asarray(x), cp.asarray(y), out)
        close(out, a + 0.5 * np.outer(x, y.conj() if name == "gerc" else y), dtype)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_sbmv(k, lower, rng):
    a, x, y = numbers(rng, "d", k + 1, 6), numbers(rng, "d", 6), numbers(rng, "d", 6)
    wanted = blas.dsbmv(k, 0.5, a, x, beta=2.0, y=y, lower=lower)
    out = cp.asarray(y)
    assert cp.cublas.sbmv(k, 0.5, cp.asarray(a), cp.asarray(x), 2.0, out, lower=lower) is out
    close(out, wanted, "d")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("transa, transb", [("N", "N"), ("T", "H"), ("C", "T"), (2, 0)])
def test_gemm_and_geam(dtype, transa, transb, rng):
    def op(trans, a):
        letter = "NTC"[trans] if isinstance(trans, int) else trans
        return {"N": a, "T": a.T, "H": a.conj().T, "C": a.conj().T}[letter]

    a, b = numbers(rng, dtype, 4, 4), numbers(rng, dtype, 4, 4)
    da, db = cp.asarray(a), cp.asarray(b, order="F")
    product = op(transa, a) @ op(transb, b)
    close(cp.cublas.gemm(transa, transb, da, db), product, dtype)
    close(cp.cublas.gemm(transa, transb, da, db, alpha=2), 2 * product, dtype)
    out = cp.ones((4, 4), dtype)
    assert cp.cublas.gemm(transa, transb, da, db, out=out, alpha=2, beta=3) is out
    close(out, 2 * product + 3, dtype)
    wanted = 2 * op(transa, a) - 3 * op(transb, b)
    close(cp.cublas.geam(transa, transb, 2, da, -3, db), wanted, dtype)
    cp.cublas.geam(transa, transb, 2, da, -3, db, out=da)  # overlaps its transposed
    close(da, wanted, dtype)


@pytest.mark.parametrize("incx", [1, 2, -1])
def test_dgmm(incx, rng):
    a, x = numbers(rng, "f", 3, 4), numbers(rng, "f", 8)
    left, right = x[::incx][:3], x[::incx][:4]
    close(cp.cublas.dgmm("L", cp.asarray(a), cp.asarray(x), incx=incx), left[:, None] * a, "f")
    out = cp.empty_like(cp.asarray(a))
    assert cp.cublas.dgmm("R", cp.asarray(a), cp.asarray(x), out, incx) is out
    close(out, a * right, "f")


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", ["N", "T"])
def test_syrk(trans, lower, rng):
    a, c = numbers(rng, "D", 3, 5), None
    matrix = a if trans == "N" else a.T
    c = numbers(rng, "D", len(matrix), len(matrix))
    keep = np.tril if lower else np.triu
    product = matrix @ matrix.T
    close(cp.cublas.syrk(trans, cp.asarray(a), lower=lower), keep(product), "D")
    out = cp.asarray(c)
    assert cp.cublas.syrk(trans, cp.asarray(a), out, 2.0, 0.5, lower) is out
    close(out, keep(2 * product + 0.5 * c) + c - keep(c), "D")


def test_batched_gesv(rng):
    a, b = numbers(rng, "d", 3, 4, 4), numbers(rng, "d", 3, 4)
    close(
        cp.cublas.batched_gesv(cp.asarray(a), cp.asarray(b)),
        np.linalg.solve(a, b[..., None])[..., 0],
        "d",
    )
    limit = cp.cublas.get_batched_gesv_limit()
    cp.cublas.set_batched_gesv_limit(64)
    assert cp.cublas.get_batched_gesv_limit() == 64
    cp.cublas.set_batched_gesv_limit(limit)


WRONG = [
    (TypeError, lambda b: b.nrm2(cp.ones(3, "i"))),
    (TypeError, lambda b: b.nrm2(np.ones(3))),
    (TypeError, lambda b: b.dot(cp.ones(3, "F"), cp.ones(3, "F"))),
    (TypeError, lambda b: b.dotc(cp.ones(3), cp.ones(3))),
    (TypeError, lambda b: b.axpy(1, cp.ones(3, "f"), cp.ones(3))),
    (ValueError, lambda b: b.axpy(1, cp.ones(3), cp.ones(4))),
    (ValueError, lambda b: b.axpy(1, cp.ones((3, 3)), cp.ones((3, 3)))),
    (ValueError, lambda b: b.gemm("N", "N", cp.ones((2, 3)), cp.ones((2, 3)))),
    (ValueError, lambda b: b.gemm("X", "N", cp.ones((2, 2)), cp.ones((2, 2)))),
    (ValueError, lambda b: b.gemm("N", "N", cp.ones((2, 2)), cp.ones((2, 2)), out=cp.ones(2))),
    (ValueError, lambda b: b.dgmm("M", cp.ones((2, 2)), cp.ones(2))),
    (ValueError, lambda b: b.dgmm("L", cp.ones((2, 2)), cp.ones(1))),
    (ValueError, lambda b: b.ger(1, cp.ones(2), cp.ones(3), cp.ones((3, 2)))),
]


@pytest.mark.parametrize("error, call", WRONG)
def test_wrong_arguments(error, call):
    with pytest.raises(error):
        call(cp.cublas)
