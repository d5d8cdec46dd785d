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


def places(lib, n, d=2, shift=0.0):
    """Scattered points of so many coordinates between 0 and 1, others for another shift."""
    x = (points(lib, n) + shift) % 1.0
    return lib.module.stack([x, *(x * x * (104729 + 7919 * k) % 1.0 for k in range(d - 1))], axis=1)


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


def scattered(name):
    """An object on a triangulation of 20,000 points, evaluated."""

    def setup(lib, n=1000):
        at, values = places(lib, n, 2, 0.37), lib.noise((20000,), "f8")
        made = getattr(module_of(lib), name)(places(lib, 20000), values)
        return lambda: made(at)

    return setup


def surface(grid):
    """A spline of two variables through 256 x 256 values, on a square grid or at points."""

    def setup(lib, n=1000):
        axis = lib.module.linspace(0, 1, 256)
        made = module_of(lib).RectBivariateSpline(axis, axis, lib.noise((256, 256), "f8"))
        if not grid:
            x, y = places(lib, n).T
            return lambda: made.ev(x, y)
        side = lib.module.linspace(0, 1, int(n**0.5))
        return lambda: made(side, side)

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
    Case("linear in triangles at points", scattered("LinearNDInterpolator"), 24, 1 / 64),
    Case("cubic in triangles at points", scattered("CloughTocher2DInterpolator"), 24, 1 / 64),
    Case("spline of two variables on a grid", surface(True), 8, 1 / 16),
    Case("spline of two variables at points", surface(False), 24, 1 / 16),
]
