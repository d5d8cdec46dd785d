"""Classes of exceptions that long runs of hostile calls found to differ from NumPy's or SciPy's."""

import numpy as np
import pytest
import scipy.fft
import scipy.special
from check import check

import gpunp as cp
import gpunp.scipy

SCIPY = {"numpy": scipy, "gpunp": gpunp.scipy}


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]"])
@pytest.mark.parametrize("sparse", [False, True])
def test_indices_as_times(dtype, sparse):
    check(lambda xp: xp.indices((3, 2), dtype, sparse))


def test_shuffle_of_a_state_has_no_axis():
    for module in (np, cp):
        with pytest.raises(TypeError):
            module.random.shuffle(module.ones((2, 2)), 1)


@pytest.mark.parametrize("norm", [[1, "a"], {}, "ortho ", 5], ids=repr)
def test_norm_that_is_none(norm):
    check(lambda xp: SCIPY[xp.__name__].fft.ihfft(xp.ones((2, 2)), norm=norm))


def test_transform_along_no_axis():
    check(lambda xp: SCIPY[xp.__name__].fft.fft(xp.ones(3), axis=None))


@pytest.mark.parametrize("degree", ["C", b"ab", bytearray(4), -1, 2.5, -np.inf], ids=repr)
def test_degree_that_is_none(degree):
    check(lambda xp: SCIPY[xp.__name__].special.chebyt(degree))


def test_degree_that_is_an_array():
    check(lambda xp: SCIPY[xp.__name__].special.legendre(xp.ones(3)))
