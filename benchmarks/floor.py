"""Measures floor.c: what a bare launch costs and how fast the memory is, here and now."""

import ctypes
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import nvrtc  # noqa: E402  (tools/ has no package)

KERNELS = r"""
struct __align__(16) f4 { float x, y, z, w; };
extern "C" __global__ void empty(const float *a, const float *b, float *out, long n) {}
extern "C" __global__ void add_vector(const f4 *a, const f4 *b, f4 *out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) {
        f4 x = a[i], y = b[i];
        x.x += y.x; x.y += y.y; x.z += y.z; x.w += y.w;
        out[i] = x;
    }
}
extern "C" __global__ void copy_vector(const f4 *a, const f4 *b, f4 *out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) { out[i] = a[i]; }
}
"""


class Floor(ctypes.Structure):
    """As floor.c has it."""

    _fields_ = [
        (name, ctypes.c_double) for name in ("launch_us", "copy_ms", "copy_kernel_ms", "add_ms")
    ]


def architecture(driver):
    """ "sm_90" of device 0, or "compute_90" for the emulated device, which runs PTX."""
    library = ctypes.CDLL(driver)
    library.cuInit(0)
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.cuDeviceGetAttribute(ctypes.byref(major), 75, 0)
    library.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0)
    kind = "compute" if "gpunp_emu" in driver else "sm"
    return f"{kind}_{major.value}{minor.value}"


def measure(driver, nbytes, launches=500):
    """The four floors; `nbytes` is the size of one of the three arrays."""
    image = nvrtc.Compiler().compile(KERNELS, architecture(driver), "floor.cu")
    with tempfile.TemporaryDirectory() as folder:
        shared = f"{folder}/floor.so"
        subprocess.run(
            [
                *shlex.split(os.environ.get("CC", "cc")),
                "-std=c11",
                "-D_GNU_SOURCE",
                "-O2",
                "-fPIC",
                "-shared",
                str(Path(__file__).with_name("floor.c")),
                "-o",
                shared,
                "-ldl",
            ],
            check=True,
        )
        library = ctypes.CDLL(shared)
    library.floor_error.restype = ctypes.c_char_p
    result = Floor()
    if (
        library.floor_measure(
            driver.encode(), image, ctypes.c_size_t(nbytes), launches, ctypes.byref(result)
        )
        != 0
    ):
        raise RuntimeError(library.floor_error().decode())
    return {
        "launch_us": result.launch_us,
        "copy_GBps": max(2 * nbytes / ms / 1e6 for ms in (result.copy_ms, result.copy_kernel_ms)),
        "memcpy_GBps": 2 * nbytes / result.copy_ms / 1e6,
        "add_GBps": 3 * nbytes / result.add_ms / 1e6,
    }


def driver_path(emulated):
    """The driver's library, or that of the emulated device."""
    return str(ROOT / "gpunp" / "libgpunp_emu.so") if emulated else "libcuda.so.1"


if __name__ == "__main__":
    emulated, nbytes = sys.argv[1] == "emulated", int(sys.argv[2])
    print(json.dumps(measure(driver_path(emulated), nbytes, 50 if emulated else 500)))
