"""Multiscale graph correlation: a test of independence by distances at all scales.

Formulas are those of C. Shen, C. E. Priebe and J. T. Vogelstein, Journal of the American
Statistical Association 115, 2020. Products of the centered distances of pairs are added up by the
ranks of both distances; sums along both axes of that table are the covariances of all scales.
"""

import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import shown
from ..._core._warnings import warn
from ..._core.fromnumeric import argsort, take
from ..._core.multiarray import arange, ascontiguousarray, concatenate, empty, ndarray, where, zeros
from ..._core.numeric import outer
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import argmax, cumsum
from ...lib._index_tricks_impl import fill_diagonal
from ..ndimage._components import components
from ._axis import real, result_type
from ._distn_infrastructure import generator_of
from ._distributions import beta
from ._ranks import row_ranks

__all__ = ["multiscale_graphcorr"]

MGCResult: Any = result_type("MGCResult", "statistic pvalue mgc_dict", "stat")

_BATCH = 1 << 22  # pairs of a batch of permutations
_FEWEST = 5  # samples that are needed
_ROUNDING = 1e-13  # of correlations: permutations that change nothing count as equal
# Products of pairs (row, column) by the ranks of both, for each permutation of the second matrix.
_PRODUCTS = ElementwiseKernel(
    "raw float64 a, raw int64 of_a, raw float64 b, raw int64 of_b, raw int64 orders, int64 n,"
    " int64 width, int64 cells",
    "raw float64 table",
    """
    const ptrdiff_t pair = i % (n * n), first = i / (n * n) * n;
    const ptrdiff_t other = orders[first + pair / n] * n + orders[first + pair % n];
    const ptrdiff_t cell = of_a[pair] * width + of_b[other];
    atomicAdd(&table[i / (n * n) * cells + cell], a[pair] * b[other]);
    """,
    "mgc_products",
)
_SUMS = ElementwiseKernel(
    "raw float64 values, int64 index", "raw float64 sums", "atomicAdd(&sums[index], values[i]);",
    "mgc_sums",
)  # fmt: skip
_SIZES = ElementwiseKernel(
    "T parent",
    "raw int64 sizes",
    "if (parent >= 0) atomicAdd((unsigned long long *)&sizes[parent], 1ull);",
    "mgc_sizes",
)
# Products are rounded before they are added, so that distances equal in SciPy have equal ranks.
_DISTANCES = ElementwiseKernel(
    "raw float64 x, int64 size, int64 count",
    "float64 distance",
    """
    double a = 0;
    for (ptrdiff_t k = 0; k < size; k++) {
        const double d = x[i / count * size + k] - x[i % count * size + k];
        a = __dadd_rn(a, __dmul_rn(d, d));
    }
    distance = sqrt(a);
    """,
    "mgc_distances",
)
# Structure of the neighbours in a stack of maps: cells of one map that share a side.
_STACKED = np.zeros((3, 3, 3), bool)
_STACKED[1] = [[False, True, False], [True, True, True], [False, True, False]]


@dataclass
class _Side:
    """Distances of one of the two variables, as the sums take them."""

    centered: ndarray  # distances less the mean of their column
    ranks: ndarray  # within the column, from 0; equal distances share one
    size: int  # number of ranks
    sums: ndarray  # of the centered distances up to each rank
    variances: ndarray  # of the pairs whose both ranks are up to each


def _side(distances: ndarray) -> _Side:
    n = distances.shape[0]
    means = distances.sum(axis=0) / (n - 1)
    centered = distances - means
    fill_diagonal(centered, 0.0)
    ranks = ascontiguousarray(row_ranks(ascontiguousarray(distances.T), "dense", np.int64).T - 1)
    count = int(ranks.max()) + 1
    sums = cumsum(_summed(centered, ranks, count))
    transposed, of_transposed = ascontiguousarray(centered.T), ascontiguousarray(ranks.T)
    both = _summed(centered * transposed, um.maximum(ranks, of_transposed), count)
    return _Side(centered, ranks, count, sums, cumsum(both) - sums * sums / n**2)


def _summed(values: ndarray, index: ndarray, count: int) -> ndarray:
    sums = zeros(count)
    _SUMS(values, index, sums)
    return sums


def _transposed(side: _Side) -> _Side:
    centered, ranks = ascontiguousarray(side.centered.T), ascontiguousarray(side.ranks.T)
    return replace(side, centered=centered, ranks=ranks)


