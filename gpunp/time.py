"""Timing, by the name that programs of earlier years import; `gpunp.profiler` is the newer one."""

from .profiler import benchmark

__all__ = ["repeat"]


def repeat(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10):  # noqa: B006
    """Measure a function; see `gpunp.profiler.benchmark`.

    Parameters
    ----------
    func : callable
    args : tuple, optional
    kwargs : dict, optional
    n_repeat : int, optional
    name : str, optional
    n_warmup : int, optional

    Returns
    -------
    object
        Times on the host and on the device.
    """
    return benchmark(func, args, kwargs, n_repeat, name=name, n_warmup=n_warmup)
