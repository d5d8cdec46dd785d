// What spheroidal wave functions, prolate and oblate, share: characteristic values and the coefficients of their expansion
// in normalised Legendre functions (C. Flammer, Spheroidal Wave Functions, 1957, chapter 3; DLMF 30.8), which are
// eigenvalues and eigenvectors of a symmetric tridiagonal matrix. Values lie between n (n + 1) and n (n + 1) +- c^2.
#ifndef GNP_SPECIAL_SPHEROIDAL_CORE_CUH
#define GNP_SPECIAL_SPHEROIDAL_CORE_CUH

#include "special/tridiagonal.cuh"

namespace special {

#define SPHEROIDAL_MOST_ROWS 1500 // of functions, whose time is that of all pairs of rows

// Row k belongs to the Legendre function of degree m + start + 2 k.
struct SpheroidalRows {
    f64 m, start, c2;     // c2 is c^2, or -c^2 for oblate functions
    int index, low, high; // index: the row of degree n
    bool valid;

    __device__ f64 degree(int k) const { return m + start + 2 * k; }
    __device__ f64 diagonal(int k) const
    {
        const f64 l = degree(k), p = l * (l + 1);
        if (l < 1) return c2 / 3; // the quotient below at l = 0, exactly
        return p + c2 * (2 * p - 2 * m * m - 1) / ((2 * l - 1) * (2 * l + 3));
    }
    __device__ f64 square(int k) const
    {
        const f64 r = start + 2 * k, l = m + r, t = c2 / (2 * l + 3);
        return t * t * ((2 * m + r + 1) / (2 * l + 1)) * ((2 * m + r + 2) / (2 * l + 5)) * (r + 1) * (r + 2);
    }
    __device__ f64 beside(int k) const { return copysign(sqrt(square(k)), c2); }
};

GNP_FN SpheroidalRows spheroidal_rows(f64 m, f64 n, f64 c, f64 side)
{
    SpheroidalRows rows = {m, 0, 0, 0, 0, 0, false};
    if (!(is_integer(m) && is_integer(n) && 0 <= m && m <= n && n < 1e8 && fabs(c) < 1e8)) return rows;
    const f64 c2 = c * c, degree = n * (n + 1), rest = n - m;
    const f64 top = sqrt(degree + c2), margin = 16 + 6 * cbrt(top), bottom = sqrt(fmax(degree - c2, 0.0)) - m;
    if (0.5 * (top - m - fmax(bottom, 0.0)) + 2 * margin > TRIDIAGONAL_MOST_ROWS) return rows;
    rows.start = 0.5 * rest != floor(0.5 * rest) ? 1.0 : 0.0;
    rows.c2 = side * c2;
    rows.index = (int)(0.5 * (rest - rows.start));
    rows.low = (int)fmax(0.5 * bottom - margin, 0.0);
    rows.high = (int)(fmax(0.5 * (top - m), 0.0) + margin);
    rows.valid = true;
    return rows;
}

static __device__ __noinline__ f64 spheroidal_value(const SpheroidalRows &rows)
{
    if (!rows.valid) return NAN_F64;
    const f64 n = rows.degree(rows.index), degree = n * (n + 1), other = degree + rows.c2;
    const f64 slack = 4 * EPSILON_F64 * (degree + fabs(rows.c2));
    return eigenvalue_between(rows, fmin(degree, other) - slack, fmax(degree, other) + slack, 0.0);
}
}

#endif
