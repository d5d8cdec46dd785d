// scatter: out[place(o)] = in[o], the places named by integer arrays. Which of several values for one element
// is stored is undefined.
// Knobs: as indexed.cuh; SCALAR takes the value from its slot instead of memory. REFUSES: the one index
// stores nothing where it lies beyond its axis, and `refused` keeps the least o of those.
// Launch: one thread per element.
#include "knobs/scatter.cuh"
#include "select/indexed.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
scatter(char *out, const char *in, const Slot scalar, u64 *refused, const Axes axes,
        const Layout<Index, ND, 2 + NINDICES> layout, const Index n)
{
    Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        Offsets<Index, 2 + NINDICES> at = layout.at(i);
        if constexpr (REFUSES != 0) {
            const i64 x = (i64)*(const I *)(axes.at[0].data + at.at[2]), size = axes.at[0].size;
            if (x < -size || x >= size) {
                atomicMin(refused, (u64)i);
                return;
            }
        }
        Item *to = (Item *)(out + place(axes, at));
        if constexpr (SCALAR != 0) {
            *to = slot_value<Item>(scalar);
        }
        else {
            *to = *(const Item *)(in + at.at[0]);
        }
    }
}
