"""Merges of clusters one after another, in the order of SciPy, whose trees the results equal.

By the nearest unvisited observation for 'single' (R. C. Prim, "Shortest connection networks and
some generalizations", 1957), by chains of nearest clusters for methods whose merges bring no
cluster nearer (D. Müllner, "Modern hierarchical, agglomerative clustering algorithms", 2011, 3.1
and 3.2), and by the least of the distances of nearest clusters for 'centroid' and 'median' (3.3),
of equal ones by SciPy's heap.

A merge depends on the one before, so that what counts is how long one takes. It is a step of a
thread block cluster: rows of the matrix are in the L2 cache, each thread has some of their columns,
and blocks write the least that their warps found into each other's shared memory.
"""

from typing import Any

import numpy as np

from ..._core.fromnumeric import argsort
from ..._core.multiarray import arange, empty, ndarray
from .._limits import has_clusters, shared_bytes
from ._merge_kernels import REDUCIBLE, compiled

__all__ = ["by_minima", "merged_in_order", "numbered"]

BLOCKS, EACH = 8, 256  # blocks of a thread block cluster, and threads of each
_NUMBERING = 1024  # threads of the block that numbers merges
_CHAIN_BYTES, _MINIMA_BYTES, _HEAP_BYTES = 32, 16, 37  # of a cluster, besides its distances
_OTHER_BYTES = 8192  # of shared memory, more than what the kernels have besides

_CLUSTER = """
enum { BLOCKS = %(blocks)s, EACH = %(each)s, WARPS = EACH / 32, STEP = BLOCKS * EACH };
#if %(blocks)s > 1
#define ONE_CLUSTER __cluster_dims__(BLOCKS)
#else
#define ONE_CLUSTER
#endif

__device__ __forceinline__ void arrive()
{
#if %(blocks)s > 1
    asm volatile("barrier.cluster.arrive;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_all()
{
#if %(blocks)s > 1
    asm volatile("barrier.cluster.wait;" ::: "memory");
#else
    __syncthreads();
#endif
}

// The same place of shared memory in another block of the cluster.
template <typename T> __device__ __forceinline__ T *in_block(T *here, const int block)
{
#if %(blocks)s > 1
    unsigned long long there;
    asm("mapa.u64 %%0, %%1, %%2;" : "=l"(there) : "l"(here), "r"(block));
    return (T *)there;
#else
    return here;
#endif
}

// What is known of a cluster. `nearest` is ~y where y is no longer the nearest one, or not at
// `least`, which then is not above the distance of the nearest.
struct __align__(16) Known {
    double least;
    int nearest, size;
};

// Every block has all that is known, in its shared memory or, of too many clusters, outside of it.
// Blocks write into each other's between `wait_for_all` of a step and the next `arrive`.
struct Copies {
    char *outside, *inside;
    long long bytes;

    __device__ __forceinline__ Known *of(const int block) const
    {
        return (Known *)(outside ? outside + block * bytes : in_block(inside, block));
    }
    __device__ __forceinline__ void tell(const int i, const double least, const int nearest) const
    {
        #pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
            Known *known = of(b) + i;
            known->least = least;
            known->nearest = nearest;
        }
    }
    // Of each cluster the nearest one, or the nearest later one.
    __device__ __forceinline__ void
    start(const double *square, const int n, const bool only_later) const
    {
        const int lane = threadIdx.x %% 32;
        arrive();
        wait_for_all(); // all blocks have started
        #pragma unroll 1
        for (int x = threadIdx.x < EACH ? blockIdx.x * WARPS + threadIdx.x / 32 : n; x < n;
            x += BLOCKS * WARPS) {
            const double *row = square + (long long)x * n;
            Least found = {FAR, FAR, -1};
            #pragma unroll 8
            for (int i = (only_later ? x + 1 : 0) + lane; i < n; i += 32) take(found, row[i], i);
            found = least_of_warp(found);
            if (lane < BLOCKS) of(lane)[x] = {found.value, found.at, 1};
        }
        arrive();
        wait_for_all();
    }
};

// The least of a warp of some block, and whether something is true of a thread there.
struct __align__(16) Note {
    unsigned long long key;
    unsigned at, is_true;
};

__device__ __forceinline__ void
note(Note *notes, const Least &mine, const bool is_true = false)
{
    unsigned at = mine.at;
    const unsigned long long key = least_key(key_of(mine.value), at);
    const unsigned any = __any_sync(0xffffffffu, is_true);
    const int lane = threadIdx.x %% 32;
    if (lane < BLOCKS && threadIdx.x < EACH)
        in_block(notes, lane)[blockIdx.x * WARPS + threadIdx.x / 32] = {key, at, any};
}

// The least of all; of equal ones the first, and -1 where no value is less than infinity.
__device__ __forceinline__ Least read_notes(const Note *notes, bool &is_true)
{
    const int lane = threadIdx.x %% 32;
    Note mine = {~0ull, ~0u, 0};
    #pragma unroll
    for (int k = lane; k < BLOCKS * WARPS; k += 32) {
        const Note other = notes[k];
        const bool is_before =
            other.key < mine.key || (other.key == mine.key && other.at < mine.at);
        const unsigned any = mine.is_true | other.is_true;
        if (is_before) mine = other;
        mine.is_true = any;
    }
    is_true = __any_sync(0xffffffffu, mine.is_true);
    const unsigned long long key = least_key(mine.key, mine.at);
    const long long bits = key >> 63 ? key ^ 1ull << 63 : ~key;
    return {__longlong_as_double(bits), FAR, (int)mine.at};
}
"""

