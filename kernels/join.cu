// join: rows of several contiguous arrays side by side.
// Knobs: Item, an element's bytes; PIECES, the most arrays there may be; BLOCK threads.
// Launch: x covers the elements of the longest piece, y the pieces.
#include "knobs/join.cuh"

struct Piece {
    const Item *at;
    u32 row, start; // elements per row; where they stand in the result's rows
};
struct Pieces {
    Piece piece[PIECES];
};

extern "C" __global__ void __launch_bounds__(BLOCK)
join(const Pieces pieces, Item *out, const u32 outer, const u32 row)
{
    const Piece p = pieces.piece[blockIdx.y];
    u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < p.row * outer) {
        out[i / p.row * row + p.start + i % p.row] = p.at[i];
    }
}
