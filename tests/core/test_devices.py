"""Arrays on two devices (of the emulator, in a process of their own): where results live, and errors."""

import subprocess
import sys

import child
import pytest

pytestmark = pytest.mark.null

PROLOGUE = """
import copy, pickle
import numpy as np
import gpunp as cp
a = np.arange(6.0).reshape(2, 3)
with cp.cuda.Device(1):
    x = cp.asarray(a)
y = cp.asarray(a)
def both(call):
    try:
        call()
    except ValueError as error:
        assert "device" in str(error) and {"0", "1"} <= set(str(error)), error
    else:
        raise AssertionError("no error")
"""


def run(body):
    """Run a script on two emulated devices."""
    environment = child.environment(
        GPUNP_DEVICE="emulated",
        GPUNP_EMU_DEVICES="2",
        GPUNP_EMU_ASYNC="2",  # work runs as late as it may, so a missing wait shows
    )
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE + body], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_work_on_another_device_stays_there():
    run("""
assert (x.device.id, y.device.id, x.data.device_id) == (1, 0, 1)
for view, expected in [(x, a), (x.T, a.T), (x[:, ::2], a[:, ::2])]:
    assert (view.get() == expected).all()
    assert repr(view) == repr(expected) and view.tolist() == expected.tolist()
    for made in (view.copy(), view.astype("f4"), copy.deepcopy(view), view.T.ravel(), view.imag):
        assert made.device.id == 1
assert x[1, 2].item() == 5 and float(x[0, 1]) == 1
x[0] = 7
x[1] = [1, 2, 3]
x[:, 2] = np.array([8, 9])
x.flat[0] = 6
assert x.tolist() == [[6, 7, 8], [1, 2, 9]], x
x.fill(3)
x.set(a)
assert (x.get() == a).all() and x.flat[1:3].tolist() == [1, 2]
assert cp.cuda.Device().id == 0
""")


def test_moving_between_devices():
    run("""
assert cp.asarray(x).device.id == 0 and (cp.asarray(x).get() == a).all()
assert cp.asarray(x.T).device.id == 0 and (cp.asarray(x.T).get() == a.T).all()
assert x.to_device(0).device.id == 0 and y.to_device(cp.cuda.Device(1)).device.id == 1
assert x.to_device(1) is x
assert pickle.loads(pickle.dumps(x)).device.id == 0
assert cp.from_dlpack(x).device.id == 1
assert cp.from_dlpack(x, device=cp.cuda.Device(0)).device.id == 0
assert cp.cuda.Device().id == 0
for bad in (7, -1):
    try:
        y.to_device(bad)
    except Exception as error:
        assert type(error).__name__ in ("CUDADriverError", "ValueError")
    else:
        raise AssertionError
try:
    cp.array(x, copy=False)
except ValueError:
    pass
else:
    raise AssertionError
""")


def test_assignment_and_copyto_cross_devices():
    run("""
both = cp.array([x, y])
assert both.device.id == 0 and (both.get() == [a, a]).all()
x[0] = y[1]
y[:, 1:] = x[:, :2]
assert x.tolist() == [[3, 4, 5], [3, 4, 5]] and y.tolist() == [[0, 3, 4], [3, 3, 4]]
x[...] = y[:, ::-1].T[:, :1].T
assert x.tolist() == [[4, 3, 0]] * 2
small = cp.zeros((2, 3), "i4")
cp.copyto(small, x, casting="unsafe")
assert small.tolist() == [[4, 3, 0]] * 2 and small.device.id == 0
try:
    x[...] = cp.zeros((5, 3))
except ValueError as error:
    assert "broadcast" in str(error)
else:
    raise AssertionError
assert cp.cuda.Device().id == 0 and (x.device.id, y.device.id) == (1, 0)
""")


def test_mixing_devices_is_a_value_error_naming_both():
    run("""
both(lambda: x[cp.array([0, 1])])
both(lambda: x.__setitem__(cp.array([0, 1]), 1))
both(lambda: y.__setitem__(cp.array([0, 1]), x))
both(lambda: x + y)
assert cp.cuda.Device().id == 0
assert (x.get() == a).all() and (y.get() == a).all()
""")


def test_operands_on_another_device_are_refused_before_a_launch():
    run("""
i = cp.asarray([0, 1])
with cp.cuda.Device(1):
    v = cp.ones(2)
for call in (
    lambda: cp.add(x, 1, out=x),
    lambda: x.__iadd__(1),
    lambda: cp.tril(x),
    lambda: cp.nonzero(x),
    lambda: cp.isclose(x, x),
    lambda: cp.nan_to_num(x, copy=False),
    lambda: cp.copyto(x, 1.0, where=x > 2),
    lambda: cp.putmask(x, cp.ones((2, 3), bool), y),
    lambda: cp.add.at(y[0], i, v),
    lambda: cp.put(y, i, v),
    lambda: cp.random.default_rng().random(out=v),
):
    try:
        call()
    except ValueError as error:
        assert "device" in str(error), error
    cp.cuda.Device(0).synchronize()
    cp.cuda.Device(1).synchronize()
""")


def test_scans_write_to_out_on_another_device():
    run("""
with cp.cuda.Device(1):
    out, few = cp.zeros((2, 3)), cp.zeros((2, 2))
for call, expected, to in (
    (lambda: cp.cumsum(y, 0, out=out), a.cumsum(0), out),
    (lambda: cp.nancumsum(y, 1, out=out), a.cumsum(1), out),
    (lambda: cp.subtract.accumulate(y, 1, out=out), np.subtract.accumulate(a, 1), out),
    (lambda: cp.add.reduceat(y, [0, 2], 1, out=few), np.add.reduceat(a, [0, 2], 1), few),
):
    assert call() is to and to.device.id == 1 and (to.get() == expected).all()
""")


def test_random_states_move_to_another_device():
    run("""
for make in cp.random.XORWOW, cp.random.MRG32k3a:
    source = make(5)
    draws = cp.random.Generator(source)
    draws.random(3)
    state = source.state
    expected = draws.random(3).get()
    for device in 1, 0, 1:
        with cp.cuda.Device(device):
            source.state = state
            assert np.array_equal(draws.random(3).get(), expected)
""")


def test_the_stream_of_a_move():
    run(
        """
    there = cp.cuda.Device(1)
    with there:
        stream = cp.cuda.Stream(non_blocking=True)
    for given in (stream, stream.ptr, None):
        moved = y.to_device(1, stream=given)
        assert moved.device == there and (moved.get() == a).all()
        assert y.to_device(there, stream=given).device == there
    for wrong, error in (("left", TypeError), (1.5, TypeError)):
        try:
            y.to_device(1, stream=wrong)
        except error:
            pass
        else:
            raise AssertionError(wrong)
        assert cp.cuda.Device().id == 0
    """.replace("\n    ", "\n")
    )
