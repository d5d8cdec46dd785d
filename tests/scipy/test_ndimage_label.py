"""Connected components against SciPy: dimensions, structures, densities, outputs, errors."""

import numpy as np
import pytest
import scipy.ndimage as theirs

import gpunp as cp
from gpunp.scipy import ndimage as ours

SHAPES = [
    (),
    (1,),
    (500,),
    (1, 1),
    (40, 33),
    (33, 1, 40),
    (3, 300),
    (300, 3),
    (96, 64),
    (9, 10, 11),
    (3, 4, 2, 5),
]


def compare(a, *args, **kwargs):
    desired, count = theirs.label(a, *args, **kwargs)
    actual, found = ours.label(cp.asarray(a), *args, **kwargs)
    assert (actual.dtype, actual.shape, found, type(found)) == (desired.dtype, a.shape, count, int)
    np.testing.assert_array_equal(actual.get(), desired)


@pytest.mark.parametrize("density", [0.1, 0.4, 0.55, 0.9, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_densities(shape, density, rng):
    a = rng.random(shape) < density
    for connectivity in range(1, len(shape) + 1):
        compare(a, theirs.generate_binary_structure(len(shape), connectivity))
    compare(np.asarray(a))


@pytest.mark.parametrize("bits", range(16))
def test_structures(bits, rng):
    half = [bits >> k & 1 for k in range(4)]
    for middle in (0, 1):
        structure = np.reshape([*half, middle, *half[::-1]], (3, 3))
        for shape in ((17, 70), (70, 17), (66, 97)):
            compare(rng.random(shape) < 0.5, structure)


@pytest.mark.parametrize("shape", [(64, 96), (65, 96), (33, 36), (70, 47), (96, 31)])
def test_tiles(shape, rng):
    """Rows that are read as words or byte by byte, and bytes beyond 1."""
    n = shape[0] * shape[1]
    raw = rng.integers(1, 256, n + 16).astype("u1") * (rng.random(n + 16) < 0.6)
    for first in (0, 1, 8, 16):
        a = raw[first : first + n].reshape(shape)
        for structure in (None, np.ones((3, 3), int)):
            desired, count = theirs.label(a != 0, structure)
            x = cp.asarray(raw)[first : first + n].reshape(shape).view(bool)
            actual, found = ours.label(x, structure)
            assert found == count
            np.testing.assert_array_equal(actual.get(), desired)


def test_long_chains():
    """Combs, whose teeth meet at the end alone, and stairs."""
    a = np.zeros((70, 130), bool)
    a[:, ::2] = a[-1] = True
    compare(a)
    compare(a[::-1])
    stairs = np.add.outer(np.arange(70), np.arange(130)) // 2 % 2 == 0
    for structure in (None, np.ones((3, 3), int)):
        compare(stairs, structure)
        compare(stairs[:, ::-1], structure)


def test_a_spiral():
    a = np.zeros((65, 65), bool)
    for k in range(0, 32, 2):
        a[k, k : 65 - k] = a[64 - k, k : 65 - k] = True
        a[k : 65 - k, k] = a[k : 65 - k, 64 - k] = True
        if k < 30:
            a[k + 1, k + 1] = True
    compare(a)
    compare(a.T)
    compare(~a)


@pytest.mark.parametrize("dtype", "?bBhIqfd")
def test_types_and_layouts(dtype, rng):
    a = rng.integers(0, 2, (20, 30)).astype(dtype)
    compare(a)
    x = cp.asarray(a)
    for ours_view, view in ((x.T, a.T), (x[::-1, ::2], a[::-1, ::2])):
        np.testing.assert_array_equal(ours.label(ours_view)[0].get(), theirs.label(view)[0])


def test_outputs(rng):
    a = rng.random((9, 20)) < 0.5
    for dtype in ("u1", "i2", "i8", "f4", "f8", bool):
        compare(a, output=dtype)
    out = cp.zeros((20, 9), "i2").T
    count = ours.label(cp.asarray(a), output=out)
    desired, n = theirs.label(a)
    assert count == n
    np.testing.assert_array_equal(out.get(), desired)
    assert ours.label(cp.zeros((0, 3)))[1] == 0


def test_structure_of_the_device(rng):
    a = rng.random((9, 20)) < 0.5
    actual, _ = ours.label(cp.asarray(a), cp.ones((3, 3)))
    np.testing.assert_array_equal(actual.get(), theirs.label(a, np.ones((3, 3)))[0])


WRONG = [
    (np.ones((3, 2)), None, ValueError),
    (np.ones(3), None, RuntimeError),
    ([[1, 0, 0], [0, 1, 0], [0, 0, 0]], None, RuntimeError),  # SciPy: AssertionError
    (None, "F", TypeError),
    (None, cp.zeros((3, 3)), ValueError),
]


@pytest.mark.parametrize("structure, output, error", WRONG)
def test_errors(structure, output, error):
    with pytest.raises(error):
        ours.label(cp.ones((3, 4)), structure, output)


def test_more_errors():
    with pytest.raises(TypeError, match="Complex"):
        ours.label(cp.ones((3, 4), complex))
    with pytest.raises(RuntimeError, match="bit-depth"):
        ours.label(cp.arange(600) % 2, output="u1")
    with pytest.raises(RuntimeError, match="8 axes at most"):
        ours.label(cp.ones((2,) * 9))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [(40,), (9, 11), (4, 5, 6), (0, 3), ()])
def test_watersheds(shape, dtype, rng):
    image = rng.integers(0, 20, shape).astype(dtype)
    markers = np.where(rng.random(shape) < 0.1, rng.integers(-2, 5, shape), 0).astype(np.int16)
    structure = theirs.generate_binary_structure(len(shape), 2)
    for arguments in ((), (structure,), (None, np.int64)):
        desired = theirs.watershed_ift(image, markers, *arguments)
        actual = ours.watershed_ift(cp.asarray(image), cp.asarray(markers), *arguments)
        assert actual.dtype == desired.dtype
        np.testing.assert_array_equal(actual.get(), desired)
    out = cp.zeros(shape, np.int32)
    assert ours.watershed_ift(cp.asarray(image), cp.asarray(markers), output=out) is out
    np.testing.assert_array_equal(out.get(), desired)


def test_watersheds_that_are_refused():
    image, markers = cp.zeros((4, 5), np.uint8), cp.ones((4, 5), int)
    with pytest.raises(TypeError):
        ours.watershed_ift(image.astype("f"), markers)
    for arguments in (
        (image, markers[:2]),
        (image, markers.astype("f")),
        (image, markers, np.ones((3, 2))),
        (image, markers, None, cp.zeros((4, 4), int)),
        (image, markers, None, cp.zeros((4, 5))),
    ):
        with pytest.raises(RuntimeError):
            ours.watershed_ift(*arguments)
