"""Merges of clusters, the nearest first, all of them on the device.

Except by centroids and by midpoints, a cluster that two others make is no nearer to a third one
than the nearer of the two was. So any two clusters that are nearest to each other are merged at
some time, whatever else is merged before: `merge_rounds` merges all such pairs at once, in rounds,
of which a tree of random points takes about two for each halving of the number of clusters. Merges
are then sorted by distance and numbered.

Where distances are equal, or nearly so that roundings decide, the tree depends on the order of
merges. Such distances are made again, one merge after another in SciPy's order: by the nearest
unvisited observation for 'single' (R. C. Prim, "Shortest connection networks and some
generalizations", 1957), by chains of nearest clusters for the others (D. Müllner, "Modern
hierarchical, agglomerative clustering algorithms", 2011, 3.1 and 3.2). 'centroid' and 'median'
always are, with a heap of the distances of nearest clusters (3.3).
"""

import functools
from typing import Any

import numpy as np

from ..._core.fromnumeric import argsort
from ..._core.multiarray import arange, empty, ndarray, zeros
from ..._core.numeric import full, ones
from ..._core.raw import RawModule
from .._limits import multiprocessors, shared_bytes

__all__ = ["METHODS", "merged"]

# The distance of a cluster of nz members from those that one of nx and one of ny make, which are
# `xy` apart. Operations are those of SciPy, in its order and without fused ones.
_RULES = {
    "single": "x < y ? x : y",
    "complete": "x > y ? x : y",
    "average": "(nx * x + ny * y) / (nx + ny)",
    "weighted": "0.5 * (x + y)",
    "ward": """sqrt((nz + nx) * (1 / (nx + ny + nz)) * x * x
                  + (nz + ny) * (1 / (nx + ny + nz)) * y * y
                  - nz * (1 / (nx + ny + nz)) * xy * xy)""",
    "centroid": "sqrt((nx * x * x + ny * y * y - nx * ny * xy * xy / (nx + ny)) / (nx + ny))",
    "median": "sqrt(0.5 * (x * x + y * y) - 0.25 * xy * xy)",
}
METHODS = tuple(_RULES)
_REDUCIBLE = ("single", "complete", "average", "weighted", "ward")

_ROWS = 8  # of threads that spread a tile
_SIDE = 32  # of a tile
_BLOCK = 256
_WIDE = 1024  # threads of the block that merges one after another
_FEWEST = 8  # clusters for a block
_CHAIN_BYTES, _HEAP_BYTES = 8, 38  # of a cluster, besides its distances
_OTHER_BYTES = 4096  # of shared memory, more than what the kernel has besides
_CONTROL = 8  # numbers of it
_TIED, _WRONG = 4, 5  # the numbers of it that the host reads

_HEAD = """
enum { SIDE = %(side)s, ROWS = %(rows)s, BLOCK = %(block)s, WIDE = %(wide)s };
enum { MET, PAIRS, STALE, TIED = STALE + 2, WRONG }; // numbers of control
#define FAR __longlong_as_double(0x7ff0000000000000ll)

// The distance of a cluster from one that is made of two.
__device__ __forceinline__ double
joined(const double x, const double y, const double xy, const double nx, const double ny,
    const double nz)
{
    return %(rule)s;
}

struct Least {
    double value, second;
    int at;
};

__device__ __forceinline__ void take(Least &least, const double value, const int at)
{
    if (value < least.value) least = {value, least.value, at};
    else least.second = fmin(least.second, value);
}

// Of equal ones the first is taken, as of a loop.
__device__ __forceinline__ Least least_of_warp(Least least)
{
    #pragma unroll
    for (int d = 16; d; d /= 2) {
        const double value = __shfl_xor_sync(0xffffffffu, least.value, d);
        const double second = __shfl_xor_sync(0xffffffffu, least.second, d);
        const int at = __shfl_xor_sync(0xffffffffu, least.at, d);
        if (value < least.value || (value == least.value && at < least.at))
            least = {value, fmin(least.value, second), at};
        else least.second = fmin(least.second, value);
    }
    return least;
}

template <int THREADS> __device__ __forceinline__ Least least_of_block(Least least)
{
    __shared__ Least of[THREADS / 32];
    least = least_of_warp(least);
    __syncthreads(); // all have read those of the call before
    if (threadIdx.x %% 32 == 0) of[threadIdx.x / 32] = least;
    __syncthreads();
    const int w = threadIdx.x %% 32;
    least = {FAR, FAR, -1};
    if (w < THREADS / 32) least = of[w];
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
"""

