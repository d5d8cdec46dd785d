"""Operands that share memory behave as if the inputs had been copied first."""

import cases
import numpy as np
import pytest
from check import assert_same, check
from hypothesis import given, settings
from hypothesis import strategies as st

import gpunp as cp

NAMES = [name for name, *_ in cases.overlapping(np)]


@pytest.mark.parametrize("n", [12, 3000])
@pytest.mark.parametrize("name", NAMES)
def test_out_overlaps_the_input(name, n):
    def body(xp):
        for found, base, out, source in cases.overlapping(xp, n):
            if found == name:
                xp.add(source, 1, out=out)
                xp.multiply(source, out, out=out)
                return base
        return None

    check(body)


@pytest.mark.parametrize("name", NAMES)
def test_assignment_overlaps(name):
    def body(xp):
        for found, base, out, source in cases.overlapping(xp, 4000):
            if found == name:
                out[...] = source
                return base
        return None

    check(body)


@pytest.mark.parametrize("n", [5, 70])
def test_transposed_in_place(n):
    def body(xp):
        a = xp.arange(float(n * n)).reshape(n, n)
        a += a.T
        b = xp.arange(float(n * n)).reshape(n, n)
        b[...] = b.T
        c = xp.arange(float(n * n)).reshape(n, n)
        c -= c[0]
        d = xp.arange(float(n * n)).reshape(n, n)
        d *= d[:, ::-1]
        return [a, b, c, d]

    check(body)


def test_views_of_other_dtypes():
    def body(xp):
        a = xp.arange(64, dtype="i4")
        xp.add(a, 1, out=a.view("f4"), casting="unsafe")
        b = xp.arange(64, dtype="i4")
        xp.add(b.view("i2")[:64], 1, out=b)
        return [a, b]

    check(body)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_slices_of_one_buffer(data):
    n = 40
    count = data.draw(st.integers(1, 12))

    def draw():
        step = data.draw(st.sampled_from([1, 2, 3, -1, -2]))
        reach = abs(step) * (count - 1)
        start = data.draw(st.integers(0, n - 1 - reach)) + (reach if step < 0 else 0)
        stop = start + step * count
        return slice(start, None if stop < 0 else stop, step)

    first, second, out = draw(), draw(), draw()
    a = np.arange(n, dtype="i4")
    d = cp.asarray(a)
    np.subtract(a[first], a[second], out=a[out])
    cp.subtract(d[first], d[second], out=d[out])
    assert_same(d, a)
