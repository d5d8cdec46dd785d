"""Ranks of a row that is too long for the cache.

Ranks are found in sorted order, and each belongs at the place that its element had. Written there
one by one, a rank costs the memory a sector. So ranks are first put together by the part of the row
that their places are in. Where these begin is known, as places are a permutation. Then each part is
written: in shared memory and from there as a whole, or, if parts would be too many, within the
cache.
"""

import functools

import numpy as np

from ..._core.multiarray import empty, ndarray, zeros
from ..._core.raw import RawModule
from .._limits import shared_bytes

__all__ = ["RUN_ENDS", "put_long_ranks"]

# The ends of the run of equal elements about place j of a sorted row, found by steps that double.
# A part of an element that is NaN differs from all others, as of NumPy.
RUN_ENDS = """
template <class A>
__device__ ptrdiff_t run_first(const A &sorted, const ptrdiff_t start, const ptrdiff_t j)
{
    const auto value = sorted[start + j];
    ptrdiff_t inside = j, step = 1, outside;
    while ((outside = j - step) >= 0 && sorted[start + outside] == value) {
        inside = outside;
        step *= 2;
    }
    if (outside < 0) outside = -1;
    while (inside - outside > 1) {
        const ptrdiff_t middle = outside + (inside - outside) / 2;
        if (sorted[start + middle] == value) inside = middle;
        else outside = middle;
    }
    return inside;
}
template <class A>
__device__ ptrdiff_t run_last(const A &sorted, const ptrdiff_t start, const ptrdiff_t j,
                              const ptrdiff_t count)
{
    const auto value = sorted[start + j];
    ptrdiff_t inside = j, step = 1, outside;
    while ((outside = j + step) < count && sorted[start + outside] == value) {
        inside = outside;
        step *= 2;
    }
    if (outside > count) outside = count;
    while (outside - inside > 1) {
        const ptrdiff_t middle = inside + (outside - inside) / 2;
        if (sorted[start + middle] == value) inside = middle;
        else outside = middle;
    }
    return inside;
}
"""
_LEAST = 1 << 23  # elements of a long row
_BITS = 7  # of the number of parts that are written within the cache
_MOST_BITS = 9  # of parts that are written in shared memory
_PART = 1 << 17  # most bytes of these
_THREADS, _WIDE = 256, 1024
_TYPES = {"f4": "float", "f8": "double", "i4": "int", "i8": "long long"}
_PARTS = """
typedef %(key)s Key;
typedef %(rank)s Rank;
enum { THREADS = %(threads)s, OWN = 64 / sizeof(Rank), TILE = OWN * THREADS };
enum { PARTS = 1 << %(bits)s, PER = (PARTS + THREADS - 1) / THREADS, WIDE = %(wide)s };

// The rank of element i of a tile, one of several equal ones. `ends` are those of the runs that the
// first and the last element of the tile are in.
__device__ __noinline__ Rank
rank_of_equal(const Key *keys, const int i, const int total, const long long first,
    const long long *ends, const int rule)
{
    const Key key = keys[i];
    int low = 0, high = i;
    while (low < high) { // the first one
        const int middle = (low + high) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    const long long begin = low == 0 ? ends[0] : first + low;
    low = i, high = total - 1;
    while (low < high) { // the last one
        const int middle = (low + high + 1) / 2;
        if (keys[middle] <= key) low = middle;
        else high = middle - 1;
    }
    const long long end = low == total - 1 ? ends[1] : first + low;
    return rule == 0 ? Rank(0.5 * (begin + end + 2))
                     : Rank((rule == 1 ? begin : rule == 2 ? end : first + i) + 1);
}

// `counts` has how many elements of each part were put. `rule` is the index in METHODS.
extern "C" __global__ void __launch_bounds__(THREADS)
rank_parts(const Key *sorted, const long long *order, unsigned *places, Rank *ranks,
    unsigned *counts, const long long n, const int shift, const int rule, const int is_spoilt)
{
    __shared__ unsigned own[PARTS], starts[PARTS], to[PARTS], held_places[TILE];
    __shared__ unsigned of_warps[THREADS / 32];
    __shared__ long long ends[2];
    __shared__ union {
        Key keys[TILE + 2]; // with a neighbour on each side
        Rank ranks[TILE];
    } held;
    const int t = threadIdx.x;
    const long long first = blockIdx.x * (long long)TILE;
    const int total = min((long long)TILE, n - first);
    const bool is_nan = is_spoilt && !(sorted[n - 1] == sorted[n - 1]);
    unsigned place[OWN], before[OWN]; // how many of the part came before
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = k * THREADS + t;
        place[k] = i < total ? order[first + i] : 0;
        if (i < total) held.keys[1 + i] = sorted[first + i];
    }
    if (t == 0 && first > 0) held.keys[0] = sorted[first - 1];
    if (t == 0 && first + total < n) held.keys[1 + total] = sorted[first + total];
    #pragma unroll
    for (int p = t; p < PARTS; p += THREADS) own[p] = 0;
    __syncthreads();
    if (t == 0) ends[0] = run_first(sorted, 0, first);
    if (t == THREADS / 2) ends[1] = run_last(sorted, 0, first + total - 1, n);
    #pragma unroll
    for (int k = 0; k < OWN; k++)
        before[k] = k * THREADS + t < total ? atomicAdd(&own[place[k] >> shift], 1u) : 0;
    __syncthreads();
    unsigned mine[PER], sum = 0; // of parts that follow each other
    #pragma unroll
    for (int p = 0; p < PER; p++) {
        mine[p] = t * PER + p < PARTS ? own[t * PER + p] : 0;
        sum += mine[p];
    }
    unsigned start = sum;
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned before_it = __shfl_up_sync(0xffffffffu, start, d);
        if (t %% 32 >= d) start += before_it;
    }
    if (t %% 32 == 31) of_warps[t / 32] = start;
    start -= sum;
    __syncthreads();
    #pragma unroll
    for (int w = 0; w < THREADS / 32; w++) start += w < t / 32 ? of_warps[w] : 0;
    #pragma unroll
    for (int p = 0; p < PER; p++) {
        const unsigned part = t * PER + p;
        if (part >= PARTS) break;
        starts[part] = start;
        to[part] = (part << shift) + (mine[p] ? atomicAdd(&counts[part], mine[p]) : 0) - start;
        start += mine[p];
    }
    Rank rank[OWN];
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = k * THREADS + t;
        if (i >= total) continue;
        const unsigned j = first + i;
        const Key key = held.keys[1 + i];
        const bool is_like_last = j > 0 && key == held.keys[i];
        const bool is_like_next = j + 1 < n && key == held.keys[2 + i];
        rank[k] = j + 1;
        if (is_like_last || is_like_next)
            rank[k] = rank_of_equal(held.keys + 1, i, total, first, ends, rule);
        if (is_nan) rank[k] = nan("");
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        if (k * THREADS + t >= total) continue;
        const unsigned at = starts[place[k] >> shift] + before[k];
        held_places[at] = place[k];
        held.ranks[at] = rank[k];
    }
    __syncthreads();
    #pragma unroll 4
    for (int i = t; i < total; i += THREADS) {
        const unsigned at = held_places[i], put = to[at >> shift] + i;
        places[put] = at;
        ranks[put] = held.ranks[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
rank_put(const unsigned *places, const Rank *ranks, Rank *out, const long long n)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (i < n) out[places[i]] = ranks[i];
}

// A block a part.
extern "C" __global__ void __launch_bounds__(WIDE)
rank_put_parts(const unsigned *places, const Rank *ranks, Rank *out, const long long n,
    const int shift)
{
    extern __shared__ double shared[];
    Rank *const part = (Rank *)shared;
    const long long first = (long long)blockIdx.x << shift;
    const int total = min(1ll << shift, n - first);
    #pragma unroll 8
    for (int i = threadIdx.x; i < total; i += WIDE)
        part[places[first + i] - (unsigned)first] = ranks[first + i];
    __syncthreads();
    #pragma unroll 4
    for (int i = threadIdx.x; i < total; i += WIDE) out[first + i] = part[i];
}
"""


