"""Corners of NumPy's functions that its own tests look at: errors, types, what iterators may not do."""

import functools
import math
import operator

import numpy as np
import pytest
from check import check

import gpunp as cp


def both(function):
    """NumPy's function and ours raise the same type of error (the words differ between versions)."""
    with pytest.raises(Exception) as expected:
        function(np)
    with pytest.raises(expected.type):
        function(cp)


@pytest.mark.parametrize("name", ["vstack", "hstack", "stack", "column_stack", "dstack"])
def test_iterators_are_not_stacked(name):
    both(lambda xp: getattr(xp, name)(xp.arange(3) for _ in range(2)))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.einsum("i->i", xp.ones(3), casting="most"),
        lambda xp: xp.einsum("i,i->i", xp.ones(3), xp.ones(3), casting="most"),
        lambda xp: xp.concatenate([xp.ones(3), xp.ones(3)], casting="most"),
        lambda xp: xp.stack([xp.ones(3), xp.ones(3)], casting="most"),
    ],
)
def test_unknown_casting(call):
    both(call)


def test_einsum_path_of_too_few_steps():
    def product(xp):
        a = xp.ones((2, 2))
        return xp.einsum("ij,jk,kl->il", a, a, a, optimize=["einsum_path", (0, 1)])

    both(product)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_means_of_floats_are_not_integers(name):
    both(lambda xp: getattr(xp, name)(xp.ones((3, 3)), axis=1, dtype=int))
    both(lambda xp: getattr(xp, name)(xp.ones((3, 3)), axis=1, out=xp.zeros(3, int)))


def test_limits_of_numbers():
    assert cp.finfo(1.5).dtype == cp.finfo(1 + 2j).dtype == np.float64
    assert cp.finfo(np.float32(1)).dtype == cp.finfo(cp.ones(2, "f4")).dtype == np.float32


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.unravel_index([], (10, 3, 5)),
        lambda xp: xp.unravel_index([0], ()),
        lambda xp: xp.unravel_index(1, (2**32 - 1, 2**31 + 1)),
        lambda xp: xp.ravel_multi_index(([], []), (10, 3)),
        lambda xp: xp.ravel_multi_index((0, 0, 0), (2, 1, 0), mode="wrap"),
        lambda xp: xp.ravel_multi_index((0, 0, 0), (2, 1, 0), mode="clip"),
        lambda xp: xp.ravel_multi_index((0, 0, 0), (2, 1, 0)),
        lambda xp: xp.histogramdd(xp.ones((4, 2)), bins=[1, 0.99]),
    ],
)
def test_errors_of_indices_and_bins(call):
    both(call)


def test_bit_order_is_a_string():
    both(lambda xp: xp.packbits(xp.ones(3, "u1"), bitorder=10))
    both(lambda xp: xp.unpackbits(xp.ones(3, "u1"), bitorder=10))


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("axis", [0, -1])
def test_unique_along_the_only_axis(axis, equal_nan):
    h = np.array([0, np.nan, 3, 0, np.nan])
    flags = {"return_index": True, "return_inverse": True, "return_counts": True}
    expected = np.unique(h, axis=axis, equal_nan=equal_nan)
    assert np.array_equal(
        cp.unique(cp.asarray(h), axis=axis, equal_nan=equal_nan).get(), expected, equal_nan=True
    )
    h = np.array([3, 1, 3, 2, 1])
    for x, y in zip(
        np.unique(h, axis=axis, **flags), cp.unique(cp.asarray(h), axis=axis, **flags), strict=True
    ):
        assert np.array_equal(x, y.get())


@pytest.mark.parametrize(
    "key",
    [
        (slice(0.1, 0.33, np.float32(0.1)),),
        (slice(np.int32(0), np.int32(5)), slice(0, 3)),
        (slice(np.float32(0), 1, 4j), slice(0, 2)),
        (slice(0, 4), slice(0, 1, 0.5)),
        (slice(None, np.int8(3)),),
    ],
)
def test_types_of_grids(key):
    expected, got = np.mgrid[key], cp.mgrid[key]
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert np.allclose(got.get(), expected)
    assert [x.dtype for x in cp.ogrid[key]] == [x.dtype for x in np.ogrid[key]]


