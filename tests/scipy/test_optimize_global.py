"""Global minima, linear programs and assignments: SciPy's results for functions on the device."""

import inspect

import numpy as np
import pytest
import scipy.optimize as host
import scipy.sparse

import gpunp as cp
from gpunp.scipy import optimize, sparse


def waves(x):
    return (x * x).sum() + 4 * (1 - abs(x) ** 0.5).sum() + x[0] * x[1]


def bowl(x, a=1.0):
    return ((x - a) ** 2).sum()


BOX = [(-3, 4), (-2, 3)]
SEARCHES = {
    "basinhopping": ((waves, [1.0, 0.5]), {"niter": 8, "stepsize": 1.0}),
    "dual_annealing": ((waves, BOX), {"maxiter": 25}),
    "shgo": ((waves, BOX), {"n": 32, "sampling_method": "sobol"}),
    "direct": ((waves, BOX), {"maxiter": 12}),
    "differential_evolution": ((waves, BOX), {"maxiter": 6, "popsize": 5, "polish": False}),
}


def searched(module, name, *, rng=3, **more):
    args, options = SEARCHES[name]
    function = getattr(module, name)
    if name in ("basinhopping", "dual_annealing", "differential_evolution"):
        has_rng = module is optimize or "rng" in inspect.signature(function).parameters
        options = {**options, "rng" if has_rng else "seed": rng}
    return function(*args, **{**options, **more})


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_are_scipys(name):
    seen = []
    stop = {"basinhopping": 3, "dual_annealing": 2, "direct": 2}.get(name)
    for module in (optimize, host):
        points = []

        def callback(x, *state, points=points):
            points.append(x)
            return len(points) == stop

        more = {} if name == "differential_evolution" else {"callback": callback}
        found = searched(module, name, **more)
        seen.append((found, points))
    (mine, my_points), (theirs, their_points) = seen
    assert type(mine.x) is cp.ndarray and len(my_points) == len(their_points)
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(float(mine.fun), theirs.fun, rtol=1e-6)
    assert {"success", "message", "nit", "nfev"} <= set(mine)
    assert mine.message == theirs.message and mine.nit == theirs.nit
    if name != "basinhopping":
        assert set(mine) == set(theirs) and mine.nfev == theirs.nfev
        assert all(type(x) is cp.ndarray for x in my_points)


@pytest.mark.parametrize("name", ["take_step", "accept_test"])
def test_parts_of_basinhopping_are_functions(name):
    def never(x):
        raise AssertionError("evaluated")

    for value in (1, [1]) if name == "accept_test" else (1,):
        with pytest.raises(TypeError):
            optimize.basinhopping(never, [1.0], **{name: value})


def test_local_searches_of_the_device():
    calls = []

    def slope(x):
        calls.append(type(x))
        return 2 * (x - 1)

    options = {"method": "L-BFGS-B", "jac": slope}
    found = optimize.basinhopping(bowl, cp.zeros(3), 3, minimizer_kwargs=options, rng=1)
    np.testing.assert_allclose(found.x.get(), 1, rtol=1e-6)
    lowest = found.lowest_optimization_result
    assert type(lowest.x) is type(lowest.jac) is cp.ndarray and set(calls) == {cp.ndarray}
    found = optimize.dual_annealing(bowl, [(-2, 2)] * 2, maxiter=3, minimizer_kwargs=options, rng=1)
    np.testing.assert_allclose(found.x.get(), 1, rtol=1e-6)
    found = optimize.shgo(
        bowl, [(-2, 2)] * 2, (0.5,), minimizer_kwargs={"method": "SLSQP"}, options={"f_tol": 1e-9}
    )
    np.testing.assert_allclose(found.x.get(), 0.5, rtol=1e-5)


class Jump:
    def __init__(self, shift):
        self.stepsize, self.shift, self.seen = 0.5, shift, []

    def __call__(self, x):
        self.seen.append(type(x))
        return x + self.stepsize * self.shift


def test_own_steps_and_tests():
    tests, ends = [], []
    for module, xp in ((optimize, cp), (host, np)):
        step, noted = Jump(xp.array([0.3, -0.2])), []

        def accept(*, f_new, x_new, f_old, noted=noted, **_):
            noted.append((float(f_new), type(x_new)))
            return True

        found = module.basinhopping(
            waves, xp.array([1.0, 0.5]), 4, take_step=step, accept_test=accept, interval=2
        )
        assert {kind for _, kind in noted} == set(step.seen) == {xp.ndarray}
        tests.append([value for value, _ in noted])
        ends.append((step.stepsize, float(found.fun)))
    np.testing.assert_allclose(tests[0], tests[1], rtol=1e-5)
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-5)


def test_constraints_of_shgo():
    args = ([(0, 2), (0, 2)],)
    mine, theirs = (
        m.shgo(bowl, *args, constraints={"type": "ineq", "fun": lambda x: 1 - x[0] - x[1]})
        for m in (optimize, host)
    )
    np.testing.assert_allclose(mine.x.get(), theirs.x, atol=1e-6)


