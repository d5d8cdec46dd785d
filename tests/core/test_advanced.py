"""Keys with integer arrays and masks: what the parser makes of them, against NumPy."""

import numpy as np
import pytest
from check import assert_same
from hypothesis import given
from hypothesis import strategies as st

import gpunp as cp


def host(shape):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


ROWS = np.array([2, 0, 1, -1])
GRID = np.array([[0, 1], [2, 0]])
KEYS = [
    ROWS, [0, 2], [[0, 1], [1, 0]], GRID, (ROWS, ROWS), (ROWS, 1), (1, ROWS), (slice(None), ROWS),
    (ROWS, slice(None), ROWS), (slice(None), ROWS, ROWS), (ROWS, slice(1, None), 2), (0, slice(None), ROWS),
    (slice(None), 0, ROWS), (None, ROWS), (ROWS, None), (ROWS, None, ROWS), (Ellipsis, ROWS),
    (ROWS, Ellipsis), (ROWS, Ellipsis, ROWS), (ROWS, ROWS, Ellipsis, ROWS), (GRID, ROWS[:2]),
    (GRID[:, None], slice(None), GRID), ([], [], []), ([],), (slice(None, None, -1), ROWS, slice(None, None, 2)),
    (True, ROWS), (ROWS, True), (False, ROWS[:1]), (ROWS, slice(None), True), (np.array(1), slice(None)),
    (slice(None), np.array(1), ROWS), ROWS.astype("i1"), ROWS[:3].astype("u8"), (np.intp(1), ROWS),
    ((0, 1), (1, 0)), (ROWS, ROWS[:3]), (ROWS, ROWS, ROWS, ROWS), np.zeros(3), ["a"], [1.5], (ROWS, 99),
]  # fmt: skip


def to_device(key, move):
    if isinstance(key, tuple):
        return tuple(to_device(k, move) for k in key)
    return cp.asarray(key) if move and isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("move", [True, False], ids=["device", "host"])
def test_get_with_integer_arrays(move):
    a = host((4, 4, 4))
    for base in (a, a.transpose(2, 0, 1)):
        x = cp.asarray(base)
        for key in KEYS:
            try:
                expected = base[key]
            except Exception as error:
                with pytest.raises(type(error)):
                    x[to_device(key, move)]
                continue
            assert_same(x[to_device(key, move)], np.asarray(expected), order=False)


def test_set_with_integer_arrays():
    for key in KEYS:
        a = host((4, 4, 4))
        x = cp.asarray(a)
        try:
            shape = a[key].shape
        except Exception:
            continue
        if len({tuple(i) for i in np.argwhere(np.ones(shape))}) == 0:
            continue
        for value in (7, np.full(shape[-1:], 5)):
            a[key] = value
            x[to_device(key, True)] = cp.asarray(value) if isinstance(value, np.ndarray) else value
            assert_same(x, a)


def test_masks():
    a = host((3, 4, 2))
    x = cp.asarray(a)
    masks = [
        a % 2 == 0,
        a[:, :, 0] > 8,
        np.array([True, False, True]),
        a < 0,
        np.zeros((3, 4), bool),
    ]
    for m in masks:
        assert_same(x[cp.asarray(m)], a[m])
        assert_same(x[m], a[m])
        if m.ndim < 3:
            assert_same(x[(cp.asarray(m), ...)], a[(m, ...)])
        b, y = a.copy(), cp.asarray(a)
        b[m] = 9
        y[cp.asarray(m)] = 9
        assert_same(y, b)
    columns = np.array([True, False, False, True])
    assert_same(x[:, cp.asarray(columns)], a[:, columns], order=False)
    assert_same(x[cp.asarray([0, 2]), cp.asarray(columns[:4])], a[[0, 2], columns])
    assert_same(x[[True, False, True]], a[[True, False, True]])
    for bad in (np.ones(4, bool), np.ones((3, 3), bool), np.ones((3, 4, 2, 1), bool)):
        with pytest.raises(IndexError) as ours:
            x[cp.asarray(bad)]
        with pytest.raises(IndexError) as theirs:
            a[bad]
        assert str(ours.value) == str(theirs.value)


def test_zero_dimensional_masks():
    for value in (True, False):
        a = host((3,))
        x = cp.asarray(a)
        assert_same(x[cp.asarray(value)], a[np.array(value)])
        a[np.array(value)] = 5
        x[cp.asarray(value)] = 5
        assert_same(x, a)
    assert_same(cp.asarray(3)[cp.asarray(True)], np.array(3)[np.array(True)])


@given(st.data())
def test_random_keys(data):
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple))
    a = host(shape)
    x = cp.asarray(a)
    key = []
    length = data.draw(st.integers(1, 3))
    for n in shape[: data.draw(st.integers(1, len(shape)))]:
        key.append(
            data.draw(
                st.sampled_from(
                    [
                        slice(None),
                        slice(None, None, -1),
                        0,
                        -1,
                        np.arange(length) % n,
                        np.array([n - 1]),
                        np.arange(n) % 2 == 0,
                        np.array(0),
                    ]
                )
            )
        )
    if data.draw(st.booleans()):
        key.insert(data.draw(st.integers(0, len(key))), None)
    if data.draw(st.booleans()):
        key.insert(data.draw(st.integers(0, len(key))), Ellipsis)
    key = tuple(key)
    try:
        expected = np.asarray(a[key])
    except IndexError:
        with pytest.raises(IndexError):
            x[to_device(key, True)]
        return
    assert_same(x[to_device(key, True)], expected, order=False)
