// fill: out[i] = value(i) over fresh contiguous memory: arange, linspace, eye, tri.
// Knobs: R element type; P type the value is computed in; Index u32 or u64; WIDTH elements per store,
// 16 bytes in all; BLOCK threads; value(i, a, b, c, d). `out` is aligned to 16 bytes.
// Launch: one thread per WIDTH elements, no loop.
#include "knobs/fill.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
fill(char *out, const P a, const P b, const P c, const Index d, const Index n)
{
    Index first = ((Index)blockIdx.x * BLOCK + threadIdx.x) * WIDTH;
    if (first >= n) {
        return;
    }
    Vec<Raw<R>, WIDTH> v;
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        v.at[k] = (Raw<R>)cast<R>(value(first + k, a, b, c, d));
    }
    Raw<R> *at = (Raw<R> *)out + first;
    if (n - first >= WIDTH) {
        *(Vec<Raw<R>, WIDTH> *)at = v;
        return;
    }
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        if (first + k < n) {
            at[k] = v.at[k];
        }
    }
}
