// sparse_split: where the tiles of sparse_merge begin among the elements of two sparse matrices in the order of
// rows, columns, and the first matrix before the second. Of tile t, splits[2 * t] is the number of rows that begin
// before it, and splits[2 * t + 1] the number of elements of the first matrix before it. The words of `state` become zeros. Rows
// are looked for near the place where they are in matrices with rows of one length first.
// Knobs: I of the indices; TILE elements of a tile; BLOCK threads.
// Launch: a thread for each of the tiles, and one for the end.
#include "knobs/sparse_split.cuh"
#include "sparse/sparse.cuh"

enum { NEAR = 16 };

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_split(const I *begins_a, const I *indices_a, const I *begins_b, const I *indices_b, i64 *splits, u64 *state,
             const i64 rows, const i64 tiles)
{
    const i64 tile = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (tile > tiles) {
        return;
    }
    const i64 all = (i64)begins_a[rows] + begins_b[rows], at = tile * TILE < all ? tile * TILE : all;
    const i64 guess = all > 0 ? (i64)((f64)at / (f64)all * (f64)rows) : 0;
    const i64 first = guess > NEAR ? guess - NEAR : 0, last = guess + NEAR < rows ? guess + NEAR : rows;
    const bool follows = (i64)begins_a[first] + begins_b[first] < at, ends = (i64)begins_a[last] + begins_b[last] < at;
    i64 low = ends ? last + 1 : follows ? first + 1 : 0, high = !follows ? first : ends ? rows : last;
#pragma unroll 1
    while (low < high) {
        const i64 middle = (low + high) / 2;
        const bool before = (i64)begins_a[middle] + begins_b[middle] < at;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    state[tile] = 0;
    splits[2 * tile] = low;
    i64 begin = begins_a[low];
    if (begin + begins_b[low] > at) { // the tile begins within a row
        begin = begins_a[low - 1];
        const i64 begin_b = begins_b[low - 1];
        begin += split_at<i64>(indices_a + begin, indices_b + begin_b, begins_a[low] - begin, begins_b[low] - begin_b,
                               at - begin - begin_b);
    }
    splits[2 * tile + 1] = begin;
}
