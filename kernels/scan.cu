// scan: out[r, i] = combine over j <= i of map(in[r, j]), where memory runs along i.
// Knobs: S, T, R, A: stored input, loop, result and accumulator; map() and combine(); KEPT axes number
// the rows r; LANES neighbouring threads share a row; CHUNKS accesses of WIDTH elements per thread at
// once; LOOKBACK: a block has one tile of LANES * CHUNKS * WIDTH elements (LANES is BLOCK) and learns
// from `board` (a ticket, then words of zero) what comes before it; else it runs along the row.
// Launch: BLOCK / LANES rows per block, or one block per tile of each row.
#include "knobs/scan.cuh"
#include "rows_scan.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
scan(const char *in, char *out, const Layout<Index, KEPT, 2> kept, const Index nrows, const Index n,
     u64 *board, const u32 ntiles)
{
    const Index TILE = LANES * CHUNKS * WIDTH;
    Index row, start = 0, stop = n;
    u32 tile = 0;

    if constexpr (LOOKBACK != 0) {
        u32 ticket = take_ticket((u32 *)board);
        row = ticket / ntiles;
        tile = ticket - (u32)row * ntiles;
        start = (Index)tile * TILE;
        stop = n - start > TILE ? start + TILE : n;
    }
    else {
        row = (Index)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    }
    const bool mine = row < nrows;
    Offsets<Index, 2> at = kept.at(mine ? row : 0);
    in += at.at[0];
    out += at.at[1];

    Before before = {false, A()};
#pragma unroll 1
    for (; start < stop; start += TILE) {
        Tile x;
        if (mine) { // others would read what a thread in place has written
            x.load(in, start, n);
        }
        x.scan();
        if constexpr (LOOKBACK != 0) {
            before = look_back(board + 1 + (u64)row * Board<32>::size(ntiles) * Posted<A>::words, tile,
                               ntiles, x.total());
        }
        if (mine) {
            x.store(out, start, n, before);
        }
        if constexpr (LOOKBACK == 0) {
            before = Before{true, before.then(x.total())};
            if constexpr (WARPS > 1) {
                __syncthreads(); // the totals are read above and written again by the next tile
            }
        }
    }
}
