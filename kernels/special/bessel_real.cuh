// J and Y of real order and real argument: jv, yv, jve, yve. Y, and J where it is no smaller, are parts of Hankel's
// function, that is K at -ix (DLMF 10.27.8): forward recurrence of it is stable. Where the order exceeds x, J is
// the power series, or the first continued fraction with the Wronskian (10.5.2). Negative orders: 10.4.7, 10.4.8.
#ifndef GNP_SPECIAL_BESSEL_REAL_CUH
#define GNP_SPECIAL_BESSEL_REAL_CUH

#include "special/bessel_core.cuh"

namespace special {

enum { BESSEL_J = 1, BESSEL_Y = 2 };

struct BesselJY {
    f64 j, y;
};

// J + i Y of orders v, v + 1 at x > 0. Y is to be multiplied by 2^exponent; J is given for 2 < x and v <= x.
static __device__ __noinline__ BesselPair<c128> hankel_pair(f64 v, f64 x)
{
    const f64 whole = floor(v + 0.5);
    f64 m = v - whole;
    int n = (int)whole;
    BesselPair<f64> j = {0, 0, 0}, y;
    if (x <= 2) {
        y = temme_series(m, x, -1.0);
    }
    else { // H1 = (2 / (pi i)) e^(-i pi v / 2) K(-ix)
        const BesselPair<c128> k = scaled_pair(v, c128(0.0, -x), x, c128(0.0, 1 / x), m, n);
        const c128 phase = wave(turned_by(quarters_of(x), -(m - 4 * rint(0.25 * m) + 0.5)));
        const c128 factor = times(0.79788456080286535588 / sqrt(x), phase), now = factor * k.now, next = factor * k.next;
        j = BesselPair<f64>{now.re, next.im, 0};
        y = BesselPair<f64>{now.im, -next.re, 0};
        if (v <= x) raise_order(x, m, n, -1.0, j);
    }
    raise_order(x, m, n, -1.0, y);
    return BesselPair<c128>{c128(j.now, y.now), c128(j.next, y.next), y.exponent};
}

// v >= 0, 0 < x < infinity. Only what `wanted` names is computed with care.
static __device__ __noinline__ BesselJY bessel_jy(f64 v, f64 x, int wanted)
{
    BesselJY r = {NAN_F64, NAN_F64};
    const f64 square = 0.25 * x * x;
    const bool series = square <= v + 1;
    if (series) {
        r.j = leading_power(v, x) * power_series(v, -square);
        if (!(wanted & BESSEL_Y)) return r;
    }
    if (v > BESSEL_MAX_ORDER && !hankel_region(v, x)) { // without an expansion where it oscillates
        if (x < 0.9 * v && v < INFINITY_F64) r = BesselJY{0.0, -INFINITY_F64};
        return r;
    }
    const BesselPair<c128> h = hankel_pair(v, x);
    const f64 y = scale_by(h.now.im, h.exponent);
    r.y = x < 1e-290 && y != y ? -INFINITY_F64 : y; // NaN is an overflow there
    if (series) return r;
    if (v <= x) {
        r.j = h.now.re;
    }
    else {
        const f64 ratio = first_fraction(v, x, -1.0);
        r.j = scale_by(0.63661977236758134308 / (x * fma(ratio, h.now.im, -h.next.im)), -h.exponent);
    }
    return r;
}

static __device__ __noinline__ f64 bessel_j_any(f64 v, f64 x, bool scaled)
{
    const bool whole = is_integer(v);
    if (v != v || !(fabs(x) < INFINITY_F64) || (x < 0 && !whole)) return NAN_F64;
    const f64 order = fabs(v), size = fabs(x), odd = whole && 0.5 * order != floor(0.5 * order) ? -1.0 : 1.0;
    const f64 sign = ((x < 0) != (v < 0)) ? odd : 1.0;
    if (x == 0) {
        const f64 pole = scaled ? NAN_F64 : 0.5 * floor(order) != floor(0.5 * order) ? -INFINITY_F64 : INFINITY_F64;
        return v == 0 ? 1.0 : v > 0 ? 0.0 : whole ? odd * 0.0 : pole;
    }
    if (v > 0 || whole) return sign * bessel_jy(order, size, BESSEL_J).j;
    const c128 turn = unit_by_pi(order);
    const f64 c = turn.re, s = turn.im;
    const BesselJY r = bessel_jy(order, size, c == 0 ? BESSEL_Y : BESSEL_J | BESSEL_Y);
    return c == 0 ? -s * r.y : fma(c, r.j, -s * r.y);
}

static __device__ __noinline__ f64 bessel_y_any(f64 v, f64 x, bool scaled)
{
    if (v != v || !(x >= 0 && x < INFINITY_F64)) return NAN_F64;
    const f64 order = fabs(v);
    const c128 turn = v < 0 ? unit_by_pi(order) : c128(1.0);
    const f64 s = turn.im, c = turn.re;
    if (x == 0) return scaled ? NAN_F64 : c == 0 ? 0.0 : c < 0 ? INFINITY_F64 : -INFINITY_F64;
    const BesselJY r = bessel_jy(order, x, s == 0 ? BESSEL_Y : c == 0 ? BESSEL_J : BESSEL_J | BESSEL_Y);
    return s == 0 ? c * r.y : c == 0 ? s * r.j : fma(s, r.j, c * r.y);
}

GNP_FN f64 jv(f64 v, f64 x) { return bessel_j_any(v, x, false); }
GNP_FN f64 jve(f64 v, f64 x) { return bessel_j_any(v, x, true); }
GNP_FN f64 yv(f64 v, f64 x) { return bessel_y_any(v, x, false); }
GNP_FN f64 yve(f64 v, f64 x) { return bessel_y_any(v, x, true); }
GNP_FN f64 jvp(f64 v, f64 x, i64 n)
{
    return bessel_derivative([](f64 v, f64 x) { return jv(v, x); }, v, x, n, -1.0);
}
GNP_FN f64 yvp(f64 v, f64 x, i64 n)
{
    return bessel_derivative([](f64 v, f64 x) { return yv(v, x); }, v, x, n, -1.0);
}
}

#endif
