"""Images: functions of each library's `scipy.ndimage`."""

import importlib

from case import Case, fit

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}


def image(name, arguments, dtype="f4", shape=(8192, -1)):
    """A filter of a noisy image, with further positional arguments."""

    def setup(lib, n=1000):
        module = importlib.import_module(f"{WAYS[lib.name]}.ndimage")
        f, a = getattr(module, name), lib.noise(fit(shape, n), dtype)
        return lambda: f(a, *arguments)

    return setup


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
]
