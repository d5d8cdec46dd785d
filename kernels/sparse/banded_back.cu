// banded_back: the unknowns that a step of banded_factor eliminated, from those beside, a column of a pair a thread.
// Unknown 2 pair + 1 of the step is number (2 pair + 1) stride of all.
// Knobs: T: the elements; MOST: the largest width; BLOCK threads. Launch: a thread for each column of each pair.
#include "knobs/banded_back.cuh"
#include "sparse/banded.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
banded_back(const A *kept, const A *stay, A *found, const i64 count, const i64 width, const i64 columns,
            const i64 stride, const i64 last)
{
    const i64 at = (i64)blockIdx.x * BLOCK + threadIdx.x, pair = at / columns, column = at % columns;
    const int w = (int)width;
    if (pair >= count / 2) {
        return;
    }
    const Kept u(kept, pair, w);
    const i64 middle = (2 * pair + 1) * stride, after = middle + stride < last ? middle + stride : last;
    const A *left = found + (middle - stride) * w * columns + column, *right = found + after * w * columns + column;
    const A *from = stay + pair * w * columns + column;
    A *out = found + middle * w * columns + column;
    A t[MOST];
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        t[i] = from[(i < w ? i : 0) * columns];
    }
#pragma unroll 1
    for (int c = 0; c < w; c++) {
        const A x = left[c * columns], y = right[c * columns];
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            const int row = i < w ? i : 0;
            t[i] = mad(-u.beside(row, c), x, mad(-u.beside(row, w + c), y, t[i]));
        }
    }
#pragma unroll 1
    for (int j = w - 1; j >= 0; j--) {
        A x = t[0];
#pragma unroll
        for (int i = 1; i < MOST; i++) {
            x = i == j ? t[i] : x;
        }
        x = x / u.at(j, j);
        out[j * columns] = x;
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            t[i] = i < j ? mad(-u.at(i < j ? i : 0, j), x, t[i]) : t[i];
        }
    }
}
