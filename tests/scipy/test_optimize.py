"""Minimization: SciPy's iterates, counts, statuses and messages, with vectors on the device."""

import inspect

import numpy as np
import pytest
import scipy.optimize as host

import gpunp as cp
from gpunp.scipy import optimize

DEVICE = ["BFGS", "CG", "L-BFGS-B", "Newton-CG", "trust-ncg"]


def some(first, *others):
    """Values of a parameter, of which the first alone is tried by default."""
    return [first, *(pytest.param(value, marks=pytest.mark.slow) for value in others)]


SECOND = {"Newton-CG", "trust-ncg"}
START = [-1.2, 1.0, 0.5]


def rosen(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosen_der(x):
    g = 0 * x
    g[1:] = 200 * (x[1:] - x[:-1] ** 2)
    g[:-1] += -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    return g


def rosen_hess(x):
    return cp.asarray(host.rosen_hess(x.get())) if isinstance(x, cp.ndarray) else host.rosen_hess(x)


def both(method, fun=rosen, x0=START, **options):
    theirs = host.minimize(fun, np.array(x0), method=method, **options)
    return optimize.minimize(fun, cp.array(x0), method=method, **options), theirs


def assert_results_agree(mine, theirs, rtol=1e-5, names=("nit", "nfev", "njev", "nhev")):
    assert set(mine) == set(theirs)
    for name in ("status", "success", "message", *(n for n in names if n in theirs)):
        assert mine[name] == theirs[name], name
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("method", DEVICE)
@pytest.mark.parametrize("options", [{}, {"maxiter": 3}], ids=str)
def test_iterations_are_scipys(method, options):
    second = {"hess": rosen_hess} if method in SECOND else {}
    mine, theirs = both(method, jac=rosen_der, options=options, **second)
    assert type(mine.x) is type(mine.jac) is cp.ndarray
    # Conjugate gradients amplify rounding until counts differ.
    assert_results_agree(mine, theirs, *([1e-4, ()] if method == "CG" and not options else []))


@pytest.mark.parametrize("jac", some(None, "2-point", "3-point"))
@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B"])
def test_differences(method, jac):
    # Differences have an error of 1e-5 or so: near that, rounding decides whether a search fails.
    mine, theirs = both(method, jac=jac, x0=[-0.8, 0.9, 0.5], options={"gtol": 1e-3})
    assert mine.success and theirs.success and abs(mine.nit - theirs.nit) <= 2
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-3)


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B", "Newton-CG"])
def test_both_at_once_and_arguments(method):
    def scaled(x, a):
        return a * rosen(x), a * rosen_der(x)

    mine, theirs = both(method, scaled, jac=True, args=(2.0,), options={"maxiter": 12})
    assert_results_agree(mine, theirs, names=("nit",))


@pytest.mark.parametrize("start", [0.001, 0.1, 6.0])
def test_steps_of_newton_are_limited(start):
    """To 50 times the direction, as SciPy's: the nearest minimum is found, not one far away."""
    found, wanted = (
        module.minimize(
            lambda x, xp=xp: xp.cos(x[0]), xp.asarray([start]), method="Newton-CG",
            jac=lambda x, xp=xp: -xp.sin(x),
        )
        for module, xp in ((optimize, cp), (host, np))
    )  # fmt: skip
    np.testing.assert_allclose(found.x.get(), [np.pi], rtol=1e-6)
    assert (found.nit, found.nfev) == (wanted.nit, wanted.nfev)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg"])
def test_products_with_the_hessian(method):
    def product(x, p):
        return rosen_hess(x) @ p

    mine, theirs = both(method, jac=rosen_der, hessp=product)
    assert_results_agree(mine, theirs, names=("nit", "nfev"))


def test_many_variables():
    weights = 1 + np.arange(3000) % 17
    for method in ("CG", "L-BFGS-B"):
        found = []
        for module, xp in ((optimize, cp), (host, np)):
            w = xp.asarray(weights)
            found.append(
                module.minimize(
                    lambda x, w=w: (w * (x - 1) ** 2).sum() / 2,
                    xp.zeros(3000),
                    jac=lambda x, w=w: w * (x - 1),
                    method=method,
                )
            )
        assert_results_agree(*found)


@pytest.mark.parametrize(
    "method", some("Nelder-Mead", "Powell", "SLSQP", "COBYLA", "TNC", "trust-constr")
)
def test_methods_of_scipy(method):
    mine, theirs = both(
        method, x0=[0.5, 0.4], options={"maxfun" if method == "TNC" else "maxiter": 15}
    )
    assert (mine.status, mine.nfev) == (theirs.status, theirs.nfev)
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-6)


