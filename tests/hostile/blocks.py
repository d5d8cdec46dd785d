"""Blocks of calls, handed out to the workers of a run through a file that has the number of the next one."""

import fcntl
import os
from pathlib import Path

CALLS = 250  # of a block
MEMORY = 6 << 30  # bytes of a process
SLOWER = 2.0 if os.environ.get("GPUNP_SANITIZE") else 1.0


def take(counter):
    """The number of the next block, which nobody else gets."""
    with open(counter, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        number = int(file.read())
        file.seek(0)
        file.write(str(number + 1))
    return number


def length(number, end):
    """How many calls the block has when the run ends before call `end`."""
    return max(0, min(CALLS, end - number * CALLS))


def resident(pid):
    """Bytes of memory of a process."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError):
        return 0
