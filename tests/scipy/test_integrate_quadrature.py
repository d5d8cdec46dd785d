"""Integrals of samples and of functions, beside SciPy."""

import ctypes
import ctypes.util

import numpy as np
import pytest
import scipy
import scipy.integrate as host
from check import to_numpy

import gpunp as cp
from gpunp.scipy import integrate


def agree(name, *args, rtol=1e-12, **options):
    """The function of this name gives SciPy's result, or raises the same type of error."""
    on_device = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    options_too = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    try:
        theirs = getattr(host, name)(*args, **options)
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(integrate, name)(*on_device, **options_too)
        return
    mine = getattr(integrate, name)(*on_device, **options_too)
    assert to_numpy(mine).dtype == np.asarray(theirs).dtype
    np.testing.assert_allclose(to_numpy(mine), theirs, rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("name", ["simpson", "cumulative_trapezoid", "trapezoid"])
@pytest.mark.parametrize(
    "n", [1, 2, 9, 10, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 4))]
)
@pytest.mark.parametrize("kind", ["d", *(pytest.param(k, marks=pytest.mark.slow) for k in "fDi")])
def test_samples(name, n, kind, rng):
    y = (10 * rng.standard_normal((3, n))).astype(kind)
    x = np.cumsum(rng.random(n))
    tolerance = 1e-5 if kind == "f" else 1e-12
    agree(name, y, dx=0.5, rtol=tolerance)
    agree(name, y.T, axis=0, rtol=tolerance)
    if kind != "f":
        agree(name, y, x=x)
        agree(name, y, x=np.broadcast_to(x, y.shape).copy(), axis=1)


def test_sample_errors():
    y = np.ones((3, 4))
    for name in ("simpson", "cumulative_trapezoid"):
        agree(name, y, x=np.ones(3))
        agree(name, y, x=np.ones((4, 3)))
        agree(name, y, axis=2)
    agree("cumulative_trapezoid", y, initial=0)
    agree("cumulative_trapezoid", y, initial=1)
    agree("cumulative_trapezoid", np.ones((3, 0)))
    agree("simpson", y, x=np.zeros(4))  # places that are equal


@pytest.mark.parametrize("n", [2, 3, 5, 17, 6, 1])
def test_romberg(n, rng):
    y = rng.standard_normal((2, n))
    agree("romb", y, dx=0.25)
    agree("romb", y.T, axis=0)


def test_romberg_prints_its_table(capsys):
    integrate.romb(cp.arange(5.0), show=True)
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_rules():
    for rn, equal in ((4, 0), (np.array([0, 1, 3, 3.5, 4]), 0), (np.arange(5), 1)):
        mine, theirs = integrate.newton_cotes(rn, equal), host.newton_cotes(rn, equal)
        np.testing.assert_allclose(mine[0].get(), theirs[0])
        np.testing.assert_allclose(mine[1], theirs[1])
    mine, none = integrate.fixed_quad(lambda x, k: x**k, 0.0, 2.0, (3,), n=4)
    assert none is None and abs(float(mine) - 4) < 1e-12
    several = integrate.fixed_quad(lambda x: x, cp.zeros(3), cp.arange(3.0))[0]
    np.testing.assert_allclose(several.get(), [0, 0.5, 2])
    with pytest.raises(ValueError):
        integrate.fixed_quad(lambda x: x, 0.0, np.inf)


def test_lebedev():
    if not hasattr(host, "lebedev_rule"):
        pytest.skip("SciPy has no lebedev_rule")
    x, w = integrate.lebedev_rule(7)
    np.testing.assert_allclose(x.get(), host.lebedev_rule(7)[0])
    np.testing.assert_allclose(float(w.sum()), 4 * np.pi)
    with pytest.raises(NotImplementedError):
        integrate.lebedev_rule(4)


def test_adaptive_routines_of_the_host():
    def device(x):
        return cp.exp(-(cp.asarray(x) ** 2))

    assert abs(integrate.quad(device, 0, np.inf)[0] - np.pi**0.5 / 2) < 1e-9
    assert len(integrate.quad(device, 0, 1, full_output=1)) == 3
    product = host.dblquad(lambda y, x: x * y, 0, 1, lambda x: 0, lambda x: x)
    assert (
        integrate.dblquad(lambda y, x: cp.asarray(x * y), 0, 1, lambda x: 0, lambda x: x) == product
    )
    assert abs(integrate.tplquad(lambda z, y, x: x + y + z, 0, 1, 0, 1, 0, 1)[0] - 1.5) < 1e-12
    assert abs(integrate.nquad(lambda x, y: x * y, [(0, 1), (0, 2)])[0] - 1) < 1e-12


