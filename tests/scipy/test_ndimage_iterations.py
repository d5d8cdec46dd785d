"""Many steps of binary erosions and dilations, whose images come back after some."""

import numpy as np
import pytest
import scipy.ndimage as theirs

import gpunp as cp
from gpunp.scipy import ndimage as ours


@pytest.mark.parametrize("border", [0, 1])
@pytest.mark.parametrize("iterations", [1000, 1001, 1117])
def test_many_steps(iterations, border, rng):
    structure, image = rng.random((3, 3)) < 0.4, rng.random((6, 7)) < 0.2
    for name in ("binary_dilation", "binary_erosion"):
        desired = getattr(theirs, name)(image, structure, iterations, border_value=border)
        actual = getattr(ours, name)(
            cp.array(image), cp.array(structure), iterations, border_value=border
        )
        assert (actual.get() == desired).all()


def test_a_shift_around_a_circle_of_three():
    """Steps forth by one and back by two: from some step on, every third image is the same."""
    structure, image = cp.array([1, 0, 0, 1, 0], bool), cp.arange(9) == 4
    few, many = (ours.binary_dilation(image, structure, n) for n in (90, 90 + 3 * 10**29))
    assert (few == many).all()


def test_a_structure_without_axes():
    assert ours.iterate_structure(0.5, 10**30).item()
    assert np.ndim(ours.iterate_structure(0.5, 10**30)) == 0


@pytest.mark.parametrize("shape", [(3,), (4,), (3, 3), (2, 3), (1, 3), (2, 1, 3)])
@pytest.mark.parametrize("iterations", [17, 18, 23, 40])
def test_many_iterations_of_a_structure(shape, iterations):
    rng = np.random.default_rng(iterations)
    structure = rng.random(shape) < 0.5
    actual = ours.iterate_structure(cp.asarray(structure), iterations)
    np.testing.assert_array_equal(actual.get(), theirs.iterate_structure(structure, iterations))


def test_a_thousand_iterations_of_a_structure():
    result = ours.iterate_structure(ours.generate_binary_structure(2, 1), 1000)
    assert result.shape == (2001, 2001)
    assert int(result.sum()) == 2 * 1000 * 1001 + 1  # a diamond
