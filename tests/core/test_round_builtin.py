"""round(a): of single numbers as NumPy's scalars, of nothing else."""

import numpy as np
import pytest
from check import check

import gpunp as cp


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1"])
@pytest.mark.parametrize("digits", [(), (2,), (0,), (-1,), (None,)])
def test_of_single_numbers(dtype, digits):
    def body(xp):
        number = xp.asarray(np.array([37.567, 2.5], dtype))[0]
        return np.asarray(round(number, *digits)) if xp is np else round(number, *digits)

    check(body)


def test_of_sums():
    x = cp.asarray(np.array([0.111, 0.222]))
    got = round(x.sum(), 2)
    assert isinstance(got, cp.ndarray) and got.shape == () and float(got) == 0.33
    assert round(x.sum()) == 0 and type(round(x.sum())) is int


@pytest.mark.parametrize("value", [True, 1j, [1.5], np.nan, np.inf])
def test_errors_are_numpys(value):
    def body(xp):
        x = xp.asarray(np.asarray(value))
        return round(x[()] if xp is np else x)

    check(body)


@pytest.mark.parametrize("digits", [1.5, "a"])
def test_bad_digits(digits):
    check(lambda xp: round(xp.asarray(np.array([2.5]))[0], digits))
