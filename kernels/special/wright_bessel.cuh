// wright_bessel.cuh: Wright's function, the sum over k of x^k / (k! Gamma(a k + b)), DLMF 10.46.1, for a, b, x >= 0, where all
// terms are positive. They are added from the largest on, up and down, each from logarithms in two parts.
#ifndef GNP_SPECIAL_WRIGHT_BESSEL_CUH
#define GNP_SPECIAL_WRIGHT_BESSEL_CUH

#include "special/gamma.cuh"

namespace special {

enum { MAX_WRIGHT_STEPS = 20000 };

// ln Gamma(x) for x > 0.
GNP_COLD Pair gammaln_pair(f64 x)
{
    return x >= 8 ? gamma_exponent_called(x) : log_pair_called(gamma_positive_called(x));
}

GNP_COLD Pair difference(Pair a, Pair b)
{
    f64 error, sum = two_sum(a.high, -b.high, error);
    Pair y;
    y.high = fast_two_sum(sum, error + (a.low - b.low), y.low);
    return y;
}

struct WrightTerms {
    f64 a, b;
    Pair log_x;

    // The logarithm of term k.
    __device__ __noinline__ Pair operator()(f64 k) const
    {
        Pair power;
        power.high = __dmul_rn(k, log_x.high);
        power.low = fma(k, log_x.high, -power.high) + k * log_x.low;
        return difference(difference(power, gammaln_pair(k + 1)), gammaln_pair(fma(a, k, b)));
    }
};

// The k of the largest term, about: where x = k (a k + b)^a.
GNP_COLD f64 wright_mode(f64 a, f64 b, f64 log_x)
{
    f64 low = -1, high = 700; // of log k
#pragma unroll 1
    for (int i = 0; i < 48; i++) {
        f64 middle = 0.5 * (low + high);
        bool above = middle + a * ::log(fma(a, ::exp(middle), b)) > log_x;
        low = above ? low : middle;
        high = above ? middle : high;
    }
    return low < 0.5 ? 0.0 : floor(::exp(low));
}

// The sum is exp(top.high + top.low) times the result: `top` is its largest term, about.
GNP_COLD f64 wright_sum(f64 a, f64 b, f64 x, Pair &top)
{
    WrightTerms terms = {a, b, log_pair_called(x)};
    f64 mode = wright_mode(a, b, terms.log_x.high);
    mode = mode == 0 && b == 0 ? 1.0 : mode; // the first term is 0 then
    top = terms(mode);
    f64 sum = 1;
#pragma unroll 1
    for (int direction = -1; direction <= 1; direction += 2) {
#pragma unroll 1
        for (int i = 1; i < MAX_WRIGHT_STEPS; i++) {
            f64 k = mode + direction * i;
            if (k < 0 || (k == 0 && b == 0)) break;
            Pair distance = difference(terms(k), top);
            f64 term = ::exp(distance.high + distance.low);
            sum += term;
            if (!(term > 0.25 * EPSILON_F64 * sum)) break;
        }
    }
    return sum;
}

// Inside of the domain and finite but for x; the rest is NaN.
GNP_FN bool wright_is_outside(f64 a, f64 b, f64 x)
{
    return !(a >= 0 && b >= 0 && x >= 0) || a == INFINITY_F64 || b == INFINITY_F64;
}

GNP_FN f64 wright_bessel(f64 a, f64 b, f64 x)
{
    if (wright_is_outside(a, b, x)) return NAN_F64;
    if (x == INFINITY_F64) return x;
    if ((a == 0 || x == 0) && b == 0) return 0;
    Pair top, exponent = {x, 0};
    f64 sum = 1;
    if (a == 0 || x == 0) {
        top = difference(exponent, gammaln_pair(b));
    }
    else {
        sum = wright_sum(a, b, x, top);
    }
    // The factors may leave the range where the product does not.
    f64 half = ::exp(0.5 * top.high);
    return half < INFINITY_F64 ? half * (sum * fma(half, top.low, half)) : half;
}

GNP_FN f64 log_wright_bessel(f64 a, f64 b, f64 x)
{
    if (wright_is_outside(a, b, x)) return NAN_F64;
    if (x == INFINITY_F64) return x;
    if ((a == 0 || x == 0) && b == 0) return -INFINITY_F64;
    if (a == 0 || x == 0) return x - gammaln_called(b);
    Pair top;
    f64 sum = wright_sum(a, b, x, top);
    return top.high + (log_called(sum) + top.low);
}
}

#endif
