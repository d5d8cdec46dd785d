"""Values of B-splines, and of polynomials in pieces, at points.

A spline of a low degree is a polynomial in the distance from the knot before the point, whose
coefficients are differences of those of the spline, divided by distances of knots. Where there are
many points, these polynomials are computed once, and a point reads its own as a whole. Other
splines, and derivatives, are computed by de Boor's algorithm.
"""

import functools
import math
from typing import Any

import numpy as np

from ..._core.multiarray import ascontiguousarray, empty, ndarray
from ..._core.raw import ElementwiseKernel, RawModule
from ._pieces import BISECT

__all__ = ["INTERVAL", "put_power_values", "put_spline_values"]

# The interval l of a number among the knots, k <= l < n, with t[l] <= x < t[l + 1]; the last is
# closed. -1 outside where values are not extrapolated, and for NaN.
INTERVAL = (
    BISECT
    + """
template <class A, class I>
__device__ I interval_of(A &t, I k, I n, double x, bool extrapolate)
{
    const double first = t[k], last = t[n];
    if (!(x >= first && x <= last) && !(extrapolate && x == x)) return -1;
    return find_place(k, n, x, first, last, [&](I l) { return x >= double(t[l]); });
}
"""
)
_MOST = 8  # coefficients of the kernel of any degree
_UNROLLED = 5  # largest degree of splines that are evaluated as polynomials
_THREADS, _OWN = 256, 4  # threads of a block, and points of each
_MANY = 1 << 19  # points from which on a table saves more than its launch takes

