"""`scipy.spatial.distance`: distances of all pairs of points, and of two vectors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import array, ascontiguousarray, concatenate, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel
from ...linalg import inv
from ..special import rel_entr
from ._distance_tiles import launch
from ._metrics import ALIASES, METRICS

__all__ = [
    "cdist",
    "correlation",
    "directed_hausdorff",
    "is_valid_dm",
    "is_valid_y",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "num_obs_dm",
    "num_obs_y",
    "pdist",
    "seuclidean",
    "squareform",
]


# ---- all pairs -----------------------------------------------------------------------------------


def _as_points(x: Any, name: str) -> ndarray:
    x = as_array(x)
    if x.ndim != 2:
        raise ValueError(f"{name} must be a 2-dimensional array, not of shape {x.shape}")
    if x.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be of real numbers: unsupported dtype {x.dtype}")
    return x


def _metric_of(metric: Any) -> str:
    if callable(metric):
        name = getattr(metric, "__name__", "")
        if name in METRICS and globals().get(name) is metric:
            return name
        raise ValueError(
            "metric must be a name: functions of the host are not called for each pair"
        )
    if not isinstance(metric, str):
        raise TypeError(f"metric must be the name of one, not {type(metric).__name__}")
    name = metric.lower()
    name = ALIASES.get(name, name)
    if name not in METRICS:
        raise ValueError(f"Unknown Distance Metric: {shown(metric)}")
    return name


def _weights(w: Any, size: int) -> ndarray:
    w = as_array(w).astype("d", copy=False)
    if w.shape != (size,):
        raise ValueError(f"weights must be of shape ({size},), not {w.shape}")
    if not bool((w >= 0).all()):
        raise ValueError("weights must not be negative")
    return ascontiguousarray(w)


def _only(name: str, given: dict, *allowed: str) -> None:
    extra = [key for key in given if key not in allowed]
    if extra:
        raise TypeError(f"{name} takes no argument {extra[0]!r}")


def _options(name: str, sets: list, given: dict) -> tuple:
    """(weights, whether there is one for each coordinate, exponent, total) of a metric."""
    size = sets[0].shape[1]
    if name == "mahalanobis":
        _only(name, given, "VI")
        return ascontiguousarray(_inverse_covariance(given.get("VI"), sets, size)), False, 0.0, 0.0
    if name == "seuclidean":
        _only(name, given, "V")
        v = given.get("V")
        both = concatenate(sets) if len(sets) > 1 else sets[0]
        v = both.astype("d").var(axis=0, ddof=1) if v is None else as_array(v).astype("d")
        if v.shape != (size,):
            raise ValueError(f"V must be of shape ({size},), not {v.shape}")
        return ascontiguousarray(v), True, 0.0, 0.0
    p = 2.0
    if name == "minkowski":
        _only(name, given, "p", "w")
        p = float(given.get("p", 2.0))
        if not p > 0:
            raise ValueError(f"p must be greater than 0, not {p}")
    elif METRICS[name].weighted:
        _only(name, given, "w")
    else:
        _only(name, given)
    w = given.get("w")
    if w is None:
        return array([1.0]), False, p, float(size)
    w = _weights(w, size)
    return w, True, p, float(w.sum())


def _inverse_covariance(vi: Any, sets: list, size: int) -> ndarray:
    if vi is not None:
        vi = as_array(vi).astype("d", copy=False)
        if vi.shape != (size, size):
            raise ValueError(f"VI must be of shape {(size, size)}, not {vi.shape}")
        return vi
    both = (concatenate(sets) if len(sets) > 1 else sets[0]).astype("d")
    n = both.shape[0]
    if n <= size:
        raise ValueError(
            f"The number of observations ({n}) is too small: the covariance matrix of {size} "
            f"dimensions needs at least {size + 1}"
        )
    rest = both - both.mean(axis=0)
    return inv(rest.T @ rest / (n - 1)).T


def _prepared(name: str, x: ndarray, options: tuple) -> ndarray:
    """Points as the metric takes them, of float64."""
    x = x.astype(np.bool_).astype("d") if METRICS[name].boolean else x.astype("d", copy=False)
    if name == "correlation":
        w, weighted, _, total = options
        mean = (x * w).sum(axis=1, keepdims=True) / total if weighted else None
        x = x - (x.mean(axis=1, keepdims=True) if mean is None else mean)
    elif name == "jensenshannon":
        x = x / x.sum(axis=1, keepdims=True)
    return x


def _filled(form: str, metric: Any, sets: list, shape: tuple, out: Any, given: dict) -> ndarray:
    name = _metric_of(metric)
    if name == "minkowski" and float(given.get("p", 2)) == math.inf:
        name = "chebyshev"
        given = {key: value for key, value in given.items() if key != "p"}
    options = _options(name, sets, given)
    if out is None:
        out = empty(shape)
    elif not isinstance(out, (ndarray, np.ndarray)):
        raise TypeError(f"out must be a device array, not {shown(out)}")
    elif not isinstance(out, ndarray) or out.shape != shape:
        raise ValueError(f"out must be a device array of shape {shape}")
    elif out.dtype != np.float64 or not out.flags.c_contiguous:
        raise ValueError("out must be C-contiguous and of float64")
    points = [ascontiguousarray(_prepared(name, x, options)) for x in sets]
    launch(name, form, points[0], points[-1], options, out)
    return out


def cdist(
    XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any
) -> ndarray:
    """Compute the distances of each point of one set from each of another.

    Parameters
    ----------
    XA : array_like
        Points of the first set, of shape (m, coordinates).
    XB : array_like
        Points of the second set, of shape (n, coordinates).
    metric : str or function, optional
        Name of a metric, or one of the functions of this module.
    out : ndarray, optional
        Array of float64 and of shape (m, n) that the distances are written to.
    **kwargs : object
        Arguments of the metric: `w` weights of the coordinates (their check waits for the device),
        `p` exponent of 'minkowski', `V` variances of 'seuclidean', `VI` inverse covariances of
        'mahalanobis'.

    Returns
    -------
    ndarray
        Distances of float64, of shape (m, n).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import cdist
    >>> cdist(cp.array([[0, 0], [3, 0]]), cp.array([[0, 4]]))
    array([[4.],
           [5.]])
    """
    a, b = _as_points(XA, "XA"), _as_points(XB, "XB")
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"XA and XB must have equally many columns, not {a.shape[1]} and {b.shape[1]}"
        )
    return _filled("cdist", metric, [a, b], (a.shape[0], b.shape[0]), out, kwargs)


def directed_hausdorff(
    u: Any, v: Any, rng: Any = 0, *, seed: Any = None
) -> tuple[ndarray, ndarray, ndarray]:
    """Find the point of one set that is farthest from the nearest one of another.

    Parameters
    ----------
    u : array_like
        Points of the first set, of shape (m, coordinates).
    v : array_like
        Points of the second set, of shape (n, coordinates). The check that they are finite waits
        for the device.
    rng, seed : object, optional
        Accepted for compatibility: all points are compared, none in random order.

    Returns
    -------
    d : ndarray
        Distance of float64, an array without axes.
    index_1 : ndarray
        Number of the point in `u`, an array without axes.
    index_2 : ndarray
        Number of the nearest point in `v`, an array without axes.

    Notes
    -----
    A `KDTree` of `v` finds the nearest points. Of several pairs with this distance one is returned.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import directed_hausdorff
    >>> directed_hausdorff(cp.array([[0.0], [7.0]]), cp.array([[1.0], [4.0]]))
    (array(3.), array(1), array(1))
    """
    from ._kdtree import KDTree

    u, v = _as_points(u, "u"), _as_points(v, "v")
    if u.shape[1] != v.shape[1]:
        raise ValueError(f"u has {u.shape[1]} columns and v {v.shape[1]}: they must be equal")
    if not u.size or not v.size:
        raise ValueError(f"u and v must have points, not the shapes {u.shape} and {v.shape}")
    distances, nearest = KDTree(v).query(u)
    at = distances.argmax()
    return distances[at], at, nearest[at]


def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> ndarray:
    """Compute the distances of all pairs of points of a set.

    Parameters
    ----------
    X : array_like
        Points, of shape (n, coordinates).
    metric : str or function, optional
        Name of a metric, or one of the functions of this module.
    out : ndarray, optional
        Array of float64 with n (n - 1) / 2 elements that the distances are written to.
    **kwargs : object
        Arguments of the metric, as `cdist` has them.

    Returns
    -------
    ndarray
        Distances of float64 of the pairs (0, 1), (0, 2) ... (n - 2, n - 1).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import pdist
    >>> pdist(cp.array([[0, 0], [3, 0], [0, 4]]))
    array([3., 4., 5.])
    """
    x = _as_points(X, "X")
    n = x.shape[0]
    return _filled("pdist", metric, [x], (n * (n - 1) // 2,), out, kwargs)


# ---- forms of the result -------------------------------------------------------------------------

_SQUARE = ElementwiseKernel(
    "raw T y, int64 n",
    "T d",
    """
    const ptrdiff_t row = i / n, column = i - row * n;
    const ptrdiff_t low = row < column ? row : column, high = row < column ? column : row;
    d = row == column ? T(0) : T(y[low * (2 * n - low - 1) / 2 + high - low - 1]);
    """,
    "square_form",
)


def _observations(length: int) -> int:
    """n of n (n - 1) / 2, or 0."""
    n = (1 + math.isqrt(1 + 8 * length)) // 2
    return n if n * (n - 1) // 2 == length else 0


def squareform(X: Any, force: str = "no", checks: bool = True) -> ndarray:
    """Convert between the distances of pairs and a square matrix of them.

    Parameters
    ----------
    X : array_like
        Distances of pairs, or a square symmetric matrix of zeros on the diagonal.
    force : {'no', 'tomatrix', 'tovector'}, optional
        Which form is expected as the result, an error otherwise.
    checks : bool, optional
        If True, a matrix is checked for symmetry and its diagonal, which waits for the device.

    Returns
    -------
    ndarray
        The other form, of the type of `X`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import squareform
    >>> squareform(cp.array([3, 4, 5]))
    array([[0, 3, 4],
           [3, 0, 5],
           [4, 5, 0]])
    """
    x = as_array(X)
    if not isinstance(force, str) or force not in ("no", "tomatrix", "tovector", "tov", "tom"):
        raise ValueError(f"force must be 'no', 'tomatrix' or 'tovector', not {shown(force)}")
    if force.startswith("tom") and x.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force.startswith("tov") and x.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if x.ndim == 1:
        n = _observations(x.size) if x.size else 1
        if n == 0:
            raise ValueError(f"X has {x.size} elements, which is no number of pairs n (n - 1) / 2")
        out = empty((n, n), x.dtype)
        _SQUARE(ascontiguousarray(x) if x.size else zeros(1, x.dtype), n, out)
        return out
    if x.ndim != 2:
        raise ValueError(f"X must have one axis or two, not {x.ndim}")
    if x.shape[0] != x.shape[1]:
        raise ValueError(f"X must be square, not of shape {x.shape}")
    if checks:
        is_valid_dm(x, throw=True, name="X")
    n = x.shape[0]
    if n <= 1:
        return zeros(0, x.dtype)
    rows, columns = np.triu_indices(n, 1)
    return ascontiguousarray(x).reshape(-1)[array(rows * n + columns)]


def is_valid_dm(
    D: Any, tol: float = 0.0, throw: bool = False, name: Any = "D", warning: bool = False
) -> bool:
    """Tell whether a matrix is one of distances; waits for the device.

    Parameters
    ----------
    D : array_like
        Matrix that is checked for symmetry and zeros on its diagonal.
    tol : float, optional
        Largest difference from symmetry, and largest element of the diagonal.
    throw : bool, optional
        If True, an invalid matrix is an error.
    name : str, optional
        How the matrix is called in messages.
    warning : bool, optional
        If True, an invalid matrix is warned of.

    Returns
    -------
    bool
        Whether the matrix is valid.

    Examples
    --------
    >>> from gpunp.scipy.spatial.distance import is_valid_dm
    >>> is_valid_dm([[0.0, 1.0], [1.0, 0.0]])
    True
    """
    d = as_array(D)
    called = f"'{name}' " if name else ""
    problem = ""
    if d.ndim != 2:
        problem = f"Distance matrix {called}must have shape=2 (i.e. be two-dimensional)."
    elif d.shape[0] != d.shape[1]:
        problem = f"Distance matrix {called}must be square, not of shape {d.shape}."
    elif not _is_near(d, d.T, tol):
        problem = f"Distance matrix {called}must be symmetric" + (f" within {tol}." if tol else ".")
    elif not _is_near(d.diagonal(), 0, tol):
        problem = f"Distance matrix {called}diagonal must be zero" + (
            f" within {tol}." if tol else "."
        )
    return _said(problem, throw, warning)


def _is_near(a: ndarray, b: Any, tol: float) -> bool:
    """Whether all elements are equal within `tol`: infinities are equal to themselves."""
    return bool((a == b if tol == 0 else abs(a - b) <= tol).all())


def _said(problem: str, throw: bool, warning: bool) -> bool:
    if problem and throw:
        raise ValueError(problem)
    if problem and warning:
        warn(problem, UserWarning)
    return not problem


def is_valid_y(y: Any, warning: bool = False, throw: bool = False, name: Any = None) -> bool:
    """Tell whether an array may be the distances of all pairs of some points.

    Parameters
    ----------
    y : array_like
        Array whose shape is checked.
    warning : bool, optional
        If True, an invalid array is warned of.
    throw : bool, optional
        If True, an invalid array is an error.
    name : str, optional
        How the array is called in messages.

    Returns
    -------
    bool
        Whether the array has one axis and as many elements as there are pairs.

    Examples
    --------
    >>> from gpunp.scipy.spatial.distance import is_valid_y
    >>> is_valid_y([1.0, 2.0, 3.0]), is_valid_y([1.0, 2.0])
    (True, False)
    """
    y = as_array(y)
    called = f"'{name}' " if name else ""
    problem = ""
    if y.ndim != 1:
        problem = f"Condensed distance matrix {called}must have shape=1 (i.e. be one-dimensional)."
    elif _observations(y.size) == 0:
        problem = f"Condensed distance matrix {called}must have n (n - 1) / 2 elements."
    return _said(problem, throw, warning)


def num_obs_dm(d: Any) -> int:
    """Return the number of points of a matrix of distances.

    Parameters
    ----------
    d : array_like
        Square matrix, which is checked as `is_valid_dm` does.

    Returns
    -------
    int
        Number of points.

    Examples
    --------
    >>> from gpunp.scipy.spatial.distance import num_obs_dm
    >>> num_obs_dm([[0.0, 1.0], [1.0, 0.0]])
    2
    """
    d = as_array(d)
    is_valid_dm(d, tol=math.inf, throw=True, name="d")
    return d.shape[0]


@documented_as(num_obs_dm)
def num_obs_y(Y: Any) -> int:
    """Return the number of points whose pairs have given distances.

    Parameters
    ----------
    Y : array_like
        Distances of all pairs.

    Examples
    --------
    >>> from gpunp.scipy.spatial.distance import num_obs_y
    >>> num_obs_y([1.0, 2.0, 3.0])
    3
    """
    y = as_array(Y)
    is_valid_y(y, throw=True, name="Y")
    if y.size == 0:
        raise ValueError("Y has no distances, so that the number of points is unknown")
    return _observations(y.size)


# ---- two vectors ---------------------------------------------------------------------------------


def _vectors(*given: Any) -> list:
    made = [as_array(v) for v in given]
    for v in made:
        if v.ndim != 1:
            raise ValueError(f"Input vector should be 1-D, not of shape {v.shape}")
    if len({v.shape for v in made}) > 1:
        raise ValueError(f"vectors must be of one length, not {made[0].size} and {made[1].size}")
    return made


def _between(name: str, u: Any, v: Any, **given: Any) -> ndarray:
    a, b = _vectors(u, v)
    given = {key: value for key, value in given.items() if value is not None}
    return cdist(a[None], b[None], name, **given)[0, 0]


_VECTORS = {
    "braycurtis": "Bray-Curtis distance: the sum of differences over the sum of sums",
    "canberra": "Canberra distance: the sum of relative differences",
    "chebyshev": "Chebyshev distance: the largest difference",
    "cityblock": "city block distance: the sum of differences",
    "cosine": "cosine distance: one less the cosine of the angle",
    "dice": "Dice dissimilarity of flags: differing ones over all that are set",
    "euclidean": "Euclidean distance: the root of the sum of squared differences",
    "hamming": "Hamming distance: the share of coordinates that differ",
    "jaccard": "Jaccard dissimilarity: the share of differing flags among those set in either",
    "rogerstanimoto": "Rogers-Tanimoto dissimilarity of flags, which counts differences twice",
    "russellrao": "Russell-Rao dissimilarity: the share of flags that are not set in both",
    "sokalsneath": "Sokal-Sneath dissimilarity of flags, which counts differences twice",
    "sqeuclidean": "squared Euclidean distance: the sum of squared differences",
    "yule": "Yule dissimilarity of flags, from the odds of agreeing and of differing",
}


def _vector_function(name: str, words: str) -> Callable:
    def function(u, v, w=None) -> ndarray:
        return _between(name, u, v, w=w)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Compute the {words}.

    Parameters
    ----------
    u : array_like
        First vector, of one axis.
    v : array_like
        Second vector, of the length of the first.
    w : array_like, optional
        Weights of the coordinates, by default all one.

    Returns
    -------
    ndarray
        Distance of float64, an array without axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import {name}
    >>> {name}(cp.array([1, 0, 1]), cp.array([1, 0, 1])).round(9) + 0.0
    array({"0.33333333" if name == "russellrao" else "0."})
    """
    return function


