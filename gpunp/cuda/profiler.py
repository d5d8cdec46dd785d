"""Switching NVIDIA's profilers on and off, and traces of gpunp's own."""

import contextlib

from gpunp import _C

from . import runtime

__all__ = ["profile", "start", "stop", "trace"]


def start() -> None:
    """Let a profiler that waits for it start to record."""
    runtime.profilerStart()


def stop() -> None:
    """Let a profiler stop recording."""
    runtime.profilerStop()


@contextlib.contextmanager
def profile():
    """Let a profiler record what runs in a `with` block.

    Returns
    -------
    context manager
        `start` at the block's begin, `stop` at its end.
    """
    start()
    try:
        yield
    finally:
        stop()


@contextlib.contextmanager
def trace(path):
    """Record what a `with` block does into a file that Perfetto and Chrome show.

    Parameters
    ----------
    path : str
        The file, JSON of trace events. https://ui.perfetto.dev and chrome://tracing open it.

    Returns
    -------
    context manager
        The file is written at the block's end.

    Notes
    -----
    The environment variable GPUNP_TRACE does the same for a whole program. The end of the block
    waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> with cp.profiler.trace("/tmp/step.json"):  # doctest: +SKIP
    ...     y = cp.sin(cp.arange(1000.0)).sum()
    """
    _C._trace_start(path)
    try:
        yield
    finally:
        _C._trace_stop()
