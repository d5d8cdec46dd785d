// take: out[o] = in[place(o)], the elements selected by integer arrays.
// Knobs: as indexed.cuh; UNROLL elements per thread, BLOCK apart, whose reads overlap in time.
// Launch: one thread per UNROLL elements.
#include "knobs/take.cuh"
#include "select/indexed.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
take(char *out, const char *in, const Axes axes, const Layout<Index, ND, 2 + NINDICES> layout, const Index n)
{
    Index first = (Index)blockIdx.x * (BLOCK * UNROLL) + threadIdx.x;
    Item item[UNROLL];
    Stride to[UNROLL];

#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        Index i = first + k * BLOCK;
        if (i < n) {
            Offsets<Index, 2 + NINDICES> at = layout.at(i);
            to[k] = at.at[0];
            item[k] = *(const Item *)(in + place(axes, at));
        }
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        if (first + k * BLOCK < n) {
            *(Item *)(out + to[k]) = item[k];
        }
    }
}
