// binomial.cuh: distribution functions that are incomplete beta functions: binomial, negative binomial, F and
// Student's t.
#ifndef GNP_SPECIAL_BINOMIAL_CUH
#define GNP_SPECIAL_BINOMIAL_CUH

#include "special/betainc.cuh"
#include "special/ndtr.cuh"

namespace special {

GNP_FN f64 bdtr(f64 k, f64 n, f64 p)
{
    k = floor(k);
    if (!(p >= 0 && p <= 1) || !(k >= 0) || n < k || n != n) return NAN_F64;
    return k == n ? 1.0 : k == 0 ? pow(1 - p, n) : betaincc(k + 1, n - k, p);
}
GNP_FN f64 bdtrc(f64 k, f64 n, f64 p)
{
    k = floor(k);
    if (!(p >= 0 && p <= 1) || k != k || n < k || n != n) return NAN_F64;
    if (k < 0) return 1;
    return k == n ? 0.0 : k == 0 ? (p < 0.01 ? -expm1(n * log1p(-p)) : 1 - pow(1 - p, n)) : betainc(k + 1, n - k, p);
}
GNP_FN f64 bdtr(f64 k, i64 n, f64 p) { return bdtr(k, (f64)n, p); }
GNP_FN f64 bdtrc(f64 k, i64 n, f64 p) { return bdtrc(k, (f64)n, p); }

GNP_FN f64 nbdtr(f64 k, f64 n, f64 p)
{
    return !(p >= 0 && p <= 1) || !(k >= 0) || !(n > 0) ? NAN_F64 : betainc(trunc(n), trunc(k) + 1, p);
}
GNP_FN f64 nbdtrc(f64 k, f64 n, f64 p)
{
    return !(p >= 0 && p <= 1) || !(k >= 0) || !(n > 0) ? NAN_F64 : betaincc(trunc(n), trunc(k) + 1, p);
}
GNP_FN f64 nbdtr(i64 k, i64 n, f64 p) { return nbdtr((f64)k, (f64)n, p); }
GNP_FN f64 nbdtrc(i64 k, i64 n, f64 p) { return nbdtrc((f64)k, (f64)n, p); }

// a x / (b + a x), or the share of b: the smaller of them decides.
GNP_FN f64 fdtr(f64 a, f64 b, f64 x)
{
    if (!(a > 0 && b > 0 && x >= 0 && a < INFINITY_F64 && b < INFINITY_F64)) return NAN_F64;
    f64 w = a * x;
    return w <= b ? betainc(0.5 * a, 0.5 * b, w / (b + w)) : betaincc(0.5 * b, 0.5 * a, b / (b + w));
}
GNP_FN f64 fdtrc(f64 a, f64 b, f64 x)
{
    if (!(a > 0 && b > 0 && x >= 0 && a < INFINITY_F64 && b < INFINITY_F64)) return NAN_F64;
    f64 w = a * x;
    return w <= b ? betaincc(0.5 * a, 0.5 * b, w / (b + w)) : betainc(0.5 * b, 0.5 * a, b / (b + w));
}

GNP_FN f64 stdtr(f64 df, f64 t)
{
    if (!(df > 0) || t != t) return NAN_F64;
    if (df == INFINITY_F64) return ndtr(t);
    f64 s = t * t;
    f64 tail = s < df ? 0.5 * betaincc(0.5, 0.5 * df, s / (df + s))
                      : s < INFINITY_F64 ? 0.5 * betainc(0.5 * df, 0.5, df / (df + s)) : 0.0;
    return t < 0 ? tail : 1 - tail;
}
}

#endif
