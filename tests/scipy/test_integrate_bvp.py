"""Boundary value problems: SciPy's meshes and solutions, computed on the device."""

import numpy as np
import pytest
import scipy.integrate as host

import gpunp as cp
from gpunp.scipy import integrate
from gpunp.scipy.integrate._bvp_blocks import BlockSystem


def xp_of(a):
    return cp if isinstance(a, cp.ndarray) else np


def bratu(x, y):
    return xp_of(y).stack([y[1], -xp_of(y).exp(y[0])])


def bratu_jac(x, y):
    xp = xp_of(y)
    zero, one = 0 * y[0], 1 + 0 * y[0]
    return xp.stack([xp.stack([zero, one]), xp.stack([-xp.exp(y[0]), zero])])


def ends(a, b):
    return xp_of(a).stack([a[0], b[0]])


def ends_jac(a, b):
    xp = xp_of(a)
    return xp.asarray([[1.0, 0.0], [0.0, 0.0]]), xp.asarray([[0.0, 0.0], [1.0, 0.0]])


def wave(x, y, p):
    return xp_of(y).stack([y[1], -(p[0] ** 2) * y[0]])


def wave_ends(a, b, p):
    return xp_of(a).stack([a[0], b[0], a[1] - p[0]])


def wave_jac(x, y, p):
    xp = xp_of(y)
    zero, one = 0 * y[0], 1 + 0 * y[0]
    by_y = xp.stack([xp.stack([zero, one]), xp.stack([-(p[0] ** 2) * one, zero])])
    return by_y, xp.stack([zero, -2 * p[0] * y[0]])[:, None]


def layer(x, y):
    return xp_of(y).stack([y[1], (y[0] - xp_of(y).cos(x)) * 400])


def ball(x, y):
    """Lane and Emden's equation, with a singular term."""
    return xp_of(y).stack([y[1], -(y[0] ** 5)])


def ball_ends(a, b):
    return xp_of(a).stack([a[1], b[0] - (3 / 4) ** 0.5])


def turning(x, y):
    return xp_of(y).stack([1j * y[1], 1j * y[0]])


def turning_ends(a, b):
    return xp_of(a).stack([a[0] - 1, b[1] - 0.5j])


SINE = [[0.0, 1.0, 0.0, -1.0, 0.0], [0.0] * 5]
PROBLEMS = {
    "bratu": (bratu, ends, 6, {"tol": 1e-7}),
    "jacobians": (bratu, ends, 5, {"fun_jac": bratu_jac, "bc_jac": ends_jac}),
    "layer": (layer, ends, 4, {"tol": 1e-4, "bc_tol": 1e-6}),
    "parameter": (wave, wave_ends, SINE, {"p": [6.0]}),
    "parameter jacobians": (wave, wave_ends, SINE, {"p": [6.0], "fun_jac": wave_jac, "tol": 1e-5}),
    "singular": (ball, ball_ends, 5, {"S": [[0.0, 0.0], [0.0, -2.0]], "tol": 1e-5}),
    "complex": (turning, turning_ends, 3, {"tol": 1e-5}),
    "two nodes": (bratu, ends, 2, {"tol": 1e-3}),
}


def solved(module, fun, bc, guess, options):
    xp = cp if module is integrate else np
    if isinstance(guess, int):
        guess = np.ones((2, guess), complex if fun is turning else float)
    guess = xp.asarray(guess)
    options = {k: xp.asarray(v) if k in "pS" else v for k, v in options.items()}
    return module.solve_bvp(fun, bc, xp.linspace(0, 1, guess.shape[1]), guess, **options)


@pytest.mark.parametrize("name", PROBLEMS)
def test_solutions_are_scipys(name):
    mine, theirs = solved(integrate, *PROBLEMS[name]), solved(host, *PROBLEMS[name])
    assert set(mine) == set(theirs)
    for item in ("niter", "status", "message", "success"):
        assert mine[item] == theirs[item], item
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-12)
    for item in ("y", "yp"):
        np.testing.assert_allclose(mine[item].get(), theirs[item], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(mine.rms_residuals.get(), theirs.rms_residuals, rtol=1e-2, atol=1e-9)
    places = np.linspace(0, 1, 7)
    for nu in (0, 1):
        found = mine.sol(cp.asarray(places), nu)
        np.testing.assert_allclose(found.get(), theirs.sol(places, nu), rtol=1e-5, atol=1e-6)
    if theirs.p is not None:
        np.testing.assert_allclose(mine.p.get(), theirs.p, rtol=1e-6)


@pytest.mark.parametrize(
    "problem",
    [
        (layer, ends, 5, {"max_nodes": 8, "tol": 1e-6}),
        (bratu, lambda a, b: xp_of(a).stack([a[0], a[0]]), 5, {}),
    ],
    ids=["nodes", "singular"],
)
def test_failures(problem, capsys):
    mine, theirs = solved(integrate, *problem), solved(host, *problem)
    assert mine.status == theirs.status and mine.message == theirs.message
    assert not mine.success
    fun, bc, guess, options = problem
    solved(integrate, fun, bc, guess, {**options, "verbose": 2})
    printed = capsys.readouterr().out
    solved(host, fun, bc, guess, {**options, "verbose": 2})
    assert printed.split()[:9] == capsys.readouterr().out.split()[:9]


def test_errors():
    x, y = cp.linspace(0, 1, 5), cp.zeros((2, 5))
    for wrong in (
        {"x": x[::-1]},
        {"x": cp.zeros((2, 5))},
        {"y": y[0]},
        {"y": y[:, :3]},
        {"p": cp.zeros((1, 1))},
        {"S": cp.zeros((3, 3))},
        {"fun": lambda x, y: y[:1]},
        {"bc": lambda a, b: a[:1]},
    ):
        with pytest.raises(ValueError):
            integrate.solve_bvp(**{"fun": bratu, "bc": ends, "x": x, "y": y, **wrong})
    with pytest.warns(UserWarning, match="too low"):
        integrate.solve_bvp(bratu, ends, x, y, tol=1e-20, max_nodes=6)


@pytest.mark.parametrize("count", [1, 2, 3, 6, 11])
@pytest.mark.parametrize("n, k", [(1, 0), (3, 2)])
def test_systems_of_blocks(count, n, k, rng):
    """Against the whole matrix, with growing and decaying solutions."""
    growth = np.diag(np.resize([8.0, 0.1, 1.0], n))
    before = rng.standard_normal((count, n, n)) + growth
    behind = rng.standard_normal((count, n, n)) - np.eye(n)
    more = rng.standard_normal((count, n, k))
    a, b, parameters = (rng.standard_normal((n + k, m)) for m in (n, n, k))
    matrix = np.zeros(((count + 1) * n + k,) * 2)
    for i in range(count):
        rows = slice(i * n, (i + 1) * n)
        matrix[rows, i * n : (i + 2) * n] = np.hstack([before[i], behind[i]])
        matrix[rows, (count + 1) * n :] = more[i]
    last = slice(count * n, None)
    matrix[last, :n], matrix[last, count * n : (count + 1) * n] = a, b
    matrix[last, (count + 1) * n :] = parameters
    side = rng.standard_normal(len(matrix))
    device = [cp.asarray(m) for m in (before, behind, more, a, b, parameters, side)]
    system = BlockSystem(*device[:3], tuple(device[3:6]))
    y, p = system.solve(device[6][: count * n].reshape(count, n), device[6][count * n :])
    found = np.concatenate([y.get().ravel(), p.get()])
    np.testing.assert_allclose(matrix @ found, side, atol=1e-9 * np.abs(found).max())
