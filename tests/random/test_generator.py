"""Generator's methods: arguments, shapes, dtypes and errors as NumPy's, orders and samples."""

import inspect
import threading

import numpy as np
import pytest

import gpunp as cp


def rng(seed=1):
    return cp.random.default_rng(seed)


def methods(cls):
    return {n for n in dir(cls) if not n.startswith("_") and callable(getattr(cls, n))}


@pytest.mark.null
def test_every_method_of_numpys_generator_is_there():
    assert not methods(np.random.Generator) - methods(cp.random.Generator)
    assert isinstance(cp.random.Generator.bit_generator, property)


@pytest.mark.null
@pytest.mark.parametrize("method", sorted(methods(np.random.Generator)))
def test_parameters_are_numpys(method):
    """The same ones in the same order; ours may have a dtype as well."""
    theirs = inspect.signature(getattr(np.random.Generator, method)).parameters
    ours = inspect.signature(getattr(cp.random.Generator, method)).parameters
    extra = [p for p in ours if p not in theirs]
    assert extra in ([], ["dtype"])
    assert [p for p in ours if p in theirs] == list(theirs)
    for key in theirs:
        if key not in ("dtype", "self"):
            assert ours[key].default == theirs[key].default, key


# Calls that fail, with NumPy's type and words.
FAILURES = [
    ("exponential", (-1.0,)),
    ("exponential", (-0.0,)),
    ("exponential", ([1.0, -1.0],)),
    ("beta", (0.0, 1.0)),
    ("beta", (1.0, [0.5, -1.0])),
    ("chisquare", (0.0,)),
    ("f", (0.0, 1.0)),
    ("f", (1.0, -1)),
    ("gamma", (-1.0, 1.0)),
    ("gamma", (1.0, -1.0)),
    ("geometric", (0.0,)),
    ("geometric", (1.5,)),
    ("geometric", (np.nan,)),
    ("gumbel", (0.0, -1.0)),
    ("laplace", (0.0, -1.0)),
    ("logistic", (0, -1)),
    ("lognormal", (0, -1)),
    ("logseries", (1.0,)),
    ("logseries", (-0.1,)),
    ("logseries", (np.nan,)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0.0)),
    ("negative_binomial", (1, 1.5)),
    ("negative_binomial", (np.nan, 0.5)),
    ("negative_binomial", (1e30, 0.5)),
    ("noncentral_chisquare", (0, 1.0)),
    ("noncentral_chisquare", (1, -1.0)),
    ("noncentral_f", (0, 1.0, 1.0)),
    ("noncentral_f", (1, 0.0, 1.0)),
    ("noncentral_f", (1, 1, -1)),
    ("normal", (0, -1)),
    ("normal", ([0, 1], [[1], [-1]])),
    ("normal", ("a",)),
    ("normal", (None,)),
    ("pareto", (0.0,)),
    ("poisson", (-1.0,)),
    ("poisson", (np.nan,)),
    ("poisson", (1e20,)),
    ("power", (0.0,)),
    ("rayleigh", (-1.0,)),
    ("standard_gamma", (-1.0,)),
    ("standard_t", (0.0,)),
    ("triangular", (1, 0, 2)),
    ("triangular", (0, 3, 2)),
    ("triangular", (0, 0, 0)),
    ("triangular", ([0, 1], 0.5, 2)),
    ("uniform", (0, np.inf)),
    ("uniform", (np.nan, 1)),
    ("uniform", (-1e308, 1e308)),
    ("uniform", (3, 1)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1.0)),
    ("wald", (1, 0.0)),
    ("weibull", (-1.0,)),
    ("zipf", (1.0,)),
    ("zipf", (np.nan,)),
    ("binomial", (-1, 0.5)),
    ("binomial", (3, 1.5)),
    ("binomial", (3, np.nan)),
    ("hypergeometric", (1, 2, -3)),
    ("hypergeometric", (1, 2, 5)),
    ("hypergeometric", (10**9 + 1, 2, 3)),
    ("integers", (5, 5)),
    ("integers", (0,)),
    ("integers", (5, 3, None, np.int64, True)),
    ("integers", (0, 300, None, "int8")),
    ("integers", (-1, 5, None, "uint8")),
    ("integers", (0, 5, None, "float32")),
    ("integers", (0, 5, 3.5)),
    ("integers", (float("nan"),)),
    ("integers", (float("inf"),)),
    ("integers", ([3, 4], [5, 4])),
    ("integers", ([3, 4], [5, 400], None, "int8")),
    ("integers", ([-1, 4], [5, 400], None, "uint64")),
    ("random", (3, "int32")),
    ("random", (3, "float16")),
    ("random", (-3,)),
    ("random", ((2, -3),)),
    ("random", (2.5,)),
    ("random", ("a",)),
    ("standard_normal", (3, "complex64")),
    ("multinomial", (-1, [0.5, 0.5])),
    ("multinomial", (3, [0.5, 1.5])),
    ("multinomial", (3, [0.7, 0.7, 0.1])),
    ("multinomial", (3, 0.5)),
    ("dirichlet", ([-1.0, 1.0],)),
    ("multivariate_hypergeometric", ([1, 2], 4)),
    ("multivariate_hypergeometric", ([1, -2], 1)),
    ("multivariate_hypergeometric", ([[1, 2]], 1)),
    ("multivariate_hypergeometric", ([1, 2], -1)),
    ("choice", (0,)),
    ("choice", (-3,)),
    ("choice", ([],)),
    ("choice", (3, 4, False)),
    ("choice", (3, 2, True, [0.5, 0.5])),
    ("choice", (3, 2, True, [0.5, 0.5, 0.5])),
    ("choice", (3, 2, True, [1.5, -0.5, 0.0])),
    ("choice", (3, 2, True, [[1.0, 0.0, 0.0]])),
    ("choice", (3, 2, True, [np.nan, 0.5, 0.5])),
    ("choice", (3, 2, False, [1.0, 0.0, 0.0])),
    ("permutation", (2.5,)),
    ("normal", (0, 1, (2, -1))),
]

