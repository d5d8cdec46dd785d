// correlate2d: out[y, x] = sum over i, j of a[y + i - before_y, x + j - before_x] * v[i, j], where a is
// extended by `fill`, periodically, or by reflection: convolve2d and correlate2d.
// Knobs: types as in product.cuh; a block computes TILE x TILE outputs, a thread REG of them one below the
// other, which pass through its registers; CHUNK x CHUNK elements of v are taken at once.
// Launch: a thread of TILE * TILE / REG per REG outputs, blocks row by row.
#include "knobs/correlate2d.cuh"
#include "product/product.cuh"

enum Outside { FILLED, WRAPPED, MIRRORED };

typedef GnpPlane Plane;

// Index i of n under periodic or reflecting extension.
GNP_FN i64 inside(i64 i, i64 n, int outside)
{
    if (i >= 0 && i < n) {
        return i;
    }
    i64 period = outside == MIRRORED ? 2 * n : n, m = i % period;
    m += m < 0 ? period : 0;
    return m < n ? m : period - 1 - m;
}

extern "C" __global__ void __launch_bounds__(TILE *TILE / REG)
correlate2d(const Plane a, const Plane v, char *out, const i64 rows, const i64 columns, const i64 before_y,
            const i64 before_x, const int outside, const Slot fill)
{
    enum { THREADS = TILE * TILE / REG, EDGE = TILE + CHUNK - 1 };
    __shared__ alignas(16) X window[EDGE][EDGE];
    __shared__ alignas(16) X weights[CHUNK][CHUNK];
    const i64 across = (columns - 1) / TILE + 1;
    const i64 y0 = blockIdx.x / across * TILE, x0 = blockIdx.x % across * TILE;
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE * REG;
    Raw<T> bits;
    memcpy(&bits, &fill, sizeof(bits));
    const X beyond = (X)In<T, T>::value(bits);
    X sum[REG];
#pragma unroll
    for (int r = 0; r < REG; r++) {
        sum[r] = X(0);
    }
#pragma unroll 1
    for (i64 i0 = 0; i0 < v.rows; i0 += CHUNK) {
        const int height = v.rows - i0 < CHUNK ? (int)(v.rows - i0) : CHUNK;
#pragma unroll 1
        for (i64 j0 = 0; j0 < v.columns; j0 += CHUNK) {
            const int width = v.columns - j0 < CHUNK ? (int)(v.columns - j0) : CHUNK;
            __syncthreads();
#pragma unroll 1
            for (int k = threadIdx.x / TILE; k < TILE + height - 1; k += THREADS / TILE) {
                i64 row = y0 + i0 + k - before_y;
#pragma unroll 1
                for (int l = x; l < TILE + width - 1; l += TILE) {
                    i64 column = x0 + j0 + l - before_x;
                    bool is_in = row >= 0 && row < a.rows && column >= 0 && column < a.columns;
                    X value = beyond;
                    if (is_in || outside != FILLED) {
                        i64 from = inside(row, a.rows, outside) * a.row_step +
                                   inside(column, a.columns, outside) * a.column_step;
                        value = element<SA, CONJ_A>(*(const Raw<SA> *)(a.at + from));
                    }
                    window[k][l] = value;
                }
            }
#pragma unroll 1
            for (int k = threadIdx.x; k < height * width; k += THREADS) {
                const char *from = (const char *)v.at + (i0 + k / width) * v.row_step + (j0 + k % width) * v.column_step;
                weights[k / width][k % width] = element<SB, CONJ_B>(*(const Raw<SB> *)from);
            }
            __syncthreads();
#pragma unroll 1
            for (int j = 0; j < width; j++) {
                X seen[REG];
#pragma unroll
                for (int r = 1; r < REG; r++) {
                    seen[r] = window[y + r - 1][x + j];
                }
#pragma unroll 4
                for (int i = 0; i < height; i++) {
                    X w = weights[i][j];
#pragma unroll
                    for (int r = 1; r < REG; r++) {
                        seen[r - 1] = seen[r];
                    }
                    seen[REG - 1] = window[y + i + REG - 1][x + j];
#pragma unroll
                    for (int r = 0; r < REG; r++) {
                        multiply_add(sum[r], seen[r], w);
                    }
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < REG; r++) {
        if (y0 + y + r < rows && x0 + x < columns) {
            *(Raw<SO> *)(out + ((y0 + y + r) * columns + x0 + x) * (i64)sizeof(Raw<SO>)) = result(sum[r]);
        }
    }
}
