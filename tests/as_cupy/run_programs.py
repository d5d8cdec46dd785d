"""Run the programs of a folder one after the other under `gpunp.as_cupy`; print what failed as JSON."""

import json
import runpy
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import gpunp.as_cupy  # noqa: F401

import cupy  # isort: skip


def failure(path):
    """The traceback of a program, or None."""
    printed = StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            runpy.run_path(str(path), run_name="__main__")
    except BaseException:
        return printed.getvalue() + traceback.format_exc()
    finally:
        cupy.cuda.Stream.null.use()
    return None


print(json.dumps({path.stem: failure(path) for path in sorted(Path(sys.argv[1]).glob("*.py"))}))
