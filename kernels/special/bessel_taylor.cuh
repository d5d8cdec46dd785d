// The Taylor series of a solution of x y'' + y' = sign x y + rhs: Bessel functions of order 0 (sign -1), modified ones
// (1), Kelvin functions (i), Struve functions (rhs 2/pi). Tables hold y and y' at the whole numbers.
#ifndef GNP_SPECIAL_BESSEL_TAYLOR_CUH
#define GNP_SPECIAL_BESSEL_TAYLOR_CUH

#include "special/common.cuh"

namespace special {

#define BESSEL_SERIES_END 0.75 // power series up to here

// y and y' at c + h, and the integrals from c to c + h of y(t) and of y(t) / t.
template <class T> struct TaylorSums {
    T value, slope, integral, quotient;
};

GNP_FN f64 size_of_term(f64 z) { return fabs(z); }
GNP_FN f64 size_of_term(c128 z) { return fabs(z.re) + fabs(z.im); }

// The recurrence of the terms a(n) h^n; where h = c/2, fifty of them count.
template <class T>
static __device__ __noinline__ TaylorSums<T> bessel_taylor(f64 c, f64 h, T y, T slope, T sign, f64 rhs)
{
    const f64 over = 1 / c, ratio = h * over, h2 = h * h;
    T last = T(0.0), now = y, next = T(h) * slope, part = T(over) * y;
    T value = next, change = T(0.0), area = T(0.0), quotient = T(0.0);
    const f64 enough = 0x1p-60 * (size_of_term(y) + size_of_term(next));
#pragma unroll 1
    for (int n = 1; n < 80; n++) { // `next` is the term n
        area = area + T(1.0 / (n + 1)) * next;
        part = T(over) * (next - T(h) * part);
        quotient = quotient + T(1.0 / (n + 1)) * part;
        const T pull = sign * (T(h2) * now + T(ratio * h2) * last) + T(n == 1 ? rhs * ratio * h : 0.0);
        const T after = T(1.0 / (n * (n + 1.0))) * (pull - T(n * (n * ratio)) * next);
        value = value + after;
        change = change + T(n + 1.0) * after;
        last = now;
        now = next;
        next = after;
        if (size_of_term(now) + size_of_term(next) + size_of_term(part) < enough) break;
    }
    return TaylorSums<T>{y + value, slope + T(1 / h) * change, T(h) * (y + area), T(h) * (T(over) * y + quotient)};
}

template <class T> GNP_FN TaylorSums<T> taylor_at(f64 c, f64 h, T y, T slope, T sign, f64 rhs)
{
    if (h == 0) return TaylorSums<T>{y, slope, T(0.0), T(0.0)};
    return bessel_taylor(c, h, y, slope, sign, rhs);
}
}

#endif
