"""Boundary value problems by collocation with cubic polynomials, on a mesh that follows residuals.

J. Kierzenka, L. F. Shampine, "A BVP solver based on residual control and the MATLAB PSE", ACM
Trans. Math. Softw. 27 (2001); U. M. Ascher, R. M. M. Mattheij, R. D. Russell, "Numerical Solution
of Boundary Value Problems for Ordinary Differential Equations", for the damped Newton method.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..._core._convert import as_array
from ..._core._warnings import warn
from ..._core.fusion import fuse
from ..._core.multiarray import concatenate, ndarray, where, zeros
from ..._core.numeric import moveaxis
from ..._core.shape_base import stack
from ..._core.umath import absolute, matmul
from ...lib._twodim_base_impl import eye
from ...linalg._linalg import pinv
from ..optimize._objective import read
from ..optimize._result import OptimizeResult
from ._bvp_blocks import BlockSystem
from ._ivp_common import EPS, number_of

__all__ = ["solve_bvp"]

MOST_MESHES, MOST_ITERATIONS, MOST_JACOBIANS, MOST_TRIALS = 10, 8, 4, 5
MESSAGES = {
    0: "The algorithm converged to the desired accuracy.",
    1: "The maximum number of mesh nodes is exceeded.",
    2: "A singular Jacobian encountered when solving the collocation system.",
    3: "The solver was unable to satisfy boundary conditions tolerance on iteration 10.",
}
REPORTS = {
    0: "Solved in {} iterations, number of nodes {}.",
    1: "Number of nodes is exceeded after iteration {}, number of nodes {}.",
    2: "Singular Jacobian encountered when solving the collocation system on iteration {}, "
    "number of nodes {}.",
    3: "The solver was unable to satisfy boundary conditions tolerance on iteration {}, "
    "number of nodes {}.",
}


class BVPResult(OptimizeResult):
    """Result of `solve_bvp`, a dict whose items are attributes."""


class _Residuals(NamedTuple):
    """Residuals of a guess: of collocation and of the conditions, with what they are made of."""

    collocation: ndarray  # (n, m - 1)
    places: ndarray  # between the nodes, the states and derivatives there
    middle: ndarray
    f: ndarray
    f_middle: ndarray
    ends: ndarray


def _steps(v: ndarray) -> ndarray:
    """Steps of differences for the sizes of numbers."""
    return (v + EPS**0.5 * (1 + absolute(v))) - v


class _Problem:
    """The user's functions with their derivatives, and the singular term."""

    def __init__(
        self, fun: Any, bc: Any, fun_jac: Any, bc_jac: Any, y: ndarray, p: Any, singular: Any
    ) -> None:
        self._fun, self._bc, self._fun_jac, self._bc_jac = fun, bc, fun_jac, bc_jac
        self.has_parameters, self.dtype = p is not None, y.dtype
        self.n, self.k, self.singular = len(y), 0 if p is None else p.size, singular

    def _more(self, p: ndarray) -> tuple:
        return (p,) if self.has_parameters else ()

    def _plain(self, x: ndarray, y: ndarray, p: ndarray) -> ndarray:
        f = as_array(self._fun(x, y, *self._more(p)))
        if f.shape != y.shape:
            raise ValueError(
                f"`fun` return is expected to have shape {y.shape}, but actually has {f.shape}."
            )
        return f.astype(self.dtype, copy=False)

    def fun(self, x: ndarray, y: ndarray, p: ndarray) -> ndarray:
        """Derivatives (n, m) of states, with the singular term."""
        f = self._plain(x, y, p)
        return f if self.singular is None else self.singular.added(x, y, f)

    def bc(self, ya: ndarray, yb: ndarray, p: ndarray) -> ndarray:
        """Residuals (n + k,) of the boundary conditions."""
        found = as_array(self._bc(ya, yb, *self._more(p)))
        if found.shape != (self.n + self.k,):
            raise ValueError(
                f"`bc` return is expected to have shape {(self.n + self.k,)}, but actually has "
                f"{found.shape}."
            )
        return found.astype(self.dtype, copy=False)

    def fun_jac(self, x: ndarray, y: ndarray, p: ndarray) -> tuple[ndarray, ndarray]:
        """Derivatives by the state (m, n, n) and by the parameters (m, n, k)."""
        if self._fun_jac is not None:
            found = self._fun_jac(x, y, *self._more(p))
            by_y, by_p = found if self.has_parameters else (found, None)
            made = moveaxis(as_array(by_y), -1, 0)
            more = None if by_p is None else moveaxis(as_array(by_p), -1, 0)
        else:
            f, one, h = self._plain(x, y, p), eye(self.n, dtype=self.dtype), _steps(y)
            columns = [
                (self._plain(x, y + one[i][:, None] * h[i], p) - f) / h[i] for i in range(self.n)
            ]
            made, more = moveaxis(stack(columns, axis=1), -1, 0), None
            if self.k:
                steps, unit = _steps(p), eye(self.k, dtype=p.dtype)
                columns = [
                    (self._plain(x, y, p + unit[i] * steps) - f) / steps[i] for i in range(self.k)
                ]
                more = moveaxis(stack(columns, axis=1), -1, 0)
        if more is None:
            more = zeros((x.size, self.n, 0), self.dtype)
        if self.singular is not None:
            made, more = self.singular.jacobians(x, made, more)
        return made.astype(self.dtype, copy=False), more.astype(self.dtype, copy=False)

    def bc_jac(self, ya: ndarray, yb: ndarray, p: ndarray) -> tuple:
        """Derivatives of the conditions by both states (n + k, n) and by the parameters."""
        if self._bc_jac is not None:
            found = [as_array(a) for a in self._bc_jac(ya, yb, *self._more(p))]
        else:
            first = self.bc(ya, yb, p)
            given: list[ndarray] = [ya, yb, *self._more(p)]
            found = [self._by_end(first, given, place, p) for place in range(len(given))]
        if len(found) == 2:
            found.append(zeros((self.n + self.k, 0), self.dtype))
        return tuple(a.astype(self.dtype, copy=False) for a in found)

    def _by_end(self, first: ndarray, given: list, place: int, p: ndarray) -> ndarray:
        v = given[place]
        steps, one = _steps(v), eye(v.size, dtype=v.dtype)
        columns = []
        for i in range(v.size):
            moved = [*given]
            moved[place] = v + one[i] * steps
            columns.append(
                (self.bc(*(moved if self.has_parameters else [*moved, p])) - first) / steps[i]
            )
        return stack(columns, axis=1)


