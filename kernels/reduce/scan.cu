// scan: out[r, i] = combine over j <= i of map(in[r, j]), where memory runs along i.
// Knobs: S, T, R, A: stored input, loop, result and accumulator; map() and combine(); KEPT axes number the
// rows r; LANES neighbouring threads share a row; DEPTH accesses of WIDTH elements per thread at once;
// LOOKBACK: a block has one tile of LANES * DEPTH * WIDTH elements (LANES is BLOCK) and gets the sums before
// it from `board` (a ticket, then zeroed words) by look-back; else LANES advance along their row. RESIDENT
// blocks share a multiprocessor.
// Launch: BLOCK / LANES rows per block; or one block per tile of each row.
#include "knobs/scan.cuh"
#include "reduce/rows_scan.cuh"

enum { TILE = LANES * DEPTH * WIDTH };

// One tile. Its number is taken when it begins, not earlier, so that later tiles wait less.
GNP_FN void scan_tile(const char *in, char *out, const Layout<Index, KEPT, 2> &kept, Index n, u64 *board,
                      u32 ntiles)
{
    const u64 words = (u64)Board<32>::size(ntiles) * Posted<A>::words;
    const u32 ticket = take_ticket((u32 *)board), row = ticket / ntiles, tile = ticket - row * ntiles;
    const Offsets<Index, 2> at = kept.at(row);
    const Index start = (Index)tile * TILE;
    Tile x;

    x.load(in + at.at[0], start, n);
    const A total = x.total_first(); // posted before the tile's own scan, for which others need not wait
    if (threadIdx.x == 0) {
        const Board<32> posts(board + 1 + row * words, ntiles, Posted<A>::words);
        post(posts.tiles + tile * Posted<A>::words, total);
    }
    x.scan();
    Before warp = x.before_warp();
    Before before = look_back(board + 1 + row * words, tile, ntiles, total);
    if (warp.any) {
        before = Before{true, before.then(warp.value)};
    }
    x.store(out + at.at[1], start, n, before);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
scan(const char *in, char *out, const Layout<Index, KEPT, 2> kept, const Index nrows, const Index n,
     u64 *board, const u32 ntiles)
{
    if constexpr (LOOKBACK != 0) {
        scan_tile(in, out, kept, n, board, ntiles);
    }
    else {
        const Index row = (Index)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
        const bool mine = row < nrows;
        const Offsets<Index, 2> at = kept.at(mine ? row : 0);
        Before before = {false, A()};
#pragma unroll 1
        for (Index start = 0; start < n; start += TILE) {
            Tile x;
            if (mine) { // in-place scans: all have read before any writes
                x.load(in + at.at[0], start, n);
            }
            x.scan();
            Before warp = x.before_warp(), here = before;
            if (warp.any) {
                here = Before{true, before.then(warp.value)};
            }
            before = Before{true, before.then(x.total())};
            if (mine) {
                x.store(out + at.at[1], start, n, here);
            }
            if constexpr (WARPS > 1) {
                __syncthreads(); // the totals in shared memory are overwritten by the next tile
            }
        }
    }
}
