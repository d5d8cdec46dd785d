// window.cuh: what a window that moves along a line makes of its elements. Included after OPERATION, of enum LineOperation.
#ifndef GNP_WINDOW_CUH
#define GNP_WINDOW_CUH

#include "multiply_add.cuh"

enum { TAPS = 8 };

template <class N> GNP_FN N joined(N sum, N weight, N value)
{
    if constexpr (OPERATION == LINE_CORRELATE) {
        multiply_add(sum, weight, value);
        return sum;
    }
    else if constexpr (OPERATION == LINE_MEAN) {
        return sum + value;
    }
    else {
        return (OPERATION == LINE_MINIMUM ? value < sum : sum < value) ? value : sum;
    }
}

// Adds N taps from the k-th on to OUT consecutive sums; then their window begins N elements later. at(i) is element i of
// the first sum's window.
template <int N, int OUT, class T, class At> GNP_FN void add_taps(T *sums, T *window, const At &at, const T *factors, int k)
{
#pragma unroll
    for (int j = 0; j < N; j++) {
        window[OUT - 1 + j] = at(k + OUT - 1 + j);
    }
#pragma unroll
    for (int j = 0; j < N; j++) {
        const T factor = OPERATION == LINE_CORRELATE ? factors[k + j] : T(0);
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            sums[o] = joined(sums[o], factor, window[o + j]);
        }
    }
#pragma unroll
    for (int i = 0; i < OUT - 1; i++) {
        window[i] = window[i + N];
    }
}

// Adds the taps to OUT consecutive sums, whose window passes through registers.
template <int OUT, class T, class At> GNP_FN void add_window(T *sums, const At &at, const T *factors, int taps)
{
    T window[OUT + TAPS - 1];
#pragma unroll
    for (int i = 0; i < OUT - 1; i++) {
        window[i] = at(i);
    }
    int k = 0;
#pragma unroll 1
    for (; k + TAPS <= taps; k += TAPS) {
        add_taps<TAPS, OUT>(sums, window, at, factors, k);
    }
#pragma unroll 1
    for (; k < taps; k++) {
        add_taps<1, OUT>(sums, window, at, factors, k);
    }
}

#endif
