"""Views by strides, and broadcasting."""

import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp


def lib(xp):
    return xp.lib.stride_tricks


TABLE = {
    "as_strided": lambda xp: lib(xp).as_strided(xp.arange(6), (3, 2), (8, 8)),
    "as_strided zero": lambda xp: lib(xp).as_strided(xp.arange(6), (3, 2), (0, 16)),
    "as_strided shape": lambda xp: lib(xp).as_strided(xp.arange(6), (2,)),
    "windows": lambda xp: lib(xp).sliding_window_view(xp.arange(6), 3),
    "windows 2-d": lambda xp: lib(xp).sliding_window_view(xp.arange(12).reshape(3, 4), (2, 2)),
    "windows axis": lambda xp: lib(xp).sliding_window_view(xp.arange(12).reshape(3, 4), 2, axis=1),
    "windows twice": lambda xp: lib(xp).sliding_window_view(xp.arange(6), (2, 3), axis=(0, 0)),
    "windows too large": lambda xp: lib(xp).sliding_window_view(xp.arange(3), 4),
    "windows negative": lambda xp: lib(xp).sliding_window_view(xp.arange(3), -1),
    "windows shape": lambda xp: lib(xp).sliding_window_view(xp.ones((3, 3)), 2),
    "broadcast_to": lambda xp: xp.broadcast_to(xp.arange(3), (2, 3)),
    "broadcast_to itself": lambda xp: xp.broadcast_to(xp.arange(3), (3,)),
    "broadcast_to int": lambda xp: xp.broadcast_to(xp.array([1]), 4),
    "broadcast_to of scalar": lambda xp: xp.broadcast_to(5, (2, 2)),
    "broadcast_to wrong": lambda xp: xp.broadcast_to(xp.arange(3), (2,)),
    "broadcast_to fewer": lambda xp: xp.broadcast_to(xp.ones((2, 3)), (3,)),
    "broadcast_to nothing": lambda xp: xp.broadcast_to(xp.arange(1), (0,)),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays(xp.ones((3, 1)), xp.arange(2), 5),
    "broadcast_arrays wrong": lambda xp: xp.broadcast_arrays(xp.ones(3), xp.ones(2)),
    "broadcast_shapes": lambda xp: xp.array(xp.broadcast_shapes((3, 1), (1, 4), ())),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name], order=False)


def test_views_share_memory():
    a = cp.arange(6)
    window = lib(cp).sliding_window_view(a, 3)
    assert window.strides == (8, 8) and cp.shares_memory(window, a)
    assert (
        not window.flags.writeable
        and lib(cp).sliding_window_view(a, 3, writeable=True).flags.writeable
    )
    assert not cp.broadcast_to(a, (2, 6)).flags.writeable


def test_byte_bounds():
    a = cp.arange(12, dtype="i4").reshape(3, 4)
    low, high = cp.lib.array_utils.byte_bounds(a)
    assert (low, high - low) == (a.data.ptr, 48)
    assert cp.lib.array_utils.byte_bounds(a[::-1, 1:3]) == (low + 4, low + 44)


def test_outside_is_refused():
    with pytest.raises(ValueError, match="memory"):
        lib(cp).as_strided(cp.arange(4), (4, 2), (8, 1 << 30))


def test_numpys_own_functions_dispatch():
    assert isinstance(np.broadcast_to(cp.arange(3), (2, 3)), cp.ndarray)
    assert isinstance(np.lib.stride_tricks.sliding_window_view(cp.arange(5), 2), cp.ndarray)


@pytest.mark.parametrize("dtype", ["i1", "f8"])
@pytest.mark.parametrize(
    "shape", [(2**60 - 1,), (2**60,), (2**62,), (2**63 - 1,), (2**32, 2**31), (0, 2**62)]
)
def test_broadcast_to_more_bytes_than_there_are(dtype, shape):
    body = lambda xp: xp.broadcast_to(xp.zeros(1, dtype), shape)  # noqa: E731
    try:
        expected = body(np)
    except ValueError:
        assert_raises_same(body)
    else:
        assert body(cp).shape == expected.shape and body(cp).nbytes == expected.nbytes
