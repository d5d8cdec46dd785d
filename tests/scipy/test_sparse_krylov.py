"""Krylov solvers on a collection of matrices: information, solutions and breakdowns of SciPy."""

import warnings

import numpy as np
import pytest
import scipy.sparse.linalg

import gpunp as cp
from gpunp.cuda.graph import Replayed
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg
from gpunp.scipy.sparse.linalg import _eigen
from gpunp.scipy.sparse.linalg._krylov import Basis

N = 24
LINE = np.diag(np.full(N, 2.0)) - np.diag(np.ones(N - 1), 1) - np.diag(np.ones(N - 1), -1)
RANDOM = np.random.default_rng(3).random((2, N, N))
COMPLEX = RANDOM[0] + 1j * RANDOM[1]

MATRICES = {
    "well-conditioned": LINE + 2 * np.eye(N),
    "ill-conditioned": LINE @ LINE,
    "indefinite": LINE - 0.71 * np.eye(N),
    "singular": np.diag([*np.linspace(1, 2, N - 1), 0.0]),
    "unsymmetric": RANDOM[0] + 7 * np.eye(N),
    "hermitian": COMPLEX + COMPLEX.conj().T + 9 * np.eye(N),
    "complex": COMPLEX + 9 * np.eye(N),
}
SYMMETRIC = ("well-conditioned", "ill-conditioned", "indefinite", "singular")
# Solvers, and the kinds of matrices for which they are.
SOLVERS = {
    "cg": ("well-conditioned", "ill-conditioned", "singular", "hermitian"),
    "minres": SYMMETRIC,
    **dict.fromkeys(
        ("bicg", "bicgstab", "cgs", "qmr", "tfqmr", "gmres", "lgmres", "gcrotmk"),
        ("well-conditioned", "indefinite", "unsymmetric", "singular", "complex"),
    ),
}
RESTARTED = ("gmres", "lgmres", "gcrotmk")  # which may differ in the last digits


def right_hand_side(name):
    b = np.linspace(1, 2, N)
    return b - b[-1] * (np.arange(N) == N - 1) if name == "singular" else b


def results(solver, a, b, **options):
    """SciPy's result and ours."""
    ours = {
        key: cp.asarray(value) if isinstance(value, np.ndarray) else value
        for key, value in options.items()
    }
    x, info = getattr(linalg, solver)(cp.asarray(a), cp.asarray(b), **ours)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = getattr(scipy.sparse.linalg, solver)(a, b, **options)
    assert x.dtype == theirs[0].dtype and x.shape == theirs[0].shape
    return theirs, (x.get(), info)


@pytest.mark.parametrize(
    ("solver", "matrix"), [(name, kind) for name, kinds in SOLVERS.items() for kind in kinds]
)
def test_solutions_are_scipys(solver, matrix):
    a, b = MATRICES[matrix], right_hand_side(matrix)
    (theirs, their_info), (ours, info) = results(solver, a, b, rtol=1e-6, maxiter=60)
    assert info == their_info
    scale = np.linalg.norm(b)
    if matrix == "ill-conditioned":  # rounding alone moves solutions
        assert np.linalg.norm(a @ ours - b) < 30 * np.linalg.norm(a @ theirs - b)
    else:
        limit = 1e-5 if solver in RESTARTED or matrix == "indefinite" else 1e-8
        assert np.linalg.norm(a @ (ours - theirs)) / scale < limit
    if info == 0 and solver not in ("minres", "tfqmr"):
        assert np.linalg.norm(a @ ours - b) <= 1.01e-6 * scale


BREAKDOWNS = {
    "rotation": (np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.0])),
    "exchange": (np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])),
    "zero": (np.zeros((3, 3)), np.ones(3)),
    "tiny": (np.diag([1.0, 2.0, 3.0]), np.full(3, 1e-17)),
    "nothing to do": (np.eye(3), np.zeros(3)),
    "one number": (np.array([[2.0]]), np.array([1.0])),
    "not a number": (np.eye(3), np.full(3, np.nan)),
}


