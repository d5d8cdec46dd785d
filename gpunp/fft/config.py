"""Settings of the transforms: the cache of cuFFT's plans, and whether plans take several axes.

Each device has its own cache, from which the least recently used plans are dropped first. A plan
owns no work area: it is allocated from the memory pool for each transform, so that all plans of a
stream share the same memory.
"""

import sys
import types
from typing import NamedTuple

from .._core.transforms import (
    fft_cache_clear,
    fft_cache_info,
    fft_cache_limit,
    fft_cache_list,
    fft_whole,
)
from ..cuda import Device
from ._callback import get_current_callback_manager, set_cufft_callbacks

__all__ = [
    "PlanCache",
    "clear_plan_cache",
    "get_current_callback_manager",
    "get_plan_cache",
    "get_plan_cache_max_memsize",
    "get_plan_cache_size",
    "set_cufft_callbacks",
    "set_plan_cache_max_memsize",
    "set_plan_cache_size",
    "show_plan_cache_info",
]


class _CachedPlan(NamedTuple):
    """A plan in the cache: what `PlanCache` gives for its key."""

    fft_type: str
    shape: tuple
    batch: int
    memsize: int


class PlanCache:
    """Cache of the cuFFT plans of a device: iteration gives keys and plans, last used first.

    Parameters
    ----------
    device : int, optional
        Number of the device. By default the current one.

    Examples
    --------
    >>> import gpunp as cp
    >>> cache = cp.fft.config.get_plan_cache()
    >>> cache.clear()
    >>> x = cp.fft.fft(cp.ones(8))
    >>> cache.get_curr_size()
    1
    >>> for key, plan in cache:
    ...     print(key, plan.memsize >= 0)
    ('Z2Z', (8,), 1) True
    """

    def __init__(self, device=None):
        self.device = Device().id if device is None else int(device)

    def _info(self):
        return fft_cache_info(self.device)

    def get_size(self):
        """Return the largest number of plans kept; -1 means no limit.

        Returns
        -------
        int
            Number of plans.
        """
        return self._info()[0]

    def set_size(self, size) -> None:
        """Set the largest number of plans kept: 0 keeps none, -1 means no limit.

        Parameters
        ----------
        size : int
            Number of plans; plans above it are dropped, least recently used first.
        """
        fft_cache_limit(self.device, size, self.get_memsize())

    def get_memsize(self):
        """Return the limit, in bytes, of the work areas of the plans kept; -1 means no limit.

        Returns
        -------
        int
            Size in bytes.
        """
        return self._info()[1]

    def set_memsize(self, memsize) -> None:
        """Set the limit, in bytes, of the work areas of the plans kept; -1 means no limit.

        Parameters
        ----------
        memsize : int
            Size in bytes; plans above it are dropped, least recently used first.
        """
        fft_cache_limit(self.device, self.get_size(), memsize)

    def get_curr_size(self):
        """Return the number of plans in the cache.

        Returns
        -------
        int
            Number of plans.
        """
        return self._info()[2]

    def get_curr_memsize(self):
        """Return the sum of the work areas, in bytes, of the plans in the cache.

        Returns
        -------
        int
            Size in bytes.
        """
        return self._info()[3]

    def clear(self) -> None:
        """Remove all plans and reset the counters."""
        fft_cache_clear(self.device)

    def __iter__(self):
        plans = [_CachedPlan(*row) for row in fft_cache_list(self.device)]
        return iter([(plan[:3], plan) for plan in plans])

    def __getitem__(self, key):
        for found, plan in self:
            if found == key:
                return plan
        raise KeyError(key)

    def get(self, key, default=None):
        """Return a plan of the cache, which does not count as a use of it.

        Parameters
        ----------
        key : tuple
            Type of the transform, lengths and batch, as iteration gives them.
        default : object, optional
            What to return where there is no such plan.

        Returns
        -------
        object
            Named tuple of `fft_type`, `shape`, `batch` and `memsize`, or the default.
        """
        return dict(self).get(key, default)

    def show_info(self) -> None:
        """Print a summary of the cache."""
        print(self)

    def __repr__(self):
        size, memsize, plans, nbytes, hits, misses = self._info()
        limits = ["no limit" if limit < 0 else limit for limit in (size, memsize)]
        return (
            f"plan cache of device {self.device}: {plans} plans ({limits[0]}), "
            f"{nbytes} bytes of work areas ({limits[1]}), {hits} hits, {misses} misses"
        )


def get_plan_cache():
    """Return the plan cache of the current device.

    Returns
    -------
    PlanCache
        The cache of plans.
    """
    return PlanCache()


def clear_plan_cache() -> None:
    """Remove all plans of the current device."""
    PlanCache().clear()


def get_plan_cache_size():
    """Return the largest number of plans kept for the current device; -1 means no limit.

    Returns
    -------
    int
        Number of plans.
    """
    return PlanCache().get_size()


def set_plan_cache_size(size) -> None:
    """Set the largest number of plans kept for the current device: 0 keeps none, -1 means no limit.

    Parameters
    ----------
    size : int
        Largest number of plans.
    """
    PlanCache().set_size(size)


def get_plan_cache_max_memsize():
    """Return the limit, in bytes, of the work areas of the current device's plans.

    Returns
    -------
    int
        Size in bytes; -1 means no limit.
    """
    return PlanCache().get_memsize()


def set_plan_cache_max_memsize(size) -> None:
    """Set the limit, in bytes, of the work areas of the current device's plans.

    Parameters
    ----------
    size : int
        Size in bytes; -1 means no limit.
    """
    PlanCache().set_memsize(size)


def show_plan_cache_info() -> None:
    """Print a summary of the current device's plan cache."""
    PlanCache().show_info()


class _Config(types.ModuleType):
    """The module's class: `config.enable_nd_planning = False` reaches the extension."""

    @property
    def enable_nd_planning(self):
        """Whether one plan may take several axes (the default), or each takes one."""
        whole = fft_whole(True)
        fft_whole(whole)
        return whole

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        fft_whole(value)


sys.modules[__name__].__class__ = _Config
