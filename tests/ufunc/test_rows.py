"""Every row of tables/ufuncs.def against NumPy: values at the points where functions go wrong, for
each dtype of the row, and the result's dtype for every pair of dtypes.

What a row allows (its `ulp` column) is measured against NumPy in the next wider type, so that
NumPy's own rounding does not count; rows with 0 must equal NumPy bit for bit.
"""

import ml_dtypes
import numpy as np
import pytest
from cases import BFLOAT16, COMPLEX, DTYPES, FLOATS, INTEGERS, NUMPY_DTYPES, special
from check import assert_same, check, to_numpy

import gpunp as cp

ROWS = {row["name"]: row for row in cp._C.ufunc_table()}
PUBLIC = [name for name in ROWS if name != "clip"]  # np.clip is a function around the row
BINARY = [name for name in PUBLIC if ROWS[name]["nin"] == 2]
UNARY = [name for name in PUBLIC if ROWS[name]["nin"] == 1]

# A type that holds the exact results of a function of the other, near enough.
WIDER = {"e": "f", "f": "d", "d": "g", "F": "D", "D": "G"}

# Where gpunp means to differ, and why.
INTEGER_DIFFERENCES = {
    "reciprocal": "1 // 0 is 0, as every integer division by zero; NumPy converts inf to an integer",
    "power": "negative exponents give the truncated power; raising would need a synchronisation",
}
# NumPy's minimum and maximum of -0 and +0 depend on its vector instructions; its nextafter of them
# gives the first in float16 and the second, as C does, in the other types.
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip", "nextafter"}
# Complex rows whose signs of zero, or whose choice between inf and NaN at infinite arguments, C99
# leaves open or NumPy does not define.
LOOSE_COMPLEX = {"power", "float_power", "exp2", "expm1", "log1p", "sign", "reciprocal", "divide"}
# What complex loops may differ by beyond the row: NumPy multiplies with fused operations on some
# machines, and exp(b log(a)) magnifies the rounding of the logarithm by the size of the exponent.
COMPLEX_ULP = {"multiply": 1, "square": 1, "power": 200, "float_power": 200}


def accepts(row, dtype):
    """Whether the row has a loop for inputs of this very dtype."""
    kind = "f" if dtype == BFLOAT16 else {"b": "?"}.get(dtype.kind, dtype.kind)
    return kind in row["classes"] and not (row["result"] == "WIDE" and dtype.char not in "dD")


def points(row, dtype):
    """Special values and a spread of ordinary ones; for two inputs, all pairs of special ones."""
    rng = np.random.default_rng(len(row["name"]))
    extra = 200 if row["nin"] == 1 else 30
    if dtype.kind in "fc" or dtype == BFLOAT16:
        real = np.concatenate([rng.normal(0, 1, extra), rng.uniform(-30, 30, extra)])
        if dtype.kind == "c":
            real = real + 1j * rng.permutation(real)
        more = np.concatenate([special(dtype), real.astype(dtype)])
    elif dtype.kind == "b":
        more = special(dtype)
    else:
        info = np.iinfo(dtype)
        more = np.concatenate([special(dtype), rng.integers(info.min, info.max, extra, dtype)])
    if row["nin"] == 1:
        return [more]
    if row["nin"] == 3:
        x = special(dtype)
        return [np.resize(x, 300), np.resize(np.roll(x, 2), 301)[:300], np.resize(x[::-1], 303)[3:]]
    few = special(dtype)
    return [
        np.concatenate([np.repeat(few, few.size), more]),
        np.concatenate([np.tile(few, few.size), rng.permutation(more)]),
    ]


def numpy_function(name):
    return np._core.umath.clip if name == "clip" else getattr(np, name)