@pytest.mark.parametrize("matrix", BREAKDOWNS)
@pytest.mark.parametrize("solver", ["bicg", "bicgstab", "cgs", "qmr", "tfqmr", *RESTARTED])
def test_breakdowns_are_scipys(solver, matrix):
    a, b = BREAKDOWNS[matrix]
    if matrix == "not a number" and solver in ("lgmres", "gcrotmk"):
        with pytest.raises(ValueError, match="finite"):
            getattr(linalg, solver)(cp.asarray(a), cp.asarray(b))
        return
    (theirs, their_info), (ours, info) = results(solver, a, b, maxiter=4)
    assert info == their_info
    if matrix != "not a number":
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("solver", ["minres", "qmr", "tfqmr", "lgmres", "gcrotmk"])
def test_callbacks_see_scipys_solutions(solver):
    a = MATRICES["well-conditioned" if solver == "minres" else "unsymmetric"]
    b, start = right_hand_side(""), np.linspace(0, 9, N)
    theirs, ours = [], []
    getattr(scipy.sparse.linalg, solver)(
        a, b, x0=start, callback=lambda x: theirs.append(x.copy()), maxiter=7
    )
    getattr(linalg, solver)(
        cp.asarray(a),
        cp.asarray(b),
        x0=cp.asarray(start),
        callback=lambda x: ours.append(x.get()),
        maxiter=7,
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_minres_takes_shifts_and_preconditioners(capsys):
    a, b = MATRICES["indefinite"], right_hand_side("")
    m = np.diag(np.linspace(1, 2, N))
    for options in ({"shift": 0.3}, {"M": m, "shift": -0.2}, {"M": m, "x0": b}):
        (theirs, their_info), (ours, info) = results("minres", a, b, **options)
        assert info == their_info
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    linalg.minres(cp.asarray(a), cp.asarray(b), check=True, show=True)
    assert "small enough" in capsys.readouterr().out
    for options in ({"M": -m}, {"A": a + np.triu(np.ones((N, N))), "check": True}):
        given = {"A": a, "b": b, **options}
        with pytest.raises(ValueError, match=r"symmetric|indefinite"):
            scipy.sparse.linalg.minres(**given)
        with pytest.raises(ValueError, match=r"symmetric|indefinite"):
            linalg.minres(
                **{
                    key: cp.asarray(value) if isinstance(value, np.ndarray) else value
                    for key, value in given.items()
                }
            )


def test_minres_of_complex_matrices():
    a, b = MATRICES["hermitian"], right_hand_side("") * (1 + 2j)
    x, info = linalg.minres(cp.asarray(a), cp.asarray(b), rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(x.get(), np.linalg.solve(a, b), rtol=1e-6)


def test_qmr_takes_two_preconditioners():
    a, b = MATRICES["unsymmetric"], right_hand_side("")
    left, right = np.diag(np.linspace(0.1, 0.2, N)), np.diag(np.linspace(2, 1, N)) + 0.1
    operators = [scipy.sparse.linalg.aslinearoperator(m) for m in (left, right)]
    theirs, their_info = scipy.sparse.linalg.qmr(a, b, M1=operators[0], M2=operators[1])
    ours, info = linalg.qmr(*map(cp.asarray, (a, b)), M1=cp.asarray(left), M2=cp.asarray(right))
    assert info == their_info == 0
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-8)
    with pytest.raises(ValueError, match="preconditioner"):
        linalg.qmr(*map(cp.asarray, (a, b)), M1=cp.eye(2))


def test_tfqmr_with_a_preconditioner(capsys):
    a, b = map(cp.asarray, (MATRICES["unsymmetric"], right_hand_side("")))
    x, info = linalg.tfqmr(a, b, M=cp.diag(cp.linspace(1, 3, N)), rtol=1e-8, show=True)
    assert info == 0 and float(cp.linalg.norm(a @ x - b)) < 1e-7
    assert "info = 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("lgmres", {"inner_m": 5}),
        ("lgmres", {"inner_m": 5, "prepend_outer_v": True, "store_outer_Av": False}),
        ("gcrotmk", {"m": 4, "k": 3}),
        ("gcrotmk", {"m": 4, "k": 3, "truncate": "smallest"}),
    ],
)
def test_directions_are_kept(solver, options):
    name = "outer_v" if solver == "lgmres" else "CU"
    a, b = MATRICES["unsymmetric"], right_hand_side("")
    counts = []
    for module, given in ((scipy.sparse.linalg, (a, b)), (linalg, map(cp.asarray, (a, b)))):
        a_, b_ = given
        kept, sizes = [], []
        for factor in (1, 1.5):
            x, info = getattr(module, solver)(a_, factor * b_, rtol=1e-8, **options, **{name: kept})
            assert info == 0
            np.testing.assert_allclose(a @ cp.asnumpy(x), factor * b, rtol=1e-6)
            sizes.append(len(kept))
        counts.append(sizes)
    assert counts[0] == counts[1]


