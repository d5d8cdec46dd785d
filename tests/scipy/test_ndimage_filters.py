"""Filters along axes against SciPy: types, modes, windows beyond the image, layouts, outputs, errors."""

import warnings

import numpy as np
import pytest
import scipy.ndimage as theirs
from images import MODES, compare, image

import gpunp as cp
from gpunp.scipy import ndimage as ours

DTYPES = "?bBhHiIlLfdFD"

CALLS = {
    "correlate1d": [([1.0, -2.0, 0.5, 3.0],), ([0.25, 0.5, 0.25], 0), ([1, 0, -1], -1)],
    "convolve1d": [([1.0, -2.0, 0.5, 3.0], 0), ([0.1] * 9,)],
    "uniform_filter1d": [(1,), (4, 0), (7, -1)],
    "uniform_filter": [(), (4,), ((1, 3, 2),)],
    "minimum_filter1d": [(3,), (4, 0), (9,)],
    "maximum_filter1d": [(3,), (4, 0), (9,)],
    "gaussian_filter1d": [(1.0,), (0.7, 0, 1), (2.0, 1, 2)],
    "gaussian_filter": [(1.0,), ((0, 1, 2),), (1.5, (0, 1, 0))],
    "sobel": [(), (0,)],
    "prewitt": [(), (1,)],
    "laplace": [()],
    "gaussian_laplace": [(1.0,)],
    "gaussian_gradient_magnitude": [(1.0,)],
}
REAL = ("minimum_filter1d", "maximum_filter1d")
# Squares of integers leave their type, and a conversion of what does not fit is undefined in C.
FLOATS = ("gaussian_gradient_magnitude",)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(CALLS))
def test_filters(name, dtype, rng):
    kind = np.dtype(dtype).kind
    if (name in REAL and kind == "c") or (name in FLOATS and kind not in "fc"):
        return
    a = image((5, 6, 7), dtype, rng)
    for i, args in enumerate(CALLS[name]):
        for mode in MODES[i :: len(CALLS[name])]:
            compare(name, a, *args, mode=mode, cval=3.0)


@pytest.mark.parametrize(
    "shape", [(0,), (1,), (2,), (13,), (0, 3), (4, 1, 3), (2, 3, 2, 5), (300,), (3, 70)]
)
@pytest.mark.parametrize("mode", MODES[:5])
def test_shapes_and_windows_beyond_them(shape, mode, rng):
    a = image(shape, "d", rng)
    for axis in range(len(shape)):
        if a.size:
            for taps in (1, 2, 9, 40, 150):
                compare("correlate1d", a, rng.normal(size=taps), axis, mode=mode, cval=-1.5)
            compare("maximum_filter1d", a, 31, axis, mode=mode, cval=-1.5)
    compare("gaussian_filter", a, 3.0, mode=mode)
    compare("uniform_filter", a, 5, mode=mode)


@pytest.mark.parametrize("dtype", "BiLd")
@pytest.mark.parametrize("taps", [63, 64, 65, 256, 257])
def test_many_taps(taps, dtype, rng):
    a = image((3, 500), dtype, rng)
    weights = rng.integers(-9, 9, taps).astype(float)  # exact in any order
    for axis in (0, 1):
        compare("correlate1d", a, weights, axis, output="d")
        compare("correlate1d", a, np.ones(taps), axis, output="l")


