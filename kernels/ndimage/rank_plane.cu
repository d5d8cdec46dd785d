// rank_plane: out[i] = the element of a rank among a rectangular window around i, along the last axis or the last two of a
// C-contiguous image, for windows that are too large to be sorted. Beyond the ends stands what f.rule says.
// The key of the element is found two bits at a time, from the highest on: the window's keys below three bounds are
// counted. A key that is read from shared memory is compared for up to EACH outputs.
// Knobs: S stored in `in`, R in `out`, compared as A; AXES of the image, 1 to 3; EACH consecutive outputs of a thread,
// below one another (along the line where AXES is 1); BLOCK threads.
// Launch: a block per 32 columns and BLOCK / 32 * EACH rows, or per BLOCK * EACH elements of a line; shared memory for the
// keys of all its windows.
#include "knobs/rank_plane.cuh"
#include "border.cuh"
#include "select/rank_network.cuh"
#include "ndimage/stored.cuh"

typedef decltype(rank_key<A>(Raw<A>())) Key;
enum { TALL = AXES == 1 ? 1 : BLOCK / 32 * EACH, BROAD = AXES == 1 ? BLOCK * EACH : 32 };
enum { BITS = 8 * sizeof(key_of<A>(Raw<A>())) };

// The outputs of a block: the first one, and where the plane begins; the extent of their windows.
struct Area {
    i64 rows, columns, y, x, plane;
    int high, wide; // of a window
    GNP_FN int height() const { return TALL + high - 1; }
    GNP_FN int span() const { return BROAD + wide - 1; }
};

GNP_FN Area area_of(const GnpFootprint &f, u32 block)
{
    Area p = {AXES == 1 ? 1 : f.shape[AXES == 1 ? 0 : AXES - 2], f.shape[AXES - 1]};
    const u32 across = (u32)((p.columns - 1) / BROAD) + 1, down = (u32)((p.rows - 1) / TALL) + 1;
    const u32 strip = block / across, plane = strip / down;
    p.y = (i64)(strip - plane * down) * TALL;
    p.x = (i64)(block - strip * across) * BROAD;
    p.plane = plane * p.rows * p.columns;
    p.high = AXES == 1 ? 1 : (int)f.window[AXES == 1 ? 0 : AXES - 2];
    p.wide = (int)f.window[AXES - 1];
    return p;
}

GNP_FN void load_keys(Key *keys, const Raw<S> *in, const GnpFootprint &f, const Area &p, Key constant)
{
    const i64 y0 = AXES == 1 ? 0 : p.y - f.left[AXES == 1 ? 0 : AXES - 2], x0 = p.x - f.left[AXES - 1];
    const int span = p.span(), elements = p.height() * span;
#pragma unroll 1
    for (int i = threadIdx.x; i < elements; i += BLOCK) {
        const int row = i / span;
        i64 y = y0 + row, x = x0 + (i - row * span);
        if (y < 0 || y >= p.rows) {
            y = border_source((int)f.rule, y, p.rows);
        }
        if (x < 0 || x >= p.columns) {
            x = border_source((int)f.rule, x, p.columns);
        }
        const bool is_there = y >= 0 && x >= 0;
        const Key key = converted_key<S, A>(in[is_there ? p.plane + y * p.columns + x : 0]);
        keys[i] = is_there ? key : constant;
    }
}

// What the windows of a thread hold below three bounds each.
struct Counts {
    int below[3][EACH];
};

// A key `at` steps along the strip, in the windows that it belongs to: in all of them where CHECKED is 0.
template <int CHECKED> GNP_FN void count_key(Counts &counts, const Key (&bounds)[3][EACH], Key key, int at, int extent)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const bool counts_here = !CHECKED || (at >= e && at - e < extent);
#pragma unroll
        for (int k = 0; k < 3; k++) {
            counts.below[k][e] += counts_here && key < bounds[k][e];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
rank_plane(Raw<R> *out, const Raw<S> *in, const GnpFootprint f, const Slot beyond)
{
    extern __shared__ u64 memory[];
    Key *keys = (Key *)memory;
    const Area p = area_of(f, blockIdx.x);
    load_keys(keys, in, f, p, rank_key<A>(slot_value<Raw<A>>(beyond)));
    __syncthreads();
    const int column = AXES == 1 ? threadIdx.x * EACH : threadIdx.x % 32;
    const int first = AXES == 1 ? 0 : threadIdx.x / 32 * EACH;
    // Along the strip of the thread's outputs, and across it.
    const int extent = AXES == 1 ? p.wide : p.high, across = AXES == 1 ? 1 : p.wide, step = AXES == 1 ? 1 : p.span();
    const int last = extent + EACH - 1;
    const Key *own = keys + first * p.span() + column;
    Key found[EACH] = {};
#pragma unroll 1
    for (int shift = BITS - 2; shift >= 0; shift -= 2) {
        Key bounds[3][EACH];
        Counts counts = {};
#pragma unroll
        for (int e = 0; e < EACH; e++) {
#pragma unroll
            for (int k = 0; k < 3; k++) {
                bounds[k][e] = found[e] | (Key)(k + 1) << shift;
            }
        }
#pragma unroll 1
        for (int j = 0; j < across; j++) {
            const Key *line = own + j;
            int at = 0;
#pragma unroll 1
            for (; at < EACH - 1; at++) {
                count_key<1>(counts, bounds, line[at * step], at, extent);
            }
#pragma unroll 4
            for (; at < extent; at++) {
                count_key<0>(counts, bounds, line[at * step], at, extent);
            }
#pragma unroll 1
            for (; at < last; at++) {
                count_key<1>(counts, bounds, line[at * step], at, extent);
            }
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int rank = (int)f.rank;
            found[e] = rank >= counts.below[2][e]   ? bounds[2][e]
                       : rank >= counts.below[1][e] ? bounds[1][e]
                       : rank >= counts.below[0][e] ? bounds[0][e]
                                                    : found[e];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const i64 y = p.y + first + (AXES == 1 ? 0 : e), x = p.x + column + (AXES == 1 ? e : 0);
        if (y < p.rows && x < p.columns) {
            out[p.plane + y * p.columns + x] = stored<R, A>(element_of_rank<A>(found[e]));
        }
    }
}
