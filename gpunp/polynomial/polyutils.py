"""What the modules of polynomials share: series as arrays, domains, and evaluation on grids."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.exceptions import RankWarning

from .._core import umath as um
from .._core._convert import as_array
from .._core.fromnumeric import amax, amin
from .._core.multiarray import array, asarray, empty, ndarray
from .._core.numeric import moveaxis

__all__ = [
    "RankWarning",
    "as_series",
    "getdomain",
    "mapdomain",
    "mapparms",
    "trimcoef",
    "trimseq",
]


# ---- series ------------------------------------------------------------------------------------


def trimseq(seq) -> ndarray:
    """Without the zeros at the end; at least one number stays. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.trimseq(cp.array([1, 2, 0, 0]))
    array([1, 2])
    """
    if len(seq) == 0:
        return seq
    seq = as_array(seq)
    if bool(seq[-1] != 0):
        return seq
    kept = np.flatnonzero((seq != 0).get())
    return seq[: kept[-1] + 1 if kept.size else 1]


def as_series(alist, trim=True) -> list[ndarray]:
    """Arrays of one dimension and one floating type; trailing zeros dropped where `trim`.

    Trimming waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.as_series([cp.array([1, 2, 0]), cp.array([1.5])])
    [array([1., 2.]), array([1.5])]
    """
    arrays = [array(a, ndmin=1, copy=None) for a in alist]
    for a in arrays:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    dtype = np.result_type(*(a.dtype if a.dtype.kind in "fc" else np.float64 for a in arrays))
    return [array(a, copy=True, dtype=dtype) for a in arrays]


def trimcoef(c, tol=0) -> ndarray:
    """Without the coefficients at the end that are no larger than `tol`. Waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.trimcoef(cp.array([0.0, 0, 3, 0, 5, 0, 0]))
    array([0., 0., 3., 0., 5.])
    """
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (c,) = as_series([c])
    large = np.flatnonzero((um.absolute(c) > tol).get())
    return c[:1] * 0 if large.size == 0 else c[: large[-1] + 1].copy()


# ---- domains -----------------------------------------------------------------------------------


def getdomain(x) -> ndarray:
    """The smallest interval (for complex numbers, rectangle) that holds all of `x`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.getdomain(cp.array([3.0, -1.0, 2.0]))
    array([-1.,  3.])
    """
    (x,) = as_series([x], trim=False)
    ends = empty(2, x.dtype)
    for i, extreme in enumerate((amin, amax)):
        if x.dtype.kind == "c":
            ends.real[i], ends.imag[i] = extreme(x.real), extreme(x.imag)
        else:
            ends[i] = extreme(x)
    return ends


def mapparms(old, new) -> tuple[Any, Any]:
    """Offset and scale of the line that takes one domain to another.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.mapparms((-1, 1), (0, 2))
    (1.0, 1.0)
    """
    width = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width


def mapdomain(x, old, new) -> Any:
    """`x` moved by the line that takes the domain `old` to `new`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polyutils.mapdomain(cp.array([0.0, 1.0]), (-1, 1), (0, 4))
    array([2., 4.])
    """
    if not isinstance(x, (int, float, complex, np.generic)):
        x = as_array(x)
    offset, scale = mapparms(old, new)
    return offset + scale * x


# ---- for the modules of this package -------------------------------------------------------------


def degree(value: Any, name: str) -> int:
    """A whole number, or TypeError."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(f"{name} must be an integer, received {value}") from error


def combine(c1: Any, c2: Any, operation: Callable[..., Any]) -> ndarray:
    """Sum or difference of two series of any lengths."""
    a, b = as_series([c1, c2])
    size = max(a.size, b.size)
    longer = []
    for c in (a, b):
        full = c
        if c.size < size:
            full = array(np.zeros(size), dtype=c.dtype)
            full[: c.size] = c
        longer.append(full)
    return trimseq(operation(*longer))


def for_values(x: Any, c: Any, tensor: bool) -> tuple[Any, ndarray]:
    """(x, coefficients) ready for a recurrence over c's first axis."""
    c = array(c, ndmin=1, copy=None)
    if c.dtype.kind in "biu":
        c = c + 0.0
    if isinstance(x, (tuple, list)):
        x = asarray(x)
    if isinstance(x, ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    return x, c


def values_nd(value: Callable[..., Any], c: Any, *points: Any) -> Any:
    """Values at points given by several coordinates."""
    points = tuple(as_array(p) for p in points)
    if any(p.shape != points[0].shape for p in points[1:]):
        names = {2: "x, y", 3: "x, y, z"}.get(len(points), "ordinates")
        raise ValueError(f"{names} are incompatible")
    c = value(points[0], c)
    for p in points[1:]:
        c = value(p, c, tensor=False)
    return c


def grid_nd(value: Callable[..., Any], c: Any, *points: Any) -> Any:
    """Values on the grid of several coordinates."""
    for p in points:
        c = value(p, c)
    return c


def basis_matrix(
    x: Any, deg: Any, first: Callable[[Any], Any], step: Callable[..., Any]
) -> ndarray:
    """The basis functions 0 to `deg` at x, along a new last axis: 1, first(x), then by step(i, x,
    the one before, the one before that)."""
    n = degree(deg, "deg")
    if n < 0:
        raise ValueError("deg must be non-negative")
    x = array(x, copy=None, ndmin=1) + 0.0
    v = empty((n + 1, *x.shape), x.dtype)
    v[0] = x * 0 + 1  # as NumPy: what is no number stays none
    if n > 0:
        v[1] = first(x)
    for i in range(2, n + 1):
        v[i] = step(i, x, v[i - 1], v[i - 2])
    return moveaxis(v, 0, -1)


def basis_matrix_nd(matrix: Callable[..., ndarray], points: Sequence[Any], degrees: Any) -> ndarray:
    """Products of basis functions in several coordinates, flattened along the last axis."""
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
    arrays = [as_array(p) + 0.0 for p in points]
    ndim = len(arrays)
    matrices = []
    for i, (p, n) in enumerate(zip(arrays, degrees, strict=True)):
        place = tuple(slice(None) if k == i else None for k in range(ndim))
        matrices.append(matrix(p, n)[(..., *place)])
    v = functools.reduce(um.multiply, matrices)
    return v.reshape(v.shape[:-ndim] + (-1,))
