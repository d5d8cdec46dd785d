"""What a person at a terminal or a notebook is told while kernels are compiled for the first time.

The extension calls `compiled` after half a second of compiling, unless GPUNP_PROGRESS is 0. A line
is written to a terminal, once; a notebook's line counts on. Nothing is written to files and pipes.
"""

import sys
import time
from typing import Any

from .. import _C

__all__ = ["compiled"]

SECONDS_BETWEEN = 0.25
_display: dict[str, Any] = {}


def text(count: int, seconds: float) -> str:
    """The line to show."""
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


def in_notebook() -> bool:
    """Whether IPython runs with a kernel, which shows what is displayed."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def compiled(count: int, seconds: float) -> bool:
    """Show how many kernels were compiled and how long it took; True asks for more such calls."""
    try:
        if in_notebook():
            _show(text(count, seconds))
            return True
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(text(count, seconds) + "\n")
            sys.stderr.flush()
    except Exception:  # whatever replaces stderr or displays: no reason to end a computation
        pass
    return False


def _show(line: str) -> None:
    """Display a line in the notebook, or change the one that is there."""
    from IPython.display import display  # type: ignore[import-not-found]

    now = time.monotonic()
    if "handle" not in _display:
        _display["handle"] = display({"text/plain": line}, raw=True, display_id=True)
    elif now - _display["time"] >= SECONDS_BETWEEN:
        _display["handle"].update({"text/plain": line}, raw=True)
    else:
        return
    _display["time"] = now
