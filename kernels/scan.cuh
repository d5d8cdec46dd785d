// scan.cuh: prefix sums across a block.
#ifndef GNP_SCAN_CUH
#define GNP_SCAN_CUH

// The sum of x over the threads before this one; `total` over all. `sums` has N / 32 + 1 elements. All
// threads call it; it may be called again immediately.
template <int N, class X> GNP_FN X sum_before(X x, X *sums, X &total)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = N / 32;
    X sum = x;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        X other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        X mine = lane < warps ? sums[lane] : 0, up = mine;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            X other = __shfl_up_sync(0xffffffffu, up, d);
            up += lane >= d ? other : 0;
        }
        if (lane < warps) {
            sums[lane] = up - mine;
        }
        if (lane == 31) {
            sums[warps] = up;
        }
    }
    __syncthreads();
    X before = sums[warp] + sum - x;
    total = sums[warps];
    __syncthreads();
    return before;
}

// The same of counts of few warps, whose sums every thread adds up: one barrier. `sums` has N / 32 elements, and is not
// used again before another barrier.
template <int N> GNP_FN u32 count_before(u32 x, u32 *sums, u32 &total)
{
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 sum = x;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    u32 before = sum - x;
    total = 0;
#pragma unroll 4
    for (u32 w = 0; w < N / 32; w++) {
        const u32 one = sums[w];
        before += w < warp ? one : 0;
        total += one;
    }
    return before;
}

#endif
