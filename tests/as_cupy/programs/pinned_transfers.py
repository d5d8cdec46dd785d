"""Copies to and from page-locked memory, in a stream."""

import cupy as cp
import cupyx
import numpy as np

host = cupyx.empty_pinned((4, 8), dtype=np.float32)
host[...] = np.arange(32).reshape(4, 8)
device = cp.empty((4, 8), dtype=np.float32)
with cp.cuda.Stream(non_blocking=True) as stream:
    device.set(host, stream=stream)
    device *= 2
    back = cupyx.zeros_like_pinned(host)
    cp.asnumpy(device, stream=stream, out=back, blocking=False)
    stream.synchronize()
assert (back == 2 * host).all()
memory = cp.cuda.alloc_pinned_memory(80)
raw = np.frombuffer(memory, np.float64, 10)
raw[...] = 1
assert float(cp.asarray(raw).sum()) == 10
