// Tricomi's function U(a, b, x) for x > 0: the expansion for large x (DLMF 13.7.3); else the integral 13.4.4 by the
// trapezoid rule in log t, which is positive and cancels nothing, for a >= 2, and the recurrence 13.3.7 downwards in a,
// which is stable; polynomials upwards from degree 0. U(a, b, x) = x^(1 - b) U(a - b + 1, 2 - b, x) (13.2.40) for b > 1.
#ifndef GNP_SPECIAL_HYPERU_CUH
#define GNP_SPECIAL_HYPERU_CUH

#include "special/confluent.cuh"

namespace special {

// U = value * e^exponent
struct ScaledU {
    f64 value, above; // at a and a + 1
    f64 exponent;
};

// The logarithm of the integrand e^(-x t) t^a (1 + t)^(b - a - 1), t = e^u, and its maximum in u.
GNP_FN f64 tricomi_exponent(f64 a, f64 b, f64 x, f64 t, f64 u) { return a * u + (b - a - 1) * ::log1p(t) - x * t; }
GNP_FN f64 tricomi_peak(f64 a, f64 b, f64 x) // of a (1 + t) + (b - a - 1) t - x t (1 + t) = 0
{
    f64 p = x - b + 1, root = sqrt(p * p + 4 * a * x);
    return p > 0 ? 2 * a / (p + root) : (root - p) / (2 * x);
}

GNP_COLD void tricomi_integral(f64 a, f64 b, f64 x, ScaledU &y)
{
    f64 peak = tricomi_peak(a, b, x), middle = log_of(peak), most = tricomi_exponent(a, b, x, peak, middle);
    f64 sum = 0, other = 0, gap = 1 / (6 + 0.7 * sqrt(a + fabs(b)));
#pragma unroll 1
    for (int side = -1; side < 2; side += 2) {
#pragma unroll 1
        for (int k = side > 0; k < 20000; k++) {
            f64 u = middle + side * k * gap, t = short_exp(u), d = tricomi_exponent(a, b, x, t, u) - most;
            if (d < -745 || (d < -42 && k > 4)) break;
            f64 term = short_exp(d);
            sum += term;
            other += term * (t / (1 + t)); // the integrand at a + 1
        }
    }
    // 1/Gamma(a) and 1/Gamma(a + 1) = 1/(a Gamma(a))
    y.value = sum * gap;
    y.above = other * gap / a;
    const GammaParts g = gamma_parts(a);
    y.exponent = most - g.exponent - log_of(g.factor);
}

// Down from start to a by whole steps.
GNP_COLD void tricomi_downwards(f64 start, f64 a, f64 b, f64 x, ScaledU &y)
{
#pragma unroll 1
    for (f64 steps = rint(start - a), at; steps > 0; steps--) {
        at = a + steps;
        f64 next = (2 * at - b + x) * y.value - at * (at - b + 1) * y.above;
        y.above = y.value;
        y.value = next;
        if (fabs(next) > 1e150) {
            y.value *= 1e-150;
            y.above *= 1e-150;
            y.exponent += 345.387763949106833;
        }
    }
}

GNP_COLD void tricomi(f64 a, f64 b, f64 x, ScaledU &y)
{
    if (ends_series(a)) {
        y = ScaledU{1, 0, 0};
        tricomi_downwards(0, a, b, x, y);
        return;
    }
    f64 start = a < 2 ? a + ceil(2 - a) : a;
    tricomi_integral(start, b, x, y);
    tricomi_downwards(start, a, b, x, y);
}

// From b - steps up to b, 13.3.14: U dominates.
GNP_COLD void tricomi_upwards(f64 a, f64 b, f64 x, f64 steps, ScaledU &y)
{
    ScaledU next;
    f64 at = b - steps;
    tricomi(a, at, x, y);
    tricomi(a, at + 1, x, next);
    f64 before = y.value * short_exp(y.exponent - next.exponent), value = next.value;
    y.exponent = next.exponent;
#pragma unroll 1
    for (f64 k = 1; k < steps; k++) {
        f64 now = at + k, above = ((now - 1 + x) * value - (now - a - 1) * before) / x;
        before = value;
        value = above;
        if (fabs(value) > 1e150) {
            value *= 1e-150;
            before *= 1e-150;
            y.exponent += 345.387763949106833;
        }
    }
    y.value = value;
}

// The same for a > 0 from b in [0, 1), by U(a, b) = U(a, b - 1) + a U(a + 1, b) and 13.3.10: nothing cancels.
GNP_COLD void tricomi_upwards_positive(f64 a, f64 b, f64 x, f64 steps, ScaledU &y)
{
    ScaledU other;
    f64 at = b - steps + 1;
    tricomi(a, at - 1, x, y);
    tricomi(a + 1, at, x, other);
    f64 above = other.value, value = y.value * short_exp(y.exponent - other.exponent) + a * above;
    y.exponent = other.exponent;
#pragma unroll 1
    for (f64 k = 1; k < steps; k++, at += 1) {
        above = ((at - a - 1) * above + value) / x;
        value += a * above;
        if (fabs(above) > 1e150) {
            value *= 1e-150;
            above *= 1e-150;
            y.exponent += 345.387763949106833;
        }
    }
    y.value = value;
}

// x^power * value * e^exponent in halves.
GNP_COLD f64 tricomi_value(f64 value, f64 x, f64 power, f64 exponent)
{
    f64 half = raised(x, 0.5 * power) * short_exp(0.5 * exponent);
    return half * value * half;
}

// The limit at 0, 13.2.18 to 13.2.22 and 13.2.7.
GNP_FN f64 hyperu_at_0(f64 a, f64 b)
{
    if (b >= 1) return INFINITY_F64;
    f64 exponent, y = gamma_quotient(1 - b, a - b + 1, exponent);
    return y * short_exp(exponent);
}

// 13.2.42: both solutions at 0.
GNP_COLD void tricomi_near(f64 a, f64 b, f64 x, Summed<f64> &y)
{
    Pair other = pair_sum(pair_difference(a, b), pair(1));
    Summed<f64> first = {NAN_F64, INFINITY_F64}, second = first;
    f64 e1, e2, one = gamma_quotient(1 - b, other.high, e1), two = gamma_quotient(b - 1, a, e2);
    confluent_near<f64>(pair(a), b, x, false, first);
    confluent_near<f64>(other, 2 - b, x, false, second);
    first.value *= one * short_exp(e1);
    second.value = tricomi_value(second.value, x, 1 - b, e2) * two;
    y.value = first.value + second.value;
    f64 fault = fabs(first.value) * (first.error + 1e-15) + fabs(second.value) * (second.error + 1e-15);
    y.error = fault / fabs(y.value);
    if (is_delicate(other) || y.error != y.error) y.error = INFINITY_F64;
}

GNP_COLD f64 hyperu_positive(f64 a, f64 b, f64 x)
{
    Summed<f64> far;
    Pair other = pair_sum(pair_difference(a, b), pair(1));
    bool whole = ends_series(a), also = other.low == 0 && ends_series(other.high);
    sum_asymptotic<f64>(pair(a), other, -1 / x, far);
    if (far.error < 1e-15 && !ends_series(a)) return tricomi_value(far.value, x, -a, 0);
    if (a < -MAX_DEGREE) return NAN_F64;
    if (a < 2 && !whole && !also && x < 40 && floor(b) != b) {
        Summed<f64> near;
        tricomi_near(a, b, x, near);
        if (near.error < 1e-13) return near.value;
    }
    ScaledU y;
    f64 power = 0;
    // the form that ends, or that with fewer steps; of what does not end the one with b >= 1
    bool turned = whole == also ? (whole ? other.high > a : b < 1 && a < 0) : also;
    if (turned) {
        power = 1 - b;
        a = other.high;
        b = 2 - b;
    }
    f64 steps = ends_series(a) || a >= 2 ? 0 : fmax(floor(a > 0 ? b : b - 1), 0.0);
    if (steps > MAX_DEGREE) return NAN_F64;
    if (a > 0 && steps > 0) {
        tricomi_upwards_positive(a, b, x, steps, y);
        return tricomi_value(y.value, x, power, y.exponent);
    }
    if (steps > 1) {
        tricomi_upwards(a, b, x, steps, y);
        return tricomi_value(y.value, x, power, y.exponent);
    }
    tricomi(a, b, x, y);
    return tricomi_value(y.value, x, power, y.exponent);
}

GNP_FN f64 hyperu(f64 a, f64 b, f64 x)
{
    if (!(x >= 0) || a != a || b != b || fabs(a) == INFINITY_F64 || fabs(b) == INFINITY_F64) return NAN_F64;
    if (x == 0) return hyperu_at_0(a, b);
    if (a == 0) return 1;
    if (x == INFINITY_F64) return a > 0 ? 0.0 : INFINITY_F64;
    return hyperu_positive(a, b, x);
}
}

#endif
