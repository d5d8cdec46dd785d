"""Initial value problems: SciPy's steps, counts and results, and many systems in one launch."""

import numpy as np
import pytest
import scipy.integrate as host

import gpunp as cp
from gpunp.scipy import integrate

METHODS = ["RK23", "RK45", "DOP853", "Radau", "BDF"]
EXPLICIT = METHODS[:3]


def predators(t, y):
    return np.stack([y[0] * (1.5 - y[1]), y[1] * (y[0] - 3.0)])


def predators_jacobian(xp):
    def jacobian(t, y):
        return xp.stack([xp.stack([1.5 - y[1], -y[0]]), xp.stack([y[1], y[0] - 3.0])])

    return jacobian


def lorenz(t, y, s, r):
    x, v, z = y
    return s * (v - x), x * (r - z) - v, x * v - 8 / 3 * z


def on_device(function):
    """The function with NumPy's functions, which take device arrays."""
    return lambda t, y, *args: function(t, y, *args)


def both(method, fun=predators, span=(0, 2), y0=(10.0, 5.0), **options):
    mine = dict(options)
    theirs = integrate.solve_ivp(on_device(fun), span, cp.array(y0), method, **mine)
    return theirs, host.solve_ivp(fun, span, np.array(y0), method, **options)


def assert_results_agree(mine, theirs, rtol=1e-7):
    assert type(mine.t) is type(mine.y) is cp.ndarray
    assert (mine.status, mine.success, mine.message) == (
        theirs.status,
        theirs.success,
        theirs.message,
    )
    assert list(mine) == list(theirs)
    assert mine.y.dtype == theirs.y.dtype
    np.testing.assert_allclose(mine.t.get(), theirs.t, rtol=rtol)
    np.testing.assert_allclose(mine.y.get(), theirs.y, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_steps_are_scipys(method):
    mine, theirs = both(method)
    assert_results_agree(mine, theirs, 1e-5)
    assert (mine.nfev, mine.njev, mine.nlu) == (theirs.nfev, theirs.njev, theirs.nlu)


@pytest.mark.parametrize("method", METHODS)
def test_times_and_interpolants(method):
    times = np.linspace(2, 0, 9)
    mine, theirs = both(
        method, span=(2, 0), t_eval=times, dense_output=True, rtol=1e-5, atol=[1e-7, 1e-8]
    )
    assert_results_agree(mine, theirs, 1e-6)
    for t in (0.3, 2.0, times, [0.1, 1.7]):
        np.testing.assert_allclose(mine.sol(t).get(), theirs.sol(t), rtol=1e-6)
    assert (mine.sol.t_min, mine.sol.t_max) == (theirs.sol.t_min, theirs.sol.t_max)


@pytest.mark.parametrize("method", ["Radau", "BDF"])
@pytest.mark.parametrize("kind", ["function", "constant"])
def test_jacobians(method, kind):
    a = np.array([[-100.0, 99.0], [0.0, -1.0]])
    jac = {"function": lambda xp: lambda t, y: xp.asarray(a), "constant": lambda xp: xp.asarray(a)}
    found = [
        module.solve_ivp(
            lambda t, y, xp=xp: xp.asarray(a) @ y, (0, 3), xp.ones(2), method, jac=jac[kind](xp)
        )
        for module, xp in ((integrate, cp), (host, np))
    ]
    assert_results_agree(*found)
    assert (found[0].nfev, found[0].njev, found[0].nlu) == (
        found[1].nfev,
        found[1].njev,
        found[1].nlu,
    )


@pytest.mark.parametrize(
    "method", ["BDF", *(pytest.param(m, marks=pytest.mark.slow) for m in EXPLICIT)]
)
def test_complex_states(method):
    mine, theirs = both(method, lambda t, y: 1j * y, (0, 1), (1.0 + 0j, 2.0), t_eval=[0.2, 1.0])
    assert_results_agree(mine, theirs)


def test_vectorized_and_further_arguments():
    def grows(t, y, a, b):
        return a * y + b

    for method in ("RK45", "Radau"):
        mine, theirs = both(method, grows, y0=(1.0, 2.0), args=(-3.0, 1.0), vectorized=True)
        assert_results_agree(mine, theirs)
        assert mine.nfev == theirs.nfev


def ball(terminal, direction):
    def lands(t, y):
        return y[0]

    def is_high(t, y):
        return y[1]

    lands.terminal, lands.direction = terminal, direction
    return [lands, is_high]


@pytest.mark.parametrize("terminal, direction", [(True, -1), (False, 0), (2, 0), (True, 1)])
def test_events(terminal, direction):
    def falls(t, y):
        return np.stack([y[1], y[1] * 0 - 9.81])

    events = ball(terminal, direction)
    mine, theirs = both("RK45", falls, (0, 5), (0.5, 10.0), events=events, max_step=0.5)
    assert_results_agree(mine, theirs)
    for k in range(2):
        np.testing.assert_allclose(mine.t_events[k].get(), theirs.t_events[k])
        assert mine.y_events[k].shape == theirs.y_events[k].shape
        np.testing.assert_allclose(mine.y_events[k].get(), theirs.y_events[k], atol=1e-9)


def test_failures_are_scipys():
    mine, theirs = both("RK45", lambda t, y: y**2, (0, 2), (1.0,))
    assert (mine.status, mine.message, mine.success) == (
        theirs.status,
        theirs.message,
        theirs.success,
    )


@pytest.mark.parametrize(
    "change",
    [
        {"method": "none"},
        {"t_eval": [0.0, 3.0]},
        {"t_eval": [1.0, 0.5]},
        {"t_eval": [[0.5]]},
        {"y0": [[1.0, 2.0]]},
        {"y0": [1.0, np.inf]},
        {"max_step": -1},
        {"first_step": 0},
        {"first_step": 9},
        {"atol": -1.0},
        {"atol": [1.0, 1.0, 1.0]},
        {"args": 5},
        {"method": "Radau", "jac": [[1.0, 2.0, 3.0]]},
        {"method": "Radau", "y0": [1j, 2.0]},
    ],
    ids=str,
)
def test_errors_are_scipys(change):
    arguments = {"t_span": (0, 2), "y0": [1.0, 2.0], **change}
    with pytest.raises((ValueError, TypeError)) as expected:
        host.solve_ivp(predators, **arguments)
    arguments["y0"] = cp.array(arguments["y0"])
    with pytest.raises(expected.type):
        integrate.solve_ivp(on_device(predators), **arguments)


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF"])
def test_intervals_and_states_of_nothing(method):
    for span, y0 in (((0, 0), (1.0,)), ((0, 1), ())):
        mine, theirs = both(method, lambda t, y: -y, span, y0, dense_output=True)
        assert_results_agree(mine, theirs)
        np.testing.assert_allclose(mine.sol(0.0).get(), theirs.sol(0.0))


def test_right_hand_sides_as_lists():
    mine = integrate.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1), [1.0, 0.0], rtol=1e-8)
    np.testing.assert_allclose(mine.y[:, -1].get(), [np.cos(1), -np.sin(1)], rtol=1e-6)
    with pytest.raises(ValueError):
        integrate.solve_ivp(lambda t, y: y[:1], (0, 1), [1.0, 0.0])


