"""Backward differentiation formulas of variable order with steps of quasi-constant length.

L. F. Shampine, M. W. Reichelt, "The MATLAB ODE Suite", SIAM J. Sci. Comput. 18 (1997); G. D. Byrne,
A. C. Hindmarsh, ACM Trans. Math. Softw. 1 (1975).
"""

import functools
from typing import Any

import numpy as np

from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray, zeros
from ..._core.umath import matmul
from ._ivp_base import DenseOutput
from ._ivp_common import coefficients_on_device, combined, norm_pair
from ._ivp_newton import Convergence, ImplicitSolver
from ._ivp_radau import Radau

__all__ = ["BDF"]

MAX_ORDER, MOST_ITERATIONS = 5, 4
MIN_FACTOR, MAX_FACTOR = 0.2, 10.0

# Coefficients of the numerical differentiation formulas, table 1 of Shampine and Reichelt.
KAPPA = np.array([0, -0.1850, -1 / 9, -0.0823, -0.0415, 0])
GAMMA = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, MAX_ORDER + 1))])
ALPHA = (1 - KAPPA) * GAMMA
ERROR = KAPPA * GAMMA + 1 / np.arange(1, MAX_ORDER + 2)


def _products(order: int, factor: float) -> np.ndarray:
    i = np.arange(1, order + 1)
    m = np.zeros((order + 1, order + 1))
    m[1:, 1:] = (i[:, None] - 1 - factor * i) / i[:, None]
    m[0] = 1
    return np.cumprod(m, axis=0)


@functools.lru_cache(maxsize=64)
def _sums(order: int) -> np.ndarray:
    """The matrix that makes the differences at a new time of the old ones and the newest."""
    return np.triu(np.ones((order + 1, order + 2)))


