"""The cache of cuFFT's plans, streams, captures, and what the emulated library refuses."""

import ctypes
import threading

import numpy as np
import pytest

import gpunp as cp
from gpunp.fft import config


@pytest.fixture
def cache():
    """An empty cache whose limits are put back afterwards."""
    cache = config.get_plan_cache()
    size, memsize = cache.get_size(), cache.get_memsize()
    cache.clear()
    yield cache
    cache.set_size(size)
    cache.set_memsize(memsize)
    cache.clear()


def test_plans_are_listed_with_the_last_used_first(cache):
    cp.fft.fft(cp.ones(8))
    cp.fft.rfft2(cp.ones((3, 4, 6), "f4"))
    assert [key for key, _ in cache] == [("R2C", (4, 6), 3), ("Z2Z", (8,), 1)]
    cp.fft.fft(cp.ones(8))
    key, plan = next(iter(cache))
    assert key == ("Z2Z", (8,), 1) == (plan.fft_type, plan.shape, plan.batch)
    assert plan.memsize >= 0 and cache[key] == cache.get(key) == plan
    assert cache.get("absent") is None and cache.get("absent", 1) == 1
    with pytest.raises(KeyError):
        cache["absent"]


def transform(n):
    return cp.fft.fft(cp.ones(n, "F"))


def test_plans_are_kept(cache):
    for _ in range(3):
        transform(8)
        transform(9)
    assert cache.get_curr_size() == 2
    assert "2 plans" in repr(cache) and "4 hits, 2 misses" in repr(cache)


def test_least_recently_used_goes_first(cache):
    cache.set_size(2)
    for n in (8, 9, 8, 10):  # 9 goes
        transform(n)
    before = repr(cache)
    transform(8)
    assert "2 misses" not in repr(cache) and repr(cache) != before
    assert cache.get_curr_size() == 2
    assert ", 3 misses" in repr(cache)
    transform(9)
    assert ", 4 misses" in repr(cache)


def test_no_cache(cache):
    cache.set_size(0)
    for n in (8, 9):
        assert float(transform(n)[0].real) == n
    assert cache.get_curr_size() <= 1


def test_bytes_are_bounded(cache):
    transform(1 << 16)
    each = cache.get_curr_memsize()
    assert each > 0
    cache.set_memsize(2 * each)
    for k in range(4):
        cp.fft.fft(cp.ones((1 << 16) + 2 * k, "F"))
        assert cache.get_curr_memsize() <= 2 * each or cache.get_curr_size() == 1
    assert config.get_plan_cache_max_memsize() == 2 * each


def test_functions_of_the_module(cache, capsys):
    config.set_plan_cache_size(5)
    assert config.get_plan_cache_size() == 5
    config.set_plan_cache_max_memsize(-1)
    transform(8)
    config.show_plan_cache_info()
    assert "1 plans (5)" in capsys.readouterr().out
    config.clear_plan_cache()
    assert cache.get_curr_size() == 0
    with pytest.raises(ValueError, match="no device"):
        config.PlanCache(99).get_size()


def test_work_area_goes_back(cache):
    transform(1 << 16)
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    result = transform(1 << 16)
    assert pool.used_bytes() - before == result.nbytes


def test_streams_share_plans(cache, rng):
    values = rng.normal(size=(4, 4096)).astype("F")
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(4)]
    results = []
    for k, stream in enumerate(streams):
        with stream:
            results.append(cp.fft.ifft(cp.fft.fft(cp.asarray(values[k]))))
    for k, stream in enumerate(streams):
        stream.synchronize()
        np.testing.assert_allclose(results[k].get(), values[k], atol=1e-4)
    assert cache.get_curr_size() == 1


def test_threads(cache, rng):
    values = rng.normal(size=(4, 300)).astype("D")
    failures = []

    def work(k):
        try:
            with cp.cuda.Stream(non_blocking=True) as stream:
                x = cp.asarray(values[k])
                for n in range(100, 130):
                    y = cp.fft.fft(x, n)
                stream.synchronize()
                np.testing.assert_allclose(y.get(), np.fft.fft(values[k], 129), atol=1e-10)
        except Exception as error:
            failures.append(error)

    cache.set_size(8)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert cache.get_curr_size() <= 8


