// lu_panel: LU factors of WIDTH columns of each matrix of a stack, with partial pivoting; what is left of the
// matrix follows by lu_rows and lu_update. A thread keeps its row of the panel in registers, rotated by one
// after each step: the pivot's column is always register 0, so indices are constant, and after all steps each
// is back in its place.
// Knobs: T; WIDTH columns.
// Launch: one block per matrix, a thread for each row that is left, at most 1024.
#include "knobs/lu_panel.cuh"
#include "linalg/matrix.cuh"

// Column-major matrices one behind the other. The panel begins at row and column `first` and has
// `width` columns; there are `steps` pivots in the end.
typedef GnpPanel Panel;

extern "C" __global__ void __launch_bounds__(1024)
lu_panel(T *const a, i32 *const pivots, i32 *const moves, i32 *const info, const Panel s)
{
    __shared__ Candidate best[32];
    __shared__ alignas(16) u8 chosen[WIDTH * sizeof(T)], replaced[WIDTH * sizeof(T)];
    __shared__ i32 origins[2];
    const T *upper = (const T *)chosen, *moved = (const T *)replaced;
    const int mine = (int)threadIdx.x, left = s.rows - s.first, lane = mine % 32;
    T *panel = a + (i64)blockIdx.x * s.rows * s.columns + (i64)s.first * s.rows + s.first + mine;
    T ring[WIDTH];
    int origin = mine, zero = 0;
#pragma unroll
    for (int c = 0; c < WIDTH; c++) {
        ring[c] = mine < left && c < s.width ? panel[(i64)c * s.rows] : T(0);
    }
#pragma unroll 1
    for (int step = 0; step < WIDTH; step++) {
        T factor = ring[0];
        const bool is_below = step < s.width && mine > step;
        if (step < s.width) {
            Candidate pivot = {mine >= step && mine < left ? pivot_size(ring[0]) : Real(-1), mine};
            pivot.elect<32>();
            if (lane == 0) {
                best[mine / 32] = pivot;
            }
            __syncthreads();
            pivot = lane < (int)blockDim.x / 32 ? best[lane] : Candidate{Real(-1), 0x7fffffff};
            pivot.elect<32>();
            if (mine == pivot.row) {
#pragma unroll
                for (int c = 0; c < WIDTH; c++) {
                    ((T *)chosen)[c] = ring[c];
                }
                origins[0] = origin;
            }
            if (mine == step) {
#pragma unroll
                for (int c = 0; c < WIDTH; c++) {
                    ((T *)replaced)[c] = ring[c];
                }
                origins[1] = origin;
                pivots[(i64)blockIdx.x * s.steps + s.first + step] = s.first + pivot.row + 1;
            }
            __syncthreads();
            if (mine == step || mine == pivot.row) {
                const T *source = mine == step ? upper : moved;
#pragma unroll
                for (int c = 0; c < WIDTH; c++) {
                    ring[c] = source[c];
                }
                origin = origins[mine == step ? 0 : 1];
            }
            const bool is_zero = upper[0] == T(0);
            zero = is_zero && zero == 0 ? s.first + step + 1 : zero;
            factor = is_below && !is_zero ? ring[0] / upper[0] : ring[0];
        }
#pragma unroll
        for (int c = 1; c < WIDTH; c++) {
            // After the remaining columns the ring contains L, which is not changed.
            ring[c - 1] = is_below && c < WIDTH - step ? mad(-factor, upper[c], ring[c]) : ring[c];
        }
        ring[WIDTH - 1] = factor;
    }
    if (mine < left) {
#pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            if (c < s.width) {
                panel[(i64)c * s.rows] = ring[c];
            }
        }
        // Where the panel's first rows came from, and where the rows that had been there went.
        i32 *from = moves + (i64)blockIdx.x * (2 * WIDTH), *to = from + WIDTH;
        if (mine < s.width) {
            from[mine] = s.first + origin;
        }
        if (origin < s.width) {
            to[origin] = s.first + mine;
        }
    }
    if (mine == 0 && (s.first == 0 || (zero && info[blockIdx.x] == 0))) {
        info[blockIdx.x] = zero;
    }
}
