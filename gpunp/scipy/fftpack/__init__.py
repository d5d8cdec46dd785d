"""`scipy.fftpack`: the older interface of the Fourier transforms, with packed real spectra."""

from ._basic import fft, fft2, fftn, get_fft_plan, ifft, ifft2, ifftn, irfft, rfft

__all__ = ["fft", "fft2", "fftn", "get_fft_plan", "ifft", "ifft2", "ifftn", "irfft", "rfft"]
