"""Eight threads with Python functions in their streams, and captures that nothing may break."""

import os
import subprocess
import sys
from pathlib import Path

import child
import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("seconds", [8, pytest.param(150, marks=pytest.mark.slow)])
def test_everything_at_once(seconds, request):
    options = f"{os.environ.get('TSAN_OPTIONS', '')}:suppressions={HERE / 'tsan.txt'}"
    seed = request.config.getoption("--seed")
    process = subprocess.run(
        [sys.executable, str(HERE / "thread_mix.py"), str(seconds), str(seed)],
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
        env=child.environment(HERE, TSAN_OPTIONS=options),
    )
    assert process.returncode == 0, process.stdout[-2000:] + process.stderr[-4000:]
    assert process.stdout.rstrip().endswith("done")
