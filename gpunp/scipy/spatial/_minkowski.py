"""Distances of points by a norm, element by element, and of boxes."""

import math
from typing import Any

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray

__all__ = ["Rectangle", "minkowski_distance", "minkowski_distance_p"]


def _as_floats(x: Any) -> ndarray:
    x = as_array(x)
    if x.dtype.kind not in "biufc":
        raise ValueError(f"points must be numbers, not {x.dtype}")
    return x.astype("D" if x.dtype.kind == "c" else "d", copy=False)


def minkowski_distance_p(x: Any, y: Any, p: float = 2.0) -> ndarray:
    """Compute powers of distances: sums of the p-th powers of the differences of coordinates.

    Parameters
    ----------
    x : array_like
        Points, of shape (..., coordinates).
    y : array_like
        Points, of a shape that broadcasts with that of `x`.
    p : float, optional
        Order of the norm; the largest difference for infinity.

    Returns
    -------
    ndarray
        Powers of float64, of the broadcast shape without the last axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import minkowski_distance_p
    >>> minkowski_distance_p(cp.array([[0, 0], [0, 3]]), cp.array([4, 0]))
    array([16., 25.])
    """
    apart = abs(_as_floats(y) - _as_floats(x))
    if p == math.inf:
        return apart.max(axis=-1)
    return (apart if p == 1 else apart**p).sum(axis=-1)


@documented_as(minkowski_distance_p)
def minkowski_distance(x: Any, y: Any, p: float = 2.0) -> ndarray:
    """Compute the distances of points by a norm, along the last axis.

    Returns
    -------
    ndarray
        Distances of float64, of the broadcast shape without the last axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import minkowski_distance
    >>> minkowski_distance(cp.array([[0, 0], [0, 3]]), cp.array([4, 0]))
    array([4., 5.])
    """
    made = minkowski_distance_p(x, y, p)
    if p in (1, math.inf):
        return made
    return um.sqrt(made) if p == 2 else made ** (1.0 / p)


class Rectangle:
    """Box with sides along the axes.

    Parameters
    ----------
    maxes : array_like
        One corner; of both the larger coordinates are taken.
    mins : array_like
        Corner opposite to it; of both the smaller coordinates are taken.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import Rectangle
    >>> box = Rectangle([2, 3], [0, 1])
    >>> box.volume()
    array(4.)
    >>> box.min_distance_point(cp.array([[5, 2], [1, 1]]))
    array([3., 0.])
    """

    def __init__(self, maxes: Any, mins: Any) -> None:
        maxes, mins = as_array(maxes), as_array(mins)
        self.maxes = um.maximum(maxes, mins).astype("d")
        self.mins = um.minimum(maxes, mins).astype("d")
        if self.maxes.ndim != 1:
            raise ValueError(f"corners must be 1-D, not of shape {self.maxes.shape}")
        (self.m,) = self.maxes.shape

    def __repr__(self) -> str:
        sides = zip(self.mins.get().tolist(), self.maxes.get().tolist(), strict=True)
        return f"<Rectangle {list(sides)}>"

    def volume(self) -> ndarray:
        """Return the product of the lengths of the sides.

        Returns
        -------
        ndarray
            Volume, an array without axes.
        """
        return (self.maxes - self.mins).prod()

    def split(self, d: int, split: float) -> tuple["Rectangle", "Rectangle"]:
        """Cut the box across an axis.

        Parameters
        ----------
        d : int
            Axis across which it is cut.
        split : float
            Coordinate at which it is cut.

        Returns
        -------
        less : Rectangle
            Part with the smaller coordinates.
        greater : Rectangle
            Part with the larger coordinates.
        """
        high, low = self.maxes.copy(), self.mins.copy()
        high[d] = low[d] = split
        return Rectangle(high, self.mins), Rectangle(self.maxes, low)

    def min_distance_point(self, x: Any, p: float = 2.0) -> ndarray:
        """Compute the smallest distances of points from the box.

        Parameters
        ----------
        x : array_like
            Points, of shape (..., coordinates).
        p : float, optional
            Order of the norm, from 1 to infinity.

        Returns
        -------
        ndarray
            Distances, 0 for points in the box.
        """
        x = as_array(x)
        return _norm(um.maximum(um.maximum(self.mins - x, x - self.maxes), 0), p)

    @documented_as(min_distance_point)
    def max_distance_point(self, x: Any, p: float = 2.0) -> ndarray:
        """Compute the largest distances of points from the box.

        Returns
        -------
        ndarray
            Distances from the farthest corners.
        """
        x = as_array(x)
        return _norm(um.maximum(self.maxes - x, x - self.mins), p)

    def min_distance_rectangle(self, other: "Rectangle", p: float = 2.0) -> ndarray:
        """Compute the smallest distance of points of two boxes.

        Parameters
        ----------
        other : Rectangle
            Box from which the distance is wanted.
        p : float, optional
            Order of the norm, from 1 to infinity.

        Returns
        -------
        ndarray
            Distance, an array without axes.
        """
        _check_rectangle(other)
        apart = um.maximum(self.mins - other.maxes, other.mins - self.maxes)
        return _norm(um.maximum(apart, 0), p)

    @documented_as(min_distance_rectangle)
    def max_distance_rectangle(self, other: "Rectangle", p: float = 2.0) -> ndarray:
        """Compute the largest distance of points of two boxes.

        Returns
        -------
        ndarray
            Distance, an array without axes.
        """
        _check_rectangle(other)
        return _norm(um.maximum(self.maxes - other.mins, other.maxes - self.mins), p)


def _check_rectangle(other: Any) -> None:
    if not isinstance(other, Rectangle):
        raise TypeError(f"other must be a Rectangle, not {type(other).__name__}")


def _norm(apart: ndarray, p: float) -> ndarray:
    return minkowski_distance(0.0, apart, p)
