"""The elementwise engine: every memory layout, dtype size and tail, against NumPy."""

import cases
import numpy as np
import pytest
from check import assert_same, check
from hypothesis import given, settings
from hypothesis import strategies as st

import gpunp as cp


def both(array):
    """An array of NumPy's and its copy on the device."""
    return array, cp.asarray(array)


def counting(shape, dtype="f4"):
    """Distinct values, also in one byte for small shapes."""
    n = int(np.prod(shape))
    return (np.arange(n) % 251).astype(dtype).reshape(shape)


@st.composite
def views(draw, ndim):
    """A function that cuts, reverses, permutes and steps through an array of `ndim` axes."""
    key = []
    for _ in range(ndim):
        start = draw(st.integers(0, 2))
        step = draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2]))
        key.append(
            slice(None, None if start == 0 else start - 1, step)
            if step < 0
            else slice(start, None, step)
        )
    axes = draw(st.permutations(range(ndim)))
    return lambda x: x[tuple(key)].transpose(axes)


@st.composite
def operands(draw):
    """Views of two arrays that broadcast together, as functions of the buffers."""
    ndim = draw(st.integers(1, 4))
    shape = draw(st.lists(st.integers(1, 9), min_size=ndim, max_size=ndim))
    first = draw(views(ndim))
    a = counting(shape)
    target = first(a).shape
    wide = [draw(st.sampled_from([n, n, 1])) for n in target]
    drop = draw(st.integers(0, ndim - 1))
    b = counting(wide[drop:]) * 3
    reverse = draw(st.booleans())
    return a, first, b, (lambda x: x[..., ::-1] if reverse else x)


@settings(max_examples=60, deadline=None)
@given(operands())
def test_add_of_any_views(case):
    a, first, b, second = case
    (a, da), (b, db) = both(a), both(b)
    assert_same(first(da) + second(db), first(a) + second(b))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.data())
def test_copy_between_any_views(ndim, data):
    shape = data.draw(st.lists(st.integers(1, 12), min_size=ndim, max_size=ndim))
    read, write = data.draw(views(ndim)), data.draw(views(ndim))
    source, target = counting(shape, "i2"), np.zeros(shape, "f8")
    if read(source).shape != write(target).shape:
        write = lambda x: x  # noqa: E731
        target = np.zeros(read(source).shape, "f8")
    dsource, dtarget = cp.asarray(source), cp.asarray(target)
    write(target)[...] = read(source)
    write(dtarget)[...] = read(dsource)
    assert_same(dtarget, target)


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("n", [1, 3, 15, 16, 17, 255, 1023, 1025, 4099])
def test_contiguous_tails(dtype, n):
    a, da = both(counting(n, dtype))
    assert_same(da + da, a + a)


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8"])
@pytest.mark.parametrize("start", [1, 2, 3, 4, 8])
def test_contiguous_but_off_the_boundary(dtype, start):
    a, da = both(counting(300, dtype))
    assert_same(da[start:] + da[start:], a[start:] + a[start:])
    assert_same(da[start:] + da[:-start], a[start:] + a[:-start])


@pytest.mark.parametrize("shape", [(40, 33), (7, 64), (5, 129), (3, 5, 96), (130, 70)])
@pytest.mark.parametrize("dtype", ["i1", "f4", "f8"])
def test_broadcast_rows_and_columns(shape, dtype):
    a, da = both(counting(shape, dtype))
    row, drow = both(counting(shape[-1], dtype))
    column, dcolumn = both(counting((*shape[:-1], 1), dtype))
    assert_same(da + drow, a + row)
    assert_same(drow - da if dtype != "?" else drow, row - a)
    assert_same(da + dcolumn, a + column)
    assert_same(drow * dcolumn, row * column)
    assert_same(da[..., 1:-1] + drow[1:-1], a[..., 1:-1] + row[1:-1])


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(64, 64), (33, 70), (128, 130), (257, 40), (31, 200)])
def test_transposed_copy(dtype, shape):
    a, da = both(counting(shape, dtype))
    wider = "c16" if dtype == "c16" else "f8"
    out = cp.empty(shape[::-1], dtype)
    out[...] = da.T
    assert_same(out, np.ascontiguousarray(a.T))
    assert_same(da.T.astype(wider, order="C"), a.T.astype(wider, order="C"))