_ROUNDS = """
enum { CHUNK = 4 * BLOCK };
#define NEARLY (1 + 1.0 / (1ll << 44)) // more than roundings of any order of merges make

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

struct Pair {
    int x, y, left, right; // the clusters' places in the matrix, and their numbers
};

// All blocks run at the same time and wait here for each other.
__device__ __forceinline__ void meet(int *control, int &target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        target += gridDim.x;
        __threadfence();
        atomicAdd(&control[MET], 1);
        #pragma unroll 1
        while (*(volatile int *)&control[MET] - target < 0) {}
        __threadfence();
    }
    __syncthreads();
}

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
        if (by_blocks) found = least_of_block<BLOCK>(least_of_row(row, sizes, n, t, BLOCK));
        else found = least_of_warp(least_of_row(row, sizes, n, lane, 32));
        if (by_blocks ? t : lane) continue;
        nearest[at] = found.at;
        least[at] = found.value;
        if (found.second <= found.value * NEARLY && found.second < FAR) control[TIED] = 1;
    }
}

// The rows of `sizes` are those before and after a round. A cluster that is merged has its partner
// as `mate`; of two the one that is later in the matrix stays.
extern "C" __global__ void __launch_bounds__(BLOCK)
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

_ORDERED = """
// A number whose order is that of distances.
__device__ __forceinline__ unsigned long long key_of(const double x)
{
    const long long bits = __double_as_longlong(x + 0.0); // zero without a sign
    return bits ^ (bits >> 63 | 1ull << 63);
}

__device__ __forceinline__ unsigned least_word(unsigned x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xffffffffu, x);
#else
    #pragma unroll
    for (int d = 16; d; d /= 2) x = min(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
#endif
}

// The least of a warp by its words, one after the other; of equal ones the first.
__device__ __forceinline__ unsigned long long least_key(unsigned long long key, unsigned &at)
{
    const unsigned high = least_word(unsigned(key >> 32));
    const bool is_high = key >> 32 == high;
    const unsigned low = least_word(is_high ? unsigned(key) : 0xffffffffu);
    const bool is_least = is_high && unsigned(key) == low;
    at = least_word(is_least ? at : 0xffffffffu);
    return (unsigned long long)high << 32 | low;
}

// What is found by all threads; -1 where no distance is less than infinity.
__device__ __forceinline__ int least_of_all(const Least &mine)
{
    __shared__ unsigned long long keys[32];
    __shared__ unsigned places[32];
    static_assert(WIDE == 32 * 32);
    unsigned at = mine.at;
    unsigned long long key = least_key(key_of(mine.value), at);
    __syncthreads(); // all have read those of the call before
    if (threadIdx.x %% 32 == 0) {
        keys[threadIdx.x / 32] = key;
        places[threadIdx.x / 32] = at;
    }
    __syncthreads();
    at = places[threadIdx.x %% 32];
    least_key(keys[threadIdx.x %% 32], at);
    return at;
}

// From the observation visited last to the nearest one that is not visited. `least` are distances
// from those visited, NaN of these themselves.
extern "C" __global__ void __launch_bounds__(WIDE)
merge_by_visits(const double *square, double *least, int2 *pairs, double *heights, const int n)
{
    const int t = threadIdx.x;
    int x = 0;
    #pragma unroll 1
    for (int k = 0; k < n - 1; k++) {
        const double *row = square + (long long)x * n;
        Least found = {FAR, FAR, -1};
        #pragma unroll 4
        for (int i = t; i < n; i += WIDE) {
            const double known = least[i], now = row[i];
            const double value = i == x ? nan("") : known > now ? now : known;
            least[i] = value;
            take(found, value, i);
        }
        const int y = least_of_all(found);
        if (found.at == y && y >= 0) {
            pairs[k] = make_int2(x, y);
            heights[k] = found.value;
        }
        x = max(y, 0);
    }
}

