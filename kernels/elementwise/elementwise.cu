// elementwise: out[i] = op(in[i]...) over contiguous memory, 16 bytes per access where types allow.
// Knobs: Index u32 or u64; WIDTH elements per access, a power of two; UNROLL accesses in flight;
// BLOCK threads, RESIDENT blocks at least on a multiprocessor; Operands, each ACCESS_CONTIGUOUS, ACCESS_BROADCAST or ACCESS_SCALAR; op.
// Addresses are multiples of the access.
// Launch: one thread per WIDTH * UNROLL elements, no loop.
#include "knobs/elementwise.cuh"
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
elementwise(const Slots<Operands::size> slots, const Index n)
{
    Index first = ((Index)blockIdx.x * (BLOCK * UNROLL) + threadIdx.x) * WIDTH;
    Registers<Operands, WIDTH> r[UNROLL];

#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        Index i = first + k * (BLOCK * WIDTH);
        if (i < n) {
            r[k].load(slots.at, Linear{i}, n - i < WIDTH ? (int)(n - i) : WIDTH);
        }
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        Index i = first + k * (BLOCK * WIDTH);
        if (i < n) {
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                r[k].apply(v);
            }
            r[k].store(slots.at, Linear{i}, n - i < WIDTH ? (int)(n - i) : WIDTH);
        }
    }
}
