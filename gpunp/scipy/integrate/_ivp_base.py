"""Base classes of the solvers of initial value problems and of their interpolants."""

import math
import types
from typing import Any, Literal

import numpy as np

from ..._core._convert import as_array, as_host
from ..._core.multiarray import asarray, empty, ndarray
from ..._core.shape_base import stack
from ._ivp_common import is_scalar, number_of, state_of

__all__ = ["DenseOutput", "OdeSolution", "OdeSolver"]


class OdeSolver:
    """Base class of solvers of initial value problems.

    A solver has the methods `_step_impl`, which returns whether a step was made and a message, and
    `_dense_output_impl`, which returns a `DenseOutput` of the last step.

    Parameters
    ----------
    fun : callable
        Right-hand side ``fun(t, y)`` of the system: `t` is a number of the host, `y` a device array
        of shape (n,). It returns an array of that shape, or a list.
    t0 : float
        Time at which the integration begins.
    y0 : array_like, (n,)
        Initial state of the system.
    t_bound : float
        Time at which the integration ends, which also says its direction.
    vectorized : bool
        Whether `fun` accepts states of shape (n, k), which are columns.
    support_complex : bool, optional
        Whether the state may be complex.

    Attributes
    ----------
    status : {'running', 'finished', 'failed'}
        State of the solver.
    t, t_old : float
        Current time, and that before the last step.
    y : ndarray, (n,)
        Current state, on the device.
    nfev, njev, nlu : int
        Counts of calls of the right-hand side, of Jacobians and of factorizations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import RK45, OdeSolver
    >>> issubclass(RK45, OdeSolver)
    True
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)
    TOO_SMALL_STEP = "Required step size is less than spacing between numbers."

    def __init__(self, fun, t0, y0, t_bound, vectorized, support_complex=False) -> None:
        self.t_old: Any = None
        self.t = number_of(t0)
        self.y = state_of(y0, support_complex)
        self.t_bound = number_of(t_bound)
        self.vectorized = vectorized
        self.n = self.y.size
        self.direction = float(np.sign(self.t_bound - self.t)) if t_bound != t0 else 1.0
        self.status = "running"
        self.nfev = self.njev = self.nlu = 0
        self._fun, self._dtype = fun, self.y.dtype

    def fun(self, t: float, y: ndarray) -> ndarray:
        """Return the right-hand side, and count the call.

        Parameters
        ----------
        t : float
            Time of the state `y`.
        y : ndarray, (n,)
            State of the system.

        Returns
        -------
        ndarray, (n,)
            Derivatives of the state.
        """
        self.nfev += 1
        if self.vectorized:
            return self._called(t, y[:, None])[:, 0]
        return self._called(t, y)

    def fun_vectorized(self, t: float, y: ndarray) -> ndarray:
        """Return the right-hand sides of states that are columns.

        Parameters
        ----------
        t : float
            Time of all states.
        y : ndarray, (n, k)
            States of the system, as columns.

        Returns
        -------
        ndarray, (n, k)
            Derivatives of the states.
        """
        if self.vectorized:
            return self._called(t, y)
        y = as_array(y)
        if y.ndim != 2:
            raise ValueError(f"y must have states as columns, not the shape {y.shape}")
        return stack([self._called(t, y[:, k]) for k in range(y.shape[1])], axis=1)

    def _called(self, t: float, y: ndarray) -> ndarray:
        y = as_array(y)
        f = as_array(self._fun(t, y)).astype(self._dtype, copy=False)
        if f.size == y.size == 1:  # a number, for a system of one equation
            f = f.reshape(y.shape)
        if f.shape != y.shape:
            raise ValueError(f"`fun` returned shape {f.shape} for a state of shape {y.shape}.")
        return f

    @property
    def step_size(self) -> Any:
        """Length of the last step, None before there was one."""
        return None if self.t_old is None else abs(self.t - self.t_old)

    def step(self) -> str | None:
        """Make one step. Waits for the device.

        Returns
        -------
        str or None
            What went wrong, if `status` is 'failed'.

        Raises
        ------
        RuntimeError
            If the integration has ended or failed.
        """
        if self.status != "running":
            raise RuntimeError("Attempt to step on a failed or finished solver.")
        if self.n == 0 or self.t == self.t_bound:
            self.t_old, self.t = self.t, self.t_bound
            self.status = "finished"
            return None
        if abs(self.t_bound - self.t) > 2**53 * getattr(self, "max_step", math.inf):
            self.status = "failed"  # steps between neighbouring numbers would lead nowhere
            return self.TOO_SMALL_STEP
        before = self.t
        success, message = self._step_impl()
        if not success:
            self.status = "failed"
            return message
        self.t_old = before
        if self.direction * (self.t - self.t_bound) >= 0:
            self.status = "finished"
        return message

    def dense_output(self) -> Any:
        """Return the interpolant of the last step.

        Returns
        -------
        DenseOutput
            Callable that is the solution between `t_old` and `t`.

        Raises
        ------
        RuntimeError
            If no step was made.
        """
        if self.t_old is None:
            raise RuntimeError("Dense output is available after a successful step was made.")
        if self.n == 0 or self.t == self.t_old:
            return ConstantDenseOutput(self.t_old, self.t, self.y)
        return self._dense_output_impl()

    def _step_impl(self) -> tuple[bool, str | None]:
        raise NotImplementedError

    def _dense_output_impl(self) -> Any:
        raise NotImplementedError


class DenseOutput:
    """Base class of interpolants of a step; those of the solvers have `_call_impl`.

    Parameters
    ----------
    t_old : float
        Time before the step.
    t : float
        Time after the step.

    Attributes
    ----------
    t_min, t_max : float
        Ends of the step in order.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import RK45
    >>> solver = RK45(lambda t, y: -y, 0, cp.ones(1), 1)
    >>> _ = solver.step()
    >>> solver.dense_output()(0.0)
    array([1.])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, t_old, t) -> None:
        self.t_old, self.t = t_old, t
        self.t_min, self.t_max = min(t, t_old), max(t, t_old)

    def __call__(self, t) -> ndarray:
        """Return the interpolated solution.

        Parameters
        ----------
        t : float or array_like, (m,)
            Times at which the solution is wanted; those of a device array are read.

        Returns
        -------
        ndarray, (n,) or (n, m)
            Values of the solution, a column for each time.
        """
        host = as_host(t.get() if isinstance(t, ndarray) else t)
        if host.ndim > 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        return self._call_impl(host.astype(float))

    def _call_impl(self, t: np.ndarray) -> ndarray:
        raise NotImplementedError


