"""Copies by tensor maps leave in memory what an H200 left there, bit for bit."""

import subprocess
import sys
from pathlib import Path

import child
import pytest

from gpunp import _C

HERE = Path(__file__).resolve().parent
LIBRARY = Path(_C.__file__).parent / "libgpunp_emu.so"

pytestmark = pytest.mark.null


def test_tensor_copies_of_an_h200():
    if not LIBRARY.exists():
        pytest.skip("the emulated device was not built")
    golden = HERE.parent / "golden" / "tensors.txt"
    command = [sys.executable, str(HERE / "tensors.py"), str(LIBRARY), "--check", str(golden)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=child.PATIENCE)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr[-2000:]


def test_changed_maps():
    """tensormap.replace makes the map that the encoding call makes."""
    command = [sys.executable, str(HERE / "tensor_fields.py"), str(LIBRARY)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=child.PATIENCE, env=child.environment(HERE)
    )
    lines = [x for x in done.stdout.splitlines() if not x.startswith("rank")]
    # a map of fewer dimensions keeps what is said of the others
    assert (done.returncode, lines) == (0, []), done.stderr[-2000:]


WRONG = {  # what an H200 answers to each, and what is said here
    "shared": ({"offset": 16}, 716, "which is no multiple of 128"),
    "coordinate": ({"at": [1, 0]}, 715, "coordinate 1 on, which is no multiple of 16 bytes"),
    "store": ({"at": [0, -1], "op": "store"}, 715, "store to coordinate -1 of dimension 1"),
    "order": ({"op": "min"}, 715, "an operation that the map's type does not have"),
    "room": ({"offset": 1920}, 700, "shared address"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tensor_copies(name):
    change, code, says = WRONG[name]
    program = f"""
import ctypes, sys
sys.path.insert(0, {str(HERE)!r})
import numpy as np, tensors
case = dict(type=tensors.F32, dims=[64, 8], strides=[256], whole=2048, box=[16, 4], steps=[1, 1],
            at=[0, 0], bytes=256, padded=256, interleave=0, swizzle=0, fill=0, offset=0, op="load",
            shared=2048, data=np.zeros(4096, "u1"))
driver = tensors.Driver({str(LIBRARY)!r})
try:
    tensors.run(driver, case | {change!r})
except RuntimeError as error:
    text = ctypes.create_string_buffer(2000)
    driver.lib.cuEmuLastFault(text, ctypes.c_size_t(2000))
    print(error, text.value.decode())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f": {code} " in done.stdout and says in done.stdout, done.stdout + done.stderr
