"""The CUDA driver."""

from gpunp._C import CUDADriverError

from .runtime import driverGetVersion

__all__ = ["CUDADriverError", "driverGetVersion", "get_build_version"]


def get_build_version():
    """Return the oldest CUDA version this build works with: it links nothing of CUDA.

    Returns
    -------
    int
        1000 times the major version, and 10 times the minor one.
    """
    return 12000
