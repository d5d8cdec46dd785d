// sparse_keys: the rows, or the keys (sparse.cuh), of the elements of a matrix.
// Knobs: I of the indices; K of the result; COMPRESSED: `rows` has where each of m rows begins, instead of a row
// for each element; COLUMNS: columns go into the key; EACH elements of a thread, BLOCK threads.
// Launch: a block for every BLOCK * EACH elements.
#include "knobs/sparse_keys.cuh"
#include "sparse/sparse.cuh"

enum { TILE = BLOCK * EACH };

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_keys(const I *rows, const I *columns, K *out, const i64 n, const i64 m, const i64 bits)
{
    const i64 first = (i64)blockIdx.x * TILE, end = first + TILE < n ? first + TILE : n;
    if constexpr (COMPRESSED) {
        __shared__ I begins[TILE];
        __shared__ i64 range[2];
        const RowFinder<I, TILE> finder(rows, m, first, end, begins, range);
#pragma unroll 1
        for (i64 k = first + threadIdx.x; k < end; k += BLOCK) {
            const K row = (K)finder.row(k);
            out[k] = COLUMNS ? (K)(row << bits | (K)columns[k]) : row;
        }
    }
    else {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const i64 k = first + j * BLOCK + threadIdx.x;
            if (k < end) {
                out[k] = (K)((K)rows[k] << bits | (K)columns[k]);
            }
        }
    }
}
