"""Least squares, fits, zeros and what SciPy solves on the host, beside SciPy."""

import numpy as np
import pytest
import scipy.optimize as host

import gpunp as cp
from gpunp.scipy import optimize
from gpunp.scipy.sparse.linalg import aslinearoperator

T = np.linspace(0, 3, 40)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.05 * np.sin(50 * T)
BOUNDS = ([0, 0, 0.6], [2, 3, 4])


def problem(xp):
    t, y = xp.asarray(T), xp.asarray(Y)

    def residuals(p):
        return p[0] * xp.exp(-p[1] * t) + p[2] - y

    def jacobian(p):
        e = xp.exp(-p[1] * t)
        return xp.stack([e, -t * p[0] * e, xp.ones_like(t)], axis=1)

    return residuals, jacobian


def compared(jac, **options):
    found = []
    for module, xp in ((optimize, cp), (host, np)):
        residuals, jacobian = problem(xp)
        found.append(
            module.least_squares(
                residuals, [1, 1, 1.0], jacobian if jac is None else jac, **options
            )
        )
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "lm"},
        {"method": "dogbox"},
        {"bounds": BOUNDS},
        {"bounds": BOUNDS, "method": "dogbox", "x_scale": "jac"},
        {"loss": "soft_l1"},
        {"max_nfev": 3},
        {"tr_solver": "lsmr"},
    ],
    ids=str,
)
@pytest.mark.parametrize("jac", [None, pytest.param("2-point", marks=pytest.mark.slow)])
def test_least_squares_takes_scipys_steps(options, jac):
    mine, theirs = compared(jac, **options)
    assert list(mine) == list(theirs)
    # Differences are near rounding at the end, and so is where LSMR stops.
    exact = "tr_solver" not in options and (jac is None or "loss" not in options)
    for name in ("status", "message", "success", "nfev") if exact else ("success",):
        assert mine[name] == theirs[name], name
    if jac is None and exact:
        assert mine.njev == theirs.njev
    for name in ("x", "fun", "jac"):
        assert type(mine[name]) is cp.ndarray
        np.testing.assert_allclose(mine[name].get(), theirs[name], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(mine.grad.get(), theirs.grad, atol=1e-6)
    np.testing.assert_allclose(mine.cost, theirs.cost, rtol=1e-7)
    assert mine.active_mask.get().tolist() == theirs.active_mask.tolist()


def test_three_points_and_fewer_residuals_than_variables():
    mine, theirs = compared("3-point")
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-8)
    mine, theirs = (
        module.least_squares(lambda x: x[:1] ** 2 + x[1:2] - 3, [1.0, 1.0])
        for module in (optimize, host)
    )
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-6)


def test_errors_of_least_squares_are_scipys():
    for options in [
        {"x0": [[1.0]]},
        {"bounds": ([2.0], [1.0])},
        {"x0": [5.0], "bounds": ([0.0], [1.0])},
        {"jac": "none"},
        {"jac": lambda x: x[None, :] + 1 + x[:, None][:, [0, 0]]},
        {"method": "none"},
        {"loss": "none"},
        {"method": "lm", "fun": lambda x: x[:1], "x0": [1.0, 1.0]},
        {"fun": lambda x: x * np.nan},
    ]:
        arguments = {"fun": lambda x: x - 1, "x0": [1.0], **options}
        with pytest.raises(Exception) as expected:
            host.least_squares(**arguments)
        with pytest.raises(expected.type):
            optimize.least_squares(**arguments)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sigma": 0.1 + T},
        {"sigma": 0.1 + T, "absolute_sigma": True},
        {"sigma": np.diag(0.1 + T) + 0.01, "p0": [2.0, 1.0, 0.5]},
        {"bounds": (0, [2.0, 3.0, 4.0])},
    ],
    ids=["plain", "sigma", "absolute", "covariance", "bounds"],
)
def test_curve_fit(options):
    def model(xp):
        return lambda t, a, b, c: a * xp.exp(-b * t) + c

    on_device = {
        key: cp.asarray(v) if isinstance(v, np.ndarray) else v for key, v in options.items()
    }
    mine = optimize.curve_fit(model(cp), cp.asarray(T), cp.asarray(Y), **on_device)
    theirs = host.curve_fit(model(np), T, Y, **options)
    np.testing.assert_allclose(mine[0].get(), theirs[0], rtol=1e-6)
    np.testing.assert_allclose(mine[1].get(), theirs[1], rtol=1e-4, atol=1e-9)


