// sparse_range_sort: compressed rows of words that sparse_range_move wrote. A block sorts a range of rows in shared memory:
// it counts the elements of each of 1 << SPARSE_BUCKET_BITS buckets, the highest bits of rows and columns, brings them
// together, and finds the place of each as the number of those of its bucket before it; those of one column keep their order
// and are summed in it.
// Where a range has more elements than a block takes, or a row more than SPARSE_MOST_ARRANGED, state[ranges + 1] becomes 1,
// and the results mean nothing.
// Knobs: S of the values; FROM of enum SparseFrom: SPARSE_WORDS, or SPARSE_PLACES of values in `data`; BLOCK threads, ITEMS elements
// of each, together SPARSE_RANGE_MOST.
// Launch: a block for each range, with SPARSE_SORT_BYTES of shared memory. `state` is zeros: results.cuh. `indices` and
// `out` have room for all elements.
#include "knobs/sparse_range_sort.cuh"
#include "scan.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"

typedef Compute<S> A;
enum { MOST = BLOCK * ITEMS, PLACE_BITS = 14, AT_ONCE = 4, EACH = MOST / 32 / 32 };
enum { BUCKETS = 1 << SPARSE_BUCKET_BITS, STEPS = (BUCKETS + BLOCK - 1) / BLOCK };
static_assert(MOST % 1024 == 0 && ITEMS % AT_ONCE == 0, "");

struct Shared {
    u32 keys[MOST];   // bucket by bucket: lower bits above the place in the input; then sorted: rows above columns
    u32 values[MOST]; // in the order of the input, then sorted
    u32 begins[STEPS * BLOCK + 1]; // of buckets
    u32 kept[MOST / 32], places[MOST / 32]; // of 32 keys each, those that are the first of their column; how many are before
    u32 sums[BLOCK / 32], total;
    i64 range, before; // the block's range, and the results before it
};
static_assert(sizeof(Shared) <= SPARSE_SORT_BYTES, "");

// Counts of buckets into where they begin; whether all rows are short enough.
GNP_FN bool find_begins(Shared &shared, u32 count, u32 row_bits)
{
    u32 length[STEPS], sum = 0, all;
#pragma unroll
    for (u32 k = 0; k < STEPS; k++) {
        length[k] = shared.begins[threadIdx.x * STEPS + k];
        sum += length[k];
    }
    u32 at = count_before<BLOCK>(sum, shared.sums, all);
#pragma unroll
    for (u32 k = 0; k < STEPS; k++) {
        shared.begins[threadIdx.x * STEPS + k] = at;
        at += length[k];
    }
    if (threadIdx.x == 0) {
        shared.begins[STEPS * BLOCK] = count;
    }
    __syncthreads();
    const u32 above = SPARSE_BUCKET_BITS - row_bits;
    bool fits = true;
#pragma unroll 1
    for (u32 row = threadIdx.x; row >> row_bits == 0; row += BLOCK) {
        fits &= shared.begins[(row + 1) << above] - shared.begins[row << above] <= SPARSE_MOST_ARRANGED;
    }
    return __syncthreads_and(fits);
}

