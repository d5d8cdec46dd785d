"""What csrc/tables/dtypes.def says of a dtype."""

from typing import Any

import numpy as np

from .._C import dtype_table

ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in dtype_table()}
_DOUBLE = {"class": "", "real": "float64", "complex": "complex128"}


def class_of(dtype: np.dtype[Any]) -> str:
    """The letter of a dtype's class: ? bool, i signed, u unsigned, f floating, c complex."""
    return ROWS.get(dtype.name, _DOUBLE)["class"]


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype that holds a dtype's values."""
    return np.dtype(ROWS.get(dtype.name, _DOUBLE)["complex"])


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that expressions in kernels see."""
    computed = ROWS[dtype.name]["compute"] if dtype.name in ROWS else dtype.name
    return dtype if computed == dtype.name else np.dtype(computed)


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a transform's real numbers: of the parts of its complex dtype."""
    return np.dtype(ROWS[complex_dtype(dtype).name]["real"])
