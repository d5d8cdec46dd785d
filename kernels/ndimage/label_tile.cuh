// label_tile.cuh: components of images of two axes by tiles, in shared memory first: only elements at the borders of tiles
// meet in global memory (Playne & Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", 2018).
// A row of a tile is a word of flags, and what is joined are its runs (Hennequin, Lacassagne, Cabaret & Meunier, "A New
// Direct Connected Component Labeling and Analysis Algorithms for GPUs", 2018). Included after the knobs of label.cu.
#ifndef GNP_LABEL_TILE_CUH
#define GNP_LABEL_TILE_CUH

#include "unions.cuh"

enum { SIDE = 32, PITCH = SIDE + 1 }; // a warp has a tile; the elements of a column lie in different banks

// The tile of a warp: element `column` of `row` is local[row * PITCH + column], its flag a bit of rows[row].
struct Tile {
    i32 local[SIDE * PITCH]; // parents within the tile
    u32 rows[SIDE];
};

// The first element of the run of set elements that has, or ends before, the element of `bit`.
GNP_FN int first_of_run(u32 set, u32 bit)
{
    int last; // element before it that is not set; -1: there is none
    asm("bfind.u32 %0, %1;" : "=r"(last) : "r"(~set & (bit - 1)));
    return last + 1;
}

// A bit for each pair of runs of two rows that the structure joins: that of the first column where one run has this
// column and the other one has it or the one before, and both are the runs that first_of_run finds. What a pair above one
// another joins needs no diagonal.
GNP_FN u32 meetings(u32 set, u32 above, const bool *structure)
{
    const u32 set_before = set << 1, above_before = above << 1;
    u32 found = 0;
    const bool upright = structure[1];
    if (upright) {
        found = set & above & ~(set_before & above_before);
    }
    if (structure[0]) {
        const u32 both = set & above_before;
        found |= both & ~(upright ? above | set_before : both << 1);
    }
    if (structure[2]) {
        const u32 both = set_before & above;
        found |= both & ~(upright ? set | above_before : both << 1);
    }
    return found;
}

// Joins the runs of a row with those of the row above. A lane has a row. A run's first meeting names its parent without a
// search; others, which are few, are unions.
GNP_FN void join_runs(i32 *local, u32 set, u32 above, const bool *structure, int row)
{
    u32 left = meetings(set, above, structure), others = 0;
    i32 *const own = local + row * PITCH;
    const int up = (row - 1) * PITCH;
    int before = -1;
#pragma unroll 1
    while (left != 0) {
        const u32 bit = left & (0 - left);
        const int run = first_of_run(set, bit);
        left ^= bit;
        if (run == before) {
            others |= bit;
        }
        else {
            own[run] = up + first_of_run(above, bit);
        }
        before = run;
    }
    __syncwarp();
#pragma unroll 1
    while (others != 0) {
        const u32 bit = others & (0 - others);
        others ^= bit;
        join_here(local, up + PITCH + first_of_run(set, bit), up + first_of_run(above, bit));
    }
}

// The same where neighbours in a row are not joined: each element by itself.
GNP_FN void join_elements(i32 *local, u32 set, u32 above, const bool *structure, int row)
{
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        u32 left = !structure[k] ? 0 : set & (k == 0 ? above << 1 : k == 1 ? above : above >> 1);
#pragma unroll 1
        while (left != 0) {
            const int column = __ffs(left) - 1;
            left &= left - 1;
            join_here(local, row * PITCH + column, (row - 1) * PITCH + column + k - 1);
        }
    }
}

// Bits of the four bytes that are not zero.
GNP_FN u32 set_bytes(u32 four)
{
    const u32 high = ((four & 0x7f7f7f7fu) + 0x7f7f7f7fu | four) & 0x80808080u;
    return high / 128 * 0x10204080u >> 28; // the product has the lowest bits of the bytes side by side on top
}

// Reads the flags of a tile, as 16 bytes a lane where rows begin at such addresses; every element is its own parent.
GNP_FN void read_tile(Tile &tile, const bool *in, P width, int across, int down, int lane)
{
#pragma unroll 8
    for (int row = 0; row < SIDE; row++) {
        tile.local[row * PITCH + lane] = row * PITCH + lane;
    }
    if (across == SIDE && width % 16 == 0 && (u64)in % 16 == 0) {
        const int half = lane % 2 * 16;
#pragma unroll
        for (int first = 0; first < SIDE; first += 16) {
            const int row = first + lane / 2;
            Vec<u32, 4> x = {{0, 0, 0, 0}};
            if (row < down) {
                x = *(const Vec<u32, 4> *)(in + row * width + half);
            }
            u32 set = set_bytes(x.at[0]) | set_bytes(x.at[1]) << 4 | set_bytes(x.at[2]) << 8 | set_bytes(x.at[3]) << 12;
            set <<= half;
            tile.rows[row] = set | __shfl_xor_sync(0xffffffffu, set, 1); // the same word by both lanes
        }
    }
    else {
        in += lane;
#pragma unroll 1
        for (int row = 0; row < SIDE; row++) {
            const bool is_set = lane < across && row < down && *in;
            in += width;
            tile.rows[row] = __ballot_sync(0xffffffffu, is_set);
        }
    }
    __syncwarp();
}