for _name, _words in _VECTORS.items():
    globals()[_name] = _vector_function(_name, _words)
__all__ += list(_VECTORS)


@documented_as(globals()["cosine"])
def correlation(u, v, w=None, centered=True) -> ndarray:
    """Compute the correlation distance: one less the correlation.

    Parameters
    ----------
    centered : bool, optional
        If False, no means are subtracted, and the distance is that of `cosine`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import correlation
    >>> correlation(cp.array([1, 2, 4]), cp.array([3, 5, 9])).round(9) + 0.0
    array(0.)
    """
    return _between("correlation" if centered else "cosine", u, v, w=w)


def minkowski(u: Any, v: Any, p: float = 2, w: Any = None) -> ndarray:
    """Compute the Minkowski distance: the root of order p of the sum of powers of differences.

    Parameters
    ----------
    u : array_like
        First vector, of one axis.
    v : array_like
        Second vector, of the length of the first.
    p : float, optional
        Order of the root and of the powers, greater than 0; infinity takes the largest difference.
    w : array_like, optional
        Weights of the coordinates, by default all one.

    Returns
    -------
    ndarray
        Distance of float64, an array without axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import minkowski
    >>> minkowski(cp.array([0, 0]), cp.array([3, 4]), 1)
    array(7.)
    """
    return _between("minkowski", u, v, p=p, w=w)


