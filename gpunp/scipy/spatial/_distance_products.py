"""Euclidean distances between large sets of points of many coordinates, by products of matrices.

The square of a distance is |x|^2 + |y|^2 - 2 x y, of points around their centre: products are the
work of the tensor cores, which have twice the rate of the other float64 units. Where that sum is
less than an eighth of |x|^2 + |y|^2 digits have cancelled, and the differences are squared instead:
one by one, or in tiles that another kernel gets in a list, where they are many. With n coordinates
the relative error of a distance is 4 (n + n / 32 + 12) / 2**53 at most, and a quarter of that where
squares do not cancel by more than half; by differences it is (n + 2) / 2**54.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import empty, ndarray
from ..._core.raw import RawModule

_ROWS, _WIDTH, _DEPTH, _THREADS = 64, 64, 8, 128
LEAST = 128  # points of each set
_STAGES = 4  # steps of a tile in shared memory
_SAMPLES = 256  # points that the centre is made of
_PROBES = 1024  # pairs of points that say whether squares cancel
BLOCKS = 512  # of the kernel that takes a list
PAIRS = 1 << 20  # from so many on
_COORDINATES = 32  # with fewer more sums cancel
_LONG = "__CUDA_ARCH__ >= 900"  # products of 8 coordinates, which these devices have

_SOURCE = """
#undef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000)
enum { ROWS = %(rows)s, WIDTH = %(width)s, DEPTH = %(depth)s, THREADS = %(threads)s };
enum { SAMPLES = %(samples)s, PROBES = %(probes)s, FEW = THREADS / 4, STAGES = %(stages)s };
enum { XS = ROWS * 4 / THREADS, YS = WIDTH * 4 / THREADS };  // that a thread reads of a step
struct Step { double2 xs[ROWS / 16][2][32], ys[WIDTH / 8][32]; };

__device__ __forceinline__ double total(double *parts, const double mine)
{
    __syncthreads();
    parts[threadIdx.x] = mine;
    #pragma unroll 1
    for (int d = SAMPLES / 2; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) parts[threadIdx.x] += parts[threadIdx.x + d];
    }
    __syncthreads();
    return parts[0];
}

// Of one coordinate the mean of SAMPLES points, as the first point and a multiple of a power of two
// that is an eighth of the deviation or less: numbers of few digits still have few of them. The
// list of tiles is made empty.
extern "C" __global__ void __launch_bounds__(SAMPLES)
centre(const double *points, double *out, const long long count, const long long size,
    long long *list, const long long tiles)
{
    __shared__ double parts[SAMPLES];
    const long long step = (count + SAMPLES - 1) / SAMPLES, samples = (count + step - 1) / step;
    const bool counts = threadIdx.x < samples;
    const double first = points[blockIdx.x];
    const double x = counts ? points[threadIdx.x * step * size + blockIdx.x] - first : 0;
    const double mean = total(parts, x) / samples, off = counts ? x - mean : 0;
    const double deviation = sqrt(total(parts, off * off) / samples);
    if (blockIdx.x + threadIdx.x == 0) list[0] = list[1 + tiles] = 0;
    if (threadIdx.x == 0) {
        const double unit = deviation < 1e300 ? scalbn(1.0, ilogb(deviation) - 3) : 0;
        out[blockIdx.x] = deviation > 0 && unit > 0 ? first + rint(mean / unit) * unit : first;
    }
}

// Where a lane of `multiply` has coordinate k of a point: one of 16 on the left, of 8 on the right.
__device__ __forceinline__ long long
place_of(const long long point, const long long k, const long long padded, const bool is_left)
{
    const int lane = (int)(point %% 8 * 4 + k %% 4), second = (int)(k %% 8 / 4);
    if (is_left)
        return (point / 16 * padded + k / 8 * 8) * 16 + second * 64 + lane * 2 + point %% 16 / 8;
    return (point / 8 * padded + k / 8 * 8) * 8 + lane * 2 + second;
}

