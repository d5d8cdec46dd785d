"""Kernels of queries of a k-d tree whose points are in the tree's order.

A range of the points is divided in its middle by a plane across one axis after the other, so that
halves of halves are found by arithmetic (cf. I. Wald, arXiv:2211.00120). A query is one thread's
work. It goes down to the range that it is in itself, which gives near points first, and puts the
other halves on a stack.
"""

import functools
from typing import Any

import numpy as np

from ..._core.multiarray import empty, ndarray
from ..._core.raw import RawKernel

__all__ = ["LEAF", "count_within", "find_nearest", "list_within"]

LEAF = 32  # most points of a range that is not divided
_THREADS = 128
_UNROLLED = 4  # most coordinates that a thread has in registers
_LISTS = (1, 2, 4, 8, 16, 32)  # lengths of lists of neighbours in registers
_SORTED = 1 << 14  # queries from which on they are answered in the order of the tree
_BITS = 16  # most bits of a query's place in that order
_NONE = np.uint64(0)  # a pointer to nothing

# DIMENSIONS is 0 for any number. IS_PLAIN: the Euclidean norm without periods. Distances are
# compared as their powers, or as they are for the largest coordinate (p = 0 here).
_WALK = """
typedef long long int64;
typedef %(index)s Index;
enum { DIMENSIONS = %(d)s, IS_PLAIN = %(plain)s, THREADS = %(threads)s };
enum { LEAF = %(leaf)s, CHUNK = 4, DEPTH = sizeof(Index) == 4 ? 32 : 64 };

struct Tree {
    const double *x, *planes, *box;
    Index n;
    int d;
    double p;
};

// A range that is left to do. The last six bits of the least distance there are the axis that
// divides it: no axis is higher, as there are no more levels.
struct alignas(16) Half {
    Index begin, end;
    int64 bits;
};
enum { AXIS = 63 };

__device__ __noinline__ double
power(double d, double p)
{
    return pow(d, p);
}

__device__ __forceinline__ double
powered(double d, double p)
{
    d = fabs(d);
    return IS_PLAIN || p == 2 ? d * d : p == 1 || p == 0 ? d : power(d, p);
}

// The coordinates of a query: in registers, or where they are.
struct Query {
    double own[DIMENSIONS ? DIMENSIONS : 1];
    const double *all;

    __device__ Query(const Tree &tree, const double *q, int64 i) : all(q + i * tree.d)
    {
        #pragma unroll
        for (int k = 0; k < DIMENSIONS; k++) own[k] = all[k];
    }
    __device__ __forceinline__ double at(int k) const
    {
        if constexpr (DIMENSIONS == 0) return all[k];
        double x = own[0];
        #pragma unroll
        for (int j = 1; j < DIMENSIONS; j++) x = j == k ? own[j] : x;
        return x;
    }
};

__device__ __forceinline__ void
add(const Tree &tree, double x, double q, int k, double &sum)
{
    double part = fabs(x - q);
    if constexpr (!IS_PLAIN) {
        const double length = tree.box[k];
        if (length > 0) part = fmin(part, length - part);
    }
    part = powered(part, tree.p);
    sum = !IS_PLAIN && tree.p == 0 ? fmax(sum, part) : sum + part;
}

__device__ __forceinline__ double
distance_to(const Tree &tree, const Query &query, Index at)
{
    const double *x = tree.x + (int64)at * (DIMENSIONS ? DIMENSIONS : tree.d);
    double sum = 0;
    if constexpr (DIMENSIONS != 0) {
        #pragma unroll
        for (int k = 0; k < DIMENSIONS; k++) add(tree, x[k], query.own[k], k, sum);
    }
    else {
        #pragma unroll 1
        for (int k = 0; k < tree.d; k++) add(tree, x[k], query.all[k], k, sum);
    }
    return sum;
}

// `visit` is called for each point that may be near enough, with its distance; `worst` is what no
// distance may exceed.
template <class V>
__device__ __forceinline__ void
walk(const Tree &tree, const Query &query, const double &worst, double slack, V &&visit)
{
    const int d = DIMENSIONS ? DIMENSIONS : tree.d;
    Half halves[DEPTH];
    Index begin = 0, end = tree.n;
    int top = 0, axis = 0;
    double least = 0;
    for (;;) {
        while (end - begin > LEAF) { // to the half that the query is in
            const Index middle = begin + ((end - begin) >> 1);
            const double here = query.at(axis);
            const double apart = here - tree.planes[middle];
            const bool is_left = apart < 0;
            double away = fabs(apart);
            if constexpr (!IS_PLAIN) {
                const double length = tree.box[axis];
                if (length > 0) away = fmin(away, is_left ? here : length - here);
            }
            const int64 bits = __double_as_longlong(fmax(least, powered(away, tree.p)));
            axis = axis + 1 < d ? axis + 1 : 0;
            halves[top++] = {is_left ? middle : begin, is_left ? end : middle,
                             (bits & ~(int64)AXIS) | axis};
            begin = is_left ? begin : middle;
            end = is_left ? middle : end;
        }
        #pragma unroll 1
        while (begin < end) {
            double r[CHUNK]; // of the last point again beyond the end
            #pragma unroll
            for (int j = 0; j < CHUNK; j++)
                r[j] = distance_to(tree, query, begin + j < end ? begin + j : end - 1);
            const Index stop = begin + CHUNK < end ? begin + CHUNK : end;
            #pragma unroll 1
            for (; begin < stop; begin++) {
                visit(r[0], begin);
                #pragma unroll
                for (int j = 1; j < CHUNK; j++) r[j - 1] = r[j];
            }
        }
        Half half;
        do {
            if (top == 0) return;
            half = halves[--top];
            least = __longlong_as_double(half.bits & ~(int64)AXIS);
        } while (least * slack > worst);
        begin = half.begin;
        end = half.end;
        axis = half.bits & AXIS;
    }
}
"""

