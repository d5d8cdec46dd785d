"""Two discs in noise: a threshold by Otsu's method, opened, labelled and measured."""

import cupy as cp
import cupyx.scipy.ndimage as ndi

y, x = cp.mgrid[:96, :128]
image = cp.random.RandomState(0).rand(96, 128).astype("f4")
for (row, column), radius in (((40, 50), 14), ((70, 100), 10)):
    image += 2 * ((y - row) ** 2 + (x - column) ** 2 < radius**2)
smooth = ndi.gaussian_filter(image, sigma=(2, 2), mode="reflect")

counts, edges = cp.histogram(smooth, bins=256)
share = counts / counts.sum()
weight = cp.cumsum(share)
mean = cp.cumsum(share * (edges[:-1] + edges[1:]) / 2)
between = (mean[-1] * weight - mean) ** 2 / cp.maximum(weight * (1 - weight), 1e-12)
threshold = edges[int(cp.argmax(between))]

mask = ndi.binary_opening(smooth > threshold, structure=cp.ones((3, 3), bool))
labels, n = ndi.label(mask)
assert n == 2
centres = cp.array(ndi.center_of_mass(mask, labels, cp.arange(1, n + 1)))
cp.testing.assert_allclose(centres, [[40, 50], [70, 100]], atol=1.0)
areas = ndi.sum(mask, labels, cp.arange(1, n + 1))
cp.testing.assert_allclose(areas, cp.pi * cp.array([14.0, 10.0]) ** 2, rtol=0.2)
distances = ndi.distance_transform_edt(mask)
peaks = (distances == ndi.maximum_filter(distances, size=15)) & (distances > 5)
assert peaks.sum() >= 2
nine = cp.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "nine")
sums = ndi.generic_filter(image, nine, size=3)[1:-1, 1:-1]
cp.testing.assert_allclose(sums, 9 * ndi.uniform_filter(image, 3)[1:-1, 1:-1], rtol=1e-3)
# A filter whose width is a number that a reduction gave.
assert ndi.gaussian_filter(image, image.std(), mode="constant", cval=image.mean()).shape == (
    96,
    128,
)
