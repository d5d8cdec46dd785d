"""The environment of another Python process that a test starts."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 280  # seconds after which a process hangs, on a loaded machine too
# For tests that fork a process whose other threads allocate.
FORKS = pytest.mark.skipif(
    "address" in os.environ.get("GPUNP_SANITIZE", ""),
    reason="the child inherits a lock of the sanitizer's allocator that no thread of it releases",
)


def environment(*folders, **variables):
    """This process's variables and the given ones; imports also look into the folders.

    The build that this process uses comes first, so that a sanitizer's stays the one that is
    tested. A script that imports its neighbours needs its own folder among the given ones, since
    the sanitizers' runs leave it out.
    """
    path = [os.environ.get("PYTHONPATH") or str(ROOT), *map(str, folders)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), **variables}