// From a cluster to the one nearest to it, and on, until two are nearest to each other.
extern "C" __global__ void __launch_bounds__(WIDE)
merge_by_chains(double *square, char *outside, int2 *pairs, double *heights, const int n)
{
    extern __shared__ double shared[];
    char *const memory = outside ? outside : (char *)shared;
    int *const sizes = (int *)memory, *const chain = sizes + n;
    const int t = threadIdx.x;
    int length = 0, start = 0, y = 0;
    #pragma unroll 4
    for (int i = t; i < n; i += WIDE) sizes[i] = 1;
    __syncthreads();
    #pragma unroll 1
    for (int k = 0; k < n - 1; k++) {
        const bool chain_is_kept = length > 0;
        if (!chain_is_kept) {
            #pragma unroll 1
            while (start < n - 1 && sizes[start] == 0) start++;
            length = 1;
        }
        int x = chain_is_kept ? chain[length - 1] : start;
        int last = length > 1 ? chain[length - 2] : -1;
        double least;
        #pragma unroll 1
        while (true) {
            const double *row = square + (long long)x * n;
            least = FAR;
            if (last >= 0) { // preferred among equally near ones
                y = last;
                least = row[y];
            }
            const int found = least_of_all(least_of_row(row, sizes, n, t, WIDE));
            if (found >= 0 && found != last && row[found] < least) {
                least = row[found];
                y = found;
            }
            if (y == last || length == n) break;
            if (t == 0) {
                chain[length - 1] = x;
                chain[length] = y;
            }
            length++;
            last = x;
            x = y;
        }
        length = max(length - 2, 0);
        if (x > y) {
            const int both = x;
            x = y;
            y = both;
        }
        const int nx = sizes[x], ny = sizes[y];
        __syncthreads();
        if (t == 0) {
            pairs[k] = make_int2(x, y);
            heights[k] = least;
            sizes[x] = 0;
            sizes[y] = nx + ny;
        }
        const double *of_x = square + (long long)x * n;
        double *of_y = square + (long long)y * n;
        #pragma unroll 4
        for (int i = t; i < n; i += WIDE) {
            const double from_x = of_x[i], from_y = of_y[i];
            const int size = i == x || i == y ? 0 : sizes[i];
            if (size == 0) continue;
            of_y[i] = square[(long long)i * n + y] = joined(from_x, from_y, least, nx, ny, size);
        }
        __syncthreads();
    }
}

// A heap of keys, the one of the least value on top.
struct Heap {
    double *values;
    int *keys, *places, size; // of places keys, of keys places

    __device__ __forceinline__ void put(const int place, const double value, const int key)
    {
        values[place] = value;
        keys[place] = key;
        places[key] = place;
    }
    __device__ void up(int place, const double value, const int key)
    {
        #pragma unroll 1
        while (place > 0) {
            const int parent = (place - 1) / 2;
            const double above = values[parent];
            if (!(above > value)) break;
            put(place, above, keys[parent]);
            place = parent;
        }
        put(place, value, key);
    }
    __device__ void down(int place, const double value, const int key)
    {
        #pragma unroll 1
        while (2 * place + 1 < size) {
            int child = 2 * place + 1;
            double below = values[child];
            if (child + 1 < size) {
                const double other = values[child + 1];
                if (other < below) {
                    below = other;
                    child++;
                }
            }
            if (!(value > below)) break;
            put(place, below, keys[child]);
            place = child;
        }
        put(place, value, key);
    }
    __device__ void change(const int key, const double value)
    {
        const int place = places[key];
        if (value < values[place]) up(place, value, key);
        else down(place, value, key);
    }
    __device__ void drop()
    {
        const double value = values[size - 1];
        const int last = keys[size - 1];
        size--;
        if (size > 0 && last != keys[0]) down(0, value, last);
    }
};

