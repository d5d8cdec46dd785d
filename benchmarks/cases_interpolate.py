"""Interpolation: objects of each library's `scipy.interpolate`; sizes are of points evaluated."""

import importlib

from case import Case

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}
KNOTS = 4096


def module_of(lib):
    """The library's module of interpolation."""
    return importlib.import_module(f"{WAYS[lib.name]}.interpolate")


def points(lib, n):
    """Points between 0 and 1."""
    return abs(lib.noise((n,), "f8")) % 1.0


def line(name, **options):
    """An object through points on a line, evaluated."""

    def setup(lib, n=1000):
        x = lib.module.linspace(0, 1, KNOTS)
        made = getattr(module_of(lib), name)(x, lib.noise((KNOTS,), "f8"), **options)
        at = points(lib, n)
        return lambda: made(at)

    return setup


def fitted(name, **options):
    """An object made through points on a line."""

    def setup(lib, n=1000):
        x, y = lib.module.linspace(0, 1, n), lib.noise((n,), "f8")
        make = getattr(module_of(lib), name)
        return lambda: make(x, y, **options)

    return setup


def grid(method):
    """A grid of two axes, evaluated."""

    def setup(lib, n=1000):
        axis = lib.module.linspace(0, 1, 256)
        values = lib.noise((256, 256), "f8")
        made = module_of(lib).RegularGridInterpolator((axis, axis), values, method, False, None)
        at = lib.module.stack((points(lib, n), points(lib, n)), axis=1)
        return lambda: made(at)

    return setup


HOST = [
    Case("cubic spline at 1000 points", line("CubicSpline")),
]
DEVICE = [
    Case("cubic spline at points", line("CubicSpline"), 16, 1 / 16),
    Case("B-spline at points", line("make_interp_spline"), 16, 1 / 16),
    Case("interp1d linear at points", line("interp1d"), 16, 1 / 16),
    Case("grid of two axes at points", grid("linear"), 24, 1 / 16),
    Case("cubic spline through points", fitted("CubicSpline"), 0, 1 / 64),
    Case("monotone cubic through points", fitted("PchipInterpolator"), 48, 1 / 64),
]
