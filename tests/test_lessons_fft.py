"""What users were taught to write about Fourier transforms, with what they were told it prints."""

import pytest

import gpunp as cp


def test_round_trip():
    from gpunp.scipy import fftpack

    x = cp.random.random(1 << 12).astype(cp.complex64)
    spectrum = fftpack.fft(x)
    again = fftpack.ifft(spectrum)
    assert again.dtype == cp.complex64
    assert float(cp.max(cp.abs(x - again))) < 1e-5


def test_modules_mirror_scipys():
    scipy_fft = pytest.importorskip("scipy.fft")
    from gpunp.scipy import fft

    x = cp.random.random((64, 32))
    assert float(cp.abs(fft.ifft2(fft.fft2(x)) - x).max()) < 1e-12
    with scipy_fft.set_backend(fft):
        assert isinstance(scipy_fft.fft(x), cp.ndarray)


def test_convolve2d():
    from gpunp.scipy.signal import convolve2d

    image = cp.arange(25.0).reshape(5, 5)
    blurred = convolve2d(image, cp.ones((3, 3)) / 9, mode="same")
    assert blurred.shape == image.shape
    assert float(blurred[2, 2]) == pytest.approx(12)
