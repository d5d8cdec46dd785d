"""Which types a call computes in, or that it refuses them: every ufunc and method, every dtype.

One table of calls on empty arrays, so nothing is compiled but where a test says so: gpunp gives the
dtype that NumPy gives, or an exception of the same class, but for what docs/differences.md lists.
Without --slow a part of each table is run.
"""

import functools
import itertools
import random
import warnings
import zlib

import numpy as np
import pytest

import gpunp as cp

ROWS = [
    row["name"]
    for row in cp._C.ufunc_table()
    if isinstance(getattr(np, row["name"], None), np.ufunc)
]
NUMBERS = list("?bhilBHILefdFD")
TIMES = ["M8[s]", "m8[s]"]
# Their answer to dtype=bool, and to signatures that name one input, depends in NumPy on what was
# called before: its cache of loops. gpunp gives bool.
CACHED = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}
CACHED |= {"logical_and", "logical_or", "logical_xor"}
CHAINS = ["reduce", "accumulate", "reduceat"]
PART = 250  # calls of each ufunc without --slow


@pytest.fixture
def part(request):
    """A table of calls, or some of them without --slow."""
    if request.config.getoption("--slow"):
        return list
    generator = random.Random(zlib.crc32(request.node.name.encode()))

    def choose(calls, most=PART):
        calls = list(calls)
        return calls if len(calls) <= most else generator.sample(calls, most)

    return choose


class Zeros:
    """Arrays of zeros made once: most of the time would go there."""

    def __init__(self):
        self.made = {}

    def __call__(self, xp, shape, dtype):
        key = xp, shape, dtype
        if key not in self.made:
            self.made[key] = xp.zeros(shape, dtype)
        return self.made[key]


@pytest.fixture
def zeros():
    return Zeros()


def outcome(body, xp):
    """The dtypes of what body(xp) gives, or the class of its exception."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = body(xp)
        except Exception as error:
            return type(error)
    if isinstance(result, tuple):
        return tuple(x.dtype for x in result)
    return None if result is None else result.dtype


def is_same(ours, theirs):
    """Equal dtypes, two TypeErrors, or exceptions one of which is a kind of the other."""
    if isinstance(ours, type) and isinstance(theirs, type):
        both_types = issubclass(ours, TypeError) and issubclass(theirs, TypeError)
        return both_types or issubclass(ours, theirs) or issubclass(theirs, ours)
    return ours == theirs


def sweep(calls):
    """(words, body) of each call: those whose outcome is not NumPy's."""
    found = []
    for words, body in calls:
        theirs, ours = outcome(body, np), outcome(body, cp)
        refused_time = is_same(ours, TypeError) and any("8[" in str(word) for word in words)
        if not is_same(ours, theirs) and not refused_time:
            found.append((*words, f"gpunp: {ours}", f"NumPy: {theirs}"))
    assert not found, f"{len(found)} differ: {found[:5]}"


# ---- calls -------------------------------------------------------------------------------------


@pytest.mark.null
def test_table_has_every_ufunc():
    assert len(ROWS) > 80


@pytest.mark.parametrize("name", ROWS)
def test_calls(name, part, zeros):
    nin = getattr(np, name).nin
    inputs = part(itertools.product(NUMBERS + TIMES, repeat=nin))

    def call(dtypes):
        return lambda xp: getattr(xp, name)(*[zeros(xp, (0,), t) for t in dtypes])

    sweep((dtypes, call(dtypes)) for dtypes in inputs)


