"""Integrals of samples, and of functions by rules and by SciPy's adaptive routines."""

import ctypes
import numbers
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import (
    MAX_DIMS,
    as_array,
    as_host,
    check_device_memory,
    check_host_memory,
    index_of_axis,
    shown,
    whole,
    without_cycles,
)
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, concatenate, empty, ndarray, where
from ..._core.numeric import moveaxis
from ...lib._function_base_impl import trapezoid
from ...lib._stride_tricks_impl import broadcast_to
from .._host import to_device, to_host

__all__ = [
    "cumulative_simpson",
    "cumulative_trapezoid",
    "dblquad",
    "fixed_quad",
    "lebedev_rule",
    "newton_cotes",
    "nquad",
    "quad",
    "quad_vec",
    "romb",
    "simpson",
    "tplquad",
    "trapezoid",
]

# ---- samples -------------------------------------------------------------------------------------


def _floating(y: Any) -> ndarray:
    y = as_array(y)
    return y if y.dtype.kind in "fc" else y.astype(np.float64)


def _intervals(x: Any, y: ndarray, axis: int) -> ndarray:
    """Lengths between the samples, with the axis last."""
    x = as_array(x)
    if x.ndim == 1:
        if x.size != y.shape[axis]:
            raise ValueError("If given, length of x along axis must be the same as y.")
        return x[1:] - x[:-1]
    if x.shape != y.shape:
        raise ValueError("If given, shape of x must be 1-D or the same as y.")
    x = moveaxis(x, axis, -1)
    return x[..., 1:] - x[..., :-1]


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None) -> ndarray:
    """Integrate samples up to each of them by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples of the integrand.
    x : array_like, optional
        Places of the samples: one axis, or the shape of `y`.
    dx : float, optional
        Distance of the samples without `x`.
    axis : int, optional
        Axis along which to integrate.
    initial : {0}, optional
        If given, a zero before the first integral, so that the result has the shape of `y`.

    Returns
    -------
    ndarray
        Integrals, one fewer along the axis than samples without `initial`.

    Raises
    ------
    ValueError
        If there are no samples, or shapes disagree, or `initial` is not zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.cumulative_trapezoid(cp.array([0.0, 1.0, 2.0]))
    array([0.5, 2. ])
    """
    y = _floating(y)
    axis = index_of_axis(axis, y.ndim)
    if y.shape[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    if initial is not None and not (isinstance(initial, (int, float)) and initial == 0):
        raise ValueError("`initial` must be `None` or `0`.")
    h = dx if x is None else _intervals(x, y, axis)
    y = moveaxis(y, axis, -1)
    sums = um.add.accumulate(h * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        start = empty((*sums.shape[:-1], 1), sums.dtype)
        start[...] = 0
        sums = concatenate((start, sums), axis=-1)
    return moveaxis(sums, -1, axis)


def _thirds(y: ndarray, dx: float) -> ndarray:
    """Simpson's rule for an odd number of equidistant samples along the last axis."""
    sums = y[..., 0] + y[..., -1] + 4 * y[..., 1::2].sum(axis=-1)
    return (sums + 2 * y[..., 2:-1:2].sum(axis=-1)) * (dx / 3.0)


def _quotient(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is 0."""
    there = b != 0
    return where(there, a, 0.0) / where(there, b, 1.0)


def _parabolas(y: ndarray, h: ndarray) -> ndarray:
    """Simpson's rule for an odd number of samples at any distances, along the last axis."""
    h0, h1 = h[..., ::2], h[..., 1::2]
    both = h0 + h1
    first, middle, last = y[..., :-2:2], y[..., 1:-1:2], y[..., 2::2]
    parts = first * (2.0 - _quotient(h1, h0)) + last * (2.0 - _quotient(h0, h1))
    parts = parts + middle * both * _quotient(both, h0 * h1)
    return (both / 6.0 * parts).sum(axis=-1)


def _first_parts(y: ndarray, h: ndarray) -> ndarray:
    """Integrals over the first of two intervals under the parabolas through three samples each.

    K. V. Cartwright, J. Math. Sci. Math. Educ. 12 (2017).
    """
    first, middle, last = y[..., :-2], y[..., 1:-1], y[..., 2:]
    if h.shape[-1] == 1:
        return h / 3 * (1.25 * first + 2 * middle - 0.25 * last)
    h0, h1 = h[..., :-1], h[..., 1:]
    part, ratio = h0 / (h0 + h1), h0 / h1
    bend = part * ratio
    return h0 / 6 * ((3 - part) * first + (3 + bend + part) * middle - bend * last)


def _one_along(value: Any, y: ndarray, axis: int, name: str) -> Any:
    """A number, or an array with one element along the axis, which becomes the last one."""
    made = as_array(value)
    shape = list(y.shape)
    shape[axis] = 1
    if made.ndim and tuple(made.shape) != tuple(shape):
        raise ValueError(
            f"If provided, `{name}` must either be a scalar or have the same shape as `y` but with "
            "only 1 point along `axis`."
        )
    return moveaxis(made, axis, -1) if made.ndim else made.reshape((1,) * y.ndim)


def _lengths(x: Any, dx: Any, y: ndarray, axis: int) -> ndarray:
    """Lengths of the intervals along the last axis, one where they are equal."""
    if x is None:
        return _one_along(dx, y, axis, "dx")
    x = as_array(x)
    if x.shape != y.shape and x.shape != (y.shape[axis],):
        raise ValueError(
            "If given, shape of `x` must be the same as `y` or 1-D with the same length as `y` "
            "along `axis`."
        )
    h = _intervals(x, y, axis)
    if bool((h <= 0).any()):
        raise ValueError("Input x must be strictly increasing.")
    return h


def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None) -> ndarray:
    """Integrate samples up to each of them by Simpson's rule.

    Parameters
    ----------
    y : array_like
        Samples of the integrand.
    x : array_like, optional
        Places of the samples, ascending: one axis, or the shape of `y`.
    dx : float or array_like, optional
        Distance of the samples without `x`: a number, or an array of the shape of `y` with one
        element along the axis.
    axis : int, optional
        Axis along which to integrate.
    initial : float or array_like, optional
        If given, a number (or array, as `dx`) that comes before the first integral and is added to
        all, so that the result has the shape of `y`.

    Returns
    -------
    ndarray
        Integrals, one fewer along the axis than samples without `initial`. Each interval is under
        the parabola through its ends and the next sample, or the last one, in turn.

    Raises
    ------
    ValueError
        If there are no samples, shapes disagree, or `x` does not ascend.

    Notes
    -----
    With `x` one flag is read, whether it ascends.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.cumulative_simpson(cp.arange(5.0) ** 2, initial=0).round(6)
    array([ 0.      ,  0.333333,  2.666667,  9.      , 21.333333])
    """
    y, axis = _floating(y), operator.index(axis)
    if not -y.ndim <= axis < y.ndim:
        raise ValueError(f"`axis={axis}` is not valid for `y` with `y.ndim={y.ndim}`.")
    count = y.shape[axis]
    if not count:
        raise ValueError("At least one point is required along `axis`.")
    start = None if initial is None else _one_along(initial, y, axis, "initial")
    if count < 3:
        # A number does not change the type; an array has the axis last, as it is multiplied there.
        h = _one_along(dx, y, axis, "dx") if x is None and isinstance(dx, ndarray) else dx
        sums = moveaxis(cumulative_trapezoid(y, x, h, axis), axis, -1)
    else:
        h = _lengths(x, dx, y, axis)
        y = moveaxis(y, axis, -1)
        ahead = _first_parts(y, h)
        back = _first_parts(y[..., ::-1], h[..., ::-1])[..., ::-1]
        parts = empty((*y.shape[:-1], count - 1), ahead.dtype)
        parts[..., :-1:2], parts[..., 1::2] = ahead[..., ::2], back[..., ::2]
        parts[..., -1] = back[..., -1]
        sums = um.add.accumulate(parts, axis=-1)
    if start is not None:
        first = broadcast_to(start, (*sums.shape[:-1], 1))
        sums = concatenate((first, sums + start), axis=-1)
    return moveaxis(sums, -1, axis)


def simpson(y, x=None, *, dx=1.0, axis=-1) -> ndarray:
    """Integrate samples by Simpson's rule.

    Parameters
    ----------
    y : array_like
        Samples of the integrand.
    x : array_like, optional
        Places of the samples: one axis, or the shape of `y`.
    dx : float, optional
        Distance of the samples without `x`.
    axis : int, optional
        Axis along which to integrate.

    Returns
    -------
    ndarray
        Integral of the parabolas through three samples each. For an even number of samples the last
        interval is that of the parabola through the last three.

    Raises
    ------
    ValueError
        If shapes disagree.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.simpson(cp.arange(5.0) ** 3, dx=1.0)
    array(64.)
    """
    y = _floating(y)
    axis = index_of_axis(axis, y.ndim)
    h = None if x is None else _intervals(x, y, axis)
    y = moveaxis(y, axis, -1)
    n = y.shape[-1]
    if n == 2:
        return (y[..., 0] + y[..., 1]) * (0.5 * (dx if h is None else h[..., 0]))
    odd = y if n % 2 else y[..., :-1]
    result = _thirds(odd, dx) if h is None else _parabolas(odd, h[..., : odd.shape[-1] - 1])
    if n % 2 or n == 0:
        return result if n > 1 else result * 0
    a, b = (dx, dx) if h is None else (h[..., -2], h[..., -1])
    # Integrals from the last but one sample to the last of the parabola's three parts (Cartwright).
    weights = (
        _quotient(2 * b * b + 3 * a * b, 6 * (a + b)) if h is not None else 5 * dx / 12,
        _quotient(b * b + 3 * a * b, 6 * a) if h is not None else 2 * dx / 3,
        _quotient(b * b * b, 6 * a * (a + b)) if h is not None else dx / 12,
    )
    return result + weights[0] * y[..., -1] + weights[1] * y[..., -2] - weights[2] * y[..., -3]


def romb(y, dx=1.0, axis=-1, show=False) -> ndarray:
    """Integrate equidistant samples by Romberg's method.

    Parameters
    ----------
    y : array_like
        Samples of the integrand: one more than a power of two along the axis.
    dx : float, optional
        Distance of the samples.
    axis : int, optional
        Axis along which to integrate.
    show : bool, optional
        If True and `y` has one axis, print the extrapolations, which are read.

    Returns
    -------
    ndarray
        Integral, extrapolated from trapezoidal rules.

    Raises
    ------
    ValueError
        If there is another number of samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.romb(cp.arange(5.0) ** 3)
    array(64.)
    """
    y = _floating(y)
    axis = index_of_axis(axis, y.ndim)
    y = moveaxis(y, axis, -1)
    n = y.shape[-1] - 1
    if n < 1 or n & (n - 1):
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    h = n * dx
    rows = [[(y[..., 0] + y[..., -1]) / 2.0 * h]]
    step = n
    while step > 1:
        half = step // 2
        h = h / 2.0
        row = [0.5 * rows[-1][0] + h * y[..., half::step].sum(axis=-1)]
        for j, before in enumerate(rows[-1], 1):
            row.append(row[-1] + (row[-1] - before) / (4**j - 1))
        rows.append(row)
        step = half
    if show and rows[-1][-1].ndim == 0:
        print("Richardson Extrapolation Table for Romberg Integration")
        for row in rows:
            print(" ".join(f"{float(x):8.5f}" for x in row))
    return rows[-1][-1]


# ---- rules ---------------------------------------------------------------------------------------


def fixed_quad(func, a, b, args=(), n=5) -> tuple[ndarray, None]:
    """Integrate a function by Gauss-Legendre quadrature of a fixed order.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of n places; of more axes, the last is that of
        the places.
    a, b : float or array_like
        Ends of the interval, or of intervals of any shape.
    args : tuple, optional
        Further arguments of the function.
    n : int, optional
        Number of places of the rule.

    Returns
    -------
    val : ndarray
        Integral of the function.
    none : None
        None, as in SciPy.

    Raises
    ------
    ValueError
        If an end is infinite; those of device arrays are not checked.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.fixed_quad(lambda x: x**9, 0.0, 1.0)[0].round(12)
    array(0.1)
    """
    if any(not isinstance(end, ndarray) and np.isinf(as_host(end)).any() for end in (a, b)):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    n = whole(n, "n")
    if n < 1:
        raise ValueError(f"n must be a positive integer, not {n}")
    if isinstance(n, float) and n < 2**63:
        n = whole(n, "n")
    if n >= 2**63:
        raise ValueError(f"n must be less than 2**63, not {shown(n)}")
    check_device_memory(n, n)
    places, weights = np.polynomial.legendre.leggauss(n)
    a, b = as_array(a).astype(np.float64), as_array(b).astype(np.float64)
    half = (b - a) / 2.0
    x = half[..., None] * asarray(places + 1) + a[..., None]
    return half * (func(x, *args) * asarray(weights)).sum(axis=-1), None


def newton_cotes(rn, equal=0) -> tuple[ndarray, float]:
    """Create the weights of a Newton-Cotes rule.

    Parameters
    ----------
    rn : int or array_like
        Order of the rule, or places of its points from 0 on, the last being the order.
    equal : int, optional
        Whether places are equidistant even if they are given.

    Returns
    -------
    an : ndarray
        Weights of the points, made on the host.
    B : float
        Coefficient of the error.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.newton_cotes(2)[0].round(4)
    array([0.3333, 1.3333, 0.3333])
    """
    import scipy.integrate

    rn = rn.get() if isinstance(rn, ndarray) else without_cycles(rn)
    if isinstance(rn, numbers.Integral):
        if abs(int(rn)) >= 2**63 - 1:
            raise ValueError("Maximum allowed size exceeded")
        check_host_memory(8 * max(int(rn) + 1, 0) ** 2)  # the matrix of the moments
    weights, error = scipy.integrate.newton_cotes(rn, equal)
    return asarray(weights), float(error)


def lebedev_rule(n) -> tuple[ndarray, ndarray]:
    """Create points and weights of a Lebedev rule on the sphere.

    Parameters
    ----------
    n : int
        Order of the rule, one of those that SciPy has.

    Returns
    -------
    x : ndarray, (3, m)
        Points on the unit sphere, made on the host.
    w : ndarray, (m,)
        Weights of the points.

    Raises
    ------
    NotImplementedError
        If there is no rule of this order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.lebedev_rule(3)[0].shape
    (3, 6)
    """
    import scipy.integrate

    points, weights = scipy.integrate.lebedev_rule(n)
    return asarray(points), asarray(weights)


# ---- adaptive routines of the host ---------------------------------------------------------------


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, ndarray) and value.size == 1 else without_cycles(value)


_COMPILED: type = type(ctypes.CFUNCTYPE(None)()).__mro__[1]  # functions of the module `ctypes`


def _integrand(func: Any) -> Any:
    """The function with values on the host; one compiled for it stays as it is."""
    if not callable(func) or isinstance(func, _COMPILED):
        return _number(func)
    return lambda *x: _number(func(*x))


def _options(opts: Any, levels: int = MAX_DIMS) -> Any:
    """Options of variables, their functions and those within dicts with values on the host."""
    if levels == 0:
        raise ValueError(f"sequences must not be nested more than {MAX_DIMS} deep")
    if isinstance(opts, dict):
        return {name: to_host(value) for name, value in opts.items()}
    if isinstance(opts, (list, tuple)):
        return [_options(one, levels - 1) for one in without_cycles(opts)]
    return (lambda *x: _options(opts(*x))) if callable(opts) else to_host(opts)


def quad(
    func,
    a,
    b,
    args=(),
    full_output=0,
    epsabs=1.49e-08,
    epsrel=1.49e-08,
    limit=50,
    points=None,
    weight=None,
    wvar=None,
    wopts=None,
    maxp1=50,
    limlst=50,
    complex_func=False,
) -> tuple:
    """Integrate a function of a number adaptively, by QUADPACK on the host.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a number of the host that returns a number, on the host or on
        the device, from which it is read.
    a, b : float
        Ends of the interval, which may be infinite.
    args : tuple, optional
        Further arguments of the function.
    full_output : int, optional
        If not zero, return also a dict with what QUADPACK found.
    epsabs, epsrel : float, optional
        Absolute and relative tolerance of the result.
    limit : int, optional
        Largest number of intervals.
    points : sequence of float, optional
        Places where the integrand is not smooth.
    weight, wvar, wopts : optional
        Weight function of the integrand, its parameters, and moments to use again.
    maxp1, limlst : int, optional
        Largest numbers of moments and of cycles, for weights.
    complex_func : bool, optional
        Whether the function is complex.

    Returns
    -------
    y : float
        Integral, a number of the host.
    abserr : float
        Estimate of its error.
    infodict, message : dict and str
        With `full_output`: counts and intervals, and what went wrong, if anything did.

    See Also
    --------
    gpunp.scipy.integrate.quad_vec : functions whose values are arrays
    gpunp.scipy.integrate.fixed_quad : a rule in one call of the function

    Examples
    --------
    >>> import gpunp as cp
    >>> round(cp.scipy.integrate.quad(lambda x: x * x, 0, 3)[0], 9)
    9.0
    """
    import scipy.integrate

    return scipy.integrate.quad(
        _integrand(func),
        _number(a),
        _number(b),
        args,
        full_output,
        epsabs,
        epsrel,
        limit,
        to_host(points),
        weight,
        wvar,
        wopts,
        maxp1,
        limlst,
        complex_func,
    )


@documented_as(quad)
def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-08, epsrel=1.49e-08) -> tuple:
    """Integrate a function of two numbers adaptively, on the host.

    Parameters
    ----------
    func : callable
        Function ``func(y, x, *args)`` of numbers of the host that returns a number.
    a, b : float
        Ends of the interval of x, the outer variable.
    gfun, hfun : callable or float
        Lower and upper end of y, numbers or functions of x.

    Returns
    -------
    y : float
        Integral, a number of the host.
    abserr : float
        Estimate of its error.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(cp.scipy.integrate.dblquad(lambda y, x: x * y, 0, 1, 0, 2)[0], 9)
    1.0
    """
    import scipy.integrate

    ends = map(_integrand, (gfun, hfun))
    return scipy.integrate.dblquad(
        _integrand(func), _number(a), _number(b), *ends, args, epsabs, epsrel
    )


