"""What importing gpunp loads beside NumPy: time that every program spends."""

import subprocess
import sys

import child
import pytest

pytestmark = pytest.mark.null

PROGRAM = """
import sys, numpy
before = set(sys.modules)
import gpunp
print(*sorted(set(sys.modules) - before))
"""
LATER = [
    "cuda.texture",
    "distributed",
    "fft",
    "jit",
    "linalg",
    "polynomial",
    "profiler",
    "random",
    "scipy",
]
LATER += ["signal", "testing", "as_cupy"]


@pytest.fixture(scope="module")
def loaded():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, env=child.environment(), capture_output=True, text=True, timeout=child.PATIENCE
    )
    return done.stdout.split()


def test_import_loads_nothing_of_other_packages(loaded):
    others = [name for name in loaded if name.split(".")[0] not in ("gpunp", "numpy")]
    # NumPy's own imports differ from version to version; these it brings or are built in.
    assert not set(others) - {"inspect", "textwrap", "platform", "datetime", "numbers", "ctypes"}


def test_rarely_used_modules_come_later(loaded):
    assert "gpunp" in loaded and not {f"gpunp.{name}" for name in LATER} & set(loaded)