def test_powers_that_are_exact():
    k = np.arange(-1080, 1030, dtype=np.float64)
    with np.errstate(all="ignore"):
        for base in (2.0, 0.5, 4.0, 1.0, 2.0**-300):
            assert np.array_equal(cp.power(base, cp.asarray(k)).get(), np.power(base, k))
    x = np.concatenate([np.random.default_rng(1).normal(size=500), [0.0, -0.0, np.inf, np.nan]])
    assert np.array_equal((cp.asarray(x) ** cp.ones(x.size)).get(), x, equal_nan=True)
    assert np.array_equal((cp.asarray(x) ** cp.full(x.size, 2.0)).get(), x * x, equal_nan=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.concatenate((a, 1.0), axis=None),
        lambda xp, a: xp.concatenate((3, a, 2.5), axis=None),
        lambda xp, a: xp.concatenate((a, np.float64(1)), axis=None),
        lambda xp, a: xp.choose(1, [a, 2.0]),
        lambda xp, a: xp.choose(0, [a, np.float64(2)]),
        lambda xp, a: xp.choose(xp.asarray([0, 1]), [[1, 2], a]),
        lambda xp, a: xp.r_[a, 1.0],
        lambda xp, a: xp.r_[1, a, 2:4],
        lambda xp, a: xp.c_[a, a],
        lambda xp, a: xp.linspace(a, 2.0, 3),
        lambda xp, a: xp.linspace(1, a, 3),
        lambda xp, a: xp.linspace(np.float64(1), a, 3),
    ],
)
@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c8"])
def test_python_numbers_take_the_type_of_arrays(call, dtype):
    try:
        expected = call(np, np.ones(2, dtype))
    except np.exceptions.DTypePromotionError:
        pytest.skip("nothing to compare with")
    got = call(cp, cp.ones(2, dtype))
    assert got.dtype == expected.dtype and np.allclose(got.get(), expected)


def test_python_integers_that_do_not_fit():
    both(lambda xp: xp.r_[xp.arange(5, dtype=xp.int8), 255])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_logarithms_of_powers_of_two(dtype):
    limits = np.finfo(dtype)
    k = np.arange(limits.minexp, limits.maxexp)
    assert np.array_equal(cp.log2(cp.asarray(np.ldexp(np.ones(1, dtype), k))).get(), k)
    special = np.array([0, -1, np.inf, np.nan, 3], dtype)
    with np.errstate(all="ignore"):
        expected = np.log2(special)
    assert np.allclose(cp.log2(cp.asarray(special)).get(), expected, equal_nan=True)
    z = np.array([8, 3 + 4j, -2], "c16")
    assert np.allclose(cp.log2(cp.asarray(z)).get(), np.log2(z))


@pytest.mark.parametrize(
    "number, dtype", [(255, "i1"), (300, "i1"), (-1, "u1"), (1.5, "f4"), (2j, "f8"), (True, "i1")]
)
def test_choose_wraps_python_numbers(number, dtype):
    choices = np.array([1, 2], dtype)
    for which in (0, 1):
        expected = np.choose(which, [choices, number])
        result = cp.choose(which, [cp.asarray(choices), number])
        assert result.dtype == expected.dtype and np.array_equal(result.get(), expected)
    both(lambda xp: xp.choose(0, [xp.ones(2, "i1"), 2**70]))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.ones(4).reshape(True, -1),
        lambda xp: xp.ones(4).reshape((-1, True)),
        lambda xp: xp.ones(1).reshape(True),
        lambda xp: xp.zeros(True),
        lambda xp: xp.empty((True, 2)),
        lambda xp: operator.concat(xp.ones(2), xp.ones(2)),
        lambda xp: operator.concat(xp.ones(2), [1.0]),
        lambda xp: operator.concat([1.0], xp.ones(2)),
        lambda xp: xp.ones(2) + object(),
        lambda xp: xp.zeros((1,) * 64)[(xp.array([0]),) * 64],
        lambda xp: xp.zeros((1,) * 2)[(True,) * 65],
    ],
)
def test_what_numpy_refuses(call):
    both(call)


INFINITE = (np.nan, np.inf, -np.inf)


