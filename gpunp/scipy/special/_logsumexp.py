"""Logarithms of sums of exponentials, and what is made of them."""

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core.multiarray import asarray, ndarray, result_type, where
from ..._core.numeric import zeros_like
from ...lib._stride_tricks_impl import broadcast_arrays
from . import _ufuncs as ufuncs

__all__ = ["log_softmax", "logsumexp", "softmax"]


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """Compute the logarithm of the sum of exponentials of the elements over axes.

    Parameters
    ----------
    a : array_like
        Exponents, real or complex.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    b : array_like, optional
        Factors of the exponentials, broadcast against `a`. They may be negative or zero.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.
    return_sign : bool, optional
        If True, return the sign of the sum as well, and the logarithm of its magnitude.

    Returns
    -------
    res : ndarray
        ``log(sum(b * exp(a)))``, NaN where the sum is negative and `return_sign` is False.
    sgn : ndarray
        Sign of the sum; only if `return_sign` is True.

    See Also
    --------
    scipy.special.logsumexp

    Notes
    -----
    For real numbers without `b` the elements are read once: the largest and the sum relative to it
    are found in the same pass.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.logsumexp(cp.array([1000., 1000.]))
    array(1000.69314718)
    """
    a = _with_axis(as_array(a))
    if b is None and a.dtype.kind != "c" and not return_sign:
        return um.logsumexp(a, axis, None, None, keepdims)
    if b is None:
        if a.dtype.kind == "c" and not return_sign:
            return _of_complex(a, axis, keepdims)
        b = asarray(1, dtype=_float_of(a))
    else:
        is_number = isinstance(b, (int, float, complex))  # which takes the type of `a`
        b = asarray(b, dtype=result_type(_float_of(a), b)) if is_number else as_array(b)
        a, b = broadcast_arrays(a, b)
    dtype = result_type(_float_of(a), _float_of(b))
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    return _weighted(a, b, axis, keepdims, return_sign)


def _float_of(a: ndarray):
    """The floating dtype in which the function of `a` is computed."""
    return a.dtype if a.dtype.kind in "fc" or a.dtype.name == "bfloat16" else "float64"


def _with_axis(a: ndarray) -> ndarray:
    """The array, of one axis if it has none."""
    return a if a.ndim else a.reshape(1)


def _weighted(a, b, axis, keepdims, return_sign):
    """The sum with factors, relative to the largest exponent that counts."""
    least = -float("inf")
    largest = where(b == 0, least, a.real).max(axis=axis, keepdims=True, initial=least)
    largest = where(um.isfinite(largest), largest, 0)
    terms = where(b == 0, zeros_like(b), b * um.exp(a - largest))
    total = terms.sum(axis=axis, keepdims=keepdims)
    if not keepdims:
        largest = largest.reshape(total.shape)
    if not return_sign:
        return um.log(total) + largest
    return um.log(um.absolute(total)) + largest, um.sign(total)


def _of_complex(a, axis, keepdims):
    """The sum of complex numbers; those with infinite real parts have the sum's own limit."""
    largest = a.real.max(axis=axis, keepdims=True, initial=-float("inf"))
    finite = um.isfinite(largest)
    total = um.exp(a - where(finite, largest, 0)).sum(axis=axis, keepdims=keepdims)
    largest, finite = (part.reshape(total.shape) for part in (largest, finite))
    found = um.log(total)
    return where(finite, found + largest, found)


def _parts(x, axis):
    """The largest elements along axes, and the sums relative to them."""
    if x.dtype.kind == "c":
        largest = x.max(axis=axis, keepdims=True)
        return largest, um.exp(x - largest).sum(axis=axis, keepdims=True)
    return um.softmax_parts(x, axis, None, None, True), None


def _by_rows(x, axis, is_log):
    """The result where rows along `axis` are contiguous and fit into a block; else None."""
    if x.dtype.kind == "c" or not x.flags.c_contiguous:
        return None
    if axis is None or (type(axis) is int and axis in (-1, x.ndim - 1)):
        return um.softmax_rows(x, x.size if axis is None else x.shape[-1], is_log)
    return None


def softmax(x, axis=None):
    """Compute exponentials divided by their sum over axes.

    Parameters
    ----------
    x : array_like
        Exponents of the terms.
    axis : int or tuple of int, optional
        Axis or axes over which the results add up to one. By default all axes.

    Returns
    -------
    ndarray
        Array of the shape of `x`.

    See Also
    --------
    scipy.special.softmax

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.softmax(cp.zeros((2, 4)), axis=1)
    array([[0.25, 0.25, 0.25, 0.25],
           [0.25, 0.25, 0.25, 0.25]])
    """
    x = as_array(x)
    if x.ndim == 0:
        return softmax(x.reshape(1), axis).reshape(())
    x = x.astype(_float_of(x), copy=False)
    rows = _by_rows(x, axis, False)
    if rows is not None:
        return rows
    parts, total = _parts(x, axis)
    if total is not None:
        return um.exp(x - parts) / total
    return ufuncs._softmax(x, parts).astype(x.dtype, copy=False)


def log_softmax(x, axis=None):
    """Compute the logarithm of softmax without loss for small exponentials.

    Parameters
    ----------
    x : array_like
        Exponents of the terms.
    axis : int or tuple of int, optional
        Axis or axes over which the exponentials of the results add up to one. By default all axes.

    Returns
    -------
    ndarray
        Array of the shape of `x`.

    See Also
    --------
    scipy.special.log_softmax

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.log_softmax(cp.array([1000., 1.]))
    array([   0., -999.])
    """
    x = as_array(x)
    if x.ndim == 0:
        return log_softmax(x.reshape(1), axis).reshape(())
    x = x.astype(_float_of(x), copy=False)
    rows = _by_rows(x, axis, True)
    if rows is not None:
        return rows
    parts, total = _parts(x, axis)
    if total is not None:
        return x - parts - um.log(total)
    return ufuncs._log_softmax(x, parts).astype(x.dtype, copy=False)
