"""ufunc(out=, casting=) over dtypes and rules: what is cast, and what is refused, as NumPy does."""

import itertools

import numpy as np
import pytest

import gpunp as cp

DTYPES = "?bhilBHILefdFD"
RULES = [None, "no", "equiv", "safe", "same_kind", "unsafe"]


def run(xp, name, dtypes, out_dtype, rule):
    operands = [xp.asarray(np.array([1, 2, 3]).astype(d)) for d in dtypes]
    out = xp.zeros(3, out_dtype)
    options = {} if rule is None else {"casting": rule}
    try:
        with np.errstate(all="ignore"):
            result = getattr(xp, name)(*operands, out=out, **options)
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error)
    assert result is out
    return out.get() if xp is cp else out


def assert_same_cast(name, dtypes, out_dtype, rule):
    about = f"{name} of {dtypes} into {out_dtype}, casting={rule!r}"
    theirs, ours = (run(xp, name, dtypes, out_dtype, rule) for xp in (np, cp))
    if isinstance(theirs, type) or isinstance(ours, type):
        assert theirs is ours, about
    elif name != "negative" or np.dtype(out_dtype).kind != "u" or dtypes[0] not in "efdFD":
        # floats below zero saturate here; NumPy's answer depends on the processor
        np.testing.assert_allclose(ours, theirs, rtol=1e-2, err_msg=about)


@pytest.mark.filterwarnings("ignore")  # numpy.exceptions.ComplexWarning, and RuntimeWarning
@pytest.mark.parametrize("dtype", "?bLeD")
@pytest.mark.parametrize("name", ["negative", "sqrt", "isnan"])
def test_some_unary(name, dtype):
    for out_dtype, rule in itertools.product("?bLfD", RULES):
        assert_same_cast(name, [dtype], out_dtype, rule)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["negative", "sqrt", "isnan", "invert", "absolute"])
def test_unary(name, dtype):
    for out_dtype, rule in itertools.product(DTYPES, RULES):
        assert_same_cast(name, [dtype], out_dtype, rule)


PAIRS = list(itertools.product(DTYPES, DTYPES))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pair", PAIRS, ids="".join)
@pytest.mark.parametrize("name", ["add", "divide", "floor_divide", "left_shift", "less"])
def test_binary(name, pair):
    for out_dtype, rule in itertools.product(DTYPES, RULES):
        assert_same_cast(name, pair, out_dtype, rule)


def loop(xp, name, pair, out_dtype, rule):
    """The dtype of the result of empty operands, for which no kernel is compiled."""
    operands = [xp.zeros(0, d) for d in pair]
    out = None if out_dtype is None else xp.zeros(0, out_dtype)
    options = {} if rule is None else {"casting": rule}
    try:
        return getattr(xp, name)(*operands, out=out, **options).dtype
    except TypeError:
        return TypeError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["add", "divide", "floor_divide", "left_shift", "less"])
def test_loops(name):
    for pair, out_dtype, rule in itertools.product(PAIRS, [None, *DTYPES], RULES):
        assert loop(np, name, pair, out_dtype, rule) == loop(cp, name, pair, out_dtype, rule), (
            f"{name} of {pair} into {out_dtype}, casting={rule!r}"
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("k", range(2))
def test_some_binary(k):
    for pair in PAIRS[k * 7 :: 59]:
        for out_dtype, rule in itertools.product("?bLfD", RULES):
            assert_same_cast(["add", "divide"][k % 2], pair, out_dtype, rule)
