"""Pieces of work in several streams, each with its own pool; results joined by events."""

import time

import cupy

device = cupy.cuda.Device()
memory_pool = cupy.cuda.MemoryPool()
cupy.cuda.set_allocator(memory_pool.malloc)
rand = cupy.random.RandomState(seed=1)
n = 4
zs, map_streams, stop_events = [], [], []
reduce_stream = cupy.cuda.stream.Stream()
for i in range(n):
    map_streams.append(cupy.cuda.stream.Stream(non_blocking=bool(i % 2)))
start_time = time.time()
for i in range(n):
    stream = map_streams[i]
    with stream:
        x = rand.normal(size=(1, 512))
        y = rand.normal(size=(512, 1))
        z = cupy.matmul(x, y)
        zs.append(z)
    stop_event = stream.record()
    stop_events.append(stop_event)
for i in range(n):
    reduce_stream.wait_event(stop_events[i])
with reduce_stream:
    z = sum(zs)
device.synchronize()
total = sum(float(v[0, 0]) for v in zs)
assert abs(z.item() - total) < 1e-9
for stream in map_streams:
    memory_pool.free_all_blocks(stream=stream)
print("elapsed", time.time() - start_time)

e1, e2 = cupy.cuda.Event(), cupy.cuda.Event(disable_timing=False)
s = cupy.cuda.Stream(null=False, non_blocking=True, priority=0)
seen = []
with s:
    e1.record()
    a = cupy.arange(1000).sum()
    s.launch_host_func(seen.append, "host")
    e2.record(s)
e2.synchronize()
s.synchronize()
assert seen == ["host"] and s.done and e2.done and cupy.cuda.get_elapsed_time(e1, e2) >= 0
assert cupy.cuda.get_current_stream() == cupy.cuda.Stream.null
s.use()
assert cupy.cuda.get_current_stream() == s
ext = cupy.cuda.ExternalStream(s.ptr)
with ext:
    b = cupy.ones(3) * 2
ext.synchronize()
cupy.cuda.Stream.null.use()
assert b.tolist() == [2, 2, 2]
with cupy.cuda.Stream.ptds if hasattr(cupy.cuda.Stream, "ptds") else cupy.cuda.Stream.null:
    c = cupy.ones(2)
assert c.sum() == 2
assert memory_pool.total_bytes() >= memory_pool.used_bytes() > 0
cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)
