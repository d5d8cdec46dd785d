"""Timing, under the name that older programs import; see `gpunp.profiler`."""

import math

from .profiler import benchmark

__all__ = ["repeat"]


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
    """Measure the time of a function; see `gpunp.profiler.benchmark`.

    Parameters
    ----------
    func : callable
        Function to be measured.
    args : tuple, optional
        Positional arguments of the function.
    kwargs : dict, optional
        Keyword arguments of the function.
    n_repeat : int, optional
        Number of timed calls of the function.
    name : str, optional
        Name of the result. By default that of the function.
    n_warmup : int, optional
        Number of calls before timing starts.
    max_duration : float, optional
        Time in seconds after which no further repetition starts.
    devices : sequence of int, optional
        Devices to time. By default the current one.

    Returns
    -------
    object
        Times on the host and on the device.
    """
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
