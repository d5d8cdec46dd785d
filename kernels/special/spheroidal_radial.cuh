// Radial spheroidal functions of the first and second kind, with Flammer's normalisation (DLMF 30.11): sums of spherical
// Bessel functions of c x from x = 3 on. Nearer, the second kind follows the differential equation inwards from there,
// where it grows, and the first kind of prolate functions is the solution that is regular at 1, which has the value of the
// sum at 0, where one term is left. Where the sums lose digits, for prolate functions whose c exceeds n by far, both
// follow the equation from where the asymptotic series serves.
#ifndef GNP_SPECIAL_SPHEROIDAL_RADIAL_CUH
#define GNP_SPECIAL_SPHEROIDAL_RADIAL_CUH

#include "special/spherical_bessel.cuh"
#include "special/spheroidal_solution.cuh"
#include "special/spheroidal_sums.cuh"

namespace special {

#define SPHEROIDAL_FAR 3.0
#define SPHEROIDAL_LOSS 64.0 // of sums that are not taken

// j of order l divided by z^m, l >= m.
GNP_COLD f64 spherical_j_over_power(f64 l, f64 m, f64 z)
{
    if (0.25 * z * z > l + 1) return spherical_jn((i64)l, z) * pow(z, -m);
    f64 lead = 1, term = 1, sum = 1;
#pragma unroll 1
    for (f64 k = 1; k <= l; k++) {
        lead *= (k <= m ? 1.0 : z) / (2 * k + 1);
    }
#pragma unroll 1
    for (int k = 1; k <= 200 && fabs(term) > 0x1p-56 * fabs(sum); k++) {
        term *= -0.5 * z * z / (k * (2 * (l + k) + 1));
        sum += term;
    }
    return lead * sum;
}

// Sums of (-1)^k g f / z^m and of the derivatives, f being j, or y in units of 2^exponent, g the weights of the value at 1.
template <bool SECOND> struct BesselTerms {
    f64 m, l, z;
    f64 weight, now, next; // f of the orders l and l + 1 for y, l and l + 2 for j
    bool odd;
    int exponent;
    Measured value, slope;

    __device__ BesselTerms(const SpheroidalRows &rows, f64 z)
        : m(rows.m), l(0), z(z), weight(1), now(0), next(0), odd(rows.start != 0), exponent(0), value{0, 0}, slope{0, 0}
    {
        if constexpr (SECOND) {
            f64 s, c;
            sincos(z, &s, &c);
            now = -c / z;
            next = (now - s) / z;
        }
        else next = spherical_j_over_power(m + rows.start, m, z);
    }
    __device__ void scale(f64 r)
    {
        value.scale(r);
        slope.scale(r);
    }
    __device__ void raise() // the order of y, DLMF 10.51.1
    {
        const f64 after = (2 * l + 3) / z * next - now;
        now = next;
        next = after;
        if (fabs(next) > 0x1p300) {
            now *= 0x1p-300;
            next *= 0x1p-300;
            scale(0x1p-300);
            exponent += 300;
        }
    }
    __device__ __noinline__ bool add(int k, f64 c)
    {
        const f64 degree = m + (odd ? 1 : 0) + 2 * k;
#pragma unroll 1
        for (f64 i = fmax(degree - 2, m); i < degree; i++) {
            weight *= sqrt((2 * i + 3) / (2 * i + 1) * ((i + 1 + m) / (i + 1 - m)));
        }
        f64 after = next;
        if constexpr (SECOND) {
#pragma unroll 1
            for (; l < degree; l++) {
                raise();
            }
            after = next;
        }
        else {
            now = next;
            l = degree;
            next = spherical_j_over_power(l + 2, m, z);
            after = z / (2 * l + 3) * (now + next);
        }
        const f64 factor = k & 1 ? -c * weight : c * weight, power = SECOND ? 0.0 : m;
        const bool small = value.add(factor * now);
        const f64 rising = l == power ? 0.0 : (l - power) / z * now; // DLMF 10.51.2
        return slope.add(factor * (rising - after)) && small;
    }
};

// What both kinds need: the equation of the wave, the sums over Legendre functions.
struct RadialWave {
    SpheroidalRows rows;
    f64 cv, c, side, end, lead; // end: the value at 1; lead: of the solution that is regular at 1
    bool exact;                 // whether sums keep their digits

