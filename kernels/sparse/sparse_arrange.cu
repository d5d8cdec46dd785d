// sparse_arrange: compressed rows of elements that are grouped by rows already: those of 1 << group rows are neighbours,
// in any order of rows and columns. A block takes a group, whose rows it cuts into BUCKETS buckets by the highest bits of
// columns: it counts the elements of each bucket, puts their columns there, finds the place of each one as the number of
// those before it, and sums equal columns in the order in which they came. Where rows are few and columns anywhere, a
// bucket has few elements, and they are compared with those alone.
// No block takes more than MOST elements, and no row has more than SPARSE_MOST_ARRANGED; state[groups + 1] becomes 1
// where there are more, and the results mean nothing then.
// Knobs: S of the values; FROM of enum SparseFrom: where columns and values are; Key: unsigned, for a column above a place
// in the block; KEEPS: elements of one place stay, in their order; BLOCK threads.
// Launch: a block for each group. `state` is zeros: results.cuh. `indices` and `out` have room for all elements.
#include "knobs/sparse_arrange.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"

typedef Compute<S> A;
enum { BUCKET_BITS = 8, BUCKETS = 1 << BUCKET_BITS, EACH = BUCKETS / 32, SHIFT = SPARSE_PLACE_BITS, MOST = 1 << SHIFT, AT_ONCE = 5 };

struct Shared {
    Key keys[MOST];   // bucket by bucket
    Key sorted[MOST]; // and by columns in each bucket; before that, columns in the order of the input
    alignas(16) u8 values[MOST * sizeof(A)]; // in the order of the input
    u32 slots[MOST];  // of each element its bucket and how many came to that before it, in any order
    u16 buckets[MOST]; // of each key
    alignas(16) u32 begins[BUCKETS + 1];
    u32 kept[32], places[32], total; // of 32 keys each, those that are the first of their column; how many are before them
    u32 fits;         // whether all rows are short enough
    i64 group, before; // the block's group, and the results before it
};

// Where a block's elements come from: pointers to its first one.
struct Input {
    const i32 *rows, *columns;
    const u64 *words;
    const Raw<S> *data;

    GNP_FN Input(const i32 *all_rows, const u64 *all_words, const i32 *all_columns, const Raw<S> *all_data, i64 first)
        : rows(based(all_rows + first)), columns(based(all_columns + first)), words(based(all_words + first)),
          data(FROM == SPARSE_ARRAYS ? based(all_data + first) : all_data)
    {
    }
    GNP_FN A load(u32 at, u32 &column) const
    {
        if constexpr (FROM == SPARSE_ARRAYS) {
            column = (u32)columns[at];
            return In<S, S>::value(data[at]);
        }
        const u64 word = words[at];
        const u32 above = (u32)(word >> 32);
        column = (u32)word;
        if constexpr (FROM == SPARSE_WORDS) {
            Raw<S> raw;
            memcpy(&raw, &above, sizeof(raw));
            return In<S, S>::value(raw);
        }
        return In<S, S>::value(data[above]);
    }
};

// Which bucket an element belongs to: its row's bits in the group, above the highest ones of its column.
struct Buckets {
    u32 rows, bits, shift;

    GNP_FN Buckets(u32 group_bits, u32 column_bits)
        : rows((1u << group_bits) - 1), bits(BUCKET_BITS - group_bits),
          shift(column_bits > bits ? column_bits - bits : 0)
    {
    }
    GNP_FN u32 at(u32 row, u32 column) const { return (row & rows) << bits | (column >> shift & ((1u << bits) - 1)); }
};

// Turns counts of buckets into where each begins; finds whether rows are short enough. One warp calls it.
GNP_FN void find_begins(Shared &shared, u32 count, const Buckets &buckets)
{
    const u32 lane = threadIdx.x;
    u32 length[EACH], mine = 0;
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        length[k] = shared.begins[lane * EACH + k];
        mine += length[k];
    }
    u32 sum = mine;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    sum -= mine;
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        shared.begins[lane * EACH + k] = sum;
        sum += length[k];
    }
    if (lane == 0) {
        shared.begins[BUCKETS] = count;
    }
    __syncwarp();
    bool fits = true;
#pragma unroll 1
    for (u32 row = lane; row <= buckets.rows; row += 32) {
        const u32 *begin = shared.begins + (row << buckets.bits);
        fits &= begin[1u << buckets.bits] - begin[0] <= SPARSE_MOST_ARRANGED;
    }
    fits = __all_sync(0xffffffffu, fits);
    if (lane == 0) {
        shared.fits = fits;
    }
}

