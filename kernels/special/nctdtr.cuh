// nctdtr.cuh: the noncentral t distribution, its quantile and its inverses by parameters. For nc, t > 0 a mixture of
// incomplete beta functions with Poisson weights of whole and half orders (Lenth 1989, Benton and Krishnamoorthy
// 2003). Between the signs its terms alternate and cancel: there the integral of Phi(t s - nc) over the distribution
// of s = sqrt(chi2/df), by the trapezoidal rule in log s, all of whose terms are positive.
#ifndef GNP_SPECIAL_NCTDTR_CUH
#define GNP_SPECIAL_NCTDTR_CUH

#include "special/beta_mixture.cuh"
#include "special/ndtr.cuh"
#include "special/root.cuh"

namespace special {

// P(T < -t) for nc, t > 0; or the density at -t, for t >= 0 and any nc.
template <bool DENSITY> GNP_COLD f64 nct_integral(f64 df, f64 nc, f64 t)
{
    // the largest term is about where df (1 - s^2) = t s (t s + nc), written for t < 1 and for 1/t < 1
    f64 a = 0.5 * df, least = fmin(t, 1.0), r = df / fmax(t, 1.0);
    f64 top = 2 * r / (least * nc + sqrt(least * least * (nc * nc + 4 * df) + 4 * r * r)), ts = t * top;
    f64 step = fmin(0.5 / sqrt(2 * (top * top * df + ts * ts) + ts * nc), 0.1), start = log(top), sum = 0, term = 0;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
#pragma unroll 1
        for (int i = side; i < 1000; i++) {
            f64 u = start + step * (side ? i : -i), s = exp(u);
            const f64 y = fma(t, s, nc);
            term = DENSITY ? s * exp(-0.5 * y * y) / ROOT_TWO_PI_F64 : normal_tail_called(y);
            term *= exp(-a * (expm1(2 * u) - 2 * u));
            sum += term;
            if (!(term > 1e-18 * sum) && i > 8) break;
            if (!side && s * fmax(1.0, t * (fabs(nc) + 1)) < 1e-17) {
                sum += term / expm1((DENSITY ? df + 1 : df) * step); // from here on a geometric series
                break;
            }
        }
    }
    return df * poisson_weight(a, a) * step * sum;
}

// P(T <= t), or P(T > t), for finite arguments, df > 0.
GNP_COLD f64 nct_of(f64 df, f64 nc, f64 t, bool upper)
{
    if (nc < 0 || (nc == 0 && t < 0)) {
        nc = -nc;
        t = -t;
        upper = !upper;
    }
    if (t < 0 && nc > 0) {
        f64 lower = nct_integral<false>(df, nc, -t);
        return upper ? 1 - lower : lower;
    }
    if (t > 1e150) t = 1e150;
    f64 sum = df + t * t, mean = 0.5 * nc * nc, rest = upper ? 0 : normal_tail_called(nc);
    CentralBeta even = {0.5, 0.5 * df, t * t / sum, df / sum}, odd = even;
    odd.a = 1;
    if (!(even.x > 0)) return upper ? 1 - normal_tail_called(nc) : rest;
    if (!(even.y > 0)) return upper ? 0.0 : 1.0;
    return rest + 0.5 * (poisson_mixture(even, mean, 0, upper) + poisson_mixture(odd, mean, 0.5, upper));
}

GNP_FN f64 nctdtr(f64 df, f64 nc, f64 t)
{
    if (!(df > 0) || nc != nc || t != t) return NAN_F64;
    if (fabs(t) == INFINITY_F64) return t > 0 ? 1.0 : 0.0;
    if (fabs(nc) == INFINITY_F64) return NAN_F64;
    return df == INFINITY_F64 ? ndtr_called(t - nc) : nct_of(df, nc, t, false);
}

// As a function of df, nc and t: the one that is NaN, times `sign`.
struct NoncentralT {
    f64 df, nc, t, sign;

    __device__ __noinline__ f64 operator()(f64 v, bool upper) const
    {
        v *= sign;
        return nct_of(df == df ? df : v, nc == nc ? nc : v, t == t ? t : v, upper);
    }
};

GNP_COLD f64 nctdtr_root(const NoncentralT &d, f64 p, bool rising, f64 start, f64 most)
{
    Level<NoncentralT> f = {d, p, 1 - p};
    return d.sign * positive_root(f, rising, start, 1e-300, most);
}

GNP_FN f64 nctdtrit(f64 df, f64 nc, f64 p)
{
    if (!(df > 0 && fabs(nc) < INFINITY_F64 && p >= 0 && p <= 1)) return NAN_F64;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY_F64 : INFINITY_F64;
    if (df == INFINITY_F64) return nc + ndtri(p);
    bool negative = p <= 0.5 ? p < ndtr_called(-nc) : 1 - p > ndtr_called(nc);
    f64 t = nctdtr_root({df, nc, NAN_F64, negative ? -1.0 : 1.0}, p, !negative, fmax(fabs(nc), 1.0), 1e300);
    return fabs(t) > 1e-17 ? t : 0;
}

// The degrees of freedom with nctdtr = p; SciPy's bound 1e100 where the normal distribution has less.
GNP_FN f64 nctdtridf(f64 p, f64 nc, f64 t)
{
    if (!(p > 0 && p < 1 && fabs(nc) < INFINITY_F64 && fabs(t) < INFINITY_F64) || t == 0) return NAN_F64;
    f64 v = nctdtr_root({NAN_F64, nc, t, 1}, p, t > 0, 5, 1e14); // not monotonic: the root may be on either side
    if (!(v > 1e-300 && v < 1e14)) {
        f64 other = nctdtr_root({NAN_F64, nc, t, 1}, p, t < 0, 5, 1e14);
        v = other > 1e-300 && other < 1e14 ? other : v;
    }
    return v >= 1e14 ? 1e100 : v > 1e-300 ? v : NAN_F64;
}

GNP_FN f64 nctdtrinc(f64 df, f64 p, f64 t)
{
    if (!(df > 0 && p > 0 && p < 1 && fabs(t) < INFINITY_F64)) return NAN_F64;
    if (df == INFINITY_F64) return t - ndtri(p);
    f64 lower = nct_of(df, 0, t, false);
    bool negative = p <= 0.5 ? p > lower : 1 - p < nct_of(df, 0, t, true);
    f64 nc = nctdtr_root({df, NAN_F64, t, negative ? -1.0 : 1.0}, p, negative, fmax(fabs(t), 1.0), 1e150);
    return fabs(nc) > 1e-17 ? nc : 0;
}
}

#endif
