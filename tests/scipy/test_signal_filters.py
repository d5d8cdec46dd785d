"""Filters by difference equations beside SciPy's."""

import numpy as np
import pytest
from signal_calls import compare, ours, theirs

import gpunp as cp

B, A = theirs.butter(4, 0.2)
SOS = theirs.butter(7, 0.3, output="sos")


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(5).normal(size=(3, 700, 4))


# ---- the engine: tiles, look-back, chains ------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [(1,), (1023,), (1025,), (70_000,), (2, 3000), (40, 2500)], ids=str
)
@pytest.mark.parametrize("wn", [0.2, 0.002])
def test_tiles(shape, wn, rng):
    sos, x = theirs.butter(4, wn, output="sos"), rng.normal(size=shape)
    zi = rng.normal(size=(2, *shape[:-1], 2))
    compare(lambda m, c: m.sosfilt(sos, c(x), zi=c(zi)), 1e-11 / wn)


def test_errors_are_those_of_the_recurrence(rng):
    """Crowded poles, where a direct form loses eight digits: by a reference of 19 digits."""
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("long double is double here")
    b, a = theirs.butter(8, 0.05)
    x = rng.normal(size=20_000)
    exact = theirs.lfilter(b.astype("g"), a.astype("g"), x.astype("g"))
    serial = np.abs(theirs.lfilter(b, a, x) - exact).max()
    assert np.abs(ours.lfilter(b, a, cp.asarray(x)).get() - exact).max() < serial


@pytest.mark.parametrize("pole", [0.999, 1, 1.001, 1.05, -1, 1j])
def test_poles_near_the_unit_circle(pole, rng):
    """Powers of the transition matrix do not decay: tiles are still exact, or form a chain."""
    n = 20_000 if abs(pole) < 1.04 else 9000
    x = rng.normal(size=n)
    compare(lambda m, c: m.lfilter([1.0], [1.0, -pole], c(x), zi=c(np.array([0.5]))), 1e-12)
    compare(lambda m, c: m.lfilter([1.0, 0.5], [1.0, -2 * pole, pole**2], c(x)), 1e-9)


def test_poles_that_overflow_within_a_tile():
    """A sample late in the signal meets powers that are infinite: no tile is used."""
    x = np.zeros(3000)
    x[2900:2950] = 1
    compare(lambda m, c: m.lfilter([1.0], [1.0, -2.5], c(x)))


@pytest.mark.parametrize("groups", [33, 1026])
def test_groups_of_tiles(groups, rng):
    """More tiles than a group has, and than a group of groups."""
    x = rng.normal(size=groups * 1024 if groups < 100 else groups * 2048).astype(np.float32)
    sos = np.array([[1, 0, 0, 1, -0.99999, 0]], np.float32)
    expected = theirs.sosfilt(sos.astype(float), x.astype(float))
    actual = ours.sosfilt(sos, cp.asarray(x)).get()
    assert np.abs(actual - expected).max() < 1e-6 * np.abs(expected).max()


def test_repeats_bit_for_bit(rng):
    x = cp.asarray(rng.normal(size=50_000))
    first = ours.sosfilt(SOS, x).get()
    assert all(np.array_equal(ours.sosfilt(SOS, x).get(), first) for _ in range(3))


@pytest.mark.parametrize("cut", [1, 1024, 3000])
def test_parts_with_states_are_the_whole(cut, rng):
    x = cp.asarray(rng.normal(size=(2, 5000)))
    whole, end = ours.lfilter(B, A, x, zi=cp.zeros((2, 4)))
    first, state = ours.lfilter(B, A, x[:, :cut], zi=cp.zeros((2, 4)))
    second, last = ours.lfilter(B, A, x[:, cut:], zi=state)
    joined = cp.concatenate([first, second], axis=1)
    assert float(abs(joined - whole).max()) < 1e-13
    assert float(abs(last - end).max()) < 1e-13


