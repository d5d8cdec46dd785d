"""Nearest codes of very many observations.

Half the square of a distance, less what all codes have in common, is |c|^2 / 2 - x c: an operation
a feature, where differences take two. Such scores are computed in float32, of observations and
codes less the mean of codes. Where the two lowest ones differ by more than roundings can make, the
lower one is of the nearest code. Other observations are compared with all codes by differences, and
the distance always is one by differences: results have the same bits as without scores.

With u = 2**-24, n features, X the square of x and C the largest one of a code, a score is wrong by
(n + 4) u (C + X / 2) at most, as |x c| <= (X + C) / 2, and half the square by differences by
(n + 2) u (C + X). Two of them in the wrong order differ by 2 (n + 4) u (2 C + 1.5 X) at most.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import empty, ndarray, zeros
from ..._core.raw import RawModule
from .._limits import multiprocessors

__all__ = ["is_scored", "scored"]

_LEAST = 1 << 14  # observations from which on it is worth the launch that prepares codes
_FEWEST, _MOST = 4, 32  # features; with fewer nothing is saved
_CODES = 8  # and codes
_BYTES = 256  # of coordinates that a thread has at most
_OWN = 4  # observations of a thread at most
_BLOCK = 128  # small ones, so that some compute while others read
_RESIDENT = 512  # threads of a multiprocessor
_AHEAD = 1  # as many blocks as run at a time, after which one's observations are needed
_SOURCE = """
typedef %(type)s T;
enum { FEATURES = %(features)s, OWN = %(own)s, THREADS = %(threads)s, ALIGNED = %(aligned)s };
enum { ROW = (FEATURES + 4) / 4 * 4, PART = 2560 / ROW }; // numbers of a code, codes at a time
enum { UNIT = 16 / sizeof(T), SAMPLES = 256, TEAMS = THREADS / FEATURES };
#define FAR __int_as_float(0x7f800000)

template <class U> struct alignas(16) Words { U of[16 / sizeof(U)]; };

__device__ __forceinline__ void read(T (&x)[FEATURES], const T *from)
{
    if constexpr (ALIGNED) {
        #pragma unroll
        for (int j = 0; j < FEATURES; j += UNIT) {
            const Words<T> words = *(const Words<T> *)(from + j);
            #pragma unroll
            for (int i = 0; i < UNIT; i++) x[j + i] = words.of[i];
        }
    }
    else {
        #pragma unroll
        for (int j = 0; j < FEATURES; j++) x[j] = from[j];
    }
}

// Rows of codes less the mean of the first SAMPLES: the coordinates with the other sign, then half
// the square. `most` is the largest square; its bits are in the order of numbers.
extern "C" __global__ void __launch_bounds__(THREADS)
code_rows(const T *book, float *rows, T *mean, int *most, const long long codes)
{
    __shared__ double parts[TEAMS][FEATURES];
    __shared__ T own[FEATURES];
    const int t = threadIdx.x, feature = t %% FEATURES, samples = min(codes, (long long)SAMPLES);
    double sum = 0;
    if (t < TEAMS * FEATURES) {
        #pragma unroll 4
        for (int k = t / FEATURES; k < samples; k += TEAMS) sum += book[k * FEATURES + feature];
        parts[t / FEATURES][feature] = sum;
    }
    __syncthreads();
    if (t < FEATURES) {
        #pragma unroll 4
        for (int team = 1; team < TEAMS; team++) sum += parts[team][t];
        own[t] = T(sum / samples);
        if (blockIdx.x == 0) mean[t] = own[t];
    }
    __syncthreads();
    const long long code = blockIdx.x * (long long)THREADS + t;
    if (code >= codes) return;
    double square = 0;
    float *row = rows + code * ROW;
    #pragma unroll 4
    for (int j = 0; j < FEATURES; j++) {
        const float x = book[code * FEATURES + j] - own[j];
        square += double(x) * x;
        row[j] = -x;
    }
    row[FEATURES] = square / 2;
    #pragma unroll
    for (int j = FEATURES + 1; j < ROW; j++) row[j] = 0;
    atomicMax(most, __float_as_int(float(square)) & 0x7fffffff);
}

struct Nearest {
    T square;
    int at;
};

__device__ __forceinline__ T
square_between(const T (&x)[FEATURES], const T (&c)[FEATURES])
{
    T sum = 0;
    #pragma unroll
    for (int j = 0; j < FEATURES; j++) sum = fma(x[j] - c[j], x[j] - c[j], sum);
    return sum;
}

// By differences from all codes.
__device__ __noinline__ Nearest
nearest_of(const T *row, const T *book, const long long codes)
{
    T x[FEATURES];
    read(x, row);
    Nearest best = {T(1) / T(0), 0};
    #pragma unroll 1
    for (long long k = 0; k < codes; k++) {
        T c[FEATURES];
        read(c, book + k * FEATURES);
        const T sum = square_between(x, c);
        if (sum < best.square) best = {sum, (int)k};
    }
    return best;
}

