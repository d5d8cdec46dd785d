// user: the loop of an ElementwiseKernel whose code uses more than its elements: raw arguments, the index
// space, threads, statements before and after the loop.
// Knobs: Index u32 or u64; BLOCK threads; OPERANDS, the number of arguments that are not raw; ND, their axes;
// Raws, those that are; run(), all of the code.
// Launch: one thread per element, up to a maximal grid; a grid-stride loop does the rest.
#include "knobs/user.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
user(const Slots<OPERANDS> slots, const Layout<Index, ND, OPERANDS> layout, const Raws raws, const u64 n)
{
    run(slots, layout, raws, n);
}
