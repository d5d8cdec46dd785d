// Airy functions of a complex argument: Ai, Ai', Bi, Bi', plain and scaled by e^zeta and e^-|Re zeta|, where zeta is
// 2/3 z^(3/2). |z| <= 1: Maclaurin series (DLMF 9.4). Beyond, for Im z >= 0 (the rest is the conjugate): by K and I of
// order 1/3 and 2/3 at zeta (9.6.2 to 9.6.5) where |arg z| <= 2 pi / 3, else by Hankel's functions at 2/3 (-z)^(3/2)
// (9.6.6 to 9.6.9). The rounding error of zeta is made good by one step of Taylor's series.
#ifndef GNP_SPECIAL_AIRY_COMPLEX_CUH
#define GNP_SPECIAL_AIRY_COMPLEX_CUH

#include "special/bessel_complex.cuh"

namespace special {

struct ComplexAirys {
    c128 ai, dai, bi, dbi;
};

// a b + c d and its rounding error.
GNP_FN f64 two_products(f64 a, f64 b, f64 c, f64 d, f64 &low)
{
    const f64 p = __dmul_rn(a, b), q = __dmul_rn(c, d), sum = __dadd_rn(p, q), part = __dsub_rn(sum, p);
    low = fma(a, b, -p) + fma(c, d, -q) + (__dsub_rn(p, __dsub_rn(sum, part)) + __dsub_rn(q, part));
    return sum;
}

// 2/3 z^(3/2), and what is missing to it.
static __device__ __noinline__ c128 airy_zeta(c128 z, c128 &low)
{
    const f64 third = 0x1.5555555555555p-1;
    const c128 s = root(z);
    f64 re_low, im_low, s_re_low, s_im_low;
    const f64 re = two_products(z.re, s.re, -z.im, s.im, re_low), im = two_products(z.re, s.im, z.im, s.re, im_low);
    const f64 s_re = two_products(s.re, s.re, -s.im, s.im, s_re_low);
    const f64 s_im = two_products(s.re, s.im, s.im, s.re, s_im_low);
    const c128 root_low = times(0.5, divided(c128((z.re - s_re) - s_re_low, (z.im - s_im) - s_im_low), s));
    const c128 rest = c128(re_low, im_low) + z * root_low;
    const c128 zeta = c128(__dmul_rn(third, re), __dmul_rn(third, im));
    low = c128(fma(third, re, -zeta.re) + fma(0x1.5555555555555p-55, re, third * rest.re),
               fma(third, im, -zeta.im) + fma(0x1.5555555555555p-55, im, third * rest.im));
    return zeta;
}

static __device__ __noinline__ ComplexAirys airy_series(c128 z)
{
    const f64 c1 = 0.35502805388781723926, c2 = 0.25881940379280679841, root3 = 1.7320508075688772935;
    const c128 cube = z * z * z;
    c128 f = c128(1.0), g = z, df = c128(0.0), dg = c128(1.0), tf = f, tg = z, tdf = times(0.5, z * z), tdg = dg;
#pragma unroll 1
    for (int k = 1; k < 16; k++) {
        const f64 n = 3 * k;
        df = df + tdf;
        tdf = times(1 / (n * (n + 2)), tdf * cube);
        tf = times(1 / ((n - 1) * n), tf * cube);
        tg = times(1 / (n * (n + 1)), tg * cube);
        tdg = times(1 / (n * (n - 2)), tdg * cube);
        f = f + tf;
        g = g + tg;
        dg = dg + tdg;
    }
    const c128 a = times(c1, f), b = times(c2, g), da = times(c1, df), db = times(c2, dg);
    return ComplexAirys{a - b, da - db, times(root3, a + b), times(root3, da + db)};
}

// Im z >= 0, arg z <= 2 pi / 3.
static __device__ __noinline__ ComplexAirys airy_by_modified(c128 z, c128 zeta, bool scaled)
{
    const c128 factor = times(0.57735026918962576451, root(z)), slope = times(0.57735026918962576451, z);
    c128 k1 = complex_k(1.0 / 3, zeta, scaled), k2 = complex_k(2.0 / 3, zeta, scaled);
    const c128 i1 = complex_i(1.0 / 3, zeta, scaled), i2 = complex_i(2.0 / 3, zeta, scaled);
    ComplexAirys r;
    r.ai = times(0.31830988618379067154, factor * k1);
    r.dai = times(-0.31830988618379067154, slope * k2);
    if (scaled) {
        k1 = times_exp(k1, -zeta.re - fabs(zeta.re), -zeta.im, 0);
        k2 = times_exp(k2, -zeta.re - fabs(zeta.re), -zeta.im, 0);
    }
    const f64 part = 0.55132889542179204143; // sqrt(3) / pi
    r.bi = factor * (times(2.0, i1) + times(part, k1));
    r.dbi = slope * (times(2.0, i2) + times(part, k2));
    return r;
}

// Im z >= 0, arg z > 2 pi / 3; w = -z, x = 2/3 w^(3/2), so that zeta = -ix and Im x <= 0.
static __device__ __noinline__ ComplexAirys airy_by_hankel(c128 w, c128 x, bool scaled)
{
    const c128 factor = times(0.5 * 0.57735026918962576451, root(w)), slope = times(0.5 * 0.57735026918962576451, w);
    const c128 p1 = complex_hankel(1.0 / 3, x, 1, true), q1 = complex_hankel(1.0 / 3, x, 2, true);
    const c128 p2 = complex_hankel(2.0 / 3, x, 1, true), q2 = complex_hankel(2.0 / 3, x, 2, true);
    const f64 c = 0.86602540378443864676, size = scaled ? x.im : 0.0; // Im x is -|Re zeta|
    // p e^(ix), q e^(-ix), for Ai times e^(-ix), for Bi times e^(Im x)
    const f64 ar = scaled ? 0.0 : -x.im, ap = scaled ? 0.0 : x.re;
    const f64 br = scaled ? 2 * x.im : x.im, bp = scaled ? -2 * x.re : -x.re;
    ComplexAirys r;
    r.ai = factor * (times_exp(c128(c, 0.5) * p1, ar, ap, 0) + times_exp(c128(c, -0.5) * q1, br, bp, 0));
    r.dai = slope * (times_exp(c128(c, -0.5) * p2, ar, ap, 0) + times_exp(c128(c, 0.5) * q2, br, bp, 0));
    const f64 up = size - x.im, down = size + x.im, phase = x.re;
    r.bi = factor * (times_exp(c128(-0.5, c) * p1, up, phase, 0) + times_exp(c128(-0.5, -c) * q1, down, -phase, 0));
    r.dbi = slope * (times_exp(c128(0.5, c) * p2, up, phase, 0) + times_exp(c128(0.5, -c) * q2, down, -phase, 0));
    return r;
}

static __device__ __noinline__ ComplexAirys airy_complex(c128 z, bool scaled)
{
    const f64 size = modulus(z);
    if (!(size < 1048576.0)) return ComplexAirys{complex_nan(), complex_nan(), complex_nan(), complex_nan()};
    const bool lower = z.im < 0;
    if (lower) z.im = -z.im;
    z.im = fabs(z.im);
    ComplexAirys r;
    if (size <= 1) {
        r = airy_series(z);
        if (scaled) {
            const c128 zeta = size == 0 ? c128(0.0) : times(2.0 / 3, z * root(z));
            r.ai = times_exp(r.ai, zeta.re, zeta.im, 0);
            r.dai = times_exp(r.dai, zeta.re, zeta.im, 0);
            r.bi = times_exp(r.bi, -fabs(zeta.re), 0.0, 0);
            r.dbi = times_exp(r.dbi, -fabs(zeta.re), 0.0, 0);
        }
    }
    else {
        const bool right = z.re >= 0 || z.im >= -1.7320508075688772 * z.re;
        const c128 w = right ? z : c128(-z.re, -z.im);
        c128 low;
        const c128 zeta = airy_zeta(w, low);
        r = right ? airy_by_modified(z, zeta, scaled) : airy_by_hankel(w, zeta, scaled);
        const c128 shift = divided(low, root(w)), d = right ? shift : -shift, zd = z * d;
        const c128 turned_low = right ? low : turned_back(low);
        const c128 of_ai = scaled ? turned_low : c128(0.0);
        const f64 size_low = !right ? low.im : zeta.re < 0 ? low.re : -low.re; // of -|Re zeta|
        const c128 of_bi = c128(scaled ? size_low : 0.0);
        const ComplexAirys s = r;
        r.ai = s.ai + d * s.dai + of_ai * s.ai;
        r.dai = s.dai + zd * s.ai + of_ai * s.dai;
        r.bi = s.bi + d * s.dbi + of_bi * s.bi;
        r.dbi = s.dbi + zd * s.bi + of_bi * s.dbi;
        r = ComplexAirys{nan_if_infinite(r.ai), nan_if_infinite(r.dai), nan_if_infinite(r.bi), nan_if_infinite(r.dbi)};
    }
    return lower ? ComplexAirys{conj_of(r.ai), conj_of(r.dai), conj_of(r.bi), conj_of(r.dbi)} : r;
}

template <class F> GNP_FN void airy(Complex<F> z, Complex<F> &ai, Complex<F> &dai, Complex<F> &bi, Complex<F> &dbi)
{
    const ComplexAirys r = airy_complex(c128(z), false);
    ai = r.ai;
    dai = r.dai;
    bi = r.bi;
    dbi = r.dbi;
}

template <class F> GNP_FN void airye(Complex<F> z, Complex<F> &ai, Complex<F> &dai, Complex<F> &bi, Complex<F> &dbi)
{
    const ComplexAirys r = airy_complex(c128(z), true);
    ai = r.ai;
    dai = r.dai;
    bi = r.bi;
    dbi = r.dbi;
}
}

#endif
