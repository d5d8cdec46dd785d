"""Functions that are methods of arrays too: NumPy's `fromnumeric`."""

import builtins
import itertools
import math
import operator
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import (
    NoValue,
    as_array,
    as_host,
    as_operand,
    check_device_memory,
    host_ndim,
    host_shape,
    index_list,
    integer_axis,
    normalize_axis_index,
    per_axis,
    shown,
)
from .multiarray import ascontiguousarray, nth_rows, part_rows

__all__ = [
    "argpartition",
    "argsort",
    "around",
    "choose",
    "clip",
    "compress",
    "diagonal",
    "matrix_transpose",
    "ndim",
    "nonzero",
    "partition",
    "permute_dims",
    "put",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "round",
    "searchsorted",
    "shape",
    "size",
    "sort",
    "squeeze",
    "swapaxes",
    "take",
    "transpose",
]


# ---- views -------------------------------------------------------------------------------------


def reshape(a, /, shape, order="C", *, copy=None) -> ndarray:
    """Return an array with a new shape: a view if the memory layout allows it.

    `copy` True always copies, False raises ValueError where a copy is needed.

    Parameters
    ----------
    a : array_like
        Array to be reshaped; it is not modified.
    shape : int or tuple of int
        New shape. One length may be -1; it is computed from the others.
    order : {'C', 'F', 'A'}, optional
        Order in which elements are read and placed.
    copy : bool, optional
        If True, always copy; if False, raise ValueError if a view is not possible.

    Returns
    -------
    ndarray
        A view of `a` if possible, otherwise a copy.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.reshape(cp.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    a = as_array(a)
    if copy is None:
        return a.reshape(shape, order=order)
    if copy and not isinstance(copy, str):  # the method refuses text
        fortran = order == "F" or (order == "A" and a.flags.fnc)
        return a.copy("F" if fortran else "C").reshape(shape, order=order)
    return a.reshape(shape, order=order, copy=copy)


def ravel(a, order="C") -> ndarray:
    """Return the elements as a one-dimensional array: a view if the memory layout allows it.

    Parameters
    ----------
    a : array_like
        Array to be flattened.
    order : {'C', 'F', 'A', 'K'}, optional
        Order in which elements are read: row-major, column-major, column-major only if the array is
        Fortran-contiguous, or the order in memory.

    Returns
    -------
    ndarray
        One-dimensional view of `a` if possible, otherwise a copy.
    """
    return as_array(a).ravel(order)


def transpose(a, axes=None) -> ndarray:
    """Return a view with the axes permuted; reversed if `axes` is None.

    Parameters
    ----------
    a : array_like
        Array of which a view is made.
    axes : sequence of int, optional
        New order of the axes. By default they are reversed.

    Returns
    -------
    ndarray
        A view of the input.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.transpose(cp.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    return as_array(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /) -> ndarray:
    """Return a view with the last two axes exchanged.

    Parameters
    ----------
    x : array_like
        Matrix, or a stack of matrices.

    Returns
    -------
    ndarray
        A view of shape ``(..., N, M)`` for ``(..., M, N)``.

    Raises
    ------
    ValueError
        If `x` has fewer than two dimensions.
    """
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


def swapaxes(a, axis1, axis2) -> ndarray:
    """Return a view with two axes exchanged.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis1, axis2 : int
        Axes that are exchanged; negative values count from the end.

    Returns
    -------
    ndarray
        A view of the input.
    """
    return as_array(a).swapaxes(axis1, axis2)


def squeeze(a, axis=None) -> ndarray:
    """Return a view without axes of size one.

    Parameters
    ----------
    a : array_like
        Array of which a view is made.
    axis : int or tuple of int, optional
        Axes to remove. By default all axes of size one are removed.

    Returns
    -------
    ndarray
        A view of the input.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.squeeze(cp.ones((1, 3, 1))).shape
    (3,)
    """
    return as_array(a).squeeze(axis)


def diagonal(a, offset=0, axis1=0, axis2=1) -> ndarray:
    """Return a view of the diagonals over two axes, as the last axis of the result.

    Parameters
    ----------
    a : array_like
        Array of at least two dimensions.
    offset : int, optional
        Offset from the main diagonal: positive above it, negative below it.
    axis1, axis2 : int, optional
        The axes of the matrices whose diagonals are taken.

    Returns
    -------
    ndarray
        A view: the other axes, then the diagonal.

    Raises
    ------
    ValueError
        If `a` has fewer than two dimensions, or the axes are equal.

    Differences
    -----------
    The view is writeable, as NumPy announces its own will be.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.diagonal(cp.arange(9).reshape(3, 3), 1)
    array([1, 5])
    """
    return as_array(a).diagonal(offset, axis1, axis2)


def ndim(a) -> int:
    """Count the dimensions of an array.

    Parameters
    ----------
    a : array_like
        Array, scalar or nested lists.

    Returns
    -------
    int
        Number of dimensions.
    """
    return a.ndim if isinstance(a, ndarray) else host_ndim(a)


def shape(a) -> tuple[int, ...]:
    """Return the shape of an array, a scalar or nested lists.

    Parameters
    ----------
    a : array_like
        Array, scalar or nested lists.

    Returns
    -------
    tuple of int
        Length of each axis.
    """
    return a.shape if isinstance(a, ndarray) else host_shape(a)


def size(a, axis=None) -> int:
    """Return the number of elements of an array, or the product of its lengths along some axes.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axes along which to count. By default all elements are counted.

    Returns
    -------
    int
        The number of elements. It is known on the host: nothing waits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.size(cp.ones((2, 3))), cp.size(cp.ones((2, 3)), 1)
    (6, 3)
    """
    if not isinstance(a, ndarray):
        return np.size(_C.check_list(a), axis)
    if axis is None:
        return a.size
    return math.prod(a.shape[k] for k in np.lib.array_utils.normalize_axis_tuple(axis, a.ndim))


# ---- copies ------------------------------------------------------------------------------------


def repeat(a, repeats, axis=None) -> ndarray:
    """Repeat each element of an array, or each slice along an axis.

    Parameters
    ----------
    a : array_like
        Array whose elements are repeated.
    repeats : int or array_like of int
        Number of repetitions, one for all elements or one for each.
    axis : int, optional
        Axis along which to repeat. By default the flattened array is used.

    Returns
    -------
    ndarray
        The repeated elements.

    Notes
    -----
    Counts that differ determine the size of the result: a device array of them is summed, which
    waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.repeat(cp.arange(3), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    a = as_array(a)
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0 if axis is None else axis
    axis = integer_axis(axis, a.ndim)
    n = a.shape[axis]
    if host_ndim(repeats) > 1:
        raise ValueError("repeats must have at most one dimension")
    if isinstance(repeats, (ndarray, np.ndarray)) and not np.can_cast(repeats.dtype, np.int64):
        raise TypeError(f"repeats of {repeats.dtype!r} are not cast to int64 by the rule 'safe'")
    if isinstance(repeats, ndarray) and repeats.dtype.kind in "iu" and repeats.size == n > 1:
        return _C.take(a, _repeated_places(repeats.ravel()), axis)
    counts = index_list(repeats)
    if n > 0 and builtins.any(count < 0 for count in counts):
        raise ValueError("repeats may not contain negative values.")
    if len(counts) not in (1, n):
        raise ValueError(
            f"operands could not be broadcast together with shape ({n},) ({len(counts)},)"
        )
    if len(counts) != 1 or n == 0:
        check_device_memory(sum(counts))
        return _C.take(a, _C.array(np.repeat(np.arange(n), counts)), axis)
    shape = list(a.shape)
    shape[axis] *= counts[0]
    out = _C.empty(tuple(shape), a.dtype, "C")
    blocks = a.shape[: axis + 1] + (counts[0],) + a.shape[axis + 1 :]
    out.reshape(blocks)[...] = a[(*(slice(None),) * axis, slice(None), None)]
    return out


def _repeated_places(counts: ndarray) -> ndarray:
    """Return 0 counts[0] times, 1 counts[1] times, and so on."""
    ends = counts.cumsum(dtype=np.int64)
    least, total = int(counts.min()), int(ends[-1])
    if least < 0:
        raise ValueError("repeats may not contain negative values.")
    return ends.searchsorted(_C.arange_fill(total, 0, 1, np.dtype(np.int64)), "right")


def resize(a, new_shape) -> ndarray:
    """Return a new array of a given shape, filled with repeated copies of `a`.

    Parameters
    ----------
    a : array_like
        Array whose elements are repeated, in C order.
    new_shape : int or tuple of int
        Shape of the new array.

    Returns
    -------
    ndarray
        A new array, zeros where `a` is empty. `ndarray.resize` is the method that works in place,
        and fills with zeros instead.

    Raises
    ------
    ValueError
        If a length is negative.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.resize(cp.arange(3), (2, 4))
    array([[0, 1, 2, 0],
           [1, 2, 0, 1]])
    """
    if isinstance(new_shape, (int, np.integer)):
        new_shape = (new_shape,)
    # Python's integers, as NumPy's wrap around.
    new_shape = tuple(map(operator.index, per_axis(new_shape)))
    a = as_array(a).ravel()
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    total = math.prod(new_shape)
    if a.size == 0:
        out = _C.empty(new_shape, a.dtype, "C")
        out.fill(0)
        return out
    if total == 0:
        return _C.empty(new_shape, a.dtype, "C")
    rows = _C.empty((-(-total // a.size), a.size), a.dtype)  # MemoryError at once when too large
    rows[...] = a
    return rows.ravel()[:total].reshape(new_shape)


def take(a, indices, axis=None, out=None, mode="raise") -> ndarray:
    """Take elements, or slices along an axis, by index.

    Parameters
    ----------
    a : array_like
        Array from which elements are taken.
    indices : array_like of int
        Indices of the elements to take.
    axis : int, optional
        Axis along which elements are taken. By default the flattened array is used.
    out : ndarray, optional
        Array into which the result is written.
    mode : {'raise', 'wrap', 'clip'}, optional
        What to do with indices that are out of bounds. 'raise' wraps them, as all indexing in gpunp
        does by default.

    Returns
    -------
    ndarray
        The elements taken, or `out`.

    Differences
    -----------
    ``mode='raise'`` wraps indices that are out of bounds, unless `set_index_mode('raise')` is in
    effect.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.take(cp.array([4, 3, 5, 7]), cp.array([0, 1, 3]))
    array([4, 3, 7])
    """
    return as_array(a).take(indices, axis, out, mode)


_MOST_CHOICES = 1 << 16  # of choose, which makes a launch for each; NumPy takes 64


def choose(a, choices, out=None, mode="raise") -> ndarray:
    """Construct an array from several choices, by an array of their indices.

    Parameters
    ----------
    a : array_like of int
        Indices into `choices`, broadcast against them.
    choices : sequence of array_like
        Arrays to choose from, broadcast to one shape and dtype. An array stands for its slices
        along the first axis.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.
    mode : {'raise', 'wrap', 'clip'}, optional
        What to do with indices out of bounds: raise, wrap around or clip.

    Returns
    -------
    ndarray
        Array with the shape of `a` and `choices` after broadcasting, of the common dtype of the
        choices.

    Raises
    ------
    ValueError
        If an index is out of bounds (``mode='raise'``), or there are no choices or more than
        65,536.
    TypeError
        If `a` does not hold integers, or `out` has the wrong shape.

    Notes
    -----
    One launch for each choice. ``mode='raise'`` checks the largest and smallest index, which waits
    for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.choose(cp.array([0, 1, 0]), [cp.arange(3), -cp.arange(3)])
    array([ 0, -1,  2])
    """
    a = as_array(a)
    if a.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to the "
            "rule 'safe'"
        )
    operands = [as_operand(c) for c in itertools.islice(choices, _MOST_CHOICES + 1)]
    n = len(operands)
    if not 1 <= n <= _MOST_CHOICES:
        raise ValueError(f"choose needs at least 1 and at most {_MOST_CHOICES} choices")
    if mode == "wrap":
        a = _C.remainder(a, n)
    elif mode == "clip":
        a = _C.clip(a, 0, n - 1)
    elif mode is not None and mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {shown(mode)})")
    elif a.size and (int(a.min()) < 0 or int(a.max()) >= n):
        raise ValueError("invalid entry in choice array")
    dtype = _C.result_type(*operands)
    # Python numbers that do not fit wrap around, as NumPy's choose has it.
    arrays = [c if isinstance(c, ndarray) else _C.array(as_host(c).astype(dtype)) for c in operands]
    shape = np.broadcast_shapes(a.shape, *(c.shape for c in arrays))
    if out is not None and not isinstance(out, ndarray):
        raise TypeError(f"choose: output must be an array, not {type(out).__name__}")
    if out is not None and out.shape != shape:
        raise TypeError(f"choose: invalid shape {out.shape} for output array, wanted {shape}")
    chosen = _C.full(shape, arrays[0], dtype)
    for k, choice in enumerate(arrays[1:], 1):
        _C.copyto(chosen, choice, where=_C.equal(a, k))
    if out is None:
        return chosen
    out[...] = chosen
    return out


def compress(condition, a, axis=None, out=None) -> ndarray:
    """Return the slices along an axis, or elements of the flattened array, where a mask is true.

    Waits for the number of hits.

    Parameters
    ----------
    condition : array_like of bool
        One-dimensional mask. If it is shorter than the axis, the rest of the axis is left out.
    a : array_like
        Array from which slices are taken.
    axis : int, optional
        Axis to which the condition applies. By default the flattened array is used.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.

    Returns
    -------
    ndarray
        Array with the dtype of `a`, or `out`.

    Raises
    ------
    ValueError
        If the condition is not one-dimensional.
    IndexError
        If the condition is true beyond the end of the axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.compress(cp.array([False, True]), cp.arange(6).reshape(3, 2), axis=1)
    array([[1],
           [3],
           [5]])
    """
    a, condition = as_array(a), as_array(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0 if axis is None else axis
    n = a.shape[normalize_axis_index(axis, a.ndim)]
    if condition.size > n and condition[n:].any():
        raise IndexError(f"condition holds beyond the {n} elements of axis {axis}")
    return a.take(condition[:n].nonzero()[0], axis, out, "raise")


def _values(v: Any, dtype: np.dtype) -> ndarray:
    """`v` in one dimension; for structures in their dtype, in which a tuple is one element."""
    if not issubclass(dtype.type, np.void):
        return as_array(v).reshape(-1)
    known = isinstance(v, (ndarray, np.ndarray, np.generic))
    return (as_array(v).astype(dtype, copy=False) if known else _C.array(v, dtype)).reshape(-1)


def put(a, ind, v, mode="raise") -> None:
    """Assign values to the elements of an array given by flat indices.

    Parameters
    ----------
    a : ndarray
        Array that is modified in place.
    ind : array_like of int
        Flat indices in C order. Which of several values for the same index is stored is undefined.
    v : array_like
        Values to store; they are repeated if there are fewer than indices.
    mode : {'raise', 'wrap', 'clip'}, optional
        What to do with indices that are out of bounds.

    Raises
    ------
    IndexError
        If an index is out of bounds (``mode='raise'``).
    TypeError
        If `a` is not a device array, or `ind` does not hold integers.

    Notes
    -----
    ``mode='raise'`` waits for the device. Elements with valid indices are assigned in any case,
    while NumPy assigns those before the first invalid one.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.arange(5)
    >>> cp.put(a, [0, 2], [-44, -55])
    >>> a
    array([-44,   1, -55,   3,   4])
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"argument 1 must be gpunp.ndarray, not {type(a).__name__}")
    mode = "raise" if mode is None else mode
    if not isinstance(mode, str):
        raise TypeError(f"mode must be 'clip', 'raise' or 'wrap', not {shown(mode)}")
    if mode not in ("clip", "raise", "wrap"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {shown(mode)})")
    where, values = as_array(ind).reshape(-1), _values(v, a.dtype)
    if where.size == 0 or values.size == 0:
        return
    if where.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {where.dtype!r} to dtype('int64') according to the "
            "rule 'safe'"
        )
    if where.dtype == np.uint64 and not isinstance(ind, ndarray):
        raise OverflowError("Python int too large to convert to C long")
    if a.size == 0:
        raise IndexError("cannot replace elements of an empty array")
    if mode == "clip":
        where = _C.clip(where.astype(np.intp, copy=False), 0, a.size - 1)
    elif where.dtype.kind == "b":
        where = where.astype(np.intp)
    if values.dtype.kind == "c":  # warns where imaginary parts are dropped
        values = values.astype(a.dtype, copy=False)
    if values.size not in (1, where.size):
        values = resize(values, where.size)
    flat = a.reshape(-1)  # a copy unless the array is contiguous
    _C.put(flat, where, values, mode != "raise")
    if flat.data.ptr != a.data.ptr:
        a[...] = flat.reshape(a.shape)


