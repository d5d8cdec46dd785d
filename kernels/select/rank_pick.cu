// rank_pick: finds the next 11 bits of each wanted key from the counts of rank_count; in the last step, the
// elements.
// Knobs: T, DESCENDING; RANKS; MATCH and ITEMS are not used. Launch: one block of 256 threads per rank.
#include "knobs/rank_pick.cuh"
#include "select/rank.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
rank_pick(const u64 *counts, const Wanted *wanted, Wanted *next, Raw<T> *out, const int known)
{
    __shared__ u64 sums[BLOCK / 32 + 1];
    enum { EACH = BINS / BLOCK };
    const int r = blockIdx.x;
    const u64 rank = wanted[r].rank;
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
                out[r] = element_of<T>(prefix);
            }
        }
        before += count[k];
    }
}
