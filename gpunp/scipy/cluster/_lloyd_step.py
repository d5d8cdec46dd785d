"""A step of k-means in one reading of very many observations.

A block has some observations in shared memory. Tensor cores compute half the square of their
distances from all codes, less what the codes have in common: |c|^2 / 2 - x c, of observations and
codes less the mean of the codes and times a power of two that makes the longest code some 2^4 long.
Each number is the sum of two of half precision, of whose four products the least is left out. Where
the two lowest scores differ by more than roundings can make, the lower one is of the nearest code.
Other observations are compared with all codes by differences, so codes are those of
`_nearest_codes`. The observations of a block are then sorted by their codes, and their coordinates
added up in that order in double precision, one block after the other: bits are equal every time.

With u = 2**-24, X the square of x, C the largest one of a code and products of k steps of 16
features, a score is wrong by this many (C + X) at most: 3 / 2**23 as halves and their products have
22 bits, 54 k / 2**23 as the tensor cores may cut off the last bit of each of 17 terms in 3 k sums,
2**(b - 23) as the last b bits are those of the code's number, and 2 u for the numbers themselves.
Half the square by differences is wrong by (n + 2) u (C + X). Two in the wrong order differ by twice
the sum.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from ..._core.multiarray import empty, ndarray
from ..._core.raw import RawModule
from ...cuda.device import get_compute_capability
from .._limits import multiprocessors, shared_bytes

__all__ = ["Step", "is_joint", "joint_step"]

_CAPABILITY = 80  # of a device that multiplies as many halves at a time, and copies meanwhile
_LEAST = 1 << 16  # observations from which on it is worth two launches
_FEWEST, _MOST = 4, 32  # features
_MOST_CODES = 256
_RESIDENT = 512  # threads of a multiprocessor
_TILE = 128  # bytes of observations that a block has at a time for each of its threads
_UNIT = 16  # codes: kernels are compiled for multiples of it
_STEP = 16  # features that the tensor cores multiply at a time
_SLICES = 8  # of blocks whose sums are added at the same time

_SOURCE = r"""
enum { WARPS = THREADS / 32, OWN = OBSERVATIONS / WARPS, ROUNDS = OWN / 32 };
enum { STEPS = (FEATURES + 15) / 16, PITCH = 16 * STEPS, QUADS = (FEATURES + 3) / 4 };
enum { WIDE = 4 * QUADS, UNIT = 16 / sizeof(T), ROW = WIDE + UNIT, GROUPS = CODES / 8 };
enum { COUNTS = CODES + 1, TOGETHER = 2 };
#define FAR __int_as_float(0x7f800000)

struct alignas(16) Quad { T at[4]; };

// What a block has in shared memory.
struct Shared {
    alignas(16) T tiles[2][OBSERVATIONS * PITCH]; // at the beginning
    uint4 factors[GROUPS * STEPS * 32]; // of a lane: two pairs of halves, and what these lack
    alignas(16) T book[CODES * ROW];
    double sums[CODES * WIDE];
    double warps[WARPS];
    float halves[CODES];
    float centre[PITCH];
    int counts[WARPS * COUNTS], starts[CODES], members[CODES], most;
    unsigned short codes[OBSERVATIONS], list[OBSERVATIONS];
};
static_assert(sizeof(Shared) <= BYTES);

// ---- observations -------------------------------------------------------------------------------

template <int SIZE> __device__ __forceinline__ void copy(T *to, const T *from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    if constexpr (SIZE == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     ::"r"(at), "l"(from), "n"(SIZE) : "memory");
}

