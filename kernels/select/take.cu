// take: out[o] = in[place(o)], the elements selected by integer arrays.
// Knobs: as indexed.cuh; UNROLL elements per thread, BLOCK apart, whose reads overlap in time.
// Launch: one thread per UNROLL elements.
#include "knobs/take.cuh"
#include "select/indexed.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
take(char *out, const char *in, const Axes axes, const Layout<Index, ND, 2 + NINDICES> layout, const Index n)
{
    const Index first = (Index)blockIdx.x * (BLOCK * UNROLL) + threadIdx.x;
    Element e[UNROLL];
    Item item[UNROLL];

    load_elements(e, axes, layout, first, n);
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        item[k] = *(const Item *)(in + e[k].place(axes));
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        if (first + k * BLOCK < n) {
            *(Item *)(out + e[k].beside) = item[k];
        }
    }
}