    __device__ SpheroidalEquation equation(f64 power) const { return {side, power, cv, c * c}; }
};

GNP_COLD RadialWave radial_wave(const SpheroidalRows &rows, f64 cv, f64 c, f64 side)
{
    LegendreTerms terms(rows, 0.0);
    spheroidal_sums(rows, cv, terms);
    RadialWave wave = {rows, cv, c, side, terms.end.sum, 0, terms.end.loss() < SPHEROIDAL_LOSS};
    if (side < 0) return wave;
    // At 0 the sum of Bessel functions has one term; the Legendre functions there are those of the regular solution.
    f64 power = rows.start != 0 ? sqrt(2 * rows.m + 3) : 1.0;
#pragma unroll 1
    for (f64 i = 1; i <= rows.m + rows.start; i++) {
        power *= c / (2 * i + 1);
    }
    const f64 own = terms.first / terms.origin.sum * power;
    wave.lead = rows.index & 1 ? -own : own;
    if (!wave.exact) { // the value at 1 from that at 0
        const Solution at_0 = spheroidal_regular({1, rows.m, cv, c * c}, 1.0);
        wave.end = terms.origin.sum / (rows.start != 0 ? at_0.slope : at_0.value);
    }
    wave.lead *= wave.end;
    return wave;
}

// The function (x^2 - s)^(p / 2) v and its slope.
GNP_FN Solution with_power(const SpheroidalEquation &e, f64 x, Solution v)
{
    const f64 square = e.s > 0 ? (x - 1) * (x + 1) : x * x + 1, power = pow(square, 0.5 * e.p);
    return {power * v.value, power * (v.slope + e.p * x / square * v.value)};
}
GNP_FN Solution without_power(const SpheroidalEquation &e, f64 x, Solution r)
{
    const f64 square = e.s > 0 ? (x - 1) * (x + 1) : x * x + 1, power = pow(square, -0.5 * e.p);
    return {power * r.value, power * (r.slope - e.p * x / square * r.value)};
}

// The sums at x, without digits lost where wave.exact.
template <bool SECOND> GNP_COLD Solution radial_by_bessel(const RadialWave &w, f64 x)
{
    const f64 z = fmax(w.c * x, 1e-150), side = w.rows.index & 1 ? -1.0 : 1.0;
    BesselTerms<SECOND> terms(w.rows, z);
    spheroidal_sums(w.rows, w.cv, terms);
    const f64 scale = side / w.end;
    Solution r = {ldexp(scale * terms.value.sum, terms.exponent), ldexp(scale * w.c * terms.slope.sum, terms.exponent)};
    if constexpr (SECOND) { // times ((x^2 - s) / x^2)^(m / 2)
        const f64 m = w.rows.m, ratio = 1 - w.side / (x * x), power = pow(ratio, 0.5 * m);
        return {power * r.value, power * (r.slope + m * w.side / (x * x * x * ratio) * r.value)};
    }
    const f64 power = pow(w.c, w.rows.m);
    r = {power * r.value, power * r.slope};
    if (x == 0) (w.rows.start != 0 ? r.value : r.slope) = 0;
    return with_power(w.equation(w.rows.m), x, r);
}

// The kind wanted at x, from where the asymptotic series serves.
GNP_COLD Solution radial_from_far(const RadialWave &w, f64 n, f64 x, bool second)
{
    const SpheroidalEquation e = w.equation(-w.rows.m);
    f64 far = fmax(x, 8.0);
    Solution re, im;
    if (!spheroidal_asymptotic(e, far, re, im)) return {NAN_F64, NAN_F64};
    // Times (-i)^(n + 1) / c: the real part for the first kind, the imaginary one for the second.
    const int quarter = ((int)fmod(n, 4.0) + 1 + (second ? 1 : 0)) & 3; // of a turn, the real part of (-i)^quarter (re + i im)
    const f64 sign = (quarter & 2 ? -1.0 : 1.0) / w.c;
    Solution v = quarter & 1 ? im : re;
    v = {sign * v.value, sign * v.slope};
    return with_power(e, x, spheroidal_follow(e, far, x, v));
}

GNP_COLD Solution radial_first(const RadialWave &w, f64 n, f64 x)
{
    if (w.side < 0 || (w.exact && x >= SPHEROIDAL_FAR)) return radial_by_bessel<false>(w, x);
    if (x >= SPHEROIDAL_FAR) return radial_from_far(w, n, x, false);
    const SpheroidalEquation e = w.equation(w.rows.m);
    const f64 rate = fabs(e.p * (e.p + 1) - e.cv + e.d), near = fmin(x, 1 + 1.5 / fmax(3.0, rate)); // no term is large
    Solution v = spheroidal_regular(e, 1 - near);
    if (x > near) v = spheroidal_follow(e, near, x, v);
    const f64 scale = w.lead / w.end;
    return with_power(e, x, {scale * v.value, scale * v.slope});
}

GNP_COLD Solution radial_second(const RadialWave &w, f64 n, f64 x)
{
    if (!w.exact) return radial_from_far(w, n, x, true);
    const f64 far = fmax(x, SPHEROIDAL_FAR);
    const Solution r = radial_by_bessel<true>(w, far);
    if (far == x) return r;
    const SpheroidalEquation e = w.equation(-w.rows.m);
    return with_power(e, x, spheroidal_follow(e, far, x, without_power(e, far, r)));
}

template <bool SECOND> GNP_COLD Solution spheroidal_radial_at(const SpheroidalRows &rows, f64 side, f64 c, f64 cv, f64 x)
{
    const f64 n = rows.degree(rows.index);
    if (!(rows.valid && c >= 0 && fabs(cv) < INFINITY_F64 && x < INFINITY_F64)) return {NAN_F64, NAN_F64};
    if (!(side > 0 ? x > 1 : x >= 0)) return {NAN_F64, NAN_F64};
    if (c == 0) return SECOND ? Solution{-INFINITY_F64, INFINITY_F64} : Solution{n == 0 ? 1.0 : 0.0, 0}; // the limit
    const RadialWave wave = radial_wave(rows, cv, c, side);
    if constexpr (SECOND) return radial_second(wave, n, x);
    return radial_first(wave, n, x);
}

template <int SIDE, class O> GNP_FN void spheroidal_first_cv(f64 m, f64 n, f64 c, f64 cv, f64 x, O &value, O &slope)
{
    const Solution r = spheroidal_radial_at<false>(spheroidal_function_rows(m, n, c, SIDE), SIDE, c, cv, x);
    value = (O)r.value;
    slope = (O)r.slope;
}
template <int SIDE, class O> GNP_FN void spheroidal_first(f64 m, f64 n, f64 c, f64 x, O &value, O &slope)
{
    spheroidal_first_cv<SIDE>(m, n, c, spheroidal_value(spheroidal_rows(m, n, c, SIDE)), x, value, slope);
}
template <int SIDE, class O> GNP_FN void spheroidal_second_cv(f64 m, f64 n, f64 c, f64 cv, f64 x, O &value, O &slope)
{
    const Solution r = spheroidal_radial_at<true>(spheroidal_function_rows(m, n, c, SIDE), SIDE, c, cv, x);
    value = (O)r.value;
    slope = (O)r.slope;
}
template <int SIDE, class O> GNP_FN void spheroidal_second(f64 m, f64 n, f64 c, f64 x, O &value, O &slope)
{
    spheroidal_second_cv<SIDE>(m, n, c, spheroidal_value(spheroidal_rows(m, n, c, SIDE)), x, value, slope);
}
}

#endif
