// lbfgs_products: the last step s = step * p of L-BFGS and the change y = g - before of the gradient, which become rows
// 2 * place and 2 * place + 1, and the products of the rows `from` to `to` with g and y, and with s if there is a box.
// Further the square of g, and how far g leads: its largest magnitude, in a box that of the change by a step along it
// from x. Blocks leave sums, which lbfgs_finish adds up: those with g of all `count` rows, with y, with s, the square,
// the magnitude. Steps, changes and the last two numbers are those of a launch with `from` = 0.
// Knobs: T: the elements; BOX; BLOCK threads. Launch: up to LBFGS_MOST_SUMS blocks, up to LBFGS_MOST_ROWS rows.
#include "knobs/lbfgs_products.cuh"
#include "linalg/matrix.cuh"
#include "sparse/krylov.cuh"

enum {
    EACH = 2,
    TILE = BLOCK * EACH,
    WARPS = BLOCK / 32,
    GROUP = 4,
    COLUMNS = BOX ? 3 : 2,
    PLACES = BOX ? 4 : 2, // a power of two, for sums_of_warp
    PARTS = LBFGS_MOST_ROWS * COLUMNS
};

// What an element and its change make: three vectors, zero past the end.
struct Column {
    A of[3];
};

GNP_FN A larger(A a, A b) { return b > a || b != b ? b : a; } // NaN stays

GNP_FN A clipped(A x, A low, A high)
{
    const A above = x < low ? low : x;
    return above > high ? high : above;
}

// The sum and the largest number of the block's threads, in its first one; the others have parts of them.
GNP_FN void reduce_block(A &square, A &most)
{
    __shared__ alignas(16) u8 chip[2 * WARPS * sizeof(A)];
    A *squares = (A *)chip, *mosts = squares + WARPS;
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        square = square + lane_value<32>(square, lane ^ d);
        most = larger(most, lane_value<32>(most, lane ^ d));
    }
    if (lane == 0) {
        squares[threadIdx.x / 32] = square;
        mosts[threadIdx.x / 32] = most;
    }
    __syncthreads();
#pragma unroll 1
    for (int v = 1; threadIdx.x == 0 && v < WARPS; v++) {
        square = square + squares[v];
        most = larger(most, mosts[v]);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
lbfgs_products(T *rows, const T *p, const T *g, const T *before, const T *x, const T *low, const T *high, A *sums,
               const i64 n, const i64 count, const i64 from, const i64 to, const i64 place, const f64 step)
{
    __shared__ alignas(16) u8 chip[WARPS * PARTS * sizeof(A)];
    A *mine = (A *)chip + threadIdx.x / 32 * PARTS, square = A(0), most = A(0);
    const int lane = (int)threadIdx.x % 32, some = (int)(to - from);
#pragma unroll 1
    for (int j = lane; j < some * COLUMNS; j += 32) {
        mine[j] = A(0);
    }
    __syncwarp();
#pragma unroll 1
    for (i64 tile = (i64)blockIdx.x * TILE; tile < n; tile += (i64)gridDim.x * TILE) {
        Column column[EACH];
        i64 at[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const i64 i = tile + u * BLOCK + threadIdx.x;
            at[u] = i < n ? i : n - 1; // past the end the last one again, so that loads overlap
            const A now = g[at[u]], then = before[at[u]], along = p[at[u]];
            A change = now;
            if constexpr (BOX) {
                const A place = x[at[u]];
                change = clipped(place - now, low[at[u]], high[at[u]]) - place;
            }
            most = larger(most, modulus(change));
            column[u].of[0] = i < n ? now : A(0);
            column[u].of[1] = i < n ? now - then : A(0);
            column[u].of[2] = i < n ? A(step) * along : A(0);
            square = mad(column[u].of[0], column[u].of[0], square);
            if (from == 0 && i < n) {
                rows[2 * place * n + i] = column[u].of[2];
                rows[(2 * place + 1) * n + i] = column[u].of[1];
            }
        }
#pragma unroll 1
        for (int start = 0; start < some; start += GROUP) {
            A values[GROUP][EACH], sum[GROUP * PLACES];
#pragma unroll
            for (int r = 0; r < GROUP; r++) {
                const i64 j = from + (start + r < some ? start + r : some - 1);
                const T *row = j / 2 == place ? g : rows + j * n; // the new rows are at hand
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    values[r][u] = row[at[u]];
                }
            }
#pragma unroll
            for (int r = 0; r < GROUP; r++) {
                const i64 j = from + (start + r < some ? start + r : some - 1);
#pragma unroll
                for (int c = 0; c < PLACES; c++) {
                    sum[r * PLACES + c] = A(0);
                }
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    const A value = j / 2 != place ? values[r][u] : column[u].of[j % 2 == 0 ? 2 : 1];
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++) {
                        sum[r * PLACES + c] = mad(value, column[u].of[c], sum[r * PLACES + c]);
                    }
                }
            }
            const int which = sums_of_warp(sum), j = start + which / PLACES, c = which % PLACES;
            if (lane % (32 / (GROUP * PLACES)) == 0 && j < some && c < COLUMNS) {
                mine[c * some + j] = mine[c * some + j] + sum[0];
            }
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int k = (int)threadIdx.x; k < some * COLUMNS; k += BLOCK) {
        A sum = A(0);
#pragma unroll
        for (int v = 0; v < WARPS; v++) {
            sum = sum + ((A *)chip)[v * PARTS + k];
        }
        sums[(k / some * count + from + k % some) * LBFGS_MOST_SUMS + blockIdx.x] = sum;
    }
    reduce_block(square, most);
    if (from == 0 && threadIdx.x == 0) {
        sums[COLUMNS * count * LBFGS_MOST_SUMS + blockIdx.x] = square;
        sums[(COLUMNS * count + 1) * LBFGS_MOST_SUMS + blockIdx.x] = most;
    }
}
