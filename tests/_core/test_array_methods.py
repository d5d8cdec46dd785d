"""Methods of the array that are no functions: resize, getfield, setfield, setflags, scatter_*."""

import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp


def resized(xp, shape, new, **options):
    a = xp.arange(float(np.prod(shape))).reshape(shape).copy()
    a.resize(new, **options)
    return a


@pytest.mark.parametrize("new", [(3, 4), (2, 2), 5, (0,), (6,), (1, 2, 3)], ids=str)
def test_resize(new):
    check(lambda xp: resized(xp, (2, 3), new, refcheck=False))


def test_resize_takes_numbers_and_refuses():
    a = cp.arange(4)
    a.resize(2, 3)
    assert a.tolist() == [[0, 1, 2], [3, 0, 0]]
    assert_raises_same(lambda xp: resized(xp, (2, 3), (-1, 2)))
    assert_raises_same(lambda xp: xp.arange(6)[::2].resize(2))
    view = a[0]
    with pytest.raises(ValueError, match="referenc"):
        a.resize(3)
    assert view.tolist() == [0, 1, 2]


def test_resize_of_many_dimensions():
    a = cp.ones((1,) * 10)
    a.resize((2,) * 9, refcheck=False)
    assert a.shape == (2,) * 9 and float(a.sum()) == 1
    a.resize(3, refcheck=False)
    assert a.tolist() == [1, 0, 0]


def test_getfield():
    for dtype, offset in [("f8", 0), ("f8", 8), ("f4", 4), ("i8", 8)]:
        check(lambda xp, d=dtype, o=offset: xp.asarray([[1 + 2j, 3 + 4j]]).getfield(d, o))
    check(lambda xp: xp.arange(4, dtype="i4").getfield("i2", 2))
    check(lambda xp: xp.asarray([1.0, 2.0]).getfield("f8"))
    for offset in (-1, 12):
        assert_raises_same(lambda xp, o=offset: xp.asarray([1j]).getfield("f8", o))


def test_setfield():
    def body(xp):
        a = xp.asarray([1 + 2j, 3 + 4j])
        a.setfield(xp.asarray([7.0, 8.0]), "f8", 8)
        return a

    check(body)


def test_setflags():
    a = cp.ones(2)
    a.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 1
    a.setflags(write=True)
    a[0] = 5
    for wrong in ({"align": False}, {"uic": True}):
        with pytest.raises(ValueError, match="cannot"):
            a.setflags(**wrong)


def test_scatter_methods():
    a = cp.zeros(4, dtype="i4")
    a.scatter_add(cp.asarray([1, 1, 3]), cp.asarray([1, 2, 3]))
    a.scatter_max([0, 1], 2)
    a.scatter_min((cp.asarray([1, 1]),), cp.asarray([5, 1]))
    assert a.tolist() == [2, 1, 0, 3]


def test_flags_have_a_type():
    flags = cp.ones((2, 3)).flags
    assert type(flags) is cp.Flags
    assert (flags.c_contiguous, flags.fnc, flags.forc, flags["OWNDATA"]) == (
        True,
        False,
        True,
        True,
    )


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize(
    "view", [np.s_[::2], np.s_[::-1], np.s_[3:], np.s_[:0:2], np.s_[::5]], ids=str
)
def test_ravel_is_contiguous(order, view):
    a = cp.arange(10)[view]
    line = a.ravel(order)
    assert line.flags.c_contiguous and (line == a).all()
    same = np.arange(10)[view].ravel(order).flags.owndata
    assert (line.data.ptr != a.data.ptr or a.size == 0) == same or a.size < 2
    assert cp.zeros((3, 4))[:, 1].ravel(order).flags.c_contiguous


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
def test_conj_of_real_arrays_is_the_array(dtype):
    a = cp.ones(3, dtype)
    for result in (a.conj(), a.conjugate()):
        assert (result is a) == (dtype != "c8") and result.dtype == a.dtype
    assert cp.conj(a) is not a


@pytest.mark.parametrize("name", ["partition", "argpartition"])
@pytest.mark.parametrize("shape,axis", [((0,), 0), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1)])
def test_nothing_is_partitioned_anywhere(name, shape, axis):
    for kth in (0, 7, -2):
        check(lambda xp: getattr(xp, name)(xp.zeros(shape), kth, axis=axis))


@pytest.mark.parametrize(
    "limits", [{"ndmax": -1}, {"ndmax": 65}, {"ndmin": 3, "ndmax": 2}], ids=str
)
def test_limits_of_dimensions(limits):
    with pytest.raises(ValueError, match="ndm"):
        cp.array([1], **limits)


@pytest.mark.parametrize(
    "limits", [{"min": 2}, {"max": 3}, {"min": 1, "max": 3}, {}, {"min": -(10**30)}], ids=str
)
def test_clip_takes_one_limit(limits):
    check(lambda xp: xp.arange(6).clip(**limits))


def test_clip_by_position():
    check(lambda xp: xp.arange(6).clip(2))
    check(lambda xp: xp.arange(6).clip(None, 3))
    check(lambda xp: xp.arange(6).clip(1, 3, xp.zeros(6, int)))
    check(lambda xp: xp.arange(6).clip(2, max=4))


def test_resize_without_other_memory():
    def view(xp):
        a = xp.arange(6.0)
        b = a[:4]
        b.resize((2, 2))
        b[1, 0] = 9
        return a, b

    check(view)
    assert_raises_same(lambda xp: xp.arange(8)[::2].resize((2, 2)))
    assert_raises_same(lambda xp: xp.arange(8)[:6].resize((2, 2)))


@pytest.mark.parametrize("new", [(3, 2), (6,), (2, 2), (4, 3), (2, 3)])
def test_resize_in_order_f(new):
    def changed(xp):
        a = xp.array([[1, 2, 3], [4, 5, 6]], order="F")
        a.resize(new, refcheck=False)
        return a

    check(changed)
