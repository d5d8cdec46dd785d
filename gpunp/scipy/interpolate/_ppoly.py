"""Piecewise polynomials in powers, in Bernstein's basis and in several variables.

A value is one thread's work: it finds its interval by bisection and evaluates Horner's scheme or
de Casteljau's algorithm there.
"""

import functools
import itertools
import math
import operator
import types
from typing import Any

import numpy as np
import scipy.interpolate

from ..._core import umath as um
from ..._core._convert import per_axis, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import (
    arange,
    array,
    ascontiguousarray,
    concatenate,
    empty,
    ndarray,
    zeros,
)
from ..._core.raw import ElementwiseKernel
from ._pieces import (
    LOCATE,
    along_first,
    as_evaluation_points,
    as_extrapolate,
    as_places,
    as_points,
    as_values,
    is_true,
    restored,
    um_moveaxis,
)
from ._spline_values import put_power_values

__all__ = ["BPoly", "NdPPoly", "PPoly"]

_VALUE = """
    const %(index)s piece = locate(t, (%(index)s)(pieces + 1), x, extrapolate);
    y = piece < 0 ? T(nan("")) : T(0);
    if (piece >= 0) {
        const double s = x - t[piece];
        const ptrdiff_t stride = pieces * columns;
        const ptrdiff_t at = piece * columns + (columns == 1 ? 0 : i %% columns);
        const %(index)s count = %(count)s;
        #pragma unroll
        for (%(index)s k = 0; k < count; k++) {
            double factor = 1;
            for (long long j = 0; j < %(order)s; j++) factor *= double(size - 1 - k - j);
            y = y * s + c[k * stride + at] * factor;
        }
    }
"""
_UNROLLED = 6  # most coefficients of a loop that the compiler unrolls


@functools.cache
def _value_kernel(count: int) -> Any:
    """The kernel of values of polynomials in powers with so many coefficients; 0 stands for any
    number, and for derivatives."""
    words = {"index": "int", "count": count, "order": 0}
    if not count:
        words = {"index": "long long", "count": "size - nu", "order": "nu"}
    return ElementwiseKernel(
        "float64 x, raw T c, raw float64 t, int64 size, int64 pieces, int64 columns, int64 nu,"
        " bool extrapolate",
        "T y",
        _VALUE % words,
        f"piecewise_powers_{count}" if count else "piecewise_powers",
        preamble=LOCATE,
    )


def values_in_powers(x: ndarray, c: ndarray, t: ndarray, nu: int, extrapolate: bool, out: ndarray):
    """Values of polynomials with coefficients (number, intervals, columns) into `out`, in which
    neighbours have neighbouring columns."""
    size, pieces = c.shape[:2]
    columns = math.prod(c.shape[2:])
    is_short = nu == 0 and size <= _UNROLLED and pieces < (1 << 31) - 1
    kernel = _value_kernel(size if is_short else 0)
    kernel(x, c, t, size, pieces, columns, nu, extrapolate, out)


