"""`import gpunp` loads little, opens no device, and works where there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gpunp

pytestmark = pytest.mark.null

PACKAGE = Path(gpunp.__file__).parents[1]  # a sanitizer's build lies elsewhere


def run(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(PACKAGE), **environment}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=PACKAGE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_heavy_modules_wait():
    loaded = run("import gpunp, sys; print(*sys.modules)").split()
    for name in ("ml_dtypes", "numpy.testing", "scipy", "gpunp.cuda", "gpunp.testing"):
        assert name not in loaded, name


def test_without_a_device():
    code = """
import gpunp as cp
assert cp.result_type("f4", 1.0) == "f4" and not cp.is_available()
try:
    cp.zeros(1)
except Exception as error:
    print(error)
"""
    text = run(code, GPUNP_DEVICE="cuda", GPUNP_DRIVER="/nonexistent/libcuda.so.1")
    assert "/nonexistent/libcuda.so.1" in text
