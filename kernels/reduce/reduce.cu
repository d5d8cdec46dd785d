// reduce: out[o] = finish(combine over r of map(in[o, r])), where memory runs along the reduced axes.
// Knobs: types and functions as in reduce.cuh; KEPT and REDUCED axes; LANES neighbouring threads share an
// output; WIDTH elements per access, UNROLL accesses in flight; MASKED reads a byte beside each element (then
// WIDTH is 1); PARTIAL stores accumulators, one per output and piece, for reduce_columns. RAGGED: contiguous
// rows need not start on boundaries of accesses (edges.cuh).
// Launch: x covers the outputs; if PARTIAL, y does and x counts the pieces of `chunk` elements (a multiple of
// WIDTH) of each, so that blocks which run together read neighbouring memory.
#include "knobs/reduce.cuh"
#include "edges.cuh"
#include "reduce/reduce.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
reduce(const char *in, const char *mask, char *out, const Layout<Index, KEPT, 3> kept,
       const Layout<Index, REDUCED, 2> reduced, const Index nout, const Index n, const Index chunk, const Ending end)
{
    const Index step = LANES * WIDTH;
    const u32 outputs = PARTIAL ? blockIdx.y : blockIdx.x, piece = PARTIAL ? blockIdx.x : 0;
    Index o = (Index)outputs * (BLOCK / LANES) + threadIdx.x / LANES;
    Index start = (Index)piece * chunk;
    Index stop = n - start < chunk ? n : start + chunk;
    Offsets<Index, 3> at = kept.at(o < nout ? o : 0);
    A x = identity();

    in += at.at[0];
    const Index past = RAGGED ? (Index)((u64)in / sizeof(Raw<S>)) : 0;
    const Edges<Index, WIDTH> row(past, o < nout ? start : stop, stop);
    if constexpr (WIDTH > 1) { // all loads in flight together
        const int rounds = edge_rounds<WIDTH, LANES, RAGGED>();
        Raw<S> raw[rounds];
#pragma unroll
        for (int k = 0; k < rounds; k++) {
            Index edge = k * LANES + threadIdx.x % LANES;
            raw[k] = edge < row.count() ? *(const Raw<S> *)(in + reduced.at(row.at(edge)).at[0]) : Raw<S>{};
        }
#pragma unroll
        for (int k = 0; k < rounds; k++) {
            Index edge = k * LANES + threadIdx.x % LANES;
            if (edge < row.count()) {
                x = combine(x, map(In<S, T>::value(raw[k]), row.at(edge)));
            }
        }
    }
    const Index ahead = (UNROLL - 1) * step + WIDTH;
    Index i = row.begin + threadIdx.x % LANES * WIDTH;
#pragma unroll 1
    for (; i < row.end && row.end - i >= ahead; i += UNROLL * step) {
        Vec<Raw<S>, WIDTH> raw[UNROLL];
        Value v[UNROLL * WIDTH];
        u8 use[UNROLL * WIDTH];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            Offsets<Index, 2> r = reduced.at(i + k * step);
            raw[k] = *(const Vec<Raw<S>, WIDTH> *)(in + r.at[0]);
            use[k * WIDTH] = MASKED ? mask[at.at[1] + r.at[1]] : 1;
        }
#pragma unroll
        for (int k = 0; k < UNROLL * WIDTH; k++) {
            v[k] = In<S, T>::value(raw[k / WIDTH].at[k % WIDTH]);
        }
        if constexpr (MASKED != 0) {
            x = combine(x, combine_used<UNROLL * WIDTH, WIDTH>(v, use, i, step));
        }
        else {
            x = combine(x, Group<A, UNROLL * WIDTH, WIDTH>::of(v, i, step));
        }
    }
    if constexpr (UNROLL > 1) { // the remaining accesses, in flight together too
        const int left = UNROLL > 1 ? UNROLL - 1 : 1;
        Vec<Raw<S>, WIDTH> raw[left];
        bool use[left];
#pragma unroll
        for (int k = 0; k < left; k++) {
            use[k] = i < row.end && row.end - i > k * step;
            if (use[k]) {
                Offsets<Index, 2> r = reduced.at(i + k * step);
                raw[k] = *(const Vec<Raw<S>, WIDTH> *)(in + r.at[0]);
                use[k] = !MASKED || mask[at.at[1] + r.at[1]];
            }
        }
#pragma unroll
        for (int k = 0; k < left; k++) {
            if (use[k]) {
                Value v[WIDTH];
#pragma unroll
                for (int e = 0; e < WIDTH; e++) {
                    v[e] = In<S, T>::value(raw[k].at[e]);
                }
                x = combine(x, Group<A, WIDTH, WIDTH>::of(v, i + k * step, step));
            }
        }
    }
    x = combine_lanes<LANES>(x);
    if (o < nout && threadIdx.x % LANES == 0) {
        if constexpr (PARTIAL != 0) {
            ((A *)out)[(u64)piece * nout + o] = x;
        }
        else {
            store_result(out + at.at[2], x, end);
        }
    }
}