def test_many_lines(rng):
    """A thread a line: short rows, and an axis across many columns."""
    x = rng.normal(size=(4100, 30))
    compare(lambda m, c: m.lfilter(B, A, c(x)))
    compare(lambda m, c: m.lfilter(B, A, c(x.T), 0))


# ---- lfilter ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_axes(axis, x):
    shape = list(x.shape)
    shape[axis] = 4
    zi = np.random.default_rng(1).normal(size=shape)
    compare(lambda m, c: m.lfilter(B, 3 * A, c(x), axis))
    compare(lambda m, c: m.lfilter(B, A, c(x), axis, zi=c(zi)))
    compare(lambda m, c: m.sosfilt(SOS, c(x), axis))


@pytest.mark.parametrize("n", [3, 700])
@pytest.mark.parametrize(
    "sizes", [(1, 1), (5, 1), (2, 5), (5, 2), (40, 1), (3, 60), (70, 40)], ids=str
)
def test_numbers_of_coefficients(sizes, n, x, rng):
    b, a = rng.normal(size=sizes[0]), np.r_[2, rng.normal(size=sizes[1] - 1) / sizes[1]]
    zi = rng.normal(size=(3, max(sizes) - 1, 4))
    compare(lambda m, c: m.lfilter(b, a, c(x[:, :n]), 1))
    if max(sizes) > 1:
        compare(lambda m, c: m.lfilter(b, a, c(x[:, :n]), 1, zi=c(zi)))


@pytest.mark.parametrize("dtype", "fdFDlb?")
def test_types(dtype, x):
    x = x[:, :50].astype(dtype)
    compare(lambda m, c: m.lfilter(B, A, c(x), 1))
    compare(lambda m, c: m.sosfilt(SOS.astype("f"), c(x), 1), 1e-5)
    compare(lambda m, c: m.lfilter([0.5, 0.5j], [1.0], c(x), 1))
    compare(lambda m, c: m.lfilter([0.5, 0.5j], [1.0, 0.2j], c(x), 1))


def test_float32_keeps_states_of_float64(rng):
    x, (b, a) = rng.normal(size=30_000).astype("f"), theirs.butter(2, 0.01)
    b, a = b.astype("f"), a.astype("f")
    expected = theirs.lfilter(b.astype("d"), a.astype("d"), x.astype("d"))
    actual = ours.lfilter(b, a, cp.asarray(x))
    assert actual.dtype == np.float32
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-6, atol=1e-9 * abs(expected).max())


def test_integers_alone_are_float64():
    x = cp.arange(5)
    assert ours.lfilter([1], [1, -1], x).get().tolist() == [0, 1, 3, 6, 10]
    assert ours.lfilter([1], [1, -1], x).dtype == np.float64


