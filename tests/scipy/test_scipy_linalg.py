"""gpunp.scipy.linalg and gpunp.lapack against SciPy."""

import cases
import numpy as np
import pytest
import scipy.linalg as sl
from check import to_numpy

import gpunp as cp
import gpunp.scipy.linalg as cl

DTYPES = ["f4", "f8", "c8", "c16"]


def matrices(shape, dtype, rng, shift=0.0):
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return (a + shift * np.eye(*shape[-2:]) if len(shape) > 1 else a).astype(dtype)


def positive(shape, dtype, rng):
    a = matrices(shape, dtype, rng)
    return a @ np.swapaxes(a.conj(), -1, -2) + shape[-1] * np.eye(shape[-1], dtype=dtype)


def tolerance(dtype):
    return (
        {"rtol": 2e-3, "atol": 2e-4}
        if np.dtype(dtype).char in "fF"
        else {"rtol": 1e-9, "atol": 1e-11}
    )


def same(ours, theirs, **keywords):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for x, y in zip(ours, theirs, strict=True):
            same(x, y, **keywords)
        return
    theirs = np.asarray(theirs)
    ours = to_numpy(ours)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (ours.dtype, theirs.dtype)
    assert np.allclose(ours, theirs, **keywords)


def both(name, *arguments, **keywords):
    """The function's results here and in SciPy; arrays move to the device."""
    moved = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    return getattr(cl, name)(*moved, **keywords), getattr(sl, name)(*arguments, **keywords)


# ---- LU, triangles, Cholesky -------------------------------------------------------------------

