// vonmises.cuh: the distribution function on the circle, by the backward recurrence of its Fourier series (G. W. Hill,
// ACM TOMS 3, 1977), or by the normal distribution where it is narrow. The series has an absolute error of 1e-15, so
// that small tails are integrals of the density, which is cut where it no longer counts.
#ifndef GNP_STATS_VONMISES_CUH
#define GNP_STATS_VONMISES_CUH

#include "special/bessel_modified01.cuh"
#include "special/ndtr.cuh"
#include "stats/gauss_rule.cuh"
#include "stats/quantile.cuh"

namespace stats {

// For |x| <= pi: 1/2 + x / 2 pi + sum of I_j(kappa) / I_0(kappa) sin(j x) / j pi. With r = I_j / I_{j-1} from the
// continued fraction, the sum is r_1 (sin x + r_2 (sin 2x / 2 + ...)).
GNP_COLD f64 vonmises_series(f64 x, f64 kappa)
{
    const f64 sine = sin(x), cosine = cos(x);
    const int terms = 30 + (int)(9 * sqrt(kappa)); // I_j / I_0 is about exp(-j^2 / 2 kappa)
    f64 s = sin(terms * x), c = cos(terms * x), ratio = 0, sum = 0;
#pragma unroll 1
    for (int j = terms - 1; j > 0; j--) {
        const f64 before = s;
        s = before * cosine - c * sine; // of j x
        c = c * cosine + before * sine;
        ratio = 1 / (2 * j / kappa + ratio);
        sum = ratio * (s / j + sum);
    }
    return 0.5 + x / (2 * PI_F64) + sum / PI_F64;
}

// The probability beyond an angle a of (0, pi], on one side: with s = t - a, cos(a) - cos(t) is
// 2 sin(s / 2) sin(a + s / 2).
GNP_COLD f64 vonmises_tail(f64 a, f64 kappa)
{
    const f64 level = square(sin(0.5 * a)) + 0.5 * GNP_STATS_TAIL_DEPTH / kappa;
    const f64 end = level < 1 ? 2 * asin(sqrt(level)) : PI_F64;
    const auto density = [&](f64 s) { return exp(-2 * kappa * sin(0.5 * s) * sin(a + 0.5 * s)); };
    const f64 first = exp(-2 * kappa * square(sin(0.5 * a))) / (2 * PI_F64 * special::i0e(kappa));
    return first * gauss_integral(density, fmax(end - a, 0.0));
}

GNP_COLD f64 vonmises_cdf(f64 angle, f64 kappa)
{
    const f64 turns = rint(angle / (2 * PI_F64)), x = angle - 2 * PI_F64 * turns;
    if (kappa <= 0) return 0.5 + x / (2 * PI_F64) + turns;
    // With z = 2 sqrt(kappa) sin(x / 2) the density is that of z, normal, times 1 + z^2 / 8 kappa + ...
    const f64 z = 2 * sqrt(kappa) * sin(0.5 * x);
    f64 p = 0;
    if (kappa < 1e6) p = vonmises_series(x, kappa);
    else p = special::ndtr(z) - z * exp(-0.5 * z * z) / (8 * kappa * ROOT_TWO_PI_F64);
    if (fmin(p, 1 - p) < 0.05) {
        const f64 tail = vonmises_tail(fabs(x), kappa);
        if (x < 0 && turns == 0) return tail;
        p = x < 0 ? tail : 1 - tail;
    }
    return p + turns;
}

// One turn of the circle, of which quantiles are taken.
struct VonMisesTurn {
    f64 kappa;

    GNP_FN f64 lower() const { return -PI_F64; }
    GNP_FN f64 upper() const { return PI_F64; }
    GNP_FN f64 cdf(f64 x) const { return fmin(fmax(vonmises_cdf(x, kappa), 0.0), 1.0); }
    GNP_FN f64 sf(f64 x) const { return cdf(-x); }
};

GNP_FN f64 vonmises_ppf(f64 q, f64 kappa)
{
    const f64 x = quantile(VonMisesTurn{kappa}, fmin(q, 1 - q), fmax(q, 1 - q));
    return q == 0.5 ? 0 : q < 0.5 ? x : -x;
}
}

#endif
