"""Averages, covariances and correlations."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import NoValue, as_array, shown
from .._core._warnings import warn
from .._core.multiarray import array, concatenate, ndarray, result_type, zeros
from .._core.numeric import full_like, normalize_axis_tuple
from .._core.reductions import mean

__all__ = [
    "average",
    "corrcoef",
    "cov",
]


def average(a, axis=None, weights=None, returned=False, *, keepdims=NoValue):
    """Compute the weighted average over axes.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    weights : array_like, optional
        Weights with the shape of `a`, or with its lengths along the axes.
    returned : bool, optional
        If True, also return the sum of the weights.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.

    Returns
    -------
    average : ndarray
        The weighted average.
    sum_of_weights : ndarray
        Sums of the weights, if `returned` is True.

    Raises
    ------
    ZeroDivisionError
        If weights sum to zero. The check waits for the device.
    ValueError
        If the shape of the weights does not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.average(cp.array([1.0, 3.0]), weights=cp.array([3.0, 1.0]))
    array(1.5)
    """
    a = as_array(a)
    keep = {} if keepdims is NoValue else {"keepdims": keepdims}
    axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, "axis")
    if weights is None:
        avg = mean(a, axes, **keep)
        scale = avg.dtype.type(a.size / avg.size) if avg.size else avg.dtype.type(0)
    else:
        w = _weights(a, as_array(weights), axes)
        integer = a.dtype.kind in "iub"
        dtype = (
            np.result_type(a.dtype, w.dtype, "f8") if integer else np.result_type(a.dtype, w.dtype)
        )
        scale = w.sum(axis=axes, dtype=dtype, **keep)
        if bool(um.equal(scale, 0.0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        avg = um.multiply(a, w, dtype=dtype).sum(axis=axes, **keep) / scale
    if not returned:
        return avg
    return avg, full_like(avg, scale) if not isinstance(
        scale, ndarray
    ) or scale.shape != avg.shape else scale


def _weights(a: ndarray, w: ndarray, axes: tuple[int, ...] | None) -> ndarray:
    """The weights with a's number of dimensions."""
    if w.shape == a.shape:
        return w
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape != tuple(a.shape[ax] for ax in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    w = w.transpose(sorted(range(len(axes)), key=axes.__getitem__))
    return w.reshape(tuple(n if ax in axes else 1 for ax, n in enumerate(a.shape)))


def _frequency_weights(weights: Any, n: int) -> ndarray:
    """Whole, one for each of n observations, none below 0 (which waits for the device)."""
    if isinstance(weights, complex):
        raise TypeError(f"fweights must be integers, not {weights}")
    given = as_array(weights)
    values = given.astype(float)
    if not bool((values == um.rint(values)).all()):
        raise TypeError("fweights must be integer")
    return _observation_weights(values, n, "fweights")


def _observation_weights(values: ndarray, n: int, name: str) -> ndarray:
    if values.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if values.shape[0] != n:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if bool((values < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return values


def _variables(m: Any, rowvar: bool, dtype: Any) -> ndarray:
    """At least two axes, one row for each variable."""
    x = array(m, ndmin=2, dtype=dtype, copy=None)
    return x.T if not rowvar and as_array(m).ndim != 1 else x


def cov(
    m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None
) -> ndarray:
    """Compute the covariance matrix of variables, which are rows of `m` (and of `y`).

    Parameters
    ----------
    m : array_like
        Observations of the variables, in one or two dimensions.
    y : array_like, optional
        Observations of further variables.
    rowvar : bool, optional
        If True, rows are variables and columns are observations; if False, the reverse.
    bias : bool, optional
        If True, divide by the number of observations N instead of N - 1.
    ddof : int, optional
        Number subtracted from N in the divisor; it overrides `bias`.
    fweights : array_like of int, optional
        Number of times that each observation occurred.
    aweights : array_like, optional
        Relative importance of each observation.
    dtype : dtype, optional
        Type of the result. By default at least float64.

    Returns
    -------
    ndarray
        Matrix of shape ``(variables, variables)``; a 0-d array for one variable.

    Raises
    ------
    ValueError
        If there are more than two dimensions, or weights are negative or of the wrong length.
    TypeError
        If `fweights` are not integers.

    Notes
    -----
    Weights are checked, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cov(cp.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    y = None if y is None else as_array(y)
    if y is not None and y.ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    if dtype is None:
        dtype = result_type(m, np.float64) if y is None else result_type(m, y, np.float64)
    x = _variables(m, rowvar, dtype)
    if x.shape[0] == 0:
        return zeros((0, 0), dtype)
    if y is not None:
        x = concatenate((x, _variables(y, rowvar, dtype)), axis=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    w = None if fweights is None else _frequency_weights(fweights, x.shape[1])
    if aweights is not None:
        given = as_array(aweights)
        if given.dtype.kind == "c" and given.ndim == 0:
            raise TypeError(f"aweights must be real, not {shown(aweights)}")
        a = _observation_weights(given.astype(float), x.shape[1], "aweights")
        w, both = (a, a) if w is None else (w * a, a)
    mean, total = average(x, axis=1, weights=w, returned=True)
    total = total[0]
    if w is None:
        freedom: Any = x.shape[1] - ddof
    elif ddof == 0:
        freedom = float(total.real)
    elif aweights is None:
        freedom = float(total.real - ddof)
    else:
        freedom = float(total.real - ddof * (w * both).sum() / total.real)
    if freedom <= 0:
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
        freedom = 0.0
    x = x - mean[:, None]
    right = (x if w is None else x * w).T
    c = um.matmul(x, um.conjugate(right) if right.dtype.kind == "c" else right)
    with np.errstate(divide="ignore"):
        um.multiply(c, np.true_divide(1, np.float64(freedom)), out=c)
    return c.squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None) -> ndarray:
    """Compute the Pearson correlation coefficients of variables.

    Parameters
    ----------
    x : array_like
        Observations of the variables, in one or two dimensions.
    y : array_like, optional
        Observations of further variables.
    rowvar : bool, optional
        If True, rows are variables and columns are observations; if False, the reverse.
    dtype : dtype, optional
        Type of the result. By default at least float64.

    Returns
    -------
    ndarray
        Matrix of shape ``(variables, variables)`` with values in [-1, 1].

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.corrcoef(cp.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = um.sqrt(c.diagonal().real)
    c = c / deviation[:, None] / deviation
    um.clip(c.real, -1, 1, out=c.real)
    if c.dtype.kind == "c":
        um.clip(c.imag, -1, 1, out=c.imag)
    return c
