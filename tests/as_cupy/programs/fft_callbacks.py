"""A window applied by cuFFT's load callback, its values in an auxiliary array; power by a store callback."""

import cupy as cp
import numpy as np

load = r"""
__device__ cufftComplex CB_ConvertInputC(void *dataIn, size_t offset, void *callerInfo, void *sharedPtr)
{
    cufftComplex x = ((cufftComplex *)dataIn)[offset];
    float w = ((float *)callerInfo)[offset % 64];
    x.x *= w;
    x.y *= w;
    return x;
}
__device__ cufftCallbackLoadC d_loadCallbackPtr = CB_ConvertInputC;
"""
store = r"""
__device__ void CB_ConvertOutputC(void *dataOut, size_t offset, cufftComplex x, void *callerInfo, void *sharedPtr)
{
    cufftComplex y = make_float2(x.x * x.x + x.y * x.y, 0.f);
    ((cufftComplex *)dataOut)[offset] = y;
}
__device__ cufftCallbackStoreC d_storeCallbackPtr = CB_ConvertOutputC;
"""
x = (np.random.rand(5, 64) + 1j * np.random.rand(5, 64)).astype(np.complex64)
window = cp.asarray(np.hanning(64), dtype=cp.float32)
a = cp.asarray(x)
with cp.fft.config.set_cufft_callbacks(cb_load=load, cb_store=store, cb_load_aux_arr=window):
    power = cp.fft.fft(a)
    assert cp.fft.config.get_current_callback_manager() is not None
cp.testing.assert_allclose(
    power.real, abs(np.fft.fft(x * np.hanning(64))) ** 2, rtol=1e-3, atol=1e-2
)
assert not power.imag.any()
cp.testing.assert_allclose(cp.fft.fft(a), np.fft.fft(x), rtol=1e-4, atol=1e-4)
