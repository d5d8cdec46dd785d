// lbfgs_direction: a direction of L-BFGS, the sum of rows and of the gradient with weights, and the point that lies a
// step along it from x. The weight of the gradient comes behind those of the rows.
// Rows are read GROUP at a time, so that their loads overlap.
// Knobs: T: the elements; BLOCK threads. Launch: any number of blocks.
#include "knobs/lbfgs_direction.cuh"
#include "linalg/matrix.cuh"

typedef Compute<T> A;
enum { EACH = 2, TILE = BLOCK * EACH, GROUP = 8 };

extern "C" __global__ void __launch_bounds__(BLOCK)
lbfgs_direction(const T *rows, const T *g, const T *x, const f64 *weights, T *p, T *point, const i64 n,
                const i64 count, const f64 step)
{
#pragma unroll 1
    for (i64 tile = (i64)blockIdx.x * TILE; tile < n; tile += (i64)gridDim.x * TILE) {
        A sum[EACH], from[EACH];
        i64 at[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const i64 i = tile + u * BLOCK + threadIdx.x;
            at[u] = i < n ? i : n - 1;
            sum[u] = A(weights[count]) * g[at[u]];
            from[u] = x[at[u]];
        }
#pragma unroll 1
        for (i64 start = 0; start < count; start += GROUP) {
            A values[GROUP][EACH];
#pragma unroll
            for (int r = 0; r < GROUP; r++) {
                const T *row = rows + (start + r < count ? start + r : count - 1) * n;
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    values[r][u] = row[at[u]];
                }
            }
#pragma unroll
            for (int r = 0; r < GROUP; r++) {
                const A weight = start + r < count ? A(weights[start + r]) : A(0);
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    sum[u] = mad(weight, values[r][u], sum[u]);
                }
            }
        }
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            if (tile + u * BLOCK + threadIdx.x < n) {
                p[at[u]] = sum[u];
                point[at[u]] = from[u] + A(step) * sum[u];
            }
        }
    }
}