# NumPy's text says more about the shapes, or names another type.
WORDS_DIFFER = {"shape mismatch", "bytes", "permutation"}


@pytest.mark.parametrize("method, args", FAILURES, ids=str)
def test_errors_are_numpys(method, args):
    with np.errstate(all="ignore"), pytest.raises(Exception) as theirs:
        getattr(np.random.default_rng(1), method)(*args)
    with pytest.raises(theirs.type) as ours:
        getattr(rng(), method)(*args)
    if method not in WORDS_DIFFER:
        text = str(theirs.value).replace("contains NaNs", "is NaN")
        assert str(ours.value).replace("contains NaNs", "is NaN") == text


@pytest.mark.parametrize(
    "method, args, keywords",
    [
        ("normal", ([1, 2], [1, 2, 3]), {}),
        ("normal", ([1, 2], 1), {"size": 3}),
        ("poisson", ([1, 2],), {"size": (3, 3)}),
        ("standard_gamma", ([1.0, 2.0],), {"size": (2, 1)}),
        ("multinomial", ([1, 2], [0.5, 0.5]), {"size": 3}),
    ],
)
def test_shapes_that_do_not_fit(method, args, keywords):
    with pytest.raises(ValueError):
        getattr(np.random.default_rng(1), method)(*args, **keywords)
    with pytest.raises(ValueError):
        getattr(rng(), method)(*args, **keywords)


def test_a_failed_draw_leaves_the_generator_alone():
    one, other = rng(), rng()
    for bad in (
        lambda: one.normal(0, -1, 5),
        lambda: one.random(5, dtype="int8"),
        lambda: one.random(-5),
        lambda: one.integers(5, 5),
        lambda: one.normal([1, 2], 1, 3),
    ):
        with pytest.raises((ValueError, TypeError)):
            bad()
    assert (one.random(4) == other.random(4)).all()


# ---- sizes, dtypes, out -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [None, 0, 5, (), (3,), (2, 0), (2, 3, 4), np.int64(3), [2, 2]])
@pytest.mark.parametrize(
    "method, args",
    [("random", ()), ("normal", (0, 1)), ("gamma", (2,)), ("poisson", (3,)), ("integers", (9,))],
)
def test_size(method, args, size):
    ours = getattr(rng(), method)(*args, size=size)
    theirs = np.asarray(getattr(np.random.default_rng(1), method)(*args, size=size))
    assert isinstance(ours, cp.ndarray)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype


