"""Equations, inverses, determinants, ranks and least squares against NumPy."""

import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

DTYPES = ["f4", "f8", "c8", "c16"]


def matrices(shape, dtype, rng, shift=0.0):
    a = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return (a + shift * np.eye(*shape[-2:])).astype(dtype)


def near(dtype, scale=1):
    """Tolerances of results of about 1: of single precision or of double."""
    if np.dtype(dtype).char in "fF":
        return {"rtol": 2e-4 * scale, "atol": 1e-4 * scale}
    return {"rtol": 1e-11 * scale, "atol": 1e-13 * scale}


PAIRS = [
    ((1, 1), (1,)),
    ((5, 5), (5,)),
    ((5, 5), (5, 3)),
    ((5, 5), (5, 0)),
    ((4, 5, 5), (5,)),
    ((4, 5, 5), (4, 5, 2)),
    ((4, 5, 5), (5, 2)),
    ((5, 5), (4, 5, 2)),
    ((2, 1, 5, 5), (3, 5, 2)),
    ((40, 40), (40, 40)),
    ((3, 40, 40), (3, 40, 1)),
    ((2, 140, 140), (2, 140, 3)),
    ((0, 3, 3), (0, 3, 2)),
    ((0, 0), (0,)),
]


@pytest.mark.parametrize("left, right", PAIRS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype, left, right, rng):
    a, b = matrices(left, dtype, rng, 6), rng.normal(size=right).astype(dtype)
    check(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b)), **near(dtype))


def test_solve_mixed_types(rng):
    a, b = matrices((4, 4), "f4", rng, 4), rng.normal(size=(4, 2))
    check(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b)), rtol=1e-11)
    check(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b * 1j)), rtol=1e-11)
    check(lambda xp: xp.linalg.solve(xp.asarray([[2, 1], [0, 3]]), xp.asarray([1, 2])), rtol=1e-14)


@pytest.mark.parametrize("left", ["C", "F", "strided"])
@pytest.mark.parametrize("right", ["C", "F", "strided"])
def test_solve_any_layout(left, right, rng):
    def lay(x, kind):
        if kind == "F":
            return cp.asarray(x.T.copy()).T
        return cp.asarray(np.repeat(x, 2, 0))[::2] if kind == "strided" else cp.asarray(x)

    a, b = matrices((6, 6), "c16", rng, 4), matrices((6, 3), "c16", rng)
    ours = cp.linalg.solve(lay(a, left), lay(b, right)).get()
    assert np.allclose(ours, np.linalg.solve(a, b), rtol=1e-11)


@pytest.mark.parametrize(
    "shape", [(1, 1), (5, 5), (40, 40), (3, 4, 4), (2, 2, 6, 6), (3, 40, 40)], ids=str
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_inv(dtype, shape, rng):
    a = matrices(shape, dtype, rng, 6)
    check(lambda xp: xp.linalg.inv(xp.asarray(a)), **near(dtype))


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (40, 40), (3, 4, 4), (2, 2, 6, 6)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_determinants(dtype, shape, rng):
    a = matrices(shape, dtype, rng)
    check(lambda xp: xp.linalg.det(xp.asarray(a)), **near(dtype))
    check(lambda xp: tuple(xp.linalg.slogdet(xp.asarray(a))), **near(dtype))


def test_determinants_of_singular_matrices():
    for a in (np.zeros((3, 3)), np.ones((2, 2)), np.stack([np.ones((2, 2)), np.eye(2)])):
        check(lambda xp, a=a: xp.linalg.det(xp.asarray(a)))
        check(lambda xp, a=a: tuple(xp.linalg.slogdet(xp.asarray(a))))


def test_permutations_have_their_sign(rng):
    for _ in range(5):
        a = np.eye(7)[rng.permutation(7)]
        check(lambda xp, a=a: xp.linalg.det(xp.asarray(a)))


def test_slogdet_does_not_overflow():
    check(lambda xp: tuple(xp.linalg.slogdet(xp.eye(200) * 1e10)), rtol=1e-13)


SINGULAR = [np.zeros((2, 2)), np.ones((3, 3)), np.stack([np.eye(2), np.zeros((2, 2))])]


@pytest.mark.parametrize("a", SINGULAR, ids=lambda a: str(a.shape))
def test_singular_matrices(a):
    assert_raises_same(lambda xp: xp.linalg.inv(xp.asarray(a)))
    b = np.ones((a.shape[-1], 2))
    assert_raises_same(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(b)))
    with cp.errstate(linalg="ignore"):
        inverse = cp.linalg.inv(cp.asarray(a)).get()
        x = cp.linalg.solve(cp.asarray(a), cp.asarray(b)).get()
    assert np.isnan(inverse.reshape(-1, *a.shape[-2:])[-1]).all()
    assert np.isnan(x.reshape(-1, *b.shape)[-1]).all()
    if a.ndim == 3:
        assert np.array_equal(inverse[0], np.eye(2)) and np.array_equal(x[0], b)


