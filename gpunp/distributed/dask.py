"""Dask with a worker for each device: arrays larger than a device, or than a machine.

Chunks of `dask.array` are arrays of the device that the worker uses. A worker has one thread, sees
its own device only, and moves results that were not used for the longest time to the host when
those on the device pass a limit. Needs `pip install 'gpunp[dask]'`.
"""

import logging
import os
import threading
from collections.abc import MutableMapping

import gpunp
from gpunp.cuda import Device, runtime

__all__ = ["DeviceSpill", "local_cluster"]


class _OnHost:
    """An array that was moved to the host."""

    def __init__(self, array):
        self.values = array.get()


def _each(value, function):
    """A value with `function` applied to all arrays in tuples, lists and dicts."""
    if isinstance(value, (gpunp.ndarray, _OnHost)):
        return function(value)
    if type(value) in (tuple, list):
        return type(value)(_each(item, function) for item in value)
    if type(value) is dict:
        return {key: _each(item, function) for key, item in value.items()}
    return value


def _to_host(array):
    return _OnHost(array) if isinstance(array, gpunp.ndarray) else array


def _to_device(array):
    return gpunp.asarray(array.values) if isinstance(array, _OnHost) else array


def _device_bytes(value):
    """Bytes of the arrays of the device in a value."""
    found = []
    _each(value, found.append)
    return sum(array.nbytes for array in found if isinstance(array, gpunp.ndarray))


class DeviceSpill(MutableMapping):
    """A worker's results: on the device up to a limit, beyond it on the host.

    What was not used for the longest time moves first, and comes back when it is asked for. Memory
    that tasks use while they run is not counted.

    Parameters
    ----------
    limit : int or float, optional
        Bytes on the device, or up to 1.0 a part of the device's memory.

    Attributes
    ----------
    moves : int
        How often a result was moved to the host.
    """

    def __init__(self, limit=0.7):
        self._limit = limit * Device().mem_info[1] if isinstance(limit, float) else limit
        self._values, self._bytes = {}, {}  # the least recently used first
        self._lock = threading.RLock()
        self.moves = 0

    @property
    def device_bytes(self):
        """Bytes of the results that are on the device now."""
        return sum(self._bytes.values())

    def __getitem__(self, key):
        with self._lock:
            value = _each(self._values[key], _to_device)
            self[key] = value
            return value

    def __setitem__(self, key, value):
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            self._bytes[key] = _device_bytes(value)
            for other in list(self._values):
                if other == key or self.device_bytes <= self._limit:
                    break
                if self._bytes[other]:
                    self._values[other] = _each(self._values[other], _to_host)
                    self._bytes[other] = 0
                    self.moves += 1

    def __delitem__(self, key):
        with self._lock:
            del self._values[key], self._bytes[key]

    def __iter__(self):
        return iter(list(self._values))

    def __len__(self):
        return len(self._values)

    def __contains__(self, key):
        return key in self._values


def _visible(devices):
    """For each worker the value of CUDA_VISIBLE_DEVICES."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    names = [name.strip() for name in named.split(",")] if named else None
    return [names[device] if names else str(device) for device in devices]


def local_cluster(devices=None, device_memory_limit=0.7, **options):
    """Start a scheduler and, for each device, a worker that uses it.

    Parameters
    ----------
    devices : int or list of int, optional
        Numbers of the devices, or how many; by default all. On the emulated device each worker has
        an emulated device of its own.
    device_memory_limit : int or float, optional
        Bytes of results on a device, or up to 1.0 a part of its memory, beyond which results move
        to the host.
    **options
        Options of the scheduler: `protocol` ("tcp", or "ucx" where its wheel is installed) and
        `dashboard_address`; all others are options of `distributed.Nanny`.

    Returns
    -------
    distributed.SpecCluster
        The cluster, for `distributed.Client`; it ends with its `close` or a `with` statement.
    """
    from distributed import Nanny, Scheduler, SpecCluster
    from distributed.system import MEMORY_LIMIT

    if devices is None:
        devices = runtime.getDeviceCount()
    numbers = range(devices) if isinstance(devices, int) else devices
    protocol = options.pop("protocol", "tcp")
    scheduler = {
        "protocol": protocol,
        "dashboard": True,
        "dashboard_address": options.pop("dashboard_address", ":8787"),
        "host": options.pop("host", "127.0.0.1"),
        "port": options.pop("scheduler_port", 0),
    }
    shared = {
        "nthreads": 1,
        "protocol": protocol,
        "memory_limit": MEMORY_LIMIT // len(numbers),
        "data": (DeviceSpill, {"limit": device_memory_limit}),
        "preload": ["gpunp"],
        "silence_logs": logging.WARNING,
        **options,
    }
    environment = shared.pop("env", {})
    workers = {
        f"gpu-{number}": {
            "cls": Nanny,
            "options": shared | {"env": environment | {"CUDA_VISIBLE_DEVICES": name}},
        }
        for number, name in zip(numbers, _visible(numbers), strict=True)
    }
    scheduler = {"cls": Scheduler, "options": scheduler}
    return SpecCluster(
        workers=workers, scheduler=scheduler, name="gpunp", silence_logs=logging.WARNING
    )
