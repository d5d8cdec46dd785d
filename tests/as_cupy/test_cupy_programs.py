"""Programs in CuPy's idiom run unchanged: those of `programs/`, in one process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from child import PATIENCE, environment

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.py"))


@pytest.fixture(scope="module")
def failures():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "run_programs.py"), str(HERE / "programs")],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_program_says_cupy_alone():
    """Nothing of gpunp's name is in them."""
    for path in (HERE / "programs").glob("*.py"):
        assert "gpunp" not in path.read_text(), path


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(failures, name):
    assert failures[name] is None, failures[name]
