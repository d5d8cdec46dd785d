"""Recursive filters in both directions with mirrored ends, as splines need them."""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, number_on_host
from ..._core.multiarray import asarray, concatenate, ndarray
from ._recurrences import filtered

__all__ = ["symiirorder1", "symiirorder2"]


def _rows(x: Any) -> ndarray:
    x = as_array(x)
    if x.ndim not in (1, 2):
        raise ValueError("Input must be 1D or 2D")
    return x if x.dtype.char in "fdFD" else x.astype(float)


def _limit(precision: float, dtype: np.dtype) -> float:
    """The size below which terms are left out."""
    if 0.0 < precision < 1.0:
        return float(precision)
    return 1e-6 if dtype.char in "fF" else 1e-11


def _terms(size: float, limit: float, n: int) -> int:
    """How many terms of a sum over powers of a number count."""
    count = 1 if size == 0 else math.ceil(math.log(limit) / math.log(size)) if size < 1 else n + 1
    if count >= n:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    return max(count, 1) + 1


def _recursed(x: ndarray, gain: Any, feedback: list, past: ndarray) -> ndarray:
    """y[i] = gain x[i] + feedback[0] y[i - 1] + ..., after the outputs `past`, the latest first."""
    a = np.array(feedback)
    order = a.size
    section = np.zeros((1, 2 * order + 1), np.result_type(a, float))
    section[0, 0], section[0, order + 1 :] = gain, a
    # z[i] is the sum over j >= i of feedback[j] times the output j - i + 1 samples ago.
    shifts = [[a[i + j] if i + j < order else 0 for i in range(order)] for j in range(order)]
    kind = complex if x.dtype.kind == "c" else float
    state = past.astype(kind) @ asarray(np.array(shifts, kind))
    return filtered(x, section, x.ndim - 1, x.dtype, state, False)[0]


def _weighted(x: ndarray, *weights: np.ndarray) -> ndarray:
    """Sums of products of rows with weights, an element for each set of them."""
    kind = complex if x.dtype.kind == "c" else float
    m = weights[0].size
    return x[..., :m].astype(kind) @ asarray(np.stack(weights, axis=1).astype(kind))


def symiirorder1(signal, c0, z1, precision=-1.0) -> ndarray:
    """Filter with a pole of first order in both directions, the ends being mirrored.

    Parameters
    ----------
    signal : array_like
        Signal of one dimension, or rows of signals.
    c0 : float or complex
        Gain of the filter ``c0 / ((1 - z1 / z) (1 - z1 z))``.
    z1 : float or complex
        Pole of the filter, inside the unit circle.
    precision : float, optional
        Size below which terms of the sums for the ends are left out.

    Returns
    -------
    ndarray
        Filtered signals of the shape of `signal`.

    Raises
    ------
    ValueError
        If the pole is not inside the unit circle, or the signals are too short for the sums.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.symiirorder1(cp.ones(60), 0.25, 0.5)[:3].round(6)
    array([1., 1., 1.])
    """
    x = _rows(signal)
    c0, z1 = number_on_host(c0), number_on_host(z1)
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    if isinstance(c0, complex) or isinstance(z1, complex):
        x = x.astype(np.result_type(x.dtype, np.complex64))
    count = _terms(abs(z1), _limit(precision, x.dtype), x.shape[-1])
    before = _weighted(x, z1 ** np.arange(min(count, x.shape[-1])))  # y[-1], by the mirrored past
    y = _recursed(x, 1.0, [z1], before)
    after = y[..., -1:] / (1 - z1)
    return _recursed(y[..., ::-1], c0, [z1], c0 * after)[..., ::-1]


def symiirorder2(input, r, omega, precision=-1.0) -> ndarray:
    """Filter with a pair of poles in both directions, the ends being mirrored.

    Parameters
    ----------
    input : array_like
        Signal of one dimension, or rows of signals.
    r : float
        Absolute value of the poles, less than 1.
    omega : float
        Angle of the poles, in radians.
    precision : float, optional
        Size below which terms of the sums for the ends are left out.

    Returns
    -------
    ndarray
        Filtered signals of the shape of `input`.

    Raises
    ------
    ValueError
        If the poles are not inside the unit circle, or the signals are too short for the sums.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.symiirorder2(cp.ones(90), 0.5, 1.0)[:3].round(6)
    array([1., 1., 1.])
    """
    x = _rows(input)
    r, omega = number_on_host(r), number_on_host(omega)
    if x.dtype.kind == "c":
        raise TypeError("symiirorder2 filters real signals")
    if r >= 1.0:
        raise ValueError("r must be less than 1.0")
    count = _terms(float(r), _limit(precision, x.dtype), x.shape[-1])
    gain = 1 - 2 * r * math.cos(omega) + r * r
    feedback = [2 * r * math.cos(omega), -r * r]
    m = min(2 * count, x.shape[-1])
    response = _impulse_response(gain, feedback, 2 * m + 2)
    # The outputs before the first, of the mirrored past.
    past = _weighted(x, response[:m], np.r_[0, response[: m - 1]])
    y = _recursed(x, gain, feedback, past)
    both = _two_sided(response, m + 3)
    ends = _weighted(
        x[..., ::-1], both[:m] + both[1 : m + 1], np.r_[both[1], both[: m - 1]] + both[2 : m + 2]
    )
    z = _recursed(y[..., -3::-1], gain, feedback, ends[..., ::-1])
    return concatenate([z[..., ::-1], ends[..., ::-1].astype(x.dtype)], axis=-1)


def _impulse_response(gain: float, feedback: list, n: int) -> np.ndarray:
    """The first n outputs for a single sample."""
    out = np.zeros(n)
    out[0] = gain
    out[1] = feedback[0] * gain
    for i in range(2, n):
        out[i] = feedback[0] * out[i - 1] + feedback[1] * out[i - 2]
    return out


def _two_sided(response: np.ndarray, n: int) -> np.ndarray:
    """The response forwards and backwards, from 0 on: the correlation of a response with itself."""
    n = min(n, response.size)
    return np.array([response[k:] @ response[: response.size - k] for k in range(n)])
