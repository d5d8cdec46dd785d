"""The transforms of gpunp.fft beside NumPy's: dtypes, layouts, axes, lengths, norms, places."""

import doctest
import inspect
import itertools
import warnings

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
GRIDS = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
NORMS = [None, "backward", "ortho", "forward"]


@pytest.fixture(autouse=True)
def quiet():
    """NumPy warns that `s` without `axes` will mean something else one day."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def tolerance(dtype):
    """Relative to the largest value of a result: what the precision of the transform allows."""
    single = np.dtype(dtype).name in ("float16", "bfloat16", "float32", "complex64")
    return 1e-5 if single else 1e-13


def near(body, dtype, **options):
    """check() with an error that is small beside the largest value, as a transform's is."""
    with np.errstate(all="ignore"):
        try:
            size = np.abs(np.asarray(body(np)).astype("D")).max(initial=1e-30)
        except Exception:
            size = 1.0
    eps = tolerance(dtype)
    if np.dtype(dtype).name in ("float16", "bfloat16"):
        eps = 1e-2  # real results of NumPy have that dtype, and it divides in it
    check(body, rtol=eps, atol=eps * float(size), **options)


def sample(dtype, shape, rng):
    """Values whose spectrum is no larger than it must be for 16-bit floats."""
    return cases.values(dtype, shape, rng)


def takes(name, dtype):
    """Real transforms take no complex input."""
    return not (name[0] == "r" or name == "ihfft") or np.dtype(dtype).kind != "c"


# ---- one axis ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("name", LINES)
def test_dtypes(name, dtype, rng):
    values = sample(dtype, (3, 8), rng)
    if np.dtype(dtype).name == "bfloat16" and name in ("irfft", "hfft"):
        ours = getattr(cp.fft, name)(cp.asarray(values))
        assert ours.dtype == values.dtype  # NumPy has no rule for it
        return
    near(lambda xp: getattr(xp.fft, name)(xp.asarray(values)), dtype)


@pytest.mark.parametrize("layout", cases.LAYOUTS)
@pytest.mark.parametrize("dtype", "fFD")
@pytest.mark.parametrize("name", LINES)
def test_layouts(name, dtype, layout, rng):
    values = sample(dtype, (4, 6), rng)
    for axis in (0, 1):
        near(
            lambda xp: getattr(xp.fft, name)(cases.arrange(xp, values, layout), axis=axis),
            dtype,
        )


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_axes_of_permuted_arrays(name, order, axis, rng):
    values = sample("d" if name == "rfft" else "D", (4, 5, 6), rng)
    near(lambda xp: getattr(xp.fft, name)(xp.asarray(values).transpose(order), axis=axis), "d")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", LINES)
def test_norms(name, norm, rng):
    values = sample("d", (3, 10), rng)
    near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), norm=norm), "d")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 10, 11, 24])
@pytest.mark.parametrize("name", LINES)
def test_cut_and_padded(name, n, rng):
    for dtype, axis in itertools.product("fF", (0, 1)):
        if takes(name, dtype):
            values = sample(dtype, (10, 9), rng)
            near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), n, axis), dtype)


@pytest.mark.parametrize("n", [*range(1, 18), 31, 37, 64, 97, 127, 128, 131, 210, 243, 509, 1024])
def test_lengths(n, rng):
    values = sample("D", (2, n), rng)
    for name in ("fft", "ifft", "hfft"):
        near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), n), "D")
    near(lambda xp: xp.fft.rfft(xp.asarray(values.real)), "d")
    near(lambda xp: xp.fft.fft(xp.asarray(values.real)), "d")


@pytest.mark.parametrize("n", [4099, 10007, 2**15, 3**9, 65537])
def test_long_lengths(n, rng):
    values = sample("F", n, rng)
    near(lambda xp: xp.fft.fft(xp.asarray(values)).astype("F"), "f")
    near(lambda xp: xp.fft.ifft(xp.fft.fft(xp.asarray(values))), "f")


@pytest.mark.parametrize("name", LINES)
def test_windows_that_overlap(name, rng):
    values = sample("f", 60, rng)

    def body(xp, step):
        windows = xp.lib.stride_tricks.sliding_window_view(xp.asarray(values), 8)
        return getattr(xp.fft, name)(windows[::step])

    for step in (1, 2, 3, 8):
        near(lambda xp: body(xp, step), "f")


