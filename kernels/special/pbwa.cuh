// The parabolic cylinder function W(a, x) and its derivative: the even and the odd solution by their power series
// (DLMF 12.14.8 to 12.14.12) in pairs of numbers, times the values at 0 (12.14.2, 12.14.3). NaN for |x| > 12.
#ifndef GNP_SPECIAL_PBWA_CUH
#define GNP_SPECIAL_PBWA_CUH

#include "special/gamma_complex.cuh"
#include "special/hypergeometric.cuh"

namespace special {

// c_0 + c_2 x^2 ... or x (c_1 + c_3 x^2 ...) with (n + 2)(n + 1) c_{n+2} = a c_n - c_{n-2}/4, and the derivative.
GNP_COLD void cylinder_w_solution(f64 a, f64 x, bool odd, f64 &y, f64 &dy)
{
    Pair square = pair_product(pair(x), pair(x)), by_a = pair_product(square, pair(a));
    Pair by_four = pair_product(pair_product(square, square), pair(-0.25));
    Pair term = pair(1), before = pair(0), sum = pair(1), slope = pair(odd ? 1 : 0);
#pragma unroll 1
    for (int n = odd; n < 600; n += 2) {
        Pair next = pair_sum(pair_product(term, by_a), pair_product(before, by_four));
        next = pair_quotient(next, pair((n + 2.0) * (n + 1.0)));
        before = term;
        term = next;
        sum = pair_sum(sum, term);
        slope = pair_sum(slope, pair_product(term, pair(n + 2)));
        if (n > 8 && fabs(term.high) + fabs(before.high) < 0x1p-100 * (1 + fabs(sum.high))) break;
    }
    y = odd ? x * sum.high : sum.high;
    dy = odd || x == 0 ? slope.high : slope.high / x;
}

template <class O> GNP_FN void pbwa(f64 a, f64 x, O &value, O &slope)
{
    value = slope = (O)NAN_F64;
    if (!(fabs(a) < 1000 && fabs(x) <= 12)) return;
    f64 even, odd, even_slope, odd_slope;
    cylinder_w_solution(a, x, false, even, even_slope);
    cylinder_w_solution(a, x, true, odd, odd_slope);
    f64 ratio = exp_called(0.5 * (loggamma(c128(0.25, 0.5 * a)).re - loggamma(c128(0.75, 0.5 * a)).re));
    f64 at_0 = 0.594603557501360533 * ratio, slope_at_0 = -0.840896415253714543 / ratio; // 2^(-3/4), 2^(-1/4)
    value = (O)(at_0 * even + slope_at_0 * odd);
    slope = (O)(at_0 * even_slope + slope_at_0 * odd_slope);
}
}

#endif
