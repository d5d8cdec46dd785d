"""Initial value problems of systems of ordinary differential equations."""

import inspect
from typing import Any, Literal

import numpy as np

from ..._core._convert import as_array, as_host
from ..._core.multiarray import asarray, concatenate, empty, ndarray
from ..._core.shape_base import stack
from ..optimize._result import OptimizeResult
from ._ivp_base import OdeSolution, OdeSolver
from ._ivp_bdf import BDF
from ._ivp_common import EPS, number_of
from ._ivp_lsoda import LSODA
from ._ivp_radau import Radau
from ._ivp_rk import DOP853, RK23, RK45

__all__ = ["solve_ivp"]

METHODS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853, "Radau": Radau, "BDF": BDF, "LSODA": LSODA}
MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}


class OdeResult(OptimizeResult):
    """Result of `solve_ivp`, a dict whose items are attributes."""


class _Events:
    """Events of a system: where their functions change sign, by the interpolants of steps."""

    def __init__(self, events: Any, args: tuple) -> None:
        functions = (events,) if callable(events) else tuple(events or ())
        self.wanted = events is not None
        self.most = np.array([self._most(e) for e in functions], float)
        self.directions = np.array([getattr(e, "direction", 0) for e in functions], float)
        self._functions = [self._bound(e, args) for e in functions]
        self.counts = np.zeros(len(functions), int)
        self.times: list[list[float]] = [[] for _ in functions]
        self.states: list[list[ndarray]] = [[] for _ in functions]
        self._values: Any = None

    @staticmethod
    def _most(event: Any) -> float:
        terminal = getattr(event, "terminal", None)
        if terminal is None or terminal == 0:
            return np.inf
        if int(terminal) == terminal and terminal > 0:
            return terminal
        raise ValueError(
            "The `terminal` attribute of each event must be a boolean or positive integer."
        )

    @staticmethod
    def _bound(event: Any, args: tuple) -> Any:
        return (lambda t, y: event(t, y, *args)) if args else event

    def start(self, t: float, y: ndarray) -> None:
        self._values = self._at(t, y)

    def _at(self, t: float, y: ndarray) -> np.ndarray:
        return np.array([float(number_of(f(t, y))) for f in self._functions])

    def after_step(self, solver: OdeSolver, solution: Any) -> float | None:
        """Note what happened in a step; returns when the integration ends, None if it goes on."""
        before, now = self._values, self._at(solver.t, solver.y)
        self._values = now
        up, down = (before <= 0) & (now >= 0), (before >= 0) & (now <= 0)
        active = np.flatnonzero((up & (self.directions >= 0)) | (down & (self.directions <= 0)))
        if not active.size:
            return None
        from scipy.optimize import brentq

        roots = np.array(
            [
                brentq(
                    lambda t, k=k: float(number_of(self._functions[k](t, solution()(t)))),
                    solver.t_old,
                    solver.t,
                    xtol=4 * EPS,
                    rtol=4 * EPS,
                )
                for k in active
            ]
        )
        self.counts[active] += 1
        ends = self.counts[active] >= self.most[active]
        end = None
        if ends.any():
            order = np.argsort(roots if solver.t > solver.t_old else -roots)
            active, roots, ends = active[order], roots[order], ends[order]
            last = int(np.flatnonzero(ends)[0])
            active, roots, end = active[: last + 1], roots[: last + 1], float(roots[last])
        for k, root in zip(active, roots, strict=True):
            self.times[k].append(float(root))
            self.states[k].append(solution()(root))
        return end

    def results(self) -> tuple[Any, Any]:
        """Times and states of the events, on the device."""
        if not self.wanted:
            return None, None
        states = [stack(s) if s else empty(0) for s in self.states]
        return [asarray(np.array(t, float)) for t in self.times], states


def _interval(t_span: Any) -> tuple[float, float]:
    """The ends of the interval of integration, on the host."""
    if isinstance(t_span, ndarray):
        t_span = t_span.get()
    first, last = map(float, map(number_of, t_span))
    return first, last


def _wanted_times(t_eval: Any, t0: float, tf: float) -> Any:
    """Times at which the solution is wanted, on the host, in the direction of the integration."""
    if t_eval is None:
        return None
    times = as_host(t_eval.get() if isinstance(t_eval, ndarray) else t_eval).astype(float)
    if times.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if (times < min(t0, tf)).any() or (times > max(t0, tf)).any():
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    steps = np.diff(times)
    if (tf > t0 and (steps <= 0).any()) or (tf < t0 and (steps >= 0).any()):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return times


def _with_arguments(fun: Any, args: Any, options: dict) -> Any:
    """The right-hand side with its further arguments; the Jacobian's, in `options`, too."""
    if args is None:
        return fun
    try:
        args = [*args]
    except TypeError as error:
        raise TypeError(
            "Supplied 'args' cannot be unpacked. Please supply `args`"
            f" as a tuple (e.g. `args=({args!r},)`)"
        ) from error
    jac = options.get("jac")
    if callable(jac):
        options["jac"] = lambda t, y: jac(t, y, *args)
    return lambda t, y: fun(t, y, *args)


