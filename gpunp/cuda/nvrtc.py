"""NVRTC, the run-time compiler."""

from . import runtime

__all__ = ["getVersion"]


def getVersion():
    """Return NVRTC's version.

    Returns
    -------
    tuple of int
        Major and minor number.
    """
    version = runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10
