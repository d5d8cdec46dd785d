"""Numbers that reductions give, which are arrays without axes, where SciPy takes numbers."""

import numpy as np
import pytest
import scipy
import scipy.fft
import scipy.ndimage
import scipy.signal

import gpunp as cp

RNG = np.random.default_rng(5)
IMAGE, SIGNAL = RNG.normal(size=(16, 12)), RNG.normal(size=120)

# Calls of ndimage (n), signal (s) and fft (f) with an image a, a signal x and n(value), a number.
CALLS = """
n.gaussian_filter(a, 1.0, mode="constant", cval=k(2.0))
n.gaussian_filter(a, k(1.5))
n.gaussian_filter(a, (k(1.0), k(2.0)))
n.correlate1d(a, [k(1.0), 2.0, k(0.5)], mode="constant", cval=k(1.0))
n.correlate(a, [[k(1.0), 2.0], [0.5, 1.0]], mode="constant", cval=k(1.0))
n.maximum_filter(a, size=k(3), mode="constant", cval=k(1.0))
n.median_filter(a, size=k(3), mode="constant", cval=k(1.0))
n.sobel(a, mode="constant", cval=k(3.0))
n.laplace(a, mode="constant", cval=k(3.0))
n.shift(a, (k(1.0), k(0.5)), cval=k(1.0))
n.rotate(a, k(30.0), reshape=False, cval=k(1.0))
n.zoom(a, k(0.5))
n.generate_binary_structure(k(2), k(1))
n.binary_dilation(a > 1, [[k(1), 1]], iterations=k(2))
s.butter(4, k(20.0), fs=k(100.0))
s.firwin(k(21), k(0.3))
s.windows.taylor(51, k(4), k(30.0))
s.windows.kaiser(k(51), k(7.0))
s.savgol_filter(x, k(11), k(3), deriv=k(1), delta=k(0.5))
s.savgol_coeffs(k(11), k(3))
s.argrelmax(x, order=k(2))
s.lfilter([k(1.0)], [1.0, k(-0.5)], x)
s.filtfilt([k(0.5), 0.5], 1, x, padlen=k(5))
s.sosfilt([[1, 0, 0, 1, 0, k(0.5)]], x)
s.upfirdn([k(1.0), 2.0], x, k(2), k(3))
s.symiirorder1(x, k(0.3), k(0.4))
s.symiirorder2(x, k(0.3), k(0.4))[:60]
s.unit_impulse(k(7), k(2))
s.max_len_seq(k(5))
s.find_peaks(x, height=k(0.1), distance=k(2))
f.dct(x, type=k(3), n=k(50))
f.dstn(a, k(2))
f.rfft(x, k(64))
""".strip().splitlines()


def first(value):
    return cp.asnumpy(value[0] if isinstance(value, tuple) else value)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.partition("(")[0])
def test_numbers(call):
    def run(of, xp):
        names = {"n": of.ndimage, "s": of.signal, "f": of.fft}
        arrays = {"a": xp.asarray(IMAGE), "x": xp.asarray(SIGNAL), "k": xp.asarray}
        numbers = {} if xp is cp else {"k": lambda value: xp.asarray(value)[()]}
        return first(eval(call, {**names, **arrays, **numbers}))

    wanted, actual = run(scipy, np), run(cp.scipy, cp)
    assert actual.shape == wanted.shape
    np.testing.assert_allclose(actual, wanted, rtol=1e-7, atol=1e-9)
