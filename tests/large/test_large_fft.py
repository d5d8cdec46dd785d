"""Transforms beyond 2^31 and 2^32 elements: plans, offsets and batches of 64 bits. On a GPU."""

import pytest

import gpunp as cp

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def give_memory_back():
    yield
    cp.get_default_memory_pool().free_all_blocks()


def test_one_long_row():
    n = 2**31 + 2**24  # 2^24 * 3 * 43: cuFFT takes primes up to 127 at that size
    a = cp.zeros(n, "F")
    a[1] = 1
    spectrum = cp.fft.fft(a)
    assert abs(complex(spectrum[n // 2]) + 1) < 1e-3
    assert abs(complex(spectrum[n // 4]) + 1j) < 1e-3
    assert abs(complex(spectrum[0]) - 1) < 1e-3


@pytest.mark.parametrize("length", [128, 131])
def test_many_rows(length):
    """More than 2^32 elements, with a prime that cuFFT does not take at that size."""
    rows = 2**32 // length + 3
    a = cp.zeros((rows, length), "F")
    a[:, 0] = 1
    a[-1, 0] = 2
    cp.fft.fft(a, out=a)
    for row, column, value in [(0, length - 1, 1), (rows // 2, 5, 1), (-2, 9, 1), (-1, 0, 2)]:
        assert abs(complex(a[row, column]) - value) < 1e-5


def test_real_rows():
    rows = 2**32 // 64 + 5
    a = cp.zeros((rows, 64), "f")
    a[-1, 0] = 3
    half = cp.fft.rfft(a)
    assert abs(complex(half[-1, 32]) - 3) < 1e-5 and complex(half[-2, 32]) == 0
    del a
    back = cp.fft.irfft(half)
    assert abs(float(back[-1, 0]) - 3) < 1e-5 and float(abs(back[-2]).max()) == 0
