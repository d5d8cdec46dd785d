"""Large systems of equations by quasi-Newton and Krylov methods, whose vectors stay on the device.

The iteration is that of C. T. Kelley, "Solving Nonlinear Equations with Newton's Method", with the
tolerances of S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput. 17 (1996).
"""

# Methods are definitions without a body, which `_by` replaces.
# mypy: disable-error-code="empty-body"

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import ndarray
from ...linalg._linalg import norm as length
from ._host import checked_options, scipy_optimize
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
from ._result import OptimizeResult

__all__ = [
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
        self.iteration, self._first = 0, None  # type: int, Any

    def sizes(self, *vectors: ndarray) -> list:
        """Norms of vectors, on the device."""
        return [as_array(self.norm(v)) for v in vectors]

    def check(self, size: float, place: float, moved: float) -> int:
        """0 to go on, 1 where it converged, 2 after the wanted number of iterations. Takes norms of
        the residuals, of the point and of the step to it."""
        if not math.isfinite(size):
            raise ValueError("the residuals must not contain infs or NaNs")
        self.iteration += 1
        if self._first is None:
            self._first = size
        if size == 0:
            return 1
        if self.count is not None:
            return 2 * (self.iteration > self.count)
        is_small = size <= self.f_tol and size / self.f_rtol <= self._first
        return int(is_small and moved <= self.x_tol and moved / self.x_rtol <= place)


class _Along:
    """The squared length of the residuals along a step, with what else is read at a place: the
    length of the whole step, and norms of the residuals, of the point and of that step."""

    def __init__(self, func: Callable, ending: _Ending, x: ndarray, dx: ndarray) -> None:
        self.func, self.ending, self.x, self.dx = func, ending, x, dx
        self._at: float | None = None
        self(1.0)

    def __call__(self, s: float) -> float:
        if s != self._at:
            self.point = self.x + (self.dx if s == 1 else s * self.dx)
            self.f, self._at = self.func(self.point), s
            value: Any
            value, norms = square(self.f), self.ending.sizes
            if s == 1:  # mostly the step that is taken
                more = square(self.dx), *norms(self.f, self.point, self.dx)
                value, self.length, *self._sizes = read(value, *more)
                self._moved = self._sizes[-1]
            else:
                (value,), self._sizes = read(value), []
            self.value = value if math.isfinite(value) else math.inf
        return self.value

    def sizes(self) -> list:
        """Norms of the residuals, of the point and, as SciPy has it, of the whole step."""
        if not self._sizes:
            self._sizes = [*read(*self.ending.sizes(self.f, self.point)), self._moved]
        return self._sizes


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
        if a:
            trial = (-b + math.sqrt(abs(b * b - 3 * a * slope))) / (3 * a)
        else:  # the values are those of a parabola, whose least one was not enough
            trial = now / 2
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
        step = _wolfe(along, first, math.sqrt(read(square(x))[0] / along.length))
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
    f = func(x)
    jacobian.setup(x.copy(), f, func)
    most = maxiter if maxiter is not None else 100 * (x.size + 1) if iter is None else iter + 1
    first, *sizes = read(square(f), *ending.sizes(f, x))
    sizes.append(math.inf)
    eta, status, k = 1e-3, 0, 0
    for k in range(most):
        status = ending.check(*sizes)
        if status:
            break
        tolerance = min(eta, eta * math.sqrt(first))
        before = calls
        along = _Along(func, ending, x, -jacobian.solve(f, tol=tolerance))
        if not math.isfinite(along.length):  # the matrix became singular: begin again
            calls = before
            jacobian.setup(x.copy(), f, func)
            along = _Along(func, ending, x, -jacobian.solve(f, tol=tolerance))
        if along.length == 0 and not bool(along.dx.any()):  # squares of small numbers vanish
            raise ValueError(
                "Jacobian inversion yielded zero vector. This indicates a bug in the Jacobian "
                "approximation."
            )
        step = _searched(along, first, x, line_search) if line_search else 1.0
        value = along(step)
        x, f, sizes = along.point, along.f, along.sizes()
        jacobian.update(x.copy(), f)
        if callback is not None:
            callback(x, f)
        ratio = value / first
        forced = 0.9 * ratio
        guarded = 0.9 * eta * eta
        eta = min(0.9999, forced if guarded < 0.1 else max(forced, guarded))
        first = value
        if verbose:
            print(f"{k}:  |F(x)| = {sizes[0]:g}; step {step:g}")
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
    given = checked_options(options)
    if tol is not None:
        limits = {"xtol": tol, "xatol": math.inf, "ftol": math.inf, "fatol": math.inf}
        given = limits | given
    jacobian = NONLINEAR[method](**(given.pop("jac_options", None) or {}))
    known = {_NAMES.get(key, key): value for key, value in given.items()}
    unknown = sorted(set(known) - set(_OPTIONS))
    if unknown:
        warn(f"Unknown solver options: {', '.join(unknown)}", scipy_optimize().OptimizeWarning)
    known = {key: value for key, value in known.items() if key in _OPTIONS}
    found = solve_nonlinear(lambda x: fun(x, *args), x0, jacobian, **known, callback=callback)
    return OptimizeResult(found, method=method)


def _every(
    F,
    xin,
    iter=None,
    verbose=False,
    maxiter=None,
    f_tol=None,
    f_rtol=None,
    x_tol=None,
    x_rtol=None,
    tol_norm=None,
    line_search="armijo",
    callback=None,
):
    """What all methods take; arguments of the Jacobian come behind `iter`."""


_SHARED = list(inspect.signature(_every).parameters.values())
_OPTIONS = [parameter.name for parameter in _SHARED[2:]]


def _by(jacobian: Any) -> Callable[[Callable], Callable]:
    """Make a method of a definition without a body, whose arguments are those of its Jacobian."""

    def make(definition: Callable) -> Callable:
        own = inspect.signature(definition)
        *arguments, more = own.parameters.values()
        signature = own.replace(parameters=[*_SHARED[:3], *arguments, *_SHARED[3:], more])

        @functools.wraps(definition)
        def solve(*args: Any, **kwargs: Any) -> ndarray:
            given = signature.bind(*args, **kwargs).arguments
            F, xin, kw = given.pop("F"), given.pop("xin"), given.pop(more.name, {})
            options = {name: given.pop(name) for name in _OPTIONS if name in given}
            found = solve_nonlinear(F, xin, jacobian(**given, **kw), **options)
            if not found.success and options.get("iter") is None:
                raise scipy_optimize().NoConvergence(found.x)
            return found.x

        solve.__signature__ = signature  # type: ignore[attr-defined]
        return solve

    return make


@_by(BroydenFirst)
def broyden1(alpha=None, reduction_method="restart", max_rank=None, **kw) -> ndarray:
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
        At `max_rank` 'restart' drops all steps, 'simple' the oldest, ('svd', k) all but k values.
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
    Vectors stay on the device. An iteration reads once, and at each further place of its search.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import broyden1
    >>> broyden1(lambda x: x + x**3 / 10 - 1, cp.zeros(3)).round(4)
    array([0.9217, 0.9217, 0.9217])
    """


@documented_as(broyden1)
@_by(BroydenSecond)
def broyden2(alpha=None, reduction_method="restart", max_rank=None, **kw) -> ndarray:
    """Solve a system of equations by Broyden's second method.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import broyden2
    >>> broyden2(lambda x: x + x**3 / 10 - 1, cp.zeros(3)).round(4)
    array([0.9217, 0.9217, 0.9217])
    """


@documented_as(broyden1)
@_by(Anderson)
def anderson(alpha=None, w0=0.01, M=5, **kw) -> ndarray:
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


@documented_as(broyden1)
@_by(Linear)
def linearmixing(alpha=None, **kw) -> ndarray:
    """Solve a system of equations by steps along the residuals.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import linearmixing
    >>> linearmixing(lambda x: x + x**3 / 10 - 1, cp.zeros(3), alpha=-0.5).round(4)
    array([0.9217, 0.9217, 0.9217])
    """


@documented_as(broyden1)
@_by(Diagonal)
def diagbroyden(alpha=None, **kw) -> ndarray:
    """Solve a system of equations by Broyden's method with a diagonal matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import diagbroyden
    >>> diagbroyden(lambda x: x + x**3 / 10 - 1, cp.zeros(3), alpha=-0.5).round(4)
    array([0.9217, 0.9217, 0.9217])
    """


@documented_as(broyden1)
@_by(Exciting)
def excitingmixing(alpha=None, alphamax=1.0, **kw) -> ndarray:
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


@documented_as(broyden1)
@_by(KrylovJacobian)
def newton_krylov(
    rdiff=None, method="lgmres", inner_maxiter=20, inner_M=None, outer_k=10, **kw
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
