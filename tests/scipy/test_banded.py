"""Systems of few diagonals, which the device solves: any widths, signs and types; singular ones."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.linalg._banded import factors_of_diagonals
from gpunp.scipy.sparse import linalg

# Rows, diagonals below and above.
SHAPES = [
    (1, 0, 0),
    (2, 1, 1),
    (5, 0, 1),
    (40, 2, 0),
    (67, 1, 1),
    (100, 2, 3),
    (65, 8, 8),
    (33, 4, 9),
]


def banded(n, below, above, rng, dtype="d"):
    """Random diagonals, which are not dominated by the main one."""
    offsets = range(max(-below, 1 - n), min(above, n - 1) + 1)
    values = [
        rng.standard_normal(n - abs(k))
        + (1j * rng.standard_normal(n - abs(k)) if dtype in "FD" else 0)
        for k in offsets
    ]
    main = 3.0 * (below == 0 or above == 0)  # a triangle of random numbers is ill-conditioned
    a = scipy.sparse.diags_array(values, offsets=list(offsets), shape=(n, n), dtype=dtype)
    return (a + main * scipy.sparse.eye_array(n)).tocsc().astype(dtype)


def backward_error(a, x, b):
    size = abs(a).max() * np.abs(x).max() + np.abs(b).max()
    return np.abs(a @ x - b).max() / size / np.finfo(x.dtype).eps


@pytest.fixture
def no_host(monkeypatch):
    def fails(*args, **kwargs):
        raise AssertionError("solved on the host")

    monkeypatch.setattr(scipy.sparse.linalg, "spsolve", fails)


@pytest.mark.parametrize("dtype", ["d", "D"])
@pytest.mark.parametrize(("n", "below", "above"), SHAPES)
def test_solutions_of_few_diagonals(n, below, above, dtype, rng, no_host):
    a = banded(n, below, above, rng, dtype)
    b = rng.standard_normal((n, 3))
    x = linalg.spsolve(sparse.csc_array(a), cp.asarray(b))
    assert x.dtype == a.dtype and x.shape == b.shape
    assert backward_error(a, x.get(), b) < 50


@pytest.mark.parametrize("dtypes", ["ff", "fd", "fi", "dF", "Fd", "dh", "ib"])
def test_types_and_shapes_are_scipys(dtypes, rng, monkeypatch):
    a = banded(20, 1, 1, rng)
    a = (10 * a + 50 * scipy.sparse.eye_array(20)).astype(dtypes[0]).tocsc()
    for shape in ((20,), (20, 1), (20, 2)):
        b = (5 * rng.standard_normal(shape)).astype(dtypes[1])
        desired = scipy.sparse.linalg.spsolve(a, b, use_umfpack=False)
        with monkeypatch.context() as patch:
            patch.setattr(scipy.sparse.linalg, "spsolve", None)
            x = linalg.spsolve(sparse.csr_matrix(a), cp.asarray(b))
        assert x.dtype == desired.dtype and x.shape == desired.shape
        np.testing.assert_allclose(
            x.get(), desired, rtol=1e-4 if desired.dtype.char in "fF" else 1e-12
        )


def test_duplicates_are_summed(no_host):
    rows, columns = [0, 0, 1, 1, 2], [0, 0, 1, 0, 2]
    a = sparse.csc_matrix((cp.asarray([1.0, 1, 4, 2, 8]), (cp.asarray(rows), cp.asarray(columns))))
    parts = cp.asarray([2.0, 3, 1, 2]), cp.asarray([1, 1, 0, 1]), cp.asarray([0, 1, 4])
    twice = sparse.csc_matrix(parts, shape=(2, 2))
    np.testing.assert_allclose(linalg.spsolve(a, cp.asarray([2.0, 6, 8])).get(), 1, rtol=1e-14)
    desired = np.linalg.solve(twice.toarray().get(), [1.0, 2.0])
    np.testing.assert_allclose(linalg.spsolve(twice, cp.asarray([1.0, 2.0])).get(), desired)
    assert twice.nnz == 4


@pytest.mark.parametrize("kind", ["zero row", "ones", "free ends"])
def test_singular_matrices_are_scipys(kind):
    n = 50
    a = scipy.sparse.diags_array(
        [-np.ones(n - 1), np.full(n, 2.0), -np.ones(n - 1)], offsets=[-1, 0, 1]
    ).tolil()
    if kind == "zero row":
        a[7] = 0
    elif kind == "ones":
        a[:2, :2] = 1
        a[0, 2], a[1, 2] = 0, 0
    else:
        a[0, 0] = a[-1, -1] = 1
    a, b = a.tocsc(), np.arange(1.0, n + 1)
    with pytest.warns(scipy.sparse.linalg.MatrixRankWarning):
        desired = scipy.sparse.linalg.spsolve(a, b)
    with pytest.warns(scipy.sparse.linalg.MatrixRankWarning):
        x = linalg.spsolve(sparse.csc_matrix(a), cp.asarray(b))
    np.testing.assert_array_equal(x.get(), desired)


def test_indefinite_and_ill_conditioned_matrices(no_host):
    n = 999  # the Laplacian, and a matrix whose leading blocks are singular
    line = scipy.sparse.diags_array(
        [-np.ones(n - 1), np.full(n, 2.0), -np.ones(n - 1)], offsets=[-1, 0, 1]
    )
    swapped = scipy.sparse.diags_array(
        [np.ones(n), np.ones(n)], offsets=[-1, 1], shape=(n + 1, n + 1)
    )
    for a in (line.tocsc(), swapped.tocsc()):
        b = np.linspace(-1, 2, a.shape[0])
        x = linalg.spsolve(sparse.csc_matrix(a), cp.asarray(b)).get()
        assert backward_error(a, x, b) < 50


def test_factors_in_captures(rng):
    n = 70
    diagonals = [cp.asarray(rng.standard_normal(n)) for _ in range(4)]
    sides = cp.asarray(rng.standard_normal((n, 2)) + 1j)
    desired = factors_of_diagonals(diagonals, 1, np.dtype("d")).solve(sides).get()
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        x = factors_of_diagonals(diagonals, 1, np.dtype("d")).solve(sides)
        graph = stream.end_capture()
        graph.launch()
        np.testing.assert_array_equal(x.get(), desired)
    assert factors_of_diagonals(diagonals, 1, np.dtype("d")).solve(sides[:, :0]).shape == (n, 0)


def test_wider_bands_are_solved_on_the_host(rng):
    a = banded(60, 9, 9, rng)
    b = rng.standard_normal(60)
    x = linalg.spsolve(sparse.csc_array(a), cp.asarray(b)).get()
    np.testing.assert_array_equal(x, scipy.sparse.linalg.spsolve(a, b, use_umfpack=False))
