"""Layers of a network: windows as columns, a step of Adam in place, an embedding's gradient."""

import cupy as cp
import cupyx
import numpy as np
import scipy.signal


@cp.memoize(for_each_device=True)
def im2col_kernel():
    return cp.ElementwiseKernel(
        "raw T img, int32 h, int32 w, int32 out_h, int32 out_w, int32 k, int32 pad",
        "T col",
        """
        int channel = i / (k * k * out_h * out_w);
        int ky = i / (k * out_h * out_w) % k, kx = i / (out_h * out_w) % k;
        int y = ky + i / out_w % out_h - pad, x = kx + i % out_w - pad;
        col = y >= 0 && y < h && x >= 0 && x < w ? img[x + w * (y + h * channel)] : T(0);
        """,
        "im2col",
    )


def convolve(images, weights):
    (n, channels, h, w), k = images.shape, weights.shape[-1]
    columns = cp.empty((n, channels, k, k, h, w), images.dtype)
    im2col_kernel()(images.reduced_view(), h, w, h, w, k, k // 2, columns)
    return cp.tensordot(columns, weights, ((1, 2, 3), (1, 2, 3))).transpose(0, 3, 1, 2)


images = cp.random.rand(2, 3, 6, 7).astype("f4")
weights = cp.random.rand(4, 3, 3, 3).astype("f4")
result = convolve(images, weights)
pairs = zip(images[0].get(), weights[1].get(), strict=True)
desired = sum(scipy.signal.correlate2d(image, weight, "same") for image, weight in pairs)
cp.testing.assert_allclose(result[0, 1], desired, rtol=1e-4)

adam = cp.ElementwiseKernel(
    "T grad, T rate, T one_minus_b1, T one_minus_b2, T eps",
    "T param, T m, T v",
    """
    m += one_minus_b1 * (grad - m);
    v += one_minus_b2 * (grad * grad - v);
    param -= rate * m / (sqrt(v) + eps);
    """,
    "adam",
)
param, m, v = cp.ones(5, "f4"), cp.zeros(5, "f4"), cp.zeros(5, "f4")
adam(cp.arange(5, dtype="f4"), 1e-2, 0.1, 0.001, 1e-8, param, m, v)
step = 1e-2 * 0.1 / np.sqrt(0.001)
cp.testing.assert_allclose(param, [1, *[1 - step] * 4], rtol=1e-5)

gradient = cp.zeros((10, 4), "f4")
cupyx.scatter_add(gradient, cp.array([1, 2, 1]), cp.ones((3, 4), "f4"))
assert gradient.sum(axis=1).get().tolist() == [0, 8, 4, 0, 0, 0, 0, 0, 0, 0]
