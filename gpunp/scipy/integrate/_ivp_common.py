"""What the solvers of `solve_ivp` share: norms, checks of arguments, first steps, Jacobians."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, host_ndim
from ..._core._warnings import warn
from ..._core.multiarray import asarray, empty, ndarray, where
from ..._core.raw import ElementwiseKernel, ReductionKernel
from ..._core.umath import absolute, maximum

EPS = float(np.finfo(float).eps)

# y + h * sum of a[j] K[j]: a stage of a method is one launch.
_COMBINED = ElementwiseKernel(
    "T y, raw T k, raw float64 a, float64 h, int32 count",
    "T out",
    """
    T sum = T(0);
    #pragma unroll 1
    for (int j = 0; j < count; j++) {
        sum += T(a[j]) * k[(ptrdiff_t)j * n + i];
    }
    out = y + T(h) * sum;
    """,
    "gpunp_ode_stage",
)

_SCALED_SUM = ReductionKernel(
    "T x, T y, T z, float64 atol, float64 rtol",
    "float64 out",
    "gpunp_square(abs(x) / (atol + rtol * max((double)abs(y), (double)abs(z))))",
    "a + b",
    "out = a",
    "0",
    "gpunp_ode_norm",
    preamble="__device__ inline double gpunp_square(double x) { return x * x; }",
)


def combined(y: ndarray, rows: ndarray, coefficients: ndarray, count: int, h: float) -> ndarray:
    """Return ``y + h * coefficients[:count] @ rows[:count]``."""
    return _COMBINED(y, rows, coefficients, float(h), np.int32(count))


def scaled_norm(x: ndarray, y: ndarray, z: ndarray, rtol: Any, atol: Any) -> float:
    """Root mean square of x over the tolerances of states y and z. Waits for the device."""
    if not x.size:
        return 0.0
    return float(np.sqrt(float(_SCALED_SUM(x, y, z, atol, rtol)) / x.size))


def number_of(value: Any) -> Any:
    """A number of the host for one on the device, which is read."""
    return value.item() if isinstance(value, ndarray) and value.size == 1 else value


def check_max_step(max_step: Any) -> Any:
    """Return the bound of the steps; ValueError unless it is positive."""
    max_step = number_of(max_step)
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    return max_step


def check_first_step(first_step: Any, t0: float, t_bound: float) -> float:
    """Return the first step; ValueError unless it is positive and within the interval."""
    first_step = number_of(first_step)
    if first_step <= 0:
        raise ValueError("`first_step` must be positive.")
    if first_step > abs(t_bound - t0):
        raise ValueError("`first_step` exceeds bounds.")
    return first_step


def warn_extraneous(extraneous: dict) -> None:
    """Warn of options that a solver does not have."""
    if extraneous:
        names = ", ".join(f"`{name}`" for name in extraneous)
        warn(f"The following arguments have no effect for a chosen solver: {names}.", UserWarning)


def check_tolerances(rtol: Any, atol: Any, n: int) -> tuple[Any, Any]:
    """Tolerances as numbers, or as device arrays with an element for each component."""

    def host(value: Any) -> np.ndarray:
        return as_host(value.get() if isinstance(value, ndarray) else value, float)

    relative, absolute_ = host(rtol), host(atol)
    if (relative < 100 * EPS).any():
        warn(
            "At least one element of `rtol` is too small. "
            f"Setting `rtol = np.maximum(rtol, {100 * EPS})`.",
            UserWarning,
        )
        relative = np.maximum(relative, 100 * EPS)
    if absolute_.ndim > 0 and absolute_.shape != (n,):
        raise ValueError("`atol` has wrong shape.")
    if (absolute_ < 0).any():
        raise ValueError("`atol` must be positive.")
    made = [float(x) if x.ndim == 0 else asarray(x) for x in (relative, absolute_)]
    return made[0], made[1]


def smallest(rtol: Any) -> float:
    """The smallest relative tolerance, on the host."""
    return float(rtol.min()) if isinstance(rtol, ndarray) else rtol


def state_of(y0: Any, support_complex: bool) -> ndarray:
    """The initial state as a vector of float64 or complex128. Waits for the device."""
    y = as_array(y0)
    if y.dtype.kind not in "iufc":
        raise ValueError(f"`y0` must be an array of numbers, not of {y.dtype}.")
    if y.dtype.kind == "c" and not support_complex:
        raise ValueError(
            "`y0` is complex, but the chosen solver does not support integration in a complex "
            "domain."
        )
    y = y.astype(np.complex128 if y.dtype.kind == "c" else np.float64)
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if not bool((absolute(y) < np.inf).all()):
        raise ValueError("All components of the initial state `y0` must be finite.")
    return y


def norm_pair(x: ndarray, y: ndarray, rtol: Any, atol: Any) -> float:
    """`scaled_norm` about one state."""
    return scaled_norm(x, y, y, rtol, atol)


def first_step_of(solver: Any, f0: ndarray, order: int) -> float:
    """A first step from the sizes of the state and of its first two derivatives.

    E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section II.4.
    """
    y0, rtol, atol = solver.y, solver.rtol, solver.atol
    length = abs(solver.t_bound - solver.t)
    if not y0.size:
        return np.inf
    if length == 0.0:
        return 0.0
    d0, d1 = norm_pair(y0, y0, rtol, atol), norm_pair(f0, y0, rtol, atol)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, length)
    h = h0 * solver.direction
    f1 = solver.fun(solver.t + h, y0 + h * f0)
    d2 = norm_pair(f1 - f0, y0, rtol, atol) / h0
    if d1 <= 1e-15 and d2 <= 1e-15:
        h1 = max(1e-6, h0 * 1e-3)
    else:
        h1 = (0.01 / max(d1, d2)) ** (1 / (order + 1))
    return min(100 * h0, h1, length, solver.max_step)


def coefficients_on_device(table: Any) -> ndarray:
    """A table of coefficients, uploaded."""
    return asarray(np.ascontiguousarray(as_host(table, float)))


# ---- Jacobians -----------------------------------------------------------------------------------

_MOST, _LEAST = 0.875, 0.75  # powers of EPS: differences that are large enough, too small
_SMALLEST_FACTOR = 1e3 * EPS


class DifferenceJacobian:
    """Jacobians by forward differences, whose steps follow the sizes of the differences.

    L. F. Shampine, M. W. Reichelt, "The MATLAB ODE Suite", SIAM J. Sci. Comput. 18 (1997), after
    D. E. Salane. Columns whose difference is lost in rounding are computed again with a larger
    step, which waits for the device.

    Parameters
    ----------
    columns : callable
        ``columns(t, states)`` returns the derivatives of states that are columns.
    threshold : float or ndarray
        Sizes below which components of the state count as small.
    """

    _factor: Any  # of the steps, on the host; None before the first Jacobian

    def __init__(self, columns: Callable[[float, ndarray], ndarray], threshold: Any) -> None:
        self._columns, self._threshold, self._factor = columns, threshold, None

    def __call__(self, t: float, y: ndarray, f: ndarray) -> ndarray:
        n = y.size
        if not n:
            return empty((0, 0), y.dtype)
        if self._factor is None:
            self._factor = np.full(n, EPS**0.5)
        sign = 2.0 * (f.real >= 0) - 1
        scale = sign * maximum(absolute(y), self._threshold)
        factor, h = self._steps(y, scale)
        jacobian, change, size = self._differences(t, y, f, h)
        small = (change < EPS**_MOST * size).get()
        if small.any():
            more = np.where(small, np.minimum(10 * factor, 0.1), factor)
            h_more = (y + asarray(more) * scale) - y
            again, change_more, size_more = self._differences(t, y, f, h_more)
            better = change * size_more < change_more * size
            jacobian = where(better, again, jacobian)
            factor = np.where(better.get(), more, factor)
            change, size = where(better, change_more, change), where(better, size_more, size)
        ratio = (change / where(size > 0, size, 1.0)).get()
        factor = np.where(ratio < EPS**_LEAST, factor * 10, factor)
        factor = np.where(ratio > EPS**0.25, factor * 0.1, factor)
        self._factor = np.maximum(factor, _SMALLEST_FACTOR)
        return jacobian

    def _steps(self, y: ndarray, scale: ndarray) -> tuple[np.ndarray, ndarray]:
        """Factors with which every step changes its component."""
        factor = self._factor.copy()
        h = (y + asarray(factor) * scale) - y
        for _ in range(16):
            zero = (h == 0).get()
            if not zero.any():
                break
            factor[zero] *= 10
            h = (y + asarray(factor) * scale) - y
        return factor, h

    def _differences(self, t: float, y: ndarray, f: ndarray, h: ndarray) -> tuple:
        """Jacobian, largest change of each column, and the size of f where it lies."""
        states = y[:, None] + where(_identity_mask(y.size), h[None, :], 0)
        values = self._columns(t, states)
        change = values - f[:, None]
        row = absolute(change).argmax(axis=0)
        columns = row * y.size + asarray(np.arange(y.size))
        size = maximum(absolute(f)[row], absolute(values).reshape(-1)[columns])
        return change / h, absolute(change).reshape(-1)[columns], size


def _identity_mask(n: int) -> ndarray:
    return asarray(np.arange(n))[:, None] == asarray(np.arange(n))[None, :]


def jacobian_of(solver: Any, jac: Any) -> tuple[Any, ndarray]:
    """What computes Jacobians (None for a constant one), and the first of them.

    A function of the user's, an array, or None for differences.
    """
    n, dtype, y0 = solver.n, solver.y.dtype, solver.y

    def checked(value: Any) -> ndarray:
        if hasattr(value, "tocsr"):
            raise TypeError("sparse Jacobians are not supported: pass a dense array")
        value = as_array(value)
        if value.shape != (n, n):
            raise ValueError(
                f"`jac` is expected to have shape {(n, n)}, but actually has {value.shape}."
            )
        return value.astype(np.result_type(value.dtype, dtype), copy=False)

    if jac is None:
        differences = DifferenceJacobian(solver.fun_vectorized, solver.atol)

        def computed(t: float, y: ndarray, f: Any = None) -> ndarray:
            solver.njev += 1
            if f is None:
                f = solver.fun_vectorized(t, y[:, None])[:, 0]
            return differences(t, y, f)

        return computed, computed(solver.t, y0, solver.f)
    if callable(jac):

        def called(t: float, y: ndarray, _: Any = None) -> ndarray:
            solver.njev += 1
            return checked(jac(t, y))

        return called, called(solver.t, y0)
    return None, checked(jac)


def is_scalar(value: Any) -> bool:
    """Whether a time is a number, on the host or on the device."""
    return value.ndim == 0 if isinstance(value, ndarray) else host_ndim(value) == 0
