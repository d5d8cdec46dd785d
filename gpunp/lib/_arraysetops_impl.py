"""Operations on the elements of arrays seen as sequences and sets.

The set functions wait for the device if the number of elements determines the shape of the result:
`unique` and its variants, `intersect1d`, `union1d`, `setdiff1d`, `setxor1d`. `isin` and `ediff1d`
do not wait.
"""

from typing import Any, NamedTuple

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, normalize_axis_index, shown
from .._core._docstrings import documented_as
from .._core.fromnumeric import ravel, sort
from .._core.multiarray import (
    arange,
    asarray,
    bincount,
    can_cast,
    concatenate,
    empty,
    is_member,
    lexsort,
    ndarray,
    result_type,
    run_starts,
    sorted_pairs,
    zeros,
)
from .._core.numeric import count_nonzero, moveaxis

__all__ = [
    "ediff1d",
    "in1d",
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def ediff1d(ary, to_end=None, to_begin=None) -> ndarray:
    """Compute the differences between consecutive elements of the flattened array.

    Parameters
    ----------
    ary : array_like
        Input array; it is flattened first.
    to_end : array_like, optional
        Values to append to the differences.
    to_begin : array_like, optional
        Values to prepend to the differences.

    Returns
    -------
    ndarray
        One-dimensional array of the differences, with the dtype of `ary`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.ediff1d(cp.array([1, 2, 4, 7]))
    array([1, 2, 3])
    """
    ary = as_array(ary).ravel()
    if to_end is None and to_begin is None:
        return ary[1:] - ary[:-1]
    parts = []
    for name, part in (("to_begin", to_begin), ("to_end", to_end)):
        part = empty(0, ary.dtype) if part is None else as_array(part).ravel()
        if not can_cast(part, ary.dtype, casting="same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        parts.append(part)
    first, last = parts
    count = max(ary.size - 1, 0)
    out = empty(first.size + count + last.size, ary.dtype)
    out[: first.size] = first
    out[first.size + count :] = last
    um.subtract(ary[1:], ary[:-1], out=out[first.size : first.size + count])
    return out


# ---- unique ------------------------------------------------------------------------------------


class UniqueAllResult(NamedTuple):
    """Named tuple returned by `unique_all`."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """Named tuple returned by `unique_counts`."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """Named tuple returned by `unique_inverse`."""

    values: ndarray
    inverse_indices: ndarray


def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
    equal_nan=True, sorted=True,
):  # fmt: skip
    """Return the sorted unique elements of an array.

    Waits for their number.

    Parameters
    ----------
    ar : array_like
        Input array; it is flattened unless `axis` is given.
    return_index : bool, optional
        If True, also return the indices of the first occurrences of the unique values.
    return_inverse : bool, optional
        If True, also return, for each element of `ar`, the index of its unique value.
    return_counts : bool, optional
        If True, also return the number of occurrences of each unique value.
    axis : int or None, optional
        Axis whose slices are the elements. Each element of a slice then takes a sort.
    equal_nan : bool, optional
        If True, all NaNs count as one value. Slices along an axis that contain NaN always differ,
        as in NumPy.
    sorted : bool, optional
        Accepted for compatibility; the values are always sorted.

    Returns
    -------
    ndarray, or a tuple of the values and what else was asked for in the order above
        The unique values, and the other results in the order of the arguments above. Indices and
        counts are int64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unique(cp.array([3, 1, 3, 2]), return_counts=True)
    (array([1, 2, 3]), array([1, 1, 2]))
    """
    ar = as_array(ar)
    wanted = (return_index, return_inverse, return_counts)
    if axis is not None:
        axis = normalize_axis_index(axis, ar.ndim)
    if axis is None or ar.ndim == 1:
        values, rest = _unique_flat(ar.ravel(), wanted, equal_nan)
        if return_inverse:
            rest[1] = rest[1].reshape(ar.shape)
    else:
        values, rest = _unique_slices(ar, wanted, axis)
    if not any(wanted):
        return values
    return (values, *(x for x, want in zip(rest, wanted, strict=True) if want))


def _unique_flat(a: ndarray, wanted: Any, equal_nan: bool) -> tuple[ndarray, list[Any]]:
    """Unique values of a 1-d array, and [index, inverse, counts] as requested."""
    if a.size and a.dtype.itemsize == 1 and a.dtype.kind in ("b" if wanted[0] else "biu"):
        return _unique_bytes(a, wanted)
    if wanted[0] or wanted[1]:
        keys, order = sorted_pairs(a)
    else:
        keys, order = sort(a), None
    first = run_starts(keys, equal_nan)
    if not any(wanted):
        return keys[first], [None, None, None]
    starts = first.nonzero()[0]
    return keys.take(starts), _rest(order, first, starts, wanted)


def _unique_bytes(a: ndarray, wanted: Any) -> tuple[ndarray, list[Any]]:
    """The same by counting, as bytes have few values; indices are for bools only."""
    is_bool = a.dtype.kind == "b"
    lowest = 0 if is_bool else int(np.iinfo(a.dtype).min)
    if is_bool:
        ones = int(count_nonzero(a))
        counts = np.array([a.size - ones, ones])
    else:
        counts = np.roll(bincount(a.view("u1"), minlength=256).get(), -lowest)
    present = counts.nonzero()[0]
    values = asarray((present + lowest).astype(a.dtype))
    rest: list[Any] = [None, None, None]
    if wanted[0]:
        firsts = [a.argmax() if value else a.argmin() for value in present]
        rest[0] = concatenate([first.reshape(1) for first in firsts])
    if wanted[1] and present.size == 1:
        rest[1] = zeros(a.size, np.intp)
    elif wanted[1] and is_bool:
        rest[1] = a.astype(np.intp)
    elif wanted[1]:
        places = np.roll((counts > 0).cumsum() - 1, lowest)  # of the bytes without a sign
        rest[1] = asarray(places).take(a.view("u1"))
    if wanted[2]:
        rest[2] = asarray(counts[present])
    return values, rest


def _rest(order: Any, first: ndarray, starts: ndarray, wanted: Any) -> list[Any]:
    """[index, inverse, counts] from the sorting order and the starts of runs of equal values."""
    index, inverse, counts = wanted
    n = first.size
    rest: list[Any] = [order.take(starts) if index else None, None, None]
    if inverse:
        rest[1] = empty(n, np.intp)
        rest[1][order] = first.cumsum() - 1
    if counts:
        rest[2] = empty(starts.size, np.intp)
        um.subtract(starts[1:], starts[:-1], out=rest[2][:-1])
        if n:
            rest[2][-1:] = n - starts[-1:]
    return rest


def _unique_slices(ar: ndarray, wanted: Any, axis: int) -> tuple[ndarray, list[Any]]:
    """The same for the slices along an axis, compared element by element."""
    front = moveaxis(ar, axis, 0)
    n = front.shape[0]
    rows = front.reshape(n, -1) if front.size else front.reshape(n, int(np.prod(front.shape[1:])))
    width = rows.shape[1]
    order = lexsort(rows.T[::-1]) if width else arange(n)
    first = empty(n, bool)
    first[:1] = True
    if width:
        rows = rows.take(order, 0)
        first[1:] = um.not_equal(rows[1:], rows[:-1]).any(1)
    else:
        first[1:] = False
    starts = first.nonzero()[0]
    values = front.take(order.take(starts), 0)
    return moveaxis(values, 0, axis), _rest(order, first, starts, wanted)


def unique_all(x) -> UniqueAllResult:
    """Return unique values, indices of first occurrences, inverse and counts; NaNs are distinct.

    Waits for the number of values.

    Parameters
    ----------
    x : array_like
        Input array; it is flattened first.

    Returns
    -------
    UniqueAllResult
        Named tuple: `values`, sorted; `indices` of their first occurrences; `inverse_indices` with
        the shape of `x`; `counts`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unique_all(cp.array([1, 1, 2])).counts
    array([2, 1])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x) -> UniqueCountsResult:
    """Return unique values and their counts; NaNs are distinct. Waits for the number of values.

    Parameters
    ----------
    x : array_like
        Input array; it is flattened first.

    Returns
    -------
    UniqueCountsResult
        Named tuple: `values`, sorted, and `counts`.
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x) -> UniqueInverseResult:
    """Return unique values and the inverse; NaNs are distinct. Waits for the number of values.

    Parameters
    ----------
    x : array_like
        Input array; it is flattened first.

    Returns
    -------
    UniqueInverseResult
        Named tuple: `values`, sorted, and `inverse_indices` with the shape of `x`.
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x) -> ndarray:
    """Return unique values, sorted; NaNs are distinct. Waits for their number.

    Parameters
    ----------
    x : array_like
        Input array; it is flattened first.

    Returns
    -------
    ndarray
        One-dimensional array of the sorted values.
    """
    return unique(x, equal_nan=False)