@documented_as(quad)
def tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-08, epsrel=1.49e-08) -> tuple:
    """Integrate a function of three numbers adaptively, on the host.

    Parameters
    ----------
    func : callable
        Function ``func(z, y, x, *args)`` of numbers of the host that returns a number.
    a, b : float
        Ends of the interval of x, the outer variable.
    gfun, hfun : callable or float
        Lower and upper end of y, numbers or functions of x.
    qfun, rfun : callable or float
        Lower and upper end of z, numbers or functions of x and y.

    Returns
    -------
    y : float
        Integral, a number of the host.
    abserr : float
        Estimate of its error.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(cp.scipy.integrate.tplquad(lambda z, y, x: x * y * z, 0, 1, 0, 1, 0, 2)[0], 9)
    0.5
    """
    import scipy.integrate

    ends = map(_integrand, (gfun, hfun, qfun, rfun))
    return scipy.integrate.tplquad(
        _integrand(func), _number(a), _number(b), *ends, args, epsabs, epsrel
    )


def nquad(func, ranges, args=None, opts=None, full_output=False) -> tuple:
    """Integrate a function of several numbers adaptively, on the host.

    Parameters
    ----------
    func : callable
        Function ``func(x0, ..., xn, *args)`` of numbers of the host that returns a number.
    ranges : sequence of pairs or of callables
        Ends of the intervals, the innermost first; functions take the outer variables.
    args : tuple, optional
        Further arguments of the function.
    opts : dict, callable, or sequence of them, optional
        Options of `quad` for each variable.
    full_output : bool, optional
        If True, return also the number of calls.

    Returns
    -------
    result : float
        Integral, a number of the host.
    abserr : float
        Largest estimate of an error.
    out_dict : dict
        With `full_output`: number of calls as ``'neval'``.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(cp.scipy.integrate.nquad(lambda x, y: x * y, [(0, 1), (0, 2)])[0], 9)
    1.0
    """
    import scipy.integrate

    return scipy.integrate.nquad(
        _integrand(func), _options(ranges), args, _options(opts), full_output
    )


