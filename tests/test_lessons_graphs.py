"""What users were taught about streams, events, pools and timing: programs of five tutorials."""

import time

import numpy as np

import gpunp as cp


def bench(func, *args, warmup=3, iters=10, synchronize=True, **kwargs):
    """The tutorial's own timer."""
    for _ in range(warmup):
        func(*args, **kwargs)
    if synchronize:
        cp.cuda.Stream.null.synchronize()
    t0 = time.perf_counter()
    for _ in range(iters):
        func(*args, **kwargs)
    if synchronize:
        cp.cuda.Stream.null.synchronize()
    return (time.perf_counter() - t0) / iters


def test_timer_of_ones_own():
    x = cp.random.random((1 << 14,), dtype=cp.float32)
    ms = bench(lambda x: cp.tanh(cp.sin(x) + 0.1 * x), x, iters=3) * 1e3
    assert f"Avg time/op: {ms:.3f} ms".startswith("Avg time/op: ") and ms > 0


def test_streams_demo(capsys):
    rng = cp.random.default_rng(seed=123)
    uniform, normal = rng.random(5, dtype=cp.float32), rng.normal(0, 1, 5, dtype=cp.float32)
    assert uniform.dtype == normal.dtype == cp.float32
    s1 = cp.cuda.Stream(non_blocking=True)
    s2 = cp.cuda.Stream(non_blocking=True)
    a = cp.empty((1 << 20,), dtype=cp.float32)
    b = cp.empty_like(a)
    with s1:
        a.fill(1.0)
    with s2:
        b.fill(2.0)
    # The tutorial waits for the default stream, which does not wait for these two: it is lucky.
    s1.synchronize()
    s2.synchronize()
    cp.cuda.Stream.null.synchronize()
    print("Streams ok; a[0], b[0] =", float(a[0]), float(b[0]))
    assert capsys.readouterr().out == "Streams ok; a[0], b[0] = 1.0 2.0\n"


def test_events_around_a_sum():
    x_np = np.random.default_rng(0).random(100_000).astype(np.float32)
    cpu_t0 = time.perf_counter()
    s_np = x_np.sum()
    cpu_time = time.perf_counter() - cpu_t0
    x_cp = cp.asarray(x_np)
    _ = x_cp.sum()
    cp.cuda.Stream.null.synchronize()
    gpu_t0, gpu_t1 = cp.cuda.Event(), cp.cuda.Event()
    gpu_t0.record()
    s_cp = x_cp.sum()
    gpu_t1.record()
    gpu_t1.synchronize()
    gpu_time = cp.cuda.get_elapsed_time(gpu_t0, gpu_t1) / 1000.0
    assert gpu_time > 0 and cpu_time > 0
    assert abs(float(s_cp) - s_np) < 1
    assert f"CuPy sum: {float(s_cp):.4f}, time: {gpu_time:.3f} s".startswith("CuPy sum: ")


def test_pools_hold_on_to_memory():
    mempool = cp.get_default_memory_pool()
    pinned = cp.get_default_pinned_memory_pool()
    used = mempool.used_bytes()
    a = cp.zeros(100, dtype=np.float64)
    assert mempool.used_bytes() - used == 1024 and a.nbytes == 800
    assert mempool.total_bytes() >= mempool.used_bytes()
    del a
    assert mempool.used_bytes() == used
    assert mempool.total_bytes() > 0  # cached, not given back
    mempool.free_all_blocks()
    pinned.free_all_blocks()
    assert pinned.n_free_blocks() == 0


def test_current_device():
    with cp.cuda.Device(0) as device:
        x = cp.array([1, 2, 3, 4, 5])
        assert x.device == device and device.id == cp.cuda.get_device_id() == 0


def test_benchmark_of_the_guide():
    def my_func(a):
        return cp.sqrt(cp.sum(a**2, axis=-1))

    a = cp.random.random((25, 16))
    text = str(cp.profiler.benchmark(my_func, (a,), n_repeat=20))
    assert text.startswith("my_func             :    CPU:") and "GPU-0:" in text
