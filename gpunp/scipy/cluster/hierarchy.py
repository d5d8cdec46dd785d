"""`scipy.cluster.hierarchy`: trees of clusters.

Distances are computed and clusters merged on the device. What is asked of a tree, a matrix of a row
for each merge, is answered by SciPy on the host: matrices that lie on the device are copied to the
host, which waits, and arrays among the results back.
"""

from typing import Any

import numpy as np

from ..._core._convert import as_array, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ascontiguousarray, ndarray
from .._borrowed import borrow as _borrow
from .._host import by_scipy, to_device
from ..spatial.distance import pdist
from ._merge_kernels import METHODS
from ._merges import merged

_OWN = [
    "average",
    "centroid",
    "complete",
    "cophenet",
    "dendrogram",
    "fcluster",
    "fclusterdata",
    "from_mlab_linkage",
    "inconsistent",
    "leaders",
    "leaves_list",
    "linkage",
    "maxRstat",
    "maxdists",
    "maxinconsts",
    "median",
    "optimal_leaf_ordering",
    "single",
    "ward",
    "weighted",
]

_SAME = ["ClusterNode", "ClusterWarning", "DisjointSet", "set_link_color_palette"]

__all__, __getattr__, __dir__ = _borrow("cluster.hierarchy", own=_OWN, same=_SAME)


def _by_scipy(name: str, *args: Any, **options: Any) -> Any:
    """The result of SciPy's function, with arrays on the device."""
    return to_device(by_scipy(name, *args, module="cluster.hierarchy", **options))


# ---- trees ---------------------------------------------------------------------------------------


def _distances(y: Any, metric: Any) -> Any:
    """Condensed distances of observations in rows; what has one dimension is distances already."""
    if isinstance(y, np.ndarray):
        as_array(y)  # raises the error of host arrays
    y = as_array(y)
    if y.ndim != 2:
        return y
    return pdist(y.astype(np.float64), metric)


def linkage(y, method="single", metric="euclidean", optimal_ordering=False) -> ndarray:
    """Merge clusters, the nearest first, into a tree.

    The device has a square matrix of distances. The host waits once, to know whether distances are
    finite, and whether equal ones make the tree depend on the order of merges, which is SciPy's.

    Parameters
    ----------
    y : array_like
        Condensed distances as of `pdist`, or observations in rows.
    method : str, optional
        How the distance of clusters is computed: 'single', 'complete', 'average', 'weighted',
        'centroid', 'median' or 'ward'.
    metric : str or function, optional
        Metric of observations, by its name in `gpunp.scipy.spatial.distance`.
    optimal_ordering : bool, optional
        Whether leaves are ordered so that neighbours are near, which takes longer.

    Returns
    -------
    ndarray
        A row for each merge: the two clusters, their distance and the number of observations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster.hierarchy import linkage
    >>> linkage(cp.array([[0.0], [1.0], [5.0]]))
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    if method not in METHODS:
        raise ValueError(f"Invalid method: {shown(method)}")
    distances = _distances(y, metric)
    if method in ("centroid", "median", "ward") and distances is not y and metric != "euclidean":
        raise ValueError(f"Method {method!r} requires the distance metric to be Euclidean")
    if distances.ndim != 1:
        raise ValueError("`y` must be 1 or 2 dimensional.")
    count = round((2 * distances.size) ** 0.5) + 1 if distances.size else 0
    count -= count * (count - 1) // 2 > distances.size
    if count < 2 or count * (count - 1) // 2 != distances.size:
        raise ValueError(f"{distances.size} distances are not those of a number of observations")
    distances = ascontiguousarray(distances.astype(np.float64, copy=False))
    tree = merged(distances, count, method)
    return optimal_leaf_ordering(tree, distances) if optimal_ordering else tree


def _documented_linkage(name: str, what: str) -> Any:
    """The function that merges by one method."""

    def function(y: Any) -> ndarray:
        return linkage(y, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Merge clusters into a tree by {what}.

    Parameters
    ----------
    y : array_like
        Condensed distances as of `pdist`, or observations in rows.

    Returns
    -------
    ndarray
        The tree, as of `linkage`.
    """
    return function


single = _documented_linkage("single", "their nearest members")
complete = _documented_linkage("complete", "their farthest members")
average = _documented_linkage("average", "the mean distance of their members")
weighted = _documented_linkage("weighted", "the mean of the distances of the clusters merged")
centroid = _documented_linkage("centroid", "the distance of their centroids")
median = _documented_linkage("median", "the distance of midpoints of the clusters merged")
ward = _documented_linkage("ward", "the growth of the variance within them")