_VISITS = """
// From the observation visited last to the nearest one that is not visited. `least` are distances
// from those visited, NaN of these themselves.
extern "C" __global__ void ONE_CLUSTER __launch_bounds__(EACH)
merge_by_visits(const double *square, char *outside, const long long bytes, int2 *pairs,
    double *heights, const int n)
{
    extern __shared__ double shared[];
    __shared__ Note notes[2][BLOCKS * WARPS]; // a block may be a step behind
    double *const least = outside ? (double *)(outside + blockIdx.x * bytes) : shared;
    const int t = threadIdx.x, own = blockIdx.x * EACH + t;
    int x = 0;
    bool unused;
    #pragma unroll 4
    for (int slot = t; slot < bytes / (int)sizeof(double); slot += EACH) least[slot] = FAR;
    arrive();
    wait_for_all(); // all blocks have started
    #pragma unroll 1
    for (int k = 0; k < n - 1; k++) {
        const double *row = square + (long long)x * n;
        Least found = {FAR, FAR, -1};
        int slot = t;
        #pragma unroll 4
        for (int i = own; i < n; i += STEP, slot += EACH) {
            const double known = least[slot], now = row[i];
            const double value = i == x ? nan("") : known > now ? now : known;
            least[slot] = value;
            take(found, value, i);
        }
        note(notes[k %% 2], found);
        arrive();
        wait_for_all();
        found = read_notes(notes[k %% 2], unused);
        const int y = max(found.at, 0); // or no distance is a number
        if (own == 0) {
            pairs[k] = make_int2(x, y);
            heights[k] = found.value;
        }
        x = y;
    }
}
"""

