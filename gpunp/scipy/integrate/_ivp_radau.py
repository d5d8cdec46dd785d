"""The implicit Runge-Kutta method Radau IIA of order 5.

E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", section IV.8.
"""

import functools
from typing import Any

import numpy as np

from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray, zeros
from ..._core.umath import matmul
from ._ivp_base import DenseOutput
from ._ivp_common import coefficients_on_device, combined, scaled_norm
from ._ivp_newton import Convergence, ImplicitSolver
from ._ivp_rk import RK23

__all__ = ["Radau"]

MOST_ITERATIONS = 6
MIN_FACTOR, MAX_FACTOR = 0.2, 10.0


class _Method:
    """Coefficients of the method, computed from its nodes."""

    def __init__(self) -> None:
        root = 6**0.5
        self.c = np.array([(4 - root) / 10, (4 + root) / 10, 1.0])
        powers = self.c[:, None] ** np.arange(3)
        # a integrates the polynomials of degrees 0 to 2 exactly from 0 to each node.
        integrals = self.c[:, None] ** np.arange(1, 4) / np.arange(1, 4)
        values, vectors = np.linalg.eig(np.linalg.inv(integrals @ np.linalg.inv(powers)))
        real = int(np.argmin(abs(values.imag)))
        pair = int(np.argmin(values.imag))
        self.mu_real = float(values[real].real)
        self.mu_complex = complex(values[pair])
        first, second = (vectors[:, k] / vectors[2, k] for k in (real, pair))
        self.t = np.stack([first.real, second.real, -second.imag], axis=1)
        self.ti = np.linalg.inv(self.t)
        # Of the difference to an embedded method of order 3, per stage.
        self.e = np.array([-13 - 7 * root, -13 + 7 * root, -1]) / 3
        # Coefficients of the polynomial that is 0 at 0 and has the stages' values at the nodes.
        self.p = np.linalg.inv(self.c[:, None] ** np.arange(1, 4))


@functools.cache
def method() -> _Method:
    """The coefficients of the method."""
    return _Method()


def _factor_of(h: float, h_before: Any, error: float, error_before: Any) -> float:
    """By what the step may change, from the errors of two steps (Gustafsson's controller)."""
    if error == 0:
        return np.inf
    ratio = 1.0
    if error_before is not None and h_before is not None:
        ratio = h / h_before * (error_before / error) ** 0.25
    return min(1.0, ratio) * error**-0.25