# Neighbours in sorted lists. Equally far points keep the order in which they are met.
_NEAREST = """
enum { LIST = %(length)s };
#define FAR __longlong_as_double(0x7ff0000000000000)

// Calls with the query that each thread answers.
extern "C" __global__ void __launch_bounds__(THREADS)
kdtree_nearest(const double *x, const double *planes, const double *q, const double *box,
    const int64 *index, const int64 *order, double *distances, int64 *places, const int64 n,
    const int64 d, const int64 k, const int64 queries, const double p, const double limit,
    const double slack)
{
    const int64 thread = blockIdx.x * (int64)THREADS + threadIdx.x;
    if (thread >= queries) return;
    const int64 i = order ? order[thread] : thread;
    const Tree tree = {x, planes, box, (Index)n, (int)d, p};
    const Query query(tree, q, i);
    double *const far = distances + i * k;
    int64 *const who = places + i * k;
    double worst = limit;
    %(lists)s
}
"""
# Lists in registers, of which the first LIST - k entries are of no point.
_IN_REGISTERS = """
    double list[LIST];
    Index place[LIST];
    const int unused = LIST - (int)k;
    #pragma unroll
    for (int j = 0; j < LIST; j++) {
        list[j] = j < unused ? -FAR : FAR;
        place[j] = -1;
    }
    walk(tree, query, worst, slack, [&](double r, Index at) {
        if (!(r < worst)) return;
        bool is_before = true; // the place j
        #pragma unroll
        for (int j = LIST - 1; j > 0; j--) {
            const bool is_farther = r < list[j - 1];
            list[j] = is_farther ? list[j - 1] : is_before ? r : list[j];
            place[j] = is_farther ? place[j - 1] : is_before ? at : place[j];
            is_before = is_farther;
        }
        list[0] = is_before ? r : list[0];
        place[0] = is_before ? at : place[0];
        worst = fmin(limit, list[LIST - 1]);
    });
    #pragma unroll 1
    for (int j = -unused; j < (int)k; j++) {
        if (j >= 0) {
            far[j] = IS_PLAIN || p == 2 ? sqrt(list[0]) : list[0];
            who[j] = place[0] < 0 ? n : index[place[0]];
        }
        #pragma unroll
        for (int l = 1; l < LIST; l++) {
            list[l - 1] = list[l];
            place[l - 1] = place[l];
        }
    }
"""
_IN_MEMORY = """
    for (int64 j = 0; j < k; j++) {
        far[j] = FAR;
        who[j] = n;
    }
    walk(tree, query, worst, slack, [&](double r, Index at) {
        if (!(r < worst)) return;
        int64 j = k - 1;
        for (; j > 0 && far[j - 1] > r; j--) {
            far[j] = far[j - 1];
            who[j] = who[j - 1];
        }
        far[j] = r;
        who[j] = index[at];
        worst = fmin(limit, far[k - 1]);
    });
    if (IS_PLAIN || p == 2)
        for (int64 j = 0; j < k; j++) far[j] = sqrt(far[j]);
"""
# The place of each query in the order of the tree: the halves that it is in, then the sides of the
# middle point of the last one.
_CELL = """
extern "C" __global__ void __launch_bounds__(THREADS)
kdtree_cell(const double *x, const double *planes, const double *q, unsigned short *cells,
    const int64 n, const int64 d, const int64 queries, const int64 levels, const int64 bits)
{
    const int64 i = blockIdx.x * (int64)THREADS + threadIdx.x;
    if (i >= queries) return;
    int64 begin = 0, end = n;
    int axis = 0, cell = 0;
    for (int bit = 0; bit < bits; bit++) {
        const int64 middle = begin + ((end - begin) >> 1);
        const double plane = bit < levels ? planes[middle] : x[middle * d + axis];
        const bool is_left = q[i * d + axis] < plane;
        if (bit < levels) {
            begin = is_left ? begin : middle;
            end = is_left ? middle : end;
        }
        cell = 2 * cell + !is_left;
        axis = axis + 1 < d ? axis + 1 : 0;
    }
    cells[i] = cell;
}
"""
# What is done with the points within a distance: `begin`, `each` and `end` are code.
_WITHIN = """
extern "C" __global__ void __launch_bounds__(THREADS)
%(name)s(const double *radii, const double *x, const double *planes, const double *q,
    const double *box, const int64 *index, const int64 *order, %(arrays)s, const int64 n,
    const int64 d, const int64 queries, const double p, const int64 later)
{
    const int64 thread = blockIdx.x * (int64)THREADS + threadIdx.x;
    if (thread >= queries) return;
    const int64 i = order ? order[thread] : thread;
    const Tree tree = {x, planes, box, (Index)n, (int)d, p};
    const Query query(tree, q, i);
    const double worst = radii[i];
    %(begin)s
    walk(tree, query, worst, 1.0, [&](double r, Index at) {
        if (!(r <= worst) || (later && index[at] <= i)) return;
        %(each)s
    });
    %(end)s
}
"""
_COUNT = {
    "name": "kdtree_count",
    "arrays": "const double *weights, int64 *counts, double *sums",
    "begin": "int64 count = 0; double sum = 0;",
    "each": "count++; if (weights) sum += weights[index[at]];",
    "end": "counts[i] = count; sums[i] = sum;",
}
_LIST = {
    "name": "kdtree_within",
    "arrays": "const int64 *first, int64 *places, int64 *queried, double *distances",
    "begin": "int64 next = first[i];",
    "each": "places[next] = index[at]; queried[next] = i; distances[next++] = r;",
    "end": "",
}


