// mapped: out[o] = finish(combine over r of op(in[o, r]...)) for any number of inputs, where memory runs along
// the reduced axes. As reduce.cu, step by step, so that a sum has the same bits whether its argument
// lies in memory or is computed here.
// Knobs: Index; Operands, the inputs; OUTPUTS, the number of outputs; A, identity(), op(end, inputs...), combine(),
// finish(); Ending, what else they need; KEPT and REDUCED axes; LANES, WIDTH, UNROLL, BLOCK, PARTIAL as in reduce.cu.
// Launch: as reduce.cu.
#include "knobs/mapped.cuh"
#include "lanes.cuh"
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
mapped(const Slots<Operands::size> slots, char *partials, const Layout<Index, KEPT, Operands::size + OUTPUTS> kept,
       const Layout<Index, REDUCED, Operands::size> reduced, const Index nout, const Index n, const Index chunk,
       const Ending end)
{
    const int N = Operands::size;
    const Index step = LANES * WIDTH;
    const u32 outputs = PARTIAL ? blockIdx.y : blockIdx.x, piece = PARTIAL ? blockIdx.x : 0;
    Index o = (Index)outputs * (BLOCK / LANES) + threadIdx.x / LANES;
    Index start = (Index)piece * chunk;
    Index stop = n - start < chunk ? n : start + chunk;
    Index i = start + threadIdx.x % LANES * WIDTH;
    Offsets<Index, N + OUTPUTS> base = kept.at(o < nout ? o : 0);
    A x = identity();

    if (o >= nout) {
        i = stop;
    }
    const Index ahead = (UNROLL - 1) * step + WIDTH;
#pragma unroll 1
    for (; i < stop && stop - i >= ahead; i += UNROLL * step) {
        Registers<Operands, WIDTH> r[UNROLL];
        A y[UNROLL * WIDTH];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            Offsets<Index, N> at = reduced.at(i + k * step);
#pragma unroll
            for (int j = 0; j < N; j++) {
                at.at[j] += base.at[j];
            }
            r[k].template load_list<false, true>(slots.at, Scattered{at.at, reduced.stride[0]}, WIDTH);
        }
#pragma unroll
        for (int k = 0; k < UNROLL * WIDTH; k++) {
            y[k] = r[k / WIDTH].apply(k % WIDTH, end);
        }
        x = combine(x, combine_all(y));
    }
#pragma unroll 1
    for (; i < stop; i += step) {
#pragma unroll 1
        for (int k = 0; k < WIDTH && i + k < stop; k++) {
            Registers<Operands, 1> r;
            Offsets<Index, N> at = reduced.at(i + k);
#pragma unroll
            for (int j = 0; j < N; j++) {
                at.at[j] += base.at[j];
            }
            r.template load_list<false, true>(slots.at, Scattered{at.at, reduced.stride[0]}, 1);
            x = combine(x, r.apply(0, end));
        }
    }
    x = combine_lanes<LANES>(x);
    if (o < nout && threadIdx.x % LANES == 0) {
        if constexpr (PARTIAL != 0) {
            ((A *)partials)[(u64)piece * nout + o] = x;
        }
        else {
            finish(x, end, o, base.at + N);
        }
    }
}
