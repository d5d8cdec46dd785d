// math.cuh: the functions that expressions of tables/ufuncs.def call, for integers and real floats. One
// function per meaning, overloaded by type; plain operators and CUDA's own functions (sin, hypot, copysign
// ...) are used directly where they already mean what NumPy means. Half-width floats are computed in f32, so
// they appear only where their own spacing matters. Comparisons: compare.cuh; complex: complex.cuh.
#ifndef GNP_MATH_CUH
#define GNP_MATH_CUH

#include "compare.cuh"

#define INFINITY_F32 __int_as_float(0x7f800000)

// ---- helpers -----------------------------------------------------------------------------------------

// a < 0, without a comparison that unsigned types cannot fail.
template <class T> GNP_FN bool below_zero(T a)
{
    if constexpr (Info<T>::cls == 'u' || Info<T>::cls == '?') {
        return false;
    }
    else {
        return a < (T)0;
    }
}
template <class T> struct IsSigned { static const bool value = Info<T>::cls == 'i'; };

template <class T> struct Magnitude { typedef T type; }; // the type that holds |a| of any a
template <> struct Magnitude<i8> { typedef u8 type; };
template <> struct Magnitude<i16> { typedef u16 type; };
template <> struct Magnitude<i32> { typedef u32 type; };
template <> struct Magnitude<i64> { typedef u64 type; };

// |a|; the smallest signed integer stays itself, by unsigned arithmetic and so defined.
template <class T> GNP_FN T absolute(T a)
{
    typedef typename Magnitude<T>::type U;
    return below_zero(a) ? (T)((U)0 - (U)a) : a;
}
GNP_FN bool absolute(bool a) { return a; }
GNP_FN f32 absolute(f32 a) { return fabsf(a); }
GNP_FN f64 absolute(f64 a) { return fabs(a); }

template <class T> GNP_FN T negative(T a)
{
    return (T)((typename Magnitude<T>::type)0 - (typename Magnitude<T>::type)a);
}
GNP_FN f32 negative(f32 a) { return -a; }
GNP_FN f64 negative(f64 a) { return -a; }

template <class T> GNP_FN T sign(T a) { return (T)((a > (T)0) - below_zero(a)); }
GNP_FN f32 sign(f32 a) { return a > 0 ? 1.0f : a < 0 ? -1.0f : a == 0 ? 0.0f : a; }
GNP_FN f64 sign(f64 a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a == 0 ? 0.0 : a; }

template <class T> GNP_FN T conjugate(T a) { return a; }
template <class T> GNP_FN T scaled(T a, T b) { return a * b; }
template <class T> GNP_FN T square(T a) { return (T)(a * a); }
// Wrapping, where plain `a * a` on two u16 would be a signed int product.
GNP_FN u16 square(u16 a) { return (u16)((u32)a * a); }
GNP_FN i32 square(i32 a) { return (i32)((u32)a * (u32)a); }
GNP_FN i64 square(i64 a) { return (i64)((u64)a * (u64)a); }

template <class T> GNP_FN T reciprocal(T a) { return a == (T)0 ? (T)0 : (T)((T)1 / a); }
GNP_FN f32 reciprocal(f32 a) { return 1.0f / a; }
GNP_FN f64 reciprocal(f64 a) { return 1.0 / a; }

// ---- division: zero divisors give 0, the smallest integer over -1 wraps ------------------------------

template <class T> GNP_FN T trunc_divide(T a, T b)
{
    if (b == (T)0) return (T)0;
    if (IsSigned<T>::value && b == (T)-1) return negative(a);
    return (T)(a / b);
}

template <class T> GNP_FN T fmodulo(T a, T b)
{
    if (b == (T)0 || (IsSigned<T>::value && b == (T)-1)) return (T)0;
    return (T)(a % b);
}

// Estimates of a quotient that are below one too large and never too small, where it is short enough for a unit.
GNP_FN f32 quotient_above(f32 a, f32 b) { return __fdividef(a, b) * (1 + 0x1p-21f); }
GNP_FN f64 quotient_above(f64 a, f64 b) { return a / b; }

// Whole quotient and exact remainder of positive numbers; false where the quotient is long or no number. The remainder
// of a whole number that is at most one too large is exact in one multiply-add.
template <class F> GNP_FN bool divide_short(F a, F b, F &quotient, F &remainder)
{
    quotient = trunc(quotient_above(a, b));
    remainder = fma(-quotient, b, a);
    if (remainder < 0) {
        quotient -= 1;
        remainder += b;
    }
    return quotient < (F)0x1p20 && remainder >= 0 && remainder < b;
}