def nonzero(a) -> tuple[ndarray, ...]:
    """Return the indices of the nonzero elements, one array per axis. Waits for their number.

    Parameters
    ----------
    a : array_like
        Array on which to operate.

    Returns
    -------
    tuple of ndarray
        Arrays of int64, one for each axis, in C order of the elements.

    Raises
    ------
    ValueError
        If `a` has no dimensions.
    """
    return as_array(a).nonzero()


def clip(
    a, a_min=NoValue, a_max=NoValue, out=None, *, min=NoValue, max=NoValue, **kwargs
) -> ndarray:
    """Limit the values of an array to an interval. One launch.

    Parameters
    ----------
    a : array_like
        Array whose values are limited.
    a_min : array_like or None
        Lower bound; None means that there is none.
    a_max : array_like or None
        Upper bound; None means that there is none.
    out : ndarray, optional
        Array into which the result is written.
    min : array_like or None
        Alternative name of `a_min`.
    max : array_like or None
        Alternative name of `a_max`.
    **kwargs : optional
        Other keyword arguments, as for ufuncs.

    Returns
    -------
    ndarray
        The limited values, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.clip(cp.arange(6), 1, 4)
    array([1, 1, 2, 3, 4, 4])
    """
    usual = type(a) is ndarray and type(a_min) is type(a_max) is float
    if usual and min is NoValue and max is NoValue and not kwargs:
        return _C.clip(a, a_min, a_max, out)
    if a_min is NoValue and a_max is NoValue:
        a_min = None if min is NoValue else min
        a_max = None if max is NoValue else max
    elif a_min is NoValue:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is NoValue:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not NoValue or max is not NoValue:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided "
            "is forbidden."
        )
    a = as_array(a)
    try:
        return _clip(a, a_min, a_max, out, **kwargs)
    except OverflowError:  # a Python integer out of range of the dtype
        low, high = (None if _is_no_limit(a, v, s) else v for v, s in ((a_min, 1), (a_max, -1)))
        if low is a_min and high is a_max:
            raise
        return _clip(a, low, high, out, **kwargs)


