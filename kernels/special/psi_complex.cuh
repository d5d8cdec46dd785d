// The digamma function of a complex number: DLMF 5.11.2 from |z| = 10 on, the recurrence (5.5.2) below, the
// reflection (5.5.4) for Re z < 0, and a Taylor series at the zero 1.46.
#ifndef GNP_SPECIAL_PSI_COMPLEX_CUH
#define GNP_SPECIAL_PSI_COMPLEX_CUH

#include "special/gamma_complex.cuh"
#include "special/psi.cuh"

namespace special {

// For Re z >= 0.
GNP_COLD void psi_right(c128 z, c128 &y)
{
    c128 w = c128((z.re - PSI_ROOT[0]) - PSI_ROOT[1], z.im), sum = c128(0.0);
    if (w.re * w.re + w.im * w.im <= 0.25) {
        y = w * polynomial_loop(PSI_AT_ROOT, w);
        return;
    }
#pragma unroll 1
    while (z.re < 10 && fabs(z.im) < 10) { // at most 10 steps
        sum = sum + c128(1.0) / z;
        z.re += 1;
    }
    c128 t = c128(1.0) / z, u = t * t;
    y = log_called(z) - c128(0.5 * t.re, 0.5 * t.im) - u * polynomial_loop(PSI_SERIES, u) - sum;
}

// cot(pi z), without cancellation at its poles and zeros.
GNP_FN c128 cotpi(c128 z)
{
    if (fabs(z.im) > 10) {
        return c128(0.0, -copysign(1.0, z.im));
    }
    f64 r = z.re - rint(z.re), s = sinpi(r), c = cospi(r), sh = ::sinh(PI_F64 * z.im), ch = ::cosh(PI_F64 * z.im);
    f64 size = s * s + sh * sh;
    return c128(s * c / size, -sh * ch / size);
}

GNP_FN c128 psi(c128 z)
{
    if (!is_finite(z)) {
        return z.re != z.re || z.im != z.im || z.re == -INFINITY_F64 ? c128(NAN_F64, NAN_F64) : log_called(z);
    }
    if (z.im == 0) {
        bool pole = z.re <= 0 && floor(z.re) == z.re;
        return pole ? c128(NAN_F64, NAN_F64) : c128(psi_called(z.re), 0.0);
    }
    c128 y;
    psi_right(z.re < 0 ? c128(1 - z.re, -z.im) : z, y);
    if (z.re < 0) {
        c128 c = cotpi(z);
        y = c128(y.re - PI_F64 * c.re, y.im - PI_F64 * c.im);
    }
    return y;
}
}

#endif
