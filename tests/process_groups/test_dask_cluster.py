"""A Dask worker for each device: results beyond a limit on the host, arrays between workers."""

import importlib.util
import subprocess
import sys

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp.distributed.dask import DeviceSpill


def test_results_beyond_the_limit_move_to_the_host_and_back():
    store = DeviceSpill(limit=1000)
    values = {i: np.arange(50.0) + i for i in range(5)}  # 400 bytes each
    for i, value in values.items():
        store[i] = cp.asarray(value)
        assert store.device_bytes <= 1000
    assert store.moves == 3 and len(store) == 5 and set(store) == set(values) and 3 in store
    for i in (0, 4, 2):
        assert isinstance(store[i], cp.ndarray) and (store[i].get() == values[i]).all()
        assert store.device_bytes <= 1000
    del store[0]
    assert 0 not in store and len(store) == 4
    store["large"] = [cp.zeros(400), {"host": np.zeros(3), "x": (1, cp.ones(2))}]
    assert store.device_bytes == 3216  # more than the limit, but it was asked for last
    store["small"] = cp.zeros(1)
    assert store.device_bytes == 8
    large = store["large"]
    assert large[0].shape == (400,) and large[1]["x"][1].tolist() == [1, 1]
    assert isinstance(large[1]["host"], np.ndarray) and large[1]["x"][0] == 1
    with pytest.raises(KeyError):
        store["none"]
    assert DeviceSpill(limit=0.5)._limit == cp.cuda.Device().mem_info[1] / 2


def needs_distributed():
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("dask.distributed is not installed")


SERIALISED = """
import numpy as np
import gpunp as cp
from distributed.protocol import deserialize, serialize
for x in (np.arange(12.0).reshape(3, 4), np.zeros((0, 2), "i4"), np.array(3 + 1j), np.ones((2, 3), order="F")):
    for serializers in (["dask"], ["cuda"], ["pickle"]):
        header, frames = serialize(cp.asarray(x), serializers=serializers)
        assert header["serializer"] == serializers[0], header
        back = deserialize(header, frames)
        assert isinstance(back, cp.ndarray) and back.dtype == x.dtype and back.shape == x.shape
        assert (back.get() == x).all()
"""


def run(program, *arguments):
    done = subprocess.run(
        [sys.executable, program, *arguments],
        env=child.environment(GPUNP_DEVICE="emulated"),
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        cwd=child.ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.null
def test_arrays_are_serialised(tmp_path):
    needs_distributed()
    script = tmp_path / "serialised.py"
    script.write_text(SERIALISED)
    run(str(script))


@pytest.mark.slow
@pytest.mark.null
def test_the_program_of_the_examples():
    needs_distributed()
    out = run("examples/dask_cluster.py", "8000", "8", "16", "32")
    assert "2 workers" in out or "1 workers" in out
    assert "1.00000000" in out and "(the ramp's: 15.5000)" in out
