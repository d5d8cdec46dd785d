"""gpunp.signal: functions of acoustics and radar, against their definitions in NumPy."""

import numpy as np
import pytest

import gpunp as cp
from gpunp import signal

theirs = pytest.importorskip("scipy.signal")


def near(ours, expected, rtol=1e-9):
    expected = np.asarray(expected)
    assert ours.shape == expected.shape
    size = np.abs(expected).max(initial=1e-30)
    np.testing.assert_allclose(ours.get(), expected, rtol=0, atol=rtol * size)


@pytest.mark.parametrize("n", [None, 40, 51])
def test_cepstra(n, rng):
    x = rng.normal(size=(2, 40)) + 0.5  # with a positive sum
    spectrum = np.fft.fft(x, n)
    near(signal.real_cepstrum(cp.asarray(x), n), np.fft.ifft(np.log(np.abs(spectrum))).real)
    near(signal.real_cepstrum(cp.asarray(x.T), n, 0).T, np.fft.ifft(np.log(np.abs(spectrum))).real)
    ceps, delay = signal.complex_cepstrum(cp.asarray(x), n)
    whole = np.pad(x, ((0, 0), (0, (n or 40) - 40)))
    near(signal.inverse_complex_cepstrum(ceps, delay), whole)
    near(abs(cp.fft.fft(signal.minimum_phase(cp.asarray(x), n))), np.abs(spectrum))


def test_higher_orders(rng):
    x, h, g = rng.normal(size=30), rng.normal(size=(4, 3)), rng.normal(size=(3, 2, 4))
    window = np.lib.stride_tricks.sliding_window_view(x, 4)[:, ::-1]
    second = np.einsum("jk,nj,nk->n", h, window, window[:, :3])
    near(signal.convolve1d2o(cp.asarray(x), cp.asarray(h)), second)
    third = np.einsum("ijk,ni,nj,nk->n", g, window[:, :3], window[:, :2], window)
    near(signal.convolve1d3o(cp.asarray(x), cp.asarray(g)), third)
    for wrong in ({"mode": "full"}, {"method": "fft"}):
        with pytest.raises(ValueError):
            signal.convolve1d2o(cp.asarray(x), cp.asarray(h), **wrong)
    with pytest.raises(ValueError):
        signal.convolve1d3o(cp.asarray(x), cp.asarray(h))


@pytest.mark.parametrize("dtype", "fdFD")
def test_channels(dtype, rng):
    x, h = rng.normal(size=83).astype(dtype), rng.normal(size=24).astype(dtype)
    columns = x[:80].reshape(10, 8)[:, ::-1]
    taps = h.reshape(3, 8)
    rows = np.array(
        [sum(taps[t] * columns[i - t] for t in range(min(3, i + 1))) for i in range(10)]
    )
    desired = 8 * np.fft.ifft(rows, axis=1).T
    ours = signal.channelize_poly(cp.asarray(x), cp.asarray(h), 8)
    assert ours.dtype == ("F" if dtype in "fF" else "D")
    near(ours, desired, 1e-5 if dtype in "fF" else 1e-12)


def test_filters(rng):
    b, x = rng.normal(size=5), rng.normal(size=(3, 50))
    near(signal.firfilter(cp.asarray(b), cp.asarray(x)), theirs.lfilter(b, 1, x))
    near(signal.firfilter(cp.asarray(b), cp.asarray(x), axis=0), theirs.lfilter(b, 1, x, axis=0))
    zi = rng.normal(size=(3, 4))
    y, zf = signal.firfilter(cp.asarray(b), cp.asarray(x), zi=cp.asarray(zi))
    for ours, desired in zip((y, zf), theirs.lfilter(b, 1, x, zi=zi), strict=True):
        near(ours, desired)
    near(signal.firfilter_zi(cp.asarray(b)), theirs.lfilter_zi(b, 1))
    for options in (
        {},
        {"padtype": "even"},
        {"padtype": "constant", "padlen": 4},
        {"padtype": None},
    ):
        ours = signal.firfilter2(cp.asarray(b), cp.asarray(x), **options)
        near(ours, theirs.filtfilt(b, 1, x, **options))
    with pytest.raises(ValueError):
        signal.firfilter2(cp.asarray(b), cp.asarray(x[:, :9]))
    turns = np.exp(-2j * np.pi * 0.3 * np.arange(50))
    near(signal.freq_shift(cp.asarray(x), 3.0, 10.0), x * turns)


@pytest.mark.parametrize("window", [None, "hann", ("kaiser", 5.0)])
def test_pulses(window, rng):
    x, template = rng.normal(size=(6, 40)), rng.normal(size=9)
    w = 1 if window is None else theirs.get_window(window, 9, False)
    sent = template * w / np.linalg.norm(template * w)
    desired = np.fft.ifft(np.fft.fft(x, 64) * np.fft.fft(sent, 64).conj())
    near(signal.pulse_compression(cp.asarray(x), cp.asarray(template), True, window, 64), desired)
    w = 1 if window is None else theirs.get_window(window, 6, False)[:, None]
    near(signal.pulse_doppler(cp.asarray(x), window, 16), np.fft.fft(x * w, 16, axis=0))


@pytest.mark.parametrize("shape", [(40,), (30, 25)])
def test_false_alarm_rate(shape, rng):
    x = rng.exponential(size=shape)
    guard, reference = (1, 2)[: len(shape)], (3, 2)[: len(shape)]
    threshold, found = signal.ca_cfar(cp.asarray(x), guard, reference, 1e-2)
    reach = [g + r for g, r in zip(guard, reference, strict=True)]
    desired = np.zeros(shape)
    for at in np.ndindex(*shape):
        if all(r <= k < n - r for k, n, r in zip(at, shape, reach, strict=True)):
            outer = x[tuple(slice(k - r, k + r + 1) for k, r in zip(at, reach, strict=True))]
            inner = x[tuple(slice(k - g, k + g + 1) for k, g in zip(at, guard, strict=True))]
            count = outer.size - inner.size
            mean = (outer.sum() - inner.sum()) / count
            desired[at] = signal.cfar_alpha(1e-2, count) * mean
    near(threshold, desired)
    assert np.array_equal(found.get(), x > threshold.get())
    with pytest.raises(IndexError):
        signal.ca_cfar(cp.ones(5), 2, 2)
    with pytest.raises(TypeError):
        signal.ca_cfar(cp.ones((9, 9, 9)), 1, 1)


def test_beams(rng):
    x = rng.normal(size=(4, 90)) + 1j * rng.normal(size=(4, 90))
    steering = np.exp(1j * np.arange(4))
    inverse = np.linalg.inv(np.cov(x))
    desired = inverse @ steering / (steering.conj() @ inverse @ steering)
    near(signal.mvdr(cp.asarray(x), cp.asarray(steering)), desired)
    near(signal.mvdr(cp.asarray(np.cov(x)), cp.asarray(steering), calc_cov=False), desired)
    with pytest.raises(ValueError):
        signal.mvdr(cp.ones((4, 3)), cp.ones(4))
    with pytest.raises(ValueError):
        signal.mvdr(cp.ones((4, 9)), cp.ones(3))
