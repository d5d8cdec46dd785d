"""Solvers that cannot go on, inner solvers of operators, right-hand sides of one number."""

import numpy as np
import pytest
import scipy.sparse.linalg
from check import assert_same, check

import gpunp as cp
from gpunp.scipy.sparse import linalg

KRYLOV = ["lgmres", "gcrotmk"]


def linear(xp):
    return linalg if xp is cp else scipy.sparse.linalg


@pytest.mark.parametrize("solver", KRYLOV)
def test_nan_ends_the_first_restart(solver):
    def body(xp):
        a = xp.eye(3)
        a[1, 1] = xp.nan
        return getattr(linear(xp), solver)(a, xp.ones(3), rtol=0, maxiter=10)[1]

    check(body)


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
def test_right_hand_side_of_one_number(solver):
    def body(xp):
        return getattr(linear(xp), solver)(xp.asarray([[1.0, 2.0]]), 3.0)[0]

    check(body, rtol=1e-12)
    check(
        lambda xp: getattr(linear(xp), solver)(xp.asarray([[1.0, 2.0]]), xp.asarray(3.0))[0],
        rtol=1e-12,
    )


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_shifted_operators_are_inverted_as_far_as_rounding_allows(dtype):
    rng = np.random.default_rng(1)
    a = rng.random((12, 12)) + (1j * rng.random((12, 12)) if dtype in "FD" else 0)
    a = (a + a.conj().T + 4 * np.eye(12)).astype(dtype)
    start = np.ones(12, dtype)

    def body(xp):
        module = linear(xp)
        operator = module.aslinearoperator(xp.asarray(a))
        found = module.eigsh(
            operator, 2, sigma=0.5, v0=xp.asarray(start), return_eigenvectors=False
        )
        return xp.sort(found)

    ours = body(cp)
    theirs = np.linalg.eigvalsh(a)
    theirs = np.sort(theirs[np.argsort(abs(theirs - 0.5))[:2]])
    assert_same(ours, theirs.astype(ours.dtype), rtol=2e-3 if dtype in "fF" else 1e-9)
