// compare.cuh: the functions of math.cuh that compare numbers, alone: many kernels need no others.
#ifndef GNP_COMPARE_CUH
#define GNP_COMPARE_CUH

#include "gnp.cuh"

// ---- comparison: any two integer types exactly (NumPy 2), so -1 < 0ull ----------------------------------

template <class T> GNP_FN bool nonzero(T a) { return a != (T)0; }
template <class T> GNP_FN bool less(T a, T b) { return a < b; }
template <class T> GNP_FN bool less_equal(T a, T b) { return a <= b; }
template <class T> GNP_FN bool equal(T a, T b) { return a == b; }
GNP_FN bool less(i64 a, u64 b) { return a < 0 || (u64)a < b; }
GNP_FN bool less(u64 a, i64 b) { return b > 0 && a < (u64)b; }
GNP_FN bool less_equal(i64 a, u64 b) { return a < 0 || (u64)a <= b; }
GNP_FN bool less_equal(u64 a, i64 b) { return b >= 0 && a <= (u64)b; }
GNP_FN bool equal(i64 a, u64 b) { return a >= 0 && (u64)a == b; }
GNP_FN bool equal(u64 a, i64 b) { return b >= 0 && a == (u64)b; }

template <class T> GNP_FN bool is_nan(T) { return false; }
template <class T> GNP_FN bool is_inf(T) { return false; }
template <class T> GNP_FN bool is_finite(T) { return true; }
GNP_FN bool is_nan(f32 a) { return a != a; }
GNP_FN bool is_nan(f64 a) { return a != a; }
GNP_FN bool is_inf(f32 a) { return isinf(a); }
GNP_FN bool is_inf(f64 a) { return isinf(a); }
GNP_FN bool is_finite(f32 a) { return isfinite(a); }
GNP_FN bool is_finite(f64 a) { return isfinite(a); }

// maximum and minimum return the first NaN, fmax and fmin the other operand; of equal numbers the second is
// returned.
template <class T> GNP_FN T maximum(T a, T b) { return less(b, a) || is_nan(a) ? a : b; }
template <class T> GNP_FN T minimum(T a, T b) { return less(a, b) || is_nan(a) ? a : b; }
template <class T> GNP_FN T maximum_number(T a, T b) { return less(b, a) || is_nan(b) ? a : b; }
template <class T> GNP_FN T minimum_number(T a, T b) { return less(a, b) || is_nan(b) ? a : b; }
// Between both bounds, NaN of any of the three first come.
template <class T> GNP_FN T clip(T a, T low, T high) { return minimum(maximum(a, low), high); }

#endif
