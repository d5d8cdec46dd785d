"""Pointers, kinds of memory, allocators and hooks."""

import io

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import memory_hooks


@pytest.fixture
def host(rng):
    return rng.integers(0, 255, 1000, dtype=np.uint8)


def read(pointer, size):
    out = np.empty(size, np.uint8)
    pointer.copy_to_host(out, size)
    return out


def test_pointer_arithmetic():
    a = cp.cuda.alloc(1000)
    b = a + 100
    assert (b.ptr, (100 + a).ptr, (b - 100).ptr) == (a.ptr + 100, a.ptr + 100, a.ptr)
    assert (b.mem is a.mem, b.size, int(b)) == (True, 1024 - 100, a.ptr + 100)
    b += 10
    b -= 5
    assert b.ptr == a.ptr + 105
    assert b.device == cp.cuda.Device(0)
    with pytest.raises(TypeError):
        a + 1.5
    assert "0x" in repr(a)


def test_copies(host):
    a, b = cp.cuda.alloc(1000), cp.cuda.alloc(1000)
    a.copy_from_host(host, 1000)
    b.copy_from_device(a, 1000)
    (b + 10).memset(9, 5)
    expected = host.copy()
    expected[10:15] = 9
    assert (read(b, 1000) == expected).all()
    a.copy_from(b, 1000)
    assert (read(a, 1000) == expected).all()
    a.copy_from(host, 1000)
    assert (read(a, 1000) == host).all()


def test_async_copies(host):
    stream = cp.cuda.Stream()
    pinned = cp.cuda.alloc_pinned_memory(1000)
    source = np.frombuffer(pinned, np.uint8, 1000)
    source[...] = host
    a, b = cp.cuda.alloc(1000), cp.cuda.alloc(1000)
    a.copy_from_host_async(pinned, 1000, stream)
    b.copy_from_device_async(a, 1000, stream)
    (b + 990).memset_async(1, 10, stream)
    out = cp.cuda.alloc_pinned_memory(1000)
    b.copy_to_host_async(out, 1000, stream)
    stream.synchronize()
    assert bytes(memoryview(out)[:1000]) == bytes(host[:990]) + b"\1" * 10


def test_memory_of_arrays(emulator):
    """Kinds of memory that arrays and their views show, each with its address."""
    x = cp.arange(100.0)
    view = x[10:20]
    kinds = (x.data.mem, view.data.mem, view.T.data.mem, cp.zeros((0,)).data.mem)
    assert [type(mem) for mem in kinds[:3]] == 3 * [cp.cuda.PooledMemory]
    assert {mem.ptr for mem in kinds[:3]} == {x.data.ptr} and kinds[0].size == 800
    assert view.data.ptr - view.data.mem.ptr == 80 and view.data.size == 720
    own = cp.ndarray(10, "f4", cp.cuda.alloc(400) + 8)
    assert type(own.data.mem) is cp.cuda.PooledMemory and own.data.ptr == own.data.mem.ptr + 8
    pointer = cp.cuda.alloc(400)
    for array in (cp.ndarray(10, "f4", pointer + 4), cp.ndarray(10, "f4", pointer)[1:]):
        assert array.data.mem is pointer.mem and array.data.ptr == pointer.ptr + 4
    unowned = cp.cuda.UnownedMemory(x.data.ptr, 800, x)
    array = cp.ndarray(10, "f4", cp.cuda.MemoryPointer(unowned, 0))
    assert array.data.mem is unowned
    for allocator, kind in (
        (None, cp.cuda.Memory),
        (cp.cuda.malloc_managed, cp.cuda.ManagedMemory),
        (cp.cuda.malloc_async, cp.cuda.MemoryAsync),
        (cp.cuda.MemoryPool().malloc, cp.cuda.PooledMemory),
    ):
        with cp.cuda.using_allocator(allocator):
            array = cp.arange(10)
        assert type(array.data.mem) is kind and isinstance(array.data.mem, cp.cuda.BaseMemory)
        assert array[3:].data.ptr - array[3:].data.mem.ptr == 24
    exchanged = cp.from_dlpack(x), cp.asarray(type("Other", (), vars_of(x))())
    assert [type(one.data.mem) for one in exchanged] == 2 * [cp.cuda.UnownedMemory]


