"""where= of ufuncs, gpunp.where, copyto."""

import numpy as np
import pytest
from check import assert_raises_same, check


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8", "c16"])
@pytest.mark.parametrize("n", [5, 64, 1001])
def test_masked_elements_keep_out(dtype, n):
    def body(xp):
        a = xp.arange(n).astype(dtype)
        o = xp.full(n, 7, dtype)
        return xp.add(a, a, out=o, where=a.real % 3 == 0)

    check(body)


def test_mask_broadcasts():
    def body(xp):
        a = xp.arange(12.0).reshape(3, 4)
        row, column = xp.asarray([True, False, True, False]), xp.asarray([[True], [False], [True]])
        return [
            xp.negative(a, out=xp.zeros((3, 4)), where=row),
            xp.negative(a, out=xp.zeros((3, 4)), where=column),
            xp.negative(a.T, out=xp.zeros((4, 3)), where=row[:, None]),
            xp.negative(a[:, ::-2], out=xp.zeros((3, 2)), where=column),
            xp.negative(a, out=xp.zeros((3, 4)), where=False),
            xp.negative(a, out=xp.zeros((3, 4)), where=True),
            xp.add(xp.arange(4.0), 1, out=xp.zeros((3, 4)), where=column),
        ]

    check(body)


def test_mask_makes_the_shape_larger():
    check(lambda xp: xp.negative(xp.ones(4), out=None, where=xp.ones((3, 4), bool)))


def test_mask_of_several_outputs():
    def body(xp):
        x = xp.asarray(np.array([1.5, -2.25, 3.5]))
        return xp.modf(x, out=(xp.zeros(3), xp.zeros(3)), where=x > 0)

    check(body)


def test_mask_that_is_the_output():
    def body(xp):
        m = xp.asarray([True, False, True, True])
        return xp.logical_not(m, out=m, where=m)

    check(body)


def test_where_without_out_warns():
    with pytest.warns(UserWarning, match="'where' used without 'out'"):
        assert_raises_same(lambda xp: xp.add(xp.ones(3), 1, where=xp.ones(4, bool)), ValueError)


@pytest.mark.parametrize(
    "body",
    [
        lambda xp: xp.add(xp.ones(3), 1, out=None, where=xp.ones(3)),
        lambda xp: xp.add(xp.ones(3), 1, out=None, where=xp.ones(4, bool)),
        lambda xp: xp.add(xp.ones(3), 1, out=xp.ones(3), where=xp.ones((2, 3), bool)),
    ],
)
def test_bad_mask(body):
    assert_raises_same(body)


@pytest.mark.parametrize("condition", ["?", "i4", "f8", "c8"])
@pytest.mark.parametrize(
    "x,y", [("f4", "f4"), ("i4", "f4"), ("i1", "u1"), ("f8", "c8"), ("?", "i2")]
)
def test_where_function(condition, x, y):
    def body(xp):
        c = xp.asarray([0, 1, 2, 0, 0, 1, 0, 3]).astype(condition)
        return xp.where(c, xp.arange(8).astype(x), xp.arange(8, 16).astype(y))

    check(body)


def test_where_with_numbers():
    def body(xp):
        a = xp.arange(6, dtype="f4").reshape(2, 3)
        return [
            xp.where(a > 2, a, 0),
            xp.where(a > 2, 1.5, a),
            xp.where(a > 2, 1, 2),
            xp.where(a > 2, True, False),
            xp.where(a > 2, a, 1j),
            xp.where(a > 2, xp.arange(3, dtype="i8"), 2),
            xp.where(a[0] > 0, a, a[:, :1]),
            xp.where(a.T > 2, a.T, -a.T),
            xp.where(xp.asarray(True), a, 0),
        ]

    check(body)


def test_where_shapes_must_agree():
    assert_raises_same(lambda xp: xp.where(xp.ones(3, bool), xp.ones(4), 0))


def test_copyto():
    def body(xp):
        a, b, c = xp.zeros((3, 4)), xp.zeros((3, 4)), xp.zeros((3, 4), "i4")
        xp.copyto(a, xp.arange(4.0))
        xp.copyto(b, xp.arange(12.0).reshape(3, 4), where=a > 1)
        xp.copyto(b, -1, where=xp.asarray([True, False, False, False]))
        xp.copyto(c, a, casting="unsafe")
        d = xp.arange(6.0)
        xp.copyto(d[1:], d[:-1], where=d[1:] > 2)
        return [a, b, c, d]

    check(body)


@pytest.mark.parametrize(
    "body",
    [
        lambda xp: xp.copyto(xp.zeros(3, "i4"), xp.zeros(3)),
        lambda xp: xp.copyto(xp.zeros(3), xp.zeros(4)),
        lambda xp: xp.copyto(xp.zeros(3), xp.zeros((2, 3))),
        lambda xp: xp.copyto(xp.zeros(3), 1.0, where=xp.ones((2, 3), bool)),
        lambda xp: xp.copyto(xp.zeros(3), 1.0, where=xp.ones(3)),
    ],
)
def test_bad_copyto(body):
    assert_raises_same(body)
