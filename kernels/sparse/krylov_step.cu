// krylov_step: a part of a step of conjugate gradients, of which numbers stay on the device. Sums over vectors are
// left as one number per block, which all blocks of the next part add up in the same order, so that no part waits
// for the last block of another one.
//   KRYLOV_DOT: the product of x and r, x conjugated.
//   KRYLOV_ADVANCE: x += alpha p, r -= alpha q with alpha = rho / (p, q) from `first`; then the square of r.
//   KRYLOV_TURN: whether the residual, whose square `first` has, is small enough; p = r + beta p with beta =
//   rho / rho before, rho from `second`. Here r is the preconditioned residual.
// Once the state is not zero vectors are left alone. `rho` and `state` have two places, the present step's at
// `parity`, since blocks read the one before while another writes.
// Knobs: T: the elements; STEP; BLOCK threads. Launch: any number of blocks, `count` sums.
#include "knobs/krylov_step.cuh"
#include "linalg/matrix.cuh"

typedef Compute<T> A;
enum { EACH = 4, TILE = BLOCK * EACH };

// The sum over all threads, in all of them.
GNP_FN A sum_of_block(A mine)
{
    __shared__ alignas(16) u8 chip[BLOCK * sizeof(A)];
    A *sums = (A *)chip;
    __syncthreads();
    sums[threadIdx.x] = mine;
#pragma unroll 1
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < d) {
            sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + d];
        }
    }
    __syncthreads();
    return sums[0];
}

GNP_FN A sum_of(const A *sums, i64 count)
{
    A mine = A(0);
#pragma unroll 1
    for (i64 k = threadIdx.x; k < count; k += BLOCK) {
        mine = mine + sums[k];
    }
    return sum_of_block(mine);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
krylov_step(A *x, A *r, A *p, const A *q, const A *first, const A *second, A *out, A *rho, i32 *state,
            const Real *tolerance, const i64 n, const i64 count, const i64 parity, const i64 is_first)
{
    const i64 start = (i64)blockIdx.x * TILE + threadIdx.x, stride = (i64)gridDim.x * TILE;
    A factor = A(0);
    if constexpr (STEP == KRYLOV_ADVANCE) {
        if (state[parity] != 0) {
            return;
        }
        factor = rho[parity] / sum_of(first, count);
    }
    if constexpr (STEP == KRYLOV_TURN) {
        const i32 before = state[1 - parity];
        const A square = sum_of(first, count), now = second == first ? square : sum_of(second, count);
        const i32 after = before == 0 && sqrt(real(square)) < *tolerance ? 1 : before;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            state[parity] = after;
            rho[parity] = now;
        }
        if (after != 0) {
            return;
        }
        factor = is_first != 0 ? A(0) : now / rho[1 - parity];
    }
    A sum = A(0);
#pragma unroll 1
    for (i64 i = start; i < n; i += stride) {
        A a[EACH], b[EACH], c[EACH], d[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) { // past the end the thread's first one again, so that loads overlap
            const i64 at = i + u * BLOCK < n ? i + u * BLOCK : i;
            b[u] = r[at];
            a[u] = STEP != KRYLOV_TURN ? x[at] : A(0);
            c[u] = STEP == KRYLOV_ADVANCE || (STEP == KRYLOV_TURN && is_first == 0) ? p[at] : A(0);
            d[u] = STEP == KRYLOV_ADVANCE ? q[at] : A(0);
        }
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const i64 at = i + u * BLOCK;
            if (at >= n) {
                continue;
            }
            if constexpr (STEP == KRYLOV_DOT) {
                sum = mad(conjugate(a[u]), b[u], sum);
            }
            else if constexpr (STEP == KRYLOV_ADVANCE) {
                const A rest = mad(-factor, d[u], b[u]);
                x[at] = mad(factor, c[u], a[u]);
                r[at] = rest;
                sum = mad(conjugate(rest), rest, sum);
            }
            else {
                p[at] = mad(factor, c[u], b[u]);
            }
        }
    }
    if constexpr (STEP != KRYLOV_TURN) {
        sum = sum_of_block(sum);
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
