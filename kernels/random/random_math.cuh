// random_math.cuh: elementary functions whose results are the same bits on every device. They are built of
// what IEEE 754 rounds exactly (+ - * / sqrt fma, conversions) and of integer operations, in a fixed order;
// they use no compiler's library and no approximate instruction without correction. Error: a few units in the
// last place, far below what a sample could show.
#ifndef GNP_RANDOM_MATH_CUH
#define GNP_RANDOM_MATH_CUH

#include "random/random_log.cuh"

#define LN2_HIGH 6.93147180369123816490e-01 // the first 32 bits of ln 2, and the rest
#define LN2_LOW 1.90821492927058770002e-10
#define PI 3.14159265358979323846
#define HUGE_F64 __longlong_as_double(0x7ff0000000000000ll)
#define NAN_F64 __longlong_as_double(0x7ff8000000000000ll)

// c[N - 1] x^(N - 1) + ... + c[0], by Horner's rule.
template <int N, class F> GNP_FN F polynomial(F x, const F (&c)[N])
{
    F y = c[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; i--) {
        y = fma(y, x, c[i]);
    }
    return y;
}

// ---- f32: what the fast distributions need --------------------------------------------------------

// -ln(m / 2^32) of m = w | 1, truncated to a float, so never 0. With m / 2^32 = (1 + f) 2^e and 1 + f in
// [sqrt(1/2), sqrt(2)), ln(1 + f) = f + f^2 P(f), P by interpolation at Chebyshev's nodes.
GNP_FN f32 minus_log_unit(u32 w)
{
    const f32 c[] = {-0.5000008940696716f, 0.333341121673584f, -0.24982450902462006f, 0.19929057359695435f,
                     -0.17132386565208435f, 0.15984095633029938f, -0.10188586264848709f};
    const u32 low = 0x3f3504f3u; // sqrt(1/2)
    u32 above = __float_as_uint(__uint2float_rz(w | 1u)) - low - 0x10000000u; // divided by 2^32
    f32 f = __uint_as_float((above & 0x007fffffu) + low) - 1.0f, s = f * f;
    return fmaf((f32)((i32)above >> 23), -0.6931471805599453f, -fmaf(s, polynomial(f, c), f));
}

// The square root of x in [2^-100, 2^100], correctly rounded: the steps into which ptxas expands sqrt.rn.f32,
// without the test for other x. The result of the approximate instruction is corrected to the last bit;
// tests/random/test_same_bits.py checks all mantissas.
GNP_FN f32 root_of(f32 x)
{
    f32 r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    f32 y = x * r;
    return fmaf(fmaf(-y, y, x), 0.5f * r, y);
}
GNP_FN f64 root_of(f64 x) { return sqrt(x); }

// The sine and cosine of a right angles, a in [-1/2, 1/2].
GNP_FN void near_zero(f32 a, f32 &sine, f32 &cosine)
{
    const f32 sines[] = {1.5707963705062866f, -0.6459634900093079f, 0.07968021929264069f, -0.004602149128913879f};
    const f32 cosines[] = {1.0f, -1.2337005138397217f, 0.253669410943985f, -0.02086152881383896f,
                           0.0009067399078048766f};
    f32 b = a * a;
    sine = a * polynomial(b, sines);
    cosine = polynomial(b, cosines);
}

// A point of the circle of radius r, uniform in w: its 23 highest bits are the angle within a quadrant, the
// lowest two choose the quadrant.
GNP_FN void on_circle(u32 w, f32 r, f32 &x, f32 &y)
{
    f32 s, c;
    near_zero(__uint_as_float(__funnelshift_r(w, 0x7f, 9)) - 1.5f, s, c);
    f32 signed_r = __uint_as_float(__float_as_uint(r) ^ w << 31);
    x = signed_r * (w & 2 ? s : c);
    y = signed_r * (w & 2 ? c : s);
}

// The tangent of pi (w + 1/2) / 2^32: never infinite.
GNP_FN f32 tangent(u32 w)
{
    u32 sector = (w + 0x40000000u) & 0x80000000u; // the nearest right angle
    f32 s, c;
    near_zero(((f32)(i32)(w - sector) + 0.5f) * 4.6566128730773926e-10f, s, c); // 2^-31
    return sector ? -c / s : s / c;
}

// e^x: 2^n e^r with |r| <= ln 2 / 2, and the series of e^r.
GNP_FN f32 exp_of(f32 x)
{
    const f32 c[] = {1.0f, 1.0f, 1.0f / 2, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040};
    if (!(x < 88.73f)) {
        return x != x ? x : __uint_as_float(0x7f800000u);
    }
    if (x < -104.0f) {
        return 0.0f;
    }
    f32 n = rintf(x * 1.4426950408889634f);
    f32 r = fmaf(-n, -1.904654299957768e-09f, fmaf(-n, 0.693147182464599609375f, x));
    i32 half = (i32)n / 2, rest = (i32)n - half;
    return polynomial(r, c) * __uint_as_float((u32)(half + 127) << 23) * __uint_as_float((u32)(rest + 127) << 23);
}

// ---- f64 ------------------------------------------------------------------------------------------

