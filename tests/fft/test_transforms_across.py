"""Arrays large enough that axes which lie across are copied to the end first."""

import numpy as np
import pytest

import gpunp as cp

SHAPES = [((2, 8192, 33), 1), ((1500, 520), 0), ((5000, 60), 0), ((3, 1030, 257), 1)]


def compare(name, values, **arguments):
    """The result, whose axes may lie in any order but leave no gaps; and the same into `out`."""
    given = cp.asarray(values)
    ours = getattr(cp.fft, name)(given, **arguments)
    theirs = getattr(np.fft, name)(values, **arguments)
    order = sorted(range(ours.ndim), key=lambda axis: -ours.strides[axis])
    assert ours.dtype == theirs.dtype and ours.transpose(order).flags.c_contiguous
    eps = 1e-5 if theirs.dtype.char in "fF" else 1e-13
    out = cp.empty(theirs.shape, theirs.dtype)
    assert getattr(cp.fft, name)(given, out=out, **arguments) is out
    for result in (ours, out):
        np.testing.assert_allclose(result.get(), theirs, rtol=0, atol=eps * np.abs(theirs).max())
    assert (given.get() == values).all()
    return ours


def test_axes_across_become_the_fastest(rng):
    """One copy less: the result's own memory is where the rows were transformed."""
    values = (rng.normal(size=(40, 110, 300)) + 1j).astype("F")
    assert compare("fft", values, axis=1).strides == (110 * 300 * 8, 8, 110 * 8)
    assert compare("fftn", values, axes=(0, 1)).strides == (110 * 8, 8, 40 * 110 * 8)
    assert compare("fft", values, axis=2).flags.c_contiguous
    assert compare("fft", values[0], axis=0).flags.c_contiguous  # small, and one plan takes it


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_lines(shape, axis, rng):
    values = rng.normal(size=shape)
    compare("rfft", values, axis=axis)
    compare("ifft", values + 1j, axis=axis)
    compare("irfft", values.astype("F"), axis=axis)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_two_axes(axes, rng):
    values = rng.normal(size=(64, 65, 66))
    compare("fftn", values + 0.5j, axes=axes)
    compare("rfftn", values, axes=axes)
    compare("irfftn", values + 0j, axes=axes)


@pytest.mark.parametrize("n", [6, 12, 143, 257, 500, 729, 2401, 6561])
def test_every_way_along_the_first_axis(n, rng):
    """Where they lie, from there to rows, or by a copy: the length decides (csrc/lib/fft_way.c)."""
    values = rng.normal(size=(n, 600000 // n + 1))
    for type_ in ("f", "d"):
        real, spectrum = values.astype(type_), values.astype(type_) * (1 + 0.5j)
        compare("fft", spectrum, axis=0)
        compare("rfft", real, axis=0)
        compare("irfft", spectrum, axis=0, n=n)
        assert compare("ifft", spectrum.T.copy(), axis=1).flags.c_contiguous


def test_half_spectra_of_several_axes_turn_the_last_alone(rng):
    values = rng.normal(size=(40, 33, 300)) + 1j
    assert compare("irfftn", values, axes=(0, 1)).strides == (64 * 300 * 8, 8, 64 * 8)
    compare("irfftn", values.astype("F"), axes=(0, 1), s=(50, 60))


def test_an_input_that_may_be_overwritten_is_read_where_it_lies(rng):
    values = rng.normal(size=(257, 1100)) + 1j
    x = cp.asarray(values)
    ours = cp.scipy.fft.fft(x, axis=0, overwrite_x=True)
    np.testing.assert_allclose(ours.get(), np.fft.fft(values, axis=0), atol=1e-10)


def test_many_repetitions(rng):
    compare("fft", rng.normal(size=(40, 6, 7)) + 1j, axis=1)
    compare("rfft", rng.normal(size=(40, 7, 7)), axis=1)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (1, 2), (2, 0, 1), (0, 1, 2), (0, 2)])
def test_whole_spectra_of_real_arrays(axes, rng):
    for shape in ((64, 33, 40), (1, 300, 301), (300, 2, 150)):
        compare("fftn", rng.normal(size=shape), axes=axes, norm="ortho")
    compare("fftn", rng.normal(size=(64, 33, 40)).astype("f"), axes=axes, s=[50] * len(axes))


@pytest.mark.parametrize("norm", ["ortho", "forward", "backward"])
def test_scales_on_the_way(norm, rng):
    values = rng.normal(size=(70, 60, 66))
    compare("ifft", values + 1j, axis=1, norm=norm)
    compare("irfft", values + 1j, axis=0, norm=norm)
    compare("ifftn", values + 1j, axes=(0, 1), norm=norm)
    compare("hfft", values, axis=1, norm=norm)
    compare("ihfft", values, axis=1, norm=norm)
    compare("ifft", values, n=90, norm=norm)
