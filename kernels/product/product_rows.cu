// product_rows: out[o] = sum over k of a[o, k] * b[o, k], where memory runs along k or the sums are short.
// Knobs: types as in product.cuh; AXES of the outputs; LANES neighbouring threads share an output; WIDTH
// elements per access, UNROLL accesses in flight; PARTIAL stores sums of type X, one per output and
// blockIdx.y, for product_finish.
// Launch: x covers the outputs, y the pieces of `chunk` elements (a multiple of WIDTH) of k.
#include "knobs/product_rows.cuh"
#include "product/product.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
product_rows(const char *a, const char *b, char *out, const Layout<Index, AXES, 3> outputs, const u64 nout,
             const i64 n, const i64 chunk, const i64 a_step, const i64 b_step)
{
    const i64 step = LANES * WIDTH;
    u64 o = (u64)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    bool mine = o < nout;
    i64 start = (i64)blockIdx.y * chunk;
    i64 stop = n - start < chunk ? n : start + chunk;
    i64 k = start + threadIdx.x % LANES * WIDTH;
    Offsets<Index, 3> at = outputs.at(mine ? (Index)o : 0);
    X sums[WIDTH];

#pragma unroll
    for (int w = 0; w < WIDTH; w++) {
        sums[w] = X(0);
    }
    a += at.at[0] + k * a_step;
    b += at.at[1] + k * b_step;
    if (!mine) {
        k = stop;
    }
#pragma unroll 1
    for (; k + (UNROLL - 1) * step < stop; k += UNROLL * step) {
        Vec<Raw<SA>, WIDTH> va[UNROLL];
        Vec<Raw<SB>, WIDTH> vb[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            va[u] = *(const Vec<Raw<SA>, WIDTH> *)(a + u * step * a_step);
            vb[u] = *(const Vec<Raw<SB>, WIDTH> *)(b + u * step * b_step);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                multiply_add(sums[w], element<SA, CONJ_A>(va[u].at[w]), element<SB, CONJ_B>(vb[u].at[w]));
            }
        }
        a += UNROLL * step * a_step;
        b += UNROLL * step * b_step;
    }
    if constexpr (UNROLL > 1) {
#pragma unroll 1
        for (; k < stop; k += step) {
            Vec<Raw<SA>, WIDTH> va = *(const Vec<Raw<SA>, WIDTH> *)a;
            Vec<Raw<SB>, WIDTH> vb = *(const Vec<Raw<SB>, WIDTH> *)b;
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                multiply_add(sums[w], element<SA, CONJ_A>(va.at[w]), element<SB, CONJ_B>(vb.at[w]));
            }
            a += step * a_step;
            b += step * b_step;
        }
    }
#pragma unroll
    for (int w = 1; w < WIDTH; w *= 2) {
#pragma unroll
        for (int v = 0; v + w < WIDTH; v += 2 * w) {
            sums[v] = add(sums[v], sums[v + w]);
        }
    }
    X sum = sum_lanes<LANES, BLOCK>(sums[0]);
    if (mine && threadIdx.x % LANES == 0) {
        if constexpr (PARTIAL != 0) {
            ((X *)out)[(u64)blockIdx.y * nout + o] = sum;
        }
        else {
            *(Raw<SO> *)(out + at.at[2]) = result(sum);
        }
    }
}
