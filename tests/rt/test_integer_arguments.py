"""Integers from Python are checked, not taken modulo 2^64: negative sizes, addresses and flags are
ValueError, what is beyond the C type OverflowError."""

import inspect
import re

import numpy as np
import pytest

import gpunp as cp
from gpunp import _C
from gpunp.cuda import runtime

#: Parameters of cudart that are a C int; flags are unsigned; the rest has 64 bits without a sign.
INTS = {
    "attr", "attrib", "advice", "allocType", "devId", "device", "dstDevice", "handleType", "kind",
    "limit", "locationType", "mode", "peerDevice", "priority", "srcDevice", "status",
}  # fmt: skip
NO_INTS = {"path", "pciBusId", "handle", "fn", "callback", "callbackFunc", "arg"}


def parameters():
    """(function, its parameters, index of one of them) for all integers of the functions in C."""
    for name, function in sorted(vars(_C.runtime).items()):
        if not callable(function) or getattr(function, "__text_signature__", None) is None:
            continue
        names = [p.name for p in inspect.signature(function).parameters.values()]
        for i, parameter in enumerate(names):
            if not NO_INTS & set(names):
                yield pytest.param(function, names, i, id=f"{name}-{parameter}")


def bounds(function, parameter):
    if parameter in INTS or (function.startswith("memset") and parameter == "value"):
        return -(2**31), 2**31 - 1
    return 0, (2**32 if parameter == "flags" else 2**64) - 1


@pytest.mark.parametrize("function, names, i", list(parameters()))
def test_every_integer_of_runtime_has_a_range(function, names, i):
    low, high = bounds(function.__name__, names[i])
    for value in (high + 1, 2**64, 2**64 + 16, 2**200, low - 1, -(2**64), -(2**200)):
        numbers = [0] * len(names)
        numbers[i] = value
        expected = ValueError if low == 0 and value < 0 else OverflowError
        with pytest.raises(expected, match=re.escape(str(value))):
            function(*numbers)
    for value in (1.0, "1", None, [1]):
        numbers = [0] * len(names)
        numbers[i] = value
        with pytest.raises(TypeError):
            function(*numbers)


def test_memset_takes_a_negative_byte():
    a = cp.zeros(8, "i1")
    runtime.memset(a.data.ptr, -2, 8)
    assert (a.get() == -2).all()


