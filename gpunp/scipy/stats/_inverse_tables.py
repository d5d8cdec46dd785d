"""Piecewise polynomials of quantile functions: their set-up on the host, and their evaluation.

The set-up calls the functions of a distribution with arrays of points and halves intervals until
the error of probabilities is small enough. In an interval, x is a polynomial in the share t of the
interval's probability, in Newton's form.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_host
from ..._core.multiarray import asarray, empty, ndarray
from ..._core.raw import ElementwiseKernel
from .._host import to_host
from ._distn_integrals import integral

__all__ = ["Inverse", "by_density", "by_distribution_function", "cut", "spread"]

_HALVINGS, _INTERVALS = 120, 1 << 18
_FIND = """
    ptrdiff_t first = 0, last = count;
    while (last - first > 1) {
        const ptrdiff_t middle = (first + last) / 2;
        if (KEY < breaks[middle]) last = middle;
        else first = middle;
    }
    const double *node = &nodes[first * size], *term = &terms[first * size];
"""
_AT = """
    double y = term[size - 1];
    for (int64_t k = size - 2; k >= 0; k--) y = term[k] + (t - node[k]) * y;
"""
_PPF = ElementwiseKernel(
    "float64 u, raw float64 breaks, raw float64 nodes, raw float64 terms, int64 count, int64 size,"
    " float64 low, float64 high",
    "float64 x",
    _FIND.replace("KEY", "u")
    + "const double t = (u - breaks[first]) / (breaks[first + 1] - breaks[first]);"
    + _AT
    + "x = u > 0 && u < 1 ? fmin(fmax(y, low), high) : u == 0 ? low : u == 1 ? high : NAN;",
    "inverse_ppf",
)
_CDF = ElementwiseKernel(
    "float64 x, raw float64 breaks, raw float64 nodes, raw float64 terms, int64 count, int64 size,"
    " raw float64 masses",
    "float64 u",
    _FIND.replace("KEY", "x")
    + """
    double from = 0, to = 1;
    for (int step = 0; step < 60; step++) {
        const double t = 0.5 * (from + to);
    """
    + _AT
    + """
        if (y < x) from = t;
        else to = t;
    }
    const double share = masses[first] + 0.5 * (from + to) * (masses[first + 1] - masses[first]);
    u = x != x ? x : x <= breaks[0] ? 0 : x >= breaks[count] ? 1 : share;
    """,
    "inverse_cdf",
)
_GAUSS = np.polynomial.legendre.leggauss(12)


def _values(function: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    """A function of an array of the device at points of the host."""
    found = as_host(to_host(function(asarray(np.ravel(x)))), np.float64)
    return np.broadcast_to(found, (x.size,)).reshape(x.shape)


def cut(tail: Callable[[np.ndarray], np.ndarray], center: float, sign: int, most: float) -> float:
    """A point on one side of the center beyond which there is little probability."""
    points = center + sign * 2.0 ** np.arange(-8, 180, 0.5)
    small = np.flatnonzero(tail(points) <= most)
    return float(points[small[0] if small.size else -1])


def spread(center: float, low: float, high: float) -> np.ndarray:
    """Points between two, closer to each other about the center."""
    steps = 2.0 ** np.arange(-8, 200)
    points = np.concatenate([center - steps, [center], center + steps])
    return np.unique(np.concatenate([[low, high], points[(points > low) & (points < high)]]))


# ---- polynomials ---------------------------------------------------------------------------------


def _newton(nodes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Divided differences along the last axis, of nodes that differ."""
    terms = values.copy()
    for k in range(1, nodes.shape[-1]):
        width = nodes[:, k:] - nodes[:, :-k]
        terms[:, k:] = (terms[:, k:] - terms[:, k - 1 : -1]) / width
    return terms


def _evaluated(nodes: np.ndarray, terms: np.ndarray, t: np.ndarray) -> np.ndarray:
    y = np.repeat(terms[:, -1:], t.shape[-1], axis=1)
    for k in range(nodes.shape[-1] - 2, -1, -1):
        y = terms[:, k, None] + (t - nodes[:, k, None]) * y
    return y