def _maps(x: _Side, y: _Side, orders: ndarray) -> ndarray:
    """Correlations at all scales, for each order of the second variable; `y` is transposed."""
    n, shape = orders.shape[-1], (orders.shape[0], x.size, y.size)
    table = zeros(shape)
    _PRODUCTS(
        x.centered, x.ranks, y.centered, y.ranks, orders, n, y.size, x.size * y.size, table,
        size=orders.shape[0] * n * n,
    )  # fmt: skip
    covariances = cumsum(cumsum(table, axis=1), axis=2) - outer(x.sums, y.sums) / n**2
    variances = outer(um.maximum(x.variances, 0.0), um.maximum(y.variances, 0.0))
    known = (x.variances > 0)[:, None] & (y.variances > 0)
    return where(known, um.minimum(covariances / um.sqrt(variances), 1.0), 0.0)


def _largest_regions(maps: ndarray, n: int) -> ndarray:
    """The cells of the largest connected region of large correlations of each map.

    Correlations are large beyond a quantile of the distribution that those of independent variables
    have about, and beyond that of the largest scale.
    """
    half = n * (n - 3) / 4 - 0.5
    bound = 2 * beta.ppf(1 - 0.02 / n, half, half) - 1
    flags = maps > um.maximum(maps[:, -1:, -1:], bound)
    parents, _, _ = components(flags, _STACKED)
    sizes = zeros(flags.size, np.int64)
    _SIZES(parents, sizes)
    size = where(flags, take(sizes, um.maximum(parents, 0)), 0)
    is_largest = size == size.max(axis=(1, 2), keepdims=True)
    first = where(flags & is_largest, parents, flags.size).min(axis=(1, 2), keepdims=True)
    return parents == first


def _smoothed(maps: ndarray, n: int) -> tuple[ndarray, ndarray, ndarray]:
    """The statistic of each map, its region, and whether the region has it.

    A region counts that is not too small, and else the correlation at the largest scale.
    """
    rows, columns = maps.shape[1:]
    region = _largest_regions(maps, n)
    is_large = region.sum(axis=(1, 2)) >= np.ceil(0.02 * max(rows, columns)) * min(rows, columns)
    most = where(region, maps, -np.inf).max(axis=(1, 2))
    last = maps[:, -1, -1]
    within = is_large & (most >= last)
    return where(within, most, last), region, within


