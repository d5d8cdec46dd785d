// mapped_finish: the accumulators [n][nout] that mapped.cu or mapped_columns.cu stored piece by piece, combined
// and finished.
// Knobs: A, combine(), identity(), finish(), Ending, Index, OUTPUTS, KEPT as in mapped.cu; LANES threads of a
// block lie beside each other.
// Launch: x covers the outputs.
#include "knobs/mapped_finish.cuh"
#include "lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
mapped_finish(const char *partials, const Layout<Index, KEPT, OUTPUTS> kept, const Index nout, const Index n,
              const Ending end)
{
    const int ROWS = BLOCK / LANES;
    const int column = threadIdx.x % LANES, row = threadIdx.x / LANES;
    __shared__ Storage<A> scratch[BLOCK];
    Index o = (Index)blockIdx.x * LANES + column;
    bool mine = o < nout;
    Storage<A> *place = scratch + threadIdx.x;
    A x = identity();

#pragma unroll 1
    for (Index i = mine ? (Index)row : n; i < n; i += ROWS) {
        x = combine(x, ((const A *)partials)[(u64)i * nout + o]);
    }
    place->keep(x);
#pragma unroll 1
    for (int half = ROWS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (row < half) {
            x = combine(x, place[half * LANES].get());
            place->keep(x);
        }
    }
    if (mine && row == 0) {
        finish(x, end, o, kept.at(o).at);
    }
}