static __device__ __noinline__ f32 fmod_called(f32 a, f32 b) { return fmodf(a, b); }
static __device__ __noinline__ f64 fmod_called(f64 a, f64 b) { return fmod(a, b); }

template <class F> GNP_FN F float_fmodulo(F a, F b)
{
    F q, m;
    return divide_short(fabs(a), fabs(b), q, m) ? copysign(m, a) : fmod_called(a, b);
}
GNP_FN f32 fmodulo(f32 a, f32 b) { return float_fmodulo(a, b); }
GNP_FN f64 fmodulo(f64 a, f64 b) { return float_fmodulo(a, b); }

template <class T> GNP_FN void divmod(T a, T b, T &quotient, T &modulus)
{
    T q = trunc_divide(a, b), m = fmodulo(a, b);
    if (m != (T)0 && below_zero(m) != below_zero(b)) {
        q = (T)(q - 1);
        m = (T)(m + b);
    }
    quotient = q;
    modulus = m;
}

// Python's float divmod: the modulus has the divisor's sign, the quotient is the exact floor.
template <class F> GNP_FN void float_divmod(F a, F b, F &quotient, F &modulus)
{
    F m = fmodulo(a, b);
    if (b == 0) {
        quotient = a / b;
        modulus = m;
        return;
    }
    F q = (a - m) / b;
    if (m != 0) {
        if ((b < 0) != (m < 0)) {
            m += b;
            q -= 1;
        }
    } else {
        m = copysign((F)0, b);
    }
    if (q != 0) {
        F whole = floor(q);
        quotient = q - whole > (F)0.5 ? whole + 1 : whole;
    } else {
        quotient = copysign((F)0, a / b);
    }
    modulus = m;
}
GNP_FN void divmod(f32 a, f32 b, f32 &q, f32 &m) { float_divmod(a, b, q, m); }
GNP_FN void divmod(f64 a, f64 b, f64 &q, f64 &m) { float_divmod(a, b, q, m); }

template <class T> GNP_FN T floor_divide(T a, T b)
{
    T q, m;
    divmod(a, b, q, m);
    return q;
}
// An infinity divided by a number is infinite, as the array API standard has it; in Python and NumPy it
// is NaN, because the modulus is.
template <class F> GNP_FN F float_floor_divide(F a, F b)
{
    F q, m;
    if (divide_short(fabs(a), fabs(b), q, m)) {
        const bool negative = signbit(a) != signbit(b);
        return copysign(negative && m != 0 ? q + 1 : q, negative ? (F)-1 : (F)1);
    }
    divmod(a, b, q, m);
    return isinf(a) ? a / b : q;
}
GNP_FN f32 floor_divide(f32 a, f32 b) { return float_floor_divide(a, b); }
GNP_FN f64 floor_divide(f64 a, f64 b) { return float_floor_divide(a, b); }

template <class T> GNP_FN T modulo(T a, T b)
{
    T q, m;
    divmod(a, b, q, m);
    return m;
}

// ---- powers ------------------------------------------------------------------------------------------

// By squaring, wrapping. NumPy raises for a negative exponent; here the exact result truncated to an
// integer is given (0, or +-1 for a = +-1), because raising would need a synchronisation.
template <class T> GNP_FN T power(T a, T b)
{
    typedef typename Magnitude<T>::type U;
    if (below_zero(b)) {
        if (a == (T)1) return a;
        if (a == (T)-1) return b & 1 ? a : (T)1;
        return (T)0;
    }
    u64 base = (u64)(U)a, result = 1;
#pragma unroll 1
    for (U n = (U)b; n; n = (U)(n >> 1)) {
        if (n & 1) result *= base;
        base *= base;
    }
    return (T)result;
}
// Double-double arithmetic: a number as an unevaluated sum of two, and products of such (T. J. Dekker, "A
// floating-point technique for extending the available precision", Numerische Mathematik 18, 1971).
struct TwoParts {
    f64 high, low;
};
GNP_FN TwoParts operator*(TwoParts a, TwoParts b)
{
    f64 high = a.high * b.high, low = fma(a.low, b.high, fma(a.high, b.low, fma(a.high, b.high, -high)));
    f64 sum = high + low;
    return TwoParts{sum, high - sum + low};
}

// Integer exponents with few enough squarings to be faster than pow, and nearly exact; also those plus one
// half, for positive numbers.
template <class F> GNP_FN bool is_easy_power(F a, F b)
{
    const F whole = trunc(b);
    return fabs(whole) <= F(1024) && (whole == b || (fabs(b - whole) == F(0.5) && a > 0));
}

