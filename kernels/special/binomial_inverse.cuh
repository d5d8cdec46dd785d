// binomial_inverse.cuh: quantiles and inverses of the distributions of binomial.cuh, by betaincinv.
#ifndef GNP_SPECIAL_BINOMIAL_INVERSE_CUH
#define GNP_SPECIAL_BINOMIAL_INVERSE_CUH

#include "special/betaincinv.cuh"
#include "special/ndtr.cuh"

namespace special {

// The p with bdtr(k, n, p) = y.
GNP_FN f64 bdtri(f64 k, f64 n, f64 y)
{
    k = floor(k);
    if (!(y >= 0 && y <= 1) || !(k >= 0) || !(n > k)) return NAN_F64;
    if (k == 0) return y > 0.8 ? -expm1_called(log1p_called(y - 1) / n) : 1 - exp_called(log_called(y) / n);
    return betainccinv(k + 1, n - k, y);
}
GNP_FN f64 bdtri(f64 k, i64 n, f64 y) { return bdtri(k, (f64)n, y); }

GNP_FN f64 nbdtri(f64 k, f64 n, f64 y)
{
    return !(y >= 0 && y <= 1) || !(k >= 0) ? NAN_F64 : betaincinv(trunc(n), trunc(k) + 1, y);
}
GNP_FN f64 nbdtri(i64 k, i64 n, f64 y) { return nbdtri((f64)k, (f64)n, y); }

// The x with fdtr(a, b, x) = p.
GNP_FN f64 fdtri(f64 a, f64 b, f64 p)
{
    return a > 0 && b > 0 && p >= 0 && p <= 1 ? b * beta_odds(0.5 * a, 0.5 * b, p, false) / a : NAN_F64;
}

// The t with stdtr(df, t) = p, from the odds of t^2 / (df + t^2).
GNP_FN f64 stdtrit(f64 df, f64 p)
{
    if (!(df > 0) || !(p >= 0 && p <= 1)) return NAN_F64;
    if (df == INFINITY_F64) return ndtri(p);
    if (p == 0 || p == 1) return p == 0 ? -INFINITY_F64 : INFINITY_F64;
    f64 tail = p < 0.5 ? p : 1 - p;
    bool far = tail <= 0.25;
    f64 t = sqrt(df * beta_odds(0.5, 0.5 * df, far ? 2 * tail : fabs(1 - 2 * p), far));
    return p < 0.5 ? -t : t;
}
}

#endif