def _is_no_limit(a: ndarray, limit: Any, sign: int) -> bool:
    """Whether a Python integer is out of range of a's dtype: below it (sign 1) or above."""
    if a.dtype.kind not in "iu" or type(limit) is not int:
        return False
    info = np.iinfo(a.dtype)
    return limit <= info.min if sign > 0 else limit >= info.max


def _clip(a: ndarray, low: Any, high: Any, out: Any, **kwargs: Any) -> ndarray:
    """Clip in one launch with both limits or with one, or copy."""
    if low is None and high is None:
        return _C.positive(a, out, **kwargs)
    if low is None:
        return _C.minimum(a, as_operand(high), out, **kwargs)
    if high is None:
        return _C.maximum(a, as_operand(low), out, **kwargs)
    return _C.clip(a, as_operand(low), as_operand(high), out, **kwargs)


def round(a, decimals=0, out=None) -> ndarray:
    """Round to a number of decimals; values halfway between round to the nearest even one.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    decimals : int, optional
        Number of decimals; negative values round before the decimal point.
    out : ndarray, optional
        Array into which the result is written.

    Returns
    -------
    ndarray
        The rounded values, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.round(cp.array([0.5, 1.5, 2.25]), 1)
    array([0.5, 1.5, 2.2])
    """
    a = as_array(a)
    decimals = operator.index(decimals)
    if a.dtype.kind in "iub" and decimals >= 0:
        return _C.positive(a, out) if a.dtype.kind != "b" else _C.rint(a, out)
    if decimals == 0:
        return _C.rint(a, out)
    # NumPy scales by a power of ten, rounds, and scales back.
    scale = 10.0 ** abs(decimals)
    if a.dtype.char in "fd" and out is None:
        return _C.round_scaled(a, scale, decimals > 0)
    up, down = (_C.multiply, _C.divide) if decimals > 0 else (_C.divide, _C.multiply)
    scaled = _C.rint(up(a, scale))
    if a.dtype.kind in "iu":
        return _C.positive(down(scaled, scale).astype(a.dtype), out)
    return down(scaled, scale, scaled if out is None else out)


