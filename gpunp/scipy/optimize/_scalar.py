"""Minima of functions of a number by SciPy's methods, and fixed points of arrays on the device."""

from typing import Any

from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray, where
from ..._core.umath import absolute
from ...linalg._triangular import refuse_infinite
from ._host import number, on_host, scipy_optimize, to_host
from ._objective import EPS, tuple_of

__all__ = ["bracket", "brent", "fixed_point", "fminbound", "golden"]


def bracket(func, xa=0.0, xb=1.0, args=(), grow_limit=110.0, maxiter=1000) -> Any:
    """Find three numbers between which a function has a minimum.

    Parameters
    ----------
    func : callable
        Function of a number of the host that returns a number, on the host or on the device, from
        which it is read.
    xa, xb : float, optional
        Numbers at which the search begins.
    args : tuple, optional
        Further arguments of the function.
    grow_limit : float, optional
        Largest factor by which the interval grows in a step.
    maxiter : int, optional
        Largest number of iterations.

    Returns
    -------
    xa, xb, xc : float
        Numbers in order, ascending or descending; the function is smallest at the middle one.
    fa, fb, fc : float
        Values there.
    funcalls : int
        Number of evaluations.

    Raises
    ------
    RuntimeError
        If no bracket is found.

    Notes
    -----
    SciPy chooses the numbers on the host.

    Examples
    --------
    >>> from gpunp.scipy.optimize import bracket
    >>> low, middle, high, *_ = bracket(lambda x: (x - 2.0) ** 2)
    >>> bool(low < 2.0 < high)
    True
    """
    called = on_host(func, tuple_of(args), number)
    return scipy_optimize().bracket(
        called, number(xa), number(xb), grow_limit=grow_limit, maxiter=maxiter
    )


def _line_minimum(name: str, func: Any, args: Any, brack: Any, *more: Any) -> Any:
    called = on_host(func, tuple_of(args), number)
    return getattr(scipy_optimize(), name)(called, (), to_host(brack), *more)


@documented_as(bracket)
def brent(func, args=(), brack=None, tol=1.48e-8, full_output=0, maxiter=500) -> Any:
    """Find a minimum of a function of a number by Brent's method, with parabolas.

    Parameters
    ----------
    brack : sequence of float, optional
        Two numbers at which a bracket is searched, or three that are one.
    tol : float, optional
        Relative tolerance of the result.
    full_output : bool, optional
        If True, return all that is described below.

    Returns
    -------
    xmin : float
        Place of the minimum.
    fval : float
        With `full_output`: the value there.
    iter, funcalls : int
        With `full_output`: counts of iterations (of `brent` alone) and of evaluations.

    Raises
    ------
    ValueError
        If `brack` is no bracket.

    See Also
    --------
    gpunp.scipy.optimize.elementwise.find_minimum : minima of many functions at once

    Examples
    --------
    >>> from gpunp.scipy.optimize import brent
    >>> round(float(brent(lambda x: (x - 2.0) ** 2)), 6)
    2.0
    """
    return _line_minimum("brent", func, args, brack, tol, full_output, maxiter)


@documented_as(brent)
def golden(func, args=(), brack=None, tol=EPS**0.5, full_output=0, maxiter=5000) -> Any:
    """Find a minimum of a function of a number by golden sections of a bracket.

    Examples
    --------
    >>> from gpunp.scipy.optimize import golden
    >>> round(float(golden(lambda x: (x - 2.0) ** 2)), 6)
    2.0
    """
    return _line_minimum("golden", func, args, brack, tol, full_output, maxiter)


@documented_as(brent)
def fminbound(func, x1, x2, args=(), xtol=1e-5, maxfun=500, full_output=0, disp=1) -> Any:
    """Find a minimum of a function of a number within bounds, by Brent's method.

    Parameters
    ----------
    x1, x2 : float
        Bounds of the search.
    xtol : float, optional
        Absolute tolerance of the result.
    maxfun : int, optional
        Largest number of evaluations.
    disp : int, optional
        0: print nothing, 1: print failures, 2: and successes, 3: and each iteration.

    Returns
    -------
    xopt : float
        Place of the minimum.
    fval : float
        With `full_output`: the value there.
    ierr, numfunc : int
        With `full_output`: 1 if the evaluations did not suffice, and their number.

    Raises
    ------
    ValueError
        If the bounds are not finite numbers in order.

    Examples
    --------
    >>> from gpunp.scipy.optimize import fminbound
    >>> round(float(fminbound(lambda x: (x - 2.0) ** 2, 0, 5)), 6)
    2.0
    """
    called = on_host(func, tuple_of(args), number)
    bounds = number(x1), number(x2)
    return scipy_optimize().fminbound(called, *bounds, (), xtol, maxfun, full_output, disp)


def _accelerated(x: ndarray, first: ndarray, second: ndarray) -> ndarray:
    """Aitken's limit of three iterates, the last one where it is not defined."""
    bend = second - 2.0 * first + x
    is_straight = bend == 0
    return where(is_straight, second, x - (first - x) ** 2 / where(is_straight, 1, bend))


def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2") -> ndarray:
    """Find a point that a function maps to itself, for all elements of an array together.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array that returns one of its shape.
    x0 : array_like
        Points at which the search begins.
    args : tuple, optional
        Further arguments of the function.
    xtol : float, optional
        Relative change of all elements at which the search ends.
    maxiter : int, optional
        Largest number of iterations.
    method : {'del2', 'iteration'}, optional
        Steffensen's method, which accelerates by Aitken's formula, or plain iteration.

    Returns
    -------
    ndarray
        Fixed points, with the shape of `x0`.

    Raises
    ------
    RuntimeError
        If the iterations do not converge.
    ValueError
        If the method is not known.

    Notes
    -----
    Points stay on the device. Each iteration reads one flag.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fixed_point
    >>> fixed_point(lambda x, a: a * cp.cos(x), cp.ones(2), args=(cp.array([1.0, 0.5]),)).round(6)
    array([0.739085, 0.450184])
    """
    if method not in ("del2", "iteration"):
        raise ValueError(f"`method` must be 'del2' or 'iteration', not {method!r}")
    is_accelerated = method == "del2"
    x, args = as_array(x0), tuple_of(args)
    refuse_infinite(x)
    limit = xtol if isinstance(xtol, (int, float, ndarray)) else as_array(xtol)
    for _ in range(maxiter):
        new = as_array(func(x, *args))
        if is_accelerated:
            new = _accelerated(x, new, as_array(func(new, *args)))
        is_zero = x == 0
        change = where(is_zero, new, (new - x) / where(is_zero, 1, x))
        if bool((absolute(change) < limit).all()):
            return new
        x = new
    raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {x}")
