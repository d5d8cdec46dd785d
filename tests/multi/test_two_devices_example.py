"""The plate of examples/two_devices.py, on one device, on two, and in NumPy."""

import importlib.util

import child
import numpy as np
import pytest

pytestmark = pytest.mark.multi


def in_numpy(plate, steps):
    for _ in range(steps):
        inner = plate[1:-1, 1:-1]
        flow = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] - 4 * inner
        plate = plate.copy()
        plate[1:-1, 1:-1] = inner + np.float32(0.2) * flow
    return plate


@pytest.mark.parametrize("devices", [[0], [0, 1], [1, 0, 1]])
def test_a_shared_plate(devices, rng):
    path = child.ROOT / "examples" / "two_devices.py"
    spec = importlib.util.spec_from_file_location("two_devices", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    plate = rng.random((40, 50), dtype="f4")
    shared, _ = example.run(plate, 5, devices)
    assert np.allclose(shared, in_numpy(plate, 5), atol=1e-5)
