// sparse_rows: the elements of some rows, one row after the other, balanced by elements: row r of the result
// begins at begins[r] and is read from from[r] on.
// Knobs: I of the indices; Item of the data; EACH elements of a thread, BLOCK threads.
// Launch: a block for every BLOCK * EACH elements of the result.
#include "knobs/sparse_rows.cuh"
#include "sparse/sparse.cuh"

enum { TILE = BLOCK * EACH };

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_rows(const I *begins, const I *from, const I *indices, const Item *data, I *out_indices, Item *out_data,
            const i64 n, const i64 m)
{
    __shared__ I near[TILE];
    __shared__ i64 range[2];
    const i64 first = (i64)blockIdx.x * TILE, end = first + TILE < n ? first + TILE : n;
    const RowFinder<I, TILE> finder(begins, m, first, end, near, range);
#pragma unroll 1
    for (i64 k = first + threadIdx.x; k < end; k += BLOCK) {
        const i64 r = finder.row(k), source = (i64)from[r] + (k - (i64)begins[r]);
        out_indices[k] = indices[source];
        out_data[k] = data[source];
    }
}
