"""The CUDA driver."""

from gpunp._C import CUDADriverError

from .runtime import driverGetVersion

__all__ = ["CUDADriverError", "driverGetVersion", "get_build_version"]


def get_build_version():
    """Return the oldest CUDA version that this build supports; it does not link to CUDA.

    Returns
    -------
    int
        Version as 1000 times the major plus 10 times the minor number.
    """
    return 12000