@pytest.mark.parametrize("part", [1.0, 1 + 0j, 1 + 1j], ids=str)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("bad", INFINITE[:2], ids=str)
def test_interp_beside_what_is_not_finite(bad, side, part):
    x = np.array([0.5, 0.0, 1.0, 2.0, *INFINITE])
    good, ends = [0.0, 1.0], [3.0, 10.0]
    odd = [-bad, 1.0] if side == 0 else [0.0, bad]
    with np.errstate(invalid="ignore"):
        values = np.array(ends) * part
        check(lambda xp: xp.interp(xp.asarray(x), xp.asarray(odd), xp.asarray(values)))
        values = np.array(odd) * part
        check(lambda xp: xp.interp(xp.asarray(x), xp.asarray(good), xp.asarray(values)))
        x = x[~np.isnan(x)]
        check(lambda xp: xp.interp(xp.asarray(x), xp.asarray([bad]), xp.asarray([part])))


def test_select_of_many():
    check(lambda xp: xp.select([xp.asarray([False, True])] * 90, [xp.asarray([1, 2])] * 90, 7))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.piecewise(xp.zeros(2, int), xp.asarray([True, False]), [1]),
        lambda xp: xp.piecewise(
            xp.asarray([-1.0, 2.0, 3.0]), xp.asarray([True, False, True]), [1, 2]
        ),
        lambda xp: xp.piecewise(xp.asarray(3), xp.asarray(3) > 3, [4, 0]),
        lambda xp: xp.piecewise(xp.asarray(5), [True, False], [1, 0]),
        lambda xp: xp.piecewise(xp.asarray([1, 2, 3]), True, [4]),
        lambda xp: xp.piecewise(xp.arange(3), xp.asarray([[1, 0, 0], [0, 1, 0]]), [5, 6, 7]),
    ],
)
def test_piecewise_of_one_condition(call):
    check(call)


@pytest.mark.parametrize("name", ["hanning", "hamming", "bartlett", "blackman"])
def test_windows_as_long_as_an_array_says(name):
    for length in (0, 1, 5, 4.5):
        window = getattr(cp, name)(cp.asarray(length))
        assert np.array_equal(window.get(), getattr(cp, name)(length).get())
    assert cp.kaiser(cp.asarray(4), cp.asarray(2.0)).shape == (4,)


@pytest.mark.parametrize("bins", [[1 + 0j, 2], [2, 1 + 0j]])
def test_digitize_has_no_complex_edges(bins):
    both(lambda xp: xp.digitize(xp.ones(3), xp.asarray(bins)))
    both(lambda xp: xp.digitize(xp.ones(3), bins))