// Begins to copy observations from `first` on.
__device__ __forceinline__ void fetch(T *to, const T *obs, const long long first, const long long n)
{
    enum { PART = ALIGNED ? UNIT : 1, PARTS = FEATURES / PART, ALL = OBSERVATIONS * PARTS };
    const T *from = obs + first * FEATURES;
    const int count = (int)max(0ll, min((long long)OBSERVATIONS, n - first)) * PARTS;
    #pragma unroll 8
    for (int i = threadIdx.x; i < ALL; i += THREADS)
        if (i < count)
            copy<PART * sizeof(T)>(to + i / PARTS * PITCH + i % PARTS * PART, from + i * PART);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// ---- factors ------------------------------------------------------------------------------------

// Two numbers as halves, and what these lack.
__device__ __forceinline__ void split(const float x, const float y, unsigned &high, unsigned &low)
{
    float p, q;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(high) : "f"(y), "f"(x));
    asm("{.reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}"
        : "=f"(p), "=f"(q) : "r"(high));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(low) : "f"(y - q), "f"(x - p));
}

__device__ __forceinline__ void
multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned b, const unsigned c)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(c));
}

// A power of two that makes a code of the largest square some 2^4 long.
__device__ __forceinline__ float scale_of(const float most)
{
    const int exponent = (__float_as_int(most) >> 23) - 127; // of the square
    return __int_as_float(max(1, min(253, 127 + 4 - (exponent >> 1))) << 23);
}

// The codes less their mean, scaled, as factors with the other sign; half their squares, those of
// codes beyond the end being large.
__device__ void prepare(Shared &s, const T *book, const int codes)
{
    const int t = threadIdx.x;
    #pragma unroll 4
    for (int i = t; i < CODES * WIDE; i += THREADS) {
        const int k = i / WIDE, j = i % WIDE;
        s.book[k * ROW + j] = k < codes && j < FEATURES ? book[k * FEATURES + j] : T(0);
        s.sums[i] = 0;
    }
    if (t == 0) s.most = 0;
    __syncthreads();
    if (t < PITCH) {
        double sum = 0;
        #pragma unroll 8
        for (int k = 0; k < codes; k++) sum += t < WIDE ? s.book[k * ROW + t] : T(0);
        s.centre[t] = float(sum / codes);
    }
    __syncthreads();
    double square = 0;
    if (t < codes) {
        #pragma unroll
        for (int j = 0; j < FEATURES; j++) {
            const float x = s.book[t * ROW + j] - T(s.centre[j]);
            square += double(x) * x;
        }
        atomicMax(&s.most, __float_as_int(float(square)) & 0x7fffffff);
    }
    __syncthreads();
    const float scale = scale_of(__int_as_float(s.most));
    if (t < CODES) {
        s.halves[t] = t < codes ? float(square / 2 * scale * scale) : 1e38f;
        s.members[t] = 0;
    }
    #pragma unroll 2
    for (int i = t; i < GROUPS * STEPS * 32; i += THREADS) {
        const int lane = i % 32, step = i / 32 % STEPS, k = i / 32 / STEPS * 8 + lane / 4;
        const int first = step * 16 + lane % 4 * 4;
        float x[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const bool is_one = k < codes && first + j < FEATURES;
            const float less = is_one ? s.book[k * ROW + first + j] - T(s.centre[first + j]) : 0;
            x[j] = -less * scale;
        }
        uint4 both;
        split(x[0], x[1], both.x, both.z);
        split(x[2], x[3], both.y, both.w);
        s.factors[i] = both;
    }
}

// ---- the nearest codes --------------------------------------------------------------------------

__device__ __forceinline__ T square_between(const T *x, const T *c)
{
    T sum = 0;
    #pragma unroll
    for (int j = 0; j < FEATURES; j += 4) {
        const Quad one = *(const Quad *)(x + j), other = *(const Quad *)(c + j);
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            const T apart = one.at[i] - other.at[i];
            if (j + i < FEATURES) sum = fma(apart, apart, sum);
        }
    }
    return sum;
}

// By differences from all codes, which a warp shares out.
__device__ __forceinline__ int nearest_of(const Shared &s, const T *x, const int codes)
{
    T best = T(1) / T(0);
    int at = 0;
    #pragma unroll 1
    for (int k = threadIdx.x % 32; k < codes; k += 32) {
        const T square = square_between(x, s.book + k * ROW);
        if (square < best) {
            best = square;
            at = k;
        }
    }
    #pragma unroll
    for (int d = 16; d; d /= 2) {
        const T square = __shfl_xor_sync(0xffffffffu, best, d);
        const int other = __shfl_xor_sync(0xffffffffu, at, d);
        if (square < best || (square == best && other < at)) {
            best = square;
            at = other;
        }
    }
    return at;
}

