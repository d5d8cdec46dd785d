"""`scipy.signal`: convolution, filters, resampling; filter design and windows by SciPy's code."""

from .._borrowed import borrow as _borrow
from ._analytic import detrend, envelope, hilbert, hilbert2
from ._lfilter import (
    deconvolve,
    filtfilt,
    lfilter,
    lfilter_zi,
    lfiltic,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from ._order_filters import medfilt, medfilt2d, order_filter, wiener
from ._resampling import decimate, resample, resample_poly
from ._savitzky_golay import savgol_coeffs, savgol_filter
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
from ._spline_filters import symiirorder1, symiirorder2
from ._upfirdn import upfirdn

_OWN = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "decimate",
    "deconvolve",
    "detrend",
    "envelope",
    "fftconvolve",
    "filtfilt",
    "hilbert",
    "hilbert2",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "medfilt",
    "medfilt2d",
    "oaconvolve",
    "order_filter",
    "resample",
    "resample_poly",
    "savgol_coeffs",
    "savgol_filter",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "upfirdn",
    "wiener",
]

__all__, __getattr__, __dir__ = _borrow("signal", _OWN)
