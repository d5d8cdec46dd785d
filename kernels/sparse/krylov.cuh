// krylov.cuh: sums that the passes of Gram-Schmidt share. Included after linalg/matrix.cuh.
#ifndef GNP_KRYLOV_CUH
#define GNP_KRYLOV_CUH

typedef Compute<T> A;

// A lane's part of the sum of up to KRYLOV_MOST_SUMS numbers.
GNP_FN A sum_of_lane(const A *sums, int count)
{
    enum { EACH = KRYLOV_MOST_SUMS / 32 };
    A x[EACH], sum = A(0);
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        const int at = (int)threadIdx.x % 32 + u * 32;
        x[u] = sums[at < count ? at : count - 1]; // loads overlap
        x[u] = at < count ? x[u] : A(0);
    }
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        sum = sum + x[u];
    }
    return sum;
}

// Adds up COUNT numbers of each lane over the warp: exchanges halve them, then lanes hold one sum each, in sum[0].
// Returns which. COUNT is a power of two; 32 / COUNT neighbouring lanes have the same.
template <int COUNT> GNP_FN int sums_of_warp(A (&sum)[COUNT])
{
    const int lane = (int)threadIdx.x % 32;
    int which = 0;
#pragma unroll
    for (int half = COUNT / 2, d = 16; half > 0; half /= 2, d /= 2) {
        const bool is_upper = (lane & d) != 0;
        which += is_upper ? half : 0;
#pragma unroll
        for (int r = 0; r < half; r++) {
            const A keep = is_upper ? sum[r + half] : sum[r], give = is_upper ? sum[r] : sum[r + half];
            sum[r] = keep + lane_value<32>(give, lane ^ d);
        }
    }
#pragma unroll
    for (int d = 16 / COUNT; d > 0; d /= 2) {
        sum[0] = sum[0] + lane_value<32>(sum[0], lane ^ d);
    }
    return which;
}

#endif
