"""How many kernels operations of sparse matrices launch, and how often they wait for the device."""

import json

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.cuda import profiler
from gpunp.scipy import sparse

# Launches and readings, at most.
MOST = {
    "components": (lambda a: sparse.csgraph.connected_components(a), 10, 1),
    "sum": (lambda a: a + a, 2, 1),
    "product": (lambda a: a @ a, 5, 2),
}


@pytest.mark.parametrize("name", MOST)
def test_launches_and_readings(name, tmp_path, rng):
    host = scipy.sparse.random_array((200, 200), density=0.03, rng=rng, dtype=np.float32)
    a = sparse.csr_array(host.tocsr())
    call, most_launches, most_readings = MOST[name]
    call(a)
    cp.cuda.Device().synchronize()
    with profiler.trace(tmp_path / "events"):
        call(a)
    events = json.loads((tmp_path / "events").read_text())["traceEvents"]
    launches = sum("grid" in e.get("args", {}) for e in events)
    readings = sum(e["name"] == "copy to host" for e in events)
    assert launches <= most_launches
    assert readings <= most_readings
