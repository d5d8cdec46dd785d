"""The largest block a kernel runs with, found by trying: what the device refuses is an exception."""

import cupy as cp

SOURCE = r"""
extern "C" __global__ void __launch_bounds__(256) fill(int *x, int n)
{
    extern __shared__ int copy[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    copy[threadIdx.x] = i;
    if (i < n) x[i] = copy[threadIdx.x];
}
"""
kernel = cp.RawKernel(SOURCE, "fill", options=("-std=c++11",))
x = cp.full(10_000, -1, cp.int32)

threads = 4096
while True:
    try:
        kernel((-(-x.size // threads),), (threads,), (x, x.size), shared_mem=4 * threads)
        break
    except cp.cuda.driver.CUDADriverError as error:
        assert error.status == 1
        threads //= 2
assert threads == 256 and (x == cp.arange(x.size)).all()

try:
    kernel((1,), (32,), (x, x.size), shared_mem=1 << 24)
except cp.cuda.runtime.CUDARuntimeError:
    print("more shared memory than there is")
try:
    cp.cuda.Stream(non_blocking=True).end_capture()
except cp.cuda.runtime.CUDARuntimeError:
    print("no capture to end")