def test_solvers_step_by_step():
    mine = integrate.RK45(on_device(predators), 0, cp.array([10.0, 5.0]), 1)
    theirs = host.RK45(predators, 0, np.array([10.0, 5.0]), 1)
    with pytest.raises(RuntimeError):
        mine.dense_output()
    while mine.status == "running":
        assert mine.step() == theirs.step()
        np.testing.assert_allclose(mine.step_size, theirs.step_size)
    assert (mine.status, mine.t) == (theirs.status, theirs.t)
    with pytest.raises(RuntimeError):
        mine.step()
    with pytest.warns(UserWarning, match="no effect"):
        integrate.RK23(on_device(predators), 0, cp.ones(2), 1, jac=None)


# ---- many systems ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("times", [None, [0.0, 0.1, 0.75, 1.0]])
def test_batched_systems_take_scipys_steps(method, times, rng):
    y0, r = rng.standard_normal((2, 3, 3)), rng.uniform(20, 30, 3)
    mine = integrate.solve_ivp_batched(
        lorenz, (0, 1), cp.array(y0), method, times, args=(10.0, cp.array(r)), rtol=1e-5
    )
    assert mine.y.shape == (2, 3, 3) + (() if times is None else (4,))
    assert mine.status.shape == mine.success.shape == (2, 3) and bool(mine.success.all())
    for i, j in np.ndindex(2, 3):
        theirs = host.solve_ivp(
            lorenz, (0, 1), y0[i, j], method, times, args=(10.0, r[j]), rtol=1e-5
        )
        expected = theirs.y[:, -1] if times is None else theirs.y
        np.testing.assert_allclose(mine.y[i, j].get(), expected, rtol=1e-7)
        assert abs(int(mine.nfev[i, j]) - theirs.nfev) <= 3


def robertson(t, y, k):
    a, b, c = y
    slow, fast, between = 0.04 * a, k * b * b, 1e4 * b * c
    return between - slow, slow - between - fast, fast


