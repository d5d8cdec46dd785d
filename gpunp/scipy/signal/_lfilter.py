"""Filters by difference equations: one direction, both directions, initial conditions."""

import functools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._core._convert import as_array, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, asarray, concatenate, ndarray, zeros
from ..._core.numeric import moveaxis
from ...lib._stride_tricks_impl import broadcast_to
from ...linalg import lstsq
from ._recurrences import MOST_ORDER, coefficients, filtered, high_order, loop_of, signal_type
from ._signaltools import convolve

__all__ = [
    "deconvolve",
    "filtfilt",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
]


# ---- arguments -----------------------------------------------------------------------------------


def _polynomial(values: Any, name: str) -> np.ndarray:
    c = np.atleast_1d(coefficients(values))
    if c.ndim != 1 or c.size == 0:
        raise ValueError(f"{name} must be 1-D with at least one coefficient, not {c.shape}")
    return c


def _numbers(c: np.ndarray) -> np.ndarray:
    return c.astype(complex if c.dtype.kind == "c" else float)


def _transfer(b: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator divided by the first coefficient of the latter."""
    b, a = _numbers(b), _numbers(a)
    if a[0] == 0:
        raise ValueError("the first coefficient of a must not be zero")
    return b / a[0], a / a[0]


def _initial(zi: ndarray, shape: list[int], axis: int) -> ndarray:
    """Initial conditions broadcast to the shape they must have, but not along the axis of time."""
    fits = zi.ndim == len(shape) and zi.shape[axis] == shape[axis]
    if not fits or any(n not in (1, m) for n, m in zip(zi.shape, shape, strict=True)):
        raise ValueError(f"Unexpected shape for zi: expected {tuple(shape)}, found {zi.shape}.")
    return broadcast_to(zi, tuple(shape))


def _axis_of(x: ndarray, axis: Any) -> int:
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    return normalize_axis_index(operator.index(axis), x.ndim)


# ---- one direction -------------------------------------------------------------------------------


def lfilter(b, a, x, axis=-1, zi=None) -> Any:
    """Filter signals by a difference equation with constant coefficients.

    Parameters
    ----------
    b : array_like
        Coefficients of the input (numerator), on the host, or on the device: then they are read
        back, which waits for the device.
    a : array_like
        Coefficients of the output (denominator), as `b`. All are divided by the first one.
    x : array_like
        Signals, on the device.
    axis : int, optional
        Axis of time, along which each line is one signal.
    zi : array_like, optional
        Initial conditions: the state of the transposed direct form II before the first sample, of
        the shape of `x` but for ``max(len(a), len(b)) - 1`` elements along `axis`.

    Returns
    -------
    y : ndarray
        Filtered signals, of the common type of the operands; float64 for integers.
    zf : ndarray
        State after the last sample, only if `zi` is given.

    Raises
    ------
    ValueError
        If a polynomial is empty or not one-dimensional, a[0] is zero, or `zi` has a wrong shape.

    Notes
    -----
    States are float64 or complex128. Long signals are cut into tiles, whose states are joined by
    powers of the transition matrix: errors are those of the recurrence, bits may differ from it. An
    infinite sample or NaN spoils all later outputs.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.lfilter([1.0], [1.0, -0.5], cp.array([1.0, 0, 0, 0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    b, a = _polynomial(b, "b"), _polynomial(a, "a")
    x = as_array(x)
    axis = _axis_of(x, axis)
    start = None if zi is None else _state(zi)
    dtype = signal_type(b, a, x, *(() if start is None else (start,)))
    b, a = _transfer(b, a)
    count = max(b.size, a.size) - 1
    if start is not None:
        shape = list(x.shape)
        shape[axis] = count
        start = moveaxis(_initial(start, shape, axis), axis, -1)
    y, end = _run(b, a, x, axis, dtype, start, zi is not None)
    if zi is None:
        return y
    return y, moveaxis(end, -1, axis).astype(dtype, copy=False)


def _state(zi: Any) -> ndarray:
    return asarray(zi) if isinstance(zi, np.ndarray) else as_array(zi)


def _run(
    b: np.ndarray,
    a: np.ndarray,
    x: ndarray,
    axis: int,
    dtype: np.dtype,
    start: Any,
    wants: bool,
    backwards: bool = False,
) -> tuple[ndarray, Any]:
    """The filtered signals and, if wanted, the states after them, state axis last."""
    count = max(b.size, a.size) - 1
    if x.size == 0:
        return zeros(x.shape, dtype), start
    if np.any(a[1:]) and count <= MOST_ORDER:
        kind = np.result_type(a, b)
        section = np.zeros((1, 2 * count + 1), kind)
        section[0, : b.size] = b
        section[0, count + 1 : count + a.size] = -a[1:]
        return filtered(x, section, axis, dtype, start, wants, backwards)
    step = -1 if backwards else 1
    y, end = high_order(moveaxis(x, axis, -1)[..., ::step], b, a, dtype, start, wants)
    return moveaxis(y[..., ::step], -1, axis), end


def lfilter_zi(b, a) -> ndarray:
    """Return the state of `lfilter` that belongs to the steady response to a unit step.

    Parameters
    ----------
    b : array_like
        Coefficients of the numerator, as for `lfilter`.
    a : array_like
        Coefficients of the denominator, as for `lfilter`.

    Returns
    -------
    ndarray
        Initial conditions, computed on the host.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.lfilter_zi([1.0, 1.0], [1.0, -0.5])
    array([3.])
    """
    return asarray(_steady_state(coefficients(b), coefficients(a)))


def _steady_state(b: np.ndarray, a: np.ndarray) -> np.ndarray:
    from scipy.signal import lfilter_zi as host

    return host(b, a)


@documented_as(lfilter_zi)
def lfiltic(b, a, y, x=None) -> ndarray:
    """Return the state of `lfilter` after given outputs and inputs.

    Parameters
    ----------
    y : array_like
        Past outputs, the latest one first; on the device they are read back.
    x : array_like, optional
        Past inputs, the latest one first. By default zeros.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.lfiltic([1.0, 1.0], [1.0, -0.5], [2.0], [1.0])
    array([2.])
    """
    from scipy.signal import lfiltic as host

    past = None if x is None else coefficients(x)
    return asarray(host(coefficients(b), coefficients(a), coefficients(y), past))


# ---- sections of second order --------------------------------------------------------------------


def _sections(sos: Any) -> np.ndarray:
    sections = np.atleast_2d(coefficients(sos))
    if sections.ndim != 2 or sections.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not (sections[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    return sections


def sosfilt(sos, x, axis=-1, zi=None) -> Any:
    """Filter signals by sections of second order, one after the other.

    Parameters
    ----------
    sos : array_like
        A row ``b0 b1 b2 1 a1 a2`` for each section, on the host, or on the device: then it is read
        back, which waits for the device.
    x : array_like
        Signals, on the device.
    axis : int, optional
        Axis of time, along which each line is one signal.
    zi : array_like, optional
        Initial conditions of the shape ``(n_sections, ..., 2, ...)``, where the dots and the 2 are
        the shape of `x` with 2 elements along `axis`.

    Returns
    -------
    y : ndarray
        Filtered signals, of the common type of the operands; float64 for integers.
    zf : ndarray
        State after the last sample, only if `zi` is given.

    Raises
    ------
    ValueError
        If `sos` or `zi` has a wrong shape, or a section's fourth coefficient is not 1.

    Notes
    -----
    All sections are computed in one launch, with states of float64 or complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.sosfilt([[1.0, 0, 0, 1, -0.5, 0]], cp.array([1.0, 0, 0, 0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    sections = _sections(sos)
    x = as_array(x)
    axis = _axis_of(x, axis)
    start = None if zi is None else _state(zi)
    dtype = signal_type(sections, x, *(() if start is None else (start,)))
    shape = list(x.shape)
    shape[axis] = 2
    shape = [len(sections), *shape]
    if start is not None and list(start.shape) != shape:
        raise ValueError(f"zi must have shape {tuple(shape)}, got {start.shape}")
    if start is None:
        return _through(sections, x, axis, dtype, None, False)[0]
    # (sections, ..., 2, ...) to (..., sections * 2)
    state = moveaxis(start, (0, axis + 1), (-2, -1))
    state = state.reshape([*state.shape[:-2], 2 * len(sections)])
    y, ends = _through(sections, x, axis, dtype, state, True)
    if not ends:
        return y, start.astype(dtype)
    end = _joined(ends)
    end = end.reshape([*end.shape[:-1], len(sections), 2])
    return y, moveaxis(end, (-2, -1), (0, axis + 1)).astype(dtype, copy=False)


def _joined(ends: list[ndarray]) -> ndarray:
    return ends[0] if len(ends) == 1 else concatenate(ends, axis=-1)


def _through(
    sections: np.ndarray,
    x: ndarray,
    axis: int,
    dtype: np.dtype,
    start: Any,
    wants: bool,
    backwards: bool = False,
) -> tuple[ndarray, list[ndarray]]:
    """The signals after all sections, and, if wanted, the states after them in parts; states are
    the last axis of `start` and of these."""
    rows = _numbers(np.concatenate([sections[:, :3], -sections[:, 4:]], axis=1))
    y, ends = x.astype(dtype) if not len(rows) or x.size == 0 else x, []
    for first in range(0, len(rows) if x.size else 0, MOST_ORDER // 2):
        part = rows[first : first + MOST_ORDER // 2]
        state = None if start is None else start[..., 2 * first : 2 * (first + len(part))]
        y, end = filtered(y, part, axis, dtype, state, wants, backwards)
        if wants:
            ends.append(end)
    return y, ends


def sosfilt_zi(sos) -> ndarray:
    """Return the state of `sosfilt` that belongs to the steady response to a unit step.

    Parameters
    ----------
    sos : array_like
        Sections of second order, as for `sosfilt`.

    Returns
    -------
    ndarray
        Initial conditions of the shape ``(n_sections, 2)``, computed on the host.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.sosfilt_zi([[1.0, 1, 0, 1, -0.5, 0]])
    array([[3., 0.]])
    """
    return asarray(_steady_states(_sections(sos)))


def _steady_states(sections: np.ndarray) -> np.ndarray:
    if sections.dtype.kind == "O":
        sections = _numbers(sections)
    return _kept_steady_states(sections.tobytes(), sections.dtype.str).copy()


@functools.lru_cache(maxsize=32)
def _kept_steady_states(sections: bytes, dtype: str) -> np.ndarray:
    """Those of a filter's sections: a seventh of a millisecond of the host's time."""
    from scipy.signal import sosfilt_zi as host

    return host(np.frombuffer(sections, dtype).reshape(-1, 6))


# ---- both directions -----------------------------------------------------------------------------


def _part(axis: int, start: Any, stop: Any, step: Any = None) -> tuple[slice, ...]:
    return (slice(None),) * axis + (slice(start, stop, step),)


def _extensions(x: ndarray, axis: int, padtype: Any, padlen: Any, default: int) -> Any:
    """What stands before and behind signals, or None."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value {shown(padtype)} given to padtype. padtype must be 'even', 'odd',"
            " 'constant', or None."
        )
    n = 0 if padtype is None else default if padlen is None else operator.index(padlen)
    if x.shape[axis] <= n:
        raise ValueError(
            f"The length of the input vector x must be greater than padlen, which is {n}."
        )
    if n <= 0:
        return None
    ends = x[_part(axis, 0, 1)], x[_part(axis, -1, None)]
    if padtype == "constant":
        shape = tuple(n if i == axis else m for i, m in enumerate(x.shape))
        return [broadcast_to(end, shape) for end in ends]
    length = x.shape[axis]
    mirrored = (
        x[_part(axis, n, 0, -1)],
        x[_part(axis, -n - 1, length - 1)][_part(axis, None, None, -1)],
    )
    if padtype == "even":
        return list(mirrored)
    return [2 * end - m for end, m in zip(ends, mirrored, strict=True)]


def _both_ways(run: Any, steady: np.ndarray, x: ndarray, axis: int, extensions: Any) -> ndarray:
    """Filter forwards and backwards by run(signals, states, wants the states after, backwards).

    Signals begin in the steady state of the first sample of their extension; `steady` is that of
    the sample 1. Extensions are filtered alone, only their states reach the signals.
    """
    states = asarray(_numbers(steady.reshape(-1)))

    def steady_of(signals: ndarray, where: tuple[slice, ...]) -> ndarray:
        return moveaxis(signals[where], axis, -1) * states

    first, last = _part(axis, 0, 1), _part(axis, -1, None)
    if extensions is None:
        y, _ = run(x, steady_of(x, first), False, False)
        return run(y, steady_of(y, last), False, True)[0]
    before, behind = extensions
    _, state = run(before, steady_of(before, first), True, False)
    y, state = run(x, state, True, False)
    behind, _ = run(behind, state, False, False)
    _, state = run(behind, steady_of(behind, last), True, True)
    return run(y, state, False, True)[0]


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None) -> ndarray:
    """Filter signals forwards and backwards, so that phases stay as they are.

    Parameters
    ----------
    b : array_like
        Coefficients of the numerator, as for `lfilter`.
    a : array_like
        Coefficients of the denominator, as for `lfilter`.
    x : array_like
        Signals, on the device.
    axis : int, optional
        Axis of time, along which each line is one signal.
    padtype : {'odd', 'even', 'constant', None}, optional
        Extension of the signals at both ends for method 'pad': rotated about their last samples,
        mirrored, by the last samples, or none.
    padlen : int, optional
        Number of samples of the extension. By default ``3 * max(len(a), len(b))``.
    method : {'pad', 'gust'}, optional
        Extension of the signals, or Gustafsson's initial conditions, with which the order of the
        two directions makes no difference.
    irlen : int, optional
        Length of the impulse response for method 'gust'. By default that of the signals.

    Returns
    -------
    ndarray
        Filtered signals of the shape of `x`.

    Raises
    ------
    ValueError
        If `padtype` or `method` is none of these, or the signals are not longer than `padlen`.

    Notes
    -----
    Method 'gust' solves a least-squares problem, which waits for the device.

    References
    ----------
    F. Gustafsson, "Determining the initial states in forward-backward filtering", IEEE Transactions
    on Signal Processing 44 (1996).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.filtfilt([0.5, 0.5], [1.0], cp.array([1.0, 2, 4, 8]), padlen=1)
    array([1.  , 2.25, 4.5 , 8.  ])
    """
    b, a = np.atleast_1d(coefficients(b)), np.atleast_1d(coefficients(a))
    x = as_array(x)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    axis = _axis_of(x, axis)
    if method == "gust":
        return _gust(b, a, x, axis, irlen)
    extensions = _extensions(x, axis, padtype, padlen, 3 * max(a.size, b.size))
    steady = _steady_state(b, a)
    num, den = _transfer(b, a)

    def run(part: ndarray, start: ndarray, wants: bool, backwards: bool) -> tuple[ndarray, Any]:
        dtype = signal_type(b, a, part, steady)
        return _run(num, den, part, axis, dtype, start, wants, backwards)

    return _both_ways(run, steady, x, axis, extensions)


def _gust(b: np.ndarray, a: np.ndarray, x: ndarray, axis: int, irlen: Any) -> ndarray:
    """Forwards and backwards from the states for which the order of the two makes no difference."""
    order = max(b.size, a.size) - 1
    if order == 0:
        return x * float((b[0] / a[0]) ** 2) if b.dtype.kind != "c" else x * (b[0] / a[0]) ** 2
    x = moveaxis(x, axis, -1)
    n = x.shape[-1]
    m = n if irlen is None or n <= 2 * irlen else operator.index(irlen)
    free = lfilter(b, a, zeros((order, m)), zi=asarray(np.eye(order)))[0]  # by unit states
    turned = free[:, ::-1]
    there = lfilter(b, a, turned)  # and then the other way
    back = there[:, ::-1]
    fb = lfilter(b, a, lfilter(b, a, x)[..., ::-1])[..., ::-1]
    bf = lfilter(b, a, lfilter(b, a, x[..., ::-1])[..., ::-1])
    if m == n:
        matrix = concatenate([back - free, turned - there]).T
        effect, wanted = concatenate([back, turned]).T, bf - fb
    else:
        off = zeros((order, m), free.dtype)
        matrix = concatenate(
            [concatenate([back - free, off], axis=1), concatenate([off, turned - there], axis=1)]
        ).T
        effect = concatenate(
            [concatenate([back, off], axis=1), concatenate([off, turned], axis=1)]
        ).T
        difference = bf - fb
        wanted = concatenate([difference[..., :m], difference[..., -m:]], axis=-1)
    states = lstsq(matrix, wanted.reshape(-1, wanted.shape[-1]).T, rcond=None)[0]
    change = (effect @ states).T.reshape(wanted.shape)
    y = fb.copy()
    if m == n:
        y += change
    else:
        y[..., :m] += change[..., :m]
        y[..., -m:] += change[..., m:]
    return moveaxis(y, -1, axis)


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None) -> ndarray:
    """Filter signals forwards and backwards by sections of second order.

    Parameters
    ----------
    sos : array_like
        Sections of second order, as for `sosfilt`.
    x : array_like
        Signals, on the device.
    axis : int, optional
        Axis of time, along which each line is one signal.
    padtype : {'odd', 'even', 'constant', None}, optional
        Extension of the signals at both ends, as for `filtfilt`.
    padlen : int, optional
        Number of samples of the extension. By default three times the filter's length.

    Returns
    -------
    ndarray
        Filtered signals of the shape of `x`.

    Raises
    ------
    ValueError
        If `padtype` is none of these, or the signals are not longer than `padlen`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.sosfiltfilt([[0.5, 0.5, 0, 1, 0, 0]], cp.array([1.0, 2, 4, 8]), padlen=1)
    array([1.  , 2.25, 4.5 , 8.  ])
    """
    sections = _sections(sos)
    x = as_array(x)
    axis = _axis_of(x, axis)
    taps = 2 * len(sections) + 1
    taps -= min(int((sections[:, 2] == 0).sum()), int((sections[:, 5] == 0).sum()))
    extensions = _extensions(x, axis, padtype, padlen, 3 * taps)
    steady = _steady_states(sections)

    def run(part: ndarray, start: ndarray, wants: bool, backwards: bool) -> tuple[ndarray, Any]:
        dtype = signal_type(sections, part, steady)
        y, ends = _through(sections, part, axis, dtype, start, wants, backwards)
        return y, _joined(ends) if ends else start

    return _both_ways(run, steady, x, axis, extensions)


# ---- division ------------------------------------------------------------------------------------


def deconvolve(signal, divisor) -> tuple[ndarray, ndarray]:
    """Divide a signal by another one: the inverse of convolution.

    Parameters
    ----------
    signal : array_like
        Signal of one dimension.
    divisor : array_like
        Impulse response of one dimension, on the host, or read back from the device.

    Returns
    -------
    quotient : ndarray
        Signal whose convolution with `divisor`, added to `remainder`, is `signal`.
    remainder : ndarray
        What the convolution does not give.

    Raises
    ------
    ValueError
        If an operand is not one-dimensional.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.deconvolve(cp.array([0.0, 2, 3, 0, 3, 2]), [2.0, 1])[0]
    array([ 0.  ,  1.  ,  1.  , -0.5 ,  1.75])
    """
    num, den = as_array(signal), np.atleast_1d(coefficients(divisor))
    num = num.reshape(1) if num.ndim == 0 else num
    if num.ndim > 1:
        raise ValueError("signal must be 1-D.")
    if den.ndim > 1:
        raise ValueError("divisor must be 1-D.")
    if den.size > num.size:
        return array([]), num
    dtype = loop_of(np.result_type(num.dtype, den.dtype))
    first = num[: num.size - den.size + 1].astype(dtype)
    quotient = lfilter([1.0], den, first)
    return quotient, num - convolve(asarray(den), quotient)