around = round


# ---- sorting and searching ---------------------------------------------------------------------


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=NoValue) -> ndarray:
    """Return a copy of an array with its elements sorted along an axis.

    Parameters
    ----------
    a : array_like
        Array to be sorted.
    axis : int or None, optional
        Axis along which to sort; None sorts the flattened array.
    kind : str, optional
        Name of an algorithm, as in NumPy. There is one, a radix sort, which is stable.
    order : str or sequence of str, optional
        Fields of a structured dtype by which to sort first; the others follow in their order.
    stable : bool, optional
        Accepted for compatibility; the sort is always stable.
    descending : bool, optional
        If True, sort in descending order. NaNs are last in both orders.

    Returns
    -------
    ndarray
        Sorted array with the dtype, shape and memory layout of `a`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sort(cp.array([[1, 4], [3, 1]]))
    array([[1, 4],
           [1, 3]])
    """
    a = as_array(a)
    if axis is None:
        a, axis = a.ravel(), -1
    if descending is NoValue:
        descending = None
    return _C.sorted_copy(a, axis, kind, order, stable=stable, descending=descending)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=NoValue) -> ndarray:
    """Return the indices that would sort an array.

    Parameters
    ----------
    a : array_like
        Array whose sorting order is computed.
    axis : int or None, optional
        Axis along which to sort; None sorts the flattened array.
    kind, order, stable, descending
        Options of the sort, as for `sort`.

    Returns
    -------
    ndarray
        Array of int64 with the shape of `a`. Equal elements keep their order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.argsort(cp.array([3, 1, 2]))
    array([1, 2, 0])
    """
    options = {} if descending is NoValue else {"descending": descending}
    return as_array(a).argsort(axis, kind, order, stable=stable, **options)


