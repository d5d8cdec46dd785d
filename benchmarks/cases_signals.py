"""Signals: filters and resampling of each library's `scipy.signal`."""

import importlib

from case import Case, fit

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}

LINE = (-1,)
ROWS = (1024, -1)
PLANE = (4096, -1)


def signal(name, arguments=(), dtype="f4", shape=LINE, **options):
    """A function of noise that takes it first."""

    def setup(lib, n=1000):
        function = getattr(importlib.import_module(f"{WAYS[lib.name]}.signal"), name)
        a = lib.noise(fit(shape, n), dtype)
        return lambda: function(a, *arguments, **options)

    return setup


def filtered(name, design, dtype="f4", shape=LINE, **options):
    """A filter of noise with coefficients on the host, or on the device where only those pass."""

    def setup(lib, n=1000):
        from scipy.signal import butter

        order, cutoff, output = design
        numbers = butter(order, cutoff, output=output)
        numbers = [numbers] if output == "sos" else list(numbers)
        if lib.name == "cupy":
            import cupy

            numbers = [cupy.asarray(c) for c in numbers]
        function = getattr(importlib.import_module(f"{WAYS[lib.name]}.signal"), name)
        a = lib.noise(fit(shape, n), dtype)
        return lambda: function(*numbers, a, **options)

    return setup


def convolved(name, side):
    """An image with so many weights squared, which lie on the device."""

    def setup(lib, n=1000):
        function = getattr(importlib.import_module(f"{WAYS[lib.name]}.signal"), name)
        a, weights = lib.noise(fit(PLANE, n), "f4"), lib.noise((side, side), "f4")
        return lambda: function(a, weights, mode="same")

    return setup


HOST = [Case("signal.sosfilt(sos, a), order 4", filtered("sosfilt", (4, 0.2, "sos"), shape=None))]

# 2^24 elements where the heading says 2^28.
DEVICE = [
    Case("sosfilt, order 8", filtered("sosfilt", (8, 0.2, "sos")), 12, 1 / 16),
    Case("sosfilt, order 8, f8", filtered("sosfilt", (8, 0.2, "sos"), "f8"), 16, 1 / 16),
    Case(
        "lfilter, order 4, 1024 rows", filtered("lfilter", (4, 0.2, "ba"), shape=ROWS), 12, 1 / 16
    ),
    Case(
        "lfilter, order 4, axis 0",
        filtered("lfilter", (4, 0.2, "ba"), shape=ROWS, axis=0),
        12,
        1 / 16,
    ),
    Case("filtfilt, order 4", filtered("filtfilt", (4, 0.2, "ba")), 24, 1 / 16),
    Case("sosfiltfilt, order 8", filtered("sosfiltfilt", (8, 0.2, "sos")), 24, 1 / 16),
    Case("resample_poly 3/2", signal("resample_poly", [3, 2]), 10, 1 / 16),
    Case("resample_poly 160/147", signal("resample_poly", [160, 147]), 8, 1 / 16),
    Case("decimate 8", signal("decimate", [8]), 8, 1 / 16),
    Case("savgol_filter 11, 4096^2", signal("savgol_filter", [11, 3], shape=PLANE), 8, 1 / 16),
    Case("convolve2d 15 x 15, 4096^2", convolved("convolve2d", 15), 8, 1 / 16),
    Case("fftconvolve 101 x 101, 4096^2", convolved("fftconvolve", 101), 8, 1 / 16),
    Case("medfilt 5 x 5, 4096^2", signal("medfilt2d", [5], shape=PLANE), 8, 1 / 16),
    Case("wiener 5 x 5, 4096^2", signal("wiener", [5], shape=PLANE), 8, 1 / 16),
    Case("hilbert, rows", signal("hilbert", shape=ROWS), 12, 1 / 16),
    Case("detrend, rows", signal("detrend", shape=ROWS), 8, 1 / 16),
    Case("resample to 3/4, rows", signal("resample", [12288], shape=ROWS, axis=1), 7, 1 / 16),
]
