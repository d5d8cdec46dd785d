"""Packing bits into bytes and back."""

import numpy as np
import pytest
from check import check

SHAPES = [(8,), (13,), (0,), (3, 9), (2, 3, 10)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_packbits(shape, bitorder, rng):
    bits = rng.integers(0, 2, shape)
    check(lambda xp: xp.packbits(xp.asarray(bits), bitorder=bitorder))
    for axis in range(-1, len(shape)):
        check(lambda xp, axis=axis: xp.packbits(xp.asarray(bits), axis, bitorder), order=False)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("count", [None, 0, 3, 20, -2, -99])
def test_unpackbits(shape, count, rng):
    if 0 in shape and (count or 0) > 0:
        pytest.skip("NumPy shows uninitialised memory here")
    data = rng.integers(0, 256, shape).astype("u1")
    check(lambda xp: xp.unpackbits(xp.asarray(data), count=count))
    for axis in range(len(shape)):
        check(lambda xp, axis=axis: xp.unpackbits(xp.asarray(data), axis, count), order=False)


def test_errors():
    check(lambda xp: xp.packbits(xp.ones(3)))
    check(lambda xp: xp.unpackbits(xp.ones(3, "i4")))
    check(lambda xp: xp.packbits(xp.ones(3, int), bitorder="middle"))
    check(lambda xp: xp.packbits(xp.asarray(np.array(True)), axis=0))
