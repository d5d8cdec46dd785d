"""Nearest neighbours by a k-d tree of points in an order that needs no pointers.

The tree is an order of the points: the point in the middle of a range divides it, by one coordinate
after the other, so that halves of halves are found by arithmetic (cf. I. Wald, arXiv:2211.00120).
It is made by one sort for each coordinate and a short one for each level.
"""

import functools
import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, check_host_memory, shown
from ..._core.multiarray import (
    arange,
    array,
    ascontiguousarray,
    concatenate,
    empty,
    lexsort,
    ndarray,
    sorted_values,
    zeros,
)
from ..._core.raw import RawKernel
from ...lib._stride_tricks_impl import broadcast_to
from ._walks import LEAF, count_within, find_nearest, list_within

__all__ = ["KDTree"]


def _order(p: Any) -> float:
    """The exponent of a norm as kernels take it: 0 for the largest coordinate."""
    p = float(p)
    if not p >= 1:
        raise ValueError(f"p must be from 1 to infinity, not {p}")
    return 0.0 if p == math.inf else p


def _power(d: Any, p: float) -> Any:
    return d if p in (0, 1) else d**p


def _root(d: ndarray, p: float) -> ndarray:
    if p == 2:
        return um.sqrt(d)
    return d if p in (0, 1) else d ** (1 / p)


# Divides ranges: a thread a place, whose range is from low to high and has a number.
_THREADS = 256
_HALVE = """
typedef %(index)s Index;
enum { THREADS = %(threads)s };

extern "C" __global__ void __launch_bounds__(THREADS)
kdtree_halve(const double *points, const Index *order, const int *numbers, Index *lows,
    Index *highs, double *planes, int *cells, const long long n, const long long size,
    const int axis, const int least)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (i >= n) return;
    const Index low = lows[i], high = highs[i], middle = low + ((high - low) >> 1);
    const long long point = order[i];
    const bool is_divided = high - low > least, is_right = is_divided && i >= middle;
    if (is_divided && i == middle) planes[i] = points[point * size + axis];
    if (is_right) lows[i] = middle;
    else if (is_divided) highs[i] = middle;
    cells[point] = 2 * numbers[i] + is_right;
}
"""


@functools.cache
def _halve(index: str) -> Any:
    return RawKernel(_HALVE % {"index": index, "threads": _THREADS}, "kdtree_halve")


