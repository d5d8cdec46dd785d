"""tinygrad's CUDA device on the emulated one, against NumPy: run by test_clients.py.

`python -m gpunp emulate env DEV=CUDA python tinygrad_ops.py`; DEV=CUDA:PTX takes its PTX renderer.
"""

import numpy as np
from tinygrad import Device, Tensor
from tinygrad.dtype import dtypes

assert Device.DEFAULT == "CUDA", Device.DEFAULT
rng = np.random.default_rng(2)


def values(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(got, expected, tolerance=1e-5):
    np.testing.assert_allclose(got.numpy(), expected, rtol=tolerance, atol=tolerance)


def test_elementwise_and_reductions():
    a, b = values(37, 41), values(37, 41)
    close(Tensor(a) + Tensor(b) * 2, a + b * 2)
    close(Tensor(a).exp().sum(axis=1), np.exp(a).sum(1), 1e-4)
    close(Tensor(a).max(axis=0), a.max(0))
    close(Tensor(a).sin() / (Tensor(b).abs() + 1), np.sin(a) / (np.abs(b) + 1))
    close((Tensor(a) > 0).where(Tensor(a), Tensor(b)), np.where(a > 0, a, b))
    close(Tensor(a).cumsum(axis=1), a.cumsum(1), 1e-4)


def test_matrix_product():
    a, b = values(64, 48), values(48, 80)
    close(Tensor(a) @ Tensor(b), a @ b, 1e-4)
    half = (Tensor(a).cast(dtypes.half) @ Tensor(b).cast(dtypes.half)).cast(dtypes.float)
    close(half, a @ b, 5e-2)


def test_softmax():
    a = values(9, 33)
    e = np.exp(a - a.max(1, keepdims=True))
    close(Tensor(a).softmax(axis=1), e / e.sum(1, keepdims=True))


def test_convolution():
    image, kernel = values(2, 3, 10, 11), values(4, 3, 3, 3)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
    close(
        Tensor(image).conv2d(Tensor(kernel)), np.einsum("ncijkl,ockl->noij", windows, kernel), 1e-4
    )


def test_views_and_gathers():
    a = values(8, 9)
    close(Tensor(a).transpose(0, 1).flip(0)[2:5], a.T[::-1][2:5])
    close(Tensor(a)[Tensor([3, 1, 3])], a[[3, 1, 3]])
    assert Tensor(a).argmax(axis=1).numpy().tolist() == a.argmax(1).tolist()


def test_gradients_lower_a_loss():
    weights = [Tensor(values(16, 32) / 4), Tensor(values(32, 3) / 6)]
    x, target = Tensor(values(64, 16)), Tensor(values(64, 3))
    losses = []
    for _ in range(5):
        loss = (((x @ weights[0]).relu() @ weights[1] - target) ** 2).mean()
        gradients = loss.gradient(*weights)
        losses.append(loss.item())
        weights = [(w - 0.1 * g).realize() for w, g in zip(weights, gradients)]
    assert losses[-1] < losses[0], losses


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed", name, flush=True)
