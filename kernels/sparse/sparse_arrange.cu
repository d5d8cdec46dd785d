// sparse_arrange: compressed rows of elements that are grouped by rows already: those of 1 << group rows are neighbours,
// in any order of rows and columns. A block takes a group: it counts the elements of each row, puts their columns there,
// finds the place of each one as the number of those before it, and sums equal columns in the order in which they came.
// No block takes more than MOST elements, and no row has more than SPARSE_MOST_ARRANGED; state[groups + 1] becomes 1
// where there are more, and the results mean nothing then.
// Knobs: S of the values; FROM of enum SparseFrom: where columns and values are; Key: unsigned, for a column above a place
// in the block; BLOCK threads.
// Launch: a block for each group. `state` is zeros: results.cuh. `indices` and `out` have room for all elements.
#include "knobs/sparse_arrange.cuh"
#include "scan.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"

typedef Compute<S> A;
enum { SHIFT = SPARSE_PLACE_BITS, MOST = 1 << SHIFT, EACH = MOST / BLOCK };

struct Shared {
    Key keys[MOST];   // row by row
    Key sorted[MOST]; // and by columns in each row
    alignas(16) u8 values[MOST * sizeof(A)]; // in the order of the input
    u16 rows[MOST];   // the row of each key
    u32 begins[BLOCK + 1];
    u32 kept[32], places[32], total; // of 32 keys each, those that are the first of their column; how many are before them
    u32 sums[BLOCK / 32 + 1];
    i64 group, before; // the block's group, and the results before it
};

// The values of words of which `words` has the upper halves.
GNP_FN A value_of(const Raw<S> *data, u32 above, i64 at)
{
    if constexpr (FROM == SPARSE_WORDS) {
        Raw<S> raw;
        memcpy(&raw, &above, sizeof(raw));
        return In<S, S>::value(raw);
    }
    else {
        return In<S, S>::value(data[FROM == SPARSE_PLACES ? (i64)above : at]);
    }
}

// Columns above places, row by row in any order, and the values; whether all rows are short enough.
GNP_FN bool place_elements(Shared &shared, const i32 *rows, const u64 *words, const i32 *columns, const Raw<S> *data,
                           i64 first, u32 count, u32 mask)
{
    u32 row[EACH], column[EACH], slot[EACH], all;
    A value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) { // places past the end repeat the last one, so that loads overlap
        const u32 place = k * BLOCK + threadIdx.x;
        const i64 at = first + (place < count ? place : count - 1);
        row[k] = (u32)rows[at] & mask;
        if constexpr (FROM == SPARSE_ARRAYS) {
            column[k] = (u32)columns[at];
            value[k] = value_of(data, 0, at);
        }
        else {
            const u64 word = words[at];
            column[k] = (u32)word;
            value[k] = value_of(data, (u32)(word >> 32), at);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 place = k * BLOCK + threadIdx.x;
        if (place < count) {
            slot[k] = atomicAdd(&shared.begins[row[k]], 1u);
            ((A *)shared.values)[place] = value[k];
        }
    }
    __syncthreads();
    const u32 length = shared.begins[threadIdx.x];
    const bool fits = !__syncthreads_or(length > SPARSE_MOST_ARRANGED);
    shared.begins[threadIdx.x] = sum_before<BLOCK>(length, shared.sums, all);
    if (threadIdx.x == 0) {
        shared.begins[BLOCK] = count;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 place = k * BLOCK + threadIdx.x;
        if (place < count) {
            const u32 to = shared.begins[row[k]] + slot[k];
            shared.keys[to] = (Key)((Key)column[k] << SHIFT | (Key)place);
            shared.rows[to] = (u16)row[k];
        }
    }
    __syncthreads();
    return fits;
}

