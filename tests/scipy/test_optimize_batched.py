"""Many minima in one launch: against SciPy's `minimize` of each, and against known minima."""

import numpy as np
import pytest
import scipy.optimize as host

import gpunp as cp
from gpunp.scipy import optimize


def valley(x, a):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (a - x[0]) ** 2


def valley_slope(x, a):
    bend = x[1] - x[0] ** 2
    return -400 * x[0] * bend - 2 * (a - x[0]), 200 * bend


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS"])
@pytest.mark.parametrize("jac", [None, valley_slope], ids=["differences", "jac"])
def test_minima(method, jac, rng):
    start, a = 2 * rng.standard_normal((3, 40, 2)), rng.uniform(0.5, 1.5, (3, 40))
    found = optimize.minimize_batched(valley, cp.asarray(start), (cp.asarray(a),), method, jac)
    assert found.x.shape == (3, 40, 2) and found.fun.shape == found.status.shape == (3, 40)
    # Differences are right to 1e-10 of the value.
    assert bool(found.success.all() if jac else (found.fun < 1e-9).all())
    np.testing.assert_allclose(found.x.get(), np.stack([a, a * a], -1), rtol=1e-4)
    assert int(found.nit.max()) < 120 and float(abs(found.jac).max()) < (1e-5 if jac else 1e-3)


def wells(x):
    """Several minima, from which one is that of the start."""
    total = 0.0
    for value in x:
        total += (value**2 - 1) ** 2 + 0.1 * value
    return total


@pytest.mark.parametrize("n, method", [(1, "BFGS"), (4, "L-BFGS"), (7, "BFGS"), (7, "L-BFGS")])
def test_numbers_of_variables(n, method, rng):
    start = 1.2 * rng.choice([-1.0, 1.0], (6, n))
    found = optimize.minimize_batched(wells, cp.asarray(start), method=method)
    assert bool(found.success.all()), found
    for k in range(6):
        theirs = host.minimize(wells, start[k])
        np.testing.assert_allclose(found.x[k].get(), theirs.x, rtol=1e-4)
        np.testing.assert_allclose(float(found.fun[k]), theirs.fun, rtol=1e-8)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS"])
def test_bounds(method):
    pairs = [(None, 0.5), (-1.0, None)]
    start = np.array([[-1.2, 1.0], [0.3, -3.0], [2.0, 2.0]])
    found = optimize.minimize_batched(valley, cp.asarray(start), 1.0, method, bounds=pairs)
    np.testing.assert_allclose(found.x.get(), [[0.5, 0.25]] * 3, rtol=1e-5)
    assert bool(found.success.all())
    box = optimize.Bounds(cp.array([2.0, -1.0]), [3.0, 3.0])
    found = optimize.minimize_batched(valley, cp.asarray(start), 1.0, method, valley_slope, box)
    np.testing.assert_allclose(found.x.get(), [[2.0, 3.0]] * 3, rtol=1e-6)


def test_statuses_and_errors():
    def steep(x):
        return -x[0]

    def broken(x):
        return cp.log(x[0])

    start = cp.array([[-1.0, 1.0]])
    assert int(optimize.minimize_batched(valley, start, 1.0, maxiter=3).status[0]) == 1
    assert int(optimize.minimize_batched(broken, -start[:, 1:]).status[0]) == 3
    assert int(optimize.minimize_batched(steep, start[:, 1:], maxiter=9).status[0]) in (1, 3)
    assert optimize.minimize_batched(valley, start[:0], 1.0).x.shape == (0, 2)
    alone = optimize.minimize_batched(valley, [0.0, 0.0], 1.0)
    assert alone.x.shape == (2,) and alone.fun.shape == () and bool(alone.success)
    for wrong in (
        {"method": "CG"},
        {"x0": cp.array(1.0)},
        {"jac": lambda x, a: x[0]},
        {"fun": lambda x, a: (x[0], x[1])},
        {"bounds": [(0, 1)]},
        {"bounds": [(0, 1), (2, 1)]},
        {"args": (cp.ones(3),)},
    ):
        with pytest.raises(ValueError):
            optimize.minimize_batched(**{"fun": valley, "x0": start, "args": (1.0,), **wrong})