def reference(row, inputs):
    """NumPy's result in the loop's dtype, by way of a wider one where rounding is allowed."""
    function = numpy_function(row["name"])
    dtype = inputs[0].dtype
    with np.errstate(all="ignore"):
        if dtype == BFLOAT16 and row["name"] in ("nextafter", "spacing"):
            return function(*inputs)
        if dtype == BFLOAT16:
            want = function(*(x.astype("f") if x.dtype == BFLOAT16 else x for x in inputs))
            narrow = {np.dtype("f"): BFLOAT16}
        elif row["ulp"] and dtype.char in WIDER:
            wide = np.dtype(WIDER[dtype.char])
            want = function(*(x.astype(wide) for x in inputs))
            narrow = {wide: dtype, wide.type(0).real.dtype: dtype.type(0).real.dtype}
        else:
            return function(*inputs)
        one = isinstance(want, np.ndarray)
        want = [x.astype(narrow.get(x.dtype, x.dtype)) for x in ([want] if one else want)]
        return want[0] if one else tuple(want)


def evaluate(row, inputs):
    function = getattr(cp._C, row["name"])
    return function(*(cp.asarray(x) for x in inputs))


def drop(inputs, bad):
    """The inputs without the points where `bad` holds."""
    return [x[~bad] for x in inputs]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_row_values(name, dtype):
    row = ROWS[name]
    if not accepts(row, dtype):
        return
    inputs = points(row, dtype)
    if dtype.kind in "iu" and name == "reciprocal":
        inputs = drop(inputs, inputs[0] == 0)
    if dtype.kind in "iu" and name == "power":
        inputs = drop(inputs, inputs[1] < 0)
    if name.startswith("logaddexp"):  # cancellation: the error is one of the larger argument's
        size = np.fmax(np.abs(inputs[0].astype("d")), np.abs(inputs[1].astype("d")))
        inputs = drop(inputs, np.abs(reference(row, inputs).astype("d")) < 0.1 * size)
    if dtype.kind == "c" and name == "clip":
        inputs = drop(inputs, np.logical_or.reduce([np.isnan(x) for x in inputs]))
    if dtype.kind == "c" and name in ("power", "float_power"):
        inputs = drop(inputs, ~np.isfinite(inputs[0]) | ~np.isfinite(inputs[1]))
    if dtype.kind in "fV" and name == "floor_divide":  # see test_infinite_quotients
        inputs = drop(inputs, np.isinf(inputs[0]))
    if row["result"] == "LDEXP":
        inputs[1] = np.resize(np.array([0, 1, -1, 5, -20, 200, -3000, 2**31 - 1]), inputs[1].shape)
    compare(row, dtype, inputs)


@pytest.mark.parametrize("dtype", ["e", "f", "d", BFLOAT16], ids=str)
def test_infinite_quotients(dtype):
    """As the array API standard has them; NumPy's are NaN."""
    a = np.repeat(np.array([np.inf, -np.inf], dtype), 5)
    b = np.tile(np.array([2, -3, 0.0, np.inf, np.nan], dtype), 2)
    with np.errstate(all="ignore"):
        want = a / b
    for got in (cp.floor_divide(cp.asarray(a), cp.asarray(b)), cp.asarray(a) // cp.asarray(b)):
        assert_same(got, want)


def compare(row, dtype, inputs):
    want, got = reference(row, inputs), evaluate(row, inputs)
    zero_sign = row["ulp"] == 0 and row["name"] not in EITHER_ZERO and dtype.kind != "c"
    ulp = max(row["ulp"], COMPLEX_ULP.get(row["name"], 0)) if dtype.kind == "c" else row["ulp"]
    if dtype.kind == "c" and row["name"] in LOOSE_COMPLEX:
        plain = np.logical_and.reduce([np.isfinite(x) for x in inputs])
        got, want = to_numpy(got)[plain], want[plain]
        ours, theirs = np.isfinite(got), np.isfinite(want)
        assert (ours == theirs).all()
        got, want = got[ours], want[ours]
    assert_same(got, want, ulp=ulp, zero_sign=zero_sign)


def result_dtypes(function, *inputs):
    try:
        result = function(*inputs)
    except TypeError:
        return "TypeError"
    results = result if isinstance(result, tuple) else (result,)
    return tuple(str(x.dtype) for x in results)


# ml_dtypes registers no loop for these, so NumPy falls back to float32 (or finds none).
BFLOAT16_DIFFERENCES = {"degrees", "radians", "ldexp", "float_power"}


@pytest.mark.parametrize("name", UNARY)
def test_unary_dtypes(name):
    for dtype in DTYPES:
        if dtype == BFLOAT16 and name in BFLOAT16_DIFFERENCES:
            continue
        theirs = result_dtypes(getattr(np, name), np.zeros(0, dtype))
        ours = result_dtypes(getattr(cp, name), cp.zeros(0, dtype))
        assert ours == theirs, dtype


@pytest.mark.parametrize("name", BINARY)
def test_binary_dtypes(name):
    different = {}
    for a in DTYPES:
        for b in DTYPES:
            if BFLOAT16 in (a, b) and name in BFLOAT16_DIFFERENCES:
                continue
            theirs = result_dtypes(getattr(np, name), np.zeros(0, a), np.zeros(0, b))
            ours = result_dtypes(getattr(cp, name), cp.zeros(0, a), cp.zeros(0, b))
            if ours != theirs:
                different[str(a), str(b)] = (ours, theirs)
    assert not different


MIXED = [
    ("b", "B"), ("?", "f"), ("i", "f"), ("b", "e"), ("h", "e"), ("L", "l"), ("f", "d"), ("f", "F"),
    ("d", "F"), ("I", "i"), ("L", "f"),
]  # fmt: skip


@pytest.mark.parametrize("pair", MIXED, ids="".join)
@pytest.mark.parametrize("name", ["add", "multiply", "divide", "maximum", "less"])
def test_mixed_dtypes(name, pair):
    x, y = (special(np.dtype(c)) for c in pair)
    if set(pair) & set("FD"):  # what NumPy does with infinities differs from one machine to another
        x, y = (values[np.isfinite(values) & (values != 0)] for values in (x, y))
    n = max(x.size, y.size)
    x, y = np.resize(x, n), np.resize(y, n)
    loose = name in EITHER_ZERO or set(pair) & set("FD")
    check(
        lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y)),
        ulp=1 if name == "divide" else 0,
        zero_sign=not loose,
    )