// Sorts keys and values of a range; whether that was possible.
GNP_FN bool sort_range(Shared &shared, const u64 *words, u32 count, u32 row_bits, u32 bits)
{
    const u32 rest = bits > SPARSE_BUCKET_BITS ? bits - SPARSE_BUCKET_BITS : 0, lower = (1u << rest) - 1;
    const u32 raise = bits > SPARSE_BUCKET_BITS ? 0 : SPARSE_BUCKET_BITS - bits;
    u32 key[ITEMS], slot[ITEMS];
#pragma unroll
    for (u32 start = 0; start < ITEMS; start += AT_ONCE) {
        u64 word[AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) { // places past the end repeat the last one, so that loads overlap
            const u32 place = (start + k) * BLOCK + threadIdx.x;
            word[k] = words[place < count ? place : count - 1];
        }
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            const u32 place = (start + k) * BLOCK + threadIdx.x;
            key[start + k] = (u32)(word[k] >> 32);
            if (place < count) {
                shared.values[place] = (u32)word[k];
                slot[start + k] = atomicAdd(&shared.begins[key[start + k] >> rest << raise], 1u);
            }
        }
    }
    __syncthreads();
    if (!find_begins(shared, count, row_bits)) {
        return false;
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        const u32 place = k * BLOCK + threadIdx.x;
        if (place < count) {
            shared.keys[shared.begins[key[k] >> rest << raise] + slot[k]] = (key[k] & lower) << PLACE_BITS | place;
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) { // a key is before those of its bucket that are greater; no two are equal
        const u32 place = k * BLOCK + threadIdx.x;
        if (place < count) {
            const u32 *begin = &shared.begins[key[k] >> rest << raise];
            const u32 mine = (key[k] & lower) << PLACE_BITS | place, end = begin[1 << raise];
            slot[k] = begin[0];
#pragma unroll 1
            for (u32 q = begin[0]; q < end; q++) {
                slot[k] += shared.keys[q] < mine ? 1 : 0;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        const u32 place = k * BLOCK + threadIdx.x;
        if (place < count) {
            shared.keys[slot[k]] = key[k];
            key[k] = shared.values[place];
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        if (k * BLOCK + threadIdx.x < count) {
            shared.values[slot[k]] = key[k];
        }
    }
    __syncthreads();
    return true;
}

// Which keys are the first ones of their columns: of 32 keys in each word.
GNP_FN void find_first(Shared &shared, u32 count)
{
#pragma unroll 1
    for (u32 q = threadIdx.x; q < MOST; q += BLOCK) {
        const bool is_first = q < count && (q == 0 || shared.keys[q - 1] != shared.keys[q]);
        const u32 kept = __ballot_sync(0xffffffffu, is_first);
        if (threadIdx.x % 32 == 0) {
            shared.kept[q / 32] = kept;
        }
    }
    __syncthreads();
}

// Counts the first keys of columns, which are results, and those of the ranges before. One warp calls it.
GNP_FN void find_places(Shared &shared, u64 *state)
{
    const u32 lane = threadIdx.x;
    u32 mine = 0;
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        shared.places[lane * EACH + k] = mine;
        mine += __popc(shared.kept[lane * EACH + k]);
    }
    u32 sum = mine;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    const u32 total = __shfl_sync(0xffffffffu, sum, 31);
    if (lane == 0) {
        post_results(state, shared.range, total);
    }
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        shared.places[lane * EACH + k] += sum - mine;
    }
    const u64 before = results_before(state, shared.range, total);
    if (lane == 0) {
        shared.total = total;
        shared.before = (i64)before;
    }
}

GNP_FN A value_at(const Shared &shared, const Raw<S> *data, u32 q)
{
    const u32 word = shared.values[q];
    if constexpr (FROM == SPARSE_PLACES) {
        return In<S, S>::value(data[word]);
    }
    Raw<S> raw;
    memcpy(&raw, &word, sizeof(raw));
    return In<S, S>::value(raw);
}

// Results among the first q keys.
GNP_FN u32 results_of(const Shared &shared, u32 q)
{
    return shared.places[q / 32] + __popc(shared.kept[q / 32] & ((1u << q % 32) - 1));
}

extern "C" __global__ void __launch_bounds__(BLOCK, 2)
sparse_range_sort(const u64 *words, const Raw<S> *data, const u32 *ranges, u64 *state, i32 *begins, i32 *indices,
                  Raw<S> *out, const i64 m, const i64 row_bits, const i64 column_bits)
{
    extern __shared__ __align__(16) u8 chip[];
    Shared &shared = *(Shared *)chip;
    const u32 thread = threadIdx.x;
    if (thread == 0) {
        shared.range = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
#pragma unroll
    for (u32 k = 0; k < STEPS; k++) {
        shared.begins[k * BLOCK + thread] = 0;
    }
    __syncthreads();
    const i64 range = shared.range, first = ranges[range], wanted = ranges[range + 1] - first;
    bool fits = wanted <= MOST;
    u32 count = fits ? (u32)wanted : 0;
    if (count > 0) {
        fits = sort_range(shared, words + first, count, (u32)row_bits, (u32)(row_bits + column_bits));
        count = fits ? count : 0;
    }
    find_first(shared, count);
    if (thread < 32) {
        find_places(shared, state);
    }
    __syncthreads();
    const i64 to = shared.before;
    indices += to;
    out += to;
#pragma unroll 1
    for (u32 q = thread; q < count; q += BLOCK) {
        if (shared.kept[q / 32] >> q % 32 & 1) {
            const u32 at = results_of(shared, q), key = shared.keys[q];
            A sum = value_at(shared, data, q);
#pragma unroll 1
            for (u32 p = q + 1; p < count && shared.keys[p] == key; p++) {
                sum = plus(sum, value_at(shared, data, p));
            }
            indices[at] = (i32)(key & ((1u << column_bits) - 1));
            out[at] = Out<S, S>::raw(sum);
        }
    }
#pragma unroll 1
    for (u32 k = thread; k >> row_bits == 0; k += BLOCK) {
        const i64 row = (range << row_bits) + k;
        if (row < m) {
            const u32 q = count > 0 ? shared.begins[k << (SPARSE_BUCKET_BITS - row_bits)] : 0;
            begins[row] = (i32)(to + (q < count ? results_of(shared, q) : shared.total));
        }
    }
    if (thread == 0 && range == (i64)gridDim.x - 1) {
        begins[m] = (i32)(to + shared.total);
    }
    if (thread == 0 && !fits) {
        state[gridDim.x + 1] = 1;
    }
}
