"""Matrices of up to 32 rows, which our own kernels take: sizes, layouts, many of them, failures."""

import numpy as np
import pytest
from check import check

import gpunp as cp
from gpunp import _C

DTYPES = ["f4", "f8", "c8", "c16"]
SIZES = [1, 2, 3, 4, 5, 8, 11, 16, 17, 31, 32, 33]


def values(shape, dtype, rng):
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return a.astype(dtype)


def near(dtype, scale=1.0):
    """Tolerances of single precision or of double."""
    rtol, atol = (2e-3, 2e-3) if dtype in ("f4", "c8") else (1e-9, 1e-10)
    return {"rtol": rtol * scale, "atol": atol * scale}


LAYOUTS = {
    "F": lambda a: a.swapaxes(-1, -2).copy().swapaxes(-1, -2),
    "strided": lambda a: a.repeat(2, axis=-1)[..., ::2],
    "reversed": lambda a: a[..., ::-1, ::-1],
    "batch last": lambda a: a.transpose(1, 2, 3, 0).copy().transpose(3, 0, 1, 2),
    "every other": lambda a: a.repeat(2, axis=0)[::2],
    "swapped": lambda a: a.swapaxes(0, 1),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_systems_of_any_size(dtype, n, rng):
    a = values((3, n, n), dtype, rng) + np.eye(n, dtype=dtype) * 3
    b, v = values((3, n, 5), dtype, rng), values(n, dtype, rng)
    check(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b)), **near(dtype))
    check(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(v)), **near(dtype))
    check(lambda xp: xp.linalg.inv(xp.asarray(a)), **near(dtype))
    check(lambda xp: xp.linalg.det(xp.asarray(a)), rtol=near(dtype)["rtol"])
    check(lambda xp: xp.linalg.slogdet(xp.asarray(a))[0], **near(dtype))
    check(lambda xp: xp.linalg.slogdet(xp.asarray(a))[1], **near(dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_systems_in_any_layout(layout, rng):
    a, b = values((4, 3, 6, 6), "c16", rng), values((4, 3, 6, 3), "c16", rng)
    lay = LAYOUTS[layout]
    for f in (
        lambda xp: xp.linalg.solve(lay(xp.asarray(a)), lay(xp.asarray(b))),
        lambda xp: xp.linalg.inv(lay(xp.asarray(a))),
        lambda xp: xp.linalg.det(lay(xp.asarray(a))),
    ):
        assert np.allclose(f(cp).get(), f(np), rtol=1e-9)


def test_systems_of_broadcast_stacks(rng):
    a, b = values((5, 1, 4, 4), "f8", rng), values((3, 4, 2), "f8", rng)
    check(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b)), rtol=1e-9)
    one = np.broadcast_to(a[0], (3, 4, 4))
    check(lambda xp: xp.linalg.inv(xp.broadcast_to(xp.asarray(a[0]), (3, 4, 4))), rtol=1e-9)
    assert np.allclose(cp.linalg.det(cp.asarray(one)).get(), np.linalg.det(one))


