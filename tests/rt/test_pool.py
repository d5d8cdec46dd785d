"""The device memory pool: reuse, coalescing, streams, limits, statistics."""

import gc
import itertools
import random
import threading

import pytest

import gpunp as cp
from gpunp.cuda import MemoryPool, OutOfMemoryError, Stream

MIB = 1 << 20


@pytest.fixture
def pool():
    pool = MemoryPool()
    yield pool
    gc.collect()
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0
    assert pool.n_free_blocks() == 0


def test_malloc_rounds_to_512(pool):
    a = pool.malloc(1)
    assert (a.mem.size, pool.used_bytes()) == (512, 512)
    b = pool.malloc(513)
    assert (b.mem.size, pool.used_bytes()) == (1024, 1536)
    assert a.ptr % 512 == 0 and b.ptr % 512 == 0


def test_empty_block_has_no_address(pool):
    a = pool.malloc(0)
    assert (a.ptr, a.mem.size, pool.used_bytes(), pool.total_bytes()) == (0, 0, 0, 0)


def test_block_freed_is_reused_on_its_stream(pool):
    a = pool.malloc(4000)
    address = a.ptr
    del a
    b = pool.malloc(4000)
    assert b.ptr == address


def test_neighbours_merge(pool):
    blocks = [pool.malloc(1024) for _ in range(8)]
    assert len({b.ptr for b in blocks}) == 8
    random.Random(1).shuffle(blocks)
    while blocks:
        blocks.pop()
    assert pool.n_free_blocks() == 1
    assert pool.free_bytes() == pool.total_bytes() > 0


def test_hot_path_asks_no_driver(pool, emulator):
    del_me = pool.malloc(5000)
    del del_me
    before = emulator.calls("cuMemAlloc_v2"), emulator.calls("cuMemFree_v2")
    for _ in range(100):
        del_me = pool.malloc(5000)
        del del_me
    assert (emulator.calls("cuMemAlloc_v2"), emulator.calls("cuMemFree_v2")) == before


@pytest.mark.parametrize("size", [-1, "x", 2.5, None])
def test_malloc_refuses(pool, size):
    with pytest.raises((TypeError, ValueError)):
        pool.malloc(size)


@pytest.mark.parametrize("size", [1 << 62, (1 << 63) - 1, 1 << 50])
def test_malloc_of_more_than_there_is(pool, size):
    with pytest.raises(OutOfMemoryError, match="out of memory allocating"):
        pool.malloc(size)


def test_out_of_memory_is_a_memory_error(pool):
    with pytest.raises(MemoryError) as caught:
        pool.malloc(1 << 45)
    assert str(1 << 45) in str(caught.value)


def test_limit(pool):
    pool.set_limit(size=4 * MIB)
    assert pool.get_limit() == 4 * MIB
    a = pool.malloc(3 * MIB)
    with pytest.raises(OutOfMemoryError, match=str(4 * MIB)):
        pool.malloc(2 * MIB)
    del a
    assert pool.malloc(4 * MIB).mem.size == 4 * MIB
    pool.set_limit(size=0)
    assert pool.get_limit() == 0
    pool.malloc(8 * MIB)


def test_limit_smaller_than_a_segment(pool):
    pool.set_limit(size=2048)
    a = pool.malloc(512)
    assert pool.total_bytes() <= 2048
    with pytest.raises(OutOfMemoryError):
        pool.malloc(4096)
    del a


def test_limit_as_fraction(pool):
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cp.cuda.runtime.memGetInfo()[1] // 2
    for bad in ({"fraction": 2}, {"fraction": -0.1}, {"size": -1}, {"size": 1, "fraction": 0.1}):
        with pytest.raises(ValueError):
            pool.set_limit(**bad)


def test_exhaustion_frees_the_cache_first(pool):
    pool.set_limit(size=8 * MIB)
    cached = [pool.malloc(MIB) for _ in range(3)]
    del cached
    assert pool.malloc(8 * MIB).mem.size == 8 * MIB


def test_exhaustion_collects_garbage(pool):
    pool.set_limit(size=4 * MIB)

    class Node:
        pass

    node = Node()
    node.memory, node.cycle = pool.malloc(4 * MIB), node
    del node
    assert pool.malloc(4 * MIB).mem.size == 4 * MIB


