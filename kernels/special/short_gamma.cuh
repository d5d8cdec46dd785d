// The gamma function and powers of real numbers in short code, for functions that need them once beside their sums.
#ifndef GNP_SPECIAL_SHORT_GAMMA_CUH
#define GNP_SPECIAL_SHORT_GAMMA_CUH

#include "special/bessel_fits.cuh"
#include "special/log_pair.cuh"
#include "special/short.cuh"

namespace special {

// A number factor * e^exponent.
struct GammaParts {
    f64 factor, exponent;
};

// Gamma(x): by steps from [1/2, 3/2), whose product is kept in two parts; beyond 140 by Stirling's series (DLMF 5.11.1)
// and the reflection (5.5.3). The factor of a pole is infinite.
GNP_COLD GammaParts gamma_parts(f64 x)
{
    const f64 size = fabs(x), whole = floor(x + 0.5), m = x - whole;
    if (!(size < 140)) {
        const f64 t = 1 / size, square = t * t, tail = t * fma(square, fma(square, 1.0 / 1260, -1.0 / 360), 1.0 / 12);
        const f64 y = fma(size - 0.5, log_of(size) - 1, 0.41893853320467274178 + tail);
        return x > 0 ? GammaParts{1, y} : GammaParts{-PI_F64 / (size * unit_by_pi(size).im), -y};
    }
    const f64 odd = polynomial_loop(BESSEL_GAMMA_ODD, m * m), even = polynomial_loop(BESSEL_GAMMA_EVEN, m * m);
    const int steps = (int)(whole > 0 ? whole - 1 : 1 - whole);
    f64 product = 1, low = 0;
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        const f64 by = whole > 0 ? x - (i + 1) : x + i, next = __dmul_rn(product, by);
        low = fma(product, by, -next) + low * by;
        product = next;
    }
    product += product == 0 ? 0.0 : low;
    const f64 rest = even - m * odd; // 1 / Gamma(1 + m)
    return GammaParts{whole > 0 ? product / rest : 1 / (rest * product), 0};
}

// Gamma(a)/Gamma(b) = result * e^exponent.
GNP_COLD f64 gamma_quotient(f64 a, f64 b, f64 &exponent)
{
    const GammaParts over = gamma_parts(a), under = gamma_parts(b);
    exponent = over.exponent - under.exponent;
    return over.factor / under.factor;
}

// binom(n + alpha, n) for n that is not whole.
GNP_COLD f64 short_binom(f64 alpha, f64 n)
{
    const f64 sum = n + alpha + 1;
    if (sum <= 0 && floor(sum) == sum) return NAN_F64;
    f64 one, y = gamma_quotient(sum, n + 1, one);
    const GammaParts under = gamma_parts(alpha + 1);
    return times_exp(y / under.factor, one - under.exponent, 0);
}

// The sign of Gamma(x), NaN at its poles but for 0.
GNP_COLD f64 gamma_sign(f64 x)
{
    const f64 factor = gamma_parts(x).factor;
    return x != 0 && fabs(factor) == INFINITY_F64 ? NAN_F64 : copysign(1.0, factor);
}

GNP_FN f64 short_exp(f64 x) { return x == x ? times_exp(1.0, x, 0) : x; }
GNP_FN f64 value(GammaParts y) { return times_exp(y.factor, y.exponent, 0); }
GNP_FN f64 short_gamma(f64 x) { return value(gamma_parts(x)); }
GNP_FN f64 short_rgamma(f64 x)
{
    const GammaParts y = gamma_parts(x);
    return times_exp(1 / y.factor, -y.exponent, 0);
}

// x^p, by a logarithm in two parts.
GNP_COLD f64 raised(f64 x, f64 p)
{
    if (p == 0 || x == 1) return 1;
    if (x != x || p != p) return x + p;
    const f64 size = fabs(x), sign = x < 0 ? (!is_integer(p) ? NAN_F64 : 0.5 * p != floor(0.5 * p) ? -1.0 : 1.0) : 1.0;
    if (size == 0 || size == INFINITY_F64 || fabs(p) == INFINITY_F64) {
        return (size > 1) == (p > 0) ? sign * INFINITY_F64 : 0.0 * sign;
    }
    const Pair l = log_pair_called(size);
    const f64 product = __dmul_rn(p, l.high), low = fma(p, l.high, -product) + p * l.low, y = times_exp(sign, product, 0);
    return fabs(y) < INFINITY_F64 ? fma(y, low, y) : y;
}
}

#endif