def test_gcrotmk_checks_and_forgets():
    a, b = map(cp.asarray, (MATRICES["unsymmetric"], right_hand_side("")))
    kept = []
    linalg.gcrotmk(a, b, CU=kept, discard_C=True)
    assert all(c is None for c, _ in kept)
    again = [*kept, kept[0]]
    x, info = linalg.gcrotmk(2 * a, b, CU=again)
    assert info == 0 and float(cp.linalg.norm(2 * a @ x - b)) < 1e-4
    with pytest.raises(ValueError, match="truncate"):
        linalg.gcrotmk(a, b, truncate="newest")


def test_products_of_preconditioners_to_start_with():
    a, b = MATRICES["well-conditioned"], right_hand_side("")
    (theirs, _), (ours, _) = results("cg", a, b, x0="Mb", M=np.eye(N) / 3, maxiter=2)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    with pytest.raises(ValueError, match="x0"):
        linalg.cg(sparse.csr_array(cp.asarray(a)), cp.asarray(b), x0=cp.ones(3))


@pytest.mark.parametrize("dtype", ["d", "D"])
def test_bases_are_orthonormal_also_in_captures(dtype, rng):
    n, steps = 1500, 5

    def vector():
        x = rng.standard_normal(n) + (1j * rng.standard_normal(n) if dtype == "D" else 0)
        return cp.asarray(x)

    basis, w = Basis(steps, n, np.dtype(dtype)), vector()
    basis.put(0, vector())
    for k in range(steps - 1):
        basis.extend(k, vector())
    basis.extend(steps - 1, w)
    cp.cuda.Device().synchronize()  # the other stream does not wait for this one
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        basis.extend(steps - 1, w)
        graph = stream.end_capture()
        w[...] = vector()
        graph.launch()
        vectors, (coefficients, lengths) = basis.vectors.get(), basis.read()
    np.testing.assert_allclose(vectors.conj() @ vectors.T, np.eye(steps + 1), atol=1e-14)
    made = coefficients[:, -1] @ vectors[:-1] + lengths[-1] * vectors[-1]
    np.testing.assert_allclose(made, w.get(), atol=1e-12)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_second_pass_is_left_out_where_little_is_left(dtype, rng):
    n, eps = 700, float(np.finfo(dtype).eps)
    first, second = rng.standard_normal((2, n)).astype(dtype)
    third = 1e5 * first + second**2  # of which the first pass leaves little

    def extended(slack):
        basis = Basis(2, n, np.dtype(dtype), slack=slack)
        basis.put(0, cp.asarray(first))
        basis.extend(0, cp.asarray(second))
        basis.extend(1, cp.asarray(third))
        return basis.vectors.get(), basis._numbers.get()[2:4]

    _, again = extended(1e18)
    assert (again == 0).all()
    for slack in (0.0, 64 * eps):
        found, again = extended(slack)
        assert (again[0] == 0).all() or slack == 0
        assert (again[1] != 0).any()
        np.testing.assert_allclose(found.conj() @ found.T, np.eye(3), atol=64 * eps)


GRID = 9
SOLVED = {
    **{
        name: {"rtol": 0.0, "maxiter": 37}
        for name in ("cg", "minres", "bicg", "bicgstab", "cgs", "qmr")
    },
    "tfqmr": {"rtol": 1e-9},
    "gmres": {"rtol": 1e-9, "restart": 7},
    "lsqr": {"iter_lim": 29},
    "lsmr": {"maxiter": 29},
}


def grid_matrix(is_symmetric):
    """The five-point matrix of a square grid, with numbers that a drift changes on one side."""
    n = GRID * GRID
    a = scipy.sparse.diags_array(
        [np.full(n, 4.0), -np.ones(n - 1), -np.ones(n - 1), -np.ones(n - GRID), -np.ones(n - GRID)],
        offsets=[0, 1, -1, GRID, -GRID],
    ).tocsr()
    return a if is_symmetric else a + scipy.sparse.diags_array([np.full(n - 1, 0.3)], offsets=[1])


