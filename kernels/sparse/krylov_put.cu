// krylov_put: a vector with length one, as a row of a basis; the length from the sums of blocks.
// Knobs: T: the elements; BLOCK threads. Launch: any number of blocks.
#include "knobs/krylov_put.cuh"
#include "linalg/matrix.cuh"
#include "sparse/krylov.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
krylov_put(const A *w, A *row, const A *sums, Real *length, const i64 n, const i64 blocks)
{
    A square[1] = {sum_of_lane(sums, (int)blocks)}; // in all warps alike
    sums_of_warp(square);
    const Real size = sqrt(real(square[0])), inverse = 1 / size;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *length = size;
    }
#pragma unroll 4
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (i64)gridDim.x * BLOCK) {
        row[i] = times(w[i], inverse);
    }
}
