"""Convolutions beside SciPy's: by sums, by spectra, by blocks."""

import itertools

import cases
import numpy as np
import pytest

import gpunp as cp

theirs = pytest.importorskip("scipy.signal")
import gpunp.scipy.signal as ours  # noqa: E402

MODES = ["full", "same", "valid"]
SHAPES = [((9,), (4,)), ((4,), (9,)), ((5, 7), (3, 2)), ((4, 5, 6), (2, 3, 2)), ((6, 1), (2, 3))]


def near(call, *arrays):
    """call(module, arrays...) gives the same with both, or raises the same type of exception."""
    try:
        expected = call(theirs, *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours, *(cp.asarray(a) for a in arrays))
        return
    result = call(ours, *(cp.asarray(a) for a in arrays))
    assert result.dtype == expected.dtype and result.shape == expected.shape
    if expected.dtype.kind in "?biu":
        assert np.array_equal(result.get(), expected)
        return
    single = any(a.dtype.char in "efF" for a in arrays)
    eps = 5e-3 if expected.dtype == np.float16 else 1e-5 if single else 1e-12
    limit = eps * np.abs(expected).max(initial=1e-30)
    np.testing.assert_allclose(result.get(), expected, rtol=0, atol=limit)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", "bHilefdFD")
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve", "oaconvolve"])
def test_dtypes(name, dtype, mode, rng):
    for shapes in SHAPES[: 1 if dtype == "e" else None]:  # SciPy's sums over axes know no float16
        a, b = (cases.values(dtype, shape, rng) for shape in shapes)
        near(lambda m, x, y: getattr(m, name)(x, y, mode), a, b)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["direct", "fft"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_methods(name, method, mode, rng):
    for shapes, dtypes in itertools.product(SHAPES, ["dd", "Dd", "il", "fd"]):
        a, b = (cases.values(t, shape, rng) for t, shape in zip(dtypes, shapes, strict=True))
        near(lambda m, x, y: getattr(m, name)(x, y, mode, method), a, b)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_axes(name, mode, rng):
    a = cases.values("d", (4, 30, 6), rng)
    for shape, axes in [((4, 3, 6), 1), ((1, 3, 1), [1]), ((4, 3, 2), (2, -2)), ((4, 3, 1), 1)]:
        b = cases.values("d", shape, rng)
        near(lambda m, x, y: getattr(m, name)(x, y, mode, axes), a, b)


@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_same_is_the_shape_of_the_first(name, rng):
    """Along axes that are broadcast, too."""
    for first, second, axes in [
        ((4, 30, 1), (4, 3, 6), 1),
        ((1, 30, 1), (4, 3, 6), 1),
        ((4, 3, 1), (4, 30, 6), 1),
        ((2000, 1), (9, 3), 0),
    ]:
        a, b = cases.values("d", first, rng), cases.values("d", second, rng)
        near(lambda m, x, y, i=axes: getattr(m, name)(x, y, "same", axes=i), a, b)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((9000,), (17,)),
        ((11,), (5000,)),
        ((2, 5000), (2, 9)),
        ((3000, 40), (5, 7)),
        ((2100, 1100), (3, 4)),
    ],
    ids=str,
)
def test_blocks(shapes, mode, rng):
    a, b = (cases.values("f", shape, rng) for shape in shapes)
    near(lambda m, x, y: m.oaconvolve(x, y, mode, axes=-1 if x.shape[0] == 2 else None), a, b)


def test_errors(rng):
    a = cases.values("d", (3, 4), rng)
    for call in (
        lambda m, x: m.convolve(x, x[0]),
        lambda m, x: m.convolve(x, x, "half"),
        lambda m, x: m.convolve(x, x, method="sums"),
        lambda m, x: m.convolve(x[:2], x[:, :2], "valid"),
        lambda m, x: m.fftconvolve(x, x, axes=()),
        lambda m, x: m.fftconvolve(x, x, axes=(0, 0)),
        lambda m, x: m.fftconvolve(x, x, axes=2),
        lambda m, x: m.fftconvolve(x, x[:2], axes=1),
        lambda m, x: m.convolve2d(x, x[0]),
        lambda m, x: m.convolve2d(x, x, boundary="none"),
        lambda m, x: m.correlate2d(x[0], x[0]),
        lambda m, x: m.correlation_lags(2, 3, "half"),
    ):
        near(call, a)


