"""Loops: dtypes of results for all pairs, weak scalars, dtype=, casting=, signature=."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, assert_same, check

import gpunp as cp

BINARY = ["add", "subtract", "divide", "floor_divide", "power", "left_shift", "less", "logical_and"]
BINARY += ["arctan2", "maximum", "bitwise_and", "float_power", "gcd", "ldexp", "hypot", "copysign"]
UNARY = [
    "negative",
    "sin",
    "sqrt",
    "absolute",
    "invert",
    "isnan",
    "sign",
    "floor",
    "rint",
    "square",
]
UNARY += ["logical_not", "bitwise_count", "conjugate", "frexp", "spacing", "positive", "signbit"]


def result_dtypes(f, *args):
    """The dtypes that a call gives, or TypeError."""
    with np.errstate(all="ignore"):
        try:
            result = f(*args)
        except TypeError:
            return TypeError
    return [x.dtype for x in (result if isinstance(result, tuple) else [result])]


@pytest.mark.parametrize("name", BINARY)
def test_result_dtype_of_pairs(name):
    """Empty operands: the loop is chosen and nothing is compiled."""
    for x in cases.NUMPY_DTYPES:
        for y in cases.NUMPY_DTYPES:
            theirs = result_dtypes(getattr(np, name), np.empty(0, x), np.empty(0, y))
            ours = result_dtypes(getattr(cp, name), cp.empty(0, x), cp.empty(0, y))
            assert ours == theirs, (name, x, y)


@pytest.mark.parametrize("name", UNARY)
def test_result_dtype(name):
    for x in cases.NUMPY_DTYPES:
        theirs = result_dtypes(getattr(np, name), np.empty(0, x))
        assert result_dtypes(getattr(cp, name), cp.empty(0, x)) == theirs, (name, x)


@pytest.mark.parametrize("name", ["add", "divide", "power", "less", "floor_divide", "arctan2"])
@pytest.mark.parametrize(
    "number", [True, 2, 2.5, 2j, np.float32(2), np.int64(2), np.float64(2)], ids=repr
)
def test_result_dtype_with_numbers(name, number):
    for x in cases.NUMPY_DTYPES:
        theirs = result_dtypes(getattr(np, name), np.empty(0, x), number)
        assert result_dtypes(getattr(cp, name), cp.empty(0, x), number) == theirs, (name, x)
        theirs = result_dtypes(getattr(np, name), number, np.empty(0, x))
        assert result_dtypes(getattr(cp, name), number, cp.empty(0, x)) == theirs, (name, x)


def test_every_row_has_numpys_dtypes():
    for row in cp._C.ufunc_table():
        f = getattr(np, row["name"], None)
        if not isinstance(f, np.ufunc):
            continue
        for x in cases.NUMPY_DTYPES:
            theirs = result_dtypes(f, *[np.empty(0, x)] * row["nin"])
            ours = result_dtypes(getattr(cp, row["name"]), *[cp.empty(0, x)] * row["nin"])
            assert ours == theirs, (row["name"], x)


def test_bfloat16_loops():
    b = cp.asarray(np.array([1, 2, 3], cases.BFLOAT16))
    assert (b + b).dtype == cases.BFLOAT16
    assert (b * 2.5).dtype == cases.BFLOAT16
    assert cp.sqrt(b).dtype == cases.BFLOAT16
    assert (b < 2).dtype == bool
    assert (b + cp.ones(3, "f4")).dtype == np.float32
    assert (b * 2.5).astype("f4").tolist() == [2.5, 5, 7.5]


def test_scalars_alone():
    for body in [
        lambda xp: xp.add(1, 2),
        lambda xp: xp.sin(0.5),
        lambda xp: xp.add(np.float32(1), 2),
    ]:
        ours, theirs = body(cp), body(np)
        assert isinstance(ours, cp.ndarray)
        assert ours.shape == ()
        assert_same(ours, np.asarray(theirs), ulp=1)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_dtype_names_the_loop(dtype):
    check(lambda xp: xp.add(xp.arange(5), xp.arange(5), dtype=dtype))
    check(lambda xp: xp.add(xp.arange(5, dtype="f8"), 1, dtype=dtype))
    check(lambda xp: xp.add(xp.arange(5, dtype="f8"), xp.arange(5, dtype="f4"), dtype=dtype))


def test_signature_names_the_loop():
    check(lambda xp: xp.add(xp.arange(5), xp.arange(5), signature="ff->f", casting="unsafe"))
    check(lambda xp: xp.add(xp.arange(5), xp.arange(5), sig="dd->d"))
    check(lambda xp: xp.add(xp.arange(5), xp.arange(5), signature=(None, None, np.float64)))
    check(lambda xp: xp.add(xp.arange(5), xp.arange(5), signature=("d", "d", "d")))
    check(lambda xp: xp.less(xp.arange(5), xp.arange(5), signature="dd->?"))


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting(casting):
    def body(dtype):
        return lambda xp: xp.add(
            xp.arange(3, dtype="f8"), 1.5, out=xp.zeros(3, dtype), casting=casting
        )

    for dtype in ("f8", "f4", "i4"):
        check(body(dtype))


@pytest.mark.parametrize(
    "body",
    [
        lambda xp: xp.add(xp.ones(3), 1, casting="some"),
        lambda xp: xp.add(xp.ones(3), 1, dtype="i4"),
        lambda xp: xp.sin(xp.ones(3), dtype="i4"),
        lambda xp: xp.add(xp.ones(3), 1, signature="dd->?"),
        lambda xp: xp.add(xp.ones(3), 1, signature="d->d"),
        lambda xp: xp.add(xp.ones(3), 1, dtype="f4", signature="ff->f"),
        lambda xp: xp.invert(xp.ones(3)),
        lambda xp: xp.subtract(xp.ones(3, bool), xp.ones(3, bool)),
        lambda xp: xp.negative(xp.ones(3, bool)),
        lambda xp: xp.positive(xp.ones(3, bool)),
        lambda xp: xp.left_shift(xp.ones(3, "i8"), xp.ones(3, "u8")),
        lambda xp: xp.add(xp.ones(3, "u1"), 256),
        lambda xp: xp.add(xp.ones(3, "u1"), -1),
        lambda xp: xp.power(xp.ones(3, "i4"), -1),
        lambda xp: xp.ones(3, "i4") ** -2,
    ],
)
def test_refused(body):
    assert_raises_same(body)


def test_words_of_errors():
    with pytest.raises(TypeError, match="ufunc 'invert' not supported for the input types"):
        cp.invert(cp.ones(3))
    with pytest.raises(TypeError, match=r"Cannot cast ufunc 'add' output from dtype\('float64'\)"):
        cp.add(cp.ones(3), 1.0, out=cp.ones(3, "i4"))
    with pytest.raises(OverflowError, match="Python integer 256 out of bounds for uint8"):
        cp.ones(3, "u1") + 256
    with pytest.raises(ValueError, match=r"with shapes \(3,\) \(2,4\) $"):
        cp.ones(3) + cp.ones((2, 4))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
@pytest.mark.parametrize("number", [300, -1, -300, 2**64, -(2**70)])
def test_comparison_with_integers_out_of_range(dtype, number):
    def body(xp):
        a = xp.asarray([0, 1, 1, 0]).astype(dtype)
        return [
            a < number,
            a <= number,
            a > number,
            a >= number,
            a == number,
            a != number,
            number < a,
        ]

    check(body)


def test_int64_beside_uint64_compares_exactly():
    def body(xp):
        a = xp.asarray(np.array([2**63 - 1, -1, 5], "i8"))
        b = xp.asarray(np.array([2**63, 2**64 - 1, 5], "u8"))
        return [a < b, a == b, b > a, b >= a, a != b]

    check(body)
