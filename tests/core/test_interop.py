"""DLPack and the CUDA array interface: served, consumed, and against hostile input."""

import ctypes
import gc
import os

import ml_dtypes
import numpy as np
import pytest
from cases import DTYPES, NUMPY_DTYPES
from check import assert_same

import gpunp as cp
from gpunp import _C


def host(shape, dtype="i4"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


class Wrapper:
    """An object that gives away an interface dict, kept as it is."""

    def __init__(self, description):
        self.__cuda_array_interface__ = description


# ---- CUDA array interface


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_interface_there_and_back(dtype):
    base = cp.array(host((4, 6), dtype) if dtype != "?" else host((4, 6)) % 2 == 0)
    for x in (base, base.T, base[::2, ::-1], base[1, 2], base[:0]):
        d = x.__cuda_array_interface__
        assert d["version"] == 3 and d["shape"] == x.shape and d["typestr"] == x.dtype.str
        assert d["data"][0] == (0 if x.size == 0 else d["data"][0]) and d["data"][1] is False
        assert (d["strides"] is None) == x.flags.c_contiguous
        assert d["stream"] != 0
        y = cp.asarray(Wrapper(d))
        assert_same(y, x.get(), order=False)
        assert x.size == 0 or _C.shares_memory(x, y)
        assert x.size == 0 or y.strides == x.strides


def test_interface_keeps_the_owner_alive():
    x = cp.array(host((5,)))
    y = cp.asarray(wrapper := Wrapper(x.__cuda_array_interface__))
    wrapper.keep = x
    del x, wrapper
    gc.collect()
    assert y.tolist() == [0, 1, 2, 3, 4]
    assert isinstance(y.base, Wrapper)
    assert y[1:].base is y


def test_interface_read_only():
    x = cp.array(host((5,)))
    d = x.__cuda_array_interface__
    y = cp.asarray(Wrapper({**d, "data": (d["data"][0], True)}))
    with pytest.raises(ValueError):
        y[0] = 1
    assert not y[1:].flags.writeable
    assert _C.broadcast_to(x, (2, 5)).__cuda_array_interface__["data"][1] is True


class OnHost:
    """What a library that has bfloat16 exports from the host: a capsule of our own."""

    def __init__(self, x, versions=True):
        self.x, self.versions, self.count = x, versions, 0

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        assert stream is None
        self.count += 1
        version = max_version if self.versions else None
        return self.x.__dlpack__(dl_device=(1, 0), max_version=version)


@pytest.mark.parametrize("versions", [True, False])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4)])
def test_dlpack_of_bfloat16_on_the_host(shape, versions):
    values = np.arange(int(np.prod(shape))).reshape(shape) + 0.5
    x = cp.asarray(values, dtype=cp.bfloat16)
    for given in (x, x.T):
        y = cp.from_dlpack(OnHost(given, versions))
        assert (
            y.dtype == x.dtype and y.shape == given.shape and y.data.ptr != x.data.ptr
        ) or not x.size
        assert y.tolist() == given.tolist()


def test_dlpack_of_the_host_refuses_by_name():
    class Odd(OnHost):
        def __dlpack__(self, **keywords):
            raise BufferError("this one cannot be exported")

    with pytest.raises(BufferError, match="cannot be exported"):
        cp.from_dlpack(Odd(None))

    class NoCapsule(OnHost):
        def __dlpack__(self, **keywords):
            return 3

    with pytest.raises((TypeError, ValueError)):
        cp.from_dlpack(NoCapsule(None))


def test_interface_of_bfloat16_is_absent():
    assert not hasattr(cp.zeros(2, dtype=ml_dtypes.bfloat16), "__cuda_array_interface__")


X = {"shape": (4,), "typestr": "<i4", "version": 3}


def beyond_the_device():
    """Elements of four bytes that no allocation can hold: a pool's segment may be as large as the device."""
    return cp.cuda.runtime.memGetInfo()[1]