@pytest.mark.parametrize("weights", [{"fweights": [1, 2, 1]}, {"aweights": [1.0, 2, 3]}], ids=str)
@pytest.mark.parametrize("ddof", [None, 0, 1])
def test_cov_of_complex_numbers_with_weights(weights, ddof):
    x = np.array([[0.0, 1.0, 2.0 + 1j], [2, 1j, 0]])

    def cov(xp):
        given = {name: xp.asarray(w) for name, w in weights.items()}
        return xp.cov(xp.asarray(x), ddof=ddof, **given)

    np.testing.assert_allclose(cov(cp).get(), cov(np), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("q", [np.float64(0.5), 0.5, np.float32(0.5), np.array(0.5)], ids=repr)
@pytest.mark.parametrize("method", ["linear", "averaged_inverted_cdf", "weibull", "lower"])
def test_quantiles_at_a_number_of_numpys(q, method):
    a = np.array([1, 2, 4, 7], "f4")

    def quantile(xp):
        where = xp.asarray(q) if isinstance(q, np.ndarray) else q
        return xp.quantile(xp.asarray(a), where, method=method)

    if type(q) is np.float64 and np.lib.NumpyVersion(np.__version__) < "2.3.0":
        assert quantile(cp).dtype == (np.float32 if method == "lower" else np.float64)
    else:
        check(quantile)


@pytest.mark.parametrize("condition", [[True, False, True], [0, 0, 0, 0, 1]], ids=str)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_compress_beyond_the_end(condition, axis):
    both(lambda xp: xp.compress(condition, xp.ones((2, 1)), axis=axis))
    check(lambda xp: xp.compress([True, False, False, False], xp.ones((2, 1)), axis=axis))


def test_complex_numbers_are_in_no_bin():
    for function in (cp.histogram, cp.histogram_bin_edges):
        with pytest.raises(TypeError, match="complex"):
            function(cp.ones(3, "c8"), [0, 1, 2])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_correlate_with_a_longer_sequence_is_contiguous(mode):
    result = cp.correlate(cp.arange(3.0), cp.arange(7.0), mode)
    assert result.flags.c_contiguous
    assert np.array_equal(result.get(), np.correlate(np.arange(3.0), np.arange(7.0), mode))


@pytest.mark.parametrize("x,xp_", [([1j], [0, 1]), ([1.0], [0, 1j])])
def test_interp_needs_an_order(x, xp_):
    both(lambda xp: xp.interp(xp.asarray(x), xp.asarray(xp_), xp.asarray([2, 3])))


def test_bincount_of_nothing():
    both(lambda xp: xp.bincount(xp.asarray([])))
    check(lambda xp: xp.bincount([], minlength=2))
    check(lambda xp: xp.bincount(xp.asarray([], dtype="i4")))


TIMES = {
    "close": ([10, -3, 7], [11, -3, 9]),
    "NaT": ([4, "NaT", "NaT"], [5, "NaT", 2]),
}


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("equal_nan", [False, True])
def test_isclose_of_spans_of_time(name, equal_nan):
    def close(xp, **tolerances):
        a, b = (xp.array(np.array(x, "m8[s]")) for x in TIMES[name])
        return xp.isclose(a, b, equal_nan=equal_nan, **tolerances)

    check(lambda xp: close(xp, atol=np.timedelta64(1, "s")))
    check(lambda xp: close(xp, atol=0, rtol=0.25))
    check(lambda xp: close(xp, atol=np.timedelta64(1500, "ms"), rtol=0))
    check(close)  # the tolerance is a float: refused


def test_isclose_of_mixed_units_and_dates():
    span = np.array([3000, 3], "m8[ms]")
    check(lambda xp: xp.isclose(xp.array([3, 3]), xp.array(span), atol=0))
    check(lambda xp: xp.isclose(xp.array(span), np.timedelta64(3, "s"), atol=0))
    check(lambda xp: xp.isclose(xp.array(span.astype("M8[ms]")), xp.array(span), atol=0))


@pytest.mark.parametrize("tolerance", [{"rtol": np.inf}, {"atol": np.nan}, {"atol": [1, np.inf]}])
def test_isclose_warns_of_tolerances(tolerance):
    for xp in (np, cp):
        with pytest.warns(RuntimeWarning, match="rtol or atol is not valid"):
            xp.isclose(xp.ones(2), 1.0, **tolerance)


@pytest.mark.parametrize("shape", [np.uint8(7), (np.uint8(3), np.uint8(200)), (np.int8(100),) * 2])
def test_resize_to_lengths_of_small_types(shape):
    lengths = tuple(int(n) for n in np.atleast_1d(shape))
    values = cp.resize(cp.arange(5), shape)
    assert values.shape == lengths
    assert (values.get() == np.resize(np.arange(5), lengths)).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.array([4, 5], copy="maybe"),
        lambda xp: xp.asarray([4, 5], copy="no"),
        lambda xp: xp.arange(6).reshape(2, 3, copy="if_needed"),
        lambda xp: xp.reshape(xp.arange(6), (3, 2), copy="never"),
    ],
)
def test_copy_is_no_string(call):
    both(call)


def test_require_gives_an_array_of_the_base_class():
    class Named(cp.ndarray):
        pass

    named = cp.ones((2, 2)).view(Named)
    assert type(cp.require(named, requirements="E")) is cp.ndarray
    assert type(cp.require(named, requirements=["F", "ENSUREARRAY"])) is cp.ndarray


def test_astype_takes_scalars():
    check(lambda xp: xp.astype(np.int16(-7), xp.float32))
    check(lambda xp: xp.astype(np.float64(2.75), "i4", copy=False))


