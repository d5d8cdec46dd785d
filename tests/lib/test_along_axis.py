"""Picking and writing by index, and methods that are Python functions."""

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp


def grid(xp, shape=(3, 4)):
    return xp.arange(int(np.prod(shape))).reshape(shape)


def put(xp, indices, values, axis):
    a = grid(xp)
    xp.put_along_axis(a, indices, values, axis)
    return a


def put_flat(xp, indices, values, **options):
    a = grid(xp).T
    a.put(indices, values, **options)
    return a


TABLE = {
    "put flat": lambda xp: put_flat(xp, [0, 5, -1], [7, 8, 9]),
    "put repeats": lambda xp: put_flat(xp, xp.array([0, 5, 7]), xp.array([7, 8])),
    "put one": lambda xp: put_flat(xp, [0, 5, 7], 3.7),
    "put wrap": lambda xp: put_flat(xp, [13, -2], [1, 2], mode="wrap"),
    "put clip": lambda xp: put_flat(xp, [130, -2], [1, 2], mode="clip"),
    "put out of bounds": lambda xp: put_flat(xp, [12], 1),
    "put floats": lambda xp: put_flat(xp, xp.array([1.0]), 1),
    "put nothing": lambda xp: put_flat(xp, [], 1),
    "choose": lambda xp: xp.choose(xp.array([2, 0, 1, 1]), [grid(xp), -grid(xp), xp.arange(4)]),
    "choose wrap": lambda xp: xp.choose(xp.array([5, -1]), [xp.arange(2), xp.ones(2)], mode="wrap"),
    "choose clip": lambda xp: xp.choose(xp.array([5, -1]), [xp.arange(2), xp.ones(2)], mode="clip"),
    "choose raise": lambda xp: xp.choose(xp.array([5, 0]), [xp.arange(2), xp.ones(2)]),
    "choose floats": lambda xp: xp.choose(xp.array([1.0]), [xp.arange(1)]),
    "choose out": lambda xp: xp.choose(
        xp.array([1, 0]), [xp.arange(2), -xp.arange(2)], xp.zeros(2, int)
    ),
    "compress": lambda xp: xp.compress(xp.array([True, False, True]), grid(xp), axis=0),
    "compress flat": lambda xp: xp.compress(xp.array([0, 1, 1]), grid(xp)),
    "compress 2-d": lambda xp: xp.compress(xp.ones((2, 2)), grid(xp)),
    "take": lambda xp: xp.take_along_axis(grid(xp), xp.argmax(grid(xp) % 5, 1, keepdims=True), 1),
    "take rows": lambda xp: xp.take_along_axis(grid(xp), xp.array([[2, 1, 0, -1]]), 0),
    "take flat": lambda xp: xp.take_along_axis(grid(xp), xp.array([3, 7]), None),
    "take floats": lambda xp: xp.take_along_axis(grid(xp), xp.array([[0.0]]), 0),
    "take ndim": lambda xp: xp.take_along_axis(grid(xp), xp.array([0]), 0),
    "put": lambda xp: put(xp, xp.array([[1], [0], [3]]), 99, 1),
    "put values": lambda xp: put(xp, xp.array([[1, 0, 2, 2]]), xp.array([[5, 6, 7, 8]]), 0),
    "clip": lambda xp: grid(xp).clip(2, 7),
    "clip max": lambda xp: grid(xp).clip(max=7),
    "round": lambda xp: (grid(xp) / 7).round(2),
    "conj": lambda xp: (grid(xp) * 1j).conj(),
    "repeat": lambda xp: grid(xp).repeat(2, axis=1),
    "trace": lambda xp: xp.asarray(grid(xp).trace(1)),
    "choose method": lambda xp: xp.array([1, 0]).choose([xp.arange(2), -xp.arange(2)]),
    "wrong argument": lambda xp: grid(xp).repeat(2, axes=1),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name], order=False)


def test_select_on_the_device():
    a = cp.arange(4)
    assert isinstance(np.take_along_axis(a, cp.array([1]), 0), cp.ndarray)


@pytest.mark.parametrize("layout", cases.LAYOUTS)
@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_take_along_axis_of_every_dtype_and_layout(dtype, layout, rng):
    values = cases.values(dtype, (3, 8, 16), rng)
    for axis, n in enumerate(values.shape):
        for beside in ((3, 8, 16), (1, 8, 16), (3, 1, 1), (1, 1, 1)):
            shape = [*beside]
            shape[axis] = 5
            places = rng.integers(-n, n, shape)

            def body(xp, places=places, axis=axis):
                return xp.take_along_axis(
                    cases.arrange(xp, values, layout), xp.asarray(places), axis
                )

            check(body)


@pytest.mark.parametrize("index", ["i1", "u1", "i4", "u4", "i8"])
def test_take_along_axis_takes_every_type_of_index_and_broadcasts_the_array(index, rng):
    values, places = rng.random((1, 6)), rng.integers(0, 6, (7, 4)).astype(index)
    check(lambda xp: xp.take_along_axis(xp.asarray(values), xp.asarray(places), 1))
    check(lambda xp: xp.take_along_axis(xp.asarray(values), xp.asarray(places.T), -1)[::2])
    check(lambda xp: xp.take_along_axis(xp.zeros((3, 0)), xp.zeros((3, 0), index), 1))
    check(lambda xp: xp.take_along_axis(xp.zeros((3, 0)), xp.zeros((3, 2), "i8"), 1))
    check(lambda xp: xp.take_along_axis(xp.zeros((3, 4)), xp.zeros((2, 4), "i8"), 1))


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_repeat_with_counts(dtype, rng):
    values, counts = cases.values(dtype, (4, 6, 3), rng), rng.integers(0, 4, 6)
    for given in (counts, counts * 0, counts.astype("i4"), counts.tolist()):

        def body(xp, given=given):
            n = xp.asarray(given) if isinstance(given, np.ndarray) else given
            return xp.repeat(cases.arrange(xp, values, "strided"), n, axis=1)

        check(body)
    check(lambda xp: xp.repeat(xp.arange(3), xp.array([1, -1, 2])))
    check(lambda xp: xp.repeat(xp.arange(3), xp.array([1, 2])))


@pytest.mark.parametrize("counts", [np.ones(3), np.array(2.0), np.ones(3, "u8"), np.ones(3, "u4")])
def test_counts_of_a_dtype_that_is_not_cast(counts):
    check(lambda xp: xp.repeat(xp.arange(3), xp.asarray(counts)))
    check(lambda xp: xp.repeat(xp.arange(3), counts))
    check(lambda xp: xp.repeat(xp.arange(3), counts.tolist()))


def test_repeat_of_other_lengths():
    check(lambda xp: xp.repeat(xp.arange(6).reshape(2, 3), [0, 1, 2, 0, 5, 1]))
