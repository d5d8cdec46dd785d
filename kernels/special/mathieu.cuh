// The characteristic values and the angular functions of Mathieu: mathieu_a, mathieu_b, mathieu_cem, mathieu_sem.
#ifndef GNP_SPECIAL_MATHIEU_CUH
#define GNP_SPECIAL_MATHIEU_CUH

#include "special/mathieu_core.cuh"

namespace special {

GNP_FN f64 mathieu_a(f64 m, f64 q) { return mathieu_value(mathieu_rows(m, q, true)); }
GNP_FN f64 mathieu_b(f64 m, f64 q) { return mathieu_value(mathieu_rows(m, q, false)); }

template <class O> GNP_FN void mathieu_cem(f64 m, f64 q, f64 x, O &value, O &slope)
{
    const MathieuRows r = mathieu_rows(m, q, true);
    f64 y, dy;
    mathieu_angular(r, mathieu_value(r), x, y, dy);
    value = (O)y;
    slope = (O)dy;
}
template <class O> GNP_FN void mathieu_sem(f64 m, f64 q, f64 x, O &value, O &slope)
{
    const MathieuRows r = mathieu_rows(m, q, false);
    f64 y = m == 0 ? 0.0 : NAN_F64, dy = y;
    if (m != 0) mathieu_angular(r, mathieu_value(r), x, y, dy);
    value = (O)y;
    slope = (O)dy;
}
}

#endif