def _linear(terms: np.ndarray, start: np.ndarray, end: np.ndarray, rows: np.ndarray) -> None:
    """Makes a line of the polynomials of some intervals, from a node at 0."""
    terms[rows] = 0.0
    terms[rows, 0], terms[rows, 1] = start[rows], (end - start)[rows]


def _hermite(order: int, masses: np.ndarray, start: Any, end: Any, slopes: Any) -> Any:
    """Nodes and terms of the polynomials with given derivatives at both ends.

    `slopes` has the derivatives of x by t, and the second ones, at both ends.
    """
    half = (order + 1) // 2
    nodes = np.repeat([[0.0] * half + [1.0] * half], start.size, axis=0)
    table = np.concatenate(
        [np.repeat(start[:, None], half, 1), np.repeat(end[:, None], half, 1)], 1
    )
    terms = table.copy()
    for k in range(1, order + 1):
        width = nodes[:, k:] - nodes[:, :-k]
        derivative = [None, slopes[0], slopes[1] if order == 5 else None][k] if k < half else None
        new = (terms[:, k:] - terms[:, k - 1 : -1]) / np.where(width == 0, 1.0, width)
        if derivative is not None:
            at = np.concatenate(
                [
                    np.repeat(derivative[j][:, None], half - k, 1) / math.factorial(k)
                    for j in (0, 1)
                ],
                1,
            )
            new[:, : half - k], new[:, -(half - k) :] = at[:, : half - k], at[:, half - k :]
        terms[:, k:] = new
    return nodes, terms


# ---- set-up --------------------------------------------------------------------------------------


def _halved(points: np.ndarray, build: Callable[..., Any], most: float) -> tuple[Any, ...]:
    """Intervals, masses, nodes and terms, in ascending order, whose errors are small enough."""
    start, end = points[:-1], points[1:]
    kept: list[tuple[np.ndarray, ...]] = []
    for _ in range(_HALVINGS):
        masses, nodes, terms, errors = build(start, end)
        middle = 0.5 * (start + end)
        size = np.maximum(np.abs(start), np.abs(end))
        noise = 8e-16 * size * masses / (end - start)  # of probabilities of numbers with 53 bits
        is_rough = (errors > most + noise) & (middle > start) & (middle < end)
        good = ~is_rough
        kept.append(tuple(a[good] for a in (start, end, masses, nodes, terms, errors)))
        start, middle, end = start[is_rough], middle[is_rough], end[is_rough]
        start, end = np.concatenate([start, middle]), np.concatenate([middle, end])
        if not start.size or start.size > _INTERVALS:
            break
    if start.size:
        raise RuntimeError("the quantile function needs too many intervals; u_resolution is small")
    parts = [np.concatenate(part) for part in zip(*kept, strict=True)]
    order = np.argsort(parts[0], kind="stable")
    parts = [part[order] for part in parts]
    solid = parts[2] > 0  # intervals without probability have no quantiles
    return tuple(part[solid] for part in parts)


def by_distribution_function(
    functions: tuple[Any, Any, Any], points: np.ndarray, order: int, resolution: float
) -> tuple[Any, ...]:
    """Polynomials with the derivatives that the density gives (HINV).

    W. Hoermann and J. Leydold, ACM Transactions on Modeling and Computer Simulation 13, 2003.
    """
    cdf, pdf, dpdf = functions
    ends = _values(cdf, points[[0, -1]])
    area = ends[1] - ends[0]

    def build(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, ...]:
        at = _values(cdf, np.stack([start, end])) / area
        masses = at[1] - at[0]
        slopes: list[Any] = [None, None]
        flat = masses <= 0
        if order > 1:
            density = _values(pdf, np.stack([start, end])) / area
            flat = flat | ~(density > 0).all(axis=0)
            density = np.where(flat, 1.0, density)
            slopes[0] = masses / density
            if order == 5:
                change = _values(dpdf, np.stack([start, end])) / area
                slopes[1] = -change * masses**2 / density**3
        nodes, terms = _hermite(order, masses, start, end, slopes)
        flat = flat | ~np.isfinite(terms).all(axis=1)
        _linear(terms, start, end, flat)
        nodes[flat, 1:] = 1.0
        t = np.array([[0.25, 0.5, 0.75]])
        x = _evaluated(nodes, terms, t)
        is_within = (np.diff(x, axis=1) >= 0).all(1) & (x[:, 0] >= start) & (x[:, -1] <= end)
        wanted = at[0][:, None] + t * masses[:, None]
        errors = np.abs(_values(cdf, np.clip(x, start[:, None], end[:, None])) / area - wanted)
        errors = np.where(is_within, errors.max(axis=1), np.maximum(masses, 0.0))
        return masses, nodes, terms, np.where(masses > 0.05, np.inf, errors)

    return _halved(points, build, resolution)


