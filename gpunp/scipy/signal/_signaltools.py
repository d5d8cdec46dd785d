"""Convolutions of any dimension, as sums of products or by Fourier transforms.

Sums are exact for integers. Products of spectra cost the logarithm of the length for each point,
but their rounding errors are those of the largest values, and one value that is not finite makes
the whole result so.
"""

import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, per_axis, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, array, ndarray, result_type, zeros
from ..._core.numeric import convolve_directly, convolve_plane
from ...lib._arraypad_impl import pad
from .. import fft as _fft

__all__ = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "fftconvolve",
    "oaconvolve",
]

_MODES = ("full", "same", "valid")
_MOST_TAPS = 256  # of a matrix of weights: spectra of 4096 x 4096 float32 cost as much as 370
_OVERLAP = 8  # points of a block for each point of the shorter operand


# ---- arguments -----------------------------------------------------------------------------------


def _operands(in1: Any, in2: Any, mode: str) -> tuple[ndarray, ndarray]:
    if mode not in _MODES:
        raise ValueError(
            f"Acceptable mode flags are 'valid', 'same', or 'full', not mode={shown(mode)}"
        )
    a, b = as_array(in1), as_array(in2)
    if a.ndim != b.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    return a, b


def _check_valid(a: ndarray, b: ndarray, axes: list[int]) -> None:
    """One operand must be at least as long as the other along all axes."""
    if not (
        all(a.shape[i] >= b.shape[i] for i in axes) or all(a.shape[i] <= b.shape[i] for i in axes)
    ):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )


def _extent(n: int, k: int, mode: str, later: bool) -> tuple[int, int]:
    """(first point, number of points) that `mode` keeps of the convolution of n and k points."""
    size = {"full": n + k - 1, "same": n, "valid": abs(n - k) + 1}[mode]
    return (n + k - 1 - size + later) // 2, size


def _part(
    full: ndarray, a: ndarray, b: ndarray, mode: str, axes: list[int], later: bool = False
) -> ndarray:
    """What `mode` leaves of the full convolution along `axes`: a view. "same" is the shape of `a`.

    The middle of an odd rest is the earlier point, or the `later` one.
    """
    window = [slice(None)] * full.ndim
    for i in range(full.ndim):
        if i in axes:
            start, size = _extent(a.shape[i], b.shape[i], mode, later)
            window[i] = slice(start, start + size)
        elif mode == "same":  # of an axis that was broadcast, the middle
            start = (full.shape[i] - a.shape[i]) // 2
            window[i] = slice(start, start + a.shape[i])
    return full[tuple(window)]


# ---- sums of products ----------------------------------------------------------------------------


def _sums(a: ndarray, b: ndarray) -> ndarray:
    """Full convolution by sums of products: a line of the shorter operand at a time."""
    if b.size > a.size:
        a, b = b, a
    dtype = result_type(a, b)
    shape = tuple(n + k - 1 for n, k in zip(a.shape, b.shape, strict=True))
    if a.ndim == 2:
        return convolve_plane(a, b, [k - 1 for k in b.shape], shape, 0, 0)
    # Rows padded with zeros may be contiguous: no sum reaches the elements of the next one.
    padded = zeros((a.shape[0], *shape[1:]), dtype)
    padded[tuple(slice(n) for n in a.shape)] = a
    steps = [math.prod(shape[i + 1 :]) for i in range(a.ndim)]
    out = zeros(shape, dtype)
    flat, line = out.reshape(-1), padded.reshape(-1)
    for index in np.ndindex(b.shape[:-1]):
        start = sum(i * step for i, step in zip(index, steps, strict=False))
        row = convolve_directly(line, b[index])[: flat.size - start]
        target = flat[start : start + row.size]
        if dtype.kind == "b":
            um.logical_or(target, row, out=target)
        else:
            um.add(target, row, out=target)
    return out


# ---- by Fourier transforms -----------------------------------------------------------------------


