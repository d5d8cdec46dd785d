"""A planted bug: a sum is accumulated in memory that nobody cleared.

On the emulated device:

    GPUNP_DEVICE=emulated GPUNP_EMU=init GPUNP_POOL=off python examples/bugs/uninitialised_read.py

On a GPU:

    GPUNP_POOL=off compute-sanitizer --tool initcheck python examples/bugs/uninitialised_read.py

Without a pool the array is an allocation of its own, whose end is known.
"""

import gpunp as cp

accumulate = cp.RawKernel(
    r"""
extern "C" __global__ void accumulate(const float *x, float *total, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += x[i];
    }
    total[threadIdx.x] = total[threadIdx.x] + sum;
}
""",
    "accumulate",
    options=("-lineinfo",),
)

if __name__ == "__main__":
    x = cp.ones(1000, cp.float32)
    total = cp.empty(64, cp.float32)  # cp.zeros was meant
    accumulate((1,), (64,), (x, total, 1000))
    cp.cuda.Device().synchronize()
    print("the bug was not seen:", total[:3])
