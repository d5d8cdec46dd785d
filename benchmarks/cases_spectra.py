"""Signals: spectra, peaks and design by each library's `scipy.signal`."""

import importlib

from case import Case

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}


def module(lib):
    return importlib.import_module(f"{WAYS[lib.name]}.signal")


def signal(name, dtype="f4", **options):
    """A function of noise."""

    def setup(lib, n=1000):
        f, x = getattr(module(lib), name), lib.noise((max(n, 64),), dtype)
        return lambda: f(x, **options)

    return setup


def inverse(lib, n=1000):
    """The signal of spectra."""
    made = module(lib)
    z = made.stft(lib.noise((n,), "f4"), nperseg=1024)[2]
    return lambda: made.istft(z, nperseg=1024)


def two(name, **options):
    """A function of two signals."""

    def setup(lib, n=1000):
        f = getattr(module(lib), name)
        x, y = lib.noise((n,), "f4"), lib.noise((n,), "f4")
        return lambda: f(x, y, **options)

    return setup


def periods(lib, n=1000):
    """n frequencies and a tenth of that many times."""
    xp, f = lib.module, module(lib).lombscargle
    t = xp.sort(lib.noise((n // 10,), "f8")) * 100
    y, w = lib.noise(t.shape, "f8"), xp.linspace(0.1, 50, n)
    return lambda: f(t, y, w)


def design(lib, n=1000):
    return lambda: module(lib).butter(8, 0.2, output="sos")


def window(lib, n=1000):
    return lambda: module(lib).windows.hann(1024)


HOST = [
    Case("signal.windows.hann(1024)", window),
    Case("signal.butter(8, 0.2)", design),
    Case("signal.welch(a)", signal("welch", nperseg=256)),
    Case("signal.find_peaks(a)", signal("find_peaks")),
]

# 2^24 samples where the heading says 2^28.
DEVICE = [
    Case("stft 1024, half overlap", signal("stft", nperseg=1024), 28, 1 / 16),
    Case("istft 1024, half overlap", inverse, 28, 1 / 16),
    Case("welch 1024, half overlap", signal("welch", nperseg=1024), 4, 1 / 16),
    Case("welch 1024, linear trend", signal("welch", nperseg=1024, detrend="linear"), 4, 1 / 16),
    Case("welch 256, f8", signal("welch", "f8", nperseg=256), 8, 1 / 16),
    Case("csd 1024", two("csd", nperseg=1024), 8, 1 / 16),
    Case("coherence 1024", two("coherence", nperseg=1024), 8, 1 / 16),
    Case("spectrogram 512", signal("spectrogram", nperseg=512), 8, 1 / 16),
    Case("periodogram", signal("periodogram"), 8, 1 / 16),
    Case("lombscargle 10^4 x 10^5, f8", periods, 8, 100_000 / (1 << 28)),
    Case("find_peaks, 2^22", signal("find_peaks"), 4, 1 / 64),
    Case("find_peaks, distance 10, 2^22", signal("find_peaks", distance=10), 4, 1 / 64),
    Case("find_peaks, prominence, 2^22", signal("find_peaks", prominence=0.1), 4, 1 / 64),
    Case("argrelmax", signal("argrelmax"), 4, 1 / 16),
    Case("czt", signal("czt"), 20, 1 / 64),
    Case("cspline1d", signal("cspline1d", "f8"), 16, 1 / 16),
    Case("find_peaks_cwt, 2^16", signal("find_peaks_cwt", widths=range(1, 9)), 4, 1 / 4096),
]