def test_batched_stiff_systems():
    k = np.array([3e7, 1e7])
    times = [0.1, 10.0, 40.0]
    mine = integrate.solve_ivp_batched(
        robertson, (0, 40), cp.array([1.0, 0.0, 0.0]) + cp.zeros((2, 1)), "Rosenbrock23", times,
        args=(cp.array(k),), rtol=1e-5, atol=1e-9
    )  # fmt: skip
    assert mine.success.get().all() and int(mine.nfev.max()) < 30000
    for i in range(2):
        theirs = host.solve_ivp(
            robertson, (0, 40), [1.0, 0, 0], "Radau", times, args=(k[i],), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(mine.y[i].get(), theirs.y, rtol=1e-3)


@pytest.mark.slow
def test_batched_stiff_order_and_pivots():
    """The error falls with the square of the step; the matrices need exchanges of rows."""
    a = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-900.0, -1890.0, -91.0]])

    def chain(t, y):
        return y[1], y[2], -900 * y[0] - 1890 * y[1] - 91 * y[2] + 900 * t

    def exact(t, y):
        return a @ y + [0, 0, 900 * t]

    theirs = host.solve_ivp(exact, (0, 1), [1.0, 0.0, 0.0], "Radau", rtol=1e-11, atol=1e-12)
    errors = []
    for rtol in (1e-5, 1e-7):
        mine = integrate.solve_ivp_batched(
            chain, (0, 1), cp.array([[1.0, 0.0, 0.0]]), "Rosenbrock23", rtol=rtol, atol=1e-2 * rtol
        )
        errors.append(np.abs(mine.y[0].get() - theirs.y[:, -1]).max())
    assert errors[1] < 1e-4 and errors[1] < errors[0] / 5


def test_batched_intervals_and_one_component():
    ends = cp.array([1.0, -2.0, 0.0])
    found = integrate.solve_ivp_batched(
        lambda t, y: -y[0], (0, ends), cp.ones((3, 1)), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(found.y[:, 0].get(), np.exp([-1.0, 2.0, 0.0]), rtol=1e-8)
    assert found.t.get().tolist() == [1, -2, 0]


def test_batched_with_many_components_in_source():
    """Stages that do not fit registers are in local memory."""
    code = """
    extern "C" __device__ void chain(double t, const double *y, double *dydt, const double *args)
    {
        for (int i = 0; i < 40; i++) {
            dydt[i] = args[0] * ((i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i < 39 ? y[i + 1] : 0));
        }
    }
    """
    a = np.diag(-2.0 * np.ones(40)) + np.diag(np.ones(39), 1) + np.diag(np.ones(39), -1)
    y0 = np.sin(np.arange(80.0)).reshape(2, 40)
    kernel = cp.RawKernel(code, "chain")
    found = integrate.solve_ivp_batched(kernel, (0, 1), cp.array(y0), args=(cp.array([1.0, 2.0]),))
    for k in range(2):
        theirs = host.solve_ivp(lambda t, y, k=k: (1.0 + k) * a @ y, (0, 1), y0[k])
        np.testing.assert_allclose(found.y[k].get(), theirs.y[:, -1], rtol=1e-9)
        assert int(found.nfev[k]) == theirs.nfev


def test_batched_failures():
    def explodes(t, y):
        return y[0] * y[0]

    found = integrate.solve_ivp_batched(explodes, (0, 2), cp.array([[1.0], [0.1]]), t_eval=[0.5, 2])
    assert found.status.get().tolist() == [-1, 0]
    assert np.isnan(found.y.get()).tolist() == [[[False, True]], [[False, False]]]
    found = integrate.solve_ivp_batched(explodes, (0, 2), cp.array([[1.0], [0.1]]), max_steps=1)
    assert found.status.get().tolist() == [-2, -2]


def test_batched_of_nothing():
    found = integrate.solve_ivp_batched(lambda t, y: -y[0], (0, 1), cp.ones((0, 1)))
    assert found.y.shape == (0, 1) and found.status.shape == (0,)


def test_batched_errors():
    y0 = cp.ones((2, 1))
    for wrong, change in [
        (ValueError, {"method": "Radau"}),
        (ValueError, {"t_eval": [1.0, 0.5, 0.7]}),
        (ValueError, {"first_step": -1.0}),
        (ValueError, {"max_step": 0}),
        (ValueError, {"y0": cp.ones((2, 2))}),
        (ValueError, {"y0": cp.ones(())}),
        (ValueError, {"args": (cp.ones(3),)}),
    ]:
        with pytest.raises(wrong):
            integrate.solve_ivp_batched(
                **{"fun": lambda t, y, a=1.0: a * y[0], "t_span": (0, 1), "y0": y0, **change}
            )


def test_right_hand_sides_that_are_numbers():
    found = [
        module.solve_ivp(lambda t, y: -float(y[0]), (0, 1), xp.ones(1))
        for module, xp in ((integrate, cp), (host, np))
    ]
    np.testing.assert_allclose(found[0].y.get(), found[1].y, rtol=1e-7)


def test_the_function_of_a_solver_takes_numbers():
    ours, theirs = (m.RK45(lambda t, y: -y, 0, [1.0], 1).fun(0, 2) for m in (integrate, host))
    assert float(ours) == theirs == -2