@pytest.mark.parametrize(
    "change",
    [
        {"shape": None}, {"shape": 4}, {"shape": "4"}, {"shape": (-1,)}, {"shape": (2**70,)},
        {"shape": (2**62, 2**62)}, {"shape": (4.0,)}, {"shape": (1,) * 65}, {"shape": (2**40,)},
        {"shape": (5,)}, {"shape": (10**12,)}, {"typestr": None}, {"typestr": "O"},
        {"typestr": 4}, {"typestr": ">i4"}, {"typestr": "nonsense"}, {"typestr": "<U3"},
        {"data": None}, {"data": 5}, {"data": (0, False)}, {"data": (1.5, False)}, {"data": ()},
        {"data": (2**70, False)}, {"data": (-5, False)}, {"data": (16, False)},
        {"data": (2**63, False)}, {"data": (2**64 - 4, False)}, {"data": ("x", False)},
        {"strides": (4, 4)}, {"strides": 4}, {"strides": (2**62,)}, {"strides": (-(2**63),)},
        {"strides": (2**70,)}, {"strides": ("4",)}, {"strides": (2**40,)}, {"strides": (-4096 * 1024 * 1024,)},
        {"mask": (1, 2)}, {"version": None}, {"version": "3"}, {"stream": 0}, {"stream": "x"},
        {"stream": 1.5}, {"stream": 2**70}, {"stream": True},
    ],
    ids=repr,
)  # fmt: skip
def test_interface_hostile(change):
    x = cp.array(host((4,)))
    d = {**X, "data": (x.__cuda_array_interface__["data"][0], False), "strides": None, **change}
    if change.get("shape") == (5,):
        d["shape"] = (beyond_the_device(),)
    with pytest.raises((ValueError, TypeError, BufferError)):
        cp.asarray(Wrapper(d))


@pytest.mark.parametrize("key", ["shape", "typestr", "data", "version"])
def test_interface_missing(key):
    x = cp.array(host((4,)))
    d = {**X, "data": x.__cuda_array_interface__["data"]}
    del d[key]
    with pytest.raises((ValueError, TypeError)):
        cp.asarray(Wrapper(d))
    for bad in (5, [], "x"):
        with pytest.raises(TypeError):
            cp.asarray(Wrapper(bad))


def test_interface_of_nothing():
    for shape in [(0,), (3, 0), (0, 2**40)]:
        y = cp.asarray(Wrapper({**X, "shape": shape, "data": (0, False)}))
        assert y.shape == shape and y.get().shape == shape


# ---- DLPack


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]  # fmt: skip


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
NAMES = {Managed: b"dltensor", Versioned: b"dltensor_versioned"}


def tensor_of(capsule, kind):
    return kind.from_address(api.PyCapsule_GetPointer(capsule, NAMES[kind])).tensor


def pointer(x):
    return x.__cuda_array_interface__["data"][0]


