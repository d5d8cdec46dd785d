"""Merges of clusters, the nearest first, all of them on the device.

Except by centroids and by midpoints, a cluster that two others make is no nearer to a third one
than the nearer of the two was. So any two clusters that are nearest to each other are merged at
some time, whatever else is merged before: `merge_rounds` merges all such pairs at once, in rounds,
of which a tree of random points takes about two for each halving of the number of clusters. Merges
are then sorted by distance and numbered. 'single' needs the least distances that connect all
observations, and no others (`_spanning_tree`).

Where distances are equal, or nearly so that roundings decide, the tree depends on the order of
merges, and they follow one another (`_merges_in_order`). So they always do for 'centroid' and
'median'.
"""

import numpy as np

from ..._core.fromnumeric import argsort
from ..._core.multiarray import arange, empty, ndarray, zeros
from ..._core.numeric import ones
from ._merge_kernels import BLOCK, CONTROL, REDUCIBLE, TIED, WRONG, blocks_at_once, compiled
from ._merges_in_order import by_minima, merged_in_order
from ._spanning_tree import by_spanning_tree

__all__ = ["merged"]

_ROWS = 8  # of threads that spread a tile
_SIDE = 32  # of a tile

_SPREAD = """
enum { SIDE = %(side)s, ROWS = %(rows)s };

// All distances, of condensed ones, and infinity on the diagonal.
extern "C" __global__ void __launch_bounds__(SIDE * ROWS)
spread_distances(const double *condensed, double *square, int *control, const long long n)
{
    __shared__ double tile[SIDE][SIDE + 1];
    const long long down = blockIdx.y * (long long)SIDE, across = blockIdx.x * (long long)SIDE;
    const int t = threadIdx.x;
    if (down > across) return;
    #pragma unroll
    for (int k = threadIdx.y; k < SIDE; k += ROWS) {
        const long long i = down + k, j = across + t;
        if (i < j && j < n) {
            const double x = condensed[i * n - i * (i + 1) / 2 + j - i - 1];
            if (!(x - x == 0)) control[WRONG] = 1;
            square[i * n + j] = tile[k][t] = x;
        }
        else if (i == j && j < n) square[i * n + j] = FAR;
    }
    __syncthreads();
    #pragma unroll
    for (int k = threadIdx.y; k < SIDE; k += ROWS) {
        const long long i = across + k, j = down + t;
        if (j < i && i < n) square[i * n + j] = tile[t][k];
    }
}
"""

