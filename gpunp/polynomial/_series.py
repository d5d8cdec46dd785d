"""Operations on coefficients in any basis: sums, products, calculus, values, grids.

A basis p_0, p_1, ... is given by numbers that the host knows, functions of k = 0, 1, ...:

    x p_k = up_k p_{k+1} + stay_k p_k + down_k p_{k-1}
    p'_k  = before_k (after_{k-1} p_{k-1} + after_{k-1-step} p_{k-1-step} + ...)

from which everything here follows. Series come as arrays, lowest degree first.
"""

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, normalize_axis_index, shown
from .._core.fromnumeric import sort
from .._core.multiarray import array, asarray, concatenate, empty, ndarray, zeros
from .._core.numeric import moveaxis, ones
from .._core.reductions import cumsum
from .polyutils import as_series, trimseq

Numbers = float | Callable[[Any], Any]  # a function of k, an array; or the same for each k


def at(numbers: Numbers, k: Any) -> Any:
    """Numbers for each k."""
    return numbers(k) if callable(numbers) else np.full(k.shape, numbers, float)


class Recurrence(NamedTuple):
    """A basis as numbers (see above), its x as a series, and what its weight is known by."""

    x: tuple[float, float]
    up: Numbers
    stay: Numbers
    down: Numbers
    before: Numbers
    after: Numbers
    step: int | None = None  # None: the derivative has one term only
    ratio: Numbers = 1  # norm_{k+1} / norm_k, a norm being that of p_k, squared
    integral: float = 0.0  # of the weight

    def numbers(self, n: int) -> tuple[Any, Any, Any]:
        """up, stay and down for 0 to n - 1."""
        k = np.arange(n, dtype=float)
        return at(self.up, k), at(self.stay, k), at(self.down, k)

    def next(self, n: int) -> Iterator[tuple[float, float, float]]:
        """(scale, shift, back) for k = 0 to n - 1:
        p_{k+1} = scale (x - shift) p_k - back p_{k-1}."""
        up, stay, down = self.numbers(n)
        return zip((1 / up).tolist(), stay.tolist(), (down / up).tolist(), strict=True)

    def jacobi(self, n: int) -> tuple[Any, Any]:
        """The diagonal and the one beside it of the symmetric matrix of x, on the host."""
        up, stay, _ = self.numbers(n)
        return stay, up[:-1] * np.sqrt(at(self.ratio, np.arange(n - 1, dtype=float)))


