// erf_complex.cuh: error functions of complex numbers. 1 - exp(-z^2) w(iz) is written with the sum and the residue of
// w apart: 1 less the residue's part is a hyperbolic tangent or cotangent, so nothing cancels but near 0, where the
// power series of DLMF 7.6.1 is taken.
#ifndef GNP_SPECIAL_ERF_COMPLEX_CUH
#define GNP_SPECIAL_ERF_COMPLEX_CUH

#include "special/erf.cuh"
#include "special/faddeeva.cuh"

namespace special {

GNP_FN bool is_near_zero(f64 x, f64 y) { return x * x + y * y < 0.5; }

// erf(z) for |z| < 0.8.
GNP_CALL c128 erf_series(c128 z)
{
    c128 t(-(z.re - z.im) * (z.re + z.im), -2 * z.re * z.im), sum(ERF_SERIES[14], 0);
#pragma unroll 1
    for (int k = 13; k >= 0; k--) {
        sum = c128(fma(sum.re, t.re, fma(-sum.im, t.im, ERF_SERIES[k])), fma(sum.re, t.im, sum.im * t.re));
    }
    return z * sum;
}

// x, y >= 0. exp(-z^2) erfc(-iz) without the residue is conj(sum) at y + i x.
GNP_CALL c128 erf_quadrant(f64 x, f64 y)
{
    if (is_near_zero(x, y)) return erf_series(c128(x, y));
    bool midpoint = is_midpoint(y, x);
    c128 sum = faddeeva_sum(y, x, midpoint), rest(1, 0);
    if (!is_residue_small(y, x)) faddeeva_residue(y, x, midpoint, rest);
    c128 e = exp_minus_square_times(c128(x, y), c128(sum.re, -sum.im));
    return c128(rest.re - e.re, -rest.im - e.im);
}

GNP_CALL c128 erfc_quadrant(f64 x, f64 y)
{
    if (is_near_zero(x, y)) {
        c128 e = erf_series(c128(x, y));
        return c128(1 - e.re, -e.im);
    }
    bool midpoint = is_midpoint(y, x);
    c128 sum = faddeeva_sum(y, x, midpoint), rest, r(0, 0);
    if (!is_residue_small(y, x)) r = faddeeva_residue(y, x, midpoint, rest);
    c128 e = exp_minus_square_times(c128(x, y), c128(sum.re, -sum.im));
    return c128(e.re + 2 * r.re, e.im - 2 * r.im);
}

// The results for arguments on the axes and beyond all numbers.
GNP_CALL c128 erf(c128 z)
{
    if (z.im == 0) return c128(::erf(z.re), isinf(z.re) || is_nan(z.re) ? 0 : z.im);
    if (z.re == 0) return c128(z.re, erfi(z.im));
    if (!is_finite(z)) return isfinite(z.im) && isinf(z.re) ? c128(copysign(1.0, z.re), 0) : c128(NAN_F64, NAN_F64);
    c128 w = erf_quadrant(fabs(z.re), fabs(z.im));
    return c128(copysign(1.0, z.re) * w.re, copysign(1.0, z.im) * w.im);
}

GNP_CALL c128 erfc(c128 z)
{
    if (z.im == 0) return c128(::erfc(z.re), z.re == 0 ? -z.im : 0.0);
    if (z.re == 0) return c128(1, -erfi(z.im));
    if (!is_finite(z)) return isfinite(z.im) && isinf(z.re) ? c128(z.re > 0 ? 0 : 2, 0) : c128(NAN_F64, NAN_F64);
    c128 w = erfc_quadrant(fabs(z.re), fabs(z.im));
    if (z.re < 0) w = c128(2 - w.re, w.im); // 2 - erfc(-z)
    return z.im < 0 ? c128(w.re, -w.im) : w;
}

GNP_FN c128 erfcx(c128 z) { return wofz(c128(-z.im, z.re)); }
GNP_FN c128 erfi(c128 z)
{
    c128 w = erf(c128(-z.im, z.re));
    return c128(w.im, -w.re);
}

// Dawson's integral: i sqrt(pi) / 2 (exp(-z^2) - w(z)).
GNP_CALL c128 dawsn_quadrant(f64 x, f64 y)
{
    const f64 half_root_pi = 0x1.c5bf891b4ef6bp-1;
    if (is_near_zero(x, y)) {
        c128 e = exp_minus_square_times(c128(x, y), erf_series(c128(-y, x)));
        return c128(half_root_pi * e.im, -half_root_pi * e.re);
    }
    bool midpoint = is_midpoint(x, y);
    c128 sum = faddeeva_sum(x, y, midpoint), rest(1, 0), e(0, 0);
    if (!is_residue_small(x, y) && x < 30) faddeeva_residue(x, y, midpoint, rest);
    if (y > x || x < 30) e = exp_minus_square_times(c128(x, y), rest);
    return c128(half_root_pi * (sum.im - e.im), half_root_pi * (e.re - sum.re));
}

GNP_CALL c128 dawsn(c128 z)
{
    if (z.im == 0) return c128(dawsn(z.re), -z.im);
    if (isinf(z.im)) return c128(z.re == 0 ? z.re : NAN_F64, is_finite(z.re) ? z.im : NAN_F64);
    if (z.re == 0) return c128(z.re, 0x1.c5bf891b4ef6bp-1 * (exp_minus_square(c128(0, z.im)).re * ::erf(z.im)));
    if (!is_finite(z)) return isfinite(z.im) && isinf(z.re) ? c128(0, 0) : c128(NAN_F64, NAN_F64);
    c128 w = dawsn_quadrant(fabs(z.re), fabs(z.im));
    return c128(copysign(1.0, z.re) * w.re, copysign(1.0, z.im) * w.im);
}
}

// Beside CUDA's own for real numbers.
GNP_FN c128 erf(c128 z) { return special::erf(z); }
GNP_FN c128 erfc(c128 z) { return special::erfc(z); }
GNP_FN c128 erfcx(c128 z) { return special::erfcx(z); }

#endif
