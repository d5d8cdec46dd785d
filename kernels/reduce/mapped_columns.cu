// mapped_columns: as mapped.cu, where memory runs along the outputs.
// Knobs: as mapped.cu, but WIDTH counts neighbouring outputs of a thread and LANES threads of a block are
// adjacent.
// Launch: x covers the outputs, y the pieces of `chunk` rows.
#include "knobs/mapped_columns.cuh"
#include "lanes.cuh"
#include "operands.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
mapped_columns(const Slots<Operands::size> slots, char *partials,
               const Layout<Index, KEPT, Operands::size + OUTPUTS> kept, const Layout<Index, REDUCED, Operands::size> reduced,
               const Index nout, const Index n, const Index chunk, const Ending end)
{
    const int N = Operands::size, ROWS = BLOCK / LANES;
    const int column = threadIdx.x % LANES, row = threadIdx.x / LANES;
    __shared__ Storage<A> scratch[ROWS > 1 ? BLOCK * WIDTH : 1];
    Index o = ((Index)blockIdx.x * LANES + column) * WIDTH;
    bool mine = o < nout;
    Index start = (Index)blockIdx.y * chunk;
    Index stop = n - start < chunk ? n : start + chunk;
    Index i = mine ? start + row : stop;
    Offsets<Index, N + OUTPUTS> base = kept.at(mine ? o : 0);
    A x[WIDTH];

#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        x[k] = identity();
    }
#pragma unroll 1
    for (; i < stop && stop - i > (UNROLL - 1) * ROWS; i += UNROLL * ROWS) {
        Registers<Operands, WIDTH> r[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            Offsets<Index, N> at = reduced.at(i + u * ROWS);
#pragma unroll
            for (int j = 0; j < N; j++) {
                at.at[j] += base.at[j];
            }
            r[u].template load_list<false, true>(slots.at, Scattered{at.at, kept.stride[0]}, WIDTH);
        }
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            A y[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                y[u] = r[u].apply(k, end);
            }
            x[k] = combine(x[k], combine_all(y));
        }
    }
#pragma unroll 1
    for (; i < stop; i += ROWS) {
        Registers<Operands, WIDTH> r;
        Offsets<Index, N> at = reduced.at(i);
#pragma unroll
        for (int j = 0; j < N; j++) {
            at.at[j] += base.at[j];
        }
        r.template load_list<false, true>(slots.at, Scattered{at.at, kept.stride[0]}, WIDTH);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            x[k] = combine(x[k], r.apply(k, end));
        }
    }
    if constexpr (ROWS > 1) {
        Storage<A> *place = scratch + threadIdx.x;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            place[k * BLOCK].keep(x[k]);
        }
#pragma unroll 1
        for (int half = ROWS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (row < half) {
#pragma unroll
                for (int k = 0; k < WIDTH; k++) {
                    x[k] = combine(x[k], place[k * BLOCK + half * LANES].get());
                    place[k * BLOCK].keep(x[k]);
                }
            }
        }
    }
    if (mine && row == 0) {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if constexpr (PARTIAL != 0) {
                ((A *)partials)[(u64)blockIdx.y * nout + o + k] = x[k];
            }
            else {
                Stride at[OUTPUTS];
#pragma unroll
                for (int j = 0; j < OUTPUTS; j++) {
                    at[j] = base.at[N + j] + k * kept.stride[0][N + j];
                }
                finish(x[k], end, o + k, at);
            }
        }
    }
}
