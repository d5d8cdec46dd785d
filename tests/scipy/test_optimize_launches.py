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
    "BFGS": (17, 3),
    "CG": (12, 2),
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