@pytest.mark.parametrize(
    "method, args",
    [
        ("uniform", ([0, 1], [[2], [3]])),
        ("normal", (np.zeros((2, 1)), [1, 2, 3])),
        ("gamma", (2, [1, 2])),
        ("triangular", (0, [1, 2], 5)),
        ("binomial", ([3, 4], 0.5)),
        ("noncentral_f", (1, [2, 3], [[4], [5]])),
        ("hypergeometric", ([10, 20], 5, 3)),
        ("integers", ([1, 2], [[5], [9]])),
        ("multinomial", ([3, 4], [0.2, 0.8])),
        ("multinomial", (3, [[0.2, 0.8], [0.5, 0.5], [1, 0]])),
        ("multinomial", ([[3], [4]], [[0.2, 0.8], [0.5, 0.5]])),
    ],
)
def test_parameters_broadcast(method, args):
    ours = getattr(rng(), method)(*args)
    theirs = getattr(np.random.default_rng(1), method)(*args)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    device = [cp.asarray(a) if np.ndim(a) else a for a in args]
    assert (getattr(rng(), method)(*device) == ours).all()


def test_broadcast_parameters_reach_their_elements():
    loc = np.arange(6.0).reshape(2, 3) * 1000
    x = rng().normal(loc, 0.5, size=(4, 2, 3)).get()
    assert (abs(x - loc) < 5).all()
    strided = cp.asarray(loc).T[::-1]
    assert (abs(rng().normal(strided, 0.5).get() - strided.get()) < 5).all()


@pytest.mark.parametrize("method, args", [("normal", (3.0, 2.0)), ("gamma", (2.5, 2.0))])
def test_arrays_and_numbers_give_the_same(method, args):
    by_number = getattr(rng(), method)(*args, size=(5, 7))
    filled = [np.full((5, 7), a) for a in args]
    assert (getattr(rng(), method)(*filled) == by_number).all()
    assert (getattr(rng(), method)(filled[0], cp.asarray(args[1])) == by_number).all()


OUT = ["random", "standard_normal", "standard_exponential", "standard_gamma"]


@pytest.mark.parametrize("method", OUT)
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
def test_out(method, dtype):
    args = (2.0,) if method == "standard_gamma" else ()
    out = cp.zeros((3, 5), dtype)
    result = getattr(rng(), method)(*args, dtype=dtype, out=out)
    assert result is out
    assert (out == getattr(rng(), method)(*args, size=(3, 5), dtype=dtype)).all()
    part = cp.zeros(17, dtype)
    getattr(rng(), method)(*args, dtype=dtype, out=part[1:16])  # not on a boundary of 16 bytes
    assert (part[1:16].reshape(3, 5) == out).all() and part[0] == 0 and part[16] == 0


@pytest.mark.parametrize("method", OUT)
def test_out_that_does_not_do(method):
    args = (2.0,) if method == "standard_gamma" else ()
    for xp, generator in ((np, np.random.default_rng(1)), (cp, rng())):
        draw = getattr(generator, method)
        with pytest.raises(TypeError):
            draw(*args, dtype=np.float32, out=xp.zeros(3))
        with pytest.raises(ValueError):
            draw(*args, out=xp.zeros((4, 4))[::2, ::2])
        with pytest.raises(ValueError):
            draw(*args, size=4, out=xp.zeros(3))
    with pytest.raises(TypeError):
        draw(*args, out=np.zeros(3))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 1023, 1025])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
def test_a_longer_draw_begins_like_a_shorter_one(n, dtype):
    for method in ("random", "standard_normal", "standard_exponential"):
        longer = getattr(rng(), method)(2000, dtype=dtype)
        assert (getattr(rng(), method)(n, dtype=dtype) == longer[:n]).all()


