"""Points on the shortest arc between two points of a sphere."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import array_on_host, as_array, shown
from ..._core._warnings import warn
from ..._core.multiarray import array, ndarray

__all__ = ["geometric_slerp"]


def _arc(start: Any, end: Any, tol: float) -> tuple[np.ndarray, np.ndarray, float]:
    """On the host: the first point, the direction to the second at right angles, and the angle."""
    a, b = (np.array(array_on_host(point), "d") for point in (start, end))
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"start and end must be 1-D, not of {a.ndim} and {b.ndim} axes")
    if a.size != b.size:
        raise ValueError(f"start and end must have the same size, not {a.size} and {b.size}")
    if a.size < 2:
        raise ValueError(f"start and end must have two coordinates or more, not {a.size}")
    for name, point in (("start", a), ("end", b)):
        if not np.isclose(np.linalg.norm(point), 1.0, rtol=1e-9, atol=0):
            raise ValueError(f"{name} must be on the unit sphere, not at {np.linalg.norm(point)}")
    if np.allclose(a, -b, rtol=0, atol=tol):
        warn("start and end are opposite within tol: the shortest arc is not unique", UserWarning)
    away = b - (a @ b) * a
    away -= (a @ away) * a
    length = float(np.linalg.norm(away))
    if length > 4 * np.finfo("d").eps:
        away /= length
        away -= (a @ away) * a
        return a, away / np.linalg.norm(away), float(np.arctan2(length, a @ b))
    if a @ b > 0:
        return a, away, 0.0
    away = np.eye(a.size)[np.argmin(np.abs(a))]  # all great circles through both are shortest arcs
    away -= (a @ away) * a
    return a, away / np.linalg.norm(away), np.pi


def geometric_slerp(start: Any, end: Any, t: Any, tol: float = 1e-7) -> ndarray:
    """Interpolate on the shortest arc between two points of the unit sphere.

    Parameters
    ----------
    start : array_like
        First point, of norm 1; it is copied to the host, where it is checked.
    end : array_like
        Last point, of norm 1; it is copied to the host too.
    t : float or array_like
        Shares of the arc, a number or along an axis: 0 is `start`, 1 is `end`.
    tol : float, optional
        Points that are opposite within this give a warning.

    Returns
    -------
    ndarray
        Points, of shape (coordinates,) for a number, otherwise (shares, coordinates).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import geometric_slerp
    >>> geometric_slerp([1, 0], [0, 1], cp.array([0, 1 / 3])).round(6)
    array([[1.      , 0.      ],
           [0.866025, 0.5     ]])
    """
    if not isinstance(tol, float):
        raise ValueError(f"tol must be a float, not {shown(tol)}")
    first, away, angle = _arc(start, end, abs(tol))
    shares = as_array(t)
    if shares.ndim > 1:
        raise ValueError(f"t must be a number or one-dimensional, not of shape {shares.shape}")
    turned = shares.astype("d")[..., None] * angle
    return um.cos(turned) * array(first) + um.sin(turned) * array(away)
