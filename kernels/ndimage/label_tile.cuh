// label_tile.cuh: components of images of two axes by tiles, in shared memory first: only elements at the borders of tiles
// meet in global memory (Playne & Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", 2018).
// Included after the knobs of label.cu.
#ifndef GNP_LABEL_TILE_CUH
#define GNP_LABEL_TILE_CUH

#include "unions.cuh"

enum { SIDE = 32 }; // a warp has one row of a tile at a time

// Joins the set elements of a row of a tile with those of the row above that the structure names.
GNP_FN void join_rows(i32 *local, const u32 *rows, const bool *structure, int row, int lane)
{
    const u32 set = rows[row], above = rows[row - 1];
    const bool has_left = ALONG && lane > 0 && (set >> (lane - 1) & 1);
    if (!(set >> lane & 1)) {
        return;
    }
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const int column = lane + k - 1;
        if (!structure[k] || column < 0 || column >= SIDE || !(above >> column & 1)) {
            continue;
        }
        if (has_left && column > 0 && (above >> (column - 1) & 1)) {
            continue; // the element to the left joins the same runs
        }
        join(local, row * SIDE + lane, (row - 1) * SIDE + column);
    }
}

// The parent of an element is the first one of its component within the tile; -1: background.
GNP_FN void start_tile(const bool *in, const bool *structure, P *parents, const GnpImage &image)
{
    enum { WARPS = BLOCK / 32 };
    __shared__ i32 local[SIDE * SIDE];
    __shared__ u32 rows[SIDE]; // a bit for each element that is set
    const P height = (P)image.shape[0], width = (P)image.shape[1];
    const u32 across = (u32)((width - 1) / SIDE) + 1, strip = blockIdx.x / across;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const P y0 = (P)strip * SIDE, x0 = (P)(blockIdx.x - strip * across) * SIDE;
#pragma unroll
    for (int row = warp; row < SIDE; row += WARPS) {
        const bool is_there = y0 + row < height && x0 + lane < width;
        const bool is_set = is_there && in[(y0 + row) * width + x0 + lane];
        const u32 set = __ballot_sync(0xffffffffu, is_set);
        const int run = ALONG ? __clz(~(set << (31 - lane))) - 1 : 0; // elements before this one
        local[row * SIDE + lane] = is_set ? row * SIDE + lane - run : -1;
        rows[row] = set;
    }
    __syncthreads();
#pragma unroll 1
    for (int row = warp > 0 ? warp : WARPS; row < SIDE; row += WARPS) {
        join_rows(local, rows, structure, row, lane);
    }
    __syncthreads();
#pragma unroll 1
    for (int row = warp; row < SIDE && y0 + row < height; row += WARPS) {
        const i32 i = row * SIDE + lane, root = local[i] < 0 ? -1 : root_of(local, i);
        if (x0 + lane < width) {
            parents[(y0 + row) * width + x0 + lane] =
                root < 0 ? (P)-1 : (y0 + root / SIDE) * width + x0 + root % SIDE;
        }
    }
}

// The element of the t-th thread that joins tiles: those of the first rows of tiles, then those at the sides of other rows,
// if tiles have some beside them. False: there is none. Of the indices, `t` alone may need 64 bits where P has 32.
GNP_FN bool find_at_border(i64 t, const GnpImage &image, P &y, P &x)
{
    const P height = (P)image.shape[0], width = (P)image.shape[1];
    const P first_rows = ((height - 1) / SIDE + 1) * width, sides = ((width - 1) / SIDE + 1) * 2;
    if (t < first_rows) {
        y = (P)t / width * SIDE;
        x = (P)t % width;
        return true;
    }
    const P rest = (P)(t - first_rows);
    y = rest / sides;
    x = rest % sides / 2 * SIDE + (rest & 1) * (SIDE - 1); // `sides` is even
    return sides > 2 && y < height && x < width && y % SIDE > 0;
}

#endif
