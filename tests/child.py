"""The environment of another Python process that a test starts."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 280  # seconds after which a process hangs, on a loaded machine too


def environment(*folders, **variables):
    """This process's variables and the given ones; imports also look into the folders.

    The build that this process uses comes first, so that a sanitizer's stays the one that is
    tested. A script that imports its neighbours needs its own folder among the given ones, since
    the sanitizers' runs leave it out.
    """
    path = [os.environ.get("PYTHONPATH") or str(ROOT), *map(str, folders)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), **variables}
