"""Directions of the limited-memory BFGS method within bounds, on the device.

R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, "A limited memory algorithm for bound constrained
optimization", SIAM J. Sci. Comput. 16 (1995); J. L. Morales, J. Nocedal, ACM Trans. Math. Softw. 38
(2011). The Cauchy point is found without a loop over the bounds that the path meets: the first and
second derivatives after each of them are sums over the bounds behind it. Only bounds that are met
before the model would be least without bounds are sorted, which are few near a solution.
"""

import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core.fusion import fuse
from ..._core.multiarray import (
    asarray,
    ascontiguousarray,
    concatenate,
    empty,
    ndarray,
    where,
    zeros,
)
from ..._core.umath import matmul, maximum, minimum
from ...linalg._linalg import norm as length
from ._lbfgs import Memory, MemoryLine, Numbers
from ._minimize_device import Run
from ._objective import EPS, read


@fuse
def _path(x: Any, g: Any, low: Any, high: Any) -> Any:
    """When the path along the projected gradient meets each bound, its directions, and times that
    are not zero."""
    t = where(g == 0, math.inf, where(g > 0, x - low, x - high) / where(g == 0, 1, g))
    return t, where(t <= 0, 0.0, -g), where(t <= 0, math.inf, t)


@fuse
def _place(x: Any, d: Any, t: Any, time: Any, low: Any, high: Any) -> Any:
    """The point of the path at a time, and which of its variables are free."""
    bound = where(d > 0, high, low)
    point = where(t <= 0, x, where(t <= time, bound, x + time * d))
    return point, (t > time) & (point > low) & (point < high)


@fuse
def _steps(
    starts: Any, ends: Any, ahead: Any, theta: Any, least: Any, slope: Any, bend: Any
) -> Any:
    """Times of the minima of parabolas behind each bound, and which are before the next bound.

    `slope` and `bend` are what the pairs take from the derivatives.
    """
    first = theta * starts * ahead - ahead - slope
    second = maximum(theta * ahead - bend, least)
    time = starts + maximum(-first / where(second == 0, 1, second), 0)
    return time, (time < ends) | (ends == math.inf) | (ahead <= 0)


@fuse
def _residual(free: Any, g: Any, model: Any, theta: Any, point: Any, x: Any) -> Any:
    """Minus the slope of the model at a point, of the free variables."""
    return where(free, model - g - theta * (point - x), 0.0)


@fuse
def _target(point: Any, d: Any, x: Any, free: Any, low: Any, high: Any) -> Any:
    """The way from x to the point after a step within the bounds, where the step is not whole, and
    steps at which the free variables meet the bounds."""
    target = minimum(maximum(point + d, low), high)
    room = where(d == 0, math.inf, where(d < 0, low - point, high - point) / where(d == 0, 1, d))
    return target - x, target != point + d, where(free, room, math.inf)


@fuse
def _masked(rows: Any, free: Any, rest: Any, kept: Any) -> None:
    """The free variables of rows and of a residual, as rows of a matrix."""
    kept[:-1] = where(free, rows, 0)
    kept[-1] = rest


@fuse
def _room(x: Any, p: Any, low: Any, high: Any) -> Any:
    """Steps along a direction at which the bounds are met."""
    return where(p == 0, math.inf, where(p < 0, low - x, high - x) / where(p == 0, 1, p))


def _sums_behind(values: ndarray, left: Any) -> ndarray:
    """Sums along the last axis of the values from each one on and of what is left behind them."""
    whole = concatenate((values, zeros((*values.shape[:-1], 1), values.dtype) + left), axis=-1)
    return um.add.accumulate(whole[..., ::-1], axis=-1)[..., ::-1]