@pytest.mark.parametrize("name", ROWS)
def test_dtype_and_signature(name, part, zeros):
    nin, nout = getattr(np, name).nin, getattr(np, name).nout

    def call(dtypes, **wanted):
        return lambda xp: getattr(xp, name)(*[zeros(xp, (0,), t) for t in dtypes], **wanted)

    table = itertools.product(itertools.product(NUMBERS, repeat=nin), NUMBERS)
    sweep(((*d, f"dtype={w}"), call(d, dtype=w)) for d, w in part(table))
    loops = [loop for loop in getattr(cp, name).types if "E" not in loop]
    table = itertools.product(itertools.product(NUMBERS, repeat=nin), loops)
    sweep(((*d, w), call(d, signature=w)) for d, w in part(table))
    table = itertools.product(NUMBERS, itertools.product([None, *NUMBERS], repeat=nin + nout))
    some = list(itertools.islice(part(itertools.islice(table, 40000)), 300))
    if name not in CACHED:
        sweep(((d, w), call((d,) * nin, signature=w)) for d, w in some if any(w))


@pytest.mark.parametrize("name", ROWS)
def test_out_and_casting(name, part, zeros):
    nin, nout = getattr(np, name).nin, getattr(np, name).nout

    def call(dtypes, out, casting):
        return lambda xp: getattr(xp, name)(
            *[zeros(xp, (0,), t) for t in dtypes],
            out=tuple(zeros(xp, (0,), out) for _ in range(nout)),
            casting=casting,
        )

    castings = ["no", "equiv", "safe", "same_kind", "unsafe"]
    table = itertools.product(itertools.product(NUMBERS, repeat=nin), NUMBERS, castings)
    sweep(((*d, out, c), call(d, out, c)) for d, out, c in part(table))


# ---- methods -----------------------------------------------------------------------------------

SHAPES = {"reduce": (0,), "accumulate": (3, 0), "reduceat": (1, 0)}


@pytest.mark.parametrize("method", CHAINS)
@pytest.mark.parametrize("name", ROWS)
def test_chains(name, method, part, zeros):
    indices = ([0],) if method == "reduceat" else ()

    def call(dtype, wanted, out):
        def body(xp):
            given = {} if out is None else {"out": zeros(xp, SHAPES[method], out)}
            given |= {} if wanted is None else {"dtype": wanted}
            function = getattr(getattr(xp, name), method)
            return function(zeros(xp, (3, 0), dtype), *indices, **given)

        return body

    dtypes = NUMBERS + TIMES
    table = itertools.product(dtypes, [None, *dtypes], [None, *dtypes])
    if name in CACHED:
        table = ((d, w, out) for d, w, out in table if w != "?")
    sweep(((d, w, out), call(d, w, out)) for d, w, out in part(table, 150))


@pytest.mark.parametrize("name", sorted(CACHED))
@pytest.mark.parametrize("method", CHAINS)
def test_chains_of_truth_values(name, method):
    indices = ([0],) if method == "reduceat" else ()
    for dtype in NUMBERS:
        got = getattr(getattr(cp, name), method)(cp.zeros((3, 0), dtype), *indices, dtype="?")
        assert got.dtype == bool


@pytest.mark.parametrize("method", ["outer", "at"])
@pytest.mark.parametrize("name", ROWS)
def test_outer_and_at(name, method, part, zeros):
    nin = min(getattr(np, name).nin, 2)

    def call(dtypes):
        def body(xp):
            function = getattr(getattr(xp, name), method)
            if method == "outer":
                return function(*[zeros(xp, (0,), t) for t in dtypes])
            places = zeros(xp, (0,), "l")
            return function(
                xp.zeros(3, dtypes[0]), places, *[zeros(xp, (0,), t) for t in dtypes[1:]]
            )

        return body

    table = itertools.product(NUMBERS + TIMES, repeat=nin if method == "at" else 2)
    sweep((d, call(d)) for d in part(table, 100))


# ---- reductions and scans ----------------------------------------------------------------------

TYPED = ["sum", "prod", "mean", "nansum", "nanprod", "nanmean", "cumsum", "cumprod", "nancumsum"]
TYPED += ["nancumprod", "var", "std", "nanvar", "nanstd"]
UNTYPED = ["max", "min", "nanmax", "nanmin", "any", "all", "argmax", "argmin", "median"]
UNTYPED += ["nanmedian", "ptp", "nanargmax", "nanargmin"]
VARIANCES = {"var", "std", "nanvar", "nanstd"}