@pytest.mark.parametrize("method", some("trust-exact", "trust-krylov", "dogleg"))
def test_trust_regions_of_scipy(method):
    mine, theirs = both(method, x0=[1.1, 0.9], jac=rosen_der, hess=rosen_hess)
    assert_results_agree(mine, theirs)


def test_bounds_and_constraints():
    bounds = optimize.Bounds([0, 0, 0], cp.array([0.5, 2.0, 2.0]))
    mine = optimize.minimize(rosen, cp.array(START), bounds=bounds, jac=rosen_der)
    theirs = host.minimize(
        rosen, START, bounds=host.Bounds([0, 0, 0], [0.5, 2.0, 2.0]), jac=rosen_der
    )
    assert_results_agree(mine, theirs)
    sphere = {"type": "eq", "fun": lambda x: (x * x).sum() - 1}
    assert_results_agree(*both("SLSQP", constraints=[sphere]), rtol=1e-4)
    line = [m.LinearConstraint([[1, 1, 1]], 0, 1) for m in (optimize, host)]
    ball = [m.NonlinearConstraint(lambda x: (x * x).sum(), 0, 2) for m in (optimize, host)]
    for mine, theirs in (line, ball):
        found = optimize.minimize(rosen, cp.array(START), method="SLSQP", constraints=mine)
        expected = host.minimize(rosen, START, method="SLSQP", constraints=theirs)
        np.testing.assert_allclose(found.x.get(), expected.x, rtol=1e-4)


BOXES = {
    "box": [(0, 0.5), (0, 2), (0, 2)],
    "some": [(None, 0.5), (None, 2), (0, None)],
    "outside": [(2, 3), (-1, None), (None, 0.1)],
    "fixed": [(0.3, 0.3), (None, None), (None, None)],
    "far": [(-9, None), (None, 9), (None, None)],
}


@pytest.fixture
def on_device(monkeypatch):
    """Bounds are those of many variables, whatever their number."""
    monkeypatch.setattr(optimize._minimize, "FEW", 0)


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("options", [{}, {"maxiter": 4}, {"maxcor": 2, "maxiter": 12}], ids=str)
def test_iterations_within_bounds_are_scipys(box, options):
    mine, theirs = both("L-BFGS-B", jac=rosen_der, bounds=BOXES[box], options=options)
    assert type(mine.x) is cp.ndarray
    assert_results_agree(mine, theirs)
    x, ends = mine.x.get(), np.array(BOXES[box], float)
    assert not (x < ends[:, 0]).any() and not (x > ends[:, 1]).any()


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("n", some(20, 60))
def test_many_bounds(n):
    rng = np.random.default_rng(n)
    weights, centers = 10 ** rng.uniform(0, 3, n), rng.standard_normal(n)
    low = rng.uniform(-1.5, 0.5, n)
    high = low + rng.uniform(0.1, 2, n)
    start = rng.uniform(low, high)
    found = []
    for module, xp in ((optimize, cp), (host, np)):
        w, c = xp.asarray(weights), xp.asarray(centers)

        def value(x, w=w, c=c):
            return (w * (x - c) ** 2).sum() + (x[1:] * x[:-1]).sum()

        def slope(x, w=w, c=c, xp=xp):
            zero = 0 * x[:1]
            beside = xp.concatenate([x[1:], zero]) + xp.concatenate([zero, x[:-1]])
            return 2 * w * (x - c) + beside

        bounds = module.Bounds(xp.asarray(low), xp.asarray(high))
        found.append(
            module.minimize(value, xp.asarray(start), jac=slope, bounds=bounds, method="L-BFGS-B")
        )
    assert_results_agree(*found, rtol=1e-3)


@pytest.mark.usefixtures("on_device")
def test_bounds_that_are_wrong_and_other_types():
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array(START), jac=rosen_der, bounds=[(0, 1), (1, 0), (0, 1)])
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array(START), jac=rosen_der, bounds=[(0, 1)])
    found = optimize.minimize(
        rosen, cp.array(START, "f4"), jac=rosen_der, bounds=optimize.Bounds(0, 0.75),
        options={"maxiter": 1},
    )  # fmt: skip
    assert found.x.dtype == np.float32 and float(found.x.max()) <= 0.75


@pytest.mark.parametrize("method", some("BFGS", *DEVICE[1:], "Powell"))
@pytest.mark.parametrize("style", ["vector", "result"])
def test_callbacks(method, style):
    seen = []
    if style == "vector":

        def callback(x):
            seen.append(x)
    else:

        def callback(intermediate_result):
            seen.append(intermediate_result.x)
            if len(seen) == 2:
                raise StopIteration

    second = {"hess": rosen_hess} if method in SECOND else {}
    jac = None if method == "Powell" else rosen_der
    found = optimize.minimize(
        rosen, cp.array(START), method=method, jac=jac, callback=callback, **second
    )
    assert all(type(x) is cp.ndarray for x in seen)
    if style == "vector":
        assert len(seen) == found.nit
    else:
        assert (found.status, len(seen)) == (99, 2)


