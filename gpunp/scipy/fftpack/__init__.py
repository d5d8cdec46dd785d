"""`scipy.fftpack`: the older interface of the Fourier transforms, with packed real spectra."""

from ...fft import fftfreq, fftshift, ifftshift
from ..fft import next_fast_len
from ._basic import fft, fft2, fftn, get_fft_plan, ifft, ifft2, ifftn, irfft, rfft
from ._helper import rfftfreq
from ._pseudo_diffs import (
    cc_diff,
    cs_diff,
    diff,
    hilbert,
    ihilbert,
    itilbert,
    sc_diff,
    shift,
    ss_diff,
    tilbert,
)
from ._realtransforms import dct, dctn, dst, dstn, idct, idctn, idst, idstn

__all__ = [
    "cc_diff",
    "cs_diff",
    "dct",
    "dctn",
    "diff",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "get_fft_plan",
    "hilbert",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihilbert",
    "irfft",
    "itilbert",
    "next_fast_len",
    "rfft",
    "rfftfreq",
    "sc_diff",
    "shift",
    "ss_diff",
    "tilbert",
]