@documented_as(RK23)
class Radau(ImplicitSolver):
    """Solve stiff systems by the implicit Runge-Kutta method of the Radau IIA family of order 5.

    Parameters
    ----------
    y0 : array_like, (n,)
        Initial state of the system, real.
    jac : array_like, callable or None, optional
        Jacobian of the right-hand side with respect to the state: a matrix of shape (n, n), a
        function ``jac(t, y)`` that returns one, or None for forward differences.
    jac_sparsity : None, optional
        Must be None: Jacobians are dense matrices.
    vectorized : bool, optional
        Whether `fun` takes states of shape (n, k), which are columns; differences need one call
        then instead of n.

    See Also
    --------
    gpunp.scipy.integrate.solve_ivp : runs a solver over an interval

    Notes
    -----
    State, Jacobian and factors stay on the device. Each Newton iteration reads one number, the
    length of its step, and each step the norm of its error.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import Radau
    >>> solver = Radau(lambda t, y: -50 * y, 0, cp.ones(2), 1)
    >>> solver.step()
    >>> solver.t > 0
    True
    """

    _order_of_first_step = 3

    def _begin(self) -> None:
        self.y_old: Any = None
        self.h_abs_old: Any = None
        self.error_norm_old: Any = None
        self.sol: Any = None
        self._lu: Any = None
        self._m = method()
        self._t, self._ti = asarray(self._m.t), asarray(self._m.ti)
        self._e = coefficients_on_device(self._m.e)
        self.Z: Any = None

    def _newton(self, h: float, start: ndarray) -> tuple[bool, int, ndarray, Any]:
        """Solve the equations of the stages."""
        m, z, k = self._m, start, 0
        w = matmul(self._ti, z)
        newton = Convergence(MOST_ITERATIONS, self.newton_tol)
        f = zeros((3, self.n), self.y.dtype)
        for k in range(MOST_ITERATIONS):
            for i in range(3):
                f[i] = self.fun(self.t + h * m.c[i], self.y + z[i])
            g = matmul(self._ti, f)
            real = g[0] - m.mu_real / h * w[0]
            pair = g[1] + 1j * g[2] - m.mu_complex / h * (w[1] + 1j * w[2])
            dw = zeros((3, self.n), self.y.dtype)
            dw[0] = self._solved(self._lu[0], real)
            solved = self._solved(self._lu[1], pair)
            dw[1], dw[2] = solved.real, solved.imag
            length = scaled_norm(dw, self.y, self.y, self.rtol, self.atol)
            if newton.fails(k, length):
                break
            w = w + dw
            z = matmul(self._t, w)
            if newton.ends(length):
                return True, k + 1, z, newton.rate
        return False, k + 1, z, newton.rate

    def _converged(self, h: float) -> tuple[bool, int, ndarray, Any]:
        """The stages of a step, with a new Jacobian if the old one does not do."""
        if self.sol is None:
            start = zeros((3, self.n), self.y.dtype)
        else:
            start = self.sol(self.t + h * self._m.c).T - self.y
        while True:
            if self._lu is None:
                shifts = self._m.mu_real / h, self._m.mu_complex / h
                self._lu = [self._factors(shift * self._identity - self.J) for shift in shifts]
            found = self._newton(h, start)
            if found[0] or self.current_jac:
                return found
            self.J = self.jac(self.t, self.y, self.f)
            self.current_jac, self._lu = True, None

    def _error(self, z: ndarray, y_new: ndarray, h: float, rejected: bool) -> float:
        rest = combined(zeros(self.n, self.y.dtype), z, self._e, 3, 1 / h)
        error = self._solved(self._lu[0], self.f + rest)
        norm = scaled_norm(error, self.y, y_new, self.rtol, self.atol)
        if rejected and norm > 1:
            error = self._solved(self._lu[0], self.fun(self.t, self.y + error) + rest)
            norm = scaled_norm(error, self.y, y_new, self.rtol, self.atol)
        return norm

    def _limited(self, least: float) -> float:
        """The length of the step within its bounds; history counts for its own length only."""
        if self.h_abs > self.max_step:
            self.h_abs_old = self.error_norm_old = None
            return self.max_step
        if self.h_abs < least:
            self.h_abs_old = self.error_norm_old = None
            return least
        return self.h_abs

    def _step_impl(self) -> tuple[bool, str | None]:
        least, rejected = self._least_step(), False
        h_abs = self._limited(least)
        while True:
            if h_abs < least or h_abs != h_abs:
                return False, self.TOO_SMALL_STEP
            t_new = self.t + h_abs * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
            h = t_new - self.t
            h_abs = abs(h)
            converged, iterations, z, rate = self._converged(h)
            if not converged:
                h_abs, self._lu = 0.5 * h_abs, None
                continue
            y_new = self.y + z[2]
            error = self._error(z, y_new, h, rejected)
            most = 2 * MOST_ITERATIONS
            safety = 0.9 * (most + 1) / (most + iterations)
            if not error > 1:
                break
            factor = _factor_of(h_abs, self.h_abs_old, error, self.error_norm_old)
            h_abs, self._lu, rejected = h_abs * max(MIN_FACTOR, safety * factor), None, True
        renew = self.jac is not None and iterations > 2 and rate > 1e-3
        factor = _factor_of(h_abs, self.h_abs_old, error, self.error_norm_old)
        factor = min(MAX_FACTOR, safety * factor)
        if not renew and factor < 1.2:
            factor = 1.0
        else:
            self._lu = None
        self._accept(t_new, y_new, z, renew)
        # The length that was tried first, as SciPy has it, rather than the one that was accepted.
        self.h_abs_old, self.error_norm_old = self.h_abs, error
        self.h_abs = h_abs * factor
        return True, None

    def _accept(self, t_new: float, y_new: ndarray, z: ndarray, renew: bool) -> None:
        f_new = self.fun(t_new, y_new)
        if renew:
            self.J, self.current_jac = self.jac(t_new, y_new, f_new), True
        elif self.jac is not None:
            self.current_jac = False
        self.t_old, self.y_old = self.t, self.y
        self.t, self.y, self.f, self.Z = t_new, y_new, f_new, z
        rows = matmul(asarray(self._m.p), z)
        self.sol = RadauDenseOutput(self.t_old, self.t, self.y_old, rows)

    def _dense_output_impl(self) -> Any:
        return self.sol


class RadauDenseOutput(DenseOutput):
    """Collocation polynomial of a step."""

    def __init__(self, t_old: float, t: float, y_old: ndarray, rows: ndarray) -> None:
        super().__init__(t_old, t)
        self.h, self.y_old, self.rows = t - t_old, y_old, rows

    def _call_impl(self, t: np.ndarray) -> ndarray:
        x = (t - self.t_old) / self.h
        powers = np.cumprod(np.tile(x, (3, 1) if t.ndim else 3), axis=0)
        if not t.ndim:
            return combined(self.y_old, self.rows, asarray(powers), 3, 1.0)
        return self.y_old[:, None] + matmul(self.rows.T, asarray(powers))