_ROUNDS = """
enum { CHUNK = 4 * BLOCK };
#define NEARLY (1 + 1.0 / (1ll << 44)) // more than roundings of any order of merges make

__device__ __forceinline__ Least least_of_block(Least least)
{
    __shared__ Least of[BLOCK / 32];
    least = least_of_warp(least);
    __syncthreads(); // all have read those of the call before
    if (threadIdx.x %% 32 == 0) of[threadIdx.x / 32] = least;
    __syncthreads();
    const int w = threadIdx.x %% 32;
    least = {FAR, FAR, -1};
    if (w < BLOCK / 32) least = of[w];
    return least_of_warp(least);
}

// Of what a thread sees of a row, where clusters without members do not count. The diagonal is FAR.
__device__ __forceinline__ Least
least_of_row(const double *row, const int *sizes, const int n, const int first, const int step)
{
    Least least = {FAR, FAR, -1};
    #pragma unroll 8
    for (int i = first; i < n; i += step) {
        const double value = row[i]; // read at the same time as the size
        if (sizes[i] > 0) take(least, value, i);
    }
    return least;
}

struct Pair {
    int x, y, left, right; // the clusters' places in the matrix, and their numbers
};

// Finds what is nearest to clusters that are in the list, all in the first round.
__device__ __forceinline__ void
find_nearest(const double *square, const int *sizes, const int *list, const int count, const int n,
    int *nearest, double *least, int *control)
{
    const bool by_blocks = count <= (int)gridDim.x;
    const int t = threadIdx.x, lane = t %% 32;
    const int first = by_blocks ? blockIdx.x : blockIdx.x * (BLOCK / 32) + t / 32;
    const int step = by_blocks ? gridDim.x : gridDim.x * (BLOCK / 32);
    #pragma unroll 1
    for (int k = first; k < count; k += step) {
        const int at = list ? list[k] : k;
        const double *row = square + (long long)at * n;
        Least found;
        if (by_blocks) found = least_of_block(least_of_row(row, sizes, n, t, BLOCK));
        else found = least_of_warp(least_of_row(row, sizes, n, lane, 32));
        if (by_blocks ? t : lane) continue;
        nearest[at] = found.at;
        least[at] = found.value;
        if (found.second <= found.value * NEARLY && found.second < FAR) control[TIED] = 1;
    }
}

// The rows of `sizes` are those before and after a round. A cluster that is merged has its partner
// as `mate`; of two the one that is later in the matrix stays.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
merge_rounds(double *square, int *control, int *sizes, int *nearest, double *least, int *mate,
    int *number, int *todo, Pair *pairs, double *heights, int *members, const int n)
{
    volatile int *const seen = control;
    int target = 0, before = 0;
    #pragma unroll 1
    for (int round = 0; before < n - 1; round ^= 1) {
        const int *old = sizes + (round ? n : 0);
        int *after = sizes + (round ? 0 : n);
        const bool is_first = before == 0;
        find_nearest(square, old, is_first ? nullptr : todo, is_first ? n : seen[STALE + round], n,
            nearest, least, control);
        meet(control, target);
        if (seen[TIED]) return;
        if (blockIdx.x == 0 && threadIdx.x == 0) control[STALE + round] = 0;
        #pragma unroll 1
        for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
            const int size = old[i], near = size > 0 ? nearest[i] : -1;
            const int next = near >= 0 ? nearest[near] : -1;
            const bool is_merged = near >= 0 && next == i, stays = !is_merged || i > near;
            mate[i] = is_merged ? near : -1;
            after[i] = !stays ? 0 : is_merged ? size + old[near] : size;
            if (!stays) {
                const int p = atomicAdd(&control[PAIRS], 1);
                pairs[p] = {i, near, number[i], number[near]};
                heights[p] = least[i];
                members[p] = size + old[near];
                number[near] = n + p;
            }
            else if (next >= 0 && nearest[next] == near)
                todo[atomicAdd(&control[STALE + (round ^ 1)], 1)] = i;
        }
        meet(control, target);
        const int total = seen[PAIRS];
        if (total == before) { // there is no order among the distances
            control[TIED] = 1;
            return;
        }
        const int chunks = (n + CHUNK - 1) / CHUNK;
        const long long items = total < n - 1 ? (long long)(total - before) * chunks : 0;
        #pragma unroll 1
        for (long long item = blockIdx.x; item < items; item += gridDim.x) {
            const int p = before + int(item / chunks), chunk = int(item %% chunks);
            const int x = pairs[p].x, y = pairs[p].y;
            const double xy = heights[p], nx = old[x], ny = old[y];
            const double *of_x = square + (long long)x * n;
            double *of_y = square + (long long)y * n;
            #pragma unroll
            for (int k = 0; k < CHUNK; k += BLOCK) {
                const int i = chunk * CHUNK + k + threadIdx.x;
                const int size = i < n ? old[i] : 0, other = size > 0 ? mate[i] : i;
                // Of two that are merged as well, the one that stays, and once for both pairs.
                if (size == 0 || i == x || i == y || (other >= 0 && (i < other || i < y))) continue;
                double z = joined(of_x[i], of_y[i], xy, nx, ny, size);
                if (other >= 0) {
                    const double nu = old[other];
                    const double u = joined(of_x[other], of_y[other], xy, nx, ny, nu);
                    z = joined(u, z, least[i], nu, size, nx + ny);
                }
                of_y[i] = square[(long long)i * n + y] = z;
            }
        }
        before = total;
        meet(control, target);
    }
}

// Ranks of the merges in order, and whether two heights may be in another one.
extern "C" __global__ void __launch_bounds__(BLOCK)
rank_merges(const double *heights, const long long *order, int *ranks, int *control, const int n)
{
    const int r = blockIdx.x * BLOCK + threadIdx.x;
    if (r >= n - 1) return;
    ranks[order[r]] = r;
    if (r > 0 && heights[order[r]] <= heights[order[r - 1]] * NEARLY) control[TIED] = 1;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
number_merges(const Pair *pairs, const double *heights, const int *members, const long long *order,
    const int *ranks, const int *control, double *tree, const int n)
{
    const int r = blockIdx.x * BLOCK + threadIdx.x;
    if (r >= n - 1 || control[TIED]) return; // not all merges are there
    const int p = order[r];
    const Pair pair = pairs[p];
    const int left = pair.left < n ? pair.left : n + ranks[pair.left - n];
    const int right = pair.right < n ? pair.right : n + ranks[pair.right - n];
    tree[4 * r] = min(left, right);
    tree[4 * r + 1] = max(left, right);
    tree[4 * r + 2] = heights[p];
    tree[4 * r + 3] = members[p];
}
"""


def _spread(condensed: ndarray, square: ndarray, control: ndarray) -> None:
    tiles = -(-square.shape[0] // _SIDE)
    (kernel,) = compiled("single", _SPREAD, "spread_distances", side=_SIDE, rows=_ROWS)
    given = (condensed, square, control, np.int64(square.shape[0]))
    kernel((tiles, tiles), (_SIDE, _ROWS), given)


def _by_rounds(square: ndarray, control: ndarray, method: str) -> ndarray:
    """The tree, unless `control` then says that it depends on the order of merges."""
    count, names = square.shape[0], "merge_rounds rank_merges number_merges"
    merge, rank, put = compiled(method, _ROUNDS, names)
    n, blocks = np.int32(count), (-(-count // BLOCK),)
    pairs, members = zeros((count, 4), np.int32), empty(count, np.int32)
    heights, tree = zeros(count - 1), empty((count - 1, 4))
    sizes, ranks = ones((2, count), np.int32), empty(count, np.int32)
    nearest, mate, todo = empty((3, count), np.int32)
    number, least = arange(count, dtype=np.int32), empty(count)
    state = (sizes, nearest, least, mate, number, todo, pairs, heights, members, n)
    merge(
        (blocks_at_once(count),),
        (BLOCK,),
        (square, control, *state),
        enable_cooperative_groups=True,
    )
    order = argsort(heights, kind="stable")
    rank(blocks, (BLOCK,), (heights, order, ranks, control, n))
    put(blocks, (BLOCK,), (pairs, heights, members, order, ranks, control, tree, n))
    return tree


def merged(condensed: ndarray, count: int, method: str) -> ndarray:
    """The tree of `count` observations. Waits for the device, to know whether distances are finite
    and whether the order of equal ones matters."""
    square, control = empty((count, count)), zeros(CONTROL, np.int32)
    _spread(condensed, square, control)
    if method == "single":
        tree = by_spanning_tree(square, control)
    else:
        tree = (_by_rounds if method in REDUCIBLE else by_minima)(square, control, method)
    is_tied, is_wrong = control[TIED : WRONG + 1].get()
    if is_wrong:
        raise ValueError("The condensed distance matrix must contain only finite values.")
    if not is_tied:
        return tree
    control.fill(0)
    if method != "single":  # whose rounds change no distances
        _spread(condensed, square, control)
    return merged_in_order(square, control, method)