@pytest.mark.parametrize(
    "name", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
)
@pytest.mark.parametrize("pair", ["lL", "Ll", "bL", "Li"])
def test_comparison_of_signed_and_unsigned_is_exact(name, pair):
    x, y = (special(np.dtype(c)) for c in pair)
    x, y = np.repeat(x, y.size), np.tile(y, x.size)
    check(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))


def test_integer_division_by_zero_is_zero():
    for dtype in INTEGERS:
        x, zero = cp.asarray(special(dtype)), cp.zeros(1, dtype)
        for function in (cp.floor_divide, cp.remainder, cp.fmod):
            assert not to_numpy(function(x, zero)).any()
        assert not to_numpy(cp.reciprocal(zero)).any()


def test_negative_integer_power_truncates():
    x = cp.asarray(np.array([2, 1, -1, -1, 0, -3]))
    y = cp.asarray(np.array([-1, -5, -3, -4, -2, -1]))
    assert to_numpy(cp.power(x, y)).tolist() == [0, 1, -1, 1, 0, 0]


def test_float16_is_rounded_once():
    x = np.array([2049, 65504, 1e-7, -1.5], "f4").astype("e")
    y = np.array([3, 16, 1e-7, 2.5], "f4").astype("e")
    for name in ("add", "multiply", "divide", "subtract"):
        check(lambda xp, name=name: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))


@pytest.mark.parametrize("alias,name", sorted(cp._C.ufunc_aliases().items()))
def test_alias_is_the_same_object(alias, name):
    assert getattr(cp, alias) is getattr(cp, name)
    assert getattr(np, alias) is getattr(np, name)


def test_table_covers_numpy():
    """Each ufunc of NumPy is a row or an alias, but for products of matrices and for dates."""
    elsewhere = {"matmul", "vecdot", "matvec", "vecmat", "isnat"}
    names = {n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)}
    assert names - set(ROWS) - set(cp._C.ufunc_aliases()) - elsewhere == set()


def test_rows_describe_themselves():
    for name, row in ROWS.items():
        assert row["summary"].endswith("."), name
        assert set(row["classes"]) <= set("!?iufc"), name
        if name in PUBLIC:
            theirs = getattr(np, name)
            assert (row["nin"], row["nout"]) == (theirs.nin, theirs.nout), name
    assert NUMPY_DTYPES and COMPLEX and FLOATS and ml_dtypes  # the groups the rows select by
