"""ShortTimeFFT beside SciPy's: transforms, inverses, numbers."""

import numpy as np
import pytest

import gpunp as cp

pytest.importorskip("scipy", minversion="1.17")
from signals import near, ours, theirs

WINDOW = theirs.windows.gaussian(17, 3.0)


@pytest.mark.parametrize("mode", ["onesided", "onesided2X", "twosided", "centered"])
@pytest.mark.parametrize("shift", [0, None, 3, -2])
@pytest.mark.parametrize("mfft", [None, 24])
def test_transforms(mode, shift, mfft, rng):
    x = rng.normal(size=(3, 90)).cumsum(axis=1)
    made = {"fft_mode": mode, "phase_shift": shift, "mfft": mfft, "scale_to": "psd"}

    def sft(m):
        return m.ShortTimeFFT(WINDOW, 5, 2.0, **made)

    for call in (
        lambda m, x: sft(m).stft(x),
        lambda m, x: sft(m).stft(x, 1, 9, k_offset=4, padding="even"),
        lambda m, x: sft(m).stft(x.T, axis=0, padding="odd"),
        lambda m, x: sft(m).stft_detrend(x, "linear", padding="edge"),
        lambda m, x: sft(m).spectrogram(x, detr="constant"),
        lambda m, x: sft(m).spectrogram(x, x[::-1]),
        lambda m, x: sft(m).istft(sft(m).stft(x), k1=90),
        lambda m, x: sft(m).istft(sft(m).stft(x), 3, 77),
        lambda m, x: sft(m).istft(sft(m).stft(x).swapaxes(1, 2), f_axis=2, t_axis=1),
        lambda m, x: sft(m).stft(x + 1j),
        lambda m, x: sft(m).stft(x, padding="none"),
        lambda m, x: sft(m).stft(x[:, :3]),
        lambda m, x: sft(m).istft(x),
        lambda m, x: sft(m).istft(sft(m).stft(x), 5, 4),
        lambda m, x: sft(m).istft(sft(m).stft(x), f_axis=0, t_axis=0),
    ):
        near(call, x, eps=1e-9)


def test_types(rng):
    for dtype in "ifdFD":
        x = rng.normal(size=80).astype(dtype) * 5
        near(lambda m, x: m.ShortTimeFFT(WINDOW, 4, 1, fft_mode="twosided").stft(x), x)
    single = ours.ShortTimeFFT(WINDOW.astype("f"), 4, 1)
    assert single.stft(cp.ones(80, "f")).dtype == np.complex64


def test_numbers():
    names = "T fs hop mfft f f_pts delta_f delta_t m_num m_num_mid k_min p_min win dual_win scaling"
    for name in (names + " fac_psd fac_magnitude invertible lower_border_end onesided_fft").split():
        near(lambda m, name=name: getattr(m.ShortTimeFFT(WINDOW, 5, 2.0), name))
    for call in (
        lambda s: s.t(90),
        lambda s: s.extent(90),
        lambda s: [s.k_max(90), s.p_max(90), s.p_num(90), *s.p_range(90, 1), s.nearest_k_p(33)],
        lambda s: s.upper_border_begin(90),
        lambda s: s.p_range(90, 9, 2),
    ):
        near(lambda m, call=call: call(m.ShortTimeFFT(WINDOW, 5, 2.0)))


def test_other_constructors():
    for call in (
        lambda m: m.ShortTimeFFT.from_window("hann", 2.0, 16, 8, scale_to="magnitude"),
        lambda m: m.ShortTimeFFT.from_dual(WINDOW, 5, 2.0),
        lambda m: m.ShortTimeFFT.from_win_equals_dual(WINDOW, 5, 2.0),
    ):
        near(lambda m, call=call: (call(m).win, call(m).dual_win, call(m).fs))
    made = ours.ShortTimeFFT(cp.asarray(WINDOW), 5, 2.0)
    made.fs, made.fft_mode = 4.0, "centered"
    made.scale_to("psd")
    assert (made.fs, made.fft_mode, made.scaling) == (4.0, "centered", "psd")


def test_complex_windows_give_the_signal_back():
    rng = np.random.default_rng(6)
    window = rng.standard_normal(8) + 1j * rng.standard_normal(8)
    x = rng.standard_normal(40) + 1j * rng.standard_normal(40)
    found = []
    for xp, module in ((np, theirs), (cp, ours)):
        transform = module.ShortTimeFFT(xp.asarray(window), 3, 1.0, fft_mode="twosided")
        found.append(transform.istft(transform.stft(xp.asarray(x)), k1=40))
    np.testing.assert_allclose(found[1].get(), x, atol=1e-10)
    np.testing.assert_allclose(found[1].get(), found[0], atol=1e-10)