// The parent of each run of a row becomes its root. A lane has a row.
GNP_FN void flatten_runs(i32 *local, u32 set, int row)
{
    u32 left = ALONG ? set & ~(set << 1) : set;
#pragma unroll 1
    while (left != 0) {
        flattened(local, row * PITCH + __ffs(left) - 1);
        left &= left - 1;
    }
}

// Writes the parents of a tile, four elements a lane.
GNP_FN void write_tile(const Tile &tile, P *parents, P width, P origin, int across, int down, int lane)
{
    const int column = lane % 8 * 4;
    P at = origin + lane / 8 * width + column;
#pragma unroll 1
    for (int row = lane / 8; row < down; row += 4) {
        const u32 set = tile.rows[row];
        const i32 *const local = tile.local + row * PITCH;
        int first = ALONG ? first_of_run(set, 1u << column) : column;
        Vec<P, 4> found;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (k > 0 && !(ALONG && set >> (column + k - 1) & 1)) {
                first = column + k;
            }
            const i32 root = local[first], y = (u32)root / PITCH;
            found.at[k] = set >> (column + k) & 1 ? origin + y * (width - PITCH) + root : (P)-1;
        }
        if (column + 4 <= across && width % 4 == 0) {
            *(Vec<P, 4> *)(parents + at) = found;
        }
        else {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (column + k < across) {
                    parents[at + k] = found.at[k];
                }
            }
        }
        at += 4 * width;
    }
}

// The parent of an element is the first one of its component within the tile; -1: background.
GNP_FN void start_tile(const bool *in, const bool *structure, P *parents, const GnpImage &image)
{
    enum { WARPS = BLOCK / 32 };
    __shared__ Tile tiles[WARPS];
    const P height = (P)image.shape[0], width = (P)image.shape[1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const P columns = (width - 1) / SIDE + 1, index = (P)blockIdx.x * WARPS + warp;
    const P y = index / columns * SIDE, x = index % columns * SIDE;
    if (y >= height) {
        return;
    }
    const int down = height - y < SIDE ? (int)(height - y) : SIDE, across = width - x < SIDE ? (int)(width - x) : SIDE;
    Tile &tile = tiles[warp];
    read_tile(tile, in + (y * width + x), width, across, down, lane);
    const u32 set = tile.rows[lane], above = lane > 0 ? tile.rows[lane - 1] : 0;
    if constexpr (ALONG) {
        join_runs(tile.local, set, above, structure, lane);
    }
    else {
        join_elements(tile.local, set, above, structure, lane);
    }
    __syncwarp();
    flatten_runs(tile.local, set, lane);
    __syncwarp();
    write_tile(tile, parents, width, y * width + x, across, down, lane);
}

// Joins tiles in the t-th place where two meet: first those of an element of a first row with the row above, then those of
// the first element of a row with the one to the left and, but in first rows, along both diagonals. Pairs that others join
// are left out. Of the indices, `t` alone may need 64 bits where P has 32.
GNP_FN void join_tiles(const bool *in, const bool *structure, P *parents, const GnpImage &image, i64 t)
{
    const P height = (P)image.shape[0], width = (P)image.shape[1];
    const i64 first_rows = (i64)((height - 1) / SIDE) * width;
    const bool is_first = t < first_rows;
    P y, x;
    if (is_first) {
        y = ((P)t / width + 1) * SIDE;
        x = (P)t % width;
    }
    else {
        const P rest = (P)(t - first_rows);
        x = (rest / height + 1) * SIDE;
        y = rest % height;
    }
    if (x >= width) {
        return;
    }
    const P i = y * width + x, up = i - width;
    const bool has_above = y > 0, upright = ALONG && structure[1];
    const bool set = in[i], left = x > 0 && in[i - 1];
    const bool above = has_above && in[up], above_left = has_above && x > 0 && in[up - 1];
    if (is_first) {
        const bool right = x + 1 < width && in[i + 1], above_right = x + 1 < width && in[up + 1];
        if (structure[1] && set && above && !(ALONG && left && above_left)) {
            join(parents, i, up);
        }
        if (structure[0] && set && above_left && !(upright && (above || left))) {
            join(parents, i, up - 1);
        }
        if (structure[2] && set && above_right && !(upright && (above || right))) {
            join(parents, i, up + 1);
        }
        return;
    }
    const bool is_within = y % SIDE > 0;
    if (ALONG && set && left && !(upright && is_within && above && above_left)) {
        join(parents, i, i - 1);
    }
    if (is_within && structure[0] && set && above_left && !(upright && (above || left))) {
        join(parents, i, up - 1);
    }
    if (is_within && structure[2] && left && above && !(upright && (set || above_left))) {
        join(parents, i - 1, up);
    }
}

#endif
