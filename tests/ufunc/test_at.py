"""ufunc.at: updates in place where an index names elements several times."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp

EXACT = ["add", "subtract", "multiply", "maximum", "minimum", "fmax"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "left_shift"]


def at(xp, name, start, key, *value):
    """The array after name.at."""
    a = xp.asarray(start.copy())
    assert getattr(xp, name).at(a, key, *value) is None
    return a


def whole(dtype, rng, shape):
    """Whole numbers, so that sums are exact in any order."""
    return rng.integers(0, 3, shape).astype(dtype)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_every_dtype(name, dtype, rng):
    start, places = whole(dtype, rng, 13), rng.integers(-13, 13, 100 if name != "multiply" else 9)
    values = whole(dtype, rng, places.shape)
    check(lambda xp: at(xp, name, start, xp.asarray(places), xp.asarray(values)), zero_sign=False)
    check(
        lambda xp: at(xp, name, start, xp.asarray(places), xp.asarray(values)[:1]), zero_sign=False
    )


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u4", "i8"])
def test_bits(name, dtype, rng):
    start, places, values = (
        whole(dtype, rng, 9),
        rng.integers(0, 9, 20),
        whole(dtype, rng, 20) if name != "left_shift" else np.ones(20, dtype),
    )
    check(lambda xp: at(xp, name, start, xp.asarray(places), xp.asarray(values)))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_operations_without_hardware(dtype, rng):
    start = rng.random(7).astype(dtype) + 1
    places = rng.permutation(7)[:5]
    check(lambda xp: at(xp, "divide", start, xp.asarray(places), 3.0), ulp=1)
    check(lambda xp: at(xp, "negative", start, xp.asarray([1, 1, 1, 2, 2, 3])))
    check(lambda xp: at(xp, "multiply", start, xp.asarray([1, 1, 1, 2, 2, 3]), 2.0))
    check(lambda xp: at(xp, "power", start, xp.asarray([1, 4]), 2.0), ulp=4)


def test_many_on_one_place():
    for dtype in ("i1", "i4", "i8", "f4", "f8", "c8", "c16"):
        places = np.zeros(1000, int)
        check(lambda xp, d=dtype: at(xp, "add", np.zeros(3, d), xp.asarray(places % 3), 1))
        check(lambda xp, d=dtype: at(xp, "maximum", np.zeros(3, d), xp.asarray(places), 1))


@pytest.mark.parametrize("layout", cases.LAYOUTS)
@pytest.mark.parametrize("dtype", ["i2", "f8"])
def test_keys(layout, dtype, rng):
    start = whole(dtype, rng, (4, 5, 6))
    rows, columns = rng.integers(0, 4, (3, 2)), rng.integers(0, 5, (3, 2))
    mask = rng.random((4, 5)) > 0.5

    def body(xp, key, value):
        if layout == "broadcast":
            a = xp.asarray(start.copy())
        else:
            a = cases.arrange(xp, start.copy(), layout)
        xp.add.at(a, key, value)
        return a

    for key in [
        lambda xp: xp.asarray(rows),
        lambda xp: (xp.asarray(rows), xp.asarray(columns)),
        lambda xp: (slice(None), xp.asarray(columns)),
        lambda xp: (xp.asarray(rows), slice(1, 3), 2),
        lambda xp: (xp.asarray(rows), None, xp.asarray(columns), slice(None, None, -1)),
        lambda xp: xp.asarray(mask),
        lambda xp: (Ellipsis, xp.asarray([0, 0, 5])),
        lambda xp: slice(1, 3),
        lambda xp: Ellipsis,
        lambda xp: 2,
        lambda xp: [0, 1, 1],
    ]:
        check(lambda xp, k=key: body(xp, k(xp), 2))
    check(lambda xp: body(xp, xp.asarray([0, 0, 2]), xp.arange(6).astype(dtype)))
    check(lambda xp: body(xp, (xp.asarray([0, 0, 2]), 1), [[1], [2], [3]]))


def test_dtypes_and_casts():
    check(lambda xp: at(xp, "add", np.zeros(3, "i2"), xp.asarray([0, 0]), 1))
    check(lambda xp: at(xp, "add", np.zeros(3, "f4"), xp.asarray([0, 0]), xp.asarray([1, 2])))
    check(lambda xp: at(xp, "add", np.zeros(3, "i4"), xp.asarray([0, 0]), xp.asarray([1, 2])))
    check(lambda xp: at(xp, "add", np.zeros(3, "i4"), xp.asarray([0, 0]), 1.5))
    check(lambda xp: at(xp, "add", np.zeros(3, "i4"), slice(0, 2), 1.5))
    check(lambda xp: at(xp, "less", np.ones(3, "i4"), xp.asarray([0, 2]), 2))
    check(lambda xp: at(xp, "add", np.zeros(3), xp.asarray([], dtype=int), xp.asarray([])))


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("places", [1, 7, 1000, 4000])
def test_few_places_named_often(places, dtype, rng):
    start, index = whole(dtype, rng, places), rng.integers(-places, places, 66_000)
    values = whole(dtype, rng, index.shape)
    names = ["add", "subtract"]
    names += ["minimum", "maximum", "fmin"] if dtype[0] in "iu" else []
    names += ["bitwise_and", "bitwise_or", "bitwise_xor"] if dtype[0] in "iu" else []
    for name in names:
        check(lambda xp, n=name: at(xp, n, start, xp.asarray(index), xp.asarray(values)))

    def reversed_and_scalar(xp):
        a = xp.asarray(start.copy())
        xp.add.at(a[::-1], xp.asarray(index), np.dtype(dtype).type(2))
        return a

    check(reversed_and_scalar)


def test_few_places_keep_the_sign_of_zero():
    index = np.zeros(20_000, int)
    for value in (-0.0, 0.0):
        check(lambda xp, v=value: at(xp, "add", np.full(3, -0.0), xp.asarray(index), v))


def test_overlap():
    def body(xp):
        a = xp.arange(6)
        xp.add.at(a, xp.asarray([0, 1, 1, 2]), a[:4])
        return a

    check(body)


def test_errors():
    for start in (np.zeros(3), np.zeros((2, 3))):
        assert_raises_same(lambda xp, s=start: at(xp, "add", s, xp.asarray([0])))
        assert_raises_same(lambda xp, s=start: at(xp, "negative", s, xp.asarray([0]), 1))
        assert_raises_same(lambda xp, s=start: at(xp, "modf", s, xp.asarray([0])))
        assert_raises_same(lambda xp, s=start: at(xp, "add", s, xp.asarray([0, 1]), xp.ones(7)))
        assert_raises_same(lambda xp, s=start: at(xp, "bitwise_and", s, xp.asarray([0]), 1))
    with pytest.raises(TypeError):
        cp.add.at([1, 2], [0], 1)


def test_scatter():
    a = cp.zeros(4, dtype="i4")
    cp.scatter_add(a, cp.asarray([1, 1, 3]), cp.asarray([1, 2, 3]))
    assert a.tolist() == [0, 3, 0, 3]
    cp.scatter_max(a, cp.asarray([0, 1]), 2)
    assert a.tolist() == [2, 3, 0, 3]
    cp.scatter_min(a, (cp.asarray([1, 1]),), cp.asarray([5, 1]))
    assert a.tolist() == [2, 1, 0, 3]