// Finds the codes of a warp's observations; UNKNOWN is added where scores do not decide.
enum { UNKNOWN = 1 << 15, NUMBER = (1 << BITS) - 1 };
__device__ __forceinline__ void find_codes(Shared &s, const T *tile, const int own)
{
    const int lane = threadIdx.x % 32, t = lane % 4;
    const float most = __int_as_float(s.most), scale = scale_of(most);
    const float largest = most * scale * scale; // some 2^8
    const float bound = 2 * (float(57 * STEPS) / (1 << 23) + float(1 << BITS) / (1 << 23))
                        + 2 * float(FEATURES + 4) / (1 << 24);
    #pragma unroll 1
    for (int first = own; first < own + OWN; first += 16 * TOGETHER) {
        unsigned high[TOGETHER][STEPS][4], low[TOGETHER][STEPS][4];
        float best[2 * TOGETHER], second[2 * TOGETHER], square[2 * TOGETHER];
        #pragma unroll
        for (int m = 0; m < TOGETHER; m++)
            #pragma unroll
            for (int h = 0; h < 2; h++) { // rows of the lane
                const T *row = tile + (first + 16 * m + 8 * h + lane / 4) * PITCH;
                const int r = 2 * m + h;
                best[r] = second[r] = FAR;
                square[r] = 0;
                #pragma unroll
                for (int k = 0; k < STEPS; k++) {
                    const Quad quad = *(const Quad *)(row + k * 16 + 4 * t);
                    float x[4];
                    #pragma unroll
                    for (int j = 0; j < 4; j++) {
                        const float middle = s.centre[k * 16 + 4 * t + j];
                        if constexpr (sizeof(T) == 4) x[j] = (quad.at[j] - middle) * scale;
                        else x[j] = float(quad.at[j] - middle) * scale;
                        square[r] = fmaf(x[j], x[j], square[r]);
                    }
                    split(x[0], x[1], high[m][k][h], low[m][k][h]);
                    split(x[2], x[3], high[m][k][2 + h], low[m][k][2 + h]);
                }
            }
        int number = 2 * t;
        #pragma unroll GROUPS_AT_ONCE
        for (int g = 0; g < GROUPS; g++, number += 8) {
            const float2 half = *(const float2 *)&s.halves[8 * g + 2 * t];
            float sum[TOGETHER][4];
            #pragma unroll
            for (int m = 0; m < TOGETHER; m++) {
                sum[m][0] = sum[m][2] = half.x;
                sum[m][1] = sum[m][3] = half.y;
            }
            #pragma unroll
            for (int k = 0; k < STEPS; k++) {
                const uint4 b = s.factors[(g * STEPS + k) * 32 + lane];
                #pragma unroll
                for (int m = 0; m < TOGETHER; m++) {
                    multiply(sum[m], high[m][k], b.z, b.w);
                    multiply(sum[m], low[m][k], b.x, b.y);
                    multiply(sum[m], high[m][k], b.x, b.y);
                }
            }
            #pragma unroll
            for (int i = 0; i < 4 * TOGETHER; i++) {
                const int bits = __float_as_int(sum[i / 4][i % 4]) & ~NUMBER;
                const float score = __int_as_float(bits | number + i % 2);
                const int r = i / 2;
                second[r] = fminf(second[r], fmaxf(best[r], score));
                best[r] = fminf(best[r], score);
            }
        }
        #pragma unroll
        for (int r = 0; r < 2 * TOGETHER; r++) {
            #pragma unroll
            for (int d = 1; d < 4; d *= 2) {
                const float other = __shfl_xor_sync(0xffffffffu, best[r], d);
                second[r] = fminf(second[r], __shfl_xor_sync(0xffffffffu, second[r], d));
                second[r] = fminf(second[r], fmaxf(best[r], other));
                best[r] = fminf(best[r], other);
                square[r] += __shfl_xor_sync(0xffffffffu, square[r], d);
            }
            const float both = square[r] + largest; // halves neither underflow nor overflow
            const bool is_known = second[r] - best[r] > bound * both && both < float(1 << 28)
                                  && most > 1e-30f && most < 1e30f;
            const int code = __float_as_int(best[r]) & NUMBER;
            if (t == r % 4)
                s.codes[first + r / 2 * 16 + r % 2 * 8 + lane / 4] = is_known ? code : UNKNOWN;
        }
    }
    __syncwarp();
}