def test_curve_fit_that_cannot_estimate():
    def constant(t, a, b):
        return a + 0 * b * t

    with pytest.warns(optimize.OptimizeWarning):
        _, covariance = optimize.curve_fit(constant, cp.arange(5.0), cp.arange(5.0))
    assert np.isinf(covariance.get()).all()
    with pytest.raises(ValueError):
        optimize.curve_fit(constant, cp.arange(3.0), cp.array([1.0, np.nan, 2.0]))
    with pytest.raises(ValueError):
        optimize.curve_fit(lambda t, *p: p[0] * t, cp.arange(3.0), cp.arange(3.0))
    with pytest.raises(TypeError):
        optimize.curve_fit(constant, cp.arange(1.0), cp.arange(1.0))


# ---- many fits -------------------------------------------------------------------------------------


def bell(t, height, place, width, level):
    z = (t - place) / width
    return height * cp.exp(-0.5 * z * z) + level


def bell_of_the_host(t, height, place, width, level):
    return height * np.exp(-0.5 * ((t - place) / width) ** 2) + level


@pytest.mark.parametrize("sigma", [None, "shared", "own"])
def test_many_fits(sigma, rng):
    t = np.linspace(-3, 3, 60)
    truth = np.array([[2.0, 0.5, 0.7, 0.1], [1.0, -0.8, 1.0, 0.3], [3.0, 0.0, 0.5, -0.2]])
    y = np.stack([bell_of_the_host(t, *p) for p in truth]) + 0.02 * rng.standard_normal((3, 60))
    weights = {None: None, "shared": 0.1 + t**2, "own": 0.05 + rng.random((3, 60))}[sigma]
    start = [1.5, 0.1, 1.0, 0.0]
    mine = optimize.curve_fit_batched(
        bell, cp.asarray(t), cp.asarray(y), start, None if sigma is None else cp.asarray(weights)
    )
    assert bool(mine.success.all()) and mine.x.shape == (3, 4) and mine.pcov.shape == (3, 4, 4)
    for k in range(3):
        own = weights if sigma != "own" else weights[k]
        x, covariance = host.curve_fit(bell_of_the_host, t, y[k], start, own)
        np.testing.assert_allclose(mine.x[k].get(), x, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(mine.pcov[k].get(), covariance, rtol=1e-3, atol=1e-7)


def test_many_fits_of_two_coordinates_and_places_of_their_own(rng):
    def plane(x, a, b, c):
        return a * x[0] + b * x[1] + c

    x0, x1 = rng.standard_normal((2, 2, 3, 20))
    y = 2 * x0 - 3 * x1[0, 0] + 0.5
    mine = optimize.curve_fit_batched(
        plane, (cp.asarray(x0), cp.asarray(x1[0, 0])), cp.asarray(y), absolute_sigma=True
    )
    np.testing.assert_allclose(mine.x.get(), np.broadcast_to([2, -3, 0.5], (2, 3, 3)), rtol=1e-6)
    assert float(mine.cost.max()) < 1e-10


def test_many_fits_that_fail():
    def line(t, a, b):
        return a * t + b

    y = cp.array([[1.0, 2.0, 3.0], [1.0, np.nan, 2.0]])
    mine = optimize.curve_fit_batched(line, cp.arange(3.0), y)
    assert mine.success.get().tolist() == [True, False]
    assert int(optimize.curve_fit_batched(line, cp.arange(3.0), y[:1], max_nfev=1).status[0]) == 0
    assert optimize.curve_fit_batched(line, cp.arange(3.0), y[:0]).x.shape == (0, 2)
    assert optimize.curve_fit_batched(line, cp.arange(3.0), y[0]).x.shape == (2,)
    for wrong in (
        {"f": lambda t, *p: t},
        {"xdata": cp.arange(4.0)},
        {"ydata": cp.ones(())},
        {"p0": cp.ones((5, 2))},
        {"f": lambda t, a: (a, t)},
    ):
        with pytest.raises(ValueError):
            optimize.curve_fit_batched(**{"f": line, "xdata": cp.arange(3.0), "ydata": y, **wrong})


def test_leastsq():
    found = []
    for module, xp in ((optimize, cp), (host, np)):
        residuals, jacobian = problem(xp)
        found.append(module.leastsq(residuals, [1, 1, 1.0], Dfun=jacobian, full_output=True))
    mine, theirs = found
    np.testing.assert_allclose(mine[0].get(), theirs[0], rtol=1e-8)
    np.testing.assert_allclose(mine[1].get(), theirs[1], rtol=1e-8)
    np.testing.assert_allclose(mine[2]["fvec"].get(), theirs[2]["fvec"], rtol=1e-7, atol=1e-9)
    assert mine[3:] == theirs[3:] and mine[2]["nfev"] == theirs[2]["nfev"]
    x, status = optimize.leastsq(problem(cp)[0], [1, 1, 1.0])
    np.testing.assert_allclose(x.get(), theirs[0], rtol=1e-5)
    assert status in (1, 2, 3, 4)


def test_linear_problems(rng):
    a, b = rng.standard_normal((30, 4)), rng.standard_normal(30)
    mine, theirs = optimize.nnls(cp.asarray(a), cp.asarray(b)), host.nnls(a, b)
    np.testing.assert_allclose(mine[0].get(), theirs[0], rtol=1e-9)
    assert abs(mine[1] - theirs[1]) < 1e-12
    for options in ({}, {"bounds": (0, 0.3)}, {"bounds": (0, 0.3), "method": "bvls"}):
        mine = optimize.lsq_linear(cp.asarray(a), cp.asarray(b), **options)
        theirs = host.lsq_linear(a, b, **options)
        np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(mine.fun.get(), theirs.fun, rtol=1e-6, atol=1e-9)
        assert (mine.status, mine.nit) == (theirs.status, theirs.nit)
    for function in (optimize.nnls, optimize.lsq_linear):
        with pytest.raises(ValueError):
            function(cp.ones((3, 2)), cp.ones(4))


# ---- zeros -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bisect", "brentq", "brenth", "ridder", "toms748"])
def test_zeros_in_an_interval(name):
    def function(x, a):
        return cp.asarray(x) ** 3 - a  # an array of the device

    mine = getattr(optimize, name)(function, 0, 2, args=(2.0,), full_output=True)
    theirs = getattr(host, name)(lambda x, a: x**3 - a, 0, 2, args=(2.0,), full_output=True)
    assert mine[0] == theirs[0] and mine[1].iterations == theirs[1].iterations
    with pytest.raises(ValueError):
        getattr(optimize, name)(lambda x: x * x + 1, 0, 2)


def test_root_scalar_and_minimize_scalar():
    assert optimize.root_scalar(lambda x: x**3 - 1, x0=2.0, fprime=lambda x: 3 * x * x).converged
    assert (
        abs(optimize.root_scalar(lambda x: cp.cos(cp.asarray(x)), bracket=[1, 2]).root - np.pi / 2)
        < 1e-9
    )
    mine = optimize.minimize_scalar(lambda x: cp.asarray(x - 2) ** 2, bounds=(0, 5))
    theirs = host.minimize_scalar(lambda x: (x - 2) ** 2, bounds=(0, 5))
    assert (mine.nfev, mine.status) == (theirs.nfev, theirs.status)


def test_operators_as_jacobians():
    """They become dense, as sparse matrices do."""
    matrix = cp.array([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])
    found = optimize.least_squares(
        lambda x: matrix @ x - cp.array([1.0, 2.0, 3.0]),
        [0.0, 0.0],
        jac=lambda x: aslinearoperator(matrix),
    )
    desired = np.linalg.lstsq(matrix.get(), [1.0, 2.0, 3.0])[0]
    np.testing.assert_allclose(found.x.get(), desired, rtol=1e-9)
    assert found.jac.get().tolist() == matrix.get().tolist()
    found = optimize.lsq_linear(aslinearoperator(matrix), cp.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found.x.get(), desired, rtol=1e-9)


def test_shapes_of_leastsq_derivatives():
    for derivative in (lambda x: cp.ones((3, 3)), lambda x: cp.ones(2)):
        with pytest.raises(TypeError, match="Dfun"):
            optimize.leastsq(lambda x: x - 1, [0.0, 0.0], Dfun=derivative)


@pytest.mark.parametrize("kind", ["secant", "halley"])
def test_newton_of_many(kind):
    a = np.array([1.0, 4.0, 9.0, 16.0])
    found = []
    for module, xp in ((optimize, cp), (host, np)):
        options = {}
        if kind != "secant":
            options["fprime"] = lambda x, a: 2 * x
        if kind == "halley":
            options["fprime2"] = lambda x, a, xp=xp: 2 * xp.ones_like(x)
        found.append(
            module.newton(
                lambda x, a: x * x - a,
                xp.asarray(a),
                args=(xp.asarray(a),),
                full_output=True,
                **options,
            )
        )
    mine, theirs = found
    np.testing.assert_allclose(mine[0].get(), theirs[0], rtol=1e-9)
    assert mine[1].get().tolist() == theirs[1].tolist()
    assert mine[2].get().tolist() == theirs[2].tolist()


def test_parts_of_newton_have_names():
    found = optimize.newton(lambda x: x * x - 2, cp.ones(3), full_output=True)
    names = host.newton(lambda x: x * x - 2, np.ones(3), full_output=True)._fields
    assert found._fields == names and found.root is found[0]


@pytest.mark.parametrize("x0", [[1.0], [[1.0]], 1.0], ids=["vector", "matrix", "number"])
@pytest.mark.parametrize("kind", ["secant", "newton", "halley"])
def test_newton_of_one_element(kind, x0):
    """It takes SciPy's steps of a number, and the root has the shape of the start."""
    count = ["secant", "newton", "halley"].index(kind)
    more = dict(zip(["fprime", "fprime2"], [lambda x: 2 * x, lambda x: 2 + 0 * x], strict=True))
    options = dict(list(more.items())[:count], full_output=True)
    mine, result = optimize.newton(lambda x: x * x - 2, cp.array(x0), **options)
    theirs, desired = host.newton(lambda x: x * x - 2, np.array(x0), **options)
    assert result.root is mine and np.shape(mine) == np.shape(theirs)
    assert isinstance(mine, cp.ndarray) == isinstance(theirs, np.ndarray)
    np.testing.assert_allclose(cp.asnumpy(mine), theirs, rtol=1e-15)
    for name in ("converged", "flag", "function_calls", "iterations", "method"):
        assert result[name] == desired[name]
    found = optimize.newton(lambda x, a: x * x - a, cp.array(x0, "f"), args=(2.0,), x1=3.0)
    assert found.dtype == "f" and found.shape == np.shape(x0)


def test_newton_from_a_list():
    found = optimize.newton(lambda x: x * x - 2, [1.0, 3.0], lambda x: 2 * x)
    np.testing.assert_allclose(found.get(), [2**0.5, 2**0.5])
    assert optimize.newton(lambda x: x * x - 2, [1.0]).shape == (1,)


def test_newton_where_derivatives_are_zero():
    """SciPy warns of them, and does not raise, even where no element converges."""
    for options in ({"fprime": lambda x: 2 * x}, {"fprime": lambda x: 2 * x, "x0": [0.0, 3.0]}, {}):
        function = (lambda x: x * x - 2) if options else (lambda x: 0 * x + 1)
        found = []
        for module, array in ((optimize, cp.array), (host, np.array)):
            given = {"x0": [0.0, 0.0], **options, "full_output": True}
            given["x0"] = array(given["x0"])
            with pytest.warns(RuntimeWarning, match="derivatives" if options else "RMS") as seen:
                found.append([cp.asnumpy(part) for part in module.newton(function, **given)])
            found[-1].append(str(seen[0].message)[:3])
        mine, theirs = ([parts[1].tolist(), parts[2].tolist(), parts[3]] for parts in found)
        assert mine == theirs


def test_newton_with_lists():
    """Of further arguments, and of numbers that the second derivative returns."""
    roots = optimize.newton(
        lambda x, *a: a[0] * x**2 + a[1] * x + a[2],
        [1 + 2j] * 3,
        lambda x, *a: 2 * a[0] * x + a[1],
        args=[2.0, 3.0, 4.0],
        fprime2=lambda x, *a: [2 * a[0]] * 3,
    )
    np.testing.assert_allclose(roots.get(), [-0.75 + 1.1989578808281798j] * 3)


def test_newton_that_fails():
    assert optimize.newton(lambda x: x - 1, 3.0) == host.newton(lambda x: x - 1, 3.0)
    with pytest.raises(RuntimeError):
        optimize.newton(lambda x: x * x + 1, cp.array([1.1, 2.0]), lambda x: 2 * x, maxiter=9)
    with pytest.warns(RuntimeWarning):
        optimize.newton(
            lambda x: x * x - cp.array([1.0, -1.0]), cp.array([1.5, 2.0]), lambda x: 2 * x
        )


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "krylov", "df-sane"])
def test_systems_of_equations(method):
    target = np.array([1.0, 4.0, 2.0])

    def function(x):
        return x**2 + 0.1 * x[::-1] - (cp.asarray(target) if isinstance(x, cp.ndarray) else target)

    mine = optimize.root(function, cp.array([1.5, 1.5, 1.0]), method=method)
    theirs = host.root(function, [1.5, 1.5, 1.0], method=method)
    assert mine.success == theirs.success and type(mine.x) is cp.ndarray
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-9)


