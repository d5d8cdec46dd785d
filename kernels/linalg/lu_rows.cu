// lu_rows: applies a panel of lu_panel to the other columns: its exchanges of rows, and right of it the rows
// of U, by solving with the panel's unit lower triangle. WIDTH lanes share a column.
// Knobs: T; WIDTH columns of a panel; BLOCK threads; EACH columns at once.
// Launch: x counts the matrices, y covers the columns, BLOCK / WIDTH * EACH to a block.
#include "knobs/lu_rows.cuh"
#include "linalg/matrix.cuh"

// As in lu_panel.cu.
typedef GnpPanel Panel;

extern "C" __global__ void __launch_bounds__(BLOCK)
lu_rows(T *a, const i32 *moves, const Panel s)
{
    __shared__ alignas(16) u8 chip[WIDTH * WIDTH * sizeof(T)];
    T *triangle = (T *)chip; // column by column
    const int lane = (int)threadIdx.x % WIDTH, group = (int)threadIdx.x / WIDTH;
    a += (i64)blockIdx.x * s.rows * s.columns;
    moves += (i64)blockIdx.x * (2 * WIDTH);
    for (int e = (int)threadIdx.x; e < WIDTH * WIDTH; e += BLOCK) {
        int row = e % WIDTH, column = e / WIDTH;
        triangle[e] = row > column && row < s.width ? a[(i64)(s.first + column) * s.rows + s.first + row] : T(0);
    }
    __syncthreads();
    const bool is_row = lane < s.width;
    const int from = is_row ? moves[lane] : 0, to = is_row ? moves[WIDTH + lane] : 0;
    const int others = s.columns - s.width;
    int column[EACH];
    T x[EACH], before[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int c = ((int)blockIdx.y * EACH + k) * (BLOCK / WIDTH) + group;
        column[k] = c < others ? (c < s.first ? c : c + s.width) : -1;
        const T *at = a + (i64)column[k] * s.rows;
        x[k] = is_row && column[k] >= 0 ? at[from] : T(0);
        before[k] = is_row && column[k] >= 0 ? at[s.first + lane] : T(0);
    }
    __syncwarp();
#pragma unroll 4
    for (int step = 0; step < WIDTH - 1; step++) {
        const T factor = triangle[step * WIDTH + lane];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            T known = lane_value<WIDTH>(x[k], step);
            if (lane > step && column[k] >= s.first) {
                x[k] = mad(-factor, known, x[k]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (is_row && column[k] >= 0) {
            T *at = a + (i64)column[k] * s.rows;
            at[s.first + lane] = x[k];
            if (to >= s.first + s.width) {
                at[to] = before[k];
            }
        }
    }
}
