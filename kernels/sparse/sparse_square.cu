// sparse_square: the product of two compressed sparse matrices of which no row has more than MOST products of
// elements. A block expands a row's products in shared memory, sorts their columns and the order in which they
// came in registers, and sums equal columns in that order.
// Knobs: I of the indices; SA, SB, R of the values and the result; T: computed in; Key: unsigned, for a column
// above a place below MOST; FILL: results are written, instead of counted; MOST, SHIFT: 1 << SHIFT, at least
// BLOCK; BLOCK threads.
// Launch: a block per row; first the counts, then, with where rows begin in `begins`, the results.
#include "knobs/sparse_square.cuh"
#include "select/rank_network.cuh"
#include "scan.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { EACH = MOST / BLOCK, AT_ONCE = 4, WIDE = EACH * sizeof(Key) < 16 ? EACH : 16 / sizeof(Key) };

struct Shared {
    alignas(16) Key keys[MOST];
    alignas(16) u8 values[FILL ? MOST * sizeof(A) : 16];
    alignas(16) u8 factors[FILL ? BLOCK * sizeof(A) : 16];
    i64 from[BLOCK]; // the first element of the row of the second matrix, less its place among the products
    u32 starts[BLOCK];
    u32 sums[BLOCK / 32 + 1];
};

// Expands the products of row elements [k0, k0 + BLOCK) behind `done` others; their number.
GNP_FN u32 expand(Shared &shared, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
                  const Raw<SB> *data_b, i64 rows_b, i64 k0, i64 end, u32 done)
{
    const i64 mine = k0 + threadIdx.x, given = mine < end ? (i64)indices_a[mine] : -1;
    const bool is_row = (u64)given < (u64)rows_b; // an index out of bounds has no products
    const i64 row = is_row ? given : 0, begin = begins_b[row];
    const u32 length = is_row ? (u32)(begins_b[row + 1] - begin) : 0;
    u32 total;
    const u32 start = sum_before<BLOCK>(length, shared.sums, total);
    shared.starts[threadIdx.x] = start;
    shared.from[threadIdx.x] = begin - start;
    if constexpr (FILL) {
        if (mine < end) {
            ((A *)shared.factors)[threadIdx.x] = In<SA, T>::value(data_a[mine]);
        }
    }
    __syncthreads();
#pragma unroll 1
    for (u32 first = threadIdx.x; first < total; first += AT_ONCE * BLOCK) {
        u32 place[AT_ONCE];
        I column[AT_ONCE];
        Raw<SB> value[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) { // places past the end repeat the last one, so that loads overlap
            const u32 p = first + u * BLOCK < total ? first + u * BLOCK : total - 1;
            u32 k = 0;
#pragma unroll
            for (int half = BLOCK / 2; half > 0; half /= 2) {
                k += shared.starts[k + half] <= p ? half : 0;
            }
            place[u] = k;
            const i64 from = shared.from[k] + p;
            column[u] = indices_b[from];
            if constexpr (FILL) {
                value[u] = data_b[from];
            }
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            const u32 p = first + u * BLOCK;
            if (p < total) {
                shared.keys[done + p] = (Key)((Key)column[u] << SHIFT | (Key)(done + p));
                if constexpr (FILL) {
                    ((A *)shared.values)[done + p] =
                        times(((const A *)shared.factors)[place[u]], In<SB, T>::value(value[u]));
                }
            }
        }
    }
    __syncthreads();
    return total;
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
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        shared.keys[j * BLOCK + threadIdx.x] = key[j];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        other[j] = shared.keys[j * BLOCK + (threadIdx.x ^ distance)];
    }
    __syncthreads();
}

// Bitonic sort (Batcher, 1968) of the first n keys, a power of two; thread t has keys [t * EACH, (t + 1) * EACH).
// Keys of a descending part are sorted as their complements.
GNP_FN void sort_keys(Shared &shared, Key (&key)[EACH], u32 n)
{
    const u32 thread = threadIdx.x;
#pragma unroll 1
    for (u32 width = 1; width * EACH <= n; width *= 2) { // in threads
        const Key flip = thread & width ? (Key)~(Key)0 : (Key)0;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            key[j] ^= flip;
        }
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
                    key[j] = thread & step ? max(key[j], other[j]) : min(key[j], other[j]);
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
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            key[j] ^= flip;
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_square(const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
              const Raw<SB> *data_b, i64 *begins, I *indices, Raw<R> *out, const Raw<T> *, const i64 rows_b)
{
    __shared__ Shared shared;
    const i64 row = blockIdx.x, end = begins_a[row + 1];
    const u32 mine = threadIdx.x * EACH;
    u32 count = 0;
#pragma unroll 1
    for (i64 k = begins_a[row]; k < end; k += BLOCK) {
        count += expand(shared, indices_a, data_a, begins_b, indices_b, data_b, rows_b, k, end, count);
    }
    Key key[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j += WIDE) {
        const Vec<Key, WIDE> several = *(const Vec<Key, WIDE> *)(shared.keys + mine + j);
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            key[j + k] = mine + j + k < count ? several.at[k] : (Key)~(Key)0;
        }
    }
    u32 padded = EACH;
#pragma unroll 1
    while (padded < count) {
        padded *= 2;
    }
    sort_keys(shared, key, padded);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j += WIDE) {
        Vec<Key, WIDE> several;
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            several.at[k] = key[j + k];
        }
        *(Vec<Key, WIDE> *)(shared.keys + mine + j) = several;
    }
    __syncthreads();
    u32 heads = 0;
    Key before = mine > 0 ? (Key)(shared.keys[mine - 1] >> SHIFT) : (Key)~(Key)0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const Key column = (Key)(key[j] >> SHIFT);
        heads |= (mine + j < count && column != before ? 1u : 0u) << j;
        before = column;
    }
    u32 total;
    u32 at = sum_before<BLOCK>((u32)__popc(heads), shared.sums, total);
    if constexpr (!FILL) {
        if (threadIdx.x == 0) {
            begins[row] = total;
        }
    }
    else {
        A *values = (A *)shared.values;
        A sum[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            if (heads >> j & 1) {
                const Key column = (Key)(key[j] >> SHIFT);
                sum[j] = values[key[j] & (MOST - 1)];
#pragma unroll 1
                for (u32 q = mine + j + 1; q < count && shared.keys[q] >> SHIFT == column; q++) {
                    sum[j] = plus(sum[j], values[shared.keys[q] & (MOST - 1)]);
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            if (heads >> j & 1) {
                shared.keys[at] = (Key)(key[j] >> SHIFT);
                values[at] = sum[j];
                at++;
            }
        }
        __syncthreads();
        const i64 to = begins[row];
#pragma unroll 1
        for (u32 p = threadIdx.x; p < total; p += BLOCK) {
            indices[to + p] = (I)shared.keys[p];
            out[to + p] = Out<R, T>::raw(values[p]);
        }
    }
}
