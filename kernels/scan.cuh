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

#endif
