// krylov_project: a pass of Gram-Schmidt: w less its parts along rows of an orthonormal basis, and the products of
// the rows with what is left. Products are left as sums of blocks, which all blocks of the next pass add up in the
// same order. The first pass may take the rows from `first` on only, where the others' products are known to be
// small: in the Lanczos process those before the last two.
//   KRYLOV_PRODUCTS: the products of the rows from `first` on with w.
//   KRYLOV_AGAIN: rest = w less the parts of the products before; the products of all rows, to remove what
//   rounding left, and in the row behind them the square of rest.
//   KRYLOV_LENGTH: rest = w less the parts of the products before, `first` is 0; its square. w may be `rest` itself.
//   Where the products are less than `slack` times the length, vectors are left as they are.
// Rows are read GROUP at a time, so that enough loads overlap where a few blocks read a basis in the cache. The second
// reading of KRYLOV_AGAIN goes backwards and finds rows in the cache, the sooner the less elements a block has.
// Knobs: T: the elements; PASS; EACH elements of a thread at a time; BLOCK threads.
// Launch: up to KRYLOV_MOST_SUMS blocks, which leave a sum for each row.
#include "knobs/krylov_project.cuh"
#include "linalg/matrix.cuh"
#include "sparse/krylov.cuh"

enum {
    TILE = BLOCK * EACH,
    WARPS = BLOCK / 32,
    MOST = KRYLOV_MOST_ROWS + 1,
    GROUP = sizeof(A) < 16 ? 8 : 4
};

// The parts along the rows, from the sums of all blocks: a warp for FEW rows at a time.
GNP_FN void add_up(A *parts, const A *sums, int first, int rows, int blocks)
{
    enum { FEW = 4 };
    const int lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int start = first + (int)threadIdx.x / 32 * FEW; start < rows; start += WARPS * FEW) {
        A sum[FEW];
#pragma unroll
        for (int r = 0; r < FEW; r++) {
            sum[r] = sum_of_lane(sums + min(start + r, rows - 1) * KRYLOV_MOST_SUMS, blocks);
        }
        const int j = start + sums_of_warp(sum);
        if (lane % (32 / FEW) == 0 && j < rows) {
            parts[j] = sum[0];
        }
    }
    __syncthreads();
}

// Whether the products of the rows with a vector are small beside its length, whose square is behind them; all warps
// find the same.
GNP_FN bool are_small(const A *parts, int rows, f64 slack)
{
    A sum[1] = {A(0)};
#pragma unroll 1
    for (int j = (int)threadIdx.x % 32; j < rows; j += 32) {
        sum[0] = mad(conjugate(parts[j]), parts[j], sum[0]);
    }
    sums_of_warp(sum);
    return real(sum[0]) < Real(slack * slack) * real(parts[rows]);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
krylov_project(const A *basis, const A *w, A *rest, const A *sums, A *out, A *numbers, const i64 n, const i64 count,
               const i64 from, const i64 blocks, const f64 slack)
{
    __shared__ alignas(16) u8 parts_chip[MOST * sizeof(A)], warps_chip[WARPS * MOST * sizeof(A)];
    A *parts = (A *)parts_chip, *warps = (A *)warps_chip;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, rows = (int)count, first = (int)from;
    const int begin = PASS == KRYLOV_PRODUCTS ? first : 0, end = PASS == KRYLOV_LENGTH ? 1 : rows;
    if constexpr (PASS != KRYLOV_PRODUCTS) {
        add_up(parts, sums, first, PASS == KRYLOV_LENGTH ? rows + 1 : rows, (int)blocks);
        const bool is_done = PASS == KRYLOV_LENGTH && are_small(parts, rows, slack);
        if (blockIdx.x == 0 && (int)threadIdx.x < rows) {
            numbers[threadIdx.x] = (int)threadIdx.x < first || is_done ? A(0) : parts[threadIdx.x];
        }
        if (is_done) {
            if (threadIdx.x == 0) {
                out[blockIdx.x] = blockIdx.x == 0 ? parts[rows] : A(0);
            }
            return;
        }
    }
#pragma unroll 1
    for (int j = lane; j < end; j += 32) {
        warps[warp * MOST + j] = A(0);
    }
    __syncwarp();
    A square[1] = {A(0)};
#pragma unroll 1
    for (i64 tile = (i64)blockIdx.x * TILE; tile < n; tile += (i64)gridDim.x * TILE) {
        A mine[EACH];
        i64 at[EACH];
        bool is_there[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const i64 i = tile + u * BLOCK + threadIdx.x;
            is_there[u] = i < n;
            at[u] = is_there[u] ? i : n - 1; // past the end the basis is read, which nobody writes: loads overlap
            const A x = *(is_there[u] ? w + i : basis);
            mine[u] = is_there[u] ? x : A(0);
        }
        if constexpr (PASS != KRYLOV_PRODUCTS) {
#pragma unroll 1
            for (int start = first; start < rows; start += GROUP) {
                A x[GROUP][EACH];
#pragma unroll
                for (int r = 0; r < GROUP; r++) {
                    const A *row = basis + min(start + r, rows - 1) * n;
#pragma unroll
                    for (int u = 0; u < EACH; u++) {
                        x[r][u] = row[at[u]];
                    }
                }
#pragma unroll
                for (int r = 0; r < GROUP; r++) {
                    const A part = start + r < rows ? -parts[start + r] : A(0);
#pragma unroll
                    for (int u = 0; u < EACH; u++) {
                        mine[u] = mad(part, x[r][u], mine[u]);
                    }
                }
            }
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                if (is_there[u]) {
                    rest[at[u]] = mine[u];
                }
                mine[u] = is_there[u] ? mine[u] : A(0);
            }
        }
        if constexpr (PASS != KRYLOV_LENGTH) {
#pragma unroll 1
            for (int start = begin + (end - begin - 1) / GROUP * GROUP; start >= begin; start -= GROUP) {
                A sum[GROUP];
#pragma unroll
                for (int r = 0; r < GROUP; r++) {
                    const A *row = basis + min(start + r, rows - 1) * n;
                    sum[r] = A(0);
#pragma unroll
                    for (int u = 0; u < EACH; u++) {
                        sum[r] = mad(conjugate(row[at[u]]), mine[u], sum[r]);
                    }
                }
                const int j = start + sums_of_warp(sum);
                if (lane % (32 / GROUP) == 0 && j < end) {
                    warps[warp * MOST + j] = warps[warp * MOST + j] + sum[0];
                }
            }
        }
        if constexpr (PASS != KRYLOV_PRODUCTS) {
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                square[0] = mad(conjugate(mine[u]), mine[u], square[0]);
            }
        }
    }
    if constexpr (PASS != KRYLOV_PRODUCTS) {
        sums_of_warp(square);
        if (lane == 0) {
            warps[warp * MOST + (PASS == KRYLOV_AGAIN ? rows : 0)] = square[0];
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int j = begin + (int)threadIdx.x; j < (PASS == KRYLOV_AGAIN ? end + 1 : end); j += BLOCK) {
        A sum = A(0);
#pragma unroll 4
        for (int v = 0; v < WARPS; v++) {
            sum = sum + warps[v * MOST + j];
        }
        out[(i64)j * KRYLOV_MOST_SUMS + blockIdx.x] = sum;
    }
}
