"""Real and imaginary parts, and questions about types."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, as_host, as_operand
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
    """Real part, a view for complex arrays and the array itself for others.

    Parameters
    ----------
    val : array_like
        The array.

    Returns
    -------
    ndarray
    """
    return as_array(val).real


@documented_as(real)
def imag(val) -> ndarray:
    """Imaginary part, a view for complex arrays and zeros for others."""
    return as_array(val).imag


def iscomplex(x) -> ndarray:
    """Elementwise: whether the imaginary part is not zero.

    Parameters
    ----------
    x : array_like
        The array.

    Returns
    -------
    ndarray
        bool.

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
    """Elementwise: whether the imaginary part is zero."""
    return imag(x) == 0


def iscomplexobj(x) -> bool:
    """Whether the type is complex, whatever the values.

    Parameters
    ----------
    x : object
        An array or a number.

    Returns
    -------
    bool
    """
    return x.dtype.kind == "c" if isinstance(x, ndarray) else bool(np.iscomplexobj(as_host(x)))


@documented_as(iscomplexobj)
def isrealobj(x) -> bool:
    """Whether the type is not complex."""
    return not iscomplexobj(x)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None) -> ndarray:
    """Replace NaN by a number and infinities by the largest numbers (or by given ones).

    Parameters
    ----------
    x : array_like
        The array.
    copy : bool, optional
        False works in place.
    nan : number or array_like, optional
        What NaN becomes.
    posinf, neginf : number or array_like, optional
        What the infinities become; the largest and the smallest number of the dtype by default.

    Returns
    -------
    ndarray
        The parts of complex numbers are looked at each for itself.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nan_to_num(cp.array([cp.nan, 1.0, cp.inf]), posinf=9.0)
    array([0., 1., 9.])
    """
    given, x = x, as_array(x)
    if x.dtype.kind not in "fcV":
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
    """Drop the imaginary parts when all are close to zero. Waits for that answer.

    Parameters
    ----------
    a : array_like
        The array.
    tol : float, optional
        How close: in units of the dtype's eps where above 1, else absolute.

    Returns
    -------
    ndarray
        `a` itself where an imaginary part is larger.

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
    """Character of the smallest dtype in a set that holds all the given ones.

    Parameters
    ----------
    typechars : sequence of str, dtype or ndarray
        Characters of dtypes, or what has a dtype.
    typeset : str, optional
        The set.
    default : str, optional
        The answer where nothing is in the set.

    Returns
    -------
    str
    """
    return np.mintypecode(typechars, typeset, default)


def common_type(*arrays) -> type[Any]:
    """The inexact scalar type that all the arrays convert to.

    Parameters
    ----------
    *arrays : array_like
        Arrays of numbers.

    Returns
    -------
    type
        A floating or complex one.

    Raises
    ------
    TypeError
        An array of bool.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.common_type(cp.ones(2, cp.float32), cp.ones(2, int))
    <class 'numpy.float64'>
    """
    return np.common_type(*(np.empty(0, a.dtype) for a in map(as_array, arrays)))
