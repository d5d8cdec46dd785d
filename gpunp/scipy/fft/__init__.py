"""`scipy.fft` on cuFFT: Fourier, cosine, sine and fast Hankel transforms.

The module is a backend of SciPy's, too: inside `scipy.fft.set_backend(gpunp.scipy.fft)` the
functions of `scipy.fft` take arrays of gpunp.
"""

from ._basic import *
from ._basic import __all__ as _basic_names
from ._fftlog import *
from ._fftlog import __all__ as _fftlog_names
from ._helper import *
from ._helper import __all__ as _helper_names
from ._plan import get_fft_plan
from ._realtransforms import *
from ._realtransforms import __all__ as _real_names

__all__ = [*_basic_names, *_fftlog_names, *_helper_names, *_real_names, "get_fft_plan"]

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, kwargs):
    """uarray's protocol: call the function of the same name, if there is one."""
    name = method.__name__
    return globals()[name](*args, **kwargs) if name in __all__ else NotImplemented
