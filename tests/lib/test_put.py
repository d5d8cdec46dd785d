"""put: places of the flattened array, whatever its layout, and what happens beyond it."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp


@pytest.mark.parametrize("layout", [x for x in cases.LAYOUTS if x != "broadcast"])
@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_every_dtype_and_layout(dtype, layout, rng):
    values, new = cases.values(dtype, (4, 6, 5), rng), cases.values(dtype, (40,), rng)
    places = rng.permutation(240)[:40] - 120

    def body(xp, mode, places):
        a = cases.arrange(xp, values.copy(), layout)
        xp.put(a, xp.asarray(places), xp.asarray(new), mode)
        return a

    check(lambda xp: body(xp, "wrap", np.unique(places % 120)))
    check(lambda xp: body(xp, "raise", np.unique(places % 120) - 120))


@pytest.mark.parametrize("index", ["?", "i1", "u1", "i4", "u4", "i8", "u8"])
def test_every_type_of_index(index, rng):
    places = np.array([1, 0, 5, 100]).astype(index)[: 2 if index == "?" else 4]
    for mode in ("raise", "wrap", "clip"):

        def body(xp, mode=mode):
            a = xp.arange(300)
            a.put(xp.asarray(places), [7, 8, 9, 10], mode)
            a.put(xp.asarray(places[:1]), 3.7, mode=mode)
            return a

        if index != "u8":  # NumPy wants a safe cast
            check(body)


def test_more_and_fewer_values_than_places():
    for new in (range(1), range(3), range(9)):

        def body(xp, new=new):
            a = xp.zeros((3, 4), "f4")
            a.put(xp.asarray([11, 2, 3, -5]), xp.asarray(new) + 1)
            return a

        check(body)


def test_unaligned_memory():
    def body(xp):
        raw = xp.zeros(41, "u1")
        a = raw[1:].view("f4")
        a.put(xp.asarray([3, 9]), xp.asarray([1.5, 2.5]))
        return raw

    check(body)


def test_the_array_itself_as_values():
    def body(xp):
        a = xp.arange(7)
        a.put(xp.asarray([6, 5, 4, 3, 2, 1, 0]), a)
        return a

    check(body)


@pytest.mark.parametrize("places", [[7], [-8], [0, 1, 7, -8, 2], [2**62], [-(2**62)]], ids=str)
def test_a_place_beyond_is_an_error_and_the_others_are_written(places):
    assert_raises_same(lambda xp: xp.put(xp.arange(7), xp.asarray(places), 1))
    a = cp.zeros(7)
    with pytest.raises(IndexError, match=r"index (7|-8|-?\d{19}) is out of bounds for axis 0"):
        a.put(cp.asarray(places), 1)
    inside = [p for p in places if -7 <= p < 7]
    assert a.nonzero()[0].tolist() == sorted(inside)


def test_errors():
    read_only = cp.arange(3)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        read_only.put([0], 1)
    for xs in ([], [0]):
        assert_raises_same(lambda xp, x=xs: xp.put(xp.arange(3), x, 1, mode="none"))
    for mode in ("raise", "wrap", "clip"):
        assert_raises_same(lambda xp, m=mode: xp.put(xp.zeros((0, 2)), [0], 1, mode=m))
        check(lambda xp, m=mode: xp.put(xp.zeros((0, 2)), [], 1, mode=m))
