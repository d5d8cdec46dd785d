"""Large systems of equations by quasi-Newton and Krylov methods, whose vectors stay on the device.

The iteration is that of C. T. Kelley, "Solving Nonlinear Equations with Newton's Method", with the
tolerances of S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput. 17 (1996).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import ndarray
from ...linalg._linalg import norm as length
from ._jacobians import (
    Anderson,
    BroydenFirst,
    BroydenSecond,
    Diagonal,
    Exciting,
    KrylovJacobian,
    Linear,
    square,
)
from ._line_search import MoreThuente
from ._objective import EPS, read
from ._result import OptimizeResult, OptimizeWarning

__all__ = [
    "NoConvergence",
    "anderson",
    "broyden1",
    "broyden2",
    "diagbroyden",
    "excitingmixing",
    "linearmixing",
    "newton_krylov",
]

MESSAGES = {
    1: "A solution was found at the specified tolerance.",
    2: "The maximum number of iterations allowed has been reached.",
}


class NoConvergence(Exception):
    """Error of an iteration that did not converge; its argument is the last vector.

    Parameters
    ----------
    *args : object
        Last vector of the iteration, on the device.

    Examples
    --------
    >>> from gpunp.scipy.optimize import NoConvergence
    >>> issubclass(NoConvergence, Exception)
    True
    """


def _largest(v: ndarray) -> ndarray:
    return length(v, math.inf)


class _Ending:
    """When an iteration ends.

    Tolerances that are None do not count, but for `f_tol` of residuals, which is 6e-6.
    """

    def __init__(self, count: Any, f_tol: Any, f_rtol: Any, x_tol: Any, x_rtol: Any, norm: Any):
        self.f_tol = EPS ** (1 / 3) if f_tol is None else f_tol
        self.f_rtol, self.x_tol, self.x_rtol = (
            math.inf if tolerance is None else tolerance for tolerance in (f_rtol, x_tol, x_rtol)
        )
        self.count, self.norm = count, norm or _largest
        self.iteration, self._first = 0, None  # type: Any

    def check(self, f: ndarray, x: ndarray, dx: ndarray | None) -> int:
        """0 to go on, 1 where it converged, 2 after the wanted number of iterations."""
        self.iteration += 1
        steps = [] if dx is None else [self.norm(dx)]
        size, place, *step = read(*(as_array(v) for v in (self.norm(f), self.norm(x), *steps)))
        if self._first is None:
            self._first = size
        if size == 0:
            return 1
        if self.count is not None:
            return 2 * (self.iteration > self.count)
        moved = step[0] if step else math.inf
        is_small = size <= self.f_tol and size / self.f_rtol <= self._first
        return int(is_small and moved <= self.x_tol and moved / self.x_rtol <= place)


class _Along:
    """The squared length of the residuals along a step, with the point and the residuals there."""

    def __init__(self, func: Callable, x: ndarray, f: ndarray, dx: ndarray, first: float) -> None:
        self.func, self.x, self.dx = func, x, dx
        self._at, self._found = 0.0, (first, x, f)

    def __call__(self, s: float) -> float:
        if s != self._at:
            point = self.x + s * self.dx
            f = self.func(point)
            value = read(square(f))[0]
            self._at, self._found = s, (value if math.isfinite(value) else math.inf, point, f)
        return self._found[0]

    def at(self, s: float) -> tuple[ndarray, ndarray]:
        """The point and the residuals after a step."""
        self(s)
        return self._found[1:]


def _armijo(phi: Callable, first: float) -> float | None:
    """A step that decreases the squared residuals enough, by polynomials through the last steps."""
    slope, c1, least = -first, 1e-4, 1e-2

    def is_enough(s: float, value: float) -> bool:
        return value <= first + c1 * s * slope

    before, f_before = 1.0, phi(1.0)
    if is_enough(before, f_before):
        return before
    now = -slope / 2 / (f_before - first - slope)
    f_now = phi(now)
    if is_enough(now, f_now):
        return now
    while now > least:
        factor = before**2 * now**2 * (now - before)
        rest, rest_before = f_now - first - slope * now, f_before - first - slope * before
        a = (before**2 * rest - now**2 * rest_before) / factor
        b = (-(before**3) * rest + now**3 * rest_before) / factor
        trial = (-b + math.sqrt(abs(b * b - 3 * a * slope))) / (3 * a)
        f_trial = phi(trial)
        if is_enough(trial, f_trial):
            return trial
        if now - trial > now / 2 or 1 - trial / now < 0.96:
            trial = now / 2
        before, f_before, now, f_now = now, f_now, trial, f_trial
    return None


def _wolfe(along: _Along, first: float, scale: float) -> float | None:
    """A step for Wolfe's conditions; slopes are differences of the squared residuals."""

    def both(s: float) -> tuple[float, float]:
        value = along(s)
        ds = (abs(s) + scale + 1) * 1e-8
        ahead = read(square(along.func(along.x + (s + ds) * along.dx)))[0]
        return value, (ahead - value) / ds

    return MoreThuente(1e-4, 0.9, 1e-2, (1e-2, 50.0), 100)(both, first, -first, 1.0)


