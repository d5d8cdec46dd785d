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

from ..._core.multiarray import empty, ndarray, zeros
from ..._core.raw import RawModule

_ROWS, _WIDTH, _DEPTH, _THREADS = 64, 64, 8, 128
LEAST = 128  # points of each set
_SAMPLES = 256  # points that the centre is made of
BLOCKS = 512  # of the kernel that takes a list
PAIRS = 1 << 20  # from so many on
_COORDINATES = 32  # with fewer more sums cancel
_LONG = "__CUDA_ARCH__ >= 900"  # products of 8 coordinates, which these devices have

_SOURCE = """
#undef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000)
enum { ROWS = %(rows)s, WIDTH = %(width)s, DEPTH = %(depth)s, THREADS = %(threads)s };
enum { SAMPLES = %(samples)s, FEW = THREADS / 4 };
enum { PROBES = THREADS * 8 };
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
// that is an eighth of the deviation or less: numbers of few digits still have few of them.
extern "C" __global__ void __launch_bounds__(SAMPLES)
centre(const double *points, double *out, const long long count, const long long size)
{
    __shared__ double parts[SAMPLES];
    const long long step = (count + SAMPLES - 1) / SAMPLES, samples = (count + step - 1) / step;
    const bool counts = threadIdx.x < samples;
    const double first = points[blockIdx.x];
    const double x = counts ? points[threadIdx.x * step * size + blockIdx.x] - first : 0;
    const double mean = total(parts, x) / samples, off = counts ? x - mean : 0;
    const double deviation = sqrt(total(parts, off * off) / samples);
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

// Points less the centre, with zeros up to whole tiles and steps, and their squares,
// infinite ones where digits may be lost below the smallest number or above the largest. A warp a
// point.
extern "C" __global__ void __launch_bounds__(THREADS)
centred(const double *points, const double *centre, double *out, double *squares,
    const long long count, const long long size, const long long padded, const bool is_left)
{
    const long long point = (blockIdx.x * (long long)THREADS + threadIdx.x) / 32;
    double sum = 0;
    for (long long k = threadIdx.x %% 32; k < padded; k += 32) {
        const bool is_one = point < count && k < size;
        const double x = is_one ? points[point * size + k] - centre[k] : 0;
        out[place_of(point, k, padded, is_left)] = x;
        sum = fma(x, x, sum);
    }
    #pragma unroll
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    const bool is_exact = sum > 1e-280 && sum < 1e300;
    if (threadIdx.x %% 32 == 0) squares[point] = is_exact || point >= count ? sum : INFINITY;
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

// What a thread reads of a step.
struct Reader {
    const double2 *x, *y;
    long long far;  // between what it reads of one step
    double2 xs[XS], ys[YS];

    __device__ __forceinline__ void read()
    {
        #pragma unroll
        for (int m = 0; m < XS; m++) xs[m] = x[m * far];
        #pragma unroll
        for (int m = 0; m < YS; m++) ys[m] = y[m * far];
        x += DEPTH * 8;
        y += DEPTH * 4;
    }
    __device__ __forceinline__ void store(Step &to) const
    {
        #pragma unroll
        for (int m = 0; m < XS; m++) (&to.xs[0][0][0])[threadIdx.x + m * THREADS] = xs[m];
        #pragma unroll
        for (int m = 0; m < YS; m++) (&to.ys[0][0])[threadIdx.x + m * THREADS] = ys[m];
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

// Whether PROBES pairs say that most tiles would have to be computed again: then all are left to
// the list. The pairs are always the same, so that results have the same bits in every run.
extern "C" __global__ void __launch_bounds__(THREADS)
probe(const double *left, const double *left_squares, const double *right,
    const double *right_squares, const long long rows, const long long count, const long long size,
    long long *leaves_all)
{
    int cancel = 0;
    #pragma unroll 1
    for (long long k = threadIdx.x; k < PROBES; k += THREADS) {
        const long long row = k * rows / PROBES, column = k * 2654435761ll %% count;
        const double sum = by_differences(left + row * size, right + column * size, size);
        cancel += __syncthreads_count(!(sum * 8 >= left_squares[row] + right_squares[column]));
    }
    if (threadIdx.x == 0) *leaves_all = cancel * 64 > PROBES;
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

// Bits of sums: 8 j + 2 i + h is that of row i and of column (j, h).
enum : unsigned { ROW = 0x03030303, COLUMN = 0x55 };

// A block has ROWS x WIDTH distances, a warp 32 x 32.
extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
products(const double *left, const double *left_centred, const double *left_squares,
    const double *right, const double *right_centred, const double *right_squares, double *out,
    const long long rows, const long long count, const long long size, const long long padded,
    long long *list)
{
    __shared__ Step steps[2];
    const long long across = (count + WIDTH - 1) / WIDTH, row0 = blockIdx.x / across * ROWS;
    const long long column0 = (blockIdx.x - row0 / ROWS * across) * WIDTH;
    const int warp = threadIdx.x / 32, g = threadIdx.x %% 32 / 4, k = threadIdx.x %% 4;
    const int down = warp / 2 * 32 + g, beside = warp %% 2 * 32;
    if (%(pairs)s && column0 + WIDTH <= row0 + 1) return;
    if (list[1 + gridDim.x]) {
        if (threadIdx.x == 0) list[1 + atomicAdd((unsigned long long *)list, 1ull)] = blockIdx.x;
        return;
    }
    Reader reader;
    const int t = threadIdx.x, lane = t %% 32;
    reader.x = (const double2 *)(left_centred + (row0 + t / 64 * 16) * padded) + t %% 64;
    reader.y = (const double2 *)(right_centred + (column0 + warp * 8) * padded) + lane;
    reader.far = padded * (THREADS / 8);
    reader.read();
    reader.store(steps[0]);
    __syncthreads();
    double sums[2][4][4] = {};
    int now = 0;
    #pragma unroll 1
    for (long long left_over = padded - DEPTH; left_over >= 0; left_over -= DEPTH, now ^= 1) {
        const Step &step = steps[now];
        if (left_over > 0) reader.read();
        double2 x[4];
        #pragma unroll
        for (int i = 0; i < 4; i++) x[i] = step.xs[warp / 2 * 2 + i / 2][i %% 2][lane];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const double2 y = step.ys[warp %% 2 * 4 + j][lane];
            multiply(sums[0][j], x[0], x[1], y);
            multiply(sums[1][j], x[2], x[3], y);
        }
        if (left_over > 0) reader.store(steps[now ^ 1]);
        __syncthreads();
    }
    unsigned cancels = 0, beyond = 0;
    const long long row1 = row0 + down, column1 = column0 + beside + k * 2;
    double squares[4];
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        squares[i] = left_squares[row1 + i * 8];
        if (squares[i] > 1e300) cancels |= ROW << i * 2;
        if (row1 + i * 8 >= rows) beyond |= ROW << i * 2;
    }
    #pragma unroll
    for (int j = 0; j < 4; j++) {
        const double2 others = *(const double2 *)&right_squares[column1 + j * 8];
        #pragma unroll
        for (int h = 0; h < 2; h++) {
            const double other = h ? others.y : others.x;
            if (other > 1e300) cancels |= COLUMN << (j * 8 + h);
            if (column1 + j * 8 + h >= count) beyond |= COLUMN << (j * 8 + h);
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
    cancels &= ~beyond;
    if (__syncthreads_count(cancels != 0) > FEW) {
        if (threadIdx.x == 0) list[1 + atomicAdd((unsigned long long *)list, 1ull)] = blockIdx.x;
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
                double2 *to = (double2 *)&out[row * count + column1] + j * 4;
                if (!(beyond >> (j * 8 + i * 2) & 1)) *to = make_double2(found[0], found[1]);
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
        "long": _LONG,
        "finish": "sqrt(square)" if name == "euclidean" else "square",
        "is_root": int(name == "euclidean"),
        "pairs": int(form == "pdist"),
        "wide": int(wide),
        "place": place,
    }
    module = RawModule(code=_SOURCE % words)
    return [module.get_function(called) for called in ("centre", "centred", "probe", "products")]


def by_products(made: Any, left: ndarray, right: ndarray, out: ndarray) -> ndarray:
    """Distances into `out`, but for tiles of 64 x 64 of the list that is returned."""
    find_centre, subtract, probe, multiply = made
    (rows, size), count = left.shape, right.shape[0]
    padded = -(-size // _DEPTH) * _DEPTH
    middle = empty(size)
    find_centre((size,), (_SAMPLES,), (left, middle, np.int64(rows), np.int64(size)))
    sets: list[ndarray] = []
    for points, is_left in ((left, True), (right, False)):
        whole = -(-points.shape[0] // _ROWS) * _ROWS
        around, squares = empty((whole, padded)), empty(whole)
        numbers = (np.int64(points.shape[0]), np.int64(size), np.int64(padded), np.bool_(is_left))
        grid = (whole * 32 // _THREADS,)
        subtract(grid, (_THREADS,), (points, middle, around, squares, *numbers))
        sets += [points, around, squares]
    across, down = -(-count // _WIDTH), -(-rows // _ROWS)
    tiles = zeros(2 + across * down, np.int64)
    sizes = [np.int64(n) for n in (rows, count, size, padded)]
    probe((1,), (_THREADS,), (*sets[0:3:2], *sets[3:6:2], *sizes[:3], tiles[-1:]))
    multiply((across * down,), (_THREADS,), (*sets, out, *sizes, tiles))
    return tiles
