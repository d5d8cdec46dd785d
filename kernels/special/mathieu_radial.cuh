// Modified Mathieu functions of q >= 0 and real x, with derivatives; h = sqrt(q) (DLMF 28.20).
// The first kind by Bessel functions of 2 h sinh x (28.23.8 to 28.23.13, multiplied out where the formula has coth x), so
// that odd functions keep their digits at 0. The second kind by products of Bessel functions of h exp(-x) and h exp(x)
// (28.24.2 to 28.24.5), about the row s where coefficients are large. Both are nested by ratios of neighbouring
// coefficients, from both ends.
#ifndef GNP_SPECIAL_MATHIEU_RADIAL_CUH
#define GNP_SPECIAL_MATHIEU_RADIAL_CUH

#include "special/bessel_real.cuh"
#include "special/mathieu_core.cuh"

namespace special {

// Sums over rows in units of the last one's coefficient.
struct RadialSums {
    f64 value, slope, large; // large: the angular function or its slope at pi/2
};
GNP_FN RadialSums nested(RadialSums t, f64 ratio, RadialSums row)
{
    return {fma(ratio, t.value, row.value), fma(ratio, t.slope, row.slope), fma(ratio, t.large, row.large)};
}

GNP_COLD f64 bessel_j_whole(int n, f64 x) // n of either sign, x >= 0
{
    const f64 sign = n < 0 && n & 1 ? -1.0 : 1.0, size = abs(n);
    return x == 0 ? (n == 0 ? 1.0 : 0.0) : x < INFINITY_F64 ? sign * bessel_jy(size, x, BESSEL_J).j : NAN_F64;
}

// The first kind: what does not depend on the row.
struct FirstKind {
    f64 x, sinh_x, cosh_x, h;

    __device__ bool symmetric(const MathieuRows &r) const { return r.even == (r.start != 1); }

    // J of the frequencies f - 1, f, f + 1 from those of f - 2, f, f + 2: the recurrence divides by none of them.
    __device__ RadialSums row(const MathieuRows &r, int k) const
    {
        const int f = (int)r.start + 2 * k;
        const f64 at = bessel_j_whole(f, x), lower = bessel_j_whole(f - 2, x), upper = bessel_j_whole(f + 2, x);
        const f64 next = 0.5 * x / (f + 1) * (at + upper);
        const f64 before = f == 0 ? -next : f == 1 ? bessel_j_whole(0, x) : 0.5 * x / (f - 1) * (lower + at);
        const f64 weight = f == 0 ? 0.70710678118654752440 : 1.0, sign = k & 1 ? -1.0 : 1.0;
        if (symmetric(r)) return {weight * at, weight * h * cosh_x * (before - next), weight * sign};
        const f64 both = h * (before + next);
        return {cosh_x * both, fma(sinh_x, both, h * h * cosh_x * cosh_x * (lower - upper)), sign * f};
    }
};

// The second kind: J of h exp(-x) times Y of h exp(x) and the other way, of orders l - s and l + s + start.
struct SecondKind {
    f64 falling, rising;
    int s, exponent; // the terms are multiplied by 2^-exponent

