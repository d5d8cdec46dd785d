"""The notice on a terminal or in a notebook that kernels are being compiled for the first time.

The extension calls `compiled` after half a second of compiling, unless GPUNP_PROGRESS is 0. A line
is written to a terminal, once; a notebook's line is updated. Nothing is written to files and pipes.
"""

import sys
import time
from typing import Any

from .. import _C
from .._progress import in_notebook

__all__ = ["compiled"]

SECONDS_BETWEEN = 0.25
_display: dict[str, Any] = {}


def text(count: int, seconds: float) -> str:
    """Text of the notice."""
    folder = _C._cache_info()[0]
    after = (
        f"they are kept in {folder}, and the next run is quicker"
        if folder
        else "they are not kept, since GPUNP_CACHE_DIR is off"
    )
    return (
        f"gpunp: kernels are compiled at their first use ({count} so far, {seconds:.1f} s); "
        f"{after}. GPUNP_PROGRESS=0 hides this line."
    )


def compiled(count: int, seconds: float) -> bool:
    """Show the number of compiled kernels and the time taken; return True to be called again."""
    try:
        if in_notebook():
            _show(text(count, seconds))
            return True
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(text(count, seconds) + "\n")
            sys.stderr.flush()
    except Exception:  # replaced stderr or display hooks may fail; the computation continues
        pass
    return False


def _show(line: str) -> None:
    """Display the notice in the notebook, or update it."""
    from IPython.display import display  # type: ignore[import-not-found]

    now = time.monotonic()
    if "handle" not in _display:
        _display["handle"] = display({"text/plain": line}, raw=True, display_id=True)
    elif now - _display["time"] >= SECONDS_BETWEEN:
        _display["handle"].update({"text/plain": line}, raw=True)
    else:
        return
    _display["time"] = now
