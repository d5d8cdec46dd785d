"""`benchmark`: times of a function on the host and on the devices."""

import math
import time

import numpy as np

from gpunp.cuda import Device, Event, get_device_id, get_elapsed_time

__all__ = ["benchmark"]


class _PerfCaseResult:
    """Times of all repetitions; `print` shows mean, standard deviation and extremes.

    Parameters
    ----------
    name : str
        Name of the benchmark, for printing.
    ts : numpy.ndarray
        Times in seconds: one row for the host and one for each device.
    devices : sequence of int
        Ordinals of the devices timed.
    """

    def __init__(self, name, ts, devices):
        ts = np.asarray(ts, dtype=np.float64)
        if ts.ndim != 2 or ts.shape[0] != len(devices) + 1 or ts.shape[1] < 1:
            raise ValueError(
                f"ts must have a row for the host and each of {len(devices)} devices, "
                f"not the shape {ts.shape}"
            )
        self.name = name
        self._ts = ts
        self._devices = tuple(devices)

    @property
    def cpu_times(self):
        """Seconds on the host, of each repetition."""
        return self._ts[0]

    @property
    def gpu_times(self):
        """Seconds on the devices: a row for each device."""
        return self._ts[1:]

    @staticmethod
    def _times(label, seconds):
        mean, spread, low, high = (f(seconds) * 1e6 for f in (np.mean, np.std, np.min, np.max))
        text = f"{label}: {mean:9.03f} us"
        if seconds.size > 1:
            text += f"   +/- {spread:6.03f} (min: {low:9.03f} / max: {high:9.03f}) us"
        return text

    def to_str(self, show_gpu=False):
        """Return a summary in one line.

        Parameters
        ----------
        show_gpu : bool, optional
            If True, include the times on the devices.

        Returns
        -------
        str
            The summary.
        """
        parts = [f"{self.name:<20s}:", self._times("    CPU", self.cpu_times)]
        if show_gpu:
            for device, seconds in zip(self._devices, self.gpu_times, strict=True):
                parts.append(self._times(f"     GPU-{device}", seconds))
        return "".join(parts)

    def __str__(self):
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def _check(func, args, kwargs, n_repeat, name, n_warmup, max_duration):
    if not callable(func):
        raise ValueError(f"func must be callable, not {type(func).__name__}")
    if not isinstance(args, tuple):
        raise ValueError(f"args must be a tuple, not {type(args).__name__}")
    if not isinstance(kwargs, dict):
        raise ValueError(f"kwargs must be a dict, not {type(kwargs).__name__}")
    if not isinstance(n_repeat, int) or not isinstance(n_warmup, int):
        raise ValueError("n_repeat and n_warmup must be integers")
    if n_repeat < 1 or n_warmup < 0:
        raise ValueError("n_repeat must be positive and n_warmup not negative")
    if not isinstance(name, str):
        raise ValueError(f"name must be a string, not {type(name).__name__}")
    if not isinstance(max_duration, (int, float)):
        raise ValueError("max_duration must be a number of seconds")


class _Marks:
    """A pair of events on each device."""

    def __init__(self, devices):
        self.devices = devices
        self.pairs = []
        for device in devices:
            with Device(device):
                self.pairs.append((Event(), Event()))

    def record(self, which):
        for device, pair in zip(self.devices, self.pairs, strict=True):
            with Device(device):
                pair[which].record()

    def seconds(self):
        """Of each device; waits for them."""
        for pair in self.pairs:
            pair[1].synchronize()
        return [get_elapsed_time(*pair) * 1e-3 for pair in self.pairs]


def _repeat(func, args, kwargs, n_repeat, n_warmup, max_duration, devices):
    marks = _Marks(devices)
    for _ in range(n_warmup):
        func(*args, **kwargs)
    for device in devices:
        Device(device).synchronize()
    columns, spent = [], 0.0
    while len(columns) < n_repeat and (not columns or spent < max_duration):
        marks.record(0)
        begin = time.perf_counter()
        func(*args, **kwargs)
        cpu = time.perf_counter() - begin
        marks.record(1)
        columns.append([cpu, *marks.seconds()])
        spent += time.perf_counter() - begin
    return np.array(columns).T


def benchmark(
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
    """Measure the time of a function on the host and, by events, on the devices.

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
    _PerfCaseResult
        Times `cpu_times` and `gpu_times` in seconds, with a printed form.

    Notes
    -----
    The host's time is that of the call alone, which may return before the device has finished;
    each repetition waits for the device at its end.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.profiler.benchmark(cp.sqrt, (cp.arange(10.0),), n_repeat=3)
    >>> result.cpu_times.shape, result.gpu_times.shape
    ((3,), (1, 3))
    >>> print(result)  # doctest: +SKIP
    sqrt                :    CPU:     3.110 us   +/-  0.391 (min:     2.780 / max:     3.659) us ...
    """
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    _check(func, args, kwargs, n_repeat, name, n_warmup, max_duration)
    devices = (get_device_id(),) if devices is None else tuple(int(d) for d in devices)
    times = _repeat(func, args, kwargs, n_repeat, n_warmup, max_duration, devices)
    return _PerfCaseResult(name, times, devices)