def test_errors_of_shapes():
    assert_raises_same(lambda xp: xp.linalg.solve(xp.eye(3), xp.ones(2)))
    assert_raises_same(lambda xp: xp.linalg.solve(xp.eye(3), xp.ones((2, 3))))
    assert_raises_same(lambda xp: xp.linalg.solve(xp.ones((2, 3)), xp.ones(3)))
    assert_raises_same(lambda xp: xp.linalg.solve(xp.ones((2, 3, 3)), xp.ones((4, 3, 1))))
    assert_raises_same(lambda xp: xp.linalg.solve(xp.eye(3), xp.asarray(2.0)))
    assert_raises_same(lambda xp: xp.linalg.lstsq(xp.eye(3), xp.ones(2)))
    assert_raises_same(lambda xp: xp.linalg.lstsq(xp.ones((2, 2, 2)), xp.ones(2)))
    assert_raises_same(lambda xp: xp.linalg.tensorinv(xp.ones((2, 2)), 0))
    assert_raises_same(lambda xp: xp.linalg.tensorsolve(xp.ones((2, 3)), xp.ones(2)))
    assert_raises_same(lambda xp: xp.linalg.cond(xp.zeros((0, 0))))
    assert_raises_same(lambda xp: xp.linalg.matrix_rank(xp.eye(2), 1.0, rtol=1.0))
    assert_raises_same(lambda xp: xp.linalg.pinv(xp.eye(2), 1.0, rtol=1.0))


def test_tensors(rng):
    a = rng.normal(size=(2, 3, 6))
    check(lambda xp: xp.linalg.tensorsolve(xp.asarray(a), xp.ones((2, 3))), rtol=1e-11)
    b = rng.normal(size=(3, 6, 2))
    check(lambda xp: xp.linalg.tensorsolve(xp.asarray(b), xp.ones((3, 2)), axes=(1,)), rtol=1e-11)
    c = rng.normal(size=(4, 6, 8, 3))
    check(lambda xp: xp.linalg.tensorinv(xp.asarray(c)), rtol=1e-9, atol=1e-10, order=False)
    d = rng.normal(size=(24, 8, 3))
    check(lambda xp: xp.linalg.tensorinv(xp.asarray(d), 1), rtol=1e-9, atol=1e-10, order=False)


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"], ids=str)
def test_cond(p, rng):
    a = rng.normal(size=(2, 4, 4))
    check(lambda xp: xp.linalg.cond(xp.asarray(a), p), rtol=1e-9)
    check(lambda xp: xp.linalg.cond(xp.asarray(a[0].astype("f4")), p), rtol=1e-3)
    if p in (None, 2, -2):
        check(lambda xp: xp.linalg.cond(xp.asarray(a[0, :3]), p), rtol=1e-9)
    check(lambda xp: xp.linalg.cond(xp.zeros((2, 2)), p))


def test_matrix_rank(rng):
    a = rng.normal(size=(4, 5, 3)) @ rng.normal(size=(4, 3, 6))
    check(lambda xp: xp.linalg.matrix_rank(xp.asarray(a)))
    check(lambda xp: xp.linalg.matrix_rank(xp.asarray(a[0]), rtol=1e-3))
    check(lambda xp: xp.linalg.matrix_rank(xp.asarray(a[0]), tol=100.0))
    check(lambda xp: xp.linalg.matrix_rank(xp.asarray(a), xp.asarray([1.0, 1e9, 1.0, 0.1])))
    check(lambda xp: xp.linalg.matrix_rank(xp.asarray(a[0] @ a[0].T), hermitian=True))
    for v in (np.zeros(3), np.ones(3)):
        assert cp.linalg.matrix_rank(cp.asarray(v)) == np.linalg.matrix_rank(v)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 6, 4), (1, 3)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pinv(dtype, shape, rng):
    a = matrices(shape, dtype, rng)
    ours = cp.linalg.pinv(cp.asarray(a)).get()
    assert ours.dtype == dtype
    assert np.allclose(ours, np.linalg.pinv(a), **near(dtype))


