"""How the functions of scipy.linalg take matrices."""

from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import ndarray
from ...linalg._triangular import refuse_infinite


def single(a: Any) -> ndarray:
    """`a` as an array, one of float16 as float32, in which SciPy computes."""
    a = as_array(a)
    return a.astype(np.float32) if a.dtype.char == "e" else a


def given(check_finite: bool, *arrays: Any) -> tuple[ndarray, ...]:
    """Arrays as `single` has them; ValueError for infinities and NaN if they are looked for."""
    taken = tuple(map(single, arrays))
    if check_finite:
        refuse_infinite(*taken)
    return taken
