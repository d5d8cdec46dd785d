// binomial.cuh: distribution functions that are incomplete beta functions: binomial, negative binomial, F and
// Student's t.
#ifndef GNP_SPECIAL_BINOMIAL_CUH
#define GNP_SPECIAL_BINOMIAL_CUH

#include "special/betainc.cuh"
#include "special/ndtr.cuh"

namespace special {

// (1 - p)^n for 0 <= p < 1.
GNP_COLD f64 power_of_rest(f64 p, f64 n)
{
    f64 rest, q = two_sum(1, -p, rest);
    if (q <= 0) return n == 0 ? 1.0 : 0.0;
    Pair y = log_pair_called(q);
    f64 product = __dmul_rn(n, y.high), value = exp_called(product);
    f64 more = fma(n, y.high, -product) + n * (y.low + rest / q); // large where p is lost beside 1
    if (!(value > 0)) return 0;
    return more < -0.5 ? value * exp_called(more) : fma(value, expm1_called(more), value);
}

GNP_FN f64 bdtr(f64 k, f64 n, f64 p)
{
    k = floor(k);
    if (!(p >= 0 && p <= 1) || !(k >= 0) || n < k || n != n) return NAN_F64;
    return k == n ? 1.0 : k == 0 ? power_of_rest(p, n) : betaincc(k + 1, n - k, p);
}
GNP_FN f64 bdtrc(f64 k, f64 n, f64 p)
{
    k = floor(k);
    if (!(p >= 0 && p <= 1) || k != k || n < k || n != n) return NAN_F64;
    if (k < 0) return 1;
    return k == n ? 0.0 : k == 0 ? (p < 1 ? -expm1_called(n * log1p_called(-p)) : 1.0) : betainc(k + 1, n - k, p);
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

// The smaller of v/(v + w) and w/(v + w) in two parts, for v = high + low.
GNP_COLD Pair smaller_share(Pair v, f64 w)
{
    f64 error, whole = two_sum(v.high, w, error);
    Pair part = v.high <= w ? v : Pair{w, 0}, share;
    share.high = part.high / whole;
    share.low = (fma(-share.high, whole, part.high) + part.low - share.high * (error + v.low)) / whole;
    return share;
}
GNP_FN Pair exact_product(f64 a, f64 b)
{
    f64 product = __dmul_rn(a, b);
    return Pair{product, fma(a, b, -product)};
}

// I_{v/(v + w)}(a, b), or 1 less it, by whichever share is smaller.
GNP_COLD f64 beta_of_share(f64 a, f64 b, Pair v, f64 w, bool upper)
{
    Pair share = smaller_share(v, w);
    return v.high <= w ? beta_side(a, b, share.high, share.low, upper)
                       : beta_side(b, a, share.high, share.low, !upper);
}

GNP_FN f64 fdtr_side(f64 a, f64 b, f64 x, bool upper)
{
    if (!(a > 0 && b > 0 && x >= 0 && a < INFINITY_F64 && b < INFINITY_F64)) return NAN_F64;
    if (a * x > 1e300) return beta_of_share(0.5 * a, 0.5 * b, Pair{a * x, 0}, b, upper);
    return beta_of_share(0.5 * a, 0.5 * b, exact_product(a, x), b, upper);
}
GNP_FN f64 fdtr(f64 a, f64 b, f64 x) { return fdtr_side(a, b, x, false); }
GNP_FN f64 fdtrc(f64 a, f64 b, f64 x) { return fdtr_side(a, b, x, true); }

GNP_FN f64 stdtr(f64 df, f64 t)
{
    if (!(df > 0) || t != t) return NAN_F64;
    if (df == INFINITY_F64) return ndtr(t);
    f64 tail = fabs(t) < 1e150 ? 0.5 * beta_of_share(0.5, 0.5 * df, exact_product(t, t), df, true)
               : t * t < INFINITY_F64 ? 0.5 * betainc(0.5 * df, 0.5, df / t / t) : 0.0;
    return t < 0 ? tail : 1 - tail;
}
}

#endif