// Of each cluster the nearest later one is known, or one that was, at a distance that is not above
// that of the nearest: `is_stale` says where it is not that of the one known. The least of these
// distances is looked for again until it is true.
extern "C" __global__ void __launch_bounds__(WIDE)
merge_by_heap(double *square, char *outside, double *tree, const int n)
{
    extern __shared__ double shared[];
    double *const values = outside ? (double *)outside : shared, *const least = values + n;
    int *const keys = (int *)(least + n), *const nearest = keys + 2 * n, *const sizes = nearest + n;
    int *const number = sizes + n;
    unsigned *const nearer = (unsigned *)(number + n);
    bool *const is_stale = (bool *)(nearer + (n + 31) / 32);
    Heap heap = {values, keys, keys + n, n - 1};
    const int t = threadIdx.x, lane = t %% 32, warp = t / 32;
    #pragma unroll 4
    for (int i = t; i < n; i += WIDE) {
        sizes[i] = 1;
        number[i] = i;
        is_stale[i] = false;
    }
    __syncthreads();
    #pragma unroll 1
    for (int x = warp; x < n - 1; x += WIDE / 32) {
        const double *row = square + (long long)x * n;
        const Least found = least_of_warp(least_of_row(row, sizes, n, x + 1 + lane, 32));
        if (lane == 0) {
            nearest[x] = found.at;
            least[x] = found.value;
            heap.put(x, found.value, x);
        }
    }
    __syncthreads();
    if (t == 0) {
        #pragma unroll 1
        for (int i = (n - 1) / 2 - 1; i >= 0; i--) heap.down(i, heap.values[i], heap.keys[i]);
    }
    #pragma unroll 1
    for (int k = 0; k < n - 1; k++) {
        int x, y;
        double xy;
        #pragma unroll 1
        for (int tries = n - k; tries; tries--) {
            __syncthreads();
            x = heap.keys[0];
            xy = heap.values[0];
            y = nearest[x];
            if (y >= 0 && !is_stale[x]) break;
            const double *row = square + (long long)x * n;
            y = least_of_all(least_of_row(row, sizes, n, x + 1 + t, WIDE));
            xy = y >= 0 ? row[y] : FAR;
            if (t == 0) {
                nearest[x] = y;
                least[x] = xy;
                is_stale[x] = false;
                heap.change(x, xy);
            }
        }
        y = y < 0 ? n - 1 : y; // no distance is a number
        const int nx = sizes[x], ny = sizes[y];
        __syncthreads();
        if (t == 0) {
            heap.drop();
            const int left = number[x], right = number[y];
            tree[4 * k] = min(left, right);
            tree[4 * k + 1] = max(left, right);
            tree[4 * k + 2] = xy;
            tree[4 * k + 3] = nx + ny;
            sizes[x] = 0;
            sizes[y] = nx + ny;
            number[y] = n + k;
        }
        const double *of_x = square + (long long)x * n;
        double *of_y = square + (long long)y * n;
        Least found = {FAR, FAR, -1};
        #pragma unroll 2
        for (int first = 0; first < n; first += WIDE) {
            const int i = first + t;
            const double from_x = i < n ? of_x[i] : FAR, from_y = i < n ? of_y[i] : FAR;
            const int size = i < n && i != x && i != y ? sizes[i] : 0;
            bool is_nearer = false;
            if (size > 0) {
                const double z = joined(from_x, from_y, xy, nx, ny, size);
                of_y[i] = square[(long long)i * n + y] = z;
                if (i > y) take(found, z, i);
                is_nearer = i < y && z < least[i];
                if (is_nearer) least[i] = z;
                if (is_nearer || (i < y && (nearest[i] == x || nearest[i] == y))) {
                    nearest[i] = y;
                    is_stale[i] = !(z == least[i]);
                }
            }
            const unsigned of_warp = __ballot_sync(0xffffffffu, is_nearer);
            if (lane == 0 && i < n) nearer[i / 32] = of_warp;
        }
        const int next = least_of_all(found);
        if (warp == 0) { // as the order of changes matters to equal values
            #pragma unroll 1
            for (int first = 0; first < y; first += 1024) {
                const unsigned mine = first + lane * 32 < y ? nearer[first / 32 + lane] : 0;
                unsigned words = __ballot_sync(0xffffffffu, mine != 0);
                #pragma unroll 1
                for (; words; words &= words - 1) {
                    const int word = __ffs(words) - 1;
                    unsigned bits = __shfl_sync(0xffffffffu, mine, word);
                    #pragma unroll 1
                    for (; lane == 0 && bits; bits &= bits - 1) {
                        const int z = first + word * 32 + __ffs(bits) - 1;
                        heap.change(z, least[z]);
                    }
                    __syncwarp();
                }
            }
        }
        if (t == 0 && y < n - 1 && next >= 0) {
            nearest[y] = next;
            least[y] = of_y[next];
            is_stale[y] = false;
            heap.change(y, least[y]);
        }
    }
}

// The topmost cluster that a place belongs to; paths there are made shorter.
__device__ __forceinline__ int root_of(int *parents, int x)
{
    #pragma unroll 1
    while (true) {
        const int parent = parents[x];
        if (parent == x) return x;
        const int next = parents[parent];
        parents[x] = next;
        x = next;
    }
}

