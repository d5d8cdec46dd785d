// banded_sides: the reflections of banded_factor on right-hand sides, a column of a pair of blocks a thread: half of
// its rows stay with the unknown that was eliminated, the others are those of the next step.
// Knobs: T: the elements; MOST: the largest width; BLOCK threads. Launch: a thread for each column of each pair.
#include "knobs/banded_sides.cuh"
#include "sparse/banded.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
banded_sides(const A *kept, const A *sides, A *stay, A *next, const i64 count, const i64 width, const i64 columns)
{
    const i64 at = (i64)blockIdx.x * BLOCK + threadIdx.x, pair = at / columns, column = at % columns;
    const int w = (int)width;
    if (pair >= (count + 1) / 2) {
        return;
    }
    const bool is_whole = 2 * pair + 1 < count;
    const int rows = is_whole ? 2 * w : w, steps = is_whole ? w : 0;
    const Kept u(kept, is_whole ? pair : 0, w);
    const A *from = sides + pair * 2 * w * columns + column;
    A d[2 * MOST];
#pragma unroll
    for (int i = 0; i < 2 * MOST; i++) {
        const A x = from[(i < rows ? i : 0) * columns];
        d[i] = i < rows ? x : A(0);
    }
#pragma unroll 1
    for (int j = 0; j < steps; j++) {
        const A first = u.first(j);
        A dot = A(0);
#pragma unroll
        for (int i = 0; i < 2 * MOST; i++) {
            const A x = i == j ? first : u.at(i < rows ? i : j, j);
            dot = i < j ? dot : mad(conjugate(x), d[i], dot);
        }
#pragma unroll
        for (int i = 0; i < 2 * MOST; i++) {
            const A x = i == j ? first : u.at(i < rows ? i : j, j);
            d[i] = i < j || i >= rows ? d[i] : mad(-x, dot, d[i]);
        }
    }
    A *top = stay + pair * w * columns + column, *low = next + pair * w * columns + column;
#pragma unroll
    for (int i = 0; i < 2 * MOST; i++) {
        if (i < steps) {
            top[i * columns] = d[i];
        }
        else if (i < rows) {
            low[(i - steps) * columns] = d[i];
        }
    }
}
