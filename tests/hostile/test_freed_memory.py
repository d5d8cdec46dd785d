"""What threads and hooks may take away while a call uses it: programs whose freed memory is
overwritten, so that a use after the release ends them."""

import subprocess
import sys

import child
import pytest

PROLOGUE = """
import gc, threading, time
import gpunp as cp
from gpunp.cuda import MemoryPool, Stream

def at_once(calls):
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    return threads

def join(threads):
    for thread in threads:
        thread.join()

(cp.zeros(3) + 1).get()
"""

PROGRAMS = {
    "a hook replaces the allocator": """
class Replacing(cp.cuda.MemoryHook):
    def malloc_preprocess(self, **arguments):
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)

cp.cuda.set_allocator(MemoryPool().malloc)
with Replacing():
    x = cp.zeros(1000)
gc.collect()
assert not x.get().any()
""",
    "threads delete a pool that is dropped": """
def drop_while_captures_end():
    pool, busy = MemoryPool(), Stream(non_blocking=True)
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.zeros(1000)
    with busy:
        busy.launch_host_func(lambda _: time.sleep(0.1), None)
        x + 1
    del x  # its memory is pending until the stream is through

    def drop():
        nonlocal pool
        pool = None

    def capture():
        with Stream(non_blocking=True) as stream:
            stream.begin_capture()
            stream.end_capture()

    join(at_once([drop] + [capture] * 4))

for _ in range(4):
    drop_while_captures_end()
""",
    "threads launch graphs into one capture": """
def record(x):
    with Stream(non_blocking=True) as stream:
        stream.begin_capture()
        x += 1
        return stream.end_capture()

arrays = [cp.zeros(3) for _ in range(8)]
cp.cuda.Device().synchronize()
first, *others = [record(x) for x in arrays]
main, side, blocked = [Stream(non_blocking=True) for _ in range(3)]
main.begin_capture()
side.wait_event(main.record())
blocked.launch_host_func(lambda _: time.sleep(0.4), None)
threads = at_once([first.debug_dot_str])  # has its turn at the graph, and waits for the function
time.sleep(0.1)
threads += at_once([lambda: first.launch(main)])  # waits for its turn
time.sleep(0.1)
for graph in others:
    graph.launch(side)
join(threads)
main.wait_event(side.record())
whole = main.end_capture()
assert len(whole) == len(arrays)
whole.launch()
cp.cuda.Device().synchronize()
assert [float(x[2]) for x in arrays] == [1] * len(arrays)
del whole, first, others
gc.collect()
""",
}


@pytest.mark.null
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_used_after_its_release(name):
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE + PROGRAMS[name]],
        env=child.environment(GPUNP_DEVICE="emulated", MALLOC_PERTURB_="165"),
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
