// Arithmetic on pairs of f64 whose sum is meant, about 105 bits (Dekker 1971), and what sums that are written for real
// and complex numbers alike need of a real one.
#ifndef GNP_SPECIAL_WIDE_CUH
#define GNP_SPECIAL_WIDE_CUH

#include "special/log_pair.cuh"
#include "special/short_gamma.cuh"

namespace special {

GNP_FN Pair pair(f64 a) { return Pair{a, 0}; }
GNP_FN Pair pair_sum(Pair a, Pair b)
{
    f64 e, s = two_sum(a.high, b.high, e);
    Pair y;
    y.high = fast_two_sum(s, e + (a.low + b.low), y.low);
    return y;
}
GNP_FN Pair pair_difference(f64 a, f64 b)
{
    Pair y;
    y.high = two_sum(a, -b, y.low);
    return y;
}
GNP_FN Pair pair_negative(Pair a) { return Pair{-a.high, -a.low}; }
GNP_FN Pair pair_product(Pair a, Pair b)
{
    f64 p = __dmul_rn(a.high, b.high), e = fma(a.high, b.high, -p) + fma(a.high, b.low, a.low * b.high);
    Pair y;
    y.high = fast_two_sum(p, e, y.low);
    return y;
}
GNP_COLD Pair pair_sum_called(Pair a, Pair b) { return pair_sum(a, b); }
GNP_COLD Pair pair_product_called(Pair a, Pair b) { return pair_product(a, b); }
GNP_COLD Pair pair_quotient(Pair a, Pair b)
{
    f64 q = a.high / b.high;
    Pair rest = pair_sum(a, pair_negative(pair_product(b, pair(q)))), y;
    y.high = fast_two_sum(q, rest.high / b.high, y.low);
    return y;
}

typedef Pair WideReal;
GNP_FN WideReal widened(f64 z) { return pair(z); }
GNP_FN f64 narrowed(WideReal z) { return z.high; }
GNP_FN f64 real_part(f64 z) { return z; }
GNP_FN f64 extent(f64 z) { return fabs(z); }
GNP_FN f64 scaled(f64 z, f64 by) { return z * by; }
GNP_FN f64 scaled_down(f64 z, f64 by) { return z / by; }
GNP_FN WideReal wide_sum(WideReal a, WideReal b) { return pair_sum(a, b); }
GNP_FN WideReal wide_step(WideReal term, Pair by, f64 z) { return pair_product(pair_product(term, by), pair(z)); }
template <class V> struct WideOf;
template <> struct WideOf<f64> {
    typedef WideReal type;
};

GNP_FN WideReal wide_product(WideReal a, WideReal b) { return pair_product(a, b); }
GNP_FN WideReal wide_scaled(WideReal a, Pair by) { return pair_product(a, by); }
GNP_FN WideReal wide_inverse(WideReal a) { return pair_quotient(pair(1), a); }
GNP_FN f64 one_less(f64 z) { return 1 - z; }
GNP_FN f64 logarithm(f64 x) { return log_pair_called(x).high; }
// e^x - 1 for |x| <= 1
template <class V> GNP_COLD V exponential_less_one(V x)
{
    enum { N = sizeof(INVERSE_FACTORIALS) / sizeof(f64) };
    V sum = V(INVERSE_FACTORIALS[N - 1]);
#pragma unroll 1
    for (int i = N - 2; i > 0; i--) {
        sum = sum * x + V(INVERSE_FACTORIALS[i]);
    }
    return sum * x;
}
GNP_FN f64 exponential(f64 x) { return short_exp(x); }
}

#endif
