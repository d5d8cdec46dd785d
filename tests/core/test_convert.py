"""Objects into arrays and arrays to the host: lists, NumPy arrays, pickles, files, text."""

import copy
import io
import pickle
import re
import resource
import signal
import time

import ml_dtypes
import numpy as np
import pytest
from cases import DTYPES
from check import assert_raises_same, assert_same, check

import gpunp as cp
from gpunp import _C


def host(shape, dtype="i4"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


# ---- from lists and scalars


def name(value):
    """A test's name that is the same in every process: without addresses."""
    return re.sub(r" at 0x\w+", "", repr(value))[:30]


@pytest.mark.parametrize(
    "value",
    [
        1, 2.5, 1j, True, [], [[]], [[], []], [1, 2], [1, 2.5], [True, 2], [[1, 2], [3, 4]],
        ((1, 2), [3, 4]), [[[1]]], np.float32(3), [np.int8(1), np.int8(2)], range(4),
        [np.arange(3), [4, 5, 6]], [2**63], [-1, 2**62], [np.array(1), 2], memoryview(b"abc"),
        bytearray(b"xy"), [[1], [2.0], [3j]],
    ],
    ids=name,
)  # fmt: skip
def test_array_of_objects_numpy_takes(value):
    check(lambda xp: xp.array(value))
    check(lambda xp: xp.asarray(value))
    check(lambda xp: xp.array(value, ndmin=3))


@pytest.mark.parametrize(
    "value",
    ["abc", b"abc", ["a", "b"], [None, 1], None, object(), {}, {"a": 1}, {1, 2}, [object()],
     np.array(["a"]), np.array([1, None], dtype=object), np.zeros(2, "i4,>f4"), 2**64, [2**70],
     lambda: 0, int, ...],
    ids=name,
)  # fmt: skip
def test_array_of_what_has_no_dtype_here(value):
    for make in (cp.array, cp.asarray):
        with pytest.raises(TypeError):
            make(value)


def test_ragged_lists():
    assert_raises_same(lambda xp: xp.array([[1, 2], [3]]))
    assert_raises_same(lambda xp: xp.array([[1], 2]))


def test_lists_with_a_dtype():
    for dtype in DTYPES:
        x = cp.array([[0, 1], [1, 0]], dtype=dtype)
        assert_same(x, np.array([[0, 1], [1, 0]], dtype=dtype))
    assert_raises_same(lambda xp: xp.array([300], dtype="u1"))
    assert_raises_same(lambda xp: xp.array([1j], dtype="f4"))


def test_self_nesting_and_depth_end_quickly():
    """ValueError, with little time and memory."""
    loop = []
    loop += [loop, loop]
    deep = [1]
    for _ in range(100_000):
        deep = [deep]
    shared = [1.0, 2.0]
    for _ in range(45):
        shared = [shared, shared]
    mutual = [[]]
    mutual[0].append(mutual)
    limit = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + 200_000
    for bad in (loop, deep, shared, mutual, [1, loop], ([loop],), [shared, shared]):
        started = time.process_time()
        with pytest.raises(ValueError):
            cp.array(bad)
        with pytest.raises(ValueError):
            cp.zeros(1)[...] = bad
        assert time.process_time() - started < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < limit
    ok = 7
    for _ in range(64):
        ok = [ok]
    assert cp.array(ok).shape == (1,) * 64
    with pytest.raises(ValueError):
        cp.array([ok])


def test_lists_of_device_arrays_are_stacked():
    a, b = host((2, 3), "f4"), host((2, 3), "i8")
    x, y = cp.array(a), cp.array(b)
    assert_same(cp.array([x, x]), np.array([a, a]))
    assert_same(cp.array([[x], [y]]), np.array([[a], [b]]))
    assert_same(cp.array((x.T, y.T), dtype="f4"), np.array((a.T, b.T), dtype="f4"))
    assert_same(cp.array([x[0, 0], 2.5, x[1, 1]]), np.array([a[0, 0], 2.5, a[1, 1]], dtype="f8"))
    assert_same(cp.array([cp.array(1), 2, 3]), np.array([1, 2, 3]))
    assert_same(cp.array([x[0], [1, 2, 3]]), np.array([a[0], [1, 2, 3]], dtype="f8"))
    for bad in ([x, x[0]], [x, 1], [x[0], x[0, :2]], [x[0], [1, 2]]):
        with pytest.raises(ValueError):
            cp.array(bad)
    deep = x[0, 0]
    for _ in range(70):
        deep = [deep]
    with pytest.raises(ValueError):
        cp.array(deep)


# ---- from NumPy arrays


class ClearsTheList:
    """An exporter that removes the list's items when its description is read the n-th time."""

    def __init__(self, items, n):
        self.items, self.left = items, n

    @property
    def __cuda_array_interface__(self):
        self.left -= 1
        description = self.items[0].__cuda_array_interface__ if self.items else {}
        if self.left == 0:
            self.items.clear()
        return description


@pytest.mark.parametrize("n", [1, 2])
def test_list_that_changes_while_its_items_are_read(n):
    items = [cp.ones(2)]
    items += [ClearsTheList(items, n), *(cp.ones(2) for _ in range(200))]
    with pytest.raises(ValueError, match="inhomogeneous shape|changed its length"):
        cp.array(items)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numpy_arrays_of_every_dtype_and_layout(dtype):
    base = host((4, 6), "i2").astype(dtype)
    for a in (
        base,
        base.T,
        base[::-1],
        base[:, ::2],
        base[1:1],
        base[0, 0],
        np.asfortranarray(base),
        np.broadcast_to(base[0], (3, 6)),
        base[..., None].transpose(2, 0, 1),
    ):
        x = cp.array(a)
        assert_same(x, np.array(a), order=False)
        assert x.strides == np.array(a, order="K").strides or a.size <= 1 or 1 in a.shape
        for order in "CFA":
            assert_same(cp.array(a, order=order), np.array(a, order=order))
        back = x.get()
        assert type(back) is np.ndarray and back.flags.c_contiguous and back.flags.owndata


def test_numpy_arrays_that_need_care():
    swapped = host((3, 2), "f8").astype(">f8")
    assert_same(cp.array(swapped), host((3, 2), "f8"))
    raw = np.zeros(25, "i1")[1:].view("i8")
    raw[:] = [1, 2, 3]
    assert_same(cp.array(raw), np.array([1, 2, 3]))
    read_only = host((3,))
    read_only.flags.writeable = False
    assert cp.array(read_only).flags.writeable
    assert_same(cp.array(np.arange(3, dtype="g"), dtype="f8"), np.arange(3.0))
    with pytest.raises(TypeError):
        cp.array(np.arange(3, dtype="g"))
    assert_same(cp.array(np.array([1, 2], dtype=object), dtype="i4"), np.array([1, 2], "i4"))
    matrix = np.arange(6.0).reshape(2, 3).view(np.recarray)
    assert type(cp.array(matrix)) is cp.ndarray
    assert_same(cp.array(np.ma.array([1, 2, 3])), np.array([1, 2, 3]))


def test_copy_modes():
    x = cp.array(host((2, 3)))
    assert cp.asarray(x) is x
    assert cp.array(x, copy=None) is x
    assert cp.array(x, copy=False) is x
    assert not _C.shares_memory(cp.array(x), x)
    assert not _C.shares_memory(cp.asarray(x, dtype="f8"), x)
    assert not _C.shares_memory(cp.asarray(x, copy=True), x)
    assert cp.asarray(x.T, order="F").base is x
    for bad in ({"dtype": "f4"}, {"order": "F"}):
        with pytest.raises(ValueError):
            cp.array(x, copy=False, **bad)
    with pytest.raises(ValueError):
        cp.array([1, 2], copy=False)
    with pytest.raises(ValueError):
        cp.asarray(host((3,)), copy=False)


def test_objects_with_array_protocols():
    class Interface:
        def __init__(self, a):
            self.a = a
            self.__array_interface__ = a.__array_interface__

    class Method:
        def __array__(self, dtype=None, copy=None):
            return np.array([4.0, 5.0])

    class Raising:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("broken")

    assert_same(cp.asarray(Interface(host((4,)))), host((4,)))
    assert_same(cp.asarray(Method()), np.array([4.0, 5.0]))
    with pytest.raises(RuntimeError):
        cp.asarray(Raising())


# ---- to the host


def test_get():
    a = host((3, 4), "f4")
    x = cp.array(a)
    for view, expected in [(x, a), (x.T, a.T), (x[::2, ::-1], a[::2, ::-1]), (x[:0], a[:0])]:
        for order in "CFA":
            got = view.get(order=order)
            np.testing.assert_array_equal(got, expected)
            if order != "A":
                assert got.flags[f"{order}_CONTIGUOUS"]
        assert view.get(order="A").flags.f_contiguous == (expected.flags.f_contiguous)
        out = np.empty_like(expected)
        assert view.get(out=out) is out
        np.testing.assert_array_equal(out, expected)
    out = np.zeros((3, 8), "f4")
    x.get(out=out[:, ::2])
    np.testing.assert_array_equal(out[:, ::2], a)
    np.testing.assert_array_equal(x.to_numpy(), a)
    np.testing.assert_array_equal(cp.asnumpy(x), a)
    assert cp.asnumpy([1, 2]).tolist() == [1, 2]
    read_only = np.zeros_like(a)
    read_only.flags.writeable = False
    for bad, error in [(np.zeros((3, 4)), TypeError), (np.zeros((4, 3), "f4"), ValueError),
                       (read_only, ValueError), ([1], TypeError), (x, TypeError)]:  # fmt: skip
        with pytest.raises(error):
            x.get(out=bad)
    with pytest.raises(ValueError):
        x.get(order="X")
    with pytest.raises(TypeError):
        x.get(nonsense=1)


def test_set():
    a = host((3, 4), "f4")
    x = cp.zeros((3, 4), dtype="f4")
    x.set(a)
    assert_same(x, a)
    x.set(np.asfortranarray(a * 2))
    assert_same(x, a * 2)
    x.T.set(np.ascontiguousarray(a.T))
    assert_same(x, a)
    x[:, ::2].set(np.zeros((3, 2), "f4"))
    a[:, ::2] = 0
    assert_same(x, a)
    for bad, error in [(a.astype("f8"), TypeError), (a[:2], ValueError), ([1], TypeError),
                       (x, TypeError)]:  # fmt: skip
        with pytest.raises(error):
            x.set(bad)
    with pytest.raises(ValueError):
        _C.broadcast_to(x, (2, 3, 4)).set(np.zeros((2, 3, 4), "f4"))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pickle_and_copy(dtype):
    a = host((3, 4), "i2").astype(dtype)
    x = cp.array(a)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        for view, expected in [(x, a), (x.T, a.T), (x[1, ::2], a[1, ::2]), (x[0, 0], a[0, 0])]:
            again = pickle.loads(pickle.dumps(view, protocol))
            assert type(again) is cp.ndarray
            assert_same(again, np.asarray(expected))
    for duplicate in (copy.copy, copy.deepcopy):
        twin = duplicate(x.T)
        assert_same(twin, duplicate(a.T))
        assert not _C.shares_memory(twin, x)
    assert_same(pickle.loads(x.dumps()), a)


def test_pickle_out_of_band():
    x = cp.array(host((100,), "f8"))
    buffers = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 400
    assert_same(pickle.loads(data, buffers=buffers), host((100,), "f8"))


def test_files_and_bytes(tmp_path):
    a = host((2, 3), "f4")
    x = cp.array(a)
    assert x.tobytes() == a.tobytes() and x.T.tobytes() == a.T.tobytes()
    assert x.tobytes("F") == a.tobytes("F") and x.T.tobytes("A") == a.T.tobytes("A")
    assert bytes(x) == a.tobytes()
    x.tofile(tmp_path / "raw")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "raw", "f4"), a.ravel())
    x.tofile(tmp_path / "text", sep=",", format="%.2f")
    assert (tmp_path / "text").read_text().startswith("0.00,1.00")
    x.dump(tmp_path / "dump")
    x.dump(stream := io.BytesIO())
    for data in ((tmp_path / "dump").read_bytes(), stream.getvalue()):
        assert_same(pickle.loads(data), a)
    with pytest.raises(OSError):
        x.dump(tmp_path)
    assert x.tolist() == a.tolist() and x[0, 0].tolist() == 0.0