def test_failures():
    nothing = both("BFGS", lambda x: x.sum() * np.nan)
    assert (nothing[0].status, nothing[0].message) == (nothing[1].status, nothing[1].message)
    for method in ("BFGS", "L-BFGS-B"):  # no line search ends along a gradient of the wrong sign
        mine, theirs = both(method, lambda x: (x * x).sum(), jac=lambda x: -2 * x)
        assert_results_agree(mine, theirs, names=("nit",))
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array(START), method="Newton-CG")
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array(START), method="trust-ncg", jac=rosen_der)
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array([START]))
    with pytest.raises(ValueError):
        optimize.minimize(lambda x: x, cp.array(START))
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array(START), method="none")
    with pytest.warns(optimize.OptimizeWarning):
        optimize.minimize(rosen, cp.array(START), options={"none": 1, "maxiter": 1})


def test_inverse_hessian():
    mine, theirs = both("L-BFGS-B", jac=rosen_der, options={"maxiter": 8})
    np.testing.assert_allclose(
        mine.hess_inv.todense().get(), theirs.hess_inv.todense(), rtol=1e-3, atol=1e-6
    )
    x = cp.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(
        (mine.hess_inv @ x).get(), (mine.hess_inv.todense() @ x).get(), rtol=1e-10
    )


FRONTS = {
    "fmin": ((), {}),
    "fmin_powell": ((), {}),
    "fmin_bfgs": ((rosen_der,), {}),
    "fmin_cg": ((rosen_der,), {}),
    "fmin_ncg": ((rosen_der,), {"fhess": rosen_hess}),
}


@pytest.mark.parametrize("name", some(*FRONTS))
def test_older_names(name):
    more, options = FRONTS[name]
    mine, theirs = (
        getattr(module, name)(
            rosen, x0, *more, **options, full_output=True, disp=False, retall=True
        )
        for module, x0 in ((optimize, cp.array(START)), (host, np.array(START)))
    )
    assert len(mine) == len(theirs)
    np.testing.assert_allclose(mine[0].get(), theirs[0], rtol=1e-4)
    assert mine[-2] == theirs[-2] and abs(len(mine[-1]) - len(theirs[-1])) <= 2


def test_limited_memory_front():
    mine = optimize.fmin_l_bfgs_b(rosen, cp.array(START), rosen_der)
    theirs = host.fmin_l_bfgs_b(rosen, np.array(START), rosen_der)
    np.testing.assert_allclose(mine[0].get(), theirs[0], rtol=1e-5)
    assert {k: v for k, v in mine[2].items() if k != "grad"} == {
        k: v for k, v in theirs[2].items() if k != "grad"
    }


def test_rosenbrock(rng):
    x, p = rng.standard_normal(5), rng.standard_normal(5)
    for name in ("rosen", "rosen_der", "rosen_hess"):
        found = getattr(optimize, name)(cp.asarray(x))
        np.testing.assert_allclose(found.get(), getattr(host, name)(x), rtol=1e-12)
    product = optimize.rosen_hess_prod(cp.asarray(x), cp.asarray(p))
    np.testing.assert_allclose(product.get(), host.rosen_hess_prod(x, p), rtol=1e-12)
    many = rng.standard_normal((4, 3))
    np.testing.assert_allclose(optimize.rosen(cp.asarray(many)).get(), host.rosen(many))


def test_result_is_a_dict_with_attributes():
    found = optimize.OptimizeResult(x=1, message="done")
    found.nit = 3
    assert found["nit"] == found.nit == 3 and "x: 1" in repr(found) and "nit" in dir(found)
    del found.nit
    with pytest.raises(AttributeError):
        _ = found.nit


def test_signatures_are_scipys():
    """Deprecated parameters aside, which later versions of SciPy drop, and `vectorized` of `brute`."""
    dropped = {"seed", "disp", "iprint", "atol", "vectorized"}
    for name in optimize.__all__:
        mine, theirs = getattr(optimize, name), getattr(host, name, None)
        if inspect.isclass(mine) or theirs is None or name == "linear_sum_assignment":
            continue
        parameters = [list(inspect.signature(f).parameters) for f in (mine, theirs)]
        assert [p for p in parameters[0] if p not in dropped] == [
            p for p in parameters[1] if p not in dropped
        ], name


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B"])
def test_gradients_in_one_array(method):
    """Functions may write each gradient into the same array."""
    kept = cp.zeros(3)

    def gradient(x):
        kept[...] = rosen_der(x)
        return kept

    found = optimize.minimize(rosen, cp.array(START), jac=gradient, method=method)
    expected = optimize.minimize(rosen, cp.array(START), jac=rosen_der, method=method)
    assert (found.nit, found.status) == (expected.nit, expected.status)