def _searched(along: _Along, first: float, x: ndarray, kind: str) -> float:
    """The step of a line search, and the whole one where none is found."""
    if kind == "armijo":
        step = _armijo(along, first)
    else:
        sizes = read(square(x), square(along.dx))
        step = _wolfe(along, first, math.sqrt(sizes[0] / sizes[1]))
    return 1.0 if step is None else step


def _start(xin: Any) -> tuple[ndarray, tuple]:
    x = as_array(xin)
    if x.dtype.kind not in "fc":
        x = x.astype(np.float64)
    return x.reshape(-1).copy(), x.shape


def solve_nonlinear(
    F: Any,
    xin: Any,
    jacobian: Any,
    *,
    iter: Any = None,
    verbose: Any = False,
    maxiter: Any = None,
    f_tol: Any = None,
    f_rtol: Any = None,
    x_tol: Any = None,
    x_rtol: Any = None,
    tol_norm: Any = None,
    line_search: Any = "armijo",
    callback: Any = None,
) -> OptimizeResult:
    """The iteration of all methods: solve with the Jacobian, search along the step, update."""
    if line_search is True:
        line_search = "armijo"
    if line_search not in (None, False, "armijo", "wolfe"):
        raise ValueError("Invalid line search")
    x, shape = _start(xin)
    calls = 0

    def func(v: ndarray) -> ndarray:
        nonlocal calls
        calls += 1
        value = as_array(F(v.reshape(shape))).reshape(-1)
        return value if value.dtype.kind in "fc" else value.astype(np.float64)

    ending = _Ending(iter, f_tol, f_rtol, x_tol, x_rtol, tol_norm)
    f, dx = func(x), None
    jacobian.setup(x.copy(), f, func)
    most = maxiter if maxiter is not None else 100 * (x.size + 1) if iter is None else iter + 1
    first = read(square(f))[0]
    eta, status, k = 1e-3, 0, 0
    for k in range(most):
        status = ending.check(f, x, dx)
        if status:
            break
        tolerance = min(eta, eta * math.sqrt(first))
        dx = -jacobian.solve(f, tol=tolerance)
        (size,) = read(square(dx))
        if not math.isfinite(size):  # the matrix became singular: begin again
            jacobian.setup(x.copy(), f, func)
            dx = -jacobian.solve(f, tol=tolerance)
            (size,) = read(square(dx))
        if size == 0:
            raise ValueError(
                "Jacobian inversion yielded zero vector. This indicates a bug in the Jacobian "
                "approximation."
            )
        along = _Along(func, x, f, dx, first)
        step = _searched(along, first, x, line_search) if line_search else 1.0
        x, f = along.at(step)
        dx, value = step * dx, along(step)
        jacobian.update(x.copy(), f)
        if callback is not None:
            callback(x, f)
        ratio = value / first
        forced = 0.9 * ratio
        guarded = 0.9 * eta * eta
        eta = min(0.9999, forced if guarded < 0.1 else max(forced, guarded))
        first = value
        if verbose:
            print(f"{k}:  |F(x)| = {read(ending.norm(f))[0]:g}; step {step:g}")
    else:
        status = 2
    return OptimizeResult(
        x=x.reshape(shape),
        fun=f.reshape(shape),
        nit=ending.iteration,
        nfev=calls,
        status=status,
        success=status == 1,
        message=MESSAGES[status],
    )


