"""B-splines, and the splines through points.

Interpolation solves a banded system, whose matrix is made on the host, where knots are; the
device solves it for all columns of values.
"""

import functools
import math
import operator
import types
from typing import Any

import numpy as np
import scipy.interpolate
from scipy.linalg import lapack

from ..._core import umath as um
from ..._core._convert import as_host, check_host_memory, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import (
    array,
    asarray,
    ascontiguousarray,
    concatenate,
    empty,
    ndarray,
    zeros,
)
from ..._core.raw import ElementwiseKernel
from ...linalg import solve
from ..linalg._banded import MOST_DIAGONALS, BandedFactors, factors_of_diagonals
from ._pieces import (
    along_first,
    as_evaluation_points,
    as_values,
    checks_values,
    is_true,
    restored,
    um_moveaxis,
)
from ._spline_values import INTERVAL, put_spline_values

__all__ = [
    "BSpline",
    "make_interp_spline",
    "make_lsq_spline",
    "splantider",
    "splder",
]

_MOST = 8  # B-splines of the kernel of any degree
# The values of the k + 1 B-splines, or of their derivatives, at a number; the first one's place.
BASIS = (
    INTERVAL
    + """
template <class A, int Size>
__device__ long long basis_of(A &t, long long k, long long n, double x, long long nu,
                              bool extrapolate, double (&b)[Size])
{
    const long long l = interval_of(t, k, n, x, extrapolate);
    for (long long j = 0; j <= k; j++) b[j] = j == 0 && nu <= k ? 1 : 0;
    for (long long p = 1; p <= k && l >= 0; p++) {
        const bool derives = p > k - nu;
        double carried = 0;
        for (long long j = 0; j < p; j++) {
            const double begin = t[l - p + j + 1], end = t[l + j + 1];
            const double w = end > begin ? b[j] / (end - begin) : 0;
            b[j] = carried + (derives ? -p * w : (end - x) * w);
            carried = derives ? p * w : (x - begin) * w;
        }
        b[p] = carried;
    }
    return l < 0 ? -1 : l - k;
}

// The same for a degree that the compiler knows, and for few knots.
template <int K, class A>
__device__ __forceinline__ long long
basis_at(A &t, int n, double x, int nu, double (&b)[K + 1])
{
    const int l = interval_of(t, K, n, x, true);
    b[0] = nu <= K;
    if (l < 0) return -1;
    #pragma unroll
    for (int p = 1; p <= K; p++) {
        const bool derives = p > K - nu;
        double carried = 0;
        #pragma unroll
        for (int j = 0; j < p; j++) {
            const double begin = t[l - p + j + 1], end = t[l + j + 1];
            const double w = end > begin ? b[j] / (end - begin) : 0;
            b[j] = carried + (derives ? -p * w : (end - x) * w);
            carried = derives ? p * w : (x - begin) * w;
        }
        b[p] = carried;
    }
    return l - K;
}
"""
)


@functools.cache
def _basis_kernel(size: int) -> Any:
    """The kernel of basis functions of which at most `size` are not zero in an interval."""
    return ElementwiseKernel(
        "float64 x, raw float64 t, int64 k, int64 n, int64 nu, bool extrapolate",
        "raw float64 values, int64 first",
        f"""
        double b[{size}];
        first = basis_of(t, k, n, x, nu, extrapolate, b);
        for (long long j = 0; j <= k; j++) values[i * (k + 1) + j] = b[j];
        """,
        "spline_basis",
        preamble=BASIS,
    )


def _as_degree(k: Any) -> int:
    k = operator.index(k)
    if k < 0:
        raise ValueError(f"k must not be negative, but is {k}")
    return k


def as_tck(tck: Any) -> tuple:
    """Knots, coefficients and degree of a spline, on the device and of shapes that fit."""
    if isinstance(tck, BSpline):
        tck = tck.tck
    t, c, k = tck
    t, c, k = as_values(asarray(t)), as_values(asarray(c)), operator.index(k)
    if t.ndim != 1 or k < 0 or t.size < 2 * k + 2:
        raise ValueError(
            f"tck needs at least {2 * k + 2} knots for degree {k}, not knots of shape {t.shape}"
        )
    if c.ndim == 0 or c.shape[0] < t.size - k - 1:
        raise ValueError(f"tck needs {t.size - k - 1} coefficients, not those of shape {c.shape}")
    return t, c, k


def _as_knots(t: Any) -> tuple[ndarray, Any]:
    """Knots on the device, and on the host where they are to be checked."""
    if isinstance(t, ndarray):
        t = ascontiguousarray(t.astype("d", copy=False))
        return t, (t.get() if checks_values() else None)
    host = as_host(t).astype("d")
    return array(host), host


