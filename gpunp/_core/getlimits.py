"""Limits of dtypes. NumPy's finfo and iinfo, which also take a device array here."""

from typing import Any

import numpy as np

from .._C import ndarray

__all__ = ["finfo", "iinfo"]


def finfo(dtype: Any) -> Any:
    """Return the machine limits of a floating-point dtype.

    Parameters
    ----------
    dtype : dtype or ndarray
        Floating or complex type, or an array or number that has one.

    Returns
    -------
    finfo
        NumPy's object, or that of ml_dtypes for bfloat16.

    Raises
    ------
    ValueError
        If the type is not inexact.

    Examples
    --------
    >>> import gpunp as cp
    >>> float(cp.finfo(cp.float16).max)
    65504.0
    """
    if isinstance(dtype, (float, complex)):
        dtype = type(dtype)
    dtype = np.dtype(dtype.dtype if isinstance(dtype, ndarray) else dtype)
    if dtype.name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(dtype)
    return np.finfo(dtype)


def iinfo(int_type: Any) -> "np.iinfo[Any]":  # a generic type since NumPy 2.1
    """Return the machine limits of an integer dtype.

    Parameters
    ----------
    int_type : dtype or ndarray
        Integer type, or an array that has one.

    Returns
    -------
    numpy.iinfo
        Object with the attributes `min`, `max`, `bits` and `dtype`.

    Raises
    ------
    ValueError
        If the type is not an integer type.
    """
    return np.iinfo(int_type.dtype if isinstance(int_type, ndarray) else int_type)
