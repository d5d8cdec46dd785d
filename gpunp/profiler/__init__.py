"""Measuring: benchmarks, named ranges, NVIDIA's profilers, traces."""

from gpunp.cuda.profiler import profile, trace

from ._time import _PerfCaseResult, benchmark
from ._time_range import time_range
from ._timeline import Timeline, timeline

__all__ = ["Timeline", "benchmark", "profile", "time_range", "timeline", "trace"]


def load_ipython_extension(ipython):
    """Register the magics `%gpu_timeit` and `%%gpu_timeit` with IPython.

    ``%load_ext gpunp.profiler`` calls it.

    Parameters
    ----------
    ipython : InteractiveShell
        Shell in which the magics are registered.
    """
    from ._ipython_magic import GPUTimeitMagics

    ipython.register_magics(GPUTimeitMagics)
