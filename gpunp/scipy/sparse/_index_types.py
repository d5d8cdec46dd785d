"""Types of the indices of sparse matrices."""

import numpy as np

from ..._core._convert import as_host
from ..._core.multiarray import ndarray

__all__ = ["get_index_dtype", "safely_cast_index_arrays"]

_LARGEST = np.iinfo(np.int32).max
_INDICES = {  # attributes that hold the indices of a format
    "bsr": ("indices", "indptr"),
    "coo": ("coords",),
    "csc": ("indices", "indptr"),
    "csr": ("indices", "indptr"),
    "dia": ("offsets",),
}


def get_index_dtype(arrays=(), maxval=None, check_contents=False):
    """Choose int32 or int64 for indices, by those that are given and the largest one.

    Parameters
    ----------
    arrays : ndarray or tuple of ndarrays, optional
        Arrays of indices, on the device or on the host.
    maxval : int, optional
        Largest index that the type has to hold.
    check_contents : bool, optional
        If True, arrays of 64-bit integers that have small values count as int32; reading their
        least and largest value waits for the device.

    Returns
    -------
    type
        numpy.int32 if it can hold everything, otherwise numpy.int64.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.get_index_dtype(maxval=2**40)
    <class 'numpy.int64'>
    """
    if maxval is not None and maxval > _LARGEST:
        return np.int64
    for array in (arrays,) if isinstance(arrays, (ndarray, np.ndarray)) else arrays:
        array = array if isinstance(array, ndarray) else as_host(array)
        if np.can_cast(array.dtype, np.int32):
            continue
        is_small = check_contents and array.dtype.kind in "iu" and _fits(array, np.int32)
        if not is_small:
            return np.int64
    return np.int32


def _fits(array, dtype):
    """Whether the values of an array of integers are values of a type; waits for the device."""
    info = np.iinfo(dtype)
    if array.size == 0 or (
        np.iinfo(array.dtype).min >= info.min and np.iinfo(array.dtype).max <= info.max
    ):
        return True
    return info.min <= int(array.min()) and int(array.max()) <= info.max


def safely_cast_index_arrays(A, idx_dtype=np.int32, msg=""):
    """Return the indices of a sparse matrix in another type, if it can hold them.

    Casting to a smaller type compares the values, which waits for the device.

    Parameters
    ----------
    A : sparse array or matrix
        Matrix of format bsr, coo, csc, csr or dia; it is not changed.
    idx_dtype : dtype, optional
        Type of integers that is wanted.
    msg : str, optional
        Words for the error message, in place of the type.

    Returns
    -------
    ndarray or tuple of ndarrays
        `offsets` of format dia, `coords` of format coo, otherwise `indices` and `indptr`; those of
        that type already are returned as they are.

    Raises
    ------
    ValueError
        If a value does not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> indices, indptr = sparse.safely_cast_index_arrays(sparse.eye_array(3).tocsr(), cp.int16)
    >>> indptr
    array([0, 1, 2, 3], dtype=int16)
    """
    if getattr(A, "format", None) not in _INDICES:
        raise TypeError(f"{type(A).__name__} has no arrays of indices")
    cast = []
    for name in _INDICES[A.format]:
        held = getattr(A, name)
        for array in held if isinstance(held, tuple) else (held,):
            if not _fits(array, idx_dtype):
                raise ValueError(f"{name} values too large for {msg or f'dtype {idx_dtype}'}")
            cast.append(array.astype(idx_dtype, copy=False))
    return cast[0] if A.format == "dia" else tuple(cast)
