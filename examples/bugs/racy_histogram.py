"""A planted bug: the bins are counted with ++ where atomicAdd is needed.

On the emulated device:

    GPUNP_DEVICE=emulated GPUNP_EMU=race python examples/bugs/racy_histogram.py

On a GPU:

    compute-sanitizer --tool racecheck python examples/bugs/racy_histogram.py
"""

import gpunp as cp

histogram = cp.RawKernel(
    r"""
extern "C" __global__ void histogram(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned mine[16];
    if (threadIdx.x < 16) {
        mine[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        mine[x[i] % 16]++;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        bins[threadIdx.x] = mine[threadIdx.x];
    }
}
""",
    "histogram",
    options=("-lineinfo",),
)

if __name__ == "__main__":
    x = (cp.arange(4096) * 7 % 251).astype(cp.uint8)
    bins = cp.zeros(16, cp.uint32)
    histogram((1,), (128,), (x, bins, x.size))
    cp.cuda.Device().synchronize()
    print("the bug was not seen:", bins)