// For such exponents.
GNP_FN f64 power_by_squares(f64 a, f64 b)
{
    const f64 whole = trunc(b);
    TwoParts base = {a, 0}, result = {1, 0};
    u32 n = (u32)fabs(whole);
    if (whole != b) {
        const f64 root = sqrt(a);
        result = TwoParts{root, fma(-root, root, a) / (2 * root)};
    }
    if (n & 1) {
        result = whole != b ? result * base : base;
    }
#pragma unroll 1
    while (n >>= 1) {
        base = base * base;
        if (n & 1) result = result * base;
    }
    if (b >= 0) return result.high;
    const f64 quotient = 1 / result.high;
    return fma(quotient, fma(-quotient, result.low, fma(-quotient, result.high, 1.0)), quotient);
}

// For an f32, accurate enough to be rounded to f32.
GNP_FN f64 inverse_for_f32(f64 x)
{
    const f32 guess = 1 / (f32)x, size = fabsf(guess);
    return size > 1e-30f && size < 1e30f ? fma((f64)guess, fma(-x, (f64)guess, 1.0), (f64)guess) : 1 / x;
}

// A double has enough bits beyond f32, and is faster than double-double.
GNP_FN f32 power(f32 a, f32 b)
{
    if (!is_easy_power(a, b)) return powf(a, b);
    const f32 whole = truncf(b);
    u32 n = (u32)fabsf(whole);
    f64 base = a, result = n & 1 ? base : 1.0;
    if (whole != b) result *= sqrt((f64)a);
#pragma unroll 1
    while (n >>= 1) {
        base *= base;
        if (n & 1) result *= base;
    }
    return (f32)(b < 0 ? inverse_for_f32(result) : result);
}

// pow is within one unit, but not exact where the result is a double. The exponent of a power of two is exact, and
// so is its product with a small integer.
GNP_FN f64 power(f64 a, f64 b)
{
    u64 bits = (u64)__double_as_longlong(a);
    i32 high = (i32)(bits >> 52);
    if (!(bits << 12) && high > 0 && high < 0x7ff && rint(b) == b && fabs(b) < 4096) return exp2(b * (high - 1023));
    if (!is_easy_power(a, b)) return pow(a, b);
    const f64 x = power_by_squares(a, b), size = fabs(x);
    return size > 1e-200 && size < 1e200 ? x : b == 1 ? a : pow(a, b); // the low part may be lost
}

// Called, so that the elements of an access share its code.
static __device__ __noinline__ f32 power_called(f32 a, f32 b) { return power(a, b); }

// Powers of numbers of the stored type. Up to the fourth, a float16's fit into a double, and products of two into an
// f32, so that an f32 is the double's rounding; nothing overflows that does not in a float16.
template <class T> GNP_FN Compute<T> power_of(Compute<T> a, Compute<T> b)
{
    if constexpr (Same<T, f16>::value) {
        const f32 n = fabsf(b), square = a * a;
        const f32 whole = n == 1 ? a : n == 2 ? square : n == 3 ? square * a : square * square;
        if (n != 1 && n != 2 && n != 3 && n != 4) return power_called(a, b);
        return b < 0 ? 1 / whole : whole;
    }
    else if constexpr (Same<T, f32>::value) { // what power() gives, without its loop
        const f32 n = fabsf(b);
        if (n != 2 && n != 3 && n != 4) return power_called(a, b);
        const f64 x = a, square = x * x, whole = n == 2 ? square : n == 3 ? square * x : square * square;
        return (f32)(b < 0 ? inverse_for_f32(whole) : whole);
    }
    else {
        return power(a, b);
    }
}

// log10 that is exact for powers of ten, where CUDA's may be one unit off: the logarithm of the rest is small
// compared with the exponent's part.
GNP_FN f32 decimal_log(f32 a)
{
    if (!(a >= 1.17549435e-38f && a <= 3.40282347e38f)) return log10f(a);
    const i32 bits = __float_as_int(a), exponent = (bits - 0x3f3504f3) >> 23; // the rest is in [sqrt(1/2), sqrt(2))
    const f32 rest = log10f(__int_as_float(bits - (exponent << 23)));
    const f32 e = __int_as_float(0x4b400000 + exponent) - 12582912.0f; // faster than a conversion
    return fmaf(e, 0x1.3440000000000p-2f, fmaf(e, 0x1.3509f80000000p-18f, rest));
}
GNP_FN f64 decimal_log(f64 a)
{
    if (!(a >= 2.2250738585072014e-308 && a <= 1.7976931348623157e308)) return log10(a);
    const i64 bits = __double_as_longlong(a), exponent = (bits - 0x3fe6a09e667f3bcdll) >> 52;
    const f64 rest = log10(__longlong_as_double(bits - (exponent << 52)));
    const f64 e = __longlong_as_double(0x4338000000000000ll + exponent) - 0x1.8p52;
    return fma(e, 0x1.34413509f6000p-2, fma(e, 0x1.9fef311f12b36p-42, rest));
}

