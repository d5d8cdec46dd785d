"""scipy.optimize: functions that write to their arguments, limits of steps, points with NaN."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import gpunp as cp

optimize, sparse = cp.scipy.optimize, cp.scipy.sparse
T = np.linspace(0, 2, 12)


def bell(x):
    x -= cp.arange(x.size)
    x *= x
    return x.sum()


@pytest.mark.parametrize("jac", [None, "2-point", "3-point"])
@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B"])
def test_function_that_writes_to_its_argument(method, jac):
    found = optimize.minimize(bell, cp.full(4, 1.25), method=method, jac=jac)
    np.testing.assert_allclose(found.x.get(), np.arange(4), atol=1e-4)


def test_newton_steps_without_a_least_length():
    found = optimize.minimize(
        lambda x: cp.cos(x[0]),
        cp.asarray([0.25]),
        jac=lambda x: -cp.sin(x),
        method="Newton-CG",
        options={"xtol": 0},
    )
    assert float(found.x[0]) == pytest.approx(np.pi, abs=1e-6)


@pytest.mark.parametrize("sigma", [None, "number", "vector", "matrix"])
def test_points_with_nan_are_left_out(sigma):
    x, y = T.copy(), 3 * T + 1 + 0.1 * np.sin(9 * T)
    x[2], y[[5, 9]] = np.nan, np.nan
    deviations = 0.5 + 0.1 * T
    sigma = {
        None: None,
        "number": np.array(0.5),
        "vector": deviations,
        "matrix": np.diag(deviations**2),
    }[sigma]
    given = None if sigma is None else cp.asarray(sigma)
    wanted = scipy.optimize.curve_fit(
        lambda t, a, b: a * t + b, x, y, sigma=sigma, nan_policy="omit"
    )
    found = optimize.curve_fit(
        lambda t, a, b: a * t + b, cp.asarray(x), cp.asarray(y), sigma=given, nan_policy="omit"
    )
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)
    rows = cp.asarray(np.stack([x, T]))
    found, _ = optimize.curve_fit(
        lambda t, a, b: a * t[0] + b, rows, cp.asarray(y), sigma=given, nan_policy="omit"
    )
    np.testing.assert_allclose(found.get(), wanted[0], rtol=1e-6)
    with pytest.raises(ValueError, match="nan values"):
        optimize.curve_fit(lambda t, a: a * t, cp.asarray(x), cp.asarray(y), nan_policy="raise")


def test_arguments_of_curve_fit():
    line = lambda t, a, b: a * t + b  # noqa: E731
    with pytest.raises(ValueError, match="nan_policy"):
        optimize.curve_fit(line, T.tolist(), T.tolist(), nan_policy="propagate")
    with pytest.raises(ValueError, match="args"):
        optimize.curve_fit(line, T.tolist(), T.tolist(), args=(1,))
    found, _ = optimize.curve_fit(line, cp.asarray(T), 2.5)
    np.testing.assert_allclose(found.get(), [0, 2.5], atol=1e-7)


def test_start_of_several_axes():
    start = cp.asarray([[1.0, 2.0]])
    found, status = optimize.leastsq(lambda x: x - cp.asarray([3.0, 5.0]), start)
    np.testing.assert_allclose(found.get(), [3, 5], rtol=1e-7)
    assert 1 <= status <= 4


def test_text_of_bounds():
    """Whether they are kept at all iterations is part of it, where it is so."""
    assert repr(optimize.Bounds(0, 2)) == "Bounds(0, 2)"
    assert repr(optimize.Bounds(0, 2, True)) == "Bounds(0, 2, keep_feasible=True)"
    keep = optimize.Bounds([0, 1], [2, 2], [False, True])
    assert repr(keep) == "Bounds([0, 1], [2, 2], keep_feasible=[False, True])"


def test_distances_from_bounds():
    x = np.array([1.0, 4.0])
    ours = optimize.Bounds([0, 3], cp.asarray([2.0, 5.0])).residual(cp.asarray(x))
    theirs = scipy.optimize.Bounds([0, 3], [2, 5]).residual(x)
    matrix = np.array([[1.0, 2.0], [0.5, 0.0], [3.0, 1.0]])
    ours += optimize.LinearConstraint(cp.asarray(matrix), 1, [9, 8, 7]).residual(cp.asarray(x))
    theirs += scipy.optimize.LinearConstraint(matrix, 1, [9, 8, 7]).residual(x)
    for found, wanted in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found.get(), wanted)


LIMITS = [
    lambda m, a: m.Bounds([1, 2], [1, 2, 3]),
    lambda m, a: m.Bounds(a([1.0, 2]), a([1.0, 2, 3])),
    lambda m, a: m.Bounds([1, 2], 4, [True, False, True]),
    lambda m, a: m.LinearConstraint([[1, 2], [3, 4]], [1, 2, 3]),
    lambda m, a: m.LinearConstraint(a([[1.0, 2]]), 0, [1, 2]),
    lambda m, a: m.LinearConstraint([[[1, 2]]], 0, 1),
]


@pytest.mark.parametrize("number", range(len(LIMITS)))
def test_limits_that_do_not_broadcast(number):
    for module, asarray in ((scipy.optimize, np.asarray), (optimize, cp.asarray)):
        with pytest.raises(ValueError):
            LIMITS[number](module, asarray)


def test_limits_are_not_read():
    low = [cp.array(0.0), 1.0]
    with cp.allow_synchronize(False):
        box = optimize.Bounds(low, cp.array([2.0, 3.0]))
        line = optimize.LinearConstraint([1, 2], cp.array(0.0), cp.array([5.0]))
    assert box.lb is low and line.lb.ndim == 0
    for given in (sparse.csr_array(cp.eye(2)), scipy.sparse.csr_array(np.eye(2))):
        with pytest.raises(ValueError, match="dense"):
            optimize.Bounds(given, 1)
        assert optimize.LinearConstraint(given, 0, [1, 2]).A is given


def test_seed_of_a_direction():
    calls = {"direction": "random", "seed": 3}
    found = optimize.check_grad(optimize.rosen, optimize.rosen_der, cp.ones(3), **calls)
    again = optimize.check_grad(optimize.rosen, optimize.rosen_der, cp.ones(3), **calls)
    assert float(found) == float(again) < 1e-3
    with pytest.raises(TypeError, match="the same"):
        optimize.check_grad(optimize.rosen, optimize.rosen_der, cp.ones(3), rng=1, seed=1)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_jacobians_of_one_axis_and_sparse_ones(method):
    found = optimize.least_squares(
        lambda x: (x - 2.0) ** 2 + 3.0, 1.0, jac=lambda x: 2 * (x - 2.0), method=method
    )
    assert float(found.x[0]) == pytest.approx(2, abs=1e-3)
    weights = np.array([1.0, 2.0, 4.0])
    matrix = cp.scipy.sparse.csr_matrix(cp.asarray(np.diag(weights)))
    found = optimize.least_squares(
        lambda x: matrix @ x - cp.asarray([1.0, 4.0, 8.0]), cp.zeros(3), jac=lambda x: matrix,
        method=method,
    )  # fmt: skip
    np.testing.assert_allclose(found.x.get(), [1, 2, 2], rtol=1e-7)


def test_loss_of_ones_own():
    data = cp.asarray([1.0, 1.25, 0.75, 9.0])

    def loss(z):
        root = cp.sqrt(1 + z)
        return cp.stack([2 * (root - 1), 1 / root, -0.5 / root**3])

    found = optimize.least_squares(lambda x: x[0] - data, [0.0], loss=loss)
    wanted = optimize.least_squares(lambda x: x[0] - data, [0.0], loss="soft_l1")
    np.testing.assert_allclose(found.x.get(), wanted.x.get(), rtol=1e-6)


@pytest.mark.parametrize("given", [False, True])
def test_steep_functions(given):
    """The identity is no inverse Hessian of a function whose second derivatives are 1e50."""
    scale = cp.asarray([1e50, 3e50])
    found = optimize.minimize(
        lambda x: (scale * (x - 1) ** 2).sum(),
        [3.0, -2.0],
        method="BFGS",
        jac=(lambda x: 2 * scale * (x - 1)) if given else None,
    )
    np.testing.assert_allclose(found.x.get(), 1, atol=1e-7)
    assert found.success or not given


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B"])
def test_steps_of_differences_that_would_vanish(method):
    """Then they are relative to the point, as SciPy's."""
    found, wanted = (
        module.minimize(lambda x: ((x / 1e50 - 1) ** 2).sum(), [3e50, -2e50], method=method)
        for module in (optimize, scipy.optimize)
    )
    assert found.success == wanted.success and found.nfev == wanted.nfev
    np.testing.assert_allclose(found.jac.get(), wanted.jac, rtol=1e-6)


