// join: rows of several contiguous arrays side by side.
// Knobs: Index u32 or u64; Item, what is moved at once: an element, or as many as all places allow;
// PIECES, the most arrays there may be (a power of two); ROWS: there is more than one row; WIDTH
// consecutive items per thread, stored at once; BLOCK threads.
// Launch: one thread per WIDTH items of these pieces' part of the result. Its rows are `row` items,
// `pitch` apart, and begin at multiples of the access.
#include "knobs/join.cuh"

struct Pieces {
    const Item *at[PIECES];
    Index start[PIECES + 1]; // where each begins in a row, and where the last ends; the rest repeats that
};

extern "C" __global__ void __launch_bounds__(BLOCK)
join(Item *out, const Pieces pieces, const Divisor<Index> row, const Index pitch, const Index n)
{
    const Index first = ((Index)blockIdx.x * BLOCK + threadIdx.x) * WIDTH;
    Vec<Item, WIDTH> items;

    if (first >= n) {
        return;
    }
    Index r = ROWS ? row.quotient(first) : 0, column = first - r * row.d, begin = 0, end = 0;
    const Item *from = nullptr; // column 0 of this row, as if the piece began there
    Item *to = out + r * pitch + column;

    auto find = [&]() {
        u32 k = 0;
#pragma unroll
        for (u32 step = PIECES / 2; step > 0; step /= 2) {
            k += pieces.start[k + step] <= column ? step : 0;
        }
        begin = pieces.start[k];
        end = pieces.start[k + 1];
        from = pieces.at[k] + (Signed<Index>::type)(r * (end - begin) - begin);
    };
    find();
#pragma unroll
    for (int v = 0; v < WIDTH; v++) {
        if (first + v < n) {
            items.at[v] = from[column];
        }
        column++;
        if (v + 1 < WIDTH && column == end && first + v + 1 < n) {
            if (ROWS && column == row.d) {
                column = 0;
                r++;
            }
            find();
        }
    }
    if (first + WIDTH <= n) {
        *(Vec<Item, WIDTH> *)to = items;
    }
    else {
#pragma unroll
        for (int v = 0; v < WIDTH; v++) {
            if (first + v < n) {
                to[v] = items.at[v];
            }
        }
    }
}
