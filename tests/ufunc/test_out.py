"""out=: given, positional, tuples, casts, shapes, order of new outputs."""

import numpy as np
import pytest
from check import assert_raises_same, assert_same, check

import gpunp as cp


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a, o: xp.add(a, a, out=o),
        lambda xp, a, o: xp.add(a, a, o),
        lambda xp, a, o: xp.add(a, a, out=(o,)),
        lambda xp, a, o: xp.add(a, 1, out=o),
        lambda xp, a, o: xp.negative(a, o),
        lambda xp, a, o: xp.add(a, a, out=o, casting="unsafe"),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_out_is_returned_and_written(call, order):
    def body(xp):
        a = xp.arange(12.0).reshape(3, 4)
        o = xp.full((3, 4), -1.0, order=order)
        result = call(xp, a, o)
        assert result is o
        return o

    check(body)


def test_out_none_is_a_new_array():
    check(lambda xp: xp.add(xp.arange(3), 1, None))
    check(lambda xp: xp.add(xp.arange(3), 1, out=None))
    check(lambda xp: xp.add(xp.arange(3), 1, out=(None,)))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "c8", "c16"])
def test_out_receives_the_cast_result(dtype):
    def body(xp):
        o = xp.zeros(5, dtype)
        xp.multiply(xp.arange(5, dtype="f4"), xp.arange(5, dtype="f4"), out=o)
        return o

    check(body)


def test_out_broadcasts_the_inputs():
    def body(xp):
        o = xp.zeros((3, 4))
        xp.add(xp.arange(4.0), 1, out=o)
        return o

    check(body)


@pytest.mark.parametrize(
    "body",
    [
        lambda xp: xp.add(xp.zeros((2, 3)), 1, out=xp.zeros(3)),
        lambda xp: xp.add(xp.zeros(3), 1, out=xp.zeros(4)),
        lambda xp: xp.add(xp.zeros(3), xp.zeros(4)),
        lambda xp: xp.add(xp.zeros(3), 1, out=xp.zeros(3, "i4")),
        lambda xp: xp.add(xp.zeros(3), 1, out=[0, 0, 0]),
        lambda xp: xp.add(xp.zeros(3), 1, out=(xp.zeros(3), xp.zeros(3))),
        lambda xp: xp.add(xp.zeros(3), 1, xp.zeros(3), out=xp.zeros(3)),
        lambda xp: xp.modf(xp.zeros(3), out=xp.zeros(3)),
        lambda xp: xp.add(xp.zeros(3), 1, out=xp.broadcast_to(xp.zeros(1), (3,))),
    ],
)
def test_bad_out(body):
    assert_raises_same(body)


def test_several_outputs():
    def body(xp):
        x = xp.asarray(np.array([1.5, -2.25, 0.0]))
        whole, part = xp.zeros(3), xp.zeros(3)
        result = xp.modf(x, out=(part, None))
        assert result[0] is part
        xp.modf(x, part, whole)
        return [*result, part, whole, *xp.divmod(xp.arange(-3, 4), 2)]

    check(body)


def test_read_only_out_is_refused():
    a = cp.zeros(3)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cp.add(a, 1, out=a)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_order_of_new_outputs(order):
    def body(xp):
        a = xp.arange(24.0).reshape(2, 3, 4)
        f = xp.asfortranarray(a)
        return [
            xp.negative(a, order=order),
            xp.negative(f, order=order),
            xp.add(f, f, order=order),
            xp.add(a, f, order=order),
            xp.add(f, xp.arange(4.0), order=order),
            xp.negative(a.transpose(1, 2, 0), order=order),
            xp.negative(a[:, ::-1], order=order),
            xp.negative(a.T[::2], order=order),
        ]

    check(body)


@pytest.mark.parametrize("axes", [(1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0)])
def test_new_outputs_keep_the_order_of_axes(axes):
    a = np.arange(24.0).reshape(2, 3, 4)
    ours, theirs = cp.negative(cp.asarray(a).transpose(axes)), np.negative(a.transpose(axes))
    assert ours.strides == theirs.strides
    ours = cp.asarray(a).transpose(axes) + cp.ones((1, 1))
    assert_same(ours, a.transpose(axes) + np.ones((1, 1)))
    assert ours.strides == (a.transpose(axes) + np.ones((1, 1))).strides
