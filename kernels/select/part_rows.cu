// part_rows: rows partitioned around their pivots: smaller elements, those that equal the pivot, larger ones; or the
// positions of the elements in that order. Within a part the order depends only on the row's length.
// Knobs: T, DESCENDING; GIVES: NTH_PARTITION or NTH_POSITIONS; MOVES: 0 counts the elements of the parts of each chunk,
// 1 moves them; ITEMS elements per thread at a time, BLOCK; MATCH is not used.
// Launch: a block for each chunk of a row, of `each` elements, a multiple of the tile; a row for each y. The pivots are
// keys, as rank_pick.cu leaves them.
#include "knobs/part_rows.cuh"
#include "select/parts.cuh"

// How many elements of a chunk are less than the pivot, and how many equal it.
struct Parts {
    u64 less, equal;
};

// Called, so that its code is there once.
static __device__ __noinline__ u64 sum_of_block(u64 x)
{
    __shared__ u64 sums[BLOCK / 32 + 1];
    u64 total;
    sum_before<BLOCK>(x, sums, total);
    return total;
}

GNP_FN void count_parts(const Raw<T> *in, u64 begin, u64 end, u64 pivot, Parts *parts)
{
    u64 less = 0, equal = 0;
#pragma unroll ITEMS
    for (u64 j = begin + threadIdx.x; j < end; j += BLOCK) {
        const int part = part_of<u64>(key_of<T>(in[j]), pivot);
        less += part == 0;
        equal += part == 1;
    }
    const Parts all = {sum_of_block(less), sum_of_block(equal)};
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = all;
    }
}

// Where the elements of each part of this chunk begin in the row.
GNP_FN void find_places(const Parts *parts, u64 begin, u64 (&next)[3])
{
    u64 all[2] = {}, before[2] = {};
#pragma unroll 1
    for (u32 c = threadIdx.x; c < gridDim.x; c += BLOCK) {
        const Parts some = parts[c];
        all[0] += some.less;
        all[1] += some.equal;
        before[0] += c < blockIdx.x ? some.less : 0;
        before[1] += c < blockIdx.x ? some.equal : 0;
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        all[k] = sum_of_block(all[k]);
        before[k] = sum_of_block(before[k]);
    }
    next[0] = before[0];
    next[1] = all[0] + before[1];
    next[2] = all[0] + all[1] + begin - before[0] - before[1];
}

GNP_FN void move_parts(const Raw<T> *in, void *out, u64 begin, u64 end, u64 pivot, u64 (&next)[3])
{
#pragma unroll 1
    for (u64 tile = begin; tile < end; tile += TILE) {
        const u32 count = end - tile < TILE ? (u32)(end - tile) : TILE;
        Raw<T> item[ITEMS];
        int part[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const u32 j = k * BLOCK + threadIdx.x;
            item[k] = in[tile + (j < count ? j : 0)];
        }
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            part[k] = part_of<u64>(key_of<T>(item[k]), pivot);
        }
        const Dealt dealt = deal_out(item, [&](int k) { return part[k]; }, count);
        const u32 less = dealt.less, equal = dealt.equal;
#pragma unroll 1
        for (u32 j = threadIdx.x; j < count; j += BLOCK) {
            const int p = j < less ? 0 : j < less + equal ? 1 : 2;
            const u64 to = (p == 0 ? next[0] : p == 1 ? next[1] : next[2]) + (j - (p == 0 ? 0 : p == 1 ? less : less + equal));
            if constexpr (GIVES == NTH_PARTITION) {
                ((Raw<T> *)out)[to] = dealt.items[j];
            }
            else {
                ((i64 *)out)[to] = (i64)(tile + dealt.places[j]);
            }
        }
        next[0] += less;
        next[1] += equal;
        next[2] += count - less - equal;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
part_rows(const Raw<T> *in, char *out, const Wanted *pivots, Parts *parts, const u64 n, const u64 each)
{
    const u64 begin = blockIdx.x * each, end = begin + each < n ? begin + each : n, pivot = pivots[blockIdx.y].prefix;
    in += blockIdx.y * n;
    parts += (u64)blockIdx.y * gridDim.x;
    if constexpr (MOVES == 0) {
        count_parts(in, begin, end, pivot, parts);
    }
    else {
        u64 next[3];
        find_places(parts, begin, next);
        out += blockIdx.y * n * (GIVES == NTH_POSITIONS ? sizeof(i64) : sizeof(Raw<T>));
        move_parts(in, out, begin, end, pivot, next);
    }
}