SHAPES = [(1, 1), (5, 5), (6, 3), (3, 6), (4, 5, 5), (2, 3, 4, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lu(dtype, shape, rng):
    a = matrices(shape, dtype, rng)
    # Pivots of complex numbers: cuBLAS takes the largest of another norm than LAPACK.
    is_lapacks = np.dtype(dtype).kind != "c" or cp.cuda.is_emulated()
    if is_lapacks:
        same(*both("lu", a, permute_l=True), **tolerance(dtype))
    if is_lapacks and shape != (1, 1):  # SciPy returns other types there
        same(*both("lu", a), **tolerance(dtype))
        same(*both("lu", a, p_indices=True), **tolerance(dtype))
    p, low, up = cl.lu(cp.asarray(a))
    assert np.allclose((p.astype(dtype) @ low @ up).get(), a, **tolerance(dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lu_factor(dtype, shape, rng):
    a = matrices(shape, dtype, rng)
    ours, theirs = both("lu_factor", a)
    assert ours[0].shape == theirs[0].shape and ours[1].dtype == theirs[1].dtype
    if np.dtype(dtype).kind != "c" or cp.cuda.is_emulated():
        same(ours[0], theirs[0], **tolerance(dtype))
        assert np.array_equal(ours[1].get(), theirs[1])


@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_lu_solve(dtype, trans, rng):
    a = matrices((5, 5), dtype, rng, 3)
    for shape in ((5,), (5, 2), (3, 5, 2)):
        b = matrices(shape, dtype, rng)
        ours = cl.lu_solve(cl.lu_factor(cp.asarray(a)), cp.asarray(b), trans).get()
        op = {0: a, 1: a.T, 2: a.conj().T}[trans]
        assert np.allclose(op @ ours, b, **tolerance(dtype))
    stack = matrices((3, 5, 5), dtype, rng, 3)
    x = cl.lu_solve(cl.lu_factor(cp.asarray(stack)), cp.asarray(b)).get()
    assert np.allclose(stack @ x, b, **tolerance(dtype))


@pytest.mark.parametrize(
    "dtype, trans, lower, unit",
    cases.crossed(DTYPES, [0, 1, 2, "N", "T", "C"], [False, True], [False, True], differing=2),
)
def test_solve_triangular(dtype, trans, lower, unit, rng):
    a, b = matrices((5, 5), dtype, rng, 4), matrices((5, 3), dtype, rng)
    for right in (b, b[:, 0]):
        same(
            *both("solve_triangular", a, right, trans, lower, unit_diagonal=unit),
            **tolerance(dtype),
        )
    f_order = cl.solve_triangular(cp.asarray(a.T.copy()).T, cp.asarray(b), trans, lower, unit)
    same(f_order, sl.solve_triangular(a, b, trans, lower, unit), **tolerance(dtype))


def test_solve_triangular_in_batches(rng):
    a, b = matrices((3, 5, 5), "f8", rng, 4), matrices((3, 5, 2), "f8", rng)
    x = cl.solve_triangular(cp.asarray(a), cp.asarray(b), lower=True).get()
    assert np.allclose(np.tril(a) @ x, b)


def test_solve_triangular_refuses_zeros():
    a = np.array([[1.0, 2.0], [0.0, 0.0]])
    for solve in (cl.solve_triangular, sl.solve_triangular):
        module = cp if solve is cl.solve_triangular else np
        with pytest.raises(np.linalg.LinAlgError, match="diagonal 1"):
            solve(module.asarray(a), module.ones(2))
    with cp.errstate(linalg="ignore"):
        cl.solve_triangular(cp.asarray(a), cp.ones(2))
    cl.solve_triangular(cp.asarray(a), cp.ones(2), unit_diagonal=True)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype, lower, rng):
    a, b = positive((5, 5), dtype, rng), matrices((5, 2), dtype, rng)
    same(*both("cholesky", a, lower), **tolerance(dtype))
    ours, theirs = both("cho_factor", a, lower)
    part = np.tril if lower else np.triu
    assert ours[1] is lower
    same(part(ours[0].get()), part(theirs[0]), **tolerance(dtype))
    for right in (b, b[:, 0]):
        x = cl.cho_solve(ours, cp.asarray(right))
        same(x, sl.cho_solve(theirs, right), **tolerance(dtype))
    stack = positive((3, 5, 5), dtype, rng)
    x = cl.cho_solve(cl.cho_factor(cp.asarray(stack), lower), cp.asarray(b)).get()
    assert np.allclose(stack @ x, b, **tolerance(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_lapack_drivers(dtype, rng):
    a, b = positive((5, 5), dtype, rng), matrices((5, 2), dtype, rng)
    x = np.linalg.solve(a, b)
    same(cp.lapack.gesv(cp.asarray(a), cp.asarray(b)), x, **tolerance(dtype))
    same(cp.lapack.posv(cp.asarray(a), cp.asarray(b)), x, **tolerance(dtype))
    same(cp.lapack.posv(cp.asarray(np.tril(a)), cp.asarray(b[:, 0])), x[:, 0], **tolerance(dtype))
    lower = cp.linalg.cholesky(cp.asarray(a))
    same(cp.lapack.potrs(lower, cp.asarray(b), True), x, **tolerance(dtype))
    upper = cp.linalg.cholesky(cp.asarray(a), upper=True)
    same(cp.lapack.potrs(upper, cp.asarray(b), False), x, **tolerance(dtype))
    both, vectors = np.stack([a, 2 * a]), np.stack([b[:, 0], b[:, -1]])  # a vector for each matrix
    wanted = np.stack([x[:, 0], x[:, -1] / 2])
    same(cp.lapack.posv(cp.asarray(both), cp.asarray(vectors)), wanted, **tolerance(dtype))
    factors = cp.linalg.cholesky(cp.asarray(both))
    same(cp.lapack.potrs(factors, cp.asarray(vectors), True), wanted, **tolerance(dtype))
    same(cp.linalg.invh(cp.asarray(a)), np.linalg.inv(a), **tolerance(dtype))
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.invh(cp.asarray(-a))


@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4), (2, 6, 3), (2, 3, 6)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gels(dtype, shape, rng):
    a, b = matrices(shape, dtype, rng), matrices((*shape[:-1], 2), dtype, rng)
    ours = cp.lapack.gels(cp.asarray(a), cp.asarray(b)).get()
    assert np.allclose(ours, np.linalg.pinv(a) @ b, **tolerance(dtype))
    if len(shape) == 2:
        one = cp.lapack.gels(cp.asarray(a), cp.asarray(b[:, 0])).get()
        assert np.allclose(one, ours[:, 0], **tolerance(dtype))


# ---- equations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_solve_with_structure(dtype, transposed, rng):
    p, b = positive((5, 5), dtype, rng), matrices((5, 2), dtype, rng)
    g = matrices((5, 5), dtype, rng, 3)
    symmetric = g + g.T
    cases = [
        (g, None), (g, "gen"), (g, "general"), (p, "pos"), (p, "hermitian"), (symmetric, "sym"),
        (np.triu(g), "upper triangular"), (np.tril(g), "lower triangular"),
        (np.diag(np.diag(g)), "diagonal"),
    ]  # fmt: skip
    for a, kind in cases:
        op = a.T if transposed else a
        for lower in (False, True):
            x = cl.solve(cp.asarray(a), cp.asarray(b), lower, assume_a=kind, transposed=transposed)
            assert np.allclose(op @ x.get(), b, **tolerance(dtype)), kind
            x = cl.solve(cp.asarray(a), cp.asarray(b[:, 0]), lower, assume_a=kind)
            assert np.allclose(a @ x.get(), b[:, 0], **tolerance(dtype)), kind
    half = np.tril(p)
    x = cl.solve(cp.asarray(half), cp.asarray(b), True, assume_a="pos").get()
    assert np.allclose(p @ x, b, **tolerance(dtype))


@pytest.mark.parametrize("name", ["inv", "det", "pinv", "norm", "svdvals"])
def test_what_numpy_has_too(name, rng):
    same(*both(name, matrices((4, 4), "f8", rng)), rtol=1e-10)


def test_lstsq_and_ranks(rng):
    a, b = matrices((6, 3), "f8", rng), matrices((6, 2), "f8", rng)
    for right in (b, b[:, 0]):
        ours, theirs = both("lstsq", a, right)
        for x, y in zip(ours, theirs, strict=True):
            assert np.allclose(to_numpy(x), y)
    ours, theirs = both("pinv", a, return_rank=True)
    assert np.allclose(ours[0].get(), theirs[0]) and int(ours[1]) == theirs[1]


@pytest.mark.parametrize(
    "name", ["solve", "inv", "svd", "lu", "cholesky", "eigh", "qr", "cho_factor"]
)
def test_infinities_are_refused(name):
    a = cp.asarray([[1.0, np.inf], [0.0, 1.0]])
    arguments = (a, cp.ones(2)) if name == "solve" else (a,)
    with pytest.raises(ValueError, match="infs or NaNs"):
        getattr(cl, name)(*arguments)


# ---- decompositions ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_eigh_of_pairs(dtype, lower, kind, rng):
    a = matrices((5, 5), dtype, rng)
    a, b = a + a.conj().T, positive((5, 5), dtype, rng)
    w, v = (x.get() for x in cl.eigh(cp.asarray(a), cp.asarray(b), lower=lower, type=kind))
    same(w, sl.eigh(a, b, lower=lower, type=kind)[0], rtol=1e-9)
    left, right = {1: (a @ v, b @ v * w), 2: (a @ b @ v, v * w), 3: (b @ a @ v, v * w)}[kind]
    assert np.allclose(left, right)
    alone = cl.eigvalsh(cp.asarray(a), cp.asarray(b), lower=lower, type=kind)
    assert np.allclose(alone.get(), w)


def test_eigh_subsets(rng):
    a = matrices((6, 6), "f8", rng)
    a = a + a.T
    same(*both("eigvalsh", a, subset_by_index=[1, 3]), rtol=1e-10)
    same(*both("eigvalsh", a, subset_by_value=[-1.0, 2.0]), rtol=1e-10)
    w, v = cl.eigh(cp.asarray(a), subset_by_index=[0, 1])
    assert np.allclose(a @ v.get(), v.get() * w.get())
    for wrong in ({"subset_by_index": [3, 9]}, {"subset_by_value": [2, 1]}):
        for f, x in ((cl.eigh, cp.asarray(a)), (sl.eigh, a)):
            with pytest.raises(ValueError):
                f(x, **wrong)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_eig(dtype, rng):
    a, b = matrices((5, 5), dtype, rng), matrices((5, 5), dtype, rng, 4)
    w, vl, vr = (x.get() for x in cl.eig(cp.asarray(a), left=True))
    assert np.allclose(a @ vr, vr * w)
    assert np.allclose(vl.conj().T @ a, w[:, None] * vl.conj().T)
    w, v = (x.get() for x in cl.eig(cp.asarray(a), cp.asarray(b)))
    assert np.allclose(a @ v, b @ v * w)
    assert cl.eigvals(cp.asarray(a), homogeneous_eigvals=True).shape == (2, 5)
    assert cl.eigvals(cp.asarray(np.triu(a))).dtype == "c16"
    # SciPy 1.18 put `overwrite_b` before `check_finite`.
    assert cl.eigvals(cp.asarray(a), None, False, False, True, True).shape == (2, 5)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_eig_of_pairs(dtype, rng):
    a, b = matrices((2, 4, 4), dtype, rng), matrices((4, 4), dtype, rng, 4)
    w, vl, vr = (x.get() for x in cl.eig(cp.asarray(a), cp.asarray(b), left=True))
    assert (w.shape, vl.shape, vr.shape) == ((2, 4), (2, 4, 4), (2, 4, 4)) and vr.dtype == "c16"
    assert np.allclose(a @ vr, b @ vr * w[:, None])
    adjoint = vl.conj().transpose(0, 2, 1)
    assert np.allclose(adjoint @ a, w[..., None] * (adjoint @ b))
    assert cl.eig(cp.asarray(a[:0]), cp.asarray(b))[1].shape == (0, 4, 4)


def test_eig_of_singular_pairs():
    """Some eigenvalues are infinite."""
    a, b = np.diag([2.0, 3.0]), np.diag([1.0, 0.0])
    for homogeneous in (False, True):
        same(*both("eigvals", a, b, homogeneous_eigvals=homogeneous), rtol=1e-12)
    assert cl.eigvals(cp.asarray(a), cp.asarray(b)).tolist() == [2, np.inf]


def test_drivers_of_lapack():
    """They are not used, and refused where SciPy refuses them."""
    a, d, e = np.eye(3), np.ones(3), np.ones(2)
    for name, given, options in (
        ("eigh", (a,), {"driver": "wrong"}),
        ("eigh", (a,), {"driver": "gvd"}),
        ("eigh", (a, a), {"driver": "evr"}),
        ("eigvalsh", (a,), {"driver": "evd", "subset_by_index": (0, 1)}),
        ("eigvalsh_tridiagonal", (d, e), {"lapack_driver": 1.0}),
        ("eigvalsh_tridiagonal", (d, e), {"lapack_driver": "wrong"}),
        ("eigh_tridiagonal", (d, e), {"lapack_driver": "sterf"}),
        (
            "eigvalsh_tridiagonal",
            (d, e),
            {"lapack_driver": "stev", "select": "i", "select_range": (0, 1)},
        ),
    ):
        with pytest.raises((TypeError, ValueError)) as refusal:
            getattr(sl, name)(*given, **options)
        with pytest.raises(refusal.type):
            getattr(cl, name)(*map(cp.asarray, given), **options)
    for options in ({"driver": "evd"}, {"driver": "evr", "subset_by_index": (0, 2)}):
        assert cl.eigvalsh(cp.eye(3), **options).tolist() == [1, 1, 1]


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)], ids=str)
@pytest.mark.parametrize("mode", ["full", "economic", "r", "raw"])
def test_qr_with_pivoting(mode, shape, rng):
    a = matrices((2, *shape), "f8", rng)
    mine, theirs = both("qr", a[0], mode=mode, pivoting=True)
    same(mine, theirs, rtol=1e-9, atol=1e-12)
    stack = cl.qr(cp.asarray(a), mode=mode, pivoting=True)
    assert cp.array_equal(stack[-1][0], mine[-1]) and cp.array_equal(stack[-2][0], mine[-2])
    nothing = cl.qr(cp.asarray(a[:0]), mode=mode, pivoting=True)
    assert nothing[-1].shape == (0, shape[1]) and nothing[-1].dtype == np.int32


def test_products_with_q(rng):
    """With `overwrite_c` the factor is square for products from the left."""
    a = matrices((4, 2), "f8", rng)
    for c, options in (
        (rng.normal(size=(2, 3)), {"mode": "left"}),
        (rng.normal(size=4), {"mode": "left", "overwrite_c": True}),
        (rng.normal(size=(4, 3)), {"mode": "left", "overwrite_c": True}),
        (rng.normal(size=(3, 4)), {"overwrite_c": True}),
        (rng.normal(size=(3, 4)), {"pivoting": True}),
    ):
        desired = sl.qr_multiply(a, c.copy(), **options)
        actual = cl.qr_multiply(cp.asarray(a), cp.asarray(c), **options)
        for mine, theirs in zip(actual, desired, strict=True):
            same(mine, theirs, rtol=1e-9, atol=1e-12)


def test_eigenvalues_are_sorted_by_functions_of_the_device(rng):
    a, b = matrices((4, 4), "f8", rng), matrices((4, 4), "f8", rng, 4)

    def outside(xp):
        return lambda alpha, beta: xp.absolute(alpha) > xp.absolute(beta)

    actual = cl.ordqz(cp.asarray(a), cp.asarray(b), sort=outside(cp))
    for mine, theirs in zip(actual, sl.ordqz(a, b, sort=outside(np)), strict=True):
        same(mine, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)], ids=str)
