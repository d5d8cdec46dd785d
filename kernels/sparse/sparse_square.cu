// sparse_square: the product of two compressed sparse matrices of which no row has more than MOST products of
// elements. A block expands a row's products in shared memory. It counts their columns by putting them into a hash table; to
// write them, it sorts them and the order in which they came in registers, and sums equal columns in that order.
// Knobs: I of the indices; SA, SB, R of the values and the result; T: computed in; Key: unsigned, for a column
// above a place below MOST; FILL: results are written, instead of counted; MOST, SHIFT: 1 << SHIFT, at least
// BLOCK; BLOCK threads of a row; ROWS of a block, one unless BLOCK is 32: so many blocks of one warp do not fit a
// multiprocessor.
// Launch: a block of ROWS * BLOCK threads per ROWS rows; first the counts, then, with where rows begin in `begins`, the results.
#include "knobs/sparse_square.cuh"
#include "select/rank_network.cuh"
#include "scan.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { EACH = MOST / BLOCK, AT_ONCE = 4, WORDS = MOST / 32, SLOTS = MOST * (MOST * sizeof(Key) <= 4096 ? 4 : 2) };
enum { WIDE = EACH * sizeof(Key) < 16 ? EACH : 16 / sizeof(Key), PACK = EACH * sizeof(A) < 16 ? EACH : 16 / sizeof(A) };
enum { RESIDENT = sizeof(A) + sizeof(Key) + sizeof(I) <= 12 && ROWS > 1 ? 1536 / (ROWS * BLOCK) : 1 }; // blocks
const Key NONE = (Key)~(Key)0; // greater than all columns

// Stores what a thread has, N elements at once.
template <int N, class X> GNP_FN void store_each(X *to, const X (&from)[EACH])
{
#pragma unroll
    for (int j = 0; j < EACH; j += N) {
        Vec<X, N> several;
#pragma unroll
        for (int k = 0; k < N; k++) {
            several.at[k] = from[j + k];
        }
        *(Vec<X, N> *)(to + j) = several;
    }
}

// The thread among those of its row.
GNP_FN u32 thread() { return threadIdx.x % BLOCK; }

// Waits for the threads of this row.
GNP_FN void sync()
{
    if constexpr (BLOCK == 32) {
        __syncwarp();
    }
    else {
        __syncthreads();
    }
}

// The sum of x over the row's threads before this one; `total` over all.
GNP_FN u32 place_of(u32 x, u32 *sums, u32 &total)
{
    if constexpr (BLOCK > 32) {
        return count_before<BLOCK>(x, sums, total);
    }
    u32 sum = x;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += thread() >= d ? other : 0;
    }
    total = __shfl_sync(0xffffffffu, sum, 31);
    sync();
    return sum - x;
}

struct Shared {
    alignas(16) Key keys[FILL ? MOST : SLOTS]; // or the table of columns
    alignas(16) u8 values[FILL ? MOST * sizeof(A) : 16];
    alignas(16) u8 factors[FILL ? BLOCK * sizeof(A) : 16];
    I from[BLOCK]; // the first element of the row of the second matrix, less its place among the products
    u32 bits[WORDS]; // of the products with which rows of the second matrix begin
    u32 sums[BLOCK / 32];
};

// Which rows of the second matrix products come from: each lane has the bits of 32 products, and how many rows begin before
// them.
struct Rows {
    u32 bits, before, total; // and the number of products

    // The row of product p, which is `thread()` and a multiple of BLOCK. The whole warp calls it.
    GNP_FN u32 row(u32 p) const
    {
        const u32 word = __shfl_sync(0xffffffffu, bits, p / 32), all = __shfl_sync(0xffffffffu, before, p / 32);
        return all + __popc(word & ((2u << p % 32) - 1)) - 1;
    }
};

