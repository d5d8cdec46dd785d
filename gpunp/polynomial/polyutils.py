"""What the modules of polynomials share: series as arrays, domains, and evaluation on grids."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.exceptions import RankWarning

from .._core import umath as um
from .._core._convert import as_array, normalize_axis_index
from .._core.fromnumeric import sort
from .._core.multiarray import array, asarray, concatenate, empty, ndarray, zeros
from .._core.numeric import moveaxis, ones
from .._core.reductions import amax, amin

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
    if isinstance(x, (list, tuple, np.ndarray)):  # numbers and series stay what they are
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


def pad_and(operation: Callable[..., ndarray], a: ndarray, b: ndarray) -> ndarray:
    """Sum or difference of two series of any lengths and one type."""
    size = max(a.size, b.size)
    a, b = (
        c if c.size == size else concatenate((c, zeros(size - c.size, c.dtype))) for c in (a, b)
    )
    return operation(a, b)


def combine(c1: Any, c2: Any, operation: Callable[..., Any]) -> ndarray:
    """The same of what a user gave, without the zeros at the end."""
    a, b = as_series([c1, c2])
    return trimseq(pad_and(operation, a, b))


class Algebra(NamedTuple):
    """What Clenshaw's recurrence is run over: numbers at x, series of a basis, or powers."""

    x: Callable[[Any], Any]  # times x
    add: Callable[..., Any] = functools.partial(pad_and, um.add)
    sub: Callable[..., Any] = functools.partial(pad_and, um.subtract)


def clenshaw(terms: Sequence[Any], step: Callable[..., Any], last: Any, algebra: Algebra) -> Any:
    """The sum of terms times basis functions (C. W. Clenshaw, Math. Comp. 9, 1955)."""
    if len(terms) == 1:
        return terms[0]
    c0, c1, n = terms[-2], terms[-1], len(terms)
    for term in reversed(terms[:-2]):
        n -= 1
        c0, c1 = step(n, term, c0, c1, algebra)
    return last(c0, c1, algebra)


def multiply_series(c1: Any, c2: Any, step: Any, last: Any, times_x: Any) -> ndarray:
    """The product of two series of one basis."""
    a, b = sorted(as_series([c1, c2]), key=len)
    terms = [a[i] * b for i in range(a.size)]
    return trimseq(clenshaw(terms, step, last, Algebra(times_x)))


def divide_series(c1: Any, c2: Any, multiply: Callable[..., ndarray]) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of two series of one basis."""
    rest, divisor = as_series([c1, c2])
    if bool(divisor[-1] == 0):
        raise ZeroDivisionError
    extra = rest.size - divisor.size
    if extra < 0:
        return rest[:1] * 0, rest
    if divisor.size == 1:
        return rest / divisor[-1], rest[:1] * 0
    quotient = empty(extra + 1, rest.dtype)
    for i in range(extra, -1, -1):
        unit = zeros(i + 1, rest.dtype)
        unit[-1] = 1
        product = multiply(unit, divisor)
        quotient[i] = rest[-1] / product[-1]
        rest = rest[:-1] - quotient[i] * product[:-1]
    return quotient, trimseq(rest)


def raise_series(c: Any, pow: Any, maxpower: Any, multiply: Callable[..., ndarray]) -> ndarray:
    """A series raised to a whole power."""
    (c,) = as_series([c])
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    if power == 0:
        return array([1], dtype=c.dtype)
    result = c
    for _ in range(2, power + 1):
        result = multiply(result, c)
    return result


def series_from_roots(roots: Any, x: tuple[float, float], multiply: Callable[..., Any]) -> ndarray:
    """The series with the given roots; `x` is the series of x itself. Neighbours are multiplied
    first: the coefficients stay small longest."""
    roots = array(roots, ndmin=1, copy=None)
    if roots.size == 0:
        return ones(1)
    (roots,) = as_series([roots], trim=False)
    factors = empty((roots.size, 2), roots.dtype)
    factors[:, 0] = x[0] - sort(roots)
    factors[:, 1] = x[1]
    series = list(factors)
    while len(series) > 1:
        half, odd = divmod(len(series), 2)
        pairs = [multiply(series[i], series[i + half]) for i in range(half)]
        if odd:
            pairs[0] = multiply(pairs[0], series[-1])
        series = pairs
    return series[0]


def _power_times_x(c: ndarray) -> ndarray:
    return concatenate((zeros(1, c.dtype), c))


def to_powers(c: Any, step: Any, last: Any) -> ndarray:
    """A series of a basis as a power series."""
    (c,) = as_series([c])
    terms = [c[i : i + 1] for i in range(c.size)]
    return trimseq(clenshaw(terms, step, last, Algebra(_power_times_x)))


def from_powers(pol: Any, times_x: Callable[[ndarray], ndarray]) -> ndarray:
    """A power series as a series of a basis, by Horner's rule."""
    (pol,) = as_series([pol])
    result = pol[-1:]
    for i in range(pol.size - 2, -1, -1):
        result = pad_and(um.add, times_x(result), pol[i : i + 1])
    return trimseq(result)


def first_axis(c: Any, axis: Any) -> tuple[ndarray, int]:
    """A copy in floating numbers with the given axis first, and that axis."""
    c = array(c, ndmin=1, copy=True)
    if c.dtype.kind in "biu":
        c = c + 0.0
    axis = normalize_axis_index(degree(axis, "the axis"), c.ndim)
    return moveaxis(c, axis, 0), axis


def derive_series(c: Any, m: Any, scl: Any, axis: Any, once: Callable[[ndarray], Any]) -> ndarray:
    """The derivative of a series, `m` times."""
    count = degree(m, "the order of derivation")
    if count < 0:
        raise ValueError("The order of derivation must be non-negative")
    c, axis = first_axis(c, axis)
    if count >= c.shape[0]:
        c = c[:1] * 0
    else:
        for _ in range(count):
            c = once(c * scl)
    return moveaxis(c, 0, axis)


class Integration(NamedTuple):
    """The arguments of an integral."""

    m: Any
    k: Any
    lbnd: Any
    scl: Any
    axis: Any


def integrate_series(
    c: Any, how: Integration, once: Callable[[ndarray], ndarray], value: Callable[..., Any]
) -> ndarray:
    """The antiderivative of a series, `m` times, each with a value of `k` at `lbnd`."""
    k = how.k
    constants = [k] if not hasattr(k, "__iter__") or getattr(k, "ndim", None) == 0 else list(k)
    count = degree(how.m, "the order of integration")
    if count < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    for name in ("lbnd", "scl"):
        given = getattr(how, name)
        if getattr(given, "ndim", 0) != 0 or isinstance(given, (list, tuple)):
            raise ValueError(f"{name} must be a scalar.")
    c, axis = first_axis(c, how.axis)
    constants += [0] * (count - len(constants))
    for constant in constants:
        c = c * how.scl
        if c.shape[0] == 1 and bool((c[0] == 0).all()):
            c[0] += constant
            continue
        c = once(c)
        c[0] += constant - value(how.lbnd, c)
    return moveaxis(c, 0, axis)


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
