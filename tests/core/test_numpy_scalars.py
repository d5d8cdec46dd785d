"""NumPy's scalars on the left of an operator: NumPy asks __array_ufunc__, comparisons with an array
of no dimensions instead of the scalar."""

import operator

import numpy as np
import pytest
from check import check

import gpunp as cp

SCALARS = [
    np.float64(2), np.float32(2), np.float16(2), np.int64(2), np.int8(2), np.uint8(2),
    np.bool_(True), np.complex64(2),
]  # fmt: skip


@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
@pytest.mark.parametrize(
    "name", ["lt", "le", "eq", "ne", "gt", "ge", "add", "mul", "truediv", "pow"]
)
def test_scalar_on_the_left(name, scalar):
    check(lambda xp: getattr(operator, name)(scalar, xp.asarray([1, 2, 3])))
    check(lambda xp: getattr(operator, name)(scalar, xp.asarray([1.0, 2, 3], dtype="f4")))


def test_an_array_without_dimensions_is_a_scalar_to_numpys_ufuncs():
    assert (np.less(np.array(2.0), cp.arange(4)) == cp.asarray([False, False, False, True])).all()
    assert np.add(np.array(2.0), cp.ones(2, "f4")).dtype == np.float64
    for refused in (np.ones(1), np.ones(3)):
        with pytest.raises(TypeError):
            np.less(refused, cp.arange(3))