def vars_of(x):
    return {"__cuda_array_interface__": x.__cuda_array_interface__, "kept": x}


def test_memory_of_an_array_outlives_it():
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.arange(100.0)
    pointer = x.data
    del x
    assert pool.used_bytes() == 1024 and read(pointer, 800).view("f8")[99] == 99
    again = cp.ndarray(100, "f8", pointer)
    del pointer
    assert pool.used_bytes() == 1024 and float(again[99]) == 99
    del again
    assert pool.used_bytes() == 0
    x = cp.arange(100.0)
    x.data.mem.free()  # a reference of its own: x keeps the memory
    assert float(x[99]) == 99


def test_unowned_memory(host):
    a = cp.cuda.alloc(1000)
    alive = object()
    b = cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(a.ptr, 1000, alive), 0)
    assert (b.ptr, b.mem.size, b.device_id) == (a.ptr, 1000, 0)
    b.copy_from_host(host, 1000)
    assert (read(a, 1000) == host).all()


def test_memory_frees_itself(emulator):
    before = emulator.ledger()["allocations"]
    a = cp.cuda.Memory(100)
    assert emulator.ledger()["allocations"] == before + 1
    del a
    assert emulator.ledger()["allocations"] == before


def test_managed_memory(host):
    a = cp.cuda.malloc_managed(1000)
    assert isinstance(a.mem, cp.cuda.ManagedMemory)
    a.copy_from_host(host, 1000)
    a.mem.prefetch(cp.cuda.Stream.null)
    a.mem.advise(cp.cuda.runtime.cudaMemAdviseSetReadMostly, cp.cuda.Device())
    assert (read(a, 1000) == host).all()
    attributes = cp.cuda.runtime.pointerGetAttributes(a.ptr)
    assert attributes.type == cp.cuda.runtime.memoryTypeManaged


def test_async_pool(host):
    pool = cp.cuda.MemoryAsyncPool()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.asarray(host)
    assert pool.used_bytes() >= 1000
    assert (a.get() == host).all()
    del a
    cp.cuda.Stream.null.synchronize()
    pool.set_limit(size=1 << 20)
    assert pool.get_limit() == 1 << 20
    pool.set_limit(size=0)
    pool.free_all_blocks()
    assert pool.used_bytes() == 0


# ---- allocators


def test_using_allocator_with_a_function(host):
    sizes = []

    def allocator(size):
        sizes.append(size)
        return cp.cuda.malloc_managed(size)

    with cp.cuda.using_allocator(allocator):
        assert cp.cuda.get_allocator() is allocator
        a = cp.asarray(host)
    assert sizes == [1000]
    assert cp.cuda.get_allocator() == cp.get_default_memory_pool().malloc
    assert (a.get() == host).all()


def test_using_allocator_with_a_pool():
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.zeros(100)
        with cp.cuda.using_allocator(cp.get_default_memory_pool().malloc):
            b = cp.zeros(100)
    assert pool.used_bytes() == 1024
    del a, b
    assert pool.used_bytes() == 0


def test_set_allocator():
    pool = cp.cuda.MemoryPool()
    try:
        cp.cuda.set_allocator(pool.malloc)
        a = cp.zeros(100)
        assert pool.used_bytes() == 1024
        cp.cuda.set_allocator(None)
        b = cp.zeros(100)
        assert pool.used_bytes() == 1024
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    del a, b
    with pytest.raises(TypeError):
        cp.cuda.set_allocator(3)
    with cp.cuda.using_allocator(pool.malloc), pytest.raises(ValueError):
        cp.cuda.set_allocator(pool.malloc)


@pytest.mark.parametrize("bad", [lambda size: None, lambda size: 3, lambda: None])
def test_allocator_that_gives_no_pointer(bad):
    with cp.cuda.using_allocator(bad), pytest.raises((TypeError, AttributeError)):
        cp.zeros(10)


def test_allocator_that_raises():
    def allocator(size):
        raise ZeroDivisionError

    with cp.cuda.using_allocator(allocator), pytest.raises(ZeroDivisionError):
        cp.zeros(10)


def test_python_function_allocator():
    runtime, freed = cp.cuda.runtime, []

    def free(ptr, device_id):
        freed.append(device_id)
        runtime.free(ptr)

    allocator = cp.cuda.PythonFunctionAllocator(lambda size, device_id: runtime.malloc(size), free)
    with cp.cuda.using_allocator(allocator.malloc):
        a = cp.arange(10)
    assert int(a[3]) == 3
    del a
    assert freed == [0]


