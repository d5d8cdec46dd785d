// What the special functions share: constants, polynomials, the limits of loops.
#ifndef GNP_SPECIAL_COMMON_CUH
#define GNP_SPECIAL_COMMON_CUH

#include "gnp.cuh"

#ifndef INFINITY_F64
#define INFINITY_F64 __longlong_as_double(0x7ff0000000000000ll)
#define NAN_F64 __longlong_as_double(0x7ff8000000000000ll)
#define PI_F64 3.141592653589793116
#define HALF_PI_F64 1.570796326794896558
#endif
#define INFINITY_F32 __int_as_float(0x7f800000)
#define NAN_F32 __int_as_float(0x7fc00000)
#define EPSILON_F64 0x1p-53
#define ROOT_TWO_PI_F64 0x1.40d931ff62706p+1

// A region that few elements reach: code of its own, compiled once.
#define GNP_COLD static __device__ __noinline__

namespace special {

// For cold regions: a quotient or a root is twenty instructions and a call, of which a function with many consists.
GNP_COLD f64 quotient_called(f64 a, f64 b) { return a / b; }
GNP_COLD f64 root_called(f64 x) { return sqrt(x); }

// Beyond these the result is NaN. A recurrence of 2^22 steps takes the device a tenth of a second.
enum { MAX_ROOT_STEPS = 60, MAX_FRACTION_STEPS = 200, MAX_DEGREE = 1 << 22 };

// c[0] + c[1] x + c[2] x^2 ...: Horner's rule.
template <class F, int N> GNP_FN F polynomial(const F (&c)[N], F x)
{
    F sum = c[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; i--) {
        sum = fma(sum, x, c[i]);
    }
    return sum;
}

// The same as a loop, for cold regions: short code.
template <class F, int N> GNP_FN F polynomial_loop(const F (&c)[N], F x)
{
    F sum = c[N - 1];
#pragma unroll 1
    for (int i = N - 2; i >= 0; i--) {
        sum = fma(sum, x, c[i]);
    }
    return sum;
}

template <int N, int M> GNP_FN f64 quotient(const f64 (&p)[N], const f64 (&q)[M], f64 x)
{
    return polynomial(p, x) / polynomial(q, x);
}
template <int N, int M> GNP_COLD f64 cold_quotient(const f64 (&p)[N], const f64 (&q)[M], f64 x)
{
    return polynomial_loop(p, x) / polynomial_loop(q, x);
}

GNP_FN bool is_positive(f64 x) { return x > 0 && x < INFINITY_F64; }
GNP_FN bool is_integer(f64 x) { return rint(x) == x && fabs(x) < INFINITY_F64; }
}

#endif