def _check_knots(host: Any, k: int) -> None:
    if host is None:
        return
    if (np.diff(host) < 0).any():
        raise ValueError("t must be in non-decreasing order")
    if len(np.unique(host[k : host.size - k])) < 2:
        raise ValueError("t must have two different knots between the ends")
    if not np.isfinite(host).all():
        raise ValueError("t must be finite")


class BSpline:
    """Spline of degree k as a sum of B-splines.

    Parameters
    ----------
    t : array_like
        Knots in non-decreasing order, n + k + 1 or more. Those on the device are copied to the host
        to be checked, which waits; ``errstate(linalg="ignore")`` disables it.
    c : array_like
        Coefficients, real or complex, n or more along `axis`.
    k : int
        Degree of the spline, 3 for a cubic one.
    extrapolate : bool or 'periodic', optional
        If True, the polynomials at the ends are used beyond the base interval ``t[k] .. t[n]``; if
        False, results are NaN there; 'periodic' continues the function periodically.
    axis : int, optional
        Axis of `c` along which the coefficients are.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import BSpline
    >>> spline = BSpline([0, 1, 2, 3, 4, 5, 6], [-1, 2, 0, -1], 2)
    >>> spline(cp.array([2.5]))
    array([1.375])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.k = _as_degree(k)
        self.c = as_values(c)
        self.t, host = _as_knots(t)
        if extrapolate == "periodic" and isinstance(extrapolate, str):
            self.extrapolate: Any = extrapolate
        else:
            self.extrapolate = bool(extrapolate)
        if self.c.ndim < 1:
            raise ValueError("c must have an axis or more")
        self.axis = normalize_axis_index(axis, self.c.ndim)
        if self.axis:
            self.c = ascontiguousarray(um_moveaxis(self.c, self.axis))
        if self.t.ndim != 1:
            raise ValueError(f"t must be 1-D, not of shape {self.t.shape}")
        n = self.t.size - self.k - 1
        if n < self.k + 1:
            raise ValueError(f"t must have {2 * self.k + 2} knots or more, not {self.t.size}")
        _check_knots(host, self.k)
        if self.c.shape[0] < n:
            raise ValueError(f"c must have {n} coefficients or more, not {self.c.shape[0]}")

    @classmethod
    def construct_fast(
        cls, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0
    ) -> "BSpline":
        """Make a spline without checks and copies.

        Parameters
        ----------
        t : ndarray
            Knots of float64, in order.
        c : ndarray
            Coefficients, of float64 or complex128 and C-contiguous, first axis along the knots.
        k : int
            Degree of the spline.
        extrapolate : bool or 'periodic', optional
            What is done beyond the base interval.
        axis : int, optional
            Axis of the results where the points stand.

        Returns
        -------
        BSpline
            Spline over the arrays themselves.
        """
        self = object.__new__(cls)
        self.t, self.c, self.k = t, c, k
        self.extrapolate, self.axis = extrapolate, axis
        return self

    @property
    def tck(self) -> tuple:
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @classmethod
    def basis_element(cls, t: Any, extrapolate: Any = True) -> "BSpline":
        """Return the B-spline of given knots.

        Parameters
        ----------
        t : array_like
            All its knots, k + 2 of them.
        extrapolate : bool or 'periodic', optional
            What is done beyond the knots.

        Returns
        -------
        BSpline
            Spline with the coefficient 1 for this element.
        """
        knots, _ = _as_knots(t)
        if knots.ndim != 1 or knots.size < 2:
            raise ValueError(f"t must be 1-D with two knots or more, not of shape {knots.shape}")
        k = knots.size - 2
        before = zeros(k) + (knots[0] - 1)
        after = zeros(k) + (knots[-1] + 1)
        whole = concatenate((before, knots, after))
        c = zeros(whole.size)
        c[k] = 1
        return cls.construct_fast(whole, c, k, extrapolate)

    @classmethod
    def design_matrix(cls, x: Any, t: Any, k: int, extrapolate: Any = False) -> Any:
        """Return the values of all B-splines of some knots as a sparse matrix.

        Parameters
        ----------
        x : array_like
            Points, a row of the matrix for each. Whether they are within the base interval is
            checked, which waits for the device.
        t : array_like
            Knots in non-decreasing order.
        k : int
            Degree of the splines.
        extrapolate : bool or 'periodic', optional
            What is done with points beyond the base interval; by default they are an error.

        Returns
        -------
        csr_array
            Matrix of shape (points, splines) with k + 1 elements a row.
        """
        from ..sparse import csr_array

        k = _as_degree(k)
        knots, host = _as_knots(t)
        points = as_evaluation_points(x)
        if knots.ndim != 1 or knots.size < 2 * k + 2:
            raise ValueError(f"t must be 1-D with {2 * k + 2} knots or more, not {knots.shape}")
        _check_knots(host, k)
        n = knots.size - k - 1
        if isinstance(extrapolate, str) and extrapolate == "periodic":
            points = _wrapped(points, knots, k, n)
        elif not extrapolate:
            low, high = (float(v) for v in knots[[k, n]].get())
            if points.size and not (is_true(points >= low) and is_true(points <= high)):
                raise ValueError(f"x must be within the base interval, from {low} to {high}")
        values, first = basis_values(points.reshape(-1), knots, k, 0, True)
        columns = (first[:, None] + array(np.arange(k + 1))).reshape(-1)
        rows = array(np.arange(points.size + 1) * (k + 1))
        return csr_array((values.reshape(-1), columns, rows), shape=(points.size, n))

    @classmethod
    def from_power_basis(cls, pp: Any, bc_type: str = "not-a-knot") -> "BSpline":
        """Return the spline that is equal to a cubic one in another form.

        Parameters
        ----------
        pp : CubicSpline
            Cubic spline with two continuous derivatives.
        bc_type : {'not-a-knot', 'natural', 'clamped', 'periodic'}, optional
            Conditions that it was made with.

        Returns
        -------
        BSpline
            Equal function; its coefficients solve a banded system of the values at the breakpoints.
        """
        from ._cubic import CubicSpline

        if not isinstance(pp, CubicSpline):
            raise NotImplementedError(f"pp must be a CubicSpline, not {type(pp).__name__}")
        if bc_type not in ("not-a-knot", "natural", "clamped", "periodic"):
            raise TypeError(f"unknown boundary condition: {shown(bc_type)}")
        x, y = pp.x, um_moveaxis(pp(pp.x), pp.axis)
        ends: Any = bc_type
        if bc_type in ("natural", "clamped"):
            slopes = um_moveaxis(pp(x[:: x.size - 1], 1), pp.axis)
            ends = ([(1, slopes[0])], [(1, slopes[1])])
        if bc_type == "periodic":
            y = concatenate((y[:-1], y[:1]))
        made = make_interp_spline(x, y, bc_type=ends, check_finite=False)
        made.axis = pp.axis
        return made

    def insert_knot(self, x: float, m: int = 1) -> "BSpline":
        """Return an equal spline with one more knot.

        Parameters
        ----------
        x : float
            Knot within the base interval, whose check waits for the device;
            ``errstate(linalg="ignore")`` disables it.
        m : int, optional
            How often the knot is inserted.

        Returns
        -------
        BSpline
            Equal function.
        """
        count = operator.index(m)
        if count < 1:
            raise ValueError(f"m must be at least 1, not {count}")
        n = self.t.size - self.k - 1
        if isinstance(self.extrapolate, str):
            host = scipy.interpolate.BSpline(self.t.get(), self.c.get(), self.k, "periodic")
            made = host.insert_knot(float(x), count)
            t, c = array(made.t), array(np.ascontiguousarray(made.c))
        else:
            t, c = with_knot(self.t, self.c[:n], self.k, float(x), count)
        return self.construct_fast(t, c, self.k, self.extrapolate, self.axis)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> ndarray:
        """Evaluate the spline or a derivative.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        nu : int, optional
            Order of the derivative that is evaluated.
        extrapolate : bool or 'periodic', optional
            What is done beyond the base interval, by default as the spline was made.

        Returns
        -------
        ndarray
            Values; the axes of `x` stand where the axis of the coefficients was.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        nu = operator.index(nu)
        if nu < 0:
            raise ValueError(f"nu must not be negative, but is {nu}")
        x = as_evaluation_points(x)
        n = self.t.size - self.k - 1
        periodic = isinstance(extrapolate, str) and extrapolate == "periodic"
        flat = _wrapped(x, self.t, self.k, n) if periodic else x
        columns = math.prod(self.c.shape[1:])
        out = empty((x.size, columns), self.c.dtype)
        put_spline_values(flat, self.tck, nu, not periodic and bool(extrapolate), out)
        return restored(out.reshape(x.shape + self.c.shape[1:]), x.ndim, self.axis)

    def _padded(self) -> ndarray:
        missing = self.t.size - self.c.shape[0]
        if missing <= 0:
            return self.c
        return concatenate((self.c, zeros((missing, *self.c.shape[1:]), self.c.dtype)))

    def derivative(self, nu: int = 1) -> "BSpline":
        """Return the derivative as a spline.

        Parameters
        ----------
        nu : int, optional
            Order of the derivative, at most the degree.

        Returns
        -------
        BSpline
            Spline of a degree lower by `nu`.
        """
        tck: tuple[Any, Any, int] = splder((self.t, self._padded(), self.k), nu)
        return self.construct_fast(*tck, extrapolate=self.extrapolate, axis=self.axis)

    def antiderivative(self, nu: int = 1) -> "BSpline":
        """Return an antiderivative as a spline, zero at the first knot.

        Parameters
        ----------
        nu : int, optional
            How often the spline is integrated.

        Returns
        -------
        BSpline
            Spline of a degree higher by `nu`; that of a periodic one does not extrapolate.
        """
        tck: tuple[Any, Any, int] = splantider((self.t, self._padded(), self.k), nu)
        chosen = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(*tck, extrapolate=chosen, axis=self.axis)

    def integrate(self, a: float, b: float, extrapolate: Any = None) -> ndarray:
        """Integrate over an interval.

        Parameters
        ----------
        a : float
            Lower end of the interval.
        b : float
            Upper end of the interval.
        extrapolate : bool or 'periodic', optional
            What is done beyond the base interval, by default as the spline was made. If False, the
            function is zero there. The ends of the base interval are read from the device where it
            is False or 'periodic'.

        Returns
        -------
        ndarray
            Integral, of the shape of a value.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        n = self.t.size - self.k - 1
        a, b, sign = (float(a), float(b), 1) if a <= b else (float(b), float(a), -1)
        anti = self.antiderivative()
        if extrapolate is True or (extrapolate and extrapolate != "periodic"):
            return _difference(anti, a, b) * sign
        first, last = (float(v) for v in self.t[[self.k, n]].get())
        if extrapolate != "periodic":
            return _difference(anti, max(a, first), max(min(b, last), max(a, first))) * sign
        period = last - first
        turns, rest = divmod(b - a, period)
        begin = first + (a - first) % period
        end = begin + rest
        total = _difference(anti, first, last) * turns + _difference(anti, begin, min(end, last))
        if end > last:
            total = total + _difference(anti, first, first + end - last)
        return total * sign


def _difference(anti: BSpline, a: float, b: float) -> ndarray:
    ends = um_moveaxis(anti(array([a, b]), extrapolate=True), anti.axis)
    return ends[1] - ends[0]


def _wrapped(x: ndarray, t: ndarray, k: int, n: int) -> ndarray:
    return t[k] + um.remainder(x - t[k], t[n] - t[k])


def with_knot(t: ndarray, c: ndarray, k: int, x: float, count: int) -> tuple[ndarray, ndarray]:
    """Knots and coefficients of an equal spline with a knot more, or the same one several times.

    A new coefficient lies between two old ones (Boehm 1980); before and behind the interval of the
    knot its share of one is 1 or 0, so that the interval need not be known.
    """
    n = t.size - k - 1
    if checks_values() and not is_true((t[k] <= x) & (t[n] >= x)):
        raise ValueError(f"cannot insert a knot at {x}, which is not within the base interval")
    c = c[:n]
    for _ in range(count):
        n = c.shape[0]
        begin, end = t[: n + 1], concatenate((t[k : n + k], t[n + k :][:1]))
        width = end - begin
        share = um.where(width > 0, (x - begin) / um.where(width > 0, width, 1.0), x >= end)
        share = um.clip(share, 0.0, 1.0)
        share[n:] = 0.0
        share[0] = 1.0
        share = along_first(share, c.ndim)
        c = concatenate((c, c[-1:])) * share + concatenate((c[:1], c)) * (1 - share)
        t = concatenate((t, array([x])))
        t.sort()
    return t, ascontiguousarray(c)


def basis_values(
    x: ndarray, t: ndarray, k: int, nu: int, extrapolate: bool
) -> tuple[ndarray, ndarray]:
    """Values of the k + 1 B-splines at each point, and the number of the first of them."""
    values, first = empty((x.size, k + 1)), empty(x.size, np.int64)
    if x.size:
        _basis_kernel(max(_MOST, k + 1))(x, t, k, t.size - k - 1, nu, extrapolate, values, first)
    return values, first


def splder(tck: Any, n: int = 1) -> Any:
    """Return the knots, coefficients and degree of a derivative of a spline.

    Parameters
    ----------
    tck : BSpline or tuple
        Spline, or its knots, coefficients and degree.
    n : int, optional
        Order of the derivative, at most the degree.

    Returns
    -------
    BSpline or tuple
        Derivative, of the kind of `tck`.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import BSpline, splder
    >>> splder(BSpline([0, 0, 1, 1], [0, 2], 1)).k
    0
    """
    if isinstance(tck, BSpline):
        return tck.derivative(n)
    n = operator.index(n)
    if n < 0:
        return splantider(tck, -n)
    t, c, k = as_tck(tck)
    if n > k:
        raise ValueError(f"n must be at most the degree {k}, not {n}")
    for _ in range(n):
        width = along_first(t[k + 1 : -1] - t[1 : -k - 1], c.ndim)
        c = (c[1 : t.size - k - 1] - c[: t.size - k - 2]) * k / width
        c = concatenate((c, zeros((k, *c.shape[1:]), c.dtype)))
        t = t[1:-1]
        k -= 1
    return ascontiguousarray(t), c, k


def splantider(tck: Any, n: int = 1) -> Any:
    """Return the knots, coefficients and degree of an antiderivative of a spline.

    Parameters
    ----------
    tck : BSpline or tuple
        Spline, or its knots, coefficients and degree.
    n : int, optional
        How often the spline is integrated.

    Returns
    -------
    BSpline or tuple
        Antiderivative, of the kind of `tck`.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import BSpline, splantider
    >>> splantider(BSpline([0, 0, 1, 1], [0, 2], 1)).k
    2
    """
    if isinstance(tck, BSpline):
        return tck.antiderivative(n)
    n = operator.index(n)
    if n < 0:
        return splder(tck, -n)
    t, c, k = as_tck(tck)
    empty((c.shape[0] + n, *c.shape[1:]), c.dtype)  # MemoryError before the work begins
    for _ in range(n):
        width = along_first(t[k + 1 :] - t[: -k - 1], c.ndim)
        sums = (c[: t.size - k - 1] * width).cumsum(axis=0) / (k + 1)
        c = concatenate((zeros((1, *c.shape[1:]), c.dtype), sums, *[sums[-1:]] * (k + 2)))
        t = concatenate((t[:1], t, t[-1:]))
        k += 1
    return t, c, k


# ---- splines through points ----------------------------------------------------------------------

# Substitution with LAPACK's banded factors, a column a thread: of splines of degree nine and more.
# Row r of `lu` is column r of the factors: the multipliers are after the diagonal, at `above`.
_SUBSTITUTE = ElementwiseKernel(
    "raw float64 lu, raw int32 pivots, int64 n, int64 below, int64 above, int64 columns",
    "T last, raw T x",
    """
    const int64_t width = below + above + 1;
    for (int64_t r = 0; r < n; r++) {
        const int64_t p = pivots[r];
        const T value = x[p * columns + i];
        x[p * columns + i] = x[r * columns + i];
        x[r * columns + i] = value;
        for (int64_t j = 1; j <= below && r + j < n; j++)
            x[(r + j) * columns + i] -= value * lu[r * width + above + j];
    }
    for (int64_t r = n - 1; r >= 0; r--) {
        const T value = x[r * columns + i] / lu[r * width + above];
        x[r * columns + i] = value;
        for (int64_t j = 1; j <= above && j <= r; j++)
            x[(r - j) * columns + i] -= value * lu[r * width + above - j];
        last = value;
    }
    """,
    "banded_substitution",
)


class _Banded:
    """A banded matrix in rows of the host, factored there; solves on the device."""

    def __init__(self, n: int, below: int, above: int) -> None:
        self.n, self.below, self.above = n, below, above
        self.rows = np.zeros((2 * below + above + 1, n))  # LAPACK's layout, with space for pivots

    def set(self, row: Any, columns: np.ndarray, values: np.ndarray) -> None:
        """Set elements of one row, or of many at once."""
        self.rows[self.below + self.above + row - columns, columns] = values

    @functools.cached_property
    def factors(self) -> Any:
        """Factors on the device, LAPACK's where there are too many diagonals for others."""
        lu, pivots, info = lapack.dgbtrf(self.rows, self.below, self.above)
        if info > 0:
            raise np.linalg.LinAlgError("the points do not determine the spline")
        if self.below + self.above >= MOST_DIAGONALS:
            return array(np.ascontiguousarray(lu.T)), array(pivots.astype(np.int32))
        diagonals, rows = [], array(self.rows)
        for d in range(self.below + self.above + 1):  # LAPACK's rows are diagonals by columns
            offset, diagonal = d - self.below, zeros(self.n)
            own = rows[2 * self.below + self.above - d]
            begin, end = max(-offset, 0), self.n - max(offset, 0)
            diagonal[begin:end] = own[begin + offset : end + offset]
            diagonals.append(diagonal)
        return factors_of_diagonals(diagonals, self.below, np.dtype("d"))

    def solve(self, sides: ndarray) -> ndarray:
        """The solutions for a matrix of right-hand sides of the device, perhaps in its place."""
        if isinstance(self.factors, BandedFactors):
            return self.factors.solve(sides)
        above, columns = self.below + self.above, sides.shape[1]
        if sides.size:
            last = empty(columns, sides.dtype)
            _SUBSTITUTE(*self.factors, self.n, self.below, above, columns, last, sides)
        return sides


