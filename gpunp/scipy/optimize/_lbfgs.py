"""The limited-memory form of BFGS, with few launches and one reading an iteration.

D. C. Liu, J. Nocedal, Math. Program. 45 (1989), in the compact form of R. H. Byrd, J. Nocedal,
R. B. Schnabel, Math. Program. 63 (1994): a direction is a combination of the last steps, the last
changes of the gradient, and the gradient, whose weights follow from their products. The products of
a point are computed and read with the value there, so that weights are found without the device.
"""

import math
from typing import Any

import numpy as np

from ..._core._sparse import (
    LBFGS_MOST_ROWS,
    LBFGS_MOST_SUMS,
    lbfgs_direction,
    lbfgs_finish,
    lbfgs_products,
)
from ..._core.multiarray import asarray, ascontiguousarray, empty, empty_like, ndarray, zeros
from ..._core.umath import matmul
from ...linalg._linalg import norm as length
from ._line_search import MoreThuente
from ._minimize_device import MESSAGES, Run
from ._objective import EPS, Objective, read
from ._result import OptimizeResult

LBFGS_MESSAGES = {
    "gradient": "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL",
    "decrease": "CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH",
    "iterations": "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT",
    "calls": "STOP: TOTAL NO. OF F,G EVALUATIONS EXCEEDS LIMIT",
    "abnormal": "ABNORMAL: ",
    "callback": MESSAGES[99],
}
_STATUS = {"iterations": 1, "calls": 1, "abnormal": 2, "callback": 99}


class Numbers:
    """What is read at a point of a line: the value of the function, products, and a magnitude.

    Attributes
    ----------
    value : float
        The function.
    with_g, with_y, with_s : ndarray of the host
        Products of all rows of the memory with the gradient, its change, and the step; the last
        ones within bounds only.
    square, largest : float
        Square of the gradient, and its largest component or what a step along it changes.
    """

    def __init__(self, numbers: np.ndarray, rows: int) -> None:
        self.value, self.square, self.largest = (float(numbers[k]) for k in (0, -2, -1))
        self.with_g, self.with_y, *more = numbers[1:-2].reshape(-1, rows)
        self.with_s = more[0] if more else None


