"""`scipy.signal`: convolution and correlation, directly or by Fourier transforms."""

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

__all__ = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "fftconvolve",
    "oaconvolve",
]
