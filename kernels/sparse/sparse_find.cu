// sparse_find: the elements at pairs (row, column) of a matrix whose rows have ascending columns without
// duplicates: where they are stored, or -1.
// Knobs: I of the indices; BLOCK threads.
// Launch: a thread for each of n pairs.
#include "knobs/sparse_find.cuh"
#include "sparse/sparse.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_find(const I *begins, const I *indices, const I *rows, const I *columns, i64 *out, const i64 n)
{
    const i64 k = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (k < n) {
        const i64 first = begins[rows[k]], count = (i64)begins[rows[k] + 1] - first, column = columns[k];
        const i64 at = count_less(indices + first, count, column);
        out[k] = at < count && (i64)indices[first + at] == column ? first + at : -1;
    }
}
