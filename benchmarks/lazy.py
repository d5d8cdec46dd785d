"""The programs of lazy_programs.py in eager and in lazy mode, on the same arrays.

    python benchmarks/lazy.py [PATTERN]            on the device there is, at usual sizes
    python benchmarks/lazy.py --null [PATTERN]     without a GPU: the host's part of it

Times are those of a call in steady state, from an idle device until it is idle again, the least of
many; rounds of both modes alternate. Kernels are those that the first three calls in eager mode
make, and those that lazy mode makes beside them. Results are compared bit for bit after the last
call of each mode.

With --null the emulated device's launches do nothing but take the time of a GPU's (null_device.c),
so that host time, launches and kernels count and results do not. Sizes are those of the tests.
"""

import argparse
import contextlib
import ctypes
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lazy_programs import PROGRAMS

ROOT = Path(__file__).resolve().parent.parent


def build_null_device(folder):
    """Compile null_device.c against the emulated device; the library's path."""
    path = f"{folder}/libnull_device.so"
    package = ROOT / "gpunp"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    source = str(Path(__file__).with_name("null_device.c"))
    flags = ["-std=c11", "-O2", "-fPIC", "-shared", "-Wl,--no-as-needed", f"-Wl,-rpath,{package}"]
    libraries = [f"-L{package}", "-l:libgpunp_emu.so"]
    subprocess.run([*compiler, *flags, source, "-o", path, *libraries], check=True)
    return path


def launch_counter():
    """Function that returns the launches so far, or None where nobody counts."""
    path = os.environ.get("GPUNP_EMULATOR", "")
    if "null_device" not in path:
        return lambda: 0
    count = ctypes.CDLL(path).null_device_launches
    count.restype = ctypes.c_int64
    return count


class Mode:
    """One program in one mode, with its own arrays."""

    def __init__(self, cp, function, size, context):
        self.cp, self.context = cp, context
        self.run = function(cp, size)
        self.calls = 0
        self.seconds = math.inf
        self.wait()
        before = cp._C._kernel_count()
        for _ in range(3):
            self.call()
        self.kernels = cp._C._kernel_count() - before

    def wait(self):
        self.cp.cuda.Device().synchronize()

    def call(self):
        """One call until the device is idle."""
        with self.context():
            result = self.run()
        self.wait()
        self.calls += 1
        return result

    def measure(self, seconds):
        """Calls for some time; the least one is kept."""
        end = time.perf_counter() + seconds
        while True:
            start = time.perf_counter()
            self.result = self.call()
            now = time.perf_counter()
            self.seconds = min(self.seconds, now - start)
            if now > end:
                return

    def bits(self):
        """Results as bytes."""
        result = self.result if isinstance(self.result, tuple) else (self.result,)
        return [self.cp.asnumpy(x).tobytes() for x in result]


def measure(cp, name, null):
    """(eager, lazy) of a program: both Mode, and their launches per call."""
    function, small, usual = PROGRAMS[name]
    size = small if null else usual
    count = launch_counter()
    modes = [Mode(cp, function, size, c) for c in (contextlib.nullcontext, cp.lazy)]
    launches = []
    for _ in range(4):
        for mode in modes:
            mode.measure(0.1)
    while modes[0].calls != modes[1].calls:  # arrays that change are then the same
        min(modes, key=lambda mode: mode.calls).call()
    for mode in modes:
        before = count()
        mode.result = mode.call()
        launches.append(count() - before)
    return modes, launches


def main():
    """Print the table and the geometric mean."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pattern", nargs="?", default="", help="programs whose name matches")
    parser.add_argument("--null", action="store_true", help="without a GPU: the host's part")
    arguments = parser.parse_args()
    if arguments.null and "GPUNP_EMULATOR" not in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            path = [str(ROOT), os.environ.get("PYTHONPATH", "")]
            more = {
                "GPUNP_DEVICE": "emulated",
                "GPUNP_EMULATOR": build_null_device(folder),
                "PYTHONPATH": os.pathsep.join(path),
            }
            raise SystemExit(subprocess.call([sys.executable, *sys.argv], env=os.environ | more))
    import gpunp as cp

    print("| program | kernels | more, lazy | launches | lazy | µs | lazy | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    ratios = []
    for name in PROGRAMS:
        if not re.search(arguments.pattern, name):
            continue
        (eager, lazy), launches = measure(cp, name, arguments.null)
        ratios.append(eager.seconds / lazy.seconds)
        differs = "" if arguments.null or eager.bits() == lazy.bits() else " (results differ)"
        print(
            f"| {name}{differs} | {eager.kernels} | {lazy.kernels} "
            f"| {launches[0] or '–'} | {launches[1] or '–'} "
            f"| {1e6 * eager.seconds:.0f} | {1e6 * lazy.seconds:.0f} | {ratios[-1]:.2f} |",
            flush=True,
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{len(ratios)} programs: geometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