# Of the antiderivative of order `nu`: the sum over p of g[p] s^p / p!, where g[p] are the values at
# the left end of the antiderivatives of the orders nu - p, and beyond those the coefficients.
_RISE = ElementwiseKernel(
    "raw T c, raw T values, raw float64 t, int64 order, int64 pieces, int64 columns, int64 nu",
    "T rise",
    """
    const ptrdiff_t piece = i / columns, stride = pieces * columns;
    const double s = t[piece + 1] - t[piece];
    rise = c[i];
    for (long long k = 1; k < order; k++)
        rise = rise * (s * double(order - k) / double(order - k + nu)) + c[k * stride + i];
    for (long long p = nu; p > 0; p--) {
        rise = rise * (s / double(p));
        if (p > 1) rise += values[(nu - p) * stride + i];
    }
    """,
    "rise_of_antiderivative",
)
_ANTIDERIVATIVE = ElementwiseKernel(
    "raw T c, raw T values, int64 order, int64 size, int64 nu",
    "T coefficient",
    """
    const ptrdiff_t row = i / size, at = i - row * size;
    const bool is_value = row >= order;
    double divisor = 1;
    for (long long k = 0; k < (is_value ? order + nu - 1 - row : nu); k++)
        divisor *= is_value ? double(k + 1) : double(order - row + k);
    coefficient = (is_value ? values[(row - order) * size + at] : c[i]) / divisor;
    """,
    "coefficients_of_antiderivative",
)
# The value of sum over a of c[a] comb(k, a) u^a (1 - u)^(k - a); derivatives are of polynomials of
# their own, so that nothing is scaled here.
_BERNSTEIN = ElementwiseKernel(
    "float64 x, raw T c, raw float64 t, int64 order, int64 pieces, int64 columns, bool extrapolate",
    "T y",
    """
    const long long piece = locate(t, pieces + 1, x, extrapolate);
    y = piece < 0 ? T(nan("")) : T(0);
    if (piece >= 0) {
        const double u = (x - t[piece]) / (t[piece + 1] - t[piece]), v = 1 - u;
        const ptrdiff_t column = columns == 1 ? 0 : i % columns;
        double rising = 1, combinations = 1;
        for (long long k = 0; k < order; k++) {
            y = y * v + c[(k * pieces + piece) * columns + column] * (combinations * rising);
            rising *= u;
            combinations = combinations * double(order - 1 - k) / double(k + 1);
        }
    }
    """,
    "piecewise_bernstein",
    preamble=LOCATE,
)
# A polynomial in several variables: Horner's scheme in the last variable, whose results are the
# coefficients of the one before it. `info` has, for each variable, its number of coefficients and
# of intervals, where its breakpoints begin, and the order of the derivative.
_TENSOR = ElementwiseKernel(
    "raw float64 x, raw T c, raw float64 t, raw int64 info, int64 n, int64 columns,"
    " bool extrapolate",
    "T y",
    """
    const ptrdiff_t point = i / columns, column = i - point * columns;
    double s[32];
    long long digit[32];
    T sum[32];
    long long at = 0, cells = 1;
    bool inside = true;
    for (long long d = 0; d < n; d++) {
        const double here = x[point * n + d];
        const Breaks<decltype(t)> own{t, info[4 * d + 2]};
        const long long piece = locate(own, info[4 * d + 1] + 1, here, extrapolate);
        inside = inside && piece >= 0;
        s[d] = piece >= 0 ? here - own[piece] : 0;
        at = at * info[4 * d + 1] + (piece >= 0 ? piece : 0);
        cells *= info[4 * d + 1];
        digit[d] = 0;
        sum[d] = T(0);
    }
    bool is_zero = false;
    for (long long d = 0; d < n; d++) is_zero = is_zero || info[4 * d] <= info[4 * d + 3];
    y = inside ? T(0) : T(nan(""));
    for (bool more = inside && !is_zero; more;) {
        long long term = 0;
        for (long long d = 0; d < n; d++) term = term * info[4 * d] + digit[d];
        T value = c[(term * cells + at) * columns + column];
        long long d = n - 1;
        for (; d >= 0; d--) {
            const long long k = info[4 * d], nu = info[4 * d + 3];
            double factor = 1;
            for (long long j = 0; j < nu; j++) factor *= double(k - 1 - digit[d] - j);
            sum[d] = sum[d] * s[d] + value * factor;
            if (++digit[d] < k - nu) break;
            value = sum[d];
            digit[d] = 0;
            sum[d] = T(0);
        }
        more = d >= 0;
        if (!more) y = value;
    }
    """,
    "piecewise_tensor",
    preamble=LOCATE
    + """
    template <class A>
    struct Breaks {
        A &t;
        long long first;
        __device__ double operator[](long long k) const { return t[first + k]; }
    };
    """,
)


