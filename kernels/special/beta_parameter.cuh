// beta_parameter.cuh: inverses of the distribution functions of binomial.cuh by one of their parameters.
#ifndef GNP_SPECIAL_BETA_PARAMETER_CUH
#define GNP_SPECIAL_BETA_PARAMETER_CUH

#include "special/betainc.cuh"
#include "special/root.cuh"

namespace special {

// I_x(a0 + a1 v, b0 + b1 v) as a function of v; x = w / (w + v) where w is positive, and y = 1 - x.
struct BetaOfParameter {
    f64 a0, a1, b0, b1, x, y, w;

    GNP_FN f64 operator()(f64 v, bool upper) const
    {
        f64 a = fma(a1, v, a0), b = fma(b1, v, b0);
        if (!(a > 0 && b > 0)) return upper == (b > 0) ? 0.0 : 1.0;
        return w > 0 ? beta_tail(a, b, w / (w + v), v / (w + v), 0, upper) : beta_tail(a, b, x, y, 0, upper);
    }
};

GNP_COLD f64 beta_parameter(const Level<BetaOfParameter> &f, bool rising, f64 start, f64 least, f64 most)
{
    return positive_root(f, rising, start, least, most);
}

GNP_FN bool is_share(f64 p) { return p >= 0 && p <= 1; }

// The k with bdtr(k, n, p) = y, where k is real; 0 where y is less than all of bdtr.
GNP_FN f64 bdtrik(f64 y, f64 n, f64 p)
{
    if (!(is_share(y) && n > 0 && n < INFINITY_F64 && p > 0 && p <= 1)) return NAN_F64;
    if (p == 1 || y == 1) return y > 0 ? n : 0.0;
    Level<BetaOfParameter> f = {{n, -1, 1, 1, 1 - p, p, 0}, y, 1 - y};
    return y == 0 || f(0) >= 0 ? 0.0 : beta_parameter(f, true, fmax(n * p, fmin(0.5, 0.5 * n)), 1e-300, n);
}

// The n with bdtr(k, n, p) = y, where n is real.
GNP_FN f64 bdtrin(f64 k, f64 y, f64 p)
{
    if (!(is_share(y) && k >= 0 && k < INFINITY_F64 && p > 0 && p <= 1)) return NAN_F64;
    if (y == 0 || y == 1 || p == 1) return y == 0 && p < 1 ? INFINITY_F64 : k;
    Level<BetaOfParameter> f = {{0, 1, k + 1, 0, 1 - p, p, 0}, y, 1 - y};
    return k + beta_parameter(f, false, (k + 1) / p * (1 - p), 1e-300, 1e100);
}

// The a with I_x(a, b) = p. Where p is 1, a is the least that is not subnormal, as SciPy has it.
GNP_FN f64 btdtria(f64 p, f64 b, f64 x)
{
    if (!(is_share(p) && b > 0 && b < INFINITY_F64 && x > 0)) return NAN_F64;
    if (p == 0 || p == 1) return p == 0 ? INFINITY_F64 : 0x1p-1022;
    Level<BetaOfParameter> f = {{0, 1, b, 0, x, 1 - x, 0}, p, 1 - p};
    return x >= 1 ? NAN_F64 : beta_parameter(f, false, b, 1e-300, 1e300);
}

// The b with I_x(a, b) = p.
GNP_FN f64 btdtrib(f64 a, f64 p, f64 x)
{
    if (!(is_share(p) && a > 0 && a < INFINITY_F64 && x > 0)) return NAN_F64;
    if (p == 0 || p == 1) return p == 1 ? INFINITY_F64 : 0x1p-1022;
    Level<BetaOfParameter> f = {{a, 0, 0, 1, x, 1 - x, 0}, p, 1 - p};
    return x >= 1 ? NAN_F64 : beta_parameter(f, true, a, 1e-300, 1e300);
}

// The denominator's degrees of freedom with fdtr(dfn, dfd, x) = p, and SciPy's bounds 1e-100 and 1e100 where
// there are none.
GNP_FN f64 fdtridfd(f64 dfn, f64 p, f64 x)
{
    if (!(p >= 0 && p < 1 && dfn > 0 && dfn < INFINITY_F64 && x >= 0)) return NAN_F64;
    if (p == 0 || x == 0) return 1e-100;
    Level<BetaOfParameter> f = {{0.5 * dfn, 0, 0, 0.5, 0, 0, dfn * x}, p, 1 - p};
    f64 v = x < INFINITY_F64 ? beta_parameter(f, true, 5, 1e-100, 1e14) : 1e100;
    return v < 1e14 ? v : 1e100;
}

// The k with nbdtr(k, n, p) = y, where k is real; 0 where y is less than all of nbdtr.
GNP_FN f64 nbdtrik(f64 y, f64 n, f64 p)
{
    if (!(y >= 0 && y < 1 && n > 0 && n < INFINITY_F64 && is_share(p))) return NAN_F64;
    if (y == 0 || p == 0 || p == 1) return y > 0 && p == 0 ? INFINITY_F64 : 0.0;
    Level<BetaOfParameter> f = {{n, 0, 1, 1, p, 1 - p, 0}, y, 1 - y};
    return f(0) >= 0 ? 0.0 : beta_parameter(f, true, fmax(n / p * (1 - p), 1.0), 1e-300, 1e100);
}

// The n with nbdtr(k, n, p) = y, where n is real.
GNP_FN f64 nbdtrin(f64 k, f64 y, f64 p)
{
    if (!(y >= 0 && y < 1 && k >= 0 && k < INFINITY_F64 && is_share(p))) return NAN_F64;
    if (p == 0 || p == 1 || y == 0) return p == 0 ? 0.0 : INFINITY_F64;
    Level<BetaOfParameter> f = {{0, 1, k + 1, 0, p, 1 - p, 0}, y, 1 - y};
    return beta_parameter(f, false, (k + 1) * p / (1 - p), 1e-300, 1e100);
}

// The degrees of freedom with stdtr(df, t) = p; SciPy's bound 1e10 where the normal distribution has less.
GNP_FN f64 stdtridf(f64 p, f64 t)
{
    f64 tail = t < 0 ? p : 1 - p;
    if (!(is_share(p) && t != 0 && tail < 0.5 && fabs(t) < INFINITY_F64)) return NAN_F64;
    Level<BetaOfParameter> f = {{0.5, 0, 0, 0.5, 0, 0, t * t}, 1 - 2 * tail, 2 * tail};
    return tail == 0 ? 1e10 : beta_parameter(f, true, 5, 1e-100, 1e10);
}
}

#endif
