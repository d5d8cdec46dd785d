"""Solvers of the host for right-hand sides on the device: LSODA, odeint, ode."""

import numpy as np
import pytest
import scipy.integrate as host

import gpunp as cp
from gpunp.scipy import integrate


def reaction(t, y, k=1.0):
    fast = 1e3 * y[1] * y[2]
    slow = 0.04 * k * y[0]
    return [-slow + fast * 0.1, slow - fast, fast * 0.9]


def pendulum(t, y, k=1.0):
    return y[::-1] * (1 - 2 * (y[::-1] != y[1])) * k


def rotation(t, y, k=1.0):
    return k * (y @ (cp if isinstance(y, cp.ndarray) else np).array([[0.0, -1.0], [1.0, -0.1]]))


def slopes(t, y, k=1.0):
    return k * np.array([[0.0, 1.0], [-1.0, -0.1]])


START = [1.0, 0.3]


@pytest.mark.parametrize(
    "options",
    [{}, {"dense_output": True, "t_eval": [0, 0.5, 3.0]}, {"jac": slopes, "rtol": 1e-6}],
    ids=lambda options: ",".join(options) or "none",
)
def test_lsoda_is_scipys(options):
    def crosses(t, y):
        return y[0]

    more = {"method": "LSODA", "events": crosses, **options}
    mine = integrate.solve_ivp(rotation, (0, 3), cp.array(START), **more)
    theirs = host.solve_ivp(rotation, (0, 3), START, **more)
    for name in ("nfev", "njev", "nlu", "status", "message", "success"):
        assert mine[name] == theirs[name], name
    np.testing.assert_allclose(mine.t.get(), theirs.t, rtol=1e-8)
    np.testing.assert_allclose(mine.y.get(), theirs.y, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(mine.t_events[0].get(), theirs.t_events[0], rtol=1e-7)
    if options.get("dense_output"):
        times = np.linspace(0, 3, 7)
        np.testing.assert_allclose(mine.sol(times).get(), theirs.sol(times), rtol=1e-7, atol=1e-9)


def test_lsoda_as_a_solver():
    solver = integrate.LSODA(rotation, 0, cp.array(START), 2, rtol=cp.array([1e-4, 1e-5]))
    theirs = host.LSODA(rotation, 0, START, 2, rtol=np.array([1e-4, 1e-5]))
    for _ in range(5):
        assert solver.step() == theirs.step()
        assert solver.t == theirs.t and solver.step_size == theirs.step_size
        np.testing.assert_allclose(solver.y.get(), theirs.y, rtol=1e-10)
    with pytest.raises(ValueError):
        integrate.LSODA(rotation, 0, cp.ones(2, complex), 2)
    with pytest.warns(UserWarning, match="no effect"):
        integrate.LSODA(rotation, 0, cp.ones(2), 2, jac_sparsity=None, something=1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tfirst": True, "args": (2.0,), "rtol": 1e-9, "atol": [1e-9, 1e-8]},
        {"Dfun": slopes, "tfirst": True},
        {"Dfun": lambda y, t: slopes(t, y).T, "col_deriv": True, "hmax": 0.1, "mxords": 3},
        {"full_output": True, "ml": 1, "mu": 1},
    ],
    ids=lambda options: ",".join(options) or "none",
)
def test_odeint(options):
    def function(first, second, *args):
        return rotation(first, second, *args) if options.get("tfirst") else rotation(second, first)

    times = np.linspace(0, 2, 5)
    mine = integrate.odeint(function, cp.array(START), cp.asarray(times), **options)
    theirs = host.odeint(function, START, times, **options)
    if options.get("full_output"):
        (mine, info), (theirs, expected) = mine, theirs
        assert set(info) == set(expected) and info["message"] == expected["message"]
        np.testing.assert_array_equal(info["nfe"].get(), expected["nfe"])
    assert type(mine) is cp.ndarray
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-9)


def test_odeint_of_a_stiff_system_and_failures():
    times = [0, 0.5, 40.0]
    mine = integrate.odeint(reaction, cp.array([1.0, 0.0, 0.0]), times, (1.0,), tfirst=True)
    theirs = host.odeint(reaction, [1.0, 0.0, 0.0], times, (1.0,), tfirst=True)
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-6, atol=1e-10)
    with pytest.warns(integrate.ODEintWarning):
        integrate.odeint(rotation, cp.ones(2), [0, 1e4], mxstep=3, tfirst=True)
    with pytest.raises(ValueError):
        integrate.odeint(rotation, cp.ones((2, 2)), [0, 1], tfirst=True)

    def breaks(y, t):
        raise KeyError(3)

    with pytest.raises(KeyError):
        integrate.odeint(breaks, cp.ones(2), [0, 1])


@pytest.mark.parametrize("name", ["vode", "lsoda", "dopri5", "dop853"])
def test_ode(name):
    options = {"rtol": 1e-6, **({"method": "bdf"} if name == "vode" else {})}
    jac = slopes if name in ("vode", "lsoda") else None
    mine, theirs = (
        m.ode(rotation, jac).set_integrator(name, **options).set_f_params(2.0).set_jac_params(2.0)
        for m in (integrate, host)
    )
    mine.set_initial_value(cp.array(START), 0.5)
    theirs.set_initial_value(START, 0.5)
    for t in (1.0, 2.5):
        found = mine.integrate(t)
        np.testing.assert_allclose(found.get(), theirs.integrate(t), rtol=1e-9)
        assert type(found) is type(mine.y) is cp.ndarray and mine.t == theirs.t
    assert mine.successful() and mine.get_return_code() == theirs.get_return_code()


def test_complex_ode_and_solout():
    seen = []
    for module, xp in ((integrate, cp), (host, np)):
        states = []

        def note(t, y, states=states):
            states.append((t, type(y)))
            return -1 if len(states) == 3 else 0

        solver = module.complex_ode(lambda t, y: 1j * y).set_integrator("dopri5")
        solver.set_solout(note)
        solver.set_initial_value(xp.array([1.0, 2j]))
        seen.append((solver.integrate(5.0), states, xp.ndarray))
    (mine, my_states, _), (theirs, their_states, _) = seen
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-9)
    assert [t for t, _ in my_states] == [t for t, _ in their_states]
    assert {kind for _, kind in my_states} == {cp.ndarray}
    solver = integrate.ode(lambda t, y, k: k * y).set_integrator("zvode")
    solver.set_f_params(1j).set_initial_value(cp.ones(1, complex))
    np.testing.assert_allclose(solver.integrate(1.0).get(), np.exp(1j), rtol=1e-4)