class Producer:
    """A DLPack exporter whose every field can be a lie; counts calls of its deleter."""

    def __init__(self, x, kind=Versioned, version=(1, 0), flags=0, **lies):
        self.kind, self.keep, self.deleted, self.calls = kind, x, 0, []
        self.device = lies.pop("device", (2, 0))
        shape = lies.pop("shape", x.shape)
        strides = lies.pop("strides", [s // x.itemsize for s in x.strides])
        self.shape = None if shape is None else (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (
            None if strides is None else (ctypes.c_int64 * max(len(strides), 1))(*strides)
        )
        fields = {"data": pointer(x), "device_type": 2, "device_id": 0, "ndim": x.ndim, "code": 0,
                  "bits": x.itemsize * 8, "lanes": 1, "byte_offset": 0, **lies}  # fmt: skip
        self.deleter = DELETER(self.delete)
        self.managed = kind()
        if kind is Versioned:
            self.managed.major, self.managed.minor = version
            self.managed.flags = flags
        self.managed.deleter = self.deleter
        for name, value in fields.items():
            setattr(self.managed.tensor, name, value)
        if self.shape is not None:
            self.managed.tensor.shape = self.shape
        if self.strides is not None:
            self.managed.tensor.strides = self.strides

    def delete(self, address):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kwargs):
        self.calls.append(kwargs)
        return api.PyCapsule_New(ctypes.addressof(self.managed), NAMES[self.kind], None)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dlpack_there_and_back(dtype):
    base = cp.array(host((4, 6), "i2").astype(dtype))
    for x in (base, base.T, base[::2, ::-1], base[1, 2], base[:0], base[:, None]):
        y = cp.from_dlpack(x)
        assert_same(y, x.get(), order=False)
        assert x.size == 0 or (_C.shares_memory(x, y) and y.strides == x.strides)
        for version, kind in [
            (None, Managed),
            ((0, 8), Managed),
            ((1, 0), Versioned),
            ((1, 3), Versioned),
        ]:
            capsule = x.__dlpack__(max_version=version)
            t = tensor_of(capsule, kind)
            assert t.ndim == x.ndim and t.shape[: t.ndim] == list(x.shape)
            assert (
                t.device_type == 2
                and t.bits == x.itemsize * 8
                and t.lanes == 1
                and t.byte_offset == 0
            )
            assert (t.data or 0) == (0 if x.size == 0 else t.data)
            if x.size:
                assert [s * x.itemsize for s in t.strides[: t.ndim]] == list(x.strides)
            assert_same(cp.from_dlpack(capsule), x.get(), order=False)
            with pytest.raises(ValueError):
                cp.from_dlpack(capsule)
    assert base.__dlpack_device__() == (2, 0)


def test_dlpack_lifetimes():
    x = cp.array(host((5,)))
    capsule = x.__dlpack__()
    del x
    y = cp.from_dlpack(capsule)
    assert api.PyCapsule_GetName(capsule) == b"used_dltensor"
    del capsule
    gc.collect()
    assert y.tolist() == [0, 1, 2, 3, 4]
    for _ in range(3):
        cp.zeros(1000).__dlpack__()  # never consumed: the leak guard looks
        cp.zeros(1000).toDlpack()


@pytest.mark.parametrize("kind", [Managed, Versioned])
def test_dlpack_deleter_runs_once(kind):
    x = cp.array(host((2, 3)))
    producer = Producer(x, kind)
    y = cp.from_dlpack(producer)
    z = y[1:]
    del y
    gc.collect()
    assert producer.deleted == 0 and z.tolist() == [[3, 4, 5]]
    del z
    gc.collect()
    assert producer.deleted == 1
    assert producer.calls[0]["max_version"] == (1, 3)
    assert producer.calls[0]["stream"] != 0


def test_dlpack_old_producers():
    class Old(Producer):
        def __dlpack__(self, stream=None):
            return super().__dlpack__(stream=stream)

    x = cp.array(host((4,)))
    assert_same(cp.from_dlpack(Old(x, Managed)), host((4,)))
    assert_same(cp.from_dlpack(Producer(x, strides=None)), host((4,)))
    assert_same(cp.from_dlpack(Producer(x, byte_offset=4, shape=(3,))), host((4,))[1:])


def test_dlpack_read_only():
    x = cp.array(host((4,)))
    y = cp.from_dlpack(Producer(x, flags=1))
    assert not y.flags.writeable
    with pytest.raises(BufferError):
        y.__dlpack__()
    capsule = y.__dlpack__(max_version=(1, 0))
    assert (
        Versioned.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")).flags & 1
    )
    assert not cp.from_dlpack(capsule).flags.writeable


@pytest.mark.parametrize(
    "lies",
    [
        {"version": (2, 0)}, {"version": (0, 9)}, {"ndim": -1}, {"ndim": 65}, {"ndim": 2**31 - 1},
        {"shape": None, "ndim": 1}, {"shape": (-1,)}, {"shape": (2**62,)}, {"shape": (2**63 - 1,)},
        {"shape": (2**32, 2**32), "ndim": 2, "strides": None}, {"shape": "beyond the device"},
        {"strides": (2**61,)}, {"strides": (2**63 - 1,)}, {"strides": (-(2**63),)}, {"strides": (2**40,)},
        {"strides": (-(2**40),)}, {"data": None}, {"data": 64}, {"data": 2**63}, {"data": 2**64 - 4},
        {"byte_offset": 2**63}, {"byte_offset": 2**64 - 1}, {"byte_offset": 2**50}, {"bits": 7},
        {"bits": 128}, {"lanes": 2}, {"lanes": 0}, {"code": 3}, {"code": 200}, {"device_type": 1},
        {"device_type": 10}, {"device_type": -1}, {"device_id": 7}, {"device_id": -1},
    ],
    ids=repr,
)  # fmt: skip
def test_dlpack_hostile(lies):
    if lies.get("shape") == "beyond the device":
        lies = {"shape": (beyond_the_device(),)}
    producer = Producer(cp.array(host((4,))), **lies)
    with pytest.raises((BufferError, ValueError)):
        cp.from_dlpack(producer)
    gc.collect()
    assert producer.deleted == 1


def test_dlpack_hostile_objects():
    class Odd:
        def __init__(self, device, capsule):
            self.device, self.capsule = device, capsule

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **kwargs):
            if isinstance(self.capsule, Exception):
                raise self.capsule
            return self.capsule

    wrong = api.PyCapsule_New(1, b"something", None)
    for device, capsule in [
        (None, None), ((2,), None), ((2, 0), None), ((2, 0), 5), ((2, 0), wrong), (("a", 0), None),
        ((2, 0), BufferError("no")), ((2**40, 0), None), ((2, -5), None), ((7, 0), None), ([2, 0], None),
    ]:  # fmt: skip
        with pytest.raises((BufferError, ValueError, TypeError)):
            cp.from_dlpack(Odd(device, capsule))
    with pytest.raises(RuntimeError):
        cp.from_dlpack(Odd((2, 0), RuntimeError("mine")))
    for bad in (5, None, "x", object(), wrong):
        with pytest.raises((AttributeError, TypeError, ValueError)):
            cp.from_dlpack(bad)


def test_dlpack_arguments():
    x = cp.array(host((2, 3)))
    for stream in (None, 1, 2, -1):
        x.__dlpack__(stream=stream)
    for stream, error in [(0, ValueError), (-2, ValueError), ("x", TypeError), (1.5, TypeError)]:
        with pytest.raises(error):
            x.__dlpack__(stream=stream)
    for version in (5, "1", (1,), ("a", "b"), (None, None)):
        with pytest.raises(TypeError):
            x.__dlpack__(max_version=version)
    for device in ((2, 1), (10, 0), (13, 0)):
        with pytest.raises(BufferError):
            x.__dlpack__(dl_device=device)
    with pytest.raises(TypeError):
        x.__dlpack__(1)
    copied = x.__dlpack__(copy=True, max_version=(1, 0))
    assert Versioned.from_address(api.PyCapsule_GetPointer(copied, b"dltensor_versioned")).flags & 2
    assert not _C.shares_memory(cp.from_dlpack(copied), x)
    x.__dlpack__(copy=False, dl_device=(2, 0))


def test_dlpack_to_the_host():
    a = host((2, 3), "f4")
    x = cp.array(a)

    class OnHost:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **kwargs):
            kwargs.pop("dl_device", None)
            return x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))

    np.testing.assert_array_equal(np.from_dlpack(OnHost()), a)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(ValueError):
        x.__dlpack__(dl_device=(1, 0), stream=1)


