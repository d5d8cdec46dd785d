"""Settings of the transforms: the cache of cuFFT's plans, and whether plans take several axes.

Each device has a cache of its own, from which the plans used longest ago go first. A plan's work
area belongs to nobody: it is borrowed from the memory pool for the time of one transform, so all
plans of a stream share the same bytes.
"""

import sys
import types

from .._core.transforms import fft_cache_clear, fft_cache_info, fft_cache_limit, fft_whole
from ..cuda import Device

__all__ = [
    "PlanCache",
    "clear_plan_cache",
    "get_plan_cache",
    "get_plan_cache_max_memsize",
    "get_plan_cache_size",
    "set_plan_cache_max_memsize",
    "set_plan_cache_size",
    "show_plan_cache_info",
]


class PlanCache:
    """The cache of plans of one device.

    Parameters
    ----------
    device : int, optional
        Number of the device; the current one by default.

    Examples
    --------
    >>> import gpunp as cp
    >>> cache = cp.fft.config.get_plan_cache()
    >>> cache.clear()
    >>> x = cp.fft.fft(cp.ones(8))
    >>> cache.get_curr_size()
    1
    """

    def __init__(self, device=None):
        self.device = Device().id if device is None else int(device)

    def _info(self):
        return fft_cache_info(self.device)

    def get_size(self):
        """Return how many plans may be kept; -1 is no limit.

        Returns
        -------
        int
            Plans.
        """
        return self._info()[0]

    def set_size(self, size) -> None:
        """Set how many plans may be kept: 0 keeps none, -1 is no limit.

        Parameters
        ----------
        size : int
            Plans; those beyond it are forgotten, the oldest first.
        """
        fft_cache_limit(self.device, size, self.get_memsize())

    def get_memsize(self):
        """Return how many bytes the work areas of the plans kept may ask for; -1 is no limit.

        Returns
        -------
        int
            Bytes.
        """
        return self._info()[1]

    def set_memsize(self, memsize) -> None:
        """Set how many bytes the work areas of the plans kept may ask for; -1 is no limit.

        Parameters
        ----------
        memsize : int
            Bytes; plans that are beyond it are forgotten, the oldest first.
        """
        fft_cache_limit(self.device, self.get_size(), memsize)

    def get_curr_size(self):
        """Return how many plans are kept.

        Returns
        -------
        int
            Plans.
        """
        return self._info()[2]

    def get_curr_memsize(self):
        """Return how many bytes the work areas of the plans kept ask for, one by one.

        Returns
        -------
        int
            Bytes.
        """
        return self._info()[3]

    def clear(self) -> None:
        """Forget all plans and counts."""
        fft_cache_clear(self.device)

    def show_info(self) -> None:
        """Print what `repr` says."""
        print(self)

    def __repr__(self):
        size, memsize, plans, nbytes, hits, misses = self._info()
        limits = ["no limit" if limit < 0 else limit for limit in (size, memsize)]
        return (
            f"plan cache of device {self.device}: {plans} plans ({limits[0]}), "
            f"{nbytes} bytes of work areas ({limits[1]}), {hits} hits, {misses} misses"
        )


def get_plan_cache():
    """Return the current device's cache of plans.

    Returns
    -------
    PlanCache
        That of the thread and device.
    """
    return PlanCache()


def clear_plan_cache() -> None:
    """Forget the current device's plans."""
    PlanCache().clear()


def get_plan_cache_size():
    """Return how many plans the current device may keep; -1 is no limit.

    Returns
    -------
    int
        Plans.
    """
    return PlanCache().get_size()


def set_plan_cache_size(size) -> None:
    """Set how many plans the current device may keep: 0 keeps none, -1 is no limit.

    Parameters
    ----------
    size : int
        Plans.
    """
    PlanCache().set_size(size)


def get_plan_cache_max_memsize():
    """Return how many bytes the work areas of the current device's plans may ask for.

    Returns
    -------
    int
        Bytes; -1 is no limit.
    """
    return PlanCache().get_memsize()


def set_plan_cache_max_memsize(size) -> None:
    """Set how many bytes the work areas of the current device's plans may ask for.

    Parameters
    ----------
    size : int
        Bytes; -1 is no limit.
    """
    PlanCache().set_memsize(size)


def show_plan_cache_info() -> None:
    """Print what the current device's cache of plans holds."""
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
