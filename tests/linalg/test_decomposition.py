"""Decompositions: what they put together again, in every type, shape, layout and batch."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

DTYPES = ["f4", "f8", "c8", "c16"]
SQUARE = [(1, 1), (2, 2), (7, 7), (40, 40), (3, 5, 5), (2, 3, 4, 4), (3, 40, 40), (1, 6, 6)]
SHAPES = [
    (1, 1),
    (5, 3),
    (3, 5),
    (1, 4),
    (4, 1),
    (45, 40),
    (70, 9),
    (9, 70),
    (2, 6, 4),
    (2, 3, 4, 6),
    (3, 35, 40),
]


def matrices(shape, dtype, rng):
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return a.astype(dtype)


def conj_t(a):
    return np.swapaxes(a.conj(), -1, -2)


def hermitian(shape, dtype, rng):
    a = matrices(shape, dtype, rng)
    return a + conj_t(a)


def positive(shape, dtype, rng):
    a = matrices(shape, dtype, rng)
    return a @ conj_t(a) + shape[-1] * np.eye(shape[-1], dtype=dtype)


def assert_small(residual, of, factor=12):
    """Within a small multiple of n eps of the size of the matrices."""
    n = max(of.shape[-2:])
    norm = np.linalg.norm(of.astype("c16"), axis=(-2, -1))
    bound = factor * n * np.finfo(of.dtype).eps * norm
    assert (np.linalg.norm(residual.astype("c16"), axis=(-2, -1)) <= bound).all()


def assert_orthonormal(q):
    n = q.shape[-1]
    assert_small(
        conj_t(q) @ q - np.eye(n), np.broadcast_to(np.eye(n, dtype=q.dtype), q.shape[:-2] + (n, n))
    )


# ---- Cholesky ----------------------------------------------------------------------------------


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", SQUARE, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype, shape, upper, rng):
    a = positive(shape, dtype, rng)
    spoiled = np.tril(a) if not upper else np.triu(a)  # the other triangle is not read
    factor = cp.linalg.cholesky(cp.asarray(spoiled), upper=upper)
    assert factor.dtype == dtype and factor.flags.c_contiguous
    factor = factor.get()
    assert not np.any(np.triu(factor, 1) if not upper else np.tril(factor, -1))
    assert_small((conj_t(factor) @ factor if upper else factor @ conj_t(factor)) - a, a)


# ---- QR ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(dtype, shape, rng):
    a = matrices(shape, dtype, rng)
    for mode in ("reduced", "complete"):
        theirs = np.linalg.qr(a, mode)
        ours = cp.linalg.qr(cp.asarray(a), mode)
        q, r = ours.Q.get(), ours.R.get()
        assert (
            q.shape == theirs.Q.shape and r.shape == theirs.R.shape and q.dtype == r.dtype == dtype
        )
        assert not np.any(np.tril(r, -1))
        assert_small(q @ r - a, a)
        assert_orthonormal(q)
    assert np.allclose(
        cp.linalg.qr(cp.asarray(a), "r").get(), ours.R.get()[..., : min(shape[-2:]), :]
    )


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 6, 4)], ids=str)
def test_qr_raw_is_lapacks(shape, rng):
    a = rng.normal(size=shape)
    check(lambda xp: xp.linalg.qr(xp.asarray(a), "raw"), rtol=1e-12, atol=1e-14, order=False)


def test_qr_of_dependent_columns(rng):
    a = np.outer(rng.normal(size=6), rng.normal(size=4))
    q, r = (x.get() for x in cp.linalg.qr(cp.asarray(a)))
    assert_small(q @ r - a, a)
    assert_orthonormal(q)


# ---- eigenvalues -------------------------------------------------------------------------------


@pytest.mark.parametrize("uplo", ["L", "U", "l"])
@pytest.mark.parametrize("shape", SQUARE, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(dtype, shape, uplo, rng):
    a = hermitian(shape, dtype, rng)
    spoiled = np.tril(a) if uplo.upper() == "L" else np.triu(a)
    result = cp.linalg.eigh(cp.asarray(spoiled), uplo)
    w, v = result.eigenvalues.get(), result.eigenvectors.get()
    assert w.dtype == np.dtype(dtype).char.lower() and v.dtype == dtype
    assert (np.diff(w) >= 0).all()
    assert_small(a @ v - v * w[..., None, :], a)
    assert_orthonormal(v)
    alone = cp.linalg.eigvalsh(cp.asarray(spoiled), uplo).get()
    assert_small((alone - w)[..., None], a)


@pytest.mark.parametrize("shape", SQUARE, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eig(dtype, shape, rng):
    a = matrices(shape, dtype, rng)
    w, v = (x.get() for x in cp.linalg.eig(cp.asarray(a)))
    assert_small(a @ v - v * w[..., None, :], a, 40)
    assert np.allclose(np.linalg.norm(v, axis=-2), 1, rtol=1e-4)
    alone = cp.linalg.eigvals(cp.asarray(a))
    trace = np.trace(a, axis1=-2, axis2=-1)
    assert np.allclose(alone.get().sum(-1), trace, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "c8"])
def test_eig_is_complex_whatever_the_eigenvalues_are(dtype, rng):
    """The array API's rule; the dtype of NumPy before 2.5 depends on the values."""
    triangle = np.triu(rng.normal(size=(5, 5))).astype(dtype)
    expected = "c8" if dtype in ("f4", "c8") else "c16"
    w, v = cp.linalg.eig(cp.asarray(triangle))
    assert (w.dtype, v.dtype) == (expected, expected)
    theirs = np.sort_complex(np.linalg.eigvals(triangle)).astype(expected)
    for ours in (w, cp.linalg.eigvals(cp.asarray(triangle))):
        assert ours.dtype == expected
        np.testing.assert_allclose(np.sort_complex(ours.get()), theirs, rtol=1e-5, atol=1e-6)
    both = np.stack([np.array([[0.0, -1.0], [1.0, 0.0]]), np.eye(2)])
    assert cp.linalg.eigvals(cp.asarray(both)).dtype == "c16"
    with cp.errstate(linalg="ignore"):
        assert cp.linalg.eigvals(cp.asarray(triangle)).dtype == expected


