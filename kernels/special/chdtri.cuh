// Inverses of the chi-square, gamma and Poisson distributions, by the variable and by the parameter.
#ifndef GNP_SPECIAL_CHDTRI_CUH
#define GNP_SPECIAL_CHDTRI_CUH

#include "special/gammaincinv.cuh"
#include "special/root.cuh"

namespace special {

GNP_FN f64 chdtri(f64 v, f64 p) { return 2 * gammainccinv(0.5 * v, p); }

GNP_FN f64 gdtrix(f64 a, f64 b, f64 p)
{
    bool nothing = fabs(a) == INFINITY_F64 || b == INFINITY_F64 || (a == 0 && b == 0);
    return nothing ? NAN_F64 : gammaincinv(b, p) / a;
}

GNP_FN f64 gdtria(f64 p, f64 b, f64 x) { return x == 0 ? NAN_F64 : gammaincinv(b, p) / x; }

GNP_FN f64 pdtri(f64 k, f64 y)
{
    return k >= 0 && k < INFINITY_F64 && y < 1 ? gammainccinv(floor(k) + 1, y) : NAN_F64;
}

// ---- by the parameter ------------------------------------------------------------------------------------

struct GammaOfShape {
    f64 x;

    GNP_FN f64 operator()(f64 b, bool upper) const
    {
        f64 power;
        return incomplete_gamma(b, x, upper, power);
    }
};

// b where P(b, x) = p, for 0 < x < infinity and 0 < p, q = 1 - p < 1.
GNP_FN f64 incomplete_parameter(f64 p, f64 q, f64 x)
{
    Level<GammaOfShape> f = {{x}, p, q};
    return positive_root(f, false, fmax(x, 1.0), 1e-300, 1e300);
}

// v where chdtr(v, x) = p
GNP_FN f64 chdtriv(f64 p, f64 x)
{
    if (!(p >= 0 && p <= 1 && x > 0)) {
        return NAN_F64;
    }
    if (p == 0 || p == 1) {
        return p == 0 ? INFINITY_F64 : 0.0;
    }
    return x < INFINITY_F64 ? 2 * incomplete_parameter(p, 1 - p, 0.5 * x) : NAN_F64;
}

// b where gdtr(a, b, x) = p
GNP_FN f64 gdtrib(f64 a, f64 p, f64 x)
{
    if (!(a > 0 && a < INFINITY_F64 && x >= 0 && x < INFINITY_F64 && p >= 0 && p <= 1) || (x == 0 && p == 0)) {
        return NAN_F64;
    }
    if (p == 1 || x == 0) {
        return 0;
    }
    return p == 0 ? INFINITY_F64 : incomplete_parameter(p, 1 - p, a * x);
}

// k >= 0 where Q(k + 1, m) = p; 0 where that is below it.
GNP_FN f64 pdtrik(f64 p, f64 m)
{
    if (!(p >= 0 && p < 1 && m >= 0) || (m == INFINITY_F64 && p > 0)) {
        return NAN_F64;
    }
    return p == 0 || m == 0 || exp_called(-m) >= p ? 0.0 : fmax(incomplete_parameter(1 - p, p, m) - 1, 0.0);
}
}

#endif