class ConstantDenseOutput(DenseOutput):
    """The interpolant of a step of no length."""

    def __init__(self, t_old: float, t: float, value: ndarray) -> None:
        super().__init__(t_old, t)
        self.value = value

    def _call_impl(self, t: np.ndarray) -> ndarray:
        if t.ndim == 0:
            return self.value.copy()
        out = empty((self.value.size, t.size), self.value.dtype)
        out[...] = self.value[:, None]
        return out


class OdeSolution:
    """Solution of a system at all times, of the interpolants of its steps.

    Parameters
    ----------
    ts : array_like, (k + 1,)
        Times between the steps, ascending or descending.
    interpolants : list of DenseOutput
        Interpolants of the steps, one fewer than there are times.
    alt_segment : bool, optional
        Whether a time between two steps belongs to the later interpolant.

    Attributes
    ----------
    t_min, t_max : float
        Smallest and largest time.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import solve_ivp
    >>> solution = solve_ivp(lambda t, y: 0 * y, (0, 1), cp.ones(2), dense_output=True).sol
    >>> solution([0.0, 0.5])
    array([[1., 1.],
           [1., 1.]])
    """

    def __init__(self, ts, interpolants, alt_segment=False) -> None:
        ts = as_host(ts.get() if isinstance(ts, ndarray) else ts, float)
        steps = np.diff(ts)
        is_point = ts.shape == (2,) and ts[0] == ts[1]
        if not (is_point or (steps > 0).all() or (steps < 0).all()):
            raise ValueError("`ts` must be strictly increasing or decreasing.")
        self.n_segments = len(interpolants)
        if ts.shape != (self.n_segments + 1,):
            raise ValueError("Numbers of time stamps and interpolants don't match.")
        self.ts, self.interpolants = ts, interpolants
        self.ascending = bool(ts[-1] >= ts[0])
        self.t_min, self.t_max = float(ts.min()), float(ts.max())
        # A time between two steps belongs to the one that was made first.
        self.side: Literal["left", "right"]
        self.side = "right" if alt_segment and self.ascending else "left"
        if not self.ascending:
            self.side = "left" if alt_segment else "right"
        self.ts_sorted = ts if self.ascending else ts[::-1]

    def _segments(self, t: np.ndarray) -> np.ndarray:
        found = np.searchsorted(self.ts_sorted, t, side=self.side) - 1
        found = np.clip(found, 0, self.n_segments - 1)
        return found if self.ascending else self.n_segments - 1 - found

    def __call__(self, t) -> ndarray:
        """Return the solution at times.

        Parameters
        ----------
        t : float or array_like, (m,)
            Times at which the solution is wanted; those of a device array are read.

        Returns
        -------
        ndarray, (n,) or (n, m)
            Values of the solution, a column for each time.
        """
        times = as_host(t.get() if isinstance(t, ndarray) else t).astype(float)
        if is_scalar(t):
            return self.interpolants[int(self._segments(times))](times)
        order = np.argsort(times, kind="stable")
        segments = self._segments(times[order])
        parts = np.split(order, np.flatnonzero(np.diff(segments)) + 1)
        out: Any = None
        for part in parts:
            interpolant = self.interpolants[int(self._segments(times[part[:1]])[0])]
            values = interpolant(times[part])
            if out is None:
                out = empty((values.shape[0], times.size), values.dtype)
            out[:, asarray(part)] = values
        return out
