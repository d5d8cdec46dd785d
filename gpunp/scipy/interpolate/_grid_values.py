"""Values between the points of a grid: linear in each coordinate, or of the nearest points."""

import functools
import math
from typing import Any

import numpy as np

from ..._core.multiarray import array, concatenate, ndarray
from ..._core.raw import ElementwiseKernel, RawKernel
from ...cuda.device import Device
from ._pieces import BISECT
from ._value_tables import device_limits

__all__ = ["put_grid_values"]

# `info` has, for each axis, its length, where its points begin, and its stride in the grid. The
# linear form sums over the corners of the cell; a point outside has the last cell's.
_CELL = """
    const ptrdiff_t point = columns == 1 ? i : i / columns, column = i - point * columns;
    double w[%(size)s];
    ptrdiff_t base = 0;
    bool inside = true, is_nan = false;
    #pragma unroll
    for (int k = 0; k < %(axes)s; k++) {
        const double here = x[point * %(axes)s + k];
        const ptrdiff_t first = info[3 * k + 1];
        const %(index)s n = info[3 * k];
        const double low = t[first], high = t[first + n - 1];
        inside = inside && here >= low && here <= high;
        is_nan = is_nan || here != here;
        const auto is_below = [&](%(index)s l) { return here >= t[first + l]; };
        %(index)s a = find_place(%(index)s(0), n - 1, here, low, high, is_below);
        const %(index)s b = n > 1 ? a + 1 : a;
        const double left = t[first + a], width = t[first + b] - left;
        w[k] = width > 0 ? (here - left) / width : 0;
        if (nearest && w[k] > 0.5) a = b;
        base += a * info[3 * k + 2];
    }
    if (is_nan) {
        y = T(nan(""));
    }
    else if (fills && !inside) {
        y = T(fill[0]);
    }
    else if (nearest) {
        y = f[base * columns + column];
    }
    else {
        y = T(0);
        #pragma unroll
        for (%(index)s corner = 0; corner < %(index)s(1) << %(axes)s; corner++) {
            double weight = 1;
            ptrdiff_t at = base;
            #pragma unroll
            for (int k = 0; k < %(axes)s; k++) {
                const bool high = corner >> (%(axes)s - 1 - k) & 1;
                weight *= high ? w[k] : 1 - w[k];
                at += high && info[3 * k] > 1 ? info[3 * k + 2] : 0;
            }
            y += f[at * columns + column] * weight;
        }
    }
"""
_UNROLLED = 3  # most axes of a cell whose corners the compiler knows


@functools.cache
def _cell_kernel(axes: int) -> Any:
    """The kernel for grids of so many axes; 0 stands for any number, and for long axes."""
    words: dict[str, Any] = {"axes": axes, "size": axes, "index": "int"}
    if not axes:
        words = {"axes": "d", "size": 32, "index": "long long"}
    return ElementwiseKernel(
        "raw float64 x, raw T f, raw float64 t, raw int64 info, int64 d, int64 columns,"
        " bool nearest, bool fills, raw T fill",
        "T y",
        _CELL % words,
        f"grid_interpolation_{axes}" if axes else "grid_interpolation",
        preamble=BISECT,
    )


