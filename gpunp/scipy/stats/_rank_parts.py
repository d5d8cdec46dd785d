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
_MOST_BITS = 9  # of parts that are written in shared memory
_PART = 1 << 17  # most bytes of these
_THREADS, _OWN, _WIDE = 512, 10, 1024
_TYPES = {"f4": "float", "f8": "double", "i4": "int", "i8": "long long", "u4": "unsigned"}
_PARTS = r"""
enum { TILE = OWN * THREADS, PARTS = 1 << BITS, PER = (PARTS + THREADS - 1) / THREADS };

// Where a rank belongs, and twice the rank.
struct alignas(8) Put {
    unsigned place, twice;
};

__device__ __forceinline__ Rank rank_of(const Put put, const bool is_nan)
{
    return is_nan ? Rank(nan("")) : Rank(0.5 * put.twice);
}

// The ends of the run that element i of a tile is in, which other warps' elements are in as well.
// `ends` are those of the runs that the first and the last element of the tile are in.
__device__ __noinline__ longlong2
run_of(const Key *keys, const int i, const int total, const long long first, const long long *ends)
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
    return make_longlong2(begin, low == total - 1 ? ends[1] : first + low);
}

// `counts` has how many elements of each part were put. `rule` is the index in METHODS.
extern "C" __global__ void __launch_bounds__(THREADS)
rank_parts(const Key *sorted, const Order *order, Put *puts, unsigned *counts, const long long n,
    const int shift, const int rule)
{
    __shared__ unsigned own[PARTS], starts[PARTS], to[PARTS], of_warps[THREADS / 32];
    __shared__ long long ends[2];
    extern __shared__ double shared[];
    Key *const keys = (Key *)shared + 1; // with a neighbour on each side
    Put *const held = (Put *)shared;
    const int t = threadIdx.x, lane = t % 32;
    const long long first = blockIdx.x * (long long)TILE;
    const int total = min((long long)TILE, n - first);
    const bool begins = first == 0, ends_here = first + total == n;
    unsigned place[OWN], before[OWN]; // how many of the part came before
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = k * THREADS + t;
        place[k] = i < total ? order[first + i] : 0;
        if (i < total) keys[i] = sorted[first + i];
    }
    if (t == 0 && !begins) keys[-1] = sorted[first - 1];
    if (t == 0 && !ends_here) keys[total] = sorted[first + total];
    #pragma unroll
    for (int p = t; p < PARTS; p += THREADS) own[p] = 0;
    __syncthreads();
    if (t == 0) {
        const bool is_one = !begins && keys[-1] == keys[0];
        ends[0] = is_one ? run_first(sorted, 0, first) : first;
    }
    if (t == THREADS / 2) {
        const bool is_one = !ends_here && keys[total] == keys[total - 1];
        ends[1] = is_one ? run_last(sorted, 0, first + total - 1, n) : first + total - 1;
    }
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
        if (lane >= d) start += before_it;
    }
    if (lane == 31) of_warps[t / 32] = start;
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
    const bool is_one_run = total > 1 && keys[0] == keys[total - 1];
    unsigned twice[OWN];
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = k * THREADS + t;
        const Key key = i < total ? keys[i] : Key(0);
        const bool is_like_last = i < total && !(begins && i == 0) && key == keys[i - 1];
        const bool is_like_next =
            i < total && !(ends_here && i == total - 1) && key == keys[i + 1];
        const unsigned heads = __ballot_sync(0xffffffffu, !is_like_last);
        const unsigned tails = __ballot_sync(0xffffffffu, !is_like_next);
        const unsigned heads_before = heads & (2u << lane) - 1, tails_after = tails >> lane;
        unsigned begin = first + i - lane + 31 - __clz(heads_before);
        unsigned end = first + i + __ffs(tails_after) - 1;
        if (is_one_run) {
            begin = ends[0];
            end = ends[1];
        }
        else if (heads_before == 0 || tails_after == 0) {
            const longlong2 run = run_of(keys, i, total, first, ends);
            begin = run.x;
            end = run.y;
        }
        const unsigned j = first + i;
        twice[k] = 2 + (rule == 0 ? begin + end : 2 * (rule == 1 ? begin : rule == 2 ? end : j));
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < OWN; k++) {
        if (k * THREADS + t >= total) continue;
        held[starts[place[k] >> shift] + before[k]] = {place[k], twice[k]};
    }
    __syncthreads();
    #pragma unroll 4
    for (int i = t; i < total; i += THREADS) {
        const Put put = held[i];
        puts[to[put.place >> shift] + i] = put;
    }
}

// If `is_spoilt`, all ranks of a row with NaN, its last, are NaN.
extern "C" __global__ void __launch_bounds__(THREADS)
rank_put(const Put *puts, Rank *out, const Key *sorted, const long long n, const int is_spoilt)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    const bool is_nan = is_spoilt && !(sorted[n - 1] == sorted[n - 1]);
    if (i < n) out[puts[i].place] = rank_of(puts[i], is_nan);
}

// A block a part.
extern "C" __global__ void __launch_bounds__(WIDE)
rank_put_parts(const Put *puts, Rank *out, const Key *sorted, const long long n,
    const int is_spoilt, const int shift)
{
    extern __shared__ double shared[];
    Rank *const part = (Rank *)shared;
    const long long first = (long long)blockIdx.x << shift;
    const int total = min(1ll << shift, n - first);
    const bool is_nan = is_spoilt && !(sorted[n - 1] == sorted[n - 1]);
    #pragma unroll 8
    for (int i = threadIdx.x; i < total; i += WIDE) {
        const Put put = puts[first + i];
        part[put.place - (unsigned)first] = rank_of(put, is_nan);
    }
    __syncthreads();
    #pragma unroll 4
    for (int i = threadIdx.x; i < total; i += WIDE) out[first + i] = part[i];
}
"""


