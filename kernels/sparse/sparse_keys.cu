// sparse_keys: the rows, or the keys (sparse.cuh), of the elements of a matrix.
// Knobs: I of the indices; K of the result; COMPRESSED: `rows` has where each of m rows begins, instead of a row
// for each element; COLUMNS: columns go into the key; EACH elements of a thread, BLOCK threads. Without COMPRESSED
// `unsorted`, where it is not NULL, becomes true if a key is less than the one before it.
// Launch: a block for every BLOCK * EACH elements.
#include "knobs/sparse_keys.cuh"
#include "sparse/sparse.cuh"

enum { TILE = BLOCK * EACH };

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_keys(const I *rows, const I *columns, K *out, bool *unsorted, const i64 n, const i64 m, const i64 bits)
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
        bool descends = false;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const i64 k = first + j * BLOCK + threadIdx.x, at = k < end ? k : end - 1, before = at > 0 ? at - 1 : 0;
            const K key = (K)((K)rows[at] << bits | (K)columns[at]);
            if (unsorted != nullptr) {
                descends |= key < (K)((K)rows[before] << bits | (K)columns[before]);
            }
            if (k < end) {
                out[k] = key;
            }
        }
        if (descends) {
            *(volatile bool *)unsorted = true;
        }
    }
}