@pytest.mark.parametrize("shape", [(), (3,), (0,), (0, 3), (1001,), (1000,), (40, 50), (6, 7, 8, 9),
                                   (3, 2000), (2000, 3), (8, 9, 50), (7, 2000), (1, 1, 1500)], ids=str)  # fmt: skip
@pytest.mark.parametrize("dtype", ["i8", "f8", "f4", "?", "c16", "i1", "bfloat16"])
def test_text_is_numpys(shape, dtype):
    dtype = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    a = host(shape, "i8").astype(dtype)
    x = cp.array(a)
    assert repr(x) == repr(a)
    assert str(x) == str(a)
    assert f"{x}" == f"{a}"
    if a.ndim > 1:
        assert repr(x.T) == repr(a.T)
        assert str(x[::-1]) == str(a[::-1])


def test_text_follows_print_options():
    a = host((30, 40), "f8") / 7
    x = cp.array(a)
    for options in ({"threshold": 10}, {"edgeitems": 1},
                    {"linewidth": 40, "threshold": 5}, {"precision": 2}, {"threshold": 10**9},
                    {"edgeitems": 14, "threshold": 5}, {"edgeitems": 100, "threshold": 5}):  # fmt: skip
        with np.printoptions(**options):
            assert repr(x) == repr(a)
            assert str(x) == str(a)


