"""Distances between large sets of points.

A thread has a tile of distances, whose coordinates stay in registers, where a metric adds by few
operations.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import ascontiguousarray, ndarray
from ..._core.raw import RawKernel
from ...cuda.device import get_compute_capability
from ._distance_products import BLOCKS, by_products, is_product, kernels
from ._metrics import METRICS, PREAMBLE, kernel

# Tiles of 64 rows and WIDTH columns: a block reads DEPTH coordinates of their points into shared
# memory while it adds up those before, and each of its 16 x 16 threads has 4 rows and WIDTH / 16
# columns. Sums have the order of those above. What is beyond an end is read from the last point.
TILE_ROWS, _THREADS = 64, 256
_TILED = """
enum { ROWS = %(rows)s, WIDTH = %(width)s, DEPTH = 16, THREADS = %(threads)s };
enum { HIGH = ROWS / 16, OWN = WIDTH / 16 };
struct Sums { double a, b, c, s; };
struct Step { double xs[DEPTH][ROWS + 2], ys[DEPTH][WIDTH + 2], ws[DEPTH]; };

__device__ __forceinline__ void
add(Sums &sums, const double x, const double y, const double w)
{
    double &a = sums.a, &b = sums.b, &c = sums.c, &s = sums.s;
    %(step)s
}

__device__ __noinline__ double
finish(const Sums &sums, const double n)
{
    const double a = sums.a, b = sums.b, c = sums.c, s = sums.s;
    return %(finish)s;
}

// What a thread reads of a step: coordinate t %% DEPTH of HIGH points and of OWN others.
struct Reader {
    const double *x[HIGH], *y[OWN], *weight;
    double xs[HIGH], ys[OWN], w;

    template <int N> static __device__ __forceinline__ void
    begin(const double *(&at)[N], const double *points, const long long first,
        const long long count, const long long size)
    {
        #pragma unroll
        for (int i = 0; i < N; i++) {
            const long long point = min(first + threadIdx.x / DEPTH + i * 16, count - 1);
            at[i] = points + point * size + threadIdx.x %% DEPTH;
        }
    }
    template <int N> static __device__ __forceinline__ void
    read(const double *(&at)[N], double (&to)[N], const int depth)
    {
        #pragma unroll
        for (int i = 0; i < N; i++) {
            if (threadIdx.x %% DEPTH < depth) to[i] = *at[i];
            at[i] += DEPTH;
        }
    }
    __device__ __forceinline__ void read(const int depth)
    {
        read(x, xs, depth);
        read(y, ys, depth);
        if (%(weighted)s && threadIdx.x < depth) w = *weight;
        weight += DEPTH;
    }
    __device__ __forceinline__ void store(Step &to) const
    {
        const int k = threadIdx.x %% DEPTH, point = threadIdx.x / DEPTH;
        #pragma unroll
        for (int i = 0; i < HIGH; i++) to.xs[k][point + i * 16] = xs[i];
        #pragma unroll
        for (int i = 0; i < OWN; i++) to.ys[k][point + i * 16] = ys[i];
        if (%(weighted)s && threadIdx.x < DEPTH) to.ws[k] = w;
    }
};

