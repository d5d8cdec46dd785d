// join: rows of several contiguous arrays side by side.
// Knobs: Index u32 or u64; Item, what is moved at once: an element, or as many as all offsets allow; PIECES,
// the most arrays there may be (a power of two); ROWS: there is more than one row; WIDTH consecutive items,
// stored at once; UNROLL such accesses per thread; BLOCK threads.
// Launch: one thread per WIDTH * UNROLL items of these pieces' part of the result. Its rows are `row`
// items, `pitch` apart, and begin at multiples of the access.
#include "knobs/join.cuh"

typedef Signed<Index>::type Stride;
typedef Vec<Item, WIDTH> Store;

struct Pieces {
    const Item *at[PIECES];
    Index start[PIECES + 1]; // where each begins in a row, and where the last ends; the rest repeats that
};

// An offset of the result, and the piece that it comes from.
struct Cursor {
    Index row, column, begin, end;
    const Item *from; // the row's column 0, had the piece begun there

    GNP_FN void find(const Pieces &pieces)
    {
        u32 k = 0;
#pragma unroll
        for (u32 step = PIECES / 2; step > 0; step /= 2) {
            k += pieces.start[k + step] <= column ? step : 0;
        }
        begin = pieces.start[k];
        end = pieces.start[k + 1];
        from = pieces.at[k] + (Stride)(row * (end - begin) - begin);
    }
    GNP_FN Cursor(const Pieces &pieces, const Divisor<Index> &length, Index i)
    {
        row = ROWS ? length.quotient(i) : 0;
        column = i - row * length.d;
        find(pieces);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
join(Item *out, const __grid_constant__ Pieces pieces, const Divisor<Index> row, const Index pitch, const Index n)
{
    const Index span = BLOCK * UNROLL * WIDTH, base = blockIdx.x * span;
    const Cursor first(pieces, row, base);

    if (first.column + span <= first.end) { // all of the block's from one piece
        const Item *in = first.from + first.column + threadIdx.x * WIDTH;
        Item *to = out + first.row * pitch + first.column + threadIdx.x * WIDTH;
        Store items[UNROLL];
        if ((u64)in % sizeof(Store) == 0) {
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                items[k] = *(const Store *)(in + k * BLOCK * WIDTH);
            }
        }
        else {
#pragma unroll
            for (int k = 0; k < UNROLL * WIDTH; k++) {
                items[k / WIDTH].at[k % WIDTH] = in[k / WIDTH * BLOCK * WIDTH + k % WIDTH];
            }
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            *(Store *)(to + k * BLOCK * WIDTH) = items[k];
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < UNROLL; k++) {
        const Index i = base + (k * BLOCK + threadIdx.x) * WIDTH;
        if (i >= n) {
            return;
        }
        Cursor at(pieces, row, i);
        Item *to = out + at.row * pitch + at.column;
        Store items;
#pragma unroll
        for (int v = 0; v < WIDTH; v++) {
            if (i + v < n) {
                items.at[v] = at.from[at.column];
            }
            at.column++;
            if (v + 1 < WIDTH && at.column == at.end && i + v + 1 < n) {
                if (ROWS && at.column == row.d) {
                    at.column = 0;
                    at.row++;
                }
                at.find(pieces);
            }
        }
        if (i + WIDTH <= n) {
            *(Store *)to = items;
        }
        else {
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                if (i + v < n) {
                    to[v] = items.at[v];
                }
            }
        }
    }
}
