// reduce_columns: out[o] = finish(combine over r of map(in[r, o])), where memory runs along the outputs.
// Knobs: as reduce.cu, but WIDTH counts neighbouring outputs of a thread and LANES threads of a block are
// adjacent; RESUME reads accumulators [n][nout] that an earlier launch stored; PACKED: many adjacent rows of
// few outputs are treated as one row of `across` elements; several threads of a block (LANES is BLOCK) then
// have the same output and combine at the end, and the last row lacks `missing` elements.
// Launch: x covers the outputs (PACKED: the groups of `period` outputs), y the pieces of `chunk` rows.
#include "knobs/reduce_columns.cuh"
#include "reduce/reduce.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
reduce_columns(const char *in, const char *mask, char *out, const Layout<Index, KEPT, 3> kept,
               const Layout<Index, REDUCED, 2> reduced, const Index nout, const Index n, const Index chunk,
               const Ending end, const Index across, const Index period, const Index missing)
{
    const int ROWS = BLOCK / LANES;
    const int column = threadIdx.x % LANES, row = threadIdx.x / LANES;
    __shared__ A scratch[ROWS > 1 || PACKED ? BLOCK * WIDTH : 1];
    Index o = PACKED ? (Index)blockIdx.x * across + column * WIDTH : ((Index)blockIdx.x * LANES + column) * WIDTH;
    bool mine = PACKED ? column * WIDTH < across : o < nout;
    Index start = (Index)blockIdx.y * chunk;
    Index stop = n - start < chunk ? n : start + chunk;
    const Index whole = PACKED && stop == n && missing > 0 ? stop - 1 : stop; // rows of all elements
    Index i = mine ? start + row : stop;
    Offsets<Index, 3> at = kept.at(mine ? o : 0);
    A x[WIDTH];

#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        x[k] = identity();
    }
    if constexpr (!RESUME) {
#pragma unroll 1
        for (; i < whole && whole - i > (UNROLL - 1) * ROWS; i += UNROLL * ROWS) {
            Vec<Raw<S>, WIDTH> raw[UNROLL];
            u8 use[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                Offsets<Index, 2> r = reduced.at(i + u * ROWS);
                raw[u] = *(const Vec<Raw<S>, WIDTH> *)(in + at.at[0] + r.at[0]);
                use[u] = MASKED ? mask[at.at[1] + r.at[1]] : 1;
            }
#pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                Value v[UNROLL];
#pragma unroll
                for (int u = 0; u < UNROLL; u++) {
                    v[u] = In<S, T>::value(raw[u].at[k]);
                }
                if constexpr (MASKED != 0) {
                    x[k] = combine(x[k], combine_used<UNROLL, 1>(v, use, i, ROWS));
                }
                else {
                    x[k] = combine(x[k], Group<A, UNROLL, 1>::of(v, i, ROWS));
                }
            }
        }
    }
    if constexpr (RESUME != 0) {
        const int MANY = sizeof(A) <= 8 ? 8 : 4;
        const A *from = (const A *)in + o;
#pragma unroll 1
        for (; i < stop && stop - i > (MANY - 1) * ROWS; i += MANY * ROWS) {
            A part[MANY];
#pragma unroll
            for (int u = 0; u < MANY; u++) {
                part[u] = from[(u64)(i + u * ROWS) * nout];
            }
            x[0] = combine(x[0], combine_all(part));
        }
    }
#pragma unroll 1
    for (; i < stop; i += ROWS) {
        Offsets<Index, 2> r = reduced.at(i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if constexpr (RESUME != 0) {
                x[k] = combine(x[k], ((const A *)in)[(u64)i * nout + o + k]);
            }
            else if (PACKED ? i < whole || column * WIDTH + k < across - missing
                            : !MASKED || mask[at.at[1] + r.at[1] + k * kept.stride[0][1]]) {
                x[k] = combine(x[k], load_one(in + at.at[0] + r.at[0] + k * kept.stride[0][0], i));
            }
        }
    }
    if constexpr (ROWS > 1) {
        A *place = scratch + threadIdx.x;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            place[k * BLOCK] = x[k];
        }
#pragma unroll 1
        for (int half = ROWS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (row < half) {
#pragma unroll
                for (int k = 0; k < WIDTH; k++) {
                    x[k] = combine(x[k], place[k * BLOCK + half * LANES]);
                    place[k * BLOCK] = x[k];
                }
            }
        }
    }
    if constexpr (PACKED != 0) { // output c of the group is at c, c + period, c + 2 * period ...
        Index many = across / period;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if (mine) {
                scratch[column * WIDTH + k] = x[k];
            }
        }
#pragma unroll 1
        while (many > 1) {
            const Index half = (many + 1) / 2;
            __syncthreads();
#pragma unroll 1
            for (Index c = threadIdx.x; c < (many - half) * period; c += BLOCK) {
                scratch[c] = combine(scratch[c], scratch[c + half * period]);
            }
            many = half;
        }
        __syncthreads();
#pragma unroll 1
        for (Index c = threadIdx.x; c < period; c += BLOCK) {
            const Index to = (Index)blockIdx.x * period + c;
            if constexpr (PARTIAL != 0) {
                ((A *)out)[(u64)blockIdx.y * nout + to] = scratch[c];
            }
            else {
                store_result(out + kept.at((Index)blockIdx.x * across + c).at[2], scratch[c], end);
            }
        }
    }
    else if (mine && row == 0) {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if constexpr (PARTIAL != 0) {
                ((A *)out)[(u64)blockIdx.y * nout + o + k] = x[k];
            }
            else {
                store_result(out + at.at[2] + k * kept.stride[0][2], x[k], end);
            }
        }
    }
}
