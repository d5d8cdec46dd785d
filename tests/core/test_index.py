"""Basic indexing and assignment against NumPy: integers, slices, newaxis, ellipsis, lone bools."""

import numpy as np
import pytest
from check import assert_raises_same, assert_same, check
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import gpunp as cp
from gpunp import _C

SHAPES = [(), (5,), (0,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 2, 1, 3, 2, 1)]


def host(shape, dtype="i4"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


KEYS = [
    0, -1, np.int8(1), slice(None), slice(1, None), slice(None, None, -1), slice(10, -10, -2),
    slice(-3, 100, 2), slice(3, 1), slice(2**70, None, -(2**65)), Ellipsis, None, (), (0,),
    (Ellipsis, 0), (0, Ellipsis), (None, Ellipsis, None), (0, 0), (slice(None), -1),
    (slice(None, None, 2), slice(None, None, -1)), (Ellipsis, slice(1, 3), None), (None,) * 5,
    (1, slice(None), 2), (Ellipsis, 1, slice(None, None, -2)), (0, 0, 0), (0, 0, 0, 0),
    True, False, (True, False), (None, True), (slice(None), True), (0, True), np.True_, (True, 0),
    (Ellipsis, False), (True, slice(None), True),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_getitem_is_numpys(shape):
    a = host(shape)
    x = cp.array(a)
    for key in KEYS:
        try:
            expected = a[key]
        except Exception as error:
            with pytest.raises(type(error)) as ours:
                x[key]
            assert str(ours.value) == str(error), key
            continue
        got = x[key]
        assert isinstance(got, cp.ndarray)
        assert_same(got, np.asarray(expected))
        if isinstance(expected, np.ndarray) and expected.base is not None and expected.size:
            if expected.flags.writeable and not any(
                isinstance(k, (bool, np.bool_)) for k in (key if isinstance(key, tuple) else (key,))
            ):
                assert got.strides == expected.strides, key


@given(st.data())
def test_getitem_random(data):
    shape = data.draw(npst.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
    key = data.draw(npst.basic_indices(shape, allow_newaxis=True, max_dims=8))
    a = host(shape, "i2")
    x = cp.array(a)
    assert_same(x[key], np.asarray(a[key]))
    b, y = a.T, x.T
    key = data.draw(npst.basic_indices(b.shape, allow_newaxis=True, max_dims=8))
    assert_same(y[key], np.asarray(b[key]))


@given(st.data())
def test_setitem_random(data):
    shape = data.draw(npst.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    key = data.draw(npst.basic_indices(shape, allow_newaxis=True, max_dims=6))
    a = host(shape, "f4")
    x = cp.array(a)
    part = np.asarray(a[key])
    kept = part.shape[data.draw(st.integers(0, part.ndim)) :]
    value_shape = tuple(data.draw(st.sampled_from([1, n])) for n in kept)
    value = 100 + host(value_shape, "f8")
    a[key] = value
    x[key] = cp.array(value)
    assert_same(x, a)


@pytest.mark.parametrize("value", [7, -1.5, True, np.float32(2.5), np.int8(3), np.True_, 2**40])
def test_setitem_scalars(value):
    for dtype in ("f4", "f8", "i8", "c8", "?"):
        a = host((3, 4), dtype)
        x = cp.array(a)
        a[1, ::2] = value
        x[1, ::2] = value
        assert_same(x, a)
        a[...], x[...] = value, value
        assert_same(x, a)


def test_setitem_takes_lists_and_numpy_arrays():
    a = host((3, 4), "f8")
    x = cp.array(a)
    for key, value in [
        (0, [1, 2, 3, 4]),
        ((slice(None), 1), [9, 8, 7]),
        (slice(1, 3), np.arange(4, dtype="i2")),
        (Ellipsis, np.ones((1, 3, 4))),
        ((slice(None), slice(0, 1)), [[1], [2], [3]]),
    ]:
        a[key] = value
        x[key] = value
        assert_same(x, a)


@pytest.mark.parametrize(
    "key, value",
    [
        (0, [1, 2]),
        (slice(None), np.ones((2, 2))),
        ((0, 0), [1, 2]),
        (9, 1),
        ((0, 0), 1j),
        ((0, 0), "x"),
        ((0, 0, 0), 1),
        ("a", 1),
        (1.5, 1),
        (slice(None, None, 0), 1),
    ],
)
def test_setitem_errors(key, value):
    def body(xp):
        x = xp.array(host((3, 4), "f8"))
        if isinstance(value, str):
            raise TypeError  # NumPy parses strings; gpunp takes numbers only
        x[key] = value

    if isinstance(value, str):
        with pytest.raises(TypeError):
            cp.array([1.0])[0] = value
    else:
        assert_raises_same(body)


def test_integers_out_of_range_are_numpys_overflow_errors():
    for dtype in ("i1", "u1", "u2", "i4", "u8", "i8"):
        for value in (300, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 2**63 - 1):
            a = np.zeros(2, dtype)
            x = cp.array(a)
            try:
                a[0] = value
            except OverflowError as error:
                with pytest.raises(OverflowError) as ours:
                    x[0] = value
                assert "out of bounds" in str(ours.value) or "too large" in str(error)
            else:
                x[0] = value
            assert_same(x, a)


def test_not_a_number_to_integer_raises():
    x = cp.array([1, 2])
    with pytest.raises(ValueError):
        x[0] = float("nan")
    with pytest.raises(OverflowError):
        x[0] = float("inf")


@pytest.mark.parametrize(
    "shift",
    [
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(None, None, -1)),
    ],
)
def test_overlapping_assignment_is_as_if_copied(shift):
    a = host((7,))
    x = cp.array(a)
    a[shift[0]] = a[shift[1]].copy()
    x[shift[0]] = x[shift[1]]
    assert_same(x, a)
    b = host((5, 5))
    y = cp.array(b)
    b[...] = b.T.copy()
    y[...] = y.T
    assert_same(y, b)


def test_views_share_and_hold_memory():
    x = cp.array(host((4, 5)))
    v = x[1:3, ::2]
    assert v.base is x
    assert v[0].base is x
    v[...] = -1
    expected = host((4, 5))
    expected[1:3, ::2] = -1
    assert_same(x, expected)
    del x
    assert_same(v, expected[1:3, ::2], order=False)


def test_delete_is_refused():
    with pytest.raises(ValueError):
        del cp.array([1, 2])[0]


def test_many_axes():
    check(lambda xp: xp.zeros((1,) * 64, dtype="i1")[(0,) * 63])
    check(lambda xp: xp.zeros((1,) * 32, dtype="i1")[(None,) * 32])
    check(lambda xp: xp.zeros((1,) * 40, dtype="i1")[(None,) * 30])
    check(lambda xp: xp.zeros(3)[(0,) * 200])


def test_stride_times_step_never_overflows():
    x = cp.array(host((3, 5)))
    for step in (2**62, 2**63 - 1, -(2**62), -(2**63) + 1):
        for axis in (0, 1):
            key = (slice(None),) * axis + (slice(None, None, step),)
            assert_same(x[key], host((3, 5))[key], order=False)


def test_hostile_index_objects():
    class Bad:
        def __index__(self):
            raise RuntimeError("no")

    class Big:
        def __index__(self):
            return 2**80

    class Liar:
        def __index__(self):
            return "x"

    x = cp.array([1, 2, 3])
    with pytest.raises(RuntimeError):
        x[Bad()]
    with pytest.raises(IndexError):
        x[Big()]
    with pytest.raises(IndexError):
        x[2**80]
    with pytest.raises(TypeError):
        x[Liar()]
    with pytest.raises(RuntimeError):
        x[Bad() : 2]
    for key in (b"x", {}, object(), 1j, ..., {1, 2}):
        if key is not ...:
            with pytest.raises(IndexError):
                x[key]


def test_read_only_destination():
    x = _C.broadcast_to(cp.array([1.0]), (3,))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x.fill(2)


def test_iteration():
    a = host((3, 2))
    assert [r.tolist() for r in cp.array(a)] == a.tolist()
    assert len(cp.array(a)) == 3
    with pytest.raises(TypeError):
        iter(cp.array(1))
    with pytest.raises(TypeError):
        len(cp.array(1))
    first, second, third = cp.array(a)
    assert_same(third, a[2])


def test_a_shape_that_changes_while_it_is_indexed():
    """__index__ may give the array another shape: no view may leave its memory."""
    x = cp.zeros((2, 3, 4), dtype="f4")

    class Evil:
        def __init__(self, shape, dtype=None):
            self.shape, self.dtype = shape, dtype

        def __index__(self):
            x.shape = self.shape
            if self.dtype:
                x.dtype = self.dtype
            return 1

    for shape, dtype in [
        ((24,), None),
        ((1,) * 30 + (24,), None),
        ((6, 4), "f8"),
        ((4, 3, 2), "c8"),
    ]:
        for key in (
            lambda e: (1, e, slice(None)),
            lambda e: (1, slice(e, None)),
            lambda e: (e, 1, 1),
            lambda e: (slice(None, e), Ellipsis, slice(e)),
            lambda e: (e, [0, 1], slice(e, None)),
        ):
            x.dtype = "f4"
            x.shape = (2, 3, 4)
            try:
                part = x[key(Evil(shape, dtype))]
            except (IndexError, ValueError, TypeError):
                continue
            part.get()
            assert part.size <= 24
        for call in (
            lambda e: x.swapaxes(2, e),
            lambda e: x.diagonal(0, 2, e),
            lambda e: x.reshape(e, 24),
            lambda e: x.item(1, e, 3),
            lambda e: x.transpose(e, 0, 2),
            lambda e: x.squeeze(e),
        ):
            x.dtype = "f4"
            x.shape = (2, 3, 4)
            try:
                call(Evil(shape, dtype))
            except (IndexError, ValueError, TypeError):
                pass


@pytest.mark.parametrize(
    "index", [np.array(1.0), np.array(None), np.array("a"), np.array(1, object)]
)
def test_host_arrays_without_axes_that_are_no_integers(index):
    check(lambda xp: xp.ones(3)[index])
    check(lambda xp: xp.negative.at(xp.ones(3), index))


@pytest.mark.parametrize("index", [np.array(1), np.array(2, "u1"), np.array(-3, "i2")])
def test_host_arrays_without_axes(index):
    check(lambda xp: xp.arange(3)[index])
