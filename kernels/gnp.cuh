// The basis of every kernel: storage types of numbers, their compute types, conversions with NumPy's
// semantics, operand lists and strided index spaces. Includes nothing of the toolkit.
#ifndef GNP_CUH
#define GNP_CUH

// Constants of types are enums: a static member would become a global variable of every module.

#define GNP_FN __device__ __forceinline__

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#include "shared.cuh"

// ---- 16-bit floats: stored in 16 bits, computed in f32 ---------------------------------------------

#define GNP_COMPOUND(T)                                                                            \
    GNP_FN T &operator+=(f32 x) { return *this = T((f32)*this + x); }                              \
    GNP_FN T &operator-=(f32 x) { return *this = T((f32)*this - x); }                              \
    GNP_FN T &operator*=(f32 x) { return *this = T((f32)*this * x); }                              \
    GNP_FN T &operator/=(f32 x) { return *this = T((f32)*this / x); }

struct f16 {
    enum { INFINITE_BITS = 0x7c00 };
    u16 bits;
    f16() = default;
    GNP_FN f16(f32 x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    GNP_FN operator f32() const
    {
        f32 x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
    GNP_COMPOUND(f16)
};

struct bf16 {
    enum { INFINITE_BITS = 0x7f80 };
    u16 bits;
    bf16() = default;
    GNP_FN bf16(f32 x)
    {
        // Round to nearest even in integers: the instruction needs sm_90. NaN stays a NaN.
        u32 b = __float_as_uint(x);
        bits = x != x ? (u16)((b >> 16 & 0x8000u) | 0x7fc0u) : (u16)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);
    }
    GNP_FN operator f32() const { return __uint_as_float((u32)bits << 16); }
    GNP_COMPOUND(bf16)
};
#undef GNP_COMPOUND

// f64 -> f16 in one rounding.
GNP_FN f16 f16_from_f64(f64 x)
{
    f16 r;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.bits) : "d"(x));
    return r;
}

// ---- time ---------------------------------------------------------------------------------------------

// datetime64 or timedelta64 in units that the host knows; the smallest number is NaT (datetime.cuh).
struct time64 {
    i64 ticks;
    time64() = default;
    GNP_FN explicit time64(i64 t) : ticks(t) {}
};
GNP_FN time64 not_a_time() { return time64((i64)0x8000000000000000ull); }
// As on x86: NaT for everything that does not fit.
GNP_FN i64 ticks_of(f64 x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : not_a_time().ticks; }

// ---- complex ------------------------------------------------------------------------------------------

template <class F> struct alignas(2 * sizeof(F)) Complex {
    typedef F value_type; // as in std::complex, for the user's code
    F re, im;
    Complex() = default;
    GNP_FN Complex(F r, F i) : re(r), im(i) {}
    GNP_FN Complex(F r) : re(r), im(0) {}
    template <class G> GNP_FN Complex(Complex<G> z) : re((F)z.re), im((F)z.im) {}
    // As std::complex has them, for the user's code.
    GNP_FN F real() const { return re; }
    GNP_FN F imag() const { return im; }
    GNP_FN void real(F x) { re = x; }
    GNP_FN void imag(F x) { im = x; }
    template <class X> GNP_FN Complex &operator+=(X x) { return *this = Complex(*this + x); }
    template <class X> GNP_FN Complex &operator-=(X x) { return *this = Complex(*this - x); }
    template <class X> GNP_FN Complex &operator*=(X x) { return *this = Complex(*this * x); }
    template <class X> GNP_FN Complex &operator/=(X x) { return *this = Complex(*this / x); }
};
typedef Complex<f32> c64;
typedef Complex<f64> c128;