__device__ __forceinline__ double sum_of_warp(double x)
{
    #pragma unroll
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

// Digits may be lost below the smallest number or above the largest.
__device__ __forceinline__ bool is_exact(const double square)
{
    return square > 1e-280 && square < 1e300;
}

// A set of points, and the same less the centre, with zeros up to whole tiles and steps, and their
// squares, infinite ones where they may not be exact.
struct Set {
    const double *points;
    double *centred, *squares;
    long long count, whole;
};
__device__ __forceinline__ long long whole(const long long count, const int unit)
{
    return (count + unit - 1) / unit * unit;
}

// A warp a point of either set, then one of PROBES pairs, which say whether most tiles would have
// to be computed again: `cancels` counts those that would. The pairs are always the same, so that
// results have the same bits in every run.
extern "C" __global__ void __launch_bounds__(THREADS)
centred(const double *left, double *left_centred, double *left_squares, const double *right,
    double *right_centred, double *right_squares, const double *centre, const long long rows,
    const long long count, const long long size, const long long padded,
    unsigned long long *cancels)
{
    const Set sets[2] = {{left, left_centred, left_squares, rows, whole(rows, ROWS)},
                         {right, right_centred, right_squares, count, whole(count, WIDTH)}};
    const int lane = threadIdx.x %% 32;
    const long long warp = (blockIdx.x * (long long)THREADS + threadIdx.x) / 32;
    const long long pair = warp - sets[0].whole - sets[1].whole;
    if (pair >= 0) {
        const double *x = left + pair * rows / PROBES * size;
        const double *y = right + pair * 2654435761ll %% count * size;
        double apart = 0, one = 0, two = 0;
        #pragma unroll 4
        for (long long k = lane; k < size; k += 32) {
            const double a = x[k], b = y[k], c = centre[k];
            apart = fma(a - b, a - b, apart);
            one = fma(a - c, a - c, one);
            two = fma(b - c, b - c, two);
        }
        apart = sum_of_warp(apart), one = sum_of_warp(one), two = sum_of_warp(two);
        const bool stays = apart * 8 >= one + two && is_exact(one) && is_exact(two);
        if (lane == 0 && !stays) atomicAdd(cancels, 1ull);
        return;
    }
    const bool is_left = warp < sets[0].whole;
    const Set set = is_left ? sets[0] : sets[1];
    const long long point = is_left ? warp : warp - sets[0].whole;
    double sum = 0;
    #pragma unroll 2
    for (long long k = lane; k < padded; k += 32) {
        const bool is_one = point < set.count && k < size;
        const double x = is_one ? set.points[point * size + k] - centre[k] : 0;
        set.centred[place_of(point, k, padded, is_left)] = x;
        sum = fma(x, x, sum);
    }
    sum = sum_of_warp(sum);
    if (lane == 0) set.squares[point] = is_exact(sum) || point >= set.count ? sum : INFINITY;
}

// Adds products of eight coordinates of 16 points and of 8. Lane 4 g + k has numbers k and k + 4 of
// points g and g + 8 and of the other point g, and sums of points g and g + 8, and of the other
// points 2 k and 2 k + 1.
__device__ __forceinline__ void
multiply(double (&sums)[4], const double2 one, const double2 two, const double2 y)
{
#if %(long)s
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
        " {%%0, %%1, %%2, %%3}, {%%4, %%5, %%6, %%7}, {%%8, %%9}, {%%0, %%1, %%2, %%3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(one.x), "d"(one.y), "d"(two.x), "d"(two.y), "d"(y.x), "d"(y.y));
#else
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        const double2 x = i < 2 ? one : two;
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%%0, %%1}, {%%2}, {%%3}, {%%0, %%1};"
            : "+d"(sums[i %% 2 * 2]), "+d"(sums[i %% 2 * 2 + 1])
            : "d"(i %% 2 ? x.y : x.x), "d"(i < 2 ? y.x : y.y));
    }
#endif
}

__device__ __forceinline__ void copy(double2 &to, const double2 *from)
{
    asm volatile("cp.async.cg.shared.global [%%0], [%%1], 16;"
        :: "r"((unsigned)__cvta_generic_to_shared(&to)), "l"(from) : "memory");
}
__device__ __forceinline__ void end_of_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most N groups of copies are left.
template <int N> __device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_group %%0;" :: "n"(N) : "memory");
}

// What a thread copies of each step.
struct Reader {
    const double2 *x, *y;
    long long far;  // between what it copies of one step

    __device__ __forceinline__ void read(Step &to)
    {
        #pragma unroll
        for (int m = 0; m < XS; m++)
            copy((&to.xs[0][0][0])[threadIdx.x + m * THREADS], x + m * far);
        #pragma unroll
        for (int m = 0; m < YS; m++) copy((&to.ys[0][0])[threadIdx.x + m * THREADS], y + m * far);
        x += DEPTH * 8;
        y += DEPTH * 4;
    }
};

__device__ __noinline__ double
by_differences(const double *x, const double *y, const long long size)
{
    double sum = 0;
    #pragma unroll 4
    for (long long k = 0; k < size; k++) {
        const double d = x[k] - y[k];
        sum = fma(d, d, sum);
    }
    return sum;
}

__device__ __forceinline__ double finish(const double square) { return %(finish)s; }

