// feedback: y[i] = x[i] + sum over j >= 1 of factors[j - 1] y[i - j] along the rows of a C-contiguous matrix, in place,
// for any number of factors.
// Knobs: A, of f64 numbers, is stored; C the factors; BLOCK threads.
// Launch: a block a row. For 32 samples at a time, all warps sum the products with earlier ones, then one warp solves
// for those among them.
#include "knobs/feedback.cuh"

typedef Raw<A> State;
typedef Raw<C> Factor;

extern "C" __global__ void __launch_bounds__(BLOCK)
feedback(State *data, const Factor *factors, const i64 length, const i64 order)
{
    enum { WARPS = BLOCK / 32 };
    __shared__ alignas(16) State partial[WARPS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    State *y = data + blockIdx.x * length;
#pragma unroll 1
    for (i64 first = 0; first < length; first += 32) {
        const i64 here = first + lane;
        State sum = State(0);
#pragma unroll 2
        for (i64 j = lane + 1 + warp; j <= order; j += WARPS) {
            if (j <= here && here < length) {
                sum = sum + y[here - j] * State(factors[j - 1]);
            }
        }
        partial[warp][lane] = sum;
        __syncthreads();
        if (warp == 0) {
            sum = here < length ? y[here] : State(0);
#pragma unroll
            for (int w = 0; w < WARPS; w++) {
                sum = sum + partial[w][lane];
            }
            __syncwarp();
#pragma unroll 1
            for (int j = 0; j < 31; j++) { // sample j is known: it takes part in those after it
                partial[0][lane] = sum;
                __syncwarp();
                const State known = partial[0][j];
                const int distance = lane - j;
                if (distance > 0 && distance <= order) {
                    sum = sum + known * State(factors[distance - 1]);
                }
                __syncwarp();
            }
            if (here < length) {
                y[here] = sum;
            }
        }
        __syncthreads();
    }
}
