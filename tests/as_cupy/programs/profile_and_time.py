"""Timing by benchmark, ranges and repeat."""

import cupy as cp
from cupyx.profiler import benchmark, time_range
from cupyx.time import repeat


def work(x):
    return cp.sqrt(cp.sum(x**2))


x = cp.ones(100)
result = benchmark(work, (x,), n_repeat=3, n_warmup=1)
assert result.cpu_times.size == 3 and result.gpu_times.shape == (1, 3)
assert "work" in str(result)
assert repeat(work, (x,), n_repeat=2, n_warmup=1, max_duration=1).cpu_times.size <= 2
with time_range("part", color_id=1):
    work(x)


@time_range()
def decorated():
    return work(x)


assert float(decorated()) == 10
cp.cuda.nvtx.RangePush("inner")
cp.cuda.nvtx.RangePop()
with cp.cuda.profile():
    work(x)