class Memory:
    """The last steps and changes of the gradient, and their products.

    They are pairs of rows of a matrix, whose first `count` pairs are used. There is one place more
    than pairs are kept, for the step that is tried.

    Parameters
    ----------
    most : int
        Largest number of pairs.
    x : ndarray, (n,)
        Vector at which the search begins.
    """

    low = high = None  # type: Any

    def __init__(self, most: int, x: ndarray) -> None:
        self.most, self.rows = most, zeros((2 * (most + 1), x.size), x.dtype)
        self.ss, self.sy, self.yy = (np.zeros((most + 1, most + 1)) for _ in range(3))
        self.order: list[int] = []  # places of pairs, oldest first
        self.count, self.scale = 1, 1.0

    def forget(self) -> None:
        """Drop all pairs, of which some may not be finite."""
        self.rows[...] = 0
        self.order, self.count, self.scale = [], 1, 1.0

    @property
    def place(self) -> int:
        """The place of the step that is tried."""
        return next(k for k in range(self.most + 1) if k not in self.order)

    def numbers(
        self, value: ndarray, p: ndarray, g: ndarray, before: ndarray, x: ndarray, step: float
    ) -> Numbers:
        """Store the step and the change of the gradient that lead to x; the numbers there.

        Waits for the device.
        """
        place, rows, n = self.place, 2 * self.count, x.size
        columns = 2 if self.low is None else 3
        sums = empty((columns * rows + 2, LBFGS_MOST_SUMS), x.dtype)
        for first in range(0, rows, LBFGS_MOST_ROWS):
            end = min(first + LBFGS_MOST_ROWS, rows)
            vectors = (self.rows, p, g, before, x, self.low, self.high, sums)
            lbfgs_products(*vectors, n, rows, first, end, place, float(step))
        found = empty(len(sums) + 1)
        lbfgs_finish(value.astype(np.float64, copy=False), sums, found, len(sums), n)
        return Numbers(found.get(), rows)

    def keep(self, found: Numbers) -> None:
        """Keep the pair that was stored last, whose numbers these are."""
        new = self.place
        self.order.append(new)
        for matrix, with_it, first in ((self.ss, found.with_s, 0), (self.sy, found.with_y, 0),
                                       (self.yy, found.with_y, 1)):  # fmt: skip
            if with_it is not None:
                matrix[: self.count, new] = with_it[first::2]
        self.ss[new], self.yy[new] = self.ss[:, new], self.yy[:, new]
        if found.with_s is not None:
            self.sy[new, : self.count] = found.with_s[1::2]
        self.scale = self.sy[new, new] / self.yy[new, new]
        if len(self.order) > self.most:
            self.order.pop(0)
        self.count = max(self.count, self.place + 1)

    def pairs(self) -> tuple[ndarray, ndarray]:
        """Steps and changes, oldest first."""
        k = asarray(2 * np.array(self.order, np.int64))
        return self.rows[k], self.rows[k + 1]

    def remaining(self, x: ndarray, g: ndarray) -> ndarray:
        """Largest component of the gradient."""
        return length(g, math.inf)

    def project(self, x: ndarray) -> ndarray:
        """The vector itself, as there are no bounds."""
        return x

    def _weights(self, found: Any) -> np.ndarray:
        """Weights of the rows and of the gradient in the direction, by the products with it."""
        weights = np.zeros(2 * self.count + 1)
        weights[-1] = -self.scale
        if not self.order:
            return weights
        k, gamma = np.array(self.order), self.scale
        known = np.zeros((2, self.count))
        size = min(self.count, len(found.with_g) // 2)
        known[:, :size] = found.with_g[: 2 * size].reshape(-1, 2).T
        sg, yg = known[:, k]
        r, yy = np.triu(self.sy[np.ix_(k, k)]), self.yy[np.ix_(k, k)]
        a = np.linalg.solve(r, sg)
        weights[2 * k] = -np.linalg.solve(r.T, np.diag(r) * a + gamma * (yy @ a - yg))
        weights[2 * k + 1] = gamma * a
        return weights

    def line(self, run: Run, found: Numbers) -> "MemoryLine":
        """The line along the next direction from the point of a run, whose numbers are known."""
        weights = self._weights(found)
        p, ahead = empty_like(run.x), empty_like(run.x)
        known = np.zeros(len(weights) - 1)
        size = min(len(known), len(found.with_g))
        known[:size] = found.with_g[:size]
        slope = float(weights[:-1] @ known + weights[-1] * found.square)
        step = 1.0
        if not run.nit:
            two = math.sqrt(found.square)
            step = min(1 / two, 1e10) if two else 1.0
        rows = len(weights) - 1 if self.order else 0
        if not rows:
            weights = weights[-1:]
        lbfgs_direction(self.rows, run.g, run.x, asarray(weights), p, ahead, run.x.size, rows, step)
        return MemoryLine(self, run, p, slope, step, 1e10, ahead)


class MemoryLine:
    """An objective along a direction from the point of a run, with one reading for each place.

    Parameters
    ----------
    memory : Memory
        Memory that stores steps and changes of the gradient.
    run : Run
        Run whose point and gradient are those at the beginning.
    p : ndarray, (n,)
        Direction.
    slope : float
        Slope at the beginning.
    first, largest : float
        Steps that is tried first and that is the largest one.
    ahead : ndarray, (n,), optional
        The point of the first step, where it is known.
    """

    def __init__(
        self,
        memory: Any,
        run: Run,
        p: ndarray,
        slope: float,
        first: float,
        largest: float,
        ahead: Any = None,
    ) -> None:
        self.memory, self.run, self.p, self.slope = memory, run, p, slope
        self.first, self.largest = min(first, largest), max(first, largest)
        self._ahead = {first: ahead} if ahead is not None else {}
        self._at: float | None = None

    def __call__(self, step: float) -> tuple[float, float]:
        """Value and slope at a distance."""
        step = float(step)
        if self._at != step:
            point = self._ahead.pop(step, None)
            if point is None:
                point = self.memory.project(self.run.x + step * self.p)
            objective = self.run.objective
            value, g = objective.value(point), ascontiguousarray(objective.gradient(point))
            self.point, self.gradient, self._at = point, g, step
            self.found = self.memory.numbers(value, self.p, g, self.run.g, point, step)
        found, place = self.found, 2 * self.memory.place
        return found.value, found.with_g[place] / step if step else self.slope


def lbfgs(
    objective: Objective, x: ndarray, callback: Any, options: dict, bounds: Any = None
) -> OptimizeResult:
    """Minimize by the limited-memory form of `bfgs`, within bounds if there are any."""
    if options["maxls"] <= 0 or options["maxcor"] <= 0:
        name = "maxls" if options["maxls"] <= 0 else "maxcor"
        raise ValueError(f"{name} must be positive, not {options[name]}")
    memory: Any = Memory(options["maxcor"], x)
    if bounds is not None:
        from ._lbfgs_bounds import BoundedMemory

        memory = BoundedMemory(options["maxcor"], x, *bounds)
        x = memory.project(x)
    run = Run(objective, x, callback, options)
    run.g = ascontiguousarray(run.g)
    size, square = read(memory.remaining(run.x, run.g), matmul(run.g, run.g))
    found: Any = Numbers(np.array([run.value, 0, 0, square, size]), 1)
    reason = "gradient" if size <= options["gtol"] else None
    while reason is None:
        line = memory.line(run, found)
        search = MoreThuente(1e-3, 0.9, 0.1, (0.0, line.largest), options["maxls"])
        step = search(line, run.value, line.slope, line.first)
        if step is None and search.stuck_at:
            step = search.stuck_at
        if step is None:
            if not memory.order:
                reason = "abnormal"
                break
            memory.forget()
            continue
        before = run.value
        value, _ = line(step)
        found = line.found
        run.moved(line.point, value, line.gradient)
        reason = _reason(run, found.largest, before, options)
        if run.report():
            reason = "callback"
        new = 2 * memory.place
        # As SciPy's, the inverse Hessian of the result is without the last step.
        if reason is None and found.with_y[new] > EPS * max(-step * line.slope, 0.0):
            memory.keep(found)
    return _result(run, memory, reason)


def _reason(run: Run, norm: float, before: float, options: dict) -> str | None:
    """Why the method ends, None if it goes on; limits count before convergence, as SciPy has it."""
    if run.nit >= options["maxiter"]:
        return "iterations"
    if run.objective.nfev > options["maxfun"]:
        return "calls"
    if norm <= options["gtol"]:
        return "gradient"
    is_small = before - run.value <= options["ftol"] * max(abs(before), abs(run.value), 1.0)
    return "decrease" if is_small else None


def _result(run: Run, memory: Any, reason: str) -> OptimizeResult:
    from ._inverse_hessian import LbfgsInvHessProduct

    status = _STATUS.get(reason, 0)
    return OptimizeResult(
        fun=run.value,
        jac=run.g,
        nfev=run.objective.nfev,
        njev=run.objective.njev,
        nit=run.nit,
        status=status,
        message=LBFGS_MESSAGES[reason],
        x=run.x,
        success=status == 0,
        hess_inv=LbfgsInvHessProduct(*memory.pairs()),
    )