def degree(value: Any, name: str) -> int:
    """A whole number, or TypeError."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(f"{name} must be an integer, received {shown(value)}") from error


# ---- sums and products -------------------------------------------------------------------------


def pad_and(operation: Callable[..., ndarray], a: ndarray, b: ndarray) -> ndarray:
    """Sum or difference of two series of any lengths and one type."""
    size = max(a.size, b.size)
    a, b = (
        c if c.size == size else concatenate((c, zeros(size - c.size, c.dtype))) for c in (a, b)
    )
    return operation(a, b)


plus = functools.partial(pad_and, um.add)
minus = functools.partial(pad_and, um.subtract)


def combine(c1: Any, c2: Any, operation: Callable[..., Any]) -> ndarray:
    """The same of what a user gave, without the zeros at the end."""
    a, b = as_series([c1, c2])
    return trimseq(pad_and(operation, a, b))


def times_x(c: ndarray, basis: Recurrence) -> ndarray:
    """A series times x."""
    out = zeros(c.size + 1, c.dtype)
    up, stay, down = basis.numbers(c.size)
    out[1:] = c * array(up)
    if stay.any():
        out[:-1] += c * array(stay)
    if down[1:].any():
        out[:-2] += c[1:] * array(down[1:])
    return out


def power_times_x(c: ndarray) -> ndarray:
    """A power series times x."""
    return concatenate((zeros(1, c.dtype), c))


class Algebra(NamedTuple):
    """What Clenshaw's recurrence is run over: numbers at x, or series of some basis.

    `factor(scale, shift)` is a function that multiplies by scale * (x - shift).
    """

    factor: Callable[[float, float], Callable[[Any], Any]]
    add: Callable[..., Any] = operator.add
    sub: Callable[..., Any] = operator.sub


def numbers_at(x: Any) -> Algebra:
    """Plain arithmetic at x, where the factor is a number or an array, made once for equal ones."""

    @functools.lru_cache(maxsize=1)
    def factor(scale: float, shift: float) -> Callable[[Any], Any]:
        by = x - shift if shift else x
        by = by * scale if scale != 1 else by
        return lambda value: value * by

    return Algebra(factor)


def series_of(by_x: Callable[[ndarray], ndarray]) -> Algebra:
    """The arithmetic of series that are multiplied by x so."""

    def factor(scale: float, shift: float) -> Callable[[Any], Any]:
        return lambda c: (minus(by_x(c), c * shift) if shift else by_x(c)) * scale

    return Algebra(factor, plus, minus)


def clenshaw(terms: Sequence[Any], basis: Recurrence, algebra: Algebra) -> Any:
    """The sum of terms times basis functions (C. W. Clenshaw, Math. Comp. 9, 1955)."""
    if len(terms) == 1:
        return terms[0]
    c0, c1 = terms[-2], terms[-1]
    numbers = list(basis.next(len(terms) - 1))
    for k in range(len(numbers) - 1, 0, -1):
        scale, shift, back = numbers[k]
        c0, c1 = (
            algebra.sub(terms[k - 1], c1 * back),
            algebra.add(c0, algebra.factor(scale, shift)(c1)),
        )
    return algebra.add(c0, algebra.factor(*numbers[0][:2])(c1))


def multiply(c1: Any, c2: Any, basis: Recurrence) -> ndarray:
    """The product of two series of one basis."""
    a, b = sorted(as_series([c1, c2]), key=len)
    terms = [a[i] * b for i in range(a.size)]
    return trimseq(clenshaw(terms, basis, series_of(lambda c: times_x(c, basis))))


def divide(c1: Any, c2: Any, multiply: Callable[..., ndarray]) -> tuple[ndarray, ndarray]:
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


def raise_to(c: Any, pow: Any, maxpower: Any, multiply: Callable[..., ndarray]) -> ndarray:
    """A series raised to a whole power."""
    (c,) = as_series([c])
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    if power == 0:
        return array([1], dtype=c.dtype)
    empty((c.size - 1) * power + 1, c.dtype)  # MemoryError before the work begins
    result = c
    for bit in bin(power)[3:]:  # by squaring, from the highest bit down
        result = multiply(result, result)
        if bit == "1":
            result = multiply(result, c)
    return result


def from_roots(roots: Any, x: tuple[float, float], multiply: Callable[..., Any]) -> ndarray:
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


def to_powers(c: Any, basis: Recurrence) -> ndarray:
    """A series of a basis as a power series."""
    (c,) = as_series([c])
    terms = [c[i : i + 1] for i in range(c.size)]
    return trimseq(clenshaw(terms, basis, series_of(power_times_x)))


def from_powers(pol: Any, basis: Recurrence) -> ndarray:
    """A power series as a series of a basis, by Horner's rule."""
    (pol,) = as_series([pol])
    result = pol[-1:]
    for i in range(pol.size - 2, -1, -1):
        result = plus(times_x(result, basis), pol[i : i + 1])
    return trimseq(result)


# ---- calculus ----------------------------------------------------------------------------------


def first_axis(c: Any, axis: Any) -> tuple[ndarray, int]:
    """A copy in floating numbers with the given axis first, and that axis."""
    c = array(c, ndmin=1, copy=True)
    if c.dtype.kind in "biu":
        c = c + 0.0
    axis = normalize_axis_index(degree(axis, "the axis"), c.ndim)
    return moveaxis(c, axis, 0), axis


def column(values: Any, c: ndarray) -> ndarray:
    """Numbers that follow c's first axis, as real as c is precise."""
    return array(values, dtype=c.real.dtype).reshape((-1,) + (1,) * (c.ndim - 1))


