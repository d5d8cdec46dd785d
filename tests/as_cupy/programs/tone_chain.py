"""A chain of signal processing: a tone is filtered, found in the spectrum and resampled."""

import cupy as cp
import cupyx.scipy.fft as cufft
from cupyx.scipy import signal

rate = 8000.0
t = cp.arange(0, 1, 1 / rate)
noise = cp.random.default_rng(seed=3).standard_normal(t.size)
x = cp.sin(2 * cp.pi * 440 * t) + 0.5 * cp.sin(2 * cp.pi * 1200 * t) + 0.1 * noise

taps = signal.firwin(129, [300, 600], pass_zero=False, fs=rate)
filtered = signal.lfilter(taps, cp.array([1.0]), x)
sections = signal.butter(4, [300, 600], btype="bandpass", output="sos", fs=rate)
smooth = signal.sosfiltfilt(sections, x)
frequencies, density = signal.welch(x, rate, nperseg=1024, window="hann")
peaks, found = signal.find_peaks(density, height=density.max() / 50, distance=5)
cp.testing.assert_allclose(frequencies[peaks], [440, 1200], atol=8)
assert (found["peak_heights"] > 0).all()

_, _, spectra = signal.stft(x, rate, nperseg=256)
_, back = signal.istft(spectra, rate, nperseg=256)
cp.testing.assert_allclose(back[: x.size], x, atol=1e-8)
envelope = cp.abs(signal.hilbert(smooth))[1000:7000]
assert abs(float(envelope.mean()) - 1) < 0.1
lags = signal.correlate(x, x[100:400], mode="valid", method="fft")
assert int(cp.argmax(lags)) % 200 == 100
spectrum = cp.abs(cufft.rfft(filtered * signal.windows.hann(x.size)))
assert int(cufft.rfftfreq(x.size, 1 / rate)[cp.argmax(spectrum)]) == 440
assert signal.decimate(x, 4).shape == (2000,)
assert signal.resample_poly(x, 3, 2, window=("kaiser", 5.0)).shape == (12000,)