// Lists the rows that row elements [k0, k0 + BLOCK) name, but for empty ones. All threads call it.
GNP_FN Rows list_rows(Shared &shared, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, i64 rows_b, i64 k0,
                      i64 end)
{
    const i64 mine = k0 + thread(), given = mine < end ? (i64)indices_a[mine] : -1;
    const bool is_row = (u64)given < (u64)rows_b; // an index out of bounds has no products
    const i64 row = is_row ? given : 0;
    const I begin = begins_b[row];
    const u32 length = is_row ? (u32)(begins_b[row + 1] - begin) : 0;
    if (thread() < WORDS) {
        shared.bits[thread()] = 0;
    }
    u32 all; // products below rows
    const u32 before = place_of(length | (length > 0 ? 1u << 16 : 0), shared.sums, all);
    if (length > 0) {
        const u32 start = before & 0xffff, at = before >> 16;
        atomicOr(&shared.bits[start / 32], 1u << start % 32);
        shared.from[at] = begin - (I)start;
        if constexpr (FILL) {
            ((A *)shared.factors)[at] = In<SA, T>::value(data_a[mine]);
        }
    }
    sync();
    const u32 lane = thread() % 32, bits = lane < WORDS ? shared.bits[lane] : 0, own = (u32)__popc(bits);
    u32 sum = own;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) { // lanes without bits know the number of all rows, for places past the end
        const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    return {bits, sum - own, all & 0xffff};
}

// Puts columns into the table, which is less than half full; how many are new. The first tries of all are on their way at once.
GNP_FN u32 insert(Key *table, const I (&column)[AT_ONCE], u32 given)
{
    u32 slot[AT_ONCE], found = 0;
    Key before[AT_ONCE];
#pragma unroll
    for (u32 u = 0; u < AT_ONCE; u++) {
        const u64 whole = (u64)column[u];
        slot[u] = ((u32)(whole ^ whole >> 32) * 0x9e3779b1u) / (u32)((1ull << 32) / SLOTS);
        before[u] = given >> u & 1 ? atomicCAS(&table[slot[u]], NONE, (Key)column[u]) : (Key)column[u];
    }
#pragma unroll
    for (u32 u = 0; u < AT_ONCE; u++) {
#pragma unroll 1
        while (before[u] != NONE && before[u] != (Key)column[u]) {
            slot[u] = (slot[u] + 1) % SLOTS;
            before[u] = atomicCAS(&table[slot[u]], NONE, (Key)column[u]);
        }
        found += before[u] == NONE ? 1 : 0;
    }
    return found;
}

// Expands the products of row elements behind `done` others, or puts their columns into the table; returns how many are new.
GNP_FN u32 expand(Shared &shared, const Rows &rows, const I *indices_b, const Raw<SB> *data_b, u32 done)
{
    u32 found = 0;
#pragma unroll 1
    for (u32 first = 0; first < rows.total; first += AT_ONCE * BLOCK) {
        u32 row[AT_ONCE], given = 0;
        I column[AT_ONCE];
        Raw<SB> value[AT_ONCE];
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; u++) { // places past the end repeat the last one, so that loads overlap
            const u32 p = first + u * BLOCK + thread();
            row[u] = rows.row(p);
            const I from = shared.from[row[u]] + (I)(p < rows.total ? p : rows.total - 1);
            given |= (p < rows.total ? 1u : 0u) << u;
            column[u] = indices_b[from];
            if constexpr (FILL) {
                value[u] = data_b[from];
            }
        }
        if constexpr (!FILL) {
            found += insert(shared.keys, column, given);
            continue;
        }
#pragma unroll
        for (u32 u = 0; u < AT_ONCE; u++) {
            const u32 p = done + first + u * BLOCK + thread();
            if (given >> u & 1) {
                shared.keys[p] = (Key)((Key)column[u] << SHIFT | (Key)p);
                ((A *)shared.values)[p] = times(((const A *)shared.factors)[row[u]], In<SB, T>::value(value[u]));
            }
        }
    }
    sync();
    return found;
}

