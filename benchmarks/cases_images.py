"""Images: functions of each library's `scipy.ndimage`."""

import importlib

from case import Case, fit
from libraries import mixed_noise

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}

S = (4096, -1)


def image(name, arguments, dtype="f4", shape=(8192, -1)):
    """A filter of a noisy image, with further positional arguments."""

    def setup(lib, n=1000):
        module = importlib.import_module(f"{WAYS[lib.name]}.ndimage")
        f, a = getattr(module, name), lib.noise(fit(shape, n), dtype)
        return lambda: f(a, *arguments)

    return setup


def box7(lib, n=1000):
    """A filter of 7 x 7 weights that lie on the device."""
    f = importlib.import_module(f"{WAYS[lib.name]}.ndimage").convolve
    a, weights = lib.noise(fit(S, n), "f4"), lib.full((7, 7), 0.02)
    return lambda: f(a, weights)


def mask(name, level, arguments=(), shape=(4096, -1)):
    """A function of a mask: where a noisy image is above a level."""

    def setup(lib, n=1000):
        module = importlib.import_module(f"{WAYS[lib.name]}.ndimage")
        f, a = getattr(module, name), lib.noise(fit(shape, n), "f4") > level
        return lambda: f(a, *arguments)

    return setup


def by_label(name, count):
    """A measurement of a noisy image by so many random labels."""

    def setup(lib, n=1000):
        f = getattr(importlib.import_module(f"{WAYS[lib.name]}.ndimage"), name)
        a, labels = lib.noise(fit(S, n), "f4"), lib.noise(fit(S, n), "i4") % count
        index = lib.index(count)
        return lambda: f(a, labels, index)

    return setup


def scattered(lib, n, size):
    """Places in float32 at random."""
    return mixed_noise(lib, (2, n)) * (size - 1)


