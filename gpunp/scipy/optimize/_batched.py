"""Fits and minima of one function for many sets of numbers in one launch, a thread each."""

import functools
import inspect
import math
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core._ufunc_config import errstate
from ..._core.multiarray import ascontiguousarray, empty, ndarray
from ..._core.numeric import moveaxis
from ..._core.raw import RawKernel
from ..._core.shape_base import stack
from ...jit._elementwise import device_function, device_functions
from ...lib._stride_tricks_impl import broadcast_to
from ...linalg._linalg import inv
from ._constraints import box_on_device
from ._result import OptimizeResult

__all__ = ["curve_fit_batched", "minimize_batched"]

MESSAGE = (
    "2: the change of the sum is small; 3: the step is small; 0: too many evaluations; "
    "-1: the sum is not finite"
)
_BLOCK = 64
_OPTIONS = ("--std=c++17", "-default-device")

_KERNEL = """
namespace gnp_fit {
#include "user/fit.cuh"
%(text)s
struct Model {
    enum { N = %(n)d, X = %(count)d };
    static __device__ __forceinline__ double value(const double *x, const double *p)
    {
        const auto result = %(call)s;
        return %(result)s;
    }
};
}

extern "C" __global__ void __launch_bounds__(%(block)d)
gpunp_curve_fit(%(coordinates)s, const double *y, const double *weight, const double *start,
                double *parameters, double *normal, double *cost, int *calls, signed char *status,
                long long count, long long points, long long most, double ftol, double xtol)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        const double *const x[] = {%(pointers)s};
        const long long strides[] = {%(strides)s}, steps[] = {%(steps)s};
        const gnp_fit::fit::Call call = {count, points, most, ftol, xtol};
        const gnp_fit::fit::Arrays arrays = {x,          strides, steps, y,     weight, start,
                                             parameters, normal,  cost,  calls, status};
        gnp_fit::fit::solve<gnp_fit::Model>(call, i, arrays);
    }
}
"""


@functools.lru_cache(maxsize=64)
def _compiled(function: Any, n: int, count: int, is_tuple: bool) -> RawKernel:
    """The kernel of a function of `count` coordinates and n parameters."""
    coordinates = [f"x[{k}]" for k in range(count)]
    arguments = [coordinates if is_tuple else coordinates[0], *(f"p[{k}]" for k in range(n))]
    call, results, text = device_function(function, arguments, np.dtype(np.float64))
    if len(results) != 1:
        raise ValueError(f"`f` must return a number, not {len(results)}")
    each = range(count)
    code = _KERNEL % {
        "text": text,
        "n": n,
        "count": count,
        "call": call,
        "result": results[0],
        "block": _BLOCK,
        "coordinates": ", ".join(
            f"const double *x{k}, long long stride{k}, long long step{k}" for k in each
        ),
        "pointers": ", ".join(f"x{k}" for k in each),
        "strides": ", ".join(f"stride{k}" for k in each),
        "steps": ", ".join(f"step{k}" for k in each),
    }
    return RawKernel(code, "gpunp_curve_fit", _OPTIONS)


def _beside(values: ndarray, shape: tuple) -> ndarray:
    """Numbers of points, with the fits side by side: (points, fits)."""
    whole = broadcast_to(values.astype(np.float64, copy=False), shape)
    return ascontiguousarray(moveaxis(whole, -1, 0)).reshape(shape[-1], -1)


def _coordinates(xdata: Any, shape: tuple) -> list:
    """Arguments of the kernel for each coordinate: an array, and its strides in elements."""
    arguments: list = []
    for x in xdata:
        x = as_array(x)
        if x.ndim == 1 and x.shape == shape[-1:]:
            arguments += [ascontiguousarray(x.astype(np.float64)), np.int64(0), np.int64(1)]
        else:
            made = _beside(x, shape)
            arguments += [made, np.int64(1), np.int64(made.shape[1])]
    return arguments


