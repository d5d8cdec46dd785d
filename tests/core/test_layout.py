"""Shapes and strides: reshape, transpose, views of other dtypes, overlap, broadcasting."""

import numpy as np
import pytest
from check import assert_raises_same, assert_same, check
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import gpunp as cp
from gpunp import _C


def host(shape, dtype="i4"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


def both(a):
    """A NumPy array and a device array of the same strides."""
    base = a
    while isinstance(base.base, np.ndarray):
        base = base.base
    device = cp.array(np.ascontiguousarray(base.reshape(-1)))
    offset = a.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    first = device[offset // a.itemsize :] if a.size else device
    return a, _C.as_strided(first, a.shape, a.strides)


@st.composite
def strided(draw, max_dims=4):
    """A NumPy array with an arbitrary layout."""
    shape = draw(npst.array_shapes(min_dims=0, max_dims=max_dims, min_side=0, max_side=4))
    a = host(shape, draw(st.sampled_from(["i4", "u1", "f8"])))
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    return a[draw(npst.basic_indices(a.shape, allow_newaxis=True, max_dims=max_dims))]


def as_array(a):
    return a if isinstance(a, np.ndarray) else np.asarray(a)


@given(strided(), st.data())
def test_reshape_views_where_numpy_does(a, data):
    a, x = both(as_array(a))
    size = a.size
    shape = data.draw(npst.array_shapes(min_dims=0, max_dims=5, min_side=1, max_side=6))
    divisors = []
    for n in shape:
        n = n if n and size % n == 0 else 1
        divisors.append(n)
        size = size // n if n else size
    shape = (*divisors, -1)
    for order in "CFA":
        try:
            expected = a.reshape(shape, order=order)
        except ValueError:
            with pytest.raises(ValueError):
                x.reshape(shape, order=order)
            continue
        got = x.reshape(shape, order=order)
        assert_same(got, expected, order=False)
        assert _C.shares_memory(x, got) == np.shares_memory(a, expected)
        if np.shares_memory(a, expected):
            # strides of axes of length 1 mean nothing
            pairs = zip(got.shape, got.strides, expected.strides, strict=True)
            assert all(n == 1 or ours == theirs for n, ours, theirs in pairs)


@pytest.mark.parametrize(
    "args, kwargs",
    [
        ((4,), {}), ((-1, -1), {}), ((-1, 4), {}), ((0, -1), {}), ((), {}),
        ((6,), {"order": "X"}), ((6,), {"nonsense": 1}), (((3, 2), 1), {}),
        ((2**62, 2**62), {}), ((2**63,), {}), (("a",), {}), ((1.5,), {}), ((1,) * 65, {}),
    ],
)  # fmt: skip
def test_reshape_errors(args, kwargs):
    assert_raises_same(lambda xp: xp.array(host((2, 3))).reshape(*args, **kwargs))


def test_reshape_words_and_copy():
    x = cp.array(host((2, 3)))
    for shape in [(4,), (-1, 4), (0, -1), (4, 2), (5, -1, 2)]:
        with pytest.raises(ValueError) as ours:
            x.reshape(shape)
        with pytest.raises(ValueError) as theirs:
            host((2, 3)).reshape(shape)
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(ValueError):
        x.T.reshape(6, copy=False)
    assert not _C.shares_memory(x, x.reshape(6, copy=True))
    assert x.reshape(3, 2, copy=False).base is x
    check(lambda xp: xp.array(host((2, 3))).reshape([3, 2]))
    check(lambda xp: xp.zeros((0, 3)).reshape(3, 0, 2))
    check(lambda xp: xp.zeros((2, 0)).reshape(-1))
    check(lambda xp: xp.array(5).reshape(1, 1))


@given(strided())
def test_flattening(a):
    a, x = both(as_array(a))
    for order in "CFAK":
        assert_same(x.ravel(order), a.ravel(order))
        flat = x.flatten(order)
        assert_same(flat, a.flatten(order))
        assert not _C.shares_memory(x, flat)
    assert_same(x.T, a.T)
    assert_same(x.squeeze(), a.squeeze(), order=False)
    for order in "CFAK":
        copy = x.copy(order)
        assert_same(copy, a.copy(order), order=False)
        assert copy.flags.c_contiguous == a.copy(order).flags.c_contiguous
        assert copy.flags.f_contiguous == a.copy(order).flags.f_contiguous
        assert copy.base is None


def test_axes():
    def bodies():
        yield lambda x: x.transpose(1, 0, 2)
        yield lambda x: x.transpose((2, 0, 1))
        yield lambda x: x.transpose(None)
        yield lambda x: x.transpose()
        yield lambda x: x.transpose(-1, 0, 1)
        yield lambda x: x.transpose(0, 0, 1)
        yield lambda x: x.transpose(0)
        yield lambda x: x.transpose(0, 1, 5)
        yield lambda x: x.swapaxes(0, -1)
        yield lambda x: x.swapaxes(0, 3)
        yield lambda x: x.mT
        yield lambda x: x[0, 0].mT
        yield lambda x: x[:, None].squeeze(1)
        yield lambda x: x[None, :, None].squeeze((0, 2))
        yield lambda x: x[None, :, None].squeeze((0, 0))
        yield lambda x: x.squeeze(0)
        yield lambda x: x.squeeze(7)
        yield lambda x: x.diagonal()
        yield lambda x: x.diagonal(1, 1, 2)
        yield lambda x: x.diagonal(-2, 2, 0)
        yield lambda x: x.diagonal(50)
        yield lambda x: x.diagonal(-50)
        yield lambda x: x.diagonal(0, 1, 1)
        yield lambda x: x[0, 0].diagonal()
        yield lambda x: x.diagonal(axis1=-1, axis2=0)

    for body in bodies():
        check(lambda xp, body=body: body(xp.array(host((2, 3, 4)))), order=False)


def test_view_dtype():
    a = host((4, 6), "i4")
    x = cp.array(a)
    for key in [
        ...,
        (slice(None), slice(None, None, 2)),
        (slice(None, None, 2),),
        (0,),
        (slice(0, 0),),
    ]:
        for dtype in ["f4", "u1", "i2", "i8", "f8", "c16", "?", "c8"]:
            try:
                expected = a[key].view(dtype)
            except ValueError as error:
                with pytest.raises(ValueError) as ours:
                    x[key].view(dtype)
                assert str(ours.value) == str(error)
                continue
            got = x[key].view(dtype)
            assert (got.dtype, got.shape, got.strides) == (
                expected.dtype,
                expected.shape,
                expected.strides,
            )
            if dtype != "?":
                np.testing.assert_array_equal(got.get(), expected)
    check(lambda xp: xp.array(np.int16(5)).view("i1"))
    check(lambda xp: xp.array(np.float32(1.5)).view("i4"))


def test_setting_shape_and_dtype():
    x = cp.array(host((2, 6)))
    x.shape = (3, -1)
    assert x.shape == (3, 4)
    x.shape = (1, 2, 1, 3, 1, 2)
    assert x.ndim == 6 and x.strides == (48, 24, 24, 8, 8, 4)
    x.shape = 12
    assert_same(x, host((12,)))
    with pytest.raises(ValueError):
        x.shape = (5,)
    with pytest.raises(AttributeError):
        x.reshape(3, 4).T.shape = (12,)
    with pytest.raises(AttributeError):
        del x.shape
    x.dtype = "i2"
    assert x.shape == (24,) and x.dtype == np.int16
    with pytest.raises(ValueError):
        x[:5].dtype = "i8"


@pytest.mark.parametrize("order", "CFAK")
def test_memory_order_of_new_arrays(order):
    for a in (
        host((2, 3, 4)),
        host((2, 3, 4)).T,
        host((2, 3, 4)).transpose(1, 0, 2),
        host((2, 6, 4))[:, ::2],
        host((4, 3))[::-1].T,
    ):
        x = cp.array(a)
        for name in ("zeros_like", "empty_like"):
            expected = getattr(np, name)(a, order=order)
            got = getattr(cp, name)(both(a)[1], order=order)
            assert (got.shape, got.strides) == (expected.shape, expected.strides)
            other = getattr(np, name)(a, order=order, shape=a.shape[::-1], dtype="f8")
            got = getattr(cp, name)(both(a)[1], order=order, shape=a.shape[::-1], dtype="f8")
            assert (got.shape, got.strides, got.dtype) == (other.shape, other.strides, other.dtype)
        expected = a.astype("f8", order=order)
        assert both(a)[1].astype("f8", order=order).strides == expected.strides
        assert x.shape == a.shape
        expected = np.array(a, order=order)
        assert cp.array(a, order=order).strides == expected.strides


def test_sizes_that_cannot_be():
    for shape in [2**63, (2**40, 2**40, 0), 2**62, -1, (3, -1), (1,) * 65, 1.5, "a", (1, "a"),
                  (2, 1.5), 2**64, -(2**64), (2**32, 2**32), (2**64,), None, object()]:  # fmt: skip
        try:
            np.zeros(shape)
        except Exception as error:
            if shape is None:
                continue
            for make in (cp.zeros, cp.empty, cp.ndarray):
                with pytest.raises(type(error)) as ours:
                    make(shape)
                assert str(ours.value) == str(error)
    for body in (
        lambda xp: (np if xp is np else _C).broadcast_to(xp.zeros(()), (2**62, 2**62)),
        lambda xp: (np if xp is np else _C).broadcast_to(xp.zeros(3), (-1, 3)),
        lambda xp: (np if xp is np else _C).broadcast_to(xp.zeros(3), (2,)),
        lambda xp: (np if xp is np else _C).broadcast_to(xp.zeros((2, 3)), (3,)),
    ):
        assert_raises_same(body)
    with pytest.raises(TypeError):
        cp.zeros(None)


def test_empty_arrays():
    for shape in [(0,), (3, 0), (0, 2**40), (2**31, 0, 2**31)]:
        x = cp.zeros(shape, dtype="i1")
        assert x.size == 0 and x.shape == shape and x.data.ptr == 0 if hasattr(cp, "cuda") else True
        assert x.get().shape == shape
        assert x.flags.c_contiguous and x.flags.f_contiguous
    check(lambda xp: xp.zeros((0, 3)).T.copy())
    check(lambda xp: xp.zeros((0, 3)).astype("i4"))


def test_broadcast_to():
    for source, shape in [
        ((3,), (2, 3)),
        ((1, 3), (4, 3)),
        ((), (2, 2)),
        ((2, 1), (2, 0)),
        ((1,), 5),
    ]:
        x = _C.broadcast_to(cp.array(host(source)), shape)
        expected = np.broadcast_to(host(source), shape)
        assert_same(x, expected, order=False)
        assert not x.flags.writeable
        assert x.strides == expected.strides or x.size == 0


def test_as_strided_stays_inside():
    x = cp.array(host((10,)))
    assert_same(
        _C.as_strided(x, (4, 3), (8, 4)),
        np.lib.stride_tricks.as_strided(host((10,)), (4, 3), (8, 4)),
    )
    assert _C.as_strided(x[9:], (10,), (-4,)).get()[-1] == 0
    for shape, strides in [((11,), (4,)), ((2, 6), (20, 4)), ((2,), (-4,)), ((3,), (2**62,)),
                           ((2**62, 2), (2**62, 4)), ((2,), (-(2**63),)), ((3, 3), (4,))]:  # fmt: skip
        with pytest.raises(ValueError):
            _C.as_strided(x, shape, strides)
    with pytest.raises(ValueError):
        _C.as_strided(x[1:], (10,), (4,))


@given(st.data())
def test_overlap_is_numpys(data):
    base = host((4, 5, 3), "i2")
    x = cp.array(base)
    one = data.draw(npst.basic_indices(base.shape))
    two = data.draw(npst.basic_indices(base.shape))
    a, b = as_array(base[one]), as_array(base[two])
    expected = np.shares_memory(a, b) if a.base is not None and b.base is not None else None
    if expected is None:
        return
    assert _C.shares_memory(x[one], x[two]) == expected
    assert _C.may_share_memory(x[one], x[two]) == np.may_share_memory(a, b)


@given(st.data())
def test_overlap_of_wild_strides(data):
    """The solver against counting bytes."""
    base = cp.zeros(400, dtype="i1")
    views, bytes_of = [], []
    for _ in range(2):
        ndim = data.draw(st.integers(1, 3))
        shape = [data.draw(st.integers(1, 4)) for _ in range(ndim)]
        strides = [data.draw(st.integers(-16, 16)) for _ in range(ndim)]
        start = data.draw(st.integers(150, 220))
        view = _C.as_strided(base[start:], tuple(shape), tuple(strides))
        views.append(view)
        touched = {start}
        for n, s in zip(shape, strides, strict=True):
            touched = {t + k * s for t in touched for k in range(n)}
        bytes_of.append(touched)
    assert _C.shares_memory(*views) == bool(bytes_of[0] & bytes_of[1])


def test_reduced_view():
    x = cp.array(host((2, 3, 4)))
    assert x.reduced_view().shape == (24,)
    assert x[:, :, ::2].reduced_view().shape == (12,)
    assert x[:, :2].reduced_view().shape == (2, 8)
    assert x[:0].reduced_view().shape == (0,)
    assert x[:1, 1:2, :1].reduced_view().shape == ()
