// ncfdtr.cuh: the noncentral F distribution, its quantile and its inverses by parameters.
#ifndef GNP_SPECIAL_NCFDTR_CUH
#define GNP_SPECIAL_NCFDTR_CUH

#include "special/beta_mixture.cuh"
#include "special/root.cuh"

namespace special {

// As a function of dfn, dfd, nc and f: the one that is NaN.
struct NoncentralF {
    f64 dfn, dfd, nc, f;

    __device__ __noinline__ f64 operator()(f64 v, bool upper) const
    {
        f64 m = dfn == dfn ? dfn : v, n = dfd == dfd ? dfd : v, w = m * (f == f ? f : v);
        CentralBeta c = {0.5 * m, 0.5 * n, w / (n + w), n / (n + w)};
        if (!(c.x > 0 && c.y > 0)) return upper == (c.x > 0) ? 0.0 : 1.0;
        return poisson_mixture(c, 0.5 * (nc == nc ? nc : v), 0, upper);
    }
};


GNP_FN f64 ncfdtr(f64 dfn, f64 dfd, f64 nc, f64 f)
{
    if (f == INFINITY_F64 && dfn > 0 && dfd > 0 && nc >= 0) return 1;
    if (!(is_positive(dfn) && is_positive(dfd) && nc >= 0 && nc < INFINITY_F64 && f >= 0)) return NAN_F64;
    NoncentralF d = {dfn, dfd, nc, f};
    return f == 0 ? 0.0 : d(0, false);
}

GNP_COLD f64 ncfdtr_root(f64 dfn, f64 dfd, f64 nc, f64 f, f64 p, bool rising, f64 start, f64 most)
{
    Level<NoncentralF> level = {{dfn, dfd, nc, f}, p, 1 - p};
    if (nc != nc && level(0) <= 0) return 0;
    return positive_root(level, rising, start, f != f || nc != nc ? 1e-300 : 1e-100, most);
}

GNP_FN f64 ncfdtri(f64 dfn, f64 dfd, f64 nc, f64 p)
{
    if (!(is_positive(dfn) && is_positive(dfd) && nc >= 0 && nc < INFINITY_F64 && p >= 0 && p <= 1)) return NAN_F64;
    if (p == 0 || p == 1) return p == 0 ? 0.0 : INFINITY_F64;
    return ncfdtr_root(dfn, dfd, nc, NAN_F64, p, true, 1 + nc / dfn, 1e300);
}

// The parameter with ncfdtr = p; where there are none, SciPy's bounds of its search: 1e-100 or 1e100, 0 or 10000.
GNP_FN f64 ncfdtridfd(f64 dfn, f64 p, f64 nc, f64 f)
{
    if (!(is_positive(dfn) && p >= 0 && p < 1 && nc >= 0 && nc < INFINITY_F64 && f >= 0)) return NAN_F64;
    if (p == 0 || f == 0) return 1e-100;
    f64 v = f < INFINITY_F64 ? ncfdtr_root(dfn, NAN_F64, nc, f, p, true, 5, 1e14) : 1e100;
    return v < 1e14 ? v : 1e100;
}

GNP_FN f64 ncfdtridfn(f64 p, f64 dfd, f64 nc, f64 f)
{
    if (!(is_positive(dfd) && p >= 0 && p < 1 && nc >= 0 && nc < INFINITY_F64 && f >= 0)) return NAN_F64;
    if (p == 0 || f == 0) return p == 0 ? 1e100 : 1e-100;
    if (f == INFINITY_F64) return 1e100;
    f64 v = ncfdtr_root(NAN_F64, dfd, nc, f, p, false, 5, 1e14); // not monotonic: the root may be on either side
    if (v <= 1e-100 || v >= 1e14) {
        f64 other = ncfdtr_root(NAN_F64, dfd, nc, f, p, true, 5, 1e14);
        v = other > 1e-100 && other < 1e14 ? other : v;
    }
    return v < 1e14 ? v : 1e100;
}

GNP_FN f64 ncfdtrinc(f64 dfn, f64 dfd, f64 p, f64 f)
{
    if (!(is_positive(dfn) && is_positive(dfd) && p >= 0 && p < 1 && f >= 0)) return NAN_F64;
    if (p == 0 || f == 0 || f == INFINITY_F64) return f == 0 && p > 0 ? 0.0 : INFINITY_F64;
    return ncfdtr_root(dfn, dfd, NAN_F64, f, p, false, fmax(1.0, dfn * (f - 1)), 1e300);
}
}

#endif
