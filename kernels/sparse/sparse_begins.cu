// sparse_begins: where each row begins among ascending keys (sparse.cuh): out[r] is the number of keys of rows
// before r.
// Knobs: K of the keys; I of the result; BLOCK threads.
// Launch: a thread for each of the `count` results.
#include "knobs/sparse_begins.cuh"
#include "sparse/sparse.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_begins(const K *keys, I *out, const i64 n, const i64 count, const i64 bits)
{
    const i64 r = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (r < count) {
        out[r] = (I)count_less(keys, n, r << bits);
    }
}
