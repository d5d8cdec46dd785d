// lu_update: subtracts the product of WIDTH columns of L and as many rows of U from the trailing part of each
// matrix of a stack, after lu_panel and lu_rows.
// Knobs: T; WIDTH columns of a panel; TILE x TILE elements to a block of (TILE / EACH) x (TILE / EACH)
// threads, a thread EACH x EACH of them.
// Launch: x counts the matrices, y covers the rows that are left, z the columns.
#include "knobs/lu_update.cuh"
#include "linalg/matrix.cuh"

enum { SIDE = TILE / EACH, THREADS = SIDE * SIDE };

// As in lu_panel.cu.
typedef GnpPanel Panel;

extern "C" __global__ void __launch_bounds__(THREADS)
lu_update(T *a, const Panel s)
{
    __shared__ alignas(16) u8 chip_l[WIDTH * TILE * sizeof(T)], chip_u[TILE * (WIDTH + 1) * sizeof(T)];
    T *l = (T *)chip_l, *u = (T *)chip_u; // columns of L, [k][row]; columns of U, [column][k]
    const int begin = s.first + s.width, tx = (int)threadIdx.x % SIDE, ty = (int)threadIdx.x / SIDE;
    const int row0 = begin + (int)blockIdx.y * TILE, column0 = begin + (int)blockIdx.z * TILE;
    a += (i64)blockIdx.x * s.rows * s.columns;
    T sum[EACH][EACH];
    for (int e = (int)threadIdx.x; e < WIDTH * TILE; e += THREADS) {
        int row = row0 + e % TILE, k = e / TILE;
        l[e] = row < s.rows && k < s.width ? a[(i64)(s.first + k) * s.rows + row] : T(0);
        int column = column0 + e / WIDTH;
        k = e % WIDTH;
        u[e / WIDTH * (WIDTH + 1) + k] =
            column < s.columns && k < s.width ? a[(i64)column * s.rows + s.first + k] : T(0);
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int row = row0 + tx + i * SIDE, column = column0 + ty + j * SIDE;
            sum[i][j] = row < s.rows && column < s.columns ? a[(i64)column * s.rows + row] : T(0);
        }
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < WIDTH; k++) {
        T left[EACH], right[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            left[i] = -l[k * TILE + tx + i * SIDE];
            right[i] = u[(ty + i * SIDE) * (WIDTH + 1) + k];
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                sum[i][j] = mad(left[i], right[j], sum[i][j]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int row = row0 + tx + i * SIDE, column = column0 + ty + j * SIDE;
            if (row < s.rows && column < s.columns) {
                a[(i64)column * s.rows + row] = sum[i][j];
            }
        }
    }
}
