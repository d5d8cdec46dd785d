"""Peaks beside SciPy's, with every condition."""

import numpy as np
import pytest
from signals import agree, near, ours, theirs

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")


def steps(rng, n):
    """A signal with many plateaus, whose heights are small whole numbers."""
    return rng.integers(0, 5, n).repeat(rng.integers(1, 4, n))[:n].astype(float)


CONDITIONS = [
    {},
    {"height": 1},
    {"height": (None, 1.5)},
    {"threshold": 0.1},
    {"threshold": (0.1, 2)},
    {"prominence": 0.5},
    {"prominence": (0.2, 1.5), "wlen": 9},
    {"width": 1},
    {"width": (None, 3), "rel_height": 0.8},
    {"plateau_size": 1},
    {"plateau_size": (2, 3)},
    {"height": 0, "threshold": 0, "prominence": 0, "width": 0, "plateau_size": 0},
    {"wlen": 1, "prominence": 0},
    {"wlen": 2.5, "width": 0},
    {"distance": 0.5},
    {"height": [1, 2, 3]},
    {"height": np.ones(3)},
]


@pytest.mark.parametrize("conditions", CONDITIONS, ids=lambda c: str(c)[:40])
@pytest.mark.parametrize("kind", ["noise", "steps", "walk", "short"])
def test_conditions(conditions, kind, rng):
    x = {
        "noise": lambda: rng.normal(size=300),
        "steps": lambda: steps(rng, 300),
        "walk": lambda: rng.normal(size=9000).cumsum(),
        "short": lambda: np.array([0.0, 1.0, 0.0]),
    }[kind]()
    near(lambda m, x: m.find_peaks(x, **conditions), x)


@pytest.mark.parametrize("dtype", "bhlefd")
def test_types_and_empty(dtype, rng):
    x = (rng.normal(size=200) * 20).astype(dtype)
    near(lambda m, x: m.find_peaks(x, height=0, width=0), x)
    for n in (0, 1, 2):
        near(lambda m, x: m.find_peaks(x, prominence=0, width=1, plateau_size=1, distance=2), x[:n])


@pytest.mark.parametrize("distance", [1, 2, 7.5, 40, 300])
def test_distance(distance, rng):
    """Without ties, whose order SciPy leaves to an unstable sort."""
    for x in (
        rng.normal(size=3000),
        rng.permutation(2000),
        np.sin(np.arange(900)) + np.arange(900),
    ):
        near(lambda m, x: m.find_peaks(x, distance=distance, height=0), x)


def test_borders_for_each_sample(rng):
    x, low = rng.normal(size=100), rng.normal(size=100)
    mine = ours.find_peaks(cp.asarray(x), height=(cp.asarray(low), 2))
    agree(mine, theirs.find_peaks(x, height=(low, 2)), 0)


def test_borders_from_reductions(rng):
    """Numbers that reductions give, which are arrays without axes."""
    x = rng.normal(size=100)
    a = cp.asarray(x)
    mine = ours.find_peaks(a, height=cp.percentile(a, 60), prominence=(a.std(), None))
    agree(mine, theirs.find_peaks(x, height=np.percentile(x, 60), prominence=(x.std(), None)), 0)


@pytest.mark.parametrize("wlen", [None, 2, 31, 500])
def test_prominences_and_widths(wlen, rng):
    """Long walks over blocks of samples, both ways; positions that are no peaks."""
    x = rng.normal(size=20_000) + 100 * np.cos(np.linspace(0, 9, 20_000))
    x[rng.integers(0, 20_000, 20)] = np.nan
    for signal in (x, np.round(x), x.astype("f"), -np.abs(np.arange(-9000.0, 9000))):
        peaks = theirs.find_peaks(signal)[0][:400]
        near(lambda m, x, p: m.peak_prominences(x, p, wlen), signal, peaks)
        near(lambda m, x, p: m.peak_widths(x, p, 0.7, wlen=wlen), signal, peaks)
    near(lambda m, x, p: m.peak_prominences(x, p, wlen), x, np.arange(300))