def derivative_once(c: ndarray, basis: Recurrence) -> ndarray:
    """The derivative, c's first axis being the degree."""
    n = c.shape[0] - 1
    k = np.arange(n, dtype=float)
    terms = c[1:] * column(at(basis.before, k + 1), c)
    for start in range(min(basis.step or 0, n)):  # every step-th degree from the last one down
        every = slice(n - 1 - start, None, -(basis.step or 1))
        terms[every] = cumsum(terms[every], axis=0)
    return terms * column(at(basis.after, k), c)


def integral_once(c: ndarray, basis: Recurrence) -> ndarray:
    """The antiderivative, its constant left to the caller: p_k after_k is what p'_{k+1} has and
    p'_{k+1-step} has not, each over its `before`."""
    n = c.shape[0]
    k = np.arange(n, dtype=float)
    share = c / column(at(basis.after, k), c)
    out = zeros((n + 1, *c.shape[1:]), c.dtype)
    out[1:] = share / column(at(basis.before, k + 1), c)
    step = basis.step
    if step is not None and n > step:
        out[1 : n + 1 - step] -= share[step:] / column(at(basis.before, k[step:] + 1 - step), c)
    return out


def derive(c: Any, m: Any, scl: Any, axis: Any, basis: Recurrence) -> ndarray:
    """The derivative of a series, `m` times."""
    count = degree(m, "the order of derivation")
    if count < 0:
        raise ValueError("The order of derivation must be non-negative")
    c, axis = first_axis(c, axis)
    if count >= c.shape[0]:
        c = c[:1] * 0
    else:
        for _ in range(count):
            c = derivative_once(c * scl, basis)
    return moveaxis(c, 0, axis)


class Integration(NamedTuple):
    """The arguments of an integral."""

    m: Any
    k: Any
    lbnd: Any
    scl: Any
    axis: Any


def integrate(c: Any, how: Integration, basis: Recurrence, value: Callable[..., Any]) -> ndarray:
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
    empty((c.shape[0] + count, *c.shape[1:]), c.dtype)  # MemoryError before the work begins
    for constant in itertools.chain(constants, itertools.repeat(0, count - len(constants))):
        c = c * how.scl
        if c.shape[0] == 1 and bool((c[0] == 0).all()):
            c[0] += constant
            continue
        c = integral_once(c, basis)
        c[0] += constant - value(how.lbnd, c)
    return moveaxis(c, 0, axis)


# ---- values ------------------------------------------------------------------------------------


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


def values(x: Any, c: Any, tensor: bool, basis: Recurrence) -> Any:
    """A series at x."""
    x, c = for_values(x, c, tensor)
    if c.shape[0] == 1:
        return c[0] + 0 * x
    return clenshaw(list(c), basis, numbers_at(x))


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


def matrix(x: Any, deg: Any, basis: Recurrence) -> ndarray:
    """The basis functions 0 to `deg` at x, along a new last axis."""
    n = degree(deg, "deg")
    if n < 0:
        raise ValueError("deg must be non-negative")
    x = array(x, copy=None, ndmin=1) + 0.0
    factor = numbers_at(x).factor
    v = empty((n + 1, *x.shape), x.dtype)
    v[0] = x * 0 + 1  # as in NumPy: NaN remains NaN
    for k, (scale, shift, back) in enumerate(basis.next(n)):
        v[k + 1] = factor(scale, shift)(v[k])
        if k and back:
            v[k + 1] -= v[k - 1] * back
    return moveaxis(v, 0, -1)


def matrix_nd(one: Callable[..., ndarray], points: Sequence[Any], degrees: Any) -> ndarray:
    """Products of basis functions in several coordinates, flattened along the last axis."""
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
    arrays = [as_array(p) + 0.0 for p in points]
    ndim = len(arrays)
    matrices = []
    for i, (p, n) in enumerate(zip(arrays, degrees, strict=True)):
        place = tuple(slice(None) if k == i else None for k in range(ndim))
        matrices.append(one(p, n)[(..., *place)])
    v = functools.reduce(um.multiply, matrices)
    return v.reshape(v.shape[:-ndim] + (-1,))
