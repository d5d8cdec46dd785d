"""Explicit Runge-Kutta methods with step sizes that follow an estimate of the error.

RK23: P. Bogacki, L. F. Shampine, Appl. Math. Lett. 2 (1989). RK45: J. R. Dormand, P. J. Prince, J.
Comput. Appl. Math. 6 (1980), with the interpolant of L. F. Shampine, Math. Comput. 46 (1986).
DOP853: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", II.10.
"""

import functools
from typing import Any

import numpy as np

from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, empty, ndarray
from ..._core.raw import ReductionKernel
from ..._core.umath import matmul
from ._ivp_base import DenseOutput, OdeSolver
from ._ivp_common import (
    check_first_step,
    check_max_step,
    check_tolerances,
    coefficients_on_device,
    combined,
    first_step_of,
    scaled_norm,
    warn_extraneous,
)

__all__ = ["DOP853", "RK23", "RK45"]

SAFETY, MIN_FACTOR, MAX_FACTOR = 0.9, 0.2, 10.0

_TWO_NORMS = ReductionKernel(
    "T x3, T x5, T y, T z, float64 atol, float64 rtol",
    "float64 out3, float64 out5",
    "gpunp_two_errors(abs(x3), abs(x5), abs(y), abs(z), atol, rtol)",
    "a + b",
    "out3 = a.of3, out5 = a.of5",
    "gpunp_two()",
    "gpunp_ode_norms",
    reduce_type="gpunp_two",
    preamble="""
    struct gpunp_two {
        double of3, of5;
        __device__ gpunp_two(double a = 0, double b = 0) : of3(a), of5(b) {}
        __device__ gpunp_two operator+(const gpunp_two &b) const
        {
            return gpunp_two(of3 + b.of3, of5 + b.of5);
        }
    };
    __device__ inline gpunp_two gpunp_two_errors(double x3, double x5, double y, double z,
                                                 double atol, double rtol)
    {
        const double scale = atol + rtol * (y > z ? y : z);
        return gpunp_two(x3 / scale * (x3 / scale), x5 / scale * (x5 / scale));
    }
    """,
)


@functools.cache
def tableau(name: str) -> Any:
    """The class of SciPy that has the coefficients of a method as attributes."""
    import scipy.integrate

    return getattr(scipy.integrate, name)


