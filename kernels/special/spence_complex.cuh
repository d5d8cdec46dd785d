// spence_complex.cuh: the dilogarithm Li2(1 - z) of complex numbers by the series of spence.cuh, which converges for
// |log z| < 2 pi, and DLMF 25.12.4 and 25.12.6. Below the real axis by conjugation.
#ifndef GNP_SPECIAL_SPENCE_COMPLEX_CUH
#define GNP_SPECIAL_SPENCE_COMPLEX_CUH

#include "complex.cuh"
#include "special/spence.cuh"
#include "special/spence_fits.cuh"

namespace special {

// 0.5 <= |z| <= 2: the terms fall at least as 4^-k.
GNP_CALL c128 spence_ring(c128 z)
{
    c128 u = -log_called(z), s = u * u, sum(DEBYE_LONG[32], 0);
#pragma unroll 1
    for (int k = 31; k >= 0; k--) {
        sum = sum * s + c128(DEBYE_LONG[k], 0);
    }
    return u * (c128(1 - 0.25 * u.re, -0.25 * u.im) + s * sum);
}

// 0 < |z| < 0.5, and from it Re (1 - z) > 0.5.
GNP_CALL c128 spence_inner(c128 z)
{
    c128 rest = spence_ring(c128(1 - z.re, -z.im));
    return c128(0x1.a51a6625307d3p+0, 0) - log_called(z) * log1p(c128(-z.re, -z.im)) - rest;
}

GNP_CALL c128 spence_upper(c128 z)
{
    f64 size = fmax(fabs(z.re), fabs(z.im));
    if (size == 0) return c128(0x1.a51a6625307d3p+0, 0);
    f64 r = hypot(z.re, z.im);
    if (r < 0.5) return spence_inner(z);
    if (r <= 2) return spence_ring(z);
    // 1 / conj(z) is above the axis as z is
    c128 logarithm = log_called(z), back = spence_inner(c128(z.re / r / r, z.im / r / r));
    return c128(-0.5 * logarithm.re, -0.5 * logarithm.im) * logarithm - c128(back.re, -back.im);
}

GNP_CALL c128 spence(c128 z)
{
    if (!is_finite(z)) return c128(NAN_F64, NAN_F64);
    if (z.im == 0 && z.re >= 0) return c128(spence(z.re), 0);
    c128 w = spence_upper(c128(z.re, fabs(z.im)));
    return signbit(z.im) ? c128(w.re, -w.im) : w;
}
}

#endif
