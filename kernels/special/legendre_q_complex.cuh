// Legendre functions of the second kind of complex arguments: legendre_q.cuh with complex square roots and logarithms.
#ifndef GNP_SPECIAL_LEGENDRE_Q_COMPLEX_CUH
#define GNP_SPECIAL_LEGENDRE_Q_COMPLEX_CUH

#include "complex.cuh"
#include "special/common.cuh"

namespace special {

GNP_FN f64 size_of_number(c128 z) { return hypot(z.re, z.im); }
GNP_FN c128 scaled(f64 s, c128 z) { return c128(s * z.re, s * z.im); }
// With the imaginary part's sign of z^2, which decides on the root of a negative number.
GNP_FN c128 square_less_one(c128 z) { return c128((z.re - 1) * (z.re + 1) - z.im * z.im, 2 * z.re * z.im); }
GNP_COLD c128 root_of(c128 z) { return sqrt(z); }
GNP_FN f64 real_part(c128 z) { return z.re; }
GNP_COLD c128 first_within(c128 z) { return atanh(z); }
GNP_COLD c128 log_of_more(c128 z) { return log1p(z); }
GNP_COLD c128 over(c128 a, c128 b) { return a / b; }
}

#include "special/legendre_q.cuh"

namespace special {

GNP_FN void legendre_q(i64 m, i64 n, c128 z, c128 &value, c128 &slope)
{
    if (z.im == 0 && fabs(z.re) == 1) {
        f64 v, s;
        legendre_q(m, n, z.re, v, s);
        value = c128(v);
        slope = c128(s);
    }
    else legendre_q(m, n, z, size_of_number(z) <= 1, value, slope);
}
}

#endif
