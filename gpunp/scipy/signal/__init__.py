"""`scipy.signal`: convolution, filters and their design, resampling, windows, spectra, peaks."""

from .._borrowed import borrow as _borrow
from . import (
    _analytic,
    _filter_design,
    _fir_filter_design,
    _frequency_response,
    _lfilter,
    _order_filters,
    _peak_finding,
    _resampling,
    _savitzky_golay,
    _signaltools,
    _spectral,
    _upfirdn,
    windows,
)
from ._analytic import *
from ._filter_design import *
from ._fir_filter_design import *
from ._frequency_response import *
from ._lfilter import *
from ._order_filters import *
from ._peak_finding import *
from ._resampling import *
from ._savitzky_golay import *
from ._signaltools import *
from ._spectral import *
from ._upfirdn import *
from .windows import get_window

_FILES = (
    _analytic,
    _filter_design,
    _fir_filter_design,
    _frequency_response,
    _lfilter,
    _order_filters,
    _peak_finding,
    _resampling,
    _savitzky_golay,
    _signaltools,
    _spectral,
    _upfirdn,
)
_OWN = ["get_window", "windows", *(name for file in _FILES for name in file.__all__)]

__all__, __getattr__, __dir__ = _borrow("signal", _OWN)
