"""Functions of a number, fixed points, line searches and functions for single methods."""

import warnings

import numpy as np
import pytest
import scipy.optimize as host

import gpunp as cp
from gpunp.scipy import optimize


def valley(x, a=2.0):
    return (x - a) ** 2 + 0.1 * abs(x)


CALLS = {
    "bracket": [{}, {"xa": -3.0, "xb": -2.0, "args": (1.0,)}],
    "brent": [{}, {"brack": (0, 1), "full_output": 1}, {"brack": (0, 1, 9), "full_output": 1}],
    "golden": [{}, {"brack": (0, 1, 9), "full_output": 1, "args": (1.5,)}],
    "fminbound": [{"x1": 0, "x2": 9}, {"x1": -1, "x2": 1, "full_output": 1, "disp": 0}],
}


@pytest.mark.parametrize("name, options", [(k, o) for k, v in CALLS.items() for o in v], ids=str)
def test_minima_of_numbers(name, options):
    found = getattr(optimize, name)(lambda x, *a: cp.asarray(valley(x, *a)), **options)
    np.testing.assert_allclose(found, getattr(host, name)(valley, **options), rtol=1e-12)


@pytest.mark.parametrize("method", ["del2", "iteration"])
def test_fixed_points(method, rng):
    start, factor = rng.random((2, 3, 4))
    start[0, 0] = 0

    def pendulum(x, a):
        return a * (1 - x * x / 3)

    mine = optimize.fixed_point(pendulum, cp.asarray(start), (cp.asarray(factor),), method=method)
    theirs = host.fixed_point(pendulum, start, (factor,), method=method)
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-10)
    for error, options in (
        (RuntimeError, {"maxiter": 4, "method": "iteration"}),
        (ValueError, {"method": 1}),
    ):
        with pytest.raises(error):
            optimize.fixed_point(lambda x: 2 * x + 1, cp.ones(2), **options)


def quartic(x, a=1.0):
    return ((x - a) ** 4).sum() + (x**2).sum()


def slope(x, a=1.0):
    return 4 * (x - a) ** 3 + 2 * x


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "options",
    [{}, {"args": (2.0,)}, {"amax": 0.01}, {"old_old_fval": 60.0, "c2": 0.1}, {"condition": True}],
    ids=str,
)
def test_line_search(sign, options):
    found = []
    options = dict(options)
    has_condition = options.pop("condition", False)
    for module, xp in ((optimize, cp), (host, np)):
        x = xp.array([1.8, -0.7, 2.0])
        seen = []
        more = dict(options)
        if has_condition:

            def condition(alpha, x, f, g, seen=seen):
                seen.append((alpha, type(x), type(g)))
                return alpha < 0.3

            more["extra_condition"] = condition
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = module.line_search(
                quartic,
                slope,
                x,
                -sign * slope(x),
                gfk=slope(x) if sign > 0 and not options else None,
                **more,
            )
        assert all(kinds == [xp.ndarray] * 2 for _, *kinds in seen)
        found.append(result)
    mine, theirs = found
    assert mine[1:3] == theirs[1:3] and (mine[0] is None) == (theirs[0] is None)
    if mine[0] is not None:
        np.testing.assert_allclose(mine[0], theirs[0], rtol=1e-10)
        np.testing.assert_allclose(mine[3:5], theirs[3:5], rtol=1e-10)
        np.testing.assert_allclose(mine[5].get(), theirs[5], rtol=1e-10)


FRONTS = {
    "fmin_tnc": [
        {"fprime": slope, "messages": 0, "bounds": [(0, 0.2), (None, 3), (-1, 1)]},
        {"approx_grad": True, "messages": 0, "args": (0.5,)},
    ],
    "fmin_cobyla": [
        {"cons": lambda x, *a: x[0] - 0.5, "args": (0.7,)},
        {"cons": [lambda x, b: x - b], "consargs": (0.6,), "rhoend": 1e-3},
    ],
    "fmin_slsqp": [
        {"f_eqcons": lambda x: x[:1] - 0.5, "iprint": 0, "full_output": 1},
        {"ieqcons": [lambda x, a: x[0] + x[1] - 1.5], "args": (0.5,), "iprint": 0, "fprime": slope},
        {"bounds": [(0, 0.2)] * 3, "iprint": 0, "fprime": slope},
    ],
}


@pytest.mark.parametrize("name, options", [(k, o) for k, v in FRONTS.items() for o in v])
def test_functions_for_methods(name, options):
    mine, theirs = (
        getattr(m, name)(quartic, xp.array([1.0, 1.0, 2.0]), **options)
        for m, xp in ((optimize, cp), (host, np))
    )
    if isinstance(mine, tuple):
        assert len(mine) == len(theirs) and mine[2:] == tuple(theirs[2:])
        mine, theirs = mine[0], theirs[0]
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-4, atol=1e-6)


def test_value_and_gradient_together():
    x, _, code = optimize.fmin_tnc(
        lambda x: (quartic(x), slope(x)), cp.array([1.0, 2.0]), messages=0
    )
    expected = host.fmin_tnc(lambda x: (quartic(x), slope(x)), np.array([1.0, 2.0]), messages=0)
    assert code == expected[2]
    np.testing.assert_allclose(x.get(), expected[0], rtol=1e-6)


def test_options_are_shown(capsys):
    assert "gtol" in optimize.show_options("minimize", "BFGS", disp=False)
    assert optimize.show_options("root", "hybr") is None
    assert "xtol" in capsys.readouterr().out
    with pytest.raises(ValueError):
        optimize.show_options("none")
    found = optimize.root_scalar(lambda x: x - 1, bracket=(0, 3))
    assert isinstance(found, optimize.RootResults)


def test_a_dict_that_contains_itself_is_no_number():
    number = {}
    number["own"] = number
    for call in (
        lambda: optimize.root_scalar(lambda x: x - 1, x0=0.0, x1=number, method="secant"),
        lambda: optimize.bracket(lambda x: (x - 1) ** 2, xa=number, xb=1.0),
    ):
        with pytest.raises(TypeError):
            call()
