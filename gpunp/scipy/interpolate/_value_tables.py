"""Values of polynomials in pieces at very many points.

A row of a table has the ends of an interval and the coefficients of its polynomial, in powers of
the distance from the first end. Where a whole table fits the shared memory of a multiprocessor, all
points are computed there: a place in memory costs a tenth of the time there, and an interval is
found by a table of as many steps of equal length as halves of intervals.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import ascontiguousarray, empty, ndarray
from ..._core.raw import RawModule
from .._limits import multiprocessors, shared_bytes
from ._pieces import BISECT

__all__ = ["POLYNOMIAL", "has_table", "put_by_table"]

_THREADS, _OWN = 256, 4  # threads of a block, and points of each
_WIDE = 1024  # threads of a block that has a table in shared memory
_MANY = 1 << 19  # points from which on a table saves more than its launch takes
_SHARED = 1 << 9  # points of each interval from which on it is copied into shared memory
_RESERVED = 1 << 10  # bytes of shared memory of each block that are the device's

# The polynomial of an interval with a length, a[0] first. Its m-th coefficient is the value at the
# knot of the spline of degree K - m whose coefficients are the m-th differences, each divided by
# its distance of knots, times a binomial coefficient (C. de Boor, A Practical Guide to Splines, X).
# Roundings are written out, so that every kernel that contains this has the same.
POLYNOMIAL = """
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
# A row is read by 16 bytes, so that an unused number ends it if there is an odd number of others.
# A table for shared memory has the knots, the coefficients of each power, and, for each of twice as
# many steps of equal length as intervals, the first and the last interval of its numbers, as halves
# of 32 bits.
_HEAD = """
enum { K = %(k)s, WIDTH = (K + 4) / 2 * 2, THREADS = %(threads)s, WIDE = %(wide)s, OWN = %(own)s };
enum { IS_LINE = %(is_line)s };

// Knots are those of the intervals, in increasing order or, of powers, decreasing. A point at a
// knot is in the interval after it, of lines in that before.
struct Knots {
    double first, last;
    int intervals;
    bool is_up;
    float rate; // steps a unit

    __device__ __forceinline__ Knots(const double *t, const int intervals)
        : first(t[0]), last(t[intervals]), intervals(intervals), is_up(IS_LINE || first <= last),
          rate(__fdividef(2 * intervals, float(last - first)))
    {
    }
    __device__ __forceinline__ bool is_after(double x, double knot) const
    {
        return IS_LINE ? x > knot : is_up ? x >= knot : x <= knot;
    }
    // None has a lower step than a number before it.
    __device__ __forceinline__ int step_of(const double x) const
    {
        const int step = int(float(x - first) * rate);
        return step < 0 ? 0 : step < 2 * intervals ? step : 2 * intervals - 1;
    }
};

__device__ __forceinline__ double *
coefficients_in(double *table, const int intervals)
{
    return table + intervals + 1;
}
__device__ __forceinline__ unsigned *
steps_in(double *table, const int intervals)
{
    return (unsigned *)(coefficients_in(table, intervals) + (K + 1) * intervals);
}

// A thread an interval, then a thread a step.
__device__ __forceinline__ void
put_row(double *table, const int i, const double *t, const int intervals, const double (&a)[K + 1],
        const bool is_shared)
{
    if (!is_shared) {
        double *row = table + (ptrdiff_t)i * WIDTH;
        row[0] = t[i];
        row[1] = t[i + 1];
        #pragma unroll
        for (int m = 0; m <= K; m++) row[2 + m] = a[m];
        return;
    }
    table[i] = t[i];
    if (i == intervals - 1) {
        const int size = 1 + (K + 3) * intervals;
        table[intervals] = t[intervals];
        if (size %% 2 == 1) table[size] = 0; // as it is copied by 16 bytes
    }
    #pragma unroll
    for (int m = 0; m <= K; m++) coefficients_in(table, intervals)[m * intervals + i] = a[m];
}
__device__ __forceinline__ void
put_step(double *table, const int step, const double *t, const int intervals)
{
    if (step >= 2 * intervals) return;
    const Knots knots(t, intervals);
    const int low = bisect(0, intervals, [&](int m) { return knots.step_of(t[m]) < step; });
    const int high = bisect(0, intervals, [&](int m) { return knots.step_of(t[m]) <= step; });
    steps_in(table, intervals)[step] = low | high << 16;
}
"""
# What makes the coefficients of an interval, from knots t and values c.
_MAKERS = {
    "spline_table": """
        if (t[i + K] < t[i + K + 1]) polynomial_of<K>(t, c, i + K, 1, 0, a);
""",
    # Of polynomials in powers those of the highest power come first.
    "powers_table": """
        #pragma unroll
        for (int m = 0; m <= K; m++) a[m] = c[(ptrdiff_t)(K - m) * intervals + i];
""",
    # Straight lines between values.
    "line_table": """
        a[0] = c[i];
        a[K] = (c[i + 1] - c[i]) / (t[i + 1] - t[i]);
""",
}
_TABLE = """
extern "C" __global__ void __launch_bounds__(THREADS)
%(name)s(const double *t, const double *c, double *table, const int intervals, const int is_shared)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const double *const knots = t + %(skipped)s;
    if (i < intervals) {
        double a[K + 1] = {};
        %(make)s
        put_row(table, i, knots, intervals, a, is_shared);
    }
    else if (is_shared) {
        put_step(table, i - intervals, knots, intervals);
    }
}
"""
_VALUES = """
// What points beyond the knots have, NaN by default, and where it is noted that there are such.
struct Ends {
    const double *below, *above;
    int *beyond;
    int extrapolates;
};

__device__ __forceinline__ double
at_end(const double x, const Knots &knots, const Ends &ends, const double inside)
{
    const double low = knots.is_up ? knots.first : knots.last;
    const double high = knots.is_up ? knots.last : knots.first;
    if ((x >= low && x <= high) || (ends.extrapolates && x == x)) return inside;
    if (x == x && ends.beyond) ends.beyond[x > high] = 1;
    const double *const end = x == x ? x > high ? ends.above : ends.below : nullptr;
    return end ? *end : nan("");
}

__device__ __forceinline__ double value_of(const double (&a)[WIDTH - 2], const double u)
{
    return IS_LINE ? fma(a[1], u, a[0]) : horner<K>(a, u);
}

// Of lines, the value at a knot even if that at the interval's other end is not finite, and between
// them what it is from the other end.
__device__ __forceinline__ double
at_knot(const double y, const double at, const int l, const double *t, const double *values)
{
    if (!IS_LINE || y == y) return y;
    const double low = values[l], high = values[l + 1], left = t[l], right = t[l + 1];
    const bool is_between = at > left && at < right;
    if (at == left || (is_between && low == high)) return low;
    if (at == right) return high;
    return is_between ? high + (high - low) / (right - left) * (at - right) : y;
}

// At first an interval is looked for where it is if all but the first and the last have one length.
extern "C" __global__ void __launch_bounds__(THREADS)
values_at_table(const double *x, const double *t, const double2 *table, const double *values,
    double *out, const long long n, const int intervals, const double *below, const double *above,
    int *beyond, const int extrapolates)
{
    const Ends ends = {below, above, beyond, extrapolates};
    const Knots knots(t, intervals);
    const int inner = intervals > 2;
    const double begin = t[inner];
    const float length = t[intervals - inner] - begin;
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
        if (!(l == 0 || knots.is_after(at, row.x)) ||
            !(l == intervals - 1 || !knots.is_after(at, row.y))) {
            l = bisect(0, intervals, [&](int m) { return knots.is_after(at, t[m]); });
            row.x = table[l * (WIDTH / 2)].x;
        }
        double a[WIDTH - 2];
        #pragma unroll
        for (int m = 0; m < WIDTH - 2; m += 2) {
            const double2 pair = table[l * (WIDTH / 2) + 1 + m / 2];
            a[m] = pair.x;
            a[m + 1] = pair.y;
        }
        const double y = at_knot(value_of(a, at - row.x), at, l, t, values);
        __stcs(out + i, at_end(at, knots, ends, y));
    }
}

// What a thread reads of the points of a block.
__device__ __forceinline__ void
read(double (&at)[OWN], const double *x, const long long block, const long long n)
{
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const long long i = block + k * WIDE + threadIdx.x;
        if (i < n) at[k] = __ldcs(x + i);
    }
}

// Of a table of so many pairs of numbers for shared memory.
extern "C" __global__ void __launch_bounds__(WIDE)
values_in_shared(const double *x, const double2 *table, const int pairs, const double *values,
    double *out, const long long n, const int intervals, const double *below, const double *above,
    int *beyond, const int extrapolates)
{
    extern __shared__ double2 shared[];
    double *const own = (double *)shared;
    const Ends ends = {below, above, beyond, extrapolates};
    const long long stride = gridDim.x * (long long)(WIDE * OWN);
    long long block = blockIdx.x * (long long)(WIDE * OWN);
    double at[OWN] = {}, next[OWN] = {};
    read(at, x, block, n);
    #pragma unroll 4
    for (int i = threadIdx.x; i < pairs; i += WIDE) shared[i] = table[i];
    __syncthreads();
    const double *const rows = coefficients_in(own, intervals);
    const unsigned *const steps = steps_in(own, intervals);
    const Knots knots(own, intervals);
    #pragma unroll 1
    for (; block < n; block += stride) {
        read(next, x, block + stride, n);
        #pragma unroll
        for (int k = 0; k < OWN; k++) {
            const unsigned both = steps[knots.step_of(at[k])], first = both & 0xffff;
            const int l = bisect<int>(first, (both >> 16) + 1, [&](int m) {
                return knots.is_after(at[k], own[m]);
            });
            double a[WIDTH - 2];
            #pragma unroll
            for (int m = 0; m <= K; m++) a[m] = rows[m * intervals + l];
            const long long i = block + k * WIDE + threadIdx.x;
            double y = value_of(a, at[k] - own[l]);
            y = at_knot(y, at[k], l, own, values);
            if (i < n) __stcs(out + i, at_end(at[k], knots, ends, y));
        }
        #pragma unroll
        for (int k = 0; k < OWN; k++) at[k] = next[k];
    }
}
"""