class _Singular:
    """The term ``S y / (x - a)``, which is regular where S y(a) = 0."""

    def __init__(self, matrix: ndarray, a: Any) -> None:
        one = eye(len(matrix), dtype=matrix.dtype)
        self.matrix, self.a = matrix, a
        self.at_start = pinv(one - matrix)
        self.projector = one - matmul(pinv(matrix), matrix)

    def _distance(self, x: ndarray) -> ndarray:
        return where(x == self.a, 1.0, x - self.a)

    def added(self, x: ndarray, y: ndarray, f: ndarray) -> ndarray:
        far = f + matmul(self.matrix, y) / self._distance(x)
        return where(x == self.a, matmul(self.at_start, f), far)

    def jacobians(self, x: ndarray, made: ndarray, more: ndarray) -> tuple[ndarray, ndarray]:
        starts = (x == self.a)[:, None, None]
        far = made + self.matrix / self._distance(x)[:, None, None]
        near = matmul(self.at_start, made)
        by_p = where(starts, matmul(self.at_start, more), more) if more.size else more
        return where(starts, near, far), by_p


@fuse
def _between(x: Any, y: Any, f: Any) -> Any:
    """Places between the nodes, and the cubic polynomials' states there."""
    h = x[1:] - x[:-1]
    return x[:-1] + 0.5 * h, 0.5 * (y[:, 1:] + y[:, :-1]) - 0.125 * h * (f[:, 1:] - f[:, :-1])


@fuse
def _collocation(x: Any, y: Any, f: Any, f_middle: Any) -> Any:
    """What Lobatto's rule leaves of the steps between nodes."""
    h = x[1:] - x[:-1]
    return y[:, 1:] - y[:, :-1] - h / 6 * (f[:, :-1] + f[:, 1:] + 4 * f_middle)


