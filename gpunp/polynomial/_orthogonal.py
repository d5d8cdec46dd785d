"""Functions that need linear algebra: companion matrices, roots, quadrature, fits."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg
from .._core import umath as um
from .._core._convert import as_array, as_host
from .._core._warnings import warn
from .._core.fromnumeric import sort
from .._core.multiarray import array, ndarray, zeros
from ..linalg._decomposition import eigenvalues_of_companion
from . import _series as series
from . import polyutils as pu
from ._series import Recurrence, at


def companion(c: Any, basis: Recurrence) -> ndarray:
    """The matrix whose eigenvalues are a series' roots; symmetric for a series of one term.

    After I. J. Good, "The colleague matrix, a Chebyshev analogue of the companion matrix", 1961.
    """
    (c,) = pu.as_series([c])
    if c.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = c.size - 1
    diagonal, beside = basis.jacobi(n)
    matrix = zeros((n, n), c.dtype)
    flat = matrix.reshape(-1)
    flat[:: n + 1] = array(diagonal)
    if n > 1:
        flat[1 :: n + 1] = flat[n :: n + 1] = array(beside)
    # The norm of each p_k relative to the last one's.
    k = np.arange(n - 1, dtype=float)
    scale = np.append(np.cumprod(1 / np.sqrt(at(basis.ratio, k))[::-1])[::-1], 1.0)
    matrix[:, -1] -= c[:-1] / c[-1] * array(scale * at(basis.up, np.array(n - 1.0)))
    return matrix


def roots(c: Any, basis: Recurrence, matrix: Callable[[Any], ndarray]) -> ndarray:
    """The roots of a series, sorted; `matrix` makes its companion."""
    (c,) = pu.as_series([c])
    if c.size < 2:
        return zeros(0, c.dtype)
    if c.size == 2:
        at_zero, slope = basis.x
        return at_zero - slope * c[:1] / c[1]
    return sort(eigenvalues_of_companion(matrix(c)[::-1, ::-1]))


def gauss(deg: Any, basis: Recurrence) -> tuple[ndarray, ndarray]:
    """Points and weights of Gauss' quadrature (G. Golub and J. Welsch, Math. Comp. 23, 1969).

    A weight is the reciprocal of the sum of the squares of the orthonormal functions at its point.
    """
    n = series.degree(deg, "deg")
    if n <= 0:
        raise ValueError("deg must be a positive integer")
    matrix = zeros((n, n))  # first of all: the memory for it may be missing
    diagonal, beside = basis.jacobi(n)
    flat = matrix.reshape(-1)
    flat[:: n + 1] = array(diagonal)
    if n > 1:
        flat[1 :: n + 1] = flat[n :: n + 1] = array(beside)
    x = linalg.eigvalsh(matrix)
    if not diagonal.any():  # an even weight: points and weights are symmetric
        x = (x - x[::-1]) / 2
    before, value = zeros(n), zeros(n) + 1.0
    squares = value * value
    for k in range(n - 1):
        below = beside[k - 1] if k > 0 else 0.0
        before, value = value, ((x - diagonal[k]) * value - below * before) / beside[k]
        squares += value * value
    w = 1 / squares
    if not diagonal.any():
        w = (w + w[::-1]) / 2
    return x, w * (basis.integral / w.sum())


def fit(vander: Callable[..., ndarray], x: Any, y: Any, deg: Any, how: tuple[Any, Any, Any]) -> Any:
    """Coefficients of a series by least squares; `how` is (rcond, full, w)."""
    rcond, full, w = how
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    degrees = as_host(deg)
    if degrees.ndim > 1 or degrees.dtype.kind not in "iu" or degrees.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if degrees.min() < 0:
        raise ValueError("expected deg >= 0")
    for wrong, words in [
        (x.ndim != 1, "expected 1D vector for x"),
        (x.size == 0, "expected non-empty vector for x"),
        (y.ndim < 1 or y.ndim > 2, "expected 1D or 2D array for y"),
        (x.shape[:1] != y.shape[:1], "expected x and y to have same length"),
    ]:
        if wrong:
            raise TypeError(words)
    highest = int(degrees.max())
    left, right = vander(x, highest), y
    if degrees.ndim == 1:
        degrees = np.sort(degrees)
        left = left[:, array(degrees)]
    if w is not None:
        w = as_array(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if w.shape[0] != x.shape[0]:
            raise TypeError("expected x and w to have same length")
        left = left * w[:, None]
        right = right * (w[:, None] if right.ndim == 2 else w)
    if rcond is None:
        rcond = x.size * np.finfo(x.dtype).eps
    scale = um.sqrt(um.square(um.absolute(left)).sum(axis=0))
    scale[scale == 0] = 1
    found, residuals, rank, singular_values = linalg.lstsq(left / scale, right, rcond)
    found = (found.T / scale).T
    if degrees.ndim == 1:
        whole = zeros((highest + 1, *found.shape[1:]), found.dtype)
        whole[array(degrees)] = found
        found = whole
    if full:
        return found, [residuals, rank, singular_values, rcond]
    if int(rank) != left.shape[1]:
        warn("The fit may be poorly conditioned", pu.RankWarning)
    return found


def points(n: Any, name: str) -> int:
    """A count of points, or ValueError."""
    count = int(n)
    if count != n:
        raise ValueError(f"{name} must be integer")
    return count


__all__ = ["companion", "fit", "gauss", "points", "roots"]