# ---- several axes --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f", "D", "i"])
@pytest.mark.parametrize("name", GRIDS)
def test_grids(name, dtype, rng):
    if takes(name, dtype):
        values = sample(dtype, (3, 4, 6), rng)
        near(lambda xp: getattr(xp.fft, name)(xp.asarray(values)), dtype)
        near(lambda xp: getattr(xp.fft, name)(xp.asarray(values).T), dtype)


@pytest.mark.parametrize("ndim", [2, 3, 4, 5])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_any_axes(name, ndim, rng):
    shape = (3, 4, 2, 5, 3)[:ndim]
    values = sample("d" if name == "rfftn" else "D", shape, rng)
    count = ndim if ndim < 4 else 2
    for k in range(1, count + 1):
        for axes in itertools.permutations(range(ndim), k):
            near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), axes=axes), "d")
    near(lambda xp: getattr(xp.fft, name)(xp.asarray(values)), "d")


@pytest.mark.parametrize("s", [(3, 7), (9, 2), (-1, 4), (None, 5), (1, 1), (6,)], ids=str)
@pytest.mark.parametrize("name", GRIDS)
def test_lengths_of_grids(name, s, rng):
    values = sample("d", (5, 6), rng)
    if len(s) == 1 and name.endswith("2"):
        assert_raises_same(lambda xp: getattr(xp.fft, name)(xp.asarray(values), s))
    else:
        near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), s), "d")
        if len(s) == 2:
            near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), s, (1, 0), "ortho"), "d")


def test_an_axis_named_twice_is_transformed_twice(rng):
    values = sample("d", (4, 5), rng)
    for name in ("fftn", "rfftn", "irfftn"):
        near(lambda xp: getattr(xp.fft, name)(xp.asarray(values), axes=(0, 1, 0)), "d")
    near(lambda xp: xp.fft.fftn(xp.asarray(values), (3, 5), (0, 0), "ortho"), "d")


def test_no_axes_is_no_transform(rng):
    values = sample("d", (4, 5), rng)
    check(lambda xp: xp.fft.fftn(xp.asarray(values), axes=()))
    assert_raises_same(lambda xp: xp.fft.rfftn(xp.asarray(values), axes=()))


def test_one_axis_at_a_time_gives_the_same(rng):
    values = cp.asarray(sample("D", (4, 5, 6), rng))
    whole = cp.fft.fftn(values)
    assert cp.fft.config.enable_nd_planning
    try:
        cp.fft.config.enable_nd_planning = False
        assert not cp.fft.config.enable_nd_planning
        single = cp.fft.fftn(values)
    finally:
        cp.fft.config.enable_nd_planning = True
    np.testing.assert_allclose(whole.get(), single.get(), rtol=1e-12, atol=1e-12)


# ---- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINES)
def test_out(name, rng):
    values = sample("d", (3, 8), rng)

    def body(xp, dtype=None, view=lambda o: o):
        result = getattr(xp.fft, name)(xp.asarray(values))
        rows, columns = result.shape
        place = xp.zeros((2 * rows, 2 * columns), dtype or result.dtype)[::2, ::2]
        out = view(place)
        if xp is np and name == "hfft":  # NumPy's takes `out` and does not write to it
            out[...] = result
        else:
            assert getattr(xp.fft, name)(xp.asarray(values), out=out) is out
        return place

    near(body, "d", order=False)
    near(lambda xp: body(xp, view=lambda o: o[:, ::-1]), "d", order=False)
    near(lambda xp: body(xp, dtype="F" if name[0] != "h" else "f"), "f", order=False)


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "fft2"])
def test_unaligned_out(name, rng):
    values = rng.normal(size=(4, 6)) + 1j * rng.normal(size=(4, 6))
    expected = getattr(cp.fft, name)(cp.asarray(values))
    raw = cp.zeros(expected.nbytes + 1, "u1")
    out = raw[1:].view(expected.dtype).reshape(expected.shape)
    assert getattr(cp.fft, name)(cp.asarray(values), out=out) is out
    assert out.tolist() == expected.tolist()


def test_out_may_be_the_input(rng):
    values = sample("D", (4, 8), rng)

    def body(xp, axis, place):
        a = xp.asarray(values.copy())
        xp.fft.fft(a, axis=axis, out=place(a))
        return a

    for axis in (0, 1):
        near(lambda xp: body(xp, axis, lambda a: a), "d")
        near(lambda xp: body(xp, axis, lambda a: a[::-1]), "d")


