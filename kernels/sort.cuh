// sort.cuh: keys in NumPy's order, and ranking a tile by one digit of its keys. Included after the knobs,
// which declare T (the element), DESCENDING, MATCH, BLOCK and ITEMS.
#ifndef GNP_SORT_CUH
#define GNP_SORT_CUH

#include "scan.cuh"

// ---- keys --------------------------------------------------------------------------------------------------

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

template <class K> GNP_FN u32 digit_of(K key, int pass) { return (u32)(key >> 8 * pass) & 255; }
GNP_FN u32 digit_of(Wide key, int pass) { return (u32)((pass < 8 ? key.lo : key.hi) >> 8 * (pass & 7)) & 255; }

template <class K> GNP_FN bool key_less(K a, K b) { return a < b; }
GNP_FN bool key_less(Wide a, Wide b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }

// ---- ranking -----------------------------------------------------------------------------------------------

enum { WARPS = BLOCK / 32, RADIX = 256, TILE = BLOCK * ITEMS };

// The lanes of this warp that have the same digit (Ashkiani et al., "GPU Multisplit", 2016, section 5).
GNP_FN u32 same_digit(u32 digit)
{
    if constexpr (MATCH != 0) {
        return __match_any_sync(0xffffffffu, digit);
    }
    else {
        u32 same = 0xffffffffu;
#pragma unroll
        for (int b = 0; b < 8; b++) { // the compiler's code takes one instruction more
            u32 with;
            asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\t"
                         "and.b32 t, %1, %2;\n\t"
                         "setp.ne.u32 p, t, 0;\n\t"
                         "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
                         "@!p not.b32 %0, %0;\n\t}"
                         : "=r"(with)
                         : "r"(digit), "r"(1u << b));
            same &= with;
        }
        return same;
    }
}

// The position of item k of this thread in the tile: warps have consecutive ranges, and the lanes of a warp
// neighbouring items, so accesses are coalesced and the order is that of (warp, k, lane).
GNP_FN u32 place_of(int k) { return threadIdx.x / 32 * (32 * ITEMS) + k * 32 + threadIdx.x % 32; }

// Counts this warp's digits into its row of `counts`.
GNP_FN void count_digits(const u32 (&digit)[ITEMS], u32 *counts)
{
    u32 *mine = counts + threadIdx.x / 32 * RADIX;
#pragma unroll
    for (int k = 0; k < RADIX / 32; k++) {
        mine[k * 32 + threadIdx.x % 32] = 0;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        atomicAdd(&mine[digit[k]], 1);
    }
}

// How many items of the tile have the digit threadIdx.x; 0 for threads beyond the digits.
GNP_FN u32 digit_total(const u32 *counts)
{
    u32 total = 0;
    if (threadIdx.x < RADIX) {
#pragma unroll 4
        for (int w = 0; w < WARPS; w++) {
            total += counts[w * RADIX + threadIdx.x];
        }
    }
    return total;
}

// Turns counts into positions: of the first item of each warp and digit, where the tile's items of the digit
// threadIdx.x begin at `start`.
GNP_FN void counts_to_places(u32 *counts, u32 start)
{
    if (threadIdx.x < RADIX) {
#pragma unroll 4
        for (int w = 0; w < WARPS; w++) {
            u32 count = counts[w * RADIX + threadIdx.x];
            counts[w * RADIX + threadIdx.x] = start;
            start += count;
        }
    }
}

// The position of each item in the tile sorted by digit, stable: of the lanes with the same digit the last
// one advances the position for all.
GNP_FN void rank_items(const u32 (&digit)[ITEMS], u32 *counts, u32 (&rank)[ITEMS])
{
    const u32 mine = (u32)__cvta_generic_to_shared(counts + threadIdx.x / 32 * RADIX);
    const u32 lane = threadIdx.x % 32, below = (1u << lane) - 1;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        u32 same = same_digit(digit[k]), before = __popc(same & below), last = 31 - __clz(same);
        u32 at = 0; // if (last == lane) at = atomicAdd(&mine[digit[k]], before + 1), without a branch
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "setp.eq.u32 p, %3, %4;\n\t"
                     "@p atom.shared.add.u32 %0, [%1], %2;\n\t}"
                     : "+r"(at)
                     : "r"(mine + digit[k] * 4), "r"(before + 1), "r"(last), "r"(lane)
                     : "memory");
        rank[k] = __shfl_sync(0xffffffffu, at, last) + before;
    }
}

// ---- the passes of one sort --------------------------------------------------------------------------------

// A sort of rows of n elements, as sort.c passes it. Each digit is one pass, least significant first;
// `needed` says which: a digit that is the same in all elements needs no pass.
struct Sort {
    const char *in;
    char *keys[2];     // [0] is where the sorted elements go, or scratch; [1] scratch
    char *index[2];    // scratch of Value
    i64 *indices;      // where the sorted positions go
    u32 *needed;       // per pass, set by sort_scan; behind them whether there is -0 or NaN
    u32 *tickets;      // per pass: the next tile
    char *counts;      // Count[row][pass][digit]: the count, then the start of the digit in its row
    char *state;       // Count[2][tile][digit]: what look-back reads
    u64 n, rows, tiles; // tiles of a row
    u32 keeps;          // whether the sorted elements are stored
    u32 in_place;       // keys[0] is `in`
};

enum { PASSES = sizeof(T), MOST_PASSES = 16 };

#endif