def test_other_stream_gets_other_memory(pool):
    stream = Stream(non_blocking=True)
    a = pool.malloc(1000)
    address = a.ptr
    del a
    with stream:
        b = pool.malloc(1000)
    assert b.ptr != address
    del b


def test_memory_of_a_destroyed_stream_is_adopted(pool):
    stream = Stream(non_blocking=True)
    with stream:
        a = pool.malloc(1000)
    total = pool.total_bytes()
    del a, stream
    gc.collect()
    cp.cuda.Device().synchronize()  # the mark behind the stream's last work may not be reached yet
    b = pool.malloc(1000)
    assert pool.total_bytes() == total
    del b


def test_block_outlives_its_stream(pool):
    stream = Stream()
    with stream:
        a = pool.malloc(1000)
        a.memset_async(7, 1000)
    del stream
    a.memset(8, 1000)
    del a
    assert pool.used_bytes() == 0


def test_free_all_blocks_of_one_stream(pool):
    stream = Stream()
    with stream:
        a = pool.malloc(1000)
    b = pool.malloc(1000)
    del a, b
    pool.free_all_blocks(stream=stream)
    assert pool.total_bytes() == pool.free_bytes() > 0
    pool.free_all_blocks(stream=Stream.null)
    assert pool.total_bytes() == 0


def test_use_on_another_stream_delays_reuse():
    """A block used on a second stream is not handed out before that stream's work is done."""
    go = threading.Event()
    stream = Stream(non_blocking=True)
    a = cp.zeros(1000, dtype=cp.float32)
    cp.cuda.Stream.null.synchronize()
    address = a.data.ptr

    with stream:
        b = a + 1  # loading a kernel waits for host functions, on a GPU
        stream.synchronize()
        stream.launch_host_func(lambda _: go.wait(10), None)
        b = a + 1  # reads `a` on `stream`, later
    del a
    c = cp.zeros(1000, dtype=cp.float32)
    assert c.data.ptr != address
    go.set()
    stream.synchronize()
    assert float(b[0]) == 1.0


def test_pool_dropped_with_blocks_alive():
    pool = MemoryPool()
    a = pool.malloc(100)
    del pool
    gc.collect()
    a.memset(7, 100)
    values = cp.ndarray(100, "u1", memptr=a)
    assert (values == 7).all()


def test_random_walk_against_a_model(pool):
    """10,000 steps: live blocks never overlap, and the statistics add up."""
    random_ = random.Random(3)
    live, used = [], 0
    for _ in range(10_000):
        if live and random_.random() < 0.5:
            i = random_.randrange(len(live))
            used -= live[i].mem.size
            live[i] = live[-1]
            live.pop()
        else:
            size = int(2 ** random_.uniform(0, 14 if random_.random() < 0.95 else 21))
            live.append(pool.malloc(size))
            used += live[-1].mem.size
        assert pool.used_bytes() == used
    spans = sorted((b.ptr, b.ptr + b.mem.size) for b in live)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    assert pool.total_bytes() - pool.used_bytes() == pool.free_bytes()
    live.clear()
    assert pool.used_bytes() == 0


def test_threads(pool):
    """Eight threads on one pool; each finds in its blocks what it wrote."""
    errors = []

    def work(seed):
        random_ = random.Random(seed)
        try:
            live = []
            for _ in range(300):
                if len(live) > 5:
                    live.pop(random_.randrange(len(live)))
                block = pool.malloc(random_.randrange(1, 5000))
                block.memset_async(seed, 1)
                live.append(block)
            cp.cuda.Stream.null.synchronize()
            for block in live:
                byte = bytearray(1)
                block.copy_to_host(byte, 1)
                assert byte[0] == seed
        except BaseException as error:  # seen by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_segments_from_an_allocator():
    asked = []

    def allocator(size):
        asked.append(size)
        return cp.cuda.malloc_managed(size)

    pool = MemoryPool(allocator)
    a = pool.malloc(100)
    a.memset(3, 100)
    assert len(asked) == 1 and asked[0] >= 512
    del a
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_segment_allocator_that_raises():
    def allocator(size):
        raise KeyError("no")

    with pytest.raises(KeyError):
        MemoryPool(allocator).malloc(10)
    with pytest.raises(TypeError):
        MemoryPool(3)


def test_peak(pool):
    a, b = pool.malloc(512), pool.malloc(512)
    del a, b
    pool.malloc(512)
    assert pool.peak_bytes() == 1024