def test_wrong_outs(rng):
    values = sample("d", 8, rng)
    for out in (
        lambda xp: xp.zeros(7, "D"),
        lambda xp: xp.zeros((1, 8), "D"),
        lambda xp: xp.zeros(8),
        lambda xp: xp.zeros(8, "i8"),
        lambda xp: [0] * 8,
    ):
        assert_raises_same(lambda xp: xp.fft.fft(xp.asarray(values), out=out(xp)))
    frozen = cp.zeros(8, "D")
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cp.fft.fft(cp.asarray(values), out=frozen)


@pytest.mark.parametrize("name", LINES + GRIDS)
def test_inputs_stay_as_they_are(name, rng):
    values = sample("d" if name[0] == "r" or name == "ihfft" else "D", (4, 6), rng)
    a = cp.asarray(values)
    getattr(cp.fft, name)(a)
    assert np.array_equal(a.get(), values)


# ---- errors and edges ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.fft.fft(xp.zeros(0)),
        lambda xp: xp.fft.fft(xp.zeros((4, 0))),
        lambda xp: xp.fft.fft(xp.zeros(4), 0),
        lambda xp: xp.fft.fft(xp.zeros(4), -1),
        lambda xp: xp.fft.fft(xp.zeros(4), 2.5),
        lambda xp: xp.fft.fft(xp.zeros(4), axis=1),
        lambda xp: xp.fft.fft(xp.zeros(4), axis=None),
        lambda xp: xp.fft.fft(xp.zeros(4), norm="both"),
        lambda xp: xp.fft.fft(xp.zeros(4), norm=1),
        lambda xp: xp.fft.fft(xp.array(1.0)),
        lambda xp: xp.fft.rfft(xp.zeros(4, "D")),
        lambda xp: xp.fft.ihfft(xp.zeros(4, "F")),
        lambda xp: xp.fft.rfft2(xp.zeros((4, 4), "D")),
        lambda xp: xp.fft.irfft(xp.zeros(1)),
        lambda xp: xp.fft.irfft(xp.zeros(0)),
        lambda xp: xp.fft.fftn(xp.zeros((4, 4)), (2, 2), (0,)),
        lambda xp: xp.fft.fftn(xp.zeros((4, 4)), (0, 2), (0, 1)),
        lambda xp: xp.fft.fftn(xp.zeros((4, 4)), axes=(0, 2)),
        lambda xp: xp.fft.fftn(xp.zeros((4, 4)), axes=1),
        lambda xp: xp.fft.fftn(xp.zeros((4, 4)), s=(2.0, 2), axes=(0, 1)),
        lambda xp: xp.fft.fft2(xp.zeros(4)),
        lambda xp: xp.fft.fft(),
        lambda xp: xp.fft.fft(xp.zeros(4), wrong=1),
    ],
)
def test_errors(call):
    assert_raises_same(call)


@pytest.mark.parametrize("name", LINES)
def test_no_batches(name):
    check(lambda xp: getattr(xp.fft, name)(xp.zeros((0, 4))))
    check(lambda xp: getattr(xp.fft, name)(xp.zeros((3, 0, 4)), axis=0))


def test_nothing_is_padded_with_zeros():
    check(lambda xp: xp.fft.fft(xp.zeros((2, 0)), 4), zero_sign=False)


def test_arguments_that_are_no_arrays():
    assert cp.fft.fft([1, 2, 3]).dtype == np.complex128
    with pytest.raises(TypeError, match="asarray"):
        cp.fft.fft(np.zeros(3))
    with pytest.raises(TypeError):
        cp.fft.fft("abc")


def test_special_values():
    def body(xp):
        x = xp.zeros((3, 8), "F")
        x[0, 1], x[1, 2] = np.inf, np.nan
        return xp.isfinite(xp.fft.fft(x)).all(axis=1)

    check(body)


def test_numpy_functions_find_ours(rng):
    x = cp.asarray(sample("d", (4, 6), rng))
    for name in [*LINES, *GRIDS, "fftshift", "ifftshift"]:
        ours = getattr(np.fft, name)(x)
        assert isinstance(ours, cp.ndarray)
        assert np.array_equal(ours.get(), getattr(cp.fft, name)(x).get())