_CHAINS = """
struct __align__(16) Link {
    double value; // the distance of the next one of the chain
    int at;
};

__device__ __forceinline__ void take_first(Least &least, const double value, const int at)
{
    if (value < least.value || (value == least.value && at < least.at)) least = {value, FAR, at};
}

// From a cluster to the one nearest to it, and on, until two are nearest to each other. What was
// found to be nearest stays known as long as it is.
extern "C" __global__ void ONE_CLUSTER __launch_bounds__(EACH)
merge_by_chains(double *square, char *outside, const long long bytes, int2 *pairs,
    double *heights, const int n)
{
    extern __shared__ double shared[];
    __shared__ Note notes[2][BLOCKS * WARPS];
    const Copies copies = {outside, (char *)shared, bytes};
    Known *const known = copies.of(blockIdx.x);
    Link *const chain = (Link *)(known + n);
    const int t = threadIdx.x, own = blockIdx.x * EACH + t;
    int length = 0, start = 0, top = -1, last = -1; // the last two of the chain
    double to_last = 0;
    bool unused;
    copies.start(square, n, false);
    #pragma unroll 1
    for (int k = 0; k < n - 1; k++) {
        if (length == 0) {
            #pragma unroll 1
            while (start < n - 1 && known[start].size == 0) start++;
        }
        int x = length > 0 ? top : start, y;
        double xy;
        length = max(length, 1);
        #pragma unroll 1
        while (true) {
            y = known[x].nearest;
            xy = known[x].least;
            if (y < 0) {
                const double *row = square + (long long)x * n;
                Least found = {FAR, FAR, -1};
                arrive();
                #pragma unroll 4
                for (int i = own; i < n; i += STEP) {
                    const double value = row[i];
                    if (known[i].size > 0) take(found, value, i);
                }
                wait_for_all();
                note(notes[0], found);
                arrive();
                wait_for_all();
                found = read_notes(notes[0], unused);
                y = found.at;
                xy = found.value;
                if (t == 0) {
                    known[x].nearest = y;
                    known[x].least = xy;
                }
                __syncthreads();
            }
            if (last >= 0 && !(xy < to_last)) { // preferred among equally near ones
                y = last;
                xy = to_last;
            }
            y = y < 0 ? n - 1 : y; // no distance is a number
            if (y == last || length == n) break;
            if (t == 0) chain[length - 1] = {xy, x};
            length++;
            last = x;
            to_last = xy;
            x = y;
        }
        length = max(length - 2, 0);
        if (x > y) {
            const int both = x;
            x = y;
            y = both;
        }
        __syncthreads(); // the chain is written
        top = length > 0 ? chain[length - 1].at : -1;
        last = length > 1 ? chain[length - 2].at : -1;
        to_last = length > 1 ? chain[length - 2].value : 0;
        const int nx = known[x].size, ny = known[y].size;
        const double *of_x = square + (long long)x * n;
        const double *of_top = square + (long long)max(top, 0) * n;
        double *of_y = square + (long long)y * n;
        Least near_y = {FAR, FAR, -1}, near_top = near_y;
        arrive();
        #pragma unroll 1
        for (int first = 0; first < n; first += STEP) {
            const int i = first + own;
            const Known old = i < n ? known[i] : Known{FAR, -1, 0};
            const bool is_other = old.size > 0 && i != x && i != y;
            double z = 0, from_top = 0;
            if (is_other) {
                from_top = of_top[i];
                z = joined(of_x[i], of_y[i], xy, nx, ny, old.size);
            }
            if (first == 0) wait_for_all();
            if (!is_other) continue;
            of_y[i] = square[(long long)i * n + y] = z;
            take(near_y, z, i);
            // The topmost of the chain has lost what was nearest to it.
            take_first(near_top, i == top ? z : from_top, i == top ? y : i);
            if (i == top) continue;
            const bool is_nearest = z < old.least || (z == old.least && y < old.nearest);
            const bool is_lost = old.nearest == x || (old.nearest == y && z != old.least);
            if (is_nearest || is_lost)
                copies.tell(i, is_nearest ? z : old.least, is_nearest ? y : ~old.nearest);
        }
        note(notes[0], near_y);
        note(notes[1], near_top);
        arrive();
        wait_for_all();
        near_y = read_notes(notes[0], unused);
        near_top = read_notes(notes[1], unused);
        if (t == 0) {
            known[x].size = 0;
            known[y] = {near_y.value, near_y.at, nx + ny};
            if (top >= 0) {
                known[top].least = near_top.value;
                known[top].nearest = near_top.at;
            }
            if (blockIdx.x == 0) {
                pairs[k] = make_int2(x, y);
                heights[k] = xy;
            }
        }
        __syncthreads();
    }
}
"""

