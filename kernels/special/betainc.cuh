// betainc.cuh: the incomplete beta function I_x(a, b) and its complement for shapes of any size.
//   one shape much larger   the fraction of Gauss for DLMF 15.7.5 after 15.8.1, whose limit is that of the
//                           incomplete gamma function: as quick where beta_core.cuh's takes sqrt(a) steps
//   complement, a and x small   by expm1, as Gautschi (1979) has it for the gamma function
//   both shapes above 1e10  the first two terms of the uniform expansion, DLMF 8.18(ii): the next one is 1e-15
#ifndef GNP_SPECIAL_BETAINC_CUH
#define GNP_SPECIAL_BETAINC_CUH

#include "special/beta_core.cuh"

namespace special {

// 2F1(1 - b, 1; a + 1; -x/y) by Lentz's method.
GNP_COLD f64 beta_far_fraction(f64 a, f64 b, f64 x, f64 y)
{
    f64 z = x / y, h = 1, c = 1, d = 0;
#pragma unroll 1
    for (int m = 0; m < MAX_BETA_STEPS; m++) {
        f64 odd = z * ((1 - b + m) / (a + 2 * m)) * ((a + m) / (a + 2 * m + 1));
        f64 even = z * ((m + 1) / (a + 2 * m + 1)) * ((a + b + m) / (a + 2 * m + 2));
        d = 1 / fma(odd, d, 1.0), c = 1 + odd / c;
        h *= d * c;
        d = 1 / fma(even, d, 1.0), c = 1 + even / c;
        h *= d * c;
        if (fabs(d * c - 1) < 2 * EPSILON_F64) return 1 / h;
    }
    return NAN_F64;
}

// ln Gamma(b + a) - ln Gamma(b) for small a, relatively accurate: from b >= 32 by Stirling's series.
GNP_COLD f64 gammaln_difference(f64 b, f64 a)
{
    f64 below = 1, more = 0; // the products of b + k, and what those of b + a + k have more
#pragma unroll 1
    for (; b < 32; b += 1) {
        more = fma(more, b, a * (below + more));
        below *= b;
    }
    // differences of 1/(12 z) - 1/(360 z^3) + 1/(1260 z^5) - 1/(1680 z^7), the last two by their derivative
    f64 c = a + b, r = 1 / (b * c), middle = b + 0.5 * a, s = 1 / (middle * middle), s2 = s * s;
    f64 tail = -a * (r * (1 / 12.0) - (b / c + 1 + c / b) * r * r * (1 / 360.0) + s2 * s * (1 / 252.0 - s / 240));
    return (c - 0.5) * log1p_called(a / b) + a * (log_called(b) - 1) + tail - log1p_called(more / below);
}

// 1 - I_x(a, b) for small a, x and b x.
GNP_COLD f64 betaincc_of_small(f64 a, f64 b, f64 x)
{
    f64 u = a * log_called(x) + gammaln_difference(b, a) - log1p_called(gamma_less_one(a)), sum = 0, term = 1;
#pragma unroll 1
    for (int n = 1; n < MAX_FRACTION_STEPS; n++) {
        f64 both = a + n, inverse = 1 / (n * both);
        term *= (n - b) * x * (both * inverse);
        f64 part = term * (n * inverse);
        sum += part;
        if (fabs(term) < EPSILON_F64 * fabs(sum)) break;
    }
    f64 lost = -expm1_called(u);
    return lost - (1 - lost) * a * sum;
}

// (x - a/(a + b)) (a + b) from the smaller of x and y, with the rounding errors of its products.
GNP_FN f64 beta_excess(f64 a, f64 b, f64 x, f64 y, f64 low)
{
    bool left = x <= y;
    f64 z = left ? x : y, p = left ? a : b, q = left ? b : a, of_p = z * p, of_q = z * q, rest = p - of_p;
    f64 lost = fma(z, p, -of_p) + fma(z, q, -of_q) - ((p - rest) - of_p);
    f64 excess = (of_q - rest) + fma(low, p + q, lost);
    return left ? excess : -excess;
}

GNP_COLD f64 beta_uniform(f64 a, f64 b, f64 x, f64 y, f64 low, bool upper)
{
    auto over = [](f64 p, f64 q) { return quotient_called(p, q); };
    f64 r = a + b, s = over(a, r), t = over(b, r), d = over(beta_excess(a, b, x, y, low), r);
    f64 root = root_called(s * t), c = over(d, root);
    f64 e = 0;
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        f64 share = k ? t : s;
        e -= share * log1pmx(over(k ? -d : d, share));
    }
    e = fmax(r * e, 0.0);
    f64 p = exp_called(-e), z = root_called(e);
    if (fabs(c) < 1e-5 * root) { // 1/eta - 1/c by its series
        f64 g = over(t - s, root), h = over(s * s * s + t * t * t, s * t);
        c = over(g, 3) + c * (over(g * g, 6) - over(h, 4));
    }
    else
        c = copysign(over(root_called(0.5 * r), z), d) - over(1, c);
    bool below = d < 0;
    f64 tail = p == 0 ? 0.0 : p * (0.5 * ::erfcx(z) + over(below ? c : -c, ROOT_TWO_PI_F64 * root_called(r)));
    return below != upper ? tail : 1 - tail;
}