class KDTree:
    """Points in an order in which the nearest ones are found quickly.

    Parameters
    ----------
    data : array_like
        Points, of shape (n, coordinates). NaN and infinity are an error, whose check waits for the
        device.
    leafsize : int, optional
        Accepted for compatibility, as are the next three: the tree has one form.
    compact_nodes : bool, optional
        Accepted for compatibility: nodes are halves of ranges.
    copy_data : bool, optional
        Accepted for compatibility: points are copied into the order of the tree.
    balanced_tree : bool, optional
        Accepted for compatibility: the tree is always balanced.
    boxsize : float or array_like, optional
        Period of each coordinate, 0 for none; points must be from 0 to below it.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import KDTree
    >>> tree = KDTree(cp.array([[0, 0], [1, 0], [0, 3]]))
    >>> tree.query(cp.array([[0.9, 0.2], [0, 2]]))
    (array([0.2236068, 1.       ]), array([1, 2]))
    """

    def __init__(
        self,
        data: Any,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
    ) -> None:
        points = as_array(data)
        if points.dtype.kind == "c":
            raise TypeError("KDTree does not take complex numbers")
        if points.ndim != 2:
            raise ValueError(f"data must be of shape (n, coordinates), not {points.shape}")
        if operator.index(leafsize) < 1:
            raise ValueError(f"leafsize must be at least 1, not {leafsize}")
        points = points.astype("d", copy=False)
        if points.size and not bool(um.isfinite(points).all()):
            raise ValueError("data must be finite, check for nan or inf values")
        self.data = points
        self.n, self.m = points.shape
        self.leafsize = leafsize
        self.boxsize: ndarray | None = None
        self._box = zeros(max(self.m, 1))
        if boxsize is not None:
            self._take_box(boxsize, points)
        self.indices, self._planes = self._sorted()
        self._points = ascontiguousarray(points[self.indices])

    def _take_box(self, boxsize: Any, points: ndarray) -> None:
        lengths = np.broadcast_to(
            as_host(boxsize.get() if isinstance(boxsize, ndarray) else boxsize), (self.m,)
        ).astype("d")
        if (lengths < 0).any():
            raise ValueError("boxsize must not be negative")
        self.boxsize = array(lengths)
        self._box = self.boxsize
        bounded = (self._box == 0) | ((points >= 0) & (points < self._box))
        if points.size and not bool(bounded.all()):
            raise ValueError("some points are not within the box: from 0 to below boxsize")

    def _sorted(self) -> tuple[ndarray, ndarray]:
        """The order of the tree, and the planes between halves of ranges, at the places where the
        second ones begin. At each level points in the order of a coordinate are sorted by the range
        that they are in, whose number has a bit for each level above."""
        kind = np.int32 if self.n < 1 << 31 else np.int64
        halve = _halve("int" if kind == np.int32 else "long long")
        points = ascontiguousarray(self.data)
        order, planes = arange(self.n), zeros(self.n)
        low, cell = zeros(self.n, kind), zeros(self.n, np.int32)
        high, cells = low + kind(self.n), zeros(self.n, np.int32)  # cells of points
        ranked: list[ndarray] = []  # the points in the order of each coordinate
        longest, level = self.n, 0
        while longest > LEAF:
            axis = level % self.m
            if level < self.m:
                ranked.append(self.data[:, axis].argsort(kind="stable").astype(kind))
            order = ranked[axis]
            if level:
                cell, order = sorted_values(cells[order], order, level)
            given = (points, order, cell, low, high, planes, cells)
            sizes = (np.int64(self.n), np.int64(self.m), np.int32(axis), np.int32(LEAF))
            halve((-(-self.n // _THREADS),), (_THREADS,), (*given, *sizes))
            longest -= longest >> 1
            level += 1
        return order.astype(np.int64, copy=False), planes

    @property
    def mins(self) -> ndarray:
        """Smallest coordinates."""
        return self.data.min(axis=0)

    @property
    def maxes(self) -> ndarray:
        """Largest coordinates."""
        return self.data.max(axis=0)

    @property
    def size(self) -> int:
        """Number of nodes: of ranges, divided or not."""
        nodes, ranges = 0, {self.n: 1}  # lengths at a level, which are two at most
        while ranges:
            nodes += sum(ranges.values())
            halves: dict[int, int] = {}
            for length, count in ranges.items():
                if length > LEAF:
                    for half in (length >> 1, length - (length >> 1)):
                        halves[half] = halves.get(half, 0) + count
            ranges = halves
        return nodes

    # ---- queries

    def _queries(self, x: Any) -> tuple[ndarray, tuple]:
        """Points that are asked for, (queries, coordinates), and the shape before the last axis."""
        x = as_array(x)
        if x.dtype.kind == "c":
            raise TypeError("KDTree does not take complex numbers")
        if x.ndim == 0 or x.shape[-1] != self.m:
            raise ValueError(
                f"x must consist of vectors of length {self.m}, not of shape {x.shape}"
            )
        flat = x.astype("d", copy=False).reshape(-1, self.m)
        if self.boxsize is not None:
            wrapped = um.remainder(flat, um.where(self._box > 0, self._box, 1.0))
            flat = um.where(self._box > 0, wrapped, flat)
        return ascontiguousarray(flat), x.shape[:-1]

    def query(
        self,
        x: Any,
        k: Any = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: float = math.inf,
        workers: int = 1,
    ) -> tuple[ndarray, ndarray]:
        """Find the nearest points.

        Parameters
        ----------
        x : array_like
            Points of shape (..., coordinates) whose neighbours are wanted. The check for NaN waits
            for the device.
        k : int or list of int, optional
            How many neighbours, or which ones, 1 being the nearest.
        eps : float, optional
            Neighbours may be farther by this share than the nearest ones.
        p : float, optional
            Order of the norm, from 1 to infinity.
        distance_upper_bound : float, optional
            Only points nearer than this are found.
        workers : int, optional
            Accepted for compatibility: every query is a thread of its own.

        Returns
        -------
        d : ndarray
            Distances in increasing order along the last axis, infinity where there are too few;
            without that axis for ``k=1``.
        i : ndarray
            Indices of the neighbours, the number of points where there are too few.
        """
        flat, shape = self._queries(x)
        if flat.size and not bool(um.isfinite(flat).all()):
            raise ValueError("'x' must be finite, check for nan or inf values")
        wanted = None
        if isinstance(k, (int, np.integer)):
            most = int(k)
        else:
            check_host_memory(8 * operator.length_hint(k, 0))
            wanted = [operator.index(one) for one in k]
            most = max(wanted, default=0)
        if most < 1 or (wanted is not None and min(wanted) < 1):
            raise ValueError(
                f"k must be an integer of at least 1 or a list of them, not {shown(k)}"
            )
        norm = _order(p)
        limit = _power(float(distance_upper_bound), norm)
        slack = _power(1.0 + float(eps), norm)
        powers, i = find_nearest(self, flat, most, norm, limit, slack)
        d = powers if norm == 2 else _root(powers, norm)
        if wanted is not None:
            d, i = (v[:, [one - 1 for one in wanted]] for v in (d, i))
        tail = () if wanted is None and most == 1 else (d.shape[1],)
        return d.reshape(shape + tail), i.reshape(shape + tail)

    def _counts(
        self, flat: ndarray, r: ndarray, norm: float, later: bool = False, weights: Any = None
    ) -> tuple[ndarray, ndarray]:
        return count_within(self, flat, _power(r, norm), norm, later, weights)

    def _within(
        self, flat: ndarray, r: ndarray, norm: float, later: bool = False
    ) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        """(counts, indices, queries, distances) of all points within radii; reads their number."""
        counts, _ = self._counts(flat, r, norm, later)
        ends = counts.cumsum()
        total = int(ends[-1]) if ends.size else 0
        begins = (ends - counts, total)
        found = list_within(self, flat, _power(r, norm), norm, later, begins)
        order = lexsort(found[:2])
        places, queries, distances = (v[order] for v in found)
        return counts, places, queries, _root(distances, norm)

    def query_ball_point(
        self,
        x: Any,
        r: Any,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: Any = None,
        return_length: bool = False,
    ) -> Any:
        """Find all points within a distance.

        Parameters
        ----------
        x : array_like
            Points of shape (..., coordinates) around which is searched.
        r : array_like
            Largest distance, one or one for each point.
        p : float, optional
            Order of the norm, from 1 to infinity.
        eps : float, optional
            Accepted for compatibility: results are exact.
        workers : int, optional
            Accepted for compatibility: every query is a thread of its own.
        return_sorted : bool, optional
            Accepted for compatibility: indices are in increasing order.
        return_length : bool, optional
            If True, only the numbers of points are returned.

        Returns
        -------
        ndarray
            Indices of the points within the distance of one point; of several, an object array of
            the host with an array of indices for each. How many there are is read from the device.
        """
        flat, shape = self._queries(x)
        norm = _order(p)
        radii = as_array(r).astype("d", copy=False)
        radii = ascontiguousarray(broadcast_to(radii, shape)).reshape(-1)
        if return_length:
            return self._counts(flat, radii, norm)[0].reshape(shape)
        counts, places, _, _ = self._within(flat, radii, norm)
        if shape == ():
            return places
        result = np.empty(shape, object)
        ends = np.cumsum(counts.get())
        for at, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            result[np.unravel_index(at, shape)] = places[int(begin) : int(end)]
        return result

    def query_ball_tree(self, other: "KDTree", r: float, p: float = 2.0, eps: float = 0.0) -> list:
        """Find, for each point of this tree, the points of another within a distance.

        Parameters
        ----------
        other : KDTree
            Tree whose points are found.
        r : float
            Largest distance that counts.
        p : float, optional
            Order of the norm, from 1 to infinity.
        eps : float, optional
            Accepted for compatibility: results are exact.

        Returns
        -------
        list of ndarray
            Indices in the other tree for each point of this one.
        """
        return list(_tree(other).query_ball_point(self.data, r, p))

    def query_pairs(
        self, r: float, p: float = 2.0, eps: float = 0.0, output_type: str = "ndarray"
    ) -> Any:
        """Find all pairs of points within a distance.

        Parameters
        ----------
        r : float
            Largest distance that counts.
        p : float, optional
            Order of the norm, from 1 to infinity.
        eps : float, optional
            Accepted for compatibility: results are exact.
        output_type : {'ndarray', 'set'}, optional
            An array of the device, or a set of tuples on the host.

        Returns
        -------
        ndarray or set
            Pairs (i, j) with i < j, an array of shape (pairs, 2) in increasing order.
        """
        if output_type not in ("ndarray", "set"):
            raise ValueError(f"output_type must be 'ndarray' or 'set', not {shown(output_type)}")
        flat, _ = self._queries(self.data)
        _, places, queries, _ = self._within(flat, zeros(self.n) + float(r), _order(p), True)
        pairs = concatenate((queries[:, None], places[:, None]), axis=1)
        return pairs if output_type == "ndarray" else {tuple(pair) for pair in pairs.tolist()}

    def count_neighbors(
        self,
        other: "KDTree",
        r: Any,
        p: float = 2.0,
        weights: Any = None,
        cumulative: bool = True,
    ) -> Any:
        """Count the pairs of a point of this tree and one of another within distances.

        Parameters
        ----------
        other : KDTree
            Tree of the other points.
        r : float or sequence of float
            Largest distances, in increasing order where counts are not cumulative.
        p : float, optional
            Order of the norm, from 1 to infinity.
        weights : array_like or tuple of array_like, optional
            Weights of the points, of this tree and the other one; pairs count by their product.
        cumulative : bool, optional
            If False, pairs are counted between one distance and the next.

        Returns
        -------
        ndarray
            Counts of int64, or sums of float64 where there are weights, of the shape of `r`.
        """
        other = _tree(other)
        radii = as_host(r.get() if isinstance(r, ndarray) else r).astype("d")
        if radii.ndim > 1:
            raise ValueError("r must be either a single value or a one-dimensional array of values")
        if not cumulative and (radii[1:] < radii[:-1]).any():
            raise ValueError("r must not decrease where counts are not cumulative")
        own, theirs = weights if isinstance(weights, tuple) else (weights, weights)
        flat, _ = self._queries(self.data)
        mine = None if own is None else _as_weights(own, self.n)
        more = None if theirs is None else _as_weights(theirs, other.n)
        rows = []
        for radius in radii.reshape(-1):
            counts, sums = other._counts(
                flat, zeros(self.n) + float(radius), _order(p), False, more
            )
            if weights is None:
                rows.append(counts.sum().reshape(1))
                continue
            row = counts.astype("d") if more is None else sums
            rows.append((row if mine is None else row * mine).sum().reshape(1))
        made = concatenate(rows) if rows else zeros(0, np.int64 if weights is None else "d")
        if not cumulative and made.size:
            made = concatenate((made[:1], made[1:] - made[:-1]))
        return made.reshape(radii.shape)

    def sparse_distance_matrix(
        self, other: "KDTree", max_distance: float, p: float = 2.0, output_type: str = "coo_matrix"
    ) -> Any:
        """Compute the distances between the points of two trees that are within a limit.

        Parameters
        ----------
        other : KDTree
            Tree of the other points.
        max_distance : float
            Largest distance that is stored.
        p : float, optional
            Order of the norm, from 1 to infinity.
        output_type : {'coo_matrix', 'dok_matrix', 'dict', 'ndarray'}, optional
            Class of the result; `dok_matrix` and `dict` lie on the host.

        Returns
        -------
        sparse matrix, dict or ndarray
            Distances by the indices of both points; of arrays these are the fields ``v``, ``i``
            and ``j``.
        """
        if output_type not in ("coo_matrix", "dok_matrix", "dict", "ndarray"):
            raise ValueError(f"Invalid output type: {shown(output_type)}")
        from ..sparse import coo_matrix

        flat, _ = self._queries(self.data)
        radii = zeros(self.n) + float(max_distance)
        _, places, queries, distances = _tree(other)._within(flat, radii, _order(p))
        if output_type == "dict":
            keys = zip(queries.tolist(), places.tolist(), strict=True)
            return dict(zip(keys, distances.tolist(), strict=True))
        if output_type == "ndarray":
            rows = empty(distances.shape, [("i", np.intp), ("j", np.intp), ("v", np.float64)])
            rows["i"], rows["j"], rows["v"] = queries, places, distances
            return rows
        made = coo_matrix((distances, (queries, places)), shape=(self.n, other.n))
        return made if output_type == "coo_matrix" else made.todok()


def _tree(other: Any) -> KDTree:
    if not isinstance(other, KDTree):
        raise TypeError(f"other must be a KDTree, not {type(other).__name__}")
    return other


def _as_weights(w: Any, n: int) -> ndarray:
    w = as_array(w).astype("d", copy=False)
    if w.shape != (n,):
        raise ValueError(f"weights must be of shape ({n},), not {w.shape}")
    return ascontiguousarray(w)
