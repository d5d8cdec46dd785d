"""`scipy.signal`: convolution, filters and their design, windows, spectra, peaks, systems."""

from .._borrowed import borrow as _borrow
from . import (
    _bsplines,
    _czt,
    _filter_design,
    _fir_filter_design,
    _frequency_response,
    _ltisys,
    _peak_finding,
    _short_time_fft,
    _signaltools,
    _spectral,
    _waveforms,
    _wavelets,
    windows,
)
from ._bsplines import *
from ._czt import *
from ._filter_design import *
from ._fir_filter_design import *
from ._frequency_response import *
from ._ltisys import *
from ._peak_finding import *
from ._short_time_fft import *
from ._signaltools import *
from ._spectral import *
from ._waveforms import *
from ._wavelets import *
from .windows import get_window

_FILES = (
    _bsplines,
    _czt,
    _filter_design,
    _fir_filter_design,
    _frequency_response,
    _ltisys,
    _peak_finding,
    _short_time_fft,
    _signaltools,
    _spectral,
    _waveforms,
    _wavelets,
)
_OWN = ["get_window", "windows", *(name for file in _FILES for name in file.__all__)]

__all__, __getattr__, __dir__ = _borrow("signal", _OWN)
