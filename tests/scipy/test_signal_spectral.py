"""Spectra beside SciPy's: frames, averages, short-time transforms and their inverses."""

import numpy as np
import pytest
from signals import agree, near, ours, theirs

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")

CALLS = [
    lambda m, x: m.welch(x, nperseg=64),
    lambda m, x: m.csd(x, x[0], nperseg=64),
    lambda m, x: m.coherence(x + 1, x[0] - 2, nperseg=64),
    lambda m, x: m.periodogram(x),
    lambda m, x: m.stft(x, nperseg=64),
    lambda m, x: m.spectrogram(x, nperseg=64),
    lambda m, x: m.istft(m.stft(x, nperseg=64)[2], nperseg=64, input_onesided=x.dtype.kind != "c"),
]


@pytest.mark.parametrize("dtype", "bhilefdFD")
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_types(number, dtype, rng):
    if dtype == "e" and number == 2:
        return  # sums of float16 differ before the call
    x = (rng.normal(size=(2, 500)) * 9).astype(dtype)
    near(CALLS[number], x, eps=2e-3 if dtype == "e" else 1e-5 if dtype in "bhfF" else 1e-11)


CHOICES = [
    {"nperseg": 50, "noverlap": 10, "nfft": 64},
    {"nperseg": 51, "detrend": "linear", "scaling": "spectrum"},
    {"window": ("tukey", 0.3), "nperseg": 600, "detrend": "linear"},
    {"detrend": False, "return_onesided": False, "fs": 10.0},
    {"nperseg": 64, "noverlap": 63},
    {"axis": 0, "nperseg": 2},
    {"axis": 1, "nperseg": 33, "nfft": 1000},
    {"nperseg": 1, "noverlap": 0, "detrend": False},
    {"window": [1.0] * 10},
    {"nperseg": 0},
    {"nperseg": 10, "noverlap": 10},
    {"nperseg": 10, "nfft": 9},
    {"window": np.ones((2, 5))},
    {"window": np.ones(10), "nperseg": 11},
    {"window": np.ones(1000)},
    {"scaling": "none"},
    {"axis": 2},
    {"detrend": "square"},
]


@pytest.mark.parametrize("options", CHOICES, ids=lambda o: str(o)[:40])
def test_choices(options, rng):
    x = rng.normal(size=(3, 400)).cumsum(axis=1)
    y = rng.normal(size=(3, 400))
    for average in ("mean", "median"):
        near(lambda m, x, o=average: m.welch(x, average=o, **options), x)
        near(lambda m, x, y, o=average: m.csd(x, y, average=o, **options), x, y)
    near(lambda m, x: m.spectrogram(x, **options), x)
    without = {k: v for k, v in options.items() if k not in ("scaling", "return_onesided")}
    if "window" not in options or isinstance(
        options["window"], tuple
    ):  # else 0 / 0 at frequency zero
        near(lambda m, x, y: m.coherence(x, y, **without), x + y, y, eps=1e-9)
    plain = {k: v for k, v in options.items() if k in ("axis", "detrend", "scaling", "nfft", "fs")}
    near(lambda m, x: m.periodogram(x, **plain), x)


def test_unknown_average(rng):
    near(lambda m, x: m.welch(x, nperseg=20, average="none"), rng.normal(size=100))


def test_functions_as_detrend(rng):
    x = rng.normal(size=300)
    near(lambda m, x: m.welch(x, nperseg=50, detrend=lambda a: a - a[..., :1]), x)


def test_signals_of_two_lengths(rng):
    x = rng.normal(size=(2, 300))
    for call in (
        lambda m, x: m.csd(x, x[:, :100], nperseg=50),
        lambda m, x: m.coherence(x[:, :200], x, nperseg=50),
        lambda m, x: m.csd(x[:, None], x, nperseg=50),
        lambda m, x: m.csd(x, x, nperseg=50),
        lambda m, x: m.csd(x, x[:, :0]),
    ):
        near(call, x)


def test_empty_and_periodograms(rng):
    x = rng.normal(size=(2, 90))
    for name in ("welch", "periodogram", "stft", "spectrogram"):
        for part in (x[:, :0], x[:0], x[0, 0]):
            near(lambda m, x, name=name: getattr(m, name)(x), part)
    for call in (
        lambda m, x: m.periodogram(x, nfft=0),
        lambda m, x: m.periodogram(x, nfft=50),
        lambda m, x: m.periodogram(x, nfft=120, window="hann"),
        lambda m, x: m.periodogram(x, window=[1.0] * 90),
        lambda m, x: m.periodogram(x, window=[1.0] * 9),
        lambda m, x: m.periodogram(x, axis=0, window=None),
    ):
        near(call, x)


@pytest.mark.parametrize("boundary", ["zeros", "even", "odd", "constant", None, "none"])
@pytest.mark.parametrize("padded", [True, False])
def test_stft_and_back(boundary, padded, rng):
    x = rng.normal(size=(2, 3, 101))
    for options in (
        {"nperseg": 20},
        {"nperseg": 21, "noverlap": 15, "nfft": 32, "scaling": "psd"},
        {"nperseg": 16, "noverlap": 4, "return_onesided": False, "window": "boxcar"},
        {"nperseg": 20, "axis": 0},
        {"nperseg": 8, "axis": 1, "detrend": "constant"},
    ):
        near(lambda m, x, o=options: m.stft(x, boundary=boundary, padded=padded, **o), x)
    back = {"nperseg": 20, "noverlap": 15, "boundary": boundary is not None}
    near(
        lambda m, x: m.istft(
            m.stft(x, nperseg=20, noverlap=15, boundary="zeros", padded=padded)[2], **back
        ),
        x,
    )


