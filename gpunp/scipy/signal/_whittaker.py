"""Smoothing by a penalty of differences (Whittaker and Henderson)."""

import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, shown
from ..._core._ufunc_config import geterr
from ..._core._warnings import warn
from ..._core.multiarray import arange, array, ndarray, where
from ._host import host_coefficients

__all__ = ["whittaker_henderson"]

_RANGE = (-23.0, 34.0)  # logarithms of the penalties that are tried


def _bands(n: int, order: int) -> np.ndarray:
    """D.T @ D for differences of n numbers: diagonal d in row d, shorter by d."""
    factors = [(-1.0) ** (order - j) * math.comb(order, j) for j in range(order + 1)]
    bands = np.zeros((order + 1, n))
    for d in range(order + 1):
        for j in range(order + 1 - d):
            bands[d, j : j + n - order] += factors[j] * factors[j + d]
    return bands


def _likely_penalty(y: np.ndarray, w: np.ndarray, order: int) -> float:
    """The penalty of the largest restricted likelihood (G. Biessy, arXiv:2306.06932, section 4)."""
    import scipy.linalg
    import scipy.optimize

    n, bands, side = y.size, _bands(y.size, order), w * y
    free = max(int(np.count_nonzero(w)) - order, 1)

    def criterion(logarithm: float) -> float:
        penalty = math.exp(logarithm)
        matrix = penalty * bands
        matrix[0] += w
        try:
            factor = scipy.linalg.cholesky_banded(matrix, lower=True)
        except np.linalg.LinAlgError:
            return math.inf
        x = scipy.linalg.cho_solve_banded((factor, True), side)
        rest = (w * (y - x) ** 2).sum() + penalty * (np.diff(x, order) ** 2).sum()
        determinant = 2 * np.log(factor[0]).sum()
        return free * math.log(max(rest, 1e-300)) - (n - order) * logarithm + determinant

    options = {"xatol": 1e-8}
    found = scipy.optimize.minimize_scalar(
        criterion, bounds=_RANGE, method="bounded", options=options
    )
    return math.exp(found.x)


def _polynomial(y: ndarray, order: int, weights: Any) -> ndarray:
    """The limit for large penalties: the polynomial of a degree below `order`."""
    from ...polynomial import Polynomial

    at = arange(y.size)
    return Polynomial.fit(at, y, order - 1, w=weights)(at)


def _smoothed(y: ndarray, w: np.ndarray, penalty: float, order: int) -> ndarray | None:
    """The solution of the normal equations; None where weights vanish beside the penalty."""
    from ..interpolate._bsplines import _Banded

    n, bands = y.size, penalty * _bands(y.size, order)
    if (bands[0] == bands[0] + 8 * w).all():
        return None
    bands[0] += w
    matrix, rows = _Banded(n, order, order), np.arange(n)
    for d in range(order + 1):
        matrix.set(rows[: n - d], rows[d:], bands[d, : n - d])
        matrix.set(rows[d:], rows[: n - d], bands[d, : n - d])
    try:
        return matrix.solve((array(w) * y)[:, None]).reshape(-1)
    except np.linalg.LinAlgError:
        warn("weights and penalty do not determine the signal: a polynomial is fitted", UserWarning)
        return None


def _checked(signal: Any, weights: Any, order: int) -> tuple[ndarray, np.ndarray]:
    """The signal of float64 on the device, zero where it is not finite, and weights of the host."""
    y = as_array(signal)
    if y.dtype.kind not in "biuf":
        raise TypeError(f"signal must be of real numbers, not of {y.dtype}")
    if y.ndim != 1 or y.size <= order:
        raise ValueError(
            f"signal must be one-dimensional with more than {order} samples, not of shape {y.shape}"
        )
    y = y.astype("d")
    w = np.ones(y.size) if weights is None else host_coefficients(weights).astype("d")
    if w.shape != y.shape:
        raise ValueError(f"weights must be of shape {y.shape}, not {w.shape}")
    if not np.isfinite(w).all():
        raise ValueError("weights must be finite")
    is_number = um.isfinite(y)
    if geterr()["linalg"] != "ignore" and not bool((is_number | (array(w) == 0)).all()):
        raise ValueError("signal must be finite where weights are not zero")
    return where(is_number, y, 0.0), w


def whittaker_henderson(
    signal: Any, *, lamb: Any = "reml", order: int = 2, weights: Any = None
) -> Any:
    """Smooth a signal by a penalty of its differences.

    The result has the least sum of weighted squares of its distances from the signal and `lamb`
    times the squares of its differences of an order (Whittaker 1923; Eilers, Anal. Chem. 75, 2003).

    Parameters
    ----------
    signal : array_like
        Samples at equal distances, more than `order`. The check that they are finite waits for the
        device; ``errstate(linalg="ignore")`` disables it.
    lamb : float or 'reml', optional
        Penalty, not negative. By default the one of the largest restricted likelihood, which is
        searched for on the host, to which the signal is copied.
    order : int, optional
        Order of the differences, at least 1.
    weights : array_like, optional
        Weights of the samples, by default all one; they are copied to the host. Where they are
        zero, samples may be NaN and are interpolated, or extrapolated at the ends.

    Returns
    -------
    OptimizeResult
        `x`, the smooth signal of float64 on the device, and `lamb`, the penalty.

    Notes
    -----
    The system of 2 `order` + 1 diagonals is made on the host and solved on the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.signal import whittaker_henderson
    >>> y = cp.array([0.0, 1.0, cp.nan, 3.0, 4.0])
    >>> whittaker_henderson(y, lamb=2.0, weights=[1, 1, 0, 1, 1]).x.round(6) + 0.0
    array([0., 1., 2., 3., 4.])
    """
    from ..optimize import OptimizeResult

    order = operator.index(order)
    if order < 1:
        raise ValueError(f"order must be at least 1, not {order}")
    y, w = _checked(signal, weights, order)
    if isinstance(lamb, str):
        if lamb != "reml":
            raise ValueError(f"lamb must be 'reml' or a number, not {shown(lamb)}")
        lamb = _likely_penalty(y.get(), w, order)
    lamb = float(lamb)
    if not 0 <= lamb < math.inf:
        raise ValueError(f"lamb must be finite and not negative, not {lamb}")
    x = y if lamb == 0 else _smoothed(y, w, lamb, order)
    if x is None:
        x = _polynomial(y, order, None if weights is None else array(w))
    return OptimizeResult(x=x, lamb=lamb)
