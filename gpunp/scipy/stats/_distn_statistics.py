"""Moments and entropies of the statistics of Kolmogorov and Smirnov: rules between the kinks."""

from typing import Any

import numpy as np

from ..._core.multiarray import arange, asarray, ndarray, where
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ..._core.umath import log, sqrt
from ._distn_infrastructure import Continuous
from ._distn_kernels import kernel

__all__ = ["Statistic"]

_POINTS, _FINE, _WIDE = 32, 16, 8
# Tails of n numbers are polynomials between multiples of 1 / (2 n), which join the smoother the
# higher they are, and nothing beyond 4.5 / sqrt(n). Points gather at the ends of an interval.
_NODES = ElementwiseKernel(
    "float64 n, int64 k, raw float64 rule, int64 points, int64 fine, int64 wide",
    "float64 x, float64 weight",
    """
    const double top = fmin(1.0, 4.5 / sqrt(n)), joint = fmin(top, fine / (2 * n));
    const int64_t part = k / points, at = k % points, rest = part - fine;
    const double from = rest < 0 ? fmin(top, part / (2 * n)) : joint + (top - joint) * rest / wide;
    const double to =
        rest < 0 ? fmin(top, (part + 1) / (2 * n)) : joint + (top - joint) * (rest + 1) / wide;
    x = from + (to - from) * rule[2 * at];
    weight = (to - from) * rule[2 * at + 1];
    """,
    "nodes_of_statistic",
)


def _rule() -> ndarray:
    """Points and weights of [0, 1]: those of Gauss and Legendre in u, with x = u^2 (3 - 2 u)."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    u = (nodes + 1) / 2
    return asarray(np.stack([u * u * (3 - 2 * u), 3 * u * (1 - u) * weights], axis=1))


class Statistic(Continuous):
    """A statistic of n numbers between 0 and 1, whose moments are integrals of its upper tail."""

    def _at_nodes(self, method: str, n: Any) -> tuple[ndarray, ndarray, ndarray]:
        """Points, weights and a function of them, along a last axis."""
        shapes = asarray(n)[..., None]
        count = _POINTS * (_FINE + _WIDE)
        x, weights = _NODES(shapes, arange(count), _rule(), _POINTS, _FINE, _WIDE)
        return x, weights, kernel(self._row, (method,))(x, shapes, 0.0, 1.0)

    def _moment(self, order: int, args: Any, kwds: Any) -> ndarray:
        n, loc, scale = self._numbers(args, kwds)
        return _moment_about(self._at_nodes("sf", n), order, asarray(loc), _checked(scale))

    def _of(self, methods: tuple[str, ...], args: Any, kwds: Any) -> Any:
        if methods[0] == "lower":
            return super()._of(methods, args, kwds)
        n, loc, scale = self._numbers(args, kwds)
        loc, scale = asarray(loc), _checked(scale)
        if methods == ("entropy",):
            _, weights, density = self._at_nodes("pdf", n)
            shares = where(density > 0, -density * log(density), density)
            return sum(weights * shares, axis=-1) + log(scale) + 0 * loc
        found = _standard(self._at_nodes("sf", n), methods)
        places = {
            "mean": lambda m: m * scale + loc,
            "var": lambda v: v * scale * scale + 0 * loc,
            "std": lambda s: s * scale + 0 * loc,
        }
        results = tuple(
            places.get(name, lambda s: s + 0 * loc * scale)(found[name]) for name in methods
        )
        return results if len(results) > 1 else results[0]


def _checked(scale: Any) -> ndarray:
    scale = asarray(scale)
    return where(scale > 0, scale, np.nan)


def _moment_about(nodes: Any, order: int, shift: Any, scale: Any = 1.0) -> ndarray:
    """The expected value of (shift + scale x)^order, by parts: the lower end is 0."""
    x, weights, tail = nodes
    scale = asarray(scale)
    if order == 0:
        return sum(0 * tail, axis=-1) + 0 * shift * scale + 1.0
    inner = (shift[..., None] + scale[..., None] * x) ** (order - 1)
    return shift**order + order * scale * sum(weights * tail * inner, axis=-1)


def _standard(nodes: Any, methods: tuple[str, ...]) -> dict[str, ndarray]:
    """Mean, variance and so on without location and scale."""
    mean = _moment_about(nodes, 1, asarray(0.0))
    found = {"mean": mean}
    if methods == ("mean",):
        return found
    variance = found["var"] = _moment_about(nodes, 2, -mean)
    found["std"] = sqrt(variance)
    if "skew" in methods:
        found["skew"] = _moment_about(nodes, 3, -mean) / variance**1.5
    if "kurt" in methods:
        found["kurt"] = _moment_about(nodes, 4, -mean) / variance**2 - 3
    return found
