"""Filtering a signal, and its peaks and spectrum."""

import cupy as cp
import cupyx.scipy.signal as signal

rate = 200
t = cp.arange(0, 2, 1 / rate)
x = cp.sin(2 * cp.pi * 5 * t) + 0.3 * cp.sin(2 * cp.pi * 60 * t)
sos = signal.butter(4, 20, fs=rate, output="sos")
y = signal.sosfiltfilt(sos, x)
frequencies, power = signal.welch(y, fs=rate, nperseg=200)
assert abs(float(frequencies[cp.argmax(power)]) - 5) < 1.1
peaks, _ = signal.find_peaks(y, height=0.5)
assert 8 <= len(peaks) <= 11
