// krylov_project: a pass of Gram-Schmidt: w less its parts along the rows of an orthonormal basis, and the products
// of the rows with what is left. Products are left as sums of blocks, which all blocks of the next pass add up in
// the same order.
//   KRYLOV_PRODUCTS: the products of `count` rows with w.
//   KRYLOV_AGAIN: rest = w less the parts of the products before; again products, to remove what rounding left.
//   KRYLOV_LENGTH: rest = w less the parts of the products before; its square. w may be `rest` itself.
// Knobs: T: the elements; PASS; BLOCK threads. Launch: up to MOST_BLOCKS blocks, which leave a sum for each row.
#include "knobs/krylov_project.cuh"
#include "linalg/matrix.cuh"

typedef Compute<T> A;
enum { EACH = 4, TILE = BLOCK * EACH, WARPS = BLOCK / 32, MOST = KRYLOV_MOST_ROWS };

GNP_FN A sum_of_warp(A x)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        x = x + lane_value<32>(x, (int)threadIdx.x % 32 ^ d);
    }
    return x;
}

// The parts along the rows, from the sums of all blocks: a warp for each row.
GNP_FN void add_up(A *parts, const A *sums, int count, i64 blocks)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int j = (int)threadIdx.x / 32; j < count; j += WARPS) {
        A sum = A(0);
#pragma unroll 1
        for (i64 b = lane; b < blocks; b += 32) {
            sum = sum + sums[b * MOST + j];
        }
        sum = sum_of_warp(sum);
        if (lane == 0) {
            parts[j] = sum;
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(BLOCK)
krylov_project(const A *basis, const A *w, A *rest, const A *sums, A *out, A *numbers, const i64 n, const i64 count,
               const i64 blocks)
{
    __shared__ alignas(16) u8 parts_chip[MOST * sizeof(A)], warps_chip[WARPS * MOST * sizeof(A)];
    A *parts = (A *)parts_chip, *warps = (A *)warps_chip;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, rows = (int)count;
    const int nsums = PASS == KRYLOV_LENGTH ? 1 : rows;
    if constexpr (PASS != KRYLOV_PRODUCTS) {
        add_up(parts, sums, rows, blocks);
        if (blockIdx.x == 0 && (int)threadIdx.x < rows) {
            numbers[threadIdx.x] = parts[threadIdx.x];
        }
    }
#pragma unroll 1
    for (int j = lane; j < nsums; j += 32) {
        warps[warp * MOST + j] = A(0);
    }
    __syncwarp();
#pragma unroll 1
    for (i64 first = (i64)blockIdx.x * TILE; first < n; first += (i64)gridDim.x * TILE) {
        A mine[EACH];
        i64 at[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const i64 i = first + u * BLOCK + threadIdx.x;
            at[u] = i < n ? i : n - 1; // past the end the basis is read, which nobody writes: loads overlap
            const A x = *(i < n ? w + i : basis);
            mine[u] = i < n ? x : A(0);
        }
        if constexpr (PASS != KRYLOV_PRODUCTS) {
#pragma unroll 2
            for (int j = 0; j < rows; j++) {
                const A *row = basis + j * n, part = -parts[j];
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    mine[u] = mad(part, row[at[u]], mine[u]);
                }
            }
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                const bool is_there = first + u * BLOCK + threadIdx.x < n;
                if (is_there) {
                    rest[at[u]] = mine[u];
                }
                mine[u] = is_there ? mine[u] : A(0);
            }
        }
#pragma unroll 2
        for (int j = 0; j < nsums; j++) {
            const A *row = basis + j * n;
            A sum = A(0);
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                sum = mad(conjugate(PASS == KRYLOV_LENGTH ? mine[u] : row[at[u]]), mine[u], sum);
            }
            sum = sum_of_warp(sum);
            if (lane == 0) {
                warps[warp * MOST + j] = warps[warp * MOST + j] + sum;
            }
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int j = threadIdx.x; j < nsums; j += BLOCK) {
        A sum = A(0);
#pragma unroll
        for (int v = 0; v < WARPS; v++) {
            sum = sum + warps[v * MOST + j];
        }
        out[(i64)blockIdx.x * MOST + j] = sum;
    }
}
