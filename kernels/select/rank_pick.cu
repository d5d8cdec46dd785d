// rank_pick: finds the next 11 bits of each wanted key from the counts of rank_count; in the last step, the
// elements.
// Knobs: T, DESCENDING; RANKS; MATCH and ITEMS are not used. Launch: one block of 256 threads per rank, a row for each y;
// `rank_of_all` is that of every row in the first step, or -1: it is in `wanted`.
#include "knobs/rank_pick.cuh"
#include "select/rank.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
rank_pick(const u64 *counts, const Wanted *wanted, Wanted *next, Raw<T> *out, const int known, const i64 rank_of_all)
{
    __shared__ u64 sums[BLOCK / 32 + 1];
    enum { EACH = BINS / BLOCK };
    const int r = blockIdx.x;
    wanted += blockIdx.y * RANKS;
    next += blockIdx.y * RANKS;
    counts += (u64)blockIdx.y * (RANKS * BINS);
    const u64 rank = rank_of_all >= 0 ? (u64)rank_of_all : wanted[r].rank;
    const u64 *mine = counts + (u64)first_like(wanted, r) * BINS + threadIdx.x * EACH;
    u64 count[EACH], sum = 0, total;

#pragma unroll
    for (int k = 0; k < EACH; k++) {
        count[k] = mine[k];
        sum += count[k];
    }
    u64 before = sum_before<BLOCK>(sum, sums, total);
    for (int k = 0; k < EACH; k++) {
        if (rank >= before && rank - before < count[k]) {
            const int width = BITS - known - bits_after(known);
            const u64 prefix = wanted[r].prefix << width | (u64)(threadIdx.x * EACH + k);
            next[r] = Wanted{prefix, rank - before};
            if (known + width == BITS) {
                out[blockIdx.y * RANKS + r] = element_of<T>(prefix);
            }
        }
        before += count[k];
    }
}