def test_differences_of_float32():
    t = cp.linspace(0, 1, 50, dtype="f4")
    values = 2 + 3 * t
    found = optimize.least_squares(
        lambda p: p[0].astype("f4") + p[1].astype("f4") * t - values, [0.0, 0.0]
    )
    np.testing.assert_allclose(found.x.get(), [2, 3], rtol=1e-3)


def test_functions_that_return_their_jacobian_too():
    def both(x):
        return x - cp.asarray([2.0, 3.0]), cp.eye(2)

    found = optimize.root(both, cp.zeros(2), method="krylov", jac=True)
    np.testing.assert_allclose(found.x.get(), [2, 3], rtol=1e-6)


@pytest.mark.parametrize("name", ["differential_evolution", "basinhopping", "dual_annealing"])
def test_seeds_by_their_older_name_and_generators(name):
    places = ([1.5],) if name == "basinhopping" else ([(-2, 2)],)
    count = "niter" if name == "basinhopping" else "maxiter"
    options = {count: 3}
    search = getattr(optimize, name)
    ours = search(lambda x: ((x - 0.5) ** 2).sum(), *places, seed=5, **options)
    theirs = getattr(scipy.optimize, name)(
        lambda x: ((x - 0.5) ** 2).sum(), *places, seed=5, **options
    )
    np.testing.assert_allclose(ours.x.get(), theirs.x, atol=1e-6)
    found = [
        search(lambda x: ((x - 0.5) ** 2).sum(), *places, rng=cp.random.default_rng(4), **options)
        for _ in range(2)
    ]
    assert (found[0].x == found[1].x).all()
    with pytest.raises(TypeError, match="the same"):
        search(lambda x: x.sum(), *places, seed=5, rng=5)