# ---- frequencies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, np.int32(7)])
def test_frequencies(n):
    for name in ("fftfreq", "rfftfreq"):
        for d in (1.0, 0.1, 3, np.float32(2), 2j):
            check(lambda xp: getattr(xp.fft, name)(n, d), ulp=1)


@pytest.mark.parametrize("args", [(0,), (-4,), (2.5,), ("a",), (4, 0)], ids=str)
def test_wrong_frequencies(args):
    assert_raises_same(lambda xp: xp.fft.fftfreq(*args))


@pytest.mark.parametrize("shape", [(5,), (6,), (3, 4), (2, 3, 5)], ids=str)
def test_shifts(shape, rng):
    values = sample("f", shape, rng)
    for name in ("fftshift", "ifftshift"):
        check(lambda xp: getattr(xp.fft, name)(xp.asarray(values)))
        for axes in [0, -1, (0,), (0, len(shape) - 1)]:
            check(lambda xp: getattr(xp.fft, name)(xp.asarray(values), axes))
        assert_raises_same(lambda xp: getattr(xp.fft, name)(xp.asarray(values), 3))


# ---- documents -----------------------------------------------------------------------------------


@pytest.mark.skipif(
    not cp.cuda.is_emulated(), reason="the signs of zeros are the emulated device's"
)
@pytest.mark.parametrize("name", LINES + GRIDS)
def test_examples_print_what_they_say(name):
    text = getattr(cp.fft, name).__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert len(test.examples) == 2
    assert doctest.DocTestRunner().run(test).failed == 0


def test_signatures_are_numpys():
    assert set(np.fft.__all__) <= set(cp.fft.__all__)
    for name in np.fft.__all__:
        ours, theirs = (str(inspect.signature(getattr(xp.fft, name))) for xp in (cp, np))
        if name in ("fftfreq", "rfftfreq"):  # the array API standard's, which NumPy has not
            ours = ours.replace(", *, dtype=None", "")
        assert ours.split(" ->")[0] == theirs, name


def test_lazy_mode(rng):
    values = sample("D", (8, 8), rng)
    x = cp.asarray(values)
    with cp.lazy():
        y = cp.fft.ifft(cp.fft.fft(x * 2 + 1) * 3) - x
    np.testing.assert_allclose(y.get(), (values * 2 + 1) * 3 - values, atol=1e-11)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "irfft2"])
@pytest.mark.parametrize(
    "arguments",
    [
        {"s": (4, 3)},
        {"s": (4, 3), "axes": None},
        {"s": (None, 3), "axes": (0, 1)},
        {"s": (4, None), "axes": (0, 1)},
        {"s": (None, None)},
        {"s": (-1, -1), "axes": (0, 1)},
        {"s": (-1, 3), "axes": (1, 0)},
    ],
    ids=str,
)
def test_lengths_without_axes_are_deprecated(name, arguments, rng):
    a = rng.random((4, 5))
    results, categories = [], []
    for xp in (np, cp):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append(getattr(xp.fft, name)(xp.asarray(a), **arguments))
        categories.append([w.category for w in caught])
    assert categories[0] == categories[1]
    assert results[0].shape == results[1].shape
    assert np.allclose(results[0], results[1].get())


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 7, 15, 64, 128, 256, 1024])
def test_ends_of_a_half_spectrum_need_not_be_real(n, dtype):
    """Their imaginary parts are ignored, whatever the vendor's plan makes of them."""
    rng = np.random.default_rng(n)
    half = n // 2 + 1
    for shape, axis in (((half,), 0), ((5, half), 1), ((half, 33), 0), ((3, half, 4), 1)):
        x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
        y = cp.asarray(x)
        for norm in NORMS:
            got = cp.fft.irfft(y, n, axis=axis, norm=norm).get()
            want = np.fft.irfft(x, n, axis=axis, norm=norm)
            assert np.abs(got - want).max() <= tolerance(dtype) * np.abs(want).max()
        assert (y.get() == x).all()
        if len(shape) > 1:
            axes = [k for k in range(len(shape)) if k != axis] + [axis]
            s = [shape[k] for k in axes[:-1]] + [n]
            got = cp.fft.irfftn(y, s, axes=axes).get()
            want = np.fft.irfftn(x, s, axes=axes)
            assert np.abs(got - want).max() <= tolerance(dtype) * np.abs(want).max()
            assert (y.get() == x).all()