def optimal_leaf_ordering(Z, y, metric="euclidean") -> ndarray:
    """Order the leaves of a tree so that the distances of neighbours have the least sum.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.
    y : array_like
        Condensed distances as of `pdist`, or observations in rows.
    metric : str or function, optional
        Metric of observations, by its name in `gpunp.scipy.spatial.distance`.

    Returns
    -------
    ndarray
        The tree with clusters in another order.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> x = cp.array([[0.0], [1.0], [5.0]])
    >>> hierarchy.optimal_leaf_ordering(hierarchy.ward(x), x).shape
    (2, 4)
    """
    return _by_scipy("optimal_leaf_ordering", Z, _distances(y, metric))


def from_mlab_linkage(Z) -> ndarray:
    """Return a tree of MATLAB's form as one of `linkage`'s.

    Parameters
    ----------
    Z : array_like
        The tree, of three columns with clusters numbered from 1.

    Returns
    -------
    ndarray
        The tree, as of `linkage`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.cluster.hierarchy.from_mlab_linkage(cp.array([[1, 2, 0.5]]))
    array([[0. , 1. , 0.5, 2. ]])
    """
    return _by_scipy("from_mlab_linkage", Z)


# ---- flat clusters -------------------------------------------------------------------------------


def fcluster(Z, t, criterion="inconsistent", depth=2, R=None, monocrit=None) -> ndarray:
    """Cut a tree into flat clusters.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.
    t : float
        Threshold of the criterion, or the largest number of clusters.
    criterion : str, optional
        'inconsistent', 'distance', 'maxclust', 'monocrit' or 'maxclust_monocrit'.
    depth : int, optional
        Depth to which inconsistency is computed.
    R : array_like, optional
        Inconsistencies, as of `inconsistent`.
    monocrit : array_like, optional
        Numbers of the merges that 'monocrit' compares with the threshold.

    Returns
    -------
    ndarray of int32
        Number of the cluster of each observation, from 1.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> tree = hierarchy.linkage(cp.array([[0.0], [1.0], [5.0]]))
    >>> hierarchy.fcluster(tree, 2, "distance")
    array([1, 1, 2], dtype=int32)
    """
    return _by_scipy("fcluster", Z, t, criterion, depth, R, monocrit)


@documented_as(fcluster)
def fclusterdata(
    X, t, criterion="inconsistent", metric="euclidean", depth=2, method="single", R=None
) -> ndarray:
    """Divide observations into flat clusters.

    Parameters
    ----------
    X : array_like
        Observations, one in each row.
    metric : str or function, optional
        Metric of observations, by its name in `gpunp.scipy.spatial.distance`.
    method : str, optional
        How the distance of clusters is computed, as of `linkage`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster.hierarchy import fclusterdata
    >>> fclusterdata(cp.array([[0.0], [1.0], [5.0]]), 2, "distance")
    array([1, 1, 2], dtype=int32)
    """
    X = as_array(X)
    if X.ndim != 2:
        raise TypeError("The observation matrix X must be an n by m array.")
    tree = linkage(X, method, metric)
    if R is None:
        R = inconsistent(tree, depth)
    return fcluster(tree, t, criterion, depth, R)


def leaders(Z, T) -> tuple[ndarray, ndarray]:
    """Return the topmost merge of each flat cluster.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.
    T : array_like of int32
        Flat clusters, as of `fcluster`.

    Returns
    -------
    L : ndarray of int32
        Number of the cluster of the tree whose members a flat cluster has.
    M : ndarray of int32
        Number of that flat cluster.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> tree = hierarchy.linkage(cp.array([[0.0], [1.0], [5.0]]))
    >>> hierarchy.leaders(tree, hierarchy.fcluster(tree, 2, "distance"))
    (array([3, 2], dtype=int32), array([1, 2], dtype=int32))
    """
    return _by_scipy("leaders", Z, T)


# ---- what is asked of a tree ---------------------------------------------------------------------


def cophenet(Z, Y=None) -> Any:
    """Return the distance at which each pair of observations is merged.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.
    Y : array_like, optional
        Condensed distances that the tree was made of.

    Returns
    -------
    c : ndarray
        Correlation of these distances with those of the tree, if `Y` is given.
    d : ndarray
        Condensed distances of the tree.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> hierarchy.cophenet(hierarchy.linkage(cp.array([[0.0], [1.0], [5.0]])))
    array([1., 4., 4.])
    """
    found = by_scipy("cophenet", Z, Y, module="cluster.hierarchy")
    return tuple(map(asarray, found)) if isinstance(found, tuple) else asarray(found)