def test_polish_of_ones_own():
    def polish(func, x, **options):
        return optimize.minimize(lambda v: ((v - 0.5) ** 2).sum(), x, method="BFGS")

    found = optimize.differential_evolution(
        lambda x: ((x - 0.5) ** 2).sum(), [(-2, 2)], maxiter=2, rng=1, polish=polish
    )
    np.testing.assert_allclose(found.x.get(), [0.5], atol=1e-5)


@pytest.mark.parametrize("name", ["shgo", "dual_annealing"])
def test_gradients_with_further_arguments(name):
    options = {} if name == "shgo" else {"maxiter": 5, "rng": 1}
    found = getattr(optimize, name)(
        lambda x, a, b: ((x - a) ** 2).sum() + b,
        [(-2, 2)] * 2,
        args=(cp.asarray(0.75), 3.0),
        minimizer_kwargs={"method": "SLSQP", "jac": lambda x, a, b: 2 * (x - a)},
        **options,
    )
    np.testing.assert_allclose(found.x.get(), [0.75, 0.75], atol=1e-6)
    assert float(found.fun) == pytest.approx(3)


@pytest.mark.parametrize("kind", ["BFGS", "SR1"])
def test_products_with_approximate_hessians(kind):
    hessian = getattr(optimize, kind)()
    hessian.initialize(3, "hess")
    hessian.update(cp.asarray([1.0, 0.5, 2.0]), cp.asarray([2.0, 0.25, 3.0]))
    v = cp.asarray([1.0, 2.0, -1.0])
    np.testing.assert_array_equal((hessian @ v).get(), hessian.dot(v).get())