// The same of squares that do not cancel, which are neither small nor large: roots have no branch,
// so that many of them are computed at a time (Markstein 1990).
__device__ __forceinline__ double finish_plain(const double square)
{
    if (!%(is_root)s) return square;
    double y;
    asm("rsqrt.approx.ftz.f64 %%0, %%1;" : "=d"(y) : "d"(square));
    const double off = fma(square * y, -y, 1.0);
    y = fma(off * y, fma(off, 0.375, 0.5), y);
    const double root = square * y;
    return fma(fma(-root, root, square), 0.5 * y, root);
}

// At once: the compiler would divide some of these stores.
__device__ __forceinline__ void store(double *to, const double one, const double two)
{
    asm volatile("st.global.v2.f64 [%%0], {%%1, %%2};" :: "l"(to), "d"(one), "d"(two) : "memory");
}

// Puts the tiles of 64 x 64 of a block into the list.
__device__ __forceinline__ void leave(long long *list, const long long row0, const long long rows,
    const long long column0, const long long count)
{
    const long long across = (count + 63) / 64;
    #pragma unroll 1
    for (int i = 0; i < ROWS; i += 64) {
        if (row0 + i >= rows) return;
        const long long tile = (row0 + i) / 64 * across + column0 / 64;
        list[1 + atomicAdd((unsigned long long *)list, 1ull)] = tile;
    }
}

// Bits of sums: 8 j + 2 i + h is that of row i and of column (j, h).
enum : unsigned { ROW = 0x03030303, COLUMN = 0x55 };

