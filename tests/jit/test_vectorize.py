"""cp.vectorize beside numpy.vectorize."""

import math

import numpy as np
import pytest
from check import assert_same

import gpunp as cp


def compare(function, *arrays, ulp=1, **options):
    ours = cp.vectorize(function, **options)(*[cp.asarray(a) for a in arrays])
    theirs = np.vectorize(function, **options)(*arrays)
    assert_same(ours, theirs, ulp=ulp)


def relu(x):
    return x if x > 0 else 0.0


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def polar(x, y):
    """Length and angle."""
    return math.sqrt(x * x + y * y), math.atan2(y, x)


def test_one_result():
    compare(relu, np.linspace(-2, 2, 9))
    compare(collatz, np.arange(1, 40))
    compare(lambda x: x**2 + 1, np.arange(5.0))
    compare(lambda a, b: np.maximum(a, b) - 1, np.arange(5.0), np.float64(2.5) * np.ones((3, 1)))


def test_several_results():
    compare(polar, np.arange(4.0), np.arange(3.0)[:, None], ulp=2)
    assert cp.vectorize(polar).__doc__ == "Length and angle."


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "F", "D"])
def test_dtypes(dtype):
    x = np.arange(6).astype(dtype)

    def twice(a):
        return a + a

    ours = cp.vectorize(twice)(cp.asarray(x))
    assert_same(ours, x + x)


@pytest.mark.parametrize("otypes", ["f", "D", [np.int16], ["float16"], "?"])
def test_otypes(otypes):
    compare(lambda x: x * 1.5, np.arange(4), otypes=otypes)


def test_otypes_of_several():
    compare(polar, np.arange(3.0), np.arange(3.0), otypes="fd")
    with pytest.raises(ValueError, match="returns 2 values, otypes names 1"):
        cp.vectorize(polar, otypes="f")(cp.ones(2), cp.ones(2))


def test_a_tuple_of_one():
    def halves(x):
        return (x / 2,)

    kernel = cp.vectorize(lambda x: halves(x)[0] + 1)
    np.testing.assert_array_equal(kernel(cp.arange(3.0)).get(), [1, 1.5, 2])


def test_scalars_defaults_and_keywords():
    def f(x, y=10, *, z=1):
        return x * y + z

    v, w = cp.vectorize(f), np.vectorize(f)
    x = np.arange(4)
    assert_same(v(cp.asarray(x)), w(x))
    assert_same(v(cp.asarray(x), 2.5, z=3), w(x, 2.5, z=3))
    assert_same(v(y=cp.asarray(x), x=2), w(y=x, x=2))
    assert v(3).item() == 31


def test_excluded():
    def power(x, n, table):
        result = table[0]
        for _ in range(n):
            result *= x
        return result

    x = np.arange(4.0)
    ours = cp.vectorize(power, excluded={1, "table"})(cp.asarray(x), 3, (2.0, 5))
    assert_same(ours, 2 * x**3)
    assert cp.vectorize(power, excluded={"n", 2}).excluded == {"n", 2}


def test_layouts_and_empty():
    x = np.arange(24.0).reshape(4, 6)
    for view in (lambda a: a.T, lambda a: a[::2, ::-3], lambda a: a[:0]):
        ours = cp.vectorize(relu)(view(cp.asarray(x)))
        assert_same(ours, np.where(view(x) > 0, view(x), 0.0), order=False)


def test_attributes():
    v = cp.vectorize(relu, otypes="f", doc="Text.", cache=True)
    assert (v.pyfunc, v.otypes, v.cache, v.signature) == (relu, "f", True, None)
    assert v.__doc__ == "Text." and v.__name__ == "relu"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: cp.vectorize(len), TypeError, "Python function"),
        (lambda: cp.vectorize(relu, signature="(n)->()"), NotImplementedError, "signature"),
        (lambda: cp.vectorize(relu)(cp.ones(2), 3), TypeError, "too many"),
        (lambda: cp.vectorize(lambda x: None)(cp.ones(2)), TypeError, "returns nothing"),
        (lambda: cp.vectorize(lambda x: x.nothing)(cp.ones(2)), AttributeError, "x.nothing"),
        (lambda: cp.vectorize(lambda x: x)(), TypeError, "missing"),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_decorator():
    @cp.vectorize(otypes=["f8"], doc="Twice.")
    def twice(x):
        return x + x

    a = cp.arange(4, dtype="i4")
    found = twice(a)
    assert isinstance(twice, cp.vectorize)
    assert (found.dtype, found.tolist()) == (np.float64, [0.0, 2.0, 4.0, 6.0])
    assert (twice.__name__, twice.__doc__) == ("twice", "Twice.")
    with pytest.raises(TypeError, match="pyfunc"):
        cp.vectorize(otypes="d")(a)
