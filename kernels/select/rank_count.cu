// rank_count: one step of finding the elements of given ranks. Keys with the known prefix of a wanted key are
// counted by their next 11 bits (Alabi et al., "Fast k-selection algorithms for graphics processing units",
// 2012, section 3).
// Knobs: T, DESCENDING; RANKS at most 4, WIDTH elements per load, BLOCK threads; MATCH and ITEMS are not
// used.
// Launch: a grid of any width, a row of n elements for each y; `known` is the number of bits known before, 0 in the
// first step. Each row has RANKS of `wanted` and of the bins of `counts`.
#include "knobs/rank_count.cuh"
#include "select/rank.cuh"

GNP_FN void count(u32 (*bins)[BINS], const u64 (&prefix)[RANKS], const bool (&mine)[RANKS], int known, Raw<T> x)
{
    const u64 key = key_of<T>(x);
    const u32 bin = next_bits(key, known);
#pragma unroll
    for (int r = 0; r < RANKS; r++) {
        if (mine[r] && leading_bits(key, known) == prefix[r]) {
            atomicAdd(&bins[r][bin], 1);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
rank_count(const Raw<T> *in, const Wanted *wanted, u64 *counts, const u64 n, const int known)
{
    __shared__ u32 bins[RANKS][BINS];
    u64 prefix[RANKS];
    bool mine[RANKS]; // of equal prefixes the first one counts

    in += blockIdx.y * n;
    wanted += blockIdx.y * RANKS;
    counts += (u64)blockIdx.y * (RANKS * BINS);
    for (int i = threadIdx.x; i < RANKS * BINS; i += BLOCK) {
        bins[0][i] = 0;
    }
#pragma unroll
    for (int r = 0; r < RANKS; r++) {
        prefix[r] = wanted[r].prefix;
        mine[r] = first_like(wanted, r) == r;
    }
    __syncthreads();
    const u64 step = (u64)gridDim.x * BLOCK * WIDTH;
    u64 i = ((u64)blockIdx.x * BLOCK + threadIdx.x) * WIDTH;
#pragma unroll 2
    for (; i + WIDTH <= n; i += step) {
        Vec<Raw<T>, WIDTH> v = *(const Vec<Raw<T>, WIDTH> *)(in + i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            count(bins, prefix, mine, known, v.at[k]);
        }
    }
    for (; i < n; i++) {
        count(bins, prefix, mine, known, in[i]);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < RANKS * BINS; b += BLOCK) {
        if (bins[0][b] != 0) {
            atomicAdd(&counts[b], (u64)bins[0][b]);
        }
    }
}