// A block has ROWS x WIDTH distances, a warp 32 x 32. Coordinates are copied STAGES - 1 steps
// ahead, so that a block that is ahead of others need not wait for memory, and its roots are
// computed beside products of the others.
extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
products(const double *left, const double *left_centred, const double *left_squares,
    const double *right, const double *right_centred, const double *right_squares, double *out,
    const long long rows, const long long count, const long long size, const long long padded,
    long long *list, const long long *cancelled)
{
    __shared__ Step steps[STAGES];
    __shared__ double2 of_rows[ROWS / 2], of_columns[WIDTH / 2]; // squares
    const unsigned across = (unsigned)((count + WIDTH - 1) / WIDTH), tile = blockIdx.x / across;
    const long long row0 = (long long)tile * ROWS;
    const long long column0 = (long long)(blockIdx.x - tile * across) * WIDTH;
    const int t = threadIdx.x, warp = t / 32, lane = t %% 32, g = lane / 4, k = t %% 4;
    const int down = warp / 2 * 32 + g, beside = warp %% 2 * 32;
    if (%(pairs)s && column0 + WIDTH <= row0 + 1) return;
    Reader reader;
    reader.x = (const double2 *)(left_centred + (row0 + t / 64 * 16) * padded) + t %% 64;
    reader.y = (const double2 *)(right_centred + (column0 + warp * 8) * padded) + lane;
    reader.far = padded * (THREADS / 8);
    if (t < ROWS / 2) copy(of_rows[t], (const double2 *)(left_squares + row0) + t);
    else if (t < (ROWS + WIDTH) / 2)
        copy(of_columns[t - ROWS / 2], (const double2 *)(right_squares + column0) + t - ROWS / 2);
    const int all = (int)(padded / DEPTH);
    #pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < all) reader.read(steps[i]);
        end_of_copies();
    }
    if (*cancelled * 64 > PROBES) { // most tiles would have to be computed again
        if (t == 0) leave(list, row0, rows, column0, count);
        wait_for_copies<0>();
        return;
    }
    double sums[2][4][4] = {};
    int now = 0, next = STAGES - 1;
    #pragma unroll 1
    for (int done = 0; done < all; done++) {
        wait_for_copies<STAGES - 2>();
        __syncthreads(); // all have used the step before, in whose place the next one is copied
        if (done + STAGES - 1 < all) reader.read(steps[next]);
        end_of_copies();
        const Step &step = steps[now];
        next = now;
        now = now + 1 < STAGES ? now + 1 : 0;
        double2 x[4];
        #pragma unroll
        for (int i = 0; i < 4; i++) x[i] = step.xs[warp / 2 * 2 + i / 2][i %% 2][lane];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const double2 y = step.ys[warp %% 2 * 4 + j][lane];
            multiply(sums[0][j], x[0], x[1], y);
            multiply(sums[1][j], x[2], x[3], y);
        }
    }
    unsigned cancels = 0, beyond = 0;
    const long long row1 = row0 + down, column1 = column0 + beside + k * 2;
    double squares[4];
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        squares[i] = ((const double *)of_rows)[down + i * 8];
        if (squares[i] > 1e300) cancels |= ROW << i * 2;
    }
    #pragma unroll
    for (int j = 0; j < 4; j++) {
        const double2 others = of_columns[beside / 2 + k + j * 4];
        #pragma unroll
        for (int h = 0; h < 2; h++) {
            const double other = h ? others.y : others.x;
            if (other > 1e300) cancels |= COLUMN << (j * 8 + h);
            #pragma unroll
            for (int i = 0; i < 4; i++) {
                const double both = squares[i] + other;
                double &sum = sums[i / 2][j][i %% 2 * 2 + h];
                sum = fma(-2, sum, both);
                // Upper halves are in the order of numbers; an eighth has three less as exponent.
                if (__double2hiint(sum) < __double2hiint(both) - (3 << 20))
                    cancels |= 1u << (j * 8 + i * 2 + h);
            }
        }
    }
    if (row0 + ROWS > rows || column0 + WIDTH > count) {
        #pragma unroll
        for (int i = 0; i < 4; i++) beyond |= row1 + i * 8 >= rows ? ROW << i * 2 : 0;
        #pragma unroll
        for (int j = 0; j < 8; j++)
            beyond |= column1 + j / 2 * 8 + j %% 2 >= count ? COLUMN << (j / 2 * 8 + j %% 2) : 0;
        cancels &= ~beyond;
    }
    if (__syncthreads_count(cancels != 0) > FEW) {
        if (t == 0) leave(list, row0, rows, column0, count);
        return;
    }
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        const long long row = row1 + i * 8;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const double *squared = &sums[i / 2][j][i %% 2 * 2];
            const double found[2] = {finish_plain(squared[0]), finish_plain(squared[1])};
            if (%(wide)s) {
                double *to = &out[row * count + column1 + j * 8];
                if (!(beyond >> (j * 8 + i * 2) & 1)) store(to, found[0], found[1]);
                continue;
            }
            #pragma unroll
            for (int h = 0; h < 2; h++) {
                const long long column = column1 + j * 8 + h;
                if (beyond >> (j * 8 + i * 2 + h) & 1 || (%(pairs)s && column <= row)) continue;
                out[%(place)s] = found[h];
            }
        }
    }
    #pragma unroll 1
    for (; cancels; cancels &= cancels - 1) {
        const int bit = __ffs(cancels) - 1;
        const long long row = row1 + bit %% 8 / 2 * 8, column = column1 + bit / 8 * 8 + bit %% 2;
        if (%(pairs)s && column <= row) continue;
        const double sum = by_differences(left + row * size, right + column * size, size);
        out[%(place)s] = finish(sum);
    }
}
"""


def is_product(name: str, sizes: tuple[int, int, int], weighted: bool, capability: int) -> bool:
    """Whether sets of (rows, columns) points of so many coordinates are large enough, and the
    device, of a capability as 90, has tensor cores that are faster than its other units."""
    rows, columns, size = sizes
    is_square = name in ("euclidean", "sqeuclidean") and not weighted
    is_large = rows * columns >= PAIRS and size >= _COORDINATES and min(rows, columns) >= LEAST
    return is_square and is_large and capability in (80, 90)


@functools.cache
def kernels(name: str, form: str, place: str, wide: bool) -> Any:
    """The kernels of a metric, the last of which stores two distances at once if `wide`."""
    words = {
        "rows": _ROWS,
        "width": _WIDTH,
        "depth": _DEPTH,
        "threads": _THREADS,
        "samples": _SAMPLES,
        "probes": _PROBES,
        "stages": _STAGES,
        "long": _LONG,
        "finish": "sqrt(square)" if name == "euclidean" else "square",
        "is_root": int(name == "euclidean"),
        "pairs": int(form == "pdist"),
        "wide": int(wide),
        "place": place,
    }
    module = RawModule(code=_SOURCE % words)
    return [module.get_function(called) for called in ("centre", "centred", "products")]


def by_products(made: Any, left: ndarray, right: ndarray, out: ndarray) -> ndarray:
    """Distances into `out`, but for tiles of 64 x 64 of the list that is returned."""
    find_centre, subtract, multiply = made
    (rows, size), count = left.shape, right.shape[0]
    padded = -(-size // _DEPTH) * _DEPTH
    across, down = -(-count // _WIDTH), -(-rows // _ROWS)
    middle, tiles = empty(size), empty(2 + across * -(-rows // 64), np.int64)
    numbers = (np.int64(rows), np.int64(size))
    find_centre((size,), (_SAMPLES,), (left, middle, *numbers, tiles, np.int64(tiles.size - 2)))
    sets: list[ndarray] = []
    for points, whole in ((left, down * _ROWS), (right, across * _WIDTH)):
        sets += [points, empty((whole, padded)), empty(whole)]
    warps = down * _ROWS + across * _WIDTH + _PROBES
    sizes = [np.int64(n) for n in (rows, count, size, padded)]
    subtract((warps * 32 // _THREADS,), (_THREADS,), (*sets, middle, *sizes, tiles[-1:]))
    multiply((across * down,), (_THREADS,), (*sets, out, *sizes, tiles, tiles[-1:]))
    return tiles
