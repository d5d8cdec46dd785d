"""Comparing two sets of points up to translation, scale and rotation."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core._ufunc_config import geterr
from ..._core.multiarray import ndarray
from ...linalg import svd

__all__ = ["procrustes"]


def _as_rows(data: Any) -> ndarray:
    data = as_array(data)
    if data.dtype.kind not in "biuf":
        raise TypeError(f"data must be real numbers, not {data.dtype}")
    return data.astype("d", copy=False)


def procrustes(data1: Any, data2: Any) -> tuple[ndarray, ndarray, ndarray]:
    """Make two sets of points as alike as shifts, a scale and a rotation or reflection can.

    Both are centered and divided by their norms; then the second is turned and scaled towards the
    first.

    Parameters
    ----------
    data1 : array_like
        Points, a row each. Whether they differ from each other and are finite is checked, which
        waits for the device; ``errstate(linalg="ignore")`` disables it.
    data2 : array_like
        Points of the same shape, checked in the same way.

    Returns
    -------
    mtx1 : ndarray
        First points, centered, of norm 1.
    mtx2 : ndarray
        Second points, moved to be nearest to the first.
    disparity : ndarray
        Sum of the squares of their differences, an array without axes.

    Notes
    -----
    The rotation follows from singular values (P. Schonemann, Psychometrika 31, 1966).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import procrustes
    >>> a = cp.array([[1.0, 3.0], [1.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> _, _, disparity = procrustes(a, 3 * a[:, ::-1] + 1)
    >>> float(disparity.round(9))
    0.0
    """
    one, two = _as_rows(data1), _as_rows(data2)
    if one.ndim != 2 or two.ndim != 2:
        raise ValueError(f"data must be two-dimensional, not of {one.ndim} and {two.ndim} axes")
    if one.shape != two.shape:
        raise ValueError(f"data must be of the same shape, not {one.shape} and {two.shape}")
    if one.size == 0:
        raise ValueError(f"data must have rows and columns, not the shape {one.shape}")
    one, two = (a - a.mean(axis=0) for a in (one, two))
    norms = [um.sqrt((a * a).sum()) for a in (one, two)]
    if geterr()["linalg"] != "ignore":
        sizes = [float(norm) for norm in norms]
        if not np.isfinite(sizes).all():
            raise ValueError("data must not contain infinities or NaN")
        if 0 in sizes:
            raise ValueError("data must have more than one unique point")
    one, two = one / norms[0], two / norms[1]
    u, values, v = svd(two.T @ one)
    two = (two @ (u @ v)) * values.sum()
    return one, two, ((one - two) ** 2).sum()
