"""Four streams copy, compute and copy back parts of page-locked arrays; a graph repeats work."""

import cupy as cp
import cupyx
import numpy as np

n = 1 << 16


def pinned(values):
    memory = cp.cuda.alloc_pinned_memory(values.nbytes)
    array = np.frombuffer(memory, values.dtype, values.size).reshape(values.shape)
    array[...] = values
    return array


source, target = pinned(np.random.RandomState(0).rand(n).astype("f4")), cupyx.empty_pinned(n, "f4")
on_device = cp.empty(n, "f4")
events = []
for part in np.array_split(np.arange(n), 4):
    at, stream = slice(part[0], part[-1] + 1), cp.cuda.Stream(non_blocking=True)
    with stream:
        on_device[at].set(source[at], stream=stream)
        on_device[at] = cp.sqrt(on_device[at]) * 2
        on_device[at].get(stream=stream, out=target[at], blocking=False)
        events.append(stream.record())
for event in events:
    event.synchronize()
np.testing.assert_allclose(target, np.sqrt(source) * 2, rtol=1e-6)

first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
with first:
    squares = cp.arange(1000) ** 2
second.wait_event(first.record())
with second:
    total = squares.sum()
second.synchronize()
assert int(total) == 332833500
with first:
    x = cp.arange(10, dtype="f4")
    first.begin_capture()
    x *= 2
    x += 1
    graph = first.end_capture()
graph.launch(first)
graph.launch(first)
first.synchronize()
assert x.tolist() == [4 * i + 3 for i in range(10)]
heard = []
first.launch_host_func(heard.append, 3)
first.synchronize()
assert heard == [3]
module = cp.RawModule(code='extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }')
for _ in range(3):
    module.get_function("twice")((1,), (10,), (x,))
assert x.tolist() == [8 * (4 * i + 3) for i in range(10)]
