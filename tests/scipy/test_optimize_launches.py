"""How many kernels iterations launch beside the function, and how often they wait for the device."""

import json

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import profiler
from gpunp.scipy import optimize

WEIGHTS = 1 + np.arange(200.0) % 7

# Launches and readings of an iteration with one evaluation, at most.
MOST = {
    "L-BFGS-B": (3, 1),
    "L-BFGS-B within bounds": (32, 4),
    "BFGS": (18, 2),
    "CG": (11, 2),
}


def counted(path, call):
    """Launches, copies to the host, and the result of a call."""
    with profiler.trace(path):
        found = call()
    events = [e for e in json.loads(path.read_text())["traceEvents"] if e.get("pid") == 0]
    launches = sum("grid" in e.get("args", {}) for e in events)
    return launches, sum(e["name"] == "copy to host" for e in events), found


@pytest.mark.parametrize("name", MOST)
def test_launches_of_an_iteration(name, tmp_path, monkeypatch):
    monkeypatch.setattr(optimize._minimize, "FEW", 0)
    weights, away = cp.asarray(WEIGHTS), cp.asarray(np.cos(np.arange(200.0)))

    def value(x):
        r = x - away
        return cp.dot(weights * r, r) / 2 + 0.025 * cp.dot(x * x, x * x), weights * r + 0.1 * x**3

    launches_of_value, _, _ = counted(tmp_path / "value", lambda: value(away))
    found = {}
    for steps in (3, 9):
        options = {"maxiter": steps, "gtol": 0.0}
        bounds = [(-0.5, 0.5)] * 200 if "bounds" in name else None

        def run(options=options, bounds=bounds):
            return optimize.minimize(
                value,
                cp.zeros(200),
                jac=True,
                method=name.split()[0],
                bounds=bounds,
                options=options,
            )

        run()
        found[steps] = counted(tmp_path / str(steps), run)
    launches, reads, calls, steps = (
        found[9][k] - found[3][k] if k < 2 else getattr(found[9][2], n) - getattr(found[3][2], n)
        for k, n in enumerate(("", "", "nfev", "nit"))
    )
    most_launches, most_reads = MOST[name]
    assert steps == 6
    further = calls - steps
    assert launches - calls * launches_of_value <= steps * most_launches + 4 * further
    assert reads <= steps * most_reads + further


# The same of systems; with a Krylov method, of a product with the Jacobian.
MOST_OF_ROOTS = {"broyden1": (24, 2), "anderson": (19, 2), "krylov": (10, 0.75)}


@pytest.mark.parametrize("method", MOST_OF_ROOTS)
def test_launches_of_systems(method, tmp_path):
    scale = cp.asarray(WEIGHTS)

    @cp.fuse
    def cubic(x, scale):
        return 2 * x + 0.01 * x**3 - scale

    def residual(x):
        return cubic(x, scale)

    found = {}
    for steps in (3, 7):

        def run(steps=steps):
            options = {"nit": steps}
            return optimize.root(residual, cp.zeros(200), method=method, options=options)

        run()
        found[steps] = counted(tmp_path / str(steps), run)
    launches, reads = (found[7][k] - found[3][k] for k in range(2))
    calls = found[7][2].nfev - found[3][2].nfev
    steps = calls if method == "krylov" else found[7][2].nit - found[3][2].nit
    most_launches, most_reads = MOST_OF_ROOTS[method]
    assert launches - calls <= steps * most_launches + 4 * (calls - steps)
    assert reads <= steps * most_reads + calls - steps
