// scan_columns: out[i, o] = combine over j <= i of map(in[j, o]), where memory runs along o.
// Knobs: as scan.cu, but LANES threads are adjacent along o with WIDTH neighbours each, and a thread has
// DEPTH indices i at once; LOOKBACK: a block has one tile of BLOCK / LANES * DEPTH indices (LANES * WIDTH is
// at most BLOCK) and gets the sums before it from `board`.
// Launch: one block per strip of LANES * WIDTH columns, or one per tile of each strip.
#include "knobs/scan_columns.cuh"
#include "lookback.cuh"

typedef Signed<Index>::type Stride;

enum { FAN = 8, ROWS = BLOCK / LANES, STRIP = LANES * WIDTH };

// The combination of `count` posted values, fewer than FAN: all are polled together.
static __device__ __noinline__ A gather(const u64 *at, u64 step, u32 count)
{
    u64 word[FAN - 1][Posted<A>::words];
    bool missing;
    do {
        missing = false;
#pragma unroll
        for (u32 k = 0; k < FAN - 1; k++) {
#pragma unroll
            for (int w = 0; w < Posted<A>::words; w++) {
                word[k][w] = k < count ? ((const volatile u64 *)at)[k * step + w] : ~0ull;
                missing |= word[k][w] >> 32 == 0;
            }
        }
    } while (missing);
    A sum = posted_value<A>(word[0]);
#pragma unroll
    for (u32 k = 1; k < FAN - 1; k++) {
        A x = posted_value<A>(word[k]);
        sum = k < count ? combine(sum, x) : sum;
    }
    return sum;
}

// The combination of the tiles before this one in one column (undefined for the first); posts `mine` for the
// tiles after it.
GNP_FN A look_back(const Board<FAN> &board, u32 tile, A mine)
{
    const u32 in_group = tile % FAN, group = tile / FAN % FAN, head = tile / (FAN * FAN);
    A before = mine;

    post(board.tiles + tile * board.step, mine);
    A tiles = gather(board.tiles + (tile - in_group) * board.step, board.step, in_group);
    if (in_group == FAN - 1) {
        post(board.groups + tile / FAN * board.step, combine(tiles, mine));
    }
    A groups = gather(board.groups + (tile / FAN - group) * board.step, board.step, group);
    if (head > 0) {
        before = await<A>(board.heads + (head - 1) * board.step);
    }
    if (group > 0) {
        before = head > 0 ? combine(before, groups) : groups;
    }
    if (in_group > 0) {
        before = tile > in_group ? combine(before, tiles) : tiles;
    }
    if (tile % (FAN * FAN) == FAN * FAN - 1) {
        post(board.heads + head * board.step, combine(before, mine));
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
scan_columns(const char *in, char *out, const Layout<Index, KEPT, 2> kept, const Index nout, const Index n,
             const i64 in_step, const i64 out_step, u64 *board, const u32 ntiles)
{
    const int column = threadIdx.x % LANES, row = threadIdx.x / LANES;
    const u32 nstrips = (u32)((nout + STRIP - 1) / STRIP);
    const u32 ticket = LOOKBACK ? take_ticket((u32 *)board) : blockIdx.x;
    const u32 tile = LOOKBACK ? ticket / nstrips : 0;
    const u32 strip = ticket - tile * nstrips;
    const Index o = ((Index)strip * LANES + column) * WIDTH;
    const bool mine = o < nout;
    const Offsets<Index, 2> at = kept.at(mine ? o : 0);
    const Index i = ((Index)tile * ROWS + row) * DEPTH;
    __shared__ A sums[ROWS][STRIP];
    A x[DEPTH][WIDTH];
    Vec<Raw<S>, WIDTH> raw[DEPTH];

    in += at.at[0] + (i64)(i < n ? i : n - 1) * in_step;
    out += at.at[1] + (i64)i * out_step;
#pragma unroll
    for (int k = 0; k < DEPTH; k++) { // past the end the last repeats, which does not change any result
        if (mine) { // in-place scans: all have read before any writes
            raw[k] = *(const Vec<Raw<S>, WIDTH> *)in;
        }
        in += i + k + 1 < n ? in_step : 0;
    }
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            A v = map(In<S, T>::value(raw[k].at[w]));
            x[k][w] = k == 0 ? v : combine(x[k - 1][w], v);
        }
    }
    bool any = false;
    A before[WIDTH];
    if constexpr (ROWS > 1 || LOOKBACK != 0) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            sums[row][column * WIDTH + w] = x[DEPTH - 1][w];
        }
        __syncthreads();
#pragma unroll 1
        for (int c = threadIdx.x; c < STRIP; c += BLOCK) { // totals become exclusive prefixes of the rows
            A sum = sums[0][c];
#pragma unroll 1
            for (int r = 1; r < ROWS; r++) {
                A next = combine(sum, sums[r][c]);
                sums[r][c] = sum;
                sum = next;
            }
            if constexpr (LOOKBACK != 0) {
                u64 *words = board + 1 + ((u64)strip * Board<FAN>::size(ntiles) * STRIP + c) * Posted<A>::words;
                A first = look_back(Board<FAN>(words, ntiles, (u64)STRIP * Posted<A>::words), tile, sum);
                sums[0][c] = first;
                if (tile > 0) {
#pragma unroll 1
                    for (int r = 1; r < ROWS; r++) {
                        sums[r][c] = combine(first, sums[r][c]);
                    }
                }
            }
        }
        __syncthreads();
        any = tile > 0 || row > 0;
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            before[w] = sums[row][column * WIDTH + w];
        }
    }
    if (mine) {
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            if (i + k < n) {
                Vec<Raw<R>, WIDTH> result;
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    result.at[w] = Out<R, T>::raw(any ? combine(before[w], x[k][w]) : x[k][w]);
                }
                *(Vec<Raw<R>, WIDTH> *)out = result;
                out += out_step;
            }
        }
    }
}
