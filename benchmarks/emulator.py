"""How fast the emulated device is per core, beside NumPy and Numba's simulator.

python benchmarks/emulator.py [WORKERS]

The kernels are plain CUDA C++, one element a thread, as NVRTC compiles them with gpunp's options.
"""

import ctypes
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import numpy as np  # noqa: E402
import nvrtc  # noqa: E402  (tools/ has no package)

N = 1 << 22

KERNELS = r"""
extern "C" __global__ void empty(float *out, const float *a, const float *b, int n) {}
extern "C" __global__ void add(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
extern "C" __global__ void exponential(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = expf(a[i]);
}
extern "C" __global__ void sum(float *out, const float *a, const float *b, int n)
{
    float s = 0;
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    #pragma unroll 1
    for (int i = first; i < n; i += step) s += a[i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
extern "C" __global__ void strided(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) out[i] = a[2 * i];
}
extern "C" __global__ void transpose(float *out, const float *a, const float *b, int n)
{
    __shared__ float tile[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16, side = n;
    int col = blockIdx.x % (side / 16) * 16, row = blockIdx.x / (side / 16) * 16;
    tile[y][x] = a[(row + y) * side + col + x];
    __syncthreads();
    out[(col + y) * side + row + x] = tile[x][y];
}
extern "C" __global__ void product(float *out, const float *a, const float *b, int n)
{
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    int col = blockIdx.x % (n / 16) * 16, row = blockIdx.x / (n / 16) * 16;
    float v = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[(row + y) * n + k + x];
        t[y][x] = b[(k + y) * n + col + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) v += s[y][i] * t[i][x];
        __syncthreads();
    }
    out[(row + y) * n + col + x] = v;
}
"""

SIMULATOR = """
import time, numpy as np
from numba import cuda
@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]
a = np.ones(2048, 'f4'); out = np.zeros(2048, 'f4')
add[2, 64](a, a, out)
begin = time.perf_counter(); add[32, 64](a, a, out); print(2048 / (time.perf_counter() - begin))
"""


class Device:
    """The driver's calls that are needed, through ctypes."""

    def __init__(self):
        self.driver = ctypes.CDLL(str(ROOT / "gpunp" / "libgpunp_emu.so"))
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name} gave {code}")

    def load(self, ptx):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx)
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def array(self, values):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(values.nbytes))
        data = ctypes.c_void_p(values.ctypes.data)
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(values.nbytes))
        return address

    def launcher(self, function, grid, block, arrays, n):
        held = [*arrays, ctypes.c_int(n)]
        params = (ctypes.c_void_p * 4)(*[ctypes.addressof(x) for x in held])
        shape = [ctypes.c_uint(x) for x in (grid, 1, 1, block, 1, 1, 0)]

        def launch():
            self.driver.cuLaunchKernel(function, *shape, None, params, None)

        launch.held = held
        return launch


def best(action, repeat=9):
    """The shortest of several times, in seconds of processor time: machines have other work too."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def simulator():
    """Elements a second of Numba's simulator, or None without Numba."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SIMULATOR],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
    )
    return float(done.stdout) if done.returncode == 0 else None


def show(name, value, unit, target, numpy=None):
    """One line of the table."""
    beside = f"{numpy / 1e6:9.0f}" if numpy else " " * 9
    print(f"| {name:38} | {value:9.2f} | {unit:14} | {target:>7} | {beside} |", flush=True)


def throughput(device, module):
    """Elements a second of each kernel, and of NumPy doing the same."""
    a = np.random.default_rng(0).random(N, dtype=np.float32)
    b, out = a[::-1].copy(), np.empty_like(a)
    arrays = [device.array(x) for x in (out, a, b)]
    cases = [
        ("add", N // 256, 256, N, N, 1000, lambda: np.add(a, b, out)),
        ("exponential", N // 256, 256, N, N, 300, lambda: np.exp(a, out)),
        ("sum", 16, 256, N, N, 2000, lambda: a.sum()),
        ("strided", N // 128, 64, N, N // 2, 200, lambda: np.copyto(out[: N // 2], a[::2])),
        ("transpose", (2048 // 16) ** 2, 256, 2048, N, None, None),
        ("product", (256 // 16) ** 2, 256, 256, 256**3, None, None),
    ]
    names = {
        "add": "add, float32",
        "exponential": "exp, float32",
        "sum": "sum, float32",
        "strided": "strided copy, blocks of 64",
        "transpose": "transpose through shared memory",
        "product": "matrix product, tiles of 16 (mul-adds)",
    }
    for name, grid, block, n, count, target, numpy in cases:
        launch = device.launcher(device.function(module, name), grid, block, arrays, n)

        def run(launch=launch):
            launch()
            device.call("cuCtxSynchronize")

        beside = count / best(numpy) if numpy else None
        show(names[name], count / best(run) / 1e6, "M elements/s", str(target or ""), beside)


def latency(device, module, ptx):
    """What a small launch and loading a small text cost."""
    arrays = [device.array(np.zeros(64, np.float32)) for _ in range(3)]
    launch = device.launcher(device.function(module, "empty"), 1, 32, arrays, 0)

    def launches():
        for _ in range(1000):
            launch()
        device.call("cuCtxSynchronize")

    show("small launch", best(launches) * 1e3, "us", "5")
    one = nvrtc.Compiler().compile(
        KERNELS[: KERNELS.index('extern "C" __global__ void exp')], "compute_90", "a.cu"
    )
    one = one if isinstance(one, bytes) else one.encode()

    def load():
        module = device.load(one)
        device.function(module, "add")
        device.call("cuModuleUnload", module)

    show(f"load {len(one)} bytes of PTX", best(load, 50) * 1e3, "ms", "0.2")


def main(workers):
    """Print the table."""
    os.environ["GPUNP_EMU_WORKERS"] = str(workers)
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        model = lines[0].split(":")[1].strip() if lines else model
    print(
        f"{model}, {workers} worker(s), load {os.getloadavg()[0]:.1f}, "
        f"{time.strftime('%Y-%m-%d')}\n"
    )
    print(f"| {'':38} | {'emulated':>9} | {'':14} | {'target':>7} | {'NumPy':>9} |")
    print(f"|{'-' * 40}|{'-' * 11}|{'-' * 16}|{'-' * 9}|{'-' * 11}|")
    ptx = nvrtc.Compiler().compile(KERNELS, "compute_90", "emulator.cu")
    ptx = ptx if isinstance(ptx, bytes) else ptx.encode()
    device = Device()
    module = device.load(ptx)
    throughput(device, module)
    latency(device, module, ptx)
    rate = simulator()
    if rate:
        show("add in Numba's simulator", rate / 1e6, "M elements/s", "")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
