"""`scipy.cluster.vq`: vector quantisation and k-means."""

import functools
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import (
    as_array,
    as_host,
    check_device_memory,
    number_on_host,
    shown,
    whole,
)
from ..._core._warnings import warn
from ..._core.fusion import fuse
from ..._core.multiarray import (
    arange,
    array,
    asarray,
    ascontiguousarray,
    empty,
    ndarray,
    sorted_values,
    where,
    zeros,
)
from ..._core.numeric import array_equal
from ..._core.randomness import host_generator
from ..._core.raw import ElementwiseKernel, RawKernel
from ...linalg import cholesky, svd
from .._host import to_host
from ._lloyd_step import Step, is_joint, joint_step
from ._nearest_codes import is_scored, scored

__all__ = ["ClusterError", "kmeans", "kmeans2", "vq", "whiten"]


class ClusterError(Exception):
    """A cluster has no members."""


# ---- nearest codes -------------------------------------------------------------------------------

_UNCHECKED_STEPS = 64  # of kmeans2, before the means are compared at powers of two

# A thread has the coordinates of OWN observations in registers, and a block some codes in shared
# memory, a row of which serves all of them. PITCH makes rows multiples of 16 bytes.
_NEAREST = """
typedef %(type)s T;
enum { FEATURES = %(features)s, OWN = %(own)s, THREADS = %(threads)s };
enum { UNIT = 16 / sizeof(T), PITCH = (FEATURES + UNIT - 1) / UNIT * UNIT, PART = 1024 / PITCH };

extern "C" __global__ void __launch_bounds__(THREADS)
nearest_code(const T *obs, const T *book, int *code, T *distance, const long long n,
    const long long codes)
{
    __shared__ alignas(16) T part[PART * PITCH];
    const long long first = blockIdx.x * (long long)(THREADS * OWN) + threadIdx.x;
    T x[OWN][FEATURES], best[OWN];
    int at[OWN];
    #pragma unroll
    for (int o = 0; o < OWN; o++) { // the last one again beyond the end
        const T *row = obs + min(first + o * THREADS, n - 1) * FEATURES;
        #pragma unroll
        for (int j = 0; j < FEATURES; j++) x[o][j] = row[j];
        best[o] = T(1) / T(0);
        at[o] = 0;
    }
    for (long long begin = 0; begin < codes; begin += PART) {
        const int count = min((long long)PART, codes - begin);
        __syncthreads();
        for (int i = threadIdx.x; i < count * FEATURES; i += THREADS)
            part[i / FEATURES * PITCH + i %% FEATURES] = book[begin * FEATURES + i];
        __syncthreads();
        #pragma unroll 1
        for (int k = 0; k < count; k++) {
            T sum[OWN] = {};
            #pragma unroll
            for (int j = 0; j < FEATURES; j++) {
                const T c = part[k * PITCH + j];
                #pragma unroll
                for (int o = 0; o < OWN; o++) sum[o] = fma(x[o][j] - c, x[o][j] - c, sum[o]);
            }
            #pragma unroll
            for (int o = 0; o < OWN; o++) {
                const bool is_nearer = sum[o] < best[o];
                best[o] = is_nearer ? sum[o] : best[o];
                at[o] = is_nearer ? int(begin) + k : at[o];
            }
        }
    }
    #pragma unroll
    for (int o = 0; o < OWN; o++) {
        const long long i = first + o * THREADS;
        if (i >= n) return;
        code[i] = at[o];
        distance[i] = sqrt(best[o]);
    }
}
"""
MOST_FEATURES = 32  # in registers
_BYTES = 256  # of coordinates that a thread has at most
_BLOCK = 256