_DE_BOOR = """
    const long long k = degree, nu = order, l = interval_of(t, k, n, x, extrapolate);
    y = l < 0 ? T(nan("")) : T(0);
    if (l >= 0 && nu <= k && (k == 0 || t[l] < t[l + 1])) { // without length no spline counts
        const ptrdiff_t column = columns == 1 ? 0 : i %% columns, first = l - k;
        T d[%(size)s];
        for (int j = 0; j <= k; j++) d[j] = c[(first + j) * columns + column];
        for (int r = 0; r < nu; r++) {
            const int p = k - r;
            for (int j = 0; j < p; j++) {
                const double width = t[l + j + 1] - t[l - p + j + 1];
                d[j] = width > 0 ? (d[j + 1] - d[j]) * (p / width) : T(0);
            }
        }
        const int q = k - nu;
        for (int r = 1; r <= q; r++) {
            for (int j = q; j >= r; j--) {
                const double begin = t[l - q + j], width = t[l + j - r + 1] - begin;
                const double w = width > 0 ? (x - begin) / width : 0;
                d[j] = d[j - 1] * (1 - w) + d[j] * w;
            }
        }
        y = d[q];
    }
"""
# The polynomial of an interval with a length, a[0] first. Its m-th coefficient is the value at the
# knot of the spline of degree K - m whose coefficients are the m-th differences, each divided by
# its distance of knots, times a binomial coefficient (C. de Boor, A Practical Guide to Splines, X).
# Roundings are written out, so that every kernel that contains this has the same.
_POLYNOMIAL = """
__device__ double times(double a, double b) { return __dmul_rn(a, b); }
__device__ double mad(double a, double b, double c) { return fma(a, b, c); }
template <class T> __device__ T times(T a, double b) { return a * b; }
template <class T> __device__ T mad(T a, double b, T c) { return a * b + c; }

template <int K, class A, class C, class I, class T>
__device__ __forceinline__ void
polynomial_of(const A &t, const C &c, const I l, const ptrdiff_t columns, const ptrdiff_t column,
              T (&a)[K + 1])
{
    double rate[K + 1][K + 1]; // 1 / distances over p intervals
    T e[K + 1], v[K + 1];
    #pragma unroll
    for (int p = 1; p <= K; p++)
        #pragma unroll
        for (int j = 0; j < p; j++) rate[p][j] = 1 / (t[l + j + 1] - t[l - p + j + 1]);
    #pragma unroll
    for (int j = 0; j <= K; j++) e[j] = c[(l - K + j) * columns + column];
    const double here = t[l];
    double binomial = 1;
    #pragma unroll
    for (int m = 0; m <= K; m++) {
        const int q = K - m;
        #pragma unroll
        for (int j = 0; j <= q; j++) v[j] = e[j];
        #pragma unroll
        for (int r = 1; r < q; r++)
            #pragma unroll
            for (int j = q - 1; j >= r; j--) {
                const double w = times(here - t[l - q + j], rate[q - r + 1][j - r]);
                v[j] = mad(v[j] - v[j - 1], w, v[j - 1]);
            }
        a[m] = times(v[q > 0 ? q - 1 : 0], binomial);
        binomial = binomial * q / (m + 1);
        #pragma unroll
        for (int j = 0; j < q; j++) e[j] = times(e[j + 1] - e[j], rate[q][j]);
    }
}

template <int K, class T, int Size>
__device__ __forceinline__ T
horner(const T (&a)[Size], const double u)
{
    T y = T(0); // so that the value at infinity is NaN
    #pragma unroll
    for (int m = K; m >= 0; m--) y = mad(y, u, a[m]);
    return y;
}
"""
_BY_POLYNOMIAL = """
    const int l = interval_of(t, %(k)s, (int)n, x, extrapolate);
    y = T(nan(""));
    if (l >= 0) {
        T a[%(k)s + 1] = {}; // without length no spline counts
        if (t[l] < t[l + 1])
            polynomial_of<%(k)s>(t, c, l, columns, columns == 1 ? 0 : i %% columns, a);
        y = horner<%(k)s>(a, x - t[l]);
    }
"""
# A row for each interval: its ends, the coefficients of its polynomial, and an unused number where
# those are an odd number, so that rows are read by 16 bytes.
_TABLE = """
enum { K = %(k)s, WIDTH = (K + 4) / 2 * 2, THREADS = %(threads)s, OWN = %(own)s };

extern "C" __global__ void __launch_bounds__(THREADS)
spline_table(const double *t, const double *c, double *table, const int intervals)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, l = i + K;
    if (i >= intervals) return;
    double a[K + 1] = {};
    if (t[l] < t[l + 1]) polynomial_of<K>(t, c, l, 1, 0, a);
    double *row = table + (ptrdiff_t)i * WIDTH;
    row[0] = t[l];
    row[1] = t[l + 1];
    #pragma unroll
    for (int m = 0; m <= K; m++) row[2 + m] = a[m];
}

// The same for polynomials in powers, of which those of the highest power come first.
extern "C" __global__ void __launch_bounds__(THREADS)
powers_table(const double *t, const double *c, double *table, const int intervals)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= intervals) return;
    double *row = table + (ptrdiff_t)i * WIDTH;
    row[0] = t[i];
    row[1] = t[i + 1];
    #pragma unroll
    for (int m = 0; m <= K; m++) row[2 + m] = c[(ptrdiff_t)(K - m) * intervals + i];
}

// Knots are those of the intervals, in increasing order or, of powers, decreasing. At first an
// interval is looked for where it is if all but the first and the last have one length.
extern "C" __global__ void __launch_bounds__(THREADS)
values_at_table(const double *x, const double *knots, const double2 *table, double *out,
    const long long n, const int intervals, const int extrapolate)
{
    const int inner = intervals > 2;
    const double first = knots[0], last = knots[intervals], begin = knots[inner];
    const bool is_up = first <= last;
    const double low = is_up ? first : last, high = is_up ? last : first;
    const auto is_after = [&](double x, double knot) { return is_up ? x >= knot : x <= knot; };
    const float length = knots[intervals - inner] - begin;
    const float rate = __fdividef(intervals - 2 * inner, length);
    const long long block = blockIdx.x * (long long)(THREADS * OWN) + threadIdx.x;
    #pragma unroll 1
    for (int k = 0; k < OWN; k++) {
        const long long i = block + k * THREADS;
        if (i >= n) return;
        const double at = __ldcs(x + i);
        const int guess = int(float(at - begin) * rate + inner);
        int l = guess < 0 ? 0 : guess < intervals ? guess : intervals - 1;
        double2 row = table[l * (WIDTH / 2)];
        if (!(l == 0 || is_after(at, row.x)) || !(l == intervals - 1 || !is_after(at, row.y))) {
            l = bisect(0, intervals, [&](int m) { return is_after(at, knots[m]); });
            row.x = table[l * (WIDTH / 2)].x;
        }
        double a[WIDTH - 2];
        #pragma unroll
        for (int m = 0; m < WIDTH - 2; m += 2) {
            const double2 pair = table[l * (WIDTH / 2) + 1 + m / 2];
            a[m] = pair.x;
            a[m + 1] = pair.y;
        }
        const bool counts = (at >= low && at <= high) || (extrapolate && at == at);
        __stcs(out + i, counts ? horner<K>(a, at - row.x) : nan(""));
    }
}
"""


