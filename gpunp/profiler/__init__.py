"""Measuring: benchmarks, named ranges, NVIDIA's profilers, traces."""

import contextlib as _contextlib

from gpunp import _C
from gpunp.cuda.profiler import profile

from ._time import _PerfCaseResult, benchmark
from ._time_range import time_range

__all__ = ["benchmark", "profile", "time_range", "trace"]


@_contextlib.contextmanager
def trace(path):
    """Record what a `with` block does into a file that Perfetto and Chrome show.

    Parameters
    ----------
    path : str
        The file, JSON of trace events. https://ui.perfetto.dev and chrome://tracing open it.

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


def load_ipython_extension(ipython):
    """Add the magics `%gpu_timeit` and `%%gpu_timeit` to IPython.

    ``%load_ext gpunp.profiler`` calls it.

    Parameters
    ----------
    ipython : InteractiveShell
        The shell.
    """
    from ._ipython_magic import GPUTimeitMagics

    ipython.register_magics(GPUTimeitMagics)
