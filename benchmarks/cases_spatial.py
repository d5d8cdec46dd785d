"""Points in space: each library's `scipy.spatial`; sizes are of points asked for, or of pairs."""

import importlib

from case import Case
from cases_interpolate import WAYS, places
from libraries import mixed_noise

SITES = 20000


def module_of(lib):
    """The library's module of space."""
    return importlib.import_module(f"{WAYS[lib.name]}.spatial")


def simplices(d):
    """The simplices that points are in."""

    def setup(lib, n=1000):
        tri, at = module_of(lib).Delaunay(places(lib, SITES, d)), places(lib, n, d, 0.37)
        return lambda: tri.find_simplex(at)

    return setup


def neighbours(k):
    """The nearest of sites in space."""

    def setup(lib, n=1000):
        tree, at = module_of(lib).KDTree(places(lib, SITES, 3)), places(lib, n, 3, 0.37)
        return lambda: tree.query(at, k)

    return setup


def built(lib, n=1000):
    """A tree of points in space."""
    make, at = module_of(lib).KDTree, places(lib, n, 3)
    return lambda: make(at)


def pairs(name, metric="euclidean", coordinates=64):
    """Distances between points of many coordinates; sizes are of distances."""

    def setup(lib, n=1000):
        module = importlib.import_module(f"{WAYS[lib.name]}.spatial.distance")
        x = lib.astype(mixed_noise(lib, (max(int(n**0.5), 2), coordinates)), "f8")
        function = getattr(module, name)
        return lambda: function(*[x, x] if name == "cdist" else [x], metric)

    return setup


def farthest(lib, n=1000):
    """The distance of a set from another."""
    module = importlib.import_module(f"{WAYS[lib.name]}.spatial.distance")
    one, two = places(lib, n, 2, 0.37), places(lib, SITES)
    return lambda: module.directed_hausdorff(one, two)


HOST = [
    Case("simplices of 1000 points", simplices(2)),
]
DEVICE = [
    Case("simplices of points in the plane", simplices(2), 20, 1 / 64),
    Case("simplices of points in space", simplices(3), 28, 1 / 64),
    Case("nearest of 20,000 points in space", neighbours(1), 40, 1 / 256),
    Case("8 nearest of 20,000 points in space", neighbours(8), 152, 1 / 256),
    Case("KDTree of points in space", built, 0, 1 / 256),
    Case("cdist of 64 coordinates", pairs("cdist"), 8),
    Case("cdist cityblock of 64 coordinates", pairs("cdist", "cityblock"), 8, 1 / 4),
    Case("cdist cosine of 64 coordinates", pairs("cdist", "cosine"), 8, 1 / 4),
    Case("pdist of 64 coordinates", pairs("pdist"), 4, 1 / 4),
    Case("Hausdorff distance from 20,000 points", farthest, 16, 1 / 256),
]
