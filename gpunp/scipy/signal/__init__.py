"""`scipy.signal`: convolution and correlation; filter design and windows by SciPy's code."""

from .._borrowed import borrow as _borrow
from ._signaltools import (
    choose_conv_method,
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    correlation_lags,
    fftconvolve,
    oaconvolve,
)

_OWN = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "fftconvolve",
    "oaconvolve",
]

__all__, __getattr__, __dir__ = _borrow("signal", _OWN)
