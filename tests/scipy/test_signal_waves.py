"""Waveforms, chirp z-transforms and B-splines beside SciPy's; wavelets by their formulas."""

import numpy as np
import pytest
from signals import agree, near, ours, theirs

import gpunp as cp

T = np.linspace(0, 3, 50)

SCIPY_KEEPS_SINGLE = theirs.square(np.ones(3, "f")).dtype == np.float32
WAVES = [
    lambda m, t: m.square(t * 9),
    lambda m, t: m.square(t * 9 - 8, duty=0.2),
    lambda m, t: m.square(t, duty=1.5),
    lambda m, t: m.sawtooth(t * 9 - 5),
    lambda m, t: m.sawtooth(t * 9, width=0.3),
    lambda m, t: m.sawtooth(t, width=-1),
    lambda m, t: m.sawtooth(t, width=0),
    lambda m, t: m.gausspulse(t, fc=5),
    lambda m, t: m.gausspulse(t, fc=5, retquad=True, retenv=True),
    lambda m, t: m.gausspulse(t, fc=5, retenv=True),
    lambda m, t: m.gausspulse("cutoff", fc=5),
    lambda m, t: m.gausspulse("other"),
    lambda m, t: m.gausspulse(t, fc=-1),
    lambda m, t: m.gausspulse(t, bw=0),
    lambda m, t: m.gausspulse(t, bwr=0),
    lambda m, t: m.gausspulse("cutoff", tpr=0),
    lambda m, t: m.sweep_poly(t, [0.5, -1.0, 3.0], 30),
    lambda m, t: m.sweep_poly(t, np.poly1d([0.5, 2.0])),
    lambda m, t: m.gauss_spline(t - 1, 3),
    lambda m, t: m.unit_impulse(5),
    lambda m, t: m.unit_impulse((3, 4), "mid", int),
    lambda m, t: m.unit_impulse((3, 4), 2),
    lambda m, t: m.unit_impulse((3, 4), (0, 2)),
    lambda m, t: m.unit_impulse(3, 5),
]


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("number", range(len(WAVES)))
def test_waves(number, dtype):
    if dtype == "f" and SCIPY_KEEPS_SINGLE:
        pytest.skip("SciPy before 1.18 computes float64 of float32, and so do we")
    near(WAVES[number], T.astype(dtype), eps=1e-5 if dtype == "f" else 1e-11)


@pytest.mark.parametrize("method", ["linear", "quad", "log", "hyperbolic", "none"])
@pytest.mark.parametrize("complex", [False, True])
def test_chirps(method, complex):
    for f0, f1 in ((1.0, 4.0), (5.0, 2.0), (3.0, 3.0), (0.0, 3.0), (-1.0, 3.0)):
        for vertex in (True, False):
            near(
                lambda m, t, v=vertex, a=f0, b=f1: m.chirp(
                    t, a, 2.0, b, method, 30, v, complex=complex
                ),
                T,
                eps=1e-9,
            )


def test_longest_sequences():
    for call in (
        lambda m: m.max_len_seq(2),
        lambda m: m.max_len_seq(13),
        lambda m: m.max_len_seq(4, [1, 0, 0, 1], 40),
        lambda m: m.max_len_seq(32, length=3000),
        lambda m: m.max_len_seq(48, length=600, taps=[47, 20, 3]),
        lambda m: m.max_len_seq(70, length=600, taps=[69, 20, 3]),
        lambda m: m.max_len_seq(40),
        lambda m: m.max_len_seq(4, taps=[4, 9]),
        lambda m: m.max_len_seq(4, [0] * 4),
        lambda m: m.max_len_seq(4, [1, 0]),
        lambda m: m.max_len_seq(4, length=-1),
        lambda m: m.max_len_seq(4, length=0),
    ):
        near(call)


def test_registers_beyond_the_memory():
    with pytest.raises(MemoryError):
        ours.max_len_seq(2**62, length=5, taps=2**53)


@pytest.mark.parametrize("dtype", "ifdFD")
def test_chirp_transforms(dtype, rng):
    x = (rng.normal(size=(3, 40)) * 9).astype(dtype)
    for call in (
        lambda m, x: m.czt(x),
        lambda m, x: m.czt(x, 17),
        lambda m, x: m.czt(x, 60, np.exp(-0.1j), 0.9),
        lambda m, x: m.czt(x, axis=0),
        lambda m, x: m.czt(x, 0),
        lambda m, x: m.czt(x, 2.5),
        lambda m, x: m.CZT(39)(x),
        lambda m, x: m.CZT(40, 9).points(),
        lambda m, x: m.zoom_fft(x, 0.5),
        lambda m, x: m.zoom_fft(x, [0.2, 0.7], 90, fs=3, endpoint=True),
        lambda m, x: m.zoom_fft(x, [0.2, 0.7, 0.8]),
        lambda m, x: m.ZoomFFT(40, [0.2, 0.7]).points(),
        lambda m, x: m.czt_points(5, 0.9 + 0.1j, 2),
    ):
        near(call, x, eps=1e-9)


SPLINES = [
    lambda m, x: m.cspline1d(x),
    lambda m, x: m.qspline1d(x),
    lambda m, x: m.cspline1d(x, 2.0),
    lambda m, x: m.qspline1d(x, 1.0),
    lambda m, x: m.cspline1d_eval(x, [-1.2, 7.0, 0.3, 4.0, -9.0], 0.7, 0.1),
    lambda m, x: m.qspline1d_eval(x, [-1.2, 7.0, 0.3, 4.5, -9.0]),
    lambda m, x: m.cspline1d_eval(x, 0.3),
]


