"""Directions of the limited-memory BFGS method within bounds, on the device.

R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, "A limited memory algorithm for bound constrained
optimization", SIAM J. Sci. Comput. 16 (1995); J. L. Morales, J. Nocedal, ACM Trans. Math. Softw. 38
(2011). The Cauchy point is found without a loop over the bounds that the path meets: the first and
second derivatives after each of them are sums over the bounds before it.
"""

import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, concatenate, ndarray, where, zeros
from ..._core.shape_base import stack
from ..._core.umath import matmul, maximum, minimum
from ...linalg._linalg import norm as length
from ._objective import EPS, read


@fuse
def _path(x: Any, g: Any, low: Any, high: Any) -> Any:
    """When the path along the projected gradient meets each bound, and its directions."""
    t = where(g == 0, math.inf, where(g > 0, x - low, x - high) / where(g == 0, 1, g))
    return t, where(t <= 0, 0.0, -g)


@fuse
def _place(x: Any, d: Any, t: Any, time: Any, low: Any, high: Any) -> Any:
    """The point of the path at a time, and which of its variables are free."""
    bound = where(d > 0, high, low)
    point = where(t <= 0, x, where(t <= time, bound, x + time * d))
    return point, (t > time) & (point > low) & (point < high)


@fuse
def _times(
    starts: Any, times: Any, ahead: Any, theta: Any, least: Any, slope: Any, bend: Any
) -> Any:
    """Steps to the minima of parabolas behind each bound, and which are before the next bound.

    `slope` and `bend` are what the pairs take from the derivatives.
    """
    first = theta * starts * ahead - ahead - slope
    second = maximum(theta * ahead - bend, least)
    step = maximum(-first / where(second == 0, 1, second), 0)
    return step, (starts + step < times) | (times == math.inf) | (ahead == 0)


@fuse
def _residual(free: Any, g: Any, model: Any, theta: Any, point: Any, x: Any) -> Any:
    """Minus the slope of the model at a point, of the free variables."""
    return where(free, model - g - theta * (point - x), 0.0)


@fuse
def _target(point: Any, d: Any, low: Any, high: Any) -> Any:
    """A point after a step within the bounds, and where the step is whole."""
    target = minimum(maximum(point + d, low), high)
    return target, target == point + d


@fuse
def _room(x: Any, p: Any, low: Any, high: Any) -> Any:
    """Steps along a direction at which the bounds are met."""
    return where(p == 0, math.inf, where(p < 0, low - x, high - x) / where(p == 0, 1, p))


@fuse
def _change(x: Any, g: Any, low: Any, high: Any) -> Any:
    """What a step along the gradient within the bounds changes."""
    return minimum(maximum(x - g, low), high) - x


