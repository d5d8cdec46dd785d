// rows: out[r, c] = op(in[r, c]...) where every operand is contiguous along the columns, or broadcast along
// columns or rows.
// Knobs: as elementwise.cu, and ND outer axes; UNROLL counts rows per thread, so an operand with
// ACCESS_ROW_BROADCAST is read once for them.
// Launch: one thread per WIDTH columns and UNROLL rows, column by column.
#include "knobs/rows.cuh"
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
rows(const Slots<Operands::size> slots, const Layout<Index, ND, Operands::size> outer,
     const Offsets<Index, Operands::size> step, const Divisor<Index> accesses, const Index ncolumns, const Index nrows)
{
    const int N = Operands::size;
    Index t = (Index)blockIdx.x * BLOCK + threadIdx.x;
    Index group = accesses.quotient(t);
    Index column = (t - group * accesses.d) * WIDTH;
    Index row = group * UNROLL;
    int count = ncolumns - column < WIDTH ? (int)(ncolumns - column) : WIDTH;
    Registers<Operands, WIDTH> r[UNROLL];
    Offsets<Index, N> at[UNROLL];

#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        if (row + k < nrows) {
            at[k] = outer.at(row + k);
#pragma unroll
            for (int j = 0; j < N; j++) {
                at[k].at[j] += (Stride)column * step.at[j];
            }
            if (k == 0) {
                r[0].load(slots.at, Scattered{at[0].at, step.at}, count);
            }
            else {
                r[k].repeat(r[0]);
                r[k].load<true>(slots.at, Scattered{at[k].at, step.at}, count);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        if (row + k < nrows) {
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                r[k].apply(v);
            }
            r[k].store(slots.at, Scattered{at[k].at, step.at}, count);
        }
    }
}