@pytest.mark.parametrize("name", TYPED + UNTYPED)
def test_reductions(name, part, zeros):
    shape = (2, 0) if name.startswith(("cum", "nancum")) else (0,)

    def call(dtype, wanted, out):
        def body(xp):
            given = {} if out is None else {"out": zeros(xp, shape, out)}
            given |= {} if wanted is None else {"dtype": wanted}
            return getattr(xp, name)(zeros(xp, (2, 0), dtype), axis=0, **given)

        return body

    wanted = [None, *NUMBERS] if name in TYPED else [None]
    if name in VARIANCES:  # others are in docs/differences.md
        wanted = [None, "e", "f", "d"]
    table = itertools.product(NUMBERS, wanted, [None, *NUMBERS])
    sweep(((d, w, out), call(d, w, out)) for d, w, out in part(table, 200))


@pytest.mark.parametrize("name", sorted(VARIANCES))
@pytest.mark.parametrize("wanted", ["?", "i", "L", "F", "D"])
def test_listed_variances_of_integer_and_complex_types(name, wanted):
    """NumPy rounds each step to an integer type, and makes real variances complex."""
    got = getattr(cp, name)(cp.array([1, 2, 4], "i4"), dtype=wanted)
    assert got.dtype == np.float64 or (wanted == "F" and got.dtype == np.float32)
    assert abs(float(got) - getattr(np, name)([1, 2, 4])) < 1e-6


def test_mean_of_nothing_as_an_integer():
    with pytest.warns(RuntimeWarning, match="empty"):
        assert int(cp.zeros(0).mean(dtype="i4")) == 0


# ---- what is accepted compiles -----------------------------------------------------------------


def test_reported_calls_do_not_reach_the_compiler():
    ones = cp.ones((3, 4), "i4")
    for name, dtype in [("bitwise_or", "f4"), ("gcd", "f8"), ("hypot", "?"), ("lcm", "?")]:
        for method in ["reduce", "accumulate"]:
            with pytest.raises(TypeError):
                getattr(getattr(cp, name), method)(ones, dtype=dtype)
    with pytest.raises(TypeError):
        cp.histogramdd(cp.ones((5, 2), "c8"))


def compiled(part, most):
    """(ufunc, method, dtype, dtype=, out=) that NumPy takes, over the types that kernels tell apart."""
    binary = [n for n in ROWS if getattr(np, n).nin == 2 and getattr(np, n).nout == 1]
    zeros = Zeros()
    table = itertools.product(binary, CHAINS, "?bLefFD", "?bLefFD", [None, "B", "e", "D"])
    for name, method, dtype, wanted, out in part(table, most):
        indices = ([0],) if method == "reduceat" else ()
        given = {} if out is None else {"out": zeros(np, SHAPES[method], out)}
        function = getattr(getattr(np, name), method)
        call = functools.partial(function, zeros(np, (3, 0), dtype), *indices, dtype=wanted)
        if not isinstance(outcome(lambda xp, call=call, given=given: call(**given), np), type):
            yield name, method, dtype, wanted, out


def test_accepted_chains_compile(part):
    """Each dtype of input, loop and output meets in a kernel that NVRTC takes."""
    shapes = {"reduce": (4,), "accumulate": (3, 4), "reduceat": (1, 4)}
    for name, method, dtype, wanted, out in compiled(part, 20):
        indices = ([0],) if method == "reduceat" else ()
        given = {} if out is None else {"out": cp.zeros(shapes[method], out)}
        function = getattr(getattr(cp, name), method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            got = function(cp.ones((3, 4), dtype), *indices, dtype=wanted, **given)
        assert got.shape == shapes[method], (name, method, dtype, wanted, out)
