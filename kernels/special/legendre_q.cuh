// Legendre functions of the second kind Q of degree n and order m >= 0, with the derivative in the argument: cut beyond
// -1 and 1 within the unit circle (DLMF 14.3.12), and between them outside of it, without a factor e^(i pi m) (14.3.7).
// Within the circle Q grows as fast as P with the degree, and recurs upwards (14.10.3); outside it decays, and the ratios
// of neighbouring degrees recur downwards (3.10(iii)), unless so few degrees lie below that no digit is lost. Orders
// recur upwards (14.10.1, 14.10.6).
#ifndef GNP_SPECIAL_LEGENDRE_Q_CUH
#define GNP_SPECIAL_LEGENDRE_Q_CUH

#include "special/common.cuh"

namespace special {

GNP_FN f64 size_of_number(f64 z) { return fabs(z); }
GNP_FN f64 scaled(f64 s, f64 z) { return s * z; }
GNP_FN f64 square_less_one(f64 z) { return (z - 1) * (z + 1); }
GNP_COLD f64 root_of(f64 z) { return sqrt(z); }
GNP_FN f64 real_part(f64 z) { return z; }
GNP_COLD f64 first_within(f64 z) { return atanh(z); }
GNP_COLD f64 log_of_more(f64 z) { return log1p(z); }
GNP_COLD f64 over(f64 a, f64 b) { return a / b; }

// log((z + 1) / (z - 1)) / 2
template <class T> GNP_FN T first_beyond(T z)
{
    const f64 half = real_part(z) < 0 ? -0.5 : 0.5;
    return scaled(half, log_of_more(over(T(2.0), scaled(2 * half, z) - T(1.0))));
}

// Q of the degrees n - 1 and n, order 0.
template <class T> GNP_COLD void legendre_q_pair(i64 n, T z, bool inside, T &before, T &value)
{
    const T one = T(1.0);
    const f64 beyond = 0.5 * (size_of_number(one - z) + size_of_number(one + z)) - 1; // of the ellipse with z on it
    const f64 growth = log(1 + beyond + sqrt(fmax(beyond * (beyond + 2), 0.0)));
    before = T(0.0);
    value = inside ? first_within(z) : first_beyond(z);
    if (inside || n * growth < 0.5) {
#pragma unroll 1
        for (i64 k = 0; k < n; k++) {
            const T next = k == 0 ? z * value - one : scaled(1.0 / (k + 1), scaled(2.0 * k + 1, z * value) - scaled(k, before));
            before = value;
            value = next;
        }
        return;
    }
    const f64 more = 20 / growth + 4;
    T ratio = T(0.0), product = value;
    before = value;
    if (!(n + more < MAX_DEGREE)) product = before = T(NAN_F64);
    // Downwards to degree 1, ratios of Q(k) and Q(k - 1); their product is taken in the same order.
    T all = one, last = one;
#pragma unroll 1
    for (i64 k = n + (i64)fmin(more, (f64)MAX_DEGREE); k > 0; k--) {
        ratio = over(T((f64)k), scaled(2.0 * k + 1, z) - scaled(k + 1.0, ratio));
        if (k == n) last = ratio;
        else if (k < n) all = all * ratio;
    }
    before = product * all;
    value = before * last;
}

template <class T> GNP_COLD void legendre_q(i64 m, i64 n, T z, bool inside, T &value, T &slope)
{
    value = slope = T(NAN_F64);
    if (m < 0 || n < 0 || n > MAX_DEGREE || m > MAX_DEGREE || z != z) return;
    const T one = T(1.0), square = square_less_one(z);
    T before, now;
    legendre_q_pair(n, z, inside, before, now);
    // The order recurs as t(m) = (-w)^m or w^m times the derivative of order m, w^2 = 1 - z^2 or z^2 - 1.
    const T w = root_of(inside ? scaled(-1.0, square) : square), turn = over(z, w);
    const T first = over(n == 0 ? T(-1.0) : scaled((f64)n, z * now - before), square);
    if (m == 0) {
        value = now;
        slope = first;
        return;
    }
    const f64 side = inside ? -1.0 : 1.0;
    T t = now, next = scaled(side, w * first);
#pragma unroll 1
    for (i64 k = 1; k <= m; k++) {
        const T after = scaled(-2.0 * k, turn * next) + scaled(side * ((f64)(n + k) * (f64)(n - k + 1)), t);
        t = next;
        next = after;
    }
    value = t;
    slope = scaled(side, over(scaled((f64)m, turn * t) + next, w));
}

GNP_FN void legendre_q(i64 m, i64 n, f64 z, f64 &value, f64 &slope)
{
    const f64 size = fabs(z);
    if (size == 1) { // both limits from within
        value = (z > 0 ? m : n + 1) & 1 ? -INFINITY_F64 : INFINITY_F64;
        slope = (z > 0 ? m : n) & 1 ? -INFINITY_F64 : INFINITY_F64;
    }
    else if (size == INFINITY_F64) value = slope = 0;
    else legendre_q(m, n, z, size < 1, value, slope);
}
}

#endif