def test_broadcast_of_a_broadcast():
    for xp in (np, cp):
        inner = xp.broadcast(xp.ones((4, 1)), xp.ones(5))
        outer = xp.broadcast(inner, xp.ones((2, 1, 1)))
        assert (outer.shape, outer.numiter) == ((2, 4, 5), 3)
    both(lambda xp: xp.broadcast(xp.broadcast(*[1] * 40), *[2] * 30))


def test_flat_of_an_empty_tuple():
    check(lambda xp: xp.arange(6).reshape(2, 3).T.flat[()])

    def assign(xp):
        xp.ones(3).flat[()] = 5

    both(assign)


def test_insert_at_empty_floats():
    both(lambda xp: xp.insert(xp.arange(3), xp.array([], float), []))
    check(lambda xp: xp.insert(xp.arange(3), [], []))


QUANTILE_OUT = [("linear", (1,)), ("weibull", (2, 4)), ("midpoint", (1, 1)), ("nearest", (1,))]


@pytest.mark.parametrize("method, shape", QUANTILE_OUT)
def test_quantile_is_broadcast_to_out(method, shape):
    check(lambda xp: xp.percentile(xp.arange(9.0), 40, out=xp.zeros(shape), method=method))
    both(lambda xp: xp.quantile(xp.arange(9.0), [0.2, 0.4], out=xp.zeros(3), method=method))


def test_choice_of_an_integer_on_the_device():
    for xp in (np, cp):
        assert xp.random.RandomState(3).choice(xp.array(4), 6).shape == (6,)
    both(lambda xp: xp.random.RandomState(3).choice(xp.array(4.0), 6))


@pytest.mark.parametrize("axes", [[0, 1], [2, 1], [0, 1, 0], [0, 1, (-2,)], [0, 1, ()], [0, 1, 5]])
def test_vecdot_keeps_the_axis_that_axes_names(axes, rng):
    a = rng.standard_normal((2, 3, 4))
    b = np.moveaxis(a, axes[0], axes[1]).copy()
    check(lambda xp: xp.vecdot(xp.asarray(a), xp.asarray(b), axes=axes, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("signature", [b"ff->f", b"ff-f", b"\xe9\xe9->f"])
def test_signature_of_bytes(signature):
    check(lambda xp: xp.add(xp.arange(3), 2, signature=signature, casting="unsafe"))


@pytest.mark.parametrize("kind", ["quick", 3, None, ""])
def test_kind_of_a_partition_in_place(kind):
    both(lambda xp: xp.arange(7).partition(2, kind=kind))


def test_partition_in_place_by_fields():
    def parted(xp):
        a = xp.asarray(np.array([(1, 9), (2, 5), (3, 7), (4, 1)], "i4,i4"))
        a.partition([0, 1, 2, 3], order=["f1"])
        return a["f0"]

    check(parted)
    both(lambda xp: xp.arange(4).partition(1, order="x"))


def test_histogram_of_bools_warns():
    for xp in (np, cp):
        with pytest.warns(RuntimeWarning, match="Converting input from bool"):
            counts, edges = xp.histogram(xp.array([True, False, True]), bins=2)
        assert (counts.tolist(), edges.tolist()) == ([1, 2], [0, 0.5, 1])
        with pytest.warns(RuntimeWarning, match="Converting input from bool"):
            xp.histogram_bin_edges([True, False], bins=3)


CHOICES = {
    "two": lambda i, x, y: i.choose(x, y),
    "three and a mode": lambda i, x, y: (i + 2).choose(x, y, x, mode="wrap"),
    "lists": lambda i, x, y: i.choose([1, 2], [3, 4]),
    "one list": lambda i, x, y: i.choose([x, y]),
    "one array": lambda i, x, y: i.choose(x),
    "numbers": lambda i, x, y: i.choose(5, 7),
    "out": lambda i, x, y: i.choose(x, y, out=x),
    "none": lambda i, x, y: i.choose(),
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices_as_arguments_of_the_method(name):
    check(lambda xp: CHOICES[name](xp.array([1, 0]), xp.array([5, 6]), xp.array([7, 8])))


def test_choose_takes_the_arguments_of_cupy_too():
    x, out = cp.array([5, 6]), cp.zeros(2, int)
    assert cp.array([1, 2]).choose([x, -x], out, "clip") is out
    assert out.tolist() == [-5, -6]
    assert cp.array([1, 0]).choose((x, -x), None, "wrap").tolist() == [-5, 6]


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, p: xp.asarray(p),
        lambda xp, p: xp.array(p, "f4"),
        lambda xp, p: xp.sum(p),
        lambda xp, p: xp.stack([p, xp.arange(3.0)]),
    ],
)
def test_poly1d_as_an_array(call):
    check(lambda xp: call(xp, xp.poly1d([2.0, 0.5, -1.0])))


def test_objects_that_stand_for_an_array():
    class Holder:
        def __init__(self, array):
            self.array = array

        def __cupy_get_ndarray__(self):
            return self.array

    x = cp.arange(4.0)
    assert cp.asarray(Holder(x)) is x
    assert cp.concatenate([Holder(x), x]).size == 8
    with pytest.raises(TypeError, match="__cupy_get_ndarray__"):
        cp.asarray(Holder([1, 2]))


@pytest.mark.parametrize("dtype", ["c8", "c16", "f4", "i8"])
def test_iscomplexobj_of_what_has_a_dtype(dtype):
    class Column:
        def __init__(self, dtype):
            self.dtype = np.dtype(dtype)

    for xp in (np, cp):
        assert xp.iscomplexobj(Column(dtype)) is (dtype[0] == "c")
        assert xp.isrealobj(Column(dtype)) is (dtype[0] != "c")


@pytest.mark.parametrize("order", ["W", "d", "", 3, "CF"])
def test_einsum_checks_the_order_of_views(order):
    both(lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), order=order))
    both(lambda xp: xp.einsum("", 5, order=order))