def quad_vec(
    f,
    a,
    b,
    epsabs=1e-200,
    epsrel=1e-08,
    norm="2",
    cache_size=100e6,
    limit=10000,
    workers=1,
    points=None,
    quadrature=None,
    full_output=False,
    *,
    args=(),
) -> tuple:
    """Integrate a function whose values are arrays adaptively, all elements together.

    Parameters
    ----------
    f : callable
        Function ``f(x, *args)`` of a number of the host that returns an array of the device.
    a, b : float
        Ends of the interval, which may be infinite.
    epsabs, epsrel : float, optional
        Absolute and relative tolerance of the norm of the result.
    norm : {'max', '2'} or callable, optional
        Norm of arrays that the tolerances are for.
    cache_size : int, optional
        Bytes of the values that are kept.
    limit : int, optional
        Largest number of intervals.
    workers : int or callable, optional
        Function like `map` that evaluates intervals; the only number is 1, as other processes
        have no arrays of this one.
    points : sequence of float, optional
        Places where the integrand is not smooth.
    quadrature : {'gk21', 'gk15', 'trapezoid'}, optional
        Rule for an interval.
    full_output : bool, optional
        If True, return also what became of the intervals; values are read for it, and norms are
        those of arrays on the host.
    args : tuple, optional
        Further arguments of the function.

    Returns
    -------
    res : ndarray
        Integral, an array of the device.
    err : float
        Estimate of its error in the norm.
    info : object
        With `full_output`: `success`, `status`, `message`, `neval`, `intervals`, `integrals` and
        `errors`, whose arrays are on the device.

    Notes
    -----
    SciPy chooses the intervals on the host; sums over the nodes of a rule are on the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.integrate.quad_vec(lambda x: x ** cp.arange(1.0, 3.0), 0, 3)[0].round(6)
    array([4.5, 9. ])
    """
    import scipy.integrate

    if not callable(workers) and workers != 1:
        raise ValueError("`workers` must be 1 or a function like map")
    function = (lambda x, *more: to_host(f(x, *more))) if full_output else f
    found = scipy.integrate.quad_vec(
        function, _number(a), _number(b), epsabs, epsrel, norm, cache_size, limit, workers,
        to_host(points), quadrature, full_output, args=args,
    )  # fmt: skip
    if not full_output:
        return found
    result, error, info = found
    for name in ("intervals", "integrals", "errors"):
        setattr(info, name, asarray(getattr(info, name)))
    return to_device(result), error, info