class RungeKutta(OdeSolver):
    """Steps of an explicit method; subclasses say its name, which finds its coefficients."""

    order: int
    error_estimator_order: int
    n_stages: int

    def __init__(
        self,
        fun,
        t0,
        y0,
        t_bound,
        max_step=np.inf,
        rtol=1e-3,
        atol=1e-6,
        vectorized=False,
        first_step=None,
        **extraneous,
    ) -> None:
        warn_extraneous(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized, support_complex=True)
        self.y_old: Any = None
        self.max_step = check_max_step(max_step)
        self.rtol, self.atol = check_tolerances(rtol, atol, self.n)
        self.f = self.fun(self.t, self.y)
        if first_step is None:
            self.h_abs = first_step_of(self, self.f, self.error_estimator_order)
        else:
            self.h_abs = check_first_step(first_step, self.t, self.t_bound)
        self.error_exponent = -1 / (self.error_estimator_order + 1)
        self.h_previous: Any = None
        self.f_old: Any = None
        self._upload()

    def _upload(self) -> None:
        table = tableau(type(self).__name__ if type(self) in _METHODS else self._name())
        self._c = [float(c) for c in table.C]
        self._a = coefficients_on_device(table.A)
        self._b = coefficients_on_device(table.B)
        self._zero = empty(self.n, self.y.dtype)
        self._zero[...] = 0
        self.K = empty((self._rows(table), self.n), self.y.dtype)
        self._read(table)

    def _name(self) -> str:
        return next(cls.__name__ for cls in type(self).__mro__ if cls in _METHODS)

    def _rows(self, table: Any) -> int:
        return self.n_stages + 1

    def _read(self, table: Any) -> None:
        self._e = coefficients_on_device(table.E)
        self._p = coefficients_on_device(table.P)

    def _stages(self, h: float) -> tuple[ndarray, ndarray]:
        """The state after a step and its derivative; stages are kept as rows of K."""
        self.K[0] = self.f
        for s in range(1, self.n_stages):
            state = combined(self.y, self.K, self._a[s], s, h)
            self.K[s] = self.fun(self.t + self._c[s] * h, state)
        y_new = combined(self.y, self.K, self._b, self.n_stages, h)
        f_new = self.fun(self.t + h, y_new)
        self.K[self.n_stages] = f_new
        return y_new, f_new

    def _error_norm(self, y_new: ndarray, h: float) -> float:
        error = combined(self._zero, self.K, self._e, self.n_stages + 1, h)
        return scaled_norm(error, self.y, y_new, self.rtol, self.atol)

    def _step_impl(self) -> tuple[bool, str | None]:
        t = self.t
        least = 10 * np.abs(np.nextafter(t, self.direction * np.inf) - t)
        h_abs = min(max(self.h_abs, least), max(self.max_step, least))
        rejected = False
        while True:
            if h_abs < least or h_abs != h_abs:
                return False, self.TOO_SMALL_STEP
            t_new = t + h_abs * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
            h = t_new - t
            h_abs = abs(h)
            y_new, f_new = self._stages(h)
            error = self._error_norm(y_new, h)
            if error < 1:
                break
            h_abs *= max(MIN_FACTOR, SAFETY * error**self.error_exponent)
            rejected = True
        factor = MAX_FACTOR if error == 0 else min(MAX_FACTOR, SAFETY * error**self.error_exponent)
        self.h_abs = h_abs * (min(1, factor) if rejected else factor)
        self.h_previous, self.y_old, self.f_old = h, self.y, self.f
        self.t, self.y, self.f = t_new, y_new, f_new
        return True, None

    def _dense_output_impl(self) -> Any:
        rows = matmul(self._p.T.astype(self.K.dtype, copy=False), self.K)
        return RkDenseOutput(self.t_old, self.t, self.y_old, rows)


class RkDenseOutput(DenseOutput):
    """Polynomial of a step, of which each row has the coefficients of a power."""

    def __init__(self, t_old: float, t: float, y_old: ndarray, rows: ndarray) -> None:
        super().__init__(t_old, t)
        self.h, self.y_old, self.rows = t - t_old, y_old, rows

    def _call_impl(self, t: np.ndarray) -> ndarray:
        x = (t - self.t_old) / self.h
        count = self.rows.shape[0]
        powers = np.cumprod(np.tile(x, (count, 1) if t.ndim else count), axis=0)
        if not t.ndim:
            return combined(self.y_old, self.rows, asarray(powers), count, self.h)
        return self.y_old[:, None] + self.h * matmul(
            self.rows.T, asarray(powers).astype(self.rows.dtype, copy=False)
        )


class RK23(RungeKutta):
    """Solve by the explicit Runge-Kutta method of orders 3 and 2.

    Parameters
    ----------
    fun : callable
        Right-hand side ``fun(t, y)`` of the system: `t` is a number of the host, `y` a device array
        of shape (n,).
    t0 : float
        Time at which the integration begins.
    y0 : array_like, (n,)
        Initial state of the system, real or complex.
    t_bound : float
        Time at which the integration ends, which also says its direction.
    max_step : float, optional
        Largest length of a step.
    rtol, atol : float or array_like, optional
        Relative and absolute tolerance of the error of a step.
    vectorized : bool, optional
        Whether `fun` takes states of shape (n, k), which are columns.
    first_step : float, optional
        Length of the first step; by default the solver finds one.
    **extraneous : object
        Options that other solvers have, of which the solver warns.

    See Also
    --------
    gpunp.scipy.integrate.solve_ivp : runs a solver over an interval

    Notes
    -----
    State and stages stay on the device. A step reads one number, the norm of its error.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import RK23
    >>> solver = RK23(lambda t, y: -y, 0, cp.ones(2), 1)
    >>> solver.step()
    >>> solver.t > 0
    True
    """

    order, error_estimator_order, n_stages = 3, 2, 3


