// Sums of hypergeometric series, in f64 and in pairs of f64 (Dekker 1971), each with an estimate of its error: what
// cancels is found out, not foreseen. After Pearson, Olver and Porter (2017), "Numerical methods for the computation
// of the confluent and Gauss hypergeometric functions".
#ifndef GNP_SPECIAL_HYPERGEOMETRIC_CUH
#define GNP_SPECIAL_HYPERGEOMETRIC_CUH

#include "special/short_gamma.cuh"
#include "special/wide.cuh"

namespace special {

enum { MAX_TERMS = 3000 };
const f64 GOOD = 0x1p-48, WORTHLESS = 1e-3; // relative errors: to be content with, to answer NaN for

template <class V> struct Summed {
    V value;
    f64 error; // relative, an estimate
};

GNP_FN bool ends_series(f64 a) { return a <= 0 && floor(a) == a; }

// (a)_k (b)_k / ((c)_k k!) z^k with `upper` parameters of a and b.
struct Series {
    Pair a, b, c;
    int upper;
};

// Whether the rounding of a parameter, here its low part, matters as much as its distance from a pole or zero.
GNP_FN bool is_delicate(Pair a) { return a.low != 0 && a.high < 0.5 && fabs(a.high - rint(a.high)) < 1e-3; }
GNP_FN bool is_delicate(const Series &s)
{
    return is_delicate(s.c) || (s.upper > 0 && is_delicate(s.a)) || (s.upper > 1 && is_delicate(s.b));
}

// The number of terms after which no factor changes its sign.
GNP_FN f64 settled_after(const Series &s)
{
    f64 least = s.c.high;
    if (s.upper > 0) least = fmin(least, s.a.high);
    if (s.upper > 1) least = fmin(least, s.b.high);
    return -least;
}

// Whether a rest like that of a geometric series is below rounding.
GNP_FN bool is_rest_small(f64 term, f64 before, f64 sum, f64 unit)
{
    return term == 0 || (term < before && term * (before / (before - term)) <= unit * sum);
}

template <class V> GNP_COLD void sum_plain(const Series &s, V z, Summed<V> &y)
{
    V term = V(1.0), sum = V(1.0);
    f64 largest = 1, before = 1, settled = settled_after(s);
    y.error = INFINITY_F64;
    if (is_delicate(s)) return;
#pragma unroll 1
    for (int k = 0; k < MAX_TERMS; k++) {
        f64 by = 1;
        if (s.upper > 0) by *= s.a.high + k;
        if (s.upper > 1) by *= s.b.high + k;
        if (by != 0) by /= (s.c.high + k) * (k + 1); // c may be a pole where the series has ended
        term = term * scaled(z, by);
        sum = sum + term;
        f64 size = extent(term);
        largest = fmax(largest, size);
        if (size == 0 || (k >= settled && is_rest_small(size, before, extent(sum), 0x1p-55))) {
            y.error = EPSILON_F64 * (2 + 0.125 * k) * largest / extent(sum);
            break;
        }
        before = size;
    }
    y.value = sum;
    if (y.error != y.error) y.error = INFINITY_F64;
}

template <class V> GNP_COLD void sum_wide(const Series &s, V z, typename WideOf<V>::type &sum, f64 &error)
{
    typename WideOf<V>::type term = widened(V(1.0));
    sum = term;
    f64 largest = 1, before = 1, settled = settled_after(s);
    error = INFINITY_F64;
#pragma unroll 1
    for (int k = 0; k < MAX_TERMS; k++) {
        Pair at = pair(k), by = pair(1);
        if (s.upper > 0) by = pair_sum(s.a, at);
        if (s.upper > 1) by = pair_product(by, pair_sum(s.b, at));
        if (by.high != 0) by = pair_quotient(by, pair_product(pair_sum(s.c, at), pair(k + 1)));
        term = wide_step(term, by, z);
        sum = wide_sum(sum, term);
        f64 size = extent(narrowed(term));
        largest = fmax(largest, size);
        if (size == 0 || (k >= settled && is_rest_small(size, before, extent(narrowed(sum)), 0x1p-107))) {
            f64 whole = extent(narrowed(sum));
            error = whole == 0 ? 0 : 0x1p-101 * (2 + k) * largest / whole; // 0: a zero of a polynomial
            break;
        }
        before = size;
    }
    if (error != error) error = INFINITY_F64;
}

// The better of two.
template <class V> GNP_FN void keep_better(Summed<V> &best, Summed<V> other)
{
    if (other.error < best.error || best.error != best.error) best = other;
}

template <class V> GNP_FN V answer(Summed<V> y) { return y.error < WORTHLESS ? y.value : V(NAN_F64); }
}

#endif
