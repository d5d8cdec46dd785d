// Integrals of the Airy functions from 0. Up to 15: the Taylor series about the nearest multiple of 1/2, integrated
// term by term from the integral up to there. Beyond: the expansions of DLMF 9.10(ii), whose coefficients are
// a(k) = u(k) + (k - 1/2) a(k-1) with the u(k) of 9.7.2.
#ifndef GNP_SPECIAL_ITAIRY_CUH
#define GNP_SPECIAL_ITAIRY_CUH

#include "special/airy.cuh"
#include "special/itairy_fits.cuh"

namespace special {

struct AiryIntegrals {
    f64 ai, bi;
};

// The integral over [c, c + h] of the solution of w'' = x w with w(c), w'(c).
GNP_FN f64 airy_taylor_integral(f64 c, f64 h, f64 w, f64 dw)
{
    f64 a0 = w, a1 = dw, a2 = 0.5 * c * w, power = h, sum = 0;
#pragma unroll 1
    for (int n = 1; n < 20; n++) { // as in airy_taylor
        const f64 next = (c * a1 + a0) / (f64)((n + 1) * (n + 2));
        sum = fma(a1 / (n + 1), power, sum);
        power *= h;
        a0 = a1;
        a1 = a2;
        a2 = next;
    }
    return h * (w + sum);
}

GNP_FN AiryIntegrals itairy_near(f64 x)
{
    const int i = (int)rint(2 * x) + 30;
    const f64 c = 0.5 * (i - 30), h = x - c, *row = ITAIRY_CENTERS + 6 * i;
    return AiryIntegrals{row[4] + airy_taylor_integral(c, h, row[0], row[1]),
                         row[5] + airy_taylor_integral(c, h, row[2], row[3])};
}

static __device__ __noinline__ AiryIntegrals itairy_far(f64 x)
{
    const f64 size = fabs(x);
    const AiryZeta z = airy_zeta(size);
    const f64 u = 1 / z.high, factor = 0.56418958354775628695 / sqrt(size * sqrt(size));
    // By powers of 1/zeta: all terms, the alternating sums of even and of odd ones.
    f64 a = 1, uk = 1, power = 1, plain = 1, even = 1, odd = 0;
#pragma unroll 1
    for (int k = 1; k < 36; k++) {
        uk *= (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216.0 * k * (2 * k - 1));
        a = fma(k - 0.5, a, uk);
        power *= u;
        const f64 term = a * power, sign = k & 2 ? -1.0 : 1.0;
        plain += term;
        if (k & 1) odd = fma(sign, term, odd);
        else even = fma(sign, term, even);
        if (term < 1e-18) break;
    }
    if (x > 0) { // what is missing to 1/3 is below 1e-17
        if (z.high > 1000) return AiryIntegrals{1.0 / 3, INFINITY_F64};
        // what the roots lack joins what the exponent does
        const f64 r = sqrt(size), p = __dmul_rn(size, r), f = sqrt(p);
        const f64 p_low = fma(size, r, -p) + size * (fma(-r, r, size) / (2 * r));
        const f64 low = z.low - 0.5 * (p_low + fma(-f, f, p)) / p, lead = 0.56418958354775628695 / f * plain;
        const f64 whole = exp(z.high < 600 ? z.high : 0.5 * z.high);
        return AiryIntegrals{1.0 / 3, fma(whole, low, whole) * (z.high < 600 ? lead : whole * lead)};
    }
    f64 s, c;
    sincos(z.high, &s, &c);
    const f64 s1 = fma(c, z.low, s), c1 = fma(-s, z.low, c), half = 0.70710678118654752440;
    s = half * (s1 + c1); // of zeta + pi/4
    c = half * (c1 - s1);
    return AiryIntegrals{-(2.0 / 3) + factor * fma(c, even, s * odd), -factor * fma(s, even, -c * odd)};
}

GNP_FN AiryIntegrals itairy_of(f64 x) { return fabs(x) <= 15 ? itairy_near(x) : itairy_far(x); }

// Of Ai(t), Bi(t), Ai(-t), Bi(-t).
template <class O> GNP_FN void itairy(f64 x, O &ai, O &bi, O &ai_minus, O &bi_minus)
{
    if (!(fabs(x) < INFINITY_F64)) { // SciPy has the limits of Ai alone
        ai = (O)(x == INFINITY_F64 ? 1.0 / 3 : NAN_F64);
        ai_minus = (O)(x == -INFINITY_F64 ? -1.0 / 3 : NAN_F64);
        bi = bi_minus = (O)NAN_F64;
        return;
    }
    if (x == 0) {
        ai = bi = ai_minus = bi_minus = (O)x;
        return;
    }
    const AiryIntegrals p = itairy_of(x), m = itairy_of(-x);
    ai = (O)p.ai;
    bi = (O)p.bi;
    ai_minus = (O)-m.ai;
    bi_minus = (O)-m.bi;
}
}

#endif
