"""Values between the points of a grid: linear in each coordinate, or of the nearest points."""

import functools
import math
from typing import Any

import numpy as np

from ..._core.multiarray import array, concatenate, empty, ndarray
from ..._core.raw import ElementwiseKernel, RawModule
from ._pieces import BISECT

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
        words = {"axes": "d", "size": 32, "index": "ptrdiff_t"}
    return ElementwiseKernel(
        "raw float64 x, raw T f, raw float64 t, raw int64 info, int64 d, int64 columns,"
        " bool nearest, bool fills, raw T fill",
        "T y",
        _CELL % words,
        f"grid_interpolation_{axes}" if axes else "grid_interpolation",
        preamble=BISECT,
    )


# Real numbers on up to three axes, linearly, as most are. What limits it is the memory that corners
# are read from, so all else is short: a place is guessed in equal steps, and axes are arguments.
# Where there are many points, the corners of each cell are first put together, so that a point
# reads one sector of 32 bytes, or two on three axes, instead of 2.5 or 5.
_THREADS, _OWN = 256, 4  # threads of a block, and points of each
_MANY = 1 << 19  # points from which on cells are put together, if there are a fourth as many
_CELLS = 1 << 25  # most bytes of cells, which fit the L2 cache
_LINEAR = (
    BISECT
    + """
enum { D = %(d)s, THREADS = %(threads)s, OWN = %(own)s, CELLS = %(cells)s, CORNERS = 1 << D };

struct Axis {
    const double *t;
    double first, last;
    float rate;
    int n; // intervals
};

// The corners of each cell.
extern "C" __global__ void __launch_bounds__(THREADS)
grid_cells(const double *f, double *cells, const int count, %(lengths)s)
{
    const int lengths[D] = {%(n)s}, i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    int left = i, at = 0, stride = 1, strides[D];
    #pragma unroll
    for (int k = D - 1; k >= 0; k--) {
        const int intervals = lengths[k] - 1, above = left / intervals;
        at += (left - above * intervals) * stride;
        left = above;
        strides[k] = stride;
        stride *= lengths[k];
    }
    #pragma unroll
    for (int corner = 0; corner < CORNERS; corner += 2) {
        int from = at;
        #pragma unroll
        for (int k = 0; k < D - 1; k++) from += corner >> (D - 1 - k) & 1 ? strides[k] : 0;
        ((double2 *)cells)[i * (CORNERS / 2) + corner / 2] = make_double2(f[from], f[from + 1]);
    }
}

// `f` is the grid, or its cells.
extern "C" __global__ void __launch_bounds__(THREADS)
grid_linear_%(d)s(const double *x, const double *f, double *out, const long long points,
    const int fills, const double fill, %(arguments)s)
{
    const double *const t[D] = {%(t)s};
    const int lengths[D] = {%(n)s};
    Axis axes[D];
    #pragma unroll
    for (int k = 0; k < D; k++) {
        Axis &own = axes[k];
        own.t = t[k];
        own.n = lengths[k] - 1;
        own.first = t[k][0];
        own.last = t[k][own.n];
        own.rate = __fdividef(own.n, float(own.last - own.first));
    }
    const long long block = blockIdx.x * (long long)(THREADS * OWN) + threadIdx.x;
    #pragma unroll 1
    for (int j = 0; j < OWN; j++) {
        const long long i = block + j * THREADS;
        if (i >= points) return;
        double w[D];
        ptrdiff_t at = 0, strides[D];
        bool is_inside = true, is_nan = false;
        #pragma unroll
        for (int k = 0; k < D; k++) {
            const Axis &own = axes[k];
            const double here = x[i * D + k];
            const int guess = int(float(here - own.first) * own.rate);
            int a = guess < 0 ? 0 : guess < own.n ? guess : own.n - 1;
            double left = own.t[a], right = own.t[a + 1];
            if (!(a == 0 || here >= left) || !(a == own.n - 1 || here < right)) {
                a = bisect(0, own.n, [&](int l) { return here >= own.t[l]; });
                left = own.t[a], right = own.t[a + 1];
            }
            w[k] = right > left ? (here - left) / (right - left) : 0;
            at = at * (own.n + !CELLS) + a;
            is_inside = is_inside && here >= own.first && here <= own.last;
            is_nan = is_nan || here != here;
        }
        strides[D - 1] = 1;
        #pragma unroll
        for (int k = D - 1; k > 0; k--) strides[k - 1] = strides[k] * (axes[k].n + 1);
        double2 pairs[CORNERS / 2];
        if constexpr (CELLS) {
            #pragma unroll
            for (int j = 0; j < CORNERS / 2; j++)
                pairs[j] = ((const double2 *)f)[at * (CORNERS / 2) + j];
        }
        double y = 0;
        #pragma unroll
        for (int corner = 0; corner < CORNERS; corner++) {
            double weight = 1;
            const double *from = f + at;
            #pragma unroll
            for (int k = 0; k < D; k++) {
                const bool high = corner >> (D - 1 - k) & 1;
                weight *= high ? w[k] : 1 - w[k];
                from += high ? strides[k] : 0;
            }
            const double2 &pair = pairs[corner / 2];
            y += (!CELLS ? *from : corner & 1 ? pair.y : pair.x) * weight;
        }
        out[i] = is_nan ? nan("") : fills && !is_inside ? fill : y;
    }
}
"""
)