// found[0] is the largest square of a code; found[1] is set where an observation is not finite.
extern "C" __global__ void __launch_bounds__(THREADS, %(resident)s / THREADS)
nearest_by_scores(const T *obs, const T *book, const float *rows, const T *mean, int *found,
    int *code, T *distance, const long long n, const long long codes, const long long ahead)
{
    __shared__ Words<float> part[PART * ROW / 4];
    __shared__ T centre[FEATURES];
    const long long first = blockIdx.x * (long long)(THREADS * OWN) + threadIdx.x;
    if (threadIdx.x < FEATURES) centre[threadIdx.x] = mean[threadIdx.x];
    __syncthreads();
    float x[OWN][FEATURES], square[OWN], best[OWN], second[OWN];
    int at[OWN];
    #pragma unroll
    for (int o = 0; o < OWN; o++) { // the last one again beyond the end
        T given[FEATURES];
        read(given, obs + min(first + o * THREADS, n - 1) * FEATURES);
        square[o] = 0;
        #pragma unroll
        for (int j = 0; j < FEATURES; j++) {
            x[o][j] = given[j] - centre[j];
            square[o] = fma(x[o][j], x[o][j], square[o]);
        }
        if (!(square[o] < FAR)) {
            bool is_finite = true;
            #pragma unroll
            for (int j = 0; j < FEATURES; j++)
                is_finite = is_finite && given[j] - given[j] == 0;
            if (!is_finite) found[1] = 1;
        }
        best[o] = second[o] = FAR;
        at[o] = 0;
        // For a block that starts when this one ends: all would wait for the memory at once.
        const long long later = first + ahead + o * THREADS;
        if (later < n) asm volatile("prefetch.global.L2 [%%0];" :: "l"(obs + later * FEATURES));
    }
    #pragma unroll 1
    for (long long begin = 0; begin < codes; begin += PART) {
        const int count = min((long long)PART, codes - begin);
        __syncthreads();
        const Words<float> *from = (const Words<float> *)(rows + begin * ROW);
        for (int i = threadIdx.x; i < count * (ROW / 4); i += THREADS) part[i] = from[i];
        __syncthreads();
        #pragma unroll 1
        for (int k = 0; k < count; k++) {
            float row[ROW], score[OWN];
            #pragma unroll
            for (int j = 0; j < ROW; j += 4) {
                const Words<float> words = part[k * (ROW / 4) + j / 4];
                #pragma unroll
                for (int i = 0; i < 4; i++) row[j + i] = words.of[i];
            }
            #pragma unroll
            for (int o = 0; o < OWN; o++) score[o] = row[FEATURES];
            #pragma unroll
            for (int j = 0; j < FEATURES; j++)
                #pragma unroll
                for (int o = 0; o < OWN; o++) score[o] = fmaf(x[o][j], row[j], score[o]);
            #pragma unroll
            for (int o = 0; o < OWN; o++) {
                at[o] = score[o] < best[o] ? int(begin) + k : at[o];
                second[o] = fminf(second[o], fmaxf(best[o], score[o]));
                best[o] = fminf(best[o], score[o]);
            }
        }
    }
    const float most = __int_as_float(found[0]), unit = 5 * (FEATURES + 4) * 5.9604645e-8f;
    T squares[OWN];
    #pragma unroll
    for (int o = 0; o < OWN; o++) {
        T given[FEATURES], c[FEATURES];
        read(given, obs + min(first + o * THREADS, n - 1) * FEATURES);
        read(c, book + (long long)at[o] * FEATURES);
        squares[o] = square_between(given, c);
    }
    #pragma unroll
    for (int o = 0; o < OWN; o++) {
        const long long i = first + o * THREADS;
        if (i >= n) return;
        const float both = square[o] + most; // where squares neither underflow nor overflow
        const bool is_known = second[o] - best[o] > unit * both && both > 1e-30f && both < 1e37f;
        Nearest nearest = {squares[o], at[o]};
        if (!is_known) nearest = nearest_of(obs + i * FEATURES, book, codes);
        code[i] = nearest.at;
        distance[i] = sqrt(nearest.square);
    }
}
"""


@functools.cache
def _kernels(features: int, dtype: np.dtype, aligned: bool) -> tuple[Any, Any, int]:
    """The kernels for observations of so many features, and how many are a block's work."""
    own = max(1, min(_OWN, _BYTES // (features * 4)))
    words: dict[str, Any] = {"features": features, "own": own, "threads": _BLOCK}
    words["aligned"], words["resident"] = int(aligned), _RESIDENT
    words["type"] = "float" if dtype.itemsize == 4 else "double"
    module = RawModule(code=_SOURCE % words)
    names = ("code_rows", "nearest_by_scores")
    make, find = (module.get_function(name) for name in names)
    return make, find, own * _BLOCK


def is_scored(obs: ndarray, book: ndarray) -> bool:
    """Whether there are so many observations, codes and features that scores save time."""
    count, features = obs.shape
    return count >= _LEAST and _FEWEST <= features <= _MOST and book.shape[0] >= _CODES


def scored(obs: ndarray, book: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """(number of the nearest code, distance from it) of each observation, and two flags, of which
    the second says whether an observation is not finite. All are contiguous and of one dtype."""
    (count, features), codes = obs.shape, book.shape[0]
    width = features * obs.dtype.itemsize
    aligned = all(value % 16 == 0 for value in (width, obs.data.ptr, book.data.ptr))
    make, find, work = _kernels(features, obs.dtype, aligned)
    rows, mean = empty((codes, (features + 4) // 4 * 4), np.float32), empty(features, obs.dtype)
    found = zeros(2, np.int32)
    make((-(-codes // _BLOCK),), (_BLOCK,), (book, rows, mean, found, np.int64(codes)))
    code, distance = empty(count, np.int32), empty(count, obs.dtype)
    given = (obs, book, rows, mean, found)
    ahead = _AHEAD * (_RESIDENT // _BLOCK) * multiprocessors() * work
    sizes = (np.int64(count), np.int64(codes), np.int64(ahead))
    find((-(-count // work),), (_BLOCK,), (*given, code, distance, *sizes))
    return code, distance, found
