// Gauss's function F(a, b; c; z) of real parameters.
//
// The power series within |z| < 0.9, at z or at z/(z - 1) (DLMF 15.8.1). Elsewhere the two solutions at 1 (15.10.12,
// 15.10.14), whose coefficients follow from values and slopes of all three at 1/2, in pairs of numbers: no gamma
// functions, and no loss of digits until c - a - b comes close to a whole number. There the coefficients have poles that
// cancel; F is interpolated in c between four neighbours, with the power of 1 - z taken out.
#ifndef GNP_SPECIAL_GAUSS_CUH
#define GNP_SPECIAL_GAUSS_CUH

#include "special/hypergeometric.cuh"

namespace special {

const f64 GAUSS_NEAR = 0.9, GAUSS_STEP = 0x1p-16;

struct GaussParameters {
    Pair a, b, c;
};
// F = one(x) + two(x) ((2 x)^difference - 1)/offset, x = 1 - z, where `offset` is what `difference` = c - a - b
// differs from the whole number `whole` by; one(x) = first F1 + second (2 x)^whole F2.
struct Connection {
    Pair first, second, offset;
    f64 whole;
    f64 error;
};

GNP_FN GaussParameters gauss_at_one(const GaussParameters &p) // of the first solution, in 1 - z
{
    Pair c = pair_sum_called(pair_sum_called(p.a, p.b), pair_sum_called(pair_negative(p.c), pair(1)));
    return GaussParameters{p.a, p.b, c};
}
GNP_FN GaussParameters gauss_at_one_second(const GaussParameters &p)
{
    Pair minus_a = pair_negative(p.a), minus_b = pair_negative(p.b);
    Pair ca = pair_sum_called(p.c, minus_a), cb = pair_sum_called(p.c, minus_b);
    return GaussParameters{ca, cb, pair_sum_called(pair_sum_called(ca, minus_b), pair(1))};
}

template <class V> GNP_COLD void gauss_wide(const GaussParameters &p, V z, typename WideOf<V>::type &y, f64 &error)
{
    Series s = {p.a, p.b, p.c, 2};
    sum_wide<V>(s, z, y, error);
}

// The series in f64, or in pairs where that cancels.
template <class V> GNP_COLD void gauss_series(const GaussParameters &p, V z, Summed<V> &y)
{
    Series s = {p.a, p.b, p.c, 2};
    sum_plain<V>(s, z, y);
    if (y.error > GOOD) {
        typename WideOf<V>::type sum;
        f64 error;
        sum_wide<V>(s, z, sum, error);
        if (error < y.error) {
            y.value = narrowed(sum);
            y.error = error + EPSILON_F64;
        }
    }
}

// Value and slope at 1/2; the error is relative to the larger one, as either may be 0.
GNP_COLD void gauss_middle(const GaussParameters &p, Pair &value, Pair &slope, f64 &error)
{
    f64 own, other = 0;
    gauss_wide<f64>(p, 0.5, value, own);
    own = value.high == 0 ? 0.0 : own * fabs(value.high);
    Pair one = pair(1), factor = pair_quotient(pair_product_called(p.a, p.b), p.c);
    slope = pair(0);
    if (factor.high != 0) {
        GaussParameters next = {pair_sum_called(p.a, one), pair_sum_called(p.b, one), pair_sum_called(p.c, one)};
        gauss_wide<f64>(next, 0.5, slope, other);
        slope = pair_product_called(slope, factor);
        other = slope.high == 0 ? 0.0 : other * fabs(slope.high);
    }
    error = fmax(error, fmax(own, other) / fmax(fabs(value.high), fabs(slope.high)));
}

// The coefficients of both solutions at 1.
GNP_COLD void gauss_connect(const GaussParameters &p, Connection &y)
{
    Pair f, df, g, dg, h, dh;
    y.error = 0;
    GaussParameters first = gauss_at_one(p), second = gauss_at_one_second(p);
    Pair difference = pair_sum_called(second.c, pair(-1));
    gauss_middle(p, f, df, y.error);
    gauss_middle(first, g, dg, y.error);
    gauss_middle(second, h, dh, y.error);
    dg = pair_negative(dg);
    dh = pair_negative(pair_sum_called(dh, pair_product_called(pair_product_called(difference, pair(2)), h)));
    Pair left = pair_product_called(g, dh), right = pair_product_called(h, dg);
    Pair wronskian = pair_sum_called(left, pair_negative(right));
    Pair fh = pair_product_called(f, dh), hf = pair_product_called(h, df), gf = pair_product_called(g, df), fg = pair_product_called(f, dg);
    Pair one = pair_sum_called(fh, pair_negative(hf)), two = pair_sum_called(gf, pair_negative(fg));
    y.first = pair_quotient(one, wronskian);
    y.second = pair_quotient(two, wronskian);
    // what cancels above; the larger product over the part that matters
    f64 scale = fmax(fabs(y.first.high * g.high), fabs(y.second.high * h.high));
    f64 noise = 0x1p-100 + y.error;
    f64 lost = (fabs(fh.high * g.high) + fabs(hf.high * g.high) + fabs(gf.high * h.high) + fabs(fg.high * h.high)) * noise;
    y.error = lost / fabs(wronskian.high) / scale;
    y.whole = rint(difference.high);
    y.offset = pair_sum_called(difference, pair(-y.whole));
}

// x^whole by repeated squares.
template <class V> GNP_COLD typename WideOf<V>::type wide_power(V x, f64 whole)
{
    typename WideOf<V>::type y = widened(V(1.0)), base = widened(x);
    f64 left = fabs(whole);
#pragma unroll 1
    while (left > 0) {
        f64 half = floor(0.5 * left);
        if (half + half != left) y = wide_product(y, base);
        base = wide_product(base, base);
        left = half;
    }
    return whole < 0 ? wide_inverse(y) : y;
}

// one(x) and two(x) for parameters whose difference is not whole, and the first solution's part of one(x).
template <class V>
GNP_COLD void gauss_parts(const GaussParameters &p, V x, V &lead, V &one, V &two, f64 &error)
{
    typename WideOf<V>::type first, second;
    Connection y;
    gauss_connect(p, y);
    error = y.error;
    f64 own;
    gauss_wide<V>(gauss_at_one(p), x, first, own);
    f64 noise = own * extent(narrowed(first)) * fabs(y.first.high);
    gauss_wide<V>(gauss_at_one_second(p), x, second, own);
    second = wide_product(second, wide_power<V>(scaled(x, 2), y.whole));
    noise += (own + 0x1p-96) * extent(narrowed(second)) * fabs(y.second.high);
    first = wide_scaled(first, y.first);
    second = wide_scaled(second, y.second);
    noise += y.error * fmax(extent(narrowed(first)), extent(narrowed(second)));
    lead = narrowed(first);
    one = narrowed(wide_sum(first, second));
    two = narrowed(wide_scaled(second, y.offset));
    error = noise / extent(one);
}

// F near z = 1, from x = 1 - z.
template <class V> GNP_COLD void gauss_far(const GaussParameters &p, V x, Summed<V> &y)
{
    Pair difference = pair_sum_called(p.c, pair_negative(pair_sum_called(p.a, p.b)));
    f64 whole = rint(difference.high), error;
    f64 offset = pair_sum_called(difference, pair(-whole)).high;
    V log_x = logarithm(scaled(x, 2)), lead, one = V(0.0), two = V(0.0);
    y.error = 0;
    if (fabs(offset) >= GAUSS_STEP) {
        gauss_parts<V>(p, x, lead, one, two, y.error);
        V power = scaled(log_x, offset), factor = scaled(two, 1 / offset);
        y.value = extent(power) < 1 ? one + factor * exponential_less_one(power) : lead + factor * exponential(power);
        return;
    }
    f64 t = offset / GAUSS_STEP;
#pragma unroll 1
    for (int k = 0; k < 4; k++) { // nodes -2, -1, 1, 2
        f64 node = k < 2 ? k - 2 : k - 1;
        GaussParameters near = p;
        near.c = pair_sum_called(pair_sum_called(p.c, pair(-offset)), pair(node * GAUSS_STEP));
        V part_one, part_two;
        gauss_parts<V>(near, x, lead, part_one, part_two, error);
        f64 weight = 1;
#pragma unroll 1
        for (int j = 0; j < 4; j++) {
            f64 other = j < 2 ? j - 2 : j - 1;
            if (j != k) weight *= (t - other) / (node - other);
        }
        one = one + scaled(part_one, weight);
        two = two + scaled(part_two, weight);
        y.error = fmax(y.error, error);
    }
    V factor = offset == 0 ? log_x : scaled(exponential_less_one(scaled(log_x, offset)), 1 / offset);
    y.value = one + two * factor;
}

GNP_FN Pair pair_less(Pair a, Pair b) { return pair_sum_called(a, pair_negative(b)); }
GNP_FN bool ends_series(Pair a) { return a.low == 0 && ends_series(a.high); }
GNP_FN bool gauss_ends(const GaussParameters &p) { return ends_series(p.a) || ends_series(p.b); }

// F in one of four forms (15.8.1): 0 in z, 1 turned, F(c - a, c - b; c; z) (1 - z)^(c - a - b), 2 and 3 in z/(z - 1),
// F(a, c - b; c; z/(z - 1)) (1 - z)^-a and the same with a and b exchanged. An error of infinity where the form is none.
template <class V> GNP_COLD void gauss_form(const GaussParameters &p, V z, int form, Summed<V> &y)
{
    GaussParameters q = p;
    f64 power = 0;
    y.error = INFINITY_F64;
    y.value = V(NAN_F64);
    if (form > 1) {
        if (form == 3) q.a = p.b, q.b = p.a;
        q.b = pair_less(p.c, q.b);
        power = -q.a.high;
    }
    else if (form == 1) {
        q.a = pair_less(p.c, p.a), q.b = pair_less(p.c, p.b);
        power = pair_less(q.a, p.b).high;
    }
    if (gauss_ends(p) && (form == 1 || !(ends_series(q.a) || form == 0))) return;
    V x = one_less(z), at = form > 1 ? scaled(z / x, -1) : z, rest = form > 1 ? V(1.0) / x : x;
    if (extent(at) <= GAUSS_NEAR || gauss_ends(q)) {
        gauss_series<V>(q, at, y);
    }
    else if (extent(rest) <= GAUSS_NEAR) {
        gauss_far<V>(q, rest, y);
    }
    if (power == 0) return;
    V half = raised(x, 0.5 * power); // in halves: the product may be in range
    y.value = half * y.value * half;
}

// A polynomial in 1 - z, of whose terms none cancel near z = 1 (15.8.7). An error of infinity where the form is none.
template <class V> GNP_COLD void gauss_reflected(const GaussParameters &p, V z, Summed<V> &y)
{
    y.error = INFINITY_F64;
    y.value = V(NAN_F64);
    bool swapped = ends_series(p.a) && !(ends_series(p.b) && p.b.high > p.a.high);
    f64 degree = -(swapped ? p.a : p.b).high, factor = 1;
    Pair less = pair_less(p.c, swapped ? p.b : p.a);
    if (ends_series(p.c) || ends_series(less) || degree > MAX_TERMS) return;
    gauss_series<V>(gauss_at_one(p), one_less(z), y);
#pragma unroll 1
    for (f64 k = 0; k < degree; k++) factor *= (less.high + k + less.low) / (p.c.high + k);
    y.value = scaled(y.value, factor);
    y.error += EPSILON_F64 * sqrt(degree);
}

// The forms until one has its digits, first the likely one.
template <class V> GNP_COLD void gauss_best(const GaussParameters &p, V z, Summed<V> &best)
{
    int likely = real_part(z) < -0.5 || extent(z) > 1 ? (p.a.high > p.b.high ? 3 : 2) : 0;
    bool turned = !gauss_ends(p) && (ends_series(pair_less(p.c, p.a)) || ends_series(pair_less(p.c, p.b)));
    int first = turned ? 1 : likely;
    best.error = INFINITY_F64;
    best.value = V(NAN_F64);
#pragma unroll 1
    for (int k = 0; k < 4 && !(best.error <= 1e-14); k++) {
        Summed<V> y;
        gauss_form<V>(p, z, first ^ k, y);
        keep_better(best, y);
    }
    if (best.error > 1e-14 && gauss_ends(p)) {
        Summed<V> y;
        gauss_reflected<V>(p, z, y);
        keep_better(best, y);
    }
}

// 15.4.20; beyond the sign of 15.4.21 and 15.4.23.
GNP_COLD f64 gauss_at_1(f64 a, f64 b, f64 c)
{
    f64 d = pair_sum_called(pair_difference(c, a), pair(-b)).high, e1, e2;
    if (d <= 0) return INFINITY_F64 * gamma_sign(c) * gamma_sign(0 - d) * gamma_sign(a) * gamma_sign(b);
    f64 one = gamma_quotient(c, c - a, e1), two = gamma_quotient(d, c - b, e2);
    return one * two * short_exp(e1 + e2);
}

GNP_FN bool gauss_is_pole(f64 a, f64 b, f64 c)
{
    return ends_series(c) && !(ends_series(a) && a >= c) && !(ends_series(b) && b >= c);
}

GNP_FN f64 hyp2f1(f64 a, f64 b, f64 c, f64 z)
{
    if (a == 0 || b == 0) return 1;
    if (a != a || b != b || c != c || z != z) return NAN_F64;
    if (z == 0) return 1;
    if (gauss_is_pole(a, b, c)) return INFINITY_F64;
    if (fmax(fabs(a), fabs(b)) == INFINITY_F64) return NAN_F64;
    if (fabs(c) == INFINITY_F64) return fabs(z) <= 1 ? 1.0 : NAN_F64;
    if (fabs(z) == INFINITY_F64) return z < 0 ? NAN_F64 : INFINITY_F64;
    if (a == c && !ends_series(c)) return z <= 1 || is_integer(b) ? raised(1 - z, -b) : INFINITY_F64;
    if (b == c && !ends_series(c)) return z <= 1 || is_integer(a) ? raised(1 - z, -a) : INFINITY_F64;
    GaussParameters p = {pair(a), pair(b), pair(c)};
    if (z == 1 && !gauss_ends(p)) return gauss_at_1(a, b, c);
    if (z > 1 && !gauss_ends(p)) {
        GaussParameters q = {pair_difference(c, a), pair_difference(c, b), p.c};
        if (!gauss_ends(q) || !is_integer(c - a - b)) return INFINITY_F64;
    }
    Summed<f64> y;
    gauss_best<f64>(p, z, y);
    return answer(y);
}
}

#endif