@documented_as(Radau)
class BDF(ImplicitSolver):
    """Solve stiff systems by backward differentiation formulas of orders 1 to 5.

    See Also
    --------
    gpunp.scipy.integrate.solve_ivp : runs a solver over an interval

    Notes
    -----
    State, differences, Jacobian and factors stay on the device. Each Newton iteration reads one
    number, the length of its step, and each step up to three norms of errors.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import BDF
    >>> solver = BDF(lambda t, y: -50 * y, 0, cp.ones(2), 1)
    >>> solver.step()
    >>> solver.t > 0
    True
    """

    _complex = True

    def _begin(self) -> None:
        self.D = zeros((MAX_ORDER + 3, self.n), self.y.dtype)
        self.D[0] = self.y
        self.D[1] = self.f * (self.h_abs * self.direction)
        self.order, self.n_equal_steps = 1, 0
        self._lu: Any = None
        self._ones = coefficients_on_device(np.ones(MAX_ORDER + 1))
        self._gamma = coefficients_on_device(GAMMA)
        self._zero = zeros(self.n, self.y.dtype)

    def _change(self, factor: float) -> None:
        """Differences for steps of another length."""
        order = self.order
        matrix = (_products(order, factor) @ _products(order, 1.0)).T
        self._apply(matrix)
        self.n_equal_steps = 0

    def _apply(self, matrix: np.ndarray) -> None:
        rows, columns = matrix.shape
        made = asarray(np.ascontiguousarray(matrix)).astype(self.D.dtype, copy=False)
        self.D[:rows] = matmul(made, self.D[:columns])

    def _limit(self, least: float) -> float:
        h_abs = min(max(self.h_abs, least), max(self.max_step, least))
        if h_abs != self.h_abs:
            self._change(h_abs / self.h_abs)
            # Factors are of another step, and are kept until they do not do, as after a rejection.
        return h_abs

    def _newton(self, t: float, y: ndarray, c: float, psi: ndarray) -> tuple:
        """Solve the formula's equation; returns also the sum of the steps."""
        predicted, d, k = y, self._zero, 0
        newton = Convergence(MOST_ITERATIONS, self.newton_tol)
        for k in range(MOST_ITERATIONS):
            f = self.fun(t, y)
            dy = self._solved(self._lu, c * f - psi - d)
            length = norm_pair(dy, predicted, self.rtol, self.atol)
            if newton.fails(k, length):
                break
            y, d = y + dy, d + dy
            if newton.ends(length):
                return True, k + 1, y, d
        return False, k + 1, y, d

    def _converged(self, t: float, h: float) -> tuple:
        """The new state of a step, with a new Jacobian if the old one does not do."""
        order = self.order
        predicted = combined(self._zero, self.D, self._ones, order + 1, 1.0)
        psi = combined(self._zero, self.D[1:], self._gamma[1:], order, 1 / ALPHA[order])
        c = h / ALPHA[order]
        while True:
            if self._lu is None:
                self._lu = self._factors(self._identity - c * self.J)
            found = self._newton(t, predicted, c, psi)
            if found[0] or self.current_jac:
                return found
            self.J, self.current_jac, self._lu = self.jac(t, predicted), True, None

    def _step_impl(self) -> tuple[bool, str | None]:
        least, t = self._least_step(), self.t
        h_abs = self._limit(least)
        self.current_jac = self.jac is None
        while True:
            if h_abs < least or h_abs != h_abs:
                return False, self.TOO_SMALL_STEP
            t_new = t + h_abs * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
                self._change(abs(t_new - t) / h_abs)
                self._lu = None
            h = t_new - t
            h_abs = abs(h)
            converged, iterations, y_new, d = self._converged(t_new, h)
            if not converged:
                h_abs, self._lu = 0.5 * h_abs, None
                self._change(0.5)
                continue
            most = 2 * MOST_ITERATIONS
            safety = 0.9 * (most + 1) / (most + iterations)
            error = abs(ERROR[self.order]) * norm_pair(d, y_new, self.rtol, self.atol)
            if not error > 1:
                break
            factor = max(MIN_FACTOR, safety * error ** (-1 / (self.order + 1)))
            h_abs *= factor
            self._change(factor)
        self.n_equal_steps += 1
        self.t, self.y, self.h_abs = t_new, y_new, h_abs
        self._next_differences(d)
        self._choose_order(error, safety)
        return True, None

    def _next_differences(self, d: ndarray) -> None:
        order, rows = self.order, self.D
        rows[order + 2] = d - rows[order + 1]
        rows[order + 1] = d
        self._apply(_sums(order))

    def _choose_order(self, error: float, safety: float) -> None:
        """Change order and step after as many equal steps as the order has differences."""
        order = self.order
        if self.n_equal_steps < order + 1:
            return

        def norm_at(neighbour: int) -> float:
            if not 1 <= neighbour <= MAX_ORDER:
                return np.inf
            rest = norm_pair(self.D[neighbour + 1], self.y, self.rtol, self.atol)
            return float(abs(ERROR[neighbour]) * rest)

        norms = np.array([norm_at(order - 1), error, norm_at(order + 1)])
        with np.errstate(divide="ignore"):
            factors = norms ** (-1 / np.arange(order, order + 3))
        self.order += int(np.argmax(factors)) - 1
        factor = min(MAX_FACTOR, safety * float(factors.max()))
        self.h_abs *= factor
        self._change(factor)
        self._lu = None

    def _dense_output_impl(self) -> Any:
        h = self.h_abs * self.direction
        return BdfDenseOutput(self.t_old, self.t, h, self.order, self.D[: self.order + 1].copy())


class BdfDenseOutput(DenseOutput):
    """Polynomial through the states of the last steps, by backward differences."""

    def __init__(self, t_old: float, t: float, h: float, order: int, rows: ndarray) -> None:
        super().__init__(t_old, t)
        steps = np.arange(order)
        self.order, self.rows = order, rows
        self.t_shift, self.denominator = t - h * steps, h * (1 + steps)

    def _call_impl(self, t: np.ndarray) -> ndarray:
        x = (t[..., None] - self.t_shift) / self.denominator
        products = np.cumprod(x, axis=-1).T
        if not t.ndim:
            return combined(self.rows[0], self.rows[1:], asarray(products), self.order, 1.0)
        made = asarray(np.ascontiguousarray(products)).astype(self.rows.dtype, copy=False)
        return self.rows[0][:, None] + matmul(self.rows[1:].T, made)