// hypot with one correction step (C. F. Borges, "Algorithm 1014: An improved algorithm for hypot(x,y)", ACM
// TOMS 47, 2021): CUDA's of doubles may be a unit off for Pythagorean triples.
GNP_FN f32 hypotenuse(f32 a, f32 b) { return hypotf(a, b); }
GNP_FN f64 hypotenuse(f64 a, f64 b)
{
    const bool swapped = fabs(a) < fabs(b);
    const f64 x = fabs(swapped ? b : a), y = fabs(swapped ? a : b);
    if (!(y > x * 0x1p-60 && x < 0x1p500 && y > 0x1p-400)) return hypot(a, b);
    f64 h = sqrt(fma(x, x, y * y)), h2 = h * h, x2 = x * x;
    f64 excess = fma(-y, y, h2 - x2) + fma(h, h, -h2) - fma(x, x, -x2);
    return h - excess / (2 * h);
}

// log2 that is exact for powers of two, where CUDA's of a double may be a unit off.
GNP_FN f32 binary_log(f32 a) { return log2f(a); }
GNP_FN f64 binary_log(f64 a)
{
    u64 bits = (u64)__double_as_longlong(a);
    i32 high = (i32)(bits >> 52);
    return !(bits << 12) && high > 0 && high < 0x7ff ? (f64)(high - 1023) : log2(a);
}

// The long functions stay calls: inlined, several elements per thread, or the steps of a scan, multiply
// their code, and NVRTC takes seconds for the kernel.
#define GNP_CALL static __device__ __noinline__

// log(exp(a) + exp(b)), equal infinities included.
GNP_FN f32 logaddexp(f32 a, f32 b)
{
    f32 d = a - b;
    return a == b ? a + 0.693147180559945f : d == d ? (d > 0 ? a : b) + log1pf(expf(-fabsf(d))) : d;
}
GNP_CALL f64 logaddexp(f64 a, f64 b)
{
    f64 d = a - b;
    return a == b ? a + 0.693147180559945309417 : d == d ? (d > 0 ? a : b) + log1p(exp(-fabs(d))) : d;
}
GNP_CALL f64 logaddexp2(f64 a, f64 b)
{
    const f64 e = 1.442695040888963407360;
    f64 d = a - b;
    return a == b ? a + 1 : d == d ? (d > 0 ? a : b) + e * log1p(exp2(-fabs(d))) : d;
}
// In f64: where the sum is near 1 the f32 terms cancel, and the GPU's exp2f has an error of 6 units there.
GNP_FN f32 logaddexp2(f32 a, f32 b) { return (f32)logaddexp2((f64)a, (f64)b); }

GNP_FN f32 to_radians(f32 a) { return a * 0.017453292519943295f; }
GNP_FN f64 to_radians(f64 a) { return a * 0.017453292519943295; }
GNP_FN f32 to_degrees(f32 a) { return a * 57.295776f; } // 180 / pi, each of them a f32 as in NumPy
GNP_FN f64 to_degrees(f64 a) { return a * 57.29577951308232; }

// ---- bits: shifts by a negative amount or by the width and more shift everything out ------------------

template <class T> GNP_FN T invert(T a) { return (T)~a; }
GNP_FN bool invert(bool a) { return !a; }

template <class T> GNP_FN T left_shift(T a, T b)
{
    typedef typename Magnitude<T>::type U;
    return (U)b < (U)(8 * sizeof(T)) ? (T)((u64)(U)a << b) : (T)0;
}
template <class T> GNP_FN T right_shift(T a, T b)
{
    typedef typename Magnitude<T>::type U;
    return (U)b < (U)(8 * sizeof(T)) ? (T)(a >> b) : below_zero(a) ? (T)-1 : (T)0;
}
template <class T> GNP_FN u8 bit_count(T a)
{
    return (u8)__popcll((u64)(typename Magnitude<T>::type)absolute(a));
}