// ---- sums ---------------------------------------------------------------------------------------

// Sorts the numbers of a tile's observations by their codes, of which `code` are the thread's.
__device__ __forceinline__ void sort_tile(Shared &s, const int (&code)[ROUNDS], const int own)
{
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int *counts = s.counts + warp * COUNTS, rank[ROUNDS];
    #pragma unroll
    for (int i = lane; i < COUNTS; i += 32) counts[i] = 0;
    __syncwarp();
    #pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        const unsigned same = __match_any_sync(0xffffffffu, code[k]);
        const int before = counts[code[k]], below = __popc(same & ((1u << lane) - 1));
        rank[k] = before + below;
        __syncwarp();
        if (below == 0) counts[code[k]] = before + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    int total = 0;
    #pragma unroll
    for (int w = 0; w < WARPS; w++) total += t < CODES ? s.counts[w * COUNTS + t] : 0;
    int end = total;
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, end, d);
        if (lane >= d) end += before;
    }
    if (lane == 31) s.starts[warp] = end; // for a moment
    __syncthreads();
    int start = end - total;
    #pragma unroll
    for (int w = 0; w < WARPS; w++) start += w < warp ? s.starts[w] : 0;
    __syncthreads();
    if (t < CODES) {
        s.starts[t] = start;
        s.members[t] += total;
        #pragma unroll
        for (int w = 0; w < WARPS; w++) {
            const int count = s.counts[w * COUNTS + t];
            s.counts[w * COUNTS + t] = start;
            start += count;
        }
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < ROUNDS; k++)
        if (code[k] < CODES) s.list[counts[code[k]] + rank[k]] = own + k * 32 + lane;
    __syncthreads();
}

// A thread adds four features of a code's observations.
__device__ __forceinline__ void add_tile(Shared &s, const T *tile, const int codes, const int count)
{
    #pragma unroll 1
    for (int i = threadIdx.x; i < codes * QUADS; i += THREADS) {
        const int code = i / QUADS, quad = i % QUADS, start = s.starts[code];
        const int end = code + 1 < CODES ? s.starts[code + 1] : count;
        double sum[4] = {};
        #pragma unroll 4
        for (int k = start; k < end; k++) {
            const Quad x = *(const Quad *)(tile + s.list[k] * PITCH + 4 * quad);
            #pragma unroll
            for (int j = 0; j < 4; j++) sum[j] += x.at[j];
        }
        #pragma unroll
        for (int j = 0; j < 4; j++) s.sums[code * WIDE + 4 * quad + j] += sum[j];
    }
}

