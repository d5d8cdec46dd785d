"""Real and imaginary parts, and questions about types."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array
from .._core.getlimits import finfo
from .._core.multiarray import array, ndarray, where, zeros

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
    """Real part, a view for complex arrays and the array itself for others."""
    return as_array(val).real


def imag(val) -> ndarray:
    """Imaginary part, a view for complex arrays and zeros for others."""
    return as_array(val).imag


def iscomplex(x) -> ndarray:
    """Elementwise: whether the imaginary part is not zero.

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


def isreal(x) -> ndarray:
    """Elementwise: whether the imaginary part is zero."""
    return um.equal(imag(x), 0)


def iscomplexobj(x) -> bool:
    """Whether the type is complex, whatever the values."""
    return x.dtype.kind == "c" if isinstance(x, ndarray) else bool(np.iscomplexobj(x))


def isrealobj(x) -> bool:
    """Whether the type is not complex."""
    return not iscomplexobj(x)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None) -> ndarray:
    """Replace NaN by a number and infinities by the largest numbers (or by given ones).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.nan_to_num(cp.array([cp.nan, 1.0, cp.inf]), posinf=9.0)
    array([0., 1., 9.])
    """
    out = array(x, copy=True if copy else None) if isinstance(x, ndarray) else as_array(x)
    if out.dtype.kind not in "fcV":
        return out
    parts = (out.real, out.imag) if out.dtype.kind == "c" else (out,)
    largest = finfo(parts[0].dtype).max
    for part in parts:
        infinite = um.isinf(part)
        clean = where(um.isnan(part), _fill(nan, part), part)
        limits = where(
            um.signbit(part),
            _fill(-largest if neginf is None else neginf, part),
            _fill(largest if posinf is None else posinf, part),
        )
        part[...] = where(infinite, limits, clean)
    return out


def _fill(value: Any, part: ndarray) -> Any:
    return value.astype(part.dtype) if isinstance(value, ndarray) else part.dtype.type(value)


def real_if_close(a, tol=100):
    """Drop the imaginary parts when all are close to zero. Waits for that answer.

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
    """Character of the smallest dtype in a set that holds all the given ones."""
    return np.mintypecode(typechars, typeset, default)


def common_type(*arrays) -> type[Any]:
    """The inexact scalar type that all the arrays convert to.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.common_type(cp.ones(2, cp.float32), cp.ones(2, int))
    <class 'numpy.float64'>
    """
    return np.common_type(*(np.empty(0, a.dtype) for a in map(as_array, arrays)))