@pytest.mark.parametrize("last", [5, 2.5, None])
def test_many_numbers_are_joined(last):
    def joined(xp):
        parts = [*xp.arange(80, dtype="i4"), *([] if last is None else [last, xp.ones(2, "f4")])]
        return xp.concatenate(parts, axis=None)

    check(joined)
    check(lambda xp: xp.concatenate(xp.arange(99), None))


def test_histograms_of_too_many_bins():
    both(lambda xp: xp.histogramdd(xp.ones((2, 9)), bins=300))


def in_memory(xp, shape, order):
    return xp.asarray(np.arange(float(math.prod(shape))).reshape(shape, order=order))


@pytest.mark.parametrize("orders", ["FF", "FC", "CC"])
@pytest.mark.parametrize("order", ["A", "a", "C", "f"])
def test_einsum_in_an_order(order, orders):
    def product(xp):
        a, b = in_memory(xp, (2, 3, 5), orders[0]), in_memory(xp, (4, 3), orders[1])
        return xp.einsum("...ft,mf->...mt", a, b, order=order)

    check(product)


@pytest.mark.parametrize("step", [np.inf, -np.inf, 1.5e308, -1.5e308, np.float64(1e308)])
@pytest.mark.parametrize("ends", [(0, 1), (0, -1), (2.5, 3), (0.0, 5e-320), (4, 4), (0, -1e-300)])
def test_arange_of_huge_steps(ends, step):
    check(lambda xp: xp.arange(*ends, step))


@pytest.mark.parametrize(
    "options",
    [
        {"stop": 3},
        {"stop": 7, "step": 3},
        {"start": 2, "stop": 5},
        {},
        {"step": 2},
        {"dtype": "i8"},
    ],
)
def test_arange_of_keywords(options):
    check(lambda xp: xp.arange(**options))


def test_arange_of_times_by_keyword():
    check(lambda xp: xp.arange(stop=np.timedelta64(4, "s")))


@pytest.mark.parametrize("shape", ["hi", (2.0,), ("3",)])
def test_resize_needs_integers(shape):
    both(lambda xp: xp.arange(4).resize(shape))


