"""Finding the simplex of a triangulation that a point is in: a walk of one thread for each point.

A walk starts in a simplex near the point, which a grid of cells gives, and leaves each simplex
through the facet that the point is farthest behind (O. Devillers, S. Pion and M. Teillaud, Walking
in a triangulation, 2002). A grid has coarser ones above it, for cells without simplices.
"""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core.multiarray import arange, array, concatenate, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel

__all__ = ["FIND", "Mesh", "affine_transforms", "walking_kernel"]

# The affine map from places to barycentric coordinates, as SciPy has it: the inverse of the matrix
# of edges from the last vertex, and that vertex below it. Flat simplices have NaN.
_AFFINE = """
double a[D][D], b[D][D], norm = 0, inverse_norm = 0;
const ptrdiff_t last = ptrdiff_t(simplices[i * (D + 1) + D]) * D;
for (int k = 0; k < D; k++) {
    const ptrdiff_t vertex = ptrdiff_t(simplices[i * (D + 1) + k]) * D;
    double sum = 0;
    for (int r = 0; r < D; r++) {
        a[r][k] = points[vertex + r] - points[last + r];
        b[r][k] = r == k;
        sum += fabs(a[r][k]);
    }
    norm = fmax(norm, sum);
}
for (int k = 0; k < D; k++) {
    int pivot = k;
    for (int r = k + 1; r < D; r++) pivot = fabs(a[r][k]) > fabs(a[pivot][k]) ? r : pivot;
    const double factor = 1 / a[pivot][k];
    for (int c = 0; c < D; c++) {
        const double u = a[pivot][c], v = b[pivot][c];
        a[pivot][c] = a[k][c];
        b[pivot][c] = b[k][c];
        a[k][c] = u * factor;
        b[k][c] = v * factor;
    }
    for (int r = 0; r < D; r++) {
        const double multiple = r == k ? 0 : a[r][k];
        for (int c = 0; c < D; c++) {
            a[r][c] -= multiple * a[k][c];
            b[r][c] -= multiple * b[k][c];
        }
    }
}
for (int c = 0; c < D; c++) {
    double sum = 0;
    for (int r = 0; r < D; r++) sum += fabs(b[r][c]);
    inverse_norm = sum <= inverse_norm ? inverse_norm : sum;
}
flat = !(norm * inverse_norm * (1000 * 2.220446049250313e-16) < 1);
const ptrdiff_t at = i * (D + 1) * D;
for (int r = 0; r < D; r++) {
    for (int c = 0; c < D; c++) made[at + r * D + c] = flat ? nan("") : b[r][c];
    made[at + D * D + r] = flat ? nan("") : points[last + r];
}
"""
# `walk` returns the simplex of a point and leaves its barycentric coordinates in `c`, -1 outside,
# where the point is behind no facets but those of the hull. After some steps the facet is chosen by
# a hash among those that the point is behind, so that rounding errors cannot make a walk go round.
# Where errors leave no simplex that fits, the nearest one is taken that was met, if it is near; at
# the hull, and where none is near, all simplices are looked at.
_WALK = """
template <class T>
__device__ bool barycentric(T &transforms, long long s, const double (&x)[D], double (&c)[D + 1])
{
    const long long at = s * (D + 1) * D;
    double apart[D], rest = 1;
    for (int k = 0; k < D; k++) apart[k] = x[k] - transforms[at + D * D + k];
    for (int r = 0; r < D; r++) {
        double sum = 0;
        for (int k = 0; k < D; k++) sum += transforms[at + r * D + k] * apart[k];
        c[r] = sum;
        rest -= sum;
    }
    c[D] = rest;
    return rest == rest;
}

template <class F, class C>
__device__ long long start_near(F &frame, C &cells, long long levels, const double (&x)[D])
{
    unsigned long long cell[D];
    long long offset = 0, size = 1;
    for (long long l = 0; l < levels; l++) {
        offset += size;
        size <<= D;
    }
    const double most = double((1ull << levels) - 1);
    for (int k = 0; k < D; k++) {
        const double place = (x[k] - frame[k]) * frame[2 * D + k];
        cell[k] = (unsigned long long)(fmin(fmax(place, 0.0), most));
    }
    for (long long l = levels; l >= 0; l--) {
        unsigned long long index = 0;
        for (int k = 0; k < D; k++) {
            index = (index << l) + cell[k];
            cell[k] >>= 1;
        }
        const int found = cells[offset + index];
        if (found >= 0) return found;
        if (l > 0) size >>= D;
        if (l > 0) offset -= size;
    }
    return 0;
}

template <class T, class N>
__device__ long long look_at_all(T &transforms, N &neighbors, long long n, double tolerance,
                                 const double (&x)[D], double (&c)[D + 1])
{
    const double broad = sqrt(tolerance);
    long long near = -1;
    for (long long s = 0; s < n; s++) {
        if (!barycentric(transforms, s, x, c)) continue;
        double least = c[0];
        bool beside_flat = false;
        for (int k = 1; k <= D; k++) least = fmin(least, c[k]);
        if (least >= -tolerance) return s;
        if (near >= 0 || !(least >= -broad)) continue;
        for (int k = 0; k <= D; k++) {
            const long long next = neighbors[s * (D + 1) + k];
            const double own = transforms[(next < 0 ? s : next) * (D + 1) * D];
            beside_flat = beside_flat || own != own;
        }
        if (beside_flat) near = s;
    }
    if (near >= 0) barycentric(transforms, near, x, c);
    return near;
}

template <class T, class N, class F, class C>
__device__ long long walk(T &transforms, N &neighbors, F &frame, C &cells, long long n,
                          long long levels, long long limit, double tolerance,
                          const double (&x)[D], double (&c)[D + 1])
{
    for (int k = 0; k < D; k++) {
        if (!(x[k] >= frame[k] - tolerance && x[k] <= frame[D + k] + tolerance)) return -1;
    }
    long long s = limit > 0 ? start_near(frame, cells, levels, x) : 0, before = -1, nearest = -1;
    unsigned int hash = 2166136261u;
    double most = -sqrt(tolerance);
    for (long long step = 0; step < limit; step++) {
        const bool solid = barycentric(transforms, s, x, c);
        hash = (hash ^ (unsigned int)(step)) * 16777619u;
        int facet = -1;
        double best = 0, least = c[0];
        for (int k = 0; k <= D; k++) {
            const long long beyond = neighbors[s * (D + 1) + k];
            const bool leads = beyond >= 0 && (solid ? c[k] < -tolerance : beyond != before);
            const double chance = double((hash >> (k % 16)) & 255u) + 1;
            const double rank = solid && step < 64 ? -c[k] : chance;
            const bool better = leads && rank > best;
            facet = better ? k : facet;
            best = better ? rank : best;
            least = fmin(least, c[k]);
        }
        if (solid && least >= -tolerance) return s;
        const bool nearer = solid && least > most;
        nearest = nearer ? s : nearest;
        most = nearer ? least : most;
        if (facet < 0) {
            if (nearest < 0) return -1;
            return look_at_all(transforms, neighbors, n, tolerance, x, c);
        }
        before = s;
        s = neighbors[s * (D + 1) + facet];
    }
    if (nearest >= 0) {
        barycentric(transforms, nearest, x, c);
        return nearest;
    }
    return look_at_all(transforms, neighbors, n, tolerance, x, c);
}
"""
# What kernels take for a walk, in this order; `Mesh.arguments` gives it.
_PARAMETERS = (
    "raw float64 transforms, raw int32 neighbors, raw float64 frame, raw int32 cells, int64 n,"
    " int64 levels, int64 limit, float64 tolerance"
)
FIND = "walk(transforms, neighbors, frame, cells, n, levels, limit, tolerance, x, c)"