class _Piecewise:
    """What piecewise polynomials in one variable share."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    __slots__ = ("axis", "c", "extrapolate", "x")
    _evaluated: Any  # (x, nu, extrapolate): values at points along one axis
    _of_one_order: Any  # (c): the own coefficients and others, of one degree
    antiderivative: Any

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        self.c = as_values(c)
        self.x, steps = as_points(x)
        self.extrapolate = as_extrapolate(extrapolate)
        if self.c.ndim < 2:
            raise ValueError(f"c must have two axes or more, not {self.c.ndim}")
        axis = operator.index(axis)
        if not 0 <= axis < self.c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {self.c.ndim - 1}")
        self.axis = axis
        if axis:
            self.c = ascontiguousarray(um_moveaxis(um_moveaxis(self.c, axis + 1), axis + 1))
        if self.x.ndim != 1:
            raise ValueError(f"x must be 1-D, not of shape {self.x.shape}")
        if self.x.size < 2:
            raise ValueError(f"x must have two breakpoints or more, not {self.x.size}")
        if self.c.shape[0] == 0:
            raise ValueError("polynomials must have a coefficient or more")
        if self.c.shape[1] != self.x.size - 1:
            raise ValueError(
                f"c has coefficients of {self.c.shape[1]} intervals, x has {self.x.size - 1}"
            )
        if steps is not None and not (is_true(steps >= 0) or is_true(steps <= 0)):
            raise ValueError("x must be increasing or decreasing")

    @classmethod
    def construct_fast(cls, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> Any:
        """Make a piecewise polynomial without checks and copies.

        Parameters
        ----------
        c : ndarray
            Coefficients, of float64 or complex128 and C-contiguous, the interpolated axis first.
        x : ndarray
            Breakpoints of float64, in order.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends; None extrapolates.
        axis : int, optional
            Axis of the results along which polynomials stand.

        Returns
        -------
        object
            Piecewise polynomial over the arrays themselves.
        """
        self = object.__new__(cls)
        self.c, self.x, self.axis = c, x, axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def _choice(self, extrapolate: Any) -> Any:
        return as_extrapolate(extrapolate, self.extrapolate)

    def _wrapped(self, x: ndarray) -> ndarray:
        first = self.x[0]
        return first + um.remainder(x - first, self.x[-1] - first)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> ndarray:
        """Evaluate the piecewise polynomial or a derivative.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        nu : int, optional
            Order of the derivative that is evaluated.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends, by default as the object was made.

        Returns
        -------
        ndarray
            Values; the axes of `x` stand where the interpolated axis was.
        """
        extrapolate = self._choice(extrapolate)
        nu = operator.index(nu)
        if nu < 0:
            raise ValueError(f"nu must not be negative, but is {nu}")
        x = as_evaluation_points(x)
        flat = self._wrapped(x) if extrapolate == "periodic" else x
        out = self._evaluated(flat.reshape(-1), nu, extrapolate is True)
        return restored(out.reshape(x.shape + self.c.shape[2:]), x.ndim, self.axis)

    def extend(self, c: Any, x: Any) -> None:
        """Add intervals before the first breakpoint or beyond the last.

        Parameters
        ----------
        c : array_like
            Coefficients of the new intervals, with axes as those of the object's `c`.
        x : array_like
            New breakpoints, all on one side; the breakpoint at the end that they continue is not
            among them. The check of their order waits for the device.
        """
        c = as_values(c)
        new, steps = as_points(x)
        if c.ndim < 2:
            raise ValueError(f"c must have two axes or more, not {c.ndim}")
        if new.ndim != 1:
            raise ValueError(f"x must be 1-D, not of shape {new.shape}")
        if new.shape[0] != c.shape[1]:
            raise ValueError(f"x has {new.shape[0]} breakpoints, c {c.shape[1]} intervals")
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise ValueError(f"shapes of c, {c.shape} and {self.c.shape}, do not fit")
        if c.size == 0:
            return
        if steps is not None and not (is_true(steps >= 0) or is_true(steps <= 0)):
            raise ValueError("x must be increasing or decreasing")
        first, last, begin, end = (
            float(v) for v in concatenate((self.x[[0, -1]], new[[0, -1]])).get()
        )
        ascending = last >= first
        if new.size > 1 and (end >= begin) != ascending:
            raise ValueError("x must be ordered as the breakpoints of the object")
        sign = 1 if ascending else -1
        if sign * (begin - last) >= 0:
            after = True
        elif sign * (first - end) >= 0:
            after = False
        else:
            raise ValueError("x must lie before the first breakpoint or beyond the last")
        old, c = self._of_one_order(c)
        parts, points = ((old, c), (self.x, new)) if after else ((c, old), (new, self.x))
        self.c = concatenate([p.astype(self._kind(c), copy=False) for p in parts], axis=1)
        self.x = concatenate(points)

    def _kind(self, c: ndarray) -> np.dtype:
        return np.dtype("D" if "D" in (c.dtype.char, self.c.dtype.char) else "d")

    def _antiderivative_extrapolation(self) -> Any:
        return False if self.extrapolate == "periodic" else self.extrapolate

    def integrate(self, a: float, b: float, extrapolate: Any = None) -> ndarray:
        """Integrate over an interval.

        Parameters
        ----------
        a : float
            Lower end of the interval.
        b : float
            Upper end of the interval.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends, by default as the object was made; 'periodic' reads the
            ends from the device.

        Returns
        -------
        ndarray
            Integral, of the shape of a value.
        """
        return self._integral(float(a), float(b), self._choice(extrapolate))

    def _integral(self, a: float, b: float, extrapolate: Any) -> ndarray:
        """The integral from a to b as differences of the antiderivative."""
        sign = 1.0
        if b < a:
            a, b, sign = b, a, -1.0
        anti = self.antiderivative()
        if extrapolate != "periodic":
            ends = anti(array([a, b]), extrapolate=bool(extrapolate))
            return (anti._first_axis(ends)[1] - anti._first_axis(ends)[0]) * sign
        first, last = (float(v) for v in self.x[[0, -1]].get())
        period, length = last - first, b - a
        turns, rest = divmod(length, period)
        begin = first + (a - first) % period
        end = begin + rest
        at = [first, last, begin, min(end, last), first, max(first, first + end - last)]
        values = anti._first_axis(anti(array(at), extrapolate=True))
        whole, most, more = (values[k + 1] - values[k] for k in (0, 2, 4))
        total = whole * turns + most
        return (total + more if end > last else total) * sign

    def _first_axis(self, values: ndarray) -> ndarray:
        return um_moveaxis(values, self.axis)


class PPoly(_Piecewise):
    """Piecewise polynomial in powers of the distance from the beginning of each interval.

    Between ``x[i]`` and ``x[i+1]`` the value is the sum of ``c[m, i] * (xp - x[i])**(k - m)`` over
    m, where k is the degree.

    Parameters
    ----------
    c : array_like
        Coefficients, of shape (degree + 1, intervals, ...), highest powers first.
    x : array_like
        Breakpoints in increasing or decreasing order. The check of those on the device waits for
        it; ``errstate(linalg="ignore")`` disables it.
    extrapolate : bool or 'periodic', optional
        If True, the default, the first and last polynomials are used beyond the ends; if False,
        results are NaN there; 'periodic' continues the function periodically.
    axis : int, optional
        Axis of the results along which polynomials stand.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import PPoly
    >>> p = PPoly(cp.array([[1.0, -1.0], [0.0, 2.0]]), [0, 1, 2])
    >>> p(cp.array([0.5, 1.5]))
    array([0.5, 1.5])
    """

    __slots__ = ()

    def _evaluated(self, x: ndarray, nu: int, extrapolate: bool) -> ndarray:
        out = empty((x.size, math.prod(self.c.shape[2:])), self.c.dtype)
        if nu == 0 and put_power_values(x, self.c, self.x, extrapolate, out):
            return out
        if out.size:
            values_in_powers(x[:, None], self.c, self.x, nu, extrapolate, out)
        return out

    def _of_one_order(self, c: ndarray) -> tuple[ndarray, ndarray]:
        order = max(c.shape[0], self.c.shape[0])

        def filled(a: ndarray) -> ndarray:
            missing = order - a.shape[0]
            return concatenate((zeros((missing, *a.shape[1:]), a.dtype), a)) if missing else a

        return filled(self.c), filled(c)

    def derivative(self, nu: int = 1) -> "PPoly":
        """Return the derivative as a piecewise polynomial.

        Parameters
        ----------
        nu : int, optional
            Order of the derivative; a negative one gives an antiderivative.

        Returns
        -------
        PPoly
            Piecewise polynomial of a degree lower by `nu`, of zeros where nothing is left.
        """
        nu = operator.index(nu)
        if nu < 0:
            return self.antiderivative(-nu)
        order = self.c.shape[0]
        if nu == 0:
            c = self.c.copy()
        elif nu >= order:
            c = zeros((1, *self.c.shape[1:]), self.c.dtype)
        else:
            powers = np.arange(order - 1, nu - 1, -1, dtype="d")
            factors = np.prod([powers - j for j in range(nu)], axis=0)
            c = self.c[: order - nu] * along_first(factors, self.c.ndim)
        return type(self).construct_fast(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> "PPoly":
        """Return a continuous antiderivative that is zero at the first breakpoint.

        Parameters
        ----------
        nu : int, optional
            How often the function is integrated; a negative number gives a derivative.

        Returns
        -------
        PPoly
            Piecewise polynomial of a degree higher by `nu`; that of a periodic one does not
            extrapolate.
        """
        nu = operator.index(nu)
        if nu <= 0:
            return self.derivative(-nu)
        c = ascontiguousarray(self.c)
        order, pieces = c.shape[:2]
        out = empty((order + nu, *c.shape[1:]), c.dtype)  # MemoryError before the work begins
        columns = math.prod(c.shape[2:])
        values = zeros((nu, pieces, columns), c.dtype)  # at the left ends, of orders 1 to nu
        for k in range(nu if pieces > 1 and columns else 0):
            rise = empty((pieces - 1, columns), c.dtype)
            _RISE(c, values, self.x, order, pieces, columns, k + 1, rise)
            rise.cumsum(axis=0, out=values[k, 1:])
        if out.size:
            _ANTIDERIVATIVE(c, values, order, pieces * columns, nu, out)
        return type(self).construct_fast(
            out, self.x, self._antiderivative_extrapolation(), self.axis
        )

    def _host(self) -> Any:
        """SciPy's polynomials in powers, copied to the host."""
        return scipy.interpolate.PPoly.construct_fast(
            self.c.get(), self.x.get(), self.extrapolate, self.axis
        )

    def solve(self, y: float = 0.0, discontinuity: bool = True, extrapolate: Any = None) -> ndarray:
        """Find where the function has a value.

        The number of solutions is known on the host only: coefficients are copied there, and SciPy
        solves the equations of the intervals one by one.

        Parameters
        ----------
        y : float, optional
            Right-hand side of the equation.
        discontinuity : bool, optional
            If True, jumps across `y` at breakpoints count as solutions.
        extrapolate : bool or 'periodic', optional
            Whether solutions beyond the ends are returned, by default as the object was made.

        Returns
        -------
        ndarray
            Solutions in order. Of coefficients with more than two axes, an object array of the
            host with an array for each polynomial.
        """
        found = self._host().solve(float(y), discontinuity, extrapolate)
        if found.dtype != object:
            return array(found)
        result: Any = np.empty(found.shape, object)
        for at in np.ndindex(found.shape):
            result[at] = array(found[at])
        return result

    def roots(self, discontinuity: bool = True, extrapolate: Any = None) -> ndarray:
        """Find the zeros of the function, as `solve` does.

        Parameters
        ----------
        discontinuity : bool, optional
            If True, changes of the sign at breakpoints count as zeros.
        extrapolate : bool or 'periodic', optional
            Whether zeros beyond the ends are returned, by default as the object was made.

        Returns
        -------
        ndarray
            Zeros in order; see `solve`.
        """
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: Any = None) -> "PPoly":
        """Make a piecewise polynomial of a B-spline.

        Parameters
        ----------
        tck : tuple or BSpline
            Knots, coefficients and degree, or a spline.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends, by default as the spline does.

        Returns
        -------
        PPoly
            The same function between all knots.
        """
        from ._bsplines import BSpline

        if isinstance(tck, BSpline):
            t, c, k = tck.tck
            extrapolate = tck.extrapolate if extrapolate is None else extrapolate
        else:
            t, c, k = tck
        k = operator.index(k)
        spline = BSpline(t, c, k)
        rows = [spline(spline.t[:-1], nu=m) / math.factorial(m) for m in range(k, -1, -1)]
        return cls.construct_fast(
            ascontiguousarray(_stacked(rows)), spline.t, as_extrapolate(extrapolate), 0
        )

    @classmethod
    def from_bernstein_basis(cls, bp: Any, extrapolate: Any = None) -> "PPoly":
        """Make a piecewise polynomial in powers of one in Bernstein's basis.

        Parameters
        ----------
        bp : BPoly
            Piecewise polynomial in Bernstein's basis.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends, by default as `bp` does.

        Returns
        -------
        PPoly
            The same function.
        """
        if not isinstance(bp, BPoly):
            raise TypeError(f"bp must be a BPoly, not {type(bp).__name__}")
        k = bp.c.shape[0] - 1
        change = np.zeros((k + 1, k + 1))
        for a in range(k + 1):
            for s in range(a, k + 1):
                change[k - s, a] = (-1) ** (s - a) * math.comb(k, s) * math.comb(s, a)
        c = _mixed(change, bp.c) / _powers_of_steps(bp.x, k, bp.c.ndim)
        chosen = bp.extrapolate if extrapolate is None else as_extrapolate(extrapolate)
        return cls.construct_fast(c, bp.x, chosen, bp.axis)