// The keys of the thread a number of threads away.
GNP_FN void keys_from(Shared &shared, const Key (&key)[EACH], Key (&other)[EACH], u32 distance)
{
    if (BLOCK == 32 || distance < 32) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            other[j] = __shfl_xor_sync(0xffffffffu, key[j], distance);
        }
        return;
    }
    sync();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        shared.keys[j * BLOCK + thread()] = key[j];
    }
    sync();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        other[j] = shared.keys[j * BLOCK + (thread() ^ distance)];
    }
    sync();
}

// The complement where `flip` has all bits; as a product and a sum, as the processor's other pipe is the busy one.
GNP_FN Key flipped(Key key, Key flip) { return sizeof(Key) == 4 ? key * (flip | 1) + flip : key ^ flip; }

// Bitonic sort (Batcher, 1968) of the first n keys, a power of two; thread t has keys [t * EACH, (t + 1) * EACH).
// Keys of a descending part are sorted as their complements. Keys from n on may become others.
GNP_FN void sort_keys(Shared &shared, Key (&key)[EACH], u32 n)
{
    Key flip = 0; // of what the keys are now
#pragma unroll 1
    for (u32 width = 1; width * EACH <= n; width *= 2) { // in threads
        const Key next = thread() & width ? (Key)~(Key)0 : (Key)0;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            key[j] = flipped(key[j], flip ^ next);
        }
        flip = next;
        if (width == 1) {
            if constexpr (EACH > 1) {
                sort_network<EACH, 1, 1>(key);
            }
        }
        else {
#pragma unroll 1
            for (u32 step = width / 2; step > 0; step /= 2) {
                Key other[EACH];
                keys_from(shared, key, other, step);
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    key[j] = thread() & step ? max(key[j], other[j]) : min(key[j], other[j]);
                }
            }
#pragma unroll
            for (int step = EACH / 2; step > 0; step /= 2) {
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    if ((j & step) == 0) {
                        exchange(key[j], key[j + step]);
                    }
                }
            }
        }
    }
}

// Sorts the row's products; each thread's keys are in shared memory, too.
GNP_FN void sort_products(Shared &shared, Key (&key)[EACH], u32 count)
{
    const u32 mine = thread() * EACH;
#pragma unroll
    for (int j = 0; j < EACH; j += WIDE) {
        const Vec<Key, WIDE> several = *(const Vec<Key, WIDE> *)(shared.keys + mine + j);
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            key[j + k] = mine + j + k < count ? several.at[k] : NONE;
        }
    }
    u32 padded = EACH;
#pragma unroll 1
    while (padded < count) {
        padded *= 2;
    }
    sort_keys(shared, key, padded);
    sync();
    store_each<WIDE>(shared.keys + mine, key);
    sync();
}

// A bit for each of the thread's keys that is the first of its column.
GNP_FN u32 find_heads(const Shared &shared, const Key (&key)[EACH], u32 count)
{
    const u32 mine = thread() * EACH;
    Key last = __shfl_up_sync(0xffffffffu, key[EACH - 1], 1);
    if (thread() % 32 == 0 && mine > 0) {
        last = shared.keys[mine - 1];
    }
    Key before = mine > 0 ? (Key)(last >> SHIFT) : NONE;
    u32 heads = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const Key column = (Key)(key[j] >> SHIFT);
        heads |= (mine + j < count && column != before ? 1u : 0u) << j;
        before = column;
    }
    return heads;
}

// The sums of the columns that begin in this thread. Where the next key begins another column, shared memory is not looked at.
GNP_FN void sum_columns(const Shared &shared, const Key (&key)[EACH], A (&sum)[EACH], u32 heads, u32 count)
{
    const A *values = (const A *)shared.values;
    const u32 mine = thread() * EACH;
    const Key beyond = __shfl_down_sync(0xffffffffu, key[0], 1);
    const bool goes_on = thread() % 32 == 31 || beyond >> SHIFT == key[EACH - 1] >> SHIFT;
    // The next key is none that begins a column, or another thread's of the same column.
    const u32 inside = ~heads >> 1 & ((1u << (EACH - 1)) - 1), last = goes_on ? 1u << (EACH - 1) : 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        sum[j] = heads >> j & 1 ? values[key[j] & (MOST - 1)] : A(0);
    }