class BoundedMemory(Memory):
    """The last steps and changes of the gradient, and directions to minima of their model.

    The model's Hessian is ``scale * I - W @ M @ W.T``; columns of W are the rows of the memory, so
    that M, of the host, has zeros for rows that hold no pair.

    Parameters
    ----------
    most : int
        Largest number of pairs.
    x : ndarray, (n,)
        Vector at which the search begins.
    low, high : ndarray, (n,)
        Bounds of the variables.
    """

    def __init__(self, most: int, x: ndarray, low: ndarray, high: ndarray) -> None:
        super().__init__(most, x)
        self.low, self.high = (ascontiguousarray(b.astype(x.dtype)) for b in (low, high))
        self.is_boxed = bool(((low > -math.inf) & (high < math.inf)).all())

    def keep(self, found: Numbers) -> None:
        """Keep the pair that was stored last, whose numbers these are."""
        super().keep(found)
        self.scale = 1 / self.scale  # of the Hessian, not of its inverse

    def project(self, x: ndarray) -> ndarray:
        """The nearest vector within the bounds."""
        return minimum(maximum(x, self.low), self.high)

    def remaining(self, x: ndarray, g: ndarray) -> ndarray:
        """Largest change by a step along the gradient within the bounds."""
        return length(self.project(x - g) - x, math.inf)

    def line(self, run: Run, found: Numbers) -> MemoryLine:
        """The line to the minimum of the model on the face of the Cauchy point."""
        p, slope, largest = self._direction(run.x, run.g)
        first = 1.0
        if run.nit == 0:
            two = read(length(p, 2))[0]
            first = min(1 / two, 1e10) if two and not self.is_boxed else 1.0
            largest = 1.0
        return MemoryLine(self, run, p, slope, first, largest)

    # ---- the model ----

    def _middle(self) -> np.ndarray:
        """The matrix M, for the rows of the memory."""
        k = np.array(self.order)
        sy = self.sy[np.ix_(k, k)]
        lower = np.tril(sy, -1)
        # Of the changes, and of the steps times the scale.
        middle = np.block(
            [
                [-np.diag(np.diag(sy)), lower.T],
                [lower, self.scale * self.ss[np.ix_(k, k)]],
            ]
        )
        factors = np.repeat([1.0, self.scale], len(k))
        made = np.zeros((2 * self.count, 2 * self.count))
        at = np.concatenate([2 * k + 1, 2 * k])
        made[np.ix_(at, at)] = factors[:, None] * np.linalg.inv(middle) * factors
        return made

    def _direction(self, x: ndarray, g: ndarray) -> tuple[ndarray, float, float]:
        """A direction, the slope along it, and the longest step within the bounds."""
        m = self._middle() if self.order else np.zeros((0, 0))
        w = self.rows[: len(m)]
        t, d, ahead = _path(x, g, self.low, self.high)
        time, c = self._cauchy_time(t, d, ahead, w, m)
        point, free = _place(x, d, t, asarray(time).astype(x.dtype), self.low, self.high)
        if not self.order:
            p = point - x
            room = _room(x, p, self.low, self.high)
            slope, largest = read(matmul(p, g), room.min())
            return p, slope, min(largest, 1e10)
        return self._within_face(x, g, point, free, c, w, m)

    def _cauchy_time(
        self, t: ndarray, d: ndarray, ahead: ndarray, w: ndarray, m: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """The first minimum along the projected gradient, and the products of the rows with the way
        to it."""
        p: Any  # of the host
        *p, square, first, last = read(
            *(matmul(w, d) if len(m) else ()), matmul(d, d), ahead.min(), where(d == 0, 0, t).max()
        )
        p = np.array(p)
        bend = max(self.scale * square - p @ m @ p, EPS * self.scale * square)
        time = square / bend if bend else 0.0
        if time < first or not square:
            return time, time * p
        while True:
            until = time if time < last else math.inf
            found, c, is_found = self._among(t, d, w, m, (p, square, until, last))
            if is_found:
                return found, c
            time = max(2 * found, 4 * time)

    def _among(
        self, t: ndarray, d: ndarray, w: ndarray, m: np.ndarray, known: tuple
    ) -> tuple[float, np.ndarray, bool]:
        """The minimum on the part of the path until a time, whose bounds are sorted, and whether
        there is one. `known` has products and square at the beginning, that time, and the time of
        the last bound."""
        p, square, until, last = known
        is_all, dtype = until > last, t.dtype
        (place,) = ((d != 0) & (t <= (last if is_all else until))).nonzero()
        place = place[t[place].argsort()]
        times, d = t[place], d[place]
        starts = concatenate((zeros(1, dtype), times))
        ends = concatenate((times, asarray(np.array([until], dtype))))
        squares = d * d
        ahead = _sums_behind(squares, 0 if is_all else square - squares.sum())
        slope = bend = zeros(1, dtype)
        if len(m):
            parts = w[:, place] * d
            before = asarray(p.astype(dtype))
            p = _sums_behind(parts, 0 if is_all else (before - parts.sum(axis=1))[:, None])
            c = zeros(p.shape, dtype)
            c[:, 1:] = um.add.accumulate(parts * times, axis=1)
            c += starts * p
            mp = matmul(asarray(m.astype(dtype)), p)
            slope, bend = (mp * c).sum(axis=0), (mp * p).sum(axis=0)
        theta, least = asarray(np.array([self.scale, EPS * self.scale * square], dtype))
        found, is_end = _steps(starts, ends, ahead, theta, least, slope, bend)
        k = is_end.argmax()
        time: Any = minimum(found[k], ends[k])
        way = c[:, k] + (time - starts[k]) * p[:, k] if len(m) else ()
        *numbers, is_found, time, further = read(*way, is_end.any(), time, found[-1])
        return time if is_found else further, np.array(numbers), bool(is_found)

    def _within_face(
        self, x: ndarray, g: ndarray, point: ndarray, free: ndarray, c: Any, w: ndarray, m: Any
    ) -> tuple[ndarray, float, float]:
        """The minimum of the model over the free variables, within the bounds, as `_direction`
        returns it."""
        theta = self.scale
        model = matmul(asarray((m @ c).astype(x.dtype)), w)
        r = _residual(free, g, model, asarray(np.array(theta, x.dtype)), point, x)
        masked = empty((len(m) + 1, x.size), x.dtype)
        _masked(w, free, r, masked)
        products = matmul(masked[:-1], masked.T).get().astype(np.float64)
        n, side = products[:, :-1], products[:, -1]
        v = np.linalg.solve(np.eye(len(m)) - m @ n / theta, m @ side)
        weights = np.append(v / theta**2, 1 / theta)
        d = matmul(asarray(weights.astype(x.dtype)), masked)
        p, is_cut, limits = _target(point, d, x, free, self.low, self.high)
        room = _room(x, p, self.low, self.high)
        cut, slope, shortest, largest = read(is_cut.any(), matmul(p, g), limits.min(), room.min())
        if cut and slope > 0:
            alpha = min(1.0, shortest)
            p = self.project(point + alpha * d)
            if alpha < 1:
                p = where(limits == shortest, where(d < 0, self.low, self.high), p)
            p = p - x
            slope, largest = read(matmul(p, g), _room(x, p, self.low, self.high).min())
        return p, slope, min(largest, 1e10)
