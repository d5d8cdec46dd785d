"""Filters whose window is passed to a function of the user."""

import functools
import inspect
import math
import numbers as abstract
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..._core._convert import as_array, as_host, host_ndim, number_on_host, shown
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.fromnumeric import transpose
from ..._core.multiarray import asarray, concatenate, empty, ndarray
from ..._core.numeric import moveaxis
from ..._core.raw import RawKernel, ReductionKernel
from ...jit import grid, rawkernel
from ...lib._arraypad_impl import pad
from ...lib._stride_tricks_impl import sliding_window_view
from ._footprints import Window, flags_of
from ._ni_support import MODES, axes_of, axis_of, new_output, numbers, real_image, rule_of, sequence

__all__ = ["generic_filter", "generic_filter1d", "vectorized_filter"]

_BLOCK = 128
_LEAST_BATCH = 2**26  # bytes of windows that are always taken at once

# How `pad` names the rules of the kernels.
_PADDING = {
    "constant": "constant",
    "nearest": "edge",
    "reflect": "symmetric",
    "mirror": "reflect",
    "wrap": "wrap",
}


def _extended(a: ndarray, before: list, after: list, rule: str, cval: Any) -> ndarray:
    """The image with what stands beyond its ends."""
    options = {"constant_values": cval} if rule == "constant" else {}
    widths = list(zip(before, after, strict=True))
    return pad(a, widths, _PADDING[rule], **options) if widths else a.copy()


# ---- functions of a window -----------------------------------------------------------------------


def _positional(function: Any, given: int, arguments: Any, keywords: Any) -> tuple:
    """Further arguments by position, as device functions take them: constants of the kernel."""
    extra = tuple(arguments)
    if keywords:
        target = getattr(function, "__wrapped__", function)
        bound = inspect.signature(target).bind(*[None] * given, *arguments, **keywords)
        bound.apply_defaults()
        extra = bound.args[given:]
    for value in extra:
        if isinstance(value, (ndarray, np.ndarray, list, dict, set)):
            raise TypeError(
                "extra_arguments and extra_keywords are constants of the kernel: give numbers or"
                f" tuples of them, not {shown(value)}"
            )
    return extra


@functools.lru_cache(maxsize=128)
def _window_kernel(function: Any, extra: tuple) -> Any:
    @rawkernel()
    def generic_filter(windows, out):
        i = grid(1)
        if i < out.size:
            out[i] = function(windows[i], *extra)

    return generic_filter


@functools.lru_cache(maxsize=128)
def _line_kernel(function: Any, extra: tuple) -> Any:
    @rawkernel()
    def generic_filter1d(lines, out):
        i = grid(1)
        if i < lines.shape[0]:
            function(lines[i], out[i], *extra)

    return generic_filter1d


_WINDOW_CODE = """
extern "C" __global__ void gpunp_generic_filter(const double *windows, double *out, long long n)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) {
        double buffer[%(taps)d], result = 0;
        for (int k = 0; k < %(count)d; k++) {
            buffer[k] = windows[k * n + i];
        }
        %(name)s(buffer, %(count)d, &result);
        out[i] = result;
    }
}
"""

_LINE_CODE = """
extern "C" __global__ void gpunp_generic_filter1d(double *lines, double *out, long long n,
                                                  long long length, long long out_length)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) {
        %(name)s(lines + i * length, length, out + i * out_length, out_length);
    }
}
"""


@functools.lru_cache(maxsize=128)
def _compiled(code: str, name: str, options: tuple, wrapper: str) -> Any:
    """A kernel that calls the function of a RawKernel's source."""
    device = code.replace("__global__", "__device__")
    return RawKernel(device + wrapper, wrapper.split("(")[0].split()[-1], options)