def test_qr_modes(shape, rng):
    a = matrices(shape, "f8", rng)
    for mode in ("full", "economic"):
        (q, r), (q_theirs, r_theirs) = both("qr", a, mode=mode)
        assert q.shape == q_theirs.shape and r.shape == r_theirs.shape
        assert np.allclose((q @ r).get(), a)
    same(*both("qr", a, mode="r"), rtol=1e-9, atol=1e-12)
    same(*both("qr", a, mode="raw"), rtol=1e-9, atol=1e-12)


def test_from_singular_values(rng):
    a = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 4))
    q, n = cl.orth(cp.asarray(a)).get(), cl.null_space(cp.asarray(a)).get()
    assert q.shape == (6, 2) and n.shape == (4, 2)
    assert np.allclose(q @ q.T @ a, a) and np.allclose(a @ n, 0, atol=1e-12)
    for side in ("right", "left"):
        b = matrices((4, 4), "c16", rng)
        same(*both("polar", b, side), rtol=1e-9, atol=1e-11)
    same(*both("diagsvd", np.array([3.0, 2.0]), 2, 4))
    u, s, vh = cl.svd(cp.asarray(a))
    assert np.allclose((u[:, :4] * s @ vh).get(), a)


# ---- functions of matrices ---------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-8, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_expm(dtype, size, rng):
    a = (matrices((6, 6), dtype, rng) / 6 * size).astype(dtype)
    ours, theirs = both("expm", a)
    assert ours.dtype == theirs.dtype
    bound = 200 * np.finfo(dtype).eps * max(1.0, size)
    assert np.linalg.norm(ours.get() - theirs) <= bound * np.linalg.norm(theirs)