def test_implicit_conversion():
    x = cp.array([1.0, 2.0])
    with pytest.raises(TypeError, match=r"\.get\(\)"):
        np.asarray(x)
    with pytest.raises(TypeError):
        np.array([x, x])
    with cp.allow_host_copy():
        np.testing.assert_array_equal(np.asarray(x), [1.0, 2.0])
        np.testing.assert_array_equal(np.asarray(x, dtype="i4"), [1, 2])
        with pytest.raises(ValueError):
            np.array(x, copy=False)
        with cp.allow_host_copy():
            np.asarray(x)
        np.asarray(x)
    with pytest.raises(TypeError):
        np.asarray(x)
    guard = cp.allow_host_copy()
    with pytest.raises(RuntimeError):
        guard.__exit__(None, None, None)
    with pytest.raises(TypeError):
        cp.allow_host_copy(1)


def test_allowance_stays_in_its_thread():
    import threading

    x = cp.array([1.0])
    seen = []

    def work():
        try:
            np.asarray(x)
        except TypeError:
            seen.append("refused")

    with cp.allow_host_copy():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == ["refused"]


def test_a_signal_handler_may_clear_the_list():
    """Handlers run after 2**20 items; the inner list is the outer one's alone."""
    # Each leaf and its place in the list above count 1,024 items, so the check comes with the last.
    outer = [[[0] * 1023 for _ in range(4096)]]
    outer[0][0] = [0] * 1022

    def clear(number, frame):
        outer.clear()

    before = signal.signal(signal.SIGALRM, clear)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
        cp.asarray(outer)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
