"""Copies by tensor maps leave in memory what an H200 left there, bit for bit."""

import subprocess
import sys
from pathlib import Path

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
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr[-2000:]