@functools.cache
def walking_kernel(name: str, d: int, parameters: str, results: str, body: str) -> Any:
    """A kernel that may call `walk`, for places with so many coordinates."""
    return ElementwiseKernel(
        f"{_PARAMETERS}, {parameters}",
        results,
        f"double x[D], c[D + 1];{body}",
        f"{name}_{d}",
        preamble=f"constexpr int D = {d};\n{_WALK}",
    )


@functools.cache
def _affine_kernel(d: int) -> Any:
    return ElementwiseKernel(
        "raw float64 points, raw int32 simplices",
        "bool flat, raw float64 made",
        _AFFINE,
        f"simplex_transforms_{d}",
        preamble=f"constexpr int D = {d};",
    )


def affine_transforms(points: ndarray, simplices: ndarray) -> tuple[ndarray, ndarray]:
    """(flags of flat simplices, maps to barycentric coordinates)."""
    n, d = simplices.shape[0], points.shape[1]
    flat, made = empty(n, bool), empty((n, d + 1, d))
    if n:
        _affine_kernel(d)(points, simplices, flat, made)
    return flat, made


class Mesh:
    """What a walk reads: maps to barycentric coordinates, neighbours, and simplices by cells.

    Parameters
    ----------
    points : ndarray
        Vertices, of shape (n, coordinates).
    simplices : ndarray
        Numbers of vertices of int32, of shape (simplices, coordinates + 1).
    neighbors : ndarray
        Simplices behind the facet that is opposite to each vertex, -1 for none.
    walks : bool
        Whether walks end: otherwise all simplices are looked at.
    """

    def __init__(self, points: ndarray, simplices: ndarray, neighbors: ndarray, walks: bool):
        n, d = simplices.shape[0], points.shape[1]
        self.d, self.n, self.neighbors, self.walks = d, n, neighbors, walks
        flat, self.transforms = affine_transforms(points, simplices)
        self.levels = min(n.bit_length() // d, 62 // d)
        low, high = points.min(axis=0), points.max(axis=0)
        spread = um.where(high > low, high - low, 1.0)
        self.frame = concatenate((low, high, 2.0**self.levels / spread))
        self.limit = 64 + 16 * math.ceil(n ** (1 / d))
        self.cells = self._cells(points, simplices, flat)

    def _cells(self, points: ndarray, simplices: ndarray, flat: ndarray) -> ndarray:
        """A simplex of each cell of all grids, the coarsest first; -1 where there is none."""
        d, per_axis = self.d, 1 << self.levels
        low, scale = self.frame[:d], self.frame[2 * d :]
        middle = points[simplices].mean(axis=1)
        places = um.clip(um.floor((middle - low) * scale), 0, per_axis - 1).astype(np.int64)
        weights = array([per_axis ** (d - 1 - k) for k in range(d)])
        index = (places * weights).sum(axis=1)
        grid = zeros(per_axis**d, np.int32) - 1
        um.maximum.at(grid, index, um.where(flat, -1, arange(self.n)).astype(np.int32))
        grids = [grid]
        for level in range(self.levels, 0, -1):
            halves = (1 << (level - 1), 2) * d
            grid = grid.reshape(halves).max(axis=tuple(range(1, 2 * d, 2))).reshape(-1)
            grids.append(grid)
        return concatenate(grids[::-1])

    def arguments(self, tolerance: float, walks: bool = True) -> tuple:
        """What kernels of `walking_kernel` take first."""
        limit = self.limit if walks and self.walks else 0
        return (
            self.transforms, self.neighbors, self.frame, self.cells, self.n, self.levels, limit,
            tolerance,
        )  # fmt: skip