@pytest.mark.parametrize("count", [1, 3, 40, 400])
def test_one_singular_matrix_of_many(count, rng):
    a = values((count, 7, 7), "f8", rng)
    a[count // 2, :, 2] = 0
    x = cp.asarray(a)
    for call in (cp.linalg.inv, lambda x: cp.linalg.solve(x, x)):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            call(x)
        with cp.errstate(linalg="ignore"):
            is_nan = np.isnan(call(x).get())
        assert is_nan.all(axis=(1, 2)).tolist() == [i == count // 2 for i in range(count)]
        assert not is_nan[np.arange(count) != count // 2].any()
    det, (sign, log) = cp.linalg.det(x).get(), cp.linalg.slogdet(x)
    assert det[count // 2] == sign.get()[count // 2] == 0 and np.isneginf(log.get()[count // 2])
    assert np.count_nonzero(det) == count - 1


def test_permutations_have_their_sign():
    for n in (2, 3, 8, 31):
        order = np.random.default_rng(n).permutation(n)
        check(lambda xp, order=order, n=n: xp.linalg.det(xp.asarray(np.eye(n)[order])))


def test_nan_stays_in_its_matrix(rng):
    a = values((3, 5, 5), "f4", rng)
    a[1, 2, 2] = np.nan
    out = cp.linalg.inv(cp.asarray(a)).get()
    assert np.isnan(out[1]).any() and np.isfinite(out[[0, 2]]).all()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky_of_any_size(dtype, n, rng):
    upper = n % 2 == 1
    a = values((3, n, n), dtype, rng)
    a = a @ a.conj().swapaxes(-1, -2) + 2 * n * np.eye(n, dtype=dtype)
    a = (np.triu if upper else np.tril)(a)  # what is in the other triangle does not matter
    call = lambda xp: xp.linalg.cholesky(xp.asarray(a), upper=upper)  # noqa: E731
    check(call, **near(dtype, 0.05))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cholesky_in_any_layout(layout, rng):
    a = values((4, 3, 6, 6), "c16", rng)
    a = a @ a.conj().swapaxes(-1, -2) + np.eye(6)
    lay = LAYOUTS[layout]
    assert np.allclose(cp.linalg.cholesky(lay(cp.asarray(a))).get(), np.linalg.cholesky(lay(a)))


@pytest.mark.parametrize("count", [1, 3, 400])
@pytest.mark.parametrize("bad", [-1.0, 0.0, np.nan])
def test_one_indefinite_matrix_of_many(bad, count, rng):
    a = np.stack([np.eye(5) * (i + 1) for i in range(count)])
    a[count // 2, 3, 3] = bad
    x = cp.asarray(a)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        cp.linalg.cholesky(x)
    with cp.errstate(linalg="ignore"):
        is_nan = np.isnan(cp.linalg.cholesky(x).get())
    assert is_nan.all(axis=(1, 2)).tolist() == [i == count // 2 for i in range(count)]
    assert not is_nan[np.arange(count) != count // 2].any()


def spectra(n, rng):
    """Eigenvalues of several kinds: of any size, equal, zero, in pairs of signs, far apart."""
    return [
        rng.normal(size=n),
        np.ones(n),
        np.zeros(n),
        np.where(np.arange(n) % 2, -1.0, 1.0),
        np.r_[np.ones(n // 2), 1 + 1e-9 * rng.normal(size=n - n // 2)],
        10.0 ** -np.arange(n) * np.where(rng.random(n) < 0.5, -1, 1),
    ]


def unitary(n, dtype, rng):
    return np.linalg.qr(
        values((n, n), np.dtype(dtype).char.replace("f", "d").replace("F", "D"), rng)
    )[0]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh_of_any_spectrum(dtype, n, rng):
    a, uplo = [], "LU"[n % 2]
    for w in spectra(n, rng):
        q = unitary(n, dtype, rng)
        a.append((q * w) @ q.conj().T)
    a = np.stack(a).astype(dtype)
    read = np.tril(a) if uplo == "L" else np.triu(a)
    whole = read + read.conj().swapaxes(-1, -2)
    whole[:, np.arange(n), np.arange(n)] = a[:, np.arange(n), np.arange(n)].real
    w, v = (x.get() for x in cp.linalg.eigh(cp.asarray(read), uplo))
    eps, size = float(np.finfo(dtype).eps), np.abs(whole).max(axis=(1, 2), initial=1e-30)
    assert w.dtype == np.zeros(0, dtype).real.dtype and v.dtype == np.dtype(dtype)
    error = np.abs(w - np.linalg.eigvalsh(whole.astype("c16"))).max(axis=1)
    assert (error <= 20 * max(n, 4) * eps * size).all()
    residual = np.abs(whole @ v - v * w[:, None, :]).max(axis=(1, 2))
    assert (residual <= 20 * max(n, 4) * eps * size).all()
    assert np.abs(v.conj().swapaxes(-1, -2) @ v - np.eye(n)).max() <= 20 * max(n, 4) * eps
    # cuSOLVER's batched method, beyond our sizes, leaves equal values in any order.
    assert (np.diff(w, axis=-1) >= (0 if n <= 32 else -20 * eps * size[:, None])).all()
    only = cp.linalg.eigvalsh(cp.asarray(read), uplo).get()
    assert (np.abs(only - w).max(axis=1) <= 20 * max(n, 4) * eps * size).all()


def test_eigh_of_diagonal_matrices_is_exact(rng):
    d = np.r_[1e-200, 3.0, -2.0, 1e200, 0.0, 7.0]
    w, v = cp.linalg.eigh(cp.asarray(np.diag(d)))
    assert np.array_equal(w.get(), np.sort(d))
    assert np.array_equal(v.get(), np.eye(6)[:, np.argsort(d)])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_eigh_in_any_layout(layout, rng):
    a = values((4, 3, 6, 6), "c16", rng)
    a = a + a.conj().swapaxes(-1, -2)
    lay = LAYOUTS[layout]
    assert np.allclose(cp.linalg.eigvalsh(lay(cp.asarray(a))).get(), np.linalg.eigvalsh(lay(a)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_eigh_of_one_infinite_matrix_of_many(bad, rng):
    a = values((100, 5, 5), "f8", rng)
    a[50, 3, 1] = bad
    a[20, 1, 3] = bad  # not in the triangle that is read
    x = cp.asarray(a)
    for call in (cp.linalg.eigvalsh, lambda x: cp.linalg.eigh(x)[1]):
        with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
            call(x)
        with cp.errstate(linalg="ignore"):
            is_nan = np.isnan(call(x).get()).reshape(100, -1)
        assert is_nan.all(axis=1).tolist() == [i == 50 for i in range(100)]
        assert not is_nan[np.arange(100) != 50].any()


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_eigh_at_the_ends_of_the_range(scale, rng):
    a = values((2, 6, 6), "f8", rng)
    a = a + a.swapaxes(-1, -2)
    w = cp.linalg.eigvalsh(cp.asarray(a * scale)).get() / scale
    assert np.allclose(w, np.linalg.eigvalsh(a), rtol=1e-12)


def decomposed(m, n, dtype, rng):
    """Matrices with singular values of several kinds."""
    least, stack = min(m, n), []
    for w in spectra(least, rng):
        q, p = unitary(m, dtype, rng), unitary(n, dtype, rng)
        stack.append((q[:, :least] * np.abs(w)) @ p[:least])
    holes = values((m, n), dtype, rng)
    holes[:, n // 2] = 0
    holes[m // 2] = 0
    return np.stack([*stack, holes, np.ones((m, n)), np.eye(m, n)]).astype(dtype)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    "m, n", [(1, 1), (3, 3), (2, 5), (5, 2), (4, 1), (8, 8), (16, 9), (7, 16), (20, 32)]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd_of_any_spectrum(dtype, m, n, full, rng):
    a = decomposed(m, n, dtype, rng)
    u, s, vh = (x.get() for x in cp.linalg.svd(cp.asarray(a), full_matrices=full))
    shapes = [x.shape for x in np.linalg.svd(a, full_matrices=full)]
    assert [u.shape, s.shape, vh.shape] == shapes
    assert s.dtype == np.zeros(0, dtype).real.dtype and u.dtype == vh.dtype == np.dtype(dtype)
    k, eps = min(m, n), float(np.finfo(dtype).eps)
    size = np.abs(a).max(axis=(1, 2), initial=1e-30)
    limit = 20 * max(m, n, 4) * eps
    assert (np.diff(s, axis=-1) <= 0).all() and (s >= 0).all()
    error = np.abs(s - np.linalg.svd(a.astype("c16"), compute_uv=False)).max(axis=1)
    assert (error <= limit * size).all()
    product = (u[..., :k] * s[:, None, :]) @ vh[:, :k]
    assert (np.abs(a - product).max(axis=(1, 2)) <= limit * size).all()
    for x in (u, vh.conj().swapaxes(-1, -2)):
        square = x.conj().swapaxes(-1, -2) @ x
        assert np.abs(square - np.eye(x.shape[-1])).max() <= limit
    only = cp.linalg.svdvals(cp.asarray(a)).get()
    assert (np.abs(only - s).max(axis=1) <= limit * size).all()


def test_svd_of_a_diagonal_is_exact():
    d = np.r_[1e-100, 3.0, 2.0, 1e200, 0.0, 7.0]
    u, s, vh = cp.linalg.svd(cp.asarray(np.diag(d)))
    assert np.array_equal(s.get(), np.sort(d)[::-1])
    assert np.array_equal(abs(u).get(), np.eye(6)[:, np.argsort(d)[::-1]])
    assert np.array_equal(abs(vh).get(), np.eye(6)[np.argsort(d)[::-1]])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_svd_in_any_layout(layout, rng):
    a = values((4, 3, 6, 6), "c16", rng)[..., :5]
    lay = LAYOUTS[layout]
    assert np.allclose(cp.linalg.svdvals(lay(cp.asarray(a))).get(), np.linalg.svdvals(lay(a)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_svd_of_one_infinite_matrix_of_many(bad, rng):
    a = values((100, 5, 4), "f8", rng)
    a[50, 3, 1] = bad
    x = cp.asarray(a)
    for call in (cp.linalg.svdvals, *(lambda x, i=i: cp.linalg.svd(x)[i] for i in (0, 2))):
        with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
            call(x)
        with cp.errstate(linalg="ignore"):
            is_nan = np.isnan(call(x).get()).reshape(100, -1)
        assert is_nan.all(axis=1).tolist() == [i == 50 for i in range(100)]
        assert not is_nan[np.arange(100) != 50].any()


class Refusing:
    """A flag without a truth value."""

    def __bool__(self):
        raise ZeroDivisionError("no truth")


@pytest.mark.parametrize(
    "flags", [(Refusing(), True), (True, Refusing()), (Refusing(), Refusing())]
)
def test_flags_without_a_truth_value(flags):
    a = cp.eye(40)
    for function in (_C.small_svd, _C.small_eigh):
        with pytest.raises(ZeroDivisionError):
            function(cp.eye(3), *flags)
    for call in (
        lambda: cp.linalg.svd(a, *flags),
        lambda: cp.linalg.svd(cp.eye(2), cp.ones(2), cp.ones((1, 4))),
    ):
        with pytest.raises((ZeroDivisionError, ValueError)):
            call()
