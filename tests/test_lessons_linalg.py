"""What the lessons do with linear algebra, in our words."""

import numpy as np

import gpunp as cp
from gpunp.scipy import fftpack, linalg


def test_norm_is_a_zero_dimensional_array():
    x = cp.array([1.0, 2.0, 3.0])
    length = cp.linalg.norm(x)
    assert isinstance(length, cp.ndarray) and length.shape == ()
    assert np.isclose(float(length), np.linalg.norm([1.0, 2.0, 3.0]))


def test_numpys_function_takes_a_device_array(rng):
    a = cp.asarray(rng.random((60, 40)))
    for u, s, vh in (cp.linalg.svd(a), np.linalg.svd(a)):
        assert isinstance(u, cp.ndarray) and u.shape == (60, 60) and vh.shape == (40, 40)
        assert cp.allclose(u[:, :40] * s @ vh, a)


def test_solve_of_scipys_namespace():
    a = cp.random.random((256, 256), dtype=cp.float32)
    b = cp.random.random(256, dtype=cp.float32)
    x = linalg.solve(a, b)
    residual = cp.linalg.norm(a @ x - b) / cp.linalg.norm(b)
    assert x.dtype == np.float32 and float(residual) < 1e-2
    signal = cp.random.random(1 << 12).astype(cp.complex64)
    back = fftpack.ifft(fftpack.fft(signal))
    assert float(cp.max(cp.abs(signal - back))) < 1e-5


def test_a_small_system():
    a, b = cp.array([[3.0, 1.0], [1.0, 2.0]]), cp.array([9.0, 8.0])
    assert cp.allclose(cp.linalg.solve(a, b), cp.array([2.0, 3.0]))
    assert cp.allclose(cp.linalg.inv(a) @ b, cp.array([2.0, 3.0]))
    assert cp.allclose(cp.linalg.det(a), 5.0)
    w, v = cp.linalg.eigh(a)
    assert cp.allclose(a @ v, v * w)
