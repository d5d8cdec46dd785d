"""Bars for long work: on a terminal's standard error, or as an output of a notebook.

Nothing is shown in files and pipes, in the first second of the work, and where GPUNP_PROGRESS is 0.
"""

import os
import sys
import time
from typing import Any

__all__ = ["Bar", "in_notebook"]

WIDTH = 30
DELAY = 1.0
SECONDS_BETWEEN = 0.25


def in_notebook() -> bool:
    """Whether IPython runs with a kernel that displays objects."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class Bar:
    """How far some work is: call it with what is done and the whole, and `end` afterwards."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.begin = time.monotonic()
        self.shown_at = 0.0
        self.handle: Any = None
        self.is_off = os.environ.get("GPUNP_PROGRESS") == "0"

    def text(self, done: int, total: int | None) -> str:
        """Text of the bar; a total of None is not known yet."""
        if total is None:
            return f"{self.title} {done}"
        filled = WIDTH * done // max(total, 1)
        return f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}"

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how much of the whole is done."""
        now = time.monotonic()
        is_last = done == total and self.shown_at > 0
        if self.is_off or now - self.begin < DELAY:
            return
        if now - self.shown_at < SECONDS_BETWEEN and not is_last:
            return
        try:
            self._show(self.text(done, total))
        except Exception:  # replaced stderr or display hooks may fail; the work continues
            self.is_off = True
        self.shown_at = now

    def _show(self, text: str) -> None:
        if in_notebook():
            data = {"text/plain": text}
            if self.handle is None:
                from IPython.display import display  # type: ignore[import-not-found]

                self.handle = display(data, raw=True, display_id=True)
            else:
                self.handle.update(data, raw=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()

    def end(self) -> None:
        """Leave the line."""
        is_line = self.shown_at > 0 and self.handle is None and not self.is_off
        if is_line and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\n")