NONLINEAR = {
    "broyden1": BroydenFirst,
    "broyden2": BroydenSecond,
    "anderson": Anderson,
    "linearmixing": Linear,
    "diagbroyden": Diagonal,
    "excitingmixing": Exciting,
    "krylov": KrylovJacobian,
}
# Options of `root`, by the names that the functions have for them.
_NAMES = {
    "nit": "iter",
    "disp": "verbose",
    "ftol": "f_rtol",
    "fatol": "f_tol",
    "xtol": "x_rtol",
    "xatol": "x_tol",
}


def root_nonlinear(
    fun: Any, x0: Any, args: tuple, method: str, tol: Any, callback: Any, options: Any
) -> OptimizeResult:
    """`root` by one of these methods."""
    given = dict(options or {})
    if tol is not None:
        limits = {"xtol": tol, "xatol": math.inf, "ftol": math.inf, "fatol": math.inf}
        given = limits | given
    jacobian = NONLINEAR[method](**(given.pop("jac_options", None) or {}))
    known = {_NAMES.get(key, key): value for key, value in given.items()}
    unknown = sorted(set(known) - set(_OPTIONS))
    if unknown:
        warn(f"Unknown solver options: {', '.join(unknown)}", OptimizeWarning)
    known = {key: value for key, value in known.items() if key in _OPTIONS}
    found = solve_nonlinear(lambda x: fun(x, *args), x0, jacobian, **known, callback=callback)
    return OptimizeResult(found, method=method)


_OPTIONS = (
    "iter",
    "verbose",
    "maxiter",
    "f_tol",
    "f_rtol",
    "x_tol",
    "x_rtol",
    "tol_norm",
    "line_search",
    "callback",
)


def _solved(F: Any, xin: Any, jacobian: Any, *options: Any) -> ndarray:
    """The solution of the iteration with options in the order of the list."""
    found = solve_nonlinear(F, xin, jacobian, **dict(zip(_OPTIONS, options, strict=True)))
    if not found.success and options[0] is None:
        raise NoConvergence(found.x)
    return found.x


