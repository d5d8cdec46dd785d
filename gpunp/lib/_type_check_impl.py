"""Real and imaginary parts, and tests of types."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, as_host, as_operand, without_cycles
from .._core._docstrings import documented_as
from .._core.getlimits import finfo
from .._core.multiarray import array, ndarray, zeros

__all__ = [
    "common_type",
    "imag",
    "iscomplex",
    "iscomplexobj",
    "isreal",
    "isrealobj",
    "mintypecode",
    "nan_to_num",
    "real",
    "real_if_close",
]


def real(val) -> ndarray:
    """Return the real part, a view of complex arrays and the array itself for others.

    Parameters
    ----------
    val : array_like
        Array on which to operate.

    Returns
    -------
    ndarray
        Array with the shape of `val`; of the real type if `val` is complex.
    """
    return as_array(val).real


@documented_as(real)
def imag(val) -> ndarray:
    """Return the imaginary part, a view of complex arrays and zeros for others."""
    return as_array(val).imag


def iscomplex(x) -> ndarray:
    """Test, element-wise, whether the imaginary part is nonzero.

    Parameters
    ----------
    x : array_like
        Array on which to operate.

    Returns
    -------
    ndarray
        Array of bool.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.iscomplex(cp.array([1 + 1j, 1 + 0j]))
    array([ True, False])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        return um.not_equal(x.imag, 0)
    return zeros(x.shape, bool)


@documented_as(iscomplex)
def isreal(x) -> ndarray:
    """Test, element-wise, whether the imaginary part is zero."""
    return imag(x) == 0


def iscomplexobj(x) -> bool:
    """Return whether the type is complex, whatever the values.

    Parameters
    ----------
    x : object
        Array or number of any type.

    Returns
    -------
    bool
        True for complex dtypes and numbers. Of what has a `dtype`, nothing else is looked at.
    """
    scalar = getattr(getattr(x, "dtype", None), "type", None)
    if scalar is None:
        return bool(np.iscomplexobj(as_host(x)))
    return issubclass(scalar, np.complexfloating)


@documented_as(iscomplexobj)
def isrealobj(x) -> bool:
    """Return whether the type is not complex, whatever the values."""
    return not iscomplexobj(x)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None) -> ndarray:
    """Replace NaN and infinities by finite numbers.

    Parameters
    ----------
    x : array_like
        Array on which to operate.
    copy : bool, optional
        If False, modify the array in place.
    nan : number or array_like, optional
        Value that replaces NaN.
    posinf, neginf : number or array_like, optional
        Values that replace the infinities. By default the largest and the smallest number of the
        dtype.

    Returns
    -------
    ndarray
        Array without NaN and infinities. Real and imaginary parts are replaced separately.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nan_to_num(cp.array([cp.nan, 1.0, cp.inf]), posinf=9.0)
    array([0., 1., 9.])
    """
    given, x = x, as_array(x)
    if x.dtype.kind not in "fcV" or issubclass(x.dtype.type, np.void):
        return array(x, copy=True if copy else None)
    largest = finfo(x.dtype).max
    posinf = largest if posinf is None else posinf
    neginf = -largest if neginf is None else neginf
    nan, posinf, neginf = (as_operand(n) for n in (nan, posinf, neginf))
    in_place = not copy or given is not x
    if x.dtype.kind != "c":
        return um.nan_to_num(x, nan, posinf, neginf, in_place)
    out = x if in_place else array(x, copy=True)
    for part in (out.real, out.imag):
        um.nan_to_num(part, nan, posinf, neginf, True)
    return out


def real_if_close(a, tol=100):
    """Return the real part if all imaginary parts are close to zero. Waits for the test.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    tol : float, optional
        Tolerance: a multiple of the dtype's eps if greater than 1, otherwise absolute.

    Returns
    -------
    ndarray
        The real part, or `a` itself if an imaginary part is larger.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.real_if_close(cp.array([2.1 + 4e-14j]), tol=1000)
    array([2.1])
    """
    a = as_array(a)
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = finfo(a.real.dtype).eps * tol
    return a.real if bool((um.absolute(a.imag) < float(tol)).all()) else a


def mintypecode(typechars, typeset="GDFgdf", default="d") -> str:
    """Return the character of the smallest dtype in a set to which all given ones can be cast.

    Parameters
    ----------
    typechars : sequence of str, dtype or ndarray
        Character codes of dtypes, or objects that have a dtype.
    typeset : str, optional
        Character codes to choose from.
    default : str, optional
        Character code returned if no dtype is in the set.

    Returns
    -------
    str
        Character code of the dtype.
    """
    return np.mintypecode(without_cycles(tuple(typechars)), typeset, default)


def common_type(*arrays) -> type[Any]:
    """Return the inexact scalar type to which all the arrays can be cast.

    Parameters
    ----------
    *arrays : array_like
        Arrays whose common type is wanted.

    Returns
    -------
    type
        A floating or complex scalar type.

    Raises
    ------
    TypeError
        If an array is of type bool.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.common_type(cp.ones(2, cp.float32), cp.ones(2, int))
    <class 'numpy.float64'>
    """
    return np.common_type(*(np.empty(0, a.dtype) for a in map(as_array, arrays)))