@pytest.mark.parametrize("bounds", [None, [(-0.4, 1.1)] * 90])
def test_many_pairs(bounds, monkeypatch):
    """More rows than one launch multiplies."""
    monkeypatch.setattr(optimize._minimize, "FEW", 0)
    options = {"maxcor": 40, "maxiter": 45}
    start = np.linspace(-0.3, 0.4, 90)
    mine, theirs = both("L-BFGS-B", x0=start, jac=rosen_der, bounds=bounds, options=options)
    assert mine.nit == theirs.nit
    np.testing.assert_allclose(mine.fun, theirs.fun, rtol=1e-6)


def bowl(x):
    return ((x - 1) ** 2).sum()


def bowl_der(x):
    return 2 * (x - 1)


def eye_of(x):
    return 2 * (cp if isinstance(x, cp.ndarray) else np).eye(x.size)


@pytest.mark.parametrize("method", DEVICE)
def test_no_iterations(method):
    second = {"hess": eye_of} if method == "trust-ncg" else {}
    options = {"maxiter": 0}
    mine, theirs = both(method, bowl, [0.0] * 3, jac=bowl_der, options=options, **second)
    assert_results_agree(mine, theirs)


@pytest.mark.parametrize("x0", [0.5, [0, 0, 0], [1.0, 1.0, 1.0]], ids=str)
def test_truncated_newton_evaluates_as_scipy(x0):
    mine, theirs = both("Newton-CG", bowl, x0, jac=bowl_der)
    assert_results_agree(mine, theirs)


def test_gradients_that_are_not_finite():
    with pytest.raises(ValueError):
        both("trust-ncg", bowl, jac=lambda x: np.nan * x, hess=eye_of)
    with pytest.raises(ValueError):
        optimize.minimize(
            bowl, cp.array(START), jac=lambda x: np.nan * x, hess=eye_of, method="trust-ncg"
        )


def test_inverse_hessians_at_the_start():
    start = np.diag([0.5, 0.25, 1.0])
    theirs = host.minimize(rosen, START, jac=rosen_der, options={"hess_inv0": start})
    for h in (start, cp.asarray(start)):
        mine = optimize.minimize(rosen, cp.array(START), jac=rosen_der, options={"hess_inv0": h})
        assert_results_agree(mine, theirs)
    for wrong in (np.eye(2), -np.eye(3), np.arange(9.0).reshape(3, 3)):
        with pytest.raises(ValueError):
            both("BFGS", jac=rosen_der, options={"hess_inv0": wrong})


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("BFGS", {"c1": -1.0}),
        ("CG", {"c1": 0.5, "c2": 0.1}),
        ("L-BFGS-B", {"maxls": 0}),
        ("L-BFGS-B", {"maxcor": -1}),
    ],
)
def test_options_that_are_wrong(method, options):
    with pytest.raises(ValueError):
        optimize.minimize(rosen, cp.array(START), jac=rosen_der, method=method, options=options)


@pytest.mark.usefixtures("on_device")
def test_bounds_that_are_arrays_missing_or_equal():
    pairs = np.array([[0, 0.5], [0, 2], [0, 2]])
    theirs = host.minimize(rosen, START, jac=rosen_der, bounds=pairs)
    for bounds in (pairs, cp.asarray(pairs)):
        mine = optimize.minimize(rosen, cp.array(START), jac=rosen_der, bounds=bounds)
        assert_results_agree(mine, theirs)
    missing = [(np.nan, 0.5), (0, np.nan), (None, None)]
    mine, theirs = both("L-BFGS-B", jac=rosen_der, bounds=missing)
    assert_results_agree(mine, theirs)
    fixed = [(2, 2)] * 3
    mine, theirs = both("L-BFGS-B", jac=rosen_der, bounds=fixed)
    np.testing.assert_array_equal(mine.x.get(), theirs.x)
    assert (mine.message, mine.nfev, mine.njev) == (theirs.message, theirs.nfev, theirs.njev)


def test_single_precision():
    start = cp.array([0.3, 0.2], "f4")
    assert optimize.minimize(bowl, start, jac=bowl_der, method="CG").x.dtype == np.float32
    for options in ({}, {"jac": bowl_der, "method": "Newton-CG"}):
        found = optimize.minimize(bowl, start, **options)
        np.testing.assert_allclose(found.x.get(), 1, atol=1e-3)
