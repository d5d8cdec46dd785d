"""Structured matrices on the device, and what SciPy computes on the host, beside SciPy."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.linalg as host
from check import to_numpy

import gpunp as cp
from gpunp.scipy import linalg


def of_host(name, *args, **options):
    """SciPy's result. From 1.18 on it warns of half precision, which stays here, without a warning."""
    with warnings.catch_warnings():
        message = "Calling .* with arguments of dtype=float16"
        warnings.filterwarnings("ignore", message, DeprecationWarning)
        return getattr(host, name)(*args, **options)


def agree(name, *args, rtol=1e-9, **options):
    """The function of this name gives SciPy's results, or raises the same type of error."""

    def on_device(x):
        if isinstance(x, np.ndarray):
            return cp.asarray(x)
        return type(x)(map(on_device, x)) if type(x) in (tuple, list) else x

    try:
        theirs = of_host(name, *args, **options)
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(linalg, name)(*map(on_device, args), **options)
        return
    mine = getattr(linalg, name)(*map(on_device, args), **options)
    compare(mine, theirs, rtol)


def compare(mine, theirs, rtol):
    if isinstance(theirs, tuple):
        assert len(mine) == len(theirs)
        for x, y in zip(mine, theirs, strict=True):
            compare(x, y, rtol)
        return
    if isinstance(theirs, np.ndarray):
        assert type(mine) is cp.ndarray
    assert to_numpy(mine).dtype == np.asarray(theirs).dtype
    np.testing.assert_allclose(to_numpy(mine), theirs, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("dtype", ["f", "d", "D"])
@pytest.mark.parametrize(
    "below, above, n", [(1, 1, 9), (0, 2, 5), (3, 0, 6), (10, 9, 40), (2, 4, 3)]
)
def test_solve_banded(below, above, n, dtype, rng):
    ab = (
        rng.standard_normal((below + above + 1, n))
        + 5 * (np.arange(below + above + 1) == above)[:, None]
    )
    ab = ab.astype(dtype)
    tolerance = 1e-4 if dtype == "f" else 1e-9
    for b in (rng.standard_normal(n), rng.standard_normal((n, 3))):
        agree("solve_banded", (below, above), ab, b.astype(dtype), rtol=tolerance)


def test_banded_errors():
    ab = np.ones((3, 4))
    agree("solve_banded", (1, 2), ab, np.ones(4))
    agree("solve_banded", (1, 1), ab, np.ones(5))
    agree("solve_banded", (1, 1), ab * np.nan, np.ones(4))
    with pytest.raises(np.linalg.LinAlgError):
        linalg.solve_banded((0, 0), cp.zeros((1, 4)), cp.ones(4))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", ["d", "D"])
def test_hermitian_bands(lower, dtype, rng):
    n, width = 7, 2
    ab = rng.standard_normal((width + 1, n))
    if dtype == "D":
        ab = ab + 0.3j * rng.standard_normal((width + 1, n))
    ab[0 if lower else width] = 6
    b = rng.standard_normal((n, 2)).astype(dtype)
    agree("solveh_banded", ab, b, lower=lower)
    agree("cholesky_banded", ab, lower=lower)
    factor = host.cholesky_banded(ab, lower=lower)
    agree("cho_solve_banded", (factor, lower), b)
    agree("eigvals_banded", ab, lower=lower)
    agree("eig_banded", ab, lower=lower, eigvals_only=True, select="i", select_range=(1, 3))
    w, v = linalg.eig_banded(cp.asarray(ab), lower=lower)
    full = (v * w) @ v.conj().T
    assert (
        np.abs(np.diag(full.get(), -1) - (ab[1, :-1] if lower else ab[1, 1:].conj())).max() < 1e-9
    )


def test_tridiagonal_eigenvalues(rng):
    d, e = rng.standard_normal(9), rng.standard_normal(8)
    agree("eigvalsh_tridiagonal", d, e)
    agree("eigvalsh_tridiagonal", d, e, select="v", select_range=(-1, 1))
    agree("eigh_tridiagonal", d, e, eigvals_only=True, select="i", select_range=(0, 2))
    for wrong in ((d, e[:3]), (d + 1j, e)):
        agree("eigh_tridiagonal", *wrong)
    agree("eigh_tridiagonal", d, e, select="none")
    w, v = linalg.eigh_tridiagonal(cp.asarray(d), cp.asarray(e))
    np.testing.assert_allclose(np.diag(((v * w) @ v.T).get()), d, atol=1e-12)


@pytest.mark.parametrize("shape", [(6,), (6, 2)])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_toeplitz_and_circulant(shape, kind, rng):
    def drawn(*size):
        x = rng.standard_normal(size)
        return x + 1j * rng.standard_normal(size) if kind == "complex" else x

    c, r, x = drawn(6), drawn(6), drawn(*shape)
    c[0] = r[0] = 7
    agree("solve_toeplitz", (c, r), x)
    agree("solve_toeplitz", c, x)
    agree("matmul_toeplitz", (c, r), x)
    agree("matmul_toeplitz", (c[:4], r), x)
    agree("solve_circulant", c, x)
    agree("solve_circulant", np.stack([c, r]), drawn(6, 1), baxis=0, outaxis=-1)
    agree("solve_circulant", np.ones(6), drawn(6))
    agree("solve_circulant", np.ones(6), drawn(6), singular="lstsq")
    agree("solve_toeplitz", c, x[:3])


A = np.array([[4.0, 1.0, -2.0], [0.5, 3.0, 1.0], [-1.0, 2.0, 5.0]])
B = np.array([[2.0, 0.3, 0.0], [0.1, 1.0, 0.2], [0.0, 0.4, 3.0]])
S = A + A.T
Q, R = host.qr(A)

CALLS = [
    ("schur", (A,), {}),
    ("schur", (A,), {"output": "complex"}),
    ("schur", (A,), {"sort": "rhp"}),
    ("rsf2csf", host.schur(A), {}),
    ("hessenberg", (A,), {"calc_q": True}),
    ("qz", (A, B), {}),
    ("ordqz", (A, B), {"sort": "lhp"}),
    ("ldl", (S,), {}),
    ("cossin", (Q,), {"p": 1, "q": 2}),
    ("cossin", (12j,), {}),
    ("cossin", ((Q[:1, :2], Q[:1, 2:], Q[1:, :2], Q[1:, 2:]),), {}),
    ("cdf2rdf", host.eig(np.array([[0.0, 1.0], [-1.0, 0.0]])), {}),
    ("matrix_balance", (A,), {}),
    ("sqrtm", (A,), {}),
    ("sqrtm", (-S,), {}),
    ("logm", (A,), {}),
    ("signm", (A,), {}),
    ("funm", (A, np.sin), {}),
    ("funm", (A, lambda x: (cp.sin if isinstance(x, cp.ndarray) else np.sin)(x)), {}),
    ("fractional_matrix_power", (A, 0.3), {}),
    ("expm_frechet", (A, B), {}),
    ("expm_frechet", (A, B), {"compute_expm": False}),
    ("expm_frechet", (A, B[:2]), {}),
    ("expm_cond", (A,), {}),
    ("solve_sylvester", (A, B, S), {}),
    ("solve_continuous_lyapunov", (A, S), {}),
    ("solve_discrete_lyapunov", (A / 9, S), {}),
    ("solve_continuous_are", (A, B, S, np.eye(3)), {}),
    ("solve_discrete_are", (A, B, np.eye(3), np.eye(3)), {}),
    ("qr_multiply", (A[:, :2], A[:2]), {"mode": "left"}),
    ("qr_multiply", (A[:, :2], A), {"mode": "left"}),
    ("qr_multiply", (A[:, :2], A), {}),
    ("qr_multiply", (A[:, :2], A), {"mode": "none"}),
    ("qr_multiply", (A, A[:, :2]), {}),
    ("qr_update", (Q, R, A[0], A[1]), {}),
    ("qr_insert", (Q, R, A[0], 1), {}),
    ("qr_delete", (Q, R, 1), {"which": "col"}),
    ("pascal", (5,), {}),
    ("pascal", (5, "lower", False), {}),
    ("invpascal", (5,), {}),
    ("invhilbert", (4,), {}),
    ("invhilbert", (4, True), {}),
    ("schur", (A[:2],), {}),
    ("cholesky_banded", (-np.ones((2, 3)),), {}),
]


@pytest.mark.parametrize(
    "name, args, options", CALLS, ids=[f"{c[0]}-{k}" for k, c in enumerate(CALLS)]
)
def test_functions_of_matrices(name, args, options):
    agree(name, *args, **options)


def test_sketches():
    a = np.arange(12.0).reshape(6, 2)
    theirs = host.clarkson_woodruff_transform(a, 3, np.random.default_rng(5))
    found = linalg.clarkson_woodruff_transform(cp.asarray(a), 3, np.random.default_rng(5))
    np.testing.assert_allclose(found.get(), theirs)
    from gpunp.scipy.sparse import csr_array

    for given in ({"seed": 5}, {"seed": np.random.RandomState(5)}):
        found = linalg.clarkson_woodruff_transform(cp.asarray(a), 3, **given)
        older = host.clarkson_woodruff_transform(a, 3, seed=5)
        np.testing.assert_allclose(found.get(), older)
    for shape in ((2, 6, 3), (2, 3, 6, 2), (2, 0, 3)):
        stack = np.arange(float(np.prod(shape))).reshape(shape)
        agree("clarkson_woodruff_transform", stack, 4, rng=7)
    with pytest.raises(IndexError, match="two dimensions"):
        linalg.clarkson_woodruff_transform(cp.ones(6), 3, 5)
    with pytest.raises(TypeError, match="not both"):
        linalg.clarkson_woodruff_transform(cp.asarray(a), 3, rng=5, seed=5)
    found = linalg.clarkson_woodruff_transform(csr_array(cp.asarray(a)), 3, 5)
    np.testing.assert_allclose(found.toarray().get(), theirs)


def test_older_seeds_of_sketches():
    a = np.arange(12.0).reshape(6, 2)
    for make in (lambda: 5, lambda: np.random.RandomState(5), lambda: np.random.default_rng(5)):
        theirs = host.clarkson_woodruff_transform(a, 3, seed=make())
        found = linalg.clarkson_woodruff_transform(cp.asarray(a), 3, seed=make())
        np.testing.assert_allclose(found.get(), theirs)
    with pytest.raises(TypeError, match="not both"):
        linalg.clarkson_woodruff_transform(cp.asarray(a), 3, 1, seed=1)
    with pytest.raises(ValueError, match="seed must be"):
        linalg.clarkson_woodruff_transform(cp.asarray(a), 3, seed=2.5)


@pytest.mark.parametrize("shape", [(0, 0), (1, 0), (3, 0), (0, 3)], ids=str)
@pytest.mark.parametrize("kind", ["f4", "c16", "i4"])
def test_bands_of_nothing(kind, shape):
    a = np.zeros(shape, kind)
    agree("eig_banded", a)
    agree("eigvals_banded", a, True)
    agree("eig_banded", a, select="i", select_range=(0, 0))


def test_host_arrays_are_refused():
    with pytest.raises(TypeError):
        linalg.schur(A)


def test_integers_that_do_not_fit():
    with pytest.raises(ValueError):
        linalg.pascal(40)


def test_expm_of_a_number_is_a_matrix_of_one_element():
    for number in (1, 2.5, 1j):
        made = linalg.expm(number)
        expected = host.expm(number)
        assert made.shape == expected.shape == (1, 1)
        np.testing.assert_allclose(made.get(), expected, rtol=1e-14)


@pytest.mark.parametrize("shape", [(2, 3, 4, 6), (2, 5, 3), (3, 3)])
@pytest.mark.parametrize("dtype", ["f4", "D"])
def test_bases_of_stacks_are_those_of_each_matrix(shape, dtype):
    rng = np.random.default_rng(4)
    a = (rng.standard_normal((*shape[:-1], 2)) @ rng.standard_normal((2, shape[-1]))).astype(dtype)
    for name in ("null_space", "orth"):
        made = getattr(linalg, name)(cp.asarray(a), rcond=1e-5).get()
        expected = getattr(host, name)(a, rcond=1e-5)
        assert made.shape == expected.shape and made.dtype == expected.dtype
        same = made @ made.conj().swapaxes(-1, -2), expected @ expected.conj().swapaxes(-1, -2)
        np.testing.assert_allclose(*same, atol=1e-5)
    with pytest.raises(ValueError, match="rank"):
        linalg.orth(cp.asarray([np.eye(2), np.ones((2, 2))]))


def test_structure_of_stacks_is_that_of_each_matrix():
    a = np.array([[[1, 2j], [-2j, 1]], [[1, 2j], [2j, 1]], [[1, 0], [3, 4]]])
    for name in ("issymmetric", "ishermitian", "bandwidth"):
        for x in (a, a[None], a[2], a[:0]):
            made = getattr(linalg, name)(cp.asarray(x))
            expected = getattr(host, name)(x) if x.size else made
            if x.ndim == 2:
                assert type(made) is type(expected) and made == expected
            pairs = zip(made, expected, strict=True) if name == "bandwidth" else [(made, expected)]
            for m, e in pairs:
                np.testing.assert_array_equal(to_numpy(m), to_numpy(e))


def test_solve_with_scalars_and_bands():
    for a, b in [(1, [1, 2, 3]), (2, 3), ([2.0], [1, 2.0]), ([[2.0]], [1.0, 2]), ([[2.0]], 5.0)]:
        made, expected = linalg.solve(a, b), host.solve(a, b)
        np.testing.assert_allclose(made.get(), expected, strict=True)
    a = np.arange(36.0).reshape(6, 6) % 7 + 9 * np.eye(6)
    for kind in ("tridiagonal", "banded"):
        for transposed in (False, True):
            x = np.triu(np.tril(a, 1), -1) if kind == "banded" else a
            made = linalg.solve(cp.asarray(x), cp.ones(6), assume_a=kind, transposed=transposed)
            expected = host.solve(x, np.ones(6), assume_a=kind, transposed=transposed)
            np.testing.assert_allclose(made.get(), expected, rtol=1e-12)


# Functions of matrices of half precision, in which SciPy computes in single precision: how many
# matrices they take.
HALF = {
    "cholesky": 1, "cho_factor": 1, "cosm": 1, "det": 1, "eigh": 1, "eigvals": 1, "eigvalsh": 1, "expm": 1,
    "inv": 1, "lstsq": 2, "lu": 1, "lu_factor": 1, "null_space": 1, "orth": 1, "pinv": 1, "polar": 1, "qr": 1,
    "schur": 1, "sinhm": 1, "solve": 2, "solve_circulant": 2, "solve_sylvester": 3, "solve_triangular": 2,
    "solveh_banded": 2, "sqrtm": 1, "svd": 1, "svdvals": 1,
}  # fmt: skip
UP_TO_SIGNS = "eigh", "qr", "svd", "orth", "null_space", "schur"


@pytest.mark.parametrize("name", HALF)
def test_half_precision(name):
    a = np.array([[4, 1], [1, 3]], "e")
    theirs = of_host(name, *[a] * HALF[name])
    found = getattr(linalg, name)(*[cp.asarray(a)] * HALF[name])
    parts = [x if isinstance(x, tuple) else (x,) for x in (found, theirs)]
    for x, y in zip(*parts, strict=True):
        x = to_numpy(x)
        assert x.shape == np.shape(y) and (np.shape(y) == () or x.dtype == y.dtype)
        values = (abs(x), abs(y)) if name in UP_TO_SIGNS else (x, y)
        np.testing.assert_allclose(*values, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", "e?")
@pytest.mark.parametrize(
    "name", ["funm", "hessenberg", "ldl", "matrix_balance", "signm", "qz", "rsf2csf"]
)
def test_half_precision_on_the_host(name, dtype):
    """In single precision, without the warnings of SciPy 1.18."""
    a = np.array([[4, 1], [1, 3]], dtype)
    more = {"funm": (np.sinh,), "qz": (cp.asarray(a),), "rsf2csf": (cp.asarray(a),)}.get(name, ())
    single = [x.astype("f") if isinstance(x, cp.ndarray) else x for x in more]
    found = getattr(linalg, name)(cp.asarray(a), *more)
    wanted = getattr(linalg, name)(cp.asarray(a.astype("f")), *single)
    parts = [x if isinstance(x, tuple) else (x,) for x in (found, wanted)]
    for x, y in zip(*parts, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x.get(), y.get())


def test_half_precision_of_vectors():
    c, b = np.array([4, 1], "e"), np.array([1, 2], "e")
    agree("solve_toeplitz", c, b, rtol=1e-6)
    agree("solve_banded", (0, 1), np.array([[0, 1], [4, 3]], "e"), b, rtol=1e-6)
    agree("norm", c, rtol=1e-3)


BAND = np.array([[0.0, 1, 2, 1], [9, 8, 7, 6], [1, 2, 1, 0]])
STACKED = [  # arguments, and how many axes of each one call takes
    ("cholesky_banded", (BAND[:2],), (2,), {}),
    ("eig_banded", (BAND[1:],), (2,), {"lower": True, "eigvals_only": True}),
    ("eigvals_banded", (BAND[:2],), (2,), {}),
    ("eigh", (S, S @ S), (2, 2), {"eigvals_only": True}),
    ("eigh_tridiagonal", (BAND[1], BAND[0, 1:]), (1, 1), {"eigvals_only": True}),
    ("eigvalsh_tridiagonal", (BAND[1], BAND[0, 1:]), (1, 1), {}),
    ("expm_frechet", (A, B), (2, 2), {}),
    ("lstsq", (A, B), (2, 2), {}),
    ("orthogonal_procrustes", (A, B), (2, 2), {}),
    ("qr_multiply", (A, B), (2, 2), {"mode": "left"}),
    ("solve_banded", ((1, 1), BAND, BAND.T), (0, 2, 2), {}),
    ("solve_toeplitz", (BAND[1], BAND.T), (1, 2), {}),
    ("matmul_toeplitz", (BAND[1], BAND.T), (1, 2), {}),
    ("solveh_banded", (BAND[:2], BAND.T), (2, 2), {}),
    ("subspace_angles", (A[:, :2], B[:, 1:]), (2, 2), {}),
]


@pytest.mark.parametrize("name, args, axes, options", STACKED, ids=[c[0] for c in STACKED])
def test_stacks(name, args, axes, options):
    """Each matrix has the result that it has alone; shapes before the matrices are broadcast."""
    factors = [np.array([1.0, 1.5, 2.5]), np.array([[2.0], [3.0]])]  # of the first and the second
    scales = factors if sum(map(bool, axes)) > 1 else factors[:1]
    shape = np.broadcast_shapes(*(scale.shape for scale in scales))
    wide = iter([np.broadcast_to(scale, shape) for scale in scales])
    each = [next(wide) if count else None for count in axes]

    def result(pick, fill):
        given = [
            cp.asarray(pick(scale).reshape(fill(count)) * x) if count else x
            for x, count, scale in zip(args, axes, each, strict=True)
        ]
        found = getattr(linalg, name)(*given, **options)
        return found if isinstance(found, tuple) else (found,)

    whole = result(lambda scale: scale, lambda count: (*shape, *[1] * count))
    for index in np.ndindex(shape):
        one = result(lambda scale, at=index: scale[at], lambda count: ())
        for actual, desired in zip(whole, one, strict=True):
            desired = cp.asnumpy(cp.asarray(desired))
            np.testing.assert_allclose(actual[index].get(), desired, rtol=1e-9, atol=1e-12)


def test_vectors_for_stacks():
    """A vector is the right side of every matrix."""
    b = cp.asarray(B[0])
    found = linalg.lstsq(cp.asarray(np.stack([A, B])), b)[0]
    for one, matrix in zip(found, (A, B), strict=True):
        np.testing.assert_allclose((cp.asarray(matrix) @ one).get(), B[0], atol=1e-12)
    with pytest.raises(ValueError):
        linalg.lstsq(cp.zeros((0, 3, 3)), b)


@pytest.mark.parametrize("dtype", "fdFD")
def test_euclidean_norms_do_not_overflow(dtype, rng):
    """BLAS scales large and small numbers; NumPy's norm, whose squares overflow, does not."""
    limits = np.finfo(dtype)
    sizes = [float(limits.max) / 8, float(limits.tiny) * 8, float(limits.smallest_subnormal), 1.0]
    sizes += [2.0**486, 2.0**-511] if limits.bits == 64 else []
    for large, small in itertools.product(sizes, sizes):
        x = rng.uniform(0.5, 1, 40).astype(dtype)
        x[:20] *= large
        x[20:] *= small
        for order, view in ((None, x), (2, x[::3]), (2.0, x[19:21]), (None, x[:1]), (None, x[-1:])):
            theirs = host.norm(view, order)
            ours = (
                linalg.norm(cp.asarray(x)[:40], order)
                if view is x
                else linalg.norm(cp.asarray(view), order)
            )
            np.testing.assert_allclose(
                float(ours),
                theirs,
                rtol=1e-6 if limits.bits == 32 else 1e-14,
                atol=float(limits.smallest_subnormal),
            )
        assert ours.dtype == limits.dtype


def test_euclidean_norms_of_what_is_not_finite():
    for dtype in "fdFD":
        for values, wanted in (
            ([1, np.inf, 1e-30], np.inf),
            ([1e30, np.nan], np.nan),
            ([np.nan, 1e-300], np.nan),
            ([np.nan], np.nan),
        ):
            found = linalg.norm(cp.array(values, dtype), check_finite=False)
            np.testing.assert_equal(float(found), wanted)
    x = np.full((2, 3), 1e30, "f4")  # along an axis norms are NumPy's
    with np.errstate(over="ignore"):
        wanted = host.norm(x, axis=1)
    np.testing.assert_array_equal(linalg.norm(cp.asarray(x), axis=1).get(), wanted)
