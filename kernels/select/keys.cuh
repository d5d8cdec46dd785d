// keys.cuh: unsigned numbers in the order in which NumPy sorts elements. Included after DESCENDING is declared.
#ifndef GNP_KEYS_CUH
#define GNP_KEYS_CUH

#include "gnp.cuh"

// Unsigned numbers that compare as NumPy sorts: -0 equals +0, NaNs equal each other and come last, also in
// descending order. The elements themselves are moved, so signs and payloads are preserved.
template <class U> GNP_FN U float_key(U bits, U infinity)
{
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    U size = bits & (U)~sign;
    U key = size == 0 ? sign : bits & sign ? (U)~bits : (U)(bits | sign);
    return size > infinity ? (U)~(U)0 : DESCENDING ? (U)~key : key;
}

template <class F> GNP_FN u16 float_key(F x) { return float_key<u16>(x.bits, F::INFINITE_BITS); } // of 16 bits
GNP_FN u32 float_key(f32 x) { return float_key<u32>(__float_as_uint(x), 0x7f800000u); }
GNP_FN u64 float_key(f64 x) { return float_key<u64>((u64)__double_as_longlong(x), 0x7ff0000000000000ull); }

// The key of a complex128.
struct Wide {
    u64 hi, lo;
};

template <class U> struct Twice;
template <> struct Twice<u32> { typedef u64 Key; };
template <> struct Twice<u64> { typedef Wide Key; };

GNP_FN u64 joined(u32 hi, u32 lo) { return (u64)hi << 32 | lo; }
GNP_FN Wide joined(u64 hi, u64 lo) { return Wide{hi, lo}; }

// Real part, then imaginary part; after all of those the numbers whose imaginary part alone is NaN, by their
// real part, and last those whose real part is NaN.
template <class F> GNP_FN auto complex_key(Complex<F> x)
{
    auto re = float_key(x.re), im = float_key(x.im);
    typedef decltype(re) U;
    const U behind = sizeof(U) == 4 ? (U)0xff800001u : (U)0xfff0000000000001ull;
    return im == (U)~(U)0 && re != (U)~(U)0 ? joined(behind, re) : joined(re, im);
}

template <class E> GNP_FN auto key_of(Raw<E> x)
{
    if constexpr (Info<E>::cls == '?') {
        return (u8)((x != 0) != (DESCENDING != 0));
    }
    else if constexpr (Info<E>::cls == 'f') {
        return float_key(x);
    }
    else if constexpr (Info<E>::cls == 'c') {
        return complex_key(x);
    }
    else if constexpr (Info<E>::cls == 'm') { // NaT, the smallest number, sorts after the largest
        u64 key = ((u64)x.ticks - 1) ^ 0x8000000000000000ull;
        return DESCENDING && ~key != 0 ? ~key - 1 : key;
    }
    else if constexpr (sizeof(E) == 1) {
        u8 key = (u8)x ^ (Info<E>::cls == 'i' ? 0x80 : 0);
        return DESCENDING ? (u8)~key : key;
    }
    else if constexpr (sizeof(E) == 2) {
        u16 key = (u16)x ^ (Info<E>::cls == 'i' ? 0x8000 : 0);
        return DESCENDING ? (u16)~key : key;
    }
    else if constexpr (sizeof(E) == 4) {
        u32 key = (u32)x ^ (Info<E>::cls == 'i' ? 0x80000000u : 0);
        return DESCENDING ? ~key : key;
    }
    else {
        u64 key = (u64)x ^ (Info<E>::cls == 'i' ? 0x8000000000000000ull : 0);
        return DESCENDING ? ~key : key;
    }
}

// The same for floats among which there is neither -0 nor NaN, which is most of the time: two instructions
// instead of nine. sort_histogram reports whether there are such elements.
template <class U> GNP_FN U plain_bits(U bits)
{
    const int top = 8 * sizeof(U) - 1;
    U key = bits ^ (U)((U)0 - (bits >> top) | (U)1 << top);
    return DESCENDING ? (U)~key : key;
}

template <class F> GNP_FN u16 plain_float(F x) { return plain_bits<u16>(x.bits); } // of 16 bits
GNP_FN u32 plain_float(f32 x) { return plain_bits<u32>(__float_as_uint(x)); }
GNP_FN u64 plain_float(f64 x) { return plain_bits<u64>((u64)__double_as_longlong(x)); }

template <class E, bool PLAIN> GNP_FN auto key_of(Raw<E> x)
{
    if constexpr (!PLAIN || (Info<E>::cls != 'f' && Info<E>::cls != 'c')) {
        return key_of<E>(x);
    }
    else if constexpr (Info<E>::cls == 'f') {
        return plain_float(x);
    }
    else {
        return joined(plain_float(x.re), plain_float(x.im));
    }
}

GNP_FN bool differ(Wide a, Wide b) { return a.hi != b.hi || a.lo != b.lo; }
template <class K> GNP_FN bool differ(K a, K b) { return a != b; }

// The digit of eight bits from `bit` on; of a Wide `bit` is a multiple of eight.
template <class K> GNP_FN u32 digit_of(K key, int bit) { return (u32)(key >> bit) & 255; }
GNP_FN u32 digit_of(Wide key, int bit) { return (u32)((bit < 64 ? key.lo : key.hi) >> (bit & 63)) & 255; }

template <class K> GNP_FN bool key_less(K a, K b) { return a < b; }
GNP_FN bool key_less(Wide a, Wide b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }

// The element of a key in ascending order: of a zero the positive one, of a NaN one of them.
template <class E, class K> GNP_FN Raw<E> element_of(K key)
{
    const K sign = (K)((K)1 << (8 * sizeof(K) - 1));
    K bits = key;
    if constexpr (Info<E>::cls == 'f') {
        bits = (K)(key & sign ? key ^ sign : ~key);
    }
    else if constexpr (Info<E>::cls == 'i') {
        bits = (K)(key ^ sign);
    }
    Raw<E> x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

#endif
