"""The size of the blocks of an `ElementwiseKernel`, chosen by measuring.

Other launches follow rules that were measured beforehand: reductions add up in an order that
depends on their shape alone, so that their results have the same bits in each run.
"""

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from ._core.multiarray import ndarray
from ._core.raw import set_block_tuner
from .cuda import CUDADriverError, Event, get_current_stream, get_elapsed_time
from .cuda.runtime import getDevice, getDeviceProperties

__all__ = ["optimize"]

_SIZES = (0, 64, 128, 256, 512, 1024)  # 0: what the kernel does by itself
_GAIN = 0.97  # of the time by itself: a smaller gain may be noise

_found: dict[Any, dict[str, int]] = {}  # by the key of `optimize`
_local = threading.local()
_lock = threading.Lock()
_open = 0


class _Limits(NamedTuple):
    """Of a search: seconds, but for the number of trials."""

    max_trials: int = 100
    timeout: float = 1.0
    expected_total_time_per_trial: float = 100e-6
    max_total_time_per_trial: float = 0.1


class _Search(NamedTuple):
    """What an `optimize` block knows and may do."""

    sizes: dict[str, int]
    readonly: bool
    limits: _Limits


@contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config_dict) -> Iterator[None]:
    """Choose the block size of elementwise kernels by measuring, inside a ``with`` statement.

    The first call of an `ElementwiseKernel` with arrays of some types, shapes and strides runs it
    several times, with blocks of 64 to 1024 threads and as it is launched by default; further calls
    use the fastest. This waits for the device. Calls with ``raw`` arrays, with outputs of
    their own or with keywords are not measured, since they cannot be repeated; neither is a call
    that is recorded for a graph. Code without ``blockDim`` computes the same with each size.

    Parameters
    ----------
    key : hashable, optional
        Blocks of the same key share what they find; those without a key share it as well.
    path : str or os.PathLike, optional
        File from which sizes are read at the start, where it exists, and to which they are written
        at the end.
    readonly : bool, optional
        If True, use what was found before and measure nothing; `path` is not written.
    **config_dict : dict
        Limits of the search for one kernel: `max_trials`, the number of sizes that are tried,
        `timeout`, the seconds after which no other size is, and
        `expected_total_time_per_trial` and `max_total_time_per_trial`, the seconds that
        repetitions of one size should and may take.

    Returns
    -------
    context manager
        In its block, launches of this thread are measured.

    Raises
    ------
    TypeError
        If there is no limit of a given name.
    ValueError
        If the file at `path` was not written by this function.

    Examples
    --------
    >>> import gpunp as cp
    >>> cube = cp.ElementwiseKernel("T x", "T y", "y = x * x * x", "cube")
    >>> with cp.optimizing.optimize():
    ...     y = cube(cp.arange(4.0))
    >>> y
    array([ 0.,  1.,  8., 27.])
    """
    unknown = sorted(set(config_dict) - set(_Limits._fields))
    if unknown:
        raise TypeError(f"unknown limits {unknown}; there are {list(_Limits._fields)}")
    sizes = _found.setdefault(key, {})
    if path is not None:
        sizes.update(_read(path))
    before = dict(sizes)
    with _searching(_Search(sizes, bool(readonly), _Limits(**config_dict))):
        yield
    if path is not None and not readonly and (sizes != before or not os.path.exists(path)):
        _write(path, sizes)


def _read(path: Any) -> dict[str, int]:
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        try:
            sizes = json.load(file)["block sizes"]
            if not all(type(n) is int and 0 <= n <= 1024 for n in sizes.values()):
                raise ValueError("a size is not within 0 and 1024")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{os.fspath(path)!r} does not hold block sizes: {error}") from error
    return sizes


def _write(path: Any, sizes: dict[str, int]) -> None:
    """Write all at once: another process may read the file meanwhile."""
    part = f"{os.fspath(path)}.{os.getpid()}"
    with open(part, "w", encoding="utf-8") as file:
        json.dump({"block sizes": sizes}, file, indent=1)
    os.replace(part, path)


@contextlib.contextmanager
def _searching(search: _Search) -> Iterator[None]:
    """The extension asks for sizes while any thread is in such a block."""
    global _open
    stack = _local.__dict__.setdefault("stack", [])
    with _lock:
        _open += 1
        set_block_tuner(_block_size)
    stack.append(search)
    try:
        yield
    finally:
        stack.pop()
        with _lock:
            _open -= 1
            if not _open:
                set_block_tuner(None)


def _name(kernel: Any, args: tuple) -> str:
    """What a size is kept for: device, kernel, and types, shapes and strides of arrays."""
    code = (kernel.params, kernel.operation, kernel.preamble, kernel.kwargs)
    digest = hashlib.sha256(repr(code).encode()).hexdigest()[:16]
    words = [getDeviceProperties(getDevice())["name"].decode(), f"{kernel.name} {digest}"]
    for x in args:
        is_array = isinstance(x, ndarray)
        words.append(f"{x.dtype}{x.shape}{x.strides}" if is_array else type(x).__name__)
    return " | ".join(words)


def _block_size(kernel: Any, args: tuple) -> int:
    """Called by the extension for each call of a kernel that can be repeated."""
    stack = _local.__dict__.get("stack")
    if not stack or _local.__dict__.get("is_busy"):
        return 0
    search, name = stack[-1], _name(kernel, args)
    if name in search.sizes or search.readonly or get_current_stream().is_capturing():
        return search.sizes.get(name, 0)
    _local.is_busy = True
    try:
        search.sizes[name] = _fastest(kernel, args, search.limits)
    finally:
        _local.is_busy = False
    return search.sizes[name]


def _fastest(kernel: Any, args: tuple, limits: _Limits) -> int:
    begin, times = time.monotonic(), {}
    for threads in _SIZES[: limits.max_trials]:
        if times and time.monotonic() - begin > limits.timeout:
            break
        keywords = {"block_size": threads} if threads else {}
        try:
            times[threads] = _seconds(kernel, args, keywords, limits)
        except CUDADriverError:
            if not threads:
                raise
            continue  # more registers than a block of this size may have
    best = min(times, key=lambda threads: times[threads], default=0)
    return best if times and times[best] < _GAIN * times[0] else 0


def _seconds(kernel: Any, args: tuple, keywords: dict, limits: _Limits) -> float:
    """Time of a call on the device, the mean of some; the first compiles, the second is a guess."""
    kernel(*args, **keywords)
    guess = _timed(kernel, args, keywords, 1)
    wanted = min(limits.expected_total_time_per_trial, limits.max_total_time_per_trial)
    count = int(wanted / max(guess, 1e-6))
    return _timed(kernel, args, keywords, count) if count > 1 else guess


def _timed(kernel: Any, args: tuple, keywords: dict, count: int) -> float:
    first, last = Event(), Event()
    first.record()
    for _ in range(count):
        kernel(*args, **keywords)
    last.record()
    last.synchronize()
    return get_elapsed_time(first, last) * 1e-3 / count
