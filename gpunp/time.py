"""Timing, under the name that older programs import; see `gpunp.profiler`."""

import math

from ._core._docstrings import documented_as
from .profiler import benchmark

__all__ = ["repeat"]


@documented_as(benchmark)
def repeat(
    func,
    args=(),
    kwargs={},  # noqa: B006 - never changed
    n_repeat=10000,
    *,
    name=None,
    n_warmup=10,
    max_duration=math.inf,
    devices=None,
):
    """Measure the time of a function; see `gpunp.profiler.benchmark`."""
    return benchmark(
        func,
        args,
        kwargs,
        n_repeat,
        name=name,
        n_warmup=n_warmup,
        max_duration=max_duration,
        devices=devices,
    )