class BoundedMemory:
    """The last steps and changes of the gradient, and directions to minima of their model.

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
        self.most, self.low, self.high = most, low.astype(x.dtype), high.astype(x.dtype)
        self.rows = zeros((2 * most, x.size), x.dtype)  # steps, then changes
        self.is_boxed = bool(((low > -math.inf) & (high < math.inf)).all())
        self.forget()

    def forget(self) -> None:
        """Drop all pairs."""
        self.order: list[int] = []  # rows, oldest first
        m = self.most
        self.ss, self.sy = np.zeros((m, m)), np.zeros((m, m))
        self.theta = 1.0

    def add(self, s: ndarray, y: ndarray) -> None:
        """Store a pair and its products with the others. Waits for the device."""
        m = self.most
        row = self.order.pop(0) if len(self.order) == m else len(self.order)
        self.order.append(row)
        self.rows[row], self.rows[m + row] = s, y
        products = matmul(self.rows, stack([s, y], axis=1)).get().astype(np.float64)
        self.ss[row, :] = self.ss[:, row] = products[:m, 0]
        self.sy[:, row], self.sy[row, :] = products[:m, 1], products[m:, 0]
        self.theta = float(products[m + row, 1] / self.sy[row, row])

    def pairs(self) -> tuple[ndarray, ndarray]:
        """Steps and changes, oldest first."""
        k = asarray(np.array(self.order, np.int64))
        return self.rows[k], self.rows[k + self.most]

    def project(self, x: ndarray) -> ndarray:
        """The nearest vector within the bounds."""
        return minimum(maximum(x, self.low), self.high)

    def remaining(self, x: ndarray, g: ndarray) -> ndarray:
        """Largest change by a step along the gradient within the bounds."""
        return length(_change(x, g, self.low, self.high), math.inf)

    def first_step(self, two: float) -> float:
        """The step that is tried first without a pair, for a direction of this length."""
        return min(1 / two, 1e10) if two and not self.is_boxed else 1.0

    def largest_step(self, x: ndarray, p: ndarray, nit: int) -> Any:
        """The longest step along a direction within the bounds."""
        if nit == 0:
            return 1.0
        return minimum(_room(x, p, self.low, self.high).min(), 1e10)

    # ---- the model ----

    def _wide(self) -> tuple[ndarray, np.ndarray]:
        """W^T, of 2 k rows, and the inverse of its middle matrix: B = theta I - W M W^T."""
        k = self.order
        s, y = self.pairs()
        sy = self.sy[np.ix_(k, k)]
        lower = np.tril(sy, -1)
        middle = np.block(
            [[-np.diag(np.diag(sy)), lower.T], [lower, self.theta * self.ss[np.ix_(k, k)]]]
        )
        return concatenate((y, self.theta * s)), np.linalg.inv(middle)

    def direction(self, x: ndarray, g: ndarray) -> ndarray:
        """From x to the minimum of the model on the face of the Cauchy point."""
        w, m = self._wide() if self.order else (None, None)
        t, d = _path(x, g, self.low, self.high)
        time, c = self._cauchy_time(t, d, w, m)
        point, free = _place(x, d, t, asarray(time).astype(x.dtype), self.low, self.high)
        if w is None:
            return point - x
        return self._within_face(x, g, point, free, c, w, m) - x

    def _cauchy_time(self, t: ndarray, d: ndarray, w: Any, m: Any) -> tuple[float, np.ndarray]:
        """The first minimum along the projected gradient, and W^T times the way to it."""
        order = t.argsort()
        times, d = t[order], d[order]
        starts = concatenate((zeros(1, t.dtype), times[:-1]))  # of the part before each bound
        starts = where(starts < 0, 0, starts)
        squares = d * d
        ahead = um.add.accumulate(squares[::-1])[::-1]
        slope = bend = zeros(1, t.dtype)
        if w is not None:
            parts = w[:, order] * d
            p = um.add.accumulate(parts[:, ::-1], axis=1)[:, ::-1]
            moved = parts * where((times > 0) & (times < math.inf), times, 0)
            c = um.add.accumulate(moved, axis=1) - moved + starts * p
            mp = matmul(asarray(m).astype(w.dtype), p)
            slope, bend = (mp * c).sum(axis=0), (mp * p).sum(axis=0)
        theta = asarray(self.theta).astype(t.dtype)
        least = EPS * self.theta * ahead[0]
        step, ends = _times(starts, times, ahead, theta, least, slope, bend)
        place = ends.argmax()
        found = [ends.any(), starts[place] + step[place], times[-1]]
        if w is None:
            any_ends, time, last = read(*found)
            return (time if any_ends else last), np.zeros(0)
        *numbers, any_ends, time, last = read(*(c[:, place] + step[place] * p[:, place]), *found)
        return (time if any_ends else last), np.array(numbers)

    def _within_face(
        self, x: ndarray, g: ndarray, point: ndarray, free: ndarray, c: Any, w: ndarray, m: Any
    ) -> ndarray:
        """The minimum of the model over the free variables, within the bounds."""
        theta = self.theta
        known = asarray(m @ c).astype(w.dtype)
        r = _residual(free, g, matmul(known, w), asarray(theta).astype(x.dtype), point, x)
        masked = where(free, w, 0)
        products = matmul(masked, concatenate((masked, r[None])).T).get().astype(np.float64)
        n, side = products[:, :-1], products[:, -1]
        v = np.linalg.solve(np.eye(len(m)) - m @ n / theta, m @ side)
        d = r / theta + matmul(asarray(v / theta**2).astype(w.dtype), masked)
        target, is_same = _target(point, d, self.low, self.high)
        whole = is_same.all()
        limits = where(free, _room(point, d, self.low, self.high), math.inf)
        is_whole, slope, shortest = read(whole, matmul(target - x, g), limits.min())
        if is_whole or slope <= 0:
            return target
        alpha = min(1.0, shortest)
        cut = self.project(point + alpha * d)
        if alpha < 1:
            cut = where(limits == shortest, where(d < 0, self.low, self.high), cut)
        return cut
