// kolmogorov.cuh: the limiting distribution of Kolmogorov's statistic. Its survival function is
//   2 sum (-1)^(k - 1) exp(-2 k^2 x^2), or 1 - sqrt(2 pi)/x sum exp(-(2 k - 1)^2 pi^2/(8 x^2)),
// two forms of a theta function (DLMF 20.7.32), of which the first terms suffice on either side of 0.83; the
// inverse is Newton's iteration in the exponent of the leading term, whose function is nearly linear
// (van Mulbregt 2018).
#ifndef GNP_SPECIAL_KOLMOGOROV_CUH
#define GNP_SPECIAL_KOLMOGOROV_CUH

#include "special/common.cuh"

namespace special {

GNP_FN f64 kolmogorov(f64 x)
{
    if (!(x > 0.02)) return x != x ? x : 1;
    if (x < 0.83) {
        f64 w = PI_F64 * PI_F64 / 8 / (x * x), r = exp(-8 * w);
        return 1 - ROOT_TWO_PI_F64 / x * exp(-w) * (1 + r * (1 + r * r));
    }
    f64 s = x * x, e = exp(-2 * s), t, t4;
    if (!(e > 0)) return 0;
    t = e * e * e, t4 = t * t * e * e; // exp(-6 s), exp(-16 s)
    return 2 * fma(e, -2 * fma(x, x, -s), e) * (1 - t + t4 * (1 - t * t * e * (1 - t * t * t)));
}

// u = x^2 where log(p/2) = -2 u + log(1 - exp(-6 u) + exp(-16 u) - exp(-30 u)), for p <= 0.5.
GNP_COLD f64 kolmogi_upper(f64 p)
{
    f64 least = -0.5 * log(0.5 * p), u = least;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        f64 e = exp(-2 * u), a = e * e * e, b = a * a * e * e, c = b * a * a * e * (1 - a * a * a);
        f64 rest = b - a - c, slope = 6 * a - 16 * b + 30 * c;
        u -= (u - least - 0.5 * log1p(rest)) / (1 - 0.5 * slope / (1 + rest));
    }
    return sqrt(u);
}

// From w = pi^2/(8 x^2), where log(1 - p) = log(16 w/pi)/2 - w + log(1 + exp(-8 w) + exp(-24 w)).
GNP_COLD f64 kolmogi_lower(f64 p)
{
    f64 level = -log(1 - p) + 0.5 * log(16 / PI_F64), w = level + 0.5 * log(level);
#pragma unroll 1
    for (int i = 0; i < 5; i++) {
        f64 r = exp(-8 * w), rest = r * (1 + r * r), slope = r * (8 + 24 * r * r);
        w -= (w - level - 0.5 * log(w) - log1p(rest)) / (1 - 0.5 / w + slope / (1 + rest));
    }
    return PI_F64 / sqrt(8 * w);
}

GNP_FN f64 kolmogi(f64 p)
{
    if (!(p > 0 && p < 1)) return p == 0 ? INFINITY_F64 : p == 1 ? 0.0 : NAN_F64;
    return p < 0.5 ? kolmogi_upper(p) : kolmogi_lower(p);
}
}

#endif
