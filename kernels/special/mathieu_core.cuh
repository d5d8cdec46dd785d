// Mathieu functions of real q and whole order m: the characteristic values and sums over Fourier coefficients (DLMF
// 28.4). The coefficients of one parity are an eigenvector of a symmetric tridiagonal matrix with the diagonal f^2, f the
// frequencies, and q beside it. Sums are nested by ratios of neighbouring coefficients, from both ends to the turning
// point: stable, and without overflow.
#ifndef GNP_SPECIAL_MATHIEU_CORE_CUH
#define GNP_SPECIAL_MATHIEU_CORE_CUH

#include "special/tridiagonal.cuh"

namespace special {

// The matrix of ce (even) or se of order m: rows with the frequencies start + 2 k for k of [low, high).
struct MathieuRows {
    f64 m, q, start;
    int index, low, high; // index: how many eigenvalues are smaller
    bool even, valid;

    __device__ f64 diagonal(int k) const // f^2, but for the first rows of odd frequencies
    {
        const f64 f = start + 2 * k;
        return k == 0 && start == 1 ? (even ? 1 + q : 1 - q) : f * f;
    }
    __device__ f64 beside(int k) const { return k == 0 && start == 0 ? 1.41421356237309504880 * q : q; }
    __device__ f64 square(int k) const { return k == 0 && start == 0 ? 2 * q * q : q * q; }
};

// Rows far from the one with frequency m are left out, as what couples them is small there.
GNP_FN MathieuRows mathieu_rows(f64 m, f64 q, bool even)
{
    MathieuRows r = {m, q, 0, 0, 0, 0, even, false};
    if (!(is_integer(m) && m >= (even ? 0 : 1) && fabs(q) < INFINITY_F64)) return r;
    const bool odd = 0.5 * m != floor(0.5 * m);
    r.start = odd ? 1.0 : even ? 0.0 : 2.0;
    const f64 reach = 4 * fabs(q), top = 0.5 * sqrt(m * m + reach), margin = 16 + 6 * cbrt(top);
    const f64 bottom = 0.5 * sqrt(fmax(m * m - reach, 0.0)) - margin - 1;
    if (!(top + margin < 1e9 && top - bottom < TRIDIAGONAL_MOST_ROWS)) return r;
    r.index = (int)(0.5 * (m - r.start));
    r.low = bottom > 0 ? (int)bottom : 0;
    r.high = (int)(top + margin);
    r.valid = true;
    return r;
}

static __device__ __noinline__ f64 mathieu_value(const MathieuRows &r)
{
    if (!r.valid) return NAN_F64;
    const f64 reach = 2 * fabs(r.q) * (1 + 4 * EPSILON_F64) + 4 * EPSILON_F64 * r.m * r.m;
    if (r.q == 0) return r.m * r.m;
    if (r.m == 0 && fabs(r.q) < 0.02) { // DLMF 28.6.1: much smaller than q
        const f64 s = r.q * r.q;
        return s * (-0.5 + s * (7.0 / 128 + s * (-29.0 / 2304 + s * (68687.0 / 18874368))));
    }
    return eigenvalue_between(r, r.m * r.m - reach, r.m * r.m + reach, fabs(r.q));
}

// Sums over coefficients in units of the last one: of their squares, of coefficient times cos and sin of the frequency
// times x, of the derivatives, and of the value or slope at the place where the function is large.
struct MathieuSums {
    f64 squares, value, slope, large;
};
GNP_FN MathieuSums mathieu_step(const MathieuRows &r, int k, f64 ratio, f64 c, f64 s, MathieuSums t)
{
    const f64 f = r.start + 2 * k, weight = r.even && k == 0 && r.start == 0 ? 0.70710678118654752440 : 1.0;
    // Even about that place, pi/2 for q > 0 and 0 otherwise: the value counts, else the slope.
    const bool symmetric = r.q > 0 ? r.even == (r.start != 1) : r.even;
    const f64 sign = r.q > 0 && k & 1 ? -1.0 : 1.0;
    t.squares = fma(ratio * ratio, t.squares, 1.0);
    t.value = fma(ratio, t.value, weight * (r.even ? c : s));
    t.slope = fma(ratio, t.slope, r.even ? -f * s : f * c);
    t.large = fma(ratio, t.large, sign * weight * (symmetric ? 1.0 : f));
    return t;
}

GNP_FN f64 nonzero(f64 x) { return fabs(x) < 1e-290 ? 1e-290 : x; }

// The value and the slope in x, in degrees, of ce or se with the characteristic value a.
static __device__ __noinline__ void mathieu_angular(const MathieuRows &r, f64 a, f64 x, f64 &value, f64 &slope)
{
    value = slope = NAN_F64;
    if (!(r.valid && fabs(x) < INFINITY_F64)) return;
    const f64 turns = rint(x / 360), t = fma(turns, -360.0, x) / 180; // x = pi t but for whole turns
    const int last = r.high - 1;
    int middle = r.q == 0 ? r.index : (int)fmax(0.5 * (sqrt(fmax(a + 2 * fabs(r.q), 0.0)) - r.start), 0.0);
    middle = min(max(middle, r.low), last);
    f64 c, s, c2, s2;
    sincospi(2 * t, &s2, &c2);
    MathieuSums up = {0, 0, 0, 0}, down = {0, 0, 0, 0};
    f64 ratio = 0, beside = 0;
    sincospi((r.start + 2 * r.low) * t, &s, &c);
#pragma unroll 1
    for (int k = r.low;; k++) {
        up = mathieu_step(r, k, ratio, c, s, up);
        if (k == middle) break;
        const f64 next = r.beside(k); // row k: (a - d) u(k) = beside u(k - 1) + next u(k + 1)
        ratio = next / nonzero(a - r.diagonal(k) - beside * ratio);
        beside = next;
        const f64 turned = fma(c, c2, -s * s2);
        s = fma(s, c2, c * s2);
        c = turned;
    }
    ratio = beside = 0;
    sincospi((r.start + 2 * last) * t, &s, &c);
#pragma unroll 1
    for (int k = last; k > middle; k--) {
        down = mathieu_step(r, k, ratio, c, s, down);
        const f64 next = r.beside(k - 1);
        ratio = next / nonzero(a - r.diagonal(k) - beside * ratio);
        beside = next;
        const f64 turned = fma(c, c2, s * s2);
        s = fma(s, c2, -c * s2);
        c = turned;
    }
    if (middle == last) ratio = 0;
    const f64 squares = fma(ratio * ratio, down.squares, up.squares), large = fma(ratio, down.large, up.large);
    const bool negative = (r.q > 0 && r.index & 1 ? -large : large) < 0;
    const f64 scale = (negative ? -1 : 1) / sqrt(squares);
    value = scale * fma(ratio, down.value, up.value);
    slope = scale * fma(ratio, down.slope, up.slope);
}
}

#endif
