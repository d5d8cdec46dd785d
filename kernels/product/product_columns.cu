// product_columns: out[o] = sum over k of a[o, k] * b[o, k], where memory runs along the outputs.
// Knobs: as product_rows.cu, but WIDTH counts neighbouring outputs of a thread and LANES threads of a block
// are adjacent; B_MOVES: b varies along the outputs too, else it has one element for all.
// Launch: x covers the outputs, y the pieces of `chunk` of k.
#include "knobs/product_columns.cuh"
#include "product/product.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
product_columns(const char *a, const char *b, char *out, const Layout<Index, AXES, 3> outputs, const u64 nout,
                const i64 n, const i64 chunk, const i64 a_step, const i64 b_step)
{
    const int ROWS = BLOCK / LANES, WIDTH_B = B_MOVES ? WIDTH : 1;
    const int column = threadIdx.x % LANES, row = threadIdx.x / LANES;
    __shared__ X scratch[ROWS > 1 ? BLOCK * WIDTH : 1];
    u64 o = ((u64)blockIdx.x * LANES + column) * WIDTH;
    bool mine = o < nout;
    i64 start = (i64)blockIdx.y * chunk;
    i64 stop = n - start < chunk ? n : start + chunk;
    i64 k = mine ? start + row : stop;
    Offsets<Index, 3> at = outputs.at(mine ? (Index)o : 0);
    X sums[WIDTH];

#pragma unroll
    for (int w = 0; w < WIDTH; w++) {
        sums[w] = X(0);
    }
    a += at.at[0];
    b += at.at[1];
#pragma unroll 1
    for (; k + (UNROLL - 1) * ROWS < stop; k += UNROLL * ROWS) {
        Vec<Raw<SA>, WIDTH> va[UNROLL];
        Vec<Raw<SB>, WIDTH_B> vb[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            va[u] = *(const Vec<Raw<SA>, WIDTH> *)(a + (k + u * ROWS) * a_step);
            vb[u] = *(const Vec<Raw<SB>, WIDTH_B> *)(b + (k + u * ROWS) * b_step);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                multiply_add(sums[w], element<SA, CONJ_A>(va[u].at[w]), element<SB, CONJ_B>(vb[u].at[w % WIDTH_B]));
            }
        }
    }
    if constexpr (UNROLL > 1) {
#pragma unroll 1
        for (; k < stop; k += ROWS) {
            Vec<Raw<SA>, WIDTH> va = *(const Vec<Raw<SA>, WIDTH> *)(a + k * a_step);
            Vec<Raw<SB>, WIDTH_B> vb = *(const Vec<Raw<SB>, WIDTH_B> *)(b + k * b_step);
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                multiply_add(sums[w], element<SA, CONJ_A>(va.at[w]), element<SB, CONJ_B>(vb.at[w % WIDTH_B]));
            }
        }
    }
    if constexpr (ROWS > 1) {
        X *place = scratch + threadIdx.x;
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            place[w * BLOCK] = sums[w];
        }
#pragma unroll 1
        for (int half = ROWS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (row < half) {
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    sums[w] = add(sums[w], place[w * BLOCK + half * LANES]);
                    place[w * BLOCK] = sums[w];
                }
            }
        }
    }
    if (mine && row == 0) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            if constexpr (PARTIAL != 0) {
                ((X *)out)[(u64)blockIdx.y * nout + o + w] = sums[w];
            }
            else {
                *(Raw<SO> *)(out + at.at[2] + w * outputs.stride[0][2]) = result(sums[w]);
            }
        }
    }
}
