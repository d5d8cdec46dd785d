"""SciPy on the GPU: modules are loaded on first use."""

import importlib as _importlib
import sys as _sys

from .._core.multiarray import has_device_array as _has_device_array

_LAZY_MODULES = (
    *(
        "cluster",
        "constants",
        "differentiate",
        "fft",
        "fftpack",
        "integrate",
        "interpolate",
        "linalg",
        "ndimage",
        "optimize",
    ),
    *("signal", "sparse", "spatial", "special", "stats"),
)


def __getattr__(name):
    if name in _LAZY_MODULES:
        return _importlib.import_module(f"gpunp.scipy.{name}")
    raise AttributeError(f"module 'gpunp.scipy' has no attribute {name!r}")


def get_array_module(*args):
    """Return the module whose functions accept these arguments.

    Parameters
    ----------
    *args : object
        Objects to inspect, usually a function's arguments.

    Returns
    -------
    module
        `gpunp.scipy` if one of them is a device array or a sparse matrix of this library, otherwise
        `scipy`.

    Examples
    --------
    >>> import gpunp as cp, gpunp.scipy
    >>> gpunp.scipy.get_array_module(cp.ones(3)).__name__
    'gpunp.scipy'
    """
    if _has_device_array(args):
        return _sys.modules[__name__]
    return _importlib.import_module("scipy")


def __dir__():
    return sorted({*globals(), *_LAZY_MODULES})
