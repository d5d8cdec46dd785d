"""Filters with rectangular windows over the last two axes, which hold their windows in shared memory."""

import numpy as np
import pytest
import scipy.ndimage as theirs
from images import MODES, compare, image

import gpunp as cp
from gpunp.scipy import ndimage as ours


@pytest.mark.parametrize(
    "window", [(2, 2), (3, 7), (7, 3), (4, 4), (5, 5), (7, 7), (2, 7)], ids=str
)
def test_ranks(window, rng):
    a = image((67, 70), "f", rng)
    places = window[0] * window[1]
    for i, rank in enumerate([0, places // 2, places - 1]):
        compare("rank_filter", a, rank, window, mode=MODES[i], cval=0.25)


@pytest.mark.parametrize("dtype", "?bHiLfd")
def test_ranks_of_types(dtype, rng):
    compare("median_filter", image((35, 66), dtype, rng), 3, mode="mirror")
    compare("percentile_filter", image((2, 33, 34), dtype, rng), 40, (1, 4, 5))


@pytest.mark.parametrize("window", [(2, 3), (3, 3), (5, 4), (16, 2), (11, 32), (17, 3)], ids=str)
@pytest.mark.parametrize("dtype", "fdFB")
def test_sums(window, dtype, rng):
    weights = rng.normal(size=window)
    compare("correlate", image((67, 70), dtype, rng), weights, "F" if dtype == "F" else "f")
    compare("convolve", image((2, 33, 34), dtype, rng), weights[None], mode="wrap")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["sobel", "prewitt", "laplace"])
def test_edges_of_images(name, mode, rng):
    for dtype in "fd":
        a = image((35, 66), dtype, rng)
        compare(name, a, mode=mode, cval=2.0)
        compare(name, a, mode=mode)
    compare(name, image((35, 66), "B", rng), output="f", mode=mode)


@pytest.mark.parametrize("name", ["sobel", "prewitt", "laplace"])
def test_infinities(name, rng):
    a = image((9, 10), "d", rng)
    a[4, 4], a[7, 2], a[0, 9] = np.inf, np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        desired = getattr(theirs, name)(a)
    actual = cp.asnumpy(getattr(ours, name)(cp.asarray(a)))
    np.testing.assert_allclose(actual, desired, rtol=1e-13, atol=1e-13)


def test_result_over_the_image(rng):
    a = image((40, 41), "f", rng)
    for name, args in [("median_filter", (5,)), ("sobel", ()), ("convolve", (np.ones((3, 3)),))]:
        x = cp.asarray(a)
        getattr(ours, name)(x, *args, output=x)
        np.testing.assert_array_equal(
            cp.asnumpy(x), cp.asnumpy(getattr(ours, name)(cp.asarray(a), *args))
        )


@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (65, 64), (130, 129), (2, 70, 67)], ids=str)
def test_windows_along_both_axes(shape, rng):
    a = image(shape, "f", rng)
    for i, size in enumerate([2, 9, (17, 3), (4, 33), 34]):
        window = size if len(shape) == 2 or isinstance(size, int) else (1, *size)
        compare("uniform_filter", a, window, mode=MODES[i], cval=0.0)
        compare("maximum_filter", a, window, mode=MODES[-i], cval=0.5)
    compare("gaussian_filter", a, 2.5, mode="constant")
    compare("gaussian_filter", a, (0.5, 3)[: a.ndim] if a.ndim == 2 else (0, 1, 3), order=1)


@pytest.mark.parametrize("dtype", "?bBhHiIlLfd")
def test_extremes_of_types(dtype, rng):
    a = image((70, 67), dtype, rng)
    compare("minimum_filter", a, (3, 5), mode=("wrap", "mirror"), origin=(1, -2))
    compare("maximum_filter", a, 4, mode="constant", cval=1.5)
    compare("grey_opening", a, (9, 8))


def test_constants_and_modes_of_two_axes(rng):
    a = image((40, 70), "d", rng)
    for name, args in [("gaussian_filter", (1.0,)), ("uniform_filter", (5,))]:
        compare(name, a, *args, mode="constant", cval=2.5)
        compare(name, a, *args, mode=("nearest", "wrap"))
        compare(name, a, *args, output="f", mode=("constant", "mirror"))
        compare(name, image((40, 70), "B", rng), *args)
