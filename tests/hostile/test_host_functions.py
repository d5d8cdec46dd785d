"""What a Python function of a stream leaves behind in the driver's thread, which must not call CUDA."""

import gc
import time

import gpunp as cp
from gpunp.cuda import Stream


def test_the_last_reference_may_go_in_a_host_function(emulator):
    gc.collect()  # modules in cycles of earlier tests would be counted as gone
    cp.cuda.Device().synchronize()
    before = emulator.ledger()
    for _ in range(3):
        stream = Stream()
        module = cp.RawModule(code='extern "C" __global__ void f() {}').get_function("f")
        stream.add_callback(lambda *_: time.sleep(0.01), [module, cp.cuda.PinnedMemory(100)])
        del stream, module
        time.sleep(0.05)
    cp.cuda.Device().synchronize()
    gc.collect()
    after = emulator.ledger()
    assert [after[k] - before[k] for k in ("streams", "modules", "pinned")] == [0, 0, 0]


def test_no_garbage_is_collected_in_a_host_function(emulator):
    class Node:
        pass

    threshold = gc.get_threshold()
    before, seen = emulator.ledger()["pinned"], []

    def work(_):
        seen.append(gc.isenabled())
        [[] for _ in range(2000)]

    node = Node()
    node.me, node.memory = node, cp.cuda.PinnedMemory(100)
    del node
    stream = Stream()
    try:
        gc.set_threshold(10, 1, 1)
        stream.launch_host_func(work, 0)
        stream.synchronize()
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert seen == [False] and gc.isenabled()
    assert emulator.ledger()["pinned"] <= before
