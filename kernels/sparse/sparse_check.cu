// sparse_check: whether the arrays of a compressed matrix fit together, and in which order its indices are. Of `counts`,
// zeros at first, [0] becomes the number of entries that are out of bounds or out of order; [1] the number of indices
// that are less than the one before them in their row, [2] of those that equal it; [3] what the last row's end is; [4]
// the length of the longest row.
// Without COMPRESSED: of coordinates, rows that are less than the one before, and pairs that are less than the one before.
// Neighbours are compared without regard to rows, and the comparisons across the begins of rows are taken back, so that
// the work does not depend on the lengths of rows.
// Knobs: I of the indices; COMPRESSED: `begins` has where rows begin, instead of a row for each element; EACH elements of
// a thread, BLOCK threads.
// Launch: a block for every BLOCK * EACH of n elements or m + 1 begins, whichever are more.
#include "knobs/sparse_check.cuh"
#include "sparse/sparse.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_check(const I *begins, const I *indices, i64 *counts, const i64 n, const i64 m, const i64 minor)
{
    const i64 first = (i64)blockIdx.x * (BLOCK * EACH) + threadIdx.x;
    int wrong = 0, less = 0, same = 0;
    i64 longest = 0;
#pragma unroll 4
    for (int j = 0; j < EACH; j++) {
        const i64 k = first + j * BLOCK;
        if (k < n) {
            const i64 index = indices[k], before = k > 0 ? (i64)indices[k - 1] : (i64)-1;
            wrong += (u64)index >= (u64)minor ? 1 : 0;
            if constexpr (COMPRESSED) {
                less += k > 0 && index < before ? 1 : 0;
                same += k > 0 && index == before ? 1 : 0;
            }
            else {
                const i64 row = begins[k], above = k > 0 ? (i64)begins[k - 1] : (i64)-1;
                wrong += (u64)row >= (u64)m ? 1 : 0;
                less += row < above ? 1 : 0;
                same += row < above || (row == above && index < before) ? 1 : 0;
            }
        }
        if (COMPRESSED && k < m) {
            const i64 begin = begins[k], end = begins[k + 1];
            wrong += begin < 0 || end < begin || end > n ? 1 : 0;
            longest = max(longest, end - begin);
            if (begin > 0 && begin < end && begin < n) { // the comparison with the row before
                less -= indices[begin] < indices[begin - 1] ? 1 : 0;
                same -= indices[begin] == indices[begin - 1] ? 1 : 0;
            }
        }
        if (COMPRESSED && k == 0) {
            wrong += begins[0] != 0 ? 1 : 0;
            counts[3] = begins[m];
        }
    }
    if constexpr (COMPRESSED) {
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            longest = max(longest, from_lane(longest, (threadIdx.x % 32) ^ d));
        }
        if (threadIdx.x % 32 == 0 && longest > ((volatile i64 *)counts)[4]) { // few are
            atomicMax((u64 *)counts + 4, (u64)longest);
        }
    }
    add_counts<BLOCK>(wrong, less, same, counts);
}