// The sums and numbers of members of each block, and its sum of distances if they are wanted.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
lloyd_step(const T *obs, const T *book, int *code, double *sums, int *members, double *distances,
    const long long n, const int codes)
{
    extern __shared__ uint4 memory[];
    Shared &s = *(Shared *)memory;
    const int t = threadIdx.x, lane = t % 32, own = t / 32 * OWN;
    const long long ahead = gridDim.x * (long long)OBSERVATIONS;
    // Where there are no features or, at the end, no observations there is zero.
    #pragma unroll 8
    for (int i = t; i < int(sizeof(s.tiles) / 16); i += THREADS) memory[i] = {};
    __syncthreads();
    long long first = blockIdx.x * (long long)OBSERVATIONS;
    fetch(s.tiles[0], obs, first, n);
    prepare(s, book, codes);
    double distance = 0;
    #pragma unroll 1
    for (int half = 0; first < n; half ^= 1, first += ahead) {
        const T *tile = s.tiles[half];
        fetch(s.tiles[half ^ 1], obs, first + ahead, n);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        find_codes(s, tile, own);
        int found[ROUNDS];
        #pragma unroll
        for (int k = 0; k < ROUNDS; k++) {
            const int i = own + k * 32 + lane;
            const bool is_one = first + i < n;
            found[k] = is_one ? s.codes[i] : CODES;
            #pragma unroll 1
            for (unsigned left = __ballot_sync(0xffffffffu, found[k] == UNKNOWN); left;
                 left &= left - 1) {
                const int which = __ffs(left) - 1;
                const int nearest = nearest_of(s, tile + (own + k * 32 + which) * PITCH, codes);
                if (lane == which) found[k] = nearest;
            }
            if (is_one) code[first + i] = found[k];
            if (is_one && distances) {
                const T square = square_between(tile + i * PITCH, s.book + found[k] * ROW);
                distance += square < FAR ? sqrt(square) : T(FAR); // that of NaN is infinite
            }
        }
        sort_tile(s, found, own);
        add_tile(s, tile, codes, (int)min((long long)OBSERVATIONS, n - first));
        __syncthreads();
    }
    #pragma unroll 1
    for (int i = t; i < codes * FEATURES; i += THREADS)
        sums[blockIdx.x * (long long)(codes * FEATURES) + i] =
            s.sums[i / FEATURES * WIDE + i % FEATURES];
    if (t < codes) members[blockIdx.x * codes + t] = s.members[t];
    if (!distances) return;
    #pragma unroll
    for (int d = 16; d; d /= 2) distance += __shfl_xor_sync(0xffffffffu, distance, d);
    if (lane == 0) s.warps[t / 32] = distance;
    __syncthreads();
    if (t != 0) return;
    #pragma unroll
    for (int w = 1; w < WARPS; w++) distance += s.warps[w];
    distances[blockIdx.x] = distance;
}