@documented_as(minkowski)
def mahalanobis(u: Any, v: Any, VI: Any) -> ndarray:
    """Compute the Mahalanobis distance of two vectors.

    Parameters
    ----------
    VI : array_like
        Inverse of the covariance matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import mahalanobis
    >>> mahalanobis(cp.array([0, 0]), cp.array([3, 4]), cp.eye(2))
    array(5.)
    """
    return _between("mahalanobis", u, v, VI=VI)


@documented_as(minkowski)
def seuclidean(u: Any, v: Any, V: Any) -> ndarray:
    """Compute the Euclidean distance in units of the standard deviations.

    Parameters
    ----------
    V : array_like
        Variances of the coordinates.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import seuclidean
    >>> seuclidean(cp.array([0, 0]), cp.array([3, 4]), cp.array([1, 1]))
    array(5.)
    """
    u, V = as_array(u), as_array(V)
    if u.ndim == 1 and V.shape != u.shape:
        raise TypeError(f"V must be a 1-D array of the same dimension as u and v, not {V.shape}")
    return _between("seuclidean", u, v, V=V)


def jensenshannon(
    p: Any, q: Any, base: Any = None, *, axis: int = 0, keepdims: bool = False
) -> ndarray:
    """Compute the Jensen-Shannon distance of distributions.

    Parameters
    ----------
    p : array_like
        First distribution, which is divided by its sum.
    q : array_like
        Second distribution, which is divided by its sum.
    base : float, optional
        Base of the logarithms, by default e.
    axis : int, optional
        Axis along which distributions are.
    keepdims : bool, optional
        If True, the axis stays with length one.

    Returns
    -------
    ndarray
        Distances, one for each pair of distributions.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial.distance import jensenshannon
    >>> jensenshannon(cp.array([1.0, 0.0]), cp.array([0.0, 1.0]), 2)
    array(1.)
    """
    p, q = (as_array(v).astype("d", copy=False) for v in (p, q))
    p = p / p.sum(axis=axis, keepdims=True)
    q = q / q.sum(axis=axis, keepdims=True)
    m = (p + q) / 2
    total = rel_entr(p, m).sum(axis=axis, keepdims=keepdims)
    total = total + rel_entr(q, m).sum(axis=axis, keepdims=keepdims)
    if base is not None:
        total = total / um.log(float(as_host(base)))
    return um.sqrt(total / 2)
