// graph_pairs: distances between all pairs of nodes by the Floyd-Warshall method in tiles of SIDE (Katz & Kider,
// "All-Pairs Shortest-Paths for Large Graphs on the GPU", 2008). For each tile of nodes, one launch each:
// PAIRS_DIAGONAL: the tile on the diagonal, node by node.
// PAIRS_CROSS: the tiles of its rows and columns, as products with that tile, whose distances are final by then.
// PAIRS_REST: all other tiles, as products of those.
// The predecessor of a pair is taken from the second part of a path when the path is shorter than what was known.
// Knobs: STEP of enum GraphPairs; PARENTS: predecessors are wanted.
// Launch: 256 threads per tile; one tile, two times the tiles of a row, or the square of them.
#include "knobs/graph_pairs.cuh"

enum { SIDE = 64, SLICE = 32, EACH = 4, THREADS = SIDE * SIDE / (EACH * EACH) };

// A thread's distances, rows y + 16 * i and columns x + 16 * j of a tile.
struct Patch {
    f64 distance[EACH][EACH];
    i32 parent[EACH][EACH];
    i64 row, column; // of the first
    int n;

    GNP_FN Patch(i64 tile_row, i64 tile_column, i64 nodes)
        : row(tile_row * SIDE + threadIdx.x / 16), column(tile_column * SIDE + threadIdx.x % 16), n((int)nodes)
    {
    }
    GNP_FN bool inside(int i, int j) const { return row + 16 * i < n && column + 16 * j < n; }
    GNP_FN i64 at(int i, int j) const { return (row + 16 * i) * n + column + 16 * j; }
    GNP_FN void load(const f64 *distances, const i32 *parents)
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                const i64 k = inside(i, j) ? at(i, j) : 0;
                const f64 known = distances[k];
                distance[i][j] = inside(i, j) ? known : __longlong_as_double(0x7ff0000000000000ll);
                parent[i][j] = PARENTS ? parents[k] : 0;
            }
        }
    }
    GNP_FN void store(f64 *distances, i32 *parents) const
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                if (inside(i, j)) {
                    distances[at(i, j)] = distance[i][j];
                    if constexpr (PARENTS) {
                        parents[at(i, j)] = parent[i][j];
                    }
                }
            }
        }
    }
    GNP_FN void shorten(int i, int j, f64 sum, i32 before)
    {
        const bool shorter = sum < distance[i][j];
        distance[i][j] = shorter ? sum : distance[i][j];
        parent[i][j] = PARENTS && shorter ? before : parent[i][j];
    }
};

struct Slices {
    f64 left[SLICE][SIDE + 1]; // transposed
    f64 right[SLICE][SIDE];
    i32 parents[PARENTS ? SLICE : 1][SIDE];
};

// Paths through the nodes of tile `middle`: rows of `tile_row` to it, then from it to columns of `tile_column`.
GNP_FN void through(Patch &patch, Slices &shared, const f64 *distances, const i32 *parents, i64 tile_row, i64 middle,
                    i64 tile_column)
{
    const int n = patch.n, x = threadIdx.x % 16, y = threadIdx.x / 16;
    const f64 far = __longlong_as_double(0x7ff0000000000000ll);
#pragma unroll 1
    for (int slice = 0; slice < SIDE; slice += SLICE) {
        const i64 base = middle * SIDE + slice;
        __syncthreads();
#pragma unroll 4
        for (int k = threadIdx.x; k < SIDE * SLICE; k += THREADS) {
            const i64 row = tile_row * SIDE + k / SLICE, column = base + k % SLICE;
            const f64 known = distances[row < n && column < n ? row * n + column : 0];
            shared.left[k % SLICE][k / SLICE] = row < n && column < n ? known : far;
        }
#pragma unroll 4
        for (int k = threadIdx.x; k < SIDE * SLICE; k += THREADS) {
            const i64 row = base + k / SIDE, column = tile_column * SIDE + k % SIDE;
            const i64 at = row < n && column < n ? row * n + column : 0;
            const f64 known = distances[at];
            shared.right[k / SIDE][k % SIDE] = row < n && column < n ? known : far;
            if constexpr (PARENTS) {
                shared.parents[k / SIDE][k % SIDE] = parents[at];
            }
        }
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < SLICE; k++) {
            f64 left[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                left[i] = shared.left[k][y + 16 * i];
            }
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                const f64 right = shared.right[k][x + 16 * j];
                const i32 before = PARENTS ? shared.parents[k][x + 16 * j] : 0;
#pragma unroll
                for (int i = 0; i < EACH; i++) {
                    patch.shorten(i, j, left[i] + right, before);
                }
            }
        }
    }
}

// The row and the column of a node in the tile on the diagonal, while that node is passed through.
struct Lines {
    f64 row[SIDE], column[SIDE];
    i32 parents[SIDE];
};

GNP_FN void diagonal(Patch &patch, Lines &shared)
{
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                if (y + 16 * i == k) {
                    shared.row[x + 16 * j] = patch.distance[i][j];
                    shared.parents[x + 16 * j] = patch.parent[i][j];
                }
                if (x + 16 * j == k) {
                    shared.column[y + 16 * i] = patch.distance[i][j];
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                patch.shorten(i, j, shared.column[y + 16 * i] + shared.row[x + 16 * j], shared.parents[x + 16 * j]);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
graph_pairs(f64 *distances, i32 *parents, const i64 n, const i64 middle)
{
    const i64 tiles = (n + SIDE - 1) / SIDE, block = blockIdx.x;
    i64 row = middle, column = middle;
    if constexpr (STEP == PAIRS_DIAGONAL) {
        __shared__ Lines shared;
        Patch patch(row, column, n);
        patch.load(distances, parents);
        diagonal(patch, shared);
        patch.store(distances, parents);
    }
    else {
        __shared__ Slices shared;
        if constexpr (STEP == PAIRS_CROSS) {
            (block < tiles ? column : row) = block % tiles;
        }
        else {
            row = block / tiles;
            column = block % tiles;
        }
        if (STEP == PAIRS_CROSS ? row == column : row == middle || column == middle) {
            return;
        }
        Patch patch(row, column, n);
        patch.load(distances, parents);
        through(patch, shared, distances, parents, row, middle, column);
        patch.store(distances, parents);
    }
}