@functools.lru_cache(maxsize=128)
def _of_one_window(kernel: Any) -> Any:
    """A ReductionKernel whose `_in_ind.size()` is the number of elements of a window."""
    size = "_in_ind.size()"
    if size not in kernel.post_map_expr:
        return kernel
    x, y = (
        f"{p.ctype if p.dtype is None else p.dtype.name} {p.name}"
        for p in (kernel.in_params[0], kernel.out_params[0])
    )
    return ReductionKernel(
        x,
        y,
        kernel.map_expr,
        kernel.reduce_expr,
        kernel.post_map_expr.replace(size, f"({size} / _out_ind.size())"),
        kernel.identity,
        kernel.name,
        reduce_type=kernel.reduce_type,
        preamble=kernel.preamble,
        options=kernel.options,
    )


def _launch(kernel: Any, count: int, arguments: tuple) -> None:
    kernel((-(-count // _BLOCK),), (_BLOCK,), arguments)


def _of_windows(function: Any, extra: tuple, dtype: np.dtype) -> Callable[[ndarray], ndarray]:
    """What computes a number of each column of a matrix of windows; `dtype` is the result's."""
    if isinstance(function, ReductionKernel):
        own = function.out_params[0]
        function = _of_one_window(function)
        if own.dtype is not None or own.ctype == function.in_params[0].ctype:
            return lambda windows: function(windows, axis=0)
        return lambda windows: function(windows, empty(windows.shape[1], dtype), axis=0)

    def run(windows: ndarray) -> ndarray:
        taps, count = windows.shape
        out = empty(count, np.float64)
        if isinstance(function, RawKernel):
            words = {"name": function.name, "taps": max(taps, 1), "count": taps}
            kernel = _compiled(function.code, function.name, function.options, _WINDOW_CODE % words)
            _launch(kernel, count, (windows, out, np.int64(count)))
        else:
            _launch(_window_kernel(function, extra), count, (windows.T, out))
        return out

    return run


def _window_type(function: Any, a: ndarray) -> np.dtype:
    """The type of the windows' elements: float64, or what a ReductionKernel declares."""
    if not isinstance(function, ReductionKernel):
        return np.dtype(np.float64)
    if function.nin != 1 or function.nout != 1:
        raise ValueError("a ReductionKernel for windows has one input and one output")
    declared = function.in_params[0].dtype
    return a.dtype if declared is None else np.dtype(declared)


def _check_callable(function: Any) -> None:
    if not callable(function):
        raise ValueError("invalid callable given")


# ---- filters -------------------------------------------------------------------------------------


def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
) -> ndarray:
    """Compute a function of each window of an image.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    function : callable, ReductionKernel or RawKernel
        Python function of a window, a 1-d array of float64, that returns a number: it is compiled
        for the device by `gpunp.jit`. A ReductionKernel is applied to the elements of the window,
        whose number is ``_in_ind.size()`` in `post_map_expr`. A RawKernel has the signature
        ``void (double *window, int size, double *result)`` and is called for one window.
    size : int or sequence of int, optional
        Lengths of the window along the axes.
    footprint : array_like, optional
        Places of the window that count, in place of `size`. They are counted on the host.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str, optional
        What stands beyond the ends of the axes, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    origin : int or sequence of int, optional
        By how many elements the window is shifted to lower indices.
    extra_arguments : sequence, optional
        Further arguments of a Python function, constants of the compiled code.
    extra_keywords : dict, optional
        Further arguments of a Python function by name.
    axes : int or sequence of int, optional
        Axes over which the window extends: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If neither a size nor a footprint is given, one has another number of axes, or `mode` or the
        shape of `output` is wrong.
    ValueError
        If `function` cannot be called, or `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.generic_filter
    vectorized_filter : the same with functions of whole arrays

    Notes
    -----
    Windows are copied in batches of at most twice the size of input and output, or 64 MiB.
    Functions of whole arrays, such as `gpunp.median`, are for `vectorized_filter`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> peak = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "0", "peak")
    >>> ndimage.generic_filter(cp.array([1., 5, 2, 0, 3]), peak, 3)
    array([5., 5., 5., 3., 3.])
    """
    a = real_image(input)
    taken = axes_of(axes, a.ndim)
    if size is not None and footprint is not None:
        warn("ignoring size because footprint is set", UserWarning)
    flags = _footprint(size, footprint, len(taken))
    _check_callable(function)
    window = Window(a.ndim, taken, flags.shape, origin, "invalid origin")
    rule = rule_of(mode)
    out = new_output(output, a)
    extra = _positional(function, 1, extra_arguments, extra_keywords)
    run, dtype = _of_windows(function, extra, out.dtype), _window_type(function, a)
    if not a.size:
        return out
    after = [n - 1 - left for n, left in zip(window.shape, window.left, strict=True)]
    image = _extended(a.astype(dtype), window.left, after, rule, cval)
    target = out.reshape(1) if not out.ndim else out
    for part, windows in _batches(image, window.shape, flags, target):
        target[part] = run(windows).reshape(target[part].shape)
    return out


def _footprint(size: Any, footprint: Any, count: int) -> np.ndarray:
    """The places of the window that count, on the host."""
    if footprint is not None:
        flags = flags_of(footprint.get() if isinstance(footprint, ndarray) else footprint)
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    else:
        flags = np.ones([operator.index(n) for n in sequence(size, count)], bool)
    if flags.ndim != count or 0 in flags.shape:
        raise RuntimeError(f"footprint.ndim ({flags.ndim}) must match len(axes) ({count})")
    return flags


def _batches(
    image: ndarray, shape: list, flags: np.ndarray, out: ndarray
) -> Iterator[tuple[slice, ndarray]]:
    """Rows of the output, and a matrix of their windows, a column each."""
    if not shape:
        image, shape = image.reshape(1), [1]
    flags = flags.reshape(shape)
    ndim = len(shape)
    views = transpose(
        sliding_window_view(image, tuple(shape)), (*range(ndim, 2 * ndim), *range(ndim))
    )
    places = None if flags.all() else tuple(asarray(i) for i in np.nonzero(flags))
    row = int(flags.sum()) * (out.size // out.shape[0]) * image.dtype.itemsize
    limit = max(_LEAST_BATCH, 2 * (out.nbytes + out.size * image.dtype.itemsize))
    rows = max(1, limit // max(row, 1))
    for first in range(0, out.shape[0], rows):
        part = slice(first, min(first + rows, out.shape[0]))
        some = views[(slice(None),) * ndim + (part,)]
        some = some if places is None else some[places]
        count = math.prod(out.shape[1:]) * (part.stop - part.start)
        yield part, some.reshape(int(flags.sum()), count)


@documented_as(generic_filter)
def generic_filter1d(
    input,
    function,
    filter_size,
    axis=-1,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
) -> ndarray:
    """Compute lines of an image by a function of each line and what stands beyond its ends.

    Parameters
    ----------
    function : callable or RawKernel
        Python function of two 1-d arrays of float64, the extended line and the line of the result,
        which it writes: it is compiled for the device by `gpunp.jit`. A RawKernel has the signature
        ``void (double *line, ptrdiff_t size, double *result, ptrdiff_t result_size)`` and is called
        for one line.
    filter_size : int
        Length of the window: lines are extended by one element less.
    axis : int, optional
        Axis along which the lines lie.
    origin : int, optional
        By how many elements the window is shifted to lower indices.

    Raises
    ------
    RuntimeError
        If `filter_size` is below 1, or `mode` or the shape of `output` is wrong.
    ValueError
        If `function` cannot be called, or `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.generic_filter1d

    Notes
    -----
    Each line is computed by one thread.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> code = '''extern "C" __global__ void differences(double *line, ptrdiff_t size,
    ...                                                double *result, ptrdiff_t result_size)
    ... { for (ptrdiff_t i = 0; i < result_size; i++) result[i] = line[i + 1] - line[i]; }'''
    >>> differences = cp.RawKernel(code, "differences")
    >>> ndimage.generic_filter1d(cp.array([1., 5, 2, 0]), differences, 2)
    array([ 0.,  4., -3., -2.])
    """
    a = real_image(input)
    _check_callable(function)
    axis = axis_of(axis, a.ndim)
    size = operator.index(filter_size)
    if size < 1:
        raise RuntimeError("invalid filter size")
    left = size // 2 + operator.index(origin)
    if not 0 <= left < size:
        raise ValueError("invalid origin")
    rule = rule_of(mode)
    out = new_output(output, a)
    extra = _positional(function, 2, extra_arguments, extra_keywords)
    if not a.size:
        return out
    before = [left if k == axis else 0 for k in range(a.ndim)]
    after = [size - 1 - left if k == axis else 0 for k in range(a.ndim)]
    image = moveaxis(_extended(a.astype(np.float64), before, after, rule, cval), axis, 0)
    length, rest = a.shape[axis], image.shape[1:]
    result = _of_lines(function, extra, image.reshape(image.shape[0], -1), length)
    out[...] = moveaxis(result.reshape(length, *rest), 0, axis)
    return out


def _of_lines(function: Any, extra: tuple, lines: ndarray, length: int) -> ndarray:
    """The results of the columns of a matrix, as columns."""
    count = lines.shape[1]
    if isinstance(function, RawKernel):
        rows, out = lines.T.copy("C"), empty((count, length), np.float64)
        sizes = (np.int64(count), np.int64(rows.shape[1]), np.int64(length))
        code = _LINE_CODE % {"name": function.name}
        kernel = _compiled(function.code, function.name, function.options, code)
        _launch(kernel, count, (rows, out, *sizes))
        return out.T
    out = empty((length, count), np.float64)
    _launch(_line_kernel(function, extra), count, (lines.T, out.T))
    return out


# ---- functions of arrays -------------------------------------------------------------------------


def vectorized_filter(
    input,
    function,
    *,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=None,
    origin=None,
    axes=None,
    batch_memory=1073741824,
) -> ndarray:
    """Compute a function of whole arrays along the axes of windows.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    function : callable
        ``function(windows, axis=axes)``, which reduces the axes of an array of windows, such as
        `gpunp.median`.
    size : int or sequence of int, optional
        Lengths of the window along the axes.
    footprint : array_like, optional
        Places of the window that count, in place of `size`. They are read on the host.
    output : ndarray, optional
        Array that the result is written to: by default a new one of the function's type.
    mode : str, optional
        What stands beyond the ends of the axes, as for `correlate1d`, or 'valid': only windows that
        lie in the image.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant': 0 by default.
    origin : int or sequence of int, optional
        By how many elements the window is shifted to lower indices.
    axes : int or sequence of int, optional
        Axes over which the window extends: by default all.
    batch_memory : int, optional
        Number of bytes that an array of windows has at most.

    Returns
    -------
    ndarray
        Result of the shape of `input`, less what the mode 'valid' leaves out. Further axes of the
        function's results stay where they are.

    Raises
    ------
    ValueError
        If one of the arguments is wrong, or both or none of size and footprint are given.

    See Also
    --------
    scipy.ndimage.vectorized_filter

    Notes
    -----
    The windows of `size` are a view: what they need is up to the function.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.vectorized_filter(cp.array([1., 5, 2, 0, 3]), cp.mean, size=3, mode="valid")
    array([2.66666667, 2.33333333, 1.66666667])
    """
    a = numbers(as_array(input))
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    taken = normalize_axis_tuple(range(a.ndim) if axes is None else axes, a.ndim)
    shape, places = _window_of(size, footprint, len(taken))
    origins = _origins_of(origin, mode, shape)
    batch_memory = number_on_host(batch_memory)
    if not isinstance(batch_memory, abstract.Real) or batch_memory <= 0:
        raise ValueError("`batch_memory` must be positive number.")
    image = a
    if not a.size:
        return empty(a.shape, a.dtype) if output is None else output
    if mode != "valid":
        image = _around(a, taken, shape, origins, mode, cval)
    elif cval is not None:
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    windows = sliding_window_view(image, shape, taken) if shape else image
    found = _in_parts(function, windows, len(shape), places, batch_memory)
    if output is None:
        return found
    output[...] = found
    return output


def _window_of(size: Any, footprint: Any, count: int) -> tuple[tuple[int, ...], Any]:
    """The window's shape, and its places that count: None for all."""
    if (size is None) == (footprint is None):
        raise ValueError("Either `size` or `footprint` must be provided, but not both.")
    places = None
    if footprint is not None:
        places = flags_of(footprint.get() if isinstance(footprint, ndarray) else footprint)
        shape = list(places.shape)
    else:
        shape = list(as_host(size).ravel().tolist())
        shape = shape * count if host_ndim(size) == 0 else shape
    if any(not isinstance(n, int) or n < 1 for n in shape):
        raise ValueError("All elements of `size` must be positive integers.")
    if len(shape) != count:
        raise ValueError(f"a window of {len(shape)} axes does not fit {count} axes of the image")
    return tuple(shape), places


def _origins_of(origin: Any, mode: Any, shape: tuple[int, ...]) -> list[int]:
    if mode not in ("valid", *MODES):
        raise ValueError(f"`mode` must be one of {sorted(('valid', *MODES))}, not {mode!r}")
    if origin is not None and mode == "valid":
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    values = [0 if origin is None else origin] if host_ndim(origin) == 0 else list(origin)
    values = values * len(shape) if host_ndim(origin) == 0 else values
    if len(values) != len(shape) or not all(isinstance(k, abstract.Integral) for k in values):
        raise ValueError("`origin` must be an integer, or one for each axis")
    if any(not 0 <= n // 2 + k < n for n, k in zip(shape, values, strict=True)):
        raise ValueError("`origin` places the window beside its element")
    return values


def _around(a: ndarray, axes: tuple, shape: tuple, origins: list, mode: str, cval: Any) -> ndarray:
    """The image with what stands beyond its ends along some axes."""
    rule = rule_of(mode)
    if cval is not None and rule != "constant":
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    if cval is not None and not isinstance(cval, (abstract.Number, ndarray, np.ndarray)):
        raise ValueError("`cval` must include only numbers.")
    before, after = [0] * a.ndim, [0] * a.ndim
    for axis, n, origin in zip(axes, shape, origins, strict=True):
        before[axis] = n // 2 + origin
        after[axis] = n - 1 - before[axis]
    return _extended(a, before, after, rule, 0 if cval is None else cval)


def _in_parts(function: Any, windows: ndarray, count: int, places: Any, memory: Any) -> ndarray:
    """The function's results, of parts along the longest axis where all are too much memory."""
    shape = windows.shape[: windows.ndim - count]
    inner = tuple(range(-count, 0))

    def run(some: ndarray) -> ndarray:
        if places is None:
            return function(some, axis=inner)
        index = tuple(asarray(i) for i in np.nonzero(places))
        return function(some[(..., *index)], axis=-1)

    taps = math.prod(windows.shape[len(shape) :]) if places is None else int(places.sum())
    nbytes = math.prod(shape) * taps * windows.dtype.itemsize
    if nbytes <= memory or not shape:
        return run(windows)
    axis = int(np.argmax(shape))
    step = int(memory // (nbytes // shape[axis]))
    if step < 1:
        raise ValueError("`batch_memory` is insufficient for minimum chunk size.")
    parts = []
    for first in range(0, shape[axis], step):
        some = windows[(slice(None),) * axis + (slice(first, first + step),)]
        parts.append(run(some))
    extra = parts[0].ndim - len(shape)
    is_last = parts[0].shape[extra:] == (*shape[:axis], step, *shape[axis + 1 :])
    return concatenate(parts, axis + (extra if is_last else 0))