def turned(lib, n, size):
    """Places in float32 of an image turned by some degrees, within it."""
    i = lib.index(n)
    rows, columns = lib.astype(i // size, "f4"), lib.astype(i % size, "f4")
    where = lib.astype(lib.index(2 * n), "f4").reshape(2, n)
    where[0], where[1] = rows * 0.9 + columns * 0.09, columns * 0.9 - rows * 0.09 + size * 0.09
    return where


def places(order, kind=scattered):
    """The values of an image at places that lie on the device."""

    def setup(lib, n=1000):
        f = importlib.import_module(f"{WAYS[lib.name]}.ndimage").map_coordinates
        a = lib.noise(fit(S, n), "f4")
        where = kind(lib, a.size, a.shape[0]).reshape(2, *a.shape)
        return lambda: f(a, where, order=order)

    return setup


def spectrum(lib, n=1000):
    """The spectrum of a noisy image, smoothed."""
    f = importlib.import_module(f"{WAYS[lib.name]}.ndimage").fourier_gaussian
    a = lib.noise(fit(S, n), "f4") + lib.noise(fit(S, n), "f4") * 1j
    return lambda: f(a, 3.0)


def affine(order, dtype="f4"):
    """An affine map of an image, which turns it a little."""

    def setup(lib, n=1000):
        f = importlib.import_module(f"{WAYS[lib.name]}.ndimage").affine_transform
        a, matrix = lib.noise(fit(S, n), dtype), TURN
        if lib.name == "cupy":
            matrix = lib.module.asarray(TURN)
        return lambda: f(a, matrix, order=order)

    return setup


TURN = [[0.9, 0.1], [-0.1, 0.95]]

HOST = [Case("ndimage.uniform_filter1d(a, 3)", image("uniform_filter1d", [3], shape=None))]

# 2^26 elements where the heading says 2^28: an image of 8192 x 8192.
DEVICE = [
    Case("gaussian_filter, sigma 3", image("gaussian_filter", [3]), 8, 1 / 4),
    Case("gaussian_filter, sigma 3, f8", image("gaussian_filter", [3], "f8"), 16, 1 / 4),
    Case("gaussian_filter1d, last axis", image("gaussian_filter1d", [3]), 8, 1 / 4),
    Case("gaussian_filter1d, first axis", image("gaussian_filter1d", [3, 0]), 8, 1 / 4),
    Case("correlate1d, 101 weights", image("correlate1d", [[0.01] * 101]), 8, 1 / 4),
    Case("uniform_filter 9 x 9", image("uniform_filter", [9]), 8, 1 / 4),
    Case("maximum_filter1d, 21", image("maximum_filter1d", [21]), 8, 1 / 4),
    Case("sobel", image("sobel", []), 8, 1 / 4),
    Case("laplace", image("laplace", []), 8, 1 / 4),
    Case("gaussian_gradient_magnitude", image("gaussian_gradient_magnitude", [2]), 8, 1 / 4),
    Case("convolve 7 x 7, 4096^2", box7, 8, 1 / 16),
    Case("median_filter 3 x 3, 4096^2", image("median_filter", [3], shape=S), 8, 1 / 16),
    Case("median_filter 5 x 5, 4096^2", image("median_filter", [5], shape=S), 8, 1 / 16),
    Case("median_filter 5 x 5, 4096^2, u1", image("median_filter", [5], "u1", S), 2, 1 / 16),
    Case("percentile_filter 30, 5 x 5", image("percentile_filter", [30, 5], shape=S), 8, 1 / 16),
    Case("median_filter 15 x 15, 4096^2", image("median_filter", [15], shape=S), 8, 1 / 16),
    Case("median_filter 15 x 15, 4096^2, u1", image("median_filter", [15], "u1", S), 2, 1 / 16),
    Case("maximum_filter 21 x 21", image("maximum_filter", [21], shape=S), 8, 1 / 16),
    Case("grey_opening 5 x 5", image("grey_opening", [5], shape=S), 8, 1 / 16),
    Case("binary_erosion, 5 times", mask("binary_erosion", 0.1, [None, 5]), 2, 1 / 16),
    Case("binary_fill_holes", mask("binary_fill_holes", 0.6), 2, 1 / 16),
    Case("label, 4096^2", mask("label", 0.45), 5, 1 / 16),
    Case("distance_transform_edt, 4096^2", mask("distance_transform_edt", 0.01), 9, 1 / 16),
    Case("sum_labels, 1000 labels", by_label("sum_labels", 1000), 8, 1 / 16),
    Case("mean, 1000 labels", by_label("mean", 1000), 8, 1 / 16),
    Case("maximum, 1000 labels", by_label("maximum", 1000), 8, 1 / 16),
    Case("sum_labels, 100000 labels", by_label("sum_labels", 100_000), 8, 1 / 16),
    Case("affine_transform, order 1", affine(1), 8, 1 / 16),
    Case("affine_transform, order 3", affine(3), 24, 1 / 16),
    Case("affine_transform, order 3, f8", affine(3, "f8"), 48, 1 / 16),
    Case("rotate 30, order 1", image("rotate", [30, (1, 0), False, None, 1], shape=S), 8, 1 / 16),
    Case("shift, order 3", image("shift", [1.5], shape=S), 24, 1 / 16),
    Case("zoom 1/2, order 3", image("zoom", [0.5], shape=S), 21, 1 / 16),
    Case("zoom 2, order 1", image("zoom", [2, None, 1], shape=S), 20, 1 / 16),
    Case("spline_filter, f4", image("spline_filter", [3, "f4"], shape=S), 16, 1 / 16),
    Case("spline_filter, f8", image("spline_filter", [3], "f8", S), 32, 1 / 16),
    Case("map_coordinates, order 1", places(1), 16, 1 / 16),
    Case("map_coordinates, order 1, turned", places(1, turned), 16, 1 / 16),
    Case("fourier_gaussian", spectrum, 16, 1 / 16),
]