def _made(tree: Any, p: float, name: str, body: str) -> Any:
    """The kernel of a walk through trees like this one, by a norm."""
    is_plain = p == 2 and tree.boxsize is None
    d = tree.m if is_plain and tree.m <= _UNROLLED else 0
    return _compiled(d, int(is_plain), "int" if tree.n < 1 << 31 else "int64", name, body)


@functools.cache
def _compiled(d: int, plain: int, index: str, name: str, body: str) -> Any:
    words = {"d": d, "plain": plain, "index": index, "threads": _THREADS, "leaf": LEAF}
    return RawKernel(_WALK % words + body, name)


def _launch(kernel: Any, queries: int, arrays: tuple, *numbers: Any) -> None:
    """One thread a query; numbers are passed as int64 or float64."""
    passed = [np.float64(v) if isinstance(v, float) else np.int64(v) for v in numbers]
    kernel((-(-queries // _THREADS),), (_THREADS,), (*arrays, *passed))


def _order_of(tree: Any, q: ndarray) -> Any:
    """Many queries in the order of the tree, so that neighbouring threads read the same points."""
    count = q.shape[0]
    levels = min(((tree.n - 1) // LEAF).bit_length(), _BITS)  # as many are divided
    if count < _SORTED or levels == 0:
        return _NONE
    cells = empty(count, np.uint16)
    bits = min(levels + min(tree.m, 3), _BITS)
    kernel = _made(tree, 2.0, "kdtree_cell", _CELL)
    _launch(
        kernel, count, (tree._points, tree._planes, q, cells), tree.n, tree.m, count, levels, bits
    )
    return cells.argsort()


def find_nearest(
    tree: Any, q: ndarray, k: int, p: float, limit: float, slack: float
) -> tuple[ndarray, ndarray]:
    """Powers of the distances of the k nearest points, but the distances for p = 2, and indices."""
    count = q.shape[0]
    distances, places = empty((count, k)), empty((count, k), np.int64)
    if not count:
        return distances, places
    length = next((one for one in _LISTS if one >= k), 0)
    body = _NEAREST % {"length": length, "lists": _IN_REGISTERS if length else _IN_MEMORY}
    kernel = _made(tree, p, "kdtree_nearest", body)
    arrays = (tree._points, tree._planes, q, tree._box, tree.indices, _order_of(tree, q))
    numbers = (tree.n, tree.m, k, count, p, limit, slack)
    _launch(kernel, count, (*arrays, distances, places), *numbers)
    return distances, places


def _walk_within(
    tree: Any, q: ndarray, radii: ndarray, p: float, later: bool, use: dict, arrays: tuple
) -> None:
    if q.shape[0]:
        kernel = _made(tree, p, use["name"], _WITHIN % use)
        own = (radii, tree._points, tree._planes, q, tree._box, tree.indices, _order_of(tree, q))
        _launch(kernel, q.shape[0], (*own, *arrays), tree.n, tree.m, q.shape[0], p, later)


def count_within(
    tree: Any, q: ndarray, radii: ndarray, p: float, later: bool, weights: ndarray | None
) -> tuple[ndarray, ndarray]:
    """How many points are within powers of distances, and the sums of their weights."""
    counts, sums = empty(q.shape[0], np.int64), empty(q.shape[0])
    given = _NONE if weights is None else weights
    _walk_within(tree, q, radii, p, later, _COUNT, (given, counts, sums))
    return counts, sums


def list_within(
    tree: Any, q: ndarray, radii: ndarray, p: float, later: bool, places: tuple[ndarray, int]
) -> tuple[ndarray, ndarray, ndarray]:
    """Indices, queries and powers of distances of the points; those of a query begin at the place
    that is given, and the last end at the total."""
    first, total = places
    made = (empty(total, np.int64), empty(total, np.int64), empty(total))
    if total:
        _walk_within(tree, q, radii, p, later, _LIST, (first, *made))
    return made
