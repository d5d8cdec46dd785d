// scatter: out[place(o)] = in[o], the places named by integer arrays. Which of several values for one element
// is stored is undefined.
// Knobs: as indexed.cuh; UNROLL elements per thread, BLOCK apart, whose reads overlap in time. SCALAR takes the
// value from its slot instead of memory. REFUSES: the one index stores nothing where it lies beyond its axis, and
// `refused` keeps the least o of those.
// Launch: one thread per UNROLL elements.
#include "knobs/scatter.cuh"
#include "select/indexed.cuh"

// Stores element o of the index space.
GNP_FN void store(char *out, Item item, u64 *refused, const Axes &axes, const Element &e, Index o)
{
    i64 place;
    if constexpr (REFUSES != 0) {
        const i64 size = axes.at[0].size, x = (i64)e.index[0], up = x < 0 ? x + size : x;
        if ((u64)up >= (u64)size) {
            atomicMin(refused, (u64)o);
            return;
        }
        place = e.offset + up * axes.at[0].stride;
    }
    else {
        place = e.place(axes);
    }
    *(Item *)(out + place) = item;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
scatter(char *out, const char *in, const Slot scalar, u64 *refused, const Axes axes,
        const Layout<Index, ND, 2 + NINDICES> layout, const Index n)
{
    const Index first = (Index)blockIdx.x * (BLOCK * UNROLL) + threadIdx.x;
    Element e[UNROLL];
    Item item[UNROLL];

    load_elements(e, axes, layout, first, n);
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        item[k] = SCALAR != 0 ? slot_value<Item>(scalar) : *(const Item *)(in + e[k].beside);
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        const Index o = first + k * BLOCK;
        if (o < n) {
            store(out, item[k], refused, axes, e[k], o);
        }
    }
}