def by_density(
    pdf: Callable[[Any], Any], points: np.ndarray, order: int, resolution: float
) -> tuple[Any, ...]:
    """Polynomials through points whose probabilities are integrals of the density (PINV).

    G. Derflinger, W. Hoermann and J. Leydold, ACM Transactions on Modeling and Computer Simulation
    20, 2010.
    """
    ends = asarray(points[:-1]), asarray(points[1:])
    area = float(integral(pdf, *ends, size=points.size - 1).sum())
    shares = 0.5 - 0.5 * np.cos(np.pi * np.arange(order + 1) / order)
    abscissas, weights = _GAUSS

    def between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        half = 0.5 * (high - low)
        x = (low + half)[..., None] + half[..., None] * abscissas
        return (_values(pdf, x) @ weights) * half / area

    def build(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, ...]:
        x = start[:, None] + (end - start)[:, None] * shares
        x[:, -1] = end
        parts = between(x[:, :-1], x[:, 1:])
        sums = np.concatenate([np.zeros((start.size, 1)), np.cumsum(parts, axis=1)], axis=1)
        masses = sums[:, -1]
        flat: Any = (parts <= 0).any(axis=1)
        t = np.where(flat[:, None], shares, sums / np.where(masses > 0, masses, 1.0)[:, None])
        terms = _newton(t, x)
        flat = flat | ~np.isfinite(terms).all(axis=1)
        _linear(terms, start, end, flat)
        middle = 0.5 * (t[:, 1:] + t[:, :-1])
        y = _evaluated(t, terms, middle)
        is_within = ((y >= x[:, :-1]) & (y <= x[:, 1:])).all(axis=1) | flat
        y = np.clip(y, x[:, :-1], x[:, 1:])
        found = sums[:, :-1] + between(x[:, :-1], y)
        errors = np.abs(found - middle * masses[:, None]).max(axis=1)
        errors = np.maximum(errors, np.abs(between(start, end) - masses) * (masses <= 0.05))
        errors = np.where(is_within & ~flat, errors, 4 * np.maximum(masses, 0.0))  # poles, too
        return masses, t, terms, np.where(masses > 0.05, np.inf, errors)

    return _halved(points, build, 0.8 * resolution)  # the rest is for sums of integrals


class Inverse:
    """A quantile function on the device, from the intervals of a set-up."""

    def __init__(self, table: tuple[Any, ...], low: float, high: float):
        start, end, masses, nodes, terms, errors = table
        sums = np.concatenate([[0.0], np.cumsum(masses)])
        self.count, self.error = masses.size, float(errors.max(initial=0.0))
        self._breaks, self._x = asarray(sums / sums[-1]), asarray(np.append(start, end[-1]))
        self._nodes, self._terms = asarray(nodes), asarray(terms)
        self._size, self._ends = nodes.shape[-1], (low, high)

    def ppf(self, u: ndarray) -> ndarray:
        """Quantiles; NaN for what is no probability."""
        x = empty(u.shape, np.float64)
        _PPF(u, self._breaks, self._nodes, self._terms, self.count, self._size, *self._ends, x)
        return x

    def cdf(self, x: ndarray) -> ndarray:
        """The probability of numbers up to x, by bisection of the quantile function."""
        u = empty(x.shape, np.float64)
        _CDF(x, self._x, self._nodes, self._terms, self.count, self._size, self._breaks, u)
        return u