// ln x for normal x. With x = m 2^e, m in [3/4, 3/2), and c the nearest multiple of 1/64 to m it is e ln 2 +
// ln c + ln(1 + r), r = m / c - 1, a series of few terms (P.-T. P. Tang, "Table-driven implementation of the
// logarithm function in IEEE floating-point arithmetic", ACM TOMS 16, 1990). Near 1 the other terms are 0, so
// the result keeps its relative accuracy there.
GNP_FN f64 log_normal(f64 x)
{
    const f64 c[] = {-1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8};
    i64 bits = __double_as_longlong(x), n = (bits - 0x3fe8000000000000ll) >> 52;
    f64 m = __longlong_as_double(bits - (n << 52)), e = (f64)(int)n;
    // Adding 3 2^45 rounds m to multiples of 2^-6, which are then the lowest bits.
    int i = (int)__double_as_longlong(m + 105553116266496.0) & 127;
    LogStep step = LOG_STEPS[i - 48];
    f64 r = fma(m, step.inverse, -1.0);
    return fma(e, LN2_HIGH, step.log) + (fma(r * r, polynomial(r, c), e * LN2_LOW) + r);
}

GNP_FN f64 log_of(f64 x)
{
    if (x >= 2.2250738585072014e-308 && x < HUGE_F64) {
        return log_normal(x);
    }
    if (x > 0) {
        return x < 1.0 ? log_normal(x * 18014398509481984.0) - 54 * (LN2_HIGH + LN2_LOW) : x; // 2^54
    }
    return x == 0 ? -HUGE_F64 : NAN_F64;
}

// The same, not inlined: for rare branches.
__device__ __noinline__ f64 log_not_inlined(f64 x) { return log_of(x); }

// The rounding error of 1 + x is compensated to first order (W. Kahan).
GNP_FN f64 log1p_of(f64 x)
{
    f64 y = 1.0 + x;
    return y == 1.0 ? x : log_not_inlined(y) + (y > 0 && y < HUGE_F64 ? (x - (y - 1.0)) / y : 0.0);
}

// 2^n x in two steps, where n may be outside the exponent range.
GNP_FN f64 scale_by(f64 x, int n)
{
    int half = n / 2;
    return x * __longlong_as_double((i64)(half + 1023) << 52) * __longlong_as_double((i64)(n - half + 1023) << 52);
}

// (e^r - 1) / r for |r| <= 0.36: the series.
GNP_FN f64 exp_series(f64 r)
{
    const f64 c[] = {1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                     1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0, 1.0 / 87178291200.0};
    return polynomial(r, c);
}

GNP_FN f64 exp_of(f64 x)
{
    if (!(x < 710.0)) {
        return x != x ? x : HUGE_F64;
    }
    if (x < -746.0) {
        return 0.0;
    }
    f64 n = rint(x * 1.4426950408889634), r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x));
    return scale_by(fma(r, exp_series(r), 1.0), (int)n);
}

GNP_FN f64 expm1_of(f64 x) { return x > -0.35 && x < 0.35 ? x * exp_series(x) : exp_of(x) - 1.0; }

// x^y for x >= 0.
GNP_FN f64 power_of(f64 x, f64 y) { return y == 0.0 ? 1.0 : exp_of(y * log_of(x)); }

// The sine and cosine of 2 pi t / 2^64.
GNP_FN void sincos_turns(u64 t, f64 &sine, f64 &cosine)
{
    const f64 c[] = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                     -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    const f64 s[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                     -1.0 / 1307674368000.0};
    u64 quarter = t + 0x2000000000000000ull; // the nearest multiple of a right angle
    f64 x = (f64)(i64)(t - (quarter & 0xc000000000000000ull)) * (PI * 1.0842021724855044e-19); // 2^-63
    f64 y = x * x, sn = x * polynomial(y, s), cs = polynomial(y, c);
    bool swap = quarter & 0x4000000000000000ull;
    i64 sign = (i64)(quarter & 0x8000000000000000ull);
    i64 turned = (i64)((quarter + 0x4000000000000000ull) & 0x8000000000000000ull);
    sine = __longlong_as_double(__double_as_longlong(swap ? cs : sn) ^ sign);
    cosine = __longlong_as_double(__double_as_longlong(swap ? sn : cs) ^ turned);
}

GNP_FN void on_circle(u64 w, f64 r, f64 &x, f64 &y)
{
    sincos_turns(w, y, x);
    x *= r;
    y *= r;
}

// The arc tangent of x >= 0: tan(a / 2) = tan a / (1 + sqrt(1 + tan^2 a)) thrice, then the series.
GNP_FN f64 arctan_of(f64 x)
{
    const f64 c[] = {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17,
                     -1.0 / 19, 1.0 / 21, -1.0 / 23};
    if (x > 1e150) {
        return PI / 2;
    }
#pragma unroll
    for (int i = 0; i < 3; i++) {
        x = x / (1.0 + sqrt(1.0 + x * x));
    }
    return 8.0 * x * polynomial(x * x, c);
}

// ln Gamma(x) for x > 0: Stirling's series above 8, the recurrence below. Not inlined: kernels use it in
// several rare branches.
__device__ __noinline__ f64 log_gamma(f64 x)
{
    const f64 c[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156,
                     -3617.0 / 122400};
    f64 below = 1.0;
#pragma unroll 1
    while (x < 8.0) {
        below *= x;
        x += 1.0;
    }
    f64 r = 1.0 / x;
    f64 value = (x - 0.5) * log_not_inlined(x) - x + 0.91893853320467274178 + r * polynomial(r * r, c);
    return below == 1.0 ? value : value - log_not_inlined(below);
}

#endif
