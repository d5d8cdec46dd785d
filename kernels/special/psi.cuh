// The digamma function of a real number. Factors for its zeros 1.46 and -0.504, minimax approximations up to 8,
// DLMF 5.11.2 beyond, the recurrence (5.5.2) below 1 and the reflection (5.5.4) below 0.
#ifndef GNP_SPECIAL_PSI_CUH
#define GNP_SPECIAL_PSI_CUH

#include "special/common.cuh"
#include "special/psi_fits.cuh"

namespace special {

// For x > 0.
GNP_FN f64 psi_positive(f64 x)
{
    if (x >= 8) {
        f64 t = 1 / x, u = t * t;
        return ::log(x) - fma(u, polynomial(PSI_FAR, u), 0.5 * t);
    }
    if (x >= 2) {
        f64 t = x - 2;
        return fma(t, 0.25, 0.4375 + polynomial(PSI_MIDDLE_P, t) / polynomial(PSI_MIDDLE_Q, t));
    }
    bool small = x < 1;
    f64 t = small ? x : x - 1;
    f64 d = (t - (PSI_ROOT[0] - 1)) - PSI_ROOT[1];
    f64 y = d * (1 + polynomial(PSI_NEAR_P, t) / polynomial(PSI_NEAR_Q, t));
    return small ? y - 1 / x : y;
}

// For x <= 0, given psi(1 - x).
GNP_COLD f64 psi_reflected(f64 x, f64 above)
{
    if (floor(x) == x) {
        return x == 0 ? -copysign(INFINITY_F64, x) : NAN_F64;
    }
    if (fabs(x + 0.5) < 0.1) {
        return ((x - PSI_ROOT_BELOW[0]) - PSI_ROOT_BELOW[1]) * polynomial_loop(PSI_BELOW, x + 0.6);
    }
    f64 r = x - rint(x);
    return above - PI_F64 * (cospi(r) / sinpi(r));
}

GNP_FN f64 psi(f64 x)
{
    f64 y = psi_positive(x <= 0 ? 1 - x : x);
    return x <= 0 ? psi_reflected(x, y) : y;
}

GNP_COLD f64 psi_called(f64 x) { return psi(x); }
}

#endif
