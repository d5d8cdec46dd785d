// Sums over the coefficients of spheroidal wave functions, and what they are sums of: Legendre functions, which recur
// upwards in degree. Coefficients recur upwards to the turning point; beyond it a continued fraction gives the ratio of
// each to the one before.
#ifndef GNP_SPECIAL_SPHEROIDAL_SUMS_CUH
#define GNP_SPECIAL_SPHEROIDAL_SUMS_CUH

#include "special/spheroidal_core.cuh"

namespace special {

// Rows for the functions: all from the first on, as the first coefficient is needed.
GNP_FN SpheroidalRows spheroidal_function_rows(f64 m, f64 n, f64 c, f64 side)
{
    SpheroidalRows rows = spheroidal_rows(m, n, c, side);
    rows.low = 0;
    rows.valid = rows.valid && rows.high <= SPHEROIDAL_MOST_ROWS && m <= SPHEROIDAL_MOST_ROWS;
    return rows;
}

GNP_FN f64 away_from_zero(f64 x) { return fabs(x) < 1e-290 ? 1e-290 : x; }

// The coefficient of row k divided by that of row k - 1, where both decay.
GNP_COLD f64 spheroidal_ratio(const SpheroidalRows &rows, f64 cv, int k)
{
    f64 ratio = 0, beside = 0;
#pragma unroll 1
    for (int i = rows.high - 1; i >= k; i--) {
        const f64 next = rows.beside(i - 1);
        ratio = next / away_from_zero(cv - rows.diagonal(i) - beside * ratio);
        beside = next;
    }
    return ratio;
}

// Terms: scale(r) multiplies the sums, add(k, c) adds c times the terms of row k and says whether they were negligible.
// The rows come in ascending order; sums are in units of the coefficient at the turning point.
template <class Terms> GNP_FN void spheroidal_sums(const SpheroidalRows &rows, f64 cv, Terms &terms)
{
    const f64 turning = sqrt(fmax(cv - fmin(rows.c2, 0.0), 0.0));
    const int middle = min(max((int)(0.5 * (turning - rows.m - rows.start)), 0), rows.high - 1);
    f64 ratio = 0, beside = 0, coefficient = 1;
#pragma unroll 1
    for (int k = 0; k <= middle; k++) {
        terms.scale(ratio);
        terms.add(k, 1.0);
        const f64 next = rows.beside(k); // row k: (cv - d) u(k) = beside u(k - 1) + next u(k + 1)
        ratio = next / away_from_zero(cv - rows.diagonal(k) - beside * ratio);
        beside = next;
    }
    int quiet = 0;
#pragma unroll 1
    for (int k = middle + 1; k < rows.high && quiet < 2; k++) {
        coefficient *= spheroidal_ratio(rows, cv, k);
        quiet = terms.add(k, coefficient) ? quiet + 1 : 0;
    }
}

// The Legendre function of degree l and order m at x, normalised, without the power of sqrt(1 - x^2), in units of that of
// degree m, and its derivative.
struct LegendreWalk {
    f64 x, now, before, slope, slope_before;

    __device__ void advance(f64 l, f64 m) // from l to l + 1: DLMF 14.10.3
    {
        const f64 after = l + 1, back = sqrt((l - m) / (2 * l + 1) * ((l + m) / fmax(2 * l - 1, 1.0)));
        const f64 factor = 1 / sqrt((after - m) / (2 * after - 1) * ((after + m) / (2 * after + 1)));
        const f64 next = factor * (x * now - back * before);
        const f64 next_slope = factor * (now + x * slope - back * slope_before);
        before = now;
        slope_before = slope;
        now = next;
        slope = next_slope;
    }
};

// A sum and that of the sizes of its terms.
struct Measured {
    f64 sum, size;

    __device__ void scale(f64 r)
    {
        sum *= r;
        size *= fabs(r);
    }
    __device__ bool add(f64 term)
    {
        sum += term;
        size += fabs(term);
        return fabs(term) <= 0x1p-58 * size;
    }
    __device__ f64 loss() const { return size / fabs(sum); } // by how much relative errors grow
};

// The function at x and its slope; value (or slope, where it is odd) at 0; value at 1; the first coefficient.
struct LegendreTerms {
    f64 m, l;
    bool odd;
    LegendreWalk here, zero;
    f64 one, first;
    Measured value, slope, origin, end;

    __device__ LegendreTerms(const SpheroidalRows &rows, f64 x)
        : m(rows.m), l(rows.m), odd(rows.start != 0), here{x, 1, 0, 0, 0}, zero{0, 1, 0, 0, 0}, one(1), first(0),
          value{0, 0}, slope{0, 0}, origin{0, 0}, end{0, 0}
    {
    }
    __device__ void scale(f64 r)
    {
        value.scale(r);
        slope.scale(r);
        origin.scale(r);
        end.scale(r);
        first *= r;
    }
    __device__ __noinline__ bool add(int k, f64 c)
    {
        const f64 degree = m + (odd ? 1 : 0) + 2 * k;
#pragma unroll 1
        for (; l < degree; l += 1) {
            here.advance(l, m);
            zero.advance(l, m);
            one *= sqrt((2 * l + 3) / (2 * l + 1) * ((l + 1 + m) / (l + 1 - m)));
        }
        if (k == 0) first = c;
        bool small = value.add(c * here.now);
        small = slope.add(c * here.slope) && small;
        small = origin.add(c * (odd ? zero.slope : zero.now)) && small;
        return end.add(c * one) && small;
    }
};
}

#endif