def _transformed_axes(a: ndarray, b: ndarray, axes: Any, mode: str) -> tuple[list[int], list[int]]:
    """(axes of the convolution, those of them along which neither operand has length 1)."""
    if axes is None:
        chosen = list(range(a.ndim))
    else:
        given = axes if hasattr(axes, "__iter__") else (axes,)
        try:
            chosen = [operator.index(axis) for axis in per_axis(given)]
        except TypeError:
            raise ValueError(f"axes must be an integer or integers, not {shown(axes)}") from None
        if not chosen:
            raise ValueError("when provided, axes cannot be empty")
        for axis in chosen:
            if not -a.ndim <= axis < a.ndim:
                raise ValueError("axes exceeds dimensionality of input")
        chosen = sorted(axis % a.ndim for axis in chosen)
        if len(set(chosen)) != len(chosen):
            raise ValueError("all axes must be unique")
    for i in range(a.ndim):
        if i not in chosen and a.shape[i] != b.shape[i] and 1 not in (a.shape[i], b.shape[i]):
            raise ValueError(f"incompatible shapes for in1 and in2: {a.shape} and {b.shape}")
    longer = [i for i in chosen if a.shape[i] != 1 and b.shape[i] != 1]
    if mode == "valid":
        _check_valid(a, b, longer)
    return chosen, longer


