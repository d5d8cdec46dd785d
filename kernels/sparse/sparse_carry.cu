// sparse_carry: the end of sparse_product along the merge path: what blocks carry into the row that a later
// block ends is added to that row's sum, in the order of the blocks.
// Knobs: I of the indices; R of the result; T: computed in; BLOCK threads.
// Launch: one block.
#include "knobs/sparse_carry.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_carry(Raw<R> *out, const I *longest, const i64 *carry_rows, const A *carries, const i64 rows, const i64 tiles,
             const i64 limit)
{
    __shared__ alignas(16) u8 sums[BLOCK * sizeof(A)];
    __shared__ i64 ends[BLOCK];
    if ((i64)*longest <= limit) {
        return;
    }
    const i64 each = (tiles + BLOCK - 1) / BLOCK, first = threadIdx.x * each;
    const i64 end = first + each < tiles ? first + each : tiles;
    A sum = A(0);
    i64 row = first < end ? carry_rows[first] : -1;
    const i64 first_row = row;
    // The sum of the thread's last row, for the threads behind it.
#pragma unroll 1
    for (i64 t = first; t < end; t++) {
        const i64 next = carry_rows[t];
        sum = next == row ? plus(sum, carries[t]) : carries[t];
        row = next;
    }
    ((A *)sums)[threadIdx.x] = sum;
    ends[threadIdx.x] = row;
    __syncthreads();
    // Rows ascend with threads, so those that end in this row are the ones just before.
    int from = threadIdx.x;
#pragma unroll 1
    while (first < end && from > 0 && ends[from - 1] == first_row) {
        from--;
    }
    A before = A(0);
#pragma unroll 1
    for (; from < (int)threadIdx.x; from++) {
        before = plus(before, ((A *)sums)[from]);
    }
    sum = before;
    row = first_row;
#pragma unroll 1
    for (i64 t = first; t < end; t++) {
        const i64 next = t + 1 < tiles ? carry_rows[t + 1] : -1;
        sum = plus(sum, carries[t]);
        if (next != row) {
            if (row < rows) {
                out[row] = Out<R, T>::raw(plus(sum, In<R, T>::value(out[row])));
            }
            sum = A(0);
            row = next;
        }
    }
}
