// graph_levels: the breadth-first order of a graph, level by level, as a queue has it: by the place of the node that
// reaches first, then by the place of the edge among its edges. A claim on a node is that pair, places counted from 1,
// in 64 bits; the least claim wins, and 0 is the start's. Steps:
// LEVELS_NARROW: as many levels as are no wider than a block, `most` at the most, by one block; `state` is where the
// last level begins and ends.
// LEVELS_CLAIM, LEVELS_COUNT, LEVELS_WRITE: one wide level: all edges claim their ends; each block counts the claims
// that won; with the sums of `counts`, the nodes are written in order.
// Knobs: I of the indices; STEP of enum GraphLevels; BLOCK threads.
// Launch: one block, or a thread for each node of the level, which is order[begin, end).
#include "knobs/graph_levels.cuh"
#include "scan.cuh"

struct Shared {
    i64 begins[BLOCK], ends[BLOCK]; // of each node's edges; where they end among those of the block
    i64 sums[BLOCK / 32 + 1];
};

// The edges of up to BLOCK nodes of the order, divided among the threads.
struct Edges {
    Shared &shared;
    const I *indices;
    i64 first, total;

    GNP_FN Edges(Shared &s, const I *begins, const I *all, const i32 *order, i64 from, i64 end)
        : shared(s), indices(all), first(from)
    {
        const i64 place = from + threadIdx.x;
        i64 degree = 0, begin = 0;
        if (place < end) {
            const i32 node = ((const volatile i32 *)order)[place];
            begin = begins[node];
            degree = begins[node + 1] - begin;
        }
        shared.begins[threadIdx.x] = begin;
        shared.ends[threadIdx.x] = degree + sum_before<BLOCK>(degree, shared.sums, total);
        __syncthreads();
    }
    // The end of edge e of the block, and the claim on it.
    GNP_FN i32 edge(i64 e, u64 &claim) const
    {
        int at = 0;
#pragma unroll
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            at += shared.ends[at + half - 1] <= e ? half : 0;
        }
        const i64 place = e - (at > 0 ? shared.ends[at - 1] : 0);
        claim = (u64)(first + at + 1) << 32 | (u64)place;
        return (i32)indices[shared.begins[at] + place];
    }
    GNP_FN void claim_all(u64 *claims) const
    {
#pragma unroll 1
        for (i64 e = threadIdx.x; e < total; e += BLOCK) {
            u64 claim;
            const i32 node = edge(e, claim);
            if (claim < ((volatile u64 *)claims)[node]) {
                atomicMin(&claims[node], claim);
            }
        }
    }
    // The number of claims that won; their nodes are written to `out` in order, where it is not NULL.
    GNP_FN i64 won(const u64 *claims, i32 *out) const
    {
        i64 count = 0;
#pragma unroll 1
        for (i64 base = 0; base < total; base += BLOCK) {
            const i64 e = base + threadIdx.x;
            u64 claim = 0;
            const i32 node = edge(e < total ? e : total - 1, claim);
            const bool wins = e < total && ((const volatile u64 *)claims)[node] == claim;
            i64 all;
            const i64 before = sum_before<BLOCK>((i64)wins, shared.sums, all);
            if (out != nullptr && wins) {
                ((volatile i32 *)out)[count + before] = node;
            }
            count += all;
        }
        return count;
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_levels(const I *begins, const I *indices, u64 *claims, i32 *order, i64 *counts, i64 *state, const i64 begin,
             const i64 end, const i64 most)
{
    __shared__ Shared shared;
    if constexpr (STEP == LEVELS_NARROW) {
        i64 from = begin, to = end;
#pragma unroll 1
        for (i64 level = 0; level < most && from < to && to - from <= BLOCK; level++) {
            const Edges edges(shared, begins, indices, order, from, to);
            edges.claim_all(claims);
            __syncthreads();
            from = to;
            to += edges.won(claims, order + to);
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            state[0] = from;
            state[1] = to;
        }
    }
    else {
        const Edges edges(shared, begins, indices, order, begin + (i64)blockIdx.x * BLOCK, end);
        if constexpr (STEP == LEVELS_CLAIM) {
            edges.claim_all(claims);
        }
        else if constexpr (STEP == LEVELS_COUNT) {
            const i64 count = edges.won(claims, nullptr);
            if (threadIdx.x == 0) {
                counts[blockIdx.x] = count;
            }
        }
        else {
            edges.won(claims, order + end + (blockIdx.x > 0 ? counts[blockIdx.x - 1] : 0));
        }
    }
}
