"""Evenly spaced numbers: linspace, logspace, geomspace."""

import operator
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import as_array, as_host, as_operand, host_ndim, host_shape, on_device
from .multiarray import result_type
from .numeric import moveaxis

__all__ = ["geomspace", "linspace", "logspace"]


def _is_scalar(x: Any) -> bool:
    return not isinstance(x, ndarray) and host_ndim(x) == 0


def linspace(
    start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None
):  # fmt: skip
    """Return `num` evenly spaced numbers from `start` to `stop`. One launch for scalar endpoints.

    Parameters
    ----------
    start, stop : array_like
        First and last number; arrays are broadcast, and give one sequence for each element.
    num : int, optional
        Number of samples to generate.
    endpoint : bool, optional
        If True, `stop` is the last sample; otherwise it is left out.
    retstep : bool, optional
        If True, also return the spacing.
    dtype : dtype, optional
        Type of the result. By default a floating one; for an integer type the numbers are rounded
        down.
    axis : int, optional
        Axis of the result along which the samples lie, if the endpoints are arrays.
    device : cuda.Device or int, optional
        Device on which to create the array. By default the current one.

    Returns
    -------
    samples : ndarray
        The numbers, along `axis`.
    step : float or ndarray
        Spacing of the samples, if `retstep` is True; NaN if it is undefined.

    Raises
    ------
    ValueError
        If `num` is negative.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    div = num - 1 if endpoint else num
    with on_device(device):
        if _is_scalar(start) and _is_scalar(stop):
            out, step = _scalar_linspace(start, stop, num, div, endpoint, dtype)
        else:
            out, step = _array_linspace(start, stop, num, div, endpoint, dtype)
            if axis != 0:
                out = moveaxis(out, 0, axis)
    return (out, step) if retstep else out


def _scalar_linspace(
    start: Any, stop: Any, num: int, div: int, endpoint: bool, dtype: Any
) -> tuple[ndarray, Any]:
    if type(start) in (int, float) and type(stop) in (int, float) and dtype is None and div > 0:
        begin, end = float(start), float(stop)
        by = (end - begin) / div
        if by != 0:  # the common case, without NumPy's scalars
            fixed, double = endpoint and num > 1, np.float64
            return _C.linspace_fill(num, begin, by, end, 0, fixed, double, double), by
    first, last = as_host(start) * 1.0, as_host(stop) * 1.0
    work = np.result_type(first, last, float(num))
    dtype = work if dtype is None else np.dtype(dtype)
    delta = np.subtract(last, first, dtype=work)
    step = delta / div if div > 0 else np.asarray(np.nan)
    # A step that underflows to zero is applied as i / div * delta, as NumPy does.
    by_step = bool(div > 0 and step != 0)
    out = _C.linspace_fill(
        num, first[()], (step if by_step else delta)[()], last[()], 0 if by_step else div,
        bool(endpoint and num > 1), work, dtype,
    )  # fmt: skip
    return out, step[()]


def _array_linspace(
    start: Any, stop: Any, num: int, div: int, endpoint: bool, dtype: Any
) -> tuple[ndarray, Any]:
    start, stop = as_operand(start) * 1.0, as_operand(stop) * 1.0
    work = result_type(start, stop, float(num))
    delta = _C.subtract(stop, start).astype(work, copy=False)
    index = _C.arange_fill(num, 0, 1, work).reshape((num,) + (1,) * delta.ndim)
    step: Any = np.nan
    if div > 0:
        step = delta / div
        out = _C.where(_C.equal(step, 0).any(), index / div * delta, index * step)
    else:
        out = index * delta
    out += start
    if endpoint and num > 1:
        out[-1] = stop
    if dtype is not None:
        if np.issubdtype(dtype, np.integer):
            _C.floor(out, out=out)
        out = out.astype(dtype, copy=False)
    return out, step


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0) -> ndarray:
    """Return numbers spaced evenly on a log scale, from base**start to base**stop.

    Parameters
    ----------
    start, stop : array_like
        Exponents of the first and the last number.
    num : int, optional
        Number of samples to generate.
    endpoint : bool, optional
        If True, ``base**stop`` is the last sample.
    base : array_like, optional
        Base of the powers.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    axis : int, optional
        Axis of the result along which the samples lie, if the endpoints are arrays.

    Returns
    -------
    ndarray
        The samples, along `axis`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    if not _is_scalar(base):
        base = as_array(base)
        ndmax = np.broadcast_shapes(host_shape(start), host_shape(stop), base.shape)
        start, stop = (
            _C.array(x, copy=None).reshape((1,) * (len(ndmax) - len(host_shape(x))) + host_shape(x))
            for x in (start, stop)
        )
        base = base.reshape((1,) * (len(ndmax) - base.ndim) + base.shape)
        base = base.reshape(
            base.shape[: axis % (len(ndmax) + 1)] + (1,) + base.shape[axis % (len(ndmax) + 1) :]
        )
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    number: Any = base if isinstance(base, ndarray) else as_host(base)[()]
    out = _C.power(number, y)
    return out if dtype is None else out.astype(dtype, copy=False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0) -> ndarray:
    """Return numbers in geometric progression from `start` to `stop`.

    Parameters
    ----------
    start, stop : array_like
        First and last number: real and of the same sign, or complex.
    num : int, optional
        Number of samples to generate.
    endpoint : bool, optional
        If True, `stop` is the last sample; otherwise it is left out.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    axis : int, optional
        Axis of the result along which the samples lie, if the endpoints are arrays.

    Returns
    -------
    ndarray
        The samples; the endpoints are exact.

    Raises
    ------
    ValueError
        If an endpoint is zero.

    Notes
    -----
    Endpoints that are device arrays are checked for zeros, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.geomspace(1, 8, 4)
    array([1., 2., 4., 8.])
    """
    num = operator.index(num)
    if _is_scalar(start) and _is_scalar(stop):
        first, last = as_host(start), as_host(stop)
        if first == 0 or last == 0:
            raise ValueError("Geometric sequence cannot include zero")
        work = np.result_type(first.dtype, last.dtype, float(num), np.zeros((), dtype))
        first, last = first.astype(work, copy=True), last.astype(work, copy=True)
        sign = np.sign(first)
        exponents = np.log10(first / sign), np.log10(last / sign)
        out = logspace(exponents[0], exponents[1], num, endpoint, base=10.0)
        ends: Any = (first / sign)[()], (last / sign)[()]
        sign = sign[()]
    else:
        begin, end = as_array(start), as_array(stop)
        if bool(_C.equal(begin, 0).any()) or bool(_C.equal(end, 0).any()):
            raise ValueError("Geometric sequence cannot include zero")
        work = result_type(begin, end, float(num), np.zeros((), dtype))
        begin, end = begin.astype(work), end.astype(work)
        sign = as_operand(_C.sign(begin))
        ends = begin / sign, end / sign
        out = logspace(_C.log10(ends[0]), _C.log10(ends[1]), num, endpoint, base=10.0)
    if num > 0:
        out[0] = ends[0]
        if num > 1 and endpoint:
            out[-1] = ends[1]
    out = out * sign
    if axis != 0:
        out = moveaxis(out, 0, axis)
    return out.astype(work if dtype is None else dtype, copy=False)