# ---- sets --------------------------------------------------------------------------------------


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None) -> ndarray:
    """Test, element-wise, whether values occur in a second array.

    Parameters
    ----------
    element, test_elements : array_like
        Values to test, and the array in which to look for them.
    assume_unique : bool, optional
        Accepted for compatibility; it has no effect on speed.
    invert : bool, optional
        If True, test whether values do not occur.
    kind : {None, 'sort', 'table'}, optional
        Algorithm that NumPy would use. Here it is a sort of `test_elements` and a binary search.

    Returns
    -------
    ndarray
        Array of bool with the shape of `element`. NaN is equal to no value.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.isin(cp.array([1, 2, 5]), cp.array([5, 1]))
    array([ True, False,  True])
    """
    element, test = as_array(element), as_array(test_elements)
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: {shown(kind)}. Please use None, 'sort' or 'table'.")
    if kind == "table" and (element.dtype.kind not in "iub" or test.dtype.kind not in "iub"):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. "
            "Please select 'sort' or None for kind."
        )
    return is_member(sort(test, axis=None), element, bool(invert))


def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None) -> ndarray:
    """Test whether the elements of a flattened array occur in a second array; see `isin`.

    Parameters
    ----------
    ar1, ar2 : array_like
        Values to test, and the array in which to look for them.
    assume_unique : bool, optional
        If True, both arrays are taken to have unique elements, which saves time.
    invert : bool, optional
        If True, test whether values do not occur.
    kind : optional
        Accepted for compatibility and ignored.

    Returns
    -------
    ndarray
        One-dimensional array of bool with the size of `ar1`.
    """
    return isin(as_array(ar1).ravel(), ar2, assume_unique, invert, kind=kind)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Return the sorted unique values that occur in both arrays. Waits for their number.

    Parameters
    ----------
    ar1, ar2 : array_like
        Input arrays; they are flattened first.
    assume_unique : bool, optional
        If True, both arrays are taken to have unique elements, which saves time.
    return_indices : bool, optional
        If True, also return the indices of the first occurrences in both arrays.

    Returns
    -------
    ndarray, or tuple of ndarray
        The common values; with `return_indices` also their indices in `ar1` and in `ar2`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.intersect1d(cp.array([1, 3, 4, 3]), cp.array([3, 1, 2, 1]))
    array([1, 3])
    """
    ar1, ar2 = as_array(ar1).ravel(), as_array(ar2).ravel()
    dtype = result_type(ar1, ar2)
    if not return_indices:
        a, b = (sort(x) if assume_unique else unique(x) for x in (ar1, ar2))
        return a[is_member(b, a, False)].astype(dtype, copy=False)
    (a, ind1), (b, ind2) = (
        sorted_pairs(x) if assume_unique else unique(x, return_index=True) for x in (ar1, ar2)
    )
    common = is_member(b, a, False).nonzero()[0]
    values = a.take(common).astype(dtype, copy=False)
    return values, ind1.take(common), ind2.take(b.searchsorted(values))


def setxor1d(ar1, ar2, assume_unique=False) -> ndarray:
    """Return the sorted unique values that occur in exactly one of two arrays. Waits.

    Parameters
    ----------
    ar1, ar2 : array_like
        Input arrays; they are flattened first.
    assume_unique : bool, optional
        If True, both arrays are taken to have unique elements, which saves time.

    Returns
    -------
    ndarray
        One-dimensional array of the values.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.setxor1d(cp.array([1, 2, 3]), cp.array([2, 3, 5]))
    array([1, 5])
    """
    ar1, ar2 = as_array(ar1), as_array(ar2)
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = sort(concatenate((ar1, ar2), axis=None))
    if both.size == 0:
        return both
    differs = zeros(both.size + 1, bool)
    differs[:-1] = run_starts(both, False)
    differs[-1:] = True
    return both[differs[1:] & differs[:-1]]


def union1d(ar1, ar2) -> ndarray:
    """Return the sorted unique values that occur in either of two arrays. Waits for their number.

    Parameters
    ----------
    ar1, ar2 : array_like
        Input arrays; they are flattened first.

    Returns
    -------
    ndarray
        One-dimensional array of the values.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.union1d(cp.array([-1, 0]), cp.array([0, 2]))
    array([-1,  0,  2])
    """
    return unique(concatenate((as_array(ar1), as_array(ar2)), axis=None))


@documented_as(setxor1d)
def setdiff1d(ar1, ar2, assume_unique=False) -> ndarray:
    """Return the values of one array that do not occur in another. Waits for their number.

    They are sorted and different, or with `assume_unique` in their order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.setdiff1d(cp.array([1, 2, 3, 2]), cp.array([3, 4]))
    array([1, 2])
    """
    ar1, ar2 = as_array(ar1), as_array(ar2)
    ar1 = ravel(ar1) if assume_unique else unique(ar1)
    return ar1[is_member(sort(ar2, axis=None), ar1, True)]
