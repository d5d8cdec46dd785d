"""`scipy.signal`: convolution, filters and their design, windows, spectra, peaks, systems."""

from ..._core.renaming import rename as _rename
from . import (
    _analytic,
    _bsplines,
    _czt,
    _filter_design,
    _fir_filter_design,
    _frequency_response,
    _lfilter,
    _ltisys,
    _order_filters,
    _peak_finding,
    _resampling,
    _savitzky_golay,
    _short_time_fft,
    _signaltools,
    _spectral,
    _spline_filters,
    _upfirdn,
    _waveforms,
    _wavelets,
    _whittaker,
    windows,
)
from ._analytic import *
from ._bsplines import *
from ._czt import *
from ._filter_design import *
from ._fir_filter_design import *
from ._frequency_response import *
from ._host import scipy_signal
from ._lfilter import *
from ._ltisys import *
from ._order_filters import *
from ._peak_finding import *
from ._resampling import *
from ._savitzky_golay import *
from ._short_time_fft import *
from ._signaltools import *
from ._spectral import *
from ._spline_filters import *
from ._upfirdn import *
from ._waveforms import *
from ._wavelets import *
from ._whittaker import *
from .windows import get_window

_FILES = (
    _analytic,
    _bsplines,
    _czt,
    _filter_design,
    _fir_filter_design,
    _frequency_response,
    _lfilter,
    _ltisys,
    _order_filters,
    _peak_finding,
    _resampling,
    _savitzky_golay,
    _short_time_fft,
    _signaltools,
    _spectral,
    _spline_filters,
    _upfirdn,
    _waveforms,
    _wavelets,
    _whittaker,
)
__all__ = ["BadCoefficients", "get_window", "windows"]
__all__ += [name for file in _FILES for name in file.__all__]

_rename(globals(), "scipy.signal")


def __getattr__(name):
    if name == "BadCoefficients":  # SciPy's class, which is imported at the first use
        return scipy_signal().BadCoefficients
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
