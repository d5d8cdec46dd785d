"""Transforms of both namespaces, plans among them."""

import cupy as cp
import cupyx.scipy.fft
import numpy as np
import scipy.fft
from cupyx.scipy import fftpack

x = cp.random.random(256).astype(cp.complex64)
cp.testing.assert_allclose(fftpack.ifft(fftpack.fft(x)), x, atol=1e-5)
image = cp.random.rand(16, 16)
spectrum = cp.fft.fftshift(cp.fft.fft2(image))
np.testing.assert_allclose(spectrum.get(), np.fft.fftshift(np.fft.fft2(image.get())), atol=1e-9)
plan = cupyx.scipy.fft.get_fft_plan(spectrum, axes=(0, 1))
cp.testing.assert_allclose(
    cupyx.scipy.fft.fftn(spectrum, axes=(0, 1), plan=plan), cp.fft.fftn(spectrum)
)
with plan:
    cp.fft.fftn(spectrum)
with scipy.fft.set_backend(cupyx.scipy.fft):
    assert isinstance(scipy.fft.rfft(image), cp.ndarray)
cache = cp.fft.config.get_plan_cache()
assert cache.get_curr_size() > 0
cache.clear()
assert cache.get_curr_size() == 0
