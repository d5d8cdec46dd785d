// sparse_range_move: elements into their ranges of 1 << shift rows, in the order in which they came: of each a word, whose
// upper half is its row in the range above its column, and whose lower half is its value of 32 bits, or the place of it.
// A tile ranks its elements within each warp by counters in shared memory, and brings those of a range together before it
// writes them. Where they go is known, so no tile waits for another.
// Knobs: FROM of enum SparseFrom: SPARSE_WORDS of values, or SPARSE_PLACES; BLOCK threads, ITEMS elements of each.
// Launch: a block for each tile of BLOCK * ITEMS elements, as many as SPARSE_RANGE_TILE, with SPARSE_MOVE_BYTES of shared memory. `starts` and `begins`
// are those of sparse_range_begins.
#include "knobs/sparse_range_move.cuh"
#include "peers.cuh"
#include "scan.cuh"
#include "sparse/sparse.cuh"

enum { WARPS = BLOCK / 32, TILE = BLOCK * ITEMS, HALVES = SPARSE_RANGES / 2, OWN = HALVES / BLOCK };
enum { RANGE_BITS = 11, AT_ONCE = 4 };
static_assert(1 << RANGE_BITS == SPARSE_RANGES && ITEMS % AT_ONCE == 0, "");

struct Shared {
    union {
        u32 counts[WARPS][HALVES]; // of two ranges each: elements of a warp so far, then where they begin in the tile
        uint2 words[TILE];         // range by range
    };
    u32 base[SPARSE_RANGES]; // where a range's elements of this tile go, less where they begin in the tile
    u16 ranges[TILE];        // of each word
    u32 sums[WARPS];
};
static_assert(sizeof(Shared) <= SPARSE_MOVE_BYTES, "");

// The lanes before this one that have the same range. Not inline: the votes are long, and seldom needed.
__device__ __noinline__ u32 same_before(u32 range)
{
    return __popc(lanes_of_same<RANGE_BITS>(range) & ((1u << threadIdx.x % 32) - 1));
}

// How many elements of the warp before this one are in the same range. Lanes of one instruction add in any order, so they
// are counted where two of them have one range: most of the time there are none.
GNP_FN u32 rank_of(u16 *counts, u32 range)
{
    const u32 half = range % 2 * 16, before = counts[range];
    __syncwarp();
    const u32 rank = atomicAdd((u32 *)counts + range / 2, 1u << half) >> half & 0xffff;
    return __any_sync(0xffffffffu, rank != before) ? before + same_before(range) : rank;
}

// Turns counts into where elements of each warp and range begin in the tile.
GNP_FN void find_begins(Shared &shared, const u32 *starts, const u32 *begins)
{
    u32 count[OWN] = {}, sum = 0, all;
#pragma unroll 2
    for (u32 w = 0; w < WARPS; w++) {
#pragma unroll
        for (u32 k = 0; k < OWN; k++) {
            count[k] += shared.counts[w][threadIdx.x * OWN + k];
        }
    }
#pragma unroll
    for (u32 k = 0; k < OWN; k++) {
        sum += (count[k] & 0xffff) + (count[k] >> 16);
    }
    u32 start = count_before<BLOCK>(sum, shared.sums, all);
#pragma unroll
    for (u32 k = 0; k < OWN; k++) {
        const u32 at = threadIdx.x * OWN + k, second = start + (count[k] & 0xffff);
        shared.base[2 * at] = begins[2 * at] + starts[2 * at] - start;
        shared.base[2 * at + 1] = begins[2 * at + 1] + starts[2 * at + 1] - second;
        u32 both = start | second << 16;
        start = second + (count[k] >> 16);
#pragma unroll 2
        for (u32 w = 0; w < WARPS; w++) {
            const u32 mine = shared.counts[w][at];
            shared.counts[w][at] = both;
            both += mine;
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 2)
sparse_range_move(const i32 *rows, const i32 *columns, const u32 *values, const u32 *starts, const u32 *begins,
                  uint2 *words, const i64 n, const i64 row_bits, const i64 bits)
{
    extern __shared__ __align__(16) u8 chip[];
    Shared &shared = *(Shared *)chip;
    // Elements of a warp follow one another, and so do those that its lanes have at a time: at + 32 k is the k-th of a thread.
    const i64 first = (i64)blockIdx.x * TILE;
    const u32 count = n - first < TILE ? (u32)(n - first) : (u32)TILE, shift = (u32)row_bits;
    const u32 column_bits = (u32)bits;
    const u32 lane = threadIdx.x % 32, at = threadIdx.x / 32 * (32 * ITEMS) + lane, lower = (1u << shift) - 1;
    const int left = (int)count - (int)at;
    rows = based(rows + first + at);
    columns = based(columns + first + at);
    values = FROM == SPARSE_WORDS ? based(values + first + at) : values;
    u32 row[ITEMS], to[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) { // what is past the end comes last
        row[k] = k * 32 < left ? (u32)rows[k * 32] : (SPARSE_RANGES - 1u) << shift;
    }
    u32 *words_of_counts = shared.counts[threadIdx.x / 32];
    u16 *mine = (u16 *)words_of_counts;
#pragma unroll 4
    for (u32 k = lane; k < HALVES; k += 32) {
        words_of_counts[k] = 0;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        to[k] = rank_of(mine, row[k] >> shift);
        __syncwarp();
    }
    __syncthreads();
    find_begins(shared, starts + (i64)blockIdx.x * SPARSE_RANGES, begins);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        to[k] += mine[row[k] >> shift];
    }
    __syncthreads();
#pragma unroll
    for (int start = 0; start < ITEMS; start += AT_ONCE) {
        u32 column[AT_ONCE], low[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int far = (start + k) * 32;
            column[k] = far < left ? (u32)columns[far] : 0;
            low[k] = FROM == SPARSE_PLACES ? (u32)first + at + far : far < left ? values[far] : 0;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const u32 one = row[start + k], place = to[start + k];
            shared.words[place] = make_uint2(low[k], (one & lower) << column_bits | column[k]);
            shared.ranges[place] = (u16)(one >> shift);
        }
    }
    __syncthreads();
#pragma unroll 4
    for (u32 place = threadIdx.x; place < count; place += BLOCK) {
        words[shared.base[shared.ranges[place]] + place] = shared.words[place];
    }
}