def _real_part(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.empty(0, dtype).real.dtype


def _spectra_product(a: ndarray, b: ndarray, lengths: list[int], axes: list[int]) -> ndarray:
    """irfftn(rfftn(a) * rfftn(b)), or the same with complex transforms."""
    if not axes:
        return um.multiply(a, b)
    if a.dtype != b.dtype:  # the precision of the result is that of the better one
        dtype = result_type(*(np.float64 if x.dtype.kind in "biu" else x.dtype for x in (a, b)))
        a, b = (x if x.dtype.kind == "c" else x.astype(_real_part(dtype)) for x in (a, b))
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        there, back = _fft.fftn, _fft.ifftn
    else:
        there, back = _fft.rfftn, _fft.irfftn
    # Each operand takes half of the factor on its way to its padded copy: no pass over the result.
    first, second = (there(x, lengths, axes, norm="ortho") for x in (a, b))
    in_place = first.size >= second.size and first.dtype == result_type(first, second)
    fits = in_place and all(n >= k for n, k in zip(first.shape, second.shape, strict=True))
    product = um.multiply(first, second, out=first) if fits else um.multiply(first, second)
    return back(product, lengths, axes, norm="forward", overwrite_x=True)


def fftconvolve(in1, in2, mode="full", axes=None) -> ndarray:
    """Convolve two arrays by Fourier transforms.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with equal numbers of dimensions.
    mode : {"full", "same", "valid"}, optional
        Size of the result: the full convolution, its centre with the shape of `in1`, or the points
        without padding.
    axes : int or sequence of ints, optional
        Axes of the convolution; along the others the operands are broadcast. By default all axes.

    Returns
    -------
    ndarray
        Floating or complex array; often a view of a larger one.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> cp.rint(signal.fftconvolve(cp.array([1.0, 2, 3]), cp.array([1.0, 2])))
    array([1., 4., 7., 6.])
    """
    a, b = _operands(in1, in2, mode)
    if a.ndim == 0:
        return um.multiply(a, b)
    if a.size == 0 or b.size == 0:
        return array([])
    chosen, axes = _transformed_axes(a, b, axes, mode)
    lengths = [_fft.next_fast_len(a.shape[i] + b.shape[i] - 1) for i in axes]
    full = _spectra_product(a, b, lengths, axes)
    return _part(full, a, b, mode, chosen)


def _block(k: int) -> int:
    """The length of the transform of a block, a power of two."""
    return 1 << max(10, (_OVERLAP * k - 1).bit_length())


def _into_blocks(a: ndarray, axes: list[int], steps: list[int], counts: list[int]) -> ndarray:
    """Split `axes` of `a` into blocks of `steps` points; the numbers of blocks come first."""
    width = [(0, 0)] * a.ndim
    shape: list[int] = []
    order: list[int] = []
    for i in range(a.ndim):
        if i in axes:
            step, count = steps[axes.index(i)], counts[axes.index(i)]
            width[i] = (0, step * count - a.shape[i])
            order.append(len(shape))
            shape += [count, step]
        else:
            shape.append(a.shape[i])
    padded = pad(a, width) if any(after for _, after in width) else a
    inner = [i for i in range(len(shape)) if i not in order]
    return padded.reshape(shape).transpose(order + inner)


def _overlap(blocks: ndarray, axis: int, block_axis: int, step: int) -> ndarray:
    """Add the part of each block beyond `step` points to the next one."""

    def at(where: slice, along: int) -> tuple[slice, ...]:
        return tuple(where if i == along else slice(None) for i in range(blocks.ndim))

    head, tail = blocks[at(slice(step), axis)], blocks[at(slice(step, None), axis)]
    reach = min(tail.shape[axis], step)
    later = head[at(slice(1, None), block_axis)][at(slice(reach), axis)]
    later += tail[at(slice(-1), block_axis)][at(slice(reach), axis)]
    return head


@documented_as(fftconvolve)
def oaconvolve(in1, in2, mode="full", axes=None) -> ndarray:
    """Convolve a long array with a short one by the overlap-add method.

    Returns
    -------
    ndarray
        Floating or complex array.
    """
    a, b = _operands(in1, in2, mode)
    if a.ndim == 0:
        return um.multiply(a, b)
    if a.size == 0 or b.size == 0:
        return array([])
    chosen, axes = _transformed_axes(a, b, axes, mode)
    long, short = (a, b) if a.size >= b.size else (b, a)
    lengths = [_fft.next_fast_len(a.shape[i] + b.shape[i] - 1) for i in axes]
    blocks = {i: _block(short.shape[i]) for i in axes}
    split = [i for i, n in zip(axes, lengths, strict=True) if blocks[i] < n]
    if not split or any(short.shape[i] > long.shape[i] for i in split):
        return _part(_spectra_product(a, b, lengths, axes), a, b, mode, chosen)
    lengths = [min(blocks[i], n) for i, n in zip(axes, lengths, strict=True)]
    steps = [blocks[i] - short.shape[i] + 1 for i in split]
    counts = [
        -(-(a.shape[i] + b.shape[i] - 1) // step) for step, i in zip(steps, split, strict=True)
    ]
    extra = len(split)
    parts = _spectra_product(
        _into_blocks(long, split, steps, counts),
        short.reshape((1,) * extra + short.shape),
        lengths,
        [i + extra for i in axes],
    )
    for k, i in enumerate(split):
        parts = _overlap(parts, i + extra, k, steps[k])
    order: list[int] = []
    for i in range(a.ndim):
        order += ([split.index(i)] if i in split else []) + [i + extra]
    joined = parts.transpose(order)
    shape = [math.prod(joined.shape[j] for j in group) for group in _groups(a.ndim, split)]
    return _part(joined.reshape(shape), a, b, mode, chosen)


def _groups(ndim: int, axes: list[int]) -> list[list[int]]:
    """Positions of (number of block, place in it) that become one axis again."""
    groups: list[list[int]] = []
    at = 0
    for i in range(ndim):
        size = 2 if i in axes else 1
        groups.append(list(range(at, at + size)))
        at += size
    return groups


# ---- dispatch -----------------------------------------------------------------------------------


def choose_conv_method(in1, in2, mode="full", measure=False) -> Any:
    """Return the method of `convolve` that is expected to be the fastest.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays that would be convolved.
    mode : {"full", "same", "valid"}, optional
        Size of the result, as for `convolve`.
    measure : bool, optional
        If True, run both methods and return the times as well, in seconds.

    Returns
    -------
    str or (str, dict)
        "direct" for integers and booleans, whose sums are exact, and for small operands; otherwise
        "fft".
    """
    a, b = _operands(in1, in2, mode)
    if measure:
        import timeit

        from ...cuda import get_current_stream

        times = {}
        for method in ("fft", "direct"):

            def run(method: str = method) -> None:
                convolve(a, b, mode, method)
                get_current_stream().synchronize()

            times[method] = min(timeit.repeat(run, number=1, repeat=3))
        return min(times, key=lambda method: times[method]), times
    if "c" not in (a.dtype.kind, b.dtype.kind) and not {a.dtype.kind, b.dtype.kind} & set("fV"):
        return "direct"
    short = min(a.size, b.size)
    if a.ndim == 2:  # one launch
        return "fft" if short > _MOST_TAPS else "direct"
    rows = short // max(1, min(a.shape[-1], b.shape[-1])) if a.ndim > 1 else 1
    return "fft" if rows > 4 or short >= 512 else "direct"


def convolve(in1, in2, mode="full", method="auto") -> ndarray:
    """Convolve two arrays of any dimension.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with equal numbers of dimensions.
    mode : {"full", "same", "valid"}, optional
        Size of the result: the full convolution, its centre with the shape of `in1`, or the points
        without padding.
    method : {"auto", "direct", "fft"}, optional
        Sums of products, Fourier transforms, or the choice of `choose_conv_method`. Transforms of
        integers are rounded, and exact while sums are below 2**53.

    Returns
    -------
    ndarray
        Convolution, of the common dtype of the operands.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.convolve(cp.array([[1, 2], [3, 4]]), cp.array([[1, 1]]))
    array([[1, 3, 2],
           [3, 7, 4]])
    """
    a, b = _operands(in1, in2, mode)
    if a.ndim == 0:
        return um.multiply(a, b)
    axes = list(range(a.ndim))
    if mode == "valid":
        _check_valid(a, b, axes)
    if a.size == 0 or b.size == 0:
        return array([])
    if method == "auto":
        method = choose_conv_method(a, b, mode)
    dtype = result_type(a, b)
    if method == "fft":
        out = fftconvolve(a, b, mode)
        if dtype.kind in "biu":
            out = um.rint(out)
        if dtype.kind in "iu" and dtype.itemsize < 8:  # sums wrap around, as direct ones do
            out = out.astype(np.int64)
        return out.astype(dtype, copy=False)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    return _part(_sums(a, b), a, b, mode, axes)


def _reversed(b: Any) -> ndarray:
    b = as_array(b)
    flipped = b[(slice(None, None, -1),) * b.ndim]
    return flipped.conj() if b.dtype.kind == "c" else flipped


def correlate(in1, in2, mode="full", method="auto") -> ndarray:
    """Compute the cross-correlation of two arrays of any dimension; complex `in2` is conjugated.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with equal numbers of dimensions.
    mode : {"full", "same", "valid"}, optional
        Size of the result, as for `convolve`.
    method : {"auto", "direct", "fft"}, optional
        Method of computation, as for `convolve`.

    Returns
    -------
    ndarray
        Cross-correlation, of the common dtype of the operands.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.correlate(cp.array([1, 2, 3]), cp.array([0, 1, 2]))
    array([2, 5, 8, 3, 0])
    """
    a, b = _operands(in1, in2, mode)
    return convolve(a, _reversed(b), mode, method)


def correlation_lags(in1_len, in2_len, mode="full") -> ndarray:
    """Return the lags of the points of a one-dimensional cross-correlation.

    Parameters
    ----------
    in1_len, in2_len : int
        Lengths of the two operands.
    mode : {"full", "same", "valid"}, optional
        Size of the result, as for `correlate`.

    Returns
    -------
    ndarray
        Lags in ascending order.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.correlation_lags(3, 2)
    array([-1,  0,  1,  2])
    """
    if mode == "full":
        return arange(-in2_len + 1, in1_len)
    if mode == "same":
        middle = (in1_len + in2_len - 1) // 2 - in1_len // 2
        lags = arange(-in2_len + 1, in1_len)
        return lags[middle : middle + in1_len]
    if mode == "valid":
        bound = in1_len - in2_len
        return arange(bound + 1) if bound >= 0 else arange(bound, 1)
    raise ValueError(f"Mode {shown(mode)} is invalid")


# ---- two dimensions -----------------------------------------------------------------------------

_BOUNDARIES = {
    "fill": "constant",
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "symmetric",
    "symmetric": "symmetric",
}
_OUTSIDE = ("constant", "wrap", "symmetric")  # as convolve_plane counts them


def _fill_value(value: Any, dtype: np.dtype[Any]) -> Any:
    """The number around the first operand, of the type of the result."""
    number = as_host(value.get() if isinstance(value, ndarray) else value)
    if number.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element.")
    # A scalar of another type is truncated, an array of another type is taken for a mistake.
    loses = number.dtype.kind == "c" and dtype.kind != "c"
    if loses or (number.ndim and not np.can_cast(number.dtype, dtype)):
        raise ValueError(f"could not cast `fillvalue` to the output type {dtype}")
    return number.astype(dtype).item()


def _plane(a: ndarray, b: ndarray, mode: str, later: bool, outside: str, fill: Any) -> ndarray:
    """Part of a convolution of matrices that `mode` selects."""
    window = [_extent(n, k, mode, later) for n, k in zip(a.shape, b.shape, strict=True)]
    if b.size > a.size and (mode == "valid" or (outside == "constant" and fill == 0)):
        a, b = b, a
    if choose_conv_method(a, b) == "direct":
        before = [k - 1 - start for k, (start, _) in zip(b.shape, window, strict=True)]
        return convolve_plane(a, b, before, [n for _, n in window], _OUTSIDE.index(outside), fill)
    if outside != "constant" or fill != 0:
        options = {"constant_values": fill} if outside == "constant" else {}
        # The type of the operand might not hold the number.
        a = pad(
            a.astype(result_type(a, b), copy=False),
            [(k - 1, k - 1) for k in b.shape],
            outside,
            **options,
        )
        window = [(start + k - 1, n) for k, (start, n) in zip(b.shape, window, strict=True)]
    full = fftconvolve(a, b).astype(result_type(a, b), copy=False)
    return full[tuple(slice(start, start + n) for start, n in window)]


def _two_dimensions(
    in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, later: bool
) -> ndarray:
    a, b = as_array(in1), as_array(in2)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    if mode not in _MODES:
        raise ValueError(
            f"Acceptable mode flags are 'valid', 'same', or 'full', not mode={shown(mode)}"
        )
    if boundary not in _BOUNDARIES:
        raise ValueError(
            f"Acceptable boundary flags are {list(_BOUNDARIES)}, not {shown(boundary)}"
        )
    fill = _fill_value(fillvalue, result_type(a, b)) if boundary == "fill" else 0
    if mode == "valid":
        _check_valid(a, b, [0, 1])
    if fill == 0 and (a.size == 0 or b.size == 0):
        shape = [_extent(n, k, mode, later)[1] for n, k in zip(a.shape, b.shape, strict=True)]
        return zeros([max(n, 0) for n in shape], result_type(a, b))
    return _plane(a, b, mode, later, _BOUNDARIES[boundary], fill)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0) -> ndarray:
    """Convolve two two-dimensional arrays.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of two dimensions each.
    mode : {"full", "same", "valid"}, optional
        Size of the result, as for `convolve`.
    boundary : {"fill", "wrap", "symm"}, optional
        Values outside `in1`: `fillvalue`, periodic continuation, or mirror image.
    fillvalue : scalar, optional
        Value outside `in1`, of a type that the result can hold; an array of one element on the
        device is waited for.

    Returns
    -------
    ndarray
        Result, of the common dtype of the operands.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.convolve2d(cp.array([[1, 2], [3, 4]]), cp.ones((2, 2), int), boundary="wrap")
    array([[10, 10, 10],
           [10, 10, 10],
           [10, 10, 10]])
    """
    return _two_dimensions(in1, in2, mode, boundary, fillvalue, later=False)


@documented_as(convolve2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0) -> ndarray:
    """Compute the cross-correlation of two two-dimensional arrays; complex `in2` is conjugated."""
    b = as_array(in2)
    if b.ndim != 2:
        raise ValueError("correlate2d inputs must both be 2-D arrays")
    return _two_dimensions(in1, _reversed(b), mode, boundary, fillvalue, later=mode == "same")
