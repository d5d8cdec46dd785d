// product_finish: out[o] = sum over p of sums[p, o]: the pieces that another kernel of products stored.
// Knobs: types as in product.cuh; AXES of the outputs; LANES neighbouring threads share an output.
// Launch: x covers the outputs.
#include "knobs/product_finish.cuh"
#include "product/product.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
product_finish(const X *sums, char *out, const Layout<Index, AXES, 3> outputs, const u64 nout, const i64 n)
{
    u64 o = (u64)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    bool mine = o < nout;
    X sum = X(0);

    if (mine) {
#pragma unroll 4
        for (i64 p = threadIdx.x % LANES; p < n; p += LANES) {
            sum = add(sum, sums[p * nout + o]);
        }
    }
    sum = sum_lanes<LANES, BLOCK>(sum);
    if (mine && threadIdx.x % LANES == 0) {
        *(Raw<SO> *)(out + outputs.at((Index)o).at[2]) = result(sum);
    }
}