def test_transposed_operands_of_one_call():
    a, da = both(counting((3, 70, 70)))
    b, db = both(counting((3, 70, 70), "i2"))
    assert_same(da + da.transpose(0, 2, 1), a + a.transpose(0, 2, 1))
    assert_same(da.transpose(0, 2, 1) * db, a.transpose(0, 2, 1) * b)
    assert_same(da + db.transpose(2, 1, 0)[:3, :, :1], a + b.transpose(2, 1, 0)[:3, :, :1])
    half = np.float32(0.5)
    turned, dturned = b.transpose(0, 2, 1) > 9, db.transpose(0, 2, 1) > 9
    assert_same(cp.where(dturned, da, half), np.where(turned, a, half))


def test_transposed_output():
    a, da = both(counting((90, 50)))
    out, dout = both(np.zeros((50, 90), "f4"))
    np.multiply(a, 2, out=out.T)
    cp.multiply(da, 2, out=dout.T)
    assert_same(dout, out)


@pytest.mark.parametrize("step", [2, 3, -1, -3])
def test_strided_columns(step):
    a, da = both(counting((37, 150)))
    assert_same(da[:, ::step] + da[:, ::step], a[:, ::step] + a[:, ::step])
    assert_same(da[::step] * 2, a[::step] * 2)
    assert_same(da[::step, ::-1].copy(), a[::step, ::-1].copy())


@pytest.mark.parametrize("ndim", [5, 6, 7, 9, 20, 33])
def test_many_axes(ndim):
    a, da = both(counting((2,) * min(ndim, 12) + (1,) * (ndim - min(ndim, 12))))
    key = (slice(None, None, -1), slice(None)) * (min(ndim, 12) // 2)
    assert_same(da[key] + da.T.reshape(da.shape), a[key] + a.T.reshape(a.shape), order=False)


@pytest.mark.parametrize("source", cases.NUMPY_DTYPES, ids=str)
def test_astype_every_pair(source, rng):
    values = cases.values(source, (3, 7), rng)
    if source.kind in "fc":
        values = np.clip(np.abs(values.real), 0, 100).astype(source)
    with np.errstate(all="ignore"):
        for target in cases.NUMPY_DTYPES:
            if source.kind == "c" and target.kind != "c" and target.kind != "b":
                continue
            assert_same(cp.asarray(values).astype(target), values.astype(target))


def test_float_to_integer_saturates():
    for dtype in "efd":
        x = cp.asarray(np.array([np.nan, np.inf, -np.inf, -1.5, 1.5, 300], dtype))
        assert x.astype("u1").tolist() == [0, 255, 0, 0, 1, 255]
        assert x.astype("i1").tolist() == [0, 127, -128, -1, 1, 127]
        assert x.astype("i4").tolist() == [0, 2**31 - 1, -(2**31), -1, 1, 300]
        assert x.astype("u8").tolist() == [0, 2**64 - 1, 0, 0, 1, 300]
        assert x.astype("i8").tolist() == [0, 2**63 - 1, -(2**63), -1, 1, 300]


def test_bytes_seen_as_bool():
    a = np.array([0, 1, 2, 255], "u1")
    d = cp.asarray(a).view("?")
    assert (d & True).tolist() == [False, True, True, True]
    assert d.astype("i4").tolist() == [0, 1, 1, 1]
    assert cp.where(d, 1, 0).tolist() == [0, 1, 1, 1]


def test_unaligned_views():
    raw = np.arange(1, 42, dtype="u1")
    a, d = raw[1:41].view("f4"), cp.asarray(raw)[1:41].view("f4")
    assert_same(d + d, a + a)
    assert_same(d.copy(), a.copy())
    d[...] = 3.5
    assert d.tolist() == [3.5] * 10
    cp.add(d, d, out=d)
    assert d.tolist() == [7.0] * 10


@pytest.mark.parametrize("value", [0, 1, -1, 0.5, True])
@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "i8", "f2", "f8", "c8", "c16"])
def test_fill(dtype, value):
    if dtype in ("i1", "i4", "i8", "?") and value == 0.5:
        value = 7
    a, d = both(np.zeros((5, 6), dtype))
    a[:, ::2].fill(value)
    d[:, ::2].fill(value)
    assert_same(d, a)
    a.fill(value)
    d.fill(value)
    assert_same(d, a)


