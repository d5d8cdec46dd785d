// product.cuh: shared by the kernels of products: multiply-add, loads and stores of any type, sums across
// threads. Included after the knobs, which declare SA, SB and SO (the types in memory), T (the type
// multiplied), X (the type summed in) and LOGIC (sum is or, product is and), CONJ_A and CONJ_B.
#ifndef GNP_PRODUCT_CUH
#define GNP_PRODUCT_CUH

#include "multiply_add.cuh"

// ---- arithmetic: integers are summed in unsigned types, which wrap around ------------------------------------

GNP_FN void multiply_add(u32 &sum, u32 a, u32 b)
{
    if constexpr (LOGIC != 0) {
        sum |= a & b;
    }
    else {
        sum += a * b;
    }
}
GNP_FN void multiply_add(u64 &sum, u64 a, u64 b) { sum += a * b; }

template <class V> GNP_FN V add(V a, V b) { return a + b; }
GNP_FN u32 add(u32 a, u32 b) { return LOGIC ? a | b : a + b; }

// ---- elements -------------------------------------------------------------------------------------------------

template <class V> GNP_FN V conjugated(V x) { return x; }
template <class F> GNP_FN Complex<F> conjugated(Complex<F> x) { return Complex<F>(x.re, -x.im); }

// A stored element converted to the type that is multiplied.
template <class S, int CONJ> GNP_FN X element(Raw<S> raw)
{
    X x = (X)In<S, T>::value(raw);
    return CONJ ? conjugated(x) : x;
}

GNP_FN Raw<SO> result(X sum) { return Out<SO, T>::raw((Compute<T>)sum); }

// ---- across threads: always in the same order, so results repeat bit for bit ----------------------------------

GNP_FN X shuffle_down(X x, int distance)
{
    const int words = sizeof(X) / 4;
    u32 word[words];
    memcpy(word, &x, sizeof(X));
#pragma unroll
    for (int k = 0; k < words; k++) {
        word[k] = __shfl_down_sync(0xffffffffu, word[k], distance);
    }
    memcpy(&x, word, sizeof(X));
    return x;
}

// The sum of N neighbouring threads of a block of B, in the first of them. All threads call it.
template <int N, int B> GNP_FN X sum_lanes(X x)
{
    const int warps = N / 32;
#pragma unroll
    for (int d = (N < 32 ? N : 32) / 2; d > 0; d /= 2) {
        x = add(x, shuffle_down(x, d));
    }
    if constexpr (warps > 1) {
        __shared__ X first[B / 32];
        if (threadIdx.x % 32 == 0) {
            first[threadIdx.x / 32] = x;
        }
        __syncthreads();
        int lane = threadIdx.x % N;
        x = first[(threadIdx.x - lane) / 32 + (lane < warps ? lane : 0)];
#pragma unroll
        for (int d = warps / 2; d > 0; d /= 2) {
            x = add(x, shuffle_down(x, d));
        }
    }
    return x;
}

#endif
