// The engines of the Bessel functions of real order v >= 0, for a real z > 0 or a complex z with Re z >= 0:
// K by Temme's series (N. M. Temme, J. Comput. Phys. 19, 1975), Steed's continued fraction (I. J. Thompson and
// A. R. Barnett, J. Comput. Phys. 64, 1986) or Hankel's expansion (DLMF 10.40.2) at an order m with |m| <= 1/2, and
// forward recurrence; I by its power series (10.25.2), Hankel's expansion (10.40.5), or the first continued
// fraction (10.33.1) with the Wronskian (10.28.2). The map of regions is after D. E. Amos, ACM TOMS 12 (1986).
// All is scaled: K by e^z, I by e^-z.
#ifndef GNP_SPECIAL_BESSEL_CORE_CUH
#define GNP_SPECIAL_BESSEL_CORE_CUH

#include "special/short.cuh"
#include "special/bessel_fits.cuh"

namespace special {

#define BESSEL_MAX_ORDER 50000.0 // recurrence up to here

static __device__ __noinline__ f64 modulus_of(f64 x, f64 y) { return hypot(x, y); }
static __device__ __noinline__ c128 divided(c128 a, c128 b) { return a / b; }
GNP_FN f64 divided(f64 a, f64 b) { return a / b; }

GNP_FN f64 size_of(f64 z) { return fabs(z); }
GNP_FN f64 size_of(c128 z) { return fabs(z.re) + fabs(z.im); }
GNP_FN f64 modulus(f64 z) { return fabs(z); }
GNP_FN f64 modulus(c128 z) { return modulus_of(z.re, z.im); }
GNP_FN f64 times(f64 s, f64 z) { return s * z; }
GNP_FN c128 times(f64 s, c128 z) { return c128(s * z.re, s * z.im); }
GNP_FN f64 root(f64 z) { return sqrt(z); }
static __device__ __noinline__ c128 root(c128 z) // Re z >= 0 or Im z != 0: the principal one
{
    const f64 r = modulus(z);
    if (z.re >= 0) {
        const f64 a = sqrt(0.5 * (r + z.re));
        return c128(a, 0.5 * z.im / a);
    }
    const f64 b = copysign(sqrt(0.5 * (r - z.re)), z.im);
    return c128(0.5 * z.im / b, b);
}
static __device__ __noinline__ c128 log_of(c128 z) { return c128(log_of(modulus(z)), atan2(z.im, z.re)); }
// (z/2)^m for |m| <= 1/2
GNP_FN f64 half_power(f64 z, f64 m) { return small_power(z, -1, m); }
static __device__ __noinline__ c128 half_power(c128 z, f64 m)
{
    return times(small_power(modulus(z), -1, m), wave(m * atan2(z.im, z.re)));
}
GNP_FN f64 exp_scaled(f64 z) { return times_exp(1.0, z, 0); }
GNP_FN c128 exp_scaled(c128 z) { return times(times_exp(1.0, z.re, 0), wave(z.im)); }
GNP_FN c128 scale_by(c128 z, int e) { return c128(scale_by(z.re, e), scale_by(z.im, e)); }

// Functions of orders v and v + 1, both to be multiplied by 2^exponent.
template <class T> struct BesselPair {
    T now, next;
    int exponent;
};

// 2/z in two words, so that hundreds of steps do not add up its rounding error.
GNP_FN void twice_inverse(f64 z, f64 &w, f64 &low)
{
    w = 2 / z;
    low = fma(-w, z, 2.0) / z;
}
GNP_FN void twice_inverse(c128 z, c128 &w, c128 &low)
{
    w = divided(c128(2.0), z);
    const f64 a = __dmul_rn(z.re, w.re), b = __dmul_rn(z.im, w.im);
    const f64 c = __dmul_rn(z.re, w.im), d = __dmul_rn(z.im, w.re);
    const f64 re = (2 - a + b) - fma(z.re, w.re, -a) + fma(z.im, w.im, -b);
    const f64 im = -(c + d) - fma(z.re, w.im, -c) - fma(z.im, w.re, -d);
    low = times(0.5, c128(re, im) * w);
}
GNP_FN f64 step(f64 s, f64 w, f64 low) { return fma(s, w, s * low); }
GNP_FN c128 step(f64 s, c128 w, c128 low) { return c128(step(s, w.re, low.re), step(s, w.im, low.im)); }

// y(m + i + 1) = sign y(m + i - 1) + 2 (m + i) / z y(m + i), n times: the sign is 1 for K, -1 for J and Y.
template <class T> static __device__ __noinline__ void raise_order(T z, f64 m, int n, f64 sign, BesselPair<T> &y)
{
    T w, low;
    twice_inverse(z, w, low);
    if (size_of(z) < 0x1p-400) { // y(m + i - 1) is nothing; only `now` of the result counts
        if (n == 0) return;
        T last = times(0x1p-520, y.next);
        y.exponent += 520;
#pragma unroll 1
        for (int i = 1; i < n && size_of(last) < INFINITY_F64; i++) {
            last = times(m + i, w * last);
            const int shift = 520 + ilogb(size_of(last));
            last = scale_by(last, -shift);
            y.exponent += shift;
        }
        y.now = last;
        return;
    }
#pragma unroll 1
    for (int i = 1; i <= n; i++) {
        const T after = times(sign, y.now) + step(m + i, w, low) * y.next;
        y.now = y.next;
        y.next = after;
        if (size_of(after) > 0x1p500) {
            y.now = times(0x1p-500, y.now);
            y.next = times(0x1p-500, y.next);
            y.exponent += 500;
        }
    }
}

// K (sign 1) or Y (-1) of orders m, m + 1 for |z| <= 2, K not scaled.
template <class T> static __device__ __noinline__ BesselPair<T> temme_series(f64 m, T z, f64 sign)
{
    const f64 odd = polynomial_loop(BESSEL_GAMMA_ODD, m * m), even = polynomial_loop(BESSEL_GAMMA_EVEN, m * m);
    const c128 turn = wave(Quarters{0, m, 0.0}); // e^(i pi m / 2)
    const bool small = fabs(m) < 1e-8;
    const f64 ratio = small ? 1.0 : HALF_PI_F64 * m / (turn.re * turn.im); // pi m / sin(pi m)
    const f64 share = sign > 0 ? 0.0 : small ? 4.9348022005446793094 * m : 2 * turn.im * turn.im / m;
    const T half = times(0.5, z), d = T(0.69314718055994530942) - log_of(z);
    const T up = half_power(z, -m), down = half_power(z, m), square = times(sign, half * half), e = times(m, d);
    const T cosh_e = times(0.5, up + down);
    T sinh_over = divided(times(0.5, up - down), e); // sinh(e) / e
    if (size_of(e) < 1) {
        const T e2 = e * e;
        T term = T(1.0);
        sinh_over = T(1.0);
#pragma unroll 1
        for (int i = 1; i < 10; i++) {
            term = times(1.0 / (2 * i * (2 * i + 1)), term * e2);
            sinh_over = sinh_over + term;
        }
    }
    T f = times(ratio, times(odd, cosh_e) + times(even, sinh_over * d));
    T p = times(0.5 / (even - m * odd), up), q = times(0.5 / (even + m * odd), down);
    T c = T(1.0), sum = T(0.0), next = T(0.0);
#pragma unroll 1
    for (int i = 0; i < 60; i++) {
        const T g = f + times(share, q), a = c * g, b = c * (p - times((f64)i, g));
        sum = sum + a;
        next = next + b;
        if (size_of(a) < 0x1p-56 * size_of(sum) && size_of(b) < 0x1p-56 * size_of(next)) break;
        const f64 k = i + 1;
        f = times(1 / ((k - m) * (k + m)), times(k, f) + p + q);
        c = times(1 / k, c * square);
        p = times(1 / (k - m), p);
        q = times(1 / (k + m), q);
    }
    const f64 weight = sign > 0 ? 1.0 : -0.63661977236758134308;
    const f64 scale = size_of(z) < 1e-290 ? 0x1p200 : 1.0; // the reciprocal of a subnormal number overflows
    return BesselPair<T>{times(weight, sum), divided(times(2 * weight * scale, next), times(scale, z)), 0};
}

// sqrt(2 z / pi) e^z times K of orders m, m + 1 for |z| >= 2.
template <class T> static __device__ __noinline__ BesselPair<T> steed_fraction(f64 m, T z)
{
    const f64 a1 = 0.25 - m * m;
    T b = times(2.0, T(1.0) + z), d = divided(T(1.0), b), h = d, dh = d, q1 = T(0.0), q2 = T(1.0), q = T(a1);
    T s = T(1.0) + q * dh;
    f64 a = -a1, c = a1;
#pragma unroll 1
    for (int i = 2; i < 1000; i++) {
        a -= 2 * (i - 1);
        c = -a * c / i;
        const T after = times(1 / a, q1 - b * q2);
        q1 = q2;
        q2 = after;
        q = q + times(c, after);
        b = b + T(2.0);
        d = divided(T(1.0), b + times(a, d));
        dh = (b * d - T(1.0)) * dh;
        h = h + dh;
        const T ds = q * dh;
        s = s + ds;
        if (size_of(ds) < 0x1p-55 * size_of(s)) break;
    }
    const T k = divided(T(1.0), s);
    return BesselPair<T>{k, divided(k * (T(m + 0.5) + z - times(a1, h)), z), 0};
}

// sum a_k(v) w^k of DLMF 10.17.1, w = 1/z or -1/z.
template <class T> static __device__ __noinline__ T hankel_sum(f64 v, T w)
{
    T sum = T(1.0), term = T(1.0), rest = T(0.0);
    const f64 v2 = 4 * v * v;
    f64 before = INFINITY_F64;
#pragma unroll 1
    for (int k = 1; k < 400; k++) {
        const f64 odd = 2 * k - 1;
        term = times((v2 - odd * odd) / (8.0 * k), term * w);
        const f64 size = size_of(term);
        if (k > v && size > before) break;
        rest = rest + term;
        before = size;
        if (size < 0x1p-56) break;
    }
    return sum + rest;
}

// Where Hankel's expansion serves order v itself.
GNP_FN bool hankel_region(f64 v, f64 r) { return r >= 25 && r >= v * v / 6; }

// sqrt(2 z / pi) e^z times K of orders v, v + 1 for |z| >= 2 where Hankel's expansion serves; elsewhere of orders m, m + 1
// from which n steps lead there. r = |z|, w = 1/z.
template <class T> GNP_FN BesselPair<T> scaled_pair(f64 v, T z, f64 r, T w, f64 &m, int &n)
{
    if (r < 25) return steed_fraction(m, z);
    if (hankel_region(v, r)) {
        m = v;
        n = 0;
    }
    return BesselPair<T>{hankel_sum(m, w), hankel_sum(m + 1, w), 0};
}

// K of orders v, v + 1 times e^z. Larger orders than BESSEL_MAX_ORDER are not for recurrence.
template <class T> static __device__ __noinline__ BesselPair<T> macdonald(f64 v, T z)
{
    const f64 whole = floor(v + 0.5), r = modulus(z);
    f64 m = v - whole;
    int n = (int)whole;
    BesselPair<T> y;
    T factor;
    if (r <= 2) {
        y = temme_series(m, z, 1.0);
        factor = exp_scaled(z);
    }
    else {
        y = scaled_pair(v, z, r, divided(T(1.0), z), m, n);
        factor = times(1.2533141373155003, divided(T(1.0), root(z)));
    }
    y.now = factor * y.now;
    y.next = factor * y.next;
    raise_order(z, m, n, 1.0, y);
    return y;
}

// (z/2)^v / Gamma(v + 1)
template <class T> static __device__ __noinline__ T leading_power(f64 v, T z)
{
    if (v > BESSEL_MAX_ORDER) return T(0.0); // where the series serves, |z|^2 < 4 (v + 1)
    const f64 whole = floor(v + 0.5), m = v - whole;
    const f64 odd = polynomial_loop(BESSEL_GAMMA_ODD, m * m), even = polynomial_loop(BESSEL_GAMMA_EVEN, m * m);
    const T half = times(0.5, z);
    T product = times(even - m * odd, half_power(z, m));
#pragma unroll 1
    for (int i = 1; i <= (int)whole; i++) {
        product = times(1 / (m + i), product * half);
        if (size_of(product) == 0) break;
    }
    return product;
}

// The sum of DLMF 10.25.2 (s = z^2/4), or of 10.2.2 (s = -z^2/4), without the leading power.
template <class T> GNP_FN T power_series(f64 v, T s)
{
    T sum = T(0.0), term = T(1.0);
#pragma unroll 1
    for (int k = 1; k < 200; k++) {
        term = times(1 / (k * (v + k)), term * s);
        sum = sum + term;
        if (size_of(term) < 0x1p-57) break;
    }
    return T(1.0) + sum;
}

// f(v + 1) / f(v) of the minimal solution; sign is +1 for I and -1 for J (modified Lentz).
template <class T> static __device__ __noinline__ T first_fraction(f64 v, T z, f64 sign)
{
    T w, low;
    twice_inverse(z, w, low);
    const f64 tiny = 1e-280;
    T f = T(tiny), c = f, d = T(0.0);
    const int steps = 200000;
#pragma unroll 1
    for (int k = 1; k < steps; k++) {
        const T b = step(v + k, w, low);
        const f64 a = k == 1 ? 1.0 : sign;
        d = b + times(a, d);
        if (size_of(d) == 0) d = T(tiny);
        c = b + times(a, divided(T(1.0), c));
        if (size_of(c) == 0) c = T(tiny);
        d = divided(T(1.0), d);
        const T delta = c * d;
        f = f * delta;
        if (size_of(delta - T(1.0)) < 0x1p-52) return f;
    }
    return T(NAN_F64);
}

// The n-th derivative of f(v, z) by DLMF 10.6.7 (sign -1) or 10.29.5 (sign 1): sums of f at v - n, v - n + 2 ... v + n,
// which have weights C(n, k) / 2^n.
template <class F, class T> GNP_FN T bessel_derivative(F f, f64 v, T z, i64 n, f64 sign)
{
    const int last = n < 0 || n > 1000 ? -1 : (int)n; // weights beyond are out of range
    T sum = T(last < 0 ? NAN_F64 : 0.0);
    f64 weight = scale_by(1.0, -last);
#pragma unroll 1
    for (int k = 0; k <= last; k++) {
        sum = sum + times(weight, f(v - last + 2 * k, z));
        weight = sign * weight * (last - k) / (k + 1);
    }
    return sum;
}
}

#endif