_MINIMA = """
enum { BY_HEAP = %(by_heap)s };

// A heap of keys, the one of the least value on top, which a warp changes. Places along a path are
// read at once and move at once; the order that results is that of one move after another.
struct Heap {
    struct __align__(16) Entry {
        double value;
        long long key; // as wide, so that all bytes are written
    } *entries;
    int *places, size; // of keys

    __device__ __forceinline__ void put(const int place, const Entry entry)
    {
        entries[place] = entry;
        places[entry.key] = place;
    }
    // The lanes have the nodes above a place.
    __device__ void up(const int place, const Entry entry)
    {
        const int lane = threadIdx.x %% 32, count = 31 - __clz(place + 1);
        const Entry above = entries[lane < count ? ((place + 1) >> (lane + 1)) - 1 : 0];
        const bool is_greater = lane < count && above.value > entry.value;
        const int moved = __ffs(~__ballot_sync(0xffffffffu, is_greater)) - 1;
        __syncwarp(); // all have read
        if (lane < moved) put(((place + 1) >> lane) - 1, above);
        if (lane == 0) put(((place + 1) >> moved) - 1, entry);
        __syncwarp();
    }
    // The lanes have the nodes below a place to four levels, numbered as those of a heap from 1.
    __device__ void down(int place, const Entry entry)
    {
        const int lane = threadIdx.x %% 32, level = 31 - __clz(lane | 1);
        unsigned way = 0; // to this lane's node
        #pragma unroll
        for (int d = 0; d < 4; d++) way |= lane >> d > 1 ? 1u << (lane >> d) : 0;
        #pragma unroll 1
        while (true) {
            const int node = (place << level) + lane - 1;
            const bool is_in = lane > 1 && node < size;
            const Entry its = is_in ? entries[node] : Entry{FAR, 0};
            const double other = __shfl_xor_sync(0xffffffffu, its.value, 1);
            // Of two children the left one unless the right one is less.
            const bool is_chosen = lane %% 2 ? its.value < other : !(other < its.value);
            const bool is_less = is_in && is_chosen && entry.value > its.value;
            const unsigned chosen = __ballot_sync(0xffffffffu, is_less);
            const bool moves = lane > 1 && (chosen & way) == way;
            const unsigned path = __ballot_sync(0xffffffffu, moves);
            __syncwarp(); // all have read
            if (moves) put((node - 1) / 2, its);
            if (path == 0) break;
            const int end = 31 - __clz(path);
            place = __shfl_sync(0xffffffffu, node, end);
            __syncwarp();
            if (end < 16) break;
        }
        if (lane == 0) put(place, entry);
        __syncwarp();
    }
    __device__ void change(const int key, const double value)
    {
        const int place = places[key];
        if (value < entries[place].value) up(place, {value, key});
        else down(place, {value, key});
    }
    __device__ void drop()
    {
        const Entry last = entries[--size];
        if (size > 0) down(0, last);
    }
    // In order, which matters to equal values.
    __device__ void change_all(const unsigned *chosen, const int n, const Known *known)
    {
        const int lane = threadIdx.x %% 32;
        #pragma unroll 1
        for (int first = 0; first < n; first += 1024) {
            const unsigned mine = first + lane * 32 < n ? chosen[first / 32 + lane] : 0;
            unsigned words = __ballot_sync(0xffffffffu, mine != 0);
            #pragma unroll 1
            for (; words; words &= words - 1) {
                const int word = __ffs(words) - 1;
                unsigned bits = __shfl_sync(0xffffffffu, mine, word);
                #pragma unroll 1
                for (; bits; bits &= bits - 1) {
                    const int key = first + word * 32 + __ffs(bits) - 1;
                    change(key, known[key].least);
                }
            }
        }
    }
};

// Merges the pair of the least distance, of each cluster the nearest later one being known. Where
// two distances are the least, the order is that of a heap, which a warp more of the first block
// has; without a heap, nothing is merged any more then.
extern "C" __global__ void ONE_CLUSTER __launch_bounds__(EACH + 32 * BY_HEAP)
merge_by_minima(double *square, char *outside, const long long bytes, int *number, int *control,
    double *tree, const int n)
{
    extern __shared__ double shared[];
    __shared__ Note notes[2][BLOCKS * WARPS];
    __shared__ int next;
    const Copies copies = {outside, (char *)shared, bytes};
    Known *const known = copies.of(blockIdx.x);
    const int t = threadIdx.x, own = t < EACH ? blockIdx.x * EACH + t : n;
    const bool has_heap = BY_HEAP && blockIdx.x == 0 && t >= EACH;
    unsigned *const nearer = (unsigned *)(copies.of(0) + n);
    Heap heap = {(Heap::Entry *)(known + n) + (n + 127) / 128, nullptr, n - 1};
    heap.places = (int *)(heap.entries + n);
    int merges = 0, row = n - 1; // a row that was looked through, and its least
    Least of_row = {FAR, FAR, -1}, rest = of_row;
    bool is_tied = false, is_merged = false, unused;
    copies.start(square, n, true);
    #pragma unroll 4
    for (int i = own; i < n - 1; i += STEP) take(rest, known[i].least, i);
    if (has_heap) {
        #pragma unroll 4
        for (int i = t - EACH; i < n - 1; i += 32) heap.put(i, {known[i].least, i});
        __syncwarp();
        #pragma unroll 1
        for (int i = (n - 1) / 2 - 1; i >= 0; i--) heap.down(i, heap.entries[i]);
    }
    #pragma unroll 1
    while (true) {
        note(notes[0], of_row);
        if (!BY_HEAP) note(notes[1], rest, is_tied);
        arrive();
        wait_for_all();
        of_row = read_notes(notes[0], unused);
        if (!BY_HEAP) rest = read_notes(notes[1], is_tied);
        if (merges == n - 1) return;
        if (t == 0) {
            known[row].least = of_row.value;
            known[row].nearest = of_row.at;
        }
        if (BY_HEAP) {
            if (has_heap) {
                if (is_merged) heap.change_all(nearer, row, known);
                if (row < n - 1) heap.change(row, of_row.value);
                if (t - EACH < BLOCKS) *in_block(&next, t - EACH) = (int)heap.entries[0].key;
            }
            arrive();
            wait_for_all();
        }
        else __syncthreads();
        const int x = BY_HEAP ? next : of_row.value < rest.value ? row : rest.at;
        if (!BY_HEAP && (is_tied || x < 0)) { // or no distance is a number
            if (own == 0) control[TIED] = 1;
            return;
        }
        const Known of_least = known[x];
        const bool is_stale = of_least.nearest < 0 && of_least.least < FAR;
        const double xy = of_least.least;
        const int y = is_stale ? x : of_least.nearest < 0 ? n - 1 : of_least.nearest; // or NaN
        const int nx = of_least.size, ny = known[y].size;
        const double *of_x = square + (long long)x * n;
        double *of_y = square + (long long)y * n;
        arrive();
        if (!is_stale && has_heap) heap.drop();
        of_row = rest = {FAR, FAR, -1};
        #pragma unroll 1
        for (int first = 0; first < n; first += STEP) {
            const int i = first + own;
            const Known old = i < n ? known[i] : Known{FAR, -1, 0};
            const bool is_other = old.size > 0 && i != x && i != y;
            double z = FAR;
            if (is_other) {
                z = of_x[i];
                if (!is_stale) z = joined(z, of_y[i], xy, nx, ny, old.size);
            }
            if (first == 0) wait_for_all();
            is_tied |= !is_stale && old.size > 0 && i != x && old.least == xy;
            const bool is_nearer = is_other && !is_stale && i < y && z < old.least;
            if (BY_HEAP) {
                const unsigned of_warp = __ballot_sync(0xffffffffu, is_nearer);
                if (t %% 32 == 0 && i < n) nearer[i / 32] = of_warp;
            }
            if (!is_other) continue;
            if (i > y) take(of_row, z, i);
            const double least = is_nearer ? z : old.least;
            take(rest, least, i);
            if (is_stale) continue;
            of_y[i] = square[(long long)i * n + y] = z;
            const int near = old.nearest < 0 ? ~old.nearest : old.nearest;
            if (i < y && (is_nearer || near == x || near == y))
                copies.tell(i, least, z == least ? y : ~y);
        }
        row = y;
        is_merged = !is_stale;
        if (is_stale) continue;
        __syncthreads(); // all have read the sizes
        if (t == 0) {
            known[x].size = 0;
            known[y].size = nx + ny;
        }
        if (own == 0) {
            const int left = number[x], right = number[y];
            tree[4 * merges] = min(left, right);
            tree[4 * merges + 1] = max(left, right);
            tree[4 * merges + 2] = xy;
            tree[4 * merges + 3] = nx + ny;
            number[y] = n + merges;
        }
        merges++;
    }
}
"""

