"""Compiles every kernel with its default knobs: `make kernels`.

Prints milliseconds, PTX bytes, cubin bytes, registers and spills for each architecture. Compile
time is a feature of gpunp: a kernel whose time doubles fails tests/meta/test_kernels.py.
"""

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nvrtc

ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]


def kernels():
    """The .cu files, each one kernel."""
    return sorted(nvrtc.KERNELS.glob("*.cu"))


def compile_ms(compiler, path, arch, rounds=5):
    """(median milliseconds, image) of compiling one file."""
    source, headers = path.read_text(), nvrtc.kernel_headers()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        image = compiler.compile(source, arch, path.name, headers)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), image


def registers(cubin):
    """(registers, spilled bytes) of the entry, by cuobjdump where a toolkit has it."""
    program = shutil.which("cuobjdump") or "/usr/local/cuda/bin/cuobjdump"
    if not Path(program).exists():
        return None, None
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([program, "-res-usage", file.name], capture_output=True, text=True)
    found = re.search(r"REG:(\d+) STACK:(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (None, None)


def main():
    """Print the table; the exit status says whether everything compiled."""
    compiler = nvrtc.Compiler()
    print(f"NVRTC {compiler.version[0]}.{compiler.version[1]}")
    print(f"{'kernel':18} {'arch':8} {'ms':>6} {'bytes':>7} {'registers':>9} {'stack':>6}")
    failures = 0
    for path in kernels():
        for arch in ["compute_90", *(sys.argv[1:] or ARCHITECTURES)]:
            try:
                ms, image = compile_ms(compiler, path, arch)
            except ValueError as error:
                failures += 1
                print(f"{path.stem:18} {arch:8} does not compile:\n{error}")
                continue
            count, stack = registers(image) if arch.startswith("sm_") else (None, None)
            words = [
                f"{count if count is not None else '-':>9}",
                f"{stack if stack is not None else '-':>6}",
            ]
            print(f"{path.stem:18} {arch:8} {ms:6.1f} {len(image):7} {' '.join(words)}")
    raise SystemExit(failures)


if __name__ == "__main__":
    main()
