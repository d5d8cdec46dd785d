"""Pools, limits, allocators and memory of other owners."""

import cupy as cp

pool, pinned = cp.get_default_memory_pool(), cp.get_default_pinned_memory_pool()
a = cp.ones(1000)
assert pool.used_bytes() >= a.nbytes and pool.total_bytes() >= pool.used_bytes()
del a
pool.free_all_blocks()
pinned.free_all_blocks()
pool.set_limit(size=1024**3)
assert pool.get_limit() == 1024**3
pool.set_limit(size=0)
with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
    managed = cp.arange(10)
assert int(managed.sum()) == 45
x = cp.arange(6.0)
memory = cp.cuda.UnownedMemory(x.data.ptr, x.nbytes, x)
view = cp.ndarray((3,), cp.float64, cp.cuda.MemoryPointer(memory, 8))
assert view.tolist() == [1, 2, 3]


sizes = []


class Hook(cp.cuda.MemoryHook):
    name = "Hook"

    def alloc_preprocess(self, device_id, mem_size):
        sizes.append(mem_size)

    def malloc_postprocess(self, device_id, size, mem_size, mem_ptr, pmem_id):
        sizes.append(size)


with Hook():
    cp.empty(100)
assert sizes