def _checked_kth(kth: Any, a: ndarray, axis: int) -> list[int]:
    """Indices to partition by, checked as in NumPy; a device array is copied back."""
    if isinstance(kth, ndarray):
        kth = kth.get()
    kth = as_host(kth)
    if kth.dtype.kind == "b":
        raise ValueError("Booleans unacceptable as partition index")
    if kth.ndim > 1:
        raise ValueError("object too deep for desired array")
    if kth.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    n = a.shape[axis]
    ranks = kth.ravel().tolist() if a.size else []
    for k in ranks:
        if not -n <= k < n:
            raise ValueError(f"kth(={k + n if k < 0 else k}) out of bounds ({n})")
    return [k % n for k in ranks]


# From these lengths of rows on a selection is quicker than a sort, if there is one rank: of rows
# that fit into a block, of longer ones, whose counts take memory of their own, and of a single one.
# The last is for the emulated device, where the overhead of a launch is small.
_ROW_TO_PART, _ROWS_TO_PART, _LONG_TO_PART, _EMULATED_TO_PART = 1 << 10, 3 << 14, 1 << 18, 1 << 12
_MOST_ROWS = 65535


def _parted(a: ndarray, ranks: list[int], axis: int, positions: bool) -> ndarray | None:
    """`a`, or the indices that partition it; None if a sort is faster."""
    n = a.shape[axis]
    if len(ranks) != 1 or n < _ROW_TO_PART or a.dtype.kind not in "biufV" or a.size == 0:
        return None
    rows = ascontiguousarray(a.swapaxes(axis, -1))
    gives = 2 if positions else 1
    parted = nth_rows(rows, ranks, gives)
    if parted is None:
        long = _EMULATED_TO_PART if _C.is_emulated() else _LONG_TO_PART
        count = rows.size // n
        if rows.size < long or (count > 1 and n < _ROWS_TO_PART) or count > _MOST_ROWS:
            return None
        parted = part_rows(rows, ranks[0], gives)
    return parted.swapaxes(-1, axis)


