"""Distances of all pairs of points by a norm."""

import math
from typing import Any

from ..._core._convert import as_array, number_on_host
from ..._core.multiarray import ndarray
from .distance import cdist

__all__ = ["distance_matrix"]


def distance_matrix(x: Any, y: Any, p: float = 2.0, threshold: int = 1000000) -> ndarray:
    """Compute the distances of each point of one set from each of another.

    Parameters
    ----------
    x : array_like
        Points of the first set, of shape (m, coordinates).
    y : array_like
        Points of the second set, of shape (n, coordinates).
    p : float, optional
        Order of the norm, from 1 to infinity.
    threshold : int, optional
        Accepted for compatibility: no temporary array is made.

    Returns
    -------
    ndarray
        Distances of float64, of shape (m, n).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import distance_matrix
    >>> distance_matrix(cp.array([[0, 0], [0, 1]]), cp.array([[1, 0]]))
    array([[1.        ],
           [1.41421356]])
    """
    x, y, p = as_array(x), as_array(y), number_on_host(p)
    if x.ndim == 2 and y.ndim == 2 and x.shape[1] != y.shape[1]:
        raise ValueError(f"x has {x.shape[1]} columns and y {y.shape[1]}: they must be equal")
    if not 1 <= p <= math.inf:
        raise ValueError(f"p must be from 1 to infinity, not {p}")
    names = {1: "cityblock", 2: "euclidean", math.inf: "chebyshev"}
    if p in names:
        return cdist(x, y, names[p])
    return cdist(x, y, "minkowski", p=p)
