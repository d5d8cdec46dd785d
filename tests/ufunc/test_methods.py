"""The ufunc object: attributes, text, pickling, outer, aliases, operators."""

import copy
import inspect
import operator
import pickle

import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

ROWS = {row["name"]: row for row in cp._C.ufunc_table()}


def numpy_ufuncs():
    return [name for name in ROWS if isinstance(getattr(np, name, None), np.ufunc)]


@pytest.mark.parametrize("name", ROWS)
def test_object(name):
    f, row = getattr(cp._C, name), ROWS[name]
    assert type(f) is cp.ufunc
    assert (f.name, f.__name__, f.__qualname__) == (name, name, name)
    assert (f.nin, f.nout, f.nargs) == (row["nin"], row["nout"], row["nin"] + row["nout"])
    assert f.types == row["types"]
    assert f.ntypes == len(f.types)
    assert f.signature is None
    assert f.__doc__.startswith(f"{name}(x")
    assert row["summary"] in f.__doc__
    assert repr(f) == f"<ufunc '{name}'>"
    assert list(inspect.signature(f).parameters)[-2:] == ["subok", "signature"]


@pytest.mark.parametrize("name", numpy_ufuncs())
def test_identity_is_numpys(name):
    ours, theirs = getattr(cp, name).identity, getattr(np, name).identity
    assert ours == theirs
    assert type(ours) is type(theirs)


@pytest.mark.parametrize("name", numpy_ufuncs())
def test_pickles_and_copies_as_itself(name):
    f = getattr(cp, name)
    assert pickle.loads(pickle.dumps(f)) is f
    assert copy.deepcopy(f) is f


def test_aliases_are_the_same_objects():
    for second, first in cp._C.ufunc_aliases().items():
        assert getattr(cp._C, second) is getattr(cp._C, first)


def test_no_instances_and_no_attributes():
    with pytest.raises(TypeError):
        cp.ufunc()
    with pytest.raises(AttributeError):
        cp.add.nin = 3


def test_wrong_calls():
    assert_raises_same(lambda xp: xp.add(1))
    assert_raises_same(lambda xp: xp.add(1, 2, None, None))
    assert_raises_same(lambda xp: xp.add(1, 2, nothing=3))
    assert_raises_same(lambda xp: xp.sin())


def test_outer():
    def body(xp):
        a, b = xp.arange(3), xp.arange(8.0).reshape(2, 4)
        return [
            xp.multiply.outer(a, b),
            xp.subtract.outer(b, a),
            xp.add.outer(a, a, dtype="f4"),
            xp.less.outer(a, b[0], out=xp.zeros((3, 4), bool)),
            xp.add.outer(a, 2),
            xp.add.outer(2, a),
        ]

    check(body)
    assert_raises_same(lambda xp: xp.sin.outer(xp.arange(3), xp.arange(3)))


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift"]
BINARY += ["rshift", "lt", "le", "eq", "ne", "gt", "ge"]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["i4", "f4"])
def test_binary_operators(name, dtype):
    f = getattr(operator, name)

    def body(xp):
        a = xp.asarray([1, 2, 3, 6]).astype(dtype)
        b = xp.asarray([3, 2, 1, 1]).astype(dtype)
        return [f(a, b), f(a, 2), f(3, b), f(a, a[:1]), f(a.reshape(2, 2).T, b.reshape(2, 2))]

    check(body, ulp=1)


@pytest.mark.parametrize(
    "name", [n for n in BINARY if n not in ("lt", "le", "eq", "ne", "gt", "ge")]
)
@pytest.mark.parametrize("dtype", ["i4", "f4"])
def test_inplace_operators(name, dtype):
    f = getattr(operator, "i" + name.rstrip("_"))

    def body(xp):
        a = xp.asarray([1, 2, 3, 6]).astype(dtype)
        b = a
        b = f(b, 2)
        assert b is a
        return f(b, a[::-1])

    check(body, ulp=1)


def test_unary_operators_and_divmod():
    def body(xp):
        a = xp.asarray([-3, 2, 5])
        return [-a, +a, abs(a), ~a, *divmod(a, 2), *divmod(7, a), abs(a * 1.5), pow(a, 2)]

    check(body)


@pytest.mark.parametrize("exponent", [2, 2.0, -1.0, 0.5, 1, 3, 0, -2.0])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_powers_with_numbers(exponent, dtype):
    def body(xp):
        a = xp.asarray([1.5, 2, 4]).astype(dtype)
        return [a**exponent, a.__pow__(exponent)]

    check(body, ulp=4)
    check(lambda xp: xp.asarray([True, False]) ** 2)
    check(lambda xp: xp.asarray([3, 4], dtype="i2") ** 2)
    check(lambda xp: xp.asarray([3, 4], dtype="i2") ** 2.0)


class Reflecting:
    """An operand that wants to be asked itself."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __lt__(self, other):
        return "lt"

    def __eq__(self, other):
        return "eq"

    __hash__ = None


class Plain:
    def __rmul__(self, other):
        return "rmul"


def test_operands_that_decide_themselves():
    a = cp.arange(3)
    assert a + Reflecting() == "radd"
    assert (a > Reflecting()) == "lt"
    assert (a == Reflecting()) == "eq"
    assert a * Plain() == "rmul"
    with pytest.raises(TypeError):
        a - Plain()
    with pytest.raises(TypeError):
        a -= Plain()
    assert (a == "text") is False
    assert (a == None).tolist() == [False] * 3  # noqa: E711
    assert (a != None).tolist() == [True] * 3  # noqa: E711
    with pytest.raises(TypeError):
        a < "text"  # noqa: B015


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_accumulate_of_long_operations(name, dtype, rng):
    """Operations that are a page of code each: they stay calls in the kernel of a scan."""
    a = rng.normal(size=5000).astype(dtype)
    check(lambda xp: getattr(xp, name).accumulate(xp.asarray(a)), rtol=1e-5, atol=1e-5)
    special = np.array([np.inf, 0, -np.inf, np.inf, np.nan, 1, -np.inf, -np.inf], dtype)
    check(lambda xp: getattr(xp, name)(xp.asarray(special)[:, None], xp.asarray(special)), ulp=2)
