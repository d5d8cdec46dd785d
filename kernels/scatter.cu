// scatter: out[place(o)] = in[o], the places named by integer arrays. Which of several values for one
// place stays is open.
// Knobs: as indexed.cuh; SCALAR takes the value from its slot instead of memory.
// Launch: one thread per element.
#include "knobs/scatter.cuh"
#include "indexed.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
scatter(char *out, const char *in, const Slot scalar, const Axes axes,
        const Layout<Index, ND, 2 + NINDICES> layout, const Index n)
{
    Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        Offsets<Index, 2 + NINDICES> at = layout.at(i);
        Item *to = (Item *)(out + place(axes, at));
        if constexpr (SCALAR != 0) {
            *to = slot_value<Item>(scalar);
        }
        else {
            *to = *(const Item *)(in + at.at[0]);
        }
    }
}
