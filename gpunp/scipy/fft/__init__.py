"""`scipy.fft` on cuFFT: Fourier, cosine, sine and fast Hankel transforms.

The module is a backend of SciPy's, too: inside `scipy.fft.set_backend(gpunp.scipy.fft)` the
functions of `scipy.fft` take arrays of gpunp.
"""

from ._basic import *
from ._fftlog import *
from ._helper import *
from ._plan import get_fft_plan
from ._realtransforms import *

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "get_fft_plan",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, kwargs):
    """uarray's protocol: call the function of the same name, if there is one."""
    name = method.__name__
    return globals()[name](*args, **kwargs) if name in __all__ else NotImplemented