// Columns above places, bucket by bucket in any order, and the values; whether all rows are short enough.
GNP_FN bool place_elements(Shared &shared, const Input &in, u32 count, const Buckets &buckets)
{
#pragma unroll 1
    for (u32 start = threadIdx.x; start < count; start += AT_ONCE * BLOCK) {
        u32 bucket[AT_ONCE], column[AT_ONCE];
        A value[AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) { // places past the end repeat the last one, so that loads overlap
            const u32 place = start + k * BLOCK, at = place < count ? place : count - 1;
            value[k] = in.load(at, column[k]);
            bucket[k] = buckets.at((u32)in.rows[at], column[k]);
        }
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            const u32 place = start + k * BLOCK;
            if (k == 0 || place < count) {
                shared.slots[place] = atomicAdd(&shared.begins[bucket[k]], 1u) * BUCKETS + bucket[k];
                shared.sorted[place] = column[k];
                ((A *)shared.values)[place] = value[k];
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        find_begins(shared, count, buckets);
    }
    __syncthreads();
#pragma unroll 1
    for (u32 place = threadIdx.x; place < count; place += BLOCK) {
        const u32 slot = shared.slots[place], bucket = slot % BUCKETS, to = shared.begins[bucket] + slot / BUCKETS;
        shared.keys[to] = (Key)(shared.sorted[place] << SHIFT | (Key)place);
        shared.buckets[to] = (u16)bucket;
    }
    __syncthreads();
    return shared.fits;
}

// One less where a < b: without a predicate.
GNP_FN void count_less(u32 &count, u32 a, u32 b)
{
    asm("{\n\t.reg .u32 t;\n\tsub.cc.u32 t, %1, %2;\n\tsubc.u32 %0, %0, 0;\n\t}" : "+r"(count) : "r"(a), "r"(b));
}
GNP_FN void count_less(u32 &count, u64 a, u64 b) { count -= a < b ? 1 : 0; }

// A key is before those of its bucket that are greater; no two are equal.
GNP_FN void sort_buckets(Shared &shared, u32 count)
{
#pragma unroll 1
    for (u32 q = threadIdx.x; q < count; q += BLOCK) {
        const u32 bucket = shared.buckets[q], begin = shared.begins[bucket], end = shared.begins[bucket + 1];
        const Key mine = shared.keys[q], *key = shared.keys + begin;
        u32 less = 0;
#pragma unroll 4
        for (u32 left = end - begin; left > 0; left--, key++) {
            count_less(less, *key, mine);
        }
        shared.sorted[begin - less] = mine;
    }
    __syncthreads();
}

// Which keys are the first ones of their columns: of 32 keys in each word.
GNP_FN void find_first(Shared &shared, u32 count)
{
#pragma unroll 1
    for (u32 q = threadIdx.x; q / 32 * 32 < count; q += BLOCK) {
        bool is_first = q < count;
        if (!KEEPS && is_first && q > 0) {
            is_first = shared.buckets[q - 1] != shared.buckets[q] ||
                       shared.sorted[q - 1] >> SHIFT != shared.sorted[q] >> SHIFT;
        }
        const u32 kept = __ballot_sync(0xffffffffu, is_first);
        if (threadIdx.x % 32 == 0) {
            shared.kept[q / 32] = kept;
        }
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
    const u32 total = __shfl_sync(0xffffffffu, sum, 31);
    if (lane == 0) {
        post_results(state, shared.group, total);
    }
    shared.places[lane] = sum - mine;
    const u64 before = results_before(state, shared.group, total);
    if (lane == 0) {
        shared.total = total;
        shared.before = (i64)before;
    }
}

// The sum of the values whose columns are that of key q, its first one.
GNP_FN A sum_of(const Shared &shared, u32 q, u32 count)
{
    const A *values = (const A *)shared.values;
    A sum = values[shared.sorted[q] & (MOST - 1)];
#pragma unroll 1
    for (q++; !KEEPS && q < count && !(shared.kept[q / 32] >> q % 32 & 1); q++) {
        sum = plus(sum, values[shared.sorted[q] & (MOST - 1)]);
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_arrange(const i32 *rows, const u64 *words, const i32 *columns, const Raw<S> *data, const i32 *groups,
               u64 *state, i32 *begins, i32 *indices, Raw<S> *out, const i64 m, const i64 group_bits,
               const i64 column_bits)
{
    __shared__ Shared shared;
    const u32 thread = threadIdx.x;
    const Buckets buckets((u32)group_bits, (u32)column_bits);
    if (thread == 0) {
        shared.group = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
#pragma unroll
    for (u32 k = 0; k < BUCKETS / BLOCK; k++) {
        shared.begins[k * BLOCK + thread] = 0;
    }
    if (thread < 32) {
        shared.kept[thread] = 0;
    }
    __syncthreads();
    const i64 group = shared.group, first = groups[group], wanted = groups[group + 1] - first;
    bool fits = wanted <= MOST;
    u32 count = fits ? (u32)wanted : 0;
    if (count > 0) {
        const Input in(rows, words, columns, data, first);
        fits = place_elements(shared, in, count, buckets);
        count = fits ? count : 0;
    }
    sort_buckets(shared, count);
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
        const u32 kept = shared.kept[q / 32];
        if (kept >> q % 32 & 1) {
            const u32 at = shared.places[q / 32] + __popc(kept & ((1u << q % 32) - 1));
            indices[at] = (i32)(shared.sorted[q] >> SHIFT);
            out[at] = Out<S, S>::raw(sum_of(shared, q, count));
        }
    }
    const i64 row = (group << group_bits) + thread;
    if (thread < 1u << group_bits && row < m) {
        const u32 q = count > 0 ? shared.begins[thread << buckets.bits] : 0;
        const u32 before = q < count ? shared.places[q / 32] + __popc(shared.kept[q / 32] & ((1u << q % 32) - 1))
                                     : shared.total;
        begins[row] = (i32)(to + before);
    }
    if (thread == 0 && group == (i64)gridDim.x - 1) {
        begins[m] = (i32)(to + shared.total);
    }
    if (thread == 0 && !fits) {
        state[gridDim.x + 1] = 1;
    }
}