@pytest.mark.parametrize("n", [1, 2, 7, 64, 65, 200, 1000])
@pytest.mark.parametrize("number", range(len(SPLINES)))
def test_splines(number, n, rng):
    if n < 7 and number in (4, 5, 6):
        return  # places that need many reflections end in a RecursionError of SciPy's
    near(SPLINES[number], rng.normal(size=n), eps=1e-10)


@pytest.mark.parametrize("dtype", "ifd")
def test_splines_of_images(dtype, rng):
    x = (rng.normal(size=(90, 100)) * 9).astype(dtype)
    for call in (
        lambda m, x: m.cspline2d(x, 0.0, 1e-9),
        lambda m, x: m.qspline2d(x, 0.0, 1e-9),
        lambda m, x: m.qspline2d(x, 1.0),
        lambda m, x: m.sepfir2d(x, [1.0, 2, 4], [1.0, 3, 1, 2, 5]),
        lambda m, x: m.sepfir2d(x, [1.0, 2], [1.0]),
    ):
        near(call, x, eps=1e-5)


@pytest.mark.parametrize("dtype", "?BHIl")
def test_images_of_integers(dtype):
    """Separable filters compute small integers in float32, splines all of them in float64."""
    x = np.ones((6, 7), dtype)
    near(lambda m, x: m.sepfir2d(x, [1.0, 2, 4], [1.0]), x, eps=1e-6)
    near(lambda m, x: m.qspline2d(x), np.ones((30, 40), dtype), eps=1e-6)


@pytest.mark.parametrize("kernel", [[[1.0, 2, 1]], 1.0, []], ids=["matrix", "number", "empty"])
def test_separable_filters_are_vectors(kernel):
    for rows, columns in ((kernel, [1.0]), ([1.0], kernel)):
        near(lambda m, x, h=rows, v=columns: m.sepfir2d(x, h, v), np.ones((5, 5)))


@pytest.mark.parametrize("dtype", "fd")
def test_smoothing_splines_of_images(dtype, rng):
    """SciPy's sums for the mirrored ends stop early: the smaller the precision, the later."""
    x = rng.normal(size=(140, 150)).astype(dtype)
    eps, precision = (1e-2, 1e-7) if dtype == "f" else (1e-5, 1e-14)
    for lamb in (0.0, 0.002, 0.3, 2.0, 20.0):
        near(lambda m, x, lamb=lamb: m.cspline2d(x, lamb, precision), x, eps=eps)
        near(lambda m, x, lamb=lamb: m.cspline2d(x, lamb)[40:-60, 40:-60], x, eps=1e-4)
        near(lambda m, x, lamb=lamb: m.spline_filter(x, lamb)[40:-60, 40:-60], x, eps=1e-4)
    mirrored = np.pad(x.astype("d"), 200, mode="symmetric")
    whole = theirs.cspline2d(mirrored, 2.0)[200:-200, 200:-200]
    actual = ours.cspline2d(cp.asarray(x), 2.0).get()
    np.testing.assert_allclose(actual, whole, rtol=0, atol=1e-5 if dtype == "f" else 1e-11)


def test_smoothing_splines_that_are_refused():
    x = cp.ones((70, 70))
    with pytest.raises(TypeError):
        ours.cspline2d(x.astype("D"), 2.0)
    with pytest.raises(TypeError):
        ours.cspline2d(x, "2")
    with pytest.raises(ValueError, match="converge"):
        ours.cspline2d(x[:5], 2.0)
    for image in (x.astype("i"), x.astype("e")):
        with pytest.raises(TypeError, match="Iin"):
            ours.spline_filter(image)
    assert ours.spline_filter(x.astype("F"), 0.0).dtype == "F"


def test_wavelets():
    x = np.arange(20) - 9.5
    agree(
        ours.ricker(20, 4.0),
        2 / (np.sqrt(12) * np.pi**0.25) * (1 - x**2 / 16) * np.exp(-(x**2) / 32),
        1e-13,
    )
    wave = np.exp(5j * x / 4) * np.exp(-0.5 * (x / 4) ** 2) * np.pi**-0.25
    agree(ours.morlet2(20, 4.0), wave / 2, 1e-13)
    at = np.linspace(-2 * np.pi, 2 * np.pi, 20)
    bell = np.exp(-0.5 * at**2) * np.pi**-0.25
    agree(ours.morlet(20, complete=False), np.exp(5j * at) * bell, 1e-13)
    agree(ours.morlet(20), (np.exp(5j * at) - np.exp(-12.5)) * bell, 1e-13)
    agree(ours.qmf(cp.arange(4)), np.array([3, -2, 1, 0]), 0)
    data = np.random.default_rng(1).normal(size=60)
    rows = ours.cwt(cp.asarray(data), ours.ricker, [1, 3])
    again = [np.convolve(data, ours.ricker(10 * w, w).get()[::-1], "same") for w in (1, 3)]
    agree(rows, np.array(again), 1e-12)


@pytest.mark.parametrize("width", [0.0, -1.0])
def test_ricker_refuses_a_width_that_is_not_positive(width):
    with pytest.raises(ValueError, match="a positive number"):
        cp.scipy.signal.ricker(5, width)