__device__ __forceinline__ void
fill(Step (&steps)[2], const long long row0, const long long column0, const double *left,
    const double *right, const double *weights, double *out, const long long rows,
    const long long count, const long long size, const double n)
{
    const int t = threadIdx.x, down = t / 16 * 4, beside = t %% 16 * 2;
    if (%(pairs)s && column0 + WIDTH <= row0 + 1) return;
    Sums sums[4][OWN] = {};
    Reader reader = {};
    Reader::begin(reader.x, left, row0, rows, size);
    Reader::begin(reader.y, right, column0, count, size);
    reader.weight = weights + t;
    reader.read((int)min(size, (long long)DEPTH));
    reader.store(steps[0]);
    __syncthreads();
    int now = 0;
    #pragma unroll 1
    for (long long k0 = 0; k0 < size; k0 += DEPTH, now ^= 1) {
        const int depth = (int)min(size - k0, (long long)DEPTH);
        const int next = (int)min(size - k0 - depth, (long long)DEPTH);
        reader.read(next);
        const Step &step = steps[now];
        #pragma unroll %(unroll)s
        for (int k = 0; k < depth; k++) {
            double x[4], y[OWN];
            const double w = %(weighted)s ? step.ws[k] : 1;
            #pragma unroll
            for (int i = 0; i < 4; i++) x[i] = step.xs[k][down + i];
            #pragma unroll
            for (int j = 0; j < OWN; j++) y[j] = step.ys[k][beside + j / 2 * 32 + j %% 2];
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < OWN; j++) add(sums[i][j], x[i], y[j], w);
        }
        reader.store(steps[now ^ 1]);
        __syncthreads();
    }
    // Two neighbours at once: the halves of a sector that are stored one by one take twice as long.
    const bool wide = !%(pairs)s && count %% 2 == 0 && (size_t)out %% sizeof(double2) == 0;
    #pragma unroll
    for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < OWN; j += 2) {
            const long long row = row0 + down + i, first = column0 + beside + j / 2 * 32;
            const double one = finish(sums[i][j], n), two = finish(sums[i][j + 1], n);
            if (wide && row < rows && first < count) {
                *(double2 *)&out[row * count + first] = make_double2(one, two);
                continue;
            }
            #pragma unroll
            for (int h = 0; h < 2; h++) {
                const long long column = first + h;
                if (row >= rows || column >= count || (%(pairs)s && column <= row)) continue;
                out[%(place)s] = h ? two : one;
            }
        }
}

// All tiles, a block for each, or those of a list, whose first element is their number.
extern "C" __global__ void __launch_bounds__(THREADS, WIDTH / 32)
%(called)s(const double *left, const double *right, const double *weights, double *out,
    const long long rows, const long long count, const long long size, const double n,
    const long long *list)
{
    __shared__ alignas(16) Step steps[2];
    const long long across = (count + WIDTH - 1) / WIDTH, tiles = list ? list[0] : gridDim.x;
    for (long long i = blockIdx.x; i < tiles; i += gridDim.x) {
        const long long tile = list ? list[1 + i] : i, down = tile / across;
        fill(steps, down * ROWS, (tile - down * across) * WIDTH, left, right, weights, out, rows,
            count, size, n);
    }
}
"""
_TILED_PLACES = {
    "cdist": "row * count + column",
    "pdist": "row * (2 * count - row - 1) / 2 + column - row - 1",
}


def is_tiled(name: str, rows: int, columns: int) -> bool:
    """Whether tiles are worth it: no long operations, which would stand in the code 16 times."""
    metric = METRICS[name]
    is_short = metric.step and not any(word in metric.step for word in ("pow", "log", "/"))
    return bool(is_short) and min(rows, columns) >= TILE_ROWS


@functools.cache
def tiled_kernel(name: str, form: str, weighted: bool) -> tuple[Any, int]:
    """The kernel of a metric in tiles, and their width."""
    metric = METRICS[name]
    width = 32 if "c +=" in metric.step else 64  # three sums of a pair need many registers
    called = f"tiled_{form}_{name}"
    words = {
        "rows": TILE_ROWS,
        "width": width,
        "threads": _THREADS,
        "step": metric.step,
        "finish": metric.finish,
        "called": called,
        "pairs": int(form == "pdist"),
        "weighted": int(weighted),
        "unroll": 1 + (len(metric.step) < 60),
        "place": _TILED_PLACES[form],
    }
    return RawKernel(PREAMBLE + _TILED % words, called), width


def launch(name: str, form: str, left: ndarray, right: ndarray, more: tuple, out: ndarray) -> None:
    """All distances into `out`; `more` is weights, whether there are any, exponent and total."""
    weights, weighted, p, total = more
    (rows, size), count = left.shape, right.shape[0]
    if is_tiled(name, rows, count):
        made, width = tiled_kernel(name, form, weighted)
        grid = (-(-count // width) * -(-rows // TILE_ROWS),)
        sizes = (np.int64(rows), np.int64(count), np.int64(size), np.float64(total))
        tiles = None
        if is_product(name, (rows, count, size), weighted, int(get_compute_capability())):
            wide = form == "cdist" and count % 2 == 0 and out.data.ptr % 16 == 0
            products = kernels(name, form, _TILED_PLACES[form], wide)
            tiles, grid = by_products(products, left, right, out), (min(BLOCKS, grid[0]),)
        made(grid, (_THREADS,), (left, right, weights, out, *sizes, tiles))
    elif out.size:
        right = ascontiguousarray(right.T)
        kernel(name, form)(left, right, weights, weighted, count, size, p, total, out)
