"""Fourier filters against SciPy: types, real transforms, sizes without extent, outputs, errors."""

import numpy as np
import pytest
import scipy.ndimage as theirs

import gpunp as cp
from gpunp.scipy import ndimage as ours

NAMES = ["fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid"]


def compare(name, a, *args, given=cp.asarray, **kwargs):
    desired = getattr(theirs, name)(a, *args, **kwargs)
    actual = getattr(ours, name)(given(a), *args, **kwargs)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    eps = 1e-6 if desired.dtype.char in "fF" else 1e-13
    if name == "fourier_ellipsoid" and a.ndim == 3:
        eps = 1e-10  # SciPy's formula cancels where the argument is small
    np.testing.assert_allclose(actual.get(), desired, rtol=eps, atol=eps * 100)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", "?bHiLfdFD")
def test_types(name, dtype, rng):
    a = (rng.normal(size=(7, 8)) * 9 + 30).astype(dtype)
    compare(name, a * a.dtype.type(1 + 2j) if a.dtype.kind == "c" else a, 1.5)
    if dtype in "fd" and name != "fourier_shift":
        compare(name, a, 1.5, output=np.complex64)
        compare(name, a, 1.5, output=np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_shapes_and_sizes(name, rng):
    for shape in [(1,), (6,), (9,), (0,), (40, 51), (0, 3), (5, 6, 7), (2, 3, 4, 5)]:
        if len(shape) > 3 and name == "fourier_ellipsoid":
            continue
        a = rng.normal(size=shape) + 1j * rng.normal(size=shape)
        for size in (1.5, 0.01, 0, -2, tuple(range(len(shape))), (30.5,) * len(shape)):
            compare(name, a, size)
        compare(name, a, 2.5, n=11, axis=0)
        compare(name, a, 2.5, 8)
    compare(name, a[0], 1.5, given=lambda a: cp.asarray(a.T.copy()).T)


@pytest.mark.parametrize("name", NAMES)
def test_outputs(name, rng):
    a = rng.normal(size=(7, 8)) + 1j
    desired = getattr(theirs, name)(a, 2.5)
    b = cp.asarray(a)
    for out in (cp.empty((7, 8), complex), cp.empty((8, 7), complex).T, b):
        assert getattr(ours, name)(b, 2.5, output=out) is out
        np.testing.assert_allclose(out.get(), desired, atol=1e-13)


def test_a_shift_moves_the_image(rng):
    a = cp.asarray(rng.normal(size=(8, 9)))
    moved = cp.fft.irfft2(ours.fourier_shift(cp.fft.rfft2(a), (2, 3), n=9), s=a.shape)
    np.testing.assert_allclose(moved.get(), np.roll(a.get(), (2, 3), (0, 1)), atol=1e-13)


A = np.arange(12.0).reshape(3, 4)
WRONG = [
    lambda xp, a, name: getattr(xp, name)(a, 2, output=int),
    lambda xp, a, name: getattr(xp, name)(a * 1j, 2, output=np.float32),
    lambda xp, a, name: getattr(xp, name)(a, (1, 2, 3)),
    lambda xp, a, name: getattr(xp, name)(a, 2, axis=3),
    lambda xp, a, name: getattr(xp, name)(a[0, 0], 2),
    lambda xp, a, name: getattr(xp, name)(a, 2, output=a[1:]),
    lambda xp, a, name: getattr(xp, name)(a, 2, output=a.astype(int)),
    lambda xp, a, name: xp.fourier_ellipsoid(a[None, None], 2),
    lambda xp, a, name: xp.fourier_shift(a, 2, output=np.float64),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", range(len(WRONG)))
def test_errors(case, name):
    with pytest.raises(Exception) as desired:
        WRONG[case](theirs, A, name)
    with pytest.raises(desired.type):
        WRONG[case](ours, cp.asarray(A), name)
