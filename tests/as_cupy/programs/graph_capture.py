"""A captured graph, launched several times."""

import cupy as cp

stream = cp.cuda.Stream(non_blocking=True)
with stream:
    x = cp.zeros(16)
    kernel = cp.ElementwiseKernel("", "T x", "x += 1", "increment")
    kernel(x)
    stream.synchronize()
    stream.begin_capture()
    assert stream.is_capturing()
    kernel(x)
    graph = stream.end_capture()
    for _ in range(3):
        graph.launch()
    stream.synchronize()
assert float(x[0]) == 4