# Real numbers on up to three axes, linearly, as most are. What limits it is the memory that corners
# are read from, so all else is short: a place is guessed in equal steps, axes are arguments, which
# many points read from shared memory, and corners that are neighbours are read at once where they
# are the halves of 16 bytes.
_THREADS, _BLOCKS = 256, 4  # threads of a block, and blocks of a multiprocessor
_MANY = 1 << 18  # points for which axes are copied into shared memory
_LONGEST = 1 << 12  # points of all axes there
_LINEAR = (
    BISECT
    + """
enum { D = %(d)s, THREADS = %(threads)s, BLOCKS = %(blocks)s };
enum { SHARED = %(shared)s, PAIRS = %(pairs)s };

struct Axis {
    const double *t;
    double first, last;
    float rate;
    int n; // intervals
};

struct Pair {
    double low, high;
};

__device__ __forceinline__ Pair pair_at(const double *f, const ptrdiff_t at)
{
    if constexpr (!PAIRS) return {f[at], f[at + 1]};
    const bool is_odd = at & 1;
    const double2 both = *(const double2 *)(f + (at - is_odd));
    Pair pair = {is_odd ? both.y : both.x, both.y};
    if (is_odd) pair.high = f[at + 1];
    return pair;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
grid_linear_%(d)s(const double *x, const double *f, double *out, const long long points,
    const int fills, const double fill, %(arguments)s)
{
    const double *const t[D] = {%(t)s};
    const int lengths[D] = {%(n)s};
    extern __shared__ double shared[];
    Axis axes[D];
    int used = 0;
    #pragma unroll
    for (int k = 0; k < D; k++) {
        Axis &own = axes[k];
        own.t = t[k];
        own.n = lengths[k] - 1;
        own.first = t[k][0];
        own.last = t[k][own.n];
        own.rate = __fdividef(own.n, float(own.last - own.first));
        if constexpr (SHARED) {
            own.t = shared + used;
            for (int i = threadIdx.x; i <= own.n; i += THREADS) shared[used + i] = t[k][i];
            used += own.n + 1;
        }
    }
    if constexpr (SHARED) __syncthreads();
    const long long first = blockIdx.x * (long long)THREADS + threadIdx.x;
    #pragma unroll 1
    for (long long i = first; i < points; i += gridDim.x * (long long)THREADS) {
        double w[D], given[D];
        ptrdiff_t at = 0, strides[D];
        #pragma unroll
        for (int k = 0; k < D; k++) given[k] = x[i * D + k];
        bool is_inside = true, is_nan = false;
        #pragma unroll
        for (int k = 0; k < D; k++) {
            const Axis &own = axes[k];
            const double here = given[k];
            const int guess = int(float(here - own.first) * own.rate);
            int a = guess < 0 ? 0 : guess < own.n ? guess : own.n - 1;
            double left = own.t[a], right = own.t[a + 1];
            if (!(a == 0 || here >= left) || !(a == own.n - 1 || here < right)) {
                a = bisect(0, own.n, [&](int l) { return here >= own.t[l]; });
                left = own.t[a], right = own.t[a + 1];
            }
            w[k] = right > left ? (here - left) / (right - left) : 0;
            at = at * (own.n + 1) + a;
            is_inside = is_inside && here >= own.first && here <= own.last;
            is_nan = is_nan || here != here;
        }
        strides[D - 1] = 1;
        #pragma unroll
        for (int k = D - 1; k > 0; k--) strides[k - 1] = strides[k] * (axes[k].n + 1);
        Pair corners[1 << (D - 1)];
        #pragma unroll
        for (int corner = 0; corner < 1 << D; corner += 2) {
            ptrdiff_t from = at;
            #pragma unroll
            for (int k = 0; k < D - 1; k++) from += corner >> (D - 1 - k) & 1 ? strides[k] : 0;
            corners[corner / 2] = pair_at(f, from);
        }
        double y = 0;
        #pragma unroll
        for (int corner = 0; corner < 1 << D; corner++) {
            double weight = 1;
            #pragma unroll
            for (int k = 0; k < D; k++)
                weight *= corner >> (D - 1 - k) & 1 ? w[k] : 1 - w[k];
            const Pair &pair = corners[corner / 2];
            y += (corner & 1 ? pair.high : pair.low) * weight;
        }
        out[i] = is_nan ? nan("") : fills && !is_inside ? fill : y;
    }
}
"""
)


@functools.cache
def _linear_kernel(d: int, is_shared: bool, in_pairs: bool) -> Any:
    words = {
        "d": d,
        "threads": _THREADS,
        "blocks": _BLOCKS,
        "shared": int(is_shared),
        "pairs": int(in_pairs),
        "arguments": ", ".join(f"const double *t{k}, const int n{k}" for k in range(d)),
        "t": ", ".join(f"t{k}" for k in range(d)),
        "n": ", ".join(f"n{k}" for k in range(d)),
    }
    return RawKernel(_LINEAR % words, f"grid_linear_{d}")


def _info(grid: tuple) -> list:
    info, first = [], 0
    lengths = [own.size for own in grid]
    for k, n in enumerate(lengths):
        info += [n, first, math.prod(lengths[k + 1 :])]
        first += n
    return info


def put_grid_values(
    x: ndarray, grid: tuple, f: ndarray, filling: tuple, nearest: bool, out: ndarray
) -> None:
    """Put values at points, rows of `x`, into `out`, of a row for each; `filling` is whether points
    outside of the grid have a value of their own, and that."""
    d, (points, columns) = len(grid), out.shape
    fills, fill = filling
    lengths = [own.size for own in grid]
    is_short = d <= _UNROLLED and max(lengths) < 1 << 30
    if is_short and min(lengths) > 1 and columns == 1 and not nearest and f.dtype == np.float64:
        axes = [word for own in grid for word in (own, np.int32(own.size))]
        counts = (np.int64(points), np.int32(fills), np.float64(fill))
        is_shared, in_pairs = points >= _MANY and sum(lengths) <= _LONGEST, f.data.ptr % 16 == 0
        most = _BLOCKS * device_limits(Device().id)[0] if is_shared else points
        blocks = (min(-(-points // _THREADS), most),)
        kernel = _linear_kernel(d, is_shared, in_pairs)
        size = 8 * sum(lengths) if is_shared else 0
        kernel(blocks, (_THREADS,), (x, f, out, *counts, *axes), shared_mem=size)
        return
    value = array([fill]).astype(out.dtype)
    _cell_kernel(d if is_short else 0)(
        x, f, concatenate(grid), array(_info(grid)), d, columns, nearest, fills, value, out,
    )  # fmt: skip
