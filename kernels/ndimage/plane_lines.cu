// plane_lines: windows along the last axis of a C-contiguous array and then along the one before it, in one launch: sums of
// products, means, the least or the greatest. Beyond the ends stand what x.rule and y.rule say, or `beyond`.
// Knobs: S stored in `in`, R in `out`; the windows are computed in A and rounded to R between the axes; OPERATION of enum
// LineOperation; HALO elements that the windows of a block reach beyond it along each axis, at most; BLOCK threads.
// Launch: a block per 64 columns and 64 rows, which it holds in shared memory together with what their windows reach.
#include "knobs/plane_lines.cuh"
#include "border.cuh"
#include "ndimage/stored.cuh"
#include "ndimage/window.cuh"

typedef Compute<A> Number;

// In a row of the tile, threads of a warp are in different rows: an odd pitch puts them into different banks.
enum { COLUMNS = 64, ROWS = 64, HIGH = ROWS + HALO, PITCH = COLUMNS + HALO + 1 };
// Consecutive outputs of a thread; how many threads the rows of the tile take, in whole blocks, and its columns.
enum { OUT = 8, ALONG = (HIGH * COLUMNS / OUT - 1) / BLOCK * BLOCK + BLOCK, DOWN = ROWS * COLUMNS / OUT };

// The index of n elements that stands for x, or -1. Most are within, and those are no call.
GNP_FN i64 source_of(int rule, i64 x, i64 n) { return x >= 0 && x < n ? x : border_source(rule, x, n); }

// How a tile is loaded: each warp takes some rows at a time, in STEPS elements a lane.
enum { STEPS = (COLUMNS + HALO - 1) / 32 + 1, WARPS = BLOCK / 32, MOST = 4 };
enum { LOADED = (HIGH - 1) / (MOST * WARPS) * (MOST * WARPS) + MOST * WARPS }; // rows, those that are not kept too

// Fills the tile. A thread loads the same columns of all its rows, so it finds out once what stands there. All loads of some
// rows are on their way before the first is used; what is beyond is loaded from anywhere. INSIDE: nothing is.
template <bool INSIDE>
GNP_FN void load_tile(Number *tile, const Raw<S> *in, const GnpLines &y, const GnpLines &x, i64 y0, i64 x0, Number constant)
{
    enum { BATCH = INSIDE ? MOST : 1 };
    const int lane = threadIdx.x % 32, wide = COLUMNS + (int)x.taps - 1, high = ROWS + (int)y.taps - 1;
    const Raw<S> *columns[STEPS]; // of the first row
    bool is_column[STEPS];
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const i64 place = x0 + lane + 32 * s, column = INSIDE ? place : source_of((int)x.rule, place, x.length);
        is_column[s] = column >= 0;
        columns[s] = in + (INSIDE ? column : max(column, (i64)0));
    }
#pragma unroll 1
    for (int r0 = threadIdx.x / 32; r0 < high; r0 += BATCH * WARPS) {
        Raw<S> values[BATCH][STEPS];
        bool is_row[BATCH];
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const i64 place = y0 + (INSIDE ? r0 + b * WARPS : min(r0 + b * WARPS, high - 1));
            const i64 row = INSIDE ? place : source_of((int)y.rule, place, y.length);
            const i64 offset = (INSIDE ? row : max(row, (i64)0)) * x.length;
            is_row[b] = row >= 0;
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
                values[b][s] = columns[s][offset];
            }
        }
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
                if (r0 + b * WARPS < high && lane + 32 * s < wide) {
                    const Number value = In<S, A>::value(values[b][s]);
                    const bool is_there = INSIDE || (is_row[b] && is_column[s]);
                    tile[(r0 + b * WARPS) * PITCH + lane + 32 * s] = is_there ? value : constant;
                }
            }
        }
    }
}

// Consecutive results of a thread, whose window lies in the tile from `from` on, STEP elements apart.
template <int STEP> GNP_FN void compute(Number *sums, const Number *from, const Number *factors, const GnpLines &lines)
{
    const auto at = [&](int k) { return from[k * STEP]; };
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        sums[o] = OPERATION >= LINE_MINIMUM ? at(o) : Number(0);
    }
    add_window<OUT>(sums, at, factors, (int)lines.taps);
    if constexpr (OPERATION == LINE_MEAN) {
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            sums[o] = sums[o] / Number(lines.scale);
        }
    }
}

// Each row of the tile becomes its results, from the left on, when the threads beside have read what is overwritten; windows
// further to the right do not reach that.
GNP_FN void along_rows(Number *tile, const Number *factors, const GnpLines &x, int high)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < ALONG; i += BLOCK) {
        const int row = i % HIGH, first = i / HIGH * OUT;
        const bool is_there = first < COLUMNS && row < high;
        Number *from = tile + row * PITCH + first, sums[OUT];
        if (is_there) {
            compute<1>(sums, from, factors, x);
        }
        __syncthreads();
        if (is_there) {
#pragma unroll
            for (int o = 0; o < OUT; o++) {
                from[o] = In<R, A>::value(stored<R, A>(sums[o]));
            }
        }
    }
    __syncthreads();
}

// The results along the columns of the tile, which leave it as it is; its first element belongs to `to`.
GNP_FN void down_columns(Raw<R> *to, const Number *tile, const Number *factors, const GnpLines &y, i64 pitch, int rows, int columns)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < DOWN; i += BLOCK) {
        const int column = i % COLUMNS, first = i / COLUMNS * OUT;
        if (column < columns && first < rows) {
            Number sums[OUT];
            compute<PITCH>(sums, tile + first * PITCH + column, factors, y);
            Raw<R> *at = to + first * pitch + column;
#pragma unroll
            for (int o = 0; o < OUT; o++, at += pitch) {
                if (first + o < rows) {
                    *at = stored<R, A>(sums[o]);
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
plane_lines(Raw<R> *out, const Raw<S> *in, const Raw<A> *weights, const GnpLines y, const GnpLines x, const Slot beyond)
{
    __shared__ Number tile[HIGH * PITCH];
    __shared__ __align__(16) Number factors[2][HALO + 8]; // of x, of y
    const u32 across = (u32)((x.length - 1) / COLUMNS) + 1, down = (u32)((y.length - 1) / ROWS) + 1;
    const u32 strip = blockIdx.x / across, plane = strip / down;
    const i64 y0 = (i64)(strip - plane * down) * ROWS, x0 = (i64)(blockIdx.x - strip * across) * COLUMNS;
    const i64 base = plane * y.length * x.length;
    if constexpr (OPERATION == LINE_CORRELATE) {
        for (int k = threadIdx.x; k < y.taps + x.taps; k += BLOCK) {
            (k < y.taps ? factors[1][k] : factors[0][k - y.taps]) = In<A, A>::value(weights[k]);
        }
    }
    const i64 top = y0 - y.left, left = x0 - x.left;
    const Number constant = In<A, A>::value(slot_value<Raw<A>>(beyond));
    if (top >= 0 && left >= 0 && top + LOADED <= y.length && left + 32 * STEPS <= x.length) {
        load_tile<true>(tile, in + base, y, x, top, left, constant);
    }
    else {
        load_tile<false>(tile, in + base, y, x, top, left, constant);
    }
    __syncthreads();
    along_rows(tile, factors[0], x, ROWS + (int)y.taps - 1);
    down_columns(out + base + y0 * x.length + x0, tile, factors[1], y, x.length, (int)min(y.length - y0, (i64)ROWS),
                 (int)min(x.length - x0, (i64)COLUMNS));
}