def test_uniform_stays_inside():
    x = rng().random(200000).get()
    assert x.min() >= 0 and x.max() < 1
    assert (x * 2**53 == np.floor(x * 2**53)).all()
    x = rng().random(200000, dtype=np.float32).get()
    assert x.min() >= 0 and x.max() < 1
    x = rng().uniform(-3, -1, 100000).get()
    assert x.min() >= -3 and x.max() < -1


# ---- edges of parameters --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method, args, value",
    [
        ("normal", (3.0, 0.0), 3.0),
        ("exponential", (0.0,), 0.0),
        ("gamma", (0.0, 1.0), 0.0),
        ("gamma", (2.0, 0.0), 0.0),
        ("weibull", (0.0,), 0.0),
        ("rayleigh", (0.0,), 0.0),
        ("poisson", (0.0,), 0),
        ("binomial", (0, 0.5), 0),
        ("binomial", (10, 0.0), 0),
        ("binomial", (10, 1.0), 10),
        ("geometric", (1.0,), 1),
        ("negative_binomial", (5, 1.0), 0),
        ("hypergeometric", (0, 5, 3), 0),
        ("hypergeometric", (5, 0, 3), 3),
        ("hypergeometric", (5, 5, 10), 5),
        ("hypergeometric", (5, 5, 0), 0),
        ("logseries", (0.0,), 1),
        ("zipf", (2000.0,), 1),
        ("uniform", (2.0, 2.0), 2.0),
        ("standard_gamma", (1e-300,), 0.0),
    ],
)
def test_degenerate_distributions(method, args, value):
    x = getattr(rng(), method)(*args, size=100)
    theirs = getattr(np.random.default_rng(1), method)(*args, size=100)
    assert (theirs == value).all() and (x == value).all()


@pytest.mark.parametrize(
    "method, args",
    [
        ("normal", (np.nan, 1)),
        ("normal", (0, np.nan)),
        ("exponential", (np.nan,)),
        ("gamma", (np.nan,)),
        ("beta", (np.nan, 1)),
        ("standard_t", (np.nan,)),
        ("vonmises", (np.nan, 1)),
        ("chisquare", (np.nan,)),
        ("laplace", (np.nan, 1)),
        ("lognormal", (np.nan, 1)),
    ],
)
def test_nan_parameters_give_nan(method, args):
    assert cp.isnan(getattr(rng(), method)(*args, size=50)).all()
    assert np.isnan(getattr(np.random.default_rng(1), method)(*args, size=50)).all()


def test_bad_elements_on_the_device_end():
    bad = cp.asarray([-1.0, np.nan, np.inf, 0.0, 2.0])
    for method, n in [("gamma", 1), ("poisson", 1), ("beta", 2), ("vonmises", 2), ("zipf", 1)]:
        assert getattr(rng(), method)(*[bad] * n).shape == (5,)
    for method in ("binomial", "negative_binomial"):
        assert getattr(rng(), method)(bad, bad).shape == (5,)
    assert rng().hypergeometric(bad, bad, bad).shape == (5,)


def test_extreme_parameters():
    x = rng().beta(1e-3, 1e-3, 1000).get()
    assert ((x >= 0) & (x <= 1)).all() and 0.3 < (x > 0.5).mean() < 0.7
    x = rng().poisson(1e15, 1000).get()
    assert abs(x.mean() / 1e15 - 1) < 1e-8
    x = rng().binomial(2**40, 1e-12, 1000).get()
    assert 0 <= x.max() <= 12
    x = rng().geometric(1e-20, 1000).get()
    assert x.min() >= 1 and x.max() == 2**63 - 1
    x = rng().zipf(1.0001, 1000).get()
    assert x.min() >= 1
    assert np.isfinite(rng().standard_gamma(1e-3, 1000).get()).all()


# ---- integers ---------------------------------------------------------------------------------------

INTEGERS = [np.dtype(c) for c in "?bBhHiIqQ"]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_of_the_whole_type(dtype):
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = rng().integers(low, high, 3000, dtype=dtype, endpoint=True).get()
    assert x.dtype == dtype
    if dtype.itemsize == 1:
        assert x.min() == low and x.max() == high
    exclusive = rng().integers(low, int(high) + 1, 3000, dtype=dtype).get()
    assert (exclusive == x).all()


