// I, K, J, Y and Hankel's functions of real order and complex argument, plain and scaled: iv, kv, jv, yv, hankel1,
// hankel2, ive ... hankel2e. I and K of the right half-plane (bessel_core.cuh) are turned: K to the left half-plane by
// DLMF 10.34.2, J and H1 of the upper half-plane are I and K at -iz (10.27.6, 10.27.8), the lower half-plane is the
// conjugate (10.11.9), Y = i (J - H1), H2 = 2 J - H1. Negative orders: 10.2.3, 10.4.6, 10.27.2. After D. E. Amos,
// ACM TOMS 12, 1986. As in SciPy, -0 as imaginary part is the upper side of the cut.
#ifndef GNP_SPECIAL_BESSEL_COMPLEX_CUH
#define GNP_SPECIAL_BESSEL_COMPLEX_CUH

#include "special/bessel_core.cuh"

namespace special {

struct BesselScaled {
    c128 value;
    int exponent; // to be multiplied by 2^exponent
};

GNP_FN c128 conj_of(c128 z) { return c128(z.re, -z.im); }
GNP_FN c128 turned(c128 z) { return c128(-z.im, z.re); } // i z
GNP_FN c128 turned_back(c128 z) { return c128(z.im, -z.re); }
// y 2^e exp(x + i phase)
static __device__ __noinline__ c128 times_exp(c128 y, f64 x, f64 phase, int e)
{
    const c128 r = phase == 0 ? y : y * wave(phase);
    return c128(times_exp(r.re, x, e), times_exp(r.im, x, e));
}
GNP_FN c128 times_exp(BesselScaled y, f64 x, f64 phase) { return times_exp(y.value, x, phase, y.exponent); }

// Both exponentials of DLMF 10.40.5 for orders v and v + 1, times e^-w.
static __device__ __noinline__ BesselPair<c128> hankel_both(f64 v, c128 w)
{
    const c128 inverse = divided(c128(1.0), w), factor = times(0.39894228040143267794, divided(c128(1.0), root(w)));
    c128 other = c128(0.0);
    if (w.re < 40) {
        const c128 e = times_exp(unit_by_pi(v), -2 * w.re, 0.0, 0);
        const c128 turn = wave(-2 * w.im);
        other = w.im >= 0 ? turned(e * turn) : turned_back(conj_of(e) * turn);
    }
    return BesselPair<c128>{factor * (hankel_sum(v, -inverse) + other * hankel_sum(v, inverse)),
                            factor * (hankel_sum(v + 1, -inverse) - other * hankel_sum(v + 1, inverse)), 0};
}

// K of v >= 0 times e^w for Re w >= 0.
GNP_FN BesselScaled right_k(f64 v, c128 w)
{
    if (v > BESSEL_MAX_ORDER && !hankel_region(v, modulus(w))) {
        return BesselScaled{c128(NAN_F64, NAN_F64), 0};
    }
    const BesselPair<c128> k = macdonald(v, w);
    return BesselScaled{k.now, k.exponent};
}

// I of v >= 0 times e^-w for Re w >= 0.
static __device__ __noinline__ BesselScaled right_i(f64 v, c128 w)
{
    const f64 r = modulus(w);
    if (0.25 * r * r <= v + 1) {
        const c128 half = times(0.5, w), y = leading_power(v, w) * power_series(v, half * half);
        return BesselScaled{times_exp(y, -w.re, -w.im, 600), -600};
    }
    if (hankel_region(v, r)) return BesselScaled{hankel_both(v, w).now, 0};
    if (v > BESSEL_MAX_ORDER) return BesselScaled{r < 0.5 * v ? c128(0.0) : c128(NAN_F64, NAN_F64), 0};
    if (r >= 25 && v <= r && v * v * w.re <= 2 * r * r) { // forward recurrence loses nothing
        const f64 whole = floor(v + 0.5);
        BesselPair<c128> y = hankel_both(v - whole, w);
        raise_order(-w, v - whole, (int)whole, 1.0, y);
        return BesselScaled{y.now, y.exponent};
    }
    const BesselPair<c128> k = macdonald(v, w);
    return BesselScaled{divided(c128(1.0), w * (k.next + first_fraction(v, w, 1.0) * k.now)), -k.exponent};
}

GNP_FN bool bad_argument(f64 v, c128 z)
{
    return !(fabs(v) < INFINITY_F64 && fabs(z.re) < INFINITY_F64 && fabs(z.im) < INFINITY_F64);
}
GNP_FN bool is_zero(c128 z) { return z.re == 0 && z.im == 0; }
GNP_FN c128 complex_nan() { return c128(NAN_F64, NAN_F64); }
// SciPy's answer to an overflow of K, Y and Hankel's functions.
GNP_FN c128 nan_if_infinite(c128 z)
{
    return fabs(z.re) < INFINITY_F64 && fabs(z.im) < INFINITY_F64 ? z : complex_nan();
}

// K of v >= 0 and any z; times e^z if scaled.
static __device__ __noinline__ c128 complex_k(f64 v, c128 z, bool scaled)
{
    if (bad_argument(v, z) || is_zero(z)) return complex_nan();
    v = fabs(v);
    if (z.re >= 0) {
        const BesselScaled k = right_k(v, z);
        if (z.im == 0) return c128(times_exp(k.value.re, scaled ? 0.0 : -z.re, k.exponent), 0.0);
        return nan_if_infinite(scaled ? times_exp(k, 0.0, 0.0) : times_exp(k, -z.re, -z.im));
    }
    const bool upper = z.im >= 0; // z = w e^(+-pi i)
    const c128 w = -z, turn = unit_by_pi(v);
    BesselScaled k = right_k(v, w), i = right_i(v, w);
    k.value = (upper ? conj_of(turn) : turn) * k.value;
    i.value = times(PI_F64, upper ? turned_back(i.value) : turned(i.value));
    return nan_if_infinite(scaled ? times_exp(k, -2 * w.re, -2 * w.im) + times_exp(i, 0.0, 0.0)
                                  : times_exp(k, -w.re, -w.im) + times_exp(i, w.re, w.im));
}

// I of any order; times e^-|Re z| if scaled.
static __device__ __noinline__ c128 complex_i(f64 v, c128 z, bool scaled)
{
    if (bad_argument(v, z)) return complex_nan();
    const f64 order = fabs(v);
    const bool whole = is_integer(v), left = z.re < 0;
    if (is_zero(z)) return order == 0 ? c128(1.0) : v > 0 || whole ? c128(0.0) : complex_nan();
    const c128 w = left ? -z : z;
    const c128 turn = !left ? c128(1.0) : z.im >= 0 ? unit_by_pi(order) : conj_of(unit_by_pi(order));
    c128 y;
    if (z.im == 0) {
        const BesselScaled r = right_i(order, c128(w.re, 0.0));
        const f64 i = times_exp(r.value.re, scaled ? 0.0 : w.re, r.exponent);
        y = c128(turn.re * i, turn.im == 0 ? 0.0 : turn.im * i);
    }
    else {
        BesselScaled i = right_i(order, w);
        if (left) i.value = whole ? times(turn.re, i.value) : turn * i.value;
        y = times_exp(i, scaled ? 0.0 : w.re, w.im);
    }
    if (v < 0 && !whole) {
        const f64 shift = scaled ? -fabs(z.re) - z.re : 0.0; // kve is e^z K
        c128 k = complex_k(order, z, scaled);
        if (scaled) k = times_exp(k, shift, -z.im, 0);
        y = y + times(0.63661977236758134308 * unit_by_pi(order).im, k);
        if (modulus(z) < 1) y = nan_if_infinite(y);
    }
    return y;
}

// J, H1 and H2 of v >= 0, z not 0, of the upper half-plane, as J e^(iz), H1 e^(-iz).
struct BesselUpper {
    BesselScaled j, h;
};
GNP_FN BesselScaled upper_j(f64 v, c128 z)
{
    BesselScaled j = right_i(v, turned_back(z));
    j.value = unit_by_half_pi(v) * j.value;
    return j;
}
GNP_FN BesselScaled upper_h(f64 v, c128 z)
{
    BesselScaled k = right_k(v, turned_back(z));
    k.value = times(0.63661977236758134308, turned_back(conj_of(unit_by_half_pi(v)) * k.value));
    return k;
}

// J, or Y, of any order; times e^-|Im z| if scaled.
static __device__ __noinline__ c128 complex_jy(f64 v, c128 z, bool want_y, bool scaled)
{
    const f64 order = fabs(v);
    const c128 turn = v < 0 ? unit_by_pi(order) : c128(1.0);
    const f64 s = turn.im, c = turn.re;
    const bool lower = z.im < 0;
    if (lower) z.im = -z.im;
    const f64 from_y = want_y ? c : -s, from_j = want_y ? s : c; // the result of v in terms of those of |v|
    c128 j = c128(0.0), y = c128(0.0);
    if (z.im == 0 && z.re > 0) {
        if (from_j != 0) j = times_exp(upper_j(order, z), 0.0, -z.re);
        if (from_y != 0) y = times_exp(upper_h(order, z), 0.0, z.re); // J + iY
        const f64 part_j = from_j * j.re, part_y = from_y * y.im;
        const f64 sum = from_y == 0 ? part_j : from_j == 0 ? part_y : part_j + part_y;
        return c128(sum, 0.0);
    }
    j = times_exp(upper_j(order, z), scaled ? 0.0 : z.im, -z.re);
    if (from_y != 0) y = turned(j - times_exp(upper_h(order, z), scaled ? -2 * z.im : -z.im, z.re));
    const c128 part_j = times(from_j, j), part_y = times(from_y, y);
    const c128 r = from_y == 0 ? part_j : from_j == 0 ? part_y : part_j + part_y;
    return from_y == 0 ? (lower ? conj_of(r) : r) : nan_if_infinite(lower ? conj_of(r) : r);
}

static __device__ __noinline__ c128 complex_j(f64 v, c128 z, bool scaled)
{
    if (bad_argument(v, z)) return complex_nan();
    if (is_zero(z)) return v == 0 ? c128(1.0) : v > 0 || is_integer(v) ? c128(0.0) : complex_nan();
    return complex_jy(v, z, false, scaled);
}
static __device__ __noinline__ c128 complex_y(f64 v, c128 z, bool scaled)
{
    if (bad_argument(v, z)) return complex_nan();
    if (is_zero(z)) {
        if (scaled) return complex_nan();
        const bool odd = v < 0 && is_integer(v) && 0.5 * v != floor(0.5 * v);
        return c128(v < 0 && !is_integer(v) ? NAN_F64 : odd ? INFINITY_F64 : -INFINITY_F64, 0.0);
    }
    return complex_jy(v, z, true, scaled);
}

// H1 (kind 1) or H2 (kind 2) of any order; times e^(-iz) or e^(iz) if scaled.
static __device__ __noinline__ c128 complex_hankel(f64 v, c128 z, int kind, bool scaled)
{
    if (bad_argument(v, z) || is_zero(z)) return complex_nan();
    const f64 order = fabs(v);
    const bool lower = z.im < 0;
    if (lower) z.im = -z.im;
    const BesselScaled h = upper_h(order, z);
    c128 r;
    if ((kind == 1) != lower) { // decays in the upper half-plane
        r = scaled ? times_exp(h, 0.0, 0.0) : times_exp(h, -z.im, z.re);
    }
    else {
        BesselScaled j = upper_j(order, z);
        j.value = times(2.0, j.value);
        r = scaled ? times_exp(j, 0.0, 0.0) - times_exp(h, -2 * z.im, 2 * z.re)
                   : times_exp(j, z.im, -z.re) - times_exp(h, -z.im, z.re);
    }
    if (lower) r = conj_of(r);
    if (v < 0) {
        const c128 turn = unit_by_pi(order);
        r = (kind == 1 ? turn : conj_of(turn)) * r;
    }
    return nan_if_infinite(r);
}

GNP_FN c128 iv(f64 v, c128 z) { return complex_i(v, z, false); }
GNP_FN c128 ive(f64 v, c128 z) { return complex_i(v, z, true); }
GNP_FN c128 kv(f64 v, c128 z) { return complex_k(v, z, false); }
GNP_FN c128 kve(f64 v, c128 z) { return complex_k(v, z, true); }
GNP_FN c128 jv(f64 v, c128 z) { return complex_j(v, z, false); }
GNP_FN c128 jve(f64 v, c128 z) { return complex_j(v, z, true); }
GNP_FN c128 yv(f64 v, c128 z) { return complex_y(v, z, false); }
GNP_FN c128 yve(f64 v, c128 z) { return complex_y(v, z, true); }
GNP_FN c128 hankel1(f64 v, c128 z) { return complex_hankel(v, z, 1, false); }
GNP_FN c128 hankel2(f64 v, c128 z) { return complex_hankel(v, z, 2, false); }
GNP_FN c128 hankel1e(f64 v, c128 z) { return complex_hankel(v, z, 1, true); }
GNP_FN c128 hankel2e(f64 v, c128 z) { return complex_hankel(v, z, 2, true); }
GNP_FN c128 jvp(f64 v, c128 z, i64 n)
{
    return bessel_derivative([](f64 v, c128 z) { return jv(v, z); }, v, z, n, -1.0);
}
GNP_FN c128 yvp(f64 v, c128 z, i64 n)
{
    return bessel_derivative([](f64 v, c128 z) { return yv(v, z); }, v, z, n, -1.0);
}
GNP_FN c128 ivp(f64 v, c128 z, i64 n)
{
    return bessel_derivative([](f64 v, c128 z) { return iv(v, z); }, v, z, n, 1.0);
}
GNP_FN c128 h1vp(f64 v, c128 z, i64 n)
{
    return bessel_derivative([](f64 v, c128 z) { return hankel1(v, z); }, v, z, n, -1.0);
}
GNP_FN c128 h2vp(f64 v, c128 z, i64 n)
{
    return bessel_derivative([](f64 v, c128 z) { return hankel2(v, z); }, v, z, n, -1.0);
}
GNP_FN c128 kvp(f64 v, c128 z, i64 n)
{
    const c128 sum = bessel_derivative([](f64 v, c128 z) { return kv(v, z); }, v, z, n, 1.0);
    return n & 1 ? -sum : sum;
}
}

#endif
