"""Filters of windows, analytic signals and trends beside SciPy's."""

import numpy as np
import pytest
from signal_calls import compare, ours

import gpunp as cp


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(9).normal(size=(3, 70, 4)).cumsum(axis=1) + 10


# ---- savgol_filter -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["interp", "mirror", "constant", "nearest", "wrap"])
@pytest.mark.parametrize(
    "window", [(5, 2, 0), (11, 3, 1), (4, 2, 0), (1, 0, 0), (6, 3, 2)], ids=str
)
def test_savgol(window, mode, x):
    for axis in (1, 2) if window[0] <= 4 else (1,):
        compare(lambda m, c: m.savgol_filter(c(x), *window, 0.5, axis, mode, 1.5), 1e-11)


@pytest.mark.parametrize("dtype", "fdlb?")
def test_types(dtype, x):
    a = x.astype(dtype)
    compare(lambda m, c: m.savgol_filter(c(a), 5, 2, axis=1))
    compare(lambda m, c: m.hilbert(c(a), axis=1))
    compare(lambda m, c: m.hilbert2(c(a)))
    compare(lambda m, c: m.medfilt(c(a)))
    compare(lambda m, c: m.medfilt2d(c(a[0])))
    compare(lambda m, c: m.order_filter(c(a), np.ones((1, 3, 3)), 4))
    compare(lambda m, c: m.envelope(c(a), axis=1))
    compare(lambda m, c: m.detrend(c(a + a[:1]), 1, "constant"))


@pytest.mark.parametrize("dtype", "fdFDl")
def test_types_of_statistics(dtype, x):
    a = x.astype(dtype)
    compare(lambda m, c: m.wiener(c(a), (3, 5, 1)), 1e-5 if dtype in "fF" else None)
    compare(lambda m, c: m.detrend(c(a), 1), 1e-4 if dtype in "fF" else 1e-11)


@pytest.mark.parametrize("dtype", "fd")
def test_savgol_reproduces_polynomials(dtype):
    t = np.linspace(-1, 1, 60)
    a = np.stack([t**5 - t**4, 1 - t**3]).astype(dtype)
    limit = 1e-5 if dtype == "f" else 1e-10
    for v, axis in ((a, 1), (a.T, 0), (a[0], 0), (a[:, None, :31, None], 2)):
        compare(lambda m, c, v=v, k=axis: m.savgol_filter(c(v), 5, 2, axis=k), limit)
        assert abs(ours.savgol_filter(cp.array(v), 31, 5, axis=axis).get() - v).max() < limit


def test_weights():
    compare(lambda m, c: m.savgol_coeffs(5, 2))
    compare(lambda m, c: m.savgol_coeffs(5, 2, 1, 0.5, 1, "dot"))
    assert isinstance(ours.savgol_coeffs(5, 2), cp.ndarray)
    assert isinstance(ours.savgol_coeffs(5, 2, xp=np), np.ndarray)


# ---- order and statistics ----------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [None, 3, [1, 5, 3]], ids=str)
def test_sizes(sizes, x):
    compare(lambda m, c: m.medfilt(c(x), sizes))
    compare(lambda m, c: m.wiener(c(x), sizes))
    compare(lambda m, c: m.wiener(c(x), sizes, 0.3))


def test_order(x):
    mask = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]])
    compare(lambda m, c: m.order_filter(c(x[0]), mask, 2))
    compare(lambda m, c: m.order_filter(c(x[0]), c(mask), 2))
    compare(lambda m, c: m.medfilt2d(c(x[0]), [5, 3]))


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.savgol_filter(x, 7, 2),
        lambda m, x: m.savgol_filter(x, 3, 3),
        lambda m, x: m.savgol_filter(x, 3, 1, mode="round"),
        lambda m, x: m.medfilt(x, 2),
        lambda m, x: m.medfilt2d(x[0], 2),
        lambda m, x: m.order_filter(x[0], np.ones((2, 1)), 0),
        lambda m, x: m.order_filter(x[0], np.ones((3, 1)), 5),
        lambda m, x: m.detrend(x, type="round"),
        lambda m, x: m.detrend(x, bp=7),
        lambda m, x: m.hilbert(x, 0),
        lambda m, x: m.hilbert(x * 1j),
        lambda m, x: m.hilbert2(x * 1j),
        lambda m, x: m.envelope(x, residual="round"),
        lambda m, x: m.envelope(x, (1, 2, 3)),
        lambda m, x: m.envelope(x, (5, 5)),
        lambda m, x: m.envelope(x, n_out=0),
    ],
)
def test_errors(call, x):
    compare(lambda m, c: call(m, c(x)))


# ---- analytic signals and trends -----------------------------------------------------------------


@pytest.mark.parametrize("n", [None, 5, 6, 100, 1, 69])
def test_hilbert(n, x):
    compare(lambda m, c: m.hilbert(c(x), n, 1))
    compare(lambda m, c: m.hilbert2(c(x), n))
    compare(lambda m, c: m.hilbert2(c(x), None if n is None else (n, 7), (0, 1)))


@pytest.mark.parametrize("bp", [0, [0, 30], [10, 50], [70]], ids=str)
def test_detrend(bp, x):
    compare(lambda m, c: m.detrend(c(x), 1, bp=bp), 1e-10)
    compare(lambda m, c: m.detrend(c(x), 0), 1e-10)


@pytest.mark.parametrize("band", [(1, None), (None, None), (3, 20), (-4, 6), (None, -3)], ids=str)
@pytest.mark.parametrize("n", [69, 70])
@pytest.mark.parametrize("is_complex", [False, True])
def test_envelope(is_complex, n, band, x):
    z = (x + 1j * x[::-1] if is_complex else x)[:, :n]
    for n_out in (None, 40, 101):
        for residual in ("lowpass", "all", None):
            compare(
                lambda m, c: m.envelope(c(z), band, n_out=n_out, residual=residual, axis=1), 1e-11
            )
    compare(lambda m, c: m.envelope(c(z), band, squared=True, axis=1), 1e-11)


def test_detrend_of_two_samples():
    """A line through two samples leaves nothing of them."""
    left = ours.detrend(cp.array([1.0, 5.0, 2.0, -3.0, 4.0]), bp=[2, 4])
    np.testing.assert_allclose(left.get(), 0, atol=1e-14)
