"""Filters of an image with both libraries' functions for it."""

import cupy as cp
import numpy as np
import scipy.signal
from cupyx.scipy import ndimage, signal

image = np.random.default_rng(1).random((32, 40)).astype(np.float32)
box = np.ones((3, 3), dtype=np.float32) / 9
d_image, d_box = cp.asarray(image), cp.asarray(box)
blurred = signal.convolve2d(d_image, d_box, mode="same", boundary="symm")
expected = scipy.signal.convolve2d(image, box, mode="same", boundary="symm")
np.testing.assert_allclose(cp.asnumpy(blurred), expected, rtol=1e-5)
again = ndimage.uniform_filter(d_image, 3, mode="reflect")
np.testing.assert_allclose(again.get(), expected, rtol=1e-5)
edges = cp.hypot(ndimage.sobel(d_image, 0), ndimage.sobel(d_image, 1))
labels, count = ndimage.label(edges > edges.mean())
assert int(labels.max()) == int(count)