@functools.cache
def _kernels(key: str, order: str, rank: str, bits: int) -> list:
    types = {"Key": key, "Order": order, "Rank": rank}
    words = {"THREADS": _THREADS, "OWN": _OWN, "BITS": bits, "WIDE": _WIDE}
    head = "".join(f"typedef {_TYPES[known]} {name};\n" for name, known in types.items())
    head += "".join(f"enum {{ {name} = {value} }};\n" for name, value in words.items())
    module = RawModule(code=head + RUN_ENDS + _PARTS)
    return [module.get_function(name) for name in ("rank_parts", "rank_put", "rank_put_parts")]


def is_long_row(keys: ndarray, dtype: Any) -> bool:
    """Whether these are a row of which `put_long_ranks` makes ranks of a type."""
    is_known = keys.dtype.str[1:] in _TYPES and np.dtype(dtype).str[1:] in ("f4", "f8")
    return is_known and keys.shape[-1] == keys.size and _LEAST <= keys.size < 1 << 31


def put_long_ranks(keys: ndarray, order: ndarray, rule: int, is_spoilt: bool, out: ndarray) -> None:
    """Put the ranks of a long sorted row into the places that its elements had."""
    n, types = keys.size, [array.dtype.str[1:] for array in (keys, order, out)]
    size, puts = out.dtype.itemsize, empty((n, 2), np.uint32)
    part = min(_PART, shared_bytes())
    shift = max((part // size).bit_length() - 1, 0)
    bits = max((n - 1).bit_length() - shift, 0)
    in_shared = bits <= _MOST_BITS
    if not in_shared:
        shift, bits = shift + bits - _BITS, _BITS
    counts = zeros(1 << bits, np.uint32)
    find, put, put_parts = _kernels(*types, bits)
    given = (keys, order, puts, counts, np.int64(n), np.int32(shift), np.int32(rule))
    tile = _THREADS * _OWN
    find.max_dynamic_shared_size_bytes = held = 8 * tile + 16
    find((-(-n // tile),), (_THREADS,), given, shared_mem=held)
    ranked = (puts, out, keys, np.int64(n), np.int32(is_spoilt))
    if in_shared:
        put_parts.max_dynamic_shared_size_bytes = part
        put_parts((-(-n >> shift),), (_WIDE,), (*ranked, np.int32(shift)), shared_mem=size << shift)
    else:
        put((-(-n // _THREADS),), (_THREADS,), ranked)
