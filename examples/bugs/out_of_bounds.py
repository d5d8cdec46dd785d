"""A planted bug: the guard says <= where it means <, so one thread writes behind the array.

On the emulated device:

    GPUNP_DEVICE=emulated GPUNP_POOL=off python examples/bugs/out_of_bounds.py

On a GPU:

    GPUNP_POOL=off compute-sanitizer --tool memcheck python examples/bugs/out_of_bounds.py

Without a pool the array is an allocation of its own, whose end is known.
"""

import gpunp as cp

shift = cp.RawKernel(
    r"""
extern "C" __global__ void shift(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        y[i] = x[i > 0 ? i - 1 : 0];
    }
}
""",
    "shift",
    options=("-lineinfo",),
)

if __name__ == "__main__":
    n = 1024
    x = cp.arange(n, dtype=cp.float32)
    y = cp.empty(n, cp.float32)
    shift((9,), (128,), (x, y, n))
    cp.cuda.Device().synchronize()
    print("the bug was not seen:", y[:3])
