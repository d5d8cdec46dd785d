"""Ranks of a row that is too long for the cache.

Ranks are found in sorted order, and each belongs at the place that its element had. Written there
one by one, a rank costs the memory a sector. So ranks are first put together by the part of the row
that their places are in. Where these begin is known, as places are a permutation. Then each part is
written: in shared memory and from there as a whole, or, if parts would be too many, within the
cache.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import empty, ndarray, zeros
from ..._core.raw import RawModule
from .._limits import shared_bytes

__all__ = ["RUN_ENDS", "is_long_row", "put_long_ranks"]

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
_MOST_BITS = 9  # of parts that are written in shared memory; a thread has one of them
_PART = 1 << 17  # most bytes of these
_THREADS, _OWN, _WIDE = 512, 10, 1024
_TYPES = {"f4": "float", "f8": "double", "i4": "int", "i8": "long long", "u4": "unsigned"}
_PARTS = r"""
enum { TILE = OWN * THREADS, PARTS = 1 << BITS, WORDS = TILE / 32, EACH = WORDS / 32 };
#define ALL 0xffffffffu

// Where a rank belongs, and twice the rank.
struct alignas(8) Put {
    unsigned place, twice;
};

// How many elements equal that at place j of a sorted row, of the `most` before it (SIDE is -1) or
// after it (1). All lanes of a warp ask the same.
template <int SIDE>
__device__ long long equals_beside(const Key *sorted, const long long j, long long most)
{
    const Key key = sorted[j];
    long long least = 0, step = 1;
    while (least < most) {
        const long long beside = least + (threadIdx.x % 32 + 1) * step;
        const bool is_equal = beside <= most && sorted[j + SIDE * beside] == key;
        const int equal = __popc(__ballot_sync(ALL, is_equal));
        if (equal < 32) most = min(most, least + (equal + 1) * step - 1);
        least += equal * step;
        step = (most - least + 31) / 32;
    }
    return least;
}

// Of each word of a tile's bits, the nearest bit that is set in the words before it, or AFTER it:
// its place, or `beyond` where there is none. By one warp.
template <bool AFTER>
__device__ void find_nearest(const unsigned *bits, unsigned *nearest, const unsigned first,
                             const unsigned beyond)
{
    const int lane = threadIdx.x % 32;
    unsigned word[EACH];
    int near = -1; // counted from the other end if AFTER
    #pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int w = lane * EACH + e;
        word[e] = AFTER ? __brev(bits[WORDS - 1 - w]) : bits[w];
        if (word[e]) near = 32 * w + 31 - __clz(word[e]);
    }
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(ALL, near, d);
        if (lane >= d) near = max(near, other);
    }
    near = __shfl_up_sync(ALL, near, 1);
    if (lane == 0) near = -1;
    #pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int w = lane * EACH + e;
        const unsigned place = first + (AFTER ? TILE - 1 - near : near);
        nearest[AFTER ? WORDS - 1 - w : w] = near < 0 ? beyond : place;
        if (word[e]) near = 32 * w + 31 - __clz(word[e]);
    }
}

// `counts` has how many elements of each part were put: their places within the part, as `spots`,
// and twice their ranks. `rule` is the index in METHODS.
extern "C" __global__ void __launch_bounds__(THREADS)
rank_parts(const Key *sorted, const Order *order, Spot *spots, unsigned *twices, unsigned *counts,
    const long long n, const int shift, const int rule)
{
    __shared__ unsigned own[PARTS], starts[PARTS], to[PARTS], of_warps[THREADS / 32];
    __shared__ unsigned heads[WORDS]; // bits: elements that differ from those before them
    __shared__ unsigned begins[WORDS], nexts[WORDS]; // of the runs that go on beyond a word
    extern __shared__ double shared[];
    Put *const held = (Put *)shared;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, mine = warp * 32 * OWN + lane;
    const long long first = blockIdx.x * (long long)TILE;
    const int total = min((long long)TILE, n - first);
    unsigned place[OWN], before[OWN]; // how many of the part came before
    Key key[OWN];
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = mine + k * 32;
        place[k] = i < total ? order[first + i] : 0;
        key[k] = i < total ? sorted[first + i] : Key(0);
    }
    const int of_warp = mine - lane;
    const bool has_edge = lane == 31 && of_warp < total && first + of_warp > 0;
    Key edge = has_edge ? sorted[first + of_warp - 1] : Key(0); // before the warp's next 32
    long long equal = 0; // of the first element before the tile, or of the last one after it
    if (warp == 0) equal = equals_beside<-1>(sorted, first, first);
    if (warp == 1) equal = equals_beside<1>(sorted, first + total - 1, n - first - total);
    if (t < PARTS) own[t] = 0;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = mine + k * 32;
        before[k] = i < total ? atomicAdd(&own[place[k] >> shift], 1u) : 0;
        const Key left = __shfl_sync(ALL, lane == 31 ? edge : key[k], (lane + 31) % 32);
        edge = key[k];
        const bool is_head = i >= total || first + i == 0 || !(key[k] == left);
        const unsigned word = __ballot_sync(ALL, is_head);
        if (lane == 0) heads[warp * OWN + k] = word;
    }
    __syncthreads();
    const unsigned count = t < PARTS ? own[t] : 0;
    unsigned start = count;
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned before_it = __shfl_up_sync(ALL, start, d);
        if (lane >= d) start += before_it;
    }
    if (lane == 31) of_warps[warp] = start;
    start -= count;
    if (warp == 0) find_nearest<false>(heads, begins, first, first - equal);
    if (warp == 1) find_nearest<true>(heads, nexts, first, first + total + equal);
    __syncthreads();
    #pragma unroll
    for (int w = 0; w < THREADS / 32; w++) start += w < warp ? of_warps[w] : 0;
    if (t < PARTS) starts[t] = start;
    const unsigned put_before = count ? atomicAdd(&counts[t], count) : 0; // waited for below
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = mine + k * 32, w = warp * OWN + k;
        if (i >= total) continue;
        const unsigned j = first + i, until = heads[w] & (2u << lane) - 1;
        const unsigned after = heads[w] >> lane >> 1;
        const unsigned begin = until ? j - lane + 31 - __clz(until) : begins[w];
        const unsigned next = after ? j + __ffs(after) : nexts[w];
        const unsigned twice =
            rule == 0 ? begin + next + 1 : 2 * (rule == 1 ? begin + 1 : rule == 2 ? next : j + 1);
        held[starts[place[k] >> shift] + before[k]] = {place[k], twice};
    }
    if (t < PARTS) to[t] = (t << shift) + put_before - start;
    __syncthreads();
    #pragma unroll 4
    for (int i = t; i < total; i += THREADS) {
        const Put put = held[i];
        const unsigned at = to[put.place >> shift] + i;
        spots[at] = Spot(put.place & (1u << shift) - 1);
        twices[at] = put.twice;
    }
}