_NUMBERS = """
enum { NUMBERING = %(numbering)s };

// Numbers merges of places in the order of their heights, unless that of equal ones matters. A lane
// has one of 32 merges, and follows what becomes of its two clusters by those before it and after
// it.
extern "C" __global__ void __launch_bounds__(NUMBERING)
number_in_order(const int2 *pairs, const double *heights, const long long *order, char *outside,
    double *tree, int *control, const int n)
{
    extern __shared__ double shared[];
    int *const number = outside ? (int *)outside : (int *)shared, *const next = number + n;
    const int t = threadIdx.x;
    if (control[TIED]) return;
    __syncthreads();
    #pragma unroll 1
    for (int i = t; i < 2 * n; i += NUMBERING) {
        if (i < n) number[i] = i;
        next[i] = i;
        if (i >= n - 1) continue;
        const int p = order[i];
        tree[4 * i] = pairs[p].x;
        tree[4 * i + 1] = pairs[p].y;
        tree[4 * i + 2] = heights[p];
        if (i > 0 && heights[p] == heights[order[i - 1]]) control[TIED] = 1;
    }
    __syncthreads();
    #pragma unroll 1
    for (int first = 0; first < n - 1; first += 32) {
        if (t < 32) {
            const int r = first + t, count = min(32, n - 1 - first);
            int x = -1, y = -1, nx = 1, ny = 1, left = 0, right = 0, both = 0;
            if (t < count) {
                x = number[(int)tree[4 * r]];
                y = number[(int)tree[4 * r + 1]];
                if (x >= n) nx = (int)tree[4 * (x - n) + 3];
                if (y >= n) ny = (int)tree[4 * (y - n) + 3];
            }
            #pragma unroll 1
            for (int k = 0; k < count; k++) {
                const int a = __shfl_sync(0xffffffffu, x, k), b = __shfl_sync(0xffffffffu, y, k);
                const int size = __shfl_sync(0xffffffffu, nx + ny, k);
                if (t == k) {
                    left = a;
                    right = b;
                    both = size;
                }
                if (x == a || x == b) {
                    x = n + first + k;
                    nx = size;
                }
                if (y == a || y == b) {
                    y = n + first + k;
                    ny = size;
                }
            }
            if (t < count) {
                tree[4 * r] = min(left, right);
                tree[4 * r + 1] = max(left, right);
                tree[4 * r + 3] = both;
                next[left] = next[right] = x;
            }
        }
        __syncthreads();
        #pragma unroll 2
        for (int i = t; i < n; i += NUMBERING) number[i] = next[number[i]];
        __syncthreads();
    }
}
"""

