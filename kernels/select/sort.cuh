// sort.cuh: ranking a tile by one digit of its keys. Included after the knobs, which declare T (the element),
// DESCENDING, MATCH, BLOCK and ITEMS.
#ifndef GNP_SORT_CUH
#define GNP_SORT_CUH

#include "peers.cuh"
#include "select/keys.cuh"
#include "scan.cuh"

// ---- ranking -----------------------------------------------------------------------------------------------

enum { WARPS = BLOCK / 32, RADIX = 256, TILE = BLOCK * ITEMS };

// The lanes of this warp that have the same digit.
GNP_FN u32 same_digit(u32 digit)
{
    if constexpr (MATCH != 0) {
        return __match_any_sync(0xffffffffu, digit);
    }
    else {
        return lanes_of_same<8>(digit);
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
    i64 *indices;      // where the sorted positions, or values, go
    const char *values; // what moves along instead of positions
    u32 *needed;       // per pass, set by sort_scan; behind them whether there is -0 or NaN
    u32 *tickets;      // per pass: the next tile
    char *counts;      // Count[row][pass][digit]: the count, then the start of the digit in its row
    char *state;       // Count[2][tile][digit]: what look-back reads
    u64 n, rows, tiles; // tiles of a row
    u32 keeps;          // whether the sorted elements are stored
    u32 in_place;       // keys[0] is `in`
    u32 digits;         // those in which elements may differ
    u32 first;          // the lowest bit of the lowest one
    const u32 *above;   // the upper halves of words whose lower ones are `values`; NULL: where elements were
};

enum { PASSES = sizeof(T), MOST_PASSES = 16 };

#endif