def test_coefficients_of_the_device(x):
    on_host = ours.lfilter(B, A, cp.asarray(x), 1)
    on_device = ours.lfilter(cp.asarray(B), cp.asarray(A), cp.asarray(x), 1)
    assert np.array_equal(on_host.get(), on_device.get())


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1, ::-3], np.s_[:, 5:, 1]], ids=str)
def test_layouts(view, x):
    compare(lambda m, c: m.sosfilt(SOS, c(x)[view], 1))
    compare(lambda m, c: m.lfilter(B, A, c(x).T[view], 0))


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.lfilter([1.0], [0, 1.0], x),
        lambda m, x: m.lfilter([], [1], x),
        lambda m, x: m.lfilter([1], [], x),
        lambda m, x: m.lfilter([[1]], [1], x),
        lambda m, x: m.lfilter([1, 1], [1, 1], x, zi=x[0]),
        lambda m, x: m.lfilter([1, 1.0], [1, 1.0], x[0, 0, 0]),
        lambda m, x: m.lfilter([1, 1.0], [1, 1.0], x, zi=x[:1, :1, :1]),
        lambda m, x: m.lfilter([1, 1.0, 2], [1, 1.0, 2], x, zi=x[:1, :1, :1]),
        lambda m, x: m.lfilter([1, 1.0, 2], [1, 1.0, 2], x, zi=x[:1, :1, :2]),
        lambda m, x: m.lfilter([1.0], [2.0], x, zi=x[:1, :1, :1]),
        lambda m, x: m.lfilter([1.0], [2.0], x, zi=x[:, :, :0]),
        lambda m, x: m.lfilter([1, 1.0], [1, 1.0], x[:0, :, :0]),
        lambda m, x: m.lfilter([1, 1.0], [1, 1.0], x, 5),
        lambda m, x: m.sosfilt([[1, 0, 0, 2, 0, 0]], x),
        lambda m, x: m.sosfilt([[1, 0, 0, 1, 0]], x),
        lambda m, x: m.sosfilt([[1, 0, 0, 1, 0, 0]], x, zi=x),
        lambda m, x: m.sosfilt([[1, 0, 0, 1, 0, 0]], x[0, 0, 0]),
        lambda m, x: m.filtfilt([1], [1, 0.5], x[0, :4, 0]),
        lambda m, x: m.filtfilt([1], [1, 0.5], x, padtype="round"),
        lambda m, x: m.filtfilt([1], [1, 0.5], x, padlen=7),
        lambda m, x: m.filtfilt([1], [1, 0.5], x, method="both"),
        lambda m, x: m.sosfiltfilt(SOS, x[:, :20], 1),
        lambda m, x: m.deconvolve(x, [1.0]),
        lambda m, x: m.deconvolve(x[0, :, 0], [[1.0]]),
    ],
)
def test_errors_and_edges(call, x):
    compare(lambda m, c: call(m, c(x)))


# ---- both directions, initial conditions ---------------------------------------------------------


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_both_directions(padtype, x):
    for axis, padlen in ((1, None), (1, 0), (2, 3)):
        compare(lambda m, c: m.filtfilt(B, A, c(x[:2, :90, :2]), axis, padtype, padlen))
        compare(lambda m, c: m.sosfiltfilt(SOS, c(x[:2, :90, :2]), axis, padtype, padlen))


@pytest.mark.parametrize("irlen", [None, 60, 500])
def test_gustafsson(irlen, x):
    compare(lambda m, c: m.filtfilt(B, A, c(x), 1, method="gust", irlen=irlen), 1e-10)
    compare(lambda m, c: m.filtfilt([2.0], [3.0], c(x), method="gust"))


def test_initial_conditions():
    compare(lambda m, c: m.lfilter_zi(B, A))
    compare(lambda m, c: m.sosfilt_zi(SOS))
    compare(lambda m, c: m.lfiltic(B, A, [1.0, 2], [3.0]))
    assert isinstance(ours.lfiltic(B, A, cp.ones(2)), cp.ndarray)


def test_deconvolve(x):
    for n in (700, 3, 2):
        compare(lambda m, c: m.deconvolve(c(x[0, :n, 0]), [1, 0.5, 0.2]))
    compare(lambda m, c: m.deconvolve(c(x[0, :9, 0]), c(np.array([2, 0.5j]))))


# ---- mirrored ends -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", "dfD")
def test_pole_in_both_directions(dtype, x):
    for a in (x[0, :300, 0], x[:, :300, 1]):
        for z in (0.5, -0.6, 0.1):
            compare(
                lambda m, c, a=a, z=z: m.symiirorder1(c(a.astype(dtype)), 0.3, z),
                1e-5 if dtype == "f" else 1e-11,
            )