@pytest.mark.parametrize("ends", [(2, 2), (1, 2), (2, 1), (1, 1)])
def test_multi_dot_returns_out(ends, rng):
    shapes = [(4, 3)[2 - ends[0] :], (3, 5), (5, 2), (2, 6)[: ends[1]]]
    values = [rng.standard_normal(shape) for shape in shapes]
    expected = np.linalg.multi_dot(values)
    out = cp.zeros(expected.shape)
    assert cp.linalg.multi_dot([cp.asarray(x) for x in values], out=out) is out
    np.testing.assert_allclose(out.get(), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_draws_into_order_f(name):
    for xp in (np, cp):
        draw = getattr(xp.random.default_rng(4), name)
        out = xp.zeros((3, 5), order="F")
        assert draw(out=out) is out
        again = getattr(xp.random.default_rng(4), name)(15)
        assert (out.ravel(order="K") == again).all()
    both(lambda xp: xp.random.default_rng(4).random(out=xp.zeros((4, 4))[::2]))
    shape = (2, 3)
    both(
        lambda xp: xp.random.default_rng(4).standard_gamma(
            xp.ones(3), out=xp.zeros(shape, order="F")
        )
    )


# ---- differences that docs/differences.md lists ----------------------------------------------------


def test_elements_are_views():
    a = cp.arange(4)
    first = a[0]
    a[0] = 9
    assert first == 9 and [x.shape for x in a] == [()] * 4
    a[0], a[1] = a[1], a[0]
    assert a.tolist() == [1, 1, 2, 3]
    a[[2, 3]] = a[[3, 2]]
    a[0] = [5]
    assert a.tolist() == [5, 1, 3, 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda: cp.add.reduce([1, 2]),
        lambda: cp.add(cp.ones(2), 1, out=cp.zeros(2), where=[True, False]),
        lambda: cp.ones(2) * [1, 2],
    ],
)
def test_lists_are_no_operands(call):
    with pytest.raises(TypeError, match="asarray"):
        call()


def test_no_errors_of_floating_point():
    with cp.errstate(all="raise"):
        assert cp.isinf(cp.ones(2) / 0).all() and cp.isnan(cp.sqrt(cp.array(-1.0)))
        assert cp.isinf(cp.full(1, 3e38, "f4") * 2).all()


def test_imaginary_parts_are_dropped_with_a_warning():
    z, x = cp.array([3 + 4j, 1j]), cp.zeros(2)
    with pytest.warns(np.exceptions.ComplexWarning):
        x[:] = z
    with pytest.warns(np.exceptions.ComplexWarning):
        assert x.tolist() == z.astype(float).tolist() == [3, 0]


def test_byte_order_is_the_machines():
    for dtype in (">f8", ">i2", ">c8"):
        host = np.array([3, -1, 250], dtype)
        x = cp.asarray(host)
        assert x.dtype == host.dtype.newbyteorder("=") and (x.get() == host).all()
        assert (cp.frombuffer(host.tobytes(), dtype).get() == host).all()
        with pytest.raises(TypeError, match="byte order"):
            cp.zeros(3, dtype)


def test_broadcast_is_no_iterator():
    with pytest.raises(TypeError, match="iterable"):
        iter(cp.broadcast(cp.ones(2)))
    assert not any(hasattr(cp.broadcast, name) for name in ("index", "iters", "reset"))
    assert not cp.broadcast_arrays(cp.ones(2), cp.ones((3, 2)))[0].flags.writeable


def test_what_vectorize_does_not_take():
    with pytest.raises(NotImplementedError, match="signature"):
        cp.vectorize(lambda x: x, signature="(n)->()")
    for function in (len, functools.partial(pow, 2)):
        with pytest.raises(TypeError, match="Python function"):
            cp.vectorize(function)


def test_einsum_of_two_operands_is_in_order_c():
    a = cp.ones((3, 4), order="F")
    assert cp.einsum("ij,jk->ik", a, a.T.copy("F")).flags.c_contiguous
    assert cp.einsum("ij,kl->ijkl", a, a, order="K").flags.c_contiguous


def test_array_ufunc_of_other_classes():
    class Marked:
        def __array_ufunc__(self, *args, **kwargs):
            return "asked"

        def __radd__(self, other):
            return "added"

    x = cp.ones(2)
    assert np.add(x, Marked()) == "asked" and x + Marked() == "added"
    with pytest.raises(TypeError, match="Marked"):
        cp.add(x, Marked())


def test_singular_covariances_of_a_random_state():
    state = cp.random.RandomState(1)
    with pytest.raises(np.linalg.LinAlgError):
        state.multivariate_normal([0.0], [[0.0]])
    assert state.multivariate_normal([2.0], [[0.0]], 3, method="svd").tolist() == [[2]] * 3