def broyden1(
    F,
    xin,
    iter=None,
    alpha=None,
    reduction_method="restart",
    max_rank=None,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a system of equations by Broyden's first method.

    Parameters
    ----------
    F : callable
        Function ``F(x)`` of a device array of the shape of `xin`, that returns one of that shape.
    xin : array_like
        Point at which the iteration begins, of any shape; it may be complex.
    iter : int, optional
        Number of iterations to make; by default as many as the tolerances need.
    alpha : float, optional
        The Jacobian is -1 / `alpha` times the identity at first; by default a guess.
    reduction_method : str or tuple, optional
        What is done at `max_rank`: 'restart' drops all steps, 'simple' the oldest one, 'svd' or
        ('svd', k) keeps the k largest singular values, by default `max_rank` - 3.
    max_rank : int, optional
        Largest number of steps that are kept; by default all are.
    verbose : bool, optional
        If True, print each iteration.
    maxiter : int, optional
        Largest number of iterations.
    f_tol, f_rtol : float, optional
        Absolute tolerance of the residuals, by default 6e-6, and tolerance relative to the first.
    x_tol, x_rtol : float, optional
        Absolute and relative length of a step at which the iteration may end; by default any.
    tol_norm : callable, optional
        Norm of these conditions; by default the largest component.
    line_search : {'armijo', 'wolfe', None}, optional
        How the length of a step is chosen; None takes the whole step.
    callback : callable, optional
        Function ``callback(x, f)`` that is called with vectors after each iteration.
    **kw : object
        Further arguments of the Jacobian; others are refused.

    Returns
    -------
    ndarray
        Solution of the shape of `xin`.

    Raises
    ------
    NoConvergence
        If the iterations do not suffice.
    ValueError
        If the line search is not known, or a step is zero.

    See Also
    --------
    root : the same methods with a result of all details

    Notes
    -----
    Vectors and matrices stay on the device. An iteration reads three norms, the length of the step,
    and for each evaluation of its line search the length of the residuals.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import broyden1
    >>> broyden1(lambda x: x + x**3 / 10 - 1, cp.zeros(3)).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        BroydenFirst(alpha, reduction_method, max_rank, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )


@documented_as(broyden1)
def broyden2(
    F,
    xin,
    iter=None,
    alpha=None,
    reduction_method="restart",
    max_rank=None,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a system of equations by Broyden's second method.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import broyden2
    >>> broyden2(lambda x: x + x**3 / 10 - 1, cp.zeros(3)).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        BroydenSecond(alpha, reduction_method, max_rank, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )


@documented_as(broyden1)
def anderson(
    F,
    xin,
    iter=None,
    alpha=None,
    w0=0.01,
    M=5,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a system of equations by Anderson's mixing of the last steps.

    Parameters
    ----------
    w0 : float, optional
        Regularization of the small system, relative to its diagonal.
    M : int, optional
        Number of steps that are mixed.

    Notes
    -----
    As `broyden1`, and an iteration reads (M + 1)² products of the last changes.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import anderson
    >>> anderson(lambda x: x + x**3 / 10 - 1, cp.zeros(3)).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        Anderson(alpha, w0, M, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )


@documented_as(broyden1)
def linearmixing(
    F,
    xin,
    iter=None,
    alpha=None,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a system of equations by steps along the residuals.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import linearmixing
    >>> linearmixing(lambda x: x + x**3 / 10 - 1, cp.zeros(3), alpha=-0.5).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        Linear(alpha, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )


@documented_as(broyden1)
def diagbroyden(
    F,
    xin,
    iter=None,
    alpha=None,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a system of equations by Broyden's method with a diagonal matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import diagbroyden
    >>> diagbroyden(lambda x: x + x**3 / 10 - 1, cp.zeros(3), alpha=-0.5).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        Diagonal(alpha, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )


@documented_as(broyden1)
def excitingmixing(
    F,
    xin,
    iter=None,
    alpha=None,
    alphamax=1.0,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a system of equations by steps along the residuals of adapted lengths.

    Parameters
    ----------
    alphamax : float, optional
        Largest factor of a residual in a step.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import excitingmixing
    >>> excitingmixing(lambda x: 1 - x - x**3 / 10, cp.zeros(3), alpha=0.2).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        Exciting(alpha, alphamax, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )


@documented_as(broyden1)
def newton_krylov(
    F,
    xin,
    iter=None,
    rdiff=None,
    method="lgmres",
    inner_maxiter=20,
    inner_M=None,
    outer_k=10,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
    **kw,
) -> ndarray:
    """Solve a large system of equations by Newton's method with a Krylov method.

    Parameters
    ----------
    rdiff : float, optional
        Relative step of the differences that replace products with the Jacobian.
    method : str or callable, optional
        'lgmres', 'gmres', 'bicgstab', 'cgs', 'minres', 'tfqmr', or a function with their arguments.
    inner_maxiter : int, optional
        Largest number of its iterations in a step.
    inner_M : LinearOperator or InverseJacobian, optional
        Preconditioner; its method `update`, if there is one, is called at each point.
    outer_k : int, optional
        Number of vectors that 'lgmres' keeps between steps.
    **kw : object
        Further arguments of the Krylov method, each with the prefix ``inner_``.

    Notes
    -----
    Vectors stay on the device. A product with the Jacobian is one call of the function; the Krylov
    method waits for the device as it does for a matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import newton_krylov
    >>> newton_krylov(lambda x: x + x**3 / 10 - 1, cp.zeros(3)).round(4)
    array([0.9217, 0.9217, 0.9217])
    """
    return _solved(
        F,
        xin,
        KrylovJacobian(rdiff, method, inner_maxiter, inner_M, outer_k, **kw),
        iter,
        verbose,
        maxiter,
        f_tol,
        f_rtol,
        x_tol,
        x_rtol,
        tol_norm,
        line_search,
        callback,
    )
