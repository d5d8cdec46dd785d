"""Truth of structured elements, and what stores or moves them by position: put, tril, pad."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, assert_same, check
from test_structured import DTYPES, PLAIN, host

import gpunp as cp

NAMES = [name for name in DTYPES if name != "overlapping"]


def sparse(name, shape=(4, 3)):
    """About half of the elements are zero; negative zeros and NaT among the fields."""
    values = host(name, shape)
    values[np.arange(values.size).reshape(shape) % 2 == 0] = np.zeros((), values.dtype)
    return values


# A subarray counts by its bytes, and NumPy's copies leave those between fields undefined.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "nested gaps"])
def test_nonzero_elements(name):
    values = sparse(name)
    check(lambda xp: xp.count_nonzero(xp.asarray(values)))
    check(lambda xp: xp.count_nonzero(xp.asarray(values).T, axis=1))
    check(lambda xp: xp.asarray(values).nonzero()[1])
    check(lambda xp: xp.flatnonzero(xp.asarray(values)[:, ::-1]))
    check(lambda xp: xp.argwhere(xp.asarray(values)), order=False)
    check(lambda xp: xp.where(xp.asarray(values))[0])
    check(lambda xp: xp.extract(xp.asarray(values), xp.arange(12)))
    check(lambda xp: xp.compress(xp.asarray(values)[0], xp.arange(12).reshape(4, 3), axis=1))


def test_what_counts_as_zero():
    dtype = [("x", "f4"), ("s", "f4", (2,)), ("n", [("a", "f8"), ("t", "m8[s]")]), ("v", "V3")]
    for field, value, count in (
        (("x",), -0.0, 0),  # zero, as a number
        (("s",), -0.0, 3),  # a subarray counts by its bytes
        (("n", "a"), -0.0, 0),
        (("n", "a"), np.nan, 3),
        (("n", "t"), "NaT", 3),
        (("v",), b"\0\0\1", 3),
    ):
        values = np.zeros(3, dtype)
        view = values
        for name in field:
            view = view[name]
        view[...] = value
        assert np.count_nonzero(values) == count
        check(lambda xp, v=values: xp.count_nonzero(xp.asarray(v)))
    gaps = np.zeros(3, DTYPES["gaps"])
    gaps.view("u1")[:4] = 1  # between the fields
    check(lambda xp: xp.count_nonzero(xp.asarray(gaps)))
    check(lambda xp: xp.nonzero(xp.zeros((0, 2), "i4,f4")))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("layout", ["c", "f", "strided", "reversed"])
@pytest.mark.parametrize("name", PLAIN)
def test_put(name, layout, mode):
    values, other = host(name), host(name, seed=1)
    places = [0, 5, 2] if mode == "raise" else [0, 5, 40]

    def body(xp, new):
        a = cases.arrange(xp, values, layout)
        a.put(xp.asarray(places), new(xp), mode=mode)
        return a

    check(lambda xp: body(xp, lambda xp: xp.asarray(other)[0]))
    check(lambda xp: body(xp, lambda xp: xp.asarray(other)[1, 1:]))
    check(lambda xp: body(xp, lambda xp: other[1, 1]))


@pytest.mark.parametrize("value", [0, 2.5, [1, 2], (7, 8), [(7, 8)], np.float32(3)])
def test_put_of_numbers(value):
    def body(xp):
        a = xp.ones((2, 3), "i4,f4")
        xp.put(a, [0, 4], value)
        return a

    check(body)


def test_put_out_of_bounds():
    def body(xp):
        a = xp.zeros(4, "i4,f8,i2")
        xp.put(a, xp.asarray([1, 7, 2]), np.ones((), a.dtype))

    assert_raises_same(body)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        body(cp)


@pytest.mark.parametrize("function", ["tril", "triu"])
@pytest.mark.parametrize("name", PLAIN)
def test_triangles(name, function):
    values = host(name)
    for k in (-1, 0, 1):
        check(lambda xp, k=k: getattr(xp, function)(xp.asarray(values), k), order=False)
    check(lambda xp: getattr(xp, function)(xp.asarray(values)[0]), order=False)
    check(lambda xp: getattr(xp, function)(xp.asarray(np.stack([values, values])).T), order=False)


@pytest.mark.parametrize("name", PLAIN)
def test_pad_by_a_constant(name):
    values, element = host(name), host(name, seed=1)[0, 0]
    check(lambda xp: xp.pad(xp.asarray(values), 1), order=False)
    check(lambda xp: xp.pad(xp.asarray(values).T, ((1, 0), (0, 2))), order=False)
    if values.dtype.names:
        check(lambda xp: xp.pad(xp.asarray(values), 2, constant_values=element), order=False)


@pytest.mark.parametrize("value", [3, 2.7, ((1, 2), (3, 4)), (5, 6.5)])
def test_pad_by_numbers(value):
    check(lambda xp: xp.pad(xp.ones((2, 3), "i4,f4"), 1, constant_values=value))


@pytest.mark.parametrize("name", NAMES)
def test_imaginary_part_is_zero(name):
    values = host(name)
    got, wanted = cp.asarray(values).imag, values.imag
    assert_same(got, wanted)
    assert got.flags.writeable is wanted.flags.writeable is False
