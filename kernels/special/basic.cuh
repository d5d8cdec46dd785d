// basic.cuh: short functions of scipy.special for real numbers: logistic and entropy functions, losses,
// Box-Cox transformations, functions of angles in degrees. Templates have the accuracy stated in f32 as well;
// the others are computed in f64.
#ifndef GNP_SPECIAL_BASIC_CUH
#define GNP_SPECIAL_BASIC_CUH

#include "special/basic_fits.cuh"
#include "special/common.cuh"

namespace special {

template <class F> GNP_FN F infinite() { return (F)INFINITY_F64; }
template <class F> GNP_FN F not_a_number() { return (F)NAN_F64; }

// ---- logistic functions ----------------------------------------------------------------------------------

// 1 / (1 + exp(-x)), small to the smallest number where x is negative.
template <class F> GNP_FN F expit(F x)
{
    F e = exp(-fabs(x));
    return (x < 0 ? e : F(1)) / (F(1) + e);
}

template <class F> GNP_FN F log_expit(F x) { return (x < 0 ? x : F(0)) - log1p(exp(-fabs(x))); }

// log(x / (1 - x)); around its zero 2 artanh(2x - 1), whose argument is exact.
GNP_FN f64 logit(f64 x)
{
    return x > 0.3 && x < 0.65 ? 2 * atanh(2 * x - 1) : log(x / (1 - x));
}

GNP_FN f32 logit(f32 x)
{
    f32 s = fma(2.0f, x, -1.0f);
    return fabsf(s) < 0.4f ? s * polynomial(LOGIT_F32, s * s) : log(x / (1 - x));
}

// ---- entropies -------------------------------------------------------------------------------------------

template <class F> GNP_FN F xlogy(F x, F y) { return x == 0 && y == y ? F(0) : x * log(y); }
template <class F> GNP_FN F xlog1py(F x, F y) { return x == 0 && y == y ? F(0) : x * log1p(y); }

template <class F> GNP_FN F entr(F x)
{
    return x > 0 ? -x * log(x) : x == 0 ? F(0) : x < 0 ? -infinite<F>() : x;
}

// log(x / y) for positive numbers: the quotient may leave the range, and close to 1 loses digits.
GNP_FN f64 log_ratio(f64 x, f64 y)
{
    f64 ratio = x / y;
    if (ratio > 0.5 && ratio < 2) return log1p((x - y) / y);
    return ratio > 0x1p-1022 && ratio < INFINITY_F64 ? log(ratio) : log(x) - log(y);
}

GNP_FN f64 rel_entr(f64 x, f64 y)
{
    if (x > 0 && y > 0) return x * log_ratio(x, y);
    return x != x || y != y ? NAN_F64 : x == 0 && y >= 0 ? 0 : INFINITY_F64;
}

// x (t - log(1 + t)) with t = (y - x) / x: the first power of t cancels exactly where it is small. There
// log(1 + t) is summed by powers of t / (2 + t).
GNP_FN f64 kl_div(f64 x, f64 y)
{
    if (!(x > 0 && y > 0)) return x != x || y != y ? NAN_F64 : x == 0 && y >= 0 ? y : INFINITY_F64;
    f64 t = (y - x) / x;
    if (fabs(t) > 0.25) return x * -log_ratio(y, x) + (y - x);
    f64 r = t / (2 + t), s = r * r, sum = 0;
#pragma unroll
    for (int k = 19; k >= 3; k -= 2) {
        sum = fma(sum, s, 1.0 / k);
    }
    return x * (r * (t - 2 * s * sum));
}

// ---- losses ----------------------------------------------------------------------------------------------

template <class F> GNP_FN F huber(F delta, F r)
{
    F size = fabs(r);
    return delta < 0 ? infinite<F>() : size <= delta ? F(0.5) * r * r : delta * (size - F(0.5) * delta);
}

// delta^2 (sqrt(1 + v^2) - 1) with v = r / delta.
template <class F> GNP_FN F pseudo_huber(F delta, F r)
{
    if (delta < 0) return infinite<F>();
    if (delta == 0 || r == 0) return F(0);
    F v = r / delta;
    return delta * r * (fabs(v) > F(1e20) ? copysign(F(1), v) : v / (F(1) + hypot(F(1), v)));
}

// ---- Box-Cox transformations -----------------------------------------------------------------------------

GNP_FN f64 boxcox(f64 x, f64 lambda)
{
    f64 logarithm = log(x), t = lambda * logarithm;
    if (fabs(lambda) < 1e-19) return logarithm;
    if (!(fabs(t) >= 1)) return expm1(t) / lambda;
    f64 half = pow(x, 0.5 * lambda); // its square may overflow where the quotient does not
    return t < 700 ? (pow(x, lambda) - 1) / lambda : half / lambda * half;
}

GNP_FN f64 boxcox1p(f64 x, f64 lambda)
{
    f64 logarithm = log1p(x), t = lambda * logarithm;
    if (fabs(lambda) < 1e-19 || (fabs(logarithm) < 1e-289 && fabs(lambda) < 1e273)) return logarithm;
    if (t < 700) return expm1(t) / lambda;
    return exp(0.5 * t) / lambda * exp(0.5 * t);
}

GNP_FN f64 inv_boxcox(f64 x, f64 lambda)
{
    if (lambda == 0) return exp(x);
    f64 t = lambda * x;
    if (t < INFINITY_F64) return exp(log1p(t) / lambda);
    return exp((log(copysign(1.0, lambda) * (x + 1 / lambda)) + log(fabs(lambda))) / lambda);
}

GNP_FN f64 inv_boxcox1p(f64 x, f64 lambda)
{
    if (lambda == 0) return expm1(x);
    f64 t = lambda * x;
    if (fabs(t) < 1e-154) return x;
    if (t < INFINITY_F64) return expm1(log1p(t) / lambda);
    return expm1((log(copysign(1.0, lambda) * (x + 1 / lambda)) + log(fabs(lambda))) / lambda);
}

// ---- exponentials and cosines less one -------------------------------------------------------------------

GNP_FN f64 exprel(f64 x) { return fabs(x) < 1e-20 ? 1.0 : x == INFINITY_F64 ? x : expm1(x) / x; }

GNP_FN f64 cosm1(f64 x)
{
    f64 s = sin(0.5 * x);
    return -2 * s * s;
}

// ---- angles in degrees -----------------------------------------------------------------------------------

// x - 180 k in [-90, 90], exact, and k. Beyond 1e14 the functions are 0, as SciPy's.
GNP_FN f64 half_turns(f64 x, f64 &k)
{
    k = rint(x / 180);
    return fma(-k, 180.0, x);
}
GNP_FN bool is_odd(f64 k) { return fma(-2.0, rint(0.5 * k), k) != 0; }

GNP_FN f64 sindg(f64 x)
{
    f64 k, r = half_turns(x, k);
    if (fabs(x) > 1e14) return 0;
    f64 s = r == 0 ? 0.0 : sinpi(r / 180);
    return is_odd(k) ? -s : s;
}

GNP_FN f64 cosdg(f64 x)
{
    f64 k, r = half_turns(x, k);
    if (fabs(x) > 1e14) return 0;
    f64 c = sinpi((90 - fabs(r)) / 180);
    return is_odd(k) ? -c : c;
}

GNP_FN f64 tandg(f64 x)
{
    f64 k, r = half_turns(x, k);
    if (fabs(x) > 1e14) return 0;
    if (fabs(r) == 90) return INFINITY_F64;
    return fabs(r) == 45 ? copysign(1.0, r) : r == 0 ? 0.0 : sinpi(r / 180) / sinpi((90 - fabs(r)) / 180);
}

GNP_FN f64 cotdg(f64 x)
{
    f64 k, r = half_turns(x, k);
    if (fabs(x) > 1e14) return 0;
    if (r == 0) return INFINITY_F64;
    return fabs(r) == 45 ? copysign(1.0, r) : fabs(r) == 90 ? 0.0 : sinpi((90 - fabs(r)) / 180) / sinpi(r / 180);
}

// Degrees, minutes and seconds of arc in radians; pi / 648000 of a second.
GNP_FN f64 radian(f64 degrees, f64 minutes, f64 seconds)
{
    const f64 second = 0x1.455a5b2ff8f9dp-18;
    return ((degrees * 60 + minutes) * 60 + seconds) * second;
}

// ---- the arithmetic-geometric mean -----------------------------------------------------------------------

// DLMF 19.8(i). Converges quadratically; numbers of very different size need a few steps more.
GNP_FN f64 agm(f64 a, f64 b)
{
    if (a != a || b != b || (a < 0 && b > 0) || (a > 0 && b < 0)) return NAN_F64;
    f64 sign = a < 0 ? -1.0 : 1.0;
    a = fabs(a), b = fabs(b);
    if (a == 0 || b == 0) return a == INFINITY_F64 || b == INFINITY_F64 ? NAN_F64 : 0.0;
    if (a == INFINITY_F64 || b == INFINITY_F64) return sign * INFINITY_F64;
#pragma unroll 1
    for (int step = 0; step < 40 && fabs(a - b) > 4 * EPSILON_F64 * a; step++) {
        f64 mean = 0.5 * a + 0.5 * b;
        b = sqrt(a) * sqrt(b);
        a = mean;
    }
    return sign * (0.5 * a + 0.5 * b);
}
}

#endif