template <class F> GNP_FN Complex<F> operator+(Complex<F> a, Complex<F> b) { return Complex<F>(a.re + b.re, a.im + b.im); }
template <class F> GNP_FN Complex<F> operator-(Complex<F> a, Complex<F> b) { return Complex<F>(a.re - b.re, a.im - b.im); }
template <class F> GNP_FN Complex<F> operator-(Complex<F> a) { return Complex<F>(-a.re, -a.im); }
template <class F> GNP_FN Complex<F> operator*(Complex<F> a, Complex<F> b)
{
    return Complex<F>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// Smith's division, operation by operation as NumPy does it (R. L. Smith, CACM 1962).
template <class F> GNP_FN Complex<F> operator/(Complex<F> a, Complex<F> b)
{
    F br = fabs(b.re), bi = fabs(b.im);
    if (br >= bi) {
        if (br == 0 && bi == 0) { // by +0: the signs are those of the numerator
            return Complex<F>(a.re / br, a.im / br);
        }
        F ratio = b.im / b.re, scale = F(1) / (b.re + b.im * ratio);
        return Complex<F>((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
    }
    F ratio = b.re / b.im, scale = F(1) / (b.im + b.re * ratio);
    return Complex<F>((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}
template <class F> GNP_FN bool operator==(Complex<F> a, Complex<F> b) { return a.re == b.re && a.im == b.im; }
template <class F> GNP_FN bool operator!=(Complex<F> a, Complex<F> b) { return a.re != b.re || a.im != b.im; }

// ---- traits of types -------------------------------------------------------------------------------

// cls: the class letter of tables/dtypes.def. Compute: the type expressions see. Raw: the bytes in memory (a
// bool may hold any byte; reading one compares with 0). Part: the real type of a complex type.
template <class T> struct Info;
#define GNP_TYPE(T, CLS, COMPUTE, RAW, PART)                                                       \
    template <> struct Info<T> {                                                                   \
        enum { cls = CLS };                                                                        \
        typedef COMPUTE Compute;                                                                   \
        typedef RAW Raw;                                                                           \
        typedef PART Part;                                                                         \
    };
GNP_TYPE(bool, '?', bool, u8, bool)
GNP_TYPE(i8, 'i', i8, i8, i8)
GNP_TYPE(u8, 'u', u8, u8, u8)
GNP_TYPE(i16, 'i', i16, i16, i16)
GNP_TYPE(u16, 'u', u16, u16, u16)
GNP_TYPE(i32, 'i', i32, i32, i32)
GNP_TYPE(u32, 'u', u32, u32, u32)
GNP_TYPE(i64, 'i', i64, i64, i64)
GNP_TYPE(u64, 'u', u64, u64, u64)
GNP_TYPE(f16, 'f', f32, f16, f16)
GNP_TYPE(bf16, 'f', f32, bf16, bf16)
GNP_TYPE(f32, 'f', f32, f32, f32)
GNP_TYPE(f64, 'f', f64, f64, f64)
GNP_TYPE(c64, 'c', c64, c64, f32)
GNP_TYPE(c128, 'c', c128, c128, f64)
GNP_TYPE(time64, 'm', time64, time64, time64)
#undef GNP_TYPE

template <class T> using Compute = typename Info<T>::Compute;
template <class T> using Raw = typename Info<T>::Raw;
template <class T> using Part = typename Info<T>::Part;

template <class A, class B> struct Same { enum { value = 0 }; };
template <class A> struct Same<A, A> { enum { value = 1 }; };

// ---- conversion: the semantics of astype -----------------------------------------------------------

// Floats outside an integer type's range saturate and NaN becomes 0, on every device.
template <class To, class F> GNP_FN To saturate(F x)
{
    const bool is_signed = Info<To>::cls == 'i';
    const F top = (F)(1ull << (8 * sizeof(To) - 1)) * (is_signed ? F(1) : F(2));
    const F bottom = is_signed ? -top : F(0);
    const To least = is_signed ? (To)(1ull << (8 * sizeof(To) - 1)) : (To)0;
    return x >= top ? (To)~least : x > bottom ? (To)x : x == x ? least : (To)0;
}

template <class To, class From> GNP_FN To cast(From x)
{
    constexpr int to = Info<To>::cls, from = Info<From>::cls;
    if constexpr (Same<To, From>::value) {
        return x;
    }
    else if constexpr (!Same<From, Compute<From>>::value) {
        return cast<To>((Compute<From>)x);
    }
    else if constexpr (from == 'c') {
        if constexpr (to == 'c') {
            return To((Part<To>)x.re, (Part<To>)x.im);
        }
        else if constexpr (to == '?') {
            return x.re != 0 || x.im != 0;
        }
        else {
            return cast<To>(x.re);
        }
    }
    else if constexpr (from == 'm') {
        return cast<To>(x.ticks);
    }
    else if constexpr (to == 'm') {
        if constexpr (from == 'f') {
            return To(ticks_of(x));
        }
        else {
            return To((i64)x);
        }
    }
    else if constexpr (to == 'c') {
        return To((Part<To>)x);
    }
    else if constexpr (to == '?') {
        return x != 0;
    }
    else if constexpr (Same<To, f16>::value && Same<From, f64>::value) {
        return f16_from_f64(x);
    }
    else if constexpr (!Same<To, Compute<To>>::value) {
        return To((Compute<To>)x);
    }
    else if constexpr (from == 'f' && to != 'f') {
        return saturate<To>(x);
    }
    else {
        return (To)x;
    }
}

// ---- operands ------------------------------------------------------------------------------------------------

// One operand of a launch: an address, or the element itself when it is passed by value.
struct Slot {
    u64 lo, hi;
};

// How an operand follows the kernel's fast index: ACCESS_CONTIGUOUS, element by element; ACCESS_BROADCAST,
// one element for all; ACCESS_SCALAR, an element in its slot; ACCESS_ROW_BROADCAST, contiguous and the same
// in every row (rows.cu); ACCESS_STRIDED, by any step; ACCESS_TRANSPOSED, its fast axis is a slow one of the
// output (transposed.cu).

// Stored in memory as S; the loop computes on L; F is its access.
template <class S, class L, Access F = ACCESS_CONTIGUOUS> struct In {
    typedef S Stored;
    enum { is_output = 0, is_read = 0, is_mask = 0, is_index = 0, follow = F };
    typedef Compute<L> Computed;
    GNP_FN static Computed value(Raw<S> raw)
    {
        if constexpr (Same<S, bool>::value) {
            return (Computed)cast<L>(raw != 0);
        }
        else {
            return (Computed)cast<L>((S)raw);
        }
    }
};

template <class S, class L, Access F = ACCESS_CONTIGUOUS> struct Out {
    typedef S Stored;
    enum { is_output = 1, is_read = 0, is_mask = 0, is_index = 0, follow = F };
    typedef Compute<L> Computed;
    GNP_FN static Raw<S> raw(Computed x) { return (Raw<S>)cast<S>((L)x); }
};

// An output whose present elements are passed to op.
template <class S, class L, Access F = ACCESS_CONTIGUOUS> struct InOut : Out<S, L, F> {
    enum { is_read = 1 };
    GNP_FN static Compute<L> value(Raw<S> raw) { return In<S, L, F>::value(raw); }
};

// No memory: the element's index in C order. Strides count elements, the address is the first index.
template <Access F = ACCESS_CONTIGUOUS> struct Position {
    typedef u8 Stored;
    enum { is_output = 0, is_read = 0, is_mask = 0, is_index = 1, follow = F };
    typedef i64 Computed;
};

// Outputs are written only where it is true. The last of the inputs; it is not passed to op.
template <Access F = ACCESS_CONTIGUOUS> struct Mask : In<bool, bool, F> {
    enum { is_mask = 1 };
};

// Operands in order: inputs, a mask if any, outputs. A list of one is its First.
template <class... T> struct List {
    enum { size = 0 };
};
template <class T, class... Rest> struct List<T, Rest...> {
    typedef T First;
    typedef List<Rest...> Others;
    enum { size = 1 + sizeof...(Rest) };
};

template <class T> GNP_FN T slot_value(const Slot &s)
{
    return *reinterpret_cast<const T *>(&s);
}

template <int N> struct Slots {
    Slot at[N];
};

// A whole array as a parameter. Strides are in bytes.
template <int ND> struct RawArray {
    u64 data;
    i64 size, shape[ND > 0 ? ND : 1], strides[ND > 0 ? ND : 1];
};

template <bool First, class A, class B> struct Choose { typedef A type; };
template <class A, class B> struct Choose<false, A, B> { typedef B type; };

// N elements that move as one access when `bytes` is a power of two up to 16.
template <class T, int N> struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Vec {
    T at[N];
};

// ---- strided index spaces --------------------------------------------------------------------------------------

GNP_FN u32 multiply_high(u32 a, u32 b) { return __umulhi(a, b); }
GNP_FN u64 multiply_high(u64 a, u64 b) { return __umul64hi(a, b); }

// Division by an invariant number, prepared by the host: n / d = (mulhi(n, m) + n) >> s for n < 2^(bits - 1)
// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).
template <class Index> struct Divisor {
    Index d, m, s;
    GNP_FN Index quotient(Index n) const { return (multiply_high(n, m) + n) >> s; }
};

template <class Index> struct Signed;
template <> struct Signed<u32> { typedef i32 type; };
template <> struct Signed<u64> { typedef i64 type; };

// Byte offsets, or steps, of the N operands.
template <class Index, int N> struct Offsets {
    typename Signed<Index>::type at[N];
};

// ND axes, fastest first, of N operands with byte strides. The size of the slowest is not needed.
template <class Index, int ND, int N> struct Layout {
    typedef typename Signed<Index>::type Stride;
    Divisor<Index> size[ND];
    Stride stride[ND][N];

    GNP_FN Offsets<Index, N> at(Index i) const
    {
        Offsets<Index, N> r;
#pragma unroll
        for (int k = 0; k < N; k++) {
            r.at[k] = 0;
        }
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            Index rest = axis == ND - 1 ? 0 : size[axis].quotient(i);
            Stride x = (Stride)(axis == ND - 1 ? i : i - rest * size[axis].d);
#pragma unroll
            for (int k = 0; k < N; k++) {
                r.at[k] += x * stride[axis][k];
            }
            i = rest;
        }
        return r;
    }
};

#endif
