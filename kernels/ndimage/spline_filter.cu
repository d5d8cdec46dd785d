// spline_filter: coefficients of B-splines through the elements of lines: along one axis of a C-contiguous array, forwards
// c[i] = gain x[i] + z c[i - 1], then backwards y[i] = z (y[i + 1] - c[i]), for each pole z (Unser, Aldroubi & Eden,
// "B-spline signal processing", 1993). A pole's response falls below the rounding errors within HALO elements, so that both
// directions start that much outside of what is stored: no part of a line waits for another one, and what lies beyond an end
// is read by the rule of the border.
// Knobs: S stored in `in`, R in `out`; computed in A; ALONG: lines are read along themselves, not across; POLES; HALO;
// CHUNK elements of a line are in shared memory at once, besides the halo.
// Launch: a warp per 32 lines and `march` outputs of each, groups of lines first.
#include "knobs/spline_filter.cuh"
#include "border.cuh"
#include "scaled.cuh"
#include "ndimage/stored.cuh"

typedef Compute<A> Number;
typedef Part<A> Real;

enum { LANES = 32, PITCH = LANES + 1, BATCH = 8, ROWS = HALO + CHUNK };

// The element of the input that stands for the i-th of the padded line; -1: the constant does.
GNP_FN i64 source(i64 i, const GnpSpline &s)
{
    const i64 padded = s.lines.length + 2 * s.pad;
    if (i < 0 || i >= padded) {
        i = border_source((int)s.lines.rule, i, padded);
    }
    i -= s.pad;
    return i >= 0 && i < s.lines.length ? i : border_source((int)s.pad_rule, i, s.lines.length);
}

// Which row and lane of the tile the t-th access of a lane is; lanes go along the memory.
struct TilePlace {
    int row, lane;
};
GNP_FN TilePlace tile_place(int t)
{
    if constexpr (ALONG) {
        return {t % (CHUNK / LANES) * LANES + (int)threadIdx.x, t / (CHUNK / LANES)};
    }
    return {t, (int)threadIdx.x};
}

// Fills CHUNK rows with elements from `first` on, up to `end`, and with zeros behind it: a constant that is NaN would spread
// from there, as it does not decay. Inside of a line loads are on their way in batches.
GNP_FN void load_rows(Number *tile, const Raw<S> *in, const GnpSpline &s, i64 first, i64 end, int lines, i64 pitch, i64 step,
                      Number constant)
{
    if (first < s.pad || first + CHUNK > s.pad + s.lines.length) {
#pragma unroll 1
        for (int t = 0; t < CHUNK; t++) {
            const TilePlace p = tile_place(t);
            const bool is_read = p.lane < lines && first + p.row < end;
            const i64 i = is_read ? source(first + p.row, s) : -1;
            const Number other = is_read ? constant : Number(0);
            tile[p.row * PITCH + p.lane] = i >= 0 ? In<S, A>::value(in[p.lane * pitch + i * step]) : other;
        }
        return;
    }
    in += (first - s.pad) * step;
#pragma unroll 1
    for (int t0 = 0; t0 < CHUNK; t0 += BATCH) {
        Number values[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            const TilePlace p = tile_place(t0 + j);
            const bool is_read = p.lane < lines && first + p.row < end;
            values[j] = is_read ? In<S, A>::value(in[p.lane * pitch + p.row * step]) : Number(0);
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            const TilePlace p = tile_place(t0 + j);
            tile[p.row * PITCH + p.lane] = values[j];
        }
    }
}

// One lane's column of the tile, from the row `first` on: each pole's recursion, forwards.
GNP_FN void forwards(Number *column, Number *state, const GnpSpline &s)
{
#pragma unroll 1
    for (int i0 = HALO; i0 < ROWS; i0 += BATCH) {
        Number c[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            c[j] = column[(i0 + j) * PITCH];
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            c[j] = scaled((Real)s.gain, c[j]);
#pragma unroll
            for (int k = 0; k < POLES; k++) {
                state[k] = c[j] = c[j] + scaled((Real)s.poles[k], state[k]);
            }
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            column[(i0 + j) * PITCH] = c[j];
        }
    }
}

// Backwards; the last rows, with which the next chunk begins, are only read.
GNP_FN void backwards(Number *column, const GnpSpline &s)
{
    Number state[POLES];
#pragma unroll
    for (int k = 0; k < POLES; k++) {
        state[k] = Number(0);
    }
#pragma unroll 1
    for (int i0 = ROWS - BATCH; i0 >= 0; i0 -= BATCH) {
        Number c[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            c[j] = column[(i0 + j) * PITCH];
        }
#pragma unroll
        for (int j = BATCH - 1; j >= 0; j--) {
#pragma unroll
            for (int k = 0; k < POLES; k++) {
                state[k] = c[j] = scaled((Real)s.poles[k], state[k] - c[j]);
            }
        }
        if (i0 < CHUNK) {
#pragma unroll
            for (int j = 0; j < BATCH; j++) {
                column[(i0 + j) * PITCH] = c[j];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(32)
spline_filter(Raw<R> *out, const Raw<S> *in, const GnpSpline s, const Slot beyond)
{
    __shared__ alignas(16) Number tile[ROWS * PITCH];
    const i64 count = s.lines.outer * s.lines.step, step = s.lines.step, length = s.lines.length;
    const i64 padded = length + 2 * s.pad, groups = (count - 1) / LANES + 1;
    const i64 line0 = blockIdx.x % groups * LANES, start = blockIdx.x / groups * s.march;
    const i64 end = start + s.march < padded ? start + s.march : padded;
    const i64 line = line0 + threadIdx.x;
    // Along the memory lines follow each other; across it a lane knows its own one.
    const i64 from = ALONG ? line0 * length : line / step * length * step + line % step;
    const i64 to = ALONG ? line0 * padded : line / step * padded * step + line % step;
    const i64 in_pitch = ALONG ? length : 0, out_pitch = ALONG ? padded : 0;
    const int lines = count - line0 < LANES ? (int)(count - line0) : LANES;
    const Number constant = In<A, A>::value(slot_value<Raw<A>>(beyond));
    Number *const column = tile + threadIdx.x;
    Number state[POLES];
#pragma unroll
    for (int k = 0; k < POLES; k++) {
        state[k] = Number(0);
    }
#pragma unroll 1
    for (int i = 0; i < HALO; i++) {
        column[i * PITCH] = Number(0);
    }
#pragma unroll 1
    for (i64 first = start - HALO; first - HALO < end; first += CHUNK) { // rows from `first - HALO` on are in the tile
        load_rows(tile + HALO * PITCH, in + from, s, first, end + HALO, lines, in_pitch, ALONG ? 1 : step, constant);
        __syncwarp();
        forwards(column, state, s);
        backwards(column, s);
        __syncwarp();
#pragma unroll 4
        for (int t = 0; t < CHUNK; t++) {
            const TilePlace p = tile_place(t);
            const i64 i = first - HALO + p.row;
            if (p.lane < lines && i >= start && i < end) {
                out[to + p.lane * out_pitch + i * (ALONG ? 1 : step)] = stored<R, A>(tile[p.row * PITCH + p.lane]);
            }
        }
        __syncwarp();
#pragma unroll 8
        for (int i = 0; i < HALO; i++) {
            column[i * PITCH] = column[(CHUNK + i) * PITCH];
        }
        __syncwarp();
    }
}
