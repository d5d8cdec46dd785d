// scan: out[r, i] = combine over j <= i of map(in[r, j]), where memory runs along i.
// Knobs: S, T, R, A: stored input, loop, result and accumulator; map() and combine(); KEPT axes number
// the rows r; LANES neighbouring threads share a row; CHUNKS accesses of WIDTH elements per thread at
// once; LOOKBACK: blocks take tiles of LANES * CHUNKS * WIDTH elements (LANES is BLOCK) one after the
// other and learn from `board` (a ticket, then words of zero) what comes before; else LANES run along
// their row. RESIDENT blocks share a multiprocessor.
// Launch: BLOCK / LANES rows per block; or as many blocks as run at once.
#include "knobs/scan.cuh"
#include "rows_scan.cuh"

struct Place {
    u32 row, tile;
    GNP_FN Place(u32 ticket, u32 ntiles) : row(ticket / ntiles), tile(ticket % ntiles) {}
};

enum { TILE = LANES * CHUNKS * WIDTH };

// Tiles until there are none left.
GNP_FN void scan_tiles(const char *in, char *out, const Layout<Index, KEPT, 2> &kept, u32 nrows, Index n,
                       u64 *board, u32 ntiles)
{
    __shared__ u32 next;
    const u64 words = (u64)Board<32>::size(ntiles) * Posted<A>::words, total = (u64)nrows * ntiles;
    u32 ticket = take_ticket((u32 *)board);

#pragma unroll 1
    while (ticket < total) {
        const Place place(ticket, ntiles);
        const Offsets<Index, 2> at = kept.at(place.row);
        const Index start = (Index)place.tile * TILE;
        Tile x;
        u32 taken = 0;
        if (threadIdx.x == 0) {
            taken = atomicAdd((u32 *)board, 1u);
        }
        x.load(in + at.at[0], start, n);
        if (threadIdx.x == 0) {
            next = taken;
        }
        x.scan();
        ticket = next;
        if (ticket < total) { // the next tile comes nearer while this one waits
            const Place ahead(ticket, ntiles);
            const Index line = (Index)ahead.tile * TILE + threadIdx.x * (128 / sizeof(Raw<S>));
            if (threadIdx.x * 128 < TILE * sizeof(Raw<S>) && line < n) {
                const char *p = in + kept.at(ahead.row).at[0] + (u64)line * sizeof(Raw<S>);
                asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
            }
        }
        Before warp = x.before_warp();
        Before before = look_back(board + 1 + place.row * words, place.tile, ntiles, x.total());
        if (warp.any) {
            before = Before{true, before.then(warp.value)};
        }
        x.store(out + at.at[1], start, n, before);
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
                __syncthreads(); // the totals are read above and written again by the next tile
            }
        }
    }
}
