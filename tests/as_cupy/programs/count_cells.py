"""Cells of a noisy image counted, measured and told apart, by the same pipeline as SciPy's."""

import cupy as cp
import numpy as np
import scipy.ndimage
from cupyx.scipy import ndimage


def measure(xp, nd, image):
    smooth = nd.gaussian_filter(image, 1.5)
    cells = nd.binary_opening(smooth > 0.5, structure=xp.ones((3, 3)))
    cells = nd.binary_fill_holes(cells)
    labels, count = nd.label(cells)
    numbers = xp.arange(1, count + 1)
    sizes = nd.sum_labels(xp.ones_like(smooth), labels, numbers)
    brightest = nd.maximum(smooth, labels, numbers)
    places = xp.asarray(nd.center_of_mass(smooth, labels, numbers))
    widths = nd.maximum(nd.distance_transform_edt(cells), labels, numbers)
    edges = xp.hypot(nd.sobel(smooth, 0), nd.sobel(smooth, 1))
    profile = nd.map_coordinates(smooth, xp.stack([xp.linspace(0, 47, 20)] * 2), order=1)
    turned = nd.rotate(smooth, 15, reshape=False, order=1)
    return count, labels, sizes, brightest, places, widths, edges, profile, turned


y, x = np.mgrid[:48, :60]
image = np.zeros((48, 60), np.float32)
for row, column, radius in ((11, 15, 5), (32, 26, 7), (20, 47, 6)):
    image[(y - row) ** 2 + (x - column) ** 2 < radius**2] = 1
image[31:34, 25:28] = -1  # a hole
image += np.random.RandomState(0).normal(0, 0.15, image.shape).astype("f4")

want = measure(np, scipy.ndimage, image)
got = measure(cp, ndimage, cp.asarray(image))
assert got[0] == want[0] == 3
for ours, theirs in zip(got[1:], want[1:], strict=True):
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=1e-4, atol=1e-4)
