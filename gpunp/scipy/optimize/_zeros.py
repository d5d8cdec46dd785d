"""Zeros of functions of a number: SciPy's methods, and Newton's of many functions at once."""

from typing import Any, NamedTuple

import numpy as np

from ..._core._convert import as_array, per_axis, shown
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import asarray, ndarray, where, zeros
from ..._core.umath import absolute
from ...linalg._linalg import norm as length
from ._host import number, on_host, scipy_optimize, to_host
from ._objective import EPS, tuple_of

__all__ = [
    "bisect",
    "brenth",
    "brentq",
    "newton",
    "ridder",
    "root_scalar",
    "toms748",
]

_RTOL = 4 * EPS


class _Zeros(NamedTuple):
    """What became of the iterations, under SciPy's names."""

    root: ndarray
    converged: ndarray
    zero_der: ndarray


def _bracketed(name: str, f: Any, a: Any, b: Any, args: Any, *more: Any) -> Any:
    called = on_host(f, tuple_of(args), number)
    ends = number(a), number(b)
    return getattr(scipy_optimize(), name)(called, *ends, (), *map(number, more))


def bisect(
    f, a, b, args=(), xtol=2e-12, rtol=_RTOL, maxiter=100, full_output=False, disp=True
) -> Any:
    """Find a zero of a function in an interval by halving it.

    Parameters
    ----------
    f : callable
        Function of a number of the host that returns a number, on the host or on the device, from
        which it is read.
    a, b : float
        Ends of the interval, where the function has different signs.
    args : tuple, optional
        Further arguments of the function.
    xtol, rtol : float, optional
        Absolute and relative tolerance of the zero.
    maxiter : int, optional
        Largest number of iterations.
    full_output : bool, optional
        If True, return also SciPy's `RootResults`.
    disp : bool, optional
        If True, raise RuntimeError if the iterations do not converge.

    Returns
    -------
    root : float
        Zero of the function, a number of the host.
    r : RootResults
        With `full_output`: counts, and whether the iterations converged.

    Raises
    ------
    ValueError
        If the function has the same sign at both ends.
    RuntimeError
        If the iterations do not converge.

    See Also
    --------
    gpunp.scipy.optimize.elementwise.find_root : zeros of many functions at once

    Notes
    -----
    SciPy chooses the numbers on the host.

    Examples
    --------
    >>> from gpunp.scipy import optimize
    >>> round(optimize.bisect(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    return _bracketed("bisect", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


@documented_as(bisect)
def brentq(
    f, a, b, args=(), xtol=2e-12, rtol=_RTOL, maxiter=100, full_output=False, disp=True
) -> Any:
    """Find a zero of a function in an interval by Brent's method with inverse parabolas.

    Examples
    --------
    >>> from gpunp.scipy import optimize
    >>> round(optimize.brentq(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    return _bracketed("brentq", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


@documented_as(bisect)
def brenth(
    f, a, b, args=(), xtol=2e-12, rtol=_RTOL, maxiter=100, full_output=False, disp=True
) -> Any:
    """Find a zero of a function in an interval by Brent's method with hyperbolas.

    Examples
    --------
    >>> from gpunp.scipy import optimize
    >>> round(optimize.brenth(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    return _bracketed("brenth", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


@documented_as(bisect)
def ridder(
    f, a, b, args=(), xtol=2e-12, rtol=_RTOL, maxiter=100, full_output=False, disp=True
) -> Any:
    """Find a zero of a function in an interval by the method of Ridders.

    Examples
    --------
    >>> from gpunp.scipy import optimize
    >>> round(optimize.ridder(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    return _bracketed("ridder", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


@documented_as(bisect)
def toms748(
    f, a, b, args=(), k=1, xtol=2e-12, rtol=_RTOL, maxiter=100, full_output=False, disp=True
) -> Any:
    """Find a zero of a function in an interval by TOMS algorithm 748.

    Parameters
    ----------
    k : int, optional
        Number of Newton steps in an iteration.

    Examples
    --------
    >>> from gpunp.scipy import optimize
    >>> root, found = optimize.toms748(lambda x: x * x - 2, 0, 2, full_output=True)
    >>> round(root, 9), found.converged
    (1.414213562, True)
    """
    return _bracketed("toms748", f, a, b, args, k, xtol, rtol, maxiter, full_output, disp)


def _bracket_of(bracket: Any) -> Any:
    if bracket is None:
        return None
    try:
        return tuple(map(number, per_axis(to_host(bracket))))
    except TypeError as error:
        raise ValueError(f"bracket must be two numbers, not {shown(bracket)}") from error


@documented_as(bisect)
def root_scalar(
    f,
    args=(),
    method=None,
    bracket=None,
    fprime=None,
    fprime2=None,
    x0=None,
    x1=None,
    xtol=None,
    rtol=None,
    maxiter=None,
    options=None,
) -> Any:
    """Find a zero of a function of a number.

    Parameters
    ----------
    args : tuple, optional
        Further arguments of the function and of its derivatives.
    method : str, optional
        'bisect', 'brentq', 'brenth', 'ridder', 'toms748', 'secant', 'newton' or 'halley'; by
        default what suits the other arguments.
    bracket : pair of float, optional
        Interval at whose ends the function has different signs.
    fprime, fprime2 : callable or bool, optional
        Derivatives; True says that `f` returns them as well.
    x0, x1 : float, optional
        Numbers at which the search begins.
    options : dict, optional
        Further options of the method.

    Returns
    -------
    RootResults
        SciPy's result, with the attributes `root`, `converged`, `flag`, `iterations` and
        `function_calls`.

    Raises
    ------
    ValueError
        If the function has the same sign at both ends of the interval, or no method suits.

    Notes
    -----
    SciPy chooses the numbers on the host.

    Examples
    --------
    >>> from gpunp.scipy import optimize
    >>> optimize.root_scalar(lambda x: x**3 - 1, bracket=(0, 3)).converged
    True
    """
    args = tuple_of(args)
    if method is not None and not isinstance(method, str):
        raise ValueError(f"method must be a name, not {shown(method)}")
    several = fprime is True or fprime2 is True
    return scipy_optimize().root_scalar(
        on_host(f, args, to_host if several else number),
        method=method,
        bracket=_bracket_of(bracket),
        fprime=on_host(fprime, args, number),
        fprime2=on_host(fprime2, args, number),
        x0=number(x0),
        x1=number(x1),
        xtol=number(xtol),
        rtol=number(rtol),
        maxiter=number(maxiter),
        options=options,
    )


def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-08,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
    full_output=False,
    disp=True,
) -> Any:
    """Find zeros of functions by the methods of Newton, of secants, or of Halley.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)``, elementwise for an array.
    x0 : float, ndarray or sequence of float
        Number, or numbers, at which the search begins.
    fprime : callable, optional
        Derivative; without it secants are used.
    args : tuple, optional
        Further arguments of the functions.
    tol : float, optional
        Absolute tolerance of the zeros.
    maxiter : int, optional
        Largest number of iterations.
    fprime2 : callable, optional
        Second derivative, for Halley's method.
    x1 : float or ndarray, optional
        Second start of secants.
    rtol : float, optional
        Relative tolerance of the zeros.
    full_output : bool, optional
        If True, return also what became of the iterations.
    disp : bool, optional
        If True, raise RuntimeError if a number does not converge.

    Returns
    -------
    root : float or ndarray
        Zeros of the functions.
    converged : ndarray of bool
        With `full_output`, for several numbers: where the iterations converged. For one number
        SciPy's `RootResults`.
    zero_der : ndarray of bool
        With `full_output`, for several numbers: where a derivative was zero.

    Raises
    ------
    RuntimeError
        If no element converges, although no derivative is zero, or one number does not and `disp`
        is True.

    Warns
    -----
    RuntimeWarning
        If some derivatives of several elements are zero, or some elements do not converge.

    Notes
    -----
    All elements are iterated until the last one converges; an iteration reads one flag.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import optimize
    >>> a = cp.array([1.0, 4.0, 9.0])
    >>> optimize.newton(lambda x: x * x - a, cp.ones(3), lambda x: 2 * x)
    array([1., 2., 3.])
    """
    args = tuple(args) if isinstance(args, list) else tuple_of(args)
    x0 = as_array(x0) if isinstance(x0, (list, tuple)) else x0
    if not isinstance(x0, ndarray) or x0.size == 1:
        has_axes = isinstance(x0, ndarray) and x0.ndim > 0
        take = to_host if has_axes else number
        found = scipy_optimize().newton(
            on_host(func, args, take),
            take(x0),
            fprime=on_host(fprime, args, take),
            tol=number(tol),
            maxiter=number(maxiter),
            fprime2=on_host(fprime2, args, take),
            x1=take(x1),
            rtol=number(rtol),
            full_output=full_output,
            disp=disp,
        )
        return _roots_on_device(found) if has_axes else found
    if tol <= 0:
        raise ValueError(f"tol too small ({tol:g} <= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    start = x0.astype(np.result_type(x0.dtype, np.float64))
    if fprime is not None:
        found = _newton(func, start, fprime, fprime2, args, (tol, rtol, maxiter))
    else:
        found = _secants(func, start, x1, args, (tol, rtol, maxiter))
    x, failing, flat, apart = found
    _tell(failing, flat, apart, maxiter)
    return _Zeros(x, ~failing, flat) if full_output else x


def _tell(failing: ndarray, flat: ndarray, apart: Any, most: int) -> None:
    """Warn of zero derivatives, or of elements that do not converge; raise if none does."""
    if not bool(failing.any()):
        return
    is_flat = bool(flat.any())
    which = "all" if bool((flat if is_flat else failing).all()) else "some"
    if not is_flat:
        message = f"{which} failed to converge after {most} iterations"
        if which == "all":
            raise RuntimeError(message)
    elif apart is None:
        message = f"{which} derivatives were zero"
    else:
        message = f"RMS of {float(length(where(flat, apart, 0.0))):g} reached"
    warn(message, RuntimeWarning)


def _roots_on_device(found: Any) -> Any:
    """What SciPy's `newton` returned for an array of one element, its roots on the device."""
    if not isinstance(found, tuple):
        return asarray(found)
    root, result = found
    result.root = asarray(root)
    return result.root, result


def _newton(
    f: Any, x: ndarray, fprime: Any, fprime2: Any, args: tuple, limits: tuple
) -> tuple[ndarray, ndarray, ndarray, Any]:
    tol, rtol, most = limits
    flat, failing = zeros(x.shape, bool), ~zeros(x.shape, bool)
    for _ in range(most):
        value, slope = as_array(f(x, *args)), as_array(fprime(x, *args))
        at_zero = value == 0
        flat = (slope == 0) & ~at_zero & failing | flat
        moves = failing & ~at_zero & (slope != 0)
        step = value / where(slope != 0, slope, 1.0)
        if fprime2 is not None:
            curve = as_array(fprime2(x, *args))
            step = step / (1.0 - 0.5 * step * curve / where(slope != 0, slope, 1.0))
        x = where(moves, x - step, x)
        failing = moves & (absolute(step) > tol + rtol * absolute(x)) | flat & failing & ~at_zero
        if not bool((failing & ~flat).any()):
            break
    return x, failing, flat, None


def _secants(
    f: Any, x: ndarray, x1: Any, args: tuple, limits: tuple
) -> tuple[ndarray, ndarray, ndarray, Any]:
    tol, rtol, most = limits
    if x1 is None:
        before = x * (1 + EPS**0.25) + where(x >= 0, 1.0, -1.0) * EPS**0.25
    else:
        before = as_array(x1).astype(x.dtype) + x * 0
    q0, q1 = as_array(f(x, *args)), as_array(f(before, *args))
    p0, p1 = x, before
    flat, failing = zeros(x.shape, bool), ~zeros(x.shape, bool)
    for _ in range(most):
        is_flat = (q1 == q0) & failing
        flat = flat | is_flat & (p1 != p0)
        moves = failing & ~is_flat
        step = q1 * (p1 - p0) / where(q1 != q0, q1 - q0, 1.0)
        p = where(moves, p1 - step, where(is_flat, (p1 + p0) / 2, p1))
        failing = moves & (absolute(p - p1) > tol + rtol * absolute(p))
        p0, q0 = where(moves, p1, p0), where(moves, q1, q0)
        p1 = p
        if not bool(failing.any()):
            break
        q1 = as_array(f(p1, *args))
    # Where the function is flat, and the two numbers are far from each other.
    gap = absolute(p1 - p0)
    far = flat & (gap >= tol + rtol * absolute(p1))
    return p1, failing | far, far, gap
