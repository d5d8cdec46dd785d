// The zeta functions of Riemann and Hurwitz for real arguments, and polygamma functions.
// zeta(s) - 1 by minimax approximations above 0, by the terms of its series from 30 on; below 0 the functional
// equation (DLMF 25.4.1). zeta(s, q) by Euler and Maclaurin's formula (25.11.5 and 2.10.1); polygamma functions
// are values of it (25.11.12).
#ifndef GNP_SPECIAL_ZETA_CUH
#define GNP_SPECIAL_ZETA_CUH

#include "special/gamma.cuh"
#include "special/zeta_fits.cuh"

namespace special {

// zeta(s) - 1 for s >= 0.
GNP_FN f64 zetac_positive(f64 s)
{
    if (s < 2) {
        f64 t = s - 1;
        return (1 + (s < 1 ? polynomial(ZETAC_LOW, s) : polynomial(ZETAC_HIGH, t))) / t;
    }
    f64 sum;
    if (s < 4) {
        sum = polynomial(ZETAC_2_P, s - 2) / polynomial(ZETAC_2_Q, s - 2);
    }
    else if (s < 10) {
        sum = polynomial(ZETAC_4_P, s - 4) / polynomial(ZETAC_4_Q, s - 4);
    }
    else if (s < 30) {
        sum = polynomial(ZETAC_10_P, s - 10) / polynomial(ZETAC_10_Q, s - 10);
    }
    else {
        sum = 0;
#pragma unroll 1
        for (int n = 4; n >= 0; n--) {
            sum += ::exp2(-s * LOG2_HALF[n]);
        }
    }
    f64 y = ::exp2(-s);
    return fma(y, sum, y);
}

GNP_COLD f64 zetac_called(f64 s) { return zetac_positive(s); }

// zeta(-x) = -2 (2 pi)^(-x-1) sin(pi x/2) Gamma(x + 1) zeta(x + 1) for x > 0.
GNP_COLD f64 zeta_below_zero(f64 x)
{
    if (x < 1e-17) {
        return -0.5;
    }
    if (x == INFINITY_F64) {
        return NAN_F64;
    }
    f64 s = sinpi(modulo2(0.5 * x));
    if (s == 0) {
        return 0;
    }
    f64 rest, y = two_sum(1, x, rest), low = 0, high = 0, factor;
    if (y < 8) {
        factor = gamma_positive_called(y);
    }
    else {
        Pair l = gamma_exponent_called(y);
        high = l.high;
        low = l.low + rest * log_called(y);
        factor = 1;
    }
    // less y ln(2 pi)
    f64 e, p = __dmul_rn(y, 0x1.d67f1c864beb5p+0), p_low = fma(y, 0x1.d67f1c864beb5p+0, -p);
    high = two_sum(high, -p, e);
    low += e - p_low - y * -0x1.65b5a1b7ff5dfp-54 - rest * 0x1.d67f1c864beb5p+0;
    factor *= -2 * s * (1 + (x < 1 ? (1 + polynomial(ZETAC_HIGH, x)) / x : zetac_called(y)));
    f64 root = exp(0.5 * high); // the product may be finite where exp(high) is not
    return factor * fma(root, low, root) * root;
}

GNP_FN f64 riemann_zeta(f64 s) { return s >= 0 ? 1 + zetac_positive(s) : s < 0 ? zeta_below_zero(-s) : s; }
GNP_FN f64 zetac(f64 s) { return s >= 0 ? zetac_positive(s) : s < 0 ? zeta_below_zero(-s) - 1 : s; }

// zeta(s, q) for s > 1, q > 0.
GNP_COLD f64 hurwitz_positive(f64 s, f64 q)
{
    f64 sum = ::pow(q, -s), term = sum;
    if (q == INFINITY_F64 || sum == INFINITY_F64) {
        return sum;
    }
#pragma unroll 1
    for (int k = 1; k < 10; k++) {
        q += 1;
        term = ::pow(q, -s);
        sum += term;
        if (term < 0x1p-60 * sum) {
            return sum;
        }
    }
    sum += ::pow(q, 1 - s) / (s - 1) - 0.5 * term;
    if (term == 0 || s > 1e10) {
        return sum;
    }
    f64 factor = s * term / q, square = 1 / (q * q);
#pragma unroll 1
    for (int k = 0; k < 12; k++) {
        term = BERNOULLI_OVER_FACTORIAL[k] * factor;
        sum += term;
        if (fabs(term) < 0x1p-60 * sum) {
            break;
        }
        factor *= (s + (2 * k + 1)) * (s + (2 * k + 2)) * square;
    }
    return sum;
}

// q < 0 and no integer, s an integer: the terms below 0 are those of two series at 1 - fraction(q).
GNP_COLD f64 hurwitz_below_zero(f64 s, f64 q)
{
    f64 whole = floor(q), f = q - whole, sign = modulo2(s) == 0 ? 1.0 : -1.0;
    return hurwitz_positive(s, f) + sign * (hurwitz_positive(s, 1 - f) - hurwitz_positive(s, 1 - q));
}

GNP_FN f64 zeta(f64 s, f64 q)
{
    if (s == 1 || (q <= 0 && floor(q) == q && !(s < 1))) {
        return INFINITY_F64;
    }
    if (!(s > 1) || q != q || (q < 0 && floor(s) != s)) {
        return NAN_F64;
    }
    return q > 0 ? hurwitz_positive(s, q) : s == INFINITY_F64 ? s : hurwitz_below_zero(s, q);
}

// The n-th derivative of psi for an integer n >= 1: (-1)^(n+1) n! zeta(n + 1, x).
GNP_FN f64 polygamma(f64 n, f64 x)
{
    f64 y = gamma_positive_called(n + 1) * zeta(n + 1, x);
    return modulo2(n) == 0 ? -y : y;
}
}

#endif
