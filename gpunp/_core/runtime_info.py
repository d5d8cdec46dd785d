"""Versions, devices and libraries in use."""

import platform
import sys
from typing import Any

import numpy as np

from .._version import __version__

__all__ = ["get_runtime_info", "show_runtime"]


class _RuntimeInfo:
    """Facts by name, as attributes; `str` gives a table."""

    def __init__(self, facts: dict[str, Any]):
        self._facts = facts

    def __getattr__(self, name: str) -> Any:
        for label, value in self._facts.items():
            if label.lower().replace(" ", "_") == name:
                return value
        raise AttributeError(name)

    def __str__(self) -> str:
        width = max(map(len, self._facts))
        return "\n".join(f"{label:<{width}} : {value}" for label, value in self._facts.items())

    __repr__ = __str__


def _release(version: int) -> str:
    """Format a CUDA version number such as 13000."""
    return f"{version // 1000}.{version % 1000 // 10}"


def get_runtime_info(*, full=True) -> Any:
    """Return the versions of the libraries that gpunp uses, and the devices.

    Parameters
    ----------
    full : bool, optional
        If True, include the devices, which opens the driver.

    Returns
    -------
    object
        Object that `print` shows as a table; the facts are its attributes.

    Examples
    --------
    >>> import gpunp as cp
    >>> info = cp.get_runtime_info(full=False)
    >>> info.gpunp == cp.__version__
    True
    """
    facts: dict[str, Any] = {
        "OS": platform.platform(),
        "Python": platform.python_version(),
        "gpunp": __version__,
        "NumPy": np.__version__,
        "Prefix": sys.prefix,
    }
    if full:
        from ..cuda import nvrtc, runtime

        facts["CUDA driver"] = _release(runtime.driverGetVersion())
        try:
            facts["NVRTC"] = ".".join(map(str, nvrtc.getVersion()))
        except Exception as error:  # no NVRTC: kernels come from the cache alone
            facts["NVRTC"] = f"not available ({type(error).__name__})"
        for i in range(runtime.getDeviceCount()):
            properties = runtime.getDeviceProperties(i)
            name, major, minor = (properties[key] for key in ("name", "major", "minor"))
            facts[f"Device {i}"] = f"{name.decode()}, compute capability {major}.{minor}"
    return _RuntimeInfo(facts)


def show_runtime() -> None:
    """Print the versions of the libraries that gpunp uses, and the devices.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.show_runtime()  # doctest: +ELLIPSIS
    OS ...
    """
    print(get_runtime_info())