def test_fsolve():
    mine = optimize.fsolve(lambda x: x**2 - 2, cp.array([1.0, 3.0]), full_output=True)
    theirs = host.fsolve(lambda x: x**2 - 2, [1.0, 3.0], full_output=True)
    np.testing.assert_allclose(mine[0].get(), theirs[0])
    assert mine[2:] == theirs[2:] and mine[1]["nfev"] == theirs[1]["nfev"]


# ---- others ----------------------------------------------------------------------------------------


def test_assignment_and_isotonic_regression(rng):
    costs = rng.integers(0, 50, (5, 7))
    for maximize in (False, True):
        mine = optimize.linear_sum_assignment(cp.asarray(costs), maximize)
        theirs = host.linear_sum_assignment(costs, maximize)
        assert [x.get().tolist() for x in mine] == [x.tolist() for x in theirs]
    y = rng.standard_normal(20)
    mine, theirs = optimize.isotonic_regression(cp.asarray(y)), host.isotonic_regression(y)
    for name in ("x", "weights", "blocks"):
        np.testing.assert_allclose(mine[name].get(), theirs[name])


def test_differential_evolution():
    for vectorized in (False, True):
        options = {"rng": 3, "maxiter": 5, "popsize": 6, "polish": False}
        if vectorized:
            options.update(vectorized=True, updating="deferred")
        mine, theirs = (
            module.differential_evolution(
                lambda x: (x**2).sum(axis=0), [(-3, 4), (-3, 4)], **options
            )
            for module in (optimize, host)
        )
        assert (mine.nit, mine.nfev, mine.message) == (theirs.nit, theirs.nfev, theirs.message)
        np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-10)
        assert mine.population.shape == theirs.population.shape