@functools.cache
def _linear_kernels(d: int, in_cells: bool) -> Any:
    words = {
        "cells": int(in_cells),
        "lengths": ", ".join(f"const int n{k}" for k in range(d)),
        "d": d,
        "threads": _THREADS,
        "own": _OWN,
        "arguments": ", ".join(f"const double *t{k}, const int n{k}" for k in range(d)),
        "t": ", ".join(f"t{k}" for k in range(d)),
        "n": ", ".join(f"n{k}" for k in range(d)),
    }
    module = RawModule(code=_LINEAR % words)
    return module.get_function("grid_cells"), module.get_function(f"grid_linear_{d}")


def _info(grid: tuple) -> list:
    info, first = [], 0
    lengths = [own.size for own in grid]
    for k, n in enumerate(lengths):
        info += [n, first, math.prod(lengths[k + 1 :])]
        first += n
    return info


def _put_linear(x: ndarray, grid: tuple, f: ndarray, filling: tuple, out: ndarray) -> None:
    """Real numbers on at most three axes."""
    d, points = len(grid), out.shape[0]
    axes = [word for own in grid for word in (own, np.int32(own.size))]
    cells = math.prod(own.size - 1 for own in grid)
    in_cells = d > 1 and points >= max(_MANY, 4 * cells) and cells << (d + 3) <= _CELLS
    put_together, kernel = _linear_kernels(d, in_cells)
    if in_cells:
        corners = empty(cells << d)
        given = (f, corners, np.int32(cells), *axes[1::2])
        put_together((-(-cells // _THREADS),), (_THREADS,), given)
        f = corners
    counts = (np.int64(points), np.int32(filling[0]), np.float64(filling[1]))
    blocks = (-(-points // (_THREADS * _OWN)),)
    kernel(blocks, (_THREADS,), (x, f, out, *counts, *axes))


def put_grid_values(
    x: ndarray, grid: tuple, f: ndarray, filling: tuple, nearest: bool, out: ndarray
) -> None:
    """Put values at points, rows of `x`, into `out`, of a row for each; `filling` is whether points
    outside of the grid have a value of their own, and that."""
    d, columns = len(grid), out.shape[1]
    fills, fill = filling
    lengths = [own.size for own in grid]
    is_short = d <= _UNROLLED and max(lengths) < 1 << 30
    if is_short and min(lengths) > 1 and columns == 1 and not nearest and f.dtype == np.float64:
        _put_linear(x, grid, f, filling, out)
        return
    value = array([fill]).astype(out.dtype)
    _cell_kernel(d if is_short else 0)(
        x, f, concatenate(grid), array(_info(grid)), d, columns, nearest, fills, value, out,
    )  # fmt: skip
