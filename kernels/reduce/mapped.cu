// mapped: out[o] = finish(combine over r of op(in[o, r]...)) for any number of inputs, where memory runs along
// the reduced axes. As reduce.cu, step by step, so that a sum has the same bits whether its argument
// lies in memory or is computed here.
// Knobs: Index; Operands, the inputs; OUTPUTS, the number of outputs; A, identity(), op(end, inputs...),
// combine(), finish(); Ending, their other arguments; KEPT and REDUCED axes; LANES, WIDTH, UNROLL, BLOCK,
// PARTIAL as in reduce.cu. RAGGED: rows start where those of an array of the computed elements would, the
// kept axes' last operand: elements from a boundary of its accesses, of which `past` are before the first
// row.
// Launch: as reduce.cu.
#include "knobs/mapped.cuh"
#include "edges.cuh"
#include "lanes.cuh"
#include "operands.cuh"

typedef Layout<Index, REDUCED, Operands::size> Reduced;

template <int V, class Base>
GNP_FN void load_from(Registers<Operands, V> &r, const Slots<Operands::size> &slots, const Base &base,
                      const Reduced &reduced, Index i)
{
    Offsets<Index, Operands::size> at = reduced.at(i);
#pragma unroll
    for (int j = 0; j < Operands::size; j++) {
        at.at[j] += base[j];
    }
    r.template load_list<false, true>(slots.at, Scattered{at.at, reduced.stride[0]}, V);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
mapped(const Slots<Operands::size> slots, char *partials, const Layout<Index, KEPT, Operands::size + OUTPUTS + RAGGED> kept,
       const Reduced reduced, const Index nout, const Index n, const Index chunk,
       const Index past, const Ending end)
{
    const int N = Operands::size;
    const Index step = LANES * WIDTH;
    const u32 outputs = PARTIAL ? blockIdx.y : blockIdx.x, piece = PARTIAL ? blockIdx.x : 0;
    Index o = (Index)outputs * (BLOCK / LANES) + threadIdx.x / LANES;
    Index start = (Index)piece * chunk;
    Index stop = n - start < chunk ? n : start + chunk;
    Offsets<Index, N + OUTPUTS + RAGGED> base = kept.at(o < nout ? o : 0);
    A x = identity();

    const Index before = RAGGED ? past + (Index)base.at[N + OUTPUTS - !RAGGED] : 0;
    const Edges<Index, WIDTH> row(before, o < nout ? start : stop, stop);
    if constexpr (WIDTH > 1) {
        const int rounds = edge_rounds<WIDTH, LANES, RAGGED>();
        Registers<Operands, 1> r[rounds];
#pragma unroll
        for (int k = 0; k < rounds; k++) {
            Index edge = k * LANES + threadIdx.x % LANES;
            if (edge < row.count()) {
                load_from(r[k], slots, base.at, reduced, row.at(edge));
            }
        }
#pragma unroll
        for (int k = 0; k < rounds; k++) {
            Index edge = k * LANES + threadIdx.x % LANES;
            if (edge < row.count()) {
                x = combine(x, r[k].apply(0, end));
            }
        }
    }
    const Index ahead = (UNROLL - 1) * step + WIDTH;
    Index i = row.begin + threadIdx.x % LANES * WIDTH;
#pragma unroll 1
    for (; i < row.end && row.end - i >= ahead; i += UNROLL * step) {
        Registers<Operands, WIDTH> r[UNROLL];
        A y[UNROLL * WIDTH];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            load_from(r[k], slots, base.at, reduced, i + k * step);
        }
#pragma unroll
        for (int k = 0; k < UNROLL * WIDTH; k++) {
            y[k] = r[k / WIDTH].apply(k % WIDTH, end);
        }
        x = combine(x, combine_all(y));
    }
    if constexpr (UNROLL > 1) {
        const int left = UNROLL > 1 ? UNROLL - 1 : 1;
        Registers<Operands, WIDTH> r[left];
#pragma unroll
        for (int k = 0; k < left; k++) {
            if (i < row.end && row.end - i > k * step) {
                load_from(r[k], slots, base.at, reduced, i + k * step);
            }
        }
#pragma unroll
        for (int k = 0; k < left; k++) {
            if (i < row.end && row.end - i > k * step) {
                A y[WIDTH];
#pragma unroll
                for (int v = 0; v < WIDTH; v++) {
                    y[v] = r[k].apply(v, end);
                }
                x = combine(x, combine_all(y));
            }
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
