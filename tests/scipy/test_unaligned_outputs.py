"""Outputs in unaligned memory: kernels write an aligned copy, which is then copied back."""

import numpy as np
import pytest

import gpunp as cp
from gpunp.scipy import ndimage

IMAGE = np.arange(48.0).reshape(6, 8) % 7


def unaligned(shape, dtype):
    """Zeros, one byte beside an aligned address."""
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return cp.zeros(n + 1, "u1")[1:].view(dtype).reshape(shape)


# One for each kernel that writes to an output of the user.
CALLS = {
    "correlate1d": lambda a, out: ndimage.correlate1d(a, [1, 2, 1], output=out),
    "correlate": lambda a, out: ndimage.correlate(a, cp.ones((2, 3)), output=out),
    "uniform_filter": lambda a, out: ndimage.uniform_filter(a, 3, output=out),
    "median_filter": lambda a, out: ndimage.median_filter(a, 3, output=out),
    "spline_filter": lambda a, out: ndimage.spline_filter(a, output=out),
    "shift": lambda a, out: ndimage.shift(a, 1.5, output=out),
    "fourier_gaussian": lambda a, out: ndimage.fourier_gaussian(a, 1.5, output=out),
    "label": lambda a, out: ndimage.label(a > 2, output=out),
    "distance_transform_edt": lambda a, out: ndimage.distance_transform_edt(a > 2, distances=out),
}


@pytest.mark.parametrize("name", CALLS)
def test_unaligned_outputs(name):
    a = cp.asarray(IMAGE)
    dtype = "i4" if name == "label" else "f8"
    expected, out = cp.zeros(a.shape, dtype), unaligned(a.shape, dtype)
    CALLS[name](a, expected)
    CALLS[name](a, out)
    assert expected.any()
    assert out.tolist() == expected.tolist()


def test_unaligned_indices_of_a_distance_transform():
    a = cp.asarray(IMAGE) > 2
    expected = ndimage.distance_transform_edt(a, return_distances=False, return_indices=True)
    out = unaligned((2, 6, 8), "i4")
    ndimage.distance_transform_edt(a, return_distances=False, return_indices=True, indices=out)
    assert out.tolist() == expected.tolist()
