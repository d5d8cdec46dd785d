"""Work in several streams, ordered by events."""

import cupy as cp

first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
with first:
    a = cp.arange(1000, dtype=cp.float32)
    a *= 2
    ready = first.record()
second.wait_event(ready)
with second:
    b = a + 1
second.synchronize()
assert second.done and float(b[-1]) == 1999
with cp.cuda.Stream() as stream:
    assert cp.cuda.get_current_stream() == stream
    host = b.get(stream=stream)
    stream.synchronize()
assert host[0] == 1
calls = []
first.launch_host_func(lambda argument: calls.append(argument), "done")
first.synchronize()
assert calls == ["done"]
first.use()
assert cp.cuda.get_current_stream() == first
cp.cuda.Stream.null.use()
external = cp.cuda.ExternalStream(second.ptr)
with external:
    assert cp.cuda.get_current_stream().ptr == second.ptr
