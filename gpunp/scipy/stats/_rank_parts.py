"""Ranks of a row that is too long for the cache.

Ranks are found in sorted order, and each belongs at the place that its element had. Written there
one by one, a rank costs the memory a sector. So ranks are first put together by the part of the row
that their places are in. Where these begin is known, as places are a permutation. Then each part is
written within the cache.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import empty, ndarray, zeros
from ..._core.raw import RawModule

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
_BITS = 7  # of the number of parts
_THREADS = 256
_TYPES = {"f4": "float", "f8": "double", "i4": "int", "i8": "long long"}
_PARTS = """
typedef %(key)s Key;
typedef %(rank)s Rank;
enum { THREADS = %(threads)s, OWN = 64 / sizeof(Rank), TILE = OWN * THREADS };
enum { PARTS = 1 << %(bits)s };

// The rank of one of several equal elements.
__device__ __noinline__ Rank
rank_of_equal(const Key *sorted, const long long j, const long long n, const int rule)
{
    const long long low = rule == 0 || rule == 1 ? run_first(sorted, 0, j) : j;
    const long long high = rule == 0 || rule == 2 ? run_last(sorted, 0, j, n) : j;
    return rule == 0 ? Rank(0.5 * (low + high + 2)) : Rank((rule == 1 ? low : high) + 1);
}

// `counts` has how many elements of each part were put. `rule` is the index in METHODS.
extern "C" __global__ void __launch_bounds__(THREADS)
rank_parts(const Key *sorted, const long long *order, unsigned *places, Rank *ranks,
    unsigned *counts, const long long n, const int shift, const int rule, const int is_spoilt)
{
    __shared__ unsigned own[PARTS], starts[PARTS], to[PARTS], held_places[TILE];
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
    if (t < PARTS) own[t] = 0;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < OWN; k++)
        before[k] = k * THREADS + t < total ? atomicAdd(&own[place[k] >> shift], 1u) : 0;
    __syncthreads();
    if (t < PARTS) starts[t] = own[t];
    __syncthreads();
    #pragma unroll 1
    for (int step = 1; step < PARTS; step *= 2) {
        const unsigned more = t < PARTS && t >= step ? starts[t - step] : 0;
        __syncthreads();
        if (t < PARTS) starts[t] += more;
        __syncthreads();
    }
    if (t < PARTS) {
        starts[t] -= own[t];
        to[t] = ((unsigned)t << shift) + (own[t] ? atomicAdd(&counts[t], own[t]) : 0) - starts[t];
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
        if (is_like_last || is_like_next) rank[k] = rank_of_equal(sorted, j, n, rule);
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
"""


@functools.cache
def _kernels(key: str, rank: str) -> tuple[Any, Any]:
    words = {"key": _TYPES[key], "rank": _TYPES[rank], "threads": _THREADS, "bits": _BITS}
    module = RawModule(code=RUN_ENDS + _PARTS % words)
    return module.get_function("rank_parts"), module.get_function("rank_put")


def put_long_ranks(keys: ndarray, order: ndarray, rule: int, is_spoilt: bool, out: ndarray) -> bool:
    """Put the ranks of a sorted row into the places that its elements had, if it is a long one;
    whether it was done."""
    n, types = keys.size, (keys.dtype.str[1:], out.dtype.str[1:])
    is_known = types[0] in _TYPES and types[1] in ("f4", "f8")
    if keys.shape[-1] != n or not _LEAST <= n < 1 << 32 or not is_known:
        return False
    places, ranks = empty(n, np.uint32), empty(n, out.dtype)
    counts = zeros(1 << _BITS, np.uint32)
    shift = max((n - 1).bit_length() - _BITS, 0)
    tile = _THREADS * (64 // out.dtype.itemsize)
    numbers = (np.int64(n), np.int32(shift), np.int32(rule), np.int32(is_spoilt))
    find, put = _kernels(*types)
    find((-(-n // tile),), (_THREADS,), (keys, order, places, ranks, counts, *numbers))
    put((-(-n // _THREADS),), (_THREADS,), (places, ranks, out, np.int64(n)))
    return True
