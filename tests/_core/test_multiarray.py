"""Creation from objects and buffers, joining, dtype questions, index arithmetic."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, assert_same, check

import gpunp as cp


def grid(xp, shape=(3, 4), dtype=None):
    size = int(np.prod(shape))
    return xp.arange(size, dtype=dtype).reshape(shape)


CREATION = {
    "array of lists": lambda xp: xp.array([[1, 2], [3, 4]]),
    "array of floats": lambda xp: xp.array([[1.5, 2], [3, 4]]),
    "array of a scalar": lambda xp: xp.array(3),
    "array of a numpy scalar": lambda xp: xp.array(np.float32(3)),
    "array with dtype": lambda xp: xp.array([1, 2], dtype="c8"),
    "array of order F": lambda xp: xp.array([[1, 2], [3, 4]], order="F"),
    "array with ndmin": lambda xp: xp.array([1, 2], ndmin=3),
    "array of an array": lambda xp: xp.array(grid(xp).T),
    "array of an array, order C": lambda xp: xp.array(grid(xp).T, order="C"),
    "asarray with dtype": lambda xp: xp.asarray(grid(xp), dtype="f4"),
    "asarray of order F": lambda xp: xp.asarray(grid(xp), order="F"),
    "asanyarray": lambda xp: xp.asanyarray([1, 2]),
    "ascontiguousarray": lambda xp: xp.ascontiguousarray(grid(xp).T),
    "ascontiguousarray of a scalar": lambda xp: xp.ascontiguousarray(2.0),
    "asfortranarray": lambda xp: xp.asfortranarray(grid(xp)),
    "asfortranarray of 1-d": lambda xp: xp.asfortranarray(xp.arange(3)),
    "zeros": lambda xp: xp.zeros((2, 3)),
    "zeros of an int": lambda xp: xp.zeros(3, int),
    "zeros of order F": lambda xp: xp.zeros((2, 3), "i2", "F"),
    "zeros of no size": lambda xp: xp.zeros((2, 0, 3)),
    "zeros 0-d": lambda xp: xp.zeros(()),
    "frombuffer": lambda xp: xp.frombuffer(b"\x01\x02\x03\x04", dtype="u1", count=2, offset=1),
    "frombuffer of floats": lambda xp: xp.frombuffer(np.arange(3.0).tobytes()),
    "fromiter": lambda xp: xp.fromiter((i * i for i in range(5)), dtype="f8", count=4),
    "fromstring": lambda xp: xp.fromstring("1 2 3", sep=" "),
}


@pytest.mark.parametrize("name", CREATION)
def test_creation(name):
    check(CREATION[name])


ARANGE = {
    "stop": (5,),
    "start, stop": (2, 7),
    "step": (2, 11, 3),
    "negative step": (10, 0, -3),
    "empty": (5, 2),
    "floats": (0.5, 4.0, 0.7),
    "float stop": (3.5,),
    "float step": (0, 1, 0.1),
    "complex": (0, 4 + 0j),
    "large": (2**40, 2**40 + 3),
    "negative": (-3,),
    "numpy scalars": (np.float32(0), np.float32(3)),
    "uint8 scalars": (np.uint8(3), np.uint8(7)),
}


@pytest.mark.parametrize("name", ARANGE)
def test_arange(name):
    check(lambda xp: xp.arange(*ARANGE[name]))


@pytest.mark.parametrize("dtype", cases.NUMPY_DTYPES[1:], ids=str)
def test_arange_dtype(dtype):
    check(lambda xp: xp.arange(5, dtype=dtype))
    check(lambda xp: xp.arange(1, 40, 3, dtype=dtype))
    check(lambda xp: xp.arange(0, 1000, 13, dtype=dtype) if dtype.itemsize > 1 else xp.arange(2))
    if dtype.kind in "fc":
        check(lambda xp: xp.arange(0.1, 7.3, 0.37, dtype=dtype))


def test_arange_bool():
    check(lambda xp: xp.arange(2, dtype=bool))
    check(lambda xp: xp.arange(1, dtype=bool))
    assert_raises_same(lambda xp: xp.arange(3, dtype=bool))


def test_arange_bfloat16():
    a = cp.arange(5, dtype=cp.bfloat16)
    assert a.dtype == cp.bfloat16 and a.astype("f4").tolist() == [0, 1, 2, 3, 4]


def test_arange_errors():
    assert_raises_same(lambda xp: xp.arange(0, 3, 0))
    assert_raises_same(lambda xp: xp.arange(0, float("nan")))
    assert_raises_same(lambda xp: xp.arange(0, float("inf")))
    assert_raises_same(lambda xp: xp.arange())


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("layout", ["c", "f", "strided", "rows", "reversed"])
def test_like(order, layout, rng):
    values = cases.values("f4", (3, 4), rng)

    def make(name):
        return lambda xp: getattr(xp, name)(cases.arrange(xp, values, layout), order=order)

    check(make("zeros_like"))
    check(make("ones_like"))
    check(lambda xp: xp.full_like(cases.arrange(xp, values, layout), 7, order=order))


def test_like_transposed():
    check(lambda xp: xp.zeros_like(xp.zeros((2, 3, 4)).transpose(1, 2, 0)))
    check(lambda xp: xp.zeros_like(xp.zeros((2, 3, 4)).transpose(2, 0, 1), dtype="i4"))
    same = cp.zeros_like(cp.zeros((2, 3, 4)).transpose(1, 2, 0)).strides
    assert same == np.zeros_like(np.zeros((2, 3, 4)).transpose(1, 2, 0)).strides
    check(lambda xp: xp.zeros_like(xp.zeros((2, 3)), shape=(4, 5)))
    check(lambda xp: xp.ones_like(xp.zeros((2, 3)), shape=7))
    check(lambda xp: xp.ones_like(3))


# ---- joining -----------------------------------------------------------------------------------

CONCATENATE = {
    "two": lambda xp: xp.concatenate((xp.arange(3), xp.arange(4))),
    "axis 1": lambda xp: xp.concatenate((grid(xp), grid(xp, (3, 2))), axis=1),
    "axis -1": lambda xp: xp.concatenate((grid(xp), grid(xp, (3, 2))), axis=-1),
    "axis None": lambda xp: xp.concatenate((grid(xp), grid(xp, (5,))), axis=None),
    "dtypes": lambda xp: xp.concatenate((xp.ones(2, "i4"), xp.ones(2, "f4"))),
    "bool and int8": lambda xp: xp.concatenate((xp.ones(2, "?"), xp.ones(2, "i1"))),
    "with dtype": lambda xp: xp.concatenate((xp.ones(2), xp.ones(2)), dtype="f4"),
    "unsafe": lambda xp: xp.concatenate((xp.ones(2), xp.ones(2)), dtype="i4", casting="unsafe"),
    "refused cast": lambda xp: xp.concatenate((xp.ones(2), xp.ones(2)), dtype="i4"),
    "one": lambda xp: xp.concatenate([xp.arange(3)]),
    "an array": lambda xp: xp.concatenate(grid(xp)),
    "none": lambda xp: xp.concatenate([]),
    "0-d": lambda xp: xp.concatenate((xp.array(1), xp.array(2))),
    "scalars, axis None": lambda xp: xp.concatenate((1, 2.5), axis=None),
    "lists": lambda xp: xp.concatenate(([1, 2], [3.5])),
    "empty ones": lambda xp: xp.concatenate((xp.zeros((0, 2)), xp.ones((3, 2)))),
    "different ndim": lambda xp: xp.concatenate((xp.zeros(2), xp.zeros((2, 2)))),
    "different shapes": lambda xp: xp.concatenate((xp.zeros((2, 2)), xp.zeros((2, 3)))),
    "bad axis": lambda xp: xp.concatenate((xp.zeros(2), xp.zeros(2)), axis=1),
    "F order kept": lambda xp: xp.concatenate((grid(xp).T, grid(xp).T)),
    "mixed orders": lambda xp: xp.concatenate((grid(xp, (4, 4)).T, grid(xp, (4, 4)))),
    "3-d transposed": lambda xp: xp.concatenate([grid(xp, (2, 3, 4)).transpose(1, 2, 0)] * 2, 1),
    "reversed views": lambda xp: xp.concatenate((xp.arange(5)[::-1], xp.arange(8)[::3])),
    "twenty": lambda xp: xp.concatenate([xp.arange(i) for i in range(20)]),
    "unequal rows": lambda xp: xp.concatenate([grid(xp, (3, 2)), grid(xp, (3, 70))], 1),
    "large rows": lambda xp: xp.concatenate([grid(xp, (3, 2)), grid(xp, (3, 400000))], 1),
    "complex": lambda xp: xp.concatenate(
        [xp.ones((2, 3, 4), "c16"), xp.zeros((2, 1, 4), "c16")], 1
    ),
    "huge axis": lambda xp: xp.concatenate((xp.ones(2), xp.ones(3)), axis=1 << 70),
    "int": lambda xp: xp.concatenate(3),
    "out": lambda xp: xp.concatenate((xp.arange(2), xp.arange(3)), out=xp.zeros(5, int)),
    "out with cast": lambda xp: xp.concatenate((xp.arange(2), xp.arange(3)), out=xp.zeros(5, "f4")),
    "out too narrow": lambda xp: xp.concatenate((xp.ones(2), xp.ones(3)), out=xp.zeros(5, "i4")),
    "out of wrong shape": lambda xp: xp.concatenate((xp.ones(2), xp.ones(3)), out=xp.zeros(4)),
    "out and dtype": lambda xp: xp.concatenate((xp.ones(2),), out=xp.zeros(2), dtype="f4"),
    "concat": lambda xp: xp.concat((xp.arange(3), xp.arange(2))),
}


@pytest.mark.parametrize("name", CONCATENATE)
def test_concatenate(name):
    check(CONCATENATE[name])


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("layout", ["c", "f", "reversed", "broadcast"])
def test_concatenate_layouts(dtype, layout, rng):
    values = cases.values(dtype, (3, 4), rng)
    for axis in (0, 1):
        check(
            lambda xp, axis=axis: xp.concatenate([cases.arrange(xp, values, layout)] * 2, axis),
            order=layout != "broadcast",
        )


def test_numpy_arrays_are_refused():
    for call in (
        lambda: cp.concatenate((cp.ones(2), np.ones(2))),
        lambda: cp.stack([np.ones(2)]),
        lambda: cp.where(np.array([True]), 1, 2),
        lambda: cp.sum(np.ones(3)),
        lambda: cp.pad(np.ones(3), 1),
        lambda: cp.flip(np.ones(3)),
    ):
        with pytest.raises(TypeError, match="asarray"):
            call()


# ---- copying -----------------------------------------------------------------------------------


def copied(xp, dst, src, **options):
    xp.copyto(dst, src, **options)
    return dst


COPYTO = {
    "array": lambda xp: copied(xp, xp.zeros((2, 3)), xp.arange(3.0)),
    "cast": lambda xp: copied(xp, xp.zeros(3, "f4"), xp.arange(3)),
    "scalar": lambda xp: copied(xp, xp.zeros(3, "f4"), 2),
    "float into int": lambda xp: copied(xp, xp.zeros(3, "i4"), 2.5),
    "float into int, unsafe": lambda xp: copied(xp, xp.zeros(3, "i4"), 2.5, casting="unsafe"),
    "array refused": lambda xp: copied(xp, xp.zeros(3, "i4"), xp.ones(3)),
    "too large": lambda xp: copied(xp, xp.zeros(3, "u1"), 300),
    "where": lambda xp: copied(xp, xp.zeros(4), xp.ones(4), where=xp.arange(4) > 1),
    "where, broadcast": lambda xp: copied(xp, xp.zeros((3, 4)), 5, where=xp.arange(4) > 1),
    "where, list": lambda xp: copied(xp, xp.zeros(2), 5, where=[True, False]),
    "where, cast": lambda xp: copied(xp, xp.zeros(4, "f4"), xp.arange(4), where=xp.arange(4) > 1),
    "where of ints": lambda xp: copied(xp, xp.zeros(2), 5, where=xp.array([1, 0])),
    "wrong shape": lambda xp: copied(xp, xp.zeros(3), xp.zeros(4)),
    "bool": lambda xp: copied(xp, xp.zeros(3, "?"), True, where=xp.array([True, False, True])),
}


@pytest.mark.parametrize("name", COPYTO)
def test_copyto(name):
    check(COPYTO[name])


def test_putmask():
    def put(xp, values):
        a = xp.arange(6).reshape(2, 3)
        xp.putmask(a, a > 2, values)
        return a

    check(lambda xp: put(xp, 9))
    check(lambda xp: put(xp, xp.array([-1, -2])))
    check(lambda xp: put(xp, xp.arange(10, 16).reshape(2, 3)))


WHERE = {
    "arrays": lambda xp: xp.where(xp.arange(4) > 1, xp.arange(4), -xp.arange(4)),
    "scalars": lambda xp: xp.where(xp.arange(4) > 1, 1, 0),
    "weak scalar": lambda xp: xp.where(xp.arange(4) > 1, xp.ones(4, "f4"), 2.5),
    "weak float beside ints": lambda xp: xp.where(xp.arange(4) > 1, xp.ones(4, "i4"), 2.5),
    "broadcast": lambda xp: xp.where(xp.arange(3)[:, None] > 1, xp.arange(4), 7),
    "ints as condition": lambda xp: xp.where(xp.arange(3), 1.5, 2),
    "numpy scalar": lambda xp: xp.where(xp.arange(3) > 0, np.float32(1), xp.zeros(3, "f2")),
    "one choice": lambda xp: xp.where(xp.arange(3), 1),
    "nan": lambda xp: xp.where(xp.arange(3) > 1, xp.nan, 0.0),
}


@pytest.mark.parametrize("name", WHERE)
def test_where(name):
    check(WHERE[name])


# ---- dtypes ------------------------------------------------------------------------------------

DTYPE_QUESTIONS = {
    "result_type of arrays": lambda xp: xp.result_type(xp.ones(2, "f4"), xp.ones(2, "i4")),
    "result_type weak": lambda xp: xp.result_type(xp.ones(2, "f4"), 3.0),
    "result_type of 0-d": lambda xp: xp.result_type(xp.array(1.0), xp.ones(2, "f4")),
    "result_type of dtypes": lambda xp: xp.result_type("i4", np.float16),
    "promote_types": lambda xp: xp.promote_types("i8", "f4"),
    "min_scalar_type": lambda xp: xp.min_scalar_type(300),
    "min_scalar_type of an array": lambda xp: xp.min_scalar_type(xp.ones(3, "i8")),
    "can_cast": lambda xp: xp.array([xp.can_cast("i4", "f8"), xp.can_cast("f8", "i4")]),
}


@pytest.mark.parametrize("name", DTYPE_QUESTIONS)
def test_dtype_questions(name):
    check(DTYPE_QUESTIONS[name])


def test_can_cast_takes_arrays_by_dtype():
    assert cp.can_cast(cp.ones(2, "i4").dtype, "f8") and cp.can_cast(cp.ones(2, "i4"), "f8")


# ---- memory ------------------------------------------------------------------------------------


def test_shared_memory():
    a, b = cp.arange(10), cp.arange(10)
    assert cp.shares_memory(a, a[3:]) and cp.may_share_memory(a[:4], a[3:])
    assert not cp.shares_memory(a, b) and not cp.shares_memory(a[:3], a[3:])
    assert not cp.shares_memory(a[::2], a[1::2]) and cp.may_share_memory(a[::2], a[1::2])
    assert cp.shares_memory(a[::-1], a[::3]) and not cp.shares_memory(a, a[:0])
    with pytest.raises(TypeError):
        cp.may_share_memory(a, np.arange(10))


# ---- index arithmetic --------------------------------------------------------------------------

INDICES = {
    "ravel": lambda xp: xp.ravel_multi_index((xp.array([1, 2]), xp.array([0, 3])), (3, 4)),
    "ravel F": lambda xp: xp.ravel_multi_index(
        (xp.array([1, 2]), xp.array([0, 3])), (3, 4), order="F"
    ),
    "ravel clip": lambda xp: xp.ravel_multi_index(
        (xp.array([-1, 7]), xp.array([0, 3])), (3, 4), mode="clip"
    ),
    "ravel wrap": lambda xp: xp.ravel_multi_index(
        (xp.array([-1, 7]), xp.array([0, 9])), (3, 4), mode=("wrap", "wrap")
    ),
    "ravel out of bounds": lambda xp: xp.ravel_multi_index((xp.array([3]), xp.array([0])), (3, 4)),
    "ravel floats": lambda xp: xp.ravel_multi_index((xp.array([1.0]), xp.array([0])), (3, 4)),
    "ravel broadcast": lambda xp: xp.ravel_multi_index(
        (xp.array([[0], [2]]), xp.array([1, 3])), (3, 4)
    ),
    "unravel": lambda xp: xp.unravel_index(xp.array([[4, 11], [0, 7]]), (3, 4)),
    "unravel F": lambda xp: xp.unravel_index(xp.array([4, 11]), (3, 4), order="F"),
    "unravel 3-d": lambda xp: xp.unravel_index(xp.array([23, 5]), (2, 3, 4)),
    "unravel out of bounds": lambda xp: xp.unravel_index(xp.array([12]), (3, 4)),
    "unravel negative": lambda xp: xp.unravel_index(xp.array([-1]), (3, 4)),
    "unravel beyond a number": lambda xp: xp.unravel_index(xp.array([1]), ()),
    "grid of f4": lambda xp: xp.mgrid[np.float32(0.1) : np.float32(0.33) : np.float32(0.1)],
    "range of i1": lambda xp: xp.arange(np.int8(0), np.int8(3), np.int8(2)),
    "range of u8": lambda xp: xp.arange(np.uint64(0), np.uint64(3), np.uint64(2)),
    "range of f2": lambda xp: xp.arange(np.float16(0), np.float16(3), np.float16(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", INDICES)
def test_indices(name):
    check(INDICES[name], order=False)


def test_broadcast_class():
    b, n = (xp.broadcast(xp.ones((3, 1)), xp.ones(4)) for xp in (cp, np))
    assert (b.shape, b.nd, b.size, b.numiter) == (n.shape, n.nd, n.size, n.numiter)
    assert [v.shape for v in b.values] == [(3, 4), (3, 4)]


# ---- host and device ---------------------------------------------------------------------------


def test_asnumpy():
    a = cp.arange(6).reshape(2, 3)
    host = cp.asnumpy(a)
    assert type(host) is np.ndarray and (host == np.arange(6).reshape(2, 3)).all()
    assert cp.asnumpy(a, order="F").flags.f_contiguous
    out = np.empty((2, 3), int)
    assert cp.asnumpy(a, out=out) is out and out[1, 2] == 5
    assert cp.asnumpy([1, 2]).tolist() == [1, 2] and cp.asnumpy(host) is host
    assert cp.asnumpy([cp.array(1), cp.array(2)]).tolist() == [1, 2]


def test_get_array_module():
    assert cp.get_array_module(cp.ones(1)) is cp and cp.get_array_module(np.ones(1)) is np
    assert cp.get_array_module(1, np.ones(1), cp.ones(1)) is cp and cp.get_array_module() is np


def test_asarray_keeps_arrays():
    a = cp.ones((2, 3))
    assert cp.asarray(a) is a and cp.asarray(a, dtype="f8") is a and cp.array(a) is not a
    assert cp.shares_memory(cp.asarray(a, order="C"), a) and cp.ascontiguousarray(a) is a
    with pytest.raises(ValueError, match="copy"):
        cp.array(np.ones(3), copy=False)


def test_fromfile(tmp_path):
    path = tmp_path / "numbers.bin"
    np.arange(5.0).tofile(path)
    assert_same(cp.fromfile(path), np.fromfile(path))
    assert_same(cp.fromfile(path, count=2, offset=8), np.fromfile(path, count=2, offset=8))
    assert_same(cp.fromfile(path, dtype="u1"), np.fromfile(path, dtype="u1"))