def partition(a, kth, axis=-1, kind="introselect", order=None) -> ndarray:
    """Return a copy with the `kth` elements in sorted position and smaller ones before them.

    Parameters
    ----------
    a : array_like
        Array to be partitioned.
    kth : int or sequence of ints
        Index or indices along the axis to partition by.
    axis : int or None, optional
        Axis along which to partition; None uses the flattened array.
    kind : {'introselect'}, optional
        Name of NumPy's algorithm. Short rows, and rows with several indices, are sorted, which is a
        valid partition; others use a radix selection.
    order : str or sequence of str, optional
        Fields of a structured dtype by which to sort, as for `sort`.

    Returns
    -------
    ndarray
        Partitioned array with the dtype and shape of `a`.

    Raises
    ------
    ValueError
        If an index is out of bounds, or `kind` is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.partition(cp.array([7, 1, 5, 2]), 1)[1]
    array(2)
    """
    a = as_array(a)
    if axis is None:
        a, axis = a.ravel(), -1
    axis = normalize_axis_index(axis, a.ndim)
    _check_select(kind)
    ranks = _checked_kth(kth, a, axis)
    whole = order is not None or issubclass(a.dtype.type, np.void)
    parted = None if whole else _parted(a, ranks, axis, False)
    return _C.sorted_copy(a, axis, None, order) if parted is None else parted


