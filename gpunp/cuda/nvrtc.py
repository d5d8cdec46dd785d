"""NVRTC, the run-time compiler."""

from . import runtime

__all__ = ["getVersion"]


def getVersion():
    """Return the version of NVRTC.

    Returns
    -------
    tuple of int
        Major and minor version.
    """
    version = runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10