def test_errors_of_the_inverse(rng):
    z = theirs.stft(rng.normal(size=(2, 500)), nperseg=64)[2]
    for call in (
        lambda m, z: m.istft(z[0, 0]),
        lambda m, z: m.istft(z, nperseg=60),
        lambda m, z: m.istft(z, nfft=60),
        lambda m, z: m.istft(z, time_axis=-1, freq_axis=-1),
        lambda m, z: m.istft(z, noverlap=0),
        lambda m, z: m.istft(z, noverlap=64),
        lambda m, z: m.istft(z, window=[1.0] * 10),
        lambda m, z: m.istft(z, scaling="none"),
        lambda m, z: m.istft(z.swapaxes(0, 2), time_axis=0, freq_axis=1),
        lambda m, z: m.istft(z.swapaxes(1, 2), time_axis=1, freq_axis=2),
    ):
        near(call, z)


@pytest.mark.parametrize("mode", ["psd", "complex", "magnitude", "angle", "phase", "none"])
def test_modes_of_spectrograms(mode, rng):
    x = rng.normal(size=300)
    if mode in ("angle", "phase"):  # pi and -pi are the angles of the same numbers
        near(lambda m, x: np.e ** (1j * m.spectrogram(x, nperseg=64, mode=mode)[2]), x, eps=1e-9)
        return
    near(lambda m, x: m.spectrogram(x, nperseg=64, mode=mode), x, eps=1e-9)
    near(lambda m, x: m.spectrogram(x, 3.0, "hann", 64, 20, 80, "linear", mode=mode), x, eps=1e-9)


def test_long_frames(rng):
    """Frames longer than a block takes, with each trend."""
    x = rng.normal(size=70_000) + np.linspace(0, 3, 70_000)
    for detrend in ("constant", "linear", False):
        near(lambda m, x, d=detrend: m.periodogram(x, detrend=d), x, eps=1e-9)
    near(lambda m, x: m.stft(x, nperseg=40_000, nfft=40_960), x, eps=1e-9)


def test_windows_that_can_be_inverted():
    for call in (
        lambda m: m.check_COLA("hann", 120, 60),
        lambda m: m.check_COLA("hann", 120, 59),
        lambda m: m.check_NOLA("boxcar", 4, 0),
        lambda m: m.check_NOLA("boxcar", 4, 5),
        lambda m: m.closest_STFT_dual_window(np.hanning(16), 4),
    ):
        near(call)
    window = cp.asarray(theirs.windows.hann(8))
    assert ours.check_NOLA(window, 8, 4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("floating_mean", [False, True])
@pytest.mark.parametrize("normalize", [False, True, "power", "normalize", "amplitude", "none"])
def test_lombscargle(normalize, floating_mean, weighted, rng):
    x, w = np.sort(rng.random(150)) * 20, rng.random(150)
    y = np.sin(3 * x + 0.4) + rng.normal(size=150) + 2
    for freqs in (np.linspace(0.1, 9, 77), rng.random(13) * 5, np.array([0.0, 1.0])):

        def call(m, x, y, w, f):
            weights = w if weighted else None
            options = {"floating_mean": floating_mean, "normalize": normalize}
            return m.lombscargle(x, y, f, weights=weights, **options)

        if freqs[0] == 0 and floating_mean:
            continue  # 0 / 0 but for rounding errors
        near(call, x, y, w, freqs, eps=1e-10)


def test_errors_of_lombscargle(rng):
    x, y, f = rng.random(9), rng.random(9), rng.random(4) + 1
    for call in (
        lambda m, x, y, f: m.lombscargle(x[:3], y, f),
        lambda m, x, y, f: m.lombscargle(x[:0], y[:0], f),
        lambda m, x, y, f: m.lombscargle(x, y, f[:0]),
        lambda m, x, y, f: m.lombscargle(x, y, f, weights=[-1.0] * 9),
        lambda m, x, y, f: m.lombscargle(x, y, f, weights=[0.0] * 9),
        lambda m, x, y, f: m.lombscargle(x, y, f, weights=y[:3]),
        lambda m, x, y, f: m.lombscargle(x.reshape(3, 3), y.reshape(3, 3), f),
        lambda m, x, y, f: m.lombscargle(list(range(9)), y, 2 * f, precenter=True),
    ):
        near(call, x, y, f)


def test_vectorstrength(rng):
    events = rng.random(40) * 9
    for call in (
        lambda m, e: m.vectorstrength(e, 2.0),
        lambda m, e: m.vectorstrength(e, np.array([2.0, 3.0])),
        lambda m, e: m.vectorstrength(e, -1.0),
        lambda m, e: m.vectorstrength(e.reshape(2, 20), 1.0),
        lambda m, e: m.vectorstrength(e, np.ones((2, 2))),
        lambda m, e: m.vectorstrength(e[0], 2.0),
    ):
        near(call, events)


def test_parts_of_an_average_agree(rng):
    """Many overlapping frames are summed in parts; results repeat bit for bit."""
    x = cp.asarray(rng.normal(size=5000))
    first, second = (ours.welch(x, nperseg=200, noverlap=199)[1] for _ in range(2))
    assert (first == second).all()
    agree(first, theirs.welch(x.get(), nperseg=200, noverlap=199)[1], 1e-12)
