// Stirling's series and log(1 + x) - x: what ratios of gamma functions are made of.
//   stirling_tail  ln Gamma(x) - [(x - 1/2) ln x - x + ln(2 pi)/2], DLMF 5.11.1, by minimax approximations
//   log1pmx        log(1 + x) - x from the series of the inverse hyperbolic tangent, DLMF 4.6.4
#ifndef GNP_SPECIAL_STIRLING_CUH
#define GNP_SPECIAL_STIRLING_CUH

#include "special/log_pair.cuh"
#include "special/stirling_fits.cuh"

namespace special {

// Below 8: a quotient by 1/x. Below 1 one step of the recurrence, whose error is absolute: 1e-16.
GNP_COLD f64 stirling_tail_near(f64 x)
{
    f64 step = 0;
    if (x < 1) {
        step = (x + 0.5) * (x < 1e-20 ? -log_called(x) : log1p_called(1 / x)) - 1;
        x += 1;
    }
    f64 t = 1 / x;
    return t * (polynomial_loop(STIRLING_NEAR_P, t) / polynomial_loop(STIRLING_NEAR_Q, t)) + step;
}

// For x >= 8.
GNP_FN f64 stirling_tail_far(f64 x)
{
    f64 t = 1 / x;
    return t * polynomial(STIRLING_FAR, t * t);
}

// For x > 0.
GNP_COLD f64 stirling_tail(f64 x) { return x >= 8 ? stirling_tail_far(x) : stirling_tail_near(x); }

// With r = x/(2 + x): log(1 + x) = 2 atanh(r) and 2 r - x = -x r, so nothing cancels.
GNP_FN f64 log1pmx(f64 x)
{
    if (x >= -0.57 && x <= 1.33) {
        f64 r = x / (2 + x), s = r * r;
        return r * fma(2 * s, polynomial(ATANH_REST, s), -x);
    }
    return log1p_called(x) - x;
}
}

#endif
