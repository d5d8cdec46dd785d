"""Distance transforms: how far the nearest background element is."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, host_ndim
from ..._core._docstrings import documented_as
from ..._core._filters import nearest
from ..._core.bits import packed_rows
from ..._core.multiarray import array, concatenate, empty, ndarray
from ..._core.raw import ElementwiseKernel
from ._ni_support import sequence

__all__ = ["distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"]

_METRICS = {
    "euclidean": "euclidean",
    "taxicab": "taxicab",
    "cityblock": "taxicab",
    "manhattan": "taxicab",
    "chessboard": "chessboard",
}


# ---- the transform -------------------------------------------------------------------------------

# Rows of flags as bits: a first level with a bit for each element, then levels with a bit for each
# word of 64 bits below that is not zero, up to 64 words. The nearest set bit is looked for upwards,
# where 64 words are passed at once, and then downwards.
_SEARCH = """
    struct Level {
        ptrdiff_t begin, count;
    };

    // Where the words of a row begin on a level, and how many there are.
    __device__ Level level_of(int k, ptrdiff_t rows, ptrdiff_t row, ptrdiff_t n)
    {
        Level level = {0, (n + 63) / 64};
    #pragma unroll 1
        for (; k > 0; k--) {
            level.begin += rows * level.count;
            level.count = (level.count + 63) / 64;
        }
        level.begin += row * level.count;
        return level;
    }

    __device__ ptrdiff_t last_bit(unsigned long long word) { return 63 - __clzll((long long)word); }
    __device__ ptrdiff_t first_bit(unsigned long long word) { return __ffsll((long long)word) - 1; }

    // The nearest set bit at `at` or in the direction of the step; -1 where there is none.
    template <int step, class B>
    __device__ ptrdiff_t
    nearest_bit(const B &bits, ptrdiff_t rows, ptrdiff_t row, ptrdiff_t n, ptrdiff_t at)
    {
        int k = 0;
        Level level = level_of(0, rows, row, n);
        ptrdiff_t word = at >> 6;
        const int bit = at & 63;
        unsigned long long found =
            bits[level.begin + word] & (step < 0 ? ~0ull >> (63 - bit) : ~0ull << bit);
    #pragma unroll 1
        while (found == 0) {
            if (level.count <= 64) {  // the highest level
                word += step;
                if (word < 0 || word >= level.count) return -1;
                found = bits[level.begin + word];
            }
            else {
                level = level_of(++k, rows, row, n);
                const int own = word & 63;
                const unsigned long long beyond =
                    step < 0 ? (1ull << own) - 1 : own < 63 ? ~0ull << (own + 1) : 0;
                word >>= 6;
                found = bits[level.begin + word] & beyond;
            }
        }
    #pragma unroll 1
        for (; k > 0; k--) {
            word = word * 64 + (step < 0 ? last_bit(found) : first_bit(found));
            found = bits[level_of(k - 1, rows, row, n).begin + word];
        }
        return word * 64 + (step < 0 ? last_bit(found) : first_bit(found));
    }
"""
_COSTS = ElementwiseKernel(
    "raw uint64 bits, I rows, I n, C scale, C infinite, bool is_square",
    "C cost",
    """
    const I row = (I)i / n, at = (I)i - row * n;
    const ptrdiff_t last = nearest_bit<-1>(bits, rows, row, n, at);
    const ptrdiff_t next = nearest_bit<1>(bits, rows, row, n, at);
    const C before = (C)(at - last), after = (C)(next - at);
    const C d = last < 0 || (next >= 0 && after < before) ? after : before;
    cost = last < 0 && next < 0 ? infinite : is_square ? (C)(d * scale * (d * scale)) : d;
    """,
    "distance_costs",
    preamble=_SEARCH,
)
_PLACES = ElementwiseKernel(
    "raw uint64 bits, int64 rows, int64 n",
    "int64 place",
    """
    const ptrdiff_t row = i / n, at = i - row * n;
    const ptrdiff_t last = nearest_bit<-1>(bits, rows, row, n, at);
    const ptrdiff_t next = nearest_bit<1>(bits, rows, row, n, at);
    const ptrdiff_t found = last < 0 || (next >= 0 && next - at < at - last) ? next : last;
    place = found < 0 ? -1 : i - at + found;
    """,
    "distance_places",
    preamble=_SEARCH,
)


_COORDINATES = ElementwiseKernel(
    "int64 place, int64 step, int64 n",
    "int32 at",
    "at = place < 0 ? -1 : place / step % n",
    "distance_coordinates",
)


def _cost_type(shape: tuple, metric: str, scales: Any) -> np.dtype:
    """The type of the passes' costs: integers where they are exact."""
    if scales is not None:
        return np.dtype("float64")
    longest = sum((n - 1) ** (2 if metric == "euclidean" else 1) for n in shape)
    return np.dtype("int32" if longest < 2**31 - 1 else "int64")


