"""Fits of one function to many sets of points in one launch, a thread a fit."""

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
from ...jit._elementwise import device_function
from ...lib._stride_tricks_impl import broadcast_to
from ...linalg._linalg import inv
from ._result import OptimizeResult

__all__ = ["curve_fit_batched"]

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