@pytest.mark.parametrize("count", [0, 1, 2, 3, 6, 7])
def test_cumulative_simpson(count, rng):
    y = rng.standard_normal((2, count, 3))
    x = np.cumsum(rng.random(count) + 0.1)
    side = rng.random((2, 1, 3))
    for options in (
        {},
        {"dx": 0.5, "initial": 2},
        {"dx": side, "initial": side},
        {"x": x},
        {"x": np.broadcast_to(x[:, None], y.shape).copy(), "initial": 0.0},
        {"dx": side[0]},
        {"x": x[::-1].copy()},
        {"x": x[1:]},
        {"initial": side[:, 0]},
    ):
        # SciPy takes an array `dx` of few samples by the wrong axis, and no places of one sample.
        if count > 2 or (np.ndim(options.get("dx", 0)) == 0 and np.size(options.get("x", x))):
            agree("cumulative_simpson", y, axis=1, **options)
    agree("cumulative_simpson", y, axis=3)
    agree("cumulative_simpson", (9 * y[0]).astype("f4"), axis=0, dx=0.5, initial=1, rtol=1e-5)
    agree("cumulative_simpson", (9 * y[0]).astype(int), axis=-2)
    agree("cumulative_simpson", y * (1 + 2j), axis=-2)


def test_vectors_with_all_that_is_known():
    n = np.arange(4.0)
    for norm in ("max", "2"):
        wanted, error, info = scipy.integrate.quad_vec(
            lambda x: x**n, 0, 2, norm=norm, points=[0.5], full_output=True
        )
        found, estimate, known = cp.scipy.integrate.quad_vec(
            lambda x: x ** cp.asarray(n), 0, 2, norm=norm, points=[0.5], full_output=True
        )
        np.testing.assert_allclose(found.get(), wanted, rtol=1e-12)
        assert known.neval == info.neval and known.success
        np.testing.assert_allclose(known.integrals.get(), info.integrals, rtol=1e-12)
        assert estimate == pytest.approx(error, abs=1e-12)
    with pytest.raises(ValueError, match="workers"):
        cp.scipy.integrate.quad_vec(lambda x: x * cp.ones(2), 0, 1, workers=2)


def test_functions_compiled_for_the_host():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.cos.restype, library.cos.argtypes = ctypes.c_double, (ctypes.c_double,)
    compiled = scipy.LowLevelCallable(library.cos)
    for function in (library.cos, compiled):
        found, _ = cp.scipy.integrate.quad(function, 0, 1.25)
        assert found == pytest.approx(np.sin(1.25), rel=1e-12)


def test_points_of_variables_on_the_device():
    found, _ = cp.scipy.integrate.nquad(
        lambda x, y: abs(x - 0.5) * y,
        [(0, 1), cp.asarray([0.0, 2.0])],
        opts=[lambda y: {"points": cp.asarray([0.5])}, {}],
    )
    assert found == pytest.approx(0.5, rel=1e-9)


def test_older_solver_of_a_number():
    solver = cp.scipy.integrate.ode(lambda t, y: -2 * y).set_initial_value(3.0)
    np.testing.assert_allclose(solver.integrate(0.5).get(), [3 * np.exp(-1)], rtol=1e-5)


def test_points_of_an_engine():
    qmc = cp.scipy.stats.qmc
    first = qmc.Sobol(2, rng=cp.random.default_rng(3)).random(4)
    assert (first == qmc.Sobol(2, rng=cp.random.default_rng(3)).random(4)).all()
    if not cp.scipy._borrowed.array_api_mode():
        pytest.skip("needs SciPy's array API mode")
    found = cp.scipy.integrate.qmc_quad(
        lambda x: x[0] * x[1], cp.zeros(2), cp.ones(2), qrng=qmc.Sobol(2, rng=1)
    )
    assert float(found.integral) == pytest.approx(0.25, abs=1e-4)
