"""Norms against NumPy."""

import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

INF = np.inf


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8", "c16", "?"])
@pytest.mark.parametrize("ord", [None, 0, 1, 2, 3, -1, -2, 0.5, INF, -INF], ids=str)
def test_norm_of_vectors(dtype, ord, rng):
    a = (rng.normal(2, 1, 9) + 3).astype(dtype)
    tolerance = 1e-5 if dtype in ("f4", "c8") else 1e-12
    check(lambda xp: xp.linalg.norm(xp.asarray(a), ord), rtol=tolerance)
    check(lambda xp: xp.linalg.norm(xp.asarray(a), ord, keepdims=True), rtol=tolerance)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, (0, 1), (1, 0), (-1, 0)], ids=str)
@pytest.mark.parametrize("ord", [None, "fro", 1, -1, INF, -INF], ids=str)
def test_norm_of_matrices(ord, axis, keepdims, rng):
    a = rng.normal(size=(4, 6))
    check(lambda xp: xp.linalg.norm(xp.asarray(a), ord, axis, keepdims), rtol=1e-13)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, (0, 2), (2, 1), None], ids=str)
def test_norm_along_axes(axis, rng):
    a = rng.normal(size=(3, 4, 5))
    check(lambda xp: xp.linalg.norm(xp.asarray(a), axis=axis), rtol=1e-13, order=False)
    check(lambda xp: xp.linalg.vector_norm(xp.asarray(a), axis=axis), rtol=1e-13, order=False)
    check(lambda xp: xp.linalg.matrix_norm(xp.asarray(a)), rtol=1e-13)


def test_errors():
    for arguments in [("x",), (None, 5), (1, (0, 0)), (7, (0, 1)), (None, (0, 1, 2)), (None, "x")]:
        assert_raises_same(lambda xp, a=arguments: xp.linalg.norm(xp.ones((2, 3)), *a))
    assert_raises_same(lambda xp: xp.linalg.matrix_transpose(xp.ones(3)))


@pytest.mark.parametrize("ord", [2, -2, "nuc"], ids=str)
def test_norms_by_singular_values(ord, rng):
    a = rng.normal(size=(2, 4, 3))
    for axis in [(0, 1), (-1, 1), (2, 0)]:
        check(lambda xp, x=axis: xp.linalg.norm(xp.asarray(a), ord, x), rtol=1e-13)
    check(lambda xp: xp.linalg.norm(xp.asarray(a), ord, (0, 2), keepdims=True), rtol=1e-13)
    check(lambda xp: xp.linalg.matrix_norm(xp.asarray(a), ord=ord), rtol=1e-13)


def test_matrix_transpose_is_a_view():
    a = cp.zeros((2, 3, 4))
    assert cp.linalg.matrix_transpose(a).shape == (2, 4, 3)
    assert cp.shares_memory(a, cp.linalg.matrix_transpose(a))


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0), (3, 0, 2)], ids=str)
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, 2, INF], ids=str)
def test_norm_of_nothing_is_zero(shape, ord):
    assert (cp.linalg.matrix_norm(cp.zeros(shape), ord=ord).get() == 0).all()


def test_vector_norm_of_nothing_is_zero():
    for ord in (0, 1, 2, INF):
        assert float(cp.linalg.vector_norm(cp.zeros(0), ord=ord)) == 0
    with pytest.raises(ValueError):
        cp.linalg.vector_norm(cp.zeros(0), ord=-INF)
    with pytest.raises(ValueError):
        cp.linalg.matrix_norm(cp.zeros((0, 2)), ord=-2)
