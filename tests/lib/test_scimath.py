"""emath: real results where they exist, complex ones where not."""

import numpy as np
import pytest
from check import check

import gpunp as cp

UNARY = ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c16"])
@pytest.mark.parametrize("values", [[0.25, 0.5], [-2.0, 0.5], [3.0, -0.5]], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_complex_where_no_real_result_exists(name, values, dtype):
    x = np.array(values).astype(dtype)
    tolerance = 1e-5 if dtype == "f4" else 1e-12
    check(lambda xp: getattr(xp.emath, name)(xp.asarray(x)), rtol=tolerance, atol=tolerance)


def test_power_and_logn():
    for x, p in [([1.0, 2.0], 2), ([-1.0, 2.0], 0.5), ([2, 4], -2)]:
        check(lambda xp, x=x, p=p: xp.emath.power(xp.asarray(np.array(x)), p), rtol=1e-13)
    check(lambda xp: xp.emath.logn(2, xp.asarray(np.array([4.0, -8.0]))), rtol=1e-13)


def test_it_is_a_module_of_lib():
    assert cp.emath is cp.lib.scimath