def _residuals(problem: _Problem, x: ndarray, y: ndarray, p: ndarray) -> _Residuals:
    f = problem.fun(x, y, p)
    places, middle = _between(x, y, f)
    f_middle = problem.fun(places, middle, p)
    collocation = _collocation(x, y, f, f_middle)
    return _Residuals(collocation, places, middle, f, f_middle, problem.bc(y[:, 0], y[:, -1], p))


@fuse
def _factors(x: Any, one: Any, nodes: Any, between: Any, before: Any, behind: Any) -> Any:
    """Factors of the states before and behind in the equations of collocation; the last two
    arguments are products of Jacobians."""
    h = (x[1:] - x[:-1])[:, None, None]
    return (
        -one - h / 6 * (nodes[:-1] + 2 * between) - h * h / 12 * before,
        one - h / 6 * (nodes[1:] + 2 * between) + h * h / 12 * behind,
    )


def _system(problem: _Problem, x: ndarray, y: ndarray, p: ndarray, found: _Residuals) -> Any:
    """The linear system of a Newton step."""
    nodes, by_p = problem.fun_jac(x, y, p)
    between, between_p = problem.fun_jac(found.places, found.middle, p)
    one = eye(problem.n, dtype=problem.dtype)
    products = matmul(between, nodes[:-1]), matmul(between, nodes[1:])
    before, behind = _factors(x, one, nodes, between, *products)
    more = by_p[:-1]
    if problem.k:
        h = (x[1:] - x[:-1])[:, None, None]
        change = matmul(between, by_p[:-1] - by_p[1:])
        more = -h / 6 * (by_p[:-1] + by_p[1:] + 4 * between_p + h / 2 * change)
    return BlockSystem(before, behind, more, problem.bc_jac(y[:, 0], y[:, -1], p))


@fuse
def _is_within(residual: Any, limit: Any, f: Any) -> Any:
    """Which residuals are small relative to derivatives."""
    return absolute(residual) < limit * (1 + absolute(f))


class _Newton:
    """A damped Newton method whose measure of progress is the length of the Newton step."""

    def __init__(self, problem: _Problem, x: ndarray, tol: float, bc_tol: float) -> None:
        self.problem, self.x, self.bc_tol = problem, x, bc_tol
        self.limit = 2 / 3 * (x[1:] - x[:-1]) * 5e-2 * tol

    def _step(self, system: Any, found: _Residuals) -> tuple[ndarray, ndarray, ndarray]:
        """The change of states and parameters, and its square."""
        dy, dp = system.solve(found.collocation.T, found.ends)
        square = (absolute(dy) ** 2).sum()
        return dy.T, dp, square + (absolute(dp) ** 2).sum() if dp.size else square

    def _is_small(self, found: _Residuals) -> ndarray:
        inner = _is_within(found.collocation, self.limit, found.f_middle)
        return inner.all() & (absolute(found.ends) < self.bc_tol).all()

    def _moved(self, y: ndarray, p: ndarray, step: tuple, alpha: float) -> tuple:
        y_new, p_new = y - alpha * step[0], p - alpha * step[1]
        if self.problem.singular is not None:
            y_new[:, 0] = matmul(self.problem.singular.projector, y_new[:, 0])
        return y_new, p_new

    def __call__(self, y: ndarray, p: ndarray) -> tuple[ndarray, ndarray, _Residuals, bool]:
        """States, parameters, their residuals, and whether the system became singular."""
        found = _residuals(self.problem, self.x, y, p)
        system: Any = None
        jacobians, cost = 0, 0.0
        for _ in range(MOST_ITERATIONS):
            if system is None:
                system = _system(self.problem, self.x, y, p, found)
                jacobians += 1
                step = self._step(system, found)
                (cost,) = read(step[2])
                if not math.isfinite(cost):
                    return y, p, found, True
            alpha = 1.0
            for trial in range(MOST_TRIALS):
                alpha = 0.5**trial
                y_new, p_new = self._moved(y, p, step, alpha)
                found = _residuals(self.problem, self.x, y_new, p_new)
                step_new = self._step(system, found)
                cost_new, is_small = read(step_new[2], self._is_small(found))
                if cost_new < (1 - 2 * alpha * 0.2) * cost:
                    break
            y, p = y_new, p_new
            if jacobians == MOST_JACOBIANS or is_small:
                break
            if alpha == 1:
                step, cost = step_new, cost_new
            else:
                system = None
        return y, p, found, False


