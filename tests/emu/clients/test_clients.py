"""Other programs on the emulated device. Each runs in a process of its own, as its user would start it.

Numba, cuda-core and tinygrad are tried where they are installed (`pip install 'gpunp[clients]'`); the
versions that were are in docs/emulator.md.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import child
import pytest

import gpunp as cp

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DIRECTORY = Path(cp.__file__).parent / "emulator"

pytestmark = [
    pytest.mark.null,
    pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="the sanitizer wants to load first"),
]


def run(command, **settings):
    """The output of a program that must succeed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUNP_EMU")}
    environment["PYTHONPATH"] = str(Path(cp.__file__).parents[1])
    done = subprocess.run(
        command,
        env={**environment, **settings},
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


def emulate(*command, **settings):
    return run([sys.executable, "-m", "gpunp", "emulate", *command], **settings)


def needs(*modules):
    for module in modules:
        if find_spec(module.split(".")[0]) is None or find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


def test_linking_through_ctypes():
    assert emulate(sys.executable, str(HERE / "linking.py")).count("passed") == 2


def test_library_path_alone_finds_the_device():
    program = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuEmuIsEmulated())"
    path = run([sys.executable, "-m", "gpunp", "emulator-path"]).strip()
    assert run([sys.executable, "-c", program], LD_LIBRARY_PATH=path) == "1\n"


def test_one_device_for_the_process_and_its_libraries():
    program = (
        "import ctypes, gpunp as cp\n"
        "assert cp.cuda.emulate_driver() and cp.cuda.emulate_driver()\n"
        "a = cp.ones(4)\n"
        "driver, base = ctypes.CDLL('libcuda.so.1'), ctypes.c_uint64()\n"
        "code = driver.cuMemGetAddressRange_v2(ctypes.byref(base), None, ctypes.c_uint64(a.data.ptr))\n"
        "print(code, base.value <= a.data.ptr)"
    )
    assert run([sys.executable, "-c", program], GPUNP_DEVICE="emulated") == "0 True\n"


def test_a_c_program_with_the_shipped_header(tmp_path):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source = tmp_path / "program.c"
    source.write_text(
        '#include "gpunp_emu.h"\n#include <stdio.h>\nint cuInit(unsigned int);\n'
        "int main(void) { int code = cuInit(0);\n"
        ' printf("%d %d %s\\n", code, cuEmuIsEmulated(), cuEmuLedgerName(0)); return 0; }\n'
    )
    program = tmp_path / "program"
    where = [f"-I{DIRECTORY}", f"-L{DIRECTORY}", "-lcuda", f"{DIRECTORY.parent}/libgpunp_emu.so"]
    subprocess.run([compiler, str(source), *where, "-o", str(program)], check=True)
    assert emulate(str(program)) == "0 1 allocations\n"


def test_numba():
    needs("numba.cuda", "cuda.bindings")
    out = run([sys.executable, str(HERE / "numba_kernels.py")], GPUNP_DEVICE="emulated")
    assert out.count("passed") == 11


def test_cuda_core():
    needs("cuda.core", "cuda.bindings")
    assert emulate(sys.executable, str(HERE / "cuda_core_programs.py")).count("passed") == 2


@pytest.mark.parametrize("device", ["CUDA", "CUDA:PTX"])
def test_tinygrad(device):
    needs("tinygrad")
    out = emulate(sys.executable, str(HERE / "tinygrad_ops.py"), DEV=device, CACHELEVEL="0")
    assert out.count("passed") == 6