def test_pinv_of_little_rank(rng):
    a = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5))
    for keywords in ({"rcond": 1e-10}, {"rtol": 1e-10}, {"rtol": None}):
        check(
            lambda xp, k=keywords: xp.linalg.pinv(xp.asarray(a), **k),
            rtol=1e-9,
            atol=1e-12,
            order=False,
        )
    h = a.T @ a
    ours = cp.linalg.pinv(cp.asarray(h), 1e-10, hermitian=True).get()
    assert np.allclose(ours, np.linalg.pinv(h, 1e-10, hermitian=True), rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4), (5, 1)], ids=str)
@pytest.mark.parametrize("columns", [None, 1, 3])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_lstsq(dtype, columns, shape, rng):
    a = matrices(shape, dtype, rng)
    b = rng.normal(size=shape[0] if columns is None else (shape[0], columns)).astype(dtype)
    theirs = np.linalg.lstsq(a, b)
    ours = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))
    for x, y in zip(ours, theirs, strict=True):
        assert x.shape == np.shape(y) and x.dtype == np.asarray(y).dtype
        assert np.allclose(x.get(), y, **near(dtype, 10))


def test_lstsq_of_little_rank(rng):
    a = rng.normal(size=(7, 2)) @ rng.normal(size=(2, 4))
    b = rng.normal(size=(7, 2))
    theirs, ours = np.linalg.lstsq(a, b), cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))
    assert int(ours[2]) == 2 and ours[1].shape == theirs[1].shape == (0,)
    assert np.allclose(ours[0].get(), theirs[0], rtol=1e-9)
    assert int(cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond=2.0)[2]) == 0


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)], ids=str)
def test_lstsq_of_nothing(shape):
    theirs = np.linalg.lstsq(np.zeros(shape), np.ones(shape[0]))
    ours = cp.linalg.lstsq(cp.zeros(shape), cp.ones(shape[0]))
    assert [x.shape for x in ours] == [np.shape(x) for x in theirs]
    assert np.array_equal(ours[0].get(), theirs[0]) and int(ours[2]) == theirs[2]


@pytest.mark.parametrize("n", [-1, -2, -5])
def test_negative_powers(n, rng):
    a = matrices((3, 4, 4), "f8", rng, 3)
    check(lambda xp: xp.linalg.matrix_power(xp.asarray(a), n), rtol=1e-10, atol=1e-12)


def test_errstate_nests_and_is_put_back():
    assert cp.geterr()["linalg"] == "raise"
    with cp.errstate(linalg="ignore"):
        assert cp.geterr()["linalg"] == "ignore"
        with cp.errstate(linalg="raise", divide="ignore"):
            assert cp.geterr()["linalg"] == "raise" and np.geterr()["divide"] == "ignore"
        assert cp.geterr()["linalg"] == "ignore"
    assert cp.geterr()["linalg"] == "raise"
    before = cp.seterr(linalg="ignore")
    assert cp.geterr()["linalg"] == "ignore"
    cp.seterr(**before)
    assert cp.geterr()["linalg"] == "raise"
    with pytest.raises(ValueError, match="linalg"):
        cp.errstate(linalg="warn")

    @cp.errstate(linalg="ignore")
    def quiet():
        return cp.linalg.inv(cp.zeros((1, 1)))

    assert np.isnan(quiet().get()).all()


def test_lstsq_with_negative_rcond_takes_the_unit_roundoff():
    a = np.diag([1.0, 0.75 * np.finfo("f8").eps])
    b = np.ones(2)
    for rcond, rank in ((-1, 2), (None, 1), (1e-3, 1)):
        ours = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond)
        assert int(ours[2]) == np.linalg.lstsq(a, b, rcond)[2] == rank