@functools.cache
def _kernels(name: str, k: int) -> tuple[Any, Any, Any]:
    words = {"k": k, "threads": _THREADS, "wide": _WIDE, "own": _OWN}
    head = _HEAD % {**words, "is_line": int(name == "line_table")}
    skipped = k if name == "spline_table" else 0
    maker = _TABLE % {"name": name, "make": _MAKERS[name], "skipped": skipped}
    module = RawModule(code=BISECT + POLYNOMIAL + head + maker + _VALUES)
    make, read, read_shared = (
        module.get_function(called) for called in (name, "values_at_table", "values_in_shared")
    )
    return make, read, read_shared


def has_table(x: ndarray, c: ndarray, intervals: int, out: ndarray) -> bool:
    """Whether there are so many points that polynomials are made beforehand."""
    is_one = c.dtype == np.float64 and out.size == x.size  # real numbers, one for each point
    return is_one and intervals < 1 << 28 and x.size >= max(_MANY, 8 * intervals)


def put_by_table(
    name: str, given: tuple, x: ndarray, knots: ndarray, k: int, ends: tuple, out: ndarray
) -> None:
    """Put values by a table of polynomials of degree k between knots, which the kernel of a name
    makes of what is given.

    `ends` is (value below, above, flags, whether values are extrapolated); of the two flags, those
    of sides on which there are points are set. Each but the last may be None."""
    intervals, make, read, read_shared = knots.size - 1, *_kernels(name, k)
    values = given[1]
    most = shared_bytes()
    pairs = -(-(1 + (k + 3) * intervals) // 2)  # with steps, which are a number an interval
    size = 16 * pairs
    is_shared = size <= most and x.size >= _SHARED * intervals
    table = empty(2 * pairs if is_shared else (intervals, (k + 4) // 2 * 2))
    numbers = (np.int32(intervals), np.int32(is_shared))
    threads = 3 * intervals if is_shared else intervals
    make((-(-threads // _THREADS),), (_THREADS,), (*given, table, *numbers))
    x, ends = ascontiguousarray(x), (np.int64(x.size), numbers[0], *ends)
    if not is_shared:
        read((-(-x.size // (_THREADS * _OWN)),), (_THREADS,), (x, knots, table, values, out, *ends))
        return
    read_shared.max_dynamic_shared_size_bytes = most
    blocks = multiprocessors() * min((most + _RESERVED) // (size + _RESERVED), 2)
    grid = (min(blocks, -(-x.size // (_WIDE * _OWN))),)
    read_shared(grid, (_WIDE,), (x, table, np.int32(pairs), values, out, *ends), shared_mem=size)