def _first_axis(a: ndarray, metric: str, scale: Any, kind: np.dtype, index: bool) -> tuple:
    """Costs along the last axis, and the places of the nearest background elements there."""
    n = a.shape[-1]
    rows = a.size // max(n, 1)
    bits = _background_bits(a.reshape(rows, n))
    cost = empty(a.shape, kind)
    infinite = np.inf if kind.kind == "f" else np.iinfo(kind).max
    infinite, scale = kind.type(infinite), kind.type(scale)
    sizes = map(np.int32 if a.size < 2**31 else np.int64, (rows, n))
    _COSTS(bits, *sizes, scale, infinite, metric == "euclidean", cost)
    return cost, _PLACES(bits, rows, n, empty(a.shape, np.int64)) if index else None


def _background_bits(rows: ndarray) -> ndarray:
    """The levels of `_SEARCH`, of the elements that are zero."""
    levels = [packed_rows(um.logical_not(rows, order="C"))]
    while levels[-1].shape[1] > 64:
        levels.append(packed_rows(levels[-1] != 0))
    return concatenate([words.reshape(-1) for words in levels]) if levels[1:] else levels[0]


def _transform(a: ndarray, metric: str, scales: Any, finish: str, out: ndarray, index: bool) -> Any:
    """Write distances to `out`; the places of the nearest background elements where `index`."""
    given = a.reshape((1,) * (2 - a.ndim) + a.shape)
    kind = _cost_type(a.shape, metric, scales)
    scales = [1.0] * given.ndim if scales is None else [1.0, *scales][-given.ndim :]
    cost, places = _first_axis(given, metric, scales[-1], kind, index)
    for axis in range(given.ndim - 2, -1, -1):
        target = empty(given.shape, kind) if axis else out.reshape(given.shape)
        moved = empty(given.shape, np.int64) if index else None
        what = "cost" if axis else finish
        nearest(cost, places, target, moved, axis, metric, scales[axis], what)
        cost, places = target, moved
    return None if places is None else places.reshape(a.shape)


def _coordinates(places: ndarray, out: ndarray) -> None:
    """Write the index along each axis of places in C order; -1 where there is none."""
    step = 1
    for axis in range(places.ndim - 1, -1, -1):
        n = places.shape[axis]
        _COORDINATES(places, step, n, out[axis])
        step *= n


# ---- arguments -----------------------------------------------------------------------------------


def _check_wanted(distances: Any, indices: Any, is_distance: bool, is_index: bool) -> None:
    if not (is_distance or is_index):
        raise RuntimeError("at least one of return_distances/return_indices must be True")
    if distances is not None and not is_distance:
        raise RuntimeError("return_distances must be True if distances is supplied")
    if indices is not None and not is_index:
        raise RuntimeError("return_indices must be True if indices is supplied")


def _target(given: Any, name: str, shape: tuple, dtype: Any, error: type) -> None:
    if given is None:
        return
    if not isinstance(given, ndarray):
        raise TypeError(f"{name} must be a gpunp array, not {type(given).__name__}")
    if given.dtype != dtype:
        raise error(f"{name} array must be {np.dtype(dtype)}")
    if given.shape != shape:
        raise error(f"{name} array has wrong shape")


