// nth_rows: of each row, the elements that a sort would put at the given ranks, or the row partitioned around
// one of them. A row stays in the registers of a block, which finds the keys of the ranks a byte at a time.
// Knobs: T, DESCENDING = 0; GIVES: 0 the elements of the ranks (-0 comes back as 0), 1 the row with smaller
// elements before that of the rank and larger ones behind, 2 the indices of that partition; within a part the
// order depends only on the row's length. A row has at most BLOCK * ITEMS elements.
// Launch: a block for each row.
#include "knobs/nth_rows.cuh"
#include "select/parts.cuh"

enum { MOST_RANKS = GNP_RANKS_MOST, BYTE_VALUES = 256 };

typedef GnpNthRanks Ranks;

// One more of each digit. Values of a row are often alike: lanes that have the first one's digit are counted
// by one addition.
GNP_FN void count_byte(u32 *counts, u32 byte, bool counted)
{
#pragma unroll
    for (int round = 0; round < 2; round++) {
        const u32 waiting = __ballot_sync(0xffffffffu, counted);
        const int first = waiting ? __ffs(waiting) - 1 : 0;
        const u32 common = __shfl_sync(0xffffffffu, byte, first);
        const bool agrees = counted && byte == common;
        const u32 many = __popc(__ballot_sync(0xffffffffu, agrees));
        if (agrees && (int)(threadIdx.x % 32) == first) {
            atomicAdd(&counts[byte], many);
        }
        counted = counted && !agrees;
    }
    if (counted) {
        atomicAdd(&counts[byte], 1u);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
nth_rows(const Raw<T> *in, void *out, const u32 n, const Ranks ranks)
{
    typedef decltype(key_of<T>(Raw<T>())) Key;
    __shared__ u32 counts[BYTE_VALUES], sums[BLOCK / 32 + 1], found[2];
    Raw<T> item[ITEMS];
    Key key[ITEMS], wanted = 0;

    in += (u64)blockIdx.x * n;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const u32 j = k * BLOCK + threadIdx.x;
        if (j < n) {
            item[k] = in[j];
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        key[k] = k * BLOCK + threadIdx.x < n ? key_of<T>(item[k]) : (Key)0;
    }
#pragma unroll 1
    for (u32 r = 0; r < ranks.count; r++) {
        Key known = 0;
        u32 rank = ranks.at[r];
        wanted = 0;
#pragma unroll 1
        for (int shift = BITS - 8; shift >= 0; shift -= 8) {
#pragma unroll 1
            for (u32 c = threadIdx.x; c < BYTE_VALUES; c += BLOCK) {
                counts[c] = 0;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                const bool counted = k * BLOCK + threadIdx.x < n && (Key)(key[k] & known) == wanted;
                count_byte(counts, (u32)(key[k] >> shift) & 255, counted);
            }
            __syncthreads();
            u32 total;
            const u32 mine = threadIdx.x < BYTE_VALUES ? counts[threadIdx.x] : 0;
            const u32 before = sum_before<BLOCK>(mine, sums, total);
            if (rank >= before && rank - before < mine) {
                found[0] = threadIdx.x;
                found[1] = before;
            }
            __syncthreads();
            wanted = (Key)(wanted | (Key)((Key)found[0] << shift));
            known = (Key)(known | (Key)((Key)255 << shift));
            rank -= found[1];
        }
        if (GIVES == NTH_ELEMENTS && threadIdx.x == 0) {
            ((Raw<T> *)out)[(u64)blockIdx.x * ranks.count + r] = element_of<T>(wanted);
        }
        __syncthreads();
    }
    if constexpr (GIVES != NTH_ELEMENTS) {
        const Dealt dealt = deal_out(item, [&](int k) { return part_of(key[k], wanted); }, n);
#pragma unroll 1
        for (u32 j = threadIdx.x; j < n; j += BLOCK) {
            if constexpr (GIVES == NTH_PARTITION) {
                ((Raw<T> *)out)[(u64)blockIdx.x * n + j] = dealt.items[j];
            }
            else {
                ((i64 *)out)[(u64)blockIdx.x * n + j] = dealt.places[j];
            }
        }
    }
}
