"""Changes of the sampling rate beside SciPy's."""

import itertools
import weakref

import numpy as np
import pytest
from signal_calls import compare, ours, theirs

import gpunp as cp

MODES = [
    "constant",
    "edge",
    "wrap",
    "reflect",
    "symmetric",
    "smooth",
    "line",
    "antisymmetric",
    "antireflect",
]


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(7).normal(size=(3, 70, 4)).cumsum(axis=1) + 10


# ---- upfirdn -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "up, down, taps",
    [
        (1, 1, 5),
        (3, 2, 61),
        (2, 3, 10),
        (160, 147, 3201),
        (300, 1, 900),
        (1, 300, 700),
        (5, 4000, 50),
    ],
)
def test_rates(up, down, taps, rng):
    a, h = rng.normal(size=(2, 3000)), rng.normal(size=taps)
    compare(lambda m, c: m.upfirdn(h, c(a), up, down))


@pytest.mark.parametrize("mode", MODES)
def test_ends(mode, rng):
    h = rng.normal(size=31)
    for n in (2, 3, 40):
        a = rng.normal(size=n)
        compare(lambda m, c: m.upfirdn(h, c(a), 3, 2, mode=mode))
    compare(lambda m, c: m.upfirdn(h, c(a), mode=mode, cval=2))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_upfirdn_along_an_axis(axis, x):
    h = np.array([1, 2, 3.0])
    compare(lambda m, c: m.upfirdn(h, c(x), 3, 2, axis))
    compare(lambda m, c: m.upfirdn(c(h), c(x)[:, ::-2], 2, 1, axis))


@pytest.mark.parametrize("dtype", "fdFDlb?")
def test_upfirdn_types(dtype, x):
    a = x.astype(dtype)
    compare(lambda m, c: m.upfirdn(np.array([1, 2, 3], "f"), c(a), 3, 2, 1))
    compare(lambda m, c: m.upfirdn(np.array([1, 2, 3j], "F"), c(a), 3, 2, 1, "line"))
    compare(lambda m, c: m.resample_poly(c(a), 3, 2, 1))
    compare(lambda m, c: m.resample(c(a), 33, axis=1))


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.upfirdn([], x),
        lambda m, x: m.upfirdn([[1]], x),
        lambda m, x: m.upfirdn([1], x, 0),
        lambda m, x: m.upfirdn([1], x, mode="round"),
        lambda m, x: m.resample_poly(x, 0, 1),
        lambda m, x: m.resample_poly(x, 1.5, 1),
        lambda m, x: m.resample_poly(x, 1, 2, padtype="round"),
        lambda m, x: m.resample_poly(x, 1, 2, padtype="mean", cval=2),
        lambda m, x: m.resample(x, 7, domain="space"),
        lambda m, x: m.resample(x, -3),
        lambda m, x: m.resample(x, 7, window=x),
        lambda m, x: m.decimate(x, 2.5),
        lambda m, x: m.decimate(x, 2, ftype="round"),
        lambda m, x: m.decimate(x[:, :20], 2, axis=1),
    ],
)
def test_errors(call, x):
    compare(lambda m, c: call(m, c(x)))


# ---- resample_poly, decimate ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "rates", [(3, 2), (2, 3), (1, 7), (5, 1), (160, 147), (4, 2), (2, 2)], ids=str
)
def test_resample_poly(rates, x):
    for axis in (0, 1, -1):
        compare(lambda m, c: m.resample_poly(c(x), *rates, axis))


@pytest.mark.parametrize("padtype", [*MODES[1:], "maximum", "mean", "median", "minimum"])
def test_padtypes(padtype, x):
    compare(lambda m, c: m.resample_poly(c(x), 3, 2, 1, padtype=padtype))


@pytest.mark.parametrize("window", ["hamming", [0.2, 0.5, 0.7, 0.3], np.ones(9)], ids=type)
def test_windows_of_resample_poly(window, x):
    compare(lambda m, c: m.resample_poly(c(x), 3, 2, 1, window=window, cval=3.0))


def test_an_object_as_window_is_not_kept(x):
    class Window:
        def __float__(self):
            return 5.0

    window = Window()
    designed = ours.resample_poly(cp.asarray(x), 3, 2, 1, window=window)
    wanted = ours.resample_poly(cp.asarray(x), 3, 2, 1, window=5.0)
    np.testing.assert_array_equal(designed.get(), wanted.get())
    alive = weakref.ref(window)
    del window
    assert alive() is None


def test_window_on_the_device(x):
    h = np.hanning(20)
    on_host = ours.resample_poly(cp.asarray(x), 3, 2, 1, window=h)
    on_device = ours.resample_poly(cp.asarray(x), 3, 2, 1, window=cp.asarray(h))
    np.testing.assert_allclose(on_device.get(), on_host.get(), rtol=1e-14)


@pytest.mark.parametrize("zero_phase", [True, False])
@pytest.mark.parametrize("ftype", ["iir", "fir"])
@pytest.mark.parametrize("dtype", "fdD")
def test_decimate(dtype, ftype, zero_phase, x):
    a = x.astype(dtype)
    compare(lambda m, c: m.decimate(c(a), 3, ftype=ftype, axis=1, zero_phase=zero_phase))
    compare(lambda m, c: m.decimate(c(a), 3, 5, ftype, 1, zero_phase))


def test_decimate_by_a_system(x):
    for system in (theirs.dlti([1.0, 0.5], [1.0, -0.3]), theirs.dlti([1.0, 0.5], [2.0])):
        compare(lambda m, c, s=system: m.decimate(c(x), 3, ftype=s, axis=1))


# ---- resample --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [8, 9])
@pytest.mark.parametrize("dtype", "dD")
def test_resample(dtype, n, rng):
    a = rng.normal(size=(n, 2)) + (1j * rng.normal(size=(n, 2)) if dtype == "D" else 0)
    for num in (1, 2, 7, 8, 9, 12, 15, 16):
        compare(lambda m, c: m.resample(c(a), num))
        compare(lambda m, c: m.resample(c(a), num, window=("kaiser", 3.0)))
        compare(lambda m, c: m.resample(c(a), num, domain="freq"))
        compare(lambda m, c: m.resample(c(a), num, c(np.arange(n) * 0.5 + 1)))


def test_windows_of_resample(x):
    weights = np.exp(-(np.fft.fftfreq(70) ** 2) * 30)
    for a, num in itertools.product((x, x + 1j), (33, 80)):
        compare(
            lambda m, c: m.resample(c(a), num, axis=1, window=lambda f: np.exp(-30 * f * f + f))
        )
        compare(lambda m, c: m.resample(c(a), num, axis=1, window=weights))
    seen = []
    ours.resample(cp.asarray(x), 33, axis=1, window=lambda f: seen.append(f) or cp.exp(-f))
    assert type(seen[0]) is cp.ndarray and seen[0].shape == (70,)


def test_spectrum_of_integers():
    spectrum = np.arange(12, dtype="i2")
    compare(lambda m, c: m.resample(c(spectrum), 9, domain="freq"))