def test_dlpack_from_the_host():
    a = host((2, 3), "f4")
    assert_same(cp.from_dlpack(a), a)
    assert_same(cp.from_dlpack(a.T), a.T)
    with pytest.raises((ValueError, BufferError)):
        cp.from_dlpack(a, copy=False)


def test_dlpack_strides_that_are_no_multiples():
    x = cp.array(host((8,), "i1"))
    y = _C.as_strided(x, (2,), (1,)).view("i1")
    odd = _C.as_strided(cp.zeros(16, dtype="i1")[:8].view("i4"), (2,), (3,))
    with pytest.raises(BufferError):
        odd.__dlpack__()
    y.__dlpack__()


def test_protocols_in_asarray():
    x = cp.array(host((4,)))
    producer = Producer(x)
    y = cp.asarray(producer)
    assert _C.shares_memory(x, y)

    class Both(Producer):
        @property
        def __cuda_array_interface__(self):
            return self.keep.__cuda_array_interface__

        def __dlpack__(self, **kwargs):
            raise BufferError("not today")

    assert _C.shares_memory(cp.asarray(Both(x)), x)


# ---- the C exchange API


class ExchangeApi(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)),
        ("export", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)),
        ("consume", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("peek", ctypes.c_void_p),
        (
            "stream",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p),
        ),
    ]


SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


def exchange_api():
    capsule = cp.ndarray.__dlpack_c_exchange_api__
    return ExchangeApi.from_address(api.PyCapsule_GetPointer(capsule, b"dlpack_exchange_api"))


def test_exchange_there_and_back():
    c = exchange_api()
    assert (c.major, c.minor, c.previous) == (1, 3, None)
    x = cp.array(host((2, 3)))[:, ::2]
    tensor = ctypes.c_void_p()
    assert c.export(x, ctypes.byref(tensor)) == 0
    assert list(Versioned.from_address(tensor.value).tensor.strides[:2]) == [3, 2]
    out = ctypes.c_void_p()
    assert c.consume(tensor, ctypes.byref(out)) == 0
    y = ctypes.cast(out, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(y))
    assert_same(y, x.get(), order=False)
    assert _C.shares_memory(x, y)
    stream = ctypes.c_void_p(5)
    assert c.stream(2, 0, ctypes.byref(stream)) == 0
    assert (stream.value or 0) in (0, 1, 2)
    with pytest.raises(TypeError):
        c.export(5, ctypes.byref(tensor))
    with pytest.raises(BufferError):
        c.stream(1, 0, ctypes.byref(stream))