@functools.cache
def _nearest(features: int, dtype: np.dtype) -> tuple[Any, int]:
    """The kernel for observations of so many features, and how many are a block's work."""
    own = min(2, _BYTES // (features * dtype.itemsize))
    words = {"features": features, "own": own, "threads": _BLOCK}
    words["type"] = "float" if dtype.itemsize == 4 else "double"
    return RawKernel(_NEAREST % words, "nearest_code"), own * _BLOCK


# More features than fit registers.
_NEAREST_OF_MANY = ElementwiseKernel(
    "raw T obs, raw T book, int64 codes, int64 count",
    "int32 code, T distance",
    """
    T best = INFINITY;
    int at = 0;
    for (ptrdiff_t k = 0; k < codes; k++) {
        T sum = 0;
        for (ptrdiff_t j = 0; j < count; j++) {
            const T d = obs[i * count + j] - book[k * count + j];
            sum = fma(d, d, sum);
        }
        if (sum < best) {
            best = sum;
            at = k;
        }
    }
    code = at;
    distance = sqrt(best);
    """,
    "nearest_code_of_many_features",
)


def _quantised(obs: ndarray, book: ndarray) -> tuple[ndarray, ndarray]:
    """(number of the nearest code, distance from it) of each observation, both of one dtype."""
    (count, features), book = obs.shape, ascontiguousarray(book)
    if is_scored(obs, book):
        code, distance, _ = scored(obs, book)
        return code, distance
    if not 0 < features <= MOST_FEATURES:
        return _NEAREST_OF_MANY(obs, book, book.shape[0], features, size=count)
    code, distance = empty(count, np.int32), empty(count, obs.dtype)
    if count:
        kernel, work = _nearest(features, obs.dtype)
        sizes = (np.int64(count), np.int64(book.shape[0]))
        kernel((-(-count // work),), (_BLOCK,), (obs, book, code, distance, *sizes))
    return code, distance


@fuse
def _are_finite(x):
    return um.isfinite(x).all()


_NOT_FINITE = "array must not contain infs or NaNs"


def _check_finite(x: ndarray) -> None:
    if not bool(_are_finite(x)):
        raise ValueError(_NOT_FINITE)


def _floats(x: Any, name: str, check_finite: bool) -> ndarray:
    """An array of float32 or float64, in C order."""
    x = as_array(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be of real numbers, not of {x.dtype}")
    if not (x.dtype.kind == "f" and x.dtype.itemsize in (4, 8)):
        x = x.astype(np.float32 if x.dtype == np.float16 else np.float64)
    if check_finite:
        _check_finite(x)
    return ascontiguousarray(x)


def vq(obs, code_book, check_finite=True) -> tuple[ndarray, ndarray]:
    """Find the nearest code of each observation.

    Parameters
    ----------
    obs : array_like
        Observations, one in each row.
    code_book : array_like
        Codes, each a row of as many features.
    check_finite : bool, optional
        Whether NaN and infinity raise an error, which waits for the device.

    Returns
    -------
    code : ndarray of int32
        Number of the nearest code of each observation, the first of equally near ones.
    dist : ndarray
        Euclidean distance from it.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster.vq import vq
    >>> vq(cp.array([[0.0, 0.0], [4.0, 3.0]]), cp.array([[0.0, 0.0], [4.0, 4.0]]))
    (array([0, 1], dtype=int32), array([0., 1.]))
    """
    x, book = _floats(obs, "obs", False), _floats(code_book, "code_book", check_finite)
    is_checked_later = x.ndim == book.ndim == 2 and x.shape[1] == book.shape[1] and book.size
    is_checked_later = is_checked_later and is_scored(x, book)
    if check_finite and not is_checked_later:
        _check_finite(x)
    dtype = np.result_type(x.dtype, book.dtype)
    if x.ndim != book.ndim:
        raise ValueError("Observation and code_book should have the same rank")
    if x.ndim > 2 or x.ndim == 0:
        raise ValueError("ndim different than 1 or 2 are not supported")
    if x.ndim == 1:
        x, book = x[:, None], book[:, None]
    if x.shape[1] != book.shape[1]:
        raise ValueError(
            f"the number of features is {x.shape[1]} in obs and {book.shape[1]} in code_book"
        )
    if not book.size:
        raise ValueError("code_book has no codes")
    x, book = x.astype(dtype, copy=False), book.astype(dtype, copy=False)
    if not is_checked_later:
        return _quantised(x, book)
    code, distance, found = scored(x, book)
    if check_finite and found[1]:
        raise ValueError(_NOT_FINITE)
    return code, distance


def whiten(obs, check_finite=None) -> ndarray:
    """Divide each feature by its standard deviation.

    Parameters
    ----------
    obs : array_like
        Observations, one in each row.
    check_finite : bool, optional
        Whether NaN and infinity raise an error, which waits for the device. By default they do.

    Returns
    -------
    ndarray
        The features in units of their deviation; those without deviation are unchanged.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.cluster.vq.whiten(cp.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[1., 5.],
           [3., 5.]])
    """
    x = _floats(obs, "obs", check_finite is None or bool(check_finite))
    deviation = x.std(axis=0)
    return x / where(deviation == 0, x.dtype.type(1), deviation)


# ---- means of clusters ---------------------------------------------------------------------------

# The members of a cluster, which lie together in `order`, are cut into pieces. A thread sums one
# feature of a piece, and neighbouring threads read neighbouring features.
_SUMS = ElementwiseKernel(
    "raw T obs, raw int64 order, raw int64 starts, int64 features, int64 pieces",
    "float64 sum",
    """
    const ptrdiff_t feature = i % features, part = i / features;
    const ptrdiff_t cluster = part / pieces, piece = part - cluster * pieces;
    const ptrdiff_t start = starts[cluster], members = starts[cluster + 1] - start;
    const ptrdiff_t first = start + members * piece / pieces;
    const ptrdiff_t last = start + members * (piece + 1) / pieces;
    double total = 0;
    #pragma unroll 4
    for (ptrdiff_t j = first; j < last; j++) total += obs[order[j] * features + feature];
    sum = total;
    """,
    "cluster_sums",
)
THREADS = 1 << 18


def _means(x: ndarray, code: ndarray, clusters: int) -> tuple[ndarray, ndarray]:
    """(mean of each cluster, number of its members); sums are in a fixed order."""
    count, features = x.shape
    bits = max(1, (clusters - 1).bit_length())
    keys, order = sorted_values(code, None, bits)
    starts = keys.searchsorted(arange(clusters + 1).astype(keys.dtype))
    pieces = max(1, min(THREADS // (clusters * features), count // clusters // 16))
    sums = _SUMS(x, order, starts, features, pieces, size=clusters * pieces * features)
    sums = sums.reshape(clusters, pieces, features).sum(axis=1)
    members = starts[1:] - starts[:-1]
    return (sums / um.maximum(members, 1)[:, None]).astype(x.dtype), members


def _step(x: ndarray, book: ndarray, empty_ones: ndarray, measures: bool) -> Step:
    """A step of k-means; as of `joint_step`."""
    book = ascontiguousarray(book)
    if is_joint(x, book):
        return joint_step(x, book, empty_ones, measures)
    code, distance = _quantised(x, book)
    means, members = _means(x, code, book.shape[0])
    has_members = members > 0
    empty_ones += (~has_members).sum()
    book = where(has_members[:, None], means, book)
    return Step(code, book, members, distance.mean() if measures else distance)


def _generator(rng: Any, seed: Any) -> Any:
    """NumPy's source of random numbers, which few numbers are drawn from on the host."""
    if rng is not None and seed is not None:
        raise TypeError("give `rng` or `seed`, not both")
    rng = rng if rng is not None else seed
    if isinstance(rng, (np.random.Generator, np.random.RandomState)):
        return rng
    return host_generator(to_host(rng))


def _as_rows(x: ndarray) -> ndarray:
    if x.ndim not in (1, 2):
        raise ValueError(f"observations must be of one or two dimensions, not {x.ndim}")
    return x[:, None] if x.ndim == 1 else x


def _some_rows(x: ndarray, count: int, rng: Any) -> ndarray:
    return x[asarray(rng.choice(x.shape[0], size=count, replace=False))]


def _lloyd(x: ndarray, book: ndarray, thresh: float) -> tuple[ndarray, np.floating]:
    """(codes, mean distance) after steps of which the last changed the distance by little."""
    before, limit = np.inf, max(float(thresh), 0.0)  # the distance stays as it is at last
    while True:
        step = _step(x, book, zeros((), np.int32), True)
        now = step.distance.get()[()]
        if not abs(before - now) > limit:  # also for a NaN
            return book, now
        has_members = (step.members > 0).get()
        book = step.book
        if not has_members.all():
            book = book[asarray(np.flatnonzero(has_members))]
        before = now


def kmeans(
    obs, k_or_guess, iter=20, thresh=1e-05, check_finite=True, *, rng=None, seed=None
) -> tuple[ndarray, np.floating]:
    """Find codes whose mean distance from the observations is small.

    Lloyd's steps are repeated until the mean distance, which is read from the device at each of
    them, changes by no more than a threshold. Codes without observations are left out.

    Parameters
    ----------
    obs : array_like
        Observations, one in each row.
    k_or_guess : int or array_like
        Number of codes, or codes to start with.
    iter : int, optional
        Number of runs from observations chosen at random, of which the best is returned.
    thresh : float, optional
        Change of the mean distance at which a run ends.
    check_finite : bool, optional
        Whether NaN and infinity raise an error, which waits for the device.
    rng : int or Generator of NumPy, optional
        Source of the numbers of the observations that runs start from.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Returns
    -------
    codebook : ndarray
        The codes, in rows.
    distortion : floating-point number
        Mean distance of the observations from their codes, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster.vq import kmeans
    >>> book, distortion = kmeans(cp.array([0.0, 1.0, 8.0, 9.0]), cp.array([0.0, 9.0]))
    >>> book
    array([0.5, 8.5])
    """
    given = _floats(obs, "obs", check_finite)
    x = _as_rows(given)
    iter = operator.index(iter)
    if iter < 1:
        raise ValueError(f"iter must be at least 1, got {iter}")
    k_or_guess, iter = number_on_host(k_or_guess), number_on_host(iter)
    if not isinstance(k_or_guess, ndarray) and np.isscalar(k_or_guess):
        count = whole(k_or_guess, "k_or_guess, if it is a scalar,")
        if count < 1:
            raise ValueError(f"Asked for {count} clusters.")
        rng = _generator(rng, seed)
        runs = (_lloyd(x, _some_rows(x, count, rng), thresh) for _ in range(iter))
        book, distortion = min(runs, key=lambda run: run[1])
    else:
        guess = as_array(k_or_guess).astype(x.dtype, copy=False)
        if guess.size < 1:
            raise ValueError(f"Asked for 0 clusters. Initial book was {shown(k_or_guess)}")
        guess = guess.reshape(-1, 1) if given.ndim == 1 else guess
        if guess.ndim != 2 or guess.shape[1] != x.shape[1]:
            raise ValueError("the codes must have as many features as the observations")
        book, distortion = _lloyd(x, guess, thresh)
    return book[:, 0] if given.ndim == 1 else book, distortion


# ---- kmeans2 -------------------------------------------------------------------------------------


def _from_normal(x: ndarray, count: int, rng: Any) -> ndarray:
    """Codes drawn from the normal distribution of the observations' mean and covariance."""
    n, features = x.shape
    mean = x.mean(axis=0)
    rest = (x - mean).astype(np.float64)
    if features == 1:
        deviation = um.sqrt((rest * rest).sum(axis=0) / (n - 1))
        return (array(rng.standard_normal(size=(count, 1))) * deviation + mean).astype(x.dtype)
    if features > n:  # the covariance is singular
        _, s, vh = svd(rest, full_matrices=False)
        drawn = array(rng.standard_normal(size=(count, s.size)))
        return (drawn @ (s[:, None] * vh / np.sqrt(n - 1)) + mean).astype(x.dtype)
    covariance = rest.T @ rest / (n - 1)
    drawn = array(rng.standard_normal(size=(count, features)))
    return (drawn @ cholesky(covariance).T + mean).astype(x.dtype)


def _spread(x: ndarray, count: int, rng: Any) -> ndarray:
    """Codes chosen one after another, the more likely the farther from those there are.

    D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding", 2007.
    """
    book = empty((count, x.shape[1]), x.dtype)
    nearest: Any = None
    for k in range(count):
        if nearest is None:
            book[k] = x[int(rng.integers(x.shape[0]) if hasattr(rng, "integers")
                            else rng.randint(x.shape[0]))]  # fmt: skip
        else:
            sums = nearest.cumsum()
            at = (sums / sums[-1]).searchsorted(array([rng.uniform()]).astype(sums.dtype))
            book[k] = x[um.minimum(at, x.shape[0] - 1)][0]
        square = _quantised(x, book[k : k + 1])[1] ** 2
        nearest = square if nearest is None else um.minimum(nearest, square)
    return book


_STARTS = {"random": _from_normal, "points": _some_rows, "++": _spread}


def kmeans2(
    data,
    k,
    iter=10,
    thresh=1e-05,
    minit="random",
    missing="warn",
    check_finite=True,
    *,
    rng=None,
    seed=None,
) -> tuple[ndarray, ndarray]:
    """Divide observations into clusters about their means, by a number of Lloyd's steps.

    Parameters
    ----------
    data : array_like
        Observations, one in each row.
    k : int or array_like
        Number of clusters, or the means to start with if `minit` is 'matrix'.
    iter : int, optional
        Number of steps that are made. After 64 steps, 128, 256 and so on it is read from the device
        whether the last one changed a mean; if none did, no later one would, and they are left out.
    thresh : float, optional
        Not used, as in SciPy.
    minit : {'random', 'points', '++', 'matrix'}, optional
        What steps start from: random numbers of the observations' mean and covariance, observations
        chosen at random, such of large distance (k-means++), or given means.
    missing : {'warn', 'raise'}, optional
        Whether a cluster without observations, which keeps its mean, gives a warning or raises
        `ClusterError`. It is read from the device after the last step.
    check_finite : bool, optional
        Whether NaN and infinity raise an error, which waits for the device.
    rng : int or Generator of NumPy, optional
        Source of the random numbers of `minit`, drawn on the host.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Returns
    -------
    centroid : ndarray
        Mean of each cluster, in rows.
    label : ndarray of int32
        Number of the cluster of each observation.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster.vq import kmeans2
    >>> kmeans2(cp.array([0.0, 1.0, 8.0, 9.0]), cp.array([0.0, 9.0]), minit="matrix")
    (array([0.5, 8.5]), array([0, 0, 1, 1], dtype=int32))
    """
    steps = int(as_host(iter))
    if steps < 1:
        raise ValueError(f"Invalid iter ({shown(iter)}), must be a positive integer.")
    if missing not in ("warn", "raise"):
        raise ValueError(f"Unknown missing method {shown(missing)}")
    given = _floats(data, "data", check_finite)
    x = _as_rows(given)
    if not x.size:
        raise ValueError("Empty input is not supported.")
    rng = _generator(rng, seed)
    k = number_on_host(k)
    if minit == "matrix" or isinstance(k, (ndarray, list, tuple)):
        book = as_array(k)
        if book.ndim != given.ndim:
            raise ValueError("k array doesn't match data rank")
        book = _as_rows(book).astype(x.dtype)
        if book.shape[0] < 1:
            raise ValueError("Cannot ask kmeans2 for 0 clusters")
        if book.shape[1] != x.shape[1]:
            raise ValueError("k array doesn't match data dimension")
    else:
        count = int(k)
        if count < 1:
            raise ValueError(f"Cannot ask kmeans2 for {count} clusters (k was {shown(k)})")
        if minit not in _STARTS:
            raise ValueError(f"Unknown init method {shown(minit)}")
        check_device_memory(count, x.shape[1])
        book = _STARTS[minit](x, count, rng)
    empty_ones = zeros((), np.int32)
    for step in range(1, steps + 1):
        before = book
        label, book, _, _ = _step(x, book, empty_ones, False)
        is_looked_at = step >= _UNCHECKED_STEPS and step & (step - 1) == 0
        if is_looked_at and array_equal(before, book, equal_nan=True):
            break
    if empty_ones:
        if missing == "raise":
            raise ClusterError("One of the clusters is empty. Re-run with another start.")
        warn("One of the clusters is empty. Re-run with another start.", UserWarning)
    return book[:, 0] if given.ndim == 1 else book, label