// I_x(a, b), or 1 less it, for a, b > 0, 0 < x < 1, y = 1 - x. The smaller of x and y is exact when `low` is added.
GNP_COLD f64 beta_tail(f64 a, f64 b, f64 x, f64 y, f64 low, bool upper)
{
    if (a < 0.2 && upper && x < 0.25 && b * x < 1) return betaincc_of_small(a, b, x);
    if (b < 0.2 && !upper && y < 0.25 && a * y < 1) return betaincc_of_small(b, a, y);
    if (a > 1e10 && b > 1e10) return beta_uniform(a, b, x, y, low, upper);
    if (a < b) {
        f64 t = a;
        a = b, b = t;
        t = x, x = y, y = t;
        upper = !upper;
    }
    if (a > 1e4 && a > 64 * b && y * (a + b + 2) > b + 1) { // below the mean, as y says where x is rounded to 1
        f64 below = beta_power_terms(a, b, x, y, low) / (a * y);
        below *= below > 0 ? beta_far_fraction(a, b, x, y) : 1.0;
        return upper ? 1 - below : below;
    }
    return betainc_inside(a, b, x, y, low, upper);
}

GNP_FN bool beta_is_outside(f64 a, f64 b, f64 x) { return !(a >= 0 && b >= 0 && x >= 0 && x <= 1); }

// The limits for parameters that are 0 or infinite: a step at 0, at 1, or nothing.
GNP_COLD f64 betainc_limit(f64 a, f64 b, f64 x)
{
    bool at_zero = a == 0 || b == INFINITY_F64, at_one = b == 0 || a == INFINITY_F64;
    if (at_zero && at_one) return NAN_F64;
    return at_zero ? (x > 0 ? 1.0 : 0.0) : x < 1 ? 0.0 : 1.0;
}

// I_x(a, b) or 1 less it; `low` belongs to the smaller of x and 1 - x.
GNP_COLD f64 beta_side(f64 a, f64 b, f64 x, f64 low, bool upper)
{
    if (beta_is_outside(a, b, x)) return NAN_F64;
    if (a == 0 || b == 0 || a == INFINITY_F64 || b == INFINITY_F64) {
        f64 limit = betainc_limit(a, b, x);
        return upper ? 1 - limit : limit;
    }
    return x == 0 || x == 1 ? (upper ? 1 - x : x) : beta_tail(a, b, x, 1 - x, low, upper);
}

GNP_FN f64 betainc(f64 a, f64 b, f64 x) { return beta_side(a, b, x, 0, false); }
GNP_FN f64 betaincc(f64 a, f64 b, f64 x) { return beta_side(a, b, x, 0, true); }
}

#endif
