"""What kernels that merge clusters have in common: distances of merged clusters, and least ones."""

import functools
from typing import Any

from ..._core.raw import RawModule
from .._limits import multiprocessors

__all__ = [
    "BLOCK",
    "CONTROL",
    "METHODS",
    "REDUCIBLE",
    "TIED",
    "WRONG",
    "blocks_at_once",
    "compiled",
]

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
REDUCIBLE = METHODS[:5]  # whose merged clusters are no nearer to others than their parts

BLOCK = 256  # threads, except of those that merge one after another
_RESIDENT = 4  # blocks of a multiprocessor at the same time
_FEWEST = 8  # clusters for a block
CONTROL = 8  # numbers that kernels and the host tell each other
TIED, WRONG = 4, 5  # those of them that the host reads

_HEAD = """
enum { BLOCK = %(block)s, RESIDENT = %(resident)s };
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
"""


@functools.cache
def compiled(method: str, source: str, names: str, **words: int) -> list[Any]:
    """Kernels of some source that follows what they have in common."""
    words |= {"block": BLOCK, "resident": _RESIDENT}
    code = (_HEAD + source) % (words | {"rule": _RULES[method]})
    module = RawModule(code=code, options=("--fmad=false",))
    return [module.get_function(name) for name in names.split()]


def blocks_at_once(count: int) -> int:
    """How many blocks a cooperative launch has for `count` clusters."""
    return min(_RESIDENT * multiprocessors(), -(-count // _FEWEST))
