"""Pixels above the mean of their neighbourhood, by a reduction of each window."""

import cupy as cp
import cupyx.scipy.ndimage
import numpy as np
import scipy.ndimage

mean = cp.ReductionKernel(
    "T x", "T y", "x", "a + b", "y = a / _in_ind.size()", "0", "mean", options=("-std=c++11",)
)
normalise = cp.ElementwiseKernel(
    "T image, U flat, U dark",
    "float32 out",
    "out = (float(image) - float(dark)) / max(float(flat) - float(dark), eps)",
    "normalise",
    options=("-std=c++11",),
    loop_prep="constexpr float eps = 1e-6f;",
)

rng = np.random.default_rng(3)
raw = rng.integers(200, 1000, (30, 40)).astype("u2")
flat, dark = rng.uniform(900, 1000, raw.shape), rng.uniform(0, 10, raw.shape)
image = (raw - dark.astype("f4")) / (flat.astype("f4") - dark.astype("f4"))
ours = normalise(cp.asarray(raw), cp.asarray(flat), cp.asarray(dark))
assert cp.allclose(ours, image, rtol=1e-5)  # one of the device and one of the host

ours = ours.astype("f8")
image = ours.get()
local = cupyx.scipy.ndimage.generic_filter(ours, mean, 5)
expected = scipy.ndimage.generic_filter(image, np.mean, 5)
assert np.allclose(expected, local)
mask = ours > local
labels, count = cupyx.scipy.ndimage.label(mask)
assert int(count) == scipy.ndimage.label(mask.get())[1]

del ours, local, mask, labels
cp._default_memory_pool.free_all_blocks()
print(count, "regions")