def argpartition(a, kth, axis=-1, kind="introselect", order=None) -> ndarray:
    """Return the indices that would partition an array; see `partition`.

    Parameters
    ----------
    a : array_like
        Array to be partitioned.
    kth : int or sequence of ints
        Index or indices along the axis to partition by.
    axis : int or None, optional
        Axis along which to partition; None uses the flattened array.
    kind : {'introselect'}, optional
        Name of NumPy's algorithm; see `partition`.
    order : str or sequence of str, optional
        Fields of a structured dtype by which to sort, as for `sort`.

    Returns
    -------
    ndarray
        Array of int64 with the shape of `a`.

    Raises
    ------
    ValueError
        If an index is out of bounds, or `kind` is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.argpartition(cp.array([7, 1, 5, 2]), 0)[0]
    array(1)
    """
    a = as_array(a)
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), -1 if axis is None else axis
    axis = integer_axis(axis, a.ndim)
    _check_select(kind)
    ranks = _checked_kth(kth, a, axis)
    whole = order is not None or issubclass(a.dtype.type, np.void)
    parted = None if whole else _parted(a, ranks, axis, True)
    return a.argsort(axis, None, order) if parted is None else parted


def _check_select(kind: Any) -> None:
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind not in ("introselect", "i"):
        raise ValueError(f"select kind must be 'introselect' (got {shown(kind)})")


def searchsorted(a, v, side="left", sorter=None) -> ndarray:
    """Find the indices at which values would be inserted to keep an array sorted.

    Parameters
    ----------
    a : array_like
        One-dimensional array in ascending order, unless `sorter` is given. NaNs are largest.
    v : array_like
        Values to insert into `a`.
    side : {'left', 'right'}, optional
        Whether the index is before ('left') or after ('right') equal elements.
    sorter : ndarray of ints, optional
        Indices that sort `a`, as returned by `argsort`.

    Returns
    -------
    ndarray
        Array of int64 with the shape of `v`.

    Differences
    -----------
    Indices in `sorter` that are out of bounds read its last element, where NumPy raises.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.searchsorted(cp.array([1, 3, 5]), cp.array([0, 3, 9]))
    array([0, 1, 3])
    """
    return as_array(a).searchsorted(as_array(v), side, sorter)