def test_expm_in_batches(rng):
    a = rng.normal(size=(4, 5, 5)) * np.array([0.0, 0.1, 1.0, 20.0])[:, None, None]
    ours = cl.expm(cp.asarray(a)).get()
    for x, y in zip(ours, a, strict=True):
        assert np.allclose(x, sl.expm(y), rtol=1e-9, atol=1e-9 * np.abs(x).max())
    assert np.allclose(ours[0], np.eye(5), rtol=1e-15, atol=0)
    same(cl.expm(cp.asarray([[0, 1], [0, 0]])), np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert cl.expm(cp.zeros((0, 0))).shape == (0, 0)


@pytest.mark.parametrize("name", ["cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_other_functions(dtype, name, rng):
    same(*both(name, matrices((4, 4), dtype, rng) / 3), rtol=1e-8, atol=1e-11)


def test_khatri_rao(rng):
    a, b = rng.normal(size=(3, 4)), rng.integers(0, 9, (2, 4))
    same(*both("khatri_rao", a, b))
    with pytest.raises(ValueError):
        cl.khatri_rao(cp.ones((2, 3)), cp.ones((2, 4)))


# ---- matrices from a few numbers ---------------------------------------------------------------

VECTOR = np.array([3.0, -1.0, 2.0, 5.0])
WHOLE = np.array([1, 2, 3, 4])
SPECIAL = [
    ("toeplitz", WHOLE), ("toeplitz", WHOLE, np.array([9, 8, 7.5])), ("toeplitz", VECTOR * 1j),
    ("toeplitz", np.arange(6).reshape(2, 3)), ("hankel", WHOLE), ("hankel", WHOLE, VECTOR[:2]),
    ("circulant", VECTOR), ("circulant", np.arange(6).reshape(2, 3)), ("hadamard", 1),
    ("hadamard", 8), ("hadamard", 4, "f4"), ("leslie", VECTOR, VECTOR[1:]),
    ("companion", VECTOR), ("companion", WHOLE), ("helmert", 1), ("helmert", 5),
    ("helmert", 5, True), ("hilbert", 6), ("dft", 5), ("dft", 8, "sqrtn"), ("dft", 3, "n"),
    ("fiedler", VECTOR), ("fiedler", WHOLE), ("fiedler", VECTOR[:1]),
    ("fiedler_companion", VECTOR[:2]),
    ("block_diag", WHOLE, VECTOR.reshape(2, 2), np.array(7)), ("block_diag",), ("block_diag", np.ones((2, 1, 3)), np.zeros((1, 2, 2))),
    ("block_diag", np.zeros((0, 2)), WHOLE), ("bandwidth", np.triu(np.tril(np.ones((5, 6)), 1), -2)),
    ("issymmetric", np.eye(3)), ("issymmetric", np.triu(np.ones((3, 3)))),
    ("ishermitian", np.array([[1, 1j], [-1j, 2]])),
]  # fmt: skip


@pytest.mark.parametrize("n", [-1, np.int8(-1), 0])
def test_helmert_needs_a_row(n):
    for helmert in (cl.helmert, sl.helmert):
        with pytest.raises(IndexError if n == 0 else ValueError):
            helmert(n)


@pytest.mark.parametrize("case", SPECIAL, ids=lambda c: c[0])
def test_special_matrices(case):
    same(*both(*case), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("n", range(1, 10))
def test_fiedler_companion(n):
    a = np.arange(2.0, 2 * n + 2)
    if n > 1:
        same(*both("fiedler_companion", a[:n]))
    else:  # SciPy before 1.18 has no matrix of a constant
        for shape in ((1,), (2, 1)):
            found = cl.fiedler_companion(cp.asarray(a[:1].repeat(shape[0])[:, None].reshape(shape)))
            assert (found.shape, found.dtype) == ((*shape[:-1], 0, 0), "f8")
        return
    stack = cl.fiedler_companion(cp.asarray(a.reshape(2, n)))
    same(stack, np.stack([sl.fiedler_companion(row) for row in a.reshape(2, n)]))


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
@pytest.mark.parametrize("m, n", [(3, 5), (5, 3), (4, 4), (1, 3), (4, 1), (4, 2)])
def test_convolution_matrix(m, n, mode):
    same(*both("convolution_matrix", np.arange(1, m + 1), n, mode))


@pytest.mark.parametrize(
    "case",
    [
        ("hadamard", 6), ("leslie", VECTOR, VECTOR), ("companion", VECTOR[:1]),
        ("companion", np.array([0.0, 1.0])), ("dft", 3, "x"), ("convolution_matrix", VECTOR, 0),
        ("convolution_matrix", VECTOR, 2, "x"),
        ("fiedler_companion", np.array([0.0, 1.0, 2.0])), ("solve", np.ones((2, 3)), VECTOR),
        ("solve", np.eye(2), VECTOR), ("solve_triangular", np.eye(2), VECTOR),
        ("solve", np.eye(2), np.ones(2), False, False, False, True, "odd"),
        ("qr", np.eye(2), False, None, "odd"), ("polar", np.eye(2), "up"), ("eigh", np.ones((2, 3))),
        ("diagsvd", VECTOR, 2, 3),
    ],
    ids=lambda c: c[0],
)  # fmt: skip
def test_wrong_arguments(case):
    name, *arguments = case
    with pytest.raises(Exception) as theirs:
        getattr(sl, name)(*arguments)
    moved = [
        cp.asarray(a) if isinstance(a, np.ndarray) else
        tuple(map(cp.asarray, a)) if isinstance(a, tuple) else a
        for a in arguments
    ]  # fmt: skip
    with pytest.raises(theirs.type):
        getattr(cl, name)(*moved)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_pinvh(dtype, lower, rng):
    a = matrices((6, 4), dtype, rng)
    a = a @ a.conj().T
    cut = {"rtol": 1e-4 if np.dtype(dtype).char in "fF" else 1e-10}
    ours, theirs = both("pinvh", a, lower=lower, return_rank=True, **cut)
    same(ours[0], theirs[0], **tolerance(dtype))
    assert int(ours[1]) == theirs[1] == 4
    with pytest.raises(ValueError):
        cl.pinvh(cp.asarray(a), atol=-1.0)


def test_pinvh_of_indefinite_stacks(rng):
    a = matrices((3, 5, 5), "f8", rng)
    a = a + np.swapaxes(a, -1, -2)
    same(cl.pinvh(cp.asarray(a)), np.linalg.inv(a), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_orthogonal_procrustes(dtype, rng):
    a, b = matrices((7, 4), dtype, rng), matrices((7, 4), dtype, rng)
    ours, theirs = both("orthogonal_procrustes", a, b)
    same(ours[0], theirs[0], **tolerance(dtype))
    assert np.allclose(float(ours[1]), theirs[1], rtol=1e-4)
    with pytest.raises(ValueError):
        cl.orthogonal_procrustes(cp.asarray(a), cp.asarray(b[:5]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("left, right", [(3, 3), (4, 2), (2, 4)])
def test_subspace_angles(dtype, left, right, rng):
    a, b = matrices((9, left), dtype, rng), matrices((9, right), dtype, rng)
    ours, theirs = both("subspace_angles", a, b)
    assert np.allclose(to_numpy(ours), theirs, **tolerance(dtype))
    near = both("subspace_angles", a, a + np.finfo(dtype).eps * 8 * b[:, :1])
    assert np.allclose(to_numpy(near[0]), near[1], atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 3, 5)], ids=str)
@pytest.mark.parametrize("mode", ["full", "economic"])
def test_rq(dtype, shape, mode, rng):
    a = matrices(shape, dtype, rng)
    r, q = (to_numpy(x) for x in cl.rq(cp.asarray(a), mode=mode))
    rows, columns = shape[-2:]
    inner = min(rows, columns) if mode == "economic" else columns
    assert r.shape == (*shape[:-2], rows, inner) and q.shape == (*shape[:-2], inner, columns)
    assert np.allclose(r @ q, a, **tolerance(dtype))
    one = q @ np.swapaxes(q.conj(), -1, -2)
    assert np.allclose(one, np.eye(inner), atol=1e-5)
    assert np.allclose(np.tril(r[..., -inner:], inner - rows - 1), 0)
    if mode == "full":
        assert np.array_equal(to_numpy(cl.rq(cp.asarray(a), mode="r")), r)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_lu_solve_of_stacks(dtype, trans, rng):
    a, b = matrices((5, 4, 4), dtype, rng, 3), matrices((5, 4, 2), dtype, rng)
    x = cl.lu_solve(cl.lu_factor(cp.asarray(a)), cp.asarray(b), trans).get()
    op = [a, np.swapaxes(a, 1, 2), np.swapaxes(a.conj(), 1, 2)][trans]
    assert np.allclose(op @ x, b, **tolerance(dtype))


@pytest.mark.parametrize("dtype", ["f", "F", "d"])
def test_determinants_are_of_double_precision(dtype):
    a = np.array([[[2, 1], [1, 3]], [[0, 1], [1, 0]]], dtype)
    for part in (a, a[0]):
        desired, actual = sl.det(part), cl.det(cp.asarray(part))
        assert actual.dtype == desired.dtype
        np.testing.assert_allclose(actual.get(), desired, rtol=1e-6)


@pytest.mark.parametrize("layout", "CF")
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles_and_many_right_sides(dtype, trans, layout, rng):
    """More than our kernel takes."""
    a, b = matrices((4, 4), dtype, rng, 4), matrices((4, 1100), dtype, rng)
    given = cp.asarray(a) if layout == "C" else cp.asarray(a.T.copy()).T
    for lower, unit in ((False, False), (True, False), (True, True)):
        options = {"trans": trans, "lower": lower, "unit_diagonal": unit}
        found = cl.solve_triangular(given, cp.asarray(b), **options)
        assert found.flags.c_contiguous
        same(found, sl.solve_triangular(a, b, **options), **tolerance(dtype))


@pytest.mark.parametrize("columns", [2, 1100])
def test_what_triangles_refuse(columns):
    a, b = np.triu(np.ones((3, 3))), np.ones((3, columns))
    spoilt, singular = a.copy(), a.copy()
    spoilt[0, 2], singular[1, 1] = np.nan, 0
    both = np.where(np.isnan(spoilt), spoilt, singular)
    for matrix, error in (
        (spoilt, ValueError),
        (singular, np.linalg.LinAlgError),
        (both, ValueError),
    ):
        with pytest.raises(error, match="infs or NaNs|at diagonal 1"):
            cl.solve_triangular(cp.asarray(matrix), cp.asarray(b))
    cl.solve_triangular(cp.asarray(singular), cp.asarray(b), unit_diagonal=True)
    cl.solve_triangular(cp.asarray(spoilt), cp.asarray(b), check_finite=False)
    with pytest.raises(ValueError, match="infs or NaNs"):
        cl.solve_triangular(cp.asarray(spoilt), cp.asarray(b), unit_diagonal=True)
    with cp.errstate(linalg="ignore"):
        cl.solve_triangular(cp.asarray(both), cp.asarray(b))