def test_errors():
    x = np.array([0.0, 1, 0, 2, 0])
    for call in (
        lambda m, x: m.find_peaks(x.reshape(1, 5)),
        lambda m, x: m.peak_prominences(x, [1.5]),
        lambda m, x: m.peak_prominences(x, []),
        lambda m, x: m.peak_prominences(x, [[1]]),
        lambda m, x: m.peak_widths(x, [1], -1),
        lambda m, x: m.peak_widths(x, [1], prominence_data=m.peak_prominences(x, [1, 3])),
        lambda m, x: m.argrelmax(x, order=0),
        lambda m, x: m.argrelmax(x, mode="none"),
        lambda m, x: m.argrelmax(x, axis=1),
    ):
        near(call, x)


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("order", [1, 3])
def test_relative_extrema(order, mode, rng):
    x = rng.integers(0, 9, (20, 15))
    for axis in (0, 1, -1):
        near(lambda m, x, a=axis: m.argrelmax(x, a, order, mode), x)
        near(lambda m, x, a=axis: m.argrelmin(x, a, order, mode), x)
        near(lambda m, x, a=axis: m.argrelextrema(x, np.less_equal, a, order, mode), x)


RIDGES = [
    {},
    {"min_snr": 3},
    {"noise_perc": 50, "window_size": 33},
    {"window_size": 10**6, "min_length": 6},
    {"gap_thresh": 1, "min_length": 10},
    {"max_distances": np.full(19, 1.0)},
    {"wavelet": lambda n, width: np.exp(-((np.arange(n) - (n - 1) / 2) ** 2) / width)},
]


@pytest.mark.parametrize("options", RIDGES)
def test_peaks_of_wavelet_transforms(options, rng):
    x = np.sin(np.linspace(0, 20, 600)) + 0.2 * rng.normal(size=600)
    for widths in (np.arange(1, 20), [1.23, 2.5, 4.7], 5):
        if {"max_distances", "min_length"} & options.keys() and np.size(widths) < 19:
            continue
        near(lambda m, x, w=widths: m.find_peaks_cwt(x, w, **options), x)


def test_maxima_that_join_one_ridge():
    """The last of a row is the peak: SciPy's choice depends on its version, and on a sort."""
    x = np.zeros(60)
    x[[26, 36]] = 1, 1.1
    found = ours.find_peaks_cwt(cp.asarray(x), [2, 9], max_distances=[9, 9], min_length=3)
    assert found.tolist() == [37]  # of wavelets of an even number of points


def test_no_ridges():
    assert ours.find_peaks_cwt(cp.zeros(50), [1, 2]).size == 0
    near(lambda m, x: m.find_peaks_cwt(x, [1, 2], max_distances=[1]), np.arange(60.0) % 7)
    near(lambda m, x: m.find_peaks_cwt(x, [1, 2], noise_perc=101), np.arange(60.0) % 7)
    near(lambda m, x: m.find_peaks_cwt(x, [1, 2]), np.zeros((6, 10)))


def test_positions_beyond_the_signal_are_its_ends():
    """Widths too, whose kernel read beyond the samples; bases that are given may be anywhere."""
    x = cp.array([0.0, 2.0, 1.0, 3.0, 0.5])
    beyond, ends = cp.array([0, 9, -9]), cp.array([0, 4, 0])
    for f in (ours.peak_prominences, ours.peak_widths):
        for got, want in zip(f(x, beyond), f(x, ends), strict=True):
            np.testing.assert_array_equal(got.get(), want.get())
    data = cp.array([1.0, 1.0]), cp.array([-5, 99]), cp.array([99, -5])
    widths = ours.peak_widths(x, cp.array([1, 3]), prominence_data=data)
    assert all(np.isfinite(part.get()).all() for part in widths)


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1]], ids=str)
def test_prominences_of_strided_signals(view, rng):
    a = rng.normal(size=400)
    peaks = theirs.find_peaks(a[view])[0]
    for name in ("peak_prominences", "peak_widths"):
        desired = getattr(theirs, name)(a[view], peaks)
        for x, y in zip(getattr(ours, name)(cp.asarray(a)[view], peaks), desired, strict=True):
            np.testing.assert_allclose(x.get(), y)