@pytest.mark.parametrize(
    "ranges", [((-1, 1), slice(-2, 2, 0.5)), ((-1, 1.5),), (slice(-1, 1, 7j), (0, 1), (0, 2))]
)
@pytest.mark.parametrize("finish", [None, "fmin"])
def test_brute(ranges, finish):
    def valley(x, a):
        return ((x - a) ** 2).sum(axis=0) + x[0] if hasattr(x, "sum") else (x - a) ** 2 + x

    expected = host.brute(
        valley, ranges, (0.3,), Ns=6, full_output=True, finish=finish and host.fmin
    )
    for vectorized in (False, True):
        found = optimize.brute(
            valley,
            ranges,
            (0.3,),
            Ns=6,
            full_output=True,
            finish=finish and optimize.fmin,
            vectorized=vectorized,
        )
        for mine, theirs in zip(found, expected, strict=True):
            mine = mine.get() if isinstance(mine, cp.ndarray) else mine
            assert np.shape(mine) == np.shape(theirs)
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
    only = optimize.brute(valley, ranges, (0.3,), Ns=4, finish=None)
    assert only.shape == ((len(ranges),) if len(ranges) > 1 else ())


def test_brute_finishes():
    def by_minimize(func, x0, args=()):
        return optimize.minimize(func, x0, args)

    found = optimize.brute(bowl, ((-2, 2), (-2, 2)), (0.7,), Ns=5, finish=by_minimize)
    np.testing.assert_allclose(found.get(), 0.7, rtol=1e-5)
    for name in ("brute", "shgo", "differential_evolution"):
        with pytest.raises(ValueError):
            getattr(optimize, name)(bowl, ((0, 1),), workers=2)
    with pytest.raises(ValueError):
        optimize.brute(bowl, ((0, 1),) * 41)


# ---- programs ------------------------------------------------------------------------------------


def test_linprog():
    c, a, b = np.array([-1.0, -2.0, 1.0]), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 3.0]]), [4.0, 5.0]
    equal, side, bounds = np.array([[1.0, 0.0, 1.0]]), [2.0], [(0, None), (None, 3), (0, 9)]
    expected = host.linprog(c, a, b, equal, side, bounds)
    found = optimize.linprog(
        cp.asarray(c), cp.asarray(a), cp.array(b), cp.asarray(equal), cp.array(side), bounds
    )
    assert set(found) == set(expected) and found.message == expected.message
    for name in ("x", "slack", "con"):
        np.testing.assert_allclose(found[name].get(), expected[name], atol=1e-9)
    np.testing.assert_allclose(found.ineqlin.marginals.get(), expected.ineqlin.marginals)
    thin = optimize.linprog(cp.asarray(c), sparse.csr_array(cp.asarray(a)), cp.array(b))
    np.testing.assert_allclose(
        thin.x.get(), host.linprog(c, scipy.sparse.csr_array(a), b).x, atol=1e-9
    )
    none = optimize.linprog([1.0], [[1.0]], [-1.0])
    assert (none.status, none.x) == (2, None)


def test_milp():
    c, a = np.array([-1.0, -1.5, -0.5]), np.array([[2.0, 2.0, 1.0], [1.0, 3.0, 1.0]])
    limits = {"ub": [5.5, 6.0]}
    expected = host.milp(
        c,
        integrality=[1, 1, 0],
        bounds=host.Bounds(0, 9),
        constraints=host.LinearConstraint(a, **limits),
    )
    thin = sparse.csr_array(cp.asarray(a)), scipy.sparse.dok_array(a)
    for matrix in (cp.asarray(a), a, *thin):
        found = optimize.milp(
            cp.asarray(c),
            integrality=cp.array([1, 1, 0]),
            bounds=optimize.Bounds(0, 9),
            constraints=[optimize.LinearConstraint(matrix, **limits)],
        )
        assert type(found.x) is cp.ndarray and found.status == expected.status
        np.testing.assert_allclose(found.x.get(), expected.x, atol=1e-9)
    plain = optimize.milp(cp.asarray(c), constraints=(cp.asarray(a), -np.inf, cp.array([5.5, 6.0])))
    np.testing.assert_allclose(
        float(plain.fun), host.milp(c, constraints=(a, -np.inf, [5.5, 6.0])).fun
    )


def test_quadratic_assignment(rng):
    a, b = rng.integers(0, 9, (2, 6, 6))
    for method, limit in (("faq", {"maxiter": 20}), ("2opt", {})):
        expected, found = (
            m.quadratic_assignment(
                xp.asarray(a), xp.asarray(b), method, {**limit, "rng": np.random.default_rng(1)}
            )
            for m, xp in ((host, np), (optimize, cp))
        )
        np.testing.assert_array_equal(found.col_ind.get(), expected.col_ind)
        assert float(found.fun) == expected.fun