class _Output:
    """What is kept of the steps: states at wanted times, or all of them."""

    def __init__(self, solver: OdeSolver, t_eval: Any, dense: bool, forward: bool) -> None:
        self._forward, self._t_eval, self._next = forward, t_eval, 0
        self.times: list[Any] = [] if t_eval is not None else [solver.t]
        self.states: list[ndarray] = [] if t_eval is not None else [solver.y]
        self.dense, self.interpolants = dense, []  # type: bool, list
        self.step_times = [solver.t]
        self._n, self._dtype = solver.n, solver.y.dtype

    def add(self, t: float, y: ndarray, solution: Any) -> None:
        """Keep what is wanted of a step that ends at t."""
        if self.dense:
            self.interpolants.append(solution())
        self.step_times.append(t)
        if self._t_eval is None:
            self.times.append(t)
            self.states.append(y)
            return
        side: Literal["right"] = "right"
        times = self._t_eval if self._forward else -self._t_eval
        last = int(np.searchsorted(times, t if self._forward else -t, side=side))
        part = self._t_eval[self._next : last]
        if part.size:
            self.times.append(part)
            self.states.append(solution()(part))
            self._next = last

    def arrays(self) -> tuple[ndarray, ndarray]:
        """Times and states as arrays of the device."""
        if self._t_eval is None:
            return asarray(np.array(self.times, float)), stack(self.states, axis=1)
        if not self.times:
            return empty(0), empty((self._n, 0), self._dtype)
        return asarray(np.concatenate(self.times)), concatenate(self.states, axis=1)


def _check_method(method: Any) -> Any:
    if inspect.isclass(method) and issubclass(method, OdeSolver):
        return method
    if isinstance(method, str) and method in METHODS:
        return METHODS[method]
    raise ValueError(f"`method` must be one of {list(METHODS)} or OdeSolver class.")


def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    **options,
) -> OdeResult:
    """Integrate a system of ordinary differential equations from an initial state.

    Parameters
    ----------
    fun : callable
        Right-hand side ``fun(t, y, *args)``: `t` is a number of the host, `y` a device array of
        shape (n,). It returns an array of that shape, or a list of n numbers.
    t_span : pair of float
        Times between which the system is integrated, in either direction.
    y0 : array_like, (n,)
        Initial state of the system; complex ones need an explicit method or 'BDF'.
    method : {'RK45', 'RK23', 'DOP853', 'Radau', 'BDF', 'LSODA'} or OdeSolver class, optional
        Explicit Runge-Kutta methods; for stiff systems implicit ones; a method of the host that
        detects stiffness.
    t_eval : array_like, optional
        Times at which the solution is returned; by default those that the solver reached. Those of
        a device array are read.
    dense_output : bool, optional
        If True, return also the solution as a function of time.
    events : callable or list of callable, optional
        Functions ``event(t, y, *args)`` whose zeros are located. The attribute `terminal` says
        whether, or after how many zeros, the integration ends; `direction` by its sign which change
        of sign counts.
    vectorized : bool, optional
        Whether `fun` takes states of shape (n, k), which are columns.
    args : tuple, optional
        Further arguments of `fun`, of events and of a Jacobian.
    **options : object
        Options of the solver: `rtol`, `atol`, `first_step`, `max_step`; `jac` of the implicit ones.

    Returns
    -------
    OdeResult
        With the attributes `t` (m,) and `y` (n, m), `sol` (an `OdeSolution` or None), `t_events`
        and `y_events` (lists of arrays or None), `nfev`, `njev`, `nlu`, `status` (0: the end was
        reached, 1: an event ended it, -1: a step failed), `message`, `success`.

    Raises
    ------
    ValueError
        If the method is not known, or an argument has a wrong shape, order or range.

    See Also
    --------
    solve_ivp_batched : many small systems in one launch

    Notes
    -----
    States stay on the device. The step sizes are chosen on the host, for which each step reads the
    norm of its error (an implicit one also a number for each Newton iteration), and each event its
    value. 'LSODA' is ODEPACK's on the host: an evaluation uploads the state and reads its
    derivative. Jacobians are dense.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import solve_ivp
    >>> result = solve_ivp(lambda t, y: -y, (0, 1), cp.array([1.0, 2.0]), rtol=1e-8)
    >>> result.y[:, -1].round(5)
    array([0.36788, 0.73576])
    """
    solver_class = _check_method(method)
    t0, tf = _interval(t_span)
    fun = _with_arguments(fun, args, options)
    times = _wanted_times(t_eval, t0, tf)
    solver = solver_class(fun, t0, y0, tf, vectorized=vectorized, **options)
    output = _Output(solver, times, dense_output, tf >= t0)
    noted = _Events(events, tuple(args or ()))
    noted.start(t0, as_array(solver.y))
    status, message = None, None
    while status is None:
        message = solver.step()
        if solver.status == "finished":
            status = 0
        elif solver.status == "failed":
            status = -1
            break
        made: list = []

        def solution(made: list = made) -> Any:
            if not made:
                made.append(solver.dense_output())
            return made[0]

        t, y = solver.t, solver.y
        end = noted.after_step(solver, solution)
        if end is not None:
            status, t, y = 1, end, solution()(end)
        output.add(t, y, solution)
    t_events, y_events = noted.results()
    t, y = output.arrays()
    sol = None
    if output.interpolants:
        sol = OdeSolution(output.step_times, output.interpolants, isinstance(solver, (BDF, LSODA)))
    return OdeResult(
        t=t,
        y=y,
        sol=sol,
        t_events=t_events,
        y_events=y_events,
        nfev=solver.nfev,
        njev=solver.njev,
        nlu=solver.nlu,
        status=status,
        message=MESSAGES.get(status, message),
        success=status >= 0,
    )
