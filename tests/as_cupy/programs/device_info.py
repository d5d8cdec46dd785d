"""What programs print about the device."""

import cupy as cp

device = cp.cuda.Device()
assert device.id == 0 and len(device.compute_capability) >= 2
properties = cp.cuda.runtime.getDeviceProperties(device.id)
assert properties["name"].decode() and properties["multiProcessorCount"] > 0
free, total = cp.cuda.runtime.memGetInfo()
assert 0 < free <= total == device.mem_info[1]
assert cp.cuda.runtime.getDeviceCount() >= 1
assert cp.cuda.runtime.runtimeGetVersion() >= 12000
assert not cp.cuda.runtime.is_hip
assert device.attributes["MaxThreadsPerBlock"] >= 512
assert cp.cuda.is_available() and cp.is_available()
with cp.cuda.Device(0):
    x = cp.arange(3)
assert x.device == device and str(x.device) == "<CUDA Device 0>"
try:
    cp.cuda.Device(1000).use()
except cp.cuda.runtime.CUDARuntimeError as error:
    assert "invalid device" in str(error).lower()
cp.show_config()
