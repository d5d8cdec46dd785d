"""Loops that end when the driver refuses a number name the error that means so."""

from contextlib import nullcontext

import numpy as np
import pytest

import gpunp as cp

PTX = b"""
.version 7.0
.target sm_60
.address_size 64
.visible .entry three(.param .u64 x, .param .u32 n, .param .f32 f) { ret; }
"""


@pytest.mark.parametrize("code", [2, 1, 700, 801, 400])
@pytest.mark.parametrize("nth", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("mode", ["once", "after"])
def test_parameters_of_a_function(emulator, code, nth, mode):
    module = cp.cuda.Module()
    module.load(PTX)
    x = cp.zeros(3)
    plan = emulator.fail("cuFuncGetParamInfo", nth, code, mode)
    try:
        function = module.get_function("three")
    except (cp.cuda.CUDADriverError, MemoryError) as error:
        assert emulator.fired(plan)
        assert getattr(error, "status", 2) == code and code != 1
        emulator.clear()
        function = module.get_function("three")
    emulator.clear()
    if code == 1 and mode == "after":  # a driver that is wrong about this alone: no crash
        with pytest.warns(RuntimeWarning) if nth < 4 else nullcontext():
            function((1,), (1,), (x, np.int32(3), np.float32(1)))
        return
    function((1,), (1,), (x, np.int32(3), np.float32(1)))
    with pytest.raises(TypeError):
        function((1,), (1,), (x,))
    cp.cuda.get_current_stream().synchronize()


def test_attributes_of_a_device(emulator):
    whole = cp.cuda.Device().attributes
    emulator.fail("cuDeviceGetAttribute", 5, 1)
    assert len(cp.cuda.Device().attributes) == len(whole) - 1
    emulator.fail("cuDeviceGetAttribute", 5, 999)
    with pytest.raises(cp.cuda.CUDADriverError):
        cp.cuda.Device().attributes