@functools.cache
def _kernels(key: str, rank: str, bits: int) -> list:
    words = {"key": _TYPES[key], "rank": _TYPES[rank], "threads": _THREADS, "bits": bits}
    module = RawModule(code=RUN_ENDS + _PARTS % {**words, "wide": _WIDE})
    return [module.get_function(name) for name in ("rank_parts", "rank_put", "rank_put_parts")]


def put_long_ranks(keys: ndarray, order: ndarray, rule: int, is_spoilt: bool, out: ndarray) -> bool:
    """Put the ranks of a sorted row into the places that its elements had, if it is a long one;
    whether it was done."""
    n, types = keys.size, (keys.dtype.str[1:], out.dtype.str[1:])
    is_known = types[0] in _TYPES and types[1] in ("f4", "f8")
    if keys.shape[-1] != n or not _LEAST <= n < 1 << 32 or not is_known:
        return False
    places, ranks = empty(n, np.uint32), empty(n, out.dtype)
    size = out.dtype.itemsize
    part = min(_PART, shared_bytes())
    shift = max((part // size).bit_length() - 1, 0)
    bits = max((n - 1).bit_length() - shift, 0)
    in_shared = bits <= _MOST_BITS
    if not in_shared:
        shift, bits = shift + bits - _BITS, _BITS
    counts = zeros(1 << bits, np.uint32)
    tile = _THREADS * (64 // size)
    numbers = (np.int64(n), np.int32(shift), np.int32(rule), np.int32(is_spoilt))
    find, put, put_parts = _kernels(*types, bits)
    find((-(-n // tile),), (_THREADS,), (keys, order, places, ranks, counts, *numbers))
    if in_shared:
        put_parts.max_dynamic_shared_size_bytes = part
        given = (places, ranks, out, np.int64(n), np.int32(shift))
        put_parts((-(-n >> shift),), (_WIDE,), given, shared_mem=size << shift)
    else:
        put((-(-n // _THREADS),), (_THREADS,), (places, ranks, out, np.int64(n)))
    return True
