// rank_network.cuh: elements as keys in order, and networks that sort a few of them in registers.
#ifndef GNP_RANK_NETWORK_CUH
#define GNP_RANK_NETWORK_CUH

#include "gnp.cuh"

enum { DESCENDING = 0 };
#include "select/keys.cuh"

// Keys of 32 or 64 bits, of which the processor takes the least and the greatest in an instruction or few.
GNP_FN u32 whole(u8 key) { return key; }
GNP_FN u32 whole(u16 key) { return key; }
GNP_FN u32 whole(u32 key) { return key; }
GNP_FN u64 whole(u64 key) { return key; }

// NaN is the greatest. -0 is below +0, which saves instructions and shows in no comparison.
template <class E> GNP_FN auto rank_key(Raw<E> x)
{
    if constexpr (Info<E>::cls == 'f') {
        const auto number = In<E, E>::value(x);
        auto key = plain_float(x);
        if (number != number) {
            key = (decltype(key))~0ull;
        }
        return whole(key);
    }
    else {
        return whole(key_of<E>(x));
    }
}

// The key of an element stored as S that is compared as E.
template <class S, class E> GNP_FN auto converted_key(Raw<S> x)
{
    if constexpr (Same<S, E>::value) {
        return rank_key<E>(x);
    }
    else {
        return rank_key<E>((Raw<E>)In<S, E>::value(x));
    }
}

// The element of a key.
template <class E, class K> GNP_FN Compute<E> element_of_rank(K key)
{
    return In<E, E>::value(element_of<E>((decltype(key_of<E>(Raw<E>())))key));
}

template <class K> GNP_FN void exchange(K &a, K &b)
{
    const K least = min(a, b);
    b = max(a, b);
    a = least;
}

// Sorts N numbers by Batcher's odd-even merge network (1968): runs of P, whose elements K apart are compared. What does
// not reach the wanted rank is left out by the compiler.
template <int N, int P, int K, class T> GNP_FN void sort_network(T *keys)
{
#pragma unroll
    for (int i = K % P; i < N - K; i++) {
        if ((i - K % P) % (2 * K) < K && i / (2 * P) == (i + K) / (2 * P)) {
            exchange(keys[i], keys[i + K]);
        }
    }
    if constexpr (K > 1) {
        sort_network<N, P, K / 2>(keys);
    }
    else if constexpr (2 * P < N) {
        sort_network<N, 2 * P, 2 * P>(keys);
    }
}

// Element RANK of the union of N sorted keys and M sorted keys: the least, over all ways to take RANK + 1 of them, of the
// greatest that was taken.
template <int RANK, int N, int M, class K> GNP_FN K rank_of_two(const K *a, const K *b)
{
    K found = (K)~(K)0;
#pragma unroll
    for (int i = 0; i <= N; i++) {
        const int j = RANK + 1 - i;
        if (j >= 0 && j <= M) {
            found = min(found, i == 0 ? b[j - 1] : j == 0 ? a[i - 1] : max(a[i - 1], b[j - 1]));
        }
    }
    return found;
}

#endif
