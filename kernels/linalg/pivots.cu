// pivots: LAPACK's row exchanges as a permutation. Row i was exchanged with row exchanges[i] (1-based), in
// order; afterwards order[i] is the row at position i, and inverse[k] the position of row k.
// Knobs: P type of the exchanges; BLOCK threads; SHARED rows that fit on chip, 0 to work in `order`.
// Launch: one block per matrix of `rows` rows, of which the first `count` were exchanged.
#include "knobs/pivots.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
pivots(const P *exchanges, i64 *order, i64 *inverse, const i64 rows, const i64 count)
{
    __shared__ i32 at[SHARED + 1], with[SHARED + 1];
    exchanges += blockIdx.x * count;
    order += blockIdx.x * rows;
    inverse += blockIdx.x * rows;
    for (i64 i = threadIdx.x; i < rows; i += BLOCK) {
        if (SHARED) {
            at[i] = (i32)i;
            with[i] = i < count ? (i32)exchanges[i] - 1 : (i32)i;
        }
        else {
            order[i] = i;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (i64 i = 0; i < count; i++) {
            if (SHARED) {
                i32 j = with[i], row = at[i];
                at[i] = at[j];
                at[j] = row;
            }
            else {
                i64 j = (i64)exchanges[i] - 1, row = order[i];
                order[i] = order[j];
                order[j] = row;
            }
        }
    }
    __syncthreads();
    for (i64 i = threadIdx.x; i < rows; i += BLOCK) {
        i64 row = SHARED ? (i64)at[i] : order[i];
        order[i] = row;
        inverse[row] = i;
    }
}