@documented_as(RK23)
class RK45(RungeKutta):
    """Solve by the explicit Runge-Kutta method of orders 5 and 4.

    See Also
    --------
    gpunp.scipy.integrate.solve_ivp : runs a solver over an interval

    Notes
    -----
    State and stages stay on the device. A step reads one number, the norm of its error.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import RK45
    >>> solver = RK45(lambda t, y: -y, 0, cp.ones(2), 1)
    >>> solver.step()
    >>> solver.t > 0
    True
    """

    order, error_estimator_order, n_stages = 5, 4, 6


@documented_as(RK23)
class DOP853(RungeKutta):
    """Solve by the explicit Runge-Kutta method of order 8.

    See Also
    --------
    gpunp.scipy.integrate.solve_ivp : runs a solver over an interval

    Notes
    -----
    State and stages stay on the device. A step reads two numbers, norms of its errors.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import DOP853
    >>> solver = DOP853(lambda t, y: -y, 0, cp.ones(2), 1)
    >>> solver.step()
    >>> solver.t > 0
    True
    """

    order, error_estimator_order, n_stages = 8, 7, 12

    def _rows(self, table: Any) -> int:
        return self.n_stages + 1 + len(table.C_EXTRA)

    def _read(self, table: Any) -> None:
        self._e3 = coefficients_on_device(table.E3)
        self._e5 = coefficients_on_device(table.E5)
        self._d = coefficients_on_device(table.D)
        self._a_extra = coefficients_on_device(table.A_EXTRA)
        self._c_extra = [float(c) for c in table.C_EXTRA]

    def _error_norm(self, y_new: ndarray, h: float) -> float:
        count = self.n_stages + 1
        x3 = combined(self._zero, self.K, self._e3, count, 1.0)
        x5 = combined(self._zero, self.K, self._e5, count, 1.0)
        sums = _TWO_NORMS(x3, x5, self.y, y_new, self.atol, self.rtol)
        square3, square5 = (float(x) for x in sums)
        if square5 == 0 and square3 == 0:
            return 0.0
        return float(abs(h) * square5 / np.sqrt((square5 + 0.01 * square3) * self.n))

    def _dense_output_impl(self) -> Any:
        h, before = self.h_previous, self.n_stages + 1
        for s, c in enumerate(self._c_extra, before):
            state = combined(self.y_old, self.K, self._a_extra[s - before], s, h)
            self.K[s] = self.fun(self.t_old + c * h, state)
        rows = empty((7, self.n), self.K.dtype)
        change = self.y - self.y_old
        rows[0] = change
        rows[1] = h * self.f_old - change
        rows[2] = 2 * change - h * (self.f + self.f_old)
        rows[3:] = h * matmul(self._d.astype(self.K.dtype, copy=False), self.K)
        return Dop853DenseOutput(self.t_old, self.t, self.y_old, rows)


class Dop853DenseOutput(DenseOutput):
    """Polynomial of degree 7 of a step: products of x and 1 - x with the rows as factors."""

    def __init__(self, t_old: float, t: float, y_old: ndarray, rows: ndarray) -> None:
        super().__init__(t_old, t)
        self.h, self.y_old, self.rows = t - t_old, y_old, rows

    def _call_impl(self, t: np.ndarray) -> ndarray:
        x = (t - self.t_old) / self.h
        factors = np.stack([x if k % 2 == 0 else 1 - x for k in range(len(self.rows))])
        weights = np.cumprod(factors, axis=0)  # x, x (1 - x), x^2 (1 - x), ...
        if not t.ndim:
            return combined(self.y_old, self.rows, asarray(weights), len(self.rows), 1.0)
        return self.y_old[:, None] + matmul(
            self.rows.T, asarray(weights).astype(self.rows.dtype, copy=False)
        )


_METHODS = (RK23, RK45, DOP853)
