"""No operation waits for the device with the GIL held: one thread would be enough for a deadlock.

The table of operations is complete: a public name without a row fails.
"""

import subprocess
import sys
from pathlib import Path

import child
import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def test_every_public_name_has_an_operation():
    from operations import OPERATIONS, Operation, public_names

    missing = public_names() - set(OPERATIONS)
    assert not missing, f"no row in tests/hostile/operations.py: {sorted(missing)}"
    assert sum(isinstance(row, Operation) for row in OPERATIONS.values()) > 300


@pytest.mark.parametrize("where", ["same", "null", "other"])
def test_operations_beside_a_pending_function(where):
    process = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(HERE / "callbacks.py"), where],
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=False,
        env=child.environment(HERE),
    )
    lines = process.stdout.split("\n")
    last = next((line for line in reversed(lines) if line), "nothing")
    assert process.returncode == 0 and last == "done", f"{last}:\n{process.stderr[-3000:]}"
