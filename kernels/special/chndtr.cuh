// chndtr.cuh: the noncentral chi-square distribution, its quantile and its inverses by parameters.
#ifndef GNP_SPECIAL_CHNDTR_CUH
#define GNP_SPECIAL_CHNDTR_CUH

#include "special/gammainc.cuh"
#include "special/poisson_mixture.cuh"
#include "special/root.cuh"

namespace special {

// P(a + j, x)
struct CentralGamma {
    f64 a, x;

    __device__ __noinline__ f64 tail(f64 j, bool upper) const
    {
        f64 power;
        return incomplete_gamma(a + j, x, upper, power);
    }
    GNP_FN f64 drop(f64 j) const { return poisson_weight(a + j, x); }
    GNP_FN f64 ratio(f64 j) const { return x / (a + j + 1); }
    GNP_FN f64 peak(f64 mean) const
    {
        f64 square = 4 * mean * x; // (sqrt(a^2 + 4 mean x) - a)/2
        return 0.5 * square / (a + sqrt(fma(a, a, square)));
    }
};

GNP_COLD f64 noncentral_gamma(f64 a, f64 x, f64 mean, bool upper)
{
    CentralGamma c = {a, x};
    return poisson_mixture(c, mean, 0, upper);
}

GNP_FN f64 chndtr(f64 x, f64 df, f64 nc)
{
    if (nc == 0) return df == 0 && x >= 0 ? 1.0 : noncentral_gamma(0.5 * df, 0.5 * x, 0, false);
    if (!(x >= 0 && df > 0 && df < INFINITY_F64 && nc >= 0)) return NAN_F64;
    if (x == 0 || x == INFINITY_F64 || nc == INFINITY_F64) return x == INFINITY_F64 && nc < x ? 1.0 : 0.0;
    return noncentral_gamma(0.5 * df, 0.5 * x, 0.5 * nc, false);
}

// As a function of x, df and nc: the one that is NaN.
struct NoncentralChi2 {
    f64 x, df, nc;

    GNP_FN f64 operator()(f64 v, bool upper) const
    {
        return noncentral_gamma(0.5 * (df == df ? df : v), 0.5 * (x == x ? x : v), 0.5 * (nc == nc ? nc : v), upper);
    }
};

GNP_COLD f64 chndtr_root(f64 x, f64 df, f64 nc, f64 p, bool rising, f64 start)
{
    Level<NoncentralChi2> f = {{x, df, nc}, p, 1 - p};
    if (nc != nc && f(0x1p-1022) <= 0) return 0;
    f64 v = positive_root(f, rising, start, 1e-300, 1e300);
    return v <= 1e-300 ? 0 : v;
}

GNP_FN f64 chndtrix(f64 p, f64 df, f64 nc)
{
    if (!(p >= 0 && p <= 1 && df > 0 && df < INFINITY_F64 && nc >= 0 && nc < INFINITY_F64)) return NAN_F64;
    return p == 0 ? 0.0 : p == 1 ? INFINITY_F64 : chndtr_root(NAN_F64, df, nc, p, true, df + nc);
}

// The degrees of freedom with chndtr(x, df, nc) = p; 0 where even the smallest have less.
GNP_FN f64 chndtridf(f64 x, f64 p, f64 nc)
{
    if (!(p > 0 && p < 1 && x >= 0 && x < INFINITY_F64 && nc >= 0 && nc < INFINITY_F64)) return NAN_F64;
    return x == 0 ? 0.0 : chndtr_root(x, NAN_F64, nc, p, false, fmax(x - nc, 1.0));
}

// The noncentrality with chndtr(x, df, nc) = p; 0 where that of 0 has less.
GNP_FN f64 chndtrinc(f64 x, f64 df, f64 p)
{
    if (!(p > 0 && p < 1 && x >= 0 && x < INFINITY_F64 && df > 0 && df < INFINITY_F64)) return NAN_F64;
    return x == 0 ? 0.0 : chndtr_root(x, df, NAN_F64, p, false, fmax(x - df, 1.0));
}
}

#endif