def _answer(a, metric, scales, dtype, wanted, given, error=RuntimeError) -> Any:
    """Distances and indices as wanted; those stored in an array of the user's are left out."""
    (is_distance, is_index), (distances, indices) = wanted, given
    _check_wanted(distances, indices, is_distance, is_index)
    _target(distances, "distances", a.shape, dtype, error)
    _target(indices, "indices", (a.ndim, *a.shape), np.int32, error)
    out = empty(a.shape, dtype)
    finish = "root" if np.dtype(dtype).kind == "f" else "number"
    places = _transform(a, metric, scales, finish, out, is_index)
    results = []
    if is_distance and distances is None:
        results.append(out)
    elif is_distance:
        distances[...] = out
    if is_index:
        found = empty((a.ndim, *a.shape), np.int32) if indices is None else indices
        _coordinates(places, found)
        if indices is None:
            results.append(found)
    return tuple(results) if len(results) == 2 else results[0] if results else None


def _sampling(sampling: Any, ndim: int) -> list[float] | None:
    if sampling is None:
        return None
    return [abs(float(scale)) for scale in sequence(sampling, ndim)]


def distance_transform_edt(
    input,
    sampling=None,
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
) -> Any:
    """Compute the Euclidean distance of each element to the nearest background element.

    Parameters
    ----------
    input : array_like
        Image of any dimension; what is zero is background.
    sampling : float or sequence of float, optional
        Distance of neighbouring elements along each axis: by default 1.
    return_distances : bool, optional
        Whether distances are computed.
    return_indices : bool, optional
        Whether indices of the nearest background elements are computed.
    distances : ndarray of float64, optional
        Array of the image's shape that distances are written to, in place of a returned one.
    indices : ndarray of int32, optional
        Array of shape ``(ndim, *input.shape)`` that indices are written to, in place of a returned
        one.

    Returns
    -------
    distances : ndarray of float64
        Distances, infinite where there is no background. Only if `return_distances` is True.
    indices : ndarray of int32
        Index of the nearest background element along each axis, -1 where there is none. Only if
        `return_indices` is True.

    Raises
    ------
    RuntimeError
        If nothing is to be returned, or a given array has another type or shape.

    See Also
    --------
    scipy.ndimage.distance_transform_edt

    Notes
    -----
    Along the last axis the nearest element is found by the bits of words; along each other one a
    search goes outwards from every element and ends where the distance alone is no better, as in
    the sampled functions of Felzenszwalb and Huttenlocher [1]_. Where several elements are nearest,
    the index may be that of another one than in SciPy.

    References
    ----------
    .. [1] P. F. Felzenszwalb and D. P. Huttenlocher, "Distance Transforms of Sampled Functions",
       Theory of Computing 8, 2012.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.distance_transform_edt(cp.array([[0, 1, 1], [1, 1, 1]])).round(3)
    array([[0.   , 1.   , 2.   ],
           [1.   , 1.414, 2.236]])
    """
    a = as_array(input)
    wanted, given = (return_distances, return_indices), (distances, indices)
    return _answer(a, "euclidean", _sampling(sampling, a.ndim), np.float64, wanted, given)


@documented_as(distance_transform_edt)
def distance_transform_cdt(
    input,
    metric="chessboard",
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
) -> Any:
    """Compute the distance of each element to the nearest background element in steps.

    Parameters
    ----------
    metric : {'chessboard', 'taxicab', 'cityblock', 'manhattan'} or array_like, optional
        Whether a step goes to all neighbours, or to those that share a face; or a structure with
        three elements along each axis, which says to which neighbours it goes.
    distances : ndarray of int32, optional
        Array of the image's shape that distances are written to, in place of a returned one.

    Returns
    -------
    distances : ndarray of int32
        Numbers of steps, -1 where there is no background. Only if `return_distances` is True.
    indices : ndarray of int32
        Index of the nearest background element along each axis, -1 where there is none. Only if
        `return_indices` is True.

    Raises
    ------
    RuntimeError
        If nothing is to be returned.
    ValueError
        If `metric` is another name or has another shape, or a given array has another type or
        shape.

    See Also
    --------
    scipy.ndimage.distance_transform_cdt

    Notes
    -----
    Where several elements are nearest, the index may be that of another one than in SciPy. A
    structure of which some, but not all diagonals are true is SciPy's work on the host, since
    results follow from the order of its two scans; this waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.distance_transform_cdt(cp.array([[0, 1, 1], [1, 1, 1]]), 'taxicab')
    array([[0, 1, 2],
           [1, 2, 3]], dtype=int32)
    """
    a = as_array(input)
    wanted, given = (return_distances, return_indices), (distances, indices)
    if not isinstance(metric, str):
        metric = _structure(metric, a.ndim)
        name = _metric_of(metric)
        if name is None:
            return _by_scans(a, metric, wanted, given)
        metric = name
    if metric not in _METRICS or metric == "euclidean":
        raise ValueError("invalid metric provided")
    return _answer(a, _METRICS[metric], None, np.int32, wanted, given, ValueError)