@pytest.mark.parametrize("solver", SOLVED)
def test_replayed_steps_have_the_bits_of_steps(solver, monkeypatch):
    """A matrix is multiplied in graphs, an operator made of functions is not."""
    a = sparse.csr_array(grid_matrix(solver in ("cg", "minres")))
    b = cp.linspace(1, 2, a.shape[0])
    operator = linalg.LinearOperator(a.shape, a.__matmul__, a.T.__matmul__, dtype=a.dtype)
    recorded, record = [], Replayed._record
    monkeypatch.setattr(
        Replayed, "_record", staticmethod(lambda *args: recorded.append(1) or record(*args))
    )
    results = []
    for given, records in ((a, 1), (operator, 0)):
        recorded.clear()
        found = getattr(linalg, solver)(given, b, **SOLVED[solver])
        assert len(recorded) == records
        results.append(found)
    np.testing.assert_array_equal(results[0][0].get(), results[1][0].get())
    assert results[0][1] == results[1][1]


@pytest.mark.parametrize("form", ["csc", "dia", "bsr", "coo", "dok", "dense"])
def test_solvers_take_matrices_of_any_format(form):
    """Products of some formats wait, or those of their transposes."""
    host = grid_matrix(True)
    diagonal = scipy.sparse.diags_array(1 / host.diagonal())
    b = np.linspace(1, 2, GRID * GRID)
    if form == "dense":
        a, m = cp.asarray(host.toarray()), cp.asarray(diagonal.toarray())
    else:
        a, m = (sparse.csr_array(x).asformat(form) for x in (host, diagonal))
    for solver in ("cg", "minres", "bicg", "bicgstab", "gmres", "tfqmr", "cgs"):
        x, info = getattr(linalg, solver)(a, cp.asarray(b), M=m, rtol=1e-10)
        assert info == 0
        np.testing.assert_allclose(host @ x.get(), b, rtol=1e-6)
    x, info = linalg.qmr(a, cp.asarray(b), M1=m, rtol=1e-10)
    assert info == 0
    for solver in ("lsqr", "lsmr"):
        x = getattr(linalg, solver)(a, cp.asarray(b), atol=1e-10, btol=1e-10)[0]
        np.testing.assert_allclose(host @ x.get(), b, rtol=1e-5)
    w = linalg.eigsh(a, 2, ncv=9, return_eigenvectors=False)
    s = linalg.svds(a, 2, ncv=9, return_singular_vectors=False)
    np.testing.assert_allclose(w.get(), s.get(), rtol=1e-6)


def test_incomplete_factors_are_replayed(monkeypatch):
    a, b = sparse.csr_array(grid_matrix(False)), cp.linspace(1, 2, GRID * GRID)
    factors = linalg.spilu(a, drop_tol=0.3, fill_factor=1)
    recorded, record = [], Replayed._record
    monkeypatch.setattr(
        Replayed, "_record", staticmethod(lambda *args: recorded.append(1) or record(*args))
    )
    results = []
    for solve in (factors.solve, lambda v: factors.solve(v)):
        m = linalg.LinearOperator(a.shape, solve, dtype="d")
        x, info = linalg.bicgstab(a, b, M=m, rtol=0.0, maxiter=40)
        results.append(x.get())
        assert info == 40 or info < 0
    assert len(recorded) == 1
    np.testing.assert_array_equal(*results)


def test_eigenvalues_by_replayed_steps(monkeypatch):
    monkeypatch.setattr(_eigen, "SPARSE", 0)  # an operator has no filter either
    a = sparse.csr_array(grid_matrix(True))
    operator = linalg.LinearOperator(a.shape, a.__matmul__, dtype=a.dtype)
    options = {"k": 3, "ncv": 12, "rng": 5}
    for function in (linalg.eigsh, linalg.eigs):
        ours, others = (function(m, **options) for m in (a, operator))
        for x, y in zip(ours, others, strict=True):
            np.testing.assert_array_equal(x.get(), y.get())


def test_solvers_in_lazy_mode():
    a, b = sparse.csr_array(grid_matrix(True)), cp.linspace(1, 2, GRID * GRID)
    desired = linalg.cg(a, b, rtol=1e-12)[0].get()
    with cp.lazy():
        x, info = linalg.cg(a, b, rtol=1e-12)
        np.testing.assert_array_equal(x.get(), desired)
    assert info == 0
