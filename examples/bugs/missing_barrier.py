"""A planted bug: threads read their neighbours' shared memory without __syncthreads() before.

On the emulated device:

    GPUNP_DEVICE=emulated GPUNP_EMU=race python examples/bugs/missing_barrier.py

On a GPU:

    compute-sanitizer --tool racecheck python examples/bugs/missing_barrier.py
"""

import gpunp as cp

reverse = cp.RawKernel(
    r"""
extern "C" __global__ void reverse(const int *x, int *y)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
""",
    "reverse",
    options=("-lineinfo",),
)

if __name__ == "__main__":
    x = cp.arange(256, dtype=cp.int32)
    y = cp.empty_like(x)
    reverse((1,), (256,), (x, y))
    cp.cuda.Device().synchronize()
    print("the bug was not seen:", y[:3])