@pytest.mark.parametrize("c", [[1, 2, 1], [1.0, -3.0, 2.0], [1, 0, 1], [1], [], [0, 2, 4, 0]])
@pytest.mark.parametrize("dtype", [None, "f4", "c8"])
def test_roots_have_the_dtype_of_numpys(c, dtype):
    values = np.asarray(c if dtype is None else np.asarray(c).astype(dtype, copy=False))
    if values.size:
        ours, theirs = cp.poly1d(cp.asarray(values)).roots, np.poly1d(values).roots
        assert ours.dtype == theirs.dtype
    ours, theirs = cp.roots(cp.asarray(values)), np.roots(values)
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(
        np.sort_complex(ours.get()), np.sort_complex(theirs), rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize("basis, name", [("polynomial", "polyroots"), ("chebyshev", "chebroots"),
                         ("legendre", "legroots"), ("laguerre", "lagroots"),
                         ("hermite", "hermroots"), ("hermite_e", "hermeroots")])  # fmt: skip
def test_roots_of_series_are_real_where_all_are(basis, name):
    """In every version of NumPy; those of three bases are complex in NumPy 2.5."""
    roots = getattr(getattr(cp.polynomial, basis), name)
    from_roots = getattr(getattr(cp.polynomial, basis), name[:-5] + "fromroots")
    theirs = getattr(getattr(np.polynomial, basis), name)
    for wanted, dtype in [([1.0, 2, 4], "f8"), ([1j, -1j, 2], "c16"), ([3.0], "f8")]:
        c = from_roots(cp.asarray(wanted))
        c = c.real if dtype == "c16" else c
        assert roots(c).dtype == dtype
        assert roots(c.astype("f4")).dtype == ("c8" if dtype == "c16" else "f4")
        found = np.sort_complex(roots(c).get())
        np.testing.assert_allclose(found, np.sort_complex(theirs(c.get())), rtol=1e-9, atol=1e-9)


def test_eigenvalues_of_whole_numbers():
    check(lambda xp: xp.linalg.eigvalsh(xp.asarray([[2, 1], [1, 2]])), rtol=1e-14)
    check(lambda xp: xp.linalg.eigvalsh(xp.asarray([[True, False], [False, True]])), rtol=1e-14)


# ---- singular values ---------------------------------------------------------------------------


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd(dtype, shape, full, rng):
    a = matrices(shape, dtype, rng)
    theirs = np.linalg.svd(a, full)
    ours = cp.linalg.svd(cp.asarray(a), full)
    assert [x.shape for x in ours] == [x.shape for x in theirs]
    assert [x.dtype for x in ours] == [x.dtype for x in theirs]
    assert all(x.flags.c_contiguous for x in ours)
    u, s, vh = (x.get() for x in ours)
    k = s.shape[-1]
    assert (np.diff(s) <= 0).all() and (s >= 0).all()
    assert_small((u[..., :k] * s[..., None, :]) @ vh[..., :k, :] - a, a)
    assert_small((s - theirs.S)[..., None], a)
    assert_orthonormal(u)
    assert_orthonormal(conj_t(vh))
    assert_small((cp.linalg.svdvals(cp.asarray(a)).get() - s)[..., None], a)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_svd_of_hermitian_matrices(dtype, rng):
    a = hermitian((2, 6, 6), dtype, rng)
    u, s, vh = (x.get() for x in cp.linalg.svd(cp.asarray(a), hermitian=True))
    assert_small((u * s[..., None, :]) @ vh - a, a)
    assert_small((s - np.linalg.svd(a)[1])[..., None], a)
    check(
        lambda xp: xp.linalg.svd(xp.asarray(a), compute_uv=False, hermitian=True),
        rtol=1e-12,
        order=False,
    )


@pytest.mark.parametrize("method", ["gesvd", "gesvdj", "gesvdp"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_method_of_svd(dtype, method, rng):
    from gpunp.linalg._decomposition import _svd

    for shape in [(9, 6), (6, 9), (2, 7, 7)]:
        a = matrices(shape, dtype, rng)
        for full in (True, False):
            u, s, vh = (x.get() for x in _svd(cp.asarray(a), full, True, method))
            k = s.shape[-1]
            assert_small((u[..., :k] * s[..., None, :]) @ vh[..., :k, :] - a, a)
            assert_orthonormal(u)
            assert_orthonormal(conj_t(vh))


@pytest.mark.parametrize("method", ["syevd", "syevj", "syevjBatched", "syevBatched"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_method_of_eigh(dtype, method, rng):
    from gpunp._core.lapack import lapack_syev

    for shape in [(6, 6), (3, 8, 8)]:
        a = hermitian(shape, dtype, rng)
        work = cp.asarray(np.swapaxes(a, -1, -2).copy())
        w, info = lapack_syev(work, True, False, method)
        v = np.swapaxes(work.get(), -1, -2)
        assert not info.any()
        assert_small(a @ v - v * w.get()[..., None, :], a)
    with pytest.raises(ValueError, match="no such method"):
        lapack_syev(work, True, False, "qr")


# ---- layouts, edges, errors --------------------------------------------------------------------

LAYOUTS = {
    "F": lambda a: cp.asarray(a).T.copy().T,
    "reversed": lambda a: cp.asarray(a[::-1].copy())[::-1],
    "strided": lambda a: cp.asarray(np.repeat(np.repeat(a, 2, 0), 3, 1))[::2, ::3],
    "broadcast": lambda a: cp.broadcast_to(cp.asarray(a), (2, *a.shape)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["cholesky", "eigvalsh", "svdvals", "inv", "det", "matrix_rank"])
def test_layouts_do_not_matter(name, layout, rng):
    a = positive((6, 6), "f8", rng)
    x = LAYOUTS[layout](a)
    before = x.get()
    ours = getattr(cp.linalg, name)(x).get()
    assert np.array_equal(x.get(), before)  # the input is left alone
    assert np.allclose(ours, getattr(np.linalg, name)(x.get()), rtol=1e-9)


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)], ids=str)
@pytest.mark.parametrize(
    "name", ["cholesky", "eigvals", "eigvalsh", "inv", "det", "slogdet", "svdvals", "pinv"]
)
def test_empty_squares(name, shape):
    if name == "slogdet":
        check(lambda xp: tuple(xp.linalg.slogdet(xp.zeros(shape))), order=False)
    elif name == "eigvals":  # always complex here
        check(lambda xp: xp.linalg.eigvals(xp.zeros(shape, "c16")), order=False)
        check(lambda xp: xp.linalg.eigvals(xp.zeros(shape)).astype("c16"), order=False)
        assert cp.linalg.eigvals(cp.zeros(shape)).dtype == "c16"
    else:
        check(lambda xp: getattr(xp.linalg, name)(xp.zeros(shape)), order=False)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (0, 2, 3)], ids=str)
def test_empty_shapes(shape):
    for full in (True, False):
        check(lambda xp, f=full: tuple(xp.linalg.svd(xp.zeros(shape), f)), order=False)
    for mode in ("reduced", "complete"):
        check(lambda xp, m=mode: tuple(xp.linalg.qr(xp.zeros(shape), m)), order=False)
    check(lambda xp: xp.linalg.pinv(xp.zeros(shape)), order=False)
    check(lambda xp: xp.linalg.matrix_rank(xp.zeros(shape)), order=False)


NAMES = ["cholesky", "eig", "eigh", "eigvals", "eigvalsh", "inv", "det", "slogdet"]


@pytest.mark.parametrize("name", [*NAMES, "svd", "svdvals", "qr", "pinv"])
def test_wrong_arguments(name):
    call = lambda xp, a: getattr(xp.linalg, name)(a)  # noqa: E731
    assert_raises_same(lambda xp: call(xp, xp.zeros(3)))
    assert_raises_same(lambda xp: call(xp, xp.zeros((2, 2), np.float16)))
    if name in NAMES:
        assert_raises_same(lambda xp: call(xp, xp.zeros((2, 3))))
    with pytest.raises(TypeError, match="asarray"):
        getattr(cp.linalg, name)(np.eye(2))


def test_wrong_words():
    assert_raises_same(lambda xp: xp.linalg.eigh(xp.eye(2), "X"))
    assert_raises_same(lambda xp: xp.linalg.qr(xp.eye(2), "thin"))


NAN = np.array([[1.0, np.nan], [np.nan, 1.0]])


@pytest.mark.parametrize("name", ["svd", "svdvals", "eigvals", "eig", "eigvalsh"])
def test_nan_does_not_converge(name):
    with pytest.raises(cp.linalg.LinAlgError):
        getattr(cp.linalg, name)(cp.asarray(NAN))
    with pytest.raises(cp.linalg.LinAlgError):
        getattr(cp.linalg, name)(cp.asarray(np.stack([np.eye(2), NAN])))


def test_general_eigenvalues_of_nan_are_nan():
    both = cp.asarray(np.stack([np.eye(2), NAN]))
    with cp.errstate(linalg="ignore"):
        w = cp.linalg.eigvals(both).get()
    assert np.array_equal(w[0], [1, 1]) and np.isnan(w[1]).all()


@pytest.mark.parametrize("name", ["eigh", "eigvalsh", "svd", "svdvals"])
def test_failures_that_are_ignored_are_nan(name):
    both = cp.asarray(np.stack([np.eye(2), NAN]))
    with cp.errstate(linalg="ignore"):
        found = getattr(cp.linalg, name)(both)
    for part in found if isinstance(found, tuple) else (found,):
        part = part.get()
        assert np.isfinite(part[0]).all() and np.isnan(part[1]).all()


def test_eigh_does_not_look_at_the_other_triangle():
    spoiled = np.array([[2.0, np.nan], [1.0, 2.0]])
    check(lambda xp: xp.linalg.eigvalsh(xp.asarray(spoiled)), rtol=1e-14)
    check(lambda xp: xp.linalg.eigvalsh(xp.asarray(spoiled.T), "U"), rtol=1e-14)


def test_not_positive_definite():
    bad = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert_raises_same(lambda xp: xp.linalg.cholesky(xp.asarray(bad)))
    both = np.stack([np.eye(2), bad])
    assert_raises_same(lambda xp: xp.linalg.cholesky(xp.asarray(both)))
    with cp.errstate(linalg="ignore"):
        factors = cp.linalg.cholesky(cp.asarray(both)).get()
    assert np.array_equal(factors[0], np.eye(2)) and np.isnan(factors[1]).all()


@pytest.mark.parametrize("n", [100, 250])
@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_svd_of_large_matrices_of_little_rank(dtype, n, rng):
    a = matrices((n, 3), dtype, rng) @ matrices((3, n - 10), dtype, rng)
    u, s, vh = (x.get() for x in cp.linalg.svd(cp.asarray(a), full_matrices=False))
    assert_small((u * s) @ vh - a, a)
    assert_orthonormal(u)
    assert_orthonormal(conj_t(vh))
    assert_small((cp.linalg.svdvals(cp.asarray(a)).get() - s)[..., None], a)
    again = cp.linalg.svd(cp.asarray(a), full_matrices=False)
    assert all(np.array_equal(x, y.get()) for x, y in zip((u, s, vh), again, strict=True))


def test_ill_conditioned(rng):
    n = 12
    u, v = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    s = 10.0 ** -np.arange(n)
    a = (u * s) @ v.T
    assert np.allclose(cp.linalg.svdvals(cp.asarray(a)).get(), s, rtol=0, atol=1e-14)
    w, q = (x.get() for x in cp.linalg.eigh(cp.asarray((u * s) @ u.T)))
    assert np.allclose(w, s[::-1], rtol=0, atol=1e-14)
    assert_orthonormal(q)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_svd_of_singular_hermitian_matrices_is_unitary(dtype):
    a = cp.asarray(np.array([[[1, 0], [0, 0]], [[0, 0], [0, -2]], [[0, 0], [0, 0]]], dtype))
    u, s, vh = cp.linalg.svd(a, hermitian=True)
    one = np.broadcast_to(np.eye(2), (3, 2, 2))
    for x in (u, vh):
        assert np.allclose((x @ x.conj().swapaxes(-1, -2)).get(), one, atol=1e-6)
    assert np.allclose(((u * s[:, None, :]) @ vh).get(), a.get(), atol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize(
    "shape", [(3, 5, 5), (2, 2, 7, 3), (3, 2, 6), (4, 1, 1), (2, 60, 60)], ids=str
)
def test_qr_of_stacks_is_that_of_their_matrices(dtype, shape, rng):
    a = rng.normal(size=shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        a = (a + 1j * rng.normal(size=shape)).astype(dtype)
    a[0] = 0  # no reflectors at all
    a[-1, ..., 0] = 0
    limit = 2e-5 if dtype in ("f4", "c8") else 1e-12
    for mode in ("reduced", "complete"):
        q, r = (x.get() for x in cp.linalg.qr(cp.asarray(a), mode))
        assert np.allclose(q @ r, a, atol=10 * limit)
        one = np.swapaxes(q.conj(), -1, -2) @ q
        assert np.allclose(one, np.eye(q.shape[-1]), atol=limit)
        theirs = np.linalg.qr(a, mode)
        assert q.shape == theirs.Q.shape and r.shape == theirs.R.shape


@pytest.mark.parametrize("rank, dtype", cases.crossed([200, 50, 199], ["f4", "c8", "f8"]))
def test_svd_of_large_matrices_of_any_rank(dtype, rank):
    """Where the polar method perturbs what it decomposes, the result is still of the matrix."""
    rng = np.random.default_rng(rank)
    a = (rng.standard_normal((200, rank)) @ rng.standard_normal((rank, 200))).astype(dtype)
    u, s, v = (x.get() for x in cp.linalg.svd(cp.array(a)))
    assert u.dtype == v.dtype == a.dtype and s.dtype == a.real.dtype
    eps, size = np.finfo(dtype).eps, np.linalg.norm(a)
    assert np.linalg.norm(u * s @ v - a) <= 4 * 200 * eps * size
    for x in (u, v):
        assert np.linalg.norm(x @ x.conj().T - np.eye(200)) <= 4 * 200**1.5 * eps
    expected = np.linalg.svd(a, compute_uv=False)
    assert abs(cp.linalg.svdvals(cp.array(a)).get() - expected).max() <= 4 * 200 * eps * size