template <class T> GNP_FN T gcd(T a, T b)
{
    typedef typename Magnitude<T>::type U;
    U x = (U)absolute(a), y = (U)absolute(b);
#pragma unroll 1
    while (y) {
        U rest = (U)(x % y);
        x = y;
        y = rest;
    }
    return (T)x;
}
template <class T> GNP_FN T lcm(T a, T b)
{
    typedef typename Magnitude<T>::type U;
    U divisor = (U)gcd(a, b);
    return divisor ? (T)((u64)((U)absolute(a) / divisor) * (U)absolute(b)) : (T)0;
}

// ---- parts of a float --------------------------------------------------------------------------------

template <class F> GNP_FN F heaviside(F a, F at_zero)
{
    return a == 0 ? at_zero : a < 0 ? (F)0 : a > 0 ? (F)1 : a;
}

template <class F> GNP_FN void modf(F a, F &fraction, F &whole)
{
    F w = trunc(a);
    fraction = copysign(isinf(a) ? (F)0 : a - w, a);
    whole = w;
}

template <class F> GNP_FN void frexp(F a, F &mantissa, i32 &exponent)
{
    int e = 0;
    mantissa = isfinite(a) ? frexp(a, &e) : a;
    exponent = e;
}

template <class F, typename I> GNP_FN F scale(F a, I exponent)
{
    const I limit = (I)8192; // beyond it every float has become 0 or infinite
    return ldexp(a, (int)(exponent > limit ? limit : exponent < -limit ? -limit : exponent));
}

// Rounding an integer: nothing to do.
template <class T> GNP_FN T floor_of(T a) { return a; }
template <class T> GNP_FN T ceil_of(T a) { return a; }
template <class T> GNP_FN T trunc_of(T a) { return a; }
GNP_FN f32 floor_of(f32 a) { return floorf(a); }
GNP_FN f64 floor_of(f64 a) { return floor(a); }
GNP_FN f32 ceil_of(f32 a) { return ceilf(a); }
GNP_FN f64 ceil_of(f64 a) { return ceil(a); }
GNP_FN f32 trunc_of(f32 a) { return truncf(a); }
GNP_FN f64 trunc_of(f64 a) { return trunc(a); }

// ---- indices ---------------------------------------------------------------------------------------

// An index beyond its axis. Rare: called, so that unrolled loops stay short.
static __device__ __noinline__ i64 wrap_far_index(i64 i, i64 size)
{
    i %= size;
    return i < 0 ? i + size : i;
}

// An index into an axis counts from the end when negative, and wraps around when out of bounds. Size 0: the
// index is an offset already.
GNP_FN i64 wrap_index(i64 i, i64 size)
{
    if (size != 0) {
        if (i < 0) {
            i += size;
        }
        if ((u64)i >= (u64)size) {
            i = wrap_far_index(i, size);
        }
    }
    return i;
}

// ---- adjacent floats: of the stored type T, not of the compute type --------------------------------

// On the bits of a 16-bit float; `infinity` is its exponent mask.
GNP_FN u16 next_after_16(u16 a, u16 b, u16 infinity)
{
    u16 size_a = a & 0x7fff, size_b = b & 0x7fff;
    if (size_a > infinity) return a;
    if (size_b > infinity || a == b || (size_a | size_b) == 0) return b;
    if (size_a == 0) return (u16)((b & 0x8000) | 1);
    bool outwards = ((a ^ b) & 0x8000) == 0 && size_a < size_b;
    return (u16)(outwards ? a + 1 : a - 1);
}

template <class T> GNP_FN Compute<T> next_after(Compute<T> a, Compute<T> b)
{
    if constexpr (sizeof(T) == 2) {
        T x(a), y(b);
        x.bits = next_after_16(x.bits, y.bits, T::INFINITE_BITS);
        return x;
    }
    else {
        return nextafter(a, b);
    }
}

// The distance to the next float away from zero, with the sign of a. NumPy's float16 alone counts
// upwards instead.
template <class T> GNP_FN Compute<T> spacing(Compute<T> a)
{
    typedef Compute<T> F;
    if (isinf(a)) return a - a;
    if constexpr (Same<T, f16>::value) {
        return next_after<T>(a, (F)INFINITY_F32) - a;
    }
    else if constexpr (sizeof(T) == 2) {
        return next_after<T>(a, copysign((F)INFINITY_F32, a)) - a;
    }
    else {
        return a == 0 ? nextafter(a, (F)1) : nextafter(a, copysign((F)INFINITY_F32, a)) - a;
    }
}

#endif