// Numbers merges of places in the order of their heights.
extern "C" __global__ void
number_in_order(const int2 *pairs, const double *heights, const long long *order, int *parents,
    int *members, double *tree, const int n)
{
    #pragma unroll 1
    for (int r = 0; r < n - 1; r++) {
        const int p = order[r], left = root_of(parents, pairs[p].x);
        const int right = root_of(parents, pairs[p].y), both = members[left] + members[right];
        tree[4 * r] = min(left, right);
        tree[4 * r + 1] = max(left, right);
        tree[4 * r + 2] = heights[p];
        tree[4 * r + 3] = both;
        parents[left] = parents[right] = n + r;
        members[n + r] = both;
    }
}
"""


_IN_ROUNDS = ("spread_distances", "merge_rounds", "rank_merges", "number_merges")
_IN_ORDER = ("merge_by_visits", "merge_by_chains", "merge_by_heap", "number_in_order")


@functools.cache
def _kernels(method: str, names: tuple[str, ...]) -> list:
    words = {"rule": _RULES[method], "block": _BLOCK, "wide": _WIDE, "side": _SIDE, "rows": _ROWS}
    source = _HEAD + (_ROUNDS if names is _IN_ROUNDS else _ORDERED)
    module = RawModule(code=source % words, options=("--fmad=false",))
    return [module.get_function(name) for name in names]


def _spread(condensed: ndarray, square: ndarray, control: ndarray) -> None:
    tiles = -(-square.shape[0] // _SIDE)
    kernel = _kernels("single", _IN_ROUNDS)[0]
    given = (condensed, square, control, np.int64(square.shape[0]))
    kernel((tiles, tiles), (_SIDE, _ROWS), given)


def _by_rounds(square: ndarray, control: ndarray, method: str) -> ndarray:
    """The tree, unless `control` then says that it depends on the order of merges."""
    count, (_, merge, rank, put) = square.shape[0], _kernels(method, _IN_ROUNDS)
    n, blocks = np.int32(count), (-(-count // _BLOCK),)
    pairs, members = zeros((count, 4), np.int32), empty(count, np.int32)
    heights, tree = zeros(count - 1), empty((count - 1, 4))
    sizes, ranks = ones((2, count), np.int32), empty(count, np.int32)
    nearest, mate, todo = empty((3, count), np.int32)
    number, least = arange(count, dtype=np.int32), empty(count)
    state = (sizes, nearest, least, mate, number, todo, pairs, heights, members, n)
    grid = min(multiprocessors(), -(-count // _FEWEST))
    merge((grid,), (_BLOCK,), (square, control, *state), enable_cooperative_groups=True)
    order = argsort(heights, kind="stable")
    rank(blocks, (_BLOCK,), (heights, order, ranks, control, n))
    put(blocks, (_BLOCK,), (pairs, heights, members, order, ranks, control, tree, n))
    return tree


def _in_shared(kernel: Any, size: int) -> tuple[Any, int]:
    """Memory for so many bytes outside of shared memory, and how many are to be there."""
    if size > shared_bytes() - _OTHER_BYTES:
        return empty(size, np.uint8), 0
    kernel.max_dynamic_shared_size_bytes = size
    return np.uint64(0), size


def _in_order(square: ndarray, method: str) -> ndarray:
    """The tree by merges one after another, in the order of SciPy."""
    count, (visit, chain, heap, put) = square.shape[0], _kernels(method, _IN_ORDER)
    n, tree = np.int32(count), empty((count - 1, 4))
    if method not in _REDUCIBLE:
        outside, shared = _in_shared(heap, _HEAP_BYTES * count + 8)
        heap((1,), (_WIDE,), (square, outside, tree, n), shared_mem=shared)
        return tree
    pairs, heights = empty((count - 1, 2), np.int32), empty(count - 1)
    if method == "single":
        visit((1,), (_WIDE,), (square, full(count, np.inf), pairs, heights, n))
    else:
        outside, shared = _in_shared(chain, _CHAIN_BYTES * (count + 1))
        chain((1,), (_WIDE,), (square, outside, pairs, heights, n), shared_mem=shared)
    order = argsort(heights, kind="stable")
    parents, members = arange(2 * count, dtype=np.int32), ones(2 * count, np.int32)
    put((1,), (1,), (pairs, heights, order, parents, members, tree, n))
    return tree


def merged(condensed: ndarray, count: int, method: str) -> ndarray:
    """The tree of so many observations. Waits for the device, to know whether distances are finite
    and which kernels have to merge."""
    square, control = empty((count, count)), zeros(_CONTROL, np.int32)
    _spread(condensed, square, control)
    tree = _by_rounds(square, control, method) if method in _REDUCIBLE else None
    is_tied, is_wrong = control[_TIED : _WRONG + 1].get()
    if is_wrong:
        raise ValueError("The condensed distance matrix must contain only finite values.")
    if tree is not None and not is_tied:
        return tree
    if tree is not None:
        _spread(condensed, square, control)
    return _in_order(square, method)