def test_differences_of_functions():
    def function(x, a):
        return a * (x**3).sum()

    def gradient(x, a):
        return 3 * a * x**2

    x = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(
        optimize.approx_fprime(cp.asarray(x), function, 1e-7, 2.0).get(),
        host.approx_fprime(x, function, 1e-7, 2.0),
        rtol=1e-6,
    )
    matrix = optimize.approx_fprime(cp.asarray(x), lambda x: x[:2] ** 2)
    np.testing.assert_allclose(matrix.get(), host.approx_fprime(x, lambda x: x[:2] ** 2), atol=1e-6)
    assert float(optimize.check_grad(function, gradient, cp.asarray(x), 2.0)) < 1e-5
    random = optimize.check_grad(function, gradient, cp.asarray(x), 2.0, direction="random", rng=1)
    assert float(random) < 1e-5
    with pytest.raises(ValueError):
        optimize.check_grad(function, gradient, cp.asarray(x), 2.0, direction="none")


def test_data_of_single_precision_and_whole_numbers():
    """Differences need the digits of float64, which data become."""
    for dtype in ("f4", int):
        t = np.arange(20).astype(dtype)
        y = (3 * t + 2 + t % 2).astype(dtype)
        found = []
        for module, xp in ((optimize, cp), (host, np)):
            found.append(module.curve_fit(lambda t, a, b: a * t + b, xp.asarray(t), xp.asarray(y)))
        for mine, theirs in zip(*found, strict=True):
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-6)


def test_complex_start_is_refused():
    for module, xp in ((optimize, cp), (host, np)):
        with pytest.raises(ValueError):
            module.least_squares(lambda x: x, xp.ones(2, complex))
