"""`numpy.lib.recfunctions` for arrays of the device: structured arrays as matrices, and back.

Ufuncs have no loops of structured dtypes; these functions bring fields into a form that they take.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib import recfunctions as _numpy

from .._C import ndarray
from .._core._convert import as_array, descr
from .._core.multiarray import concatenate, empty

__all__ = [
    "apply_along_fields",
    "assign_fields_by_name",
    "rename_fields",
    "repack_fields",
    "require_fields",
    "structured_to_unstructured",
    "unstructured_to_structured",
]


def _leaves(dtype: np.dtype[Any], offset: int = 0) -> Iterator[tuple[np.dtype[Any], int]]:
    """The dtype and offset of each number of an element, in the order of the fields."""
    base, shape = dtype.subdtype or (dtype, ())
    for i in range(math.prod(shape)):
        at = offset + i * base.itemsize
        if base.names is None:
            yield base, at
        else:
            fields: Any = base.fields
            for name in base.names:
                yield from _leaves(fields[name][0], at + fields[name][1])


def _structured(arr: Any) -> ndarray:
    arr = as_array(arr)
    if arr.dtype.names is None:
        raise ValueError("arr must be a structured array")
    return arr


def _columns(arr: ndarray) -> Iterator[ndarray]:
    """Views of the fields, with one more axis for the numbers of a field."""
    names: Any = arr.dtype.names
    for name in names:
        field = arr[name]
        if field.dtype.names is not None:
            field = concatenate(list(_columns(field)), axis=-1)
        yield field.reshape(*arr.shape, math.prod(field.shape[arr.ndim :]))


def structured_to_unstructured(arr, dtype=None, copy=False, casting="unsafe") -> ndarray:
    """Return the fields of a structured array along a new last axis.

    Nested fields and subarrays are flattened.

    Parameters
    ----------
    arr : ndarray
        Structured array.
    dtype : dtype, optional
        Type of the result. By default the type to which those of all fields promote.
    copy : bool, optional
        If False, the result is a view where the fields have the type of the result and follow each
        other in the memory of a C-contiguous array.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Rule that says which casts are allowed.

    Returns
    -------
    ndarray
        Array with one dimension more than `arr`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.lib import recfunctions
    >>> points = cp.asarray([(1, 2.5), (3, 4.5)], dtype=[("x", "i4"), ("y", "f8")])
    >>> recfunctions.structured_to_unstructured(points).sum(axis=0)
    array([4., 7.])
    """
    arr = _structured(arr)
    leaves = list(_leaves(arr.dtype))
    if not leaves and dtype is None:
        raise ValueError("arr has no fields. Unable to guess dtype")
    kind = np.result_type(*(leaf for leaf, _ in leaves)) if dtype is None else descr(dtype)
    if not leaves:
        return empty((*arr.shape, 0), kind)
    packed = [(kind, i * kind.itemsize) for i in range(len(leaves))] == leaves
    whole = packed and arr.itemsize == len(leaves) * kind.itemsize and arr.flags.c_contiguous
    if whole and not copy:
        return arr.reshape(*arr.shape, 1).view(kind)
    return concatenate(list(_columns(arr)), axis=-1, dtype=kind, casting=casting)


def _fill(dst: ndarray, src: ndarray) -> None:
    """Write numbers along the last axis of `src` into the fields of `dst`."""
    at, names, fields = 0, dst.dtype.names, dst.dtype.fields
    for name in names or ():
        field = dst[name]
        count = sum(1 for _ in _leaves(fields[name][0])) if fields else 0
        part = src[..., at : at + count]
        at += count
        if field.dtype.names is None:
            field[...] = part.reshape(field.shape)
        else:
            _fill(field, part.reshape(*field.shape, len(list(_leaves(field.dtype)))))


def unstructured_to_structured(
    arr, dtype=None, names=None, align=False, copy=False, casting="unsafe"
) -> ndarray:  # fmt: skip
    """Return an array whose last axis became the fields of a structured dtype.

    Parameters
    ----------
    arr : ndarray
        Array of one dimension or more.
    dtype : dtype, optional
        Structured dtype, whose fields, nested ones and subarrays flattened, are as many as the last
        axis is long. By default each number is a field of the type of `arr`.
    names : sequence of str, optional
        Names of the fields where `dtype` is not given. By default 'f0', 'f1' and so on.
    align : bool, optional
        If True, and `dtype` is not given, fields are aligned as by a C compiler.
    copy : bool, optional
        Accepted for compatibility: the result is always a copy.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Rule that says which casts are allowed.

    Returns
    -------
    ndarray
        Structured array with one dimension less than `arr`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.lib import recfunctions
    >>> recfunctions.unstructured_to_structured(cp.ones((2, 2)), names=["x", "y"])["y"]
    array([1., 1.])
    """
    arr = as_array(arr)
    if arr.ndim == 0:
        raise ValueError("arr must have at least one dimension")
    n = arr.shape[-1]
    if n == 0:  # a structure without a field, which NumPy refuses too
        raise NotImplementedError("last axis with size 0 is not supported")
    if dtype is None:
        given = [f"f{i}" for i in range(n)] if names is None else list(names)
        if len(given) != n:
            raise ValueError("The length of the last dimension of arr must be equal to the number "
                             "of names")  # fmt: skip
        out = np.dtype([(name, arr.dtype) for name in given], align=align)
    elif names is not None:
        raise ValueError("don't supply both dtype and names")
    else:
        out = np.dtype(dtype)
        if out.names is None or len(list(_leaves(out))) != n:
            raise ValueError("The length of the last dimension of arr must be equal to the number "
                             "of fields in dtype")  # fmt: skip
    for leaf, _ in _leaves(out):
        if not np.can_cast(arr.dtype, leaf, casting):
            raise TypeError(
                f"Cannot cast array data from {arr.dtype!r} to {leaf!r} according to the rule "
                f"{casting!r}"
            )
    result = empty(arr.shape[:-1], out)
    _fill(result, arr)
    return result


def apply_along_fields(func: Callable[..., Any], arr) -> ndarray:
    """Apply a reduction to the fields of each element.

    Parameters
    ----------
    func : callable
        Function of an array with a parameter `axis`, such as `gpunp.mean`.
    arr : ndarray
        Structured array.

    Returns
    -------
    ndarray
        Result of `func` along the fields.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.lib import recfunctions
    >>> a = cp.asarray([(1, 2.0), (3, 5.0)], dtype=[("x", "i4"), ("y", "f8")])
    >>> recfunctions.apply_along_fields(cp.mean, a)
    array([1.5, 4. ])
    """
    return func(structured_to_unstructured(arr), axis=-1)


def assign_fields_by_name(dst, src, zero_unassigned=True) -> None:
    """Assign fields of one structured array to those of the same names in another one.

    Parameters
    ----------
    dst : ndarray
        Array that is written.
    src : ndarray
        Array that is read.
    zero_unassigned : bool, optional
        If True, fields of `dst` that `src` lacks are set to zero; otherwise they are left as they
        are.
    """
    if dst.dtype.names is None:
        dst[...] = src
        return
    for name in dst.dtype.names:
        if name in (src.dtype.names or ()):
            assign_fields_by_name(dst[name], src[name], zero_unassigned)
        elif zero_unassigned:
            dst[name] = 0


def require_fields(array, required_dtype) -> ndarray:
    """Return a structured array with the fields of a dtype, which are found by their names.

    Parameters
    ----------
    array : ndarray
        Structured array.
    required_dtype : dtype
        Dtype of the result.

    Returns
    -------
    ndarray
        New array. Fields that `array` lacks are zero.
    """
    array = as_array(array)
    result = empty(array.shape, required_dtype)
    assign_fields_by_name(result, array)
    return result


def repack_fields(a, align=False, recurse=False):
    """Return an array, or a dtype, without gaps between its fields.

    Parameters
    ----------
    a : ndarray or dtype
        Structured array or dtype.
    align : bool, optional
        If True, fields are aligned as by a C compiler.
    recurse : bool, optional
        If True, the fields of nested structures are repacked as well.

    Returns
    -------
    ndarray or dtype
        Copy of the array, or the array itself if its dtype stays the same.
    """
    if not isinstance(a, ndarray):
        return _numpy.repack_fields(a, align, recurse)
    return a.astype(_numpy.repack_fields(a.dtype, align, recurse), copy=False)


def rename_fields(base, namemapper) -> ndarray:
    """Return a view of a structured array whose fields have other names.

    Parameters
    ----------
    base : ndarray
        Structured array.
    namemapper : dict
        New names by old ones; nested fields too.

    Returns
    -------
    ndarray
        View of the same memory.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.lib import recfunctions
    >>> a = cp.zeros(2, dtype=[("x", "i4"), ("y", "f8")])
    >>> recfunctions.rename_fields(a, {"x": "time"}).dtype.names
    ('time', 'y')
    """
    return base.view(_numpy.rename_fields(np.empty(0, base.dtype), namemapper).dtype)