// A key is before those of its row that are greater; no two are equal.
GNP_FN void sort_rows(Shared &shared, u32 count)
{
#pragma unroll 1
    for (u32 q = threadIdx.x; q < count; q += BLOCK) {
        const u32 row = shared.rows[q], begin = shared.begins[row], end = shared.begins[row + 1];
        const Key mine = shared.keys[q];
        u32 place = begin;
#pragma unroll 4
        for (u32 j = begin; j < end; j++) {
            place += shared.keys[j] < mine ? 1 : 0;
        }
        shared.sorted[place] = mine;
    }
    __syncthreads();
}

// Counts the first keys of columns, which are results, and those of the groups before. One warp calls it.
GNP_FN void find_places(Shared &shared, u64 *state)
{
    const u32 lane = threadIdx.x, mine = __popc(shared.kept[lane]);
    u32 sum = mine;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    shared.places[lane] = sum - mine;
    const u32 total = __shfl_sync(0xffffffffu, sum, 31);
    const u64 before = results_before(state, shared.group, total);
    if (lane == 0) {
        shared.total = total;
        shared.before = (i64)before;
    }
}

// The sum of the values whose columns are that of key q, its first one.
GNP_FN A sum_of(const Shared &shared, u32 q)
{
    const A *values = (const A *)shared.values;
    const Key key = shared.sorted[q];
    const u32 end = shared.begins[shared.rows[q] + 1];
    A sum = values[key & (MOST - 1)];
#pragma unroll 1
    for (q++; q < end && shared.sorted[q] >> SHIFT == key >> SHIFT; q++) {
        sum = plus(sum, values[shared.sorted[q] & (MOST - 1)]);
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_arrange(const i32 *rows, const u64 *words, const i32 *columns, const Raw<S> *data, const i32 *groups,
               u64 *state, i32 *begins, i32 *indices, Raw<S> *out, const i64 m, const i64 group_bits)
{
    __shared__ Shared shared;
    const u32 thread = threadIdx.x, lane = thread % 32;
    if (thread == 0) {
        shared.group = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
    shared.begins[thread] = 0;
    __syncthreads();
    const i64 group = shared.group, first = groups[group], wanted = groups[group + 1] - first;
    bool fits = wanted <= MOST;
    u32 count = fits ? (u32)wanted : 0;
    if (count > 0) {
        fits = place_elements(shared, rows, words, columns, data, first, count, (1u << group_bits) - 1);
        count = fits ? count : 0;
    }
    sort_rows(shared, count);
    u32 kept[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 q = k * BLOCK + thread;
        bool is_first = q < count;
        if (is_first && q > shared.begins[shared.rows[q]]) {
            is_first = shared.sorted[q - 1] >> SHIFT != shared.sorted[q] >> SHIFT;
        }
        kept[k] = __ballot_sync(0xffffffffu, is_first);
        if (lane == 0) {
            shared.kept[q / 32] = kept[k];
        }
    }
    __syncthreads();
    if (thread < 32) {
        find_places(shared, state);
    }
    A sum[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (kept[k] >> lane & 1) {
            sum[k] = sum_of(shared, k * BLOCK + thread);
        }
    }
    __syncthreads();
    const i64 to = shared.before;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 q = k * BLOCK + thread;
        if (kept[k] >> lane & 1) {
            const i64 at = to + shared.places[q / 32] + __popc(kept[k] & ((1u << lane) - 1));
            indices[at] = (i32)(shared.sorted[q] >> SHIFT);
            out[at] = Out<S, S>::raw(sum[k]);
        }
    }
    const i64 row = (group << group_bits) + thread;
    if (thread < 1u << group_bits && row < m) {
        const u32 q = count > 0 ? shared.begins[thread] : 0;
        const bool is_inside = q < count;
        const u32 inside =
            is_inside ? shared.places[q / 32] + __popc(shared.kept[q / 32] & ((1u << q % 32) - 1)) : shared.total;
        begins[row] = (i32)(to + inside);
    }
    if (thread == 0 && group == (i64)gridDim.x - 1) {
        begins[m] = (i32)(to + shared.total);
    }
    if (thread == 0 && !fits) {
        state[gridDim.x + 1] = 1;
    }
}