@fuse
def _coefficients(x: Any, y: Any, f: Any) -> Any:
    """Coefficients of the cubic polynomials, that of the third power first."""
    h = x[1:] - x[:-1]
    slope = (y[:, 1:] - y[:, :-1]) / h
    bend = (f[:, :-1] + f[:, 1:] - 2 * slope) / h
    return bend / h, (slope - f[:, :-1]) / h - bend, f[:, :-1], y[:, :-1]


def _spline(x: ndarray, y: ndarray, f: ndarray) -> Any:
    """The cubic polynomials with states y and derivatives f at the nodes."""
    from ..interpolate import PPoly

    return PPoly(stack(_coefficients(x, y, f), axis=1), x, extrapolate=True, axis=1)


@fuse
def _squares(residual: Any, f: Any) -> Any:
    """Squares of residuals relative to derivatives."""
    return absolute(residual / (1 + absolute(f))) ** 2


def _rms(problem: _Problem, x: ndarray, p: ndarray, solution: Any, found: _Residuals) -> ndarray:
    """Root mean squares of the relative residuals in the intervals, by Lobatto's rule."""
    h = x[1:] - x[:-1]
    total = 32 / 45 * _squares(1.5 * found.collocation / h, found.f_middle).sum(axis=0)
    for sign in (1, -1):
        places = x[:-1] + 0.5 * h + sign * 0.5 * (3 / 7) ** 0.5 * h
        f = problem.fun(places, solution(places), p)
        total = total + 49 / 90 * _squares(solution(places, 1) - f, f).sum(axis=0)
    return (0.5 * total) ** 0.5


def _refined(x: ndarray, halved: ndarray, thirds: ndarray) -> ndarray:
    """The mesh with nodes within the marked intervals."""
    low, high = x[:-1], x[1:]
    middle = (0.5 * (low + high))[halved]
    a, b = low[thirds], high[thirds]
    mesh = concatenate((x, middle, (2 * a + b) / 3, (a + 2 * b) / 3))
    mesh.sort()
    return mesh


def _checked(x: Any, y: Any, p: Any, S: Any) -> tuple:
    """Arguments as device arrays. Waits for the device."""
    x, y = as_array(x).astype(np.float64), as_array(y)
    if x.ndim != 1:
        raise ValueError("`x` must be 1 dimensional.")
    if bool((x[1:] <= x[:-1]).any()):
        raise ValueError("`x` must be strictly increasing.")
    y = y.astype(np.complex128 if y.dtype.kind == "c" else np.float64)
    if y.ndim != 2:
        raise ValueError("`y` must be 2 dimensional.")
    if y.shape[1] != x.size:
        raise ValueError(
            f"`y` is expected to have {x.size} columns, but actually has {y.shape[1]}."
        )
    if p is not None:
        p = as_array(p).astype(y.dtype)
        if p.ndim != 1:
            raise ValueError("`p` must be 1 dimensional.")
    if S is not None:
        S = as_array(S).astype(y.dtype)
        if S.shape != (len(y), len(y)):
            raise ValueError(
                f"`S` is expected to have shape {(len(y), len(y))}, but actually has {S.shape}"
            )
    return x, y, p, S


