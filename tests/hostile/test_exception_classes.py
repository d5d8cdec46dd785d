"""Classes of exceptions that long runs of hostile calls found to differ from NumPy's or SciPy's."""

import numpy as np
import pytest
import scipy.fft
import scipy.interpolate
import scipy.sparse
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


@pytest.mark.parametrize("out", [5, (None,)], ids=repr)
def test_choose_into_what_is_no_array(out):
    for module in (np, cp):
        with pytest.raises(TypeError):
            module.choose([0, 1], [module.ones(2), module.zeros(2)], out)


@pytest.mark.parametrize("function", ["nanvar", "nanstd"])
def test_mean_of_integers_is_given(function):
    check(lambda xp: getattr(xp, function)(xp.arange(6).reshape(3, 2), 0, mean=xp.ones((1, 2))))


@pytest.mark.parametrize("function", ["cspline1d_eval", "qspline1d_eval"])
def test_splines_of_no_coefficients(function):
    with pytest.raises(ValueError, match="at least one coefficient"):
        getattr(gpunp.scipy.signal, function)(cp.zeros((3, 0, 2)), cp.ones(3))


@pytest.mark.parametrize("tck", [range(3), ([], [], 1), (range(8), [1.0], 3), (range(8), 1.0, 1)])
def test_splines_of_parts_that_do_not_fit(tck):
    for function in ("splev", "spalde"):
        with pytest.raises(ValueError, match="tck needs"):
            getattr(gpunp.scipy.interpolate, function)(cp.ones(2), tck)


@pytest.mark.parametrize("tck", [{1: 2}, {}, np.dtype("f8")], ids=repr)
@pytest.mark.parametrize("function", ["splder", "splantider"])
def test_splines_of_what_has_no_parts(function, tck):
    check(lambda xp: getattr(SCIPY[xp.__name__].interpolate, function)(tck))


@pytest.mark.parametrize("axes", [(2, 0), (0, -3), (0.5, 0), ("0", 1)], ids=repr)
def test_axes_of_sparse_arrays_that_there_are_not(axes):
    for module in (scipy.sparse, gpunp.scipy.sparse):
        with pytest.raises(ValueError, match="Invalid axis"):
            module.swapaxes(module.coo_array((2, 3)), *axes)


def test_shape_of_a_sparse_matrix_in_a_dict():
    with pytest.raises(TypeError):
        gpunp.scipy.sparse.coo_matrix(cp.ones((2, 2)), {"a": [1]})


def test_differences_of_nothing_end():
    assert cp.diff(cp.ones((2, 3)), 2**31).shape == (2, 0)


def test_unaligned_fields_of_records():
    wave = cp.zeros(9, "f4,f8")
    wave["f1"] = cp.array([0.0, 1, 0, 2, 0, 3, 0, 1, 0])
    peaks = cp.array([3, 5])
    widths = gpunp.scipy.signal.peak_widths(wave["f1"], peaks)[0]
    exact = gpunp.scipy.signal.peak_widths(wave["f1"].copy(), peaks)[0]
    assert (widths == exact).all()


def test_labels_to_measure_that_are_no_numbers():
    with pytest.raises(TypeError, match="index must be real numbers"):
        gpunp.scipy.ndimage.maximum(cp.array([5, 6]), cp.array([1, 2]), "clip")