def test_empty_and_scalar():
    near(lambda m, x: m.fftconvolve(x, x), np.zeros((0, 3)))
    near(lambda m, x: m.oaconvolve(x, x), np.zeros((0, 3)))
    near(lambda m, x: m.convolve(x, x), np.array(3.0))


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_two_dimensions(name, mode, boundary, rng):
    for dtype, shape in itertools.product("idD", [(3, 3), (2, 4), (1, 1), (9, 8)]):
        if dtype == "D" and shape == (9, 8) and mode == "valid" and name == "correlate2d":
            continue  # SciPy conjugates the other operand there
        a, b = cases.values(dtype, (6, 7), rng), cases.values(dtype, shape, rng)
        near(lambda m, x, y: getattr(m, name)(x, y, mode, boundary), a, b)
        near(lambda m, x, y: getattr(m, name)(x, y, mode, "fill", 2), a, b)


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("mode", MODES)
def test_more_weights_than_are_taken_at_once(name, mode, boundary, rng):
    """Sums of integers by parts, products of spectra of floats; windows with steps of any sign."""
    for dtype, shape in itertools.product("hd", [(17, 18), (33, 5), (40, 7)]):
        a, b = cases.values(dtype, (36, 70), rng), cases.values(dtype, shape, rng)
        near(lambda m, x, y: getattr(m, name)(x, y, mode, boundary), a, b)
        near(lambda m, x, y: getattr(m, name)(x[::-1], y[:, ::-2], mode, boundary), a, b)
        near(lambda m, x, y: getattr(m, name)(x.T, y[::9].T, mode, boundary), a, b)


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_planes_of_every_type(dtype, rng):
    a, b = cases.values(dtype, (40, 33), rng), cases.values(dtype, (3, 5), rng)
    wide = [x.astype("D" if x.dtype.kind == "c" else "d") for x in (a, b)]
    result = ours.convolve2d(cp.asarray(a), cp.asarray(b), "same")
    assert result.dtype == np.result_type(a, b)
    if dtype.kind == "b":
        assert np.array_equal(result.get(), theirs.convolve2d(*wide, "same") > 0)
    elif dtype.kind in "iu":
        near(lambda m, x, y: m.convolve2d(x, y, "same", "symm"), a, b)
    else:
        size = theirs.convolve2d(*(abs(x) for x in wide), "same")
        error = abs(result.get().astype(wide[0].dtype) - theirs.convolve2d(*wide, "same"))
        assert (error <= 15 * cp.finfo(dtype).eps * size).all()


def test_lags():
    for n, k, mode in itertools.product(range(1, 7), range(1, 7), MODES):
        assert np.array_equal(
            ours.correlation_lags(n, k, mode).get(), theirs.correlation_lags(n, k, mode)
        )


def test_choice():
    small, large = cp.ones(100), cp.ones(1 << 16)
    assert ours.choose_conv_method(small, small) == "direct"
    assert ours.choose_conv_method(large, large[:1000]) == "fft"
    assert ours.choose_conv_method(large.astype(int), large.astype(int)) == "direct"
    method, times = ours.choose_conv_method(small, small, measure=True)
    assert method in times and set(times) == {"fft", "direct"}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")  # SciPy's, before its error
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", "bidD")
@pytest.mark.parametrize(
    "fill",
    [2, 1.5, 1 + 2j, np.float32(3), np.array([2]), np.array([2], "i1"), np.array([1, 2])],
    ids=str,
)
def test_fill_values(name, mode, dtype, fill, rng):
    a, b = cases.values(dtype, (4, 5), rng), cases.values(dtype, (3, 2), rng)
    near(lambda signal, x, y: getattr(signal, name)(x, y, mode, "fill", fill), a, b)


def test_fill_value_of_a_better_type_than_the_first_operand():
    a, b = np.ones((3, 3), "i4"), np.ones((2, 2))
    near(lambda signal, x, y: signal.convolve2d(x, y, fillvalue=1.5), a, b)
    near(lambda signal, x, y: signal.convolve2d(x, y * 1j, fillvalue=1.5j), a, b)


@pytest.mark.parametrize("mode", MODES)
def test_convolve2d_of_nothing(mode):
    a, b = np.ones((0, 2)), np.ones((2, 2))
    result = ours.convolve2d(cp.asarray(a), cp.asarray(b), mode)
    assert result.shape == theirs.convolve2d(a, b, mode).shape and not result.any()


@pytest.mark.parametrize("dtype", "bBhHiI")
def test_sums_of_small_integers_wrap_around(dtype):
    """With either method, as those of NumPy."""
    a, b = np.arange(200).astype(dtype), np.arange(100, 150).astype(dtype)
    for name in ("convolve", "correlate"):
        desired = getattr(theirs, name)(a, b, method="direct")
        for method in ("direct", "fft"):
            actual = getattr(ours, name)(cp.asarray(a), cp.asarray(b), method=method)
            assert actual.dtype == dtype and np.array_equal(actual.get(), desired)


def test_spectra_of_bools_are_rounded(rng):
    a, b = rng.random(200) > 0.9, rng.random(30) > 0.9
    result = ours.convolve(cp.asarray(a), cp.asarray(b), method="fft")
    assert np.array_equal(result.get(), theirs.convolve(a, b, method="direct"))


@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i2"])
def test_spectra_of_integers_are_float64(name, dtype):
    for other in ("f", "F", "d"):
        a, b = np.ones(500, dtype), np.ones(5, other)
        desired = getattr(theirs, name)(a, b)
        actual = getattr(ours, name)(cp.asarray(a), cp.asarray(b))
        assert actual.dtype == desired.dtype
        np.testing.assert_allclose(actual.get(), desired, rtol=1e-6)
