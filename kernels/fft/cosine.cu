// cosine: out[row][k] = step(in[row], k): the part of a cosine or sine transform before, or after, the
// Fourier transform that it is made of.
// Knobs: F, f32 or f64; Source, Target: F or its complex type; Index u32 or u64; BLOCK; step, one of the
// functions of cosine.cuh. Rows are contiguous and of `in_row` and `out_row` elements.
// Launch: one thread per element of out.
#include "knobs/cosine.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
cosine(const Source *in, Target *out, const Index n, const Index in_row, const Index out_row, const Index total,
       const F scale, const F end)
{
    Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= total) {
        return;
    }
    Index row = i / out_row;
    out[i] = step(in + row * in_row, n, i - row * out_row, scale, end);
}