def solve_bvp(
    fun,
    bc,
    x,
    y,
    p=None,
    S=None,
    fun_jac=None,
    bc_jac=None,
    tol=1e-3,
    max_nodes=1000,
    verbose=0,
    bc_tol=None,
) -> BVPResult:
    """Solve a boundary value problem of a system of ordinary differential equations.

    Parameters
    ----------
    fun : callable
        Right-hand side ``fun(x, y)``, or ``fun(x, y, p)`` with parameters, of device arrays: places
        (m,), states (n, m) as columns, parameters (k,). It returns an array of shape (n, m).
    bc : callable
        Residuals ``bc(ya, yb)``, or ``bc(ya, yb, p)``, of the conditions for the states at both
        ends: an array of shape (n + k,).
    x : array_like, (m,)
        Nodes of the first mesh, ascending.
    y : array_like, (n, m)
        Guess of the states at the nodes, real or complex.
    p : array_like, (k,), optional
        Guess of unknown parameters.
    S : array_like, (n, n), optional
        Matrix of the singular term ``S @ y / (x - a)`` that is added to the right-hand side.
    fun_jac : callable, optional
        Function of the arguments of `fun` that returns derivatives by the states (n, n, m), and
        with parameters those by them (n, k, m); by default they are computed by differences, n + k
        calls.
    bc_jac : callable, optional
        Function of the arguments of `bc` that returns derivatives by `ya` and `yb` (n + k, n), and
        with parameters those by them (n + k, k).
    tol : float, optional
        Relative residual that is wanted in all intervals.
    max_nodes : int, optional
        Largest number of nodes of a mesh.
    verbose : {0, 1, 2}, optional
        0: print nothing, 1: how the iterations ended, 2: each of them.
    bc_tol : float, optional
        Absolute tolerance of the boundary conditions; by default `tol`.

    Returns
    -------
    BVPResult
        With the attributes `sol` (a `PPoly` of all states), `p` (or None), `x`, `y`, `yp` (the
        last mesh, with states and derivatives), `rms_residuals`, `niter`, `status` (0: the
        tolerance is met, 1: too many nodes, 2: a singular system, 3: the conditions are not met),
        `message` and `success`.

    Raises
    ------
    ValueError
        If an argument, or what a function returned, has a wrong shape.

    See Also
    --------
    solve_ivp : problems with all conditions at one end

    Notes
    -----
    Meshes, states and matrices stay on the device. A Newton iteration calls the functions for all
    nodes at once and solves its system in as many batches as the number of nodes has binary digits;
    it reads two numbers for each step it tries. A mesh reads its largest residual and the numbers
    of new nodes.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import solve_bvp
    >>> def fun(x, y):
    ...     return cp.stack([y[1], -y[0]])
    >>> def bc(ya, yb):
    ...     return cp.stack([ya[0], yb[0] - 1])
    >>> found = solve_bvp(fun, bc, cp.linspace(0, 1, 9), cp.zeros((2, 9)), tol=1e-6)
    >>> found.sol(0.5)[0].round(6)
    array(0.569747)
    """
    x, y, p, S = _checked(x, y, p, S)
    tol = number_of(tol)
    if tol < 100 * EPS:
        warn(f"`tol` is too low, setting to {100 * EPS:.2e}", UserWarning)
        tol = 100 * EPS
    bc_tol = tol if bc_tol is None else number_of(bc_tol)
    singular = None if S is None else _Singular(S, x[0])
    problem = _Problem(fun, bc, fun_jac, bc_jac, y, p, singular)
    parameters = zeros(0, y.dtype) if p is None else p
    if singular is not None:
        y[:, 0] = matmul(singular.projector, y[:, 0])
    if verbose == 2:
        print("   Iteration    Max residual  Max BC residual  Total nodes    Nodes added")
    status, count = None, 0
    while status is None:
        y, parameters, found, is_singular = _Newton(problem, x, tol, bc_tol)(y, parameters)
        count += 1
        solution = _spline(x, y, found.f)
        residuals = _rms(problem, x, parameters, solution, found)
        thirds = residuals >= 100 * tol
        halved = (residuals > tol) & ~thirds
        worst, worst_end, ones, twos = read(
            residuals.max(), absolute(found.ends).max(), halved.sum(), thirds.sum()
        )
        added = int(ones + 2 * twos)
        if is_singular:
            status, added = 2, 0
        elif x.size + added > max_nodes:
            status = 1
        elif not added and worst_end <= bc_tol:
            status = 0
        elif not added and count >= MOST_MESHES:
            status = 3
        if verbose == 2:
            print(f"{count:^15}{worst:^15.2e}{worst_end:^15.2e}{x.size:^15}{added:^15}")
        if status is None and added:
            x = _refined(x, halved, thirds)
            y = solution(x)
    if verbose:
        print(REPORTS[status].format(count, x.size))
        print(f"Maximum relative residual: {worst:.2e}")
        print(f"Maximum boundary residual: {worst_end:.2e}")
    return BVPResult(
        sol=solution,
        p=None if p is None else parameters,
        x=x,
        y=y,
        yp=found.f,
        rms_residuals=residuals,
        niter=count,
        status=status,
        message=MESSAGES[status],
        success=status == 0,
    )