@pytest.mark.parametrize("dtype", INTEGERS[1:], ids=str)
def test_integers_stay_inside(dtype):
    low = -100 if dtype.kind == "i" else 3
    x = rng().integers(low, 27, 3000, dtype=dtype).get()
    assert x.min() == low and x.max() == 26
    x = rng().integers(low, 27, 3000, dtype=dtype, endpoint=True).get()
    assert x.max() == 27


def test_integers_of_arrays():
    low, high = np.arange(10) * 100, np.arange(10) * 100 + 7
    x = rng().integers(low, high, size=(400, 10)).get()
    assert (x.min(axis=0) == low).all() and (x.max(axis=0) == high - 1).all()
    x = rng().integers(cp.asarray(low), cp.asarray(high), size=(400, 10), endpoint=True).get()
    assert (x.min(axis=0) == low).all() and (x.max(axis=0) == high).all()
    x = rng().integers(np.array([0, 2**63], np.uint64), 2**64, size=(100, 2), dtype=np.uint64).get()
    assert (x[:, 1] >= 2**63).all()
    x = rng().integers([-(2**63), 5], [2**63 - 1, 5], size=(100, 2), endpoint=True).get()
    assert (x[:, 1] == 5).all() and (x[:, 0] < 0).any() and (x[:, 0] > 0).any()
    assert rng().integers([1, 2], 300, dtype=np.int16).dtype == np.int16


# ---- orders and samples ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 10, 1000, 70000])
def test_permutation_of_a_number(n):
    x = rng().permutation(n)
    assert x.dtype == np.int64 and (np.sort(x.get()) == np.arange(n)).all()
    if n >= 10:
        assert (x.get() != np.arange(n)).any()
        assert (x == rng().permutation(n)).all()


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_permutation_along_an_axis(axis):
    x = np.arange(2 * 5 * 7).reshape(2, 5, 7)
    y = rng(4).permutation(cp.asarray(x), axis=axis).get()
    assert y.shape == x.shape
    back = np.sort(y, axis=axis)
    assert (back == x).all()
    assert (x == np.arange(70).reshape(2, 5, 7)).all()


def test_permutation_of_a_list_and_bad_axis():
    assert sorted(rng().permutation([3, 1, 2]).get().tolist()) == [1, 2, 3]
    with pytest.raises(np.exceptions.AxisError):
        rng().permutation(cp.zeros(3), axis=1)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_shuffle(axis, layout):
    whole = cp.arange(24 * 2).reshape(4, 12)
    x = whole[:, ::2] if layout == "strided" else cp.array(whole[:, :6], order=layout)
    before = x.get()
    rng(2).shuffle(x, axis=axis)
    assert (np.sort(x.get(), axis=axis) == before).all() and (x.get() != before).any()
    with pytest.raises(TypeError):
        rng().shuffle([1, 2])
    with pytest.raises(TypeError):
        rng().shuffle(cp.asarray(3))


def test_permuted():
    x = cp.arange(60).reshape(3, 20)
    y = rng().permuted(x, axis=1).get()
    assert (np.sort(y, axis=1) == x.get()).all()
    assert len({tuple(row % 20) for row in y}) == 3  # each row has its own order
    y = rng().permuted(x).get()
    assert (np.sort(y.ravel()) == np.arange(60)).all()
    out = cp.empty_like(x)
    assert rng().permuted(x, axis=0, out=out) is out
    assert rng().permuted(x, out=x) is x
    with pytest.raises(ValueError):
        rng().permuted(x, out=cp.zeros(3, int))


@pytest.mark.parametrize("size", [None, 3, (2, 4), 0])
def test_choice(size):
    theirs = np.asarray(np.random.default_rng(1).choice(10, size)).shape
    assert rng().choice(10, size).shape == theirs
    a = cp.arange(30).reshape(10, 3)
    expected = np.random.default_rng(1).choice(a.get(), size).shape
    assert rng().choice(a, size).shape == expected
    assert (
        rng().choice(a, size, axis=1).shape
        == np.random.default_rng(1).choice(a.get(), size, axis=1).shape
    )