@functools.cache
def _kernel(name: str, body: str) -> Any:
    return ElementwiseKernel(
        "float64 x, raw T c, raw float64 t, int64 degree, int64 n, int64 columns, int64 order,"
        " bool extrapolate",
        "T y",
        body,
        name,
        preamble=INTERVAL + _POLYNOMIAL,
    )


@functools.cache
def _tables(k: int) -> dict[str, Any]:
    words = {"k": k, "threads": _THREADS, "own": _OWN}
    module = RawModule(code=BISECT + _POLYNOMIAL + _TABLE % words)
    names = ("spline_table", "powers_table", "values_at_table")
    return {name: module.get_function(name) for name in names}


def _put_by_table(
    name: str, x: ndarray, knots: ndarray, given: tuple, k: int, extrapolates: bool, out: ndarray
) -> None:
    """Put values by a table of polynomials of degree k between knots, which the kernel of a name
    makes of the knots and coefficients that are given."""
    intervals = knots.size - 1
    table = empty((intervals, (k + 4) // 2 * 2))
    ends = (np.int32(intervals), np.int32(extrapolates))
    make, read = (_tables(k)[one] for one in (name, "values_at_table"))
    make((-(-intervals // _THREADS),), (_THREADS,), (*given, table, ends[0]))
    grid = (-(-x.size // (_THREADS * _OWN)),)
    read(grid, (_THREADS,), (ascontiguousarray(x), knots, table, out, np.int64(x.size), *ends))


def _has_table(x: ndarray, c: ndarray, intervals: int, out: ndarray) -> bool:
    """Whether there are so many points that polynomials are made beforehand."""
    is_one = c.dtype == np.float64 and out.size == x.size  # real numbers, one for each point
    return is_one and intervals < 1 << 28 and x.size >= max(_MANY, 8 * intervals)


def put_power_values(x: ndarray, c: ndarray, t: ndarray, extrapolates: bool, out: ndarray) -> bool:
    """Put values of polynomials in powers, of one column, into an array of a row for each point,
    if there are many; whether it was done."""
    size, intervals = c.shape[:2]
    if not (0 < size <= _UNROLLED + 1 and out.size and _has_table(x, c, intervals, out)):
        return False
    t = ascontiguousarray(t)
    _put_by_table("powers_table", x, t, (t, ascontiguousarray(c)), size - 1, extrapolates, out)
    return True


def put_spline_values(
    x: ndarray, tck: tuple[ndarray, ndarray, int], nu: int, extrapolates: bool, out: ndarray
) -> None:
    """Put the values of a spline, or of its derivative of order nu, into an array of a row for each
    point."""
    t, c, k = tck
    n, columns = t.size - k - 1, math.prod(c.shape[1:])
    if not out.size:
        return
    is_short = 0 < k <= _UNROLLED and nu == 0 and n < 1 << 28
    if is_short and columns == 1 and _has_table(x, c, n - k, out):
        t = ascontiguousarray(t)
        given = (t, ascontiguousarray(c))
        _put_by_table("spline_table", x, t[k : n + 1], given, k, extrapolates, out)
        return
    if is_short:
        kernel = _kernel(f"spline_value_{k}", _BY_POLYNOMIAL % {"k": k})
    else:
        kernel = _kernel("spline_value", _DE_BOOR % {"size": max(_MOST, k + 1)})
    kernel(x.reshape(-1, 1), c, t, k, n, columns, nu, extrapolates, out)
