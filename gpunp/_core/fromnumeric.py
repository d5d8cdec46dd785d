"""Functions that are methods of arrays too: NumPy's `fromnumeric`."""

import builtins
import operator
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import NoValue, as_array, as_operand, given, index_list, normalize_axis_index
from .multiarray import concatenate

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "around",
    "choose",
    "clip",
    "compress",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diagonal",
    "matrix_transpose",
    "max",
    "mean",
    "min",
    "ndim",
    "nonzero",
    "partition",
    "permute_dims",
    "prod",
    "ptp",
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
    "std",
    "sum",
    "swapaxes",
    "take",
    "trace",
    "transpose",
    "var",
]


# ---- views -------------------------------------------------------------------------------------


def reshape(a, /, shape, order="C", *, copy=None) -> ndarray:
    """Give an array a new shape, as a view when its memory allows it.

    `copy` True always copies, False raises ValueError where a copy is needed.

    Parameters
    ----------
    a : array_like
        What to look at.
    shape : int or tuple of int
        One length may be -1: what remains.
    order : {'C', 'F', 'A'}, optional
        The order in which elements are taken.
    copy : bool, optional
        True: always; False: never, ValueError where it cannot be.

    Returns
    -------
    ndarray
        A view, or a copy where there can be none.

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
    if copy:
        fortran = order == "F" or (order == "A" and a.flags.fnc)
        return a.copy("F" if fortran else "C").reshape(shape, order=order)
    return a.reshape(shape, order=order, copy=copy)


def ravel(a, order="C") -> ndarray:
    """Flatten an array, as a view when its memory allows it."""
    return as_array(a).ravel(order)


def transpose(a, axes=None) -> ndarray:
    """View with axes permuted (reversed when `axes` is None).

    Parameters
    ----------
    a : array_like
        What to look at.
    axes : sequence of int, optional
        The new order of axes; reversed by default.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.transpose(cp.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    return as_array(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /) -> ndarray:
    """View with the last two axes swapped."""
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


def swapaxes(a, axis1, axis2) -> ndarray:
    """View with two axes swapped."""
    return as_array(a).swapaxes(axis1, axis2)


def squeeze(a, axis=None) -> ndarray:
    """View without axes of length one.

    Parameters
    ----------
    a : array_like
        What to look at.
    axis : int or tuple of int, optional
        Which axes; all of them by default.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.squeeze(cp.ones((1, 3, 1))).shape
    (3,)
    """
    return as_array(a).squeeze(axis)


def diagonal(a, offset=0, axis1=0, axis2=1) -> ndarray:
    """View of the diagonals over two axes, as the last axis of the result.

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
    """Number of dimensions."""
    return a.ndim if isinstance(a, ndarray) else np.ndim(a)


def shape(a) -> tuple[int, ...]:
    """Shape of an array, a scalar or nested lists."""
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def size(a, axis=None) -> int:
    """Number of elements, in all or along axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.size(cp.ones((2, 3))), cp.size(cp.ones((2, 3)), 1)
    (6, 3)
    """
    if not isinstance(a, ndarray):
        return np.size(a, axis)
    if axis is None:
        return a.size
    out = 1
    for k in axis if isinstance(axis, tuple) else (axis,):
        out *= a.shape[k]
    return out


# ---- copies ------------------------------------------------------------------------------------


def repeat(a, repeats, axis=None) -> ndarray:
    """Repeat each element (None: of the flattened array) or each slice along an axis.

    Parameters
    ----------
    a : array_like
        Where from.
    repeats : int or array_like of int
        How often, once for all or for each.
    axis : int, optional
        The axis to go along; the flattened array by default.

    Returns
    -------
    ndarray
        The repeated elements.

    Notes
    -----
    Counts that differ are wanted on the host: a device array of them is copied back, and each
    element then takes a launch.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.repeat(cp.arange(3), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    a = as_array(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    counts = index_list(repeats)
    if builtins.any(n < 0 for n in counts):
        raise ValueError("repeats may not contain negative values.")
    n = a.shape[axis]
    if len(counts) not in (1, n):
        raise ValueError(
            f"operands could not be broadcast together with shape ({n},) ({len(counts)},)"
        )
    before = (slice(None),) * axis
    shape = list(a.shape)
    if len(counts) == 1:
        shape[axis] *= counts[0]
        out = _C.empty(tuple(shape), a.dtype, "C")
        blocks = a.shape[: axis + 1] + (counts[0],) + a.shape[axis + 1 :]
        out.reshape(blocks)[...] = a[(*before, slice(None), None)]
        return out
    shape[axis] = builtins.sum(counts)
    out = _C.empty(tuple(shape), a.dtype, "C")
    at = 0
    for i, count in enumerate(counts):
        out[(*before, slice(at, at + count))] = a[(*before, slice(i, i + 1))]
        at += count
    return out


def resize(a, new_shape) -> ndarray:
    """New array of a given shape, filled with repeated copies of `a`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.resize(cp.arange(3), (2, 4))
    array([[0, 1, 2, 0],
           [1, 2, 0, 1]])
    """
    if isinstance(new_shape, (int, np.integer)):
        new_shape = (new_shape,)
    a = as_array(a).ravel()
    total = 1
    for n in new_shape:
        total *= n
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if a.size == 0:
        out = _C.empty(tuple(new_shape), a.dtype, "C")
        out.fill(0)
        return out
    if total == 0:
        return _C.empty(tuple(new_shape), a.dtype, "C")
    repeats = -(-total // a.size)
    return concatenate((a,) * repeats)[:total].reshape(tuple(new_shape))


def take(a, indices, axis=None, out=None, mode="raise") -> ndarray:
    """Elements (None: of the flattened array) or slices along an axis, by index.

    Parameters
    ----------
    a : array_like
        Where from.
    indices : array_like of int
        Which ones.
    axis : int, optional
        The axis to go along; the flattened array by default.
    out : ndarray, optional
        Where the result goes.
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of indices out of bounds; raise wraps, as all indices of gpunp.

    Returns
    -------
    ndarray
        The elements, or `out`.

    Differences
    -----------
    ``mode='raise'`` wraps indices that are out of bounds, unless `set_index_mode('raise')` is on.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.take(cp.array([4, 3, 5, 7]), cp.array([0, 1, 3]))
    array([4, 3, 7])
    """
    return as_array(a).take(indices, axis, out, mode)


def choose(a, choices, out=None, mode="raise") -> ndarray:
    """For each element of an integer array, the element of the choice it numbers.

    Notes
    -----
    One launch for each choice. ``mode='raise'`` looks at the largest and smallest number, which
    waits for the device.

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
    arrays = list(choices) if isinstance(choices, ndarray) else [as_array(c) for c in choices]
    n = len(arrays)
    if n == 0:
        raise ValueError("need at least one array to choose from")
    if mode == "wrap":
        a = _C.remainder(a, n)
    elif mode == "clip":
        a = _C.clip(a, 0, n - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    elif a.size and (int(a.min()) < 0 or int(a.max()) >= n):
        raise ValueError("invalid entry in choice array")
    dtype = _C.result_type(*arrays)
    shape = np.broadcast_shapes(a.shape, *(c.shape for c in arrays))
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
    """Slices along an axis (None: elements of the flattened array) where a condition holds.

    Waits for the number of hits.

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
    if axis is None:
        a, axis = a.ravel(), 0
    return a.take(condition.nonzero()[0], axis, out, "raise")


def put(a, ind, v, mode="raise") -> None:
    """Write values one after the other, repeatedly, at positions of the flattened array.

    Notes
    -----
    ``mode='raise'`` looks at the largest and smallest position, which waits for the device.

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
    where, values = as_array(ind).ravel(), as_array(v).ravel()
    if where.size == 0 or values.size == 0:
        return
    if where.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {where.dtype!r} to dtype('int64') according to the "
            "rule 'safe'"
        )
    where = where.astype(np.intp, copy=False)
    if mode == "raise":
        for extreme in (int(where.min()), int(where.max())):
            if not -a.size <= extreme < a.size:
                raise IndexError(f"index {extreme} is out of bounds for axis 0 with size {a.size}")
    elif mode == "clip":
        where = _C.clip(where, 0, a.size - 1)
    elif mode != "wrap":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    else:
        where = _C.remainder(where, a.size)
    a.flat[where] = resize(values, where.size) if values.size != 1 else values


def nonzero(a) -> tuple[ndarray, ...]:
    """Indices of the elements that are not zero, one array per axis. Waits for their number."""
    return as_array(a).nonzero()


def clip(
    a, a_min=NoValue, a_max=NoValue, out=None, *, min=NoValue, max=NoValue, **kwargs
) -> ndarray:
    """Limit the values in an array. One launch.

    Parameters
    ----------
    a : array_like
        Where from.
    a_min : array_like or None
        No element is less; None: no such limit.
    a_max : array_like or None
        No element is larger; None: no such limit.
    out : ndarray, optional
        Where the result goes.
    min : array_like or None
        Another name of `a_min`.
    max : array_like or None
        Another name of `a_max`.
    **kwargs : optional
        Those of ufuncs.

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
    return _clip(as_array(a), a_min, a_max, out, **kwargs)


def _clip(a: ndarray, low: Any, high: Any, out: Any, **kwargs: Any) -> ndarray:
    """One launch with both limits, with one, or a plain copy."""
    if low is None and high is None:
        return _C.positive(a, out, **kwargs)
    if low is None:
        return _C.minimum(a, as_operand(high), out, **kwargs)
    if high is None:
        return _C.maximum(a, as_operand(low), out, **kwargs)
    return _C.clip(a, as_operand(low), as_operand(high), out, **kwargs)


def round(a, decimals=0, out=None) -> ndarray:
    """Round to a number of decimals; halves go to the even neighbour.

    Parameters
    ----------
    a : array_like
        Where from.
    decimals : int, optional
        May be negative: then before the point.
    out : ndarray, optional
        Where the result goes.

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
    up, down = (_C.multiply, _C.divide) if decimals > 0 else (_C.divide, _C.multiply)
    scaled = _C.rint(up(a, scale))
    if a.dtype.kind in "iu":
        return _C.positive(down(scaled, scale).astype(a.dtype), out)
    return down(scaled, scale, scaled if out is None else out)


around = round


# ---- sorting and searching ---------------------------------------------------------------------


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=NoValue) -> ndarray:
    """Return a sorted copy of an array.

    Parameters
    ----------
    a : array_like
        What is sorted.
    axis : int or None, optional
        The axis to sort along; None sorts the flattened array.
    kind : str, optional
        Any of NumPy's names. There is one algorithm, a radix sort, and it is stable.
    order : None
        For fields, which arrays here do not have.
    stable : bool, optional
        Accepted; the sort always is.
    descending : bool, optional
        Largest first. NaNs come last in both orders.

    Returns
    -------
    ndarray
        Of the dtype, shape and memory order of `a`.

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
    """Return the positions that would sort an array.

    Parameters
    ----------
    a : array_like
        What would be sorted.
    axis : int or None, optional
        The axis to sort along; None sorts the flattened array.
    kind, order, stable, descending
        As in `sort`.

    Returns
    -------
    ndarray
        int64, of the shape of `a`; of equal elements the first comes first.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.argsort(cp.array([3, 1, 2]))
    array([1, 2, 0])
    """
    options = {} if descending is NoValue else {"descending": descending}
    return as_array(a).argsort(axis, kind, order, stable=stable, **options)


def _check_kth(kth: Any, n: int) -> None:
    """NumPy's errors about positions to partition by; a device array of them is copied back."""
    if isinstance(kth, ndarray):
        kth = kth.get()
    kth = np.asarray(kth)
    if kth.dtype.kind == "b":
        raise ValueError("Booleans unacceptable as partition index")
    if kth.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if kth.ndim > 1:
        raise ValueError("object too deep for desired array")
    for k in kth.ravel().tolist():
        if not -n <= k < n:
            raise ValueError(f"kth(={k + n if k < 0 else k}) out of bounds ({n})")


def partition(a, kth, axis=-1, kind="introselect", order=None) -> ndarray:
    """Return a copy with the `kth` elements where a sort would put them, smaller ones before.

    Parameters
    ----------
    a : array_like
        What is partitioned.
    kth : int or sequence of ints
        Positions along the axis.
    axis : int or None, optional
        The axis; None takes the flattened array.
    kind : {'introselect'}, optional
        NumPy's name of the algorithm. Here the elements are sorted, which is a partition by any.
    order : None
        For fields, which arrays here do not have.

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
    _check_kth(kth, a.shape[axis])
    return _C.sorted_copy(a, axis, None, order)


def argpartition(a, kth, axis=-1, kind="introselect", order=None) -> ndarray:
    """Return the positions that would partition an array; see `partition`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.argpartition(cp.array([7, 1, 5, 2]), 0)[0]
    array(1)
    """
    a = as_array(a)
    if axis is None:
        a, axis = a.ravel(), -1
    axis = normalize_axis_index(axis, a.ndim)
    _check_select(kind)
    _check_kth(kth, a.shape[axis])
    return a.argsort(axis, None, order)


def _check_select(kind: Any) -> None:
    if kind not in ("introselect", "i"):
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")


def searchsorted(a, v, side="left", sorter=None) -> ndarray:
    """Find where values would be inserted into a sorted array to keep it sorted.

    Parameters
    ----------
    a : array_like
        1-d and ascending, or `sorter` says how to sort it. NaNs are largest.
    v : array_like
        The values.
    side : {'left', 'right'}, optional
        Before or behind elements that are equal.
    sorter : ndarray of ints, optional
        What `argsort(a)` returns.

    Returns
    -------
    ndarray
        int64, of the shape of `v`.

    Differences
    -----------
    Positions in `sorter` beyond the array read its last element, where NumPy raises.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.searchsorted(cp.array([1, 3, 5]), cp.array([0, 3, 9]))
    array([0, 1, 3])
    """
    return as_array(a).searchsorted(as_array(v), side, sorter)


# ---- reductions --------------------------------------------------------------------------------


def sum(
    a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue
) -> ndarray:
    """Sum over axes.

    Parameters
    ----------
    a : array_like
        Where from.
    axis : int or tuple of int, optional
        Axes to go along; all of them by default.
    dtype : dtype, optional
        Of the result, and of what it is computed in.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Keep the axes gone along, with length one.
    initial : scalar, optional
        What the reduction begins with.
    where : array_like of bool, optional
        Which elements count.

    Returns
    -------
    ndarray
        The reduction over the axes, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sum(cp.ones((2, 3)), axis=0)
    array([2., 2., 2.])
    """
    keepdims, initial, where = (
        False if keepdims is NoValue else keepdims,
        None if initial is NoValue else initial,
        None if where is NoValue else where,
    )
    return _C.sum(as_array(a), axis, dtype, out, keepdims, initial, where)


def prod(
    a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue
) -> ndarray:
    """Product over axes."""
    keepdims, initial, where = (
        False if keepdims is NoValue else keepdims,
        None if initial is NoValue else initial,
        None if where is NoValue else where,
    )
    return _C.prod(as_array(a), axis, dtype, out, keepdims, initial, where)


def max(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue) -> ndarray:
    """Largest element over axes; NaN wins.

    Parameters
    ----------
    a : array_like
        Where from.
    axis : int or tuple of int, optional
        Axes to go along; all of them by default.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Keep the axes gone along, with length one.
    initial : scalar, optional
        What the reduction begins with.
    where : array_like of bool, optional
        Which elements count.

    Returns
    -------
    ndarray
        The reduction over the axes, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.max(cp.arange(5))
    array(4)
    """
    keepdims, initial, where = (
        False if keepdims is NoValue else keepdims,
        None if initial is NoValue else initial,
        None if where is NoValue else where,
    )
    return _C.max(as_array(a), axis, out, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue) -> ndarray:
    """Smallest element over axes; NaN wins."""
    keepdims, initial, where = (
        False if keepdims is NoValue else keepdims,
        None if initial is NoValue else initial,
        None if where is NoValue else where,
    )
    return _C.min(as_array(a), axis, out, keepdims, initial, where)


amax = max
amin = min


def all(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Whether all elements are true, over axes."""
    return as_array(a).all(axis, out, **given(keepdims=keepdims, where=where))


def any(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Whether any element is true, over axes.

    Parameters
    ----------
    a : array_like
        Where from.
    axis : int or tuple of int, optional
        Axes to go along; all of them by default.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Keep the axes gone along, with length one.
    where : array_like of bool, optional
        Which elements count.

    Returns
    -------
    ndarray
        The reduction over the axes, or `out`.
    """
    return as_array(a).any(axis, out, **given(keepdims=keepdims, where=where))


def mean(a, axis=None, dtype=None, out=None, keepdims=NoValue, *, where=NoValue) -> ndarray:
    """Arithmetic mean over axes.

    Parameters
    ----------
    a : array_like
        Where from.
    axis : int or tuple of int, optional
        Axes to go along; all of them by default.
    dtype : dtype, optional
        Of the result, and of what it is computed in.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Keep the axes gone along, with length one.
    where : array_like of bool, optional
        Which elements count.

    Returns
    -------
    ndarray
        The reduction over the axes, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.mean(cp.array([1, 2, 6]))
    array(3.)
    """
    return as_array(a).mean(axis, dtype, out, **given(keepdims=keepdims, where=where))


def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *,
    where=NoValue, mean=NoValue, correction=NoValue,
) -> ndarray:  # fmt: skip
    """Variance over axes, with `ddof` (or `correction`) subtracted from the count.

    Parameters
    ----------
    a : array_like
        Where from.
    axis : int or tuple of int, optional
        Axes to go along; all of them by default.
    dtype : dtype, optional
        Of the result, and of what it is computed in.
    out : ndarray, optional
        Where the result goes.
    ddof : number, optional
        Subtracted from the number of elements in the divisor.
    keepdims : bool, optional
        Keep the axes gone along, with length one.
    where : array_like of bool, optional
        Which elements count.
    mean : array_like, optional
        The mean where it is known, with the axes kept.
    correction : number, optional
        Another name of `ddof`.

    Returns
    -------
    ndarray
        The reduction over the axes, or `out`.
    """
    ddof = _ddof(ddof, correction)
    if mean is not NoValue:
        return _about("var", as_array(a), mean, axis, dtype, out, ddof, keepdims, where)
    options = given(keepdims=keepdims, where=where)
    return as_array(a).var(axis, dtype, out, ddof, **options)


def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *,
    where=NoValue, mean=NoValue, correction=NoValue,
) -> ndarray:  # fmt: skip
    """Standard deviation over axes, with `ddof` (or `correction`) subtracted from the count."""
    ddof = _ddof(ddof, correction)
    if mean is not NoValue:
        return _about("std", as_array(a), mean, axis, dtype, out, ddof, keepdims, where)
    options = given(keepdims=keepdims, where=where)
    return as_array(a).std(axis, dtype, out, ddof, **options)


def _about(
    name: str, a: ndarray, mean: Any, axis: Any, dtype: Any, out: Any, ddof: Any,
    keepdims: Any, where: Any,
) -> ndarray:  # fmt: skip
    """Variance or deviation about a mean that the caller knows (with its dimensions kept)."""
    options = given(keepdims=keepdims, where=where)
    apart = _C.subtract(a, mean, dtype=dtype)
    square = _C.square(_C.absolute(apart) if a.dtype.kind == "c" else apart)
    total = square.sum(axis, **options)
    count = (
        _C.ones(a.shape, bool) if where is NoValue else _C.broadcast_to(as_array(where), a.shape)
    )
    spread = total / (_C.count_nonzero(count, axis, **given(keepdims=keepdims)) - ddof)
    return _C.sqrt(spread, out) if name == "std" else _C.positive(spread, out)


def _ddof(ddof: Any, correction: Any) -> Any:
    if correction is NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


# ---- scans -------------------------------------------------------------------------------------


def cumsum(a, axis=None, dtype=None, out=None) -> ndarray:
    """Return the cumulative sum of the elements along an axis.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the flattened array is summed.
    dtype : dtype, optional
        Of the sums: by default int64 or uint64 for booleans and integers, else that of `a`.
    out : ndarray, optional
        Where to put the result; it may be `a` or overlap it.

    Differences
    -----------
    float16 and bfloat16 are summed in float32 and rounded once. Floats are summed in an order that
    depends on the shape alone, so results repeat bit for bit, but not in NumPy's.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cumsum(cp.array([[1, 2], [3, 4]]), axis=1)
    array([[1, 3],
           [3, 7]])
    """
    return _C.cumsum(as_array(a), axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None) -> ndarray:
    """Return the cumulative product of the elements along an axis (see `cumsum`)."""
    return _C.cumprod(as_array(a), axis, dtype, out)


def cummax(a, axis=None, dtype=None, out=None) -> ndarray:
    """Return the largest element so far along an axis; from the first NaN on, NaN.

    NumPy spells it ``maximum.accumulate``; here the flattened array is the default.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cummax(cp.array([1, 3, 2, 5]))
    array([1, 3, 3, 5])
    """
    return _C.cummax(as_array(a), axis, dtype, out)


def cummin(a, axis=None, dtype=None, out=None) -> ndarray:
    """Return the smallest element so far along an axis; from the first NaN on, NaN."""
    return _C.cummin(as_array(a), axis, dtype, out)


def _cumulate(f: Any, x: Any, axis: Any, dtype: Any, out: Any, initial: Any) -> ndarray:
    """The array API's form of a scan: `initial` (None: left out) comes before the first element."""
    x = as_array(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    if initial is None:
        return f(x, axis, dtype, out)
    x = x.reshape(-1) if x.ndim == 0 else x
    axis = normalize_axis_index(axis, x.ndim)
    if out is None:
        rest = np.dtype(x.dtype if dtype is None else dtype)
        if dtype is None and rest.kind in "bi":
            rest = np.promote_types(rest, np.int64)
        elif dtype is None and rest.kind == "u":
            rest = np.dtype(np.uint64)
        shape = list(x.shape)
        shape[axis] += 1
        out = _C.empty(tuple(shape), rest)
    first, others = [builtins.slice(None)] * x.ndim, [builtins.slice(None)] * x.ndim
    first[axis], others[axis] = builtins.slice(0, 1), builtins.slice(1, None)
    f(x, axis, dtype, out[tuple(others)])
    out[tuple(first)] = initial
    return out


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False) -> ndarray:
    """Return the cumulative sum along an axis, optionally beginning with zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cumulative_sum(cp.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulate(_C.cumsum, x, axis, dtype, out, 0 if include_initial else None)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False) -> ndarray:
    """Return the cumulative product along an axis, optionally beginning with one."""
    return _cumulate(_C.cumprod, x, axis, dtype, out, 1 if include_initial else None)


def ptp(a, axis=None, out=None, keepdims=NoValue) -> ndarray:
    """Range (largest minus smallest element) over axes."""
    options = given(keepdims=keepdims)
    a = as_array(a)
    return _C.subtract(a.max(axis, **options), a.min(axis, **options), out)


def argmax(a, axis=None, out=None, *, keepdims=NoValue) -> ndarray:
    """Index of the (first) largest element, of the flattened array or along an axis.

    Parameters
    ----------
    a : array_like
        Where from.
    axis : int, optional
        The axis to go along; the flattened array by default.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Keep the axes gone along, with length one.

    Returns
    -------
    ndarray of int64
        The indices, or `out`.
    """
    return as_array(a).argmax(axis, out, **given(keepdims=keepdims))


def argmin(a, axis=None, out=None, *, keepdims=NoValue) -> ndarray:
    """Index of the (first) smallest element, of the flattened array or along an axis."""
    return as_array(a).argmin(axis, out, **given(keepdims=keepdims))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None) -> ndarray:
    """Sum along the diagonals over two axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.trace(cp.eye(3))
    array(3.)
    """
    return as_array(a).diagonal(offset, axis1, axis2).sum(-1, dtype, out)
