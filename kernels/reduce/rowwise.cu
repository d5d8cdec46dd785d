// rowwise: reductions along rows and what is computed from them, row by row: a row is read from memory once
// and again from the caches. Reductions combine as reduce.cu does.
// Knobs: Index; PHASES, and Phase<0>.. of kind REDUCES, ONCE (a value per row) or EACH (per element), with
// its Operands, FIRST their position among all OPERANDS, op(phase, row, inputs..., outputs&...); Row, the
// values per row; KEPT and REDUCED axes; LANES, WIDTH, UNROLL, BLOCK as in reduce.cu; RAGGED as in mapped.cu.
// Launch: LANES threads per row.
#include "knobs/rowwise.cuh"
#include "operands.cuh"
#include "reduce/rowwise.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
rowwise(const Slots<OPERANDS> slots, const Layout<Index, KEPT, OPERANDS + RAGGED> kept,
        const Layout<Index, REDUCED, OPERANDS> reduced, const Index nout, const Index n,
        const Index past)
{
    Index o = (Index)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    Offsets<Index, OPERANDS + RAGGED> base = kept.at(o < nout ? o : 0);
    Row row;
    const Index before = RAGGED ? past + (Index)base.at[OPERANDS - !RAGGED] : 0;
    const Span span(before, 0, o < nout ? n : 0);
    run_phases<0>(slots.at, base.at, reduced, row, span);
}