_SOURCES = {
    "merge_by_visits": _CLUSTER + _VISITS,
    "merge_by_chains": _CLUSTER + _CHAINS,
    "merge_by_minima": _CLUSTER + _MINIMA,
}


def _kernel(method: str, name: str, by_heap: bool = False) -> tuple[Any, int, int]:
    """A kernel, how many blocks it has, and threads of each."""
    blocks, each = (BLOCKS, EACH) if has_clusters() else (1, 2 * EACH)
    words = {"blocks": blocks, "each": each, "by_heap": int(by_heap)}
    (kernel,) = compiled(method, _SOURCES[name], name, **words)
    return kernel, blocks, each


def _in_shared(kernel: Any, size: int, blocks: int = 1) -> tuple[Any, int]:
    """Memory of blocks for so many bytes each, if not in shared memory, and how many are there."""
    if size > shared_bytes() - _OTHER_BYTES:
        return empty(size * blocks, np.uint8), 0
    kernel.max_dynamic_shared_size_bytes = size
    return np.uint64(0), size


def by_minima(square: ndarray, control: ndarray, method: str, by_heap: bool = False) -> ndarray:
    """The tree, unless `control` then says that it depends on the order of a heap."""
    count = square.shape[0]
    merge, blocks, each = _kernel(method, "merge_by_minima", by_heap)
    each_bytes = _HEAP_BYTES if by_heap else _MINIMA_BYTES
    size = -(-each_bytes * (count + 1) // 16) * 16  # Known is aligned, and so are blocks' copies
    tree, number = empty((count - 1, 4)), arange(count, dtype=np.int32)
    outside, shared = _in_shared(merge, size, blocks)
    given = (square, outside, np.int64(size), number, control, tree, np.int32(count))
    merge((blocks,), (each + 32 * by_heap,), given, shared_mem=shared)
    return tree


def numbered(pairs: ndarray, heights: ndarray, control: ndarray) -> ndarray:
    """The tree of merges of places in the matrix, in the order of their heights. If `control`
    says that the order of equal heights matters, no tree is made; if heights are equal, `control`
    says so afterwards."""
    count, order = len(heights) + 1, argsort(heights, kind="stable")
    (put,) = compiled("single", _NUMBERS, "number_in_order", numbering=_NUMBERING)
    tree = empty((count - 1, 4))
    outside, shared = _in_shared(put, 12 * count)
    given = (pairs, heights, order, outside, tree, control, np.int32(count))
    put((1,), (_NUMBERING,), given, shared_mem=shared)
    return tree


def merged_in_order(square: ndarray, control: ndarray, method: str) -> ndarray:
    """The tree by merges one after another, in the order of SciPy."""
    if method not in REDUCIBLE:
        return by_minima(square, control, method, by_heap=True)
    count = square.shape[0]
    name = "merge_by_visits" if method == "single" else "merge_by_chains"
    merge, blocks, each = _kernel(method, name)
    slots = -(-count // (blocks * each)) * each
    size = 8 * slots if method == "single" else _CHAIN_BYTES * count
    outside, shared = _in_shared(merge, size, blocks)
    pairs, heights = empty((count - 1, 2), np.int32), empty(count - 1)
    given = (square, outside, np.int64(size), pairs, heights, np.int32(count))
    merge((blocks,), (each,), given, shared_mem=shared)
    return numbered(pairs, heights, control)