SIZES = {
    "alloc": cp.cuda.alloc,
    "Memory": cp.cuda.Memory,
    "ManagedMemory": cp.cuda.ManagedMemory,
    "malloc_managed": cp.cuda.malloc_managed,
    "malloc_async": cp.cuda.malloc_async,
    "SystemMemory": cp.cuda.memory.SystemMemory,
    "pool.malloc": lambda n: cp.get_default_memory_pool().malloc(n),
    "pool.set_limit": lambda n: cp.get_default_memory_pool().set_limit(n),
    "PinnedMemory": cp.cuda.PinnedMemory,
    "alloc_pinned_memory": cp.cuda.alloc_pinned_memory,
    "pinned pool": lambda n: cp.get_default_pinned_memory_pool().malloc(n),
    "UnownedMemory": lambda n: cp.cuda.UnownedMemory(0, n, None),
    "UnownedMemory, ptr": lambda n: cp.cuda.UnownedMemory(n, 0, None),
    "PinnedMemory, flags": lambda n: cp.cuda.PinnedMemory(8, n),
    "ExternalStream": cp.cuda.ExternalStream,
    "copy_from_device": lambda n: cp.zeros(3).data.copy_from_device(cp.zeros(3).data, n),
    "copy_from_host": lambda n: cp.zeros(3).data.copy_from_host(np.zeros(3), n),
    "copy_to_host": lambda n: cp.zeros(3).data.copy_to_host(np.zeros(3), n),
    "memset of a pointer": lambda n: cp.zeros(3).data.memset(0, n),
    "allocator's function": lambda n: cp.cuda.PythonFunctionAllocator(
        lambda size, device: 0, lambda ptr, device: None
    ).malloc(n),
    "an address of an allocator": lambda n: cp.ndarray(
        2, memptr=cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(n, 16, None), 0)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_addresses(name):
    for value in (-1, -(2**63), -(2**64), -(2**200)):
        with pytest.raises(ValueError, match="negative"):
            SIZES[name](value)
    for value in (2**64, 2**64 + 16, 2**200):
        with pytest.raises(OverflowError):
            SIZES[name](value)
    for value in (1.5, "x", None, [], object()):
        if not (name == "pool.set_limit" and value is None):
            with pytest.raises(TypeError):
                SIZES[name](value)


@pytest.mark.parametrize(
    "call",
    [
        lambda n: cp.cuda.Stream(priority=n),
        lambda n: cp.cuda.ExternalStream(0, n),
        lambda n: cp.cuda.get_current_stream(n),
        lambda n: cp.cuda.Stream().begin_capture(n),
        runtime.setDevice,
        runtime.check_status,
        lambda n: cp.zeros(3).to_device(n),
    ],
)
@pytest.mark.parametrize("value", [2**31, 2**32, 2**32 + 1, -(2**31) - 1, 2**64])
def test_ints(call, value):
    with pytest.raises(OverflowError):
        call(value)


def test_pointers_of_pinned_memory_do_not_wrap():
    p = cp.cuda.alloc_pinned_memory(64)
    for step in (2**63 - 1, -(2**63), 600):
        with pytest.raises((ValueError, OverflowError)):
            (p + 8) + step
    with pytest.raises(OverflowError):
        p + 2**64


def test_memory_pointers_are_checked():
    a = cp.zeros(3)
    for wrong in (a, None, 5, a.data):
        with pytest.raises(TypeError, match="BaseMemory"):
            cp.cuda.MemoryPointer(wrong, 0)
    with pytest.raises(ValueError, match="negative"):
        a.data - 2**64
    for wrong in (a, None, 5):
        with pytest.raises(TypeError, match="MemoryPointer"):
            a.data.copy_from_device(wrong, 8)
    with pytest.raises(TypeError, match="stream"):
        a.data.memset_async(0, 8, "stream")


class Interface:
    def __init__(self, **changed):
        self.__cuda_array_interface__ = {
            "shape": (2,), "typestr": "<f8", "data": (cp.zeros(2).data.ptr, False), "version": 3,
            **changed,
        }  # fmt: skip


@pytest.mark.parametrize("value", [-1, 2**64, 2**200])
def test_pointers_of_other_libraries(value):
    with pytest.raises((ValueError, OverflowError)):
        cp.asarray(Interface(data=(value, False)))
    with pytest.raises((ValueError, OverflowError)):
        cp.asarray(Interface(stream=value))


@pytest.mark.parametrize(
    "make",
    [
        cp.cuda.Memory, cp.cuda.ManagedMemory, cp.cuda.memory.MemoryAsync,
        cp.cuda.memory.SystemMemory, cp.cuda.memory.PythonFunctionAllocatorMemory,
        cp.cuda.memory.CFunctionAllocatorMemory, cp.cuda.pinned_memory.PooledPinnedMemory,
        cp.cuda.texture.CUDAarray, cp.cuda.texture.TextureObject, cp.cuda.texture.SurfaceObject,
    ],
)  # fmt: skip
def test_objects_whose_init_never_ran_are_destroyed_in_silence(make):
    make.__new__(make)  # an exception in __del__ is a warning, and warnings are errors here


def test_integers_are_narrowed_in_one_place():
    """What cuts bits off without an error stands in base/args.c alone, with the element values."""
    from pathlib import Path

    root = Path(__file__).parents[2] / "csrc"
    allowed = {
        "base/args.c", "core/scalar.c", "user/dispatch.c", "user/arguments.c",
        "random/random_parameters.c",  # 64 bits of an int64, as they are
    }  # fmt: skip
    cut = re.compile(
        r"PyLong_As\w*Mask\(|PyLong_AsVoidPtr\(|PyLong_AsLong\(|PyLong_AsUnsignedLong(Long)?\("
    )
    for path in sorted(root.rglob("*.c")):
        name = path.relative_to(root).as_posix()
        if name not in allowed:
            assert not cut.search(path.read_text()), f"{name}: use gnp_int_from_object and its kin"