def _structure(metric: Any, ndim: int) -> np.ndarray:
    """The structure that a metric is, on the host."""
    metric = metric.get() if isinstance(metric, ndarray) else metric
    if metric is None or host_ndim(metric) == 0:
        raise ValueError("invalid metric provided")
    structure = as_host(metric).astype(bool)
    if structure.shape != (3,) * ndim:
        raise ValueError(
            f"metric sizes must be equal to 3 along {ndim} axes, not {structure.shape}"
        )
    return structure


def _metric_of(structure: np.ndarray) -> str | None:
    """The name of the metric whose steps go to the same neighbours."""
    far = np.abs(np.indices(structure.shape) - 1).sum(axis=0)
    around = structure[far > 0]
    if around.all():
        return "chessboard"
    return "taxicab" if np.array_equal(around, far[far > 0] == 1) else None


def _by_scans(a: ndarray, structure: np.ndarray, wanted: tuple, given: tuple) -> Any:
    """SciPy's two scans of an image on the host."""
    from scipy.ndimage import distance_transform_cdt as host

    (is_distance, is_index), (distances, indices) = wanted, given
    _check_wanted(distances, indices, is_distance, is_index)
    _target(distances, "distances", a.shape, np.int32, ValueError)
    _target(indices, "indices", (a.ndim, *a.shape), np.int32, ValueError)
    both = host(a.get(), structure, return_distances=True, return_indices=True)
    results = []
    for made, is_wanted, target in zip(both, wanted, given, strict=True):
        if is_wanted and target is None:
            results.append(array(made))
        elif is_wanted:
            target[...] = array(made)
    return tuple(results) if len(results) == 2 else results[0] if results else None


@documented_as(distance_transform_edt)
def distance_transform_bf(
    input,
    metric="euclidean",
    sampling=None,
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
) -> Any:
    """Compute the distance of each element to the nearest background element in a metric.

    Parameters
    ----------
    metric : {'euclidean', 'taxicab', 'cityblock', 'manhattan', 'chessboard'}, optional
        How distances are measured.
    sampling : float or sequence of float, optional
        Distance of neighbouring elements along each axis, of the Euclidean metric alone.
    distances : ndarray, optional
        Array of the image's shape that distances are written to, in place of a returned one.

    Returns
    -------
    distances : ndarray of float64 or uint32
        Euclidean distances, infinite where there is no background; others as integers, with the
        greatest one there.
    indices : ndarray of int32
        Index of the nearest background element along each axis, -1 where there is none. Only if
        `return_indices` is True.

    Raises
    ------
    RuntimeError
        If nothing is to be returned, `metric` is another one, or a given array has another type or
        shape.

    See Also
    --------
    scipy.ndimage.distance_transform_bf

    Notes
    -----
    The method is that of `distance_transform_edt`, not SciPy's search of all pairs.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.distance_transform_bf(cp.array([[0, 1, 1], [1, 1, 1]]), 'chessboard')
    array([[0, 1, 2],
           [1, 1, 2]], dtype=uint32)
    """
    a = as_array(input)
    if not isinstance(metric, str):
        raise TypeError(f"metric must be a str, not {type(metric).__name__}")
    if metric.lower() not in _METRICS:
        raise RuntimeError("distance metric not supported")
    kind = _METRICS[metric.lower()]
    is_euclidean = kind == "euclidean"
    scales = _sampling(sampling, a.ndim) if is_euclidean else None
    wanted, given = (return_distances, return_indices), (distances, indices)
    dtype = np.float64 if is_euclidean else np.uint32
    return _answer(a, kind, scales, dtype, wanted, given)
