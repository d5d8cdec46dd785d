// Legendre functions of the first kind of whole order and real degree on [-1, 1] (Ferrers functions).
//
// Whole degrees are those of legendre.cuh. For others and x >= 0, P of order -m runs upwards in degree (DLMF 14.10.3)
// from two sums 14.3.1 of degrees below 2. For x < 0, where P is singular at -1, orders 0 and 1 run upwards in degree
// from sums with logarithms (15.8.10), and then the order upwards (14.10.1). Orders change sign by 14.9.3.
//
// Where a degree is within d of a whole number below |m|, P is proportional to d, and relative errors are about 2^-52
// times degree / d, as if the degree were rounded once more: 2e-4 for d = 1e-12.
#ifndef GNP_SPECIAL_LPMV_CUH
#define GNP_SPECIAL_LPMV_CUH

#include "special/legendre.cuh"
#include "special/psi.cuh"

namespace special {

enum { MOST_LEGENDRE_STEPS = 10000000 }; // of degree or order; NaN beyond

// 2F1(-v, v + 1; m + 1; z) for 0 <= z <= 1 / 2 and v < 2.
GNP_COLD f64 legendre_sum(f64 v, f64 m, f64 z)
{
    f64 term = 1, sum = 1;
#pragma unroll 1
    for (int k = 0; k < MAX_FRACTION_STEPS && fabs(term) > 0x1p-57 * fabs(sum); k++) {
        term *= (k - v) * (k + v + 1) / ((k + 1 + m) * (k + 1)) * z;
        sum += term;
    }
    return sum;
}

// P of order 0, degree v < 2 that is not whole, at 2 t - 1 for 0 < t <= 1 / 2.
GNP_COLD f64 legendre_logarithmic(f64 v, f64 t)
{
    const f64 twice_gamma = 1.154431329803065721; // -2 psi(1)
    f64 term = sinpi(v) / PI_F64, bracket = log(t) + twice_gamma + psi(-v) + psi(v + 1), sum = term * bracket;
#pragma unroll 1
    for (int k = 0; k < MAX_FRACTION_STEPS; k++) {
        const f64 factor = (k - v) * (k + v + 1) / ((k + 1.0) * (k + 1.0)) * t;
        bracket += 1 / (k - v) + 1 / (k + v + 1) - 2 / (k + 1.0);
        term *= factor;
        sum += term * bracket;
        if (k > 2 && fabs(term) * (1 + fabs(bracket)) < 0x1p-57 * fabs(sum)) break;
    }
    return sum;
}

// The product of (v + k)(v + 1 - k) / k for k from 1 to m: Gamma(v + m + 1) / Gamma(v - m + 1) / m!; `divided` leaves
// the gamma functions away.
GNP_COLD Scaled<f64> degree_product(f64 v, i64 m, bool gammas, bool divided)
{
    Scaled<f64> product = {1.0, 0};
#pragma unroll 1
    for (i64 k = 1; k <= m; k++) {
        if (gammas) product.value *= (v + k) * (v + 1 - k);
        if (divided) product.value /= k;
        product = rescaled(product);
    }
    return product;
}

// Two neighbours of a recurrence times 2^-exponent.
struct LegendrePair {
    f64 value, next;
    int exponent;
};

GNP_FN void keep_in_range(LegendrePair &p)
{
    const f64 size = fmax(fabs(p.value), fabs(p.next));
    const int shift = size > 0x1p400 ? 400 : size < 0x1p-400 ? -400 : 0;
    if (shift && size < INFINITY_F64) p = {ldexp(p.value, -shift), ldexp(p.next, -shift), p.exponent + shift};
}

// From degrees start and start + 1 of order -m to start + steps and the one above.
GNP_COLD LegendrePair upwards_in_degree(LegendrePair p, f64 start, i64 steps, f64 m, f64 x)
{
#pragma unroll 1
    for (i64 k = 1; k <= steps; k++) {
        const f64 u = start + k, above = ((2 * u + 1) * x * p.next - (u - m) * p.value) / (u + m + 1);
        p.value = p.next;
        p.next = above;
        keep_in_range(p);
    }
    return p;
}

GNP_COLD f64 lpmv_right(i64 order, f64 v, f64 start, f64 x)
{
    const i64 m = order < 0 ? -order : order;
    const f64 z = 0.5 * (1 - x);
    LegendrePair p = {legendre_sum(start, (f64)m, z), legendre_sum(start + 1, (f64)m, z), 0};
    p = upwards_in_degree(p, start, (i64)rint(v - start), (f64)m, x);
    Scaled<f64> scale = degree_product(v, m, order > 0, true);
    const Scaled<f64> power = scaled_power(sqrt((1 - x) / (1 + x)), m);
    if (order > 0 && (m & 1)) scale.value = -scale.value;
    return times_two_to(scale.value * power.value * p.value, scale.exponent + power.exponent + p.exponent);
}

GNP_COLD f64 lpmv_left(i64 order, f64 v, f64 start, f64 x)
{
    const i64 m = order < 0 ? -order : order;
    const f64 t = 0.5 * (1 + x), w = sqrt((1 - x) * (1 + x));
    LegendrePair p = {legendre_logarithmic(start, t), legendre_logarithmic(start + 1, t), 0};
    p = upwards_in_degree(p, start, (i64)rint(v - start), 0, x);
    if (m == 0) return times_two_to(p.value, p.exponent);
    p.next = -(v + 1) * (x * p.value - p.next) / w;
#pragma unroll 1
    for (i64 k = 0; k + 1 < m; k++) {
        const f64 above = -2 * (k + 1) * x / w * p.next - (v - k) * (v + k + 1) * p.value;
        p.value = p.next;
        p.next = above;
        keep_in_range(p);
    }
    if (order > 0) return times_two_to(p.next, p.exponent);
    const Scaled<f64> scale = degree_product(v, m, true, false);
    return times_two_to((m & 1 ? -p.next : p.next) / scale.value, p.exponent - scale.exponent);
}

// Degrees n and orders up to LEGENDRE_SHORT on [-1, 1] by the recurrence of (n - |m|)! Q: nothing leaves the range of
// f64, and one division is enough.
enum { LEGENDRE_SHORT = 32 };
GNP_COLD f64 lpmv_short(int n, int order, f64 x)
{
    const int m = abs(order);
    const f64 square = (1 - x) * (1 + x), last = 2.0 * m - 1;
    f64 power = m & 1 ? sqrt(square) : 1.0, value = 1, before = 0, under = 1, k = 1;
#pragma unroll 1
    for (int i = 0; i < m; i++) {
        power *= i & 1 ? square : 1.0;
        value *= fma(2.0, (f64)i, 1.0);
    }
#pragma unroll 1
    for (int i = m; i < n; i++) {
        const f64 next = fma(fma(2.0, k, last) * x, value, -((last + k) * (k - 1) * before));
        before = value;
        value = next;
        under *= k;
        k += 1;
    }
#pragma unroll 1
    for (int i = order; i < m; i++) { // (n + |m|)! of orders below zero
        under *= k;
        k += 1;
    }
    const f64 p = value * power / under;
    return order > 0 && (m & 1) ? -p : p;
}

// For v >= -1/2.
GNP_COLD f64 lpmv_general(f64 m, f64 v, f64 x)
{
    if (v > MOST_LEGENDRE_STEPS || fabs(m) > MOST_LEGENDRE_STEPS) return NAN_F64;
    const f64 whole = floor(v);
    if (m > v && fabs(x) > 1) return NAN_F64;
    if (whole == v) return -m > v ? NAN_F64 : assoc_legendre_p((i64)v, (i64)m, x, 0);
    if (fabs(x) > 1) return NAN_F64;
    if (x == 1) return m == 0 ? 1.0 : 0.0;
    if (x == -1) return m == 0 ? -INFINITY_F64 : INFINITY_F64;
    const f64 start = v < 0 ? v : v - whole;
    return x < 0 ? lpmv_left((i64)m, v, start, x) : lpmv_right((i64)m, v, start, x);
}

GNP_FN f64 lpmv(f64 m, f64 v, f64 x)
{
    if (x != x || v != v || !is_integer(m)) return NAN_F64;
    v = v < -0.5 ? -1 - v : v;
    const bool is_short = v <= LEGENDRE_SHORT && fabs(m) <= v && fabs(x) <= 1 && rint(v) == v;
    return is_short ? lpmv_short((int)v, (int)m, x) : lpmv_general(m, v, x);
}
}

#endif