// Means of clusters: those of blocks, a slice of which a warp adds. A cluster without members keeps
// its mean. `empty` is how many such there are, `distance` the mean distance.
extern "C" __global__ void __launch_bounds__(32 * SLICES)
lloyd_means(const double *sums, const int *members, const double *distances, const T *before,
    T *after, int *total, int *empty, T *distance, const long long n, const int blocks,
    const int codes)
{
    __shared__ double parts[SLICES][32];
    __shared__ int counts[SLICES][32];
    const int lane = threadIdx.x, slice = threadIdx.y, i = blockIdx.x * 32 + lane;
    const int first = slice * blocks / SLICES, last = (slice + 1) * blocks / SLICES;
    const int size = codes * FEATURES, at = min(i, size - 1);
    double sum = 0;
    int count = 0;
    #pragma unroll 8
    for (int b = first; b < last; b++) {
        sum += sums[b * (long long)size + at];
        count += members[b * codes + at / FEATURES];
    }
    parts[slice][lane] = sum;
    counts[slice][lane] = count;
    __syncthreads();
    if (slice == 0 && i < size) {
        #pragma unroll
        for (int k = 1; k < SLICES; k++) {
            sum += parts[k][lane];
            count += counts[k][lane];
        }
        after[i] = count ? T(sum / count) : before[i];
        if (i % FEATURES == 0) {
            total[i / FEATURES] = count;
            if (count == 0) atomicAdd(empty, 1);
        }
    }
    if (!distances || blockIdx.x || slice != SLICES - 1) return;
    double all = 0;
    #pragma unroll 4
    for (int b = lane; b < blocks; b += 32) all += distances[b];
    #pragma unroll
    for (int d = 16; d; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
    if (lane == 0) *distance = T(all / n);
}
"""


class Step(NamedTuple):
    """What a step gives."""

    code: ndarray  # of each observation
    book: ndarray  # the next codes, where those without members stay as they are
    members: ndarray  # how many observations are of each code
    distance: ndarray  # the mean one, if it was wanted


def _threads(codes: int) -> int:
    """How many a block has: one for each code, else few, as some compute while others wait."""
    return 128 if codes <= 128 else _MOST_CODES


def _observations(features: int, codes: int, size: int) -> int:
    """How many a block has at a time."""
    return _threads(codes) * max(1, _TILE // (-(-features // _STEP) * _STEP * size))


def _bytes(features: int, codes: int, size: int) -> int:
    """Shared memory of a block, or a little more."""
    pitch, wide = -(-features // _STEP) * _STEP, -(-features // 4) * 4
    observations = _observations(features, codes, size)
    tiles, factors = 2 * observations * pitch * size, codes * pitch * 4
    book, sums = codes * (wide * size + 16), codes * wide * 8
    counts = codes * (_threads(codes) // 32 + 3) * 4 + observations * 4
    return tiles + factors + book + sums + counts + 1024


def _padded(codes: int) -> int:
    return -(-codes // _UNIT) * _UNIT


def _source(features: int, codes: int, size: int, aligned: bool) -> str:
    words = {"FEATURES": features, "CODES": codes, "ALIGNED": int(aligned)}
    threads, observations = _threads(codes), _observations(features, codes, size)
    words |= {"THREADS": threads, "RESIDENT": _RESIDENT // threads}
    words |= {"OBSERVATIONS": observations, "SLICES": _SLICES}
    words |= {"BITS": (codes - 1).bit_length(), "BYTES": _bytes(features, codes, size)}
    words |= {"GROUPS_AT_ONCE": 4}
    head = f"typedef {'float' if size == 4 else 'double'} T;\n"
    head += "".join(f"enum {{ {name} = {value} }};\n" for name, value in words.items())
    return head + _SOURCE


@functools.cache
def _kernels(features: int, codes: int, size: int, aligned: bool) -> tuple[Any, Any]:
    """The kernels for observations of so many features, and at most so many codes."""
    module = RawModule(code=_source(features, codes, size, aligned))
    step, means = (module.get_function(name) for name in ("lloyd_step", "lloyd_means"))
    step.max_dynamic_shared_size_bytes = _bytes(features, codes, size)
    return step, means


def is_joint(obs: ndarray, book: ndarray) -> bool:
    """Whether a step is made in one reading of the observations."""
    (count, features), codes, size = obs.shape, book.shape[0], obs.dtype.itemsize
    fits = _LEAST <= count < 1 << 31 and _FEWEST <= features <= _MOST and codes <= _MOST_CODES
    fits = fits and _bytes(features, _padded(codes), size) <= shared_bytes()
    return fits and int(get_compute_capability()) >= _CAPABILITY


def joint_step(obs: ndarray, book: ndarray, empty_ones: ndarray, measures: bool) -> Step:
    """A step from a contiguous book. The number of codes without observations is added to
    `empty_ones`; `measures` says whether the mean distance is wanted."""
    (count, features), codes, size = obs.shape, book.shape[0], obs.dtype.itemsize
    aligned = obs.data.ptr % 16 == 0 and features * size % 16 == 0
    padded = _padded(codes)
    step, means = _kernels(features, padded, size, aligned)
    threads, tiles = _threads(padded), -(-count // _observations(features, padded, size))
    blocks = min(tiles, _RESIDENT // threads * multiprocessors())
    code, members = empty(count, np.int32), empty((blocks, codes), np.int32)
    sums = empty((blocks, codes, features), np.float64)
    distances: Any = empty(blocks, np.float64) if measures else np.uint64(0)
    numbers = (np.int64(count), np.int32(codes))
    given = (obs, book, code, sums, members, distances, *numbers)
    step((blocks,), (threads,), given, shared_mem=_bytes(features, padded, size))
    after, total, mean = empty(book.shape, obs.dtype), empty(codes, np.int32), empty((), obs.dtype)
    results = (after, total, empty_ones, mean)
    grid = (-(-codes * features // 32),)
    counts = (np.int64(count), np.int32(blocks), np.int32(codes))
    means(grid, (32, _SLICES), (sums, members, distances, book, *results, *counts))
    return Step(code, after, total, mean)
