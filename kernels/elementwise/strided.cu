// strided: out[i] = op(in[i]...) over any strides, element by element.
// Knobs: Index u32 or u64; ND axes; UNROLL elements in flight; BLOCK threads; Operands; op.
// Launch: one thread per UNROLL elements, no loop; neighbours follow the fastest axis.
#include "knobs/strided.cuh"
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
strided(const Slots<Operands::size> slots, const Layout<Index, ND, Operands::size> layout, const Index n)
{
    Index first = (Index)blockIdx.x * (BLOCK * UNROLL) + threadIdx.x;
    Registers<Operands, 1> r[UNROLL];
    Offsets<Index, Operands::size> at[UNROLL];

#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        if (first + k * BLOCK < n) {
            at[k] = layout.at(first + k * BLOCK);
            r[k].load(slots.at, Scattered{at[k].at, at[k].at}, 1);
        }
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        if (first + k * BLOCK < n) {
            r[k].apply(0);
            r[k].store(slots.at, Scattered{at[k].at, at[k].at}, 1);
        }
    }
}
