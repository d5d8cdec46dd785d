// rank.cuh: radix selection: known prefixes of the keys of given ranks, and the element of a key. Included
// after the knobs.
#ifndef GNP_RANK_CUH
#define GNP_RANK_CUH

#include "select/sort.cuh"

enum { BITS = 8 * sizeof(T), STEP = 11, BINS = 1 << STEP };

// A key of which the leading bits are known, and its rank among the keys that begin with them.
struct Wanted {
    u64 prefix, rank;
};

GNP_FN int bits_after(int known) { return BITS - known < STEP ? 0 : BITS - known - STEP; }
GNP_FN u64 leading_bits(u64 key, int known) { return known == 0 ? 0 : key >> (BITS - known); }
GNP_FN u32 next_bits(u64 key, int known) { return (u32)(key >> bits_after(known)) & ((1u << (BITS - known - bits_after(known))) - 1); }

// The first rank with the same prefix: its bins serve both.
GNP_FN int first_like(const Wanted *wanted, int r)
{
    int first = r;
    for (int other = r - 1; other >= 0; other--) {
        first = wanted[other].prefix == wanted[r].prefix ? other : first;
    }
    return first;
}

template <class U> GNP_FN U float_bits(U key)
{
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    return key & sign ? (U)(key ^ sign) : (U)~key;
}

// The element of a key; zero is positive, and NaN has one form.
template <class E> GNP_FN Raw<E> element_of(u64 key)
{
    constexpr int cls = Info<E>::cls;
    if constexpr (cls == '?' || cls == 'u') {
        return (Raw<E>)key;
    }
    else if constexpr (cls == 'i') {
        return (Raw<E>)(key ^ 1ull << (BITS - 1));
    }
    else if constexpr (BITS == 16) { // f16 and bf16
        E x;
        x.bits = float_bits((u16)key) & (key == 0xffff ? (u16)0x7fff : (u16)0xffff);
        return x;
    }
    else if constexpr (BITS == 32) {
        return __uint_as_float(float_bits((u32)key));
    }
    else {
        return __longlong_as_double((i64)float_bits(key));
    }
}

#endif
