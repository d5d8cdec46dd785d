"""Limits of dtypes. NumPy's finfo and iinfo, which also take a device array here."""

from typing import Any

import numpy as np

from .._C import ndarray

__all__ = ["finfo", "iinfo"]


def finfo(dtype: Any) -> Any:
    """Machine limits of a floating dtype; arrays and numbers count by their dtype.

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


def iinfo(int_type: Any) -> np.iinfo[Any]:
    """Machine limits of an integer dtype; arrays count by their dtype."""
    return np.iinfo(int_type.dtype if isinstance(int_type, ndarray) else int_type)
