// Kelvin functions: ber + i bei = I(z) and ker + i kei = K(z) of order 0 for z = x e^(i pi/4), and their derivatives in
// x. Power series near 0 (DLMF 10.65), Taylor series about the nearest whole number up to 20, Hankel's expansions
// (10.40.2, 10.40.5) beyond.
#ifndef GNP_SPECIAL_KELVIN_CUH
#define GNP_SPECIAL_KELVIN_CUH

#include "special/bessel_taylor.cuh"
#include "special/kelvin_fits.cuh"

namespace special {

struct KelvinPair {
    c128 value, slope;
};

GNP_FN c128 scaled_by(f64 s, c128 z) { return c128(s * z.re, s * z.im); }

// Both pairs for 0 < x < 0.75.
static __device__ __noinline__ void kelvin_small(f64 x, KelvinPair &first, KelvinPair &second)
{
    const f64 t = 0.25 * x * x;
    c128 v = c128(0.0, 0.5 * x); // the terms of the slope: 2 k u(k) / x for the terms u(k) of the value
    c128 value = c128(0.0), slope = v, over = scaled_by(0.5, v), harmonic = c128(0.0), slope_harmonic = v;
    c128 u = c128(0.0, t);
    f64 h = 1;
    value = harmonic = u;
#pragma unroll 1
    for (int k = 2; k < 9; k++) {
        h += 1.0 / k;
        u = scaled_by(t / (k * k), c128(-u.im, u.re));
        v = scaled_by(t / (k * (k - 1)), c128(-v.im, v.re));
        value = value + u;
        slope = slope + v;
        over = over + scaled_by(0.5 / k, v);
        harmonic = harmonic + scaled_by(h, u);
        slope_harmonic = slope_harmonic + scaled_by(h, v);
    }
    const c128 log_part = c128(log(x) - 0x1.dadb014541eb2p-4, 0.25 * PI_F64); // log(x/2) + gamma + i pi/4
    first = KelvinPair{c128(1.0) + value, slope};
    second.value = harmonic - log_part * value - log_part;
    second.slope = slope_harmonic - log_part * slope - over - c128(1 / x, 0.0);
}

GNP_FN KelvinPair kelvin_center(f64 x, int offset)
{
    const f64 c = rint(x), *row = KELVIN_CENTERS + 8 * ((int)c - 1) + offset;
    const TaylorSums<c128> r = taylor_at(c, x - c, c128(row[0], row[1]), c128(row[2], row[3]), c128(0.0, 1.0), 0.0);
    return KelvinPair{r.value, r.slope};
}

// sum a(k) w^k of DLMF 10.17.1 with 4 v^2 = square, |w| <= 1/20.
static __device__ __noinline__ c128 kelvin_sum(f64 square, c128 w)
{
    c128 term = c128(1.0), rest = c128(0.0);
#pragma unroll 1
    for (int k = 1; k < 30; k++) {
        const f64 odd = 2 * k - 1;
        term = scaled_by((square - odd * odd) / (8 * k), term * w);
        rest = rest + term;
        if (size_of_term(term) < 0x1p-58) break;
    }
    return c128(1.0) + rest;
}

// side 1: e^z / sqrt(2 pi z) times the sums; side -1: sqrt(pi / 2z) e^-z times them.
static __device__ __noinline__ KelvinPair kelvin_large(f64 x, f64 side)
{
    const f64 half_root = 0.70710678118654752440, a = x * half_root;
    // x / sqrt(2) = a + low; from 2000 on the result is out of range and only its sign is left
    const f64 low = x < 2000 ? fma(x, half_root, -a) + x * -0x1.bdd3413b26456p-55 : 0.0;
    f64 s, c;
    sincos(a, &s, &c);
    const c128 wave = c128(fma(-s, low, c), side * fma(c, low, s));
    const bool split = a > 600; // the exponential alone may be out of range
    const f64 e = exp(side * (split ? fmin(0.5 * a, 700.0) : a)), other = split ? e : 1.0, factor = (side > 0 ? 0.39894228040143267794 : 1.2533141373155003) / sqrt(x);
    const f64 size = factor * fma(side * low, e, e);
    const c128 eighth = c128(0.92387953251128675613, -0.38268343236508977173); // e^(-i pi/8)
    const c128 w = scaled_by(-side * half_root / x, c128(1.0, -1.0));
    const c128 p = wave * eighth * kelvin_sum(0.0, w), q = wave * c128(eighth.re, -eighth.im) * kelvin_sum(4.0, w);
    return KelvinPair{scaled_by(other, scaled_by(size, p)), scaled_by(side * other, scaled_by(size, q))};
}

// ker + i kei; infinite at 0, NaN for negative x.
static __device__ __noinline__ KelvinPair kelvin_second(f64 x)
{
    if (!(x >= 0 && x < INFINITY_F64)) return KelvinPair{c128(NAN_F64, NAN_F64), c128(NAN_F64, NAN_F64)};
    if (x == 0) return KelvinPair{c128(INFINITY_F64, -0.25 * PI_F64), c128(-INFINITY_F64, 0.0)};
    if (x > 20.5) return kelvin_large(x, -1.0);
    if (x >= BESSEL_SERIES_END) return kelvin_center(x, 4);
    KelvinPair first, second;
    kelvin_small(x, first, second);
    return second;
}

// ber + i bei
static __device__ __noinline__ KelvinPair kelvin_first(f64 x)
{
    const f64 size = fabs(x);
    if (!(size < INFINITY_F64)) return KelvinPair{c128(NAN_F64, NAN_F64), c128(NAN_F64, NAN_F64)};
    if (x == 0) return KelvinPair{c128(1.0), c128(0.0)};
    KelvinPair first, second;
    if (size < BESSEL_SERIES_END) {
        kelvin_small(size, first, second);
    }
    else if (size <= 20.5) {
        first = kelvin_center(size, 0);
    }
    else {
        first = kelvin_large(size, 1.0);
        if (size < 40) { // the other exponential of DLMF 10.40.5, (i / pi) K
            second = kelvin_large(size, -1.0);
            first.value = first.value + scaled_by(1 / PI_F64, c128(-second.value.im, second.value.re));
            first.slope = first.slope + scaled_by(1 / PI_F64, c128(-second.slope.im, second.slope.re));
        }
    }
    if (x < 0) first.slope = -first.slope;
    return first;
}

GNP_FN f64 ber(f64 x) { return kelvin_first(x).value.re; }
GNP_FN f64 bei(f64 x) { return kelvin_first(x).value.im; }
GNP_FN f64 berp(f64 x) { return kelvin_first(x).slope.re; }
GNP_FN f64 beip(f64 x) { return kelvin_first(x).slope.im; }
GNP_FN f64 ker(f64 x) { return kelvin_second(x).value.re; }
GNP_FN f64 kei(f64 x) { return kelvin_second(x).value.im; }
GNP_FN f64 kerp(f64 x) { return kelvin_second(x).slope.re; }
GNP_FN f64 keip(f64 x) { return kelvin_second(x).slope.im; }

template <class O> GNP_FN void kelvin(f64 x, O &be, O &ke, O &bep, O &kep)
{
    const KelvinPair first = kelvin_first(x), second = kelvin_second(x);
    be = O(first.value.re, first.value.im);
    ke = O(second.value.re, second.value.im);
    bep = O(first.slope.re, first.slope.im);
    kep = O(second.slope.re, second.slope.im);
}
}

#endif
