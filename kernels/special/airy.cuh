// Airy functions of a real argument: Ai, Ai', Bi, Bi', plain and scaled.
//
// [-9, 1]: Taylor series about the nearest multiple of 1/2; the equation w'' = x w gives the coefficients from
// the value and the derivative there. (1, 9]: Chebyshev interpolants of the scaled functions. Beyond: the
// expansions of DLMF 9.7(ii), their sums as polynomials in 1/zeta, zeta = 2/3 |x|^(3/2) in two words.
#ifndef GNP_SPECIAL_AIRY_CUH
#define GNP_SPECIAL_AIRY_CUH

#include "special/common.cuh"
#include "special/airy_fits.cuh"

namespace special {

struct AiryZeta {
    f64 high, low;
};

struct Airys {
    f64 ai, dai, bi, dbi;
};

// 2/3 x^(3/2) for 0 <= x < 1e200.
GNP_FN AiryZeta airy_zeta(f64 x)
{
    const f64 root = sqrt(x), product = __dmul_rn(x, root), third = 0x1.5555555555555p-1;
    const f64 root_low = root > 0 ? 0.5 * fma(-root, root, x) / root : 0.0;
    const f64 low = fma(x, root, -product) + x * root_low, high = __dmul_rn(product, third);
    return AiryZeta{high, fma(product, third, -high) + fma(product, 0x1.5555555555555p-55, low * third)};
}

static __device__ __noinline__ f64 exp_of(AiryZeta z)
{
    const f64 e = exp(z.high);
    return fma(e, z.low, e);
}

// e^(-zeta)
GNP_FN f64 exp_minus(AiryZeta z) { return exp_of(AiryZeta{-z.high, -z.low}); }

// Taylor series of a solution of w'' = (c + h) w from w(c) and w'(c).
static __device__ __noinline__ void airy_taylor(f64 c, f64 h, f64 w, f64 dw, f64 &value, f64 &slope)
{
    f64 a0 = w, a1 = dw, a2 = 0.5 * c * w, power = h, sum = w, dsum = dw;
    f64 rest = 0, drest = 0;
#pragma unroll 1
    for (int n = 1; n < 20; n++) { // a0, a1, a2 are of h^(n-1), h^n, h^(n+1); power is h^n
        const f64 next = (c * a1 + a0) / (f64)((n + 1) * (n + 2));
        rest = fma(a1, power, rest);
        drest = fma((f64)(n + 1) * a2, power, drest);
        power *= h;
        a0 = a1;
        a1 = a2;
        a2 = next;
    }
    value = sum + rest;
    slope = dsum + drest;
}

GNP_FN Airys airy_near(f64 x)
{
    const int i = (int)rint(2 * x) + 18;
    const f64 c = 0.5 * (i - 18), *row = AIRY_CENTERS + 4 * i;
    Airys r;
    airy_taylor(c, x - c, row[0], row[1], r.ai, r.dai);
    airy_taylor(c, x - c, row[2], row[3], r.bi, r.dbi);
    return r;
}

// Four polynomials of n coefficients each.
static __device__ __noinline__ Airys airy_polynomials(const f64 *table, int n, f64 t)
{
    const f64 *a = table, *b = table + n, *c = table + 2 * n, *d = table + 3 * n;
    Airys r = {a[n - 1], b[n - 1], c[n - 1], d[n - 1]};
#pragma unroll 1
    for (int i = n - 2; i >= 0; i--) {
        r = Airys{fma(r.ai, t, a[i]), fma(r.dai, t, b[i]), fma(r.bi, t, c[i]), fma(r.dbi, t, d[i])};
    }
    return r;
}

// Ai e^zeta, Ai' e^zeta, Bi e^-zeta, Bi' e^-zeta of x > 1.
GNP_FN Airys airy_positive(f64 x, f64 zeta)
{
    if (x <= 9) {
        const int i = x <= 2 ? 0 : x <= 3.5 ? 1 : x <= 5.75 ? 2 : 3;
        const f64 middle = i == 0 ? 1.5 : i == 1 ? 2.75 : i == 2 ? 4.625 : 7.375;
        const f64 half = i == 0 ? 0.5 : i == 1 ? 0.75 : i == 2 ? 1.125 : 1.625;
        return airy_polynomials(AIRY_MIDDLE + 80 * i, 20, (x - middle) / half);
    }
    const Airys r = airy_polynomials(AIRY_FAR, 13, fma(36.0, 1 / zeta, -1.0));
    const f64 root = sqrt(sqrt(x)), inverse = 1 / root;
    return Airys{r.ai * inverse, r.dai * root, r.bi * inverse, r.dbi * root};
}

// x < -9. The phase zeta - pi/4 is turned by sums of sine and cosine.
static __device__ __noinline__ Airys airy_oscillating(f64 x)
{
    const AiryZeta z = airy_zeta(-x);
    const f64 u = 1 / z.high, t = fma(648.0 * u, u, -1.0), root = sqrt(sqrt(-x)), half = 0.70710678118654752440;
    f64 s, c;
    sincos(z.high, &s, &c);
    const f64 s1 = fma(c, z.low, s), c1 = fma(-s, z.low, c);
    s = half * (s1 - c1);
    c = half * (s1 + c1);
    const Airys sums = airy_polynomials(AIRY_WAVE, 9, t);
    const f64 p = sums.ai, q = sums.dai * u, r = sums.bi, w = sums.dbi * u;
    return Airys{fma(c, p, s * q) / root, fma(s, r, -c * w) * root, fma(-s, p, c * q) / root, fma(c, r, s * w) * root};
}

// SciPy's functions end where zeta has lost all digits of its fraction.
GNP_FN bool airy_in_range(f64 x) { return fabs(x) < 1048576.0; }

static __device__ __noinline__ Airys airy_real(f64 x, bool scaled)
{
    if (!airy_in_range(x)) return Airys{NAN_F64, NAN_F64, NAN_F64, NAN_F64};
    if (x < -9) {
        Airys r = airy_oscillating(x);
        if (scaled) r.ai = r.dai = NAN_F64;
        return r;
    }
    const AiryZeta z = airy_zeta(fmax(x, 0.0));
    Airys r = x <= 1 ? airy_near(x) : airy_positive(x, z.high);
    if (scaled != (x > 1)) {
        const f64 down = exp_minus(z), up = exp_of(z);
        r.ai *= x <= 1 ? up : down;
        r.dai *= x <= 1 ? up : down;
        r.bi *= x <= 1 ? down : up;
        r.dbi *= x <= 1 ? down : up;
    }
    if (scaled && x < 0) r.ai = r.dai = NAN_F64;
    return r;
}

template <class O> GNP_FN void airy(f64 x, O &ai, O &dai, O &bi, O &dbi)
{
    const Airys r = airy_real(x, false);
    ai = (O)r.ai;
    dai = (O)r.dai;
    bi = (O)r.bi;
    dbi = (O)r.dbi;
}

template <class O> GNP_FN void airye(f64 x, O &ai, O &dai, O &bi, O &dbi)
{
    const Airys r = airy_real(x, true);
    ai = (O)r.ai;
    dai = (O)r.dai;
    bi = (O)r.bi;
    dbi = (O)r.dbi;
}
}

#endif
