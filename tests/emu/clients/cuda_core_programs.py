"""cuda-bindings and cuda-core on the emulated device: run by test_clients.py."""

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
extern "C" __global__ void scale(float *out, const float *in, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * in[i];
}
"""


def checked(result):
    """The values behind a CUresult, which must be success."""
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]
    return result[1] if len(result) == 2 else result[1:]


def test_bindings():
    checked(driver.cuInit(0))
    assert checked(driver.cuDeviceGetCount()) >= 1
    assert b"gpunp" in checked(driver.cuDeviceGetName(64, 0))


def test_a_program_is_compiled_and_launched():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"compute_{device.arch}")
    kernel = Program(SOURCE, "c++", options).compile("ptx").get_kernel("scale")
    values = np.arange(1000, dtype=np.float32)
    source = device.allocate(values.nbytes, stream=stream)
    target = device.allocate(values.nbytes, stream=stream)
    checked(driver.cuMemcpyHtoD(int(source.handle), values.ctypes.data, values.nbytes))
    config = LaunchConfig(grid=8, block=128)
    arguments = (target, source, np.float32(3), np.int32(1000))
    launch(stream, config, kernel, *arguments)
    stream.sync()
    got = np.empty_like(values)
    checked(driver.cuMemcpyDtoH(got.ctypes.data, int(target.handle), got.nbytes))
    assert np.array_equal(got, 3 * values)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed", name, flush=True)
