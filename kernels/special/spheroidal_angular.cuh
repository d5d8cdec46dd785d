// Angular spheroidal functions of the first kind, with Flammer's normalisation: value and slope at 0 are those of the
// Legendre function of the same degree and order, without the sign (-1)^m. Where these are too small for the sums,
// those of oblate functions whose c exceeds n by far, the differential equation is followed from 0; where prolate ones are
// small near -1 and 1, they are the solution that is regular there.
#ifndef GNP_SPECIAL_SPHEROIDAL_ANGULAR_CUH
#define GNP_SPECIAL_SPHEROIDAL_ANGULAR_CUH

#include "special/spheroidal_solution.cuh"
#include "special/spheroidal_sums.cuh"

namespace special {

// The Legendre function, or its slope where n - m is odd, at 0: DLMF 14.5.1, 14.5.2.
GNP_COLD f64 legendre_at_0(const SpheroidalRows &rows)
{
    const int few = rows.index, all = few + (int)(rows.m + rows.start);
    f64 product = few & 1 ? -1.0 : 1.0;
#pragma unroll 1
    for (int i = 1; i <= all; i++) {
        product *= i <= few ? (2 * i - 1) / (2.0 * i) : 2 * i - 1;
    }
    return product;
}

// At x from the solution at |x|.
GNP_FN Solution reflected(Solution v, f64 x, bool odd)
{
    return x >= 0 ? v : odd ? Solution{-v.value, v.slope} : Solution{v.value, -v.slope};
}

GNP_COLD void spheroidal_angular_at(const SpheroidalRows &rows, f64 cv, f64 x, f64 &value, f64 &slope)
{
    value = slope = NAN_F64;
    if (!(rows.valid && fabs(cv) < INFINITY_F64 && fabs(x) < 1)) return;
    LegendreTerms terms(rows, x);
    spheroidal_sums(rows, cv, terms);
    const f64 start = legendre_at_0(rows);
    const bool odd = rows.start != 0;
    Solution v = {terms.value.sum, terms.slope.sum};
    f64 scale = start / terms.origin.sum;
    if (terms.origin.loss() > 8 && rows.c2 < 0) {
        // Close to 1 the solution that is singular there would take over, and the sums serve.
        const SpheroidalEquation e = {1, rows.m, cv, rows.c2};
        const f64 size = fabs(x), edge = fmax(1 - 2 / sqrt(-rows.c2), 0.25), last = fmin(size, edge);
        const Solution inner = spheroidal_follow(e, 0, last, odd ? Solution{0, start} : Solution{start, 0});
        scale = 1;
        if (size > edge) {
            LegendreTerms there(rows, edge);
            spheroidal_sums(rows, cv, there);
            const bool flat = fabs(there.value.sum) > (1 - edge) * fabs(there.slope.sum);
            scale = flat ? inner.value / there.value.sum : inner.slope / there.slope.sum;
        }
        else v = reflected(inner, x, odd);
    }
    else if (rows.c2 > 0 && terms.end.loss() > 64 && terms.value.loss() > 64) {
        const SpheroidalEquation e = {1, rows.m, cv, rows.c2};
        const Solution at_0 = spheroidal_regular(e, 1), regular = spheroidal_regular(e, 1 - fabs(x));
        scale = start / (odd ? at_0.slope : at_0.value);
        v = reflected(regular, x, odd);
    }
    const f64 square = (1 - x) * (1 + x), power = scale * pow(square, 0.5 * rows.m);
    value = power * v.value;
    slope = power * (v.slope - rows.m * x / square * v.value);
}

template <int SIDE, class O> GNP_FN void spheroidal_angular_cv(f64 m, f64 n, f64 c, f64 cv, f64 x, O &value, O &slope)
{
    f64 y, dy;
    spheroidal_angular_at(spheroidal_function_rows(m, n, c, SIDE), cv, x, y, dy);
    value = (O)y;
    slope = (O)dy;
}
template <int SIDE, class O> GNP_FN void spheroidal_angular(f64 m, f64 n, f64 c, f64 x, O &value, O &slope)
{
    spheroidal_angular_cv<SIDE>(m, n, c, spheroidal_value(spheroidal_rows(m, n, c, SIDE)), x, value, slope);
}
}

#endif
