"""Changes of the sampling rate by rational factors: raise, filter, lower."""

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._core._convert import as_array, number_on_host, shown
from ..._core._filters import upfirdn as upfirdn_rows
from ..._core.multiarray import asarray, ascontiguousarray, empty, ndarray, result_type
from ..._core.numeric import moveaxis
from ._recurrences import coefficients

__all__ = ["upfirdn"]

MODES = (
    "constant",
    "wrap",
    "edge",
    "smooth",
    "symmetric",
    "reflect",
    "antisymmetric",
    "antireflect",
    "line",
)


def output_length(taps: int, n: int, up: int, down: int) -> int:
    """The number of samples that `upfirdn` makes of n."""
    return ((n - 1) * up + taps - 1) // down + 1


def resampled(
    x: ndarray, taps: Any, rates: tuple[int, int], axis: int, part: Any, mode: str, cval: Any
) -> ndarray:
    """Raise, filter and lower signals; keep `part`, the first sample and the number of them.

    Parameters
    ----------
    x : ndarray
        Signals along `axis`, which is not negative.
    taps : ndarray
        Filter of one dimension, on the host or on the device.
    rates : tuple of ints
        Factors by which the sampling rate is raised and lowered.
    axis : int
        Axis of time.
    part : tuple of ints
        First of the samples that are computed, and their number.
    mode : str
        What stands beyond the ends, of `MODES`.
    cval : scalar
        What stands there in mode 'constant'.
    """
    dtype = np.dtype(result_type(taps.dtype, x.dtype, np.float32))
    kind = dtype if taps.dtype.kind == "c" else np.empty(0, dtype).real.dtype
    factors = asarray(taps) if isinstance(taps, np.ndarray) else taps
    factors = ascontiguousarray(factors.astype(kind, copy=False))
    first, count = part
    source = ascontiguousarray(moveaxis(x, axis, -1))
    shape = source.shape[:-1]
    out = empty([*shape, count], dtype)
    if out.size:
        rows = source.reshape(-1, source.shape[-1])
        upfirdn_rows(rows, factors, out.reshape(-1, count), *rates, first, mode, cval)
    y = moveaxis(out, -1, axis)
    return y if axis == x.ndim - 1 else ascontiguousarray(y)


def filter_of(taps: Any) -> Any:
    """A filter as an array of one dimension, left where it is."""
    h = taps if isinstance(taps, ndarray) else coefficients(taps)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    return h


def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0) -> ndarray:
    """Raise the sampling rate, apply a filter, and lower the sampling rate.

    Parameters
    ----------
    h : array_like
        Coefficients of the filter, of one dimension, on the host or on the device.
    x : array_like
        Signals, on the device.
    up : int, optional
        Factor by which the sampling rate is raised: so many minus one zeros follow each sample.
    down : int, optional
        Factor by which the sampling rate is lowered: every such sample is kept.
    axis : int, optional
        Axis of time, along which each line is one signal.
    mode : {'constant', 'wrap', 'edge', 'smooth', 'symmetric', 'reflect', 'antisymmetric', \
'antireflect', 'line'}, optional
        What stands beyond the ends: `cval`, the periodic continuation, the last sample, the line
        through the last two samples, the mirror image with or without the last sample, these with
        the sign changed or rotated about the last sample, or the line through both ends.
    cval : float, optional
        What stands beyond the ends in mode 'constant'.

    Returns
    -------
    ndarray
        Signals of the common type of the operands, at least float32. There are
        ``((n - 1) * up + len(h) - 1) // down + 1`` samples.

    Raises
    ------
    ValueError
        If `h` is empty or not one-dimensional, a factor is not positive, or `mode` is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.upfirdn([1.0, 1], cp.array([1.0, 2, 3]), up=2)
    array([1., 1., 2., 2., 3., 3.])
    """
    taps, x = filter_of(h), as_array(x)
    up, down = operator.index(up), operator.index(down)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    if mode not in MODES:
        raise ValueError(f"Unknown mode: {shown(mode)}")
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    n = x.shape[axis]
    count = output_length(taps.size, n, up, down) if n else 0
    return resampled(x, taps, (up, down), axis, (0, count), mode, number_on_host(cval))