def _stacked(rows: list) -> ndarray:
    return concatenate([row[None] for row in rows])


def _mixed(matrix: np.ndarray, c: ndarray) -> ndarray:
    """A matrix of the host times the coefficients, along their first axis."""
    flat = array(matrix).astype(c.dtype, copy=False) @ c.reshape(c.shape[0], -1)
    return flat.reshape(matrix.shape[0], *c.shape[1:])


def _powers_of_steps(x: ndarray, k: int, ndim: int) -> ndarray:
    """The lengths of the intervals to the powers k ... 0."""
    steps = (x[1:] - x[:-1]).reshape((1, -1) + (1,) * (ndim - 2))
    return steps ** arange(k, -1, -1, dtype="d").reshape((-1,) + (1,) * (ndim - 1))


@documented_as(PPoly)
class BPoly(_Piecewise):
    """Piecewise polynomial in Bernstein's basis.

    Between ``x[i]`` and ``x[i+1]`` the value is the sum over a of ``c[a, i] * b(a)`` with
    ``b(a) = comb(k, a) * u**a * (1 - u)**(k - a)`` and ``u = (xp - x[i]) / (x[i+1] - x[i])``.

    Parameters
    ----------
    c : array_like
        Coefficients, of shape (degree + 1, intervals, ...).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import BPoly
    >>> BPoly(cp.array([[1.0], [2.0], [3.0]]), [0, 1])(cp.array([0.25, 0.5]))
    array([1.5, 2. ])
    """

    __slots__ = ()

    def _evaluated(self, x: ndarray, nu: int, extrapolate: bool) -> ndarray:
        if nu:
            return self.derivative(nu)._evaluated(x, 0, extrapolate)
        order, pieces = self.c.shape[:2]
        columns = math.prod(self.c.shape[2:])
        out = empty((x.size, columns), self.c.dtype)
        if out.size:
            _BERNSTEIN(x[:, None], self.c, self.x, order, pieces, columns, extrapolate, out)
        return out

    def _of_one_order(self, c: ndarray) -> tuple[ndarray, ndarray]:
        k = max(c.shape[0], self.c.shape[0])
        return _raised(self.c, k - self.c.shape[0]), _raised(c, k - c.shape[0])

    def _steps(self) -> ndarray:
        return (self.x[1:] - self.x[:-1]).reshape((1, -1) + (1,) * (self.c.ndim - 2))

    def derivative(self, nu: int = 1) -> "BPoly":
        """Return the derivative as a piecewise polynomial.

        Parameters
        ----------
        nu : int, optional
            Order of the derivative; a negative one gives an antiderivative.

        Returns
        -------
        BPoly
            Piecewise polynomial of a degree lower by `nu`, of zeros where nothing is left.
        """
        nu = operator.index(nu)
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c.copy() if nu == 0 else self.c
        for _ in range(nu):
            k = c.shape[0] - 1
            if k == 0:
                c = zeros((1, *c.shape[1:]), c.dtype)
                break
            c = (c[1:] - c[:-1]) * k / self._steps()
        return type(self).construct_fast(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> "BPoly":
        """Return a continuous antiderivative that is zero at the first breakpoint.

        Parameters
        ----------
        nu : int, optional
            How often the function is integrated; a negative number gives a derivative.

        Returns
        -------
        BPoly
            Piecewise polynomial of a degree higher by `nu`; that of a periodic one does not
            extrapolate.
        """
        nu = operator.index(nu)
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        empty((c.shape[0] + nu, *c.shape[1:]), c.dtype)  # MemoryError before the work begins
        for _ in range(nu):
            k = c.shape[0]
            sums = c.cumsum(axis=0) * (self._steps() / k)
            begin = concatenate((zeros((1, *c.shape[2:]), c.dtype), sums[-1, :-1])).cumsum(axis=0)
            c = concatenate((begin[None], sums + begin[None]))
        return type(self).construct_fast(c, self.x, self._antiderivative_extrapolation(), self.axis)

    @classmethod
    def from_power_basis(cls, pp: Any, extrapolate: Any = None) -> "BPoly":
        """Make a piecewise polynomial in Bernstein's basis of one in powers.

        Parameters
        ----------
        pp : PPoly
            Piecewise polynomial in powers.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends, by default as `pp` does.

        Returns
        -------
        BPoly
            The same function.
        """
        if not isinstance(pp, PPoly):
            raise TypeError(f"pp must be a PPoly, not {type(pp).__name__}")
        k = pp.c.shape[0] - 1
        change = np.zeros((k + 1, k + 1))
        for a in range(k + 1):
            for j in range(k - a, k + 1):
                change[j, a] = math.comb(j, k - a) / math.comb(k, k - a)
        c = _mixed(change, pp.c * _powers_of_steps(pp.x, k, pp.c.ndim))
        chosen = pp.extrapolate if extrapolate is None else as_extrapolate(extrapolate)
        return cls.construct_fast(c, pp.x, chosen, pp.axis)

    @classmethod
    def from_derivatives(
        cls, xi: Any, yi: Any, orders: Any = None, extrapolate: Any = None
    ) -> "BPoly":
        """Make the piecewise polynomial that has given values and derivatives at its breakpoints.

        Parameters
        ----------
        xi : array_like
            Breakpoints in increasing order.
        yi : array_like or list of array_like
            Values and derivatives at each breakpoint: ``yi[i][j]`` is the j-th at ``xi[i]``.
        orders : int or sequence of int, optional
            Degrees of the polynomials; None uses all derivatives.
        extrapolate : bool or 'periodic', optional
            What is done beyond the ends; None extrapolates.

        Returns
        -------
        BPoly
            Piecewise polynomial through the data.
        """
        points, steps = as_points(xi, "xi")
        n = points.shape[0] if points.ndim else 0
        if not isinstance(yi, (list, tuple)):
            yi = as_values(yi)
        rows = [as_values(row) for row in yi]
        if n != len(rows):
            raise ValueError(f"xi has {n} breakpoints, yi {len(rows)} rows of derivatives")
        if steps is not None and not is_true(steps > 0):
            raise ValueError("xi must be strictly increasing")
        if any(row.ndim == 0 for row in rows):
            raise ValueError("yi must have the derivatives at a point along its second axis")
        wanted = _orders(orders, n - 1)
        pieces = []
        for i in range(n - 1):
            before, after = _taken(rows[i], rows[i + 1], wanted[i])
            pieces.append(_hermite(points[i + 1] - points[i], before, after))
        order = max(len(a) + len(b) for a, b in itertools.pairwise(rows))
        kind = np.result_type(*(piece.dtype for piece in pieces))
        c = concatenate(
            [_raised(p, order - p.shape[0]).astype(kind, copy=False)[:, None] for p in pieces],
            axis=1,
        )
        return cls(c, points, extrapolate)


def _raised(c: ndarray, by: int) -> ndarray:
    """Coefficients in Bernstein's basis of the same polynomials of a higher degree."""
    if by == 0:
        return c
    k = c.shape[0] - 1
    change = np.zeros((k + 1 + by, k + 1))
    for a in range(k + 1):
        for j in range(by + 1):
            change[a + j, a] = math.comb(k, a) * math.comb(by, j) / math.comb(k + by, a + j)
    return _mixed(change, c)


def _orders(orders: Any, n: int) -> list:
    if orders is None:
        return [None] * n
    orders = [orders] * n if isinstance(orders, (int, np.integer)) else list(orders)
    if len(orders) < n:
        raise ValueError(f"orders has {len(orders)} entries for {n} intervals")
    if any(order is not None and order <= 0 for order in orders):
        raise ValueError("orders must be positive")
    return orders


def _taken(before: ndarray, after: ndarray, order: Any) -> tuple[ndarray, ndarray]:
    """How many derivatives of both ends determine a polynomial of a degree: as equal as may be."""
    if order is None:
        return before, after
    need = int(order) + 1
    na = min(need // 2, len(before))
    nb = min(need - na, len(after))
    na = min(need - nb, len(before))
    if na + nb != need:
        raise ValueError(
            f"a polynomial of degree {order} needs {need} values, but there are "
            f"{len(before) + len(after)}"
        )
    return before[:na], after[:nb]


def _hermite(step: ndarray, before: ndarray, after: ndarray) -> ndarray:
    """Bernstein coefficients of the polynomial with given derivatives at both ends.

    Differences of coefficients at an end are derivatives there: the q-th is that of order q times
    step**q (n - q)! / n!, for degree n.
    """
    na, nb = len(before), len(after)
    n = na + nb - 1
    c: list = [None] * (n + 1)
    for q in range(na):
        scale = math.factorial(n - q) / math.factorial(n)
        c[q] = before[q] * (step**q * scale)
        for j in range(q):
            c[q] = c[q] - c[j] * ((-1) ** (q - j) * math.comb(q, j))
    for q in range(nb):
        scale = (-1) ** q * math.factorial(n - q) / math.factorial(n)
        c[n - q] = after[q] * (step**q * scale)
        for j in range(q):
            c[n - q] = c[n - q] - c[n - j] * ((-1) ** (q - j) * math.comb(q, j))
    return _stacked(c)


class NdPPoly:
    """Piecewise polynomial in several variables: products of powers on the cells of a grid.

    Parameters
    ----------
    c : array_like
        Coefficients, of shape (orders of all variables..., intervals of all variables..., ...),
        highest powers first.
    x : sequence of array_like
        Breakpoints of each variable in increasing order. The check of those on the device waits
        for it; ``errstate(linalg="ignore")`` disables it.
    extrapolate : bool, optional
        If True, the default, polynomials of the outer cells are used beyond the grid; if False,
        results are NaN there.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import NdPPoly
    >>> p = NdPPoly(cp.ones((2, 2, 1, 1)), ([0, 1], [0, 1]))  # (1 + x) (1 + y)
    >>> p(cp.array([[0.5, 1.0]]))
    array([3.])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, c: Any, x: Any, extrapolate: Any = None) -> None:
        self.c = as_values(c)
        pairs = [as_points(v) for v in itertools.islice(x, self.c.ndim // 2 + 1)]
        self.x = tuple(points for points, _ in pairs)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        n = len(self.x)
        if any(v.ndim != 1 for v in self.x):
            raise ValueError("breakpoints must be 1-D")
        if any(v.size < 2 for v in self.x):
            raise ValueError("each variable must have two breakpoints or more")
        if self.c.ndim < 2 * n:
            raise ValueError(f"c must have {2 * n} axes or more, not {self.c.ndim}")
        if any(steps is not None and not is_true(steps > 0) for _, steps in pairs):
            raise ValueError("breakpoints must be strictly increasing")
        if any(k == 0 for k in self.c.shape[:n]):
            raise ValueError("polynomials must have a coefficient or more")
        if tuple(v.size - 1 for v in self.x) != self.c.shape[n : 2 * n]:
            raise ValueError(
                f"c has coefficients of {self.c.shape[n : 2 * n]} cells, the grid has "
                f"{tuple(v.size - 1 for v in self.x)}"
            )

    @classmethod
    def construct_fast(cls, c: Any, x: Any, extrapolate: Any = None) -> "NdPPoly":
        """Make a piecewise polynomial without checks and copies.

        Parameters
        ----------
        c : ndarray
            Coefficients, of float64 or complex128 and C-contiguous.
        x : tuple of ndarray
            Breakpoints of float64, increasing in each variable.
        extrapolate : bool, optional
            What is done beyond the grid; None extrapolates.

        Returns
        -------
        NdPPoly
            Piecewise polynomial over the arrays themselves.
        """
        self = object.__new__(cls)
        self.c, self.x = c, tuple(x)
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def __call__(self, x: Any, nu: Any = None, extrapolate: Any = None) -> ndarray:
        """Evaluate the piecewise polynomial or a derivative.

        Parameters
        ----------
        x : array_like or tuple of array_like
            Points, of shape (..., variables), or their coordinates one by one.
        nu : sequence of int, optional
            Orders of the derivatives by each variable.
        extrapolate : bool, optional
            What is done beyond the grid, by default as the object was made.

        Returns
        -------
        ndarray
            Values, of shape (..., rest of the axes of the coefficients).
        """
        n = len(self.x)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        is_row = n == 1 and not isinstance(x, tuple)  # one by one, where there is one variable
        x = as_places(x)
        x = x[:, None] if is_row and x.ndim == 1 else x
        if x.ndim == 0 or x.shape[-1] != n:
            raise ValueError(f"points must have {n} coordinates along the last axis, not {x.shape}")
        orders = [0] * n if nu is None else [operator.index(k) for k in per_axis(nu)]
        if len(orders) != n or min(orders) < 0:
            raise ValueError(f"nu must have {n} orders, none negative, not {shown(nu)}")
        first, info = 0, []
        for order, points, k in zip(self.c.shape[:n], self.x, orders, strict=True):
            info.append([order, points.size - 1, first, k])
            first += points.size
        columns = math.prod(self.c.shape[2 * n :])
        flat = ascontiguousarray(x.reshape(-1, n))
        out = empty((flat.shape[0], columns), self.c.dtype)
        if out.size:
            knots = concatenate(self.x) if n > 1 else self.x[0]
            _TENSOR(flat, self.c, knots, array(info), n, columns, extrapolate, out)
        return out.reshape(x.shape[:-1] + self.c.shape[2 * n :])

    def _along(self, axis: int, kind: str, nu: int) -> ndarray:
        """Coefficients of the (anti)derivative by one variable."""
        n = len(self.x)
        order = (axis, n + axis, *(k for k in range(self.c.ndim) if k not in (axis, n + axis)))
        line = PPoly.construct_fast(ascontiguousarray(self.c.transpose(order)), self.x[axis])
        return getattr(line, kind)(nu).c.transpose(np.argsort(order).tolist())

    def derivative(self, nu: Any) -> "NdPPoly":
        """Return a partial derivative as a piecewise polynomial.

        Parameters
        ----------
        nu : sequence of int
            Orders of the derivatives by each variable; negative ones are antiderivatives.

        Returns
        -------
        NdPPoly
            Piecewise polynomial on the same grid.
        """
        made = NdPPoly.construct_fast(self.c.copy(), self.x, self.extrapolate)
        for axis, order in enumerate(nu):
            made.c = ascontiguousarray(made._along(axis, "derivative", operator.index(order)))
        return made

    def antiderivative(self, nu: Any) -> "NdPPoly":
        """Return an antiderivative that is zero at the first breakpoints.

        Parameters
        ----------
        nu : sequence of int
            How often the function is integrated by each variable.

        Returns
        -------
        NdPPoly
            Continuous piecewise polynomial on the same grid.
        """
        return self.derivative([-operator.index(order) for order in per_axis(nu)])

    def integrate_1d(self, a: float, b: float, axis: int, extrapolate: Any = None) -> Any:
        """Integrate over an interval of one variable.

        Parameters
        ----------
        a : float
            Lower end of the interval.
        b : float
            Upper end of the interval.
        axis : int
            Variable of the integral.
        extrapolate : bool, optional
            What is done beyond the grid, by default as the object was made.

        Returns
        -------
        NdPPoly or ndarray
            Function of the other variables, or the integral where there is no other.
        """
        n = len(self.x)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        axis = operator.index(axis) % n
        order = (axis, n + axis, *(k for k in range(self.c.ndim) if k not in (axis, n + axis)))
        line = PPoly.construct_fast(
            ascontiguousarray(self.c.transpose(order)), self.x[axis], extrapolate
        )
        total = line.integrate(a, b, extrapolate)
        if n == 1:
            return total
        rest = self.x[:axis] + self.x[axis + 1 :]
        return NdPPoly.construct_fast(ascontiguousarray(total), rest, extrapolate)

    def integrate(self, ranges: Any, extrapolate: Any = None) -> ndarray:
        """Integrate over a box.

        Parameters
        ----------
        ranges : sequence of tuple of float
            Lower and upper end for each variable.
        extrapolate : bool, optional
            What is done beyond the grid, by default as the object was made.

        Returns
        -------
        ndarray
            Integral, of the shape of a value.
        """
        ranges = list(ranges)
        if len(ranges) != len(self.x):
            raise ValueError(f"ranges must have {len(self.x)} pairs, not {len(ranges)}")
        made: Any = self
        for a, b in ranges:
            made = made.integrate_1d(float(a), float(b), 0, extrapolate)
        return made
