"""Discrete Fourier transforms: `numpy.fft` on cuFFT.

Any axes, strides and lengths; results have NumPy's dtypes and keep the memory order of the input.
Nothing here waits for the device. Plans are kept per device: see `gpunp.fft.config`.
"""

from .._core._ahead import open_libraries as _open_libraries
from . import config
from ._helper import fftfreq, fftshift, ifftshift, rfftfreq
from ._pocketfft import (
    fft,
    fft2,
    fftn,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "config",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_open_libraries("cufft")