def _null(x: _Side, y: _Side, reps: int, random_state: Any) -> ndarray:
    """Statistics of random orders of the second variable."""
    source, n = generator_of(random_state), x.centered.shape[0]
    uniform = getattr(source, "random_sample", None) or source.random
    rows = max(1, _BATCH // n**2)
    sizes = [min(rows, reps - start) for start in range(0, reps, rows)]
    parts = [_smoothed(_maps(x, y, argsort(uniform((size, n)), axis=-1)), n)[0] for size in sizes]
    return concatenate(parts) if parts else zeros(0)


def _euclidean_dist(x: Any) -> ndarray:
    distances = empty((x.shape[0], x.shape[0]), np.float64)
    _DISTANCES(ascontiguousarray(x), x.shape[1], x.shape[0], distances)
    return distances


def _points(x: Any, name: str) -> ndarray:
    x = real(x, name)
    x = x[:, None] if x.ndim == 1 else x
    if x.ndim != 2:
        raise ValueError(f"{name} must have one or two dimensions, got the shape {x.shape}")
    if not bool(um.isfinite(x).all()):
        raise ValueError(f"{name} must have finite elements, got NaN or infinity")
    return x


def _checked(x: ndarray, y: ndarray, compute_distance: Any, reps: Any) -> int:
    """The number of permutations, after checks of the sizes and options."""
    if min(x.shape[0], y.shape[0]) < _FEWEST:
        raise ValueError(
            f"x and y need {_FEWEST} samples at least, got {x.shape[0]} and {y.shape[0]}"
        )
    if compute_distance is not None and not callable(compute_distance):
        raise ValueError(
            f"compute_distance must be callable or None, got {shown(compute_distance)}"
        )
    try:
        reps = operator.index(reps)
    except TypeError:
        reps = -1
    if reps < 0:
        raise ValueError("reps must be an integer that is not negative")
    if reps < 1000:
        warn("p-values of less than 1000 permutations are rough", RuntimeWarning)
    return reps


def _matrices(
    x: ndarray, y: ndarray, compute_distance: Any, is_twosamp: bool
) -> tuple[ndarray, ndarray]:
    """The distances within both variables."""
    if x.shape[0] != y.shape[0]:
        if x.shape[1] != y.shape[1]:
            raise ValueError(
                "x and y must have as many rows, or as many columns for a test of two samples;"
                f" got the shapes {x.shape} and {y.shape}"
            )
        is_twosamp = True
    if is_twosamp:
        if compute_distance is None:
            raise ValueError("a test of two samples needs compute_distance, got None")
        y, x = (arange(x.shape[0] + y.shape[0]) >= x.shape[0]).astype(float)[:, None], (
            concatenate([x, y])
        )  # fmt: skip
    if compute_distance is not None:
        x, y = compute_distance(x), compute_distance(y)
    for name, distances in (("x", x), ("y", y)):
        if distances.shape != (x.shape[0], x.shape[0]):
            raise ValueError(
                f"the distances of {name} must be a square matrix of both variables' samples, got"
                f" the shape {distances.shape}"
            )
    return real(x, "x"), real(y, "y")


def multiscale_graphcorr(
    x, y, compute_distance=_euclidean_dist, reps=1000, workers=1, is_twosamp=False,
    random_state=None,
):  # fmt: skip
    """Test whether two variables are independent, by correlations of distances at all scales.

    Waits for the device: inputs are checked, and the number of different ranks is the shape of the
    map of scales.

    Parameters
    ----------
    x, y : array_like
        Samples in rows, `n` of both variables; or `n` distances of each of `n` samples, if
        `compute_distance` is None; or samples of two distributions, as many of each as there are.
    compute_distance : callable, optional
        Function of an array of samples that returns the matrix of their distances, by default the
        Euclidean ones. None if `x` and `y` are matrices of distances.
    reps : int, optional
        Number of random permutations that the p-value is estimated from.
    workers : int or callable, optional
        Accepted for compatibility: permutations are computed in batches on the device.
    is_twosamp : bool, optional
        If True, test whether `x` and `y` are of one distribution; they are where the numbers of
        their rows differ.
    random_state : None, int, Generator or RandomState, optional
        Source of the permutations, of `gpunp.random`.

    Returns
    -------
    MGCResult
        `statistic`, `pvalue` and `mgc_dict`, which has the map of the correlations at all scales
        ('mgc_map'), the scale whose correlation is the statistic ('opt_scale', a list of two ints)
        and the statistics of the permutations ('null_dist').

    Raises
    ------
    ValueError
        If there are less than five samples, elements that are not finite, or shapes or options that
        do not go together.

    Notes
    -----
    Distances less the mean of their column are multiplied and added up by their ranks within the
    column; covariances over variances are the correlations. The statistic is the largest of a
    connected region of large ones, or that of the largest scale [1]_. A permutation of `n` samples
    takes `n**2` additions in float64 in any order, so last bits may differ between runs.

    References
    ----------
    .. [1] C. Shen, C. E. Priebe and J. T. Vogelstein, "From distance correlation to multiscale
       graph correlation", Journal of the American Statistical Association 115, 2020.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.linspace(-1, 1, 50)
    >>> found = cp.scipy.stats.multiscale_graphcorr(x, x**2, random_state=1)
    >>> bool(found.pvalue < 0.01)
    True
    """
    x, y = _points(x, "x"), _points(y, "y")
    reps = _checked(x, y, compute_distance, reps)
    first, second = _matrices(x, y, compute_distance, is_twosamp)
    n, of_x, of_y = first.shape[0], _side(first), _transposed(_side(second))
    maps = _maps(of_x, of_y, arange(n)[None])
    statistics, region, within = _smoothed(maps, n)
    statistic = statistics[0]
    null = _null(of_x, of_y, reps, random_state)
    scale = _best_scale(maps[0], region[0] & (maps[0] >= statistic), within)
    pvalue = (1 + (null >= statistic - _ROUNDING).sum()) / (1 + reps)
    found = {"mgc_map": maps[0], "opt_scale": scale, "null_dist": null}
    return MGCResult(statistic, pvalue, found, statistic)


def _best_scale(table: ndarray, best: ndarray, within: ndarray) -> list[int]:
    """Numbers of neighbours of the last of the best correlations, or the largest scale."""
    rows, columns = table.shape
    if not bool(within[0]):
        return [rows, columns]
    place = table.size - 1 - int(argmax(best.reshape(-1)[::-1]))
    return [place // columns + 1, place % columns + 1]
