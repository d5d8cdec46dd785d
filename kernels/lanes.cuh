// lanes.cuh: combining the accumulators of a thread, and of the threads of a block. Included after the knobs,
// which declare A (the accumulator), combine() and BLOCK.
#ifndef GNP_LANES_CUH
#define GNP_LANES_CUH

// ---- several at once: a tree, so that rounding errors grow with the logarithm -------------------------------

template <class X, int N, class F> GNP_FN X combine_tree(X (&x)[N], F f)
{
#pragma unroll
    for (int step = 1; step < N; step *= 2) {
#pragma unroll
        for (int k = 0; k + step < N; k += 2 * step) {
            x[k] = f(x[k], x[k + step]);
        }
    }
    return x[0];
}

template <int N> GNP_FN A combine_all(A (&x)[N])
{
    return combine_tree(x, [](A a, A b) { return combine(a, b); });
}

// An accumulator in shared memory, as raw bytes: no constructors run there.
template <class X> struct alignas(alignof(X)) Storage {
    u8 bytes[sizeof(X)];
    GNP_FN void keep(const X &x) { *(X *)bytes = x; }
    GNP_FN X get() const { return *(const X *)bytes; }
};

// ---- across threads: always in the same order, so results repeat bit for bit ----------------------------------

GNP_FN A shuffle_down(A x, int distance)
{
    const int words = (sizeof(A) + 3) / 4;
    u32 word[words];
    word[words - 1] = 0;
    memcpy(word, &x, sizeof(A));
#pragma unroll
    for (int k = 0; k < words; k++) {
        word[k] = __shfl_down_sync(0xffffffffu, word[k], distance);
    }
    memcpy(&x, word, sizeof(A));
    return x;
}

// The combination of N neighbouring threads, in the first of them. All threads of the block call it.
template <int N> GNP_FN A combine_lanes(A x)
{
    const int warps = N / 32;
#pragma unroll
    for (int d = (N < 32 ? N : 32) / 2; d > 0; d /= 2) {
        x = combine(x, shuffle_down(x, d));
    }
    if constexpr (warps > 1) {
        __shared__ Storage<A> first[BLOCK / 32];
        if (threadIdx.x % 32 == 0) {
            first[threadIdx.x / 32].keep(x);
        }
        __syncthreads();
        int lane = threadIdx.x % N;
        x = first[(threadIdx.x - lane) / 32 + (lane < warps ? lane : 0)].get();
#pragma unroll
        for (int d = warps / 2; d > 0; d /= 2) {
            x = combine(x, shuffle_down(x, d));
        }
    }
    return x;
}

#endif
