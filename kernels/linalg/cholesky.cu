// cholesky: Cholesky factors of small Hermitian positive-definite matrices in shared memory, of which one
// triangle is read (the upper one where UPPER); the other of the factor is zero. N lanes share a matrix, one
// row each. A matrix that is not positive definite gives NaN and raises the flag.
// Knobs: T; N, a power of two up to 32; UPPER; BLOCK threads.
// Launch: BLOCK / N matrices to a block.
#include "knobs/cholesky.cuh"
#include "linalg/matrix.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
cholesky(const Place a, T *const out, i32 *const flag, const i64 count, const int n)
{
    __shared__ alignas(16) u8 chip[BLOCK * N * sizeof(T)];
    const int lane = (int)threadIdx.x % N;
    const i64 mine = (i64)blockIdx.x * (BLOCK / N) + (int)threadIdx.x / N;
    const i64 matrix = mine < count ? mine : count - 1; // all lanes take part in warp-wide operations
    T *const first = (T *)chip + (int)threadIdx.x / 32 * (N * 32) + (int)threadIdx.x % 32 - lane;
    T *const row = first + lane; // its elements are 32 apart
    bool failed = false;
#pragma unroll 4
    for (int c = 0; c < n; c++) {
        row[c * 32] = lane >= n || c > lane ? T(0)
                      : UPPER               ? conjugate(a.at(matrix, c, lane))
                                            : a.at(matrix, lane, c);
    }
    __syncwarp();
#pragma unroll 1
    for (int step = 0; step < n; step++) {
        const T *column = first + step * 32;
        const Real square = real(column[step]);
        const Real root = sqrt(square);
        failed |= !(square > 0);
        __syncwarp();
        if (lane >= step && lane < n) {
            row[step * 32] = lane == step ? T(root) : over(row[step * 32], root);
        }
        __syncwarp();
        if (lane < n) {
            const T factor = -row[step * 32];
#pragma unroll 4
            for (int c = step + 1; c <= lane; c++) {
                row[c * 32] = mad(factor, conjugate(column[c]), row[c * 32]);
            }
        }
        __syncwarp();
    }
    if (lane < n && mine < count) {
        T *to = out + (matrix * n + lane) * n;
#pragma unroll 4
        for (int c = 0; c < n; c++) {
            T x = UPPER ? conjugate(first[lane * 32 + c]) : row[c * 32];
            to[c] = failed ? not_a_number() : x;
        }
    }
    tell_failure(failed && mine < count, flag);
}