def test_choice_without_replacement():
    x = rng().choice(100, 40, replace=False).get()
    assert len(set(x.tolist())) == 40 and x.min() >= 0 and x.max() < 100
    p = np.arange(100) / 4950
    x = rng().choice(100, (3, 13), replace=False, p=p).get()
    assert x.shape == (3, 13) and len(set(x.ravel().tolist())) == 39 and 0 not in x
    assert (rng().choice(cp.asarray([5, 6]), 6, p=cp.asarray([0.0, 1.0])) == 6).all()


def test_bytes():
    assert len(rng().bytes(13)) == 13 and rng().bytes(13) == rng().bytes(13)
    assert rng().bytes(0) == b""


# ---- the generator itself ----------------------------------------------------------------------------


def test_default_rng():
    generator = rng()
    assert cp.random.default_rng(generator) is generator
    bits = cp.random.XORWOW(1)
    assert cp.random.default_rng(bits).bit_generator is bits
    assert str(generator) == "Generator(Philox4x3210)" and "at 0x" in repr(generator)
    with pytest.raises(ValueError):
        cp.random.Generator(5)
    with pytest.raises(TypeError):
        cp.random.default_rng("abc")


def test_spawn():
    children = rng().spawn(2)
    values = {float(g.random()) for g in [rng(), *children]}
    assert len(values) == 3
    again = rng().spawn(2)
    assert float(again[1].random()) in values and again[0].spawn(0) == []


def test_threads_share_a_generator():
    shared, parts = rng(), []

    def work():
        parts.extend(shared.random(64).get() for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ours = np.sort(np.concatenate(parts))
    assert (ours == np.sort(rng().random(64 * 60).get())).all()


@pytest.mark.parametrize("kind", [cp.random.Philox4x3210, cp.random.XORWOW])
def test_streams(kind):
    expected = cp.random.Generator(kind(1))
    expected = [expected.random(1000).get() for _ in range(6)]
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    generator, results = cp.random.Generator(kind(1)), []
    for number in range(6):
        with streams[number % 2]:
            results.append(generator.random(1000))
    cp.cuda.Device().synchronize()
    for ours, theirs in zip(results, expected, strict=True):
        assert (ours.get() == theirs).all()


def captured(generator, n=1000):
    """A graph of one draw, and its result."""
    stream = cp.cuda.Stream(non_blocking=True)
    generator.random(n)  # compiled before: nothing may be loaded during a capture
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        result = generator.random(n)
        graph = stream.end_capture()
    return graph, result, stream


def replay(graph, result, stream):
    with stream:
        graph.launch()
    stream.synchronize()
    return result.get()


def test_a_replay_gives_philoxs_numbers_again():
    generator, reference = rng(), rng()
    drawn = captured(generator)
    reference.random(1000)
    expected = reference.random(1000).get()
    assert (replay(*drawn) == expected).all() and (replay(*drawn) == expected).all()
    assert (generator.random(5) == reference.random(5)).all()


@pytest.mark.parametrize("kind", [cp.random.XORWOW, cp.random.MRG32k3a])
def test_a_replay_goes_on_with_a_state_on_the_device(kind):
    generator, reference = cp.random.Generator(kind(1)), cp.random.Generator(kind(1))
    drawn = captured(generator)
    expected = [reference.random(1000).get() for _ in range(4)]
    assert (replay(*drawn) == expected[1]).all() and (replay(*drawn) == expected[2]).all()
    assert (generator.random(1000).get() == expected[3]).all()


@pytest.mark.parametrize("size", [0, (3, 0, 4)], ids=str)
@pytest.mark.parametrize("limits", [(0, 0), (0, -10), (5, 5)], ids=str)
def test_no_integers_of_no_range(size, limits):
    g = cp.random.default_rng(0)
    for endpoint in (False, True):
        assert g.integers(*limits, size, endpoint=endpoint).size == 0
    for refused in (None, 2, ()):
        with pytest.raises(ValueError, match="low >= high"):
            g.integers(*limits, refused)


def test_permuted_does_not_cut_numbers():
    with pytest.raises(TypeError, match="Cannot cast"):
        cp.random.default_rng(0).permuted(cp.ones((3, 5)), axis=1, out=cp.zeros((3, 5), "i4"))
