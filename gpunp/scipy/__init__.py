"""SciPy on the GPU: each module is loaded when first asked for."""

import importlib as _importlib

_LAZY_MODULES = ("fft", "fftpack", "linalg", "signal")


def __getattr__(name):
    if name in _LAZY_MODULES:
        return _importlib.import_module(f"gpunp.scipy.{name}")
    raise AttributeError(f"module 'gpunp.scipy' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_LAZY_MODULES})
