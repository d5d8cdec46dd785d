"""Control of NVIDIA's profilers, and gpunp's own traces."""

import contextlib

from gpunp import _C

from . import runtime

__all__ = ["profile", "start", "stop", "trace"]


def start() -> None:
    """Start recording in the attached profiler."""
    runtime.profilerStart()


def stop() -> None:
    """Stop recording in the attached profiler."""
    runtime.profilerStop()


@contextlib.contextmanager
def profile():
    """Record a `with` block in the attached profiler.

    Returns
    -------
    context manager
        Context manager that calls `start` and `stop`.
    """
    start()
    try:
        yield
    finally:
        stop()


@contextlib.contextmanager
def trace(path):
    """Record the work of a `with` block to a file that Perfetto and Chrome can show.

    Parameters
    ----------
    path : str
        Path of the file, JSON in the trace event format, for https://ui.perfetto.dev and
        chrome://tracing.

    Returns
    -------
    context manager
        Context manager that writes the file at the end of the block.

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