    // J of order a >= 0 at `falling` times Y of order b >= 0 at `rising`, and the derivative in x.
    __device__ __noinline__ void add(int a, int b, f64 sign, RadialSums &t) const
    {
        const f64 j = bessel_j_whole(a, falling), more = bessel_j_whole(a + 1, falling);
        const BesselPair<c128> y = hankel_pair(b, rising);
        const int shift = y.exponent - exponent;
        const f64 value = ldexp(j * y.now.im, shift);
        const f64 slope = fma(b - a, value, ldexp(falling * (more * y.now.im) - rising * (j * y.next.im), shift));
        t.value = fma(sign, value, t.value);
        t.slope = fma(sign, slope, t.slope);
    }
    __device__ RadialSums row(const MathieuRows &r, int k) const
    {
        const int a = abs(k - s), b = k + s + (int)r.start;
        const f64 weight = k == 0 && r.start == 0 ? 0.70710678118654752440 : 1.0; // of the coefficient
        const f64 sign = (k & 1 ? -weight : weight) * (k < s && a & 1 ? -1.0 : 1.0);
        RadialSums t = {0, 0, 0};
        add(a, b, sign, t);
        add(b, a, r.even ? sign : -sign, t);
        return t;
    }
};

// The sums over all rows in units of the coefficient of the row `middle`.
template <class Kind> GNP_FN RadialSums mathieu_radial_sums(const MathieuRows &r, f64 a, int middle, const Kind &kind)
{
    RadialSums up = {0, 0, 0}, down = {0, 0, 0};
    f64 ratio = 0, beside = 0;
#pragma unroll 1
    for (int k = r.low; k <= middle; k++) {
        up = nested(up, ratio, kind.row(r, k));
        const f64 next = r.beside(k);
        ratio = next / nonzero(a - r.diagonal(k) - beside * ratio);
        beside = next;
    }
    ratio = beside = 0;
#pragma unroll 1
    for (int k = r.high - 1; k > middle; k--) {
        down = nested(down, ratio, kind.row(r, k));
        const f64 next = r.beside(k - 1);
        ratio = next / nonzero(a - r.diagonal(k) - beside * ratio);
        beside = next;
    }
    return nested(down, ratio, up);
}

GNP_COLD void mathieu_first_kind(const MathieuRows &r, f64 a, int middle, f64 x, f64 &value, f64 &slope)
{
    const f64 h = sqrt(r.q), size = fabs(x), sine = sinh(size), sign = r.index & 1 ? -1.0 : 1.0;
    const FirstKind kind = {2 * h * sine, sine, cosh(size), h};
    const RadialSums t = mathieu_radial_sums(r, a, middle, kind);
    value = sign * (t.value / t.large) * (x < 0 && !r.even ? -1.0 : 1.0);
    slope = sign * (t.slope / t.large) * (x < 0 && r.even ? -1.0 : 1.0);
}

// The row up to `last` with the largest coefficient.
GNP_COLD int mathieu_largest_row(const MathieuRows &r, f64 a, int last)
{
    f64 ratio = 0, beside = 0, best = 1; // the largest one's size in units of the current one
    int largest = r.low;
#pragma unroll 1
    for (int k = r.low; k < last; k++) {
        const f64 next = r.beside(k);
        ratio = next / nonzero(a - r.diagonal(k) - beside * ratio);
        beside = next;
        best *= fabs(ratio);
        if (best < 1) {
            best = 1;
            largest = k + 1;
        }
    }
    return largest;
}

GNP_COLD void mathieu_second_kind(const MathieuRows &r, f64 a, int turning, f64 x, f64 &value, f64 &slope)
{
    const f64 h = sqrt(r.q);
    const int middle = mathieu_largest_row(r, a, turning);
    SecondKind kind = {h * exp(-x), h * exp(x), middle, 0};
    if (!(kind.falling > 1e-290 && kind.rising > 1e-290 && kind.falling < INFINITY_F64 && kind.rising < INFINITY_F64)) {
        return;
    }
    kind.exponent = hankel_pair(2 * middle + r.start, kind.rising).exponent;
    const RadialSums t = mathieu_radial_sums(r, a, middle, kind);
    // The row's own coefficient, and the weight of the first row: both terms are the same there.
    const f64 own = middle == 0 && r.start == 0 ? 1.41421356237309504880 : 1.0;
    const f64 scale = (r.index & 1 ? -1.0 : 1.0) * own * (middle == 0 && r.start == 0 ? 0.5 : 1.0);
    value = ldexp(scale * t.value, kind.exponent);
    slope = ldexp(scale * t.slope, kind.exponent);
}

// What is left at q = 0.
GNP_FN void mathieu_radial_limit(f64 m, bool second, f64 &value, f64 &slope)
{
    value = second ? -INFINITY_F64 : m == 0 ? 1.0 : 0.0;
    slope = !second ? 0.0 : m == 0 ? 0.63661977236758134308 : INFINITY_F64;
}

template <bool SECOND, bool EVEN, class O> GNP_FN void mathieu_radial(f64 m, f64 q, f64 x, O &value, O &slope)
{
    const MathieuRows r = mathieu_rows(m, q, EVEN);
    f64 y = NAN_F64, dy = NAN_F64;
    if (r.valid && q >= 0 && fabs(x) < INFINITY_F64) {
        if (q == 0) mathieu_radial_limit(m, SECOND, y, dy);
        else {
            const f64 a = mathieu_value(r);
            int middle = (int)fmax(0.5 * (sqrt(fmax(a + 2 * q, 0.0)) - r.start), 0.0);
            middle = min(max(middle, r.low), r.high - 1);
            if constexpr (SECOND) mathieu_second_kind(r, a, middle, x, y, dy);
            else mathieu_first_kind(r, a, middle, x, y, dy);
        }
    }
    value = (O)y;
    slope = (O)dy;
}
}

#endif