def _collocation(x: np.ndarray, t: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(values, columns) of the k + 1 B-splines at each point, on the host."""
    made = scipy.interpolate.BSpline.design_matrix(x, t, k)
    return made.data.reshape(-1, k + 1), made.indices.reshape(-1, k + 1)


def _ends(t: np.ndarray, k: int, x: float, order: int, last: bool) -> np.ndarray:
    """Derivatives at an end of the k + 1 B-splines there, on the host."""
    own = t[-2 * k - 2 :] if last else t[: 2 * k + 2]
    return scipy.interpolate.BSpline(own, np.eye(k + 1), k)(x, nu=order)


def _of_both_ends(bc: Any) -> tuple:
    """What is given of the first and of the last end: a name is of both."""
    if bc is None or isinstance(bc, str):
        return bc, bc
    try:
        first, last = bc
    except TypeError:  # no sequence
        raise ValueError(f"unknown boundary condition: {shown(bc)}") from None
    return first, last


def _as_conditions(bc: Any, k: int, tail: tuple) -> list:
    """Pairs (order, values) of one end."""
    named = {"clamped": 1, "natural": 2}
    if bc is None or (isinstance(bc, str) and bc == "not-a-knot"):
        return []
    if isinstance(bc, str):
        if bc not in named:
            raise ValueError(f"unknown boundary condition: {shown(bc)}")
        return [(named[bc], zeros(tail))]
    try:
        pairs = [(operator.index(order), as_values(value)) for order, value in bc]
    except TypeError as error:
        raise ValueError("conditions must be pairs of an order and values") from error
    for order, value in pairs:
        if not 0 <= order <= k:
            raise ValueError(f"a derivative at an end must be of order 0 to {k}, not {order}")
        if value.shape != tail:
            raise ValueError(f"values of a derivative must be of shape {tail}, not {value.shape}")
    return pairs


def _host_points(x: Any, what: str = "x") -> np.ndarray:
    host = (x.get() if isinstance(x, ndarray) else as_host(x)).astype("d")
    if host.ndim != 1:
        raise ValueError(f"{what} must be 1-D, not of shape {host.shape}")
    return host


def _ordered(x: np.ndarray) -> None:
    if (x[1:] == x[:-1]).any():
        raise ValueError("x must not have duplicates")
    if (x[1:] < x[:-1]).any():
        raise ValueError("x must be strictly increasing")


def _not_a_knot(x: np.ndarray, k: int) -> np.ndarray:
    half = (k + 1) // 2 if k % 2 else k // 2
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2
    return np.r_[(x[0],) * (k + 1), inner[half : inner.size - half], (x[-1],) * (k + 1)]


def _periodic_knots(x: np.ndarray, k: int) -> np.ndarray:
    x = x.copy()
    if k % 2 == 0:
        x[1:-1] -= np.diff(x)[:-1] / 2
    n, steps = x.size, np.diff(x)
    t = np.zeros(n + 2 * k)
    t[k : t.size - k] = x
    for i in range(k):
        t[k - i - 1] = t[k - i] - steps[-(i % (n - 1)) - 1]
        t[n + k + i] = t[n + k + i - 1] + steps[i % (n - 1)]
    return t


def make_interp_spline(
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """Make the spline of a degree that goes through points.

    Parameters
    ----------
    x : array_like
        Points in strictly increasing order, copied to the host.
    y : array_like
        Values, real or complex, one for each point along `axis`.
    k : int, optional
        Degree of the spline, 3 for a cubic one.
    t : array_like, optional
        Knots, by default as many as there are points and conditions, at points or between them.
    bc_type : str or tuple, optional
        Conditions at the ends: 'not-a-knot', 'periodic', 'clamped', 'natural', or a pair with None,
        a name, or a list of (order of a derivative, its value) for each end.
    axis : int, optional
        Axis of `y` along which the points are.
    check_finite : bool, optional
        If True, values are checked for NaN and infinity, which waits for the device.

    Returns
    -------
    BSpline
        Interpolating spline.

    Notes
    -----
    The banded matrix of the B-splines at the points is made on the host and solved on the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import make_interp_spline
    >>> make_interp_spline([0, 1, 2, 3], cp.array([0.0, 1.0, 8.0, 27.0]))(cp.array([1.5]))
    array([3.375])
    """
    k = _as_degree(k)
    points, values = _host_points(x), as_values(y)
    axis = normalize_axis_index(axis, values.ndim)
    values = ascontiguousarray(um_moveaxis(values, axis))
    _ordered(points)
    if points.size != values.shape[0]:
        raise ValueError(f"shapes of x {points.shape} and y {values.shape} are incompatible")
    if check_finite and not (np.isfinite(points).all() and is_true(um.isfinite(values))):
        raise ValueError("x and y must not contain infinities or NaN")
    if isinstance(bc_type, str) and bc_type == "periodic":
        if checks_values() and not is_true(abs(values[0] - values[-1]) <= _close(values[-1])):
            raise ValueError("the first and the last value must be equal for 'periodic'")
        if k > 1 or t is not None:
            return _periodic(points, values, k, t, axis)
        bc_type = None
    start, end = (_as_conditions(bc, k, values.shape[1:]) for bc in _of_both_ends(bc_type))
    if k == 0 or (k == 1 and t is None):
        if start or end or (k == 0 and t is not None):
            raise ValueError(f"degree {k} takes neither conditions at the ends nor knots")
        knots = np.r_[points, points[-1]] if k == 0 else np.r_[points[0], points, points[-1]]
        return BSpline.construct_fast(array(knots), values, k, axis=axis)
    if t is None:
        rows = points.size + len(start) + len(end)
        if rows <= k:
            raise ValueError(f"degree {k} takes {k + 1} points and conditions, not {rows}")
        ends = (points[0],) * k, (points[-1],) * k
        free = not start and not end
        knots = _not_a_knot(points, k) if free else np.r_[ends[0], points, ends[1]]
    else:
        knots = _host_points(t, "t")
    c = _through(points, values, knots, k, start, end)
    return BSpline.construct_fast(array(knots), c, k, axis=axis)


def _through(x: np.ndarray, y: ndarray, t: np.ndarray, k: int, start: list, end: list) -> ndarray:
    """Coefficients of the spline through points with derivatives given at its ends."""
    n, rows = t.size - k - 1, x.size + len(start) + len(end)
    if n < k + 1:
        raise ValueError(f"t must have {2 * k + 2} knots or more, not {t.size}")
    if (np.diff(t) < 0).any():
        raise ValueError("t must be in non-decreasing order")
    if n != rows:
        raise ValueError(
            f"{n - x.size} conditions at the ends are needed, not {len(start)} + {len(end)}"
        )
    if x[0] < t[k] or x[-1] > t[n]:
        raise ValueError("x must be within the base interval of the knots")
    matrix = _Banded(n, k, k)
    values, columns = _collocation(x, t, k)
    at = np.arange(x.size)[:, None] + len(start)
    if (abs(columns - at) > k).any():
        raise np.linalg.LinAlgError("the collocation matrix is singular")
    matrix.set(at, columns, values)
    for row, (order, _) in enumerate(start):
        matrix.set(row, np.arange(k + 1), _ends(t, k, x[0], order, False))
    for row, (order, _) in enumerate(end):
        last = n - len(end) + row
        matrix.set(last, np.arange(n - k - 1, n), _ends(t, k, x[-1], order, True))
    parts = [value[None] for _, value in start] + [y] + [value[None] for _, value in end]
    kind = np.result_type(*(part.dtype for part in parts))
    sides = concatenate([part.astype(kind, copy=False) for part in parts])
    return matrix.solve(sides.reshape(n, -1)).reshape(n, *y.shape[1:])


def _close(y: ndarray) -> ndarray:
    return 1e-15 + 1e-5 * abs(y)


def _periodic(x: np.ndarray, y: ndarray, k: int, t: Any, axis: int) -> BSpline:
    """The periodic spline: a banded matrix with corners, which are of rank k at most."""
    check_host_memory(8 * (k + 1) * x.size)
    knots = _periodic_knots(x, k) if t is None else _host_points(t, "t")
    m, n = x.size - 1, knots.size - k - 1
    if n != m + k:
        raise ValueError(f"t must have {m + 2 * k + 1} knots, not {knots.size}")
    values, columns = _collocation(x[:-1], knots, k)
    dense = np.zeros((m, m)) if m <= 4 * k else None
    if dense is not None:
        np.add.at(dense, (np.arange(m)[:, None], columns % m), values)
        inverse = array(np.linalg.inv(dense)).astype(y.dtype, copy=False)
        c = inverse @ y[:-1].reshape(m, -1)
    else:
        c = _cyclic(values, (columns - k // 2) % m, y[:-1].reshape(m, -1), k)
        shift = k // 2
        c = concatenate((c[m - shift :], c[: m - shift])) if shift else c
    c = c[array(np.arange(n) % m)].reshape(n, *y.shape[1:])
    return BSpline.construct_fast(array(knots), c, k, "periodic", axis)


def _cyclic(values: np.ndarray, columns: np.ndarray, sides: ndarray, k: int) -> ndarray:
    """Solve a banded system whose band goes on at the other end (Sherman, Morrison & Woodbury)."""
    m = sides.shape[0]
    rows = np.arange(m)[:, None]
    inside = abs(columns - rows) <= k
    matrix = _Banded(m, k, k)
    at = np.broadcast_to(rows, columns.shape)
    matrix.set(at[inside], columns[inside], values[inside])
    outer = np.unique(at[~inside])
    units = np.zeros((m, outer.size))
    units[outer, np.arange(outer.size)] = 1
    rest = np.zeros((outer.size, m))
    place = {row: j for j, row in enumerate(outer)}
    for r, c, v in zip(at[~inside], columns[~inside], values[~inside], strict=True):
        rest[place[r], c] += v
    both = concatenate((sides, array(units).astype(sides.dtype)), axis=1)
    x = matrix.solve(ascontiguousarray(both))
    y, z = x[:, : sides.shape[1]], x[:, sides.shape[1] :]
    v = array(rest).astype(sides.dtype)
    small = array(np.eye(outer.size)).astype(sides.dtype) + v @ z
    return y - z @ solve(small, v @ y)


@documented_as(make_interp_spline)
def make_lsq_spline(
    x: Any,
    y: Any,
    t: Any,
    k: int = 3,
    w: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> BSpline:
    """Make the spline with given knots that is nearest to points by weighted least squares.

    Parameters
    ----------
    x : array_like
        Points in increasing order, copied to the host.
    y : array_like
        Values, one for each point along `axis`.
    t : array_like
        Knots, of which each interval of k + 2 must contain points (Schoenberg & Whitney).
    w : array_like, optional
        Positive weights of the points, by default all one.
    method : {'qr', 'norm-eq'}, optional
        Orthogonal or normal equations. Both names give the same method here: the factor of the
        orthogonal decomposition is found on the host, where points and knots are.

    Returns
    -------
    BSpline
        Spline of the least sum of weighted squares.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import make_lsq_spline
    >>> x = cp.linspace(0, 3, 31)
    >>> spline = make_lsq_spline(x, x**3, [0, 0, 0, 0, 1.5, 3, 3, 3, 3])
    >>> spline(cp.array([1.0]))
    array([1.])
    """
    if method not in ("qr", "norm-eq"):
        raise ValueError(f"method must be 'qr' or 'norm-eq', not {shown(method)}")
    k = _as_degree(k)
    points, knots, values = _host_points(x), _host_points(t, "t"), as_values(y)
    weights = np.ones(points.size) if w is None else _host_points(w, "w")
    axis = normalize_axis_index(axis, values.ndim)
    values = ascontiguousarray(um_moveaxis(values, axis))
    _check_fit(points, values, knots, weights, k)
    if check_finite and not (np.isfinite(points).all() and is_true(um.isfinite(values))):
        raise ValueError("x and y must not contain infinities or NaN")
    c = _least_squares(points, values.reshape(points.size, -1), knots, weights, k)
    n = knots.size - k - 1
    return BSpline.construct_fast(array(knots), c.reshape(n, *values.shape[1:]), k, axis=axis)


def _check_fit(x: np.ndarray, y: ndarray, t: np.ndarray, w: np.ndarray, k: int) -> None:
    if (x[1:] < x[:-1]).any():
        raise ValueError("x must be in increasing order")
    if x.size < k + 1:
        raise ValueError(f"x must have {k + 1} points or more, not {x.size}")
    if (np.diff(t) < 0).any():
        raise ValueError("t must be in non-decreasing order")
    if t.size < 2 * k + 2:
        kind = IndexError if t.size <= k else ValueError
        raise kind(f"t must have {2 * k + 2} knots or more, not {t.size}")
    if x.size != y.shape[0]:
        raise ValueError(f"shapes of x {x.shape} and y {y.shape} are incompatible")
    if k > 0 and ((x < t[k]) | (x > t[t.size - k - 1])).any():
        raise ValueError("x must be within the base interval of the knots")
    if x.size != w.size:
        raise ValueError(f"shapes of x {x.shape} and w {w.shape} are incompatible")


def _least_squares(x: np.ndarray, y: ndarray, t: np.ndarray, w: np.ndarray, k: int) -> ndarray:
    """Normal equations, solved once more for what is left: the error is then near that of an
    orthogonal decomposition (A. Bjorck, Linear Algebra Appl. 88/89, 1987)."""
    from ..sparse import csr_array

    n = t.size - k - 1
    values, columns = _collocation(x, t, k)
    values = values * w[:, None]
    matrix = _Banded(n, k, k)
    first = columns[:, 0]
    for j in range(k + 1):
        for i in range(k + 1):
            sums = np.bincount(first, values[:, i] * values[:, j], n)
            rows = np.arange(n - k) + i
            matrix.rows[2 * k + i - j, rows - i + j] += sums[: n - k]
    starts = np.arange(x.size + 1) * (k + 1)
    parts = (values.reshape(-1), columns.reshape(-1), starts)
    a = csr_array(tuple(array(part) for part in parts), shape=(x.size, n))
    transposed = a.T.tocsr()
    sides = y * array(w)[:, None]
    c = matrix.solve(ascontiguousarray(transposed @ sides))
    return c + matrix.solve(ascontiguousarray(transposed @ (sides - a @ c)))
