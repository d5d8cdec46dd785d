// sparse_square: the product of two compressed sparse matrices of which no row has more than MOST products of
// elements. A block expands a row's products in shared memory, sorts them by column and by the order in which
// they came, and sums equal columns in that order.
// Knobs: I of the indices; SA, SB, R of the values and the result; T: computed in; FILL: results are written,
// instead of counted; MOST, a power of two; BLOCK threads.
// Launch: a block per row; first the counts, then, with where rows begin in `begins`, the results.
#include "knobs/sparse_square.cuh"
#include "scan.cuh"
#include "sparse.cuh"

typedef Compute<T> A;
enum { SHIFT = 12, EACH = MOST / BLOCK }; // MOST is below 1 << SHIFT

struct Shared {
    u64 keys[MOST];
    alignas(16) u8 values[FILL ? MOST * sizeof(A) : 16];
    u32 starts[BLOCK];
    u32 sums[BLOCK / 32 + 1];
};

// Expands the products of row elements [k0, k0 + BLOCK) behind `done` others; their number.
GNP_FN u32 expand(Shared &shared, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
                  const Raw<SB> *data_b, i64 k0, i64 end, u32 done)
{
    const i64 mine = k0 + threadIdx.x;
    const i64 row = mine < end ? (i64)indices_a[mine] : 0;
    const u32 length = mine < end ? (u32)(begins_b[row + 1] - begins_b[row]) : 0;
    u32 total;
    shared.starts[threadIdx.x] = sum_before<BLOCK>(length, shared.sums, total);
    __syncthreads();
#pragma unroll 1
    for (u32 p = threadIdx.x; p < total; p += BLOCK) {
        const i64 k = count_less(shared.starts, (i64)BLOCK, (i64)p + 1) - 1;
        const i64 from = (i64)begins_b[indices_a[k0 + k]] + (p - shared.starts[k]);
        shared.keys[done + p] = (u64)indices_b[from] << SHIFT | (done + p);
        if constexpr (FILL) {
            ((A *)shared.values)[done + p] =
                times(In<SA, T>::value(data_a[k0 + k]), In<SB, T>::value(data_b[from]));
        }
    }
    __syncthreads();
    return total;
}

// Bitonic sort of a power of two of keys (Batcher, 1968).
GNP_FN void sort_keys(u64 *keys, u32 n)
{
#pragma unroll 1
    for (u32 width = 2; width <= n; width *= 2) {
#pragma unroll 1
        for (u32 step = width / 2; step > 0; step /= 2) {
#pragma unroll 1
            for (u32 p = threadIdx.x; p < n / 2; p += BLOCK) {
                const u32 low = 2 * p - (p & (step - 1)), high = low + step;
                const u64 a = keys[low], b = keys[high];
                if ((a > b) == ((low & width) == 0)) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            __syncthreads();
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_square(const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
              const Raw<SB> *data_b, i64 *begins, I *indices, Raw<R> *out, const Raw<T> *)
{
    __shared__ Shared shared;
    const i64 row = blockIdx.x, end = begins_a[row + 1];
    u32 count = 0;
#pragma unroll 1
    for (i64 k = begins_a[row]; k < end; k += BLOCK) {
        count += expand(shared, indices_a, data_a, begins_b, indices_b, data_b, k, end, count);
    }
    u32 padded = 2;
#pragma unroll 1
    while (padded < count) {
        padded *= 2;
    }
#pragma unroll 1
    for (u32 p = count + threadIdx.x; p < padded; p += BLOCK) {
        shared.keys[p] = ~(u64)0;
    }
    __syncthreads();
    sort_keys(shared.keys, padded);
    u32 heads = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const u32 p = threadIdx.x * EACH + j;
        const bool is_head = p < count && (p == 0 || shared.keys[p - 1] >> SHIFT != shared.keys[p] >> SHIFT);
        heads += is_head;
    }
    u32 total;
    const u32 before = sum_before<BLOCK>(heads, shared.sums, total);
    if constexpr (!FILL) {
        if (threadIdx.x == 0) {
            begins[row] = total;
        }
    }
    else {
        i64 at = begins[row] + before;
#pragma unroll 1
        for (u32 p = threadIdx.x * EACH; p < threadIdx.x * EACH + EACH && p < count; p++) {
            const u64 column = shared.keys[p] >> SHIFT;
            if (p > 0 && shared.keys[p - 1] >> SHIFT == column) {
                continue;
            }
            A sum = ((const A *)shared.values)[shared.keys[p] & ((1 << SHIFT) - 1)];
#pragma unroll 1
            for (u32 q = p + 1; q < count && shared.keys[q] >> SHIFT == column; q++) {
                sum = plus(sum, ((const A *)shared.values)[shared.keys[q] & ((1 << SHIFT) - 1)]);
            }
            indices[at] = (I)column;
            out[at] = Out<R, T>::raw(sum);
            at++;
        }
    }
}