@pytest.mark.parametrize("name", ["correlate1d", "uniform_filter1d", "minimum_filter1d"])
def test_origins(name, rng):
    a = image((6, 11), "d", rng)
    for size in (1, 2, 3, 6):
        argument = rng.normal(size=size) if name == "correlate1d" else size
        for origin in range(-(size // 2), (size - 1) // 2 + 1):
            for axis in (0, 1):
                compare(name, a, argument, axis, origin=origin)
                if name == "correlate1d":
                    compare("convolve1d", a, argument, axis, origin=origin)


@pytest.mark.parametrize("weights", [[1, 2j, 3 + 1j], [1j, 1]])
@pytest.mark.parametrize("dtype", "dDf")
def test_complex_weights(weights, dtype, rng):
    a = image((6, 7), dtype, rng)
    for name in ("correlate1d", "convolve1d"):
        compare(name, a, np.array(weights), 0, mode="constant", cval=2.0)


def test_weights_of_the_device(rng):
    a, w = rng.normal(size=(5, 9)), rng.normal(size=4)
    actual = ours.correlate1d(cp.asarray(a), cp.asarray(w)[::-1])
    np.testing.assert_allclose(actual.get(), theirs.correlate1d(a, w[::-1]), atol=1e-12)


LAYOUTS = {
    "F": lambda a: np.asfortranarray(a),
    "reversed": lambda a: a[::-1, :, ::-1],
    "strided": lambda a: np.repeat(a, 2, 1)[:, ::2],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "permuted": lambda a: a.transpose(2, 0, 1),
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_layouts(layout, rng):
    a = image((4, 5, 6), "d", rng)
    desired = theirs.gaussian_filter(LAYOUTS[layout](a), (1, 2, 0.5))
    b = cp.asarray(a)
    view = {
        "F": lambda b: cp.asfortranarray(b),
        "reversed": lambda b: b[::-1, :, ::-1],
        "strided": lambda b: cp.repeat(b, 2, 1)[:, ::2],
        "broadcast": lambda b: cp.broadcast_to(b[:1], b.shape),
        "permuted": lambda b: b.transpose(2, 0, 1),
    }[layout](b)
    np.testing.assert_allclose(ours.gaussian_filter(view, (1, 2, 0.5)).get(), desired, atol=1e-12)


@pytest.mark.parametrize("sigma", [(1, 0, 0), (1, 1, 0), (1, 1, 1)])
def test_outputs(sigma, rng):
    a = image((4, 5, 6), "d", rng)
    desired = theirs.gaussian_filter(a, sigma)
    b = cp.asarray(a)
    places = [cp.empty(a.shape), cp.empty(a.shape[::-1]).T, cp.empty((4, 5, 12))[..., ::2], b]
    for place in places:  # the last is the image itself
        assert ours.gaussian_filter(b, sigma, output=place) is place
        np.testing.assert_allclose(place.get(), desired, atol=1e-12)
    for dtype in ("f", "i", np.uint8, np.dtype("h")):
        compare("gaussian_filter", np.abs(a), sigma, output=dtype)
    wide = np.zeros((5, 6, 6))
    wide[:4, :5] = a
    c = cp.asarray(wide)
    ours.gaussian_filter(c[:4, :5], sigma, output=c[1:, 1:])
    np.testing.assert_allclose(c.get()[1:, 1:], desired, atol=1e-12)


def test_axes_and_sequences(rng):
    a = image((5, 6, 7), "d", rng)
    compare("gaussian_filter", a, (1, 2), axes=(0, 2), mode=("wrap", "nearest"), order=(1, 0))
    compare("gaussian_filter", a, 1.0, axes=(), output="f")
    compare("gaussian_filter", a, 1.0, radius=2)
    compare("gaussian_filter", a, 1.0, truncate=1.5, axes=1)
    compare("uniform_filter", a, (3, 2), axes=(-1, 0), origin=(1, -1), mode=["mirror", "constant"])
    compare("laplace", a, axes=(0, 1))
    compare("gaussian_laplace", a, (1, 2), axes=(0, 2), truncate=2.0)
    # SciPy smoothes along all axes here, and refuses a sigma for each.
    parts = [theirs.gaussian_filter(a, 1.5, order, axes=(0, 2)) for order in ((1, 0), (0, 1))]
    actual = ours.gaussian_gradient_magnitude(cp.asarray(a), (1.5, 1.5), axes=(0, 2))
    np.testing.assert_allclose(actual.get(), np.hypot(*parts), atol=1e-10)
    compare("sobel", a, 0, mode=["wrap", "nearest", "mirror"])


def test_generic_functions(rng):
    a = rng.normal(size=(5, 6))

    def of(module):
        def derivative(image, axis, output, mode, cval, weight, *, scale):
            return module.correlate1d(image, [weight, 0, scale], axis, output, mode, cval)

        return derivative

    for name in ("generic_laplace", "generic_gradient_magnitude"):
        options = {"extra_arguments": (-0.5,), "extra_keywords": {"scale": 0.5}, "axes": (1, 0)}
        desired = getattr(theirs, name)(a, of(theirs), **options)
        actual = getattr(ours, name)(cp.asarray(a), of(ours), **options)
        np.testing.assert_allclose(actual.get(), desired, atol=1e-12)


@pytest.mark.parametrize("name", ["generic_laplace", "generic_gradient_magnitude"])
def test_generic_functions_that_return_new_arrays(name, rng):
    """What is returned counts, whether or not the output was written."""

    def writes(image, axis, output, mode, cval):
        return ours.correlate1d(image, [1.0, -2, 1], axis, output, mode, cval)

    def returns(image, axis, output, mode, cval):
        return ours.correlate1d(image, [1.0, -2, 1], axis, None, mode, cval)

    a = cp.asarray(rng.normal(size=(5, 6)))
    desired, actual = getattr(ours, name)(a, writes), getattr(ours, name)(a, returns)
    np.testing.assert_array_equal(actual.get(), desired.get())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(dtype, rng):
    a = cp.asarray(rng.normal(size=(6, 7))).astype(dtype)
    actual = ours.gaussian_filter(a, 1.0)
    assert actual.dtype == a.dtype
    desired = theirs.gaussian_filter(a.astype("f").get(), 1.0)
    np.testing.assert_allclose(actual.astype("f").get(), desired, atol=0.03)
    desired = theirs.maximum_filter1d(a.astype("f").get(), 3)
    np.testing.assert_array_equal(ours.maximum_filter1d(a, 3).astype("f").get(), desired)


def test_extremes_of_64_bit_integers_are_exact():
    a = np.array([2**62 + 1, 2**62, -(2**62) - 1, 5])
    assert ours.maximum_filter1d(cp.asarray(a), 3).get().tolist() == [a[0], a[0], a[1], 5]
    assert ours.minimum_filter1d(cp.asarray(a.astype("u8")), 2, mode="nearest").get()[0] == a[0]


X, Z = np.arange(6.0), np.arange(6.0) + 1j
ERRORS = [
    lambda m, x, z: m.correlate1d(x, [1, 1], output=np.zeros(3, bool).dtype, mode="spline"),
    lambda m, x, z: m.correlate1d(x, [1, 1], output=x[:3]),
    lambda m, x, z: m.correlate1d(z, [1.0], output=x),
    lambda m, x, z: m.correlate1d(x, []),
    lambda m, x, z: m.correlate1d(x, np.ones((2, 2))),
    lambda m, x, z: m.correlate1d(x, [1, 2], origin=3),
    lambda m, x, z: m.convolve1d(x, [1, 2], origin=-3),
    lambda m, x, z: m.correlate1d(x, [1, 2], axis=3),
    lambda m, x, z: m.uniform_filter1d(x, 0),
    lambda m, x, z: m.uniform_filter1d(x, 3, origin=3),
    lambda m, x, z: m.minimum_filter1d(z, 3),
    lambda m, x, z: m.minimum_filter1d(x, 0),
    lambda m, x, z: m.maximum_filter1d(x, 3, origin=2),
    lambda m, x, z: m.gaussian_filter1d(x, 1, order=-1),
    lambda m, x, z: m.gaussian_filter1d(x, 1, radius=-1),
    lambda m, x, z: m.gaussian_filter1d(x, 0),
    lambda m, x, z: m.gaussian_filter(x, [1, 2]),
    lambda m, x, z: m.gaussian_filter(x, 1, axes=(0, 0)),
    lambda m, x, z: m.gaussian_filter(x, 1, axes=4),
    lambda m, x, z: m.gaussian_filter(x, 1, mode=["reflect", "wrap"]),
]


@pytest.mark.parametrize("call", ERRORS, ids=range(len(ERRORS)))
def test_errors_are_scipys(call):
    with pytest.raises(Exception) as desired:
        call(theirs, X, Z)
    with pytest.raises(type(desired.value)) as actual:
        call(ours, cp.asarray(X), cp.asarray(Z))
    assert str(actual.value) == str(desired.value)


def test_means_of_windows_longer_than_any_image():
    """SciPy's process ends with a segmentation fault."""
    a = cp.arange(4.0)
    for size in (2**31, 2**63 - 1):
        for name, mean in (("wrap", 1.5), ("reflect", 1.5), ("constant", 5.0), ("nearest", 1.5)):
            mode = {"mode": name, "cval": 5.0}
            assert cp.allclose(ours.uniform_filter1d(a, size, **mode), mean, atol=1e-8)
            assert cp.allclose(ours.uniform_filter(a, size, **mode), mean, atol=1e-8)
    with pytest.raises(OverflowError):
        ours.uniform_filter1d(a, 2**63)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_means_of_windows_longer_than_the_image(mode, n, rng):
    """They are computed from one period of what lies beyond the ends."""
    for dtype in "dlD":
        a = image((2, n), dtype, rng)
        for size in (8 * n + 65, 20 * n + 100):
            for origin in (0, -3, size // 3):
                compare("uniform_filter1d", a, size, mode=mode, cval=2.5, origin=origin)


def test_a_real_output_type_of_complex_numbers_is_widened():
    with pytest.warns(UserWarning, match="promoting specified output dtype to complex"):
        assert ours.correlate1d(cp.asarray(Z), [1.0], output=float).dtype == complex
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.correlate1d(cp.asarray(X), [1j])


def test_nothing_is_read_back(rng):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        a = cp.asarray(rng.normal(size=(64, 65)).astype("f"))
        out = cp.empty_like(a)
        ours.uniform_filter(a, 5, output=out)
        stream.begin_capture()
        ours.uniform_filter(a, 5, output=out)
        graph = stream.end_capture()
        graph.launch()
    stream.synchronize()
    np.testing.assert_allclose(out.get(), theirs.uniform_filter(a.get(), 5), atol=1e-5)


@pytest.mark.parametrize("cval", [300, -1, 2.5, np.inf, -np.inf, np.nan])
def test_constants_that_the_image_cannot_hold(cval):
    """What stands beyond the ends is compared as it is, and rounded with the result."""
    a = np.array([[5, 3, 7, 2, 8], [1, 9, 4, 0, 6], [2, 2, 8, 1, 1]])
    for dtype, output in [("u1", None), ("i4", None), ("i8", None), ("i8", "f8"), ("u8", None)]:
        image = a.astype(dtype)
        for name in ("minimum_filter", "maximum_filter"):
            for mode in ("constant", "nearest"):
                is_held = output or (abs(cval) < 2**15 and (cval >= 0 or dtype[0] == "i"))
                if (
                    mode == "constant"
                    and not is_held
                    and cval != (1 if "min" in name else -1) * np.inf
                ):
                    continue  # SciPy's conversion of the result is undefined
                desired = getattr(theirs, name)(image, 3, output=output, mode=mode, cval=cval)
                actual = getattr(ours, name)(
                    cp.asarray(image), 3, output=output, mode=mode, cval=cval
                )
                if cval == cval or mode == "nearest":
                    np.testing.assert_array_equal(actual.get(), desired)
    for name in ("median_filter", "rank_filter"):
        rank = (1,) if name == "rank_filter" else ()
        actual = getattr(ours, name)(cp.asarray(a), *rank, size=3, mode="nearest", cval=cval)
        np.testing.assert_array_equal(
            actual.get(), getattr(theirs, name)(a, *rank, size=3, mode="nearest", cval=cval)
        )


def test_types_of_output_as_text():
    a = cp.ones((3, 4), "c16")
    for name in ("laplace", "sobel", "spline_filter"):
        with pytest.raises(RuntimeError, match="complex"):
            getattr(ours, name)(a, output="f8")
    with pytest.raises(RuntimeError, match="numeric"):
        ours.median_filter(a.real, 3, output="?")


@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "wrap"])
def test_extremes_of_windows_longer_than_the_image(mode):
    a = np.array([4, 9, 1, 7, 7, 3, 8], "i4")
    for size, origin in ((13, 2), (14, 0), (15, -7), (30, 14), (31, -15), (101, 3)):
        options = {"mode": mode, "cval": 5, "origin": origin}
        desired = theirs.minimum_filter1d(a, size, **options)
        assert (ours.minimum_filter1d(cp.array(a), size, **options).get() == desired).all()
    assert (ours.maximum_filter(cp.array(a), 2**62, mode=mode, cval=5) == 9).all()


@pytest.mark.parametrize("name", ["gaussian_filter", "gaussian_filter1d"])
def test_gaussians_beyond_the_memory(name):
    a = cp.ones((3, 3))
    for sigma, order in ((2.0**48, 0), (1.0, 2**31), (1.0, 2**63), (1.0, np.int64(2**63 - 1))):
        with pytest.raises(MemoryError):
            getattr(ours, name)(a, sigma, order=order)