# ---- hooks


class Recorder(cp.cuda.MemoryHook):
    name = "Recorder"

    def __init__(self):
        self.events = []

    def malloc_preprocess(self, **kwargs):
        self.events.append(("malloc_preprocess", kwargs))

    def malloc_postprocess(self, **kwargs):
        self.events.append(("malloc_postprocess", kwargs))

    def free_preprocess(self, **kwargs):
        self.events.append(("free_preprocess", kwargs))

    def free_postprocess(self, **kwargs):
        self.events.append(("free_postprocess", kwargs))


def test_hook_sees_blocks_come_and_go():
    with Recorder() as hook:
        a = cp.empty(100, dtype=cp.uint8)
        address = a.data.ptr
        del a
    names = [name for name, _ in hook.events]
    assert names == [
        "malloc_preprocess", "malloc_postprocess", "free_preprocess", "free_postprocess",
    ]  # fmt: skip
    assert hook.events[0][1] == {"device_id": 0, "size": 100, "mem_size": 512}
    assert hook.events[1][1]["mem_ptr"] == address
    cp.empty(100)
    assert len(hook.events) == 4


def test_hook_sees_the_driver():
    pool = cp.cuda.MemoryPool()
    out = io.StringIO()
    with memory_hooks.DebugPrintHook(file=out):
        a = pool.malloc(10)
        del a
    lines = [line.split(",")[0] for line in out.getvalue().splitlines()]
    assert lines == ['{"hook":"alloc"', '{"hook":"malloc"', '{"hook":"free"']


def test_hook_that_raises():
    class Broken(cp.cuda.MemoryHook):
        name = "Broken"

        def malloc_postprocess(self, **kwargs):
            raise KeyError("broken")

    with Broken(), pytest.raises(KeyError):
        cp.empty(100)


def test_same_hook_twice():
    with Recorder() as hook, pytest.raises(KeyError), hook:
        pass


def test_line_profile():
    out = io.StringIO()
    hook = memory_hooks.LineProfileHook()
    with hook:
        cp.empty(100)
    hook.print_report(out)
    assert "test_line_profile" in out.getvalue()


# ---- page-locked memory


def test_pinned_pool_reuses():
    pool = cp.cuda.PinnedMemoryPool()
    a = pool.malloc(1000)
    address = a.ptr
    assert a.size() >= 1000 and memoryview(a).nbytes >= 1000
    b = a + 24
    assert (b.ptr, b.size(), b.mem is a.mem) == (address + 24, a.size() - 24, True)
    assert (b - 24).ptr == address
    del a
    assert pool.n_free_blocks() == 0  # b keeps it
    del b
    assert pool.n_free_blocks() == 1
    assert pool.malloc(1000).ptr == address
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0


def test_pinned_pointer_refuses():
    memory = cp.cuda.PinnedMemory(100)
    assert memory.size == 100
    with pytest.raises(ValueError):
        cp.cuda.PinnedMemoryPointer(memory, 101)
    with pytest.raises(ValueError):
        cp.cuda.PinnedMemoryPointer(memory, 0) - 1
    with pytest.raises(AttributeError):
        cp.cuda.PinnedMemoryPointer(3, 0)


def test_set_pinned_memory_allocator():
    asked = []

    def allocator(size):
        asked.append(size)
        return cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(size), 0)

    try:
        cp.cuda.set_pinned_memory_allocator(allocator)
        cp.cuda.alloc_pinned_memory(77)
        cp.cuda.set_pinned_memory_allocator()
        assert cp.cuda.alloc_pinned_memory(77).size() == 77
    finally:
        pool = cp.get_default_pinned_memory_pool()
        cp.cuda.set_pinned_memory_allocator(pool.malloc)
    assert asked == [77]


def test_pinned_memory_is_freed(emulator):
    before = emulator.ledger()["pinned"]
    memory = cp.cuda.PinnedMemory(4096)
    view = np.frombuffer(memory, np.uint8)
    del memory
    assert emulator.ledger()["pinned"] == before + 1
    del view
    assert emulator.ledger()["pinned"] == before
