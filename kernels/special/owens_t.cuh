// owens_t.cuh: Owen's T function (1/2 pi) times the integral of exp(-h^2 (1 + x^2)/2)/(1 + x^2) from 0 to a.
// |a| > 1 goes to 1/a (Patefield and Tandy 2000, 2.1-2.5); then Gauss's rule as in their method T5, with nodes
// enough for every h, as beyond x = 8.5/h nothing is left of the integrand. All terms are positive.
#ifndef GNP_SPECIAL_OWENS_T_CUH
#define GNP_SPECIAL_OWENS_T_CUH

#include "special/ndtr.cuh"
#include "special/owens_t_fits.cuh"

namespace special {

// For h >= 0, 0 <= a <= 1.
GNP_COLD f64 owens_t_inner(f64 h, f64 a)
{
    f64 end = h * a > 8.5 ? 8.5 / h : a, sum = 0, s = h * h, e = exp(-0.5 * s);
#pragma unroll 1
    for (int i = 0; i < 20; i++) {
        f64 x = end * LEGENDRE_NODES[i], hx = h * x;
        sum += LEGENDRE_WEIGHTS[i] * exp(-0.5 * hx * hx) / fma(x, x, 1.0);
    }
    e = e > 0 ? fma(e, -0.5 * fma(h, h, -s), e) : 0;
    return e * (end * (0.5 / PI_F64)) * sum;
}

GNP_COLD f64 owens_t(f64 h, f64 a)
{
    if (h != h || a != a) return NAN_F64;
    f64 t, b = fabs(a);
    h = fabs(h);
    if (h == INFINITY_F64) {
        t = 0;
    }
    else if (h == 0 && b < INFINITY_F64) {
        t = atan(b) * (0.5 / PI_F64);
    }
    else if (b <= 1) {
        t = owens_t_inner(h, b);
    }
    else {
        f64 p = normal_tail(h);
        t = 0.5 * p;
        if (b < INFINITY_F64) {
            f64 q = normal_tail(h * b);
            t = 0.5 * (p + q) - p * q - owens_t_inner(h * b, 1 / b);
        }
    }
    return copysign(t, a);
}
}

#endif