def test_captured_transforms_outlive_the_cache(cache, rng):
    x = cp.asarray(rng.normal(size=(3, 1000)).astype("F"))
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        y = cp.fft.irfft(cp.fft.fft(x, 1001, axis=-1), 90)
        graph = stream.end_capture()
    cache.clear()
    for scale in (1, 2):
        with stream:
            x *= scale
            graph.launch(stream)
        stream.synchronize()
        expected = np.fft.irfft(np.fft.fft(x.get(), 1001), 90)
        np.testing.assert_allclose(y.get(), expected, atol=1e-3)


# ---- the emulated library, called as gpunp never would -------------------------------------------


@pytest.fixture
def cufft():
    """libgpunp_emu_math.so's cuFFT and a maker of plans."""
    if not cp.cuda.is_emulated():
        pytest.skip("of the emulated device")
    transform(8)  # hands the library its driver
    path = next(row[2] for row in cp._C._libraries() if row[0] == "cuFFT")
    library = ctypes.CDLL(path)

    def make(n, embed=None, stride=1, distance=1, batch=1, type=0x29):
        handle, area = ctypes.c_int(), ctypes.c_size_t()
        longs = ctypes.c_longlong * len(n)
        assert library.cufftCreate(ctypes.byref(handle)) == 0
        assert library.cufftSetAutoAllocation(handle, 0) == 0
        layout = None if embed is None else longs(*embed)
        side = (layout, ctypes.c_longlong(stride), ctypes.c_longlong(distance))
        status = library.cufftMakePlanMany64(
            handle, len(n), longs(*n), *side, *side, type, ctypes.c_longlong(batch),
            ctypes.byref(area),
        )  # fmt: skip
        return handle, status, area.value

    return library, make


def pointer(x, offset=0):
    return ctypes.c_void_p(x.data.ptr + offset)


def test_emulated_library_refuses_shapes(cufft):
    _, make = cufft
    assert make([8])[1] == 0
    for arguments, status in [
        ({"n": [0]}, 8),
        ({"n": [-1]}, 8),
        ({"n": [8], "batch": 0}, 8),
        ({"n": [2, 2, 2, 2]}, 4),
        ({"n": [8], "type": 77}, 3),
        ({"n": [8], "embed": [8], "stride": 0}, 4),
        ({"n": [8], "embed": [8], "distance": 0}, 4),
        ({"n": [8, 8], "embed": [8, 7]}, 4),
    ]:
        assert make(**arguments)[1] == status, arguments


def test_emulated_library_refuses_calls(cufft):
    library, make = cufft
    x, y = cp.ones(64, "F"), cp.ones(64, "F")
    handle, status, area = make([64])
    assert status == 0 and area == 64 * 8
    run = library.cufftXtExec
    assert run(handle, pointer(x), pointer(y), -1) == 13  # no work area
    assert library.cufftSetWorkArea(handle, pointer(cp.empty(256, "u1"), 0)) == 0
    small = cp.empty(1, "u1")
    library.cufftSetWorkArea(handle, pointer(small, 1))
    assert run(handle, pointer(x), pointer(y), -1) == 13  # a misaligned one
    fits = cp.empty(512, "u1")
    library.cufftSetWorkArea(handle, pointer(fits))
    assert run(handle, pointer(x), pointer(y), 0) == 4  # no direction
    assert run(handle, pointer(x, 4), pointer(y), -1) == 4  # misaligned
    assert run(handle, None, pointer(y), -1) == 4
    assert run(handle, pointer(x), pointer(y), -1) == 0
    assert float(y[0].real) == 64
    assert run(12345, pointer(x), pointer(y), -1) == 1
    assert library.cufftDestroy(handle) == 0 and library.cufftDestroy(handle) == 1


def test_emulated_library_notices_what_lies_outside(cufft):
    library, make = cufft
    handle, status, _ = make([8], embed=[8], stride=1 << 40)
    x = cp.ones(8, "F")
    assert status == 0
    assert library.cufftXtExec(handle, pointer(x), pointer(x), -1) == 6
    library.cufftDestroy(handle)