# Above 65536 elements threads take several: other kernels than those of the tests above.


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
def test_large_contiguous(dtype):
    other = "c8" if dtype == "c16" else "f4"
    for n in (65536, 65537, 70015):
        a, da = both(counting(n, dtype))
        assert_same(da + da, a + a)
        assert_same(da[1:] == da[:-1], a[1:] == a[:-1])
        assert_same(da.astype(other), a.astype(other))
        even, deven = both(a.real % 2 == 0)
        assert_same(
            cp.add(da, 1, out=da.copy(), where=deven), np.add(a, 1, out=a.copy(), where=even)
        )
    a, da = both(counting(70015, "f4"))
    assert_same(cp.sqrt(da), np.sqrt(a), ulp=1)


@pytest.mark.parametrize("shape", [(300, 260), (261, 301), (7, 50, 256), (70001, 3)])
@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_large_views(shape, dtype):
    a, da = both(counting(shape, dtype))
    row, drow = both(counting(shape[-1], dtype))
    column, dcolumn = both(counting((*shape[:-1], 1), dtype))
    assert_same(da + drow, a + row)
    assert_same(da - dcolumn, a - column)
    assert_same(cp.hypot(da[..., 1:], drow[1:]), np.hypot(a[..., 1:], row[1:]), ulp=3)
    assert_same(da[..., ::2] * da[..., ::-1][..., ::2], a[..., ::2] * a[..., ::-1][..., ::2])
    assert_same(da[::-1] * 2, a[::-1] * 2)
    assert_same(da.T.copy(), a.T.copy())
    assert_same(
        cp.add(da, drow, out=da.copy(), where=dcolumn > 7),
        np.add(a, row, out=a.copy(), where=column > 7),
    )


def test_offsets_beyond_32_bits():
    """Few elements, far apart: 64-bit indices without the time of 2**31 elements."""
    apart = 1 << 29
    far = cp.empty(5 * apart + 128, "u1")
    few = counting((5, 70), "u1")
    for strides in [(apart, 1), (1, apart)]:
        shape = (5, 70) if strides[1] == 1 else (70, 5)
        view = cp.lib.stride_tricks.as_strided(far, shape, strides)
        a, d = both(few.reshape(shape))
        view[...] = d
        assert_same(view.copy(), a, order=False)
        assert_same(view[::-1] * d, a[::-1] * a, order=False)
        assert_same(view + d[0], a + a[0], order=False)


def test_empty_and_zero_dimensional():
    check(lambda xp: xp.zeros((0, 3)) + xp.zeros((1, 3)))
    check(lambda xp: xp.asarray(2.5) + xp.asarray(1.5, dtype="f4"))
    check(lambda xp: xp.asarray(2.5) * xp.arange(5.0))
    check(lambda xp: xp.zeros((3, 0)).T.copy())


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_astype_orders(order):
    a = counting((6, 5))
    for layout in ("c", "f", "reversed", "strided"):
        view = cases.arrange(np, a, layout)
        assert_same(
            cases.arrange(cp, a, layout).astype("f8", order=order), view.astype("f8", order=order)
        )
    a, d = both(counting((3, 4, 5)))
    turned = (1, 2, 0)
    assert_same(d.transpose(turned).astype("i4", order), a.transpose(turned).astype("i4", order))