def test_exchange_allocates():
    c = exchange_api()
    said = []
    complain = SET_ERROR(lambda context, kind, message: said.append((kind, message)))
    callback = ctypes.cast(complain, ctypes.c_void_p)
    shape = (ctypes.c_int64 * 2)(3, 4)
    prototype = DLTensor(device_type=2, device_id=0, ndim=2, code=2, bits=32, lanes=1, shape=shape)
    tensor, out = ctypes.c_void_p(), ctypes.c_void_p()
    assert c.allocate(ctypes.addressof(prototype), ctypes.addressof(tensor), None, callback) == 0
    assert c.consume(tensor, ctypes.byref(out)) == 0
    y = ctypes.cast(out, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(y))
    assert y.shape == (3, 4) and y.dtype == np.float32
    for change in ({"code": 3}, {"device_type": 1}, {"ndim": -1}, {"ndim": 100}):
        bad = DLTensor.from_buffer_copy(prototype)
        for name, value in change.items():
            setattr(bad, name, value)
        assert c.allocate(ctypes.addressof(bad), ctypes.addressof(tensor), None, callback) == -1
    assert len(said) == 4 and all(kind == b"BufferError" and words for kind, words in said)


def test_copies_of_producers_that_know_no_copy():
    class Old(Producer):
        def __dlpack__(self, stream=None):
            return super().__dlpack__(stream=stream)

    x = cp.array(host((5,)))
    for copy, shares in ((None, True), (False, True), (True, False)):
        y = cp.from_dlpack(Old(x), copy=copy)
        assert _C.shares_memory(x, y) == shares, copy
        assert y.tolist() == x.tolist()


def resident():
    """Kilobytes of memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


# What a hundred thousand rounds may add. The address sanitizer holds up to 256 MB of freed memory
# back, to find its later use.
GROWTH = 300_000 if "address" in os.environ.get("GPUNP_SANITIZE", "") else 4096


@pytest.mark.slow
def test_hundred_thousand_handoffs_leave_nothing():
    """Capsules consumed or not, producers that go first, streams that are destroyed, both ways."""
    c = exchange_api()
    tensor, out = ctypes.c_void_p(), ctypes.c_void_p()
    small = host((3,), "f4")

    def rounds(n):
        for i in range(n):
            x = cp.empty(16, "f4")
            x.__dlpack__(max_version=(1, 3))
            x.toDlpack()
            y = cp.from_dlpack(x[2:])
            del x
            assert c.export(y, ctypes.byref(tensor)) == 0
            assert c.consume(tensor, ctypes.byref(out)) == 0
            z = ctypes.cast(out, ctypes.py_object).value
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(z))
            del y, z
            if i % 10 == 0:
                with cp.cuda.Stream():
                    w = cp.asarray(small)
                    np.from_dlpack(w, device="cpu")
                    cp.from_dlpack(w)
                cp.from_dlpack(small)

    rounds(2000)
    gc.collect()
    pool, before, used = cp.get_default_memory_pool(), resident(), None
    used = pool.used_bytes(), pool.total_bytes()
    rounds(100_000)
    gc.collect()
    assert (pool.used_bytes(), pool.total_bytes()) == used
    assert resident() - before < GROWTH


@pytest.mark.slow
def test_hundred_thousand_interfaces_leave_nothing():
    """The CUDA array interface, buffers and page-locked memory; capsules that are taken twice."""

    class Holder:
        def __init__(self, x):
            self.__cuda_array_interface__ = x.__cuda_array_interface__
            self.kept = x

    lines = bytearray(64)

    def rounds(n):
        for i in range(n):
            x = cp.empty(16, "f4")
            y = cp.asarray(Holder(x))[4:]
            x.__cuda_array_interface__
            del x
            z = cp.asarray(memoryview(lines).cast("f"))
            z.set(np.frombuffer(lines, "f4"))
            capsule = y.__dlpack__()
            del y
            w = cp.from_dlpack(capsule)
            with pytest.raises(ValueError, match="consumed"):
                cp.from_dlpack(capsule)
            del w, capsule, z
            if i % 10 == 0:
                with cp.cuda.Stream(non_blocking=True) as stream:  # which is destroyed
                    inside = cp.asarray(Holder(cp.zeros(8)))
                    held = np.frombuffer(cp.cuda.alloc_pinned_memory(64), "f4", 16)
                    inside[:4].get(stream=stream)
                del stream
                assert (inside + 1).size == 8 and held.size == 16

    rounds(2000)
    gc.collect()
    pool, before = cp.get_default_memory_pool(), resident()
    used, total = pool.used_bytes(), pool.total_bytes()
    rounds(100_000)
    gc.collect()
    assert pool.used_bytes() == used
    assert pool.total_bytes() <= total + (
        64 << 20
    )  # streams at work at once differ from run to run
    assert resident() - before < GROWTH