def _number_of_parameters(function: Any) -> int:
    parameters = list(inspect.signature(function).parameters.values())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) or len(parameters) < 2:
        raise ValueError("Unable to determine number of fit parameters.")
    return len(parameters) - 1


def curve_fit_batched(
    f,
    xdata,
    ydata,
    p0=None,
    sigma=None,
    absolute_sigma=False,
    *,
    ftol=1e-8,
    xtol=1e-8,
    max_nfev=200,
) -> OptimizeResult:
    """Fit the parameters of a function to many sets of points by least squares, in one launch.

    Parameters
    ----------
    f : callable
        Python function ``f(x, *parameters)`` of numbers that returns a number; `x` is a tuple if
        `xdata` is. It is compiled by `gpunp.jit`, with what it takes from outside as constants.
        `curve_fit` takes the same function where it is made of operations of arrays.
    xdata : array_like or tuple of array_like
        Places of the points: of shape (m,), the same for all fits, or of the shape of `ydata`. A
        tuple has such an array for each coordinate.
    ydata : array_like, (..., m)
        Values at these places; the axes before the last are those of the batch.
    p0 : array_like, (n,) or (..., n), optional
        Parameters at which the searches begin: by default ones.
    sigma : array_like, (m,) or (..., m), optional
        Standard deviations of the values.
    absolute_sigma : bool, optional
        If True, `sigma` is taken as it is; otherwise its ratios count.
    ftol, xtol : float, optional
        Relative changes of the sum and of the parameters at which a search ends.
    max_nfev : int, optional
        Number of evaluations after which a search gives up.

    Returns
    -------
    OptimizeResult
        With the attributes `x` (..., n) and `pcov` (..., n, n), the parameters and their estimated
        covariances; `cost`, half the sum of squares; `nfev`, `status` (2: the change of the sum is
        small, 3: the step is small, 0: too many evaluations, -1: the sum is not finite) and
        `success` for each fit; `message`.

    Raises
    ------
    ValueError
        If the number of parameters is not known, or shapes disagree.

    See Also
    --------
    curve_fit : one fit, with bounds and other methods

    Notes
    -----
    A thread does a fit by the method of Levenberg and Marquardt with normal equations, whose
    Jacobians are made of differences, so parameters should be within some six orders of magnitude
    of each other's effect. Nothing waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import curve_fit_batched
    >>> def decay(t, a, b):
    ...     return a * cp.exp(-b * t)
    >>> t, rates = cp.linspace(0, 2, 50), cp.array([[1.0], [3.0]])
    >>> curve_fit_batched(decay, t, 2 * cp.exp(-rates * t)).x.round(5)
    array([[2., 1.],
           [2., 3.]])
    """
    y = as_array(ydata)
    if y.ndim < 1 or not y.shape[-1]:
        raise ValueError(f"`ydata` must have a last axis of points, not shape {y.shape}")
    *batch, points = y.shape
    count, shape = math.prod(batch), tuple(y.shape)
    is_tuple = isinstance(xdata, tuple)
    columns = xdata if is_tuple else (xdata,)
    n = _number_of_parameters(f) if p0 is None else as_array(p0).shape[-1]
    start = as_array(1.0 if p0 is None else p0).astype(np.float64)
    start = ascontiguousarray(broadcast_to(start, (*batch, n)))
    weight = None if sigma is None else _beside(1 / as_array(sigma).astype(np.float64), shape)
    kernel = _compiled(f, n, len(columns), is_tuple)
    found, normal = empty((*batch, n), np.float64), empty((*batch, n, n), np.float64)
    cost, calls = empty(batch, np.float64), empty(batch, np.int32)
    status = empty(batch, np.int8)
    if count:
        arrays = (_beside(y, shape), weight, start, found, normal, cost, calls, status)
        numbers = (*np.array([count, points, max_nfev], np.int64), float(ftol), float(xtol))
        grid = (-(-count // _BLOCK),)
        kernel(grid, (_BLOCK,), (*_coordinates(columns, shape), *arrays, *numbers))
    return OptimizeResult(
        x=found,
        pcov=_covariances(normal, cost, points - n, absolute_sigma),
        cost=cost,
        nfev=calls,
        status=status,
        message=MESSAGE,
        success=status > 0,
    )


def _covariances(normal: ndarray, cost: ndarray, freedom: int, is_absolute: bool) -> ndarray:
    """Inverses of J^T J, times the variance that the residuals show."""
    if not normal.size:
        return normal
    with errstate(linalg="ignore"):
        covariances = inv(normal)
    if is_absolute:
        return covariances
    variance = 2 * cost / freedom if freedom > 0 else cost * np.inf
    return covariances * variance[..., None, None]


# ---- minima --------------------------------------------------------------------------------------

MINIMIZE_MESSAGE = (
    "0: the gradient is small; 1: too many iterations; 2: no smaller value was found along a line; "
    "3: a value is not finite"
)
_MEMORIES = {"BFGS": "Dense", "L-BFGS": "Limited"}
_MOST_UNROLLED = {"BFGS": 5, "L-BFGS": 3}  # variables for which vectors are kept in registers

_MINIMIZE = """
namespace gnp_minimize {
#include "user/minimize.cuh"
%(text)s
struct Function {
    enum { N = %(n)d, P = %(count)d, UNROLL = %(unroll)d, HAS_GRADIENT = %(has_gradient)d };
    static __device__ __forceinline__ double value(const double *x, const double *p)
    {
        const auto result = %(call)s;
        return %(result)s;
    }
    static __device__ __forceinline__ void gradient(const double *x, double *out, const double *p)
    {
        %(gradient)s
    }
};
typedef minimize::%(memory)s<Function::N, Function::UNROLL ? Function::N : 1> Memory;
}

extern "C" __global__ void __launch_bounds__(%(block)d)
gpunp_minimize(const double *start, const double *arguments, const double *lower,
               const double *upper, double *x, double *gradient, double *value, int *iterations,
               int *calls, signed char *status, long long count, long long most, double gtol)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        using namespace gnp_minimize;
        const minimize::Call call = {count, most, gtol};
        const minimize::Arrays arrays = {start,    arguments, lower,      upper, x,
                                         gradient, value,     iterations, calls, status};
        minimize::solve<Function, Memory>(call, i, arrays);
    }
}
"""


@functools.lru_cache(maxsize=64)
def _minimizer(function: Any, jac: Any, method: str, n: int, count: int) -> RawKernel:
    """The kernel of a function of n variables and `count` further arguments."""
    arguments = [[f"x[{k}]" for k in range(n)], *(f"p[{k}]" for k in range(count))]
    functions = [function] if jac is None else [function, jac]
    calls, text = device_functions(functions, arguments, np.dtype(np.float64))
    call, results = calls[0]
    if len(results) != 1:
        raise ValueError(f"`fun` must return a number, not {len(results)}")
    gradient = ""
    if jac is not None:
        called, stores = calls[1]
        if len(stores) != n:
            raise ValueError(f"`jac` returns {len(stores)} numbers for {n} variables")
        gradient = f"const auto result = {called};"
        gradient += "".join(f" out[{k}] = {code};" for k, code in enumerate(stores))
    code = _MINIMIZE % {
        "text": text,
        "n": n,
        "count": count,
        "unroll": int(n <= _MOST_UNROLLED[method]),
        "has_gradient": int(jac is not None),
        "call": call,
        "result": results[0],
        "gradient": gradient,
        "memory": _MEMORIES[method],
        "block": _BLOCK,
    }
    return RawKernel(code, "gpunp_minimize", _OPTIONS)


def parameters_of(args: Any, batch: tuple, count: int) -> ndarray | None:
    """A row for each further argument, with a number for each member of a batch."""
    if not args:
        return None
    rows = [broadcast_to(as_array(a).astype(np.float64), batch).reshape(count) for a in args]
    return stack(rows)


def minimize_batched(
    fun,
    x0,
    args=(),
    method="BFGS",
    jac=None,
    bounds=None,
    *,
    gtol=1e-5,
    maxiter=None,
) -> OptimizeResult:
    """Find minima of a function from many starts, or for many arguments, in one launch.

    Parameters
    ----------
    fun : callable
        Python function ``fun(x, *args)`` of numbers that returns a number, `x` being a tuple of n.
        It is compiled by `gpunp.jit`, with what it takes from outside as constants.
    x0 : array_like, (..., n)
        Vectors at which the searches begin; the axes before the last are those of the batch.
    args : tuple, optional
        Further arguments of the function: numbers, or arrays of the shape of the batch.
    method : {'BFGS', 'L-BFGS'}, optional
        Whether a search keeps its inverse Hessian as a matrix, or as its last six steps, which
        needs less memory for more than some 12 variables.
    jac : callable, optional
        Gradient ``jac(x, *args)``, a Python function that returns a tuple of n numbers (a number,
        if n is 1). By default it is computed by central differences, 2 n calls of the function.
    bounds : Bounds or sequence of pairs, optional
        Lower and upper bounds of the variables, for all searches; None means none.
    gtol : float, optional
        Largest component of the gradient at which a search ends; with bounds of the change of the
        variables by a step along the gradient within them.
    maxiter : int, optional
        Number of iterations after which a search gives up: by default 200 n.

    Returns
    -------
    OptimizeResult
        With the attributes `x` and `jac` (..., n), vectors of the minima and gradients there;
        `fun`, `nit`, `nfev`, `status` (0: the gradient is small, 1: too many iterations, 2: no
        smaller value was found along a line, 3: a value is not finite) and `success` for each
        search; `message`.

    Raises
    ------
    ValueError
        If the method is not known, a function returns another number of values than it must, or
        shapes disagree.

    See Also
    --------
    minimize : one function of any number of variables
    curve_fit_batched : many fits by least squares

    Notes
    -----
    A thread does a search, with line searches for the conditions of Wolfe. Nothing waits for the
    device. Vectors are kept in registers for up to 5 variables with 'BFGS', in local memory beyond.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import minimize_batched
    >>> def valley(x, a):
    ...     return 100 * (x[1] - x[0] ** 2) ** 2 + (a - x[0]) ** 2
    >>> found = minimize_batched(valley, cp.zeros((3, 2)), (cp.array([0.5, 1.0, 2.0]),))
    >>> found.x.round(4)
    array([[0.5 , 0.25],
           [1.  , 1.  ],
           [2.  , 4.  ]])
    """
    if method not in _MEMORIES:
        raise ValueError(f"`method` must be one of {list(_MEMORIES)}, not {method!r}")
    start = as_array(x0).astype(np.float64, copy=False)
    if start.ndim < 1 or not start.shape[-1]:
        raise ValueError(f"`x0` must have a last axis of variables, not shape {start.shape}")
    start = ascontiguousarray(start)
    *batch, n = start.shape
    count = math.prod(batch)
    lower, upper = (None, None) if bounds is None else box_on_device(bounds, n)
    arguments = parameters_of(args if isinstance(args, tuple) else (args,), tuple(batch), count)
    kernel = _minimizer(fun, jac, method, n, 0 if arguments is None else len(arguments))
    x, gradient = empty(start.shape, np.float64), empty(start.shape, np.float64)
    value, status = empty(batch, np.float64), empty(batch, np.int8)
    iterations, calls = empty(batch, np.int32), empty(batch, np.int32)
    if count:
        arrays = (start, arguments, lower, upper, x, gradient, value, iterations, calls, status)
        most = 200 * n if maxiter is None else int(maxiter)
        numbers = (*np.array([count, most], np.int64), float(gtol))
        kernel((-(-count // _BLOCK),), (_BLOCK,), (*arrays, *numbers))
    return OptimizeResult(
        x=x,
        fun=value,
        jac=gradient,
        nit=iterations,
        nfev=calls,
        status=status,
        message=MINIMIZE_MESSAGE,
        success=status == 0,
    )