def inconsistent(Z, d=2) -> ndarray:
    """Compare the distance of each merge with those of the merges below.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.
    d : int, optional
        How many levels below a merge count.

    Returns
    -------
    ndarray
        A row for each merge: mean and deviation of the distances, their number, and the distance of
        the merge in deviations from the mean.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> hierarchy.inconsistent(hierarchy.linkage(cp.array([[0.0], [1.0]])))
    array([[1., 0., 1., 0.]])
    """
    return _by_scipy("inconsistent", Z, d)


def leaves_list(Z) -> ndarray:
    """Return the observations in the order of a tree's leaves.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.

    Returns
    -------
    ndarray of int32
        Numbers of the observations, from left to right.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> hierarchy.leaves_list(hierarchy.linkage(cp.array([[0.0], [5.0], [6.0]])))
    array([0, 1, 2], dtype=int32)
    """
    return _by_scipy("leaves_list", Z)


def maxdists(Z) -> ndarray:
    """Return the largest distance among each merge and those below.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.

    Returns
    -------
    ndarray
        A distance for each merge.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> hierarchy.maxdists(hierarchy.linkage(cp.array([[0.0], [1.0], [5.0]])))
    array([1., 4.])
    """
    return _by_scipy("maxdists", Z)


@documented_as(maxdists)
def maxinconsts(Z, R) -> ndarray:
    """Return the largest inconsistency among each merge and those below.

    Parameters
    ----------
    R : array_like
        Inconsistencies, as of `inconsistent`.

    Returns
    -------
    ndarray
        An inconsistency for each merge.
    """
    return _by_scipy("maxinconsts", Z, R)


@documented_as(maxinconsts)
def maxRstat(Z, R, i) -> ndarray:
    """Return the largest number of a column of inconsistencies among each merge and those below.

    Parameters
    ----------
    i : int
        The column, from 0 to 3.

    Returns
    -------
    ndarray
        A number for each merge.
    """
    return _by_scipy("maxRstat", Z, R, i)


def dendrogram(
    Z,
    p=30,
    truncate_mode=None,
    color_threshold=None,
    get_leaves=True,
    orientation="top",
    labels=None,
    count_sort=False,
    distance_sort=False,
    show_leaf_counts=True,
    no_plot=False,
    no_labels=False,
    leaf_font_size=None,
    leaf_rotation=None,
    leaf_label_func=None,
    show_contracted=False,
    link_color_func=None,
    ax=None,
    above_threshold_color="C0",
) -> dict:
    """Draw a tree with Matplotlib, or compute where its lines are.

    Parameters
    ----------
    Z : array_like
        The tree, as of `linkage`.
    p : int, optional
        Number of clusters or levels that truncation leaves.
    truncate_mode : {None, 'lastp', 'level'}, optional
        Whether all of the tree is drawn, or the last merges, or some levels.
    color_threshold : float, optional
        Distance below which a cluster has a colour of its own.
    get_leaves : bool, optional
        Whether the result has the order of the leaves.
    orientation : {'top', 'bottom', 'left', 'right'}, optional
        Where the root of the tree is.
    labels : sequence, optional
        Labels of the observations, by default their numbers.
    count_sort : bool or {'ascending', 'descending'}, optional
        Whether the branches of a merge are ordered by their numbers of observations.
    distance_sort : bool or {'ascending', 'descending'}, optional
        Whether the branches of a merge are ordered by their distances.
    show_leaf_counts : bool, optional
        Whether numbers of observations are written at leaves that stand for several.
    no_plot : bool, optional
        If True, nothing is drawn.
    no_labels : bool, optional
        If True, no labels are drawn.
    leaf_font_size : int, optional
        Size of the labels in points.
    leaf_rotation : float, optional
        Angle of the labels in degrees.
    leaf_label_func : callable, optional
        Function of a cluster's number that returns its label.
    show_contracted : bool, optional
        Whether the heights of merges that are left out are marked.
    link_color_func : callable, optional
        Function of a cluster's number that returns the colour of its lines.
    ax : Axes of Matplotlib, optional
        Where the tree is drawn.
    above_threshold_color : str, optional
        Colour of what is above the threshold.

    Returns
    -------
    dict
        SciPy's description of the picture, of lists on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.cluster import hierarchy
    >>> tree = hierarchy.linkage(cp.array([[0.0], [1.0], [5.0]]))
    >>> hierarchy.dendrogram(tree, no_plot=True)["leaves"]
    [2, 0, 1]
    """
    return by_scipy(
        "dendrogram", Z, p, truncate_mode, color_threshold, get_leaves, orientation, labels,
        count_sort, distance_sort, show_leaf_counts, no_plot, no_labels, leaf_font_size,
        leaf_rotation, leaf_label_func, show_contracted, link_color_func, ax,
        above_threshold_color, module="cluster.hierarchy",
    )  # fmt: skip