#pragma unroll 1
    for (u32 several = heads & (inside | last); several != 0; several &= several - 1) {
        const int at = __ffs(several) - 1;
        const Key column = shared.keys[mine + at] >> SHIFT;
        A all = values[shared.keys[mine + at] & (MOST - 1)];
#pragma unroll 1
        for (u32 q = mine + at + 1; q < count && shared.keys[q] >> SHIFT == column; q++) {
            all = plus(all, values[shared.keys[q] & (MOST - 1)]);
        }
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            sum[j] = j == at ? all : sum[j];
        }
    }
}

// Puts the sums, and the keys they belong to, one behind another: they are there already where each key has another column.
GNP_FN void close_gaps(Shared &shared, const Key (&key)[EACH], const A (&sum)[EACH], u32 heads, u32 at, bool is_full)
{
    A *values = (A *)shared.values;
    if (is_full) {
        store_each<PACK>(values + thread() * EACH, sum);
        return;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        if (heads >> j & 1) {
            shared.keys[at] = key[j];
            values[at] = sum[j];
            at++;
        }
    }
}

extern "C" __global__ void __launch_bounds__(ROWS * BLOCK, RESIDENT)
sparse_square(const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
              const Raw<SB> *data_b, i64 *begins, I *indices, Raw<R> *out, const Raw<T> *, const i64 rows_b, const i64 rows)
{
    __shared__ Shared of_rows[ROWS];
    Shared &shared = of_rows[threadIdx.x / BLOCK];
    const i64 row = (i64)blockIdx.x * ROWS + threadIdx.x / BLOCK;
    if (row >= rows) {
        return;
    }
    const i64 end = begins_a[row + 1];
    u32 count = 0, found = 0, total;
    if constexpr (!FILL) {
        Vec<Key, 16 / sizeof(Key)> none;
#pragma unroll
        for (int k = 0; k < 16 / sizeof(Key); k++) {
            none.at[k] = NONE;
        }
#pragma unroll
        for (u32 k = thread(); k < SLOTS * sizeof(Key) / 16; k += BLOCK) {
            ((Vec<Key, 16 / sizeof(Key)> *)shared.keys)[k] = none;
        }
    }
#pragma unroll 1
    for (i64 k = begins_a[row]; k < end; k += BLOCK) {
        const Rows rows = list_rows(shared, indices_a, data_a, begins_b, rows_b, k, end);
        found += expand(shared, rows, indices_b, data_b, count);
        count += rows.total;
    }
    if constexpr (!FILL) {
        place_of(found, shared.sums, total);
        if (thread() == 0) {
            begins[row] = total;
        }
    }
    else {
        const i64 to = begins[row];
        Key key[EACH];
        A sum[EACH];
        sort_products(shared, key, count);
        const u32 heads = find_heads(shared, key, count), at = place_of((u32)__popc(heads), shared.sums, total);
        sum_columns(shared, key, sum, heads, count);
        sync();
        close_gaps(shared, key, sum, heads, at, total == count);
        sync();
#pragma unroll 1
        for (u32 first = thread(); first < total; first += AT_ONCE * BLOCK) {
            I *index = indices + to + first;
            Raw<R> *value = out + to + first;
#pragma unroll
            for (u32 u = 0; u < AT_ONCE * BLOCK; u += BLOCK) {
                if (first + u < total) {
                    index[u] = (I)(shared.keys[first + u] >> SHIFT);
                    value[u] = Out<R, T>::raw(((const A *)shared.values)[first + u]);
                }
            }
        }
    }
}
