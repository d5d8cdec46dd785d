"""Triangular systems by our own kernel: sizes around its blocks, sides, layouts, right sides."""

import itertools

import numpy as np
import pytest
import scipy.linalg

import gpunp as cp
from gpunp import _C
from gpunp.scipy.linalg import solve_triangular

DTYPES = ["f4", "f8", "c8", "c16"]
KINDS = list(itertools.product([True, False], [0, 1, 2], [False, True]))


def values(shape, dtype, rng):
    a = rng.normal(size=shape) * 0.3
    if np.dtype(dtype).kind == "c":
        a = a + 0.3j * rng.normal(size=shape)
    return (a + 2 * np.eye(*shape[-2:])).astype(dtype)


@pytest.mark.parametrize("n, columns", [(1, 1), (7, 3), (32, 8), (33, 1), (70, 9), (100, 2)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_kind_of_triangle(dtype, n, columns, rng):
    a, b = values((2, n, n), dtype, rng), values((2, n, columns), dtype, rng)
    x, y = cp.asarray(a), cp.asarray(b)
    for (lower, trans, unit), turn in zip(KINDS, itertools.cycle([False, True])):
        ours, flag = _C.lapack_triangle(
            x.swapaxes(1, 2).copy().swapaxes(1, 2) if turn else x, y, lower, trans, unit
        )
        assert ours.flags.c_contiguous and flag.item() == 0
        for i in range(2):
            expected = scipy.linalg.solve_triangular(
                a[i].astype("c16"), b[i].astype("c16"), trans, lower, unit
            )
            error = np.abs(ours[i].get() - expected).max() / np.abs(expected).max()
            assert error <= 200 * np.finfo(dtype).eps, (lower, trans, unit, turn)


@pytest.mark.parametrize("n", [70, 600])
def test_single_large_triangles_are_the_librarys(n, rng):
    a, b = values((n, n), "f8", rng), rng.normal(size=n)
    x, y = cp.asarray(a), cp.asarray(b)
    assert _C.lapack_triangle(x, y[:, None], True, 0, False) is None
    assert np.allclose(solve_triangular(x, y, lower=True).get(), np.linalg.solve(np.tril(a), b))


def test_what_is_beside_the_triangle_is_not_read(rng):
    a = np.where(np.tri(40, dtype=bool), values((40, 40), "f8", rng), np.nan)
    x = solve_triangular(cp.asarray(a), cp.ones(40), lower=True, check_finite=False).get()
    assert np.allclose(x, np.linalg.solve(np.nan_to_num(a), np.ones(40)))


def test_a_zero_on_a_diagonal_of_many(rng):
    a = values((200, 9, 9), "f8", rng)
    a[77, 5, 5] = 0
    x = cp.asarray(a)
    with pytest.raises(np.linalg.LinAlgError, match="diagonal 5"):
        solve_triangular(x, x)
    assert solve_triangular(x, x, unit_diagonal=True).shape == a.shape
    with cp.errstate(linalg="ignore"):
        y = solve_triangular(x, cp.ones((200, 9, 1))).get()
    assert np.isfinite(y).all(axis=(1, 2)).tolist() == [i != 77 for i in range(200)]
