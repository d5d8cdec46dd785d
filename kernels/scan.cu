// scan: out[r, i] = combine over j <= i of map(in[r, j]), where memory runs along i.
// Knobs: S, T, R, A: stored input, loop, result and accumulator; map() and combine(); KEPT axes number
// the rows r; LANES neighbouring threads share a row; CHUNKS accesses of WIDTH elements per thread at
// once; LOOKBACK: a block takes tiles of LANES * CHUNKS * WIDTH elements (LANES is BLOCK) and learns
// from `board` (a ticket, then words of zero) what comes before each; else LANES run along their row.
// RESIDENT blocks share a multiprocessor.
// Launch: BLOCK / LANES rows per block; or any number of blocks for the tiles of all rows.
#include "knobs/scan.cuh"
#include "rows_scan.cuh"

enum { TILE = LANES * CHUNKS * WIDTH };

// Tiles until there are none left. A block claims the next one and asks for its elements before it waits
// for what comes before this one, so memory is busy meanwhile; whoever waits for a claimed tile waits
// for a block that runs.
GNP_FN void scan_tiles(const char *in, char *out, const Layout<Index, KEPT, 2> &kept, u32 nrows, Index n,
                       u64 *board, u32 ntiles)
{
    __shared__ u32 claimed;
    const u64 words = (u64)Board<32>::size(ntiles) * Posted<A>::words;
    u32 ticket = take_ticket((u32 *)board), row = ticket / ntiles, tile = ticket - row * ntiles;
    Offsets<Index, 2> at = kept.at(row < nrows ? row : 0);

    if (row < nrows) {
        Staged::fetch(in + at.at[0], (Index)tile * TILE, n);
    }
#pragma unroll 1
    while (row < nrows) {
        Tile x;
        u32 claim = 0;
        if (threadIdx.x == BLOCK - 1) {
            claim = atomicAdd((u32 *)board, 1u);
        }
        Staged::take(x);
        x.scan_warp();
        if (threadIdx.x == BLOCK - 1) {
            claimed = claim;
        }
        x.tell_warps();
        const u32 next_row = claimed / ntiles, next_tile = claimed - next_row * ntiles;
        const Offsets<Index, 2> next = kept.at(next_row < nrows ? next_row : 0);
        if (next_row < nrows) {
            Staged::fetch(in + next.at[0], (Index)next_tile * TILE, n);
        }
        Before warp = x.before_warp();
        Before before = look_back(board + 1 + row * words, tile, ntiles, x.total());
        if (warp.any) {
            before = Before{true, before.then(warp.value)};
        }
        x.store(out + at.at[1], (Index)tile * TILE, n, before);
        row = next_row;
        tile = next_tile;
        at = next;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
scan(const char *in, char *out, const Layout<Index, KEPT, 2> kept, const Index nrows, const Index n,
     u64 *board, const u32 ntiles)
{
    if constexpr (LOOKBACK != 0) {
        scan_tiles(in, out, kept, (u32)nrows, n, board, ntiles);
    }
    else {
        const Index row = (Index)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
        const bool mine = row < nrows;
        const Offsets<Index, 2> at = kept.at(mine ? row : 0);
        Before before = {false, A()};
#pragma unroll 1
        for (Index start = 0; start < n; start += TILE) {
            Tile x;
            if (mine) { // others would read what a thread in place has written
                x.load(in + at.at[0], start, n);
            }
            x.scan_warp();
            x.tell_warps();
            Before warp = x.before_warp(), here = before;
            if (warp.any) {
                here = Before{true, before.then(warp.value)};
            }
            before = Before{true, before.then(x.total())};
            if (mine) {
                x.store(out + at.at[1], start, n, here);
            }
            if constexpr (WARPS > 1) {
                __syncthreads(); // the totals are read above and written again by the next tile
            }
        }
    }
}
