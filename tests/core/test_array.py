"""The array type: construction, attributes, flags, flat, subclasses, weak references."""

import gc
import inspect
import sys
import threading
import weakref

import numpy as np
import pytest
from check import assert_same, check

import gpunp as cp
from gpunp import _C


def host(shape, dtype="i4"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


def test_constructor():
    x = cp.ndarray((2, 3))
    assert (x.shape, x.dtype, x.strides) == ((2, 3), np.float64, (24, 8))
    x = cp.ndarray(shape=(2, 3), dtype="i2", order="F")
    assert x.strides == (2, 4) and x.flags.f_contiguous and x.base is None
    assert cp.ndarray(4, "f4").shape == (4,)
    assert cp.ndarray((), "f4").shape == ()
    for args, kwargs in [
        ((), {}),
        ((1,) * 7, {}),
        ((2,), {"nonsense": 1}),
        ((2, "f4"), {"strides": (4,)}),
        ((2, "f4", 5), {}),
        ((2,), {"order": "X"}),
        ((2, "O"), {}),
    ]:
        with pytest.raises((TypeError, ValueError)):
            cp.ndarray(*args, **kwargs)


def test_attributes():
    for a in (
        host((2, 3, 4), "c8"),
        host((3, 0)),
        host(()),
        host((4, 5), "f8")[::2, ::-1],
        host((2, 3)).T,
    ):
        x = cp.array(a)
        for name in ("shape", "dtype", "ndim", "size", "nbytes", "itemsize"):
            assert getattr(x, name) == getattr(a, name), name
        assert_same(x.T, np.array(a).T, order=False)
        assert_same(x.real, a.real, order=False)
        assert_same(x.imag, a.imag, order=False)
    with pytest.raises(AttributeError):
        x.nonsense = 1
    for name in ("ndim", "size", "nbytes", "strides", "T", "base"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)
    assert x.__array_priority__ == 100
    assert len(x.cstruct) == 8 * (2 + 2 * x.ndim)


def test_real_and_imag_are_views():
    a = host((2, 3), "c16") * (1 + 2j)
    x = cp.array(a)
    assert _C.shares_memory(x, x.imag) and x.real.base is x
    x.real = 5
    x.imag[0] = cp.array([1, 2, 3])
    a.real = 5
    a.imag[0] = [1, 2, 3]
    assert_same(x, a)
    x.imag = np.zeros((2, 3))
    a.imag = 0
    assert_same(x, a)
    y = cp.array([1.0, 2.0])
    assert y.real is y and not y.imag.flags.writeable
    with pytest.raises(TypeError):
        y.imag = 1
    y.real = 3
    assert y.tolist() == [3, 3]


def test_flags():
    for a in (
        host((2, 3)),
        host((2, 3)).T,
        host((4,))[::2],
        host((2, 3))[:, :1],
        host((0, 3)),
        host(()),
    ):
        x = cp.array(np.ascontiguousarray(a)) if a.base is None else None
        if a.base is not None and a.ndim == 2 and a.shape == (3, 2):
            x = cp.array(host((2, 3))).T
        if x is None:
            continue
        for key in (
            "C_CONTIGUOUS",
            "F_CONTIGUOUS",
            "WRITEABLE",
            "ALIGNED",
            "C",
            "F",
            "W",
            "A",
            "FNC",
            "FORC",
            "CA",
            "FA",
            "B",
            "CARRAY",
            "FARRAY",
            "BEHAVED",
            "X",
            "CONTIGUOUS",
            "FORTRAN",
        ):
            assert x.flags[key] == a.flags[key], key
        for name in (
            "c_contiguous",
            "f_contiguous",
            "writeable",
            "aligned",
            "fnc",
            "forc",
            "behaved",
            "carray",
            "farray",
            "contiguous",
        ):
            assert getattr(x.flags, name) == getattr(a.flags, name), name
    x = cp.zeros(3)
    assert repr(x.flags) == repr(np.zeros(3).flags)
    assert x.flags == cp.zeros(3).flags and x.flags != x[::2].flags
    assert x.flags.num == np.zeros(3).flags.num
    with pytest.raises(KeyError):
        x.flags["NONSENSE"]
    with pytest.raises(KeyError):
        x.flags[3]
    with pytest.raises(ValueError):
        x.flags["C"] = True
    x.flags.writeable = False
    with pytest.raises(ValueError):
        x[0] = 1
    with pytest.raises(ValueError):
        x[1:].flags.writeable = True
    x.flags["WRITEABLE"] = True
    x[0] = 1
    assert x._c_contiguous and not cp.zeros((2, 3)).T._c_contiguous


def test_flat_is_array_like():
    host = np.arange(6.0, dtype="f4").reshape(2, 3).T
    a = cp.asarray(host)
    for make in (
        lambda xp, x: xp.asarray(x.flat),
        lambda xp, x: xp.array(x.flat, dtype="i8"),
        lambda xp, x: xp.dot(x.ravel(), x.flat),
        lambda xp, x: xp.concatenate([x.flat, x.flat]),
        lambda xp, x: xp.sum(x.flat),
    ):
        found, wanted = make(cp, a), make(np, host)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(cp.asnumpy(found), wanted)
    line = cp.asarray(a.flat)
    line[0] = 9
    assert a[0, 0] == 0
    with pytest.raises(ValueError, match="copy"):
        cp.asarray(a.flat, copy=False)


def test_flat():
    for a in (host((3, 4)), host((3, 4)).T, host((3, 4))[::2, ::-1], host(()), host((0, 2))):
        base = cp.array(host((3, 4)) if a.size not in (0, 1) else a)
        x = {(3, 4): base, (4, 3): base.T, (2, 4): base[::2, ::-1] if base.ndim == 2 else base}.get(
            a.shape, base
        )
        a = np.array(a, order="K")
        assert len(x.flat) == a.size
        assert [int(v) for v in x.flat] == [int(v) for v in a.flat]
        for key in (0, -1, slice(1, 7, 2), slice(None, None, -1), Ellipsis, 100, -100):
            try:
                expected = a.flat[key]
            except IndexError:
                with pytest.raises(IndexError):
                    x.flat[key]
                continue
            got = x.flat[key]
            assert_same(got, np.asarray(expected))
            assert not _C.shares_memory(got, x)
        for key, value in [
            (2, 9),
            (slice(0, 5), 7),
            (slice(None, None, 2), [1, 2]),
            (Ellipsis, [5, 6, 7]),
            (slice(1, 3), np.array([[8], [9]])),
        ]:
            if a.size > 1:
                a.flat[key] = value
                x.flat[key] = value
                assert_same(x, a, order=False)
    x = cp.zeros((2, 3))
    x.flat = [1, 2]
    assert x.tolist() == [[1, 2, 1], [2, 1, 2]]
    for key in ("x", 1.5, None, (0, 1)):
        with pytest.raises(IndexError):
            x.flat[key]
    it = x.flat
    assert it.index == 0 and it.coords == (0, 0) and it.base is x
    next(it), next(it), next(it), next(it)
    assert it.index == 4 and it.coords == (1, 1)
    assert it.copy().tolist() == [1, 2, 1, 2, 1, 2]
    with pytest.raises(ValueError):
        x.flat[:] = []
    with pytest.raises(TypeError):
        del x.flat[0]


INDEX = [[0, 5], [1, 2]]


@pytest.mark.parametrize(
    "body",
    [
        lambda xp, a, b: a.flat[b.flat],
        lambda xp, a, b: a.T.flat[b.flat],
        lambda xp, a, b: a.flat[b],
        lambda xp, a, b: a.ravel()[b.flat],
        lambda xp, a, b: a[(b % 2).flat, (b % 2).T.flat],
        lambda xp, a, b: a.flat[(b > 1).flat],
        lambda xp, a, b: a.flat.__setitem__(b.flat, 9),
        lambda xp, a, b: a.flat.__setitem__(b.flat, b.flat),
        lambda xp, a, b: a.flat.__setitem__(b, b.flat),
        lambda xp, a, b: a.T.flat.__setitem__(b, xp.asarray([[7], [8]])),
        lambda xp, a, b: a.flat.__setitem__(b.flat, xp.asarray([7, 8, 9])),
    ],
    ids=range(11),
)
def test_flat_as_an_index(body):
    def called(xp):
        a = xp.arange(6.0).reshape(2, 3)
        result = body(xp, a, xp.asarray(INDEX))
        return a if result is None else result

    check(called)


def test_flat_repeats_a_value_in_few_launches(tmp_path):
    x, a = cp.zeros(1001, "i4"), np.zeros(1001, "i4")
    _C._trace_start(tmp_path / "trace.json")
    x.flat = [1, 2, 3]
    _C._trace_stop()
    a.flat = [1, 2, 3]
    assert_same(x, a)
    assert (tmp_path / "trace.json").read_text().count('"grid"') <= 2
    x = cp.arange(7)
    x.flat = x[1:3]
    assert x.tolist() == [1, 2, 1, 2, 1, 2, 1]


def test_functions_that_flatten_do_not_call_overridden_methods():
    class Odd(cp.ndarray):
        def ravel(self, *args, **kwargs):
            return 5

        reshape = ravel

    x = cp.array([[2, 1], [0, 3]]).view(Odd)
    assert x.argsort(axis=None).tolist() == [2, 1, 0, 3]
    assert x.take([1, 3]).tolist() == [1, 3]
    assert x.cumsum().tolist() == [2, 3, 3, 6]


def test_fill():
    for value in (3, 2.5, np.float32(1), np.array(4), True):
        check(lambda xp, value=value: [x := xp.zeros((3, 2), "f4"), x.fill(value)][0])
    x = cp.zeros(3)
    x.fill(cp.array(2.0))
    assert x.tolist() == [2, 2, 2]
    for bad in ([1, 2], cp.zeros(3), "x", None):
        with pytest.raises((TypeError, ValueError)):
            x.fill(bad)


def test_creation_functions():
    for name in ("zeros", "ones", "empty"):
        for shape, dtype, order in [
            (3, float, "C"),
            ((2, 3), "i2", "F"),
            ((), "c8", "C"),
            ([2], "?", "C"),
        ]:
            ours, theirs = (
                getattr(cp, name)(shape, dtype, order),
                getattr(np, name)(shape, dtype, order=order),
            )
            assert (ours.shape, ours.dtype, ours.strides) == (
                theirs.shape,
                theirs.dtype,
                theirs.strides,
            )
            if name != "empty":
                assert_same(ours, theirs)
    for value in (1, 2.5, 1j, True, np.float32(3), np.int8(2)):
        check(lambda xp, value=value: xp.full((2, 2), value))
        check(lambda xp, value=value: xp.full_like(xp.zeros((2, 2), "c8"), value))
    check(lambda xp: xp.full((2, 3), [1, 2, 3]))
    check(lambda xp: xp.full((2,), 300, dtype="u1"))
    for value in (np.uint64(2**63 + 5), np.int64(-3), np.int8(-1), np.uint16(65535)):
        for dtype in "bBhHiIlLfd":
            check(lambda xp, v=value, d=dtype: xp.full((2,), v, dtype=d))


def test_subclass():
    class Mine(cp.ndarray):
        def __array_finalize__(self, parent):
            self.parent = parent

    x = cp.zeros(3)
    m = x.view(Mine)
    assert type(m) is Mine and m.parent is x and m.base is x
    assert type(m.view(type=Mine)) is Mine
    assert type(x.view("i4", Mine)) is Mine
    made = Mine((2, 2), "f4")
    assert type(made) is Mine and made.shape == (2, 2)
    made.note = "has a dict"
    reference = weakref.ref(made)
    del made
    gc.collect()
    assert reference() is None
    for bad in (np.ndarray, int, 3, "Mine"):
        with pytest.raises((TypeError, ValueError)):
            x.view(type=bad)

    class Broken(cp.ndarray):
        def __array_finalize__(self, parent):
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        x.view(Broken)


def test_weak_references_and_free_list():
    x = cp.zeros(3)
    reference = weakref.ref(x)
    assert reference() is x
    del x
    assert reference() is None
    many = [cp.zeros(2) for _ in range(200)]
    views = [m[1:] for m in many]
    del many
    del views
    again = cp.zeros((2,) * 6)
    assert weakref.ref(again)() is again


def test_to_device():
    x = cp.zeros(3)
    assert x.to_device(0) is x
    for bad in ("cpu", "cuda", 1.5, None, -1, 10**30):
        with pytest.raises((TypeError, ValueError, AttributeError, OverflowError)):
            x.to_device(bad)


def test_namespace():
    assert cp.zeros(1).__array_namespace__() is cp
    assert cp.zeros(1).__array_namespace__(api_version="2024.12") is cp
    with pytest.raises(ValueError):
        cp.zeros(1).__array_namespace__(api_version="1999.01")


def test_signatures_can_be_read():
    for name in ("get", "reshape", "astype", "view", "__dlpack__", "to_device"):
        assert inspect.signature(getattr(cp.ndarray, name)).parameters
    assert list(inspect.signature(cp.ndarray).parameters)[:2] == ["shape", "dtype"]


def test_generic_alias():
    assert cp.ndarray[int, float].__origin__ is cp.ndarray


def total_references(body, rounds=30):
    """Growth of reference counts of common objects over many rounds of `body`."""
    body()
    gc.collect()
    watched = (
        None,
        True,
        False,
        Ellipsis,
        NotImplemented,
        cp.ndarray,
        np.dtype("f8"),
        np.dtype("i4"),
    )
    before = [sys.getrefcount(w) for w in watched]
    for _ in range(rounds):
        body()
    gc.collect()
    return max(sys.getrefcount(w) - b for w, b in zip(watched, before, strict=True))


def test_references_do_not_leak():
    x = cp.array(host((4, 5)))
    y = cp.array(host((4, 5), "f8"))

    def good():
        x[1:, ::2][0, ...][None].T.reshape(-1)
        x[2] = 5
        x[1] = [1, 2, 3, 4, 5]
        x[...] = y
        y.real, x.imag, x.flat[2], x.flat[1:3], list(x), x.flags["C"], x.flags.writeable
        cp.array([[1.0, 2], [3, 4]]), cp.asarray(x, dtype="f4"), cp.array([x, y])
        repr(x), x.tolist(), x.get(), x.item(3), x.view("f4"), x.astype("f8"), x.copy()
        x.__dlpack__(), x.__dlpack__(max_version=(1, 0)), cp.from_dlpack(x)
        x.__cuda_array_interface__, cp.asnumpy(x), _C.broadcast_to(x, (2, 4, 5))
        cp.full((2,), 3.0), cp.zeros_like(x), _C.may_share_memory(x, y), _C.result_type(x, 1.0)

    def bad():
        for attempt in (
            lambda: x[9], lambda: x[0, 0, 0], lambda: x[1.5], lambda: x["a"], lambda: x[..., ...],
            lambda: x.reshape(7), lambda: x.reshape(order="Q"), lambda: x.transpose(0, 0),
            lambda: x.astype("O"), lambda: x.astype("i4", casting="x"), lambda: cp.array("abc"),
            lambda: cp.array([[1], [1, 2]]), lambda: cp.zeros(-1), lambda: cp.zeros(2**62),
            lambda: x.__setitem__(0, [1, 2]), lambda: x.__setitem__(0, "x"), lambda: x.fill("x"),
            lambda: x.item(99), lambda: x.view("i2,>i2"), lambda: _C.broadcast_to(x, (3, 3)),
            lambda: x.__dlpack__(stream=0), lambda: x.__dlpack__(dl_device=(9, 9)), lambda: np.asarray(x),
            lambda: cp.asarray(object()), lambda: x.squeeze(0), lambda: x.get(out=3), lambda: hash(x),
            lambda: x.set(3), lambda: _C.as_strided(x, (99,), (4,)), lambda: x.flat["x"], lambda: bool(x),
        ):  # fmt: skip
            with pytest.raises(Exception):  # noqa: B017
                attempt()

    assert total_references(good) <= 2
    assert total_references(bad) <= 2


@pytest.mark.filterwarnings("ignore")
def test_garbage_arguments_never_crash():
    """Any object anywhere: an exception of the usual kinds."""

    class Lying:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            raise KeyError(i)

    class Raising:
        def __getattr__(self, name):
            raise ZeroDivisionError(name)

    x = cp.array(host((2, 3)))
    hostile = [None, "x", b"x", 1.5, 1j, object(), [], {}, (), (None,), Lying(), Raising(), 2**100, -1, int,
               lambda: 0, float("nan"), np.zeros(2), np.array(object()), slice(None), Ellipsis, True, x,
               [x], memoryview(b"abcd"), iter([]), NotImplemented, type("T", (), {"shape": 3})()]  # fmt: skip
    callables = [cp.empty, cp.zeros, cp.ones, cp.full, cp.empty_like, cp.zeros_like, cp.full_like, cp.array,
                 cp.asarray, cp.asnumpy, cp.from_dlpack, _C.may_share_memory, _C.shares_memory,
                 _C.broadcast_to, _C.as_strided, _C.result_type, cp.ndarray]  # fmt: skip
    skip = {"__reduce__", "__reduce_ex__", "__init_subclass__", "__subclasshook__", "__class__", "__sizeof__",
            "__dir__", "__getstate__", "tofile", "dump", "__init__", "__new__", "__delattr__", "__setattr__",
            "__getattribute__"}  # fmt: skip
    for name in dir(x):
        if name not in skip and callable(getattr(cp.ndarray, name)):
            callables.append(getattr(x, name))
    kinds = (TypeError, ValueError, IndexError, KeyError, AttributeError, BufferError, OverflowError,
             ZeroDivisionError, NotImplementedError, MemoryError, RuntimeError, ImportError)  # fmt: skip
    for function in callables:
        for one in hostile:
            for args in ((one,), (one, one), (x, one), (one, x), (one,) * 4):
                try:
                    function(*args)
                except kinds:
                    pass


def test_constructor_over_memory():
    x = cp.array(host((2, 6), "f4"))
    pointer = x.data
    y = cp.ndarray((3, 4), "f4", memptr=pointer)
    assert _C.shares_memory(x, y) and not y.flags.owndata
    assert_same(y, host((3, 4), "f4"))
    assert_same(cp.ndarray((3,), "f4", pointer + 8), host((6,), "f4")[2:5])
    turned = cp.ndarray((4, 3), "f4", pointer, strides=(4, 16))
    assert_same(turned, host((3, 4), "f4").T)
    backwards = cp.ndarray((3,), "f4", pointer + 8, strides=(-4,))
    assert backwards.tolist() == [2, 1, 0]
    assert cp.ndarray((0,), "f4", pointer).size == 0
    assert (x[1].data.ptr - pointer.ptr, x[1].data.mem.ptr) == (24, pointer.mem.ptr)
    for shape, dtype, strides in [
        ((13,), "f4", None), ((2, 6), "f8", None), ((2,), "f4", (48,)), ((2,), "f4", (-4,)),
        ((2,), "f4", (2**62,)), ((2,), "f4", (-(2**63),)), ((2, 2), "f4", (4,)),
    ]:  # fmt: skip
        with pytest.raises(ValueError):
            cp.ndarray(shape, dtype, pointer, strides)
    with pytest.raises(ValueError):
        cp.ndarray((2, 2), "f4", strides=(4, 4))
    del x, pointer
    gc.collect()
    assert y[2, 3] == 11


VIEWS = {
    "whole": {"shape": (12,), "dtype": "i4"},
    "offset": {"shape": (2, 3), "dtype": "i4", "offset": 12},
    "order F": {"shape": (2, 3), "dtype": "i4", "order": "F"},
    "halves": {"shape": 5, "dtype": "i2", "offset": 8, "strides": 4},
    "backwards": {"shape": (3,), "dtype": "i4", "offset": 20, "strides": (-8,)},
    "not aligned": {"shape": (3,), "dtype": "i2", "offset": 1},
    "nothing at the end": {"shape": (0, 4), "dtype": "i4", "offset": 48},
    "too large": {"shape": (13,), "dtype": "i4"},
    "beyond the end": {"shape": (2,), "dtype": "i4", "offset": 44},
    "offset beyond the end": {"shape": (1,), "dtype": "i1", "offset": 49},
    "strides beyond the end": {"shape": (4,), "dtype": "i4", "strides": (16,)},
    "strides before the start": {"shape": (3,), "dtype": "i4", "offset": 4, "strides": (-4,)},
    "fractional offset": {"shape": (2,), "dtype": "i4", "offset": 4.0},
}


@pytest.mark.parametrize("name", VIEWS)
def test_constructor_over_an_array(name):
    check(lambda xp: xp.ndarray(buffer=xp.arange(12, dtype="i4"), **VIEWS[name]))


def test_constructor_over_an_array_gives_views():
    x = cp.arange(6.0).reshape(3, 2).T
    y = cp.ndarray((2,), "f8", x)
    assert y.base is x.base and y.tolist() == [0, 1]
    y[1] = 9
    assert x[1, 0] == 9
    x.flags.writeable = False
    assert not cp.ndarray((2,), buffer=x).flags.writeable
    with pytest.raises(ValueError, match="contiguous"):
        cp.ndarray((2,), buffer=cp.arange(9.0)[::3])
    with pytest.raises(ValueError):
        cp.ndarray((2,), buffer=x, offset=-8)  # NumPy reads before the array
    with pytest.raises(TypeError, match="buffer"):
        cp.ndarray((2,), buffer=np.arange(9.0))
    with pytest.raises(TypeError, match="both"):
        cp.ndarray((2,), "f8", x.data, buffer=x)


def test_threads_that_reshape_and_use_one_array():
    """A race, documented: any of the shapes may be seen, but nothing breaks."""
    x = cp.zeros((2, 3, 4, 5), dtype="f4")
    shapes = [(120,), (2, 60), (2, 3, 4, 5), (1,) * 20 + (120,)]
    problems = []

    def work(seed):
        rng = np.random.default_rng(seed)
        uses = [
            lambda: setattr(x, "shape", shapes[rng.integers(4)]),
            lambda: x[..., 0].get(),
            lambda: x.__setitem__(0, 1.0),
            lambda: x.T.ravel(),
            lambda: cp.from_dlpack(x).copy("F"),
            lambda: repr(x),
        ]
        try:
            for _ in range(40):
                uses[rng.integers(len(uses))]()
        except (ValueError, IndexError, AttributeError):
            pass
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