// If `is_spoilt`, all ranks of a row with NaN, its last, are NaN.
__device__ __forceinline__ Rank rank_of(const unsigned twice, const bool is_nan)
{
    return is_nan ? Rank(nan("")) : Rank(0.5 * twice);
}

extern "C" __global__ void __launch_bounds__(THREADS)
rank_put(const Spot *spots, const unsigned *twices, Rank *out, const Key *sorted, const long long n,
    const int is_spoilt, const int shift)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    const bool is_nan = is_spoilt && !(sorted[n - 1] == sorted[n - 1]);
    if (i < n) out[(i >> shift << shift) + spots[i]] = rank_of(twices[i], is_nan);
}

// A block a part.
extern "C" __global__ void __launch_bounds__(WIDE)
rank_put_parts(const Spot *spots, const unsigned *twices, Rank *out, const Key *sorted,
    const long long n, const int is_spoilt, const int shift)
{
    extern __shared__ double shared[];
    Rank *const part = (Rank *)shared;
    const long long first = (long long)blockIdx.x << shift;
    const int total = min(1ll << shift, n - first);
    const bool is_nan = is_spoilt && !(sorted[n - 1] == sorted[n - 1]);
    #pragma unroll 8
    for (int i = threadIdx.x; i < total; i += WIDE)
        part[spots[first + i]] = rank_of(twices[first + i], is_nan);
    __syncthreads();
    #pragma unroll 4
    for (int i = threadIdx.x; i < total; i += WIDE) out[first + i] = part[i];
}
"""


@functools.cache
def _kernels(key: str, order: str, rank: str, spot: str, bits: int) -> list:
    types = {"Key": key, "Order": order, "Rank": rank}
    words = {"THREADS": _THREADS, "OWN": _OWN, "BITS": bits, "WIDE": _WIDE}
    head = f"typedef unsigned {spot} Spot;\n"
    head += "".join(f"typedef {_TYPES[known]} {name};\n" for name, known in types.items())
    head += "".join(f"enum {{ {name} = {value} }};\n" for name, value in words.items())
    module = RawModule(code=head + _PARTS)
    return [module.get_function(name) for name in ("rank_parts", "rank_put", "rank_put_parts")]


def is_long_row(keys: ndarray, dtype: Any) -> bool:
    """Whether these are a row of which `put_long_ranks` makes ranks of a type."""
    is_known = keys.dtype.str[1:] in _TYPES and np.dtype(dtype).str[1:] in ("f4", "f8")
    return is_known and keys.shape[-1] == keys.size and _LEAST <= keys.size < 1 << 31


def put_long_ranks(keys: ndarray, order: ndarray, rule: int, is_spoilt: bool, out: ndarray) -> None:
    """Put the ranks of a long sorted row into the places that its elements had."""
    n, size = keys.size, out.dtype.itemsize
    part = min(_PART, shared_bytes())
    shift = max((part // size).bit_length() - 1, 0)
    bits = max((n - 1).bit_length() - shift, 0)
    in_shared = bits <= _MOST_BITS
    if not in_shared:
        shift, bits = shift + bits - _BITS, _BITS
    is_short = shift <= 16
    spots, twices = empty(n, np.uint16 if is_short else np.uint32), empty(n, np.uint32)
    counts = zeros(1 << bits, np.uint32)
    types = [array.dtype.str[1:] for array in (keys, order, out)]
    find, put, put_parts = _kernels(*types, "short" if is_short else "int", bits)
    given = (keys, order, spots, twices, counts, np.int64(n), np.int32(shift), np.int32(rule))
    tile = _THREADS * _OWN
    find.max_dynamic_shared_size_bytes = held = 8 * tile
    find((-(-n // tile),), (_THREADS,), given, shared_mem=held)
    ranked = (spots, twices, out, keys, np.int64(n), np.int32(is_spoilt), np.int32(shift))
    if in_shared:
        put_parts.max_dynamic_shared_size_bytes = part
        put_parts((-(-n >> shift),), (_WIDE,), ranked, shared_mem=size << shift)
    else:
        put((-(-n // _THREADS),), (_THREADS,), ranked)
