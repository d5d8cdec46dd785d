// breit_wigner.cuh: the relativistic Breit-Wigner distribution. With w^2 = rho^2 + i rho its density is, by a factor,
// the imaginary part of 1 / (x^2 - w^2), whose integrals are inverse hyperbolic tangents.
#ifndef GNP_STATS_BREIT_WIGNER_CUH
#define GNP_STATS_BREIT_WIGNER_CUH

#include "stats/constants.cuh"

namespace stats {

// w = re + i im, and the factor of the density.
struct BreitWigner {
    f64 re, im, norm, factor;
};

GNP_FN BreitWigner breit_wigner_of(f64 rho)
{
    const f64 norm = rho * sqrt(rho * rho + 1), re = sqrt(0.5 * (norm + rho * rho)); // |w|^2
    return BreitWigner{re, 0.5 * rho / re, norm, 2 * norm / (PI_F64 * re)};
}

// The integral of the density from 0 to x: the imaginary part of -atanh(x / w) / w.
GNP_COLD f64 breit_wigner_cdf(f64 x, f64 rho)
{
    const BreitWigner w = breit_wigner_of(rho);
    const f64 p = x * w.re / w.norm, q = x * w.im / w.norm; // x / w = p - i q
    const f64 real = 0.25 * log1p(4 * p / (square(1 - p) + q * q));
    const f64 angle = 0.5 * (atan2(q, 1 + p) + atan2(q, 1 - p));
    return w.factor * (w.im * real + w.re * angle) / w.norm;
}

// The integral from x on: the imaginary part of the sum of w^(2 k) / ((2 k + 1) x^(2 k + 1)), of which the first
// term is real.
GNP_COLD f64 breit_wigner_sf(f64 x, f64 rho)
{
    const BreitWigner w = breit_wigner_of(rho);
    if (x * x < 4 * w.norm) return 1 - breit_wigner_cdf(x, rho);
    const f64 re = (rho / x) * (rho / x), im = rho / x / x;
    f64 a = re, b = im, sum = 0;
#pragma unroll 1
    for (int k = 1; k < 40; k++) {
        sum += b / (2 * k + 1);
        const f64 next = a * re - b * im;
        b = a * im + b * re;
        a = next;
    }
    return w.factor / x * sum;
}
}

#endif
