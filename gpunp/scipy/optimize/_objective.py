"""Functions that are minimized, with their derivatives, on the device; counts of their calls."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host
from ..._core.multiarray import asarray, ndarray, where
from ..._core.raw import ElementwiseKernel
from ..._core.shape_base import stack
from ..._core.umath import absolute, matmul, maximum
from ...lib._twodim_base_impl import eye

EPS = float(np.finfo(float).eps)
# Absolute steps; relative ones where rounding leaves none of the absolute step.
_STEPS_THAT_CHANGE = ElementwiseKernel(
    "T x, float64 h, float64 relative",
    "float64 step",
    "step = x + h != x ? h : (x < 0 ? -relative : relative) * fmax(1.0, fabs((double)x))",
    "steps_that_change",
)


def scalar(value: Any) -> ndarray:
    """What an objective returned as an array without axes."""
    value = as_array(value)
    if value.size != 1:
        raise ValueError(
            "The user-provided objective function must return a scalar value, "
            f"not an array of shape {value.shape}."
        )
    return value.reshape(())


def read(*values: Any) -> list[float]:
    """Numbers of the device, by one transfer."""
    if len(values) == 1:
        return [float(scalar(values[0]))]
    return stack([scalar(v).astype(np.float64, copy=False) for v in values]).get().tolist()


def vector(x0: Any) -> ndarray:
    """The start as a vector of floats of its own."""
    x = as_array(x0)
    if x.ndim > 1:
        raise ValueError("'x0' must only have one dimension.")
    kind = x.dtype if x.dtype.kind == "f" and x.dtype.itemsize >= 4 else np.float64
    return x.reshape(-1).astype(kind)


def tuple_of(args: Any) -> tuple:
    """Further arguments as a tuple."""
    return args if isinstance(args, tuple) else (args,)


def steps_of(x: ndarray, method: str, relative: Any) -> ndarray:
    """Steps of differences: `relative` times the sizes of the components, at least 1."""
    if relative is None:
        relative = (EPS ** (1 / 3)) if method == "3-point" else EPS**0.5
    sign = where(x >= 0, 1.0, -1.0)
    return asarray(as_host(relative) * 1.0) * sign * maximum(absolute(x), 1.0)


def within(x: ndarray, h: ndarray, bounds: Any) -> ndarray:
    """Steps in the other direction where they would leave the bounds."""
    if bounds is None:
        return h
    low, high = (asarray(np.broadcast_to(b, x.shape).copy()) for b in bounds)
    leaves = (x + h > high) | (x + h < low)
    back = (x - h <= high) & (x - h >= low)
    return where(leaves & back, -h, h)


def difference_columns(
    function: Callable[[ndarray], Any], x: ndarray, f0: Any, h: ndarray, method: str
) -> list:
    """Differences of a function by each component over their steps, on the device."""
    one = eye(x.size, dtype=x.dtype)
    columns = []
    for k in range(x.size):
        step = one[k] * h[k]
        if method == "2-point":
            forward = x + step
            width = forward[k] - x[k]  # before the function, which may write to its argument
            columns.append((as_array(function(forward)) - f0) / width)
        elif method == "3-point":
            ahead, behind = x + step, x - step
            width = ahead[k] - behind[k]
            change = as_array(function(ahead)) - as_array(function(behind))
            columns.append(change / width)
        else:
            columns.append(as_array(function(x + 1j * step)).imag / h[k])
    return columns


class Objective:
    """A function of a vector with its gradient.

    Parameters
    ----------
    fun : callable
        The user's function of ``(x, *args)``.
    args : tuple
        Further arguments of the function and of its derivatives.
    jac : callable, bool, str or None
        The gradient; True says that `fun` returns both; '2-point', '3-point' and 'cs' name kinds of
        differences, None means forward differences of the absolute step `eps`.
    eps : float
        Absolute step of differences without a kind.
    relative : float, optional
        Relative step of differences with a kind.
    """

    def __init__(self, fun: Any, args: tuple, jac: Any, eps: Any, relative: Any = None) -> None:
        self.nfev = self.njev = 0
        self._fun, self._args, self._jac = fun, args, jac
        self._eps, self._relative = eps, relative
        self._kind = jac if isinstance(jac, str) else "2-point"
        self._x = self._value = self._gradient = self._counted = None  # type: Any
        self._gradient_at = self._last_gradient = self._given = None  # type: Any
        if not (callable(jac) or jac in (None, True, False, "2-point", "3-point", "cs")):
            raise ValueError(f"`jac` must be a function or name of a difference, not {jac!r}")

    def _evaluate(self, x: ndarray) -> None:
        """Call the function at a new point; its gradient comes with it where `jac` is True."""
        if self._x is x:
            return
        value = self._fun(x.copy(), *self._args)
        self._gradient = None
        if self._jac is True:
            value, gradient = value
            self._gradient = self._checked(gradient, x)
        self._x, self._value = x, scalar(value)

    def _checked(self, gradient: Any, x: ndarray) -> ndarray:
        """A gradient as a vector, a copy where functions write each one into the same array."""
        gradient = as_array(gradient)
        if gradient.size != x.size:
            raise ValueError(f"the gradient has shape {gradient.shape}, the vector {x.shape}")
        before, self._given = self._given, gradient  # held, so that its memory is not another's
        is_same = before is None or before.data.ptr == gradient.data.ptr
        return gradient.reshape(-1).astype(x.dtype, copy=is_same)

    def value(self, x: ndarray) -> ndarray:
        """The function at x, an array without axes."""
        if self._counted is not x:
            self.nfev += 1
            self._counted = x
        self._evaluate(x)
        return self._value

    def gradient(self, x: ndarray) -> ndarray:
        """The gradient at x."""
        if self._gradient_at is x:
            return self._last_gradient
        self.njev += 1
        if callable(self._jac):
            gradient = self._checked(self._jac(x.copy(), *self._args), x)
        elif self._jac is True:
            self._evaluate(x)
            gradient = self._gradient
        else:
            self.value(x)
            gradient = self._by_differences(x)
        self._gradient_at, self._last_gradient = x, gradient
        return gradient

    def _by_differences(self, x: ndarray) -> ndarray:
        if self._jac in (None, False):
            h = asarray(np.broadcast_to(as_host(self._eps, float), x.shape).copy())
            h = _STEPS_THAT_CHANGE(x, h, EPS**0.5)
        else:
            h = steps_of(x, self._kind, self._relative)

        def called(state: ndarray) -> ndarray:
            self.nfev += 1
            return scalar(self._fun(state, *self._args))

        if not x.size:
            raise ValueError(
                "x0 must have at least one element: differences along none are no gradient"
            )
        columns = difference_columns(called, x, self._value, h, self._kind)
        return stack(columns).astype(x.dtype, copy=False)


class Line:
    """An objective along a line from a point: values and slopes, with one transfer for both.

    `project` keeps points within bounds, which rounding may cross.
    """

    def __init__(self, objective: Objective, x: ndarray, p: ndarray, project: Any = None) -> None:
        self.objective, self.x, self.p, self.project = objective, x, p, project
        self._at: Any = None
        self.point = self.gradient = None  # type: Any

    def __call__(self, alpha: float) -> tuple[float, float]:
        """Value and slope at a distance."""
        if self._at != alpha:
            self.point = self.x + float(alpha) * self.p
            if self.project is not None:
                self.point = self.project(self.point)
            value = self.objective.value(self.point)
            self.gradient = self.objective.gradient(self.point)
            self._found = read(value, matmul(self.gradient, self.p))
            self._at = alpha
        return self._found[0], self._found[1]