def test_pair_of_poles_in_both_directions(x):
    """SciPy's sums for the end of the signal stop early: with a small precision, at 1e-7."""
    a = x[0, :300, 0]
    for r, omega in ((0.5, 0.7), (0.7, 1.0), (0.1, 2.0)):
        compare(lambda m, c, r=r, o=omega: m.symiirorder2(c(a), r, o, 1e-15), 1e-7)
        compare(lambda m, c, r=r, o=omega: m.symiirorder2(c(a), r, o)[:220], 1e-10)
        compare(lambda m, c, r=r, o=omega: m.symiirorder2(c(a[:20]), r, o), 1e-6)
        mirrored = np.concatenate([a[::-1], a, a[::-1]])
        k, f = 1 - 2 * r * np.cos(omega) + r * r, [1, -2 * r * np.cos(omega), r * r]
        there = theirs.lfilter([k], f, mirrored)
        whole = theirs.lfilter([k], f, there[::-1])[::-1][300:600]
        actual = ours.symiirorder2(cp.asarray(a), r, omega).get()
        np.testing.assert_allclose(actual, whole, rtol=0, atol=1e-10)
    compare(lambda m, c: m.symiirorder2(c(a.astype("D")), 0.5, 0.7))
    compare(lambda m, c: m.symiirorder2(c(a), 1.5, 0.7))
    compare(lambda m, c: m.symiirorder1(c(a), 1.0, 1.5))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2**23 + 777,), (3, 2**22 + 5), (300, 2**15)])
def test_long_signals_in_several_parts_a_thread(shape):
    x = np.random.default_rng(2).standard_normal(shape).astype("f")
    sos = theirs.butter(8, 0.2, output="sos")
    zi = np.random.default_rng(3).standard_normal((4, *shape[:-1], 2))
    found, last = ours.sosfilt(sos, cp.asarray(x), zi=cp.asarray(zi))
    desired, desired_last = theirs.sosfilt(sos, x.astype("d"), zi=zi)
    np.testing.assert_allclose(found.get(), desired, atol=1e-12)
    np.testing.assert_allclose(last.get(), desired_last, atol=1e-12)


def test_single_coefficients(x):
    """Numbers stand for polynomials of one coefficient."""
    compare(lambda m, c: m.lfilter(B, 1, c(x)))
    compare(lambda m, c: m.lfilter(2.0, 1, c(x)))
    compare(lambda m, c: m.lfilter(2.0, A, c(x)))
    compare(lambda m, c: m.filtfilt(B, 1, c(x)))
    compare(lambda m, c: m.deconvolve(c(x[0]), 2.0)[0])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool", "int16"])
def test_small_integers_in_whole_tiles(dtype, rng):
    """An access of 16 bytes has more of them than a thread has samples."""
    x = rng.integers(0, 2, 3000).astype(dtype)
    compare(lambda m, c: m.lfilter(B, A, c(x)))


@pytest.mark.parametrize("n", [300, 1024 + 513, 1024 + 512])
def test_state_after_samples_of_several_warps(n, rng):
    x = rng.normal(size=n)
    compare(lambda m, c: m.lfilter(B, A, c(x), zi=c(np.ones(4)))[1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int8", "bool"])
@pytest.mark.parametrize("n", [5000, 5001])
def test_both_ways_over_tiles(n, dtype, rng):
    """Backwards, accesses of 16 bytes begin at the ends of rows."""
    x = (3 * rng.normal(size=(2, n))).astype(dtype)
    limit = 1e-5 if dtype == "complex64" else None
    compare(lambda m, c: m.filtfilt(B, A, c(x)), limit)
    compare(lambda m, c: m.sosfiltfilt(SOS.astype("f"), c(x), padtype="even"), 1e-4)
    assert ours.filtfilt(B, A, cp.asarray(x)).flags.c_contiguous


def test_both_ways_by_many_sections_and_by_lines(rng):
    sos = np.concatenate([SOS] * 5)
    x = rng.normal(size=(4100, 100))
    compare(lambda m, c: m.sosfiltfilt(sos, c(x[:2])), 1e-9)
    compare(lambda m, c: m.filtfilt(B, A, c(x)))
    compare(lambda m, c: m.filtfilt(np.ones(50) / 50, [1.0], c(x[:3]), padlen=60))
