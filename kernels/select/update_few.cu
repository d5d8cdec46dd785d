// update_few: as update, where the array is small and each element is updated often: `copies` (a power of
// two) of it are in shared memory, so that the lanes of a warp seldom collide, and are combined with the
// array at the end.
// Knobs: as update.cu, with one index array and the hardware's own operation; CELLS: elements in shared
// memory.
// Launch: any number of blocks.
#include "knobs/update_few.cuh"
#include "select/indexed.cuh"
#include "select/atomic.cuh"
#include "accumulators.cuh"

// The neutral element, and the combination of two updates.
template <class X> GNP_FN X neutral()
{
    if constexpr (HOW == UPDATE_ADD) {
        return no_sum<X>();
    }
    else if constexpr (HOW == UPDATE_LEAST || HOW == UPDATE_MOST) {
        return extreme<X>(HOW == UPDATE_LEAST);
    }
    else {
        return HOW == UPDATE_AND ? (X)~(X)0 : (X)0;
    }
}
template <class X> GNP_FN X both(X a, X b)
{
    if constexpr (HOW == UPDATE_ADD) {
        return a + b;
    }
    else if constexpr (HOW == UPDATE_LEAST || HOW == UPDATE_MOST) {
        return (a < b) == (HOW == UPDATE_LEAST) ? a : b;
    }
    else {
        return HOW == UPDATE_AND ? a & b : HOW == UPDATE_OR ? a | b : a ^ b;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
update_few(char *at, const char *values, const Slot scalar, const Axes axes,
           const Layout<Index, ND, 2 + NINDICES> layout, const Index n, const u32 copies)
{
    __shared__ Raw<S> cells[CELLS];
    const u32 nplaces = (u32)axes.at[0].size, mine = threadIdx.x & (copies - 1);

#pragma unroll 1
    for (u32 c = threadIdx.x; c < nplaces * copies; c += BLOCK) {
        cells[c] = neutral<Raw<S>>();
    }
    __syncthreads();
#pragma unroll 4
    for (Index i = (Index)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (Index)gridDim.x * BLOCK) {
        const Offsets<Index, 2 + NINDICES> where = layout.at(i);
        const u32 to = (u32)wrap_index((i64)*(const I *)(axes.at[0].data + where.at[2]), axes.at[0].size);
        Raw<V> value;
        if constexpr (SCALAR != 0) {
            value = slot_value<Raw<V>>(scalar);
        }
        else {
            value = *(const Raw<V> *)(values + where.at[0]);
        }
        update_one(cells + (to * copies + mine), In<V, V>::value(value), nullptr);
    }
    __syncthreads();
#pragma unroll 1
    for (u32 c = threadIdx.x; c < nplaces; c += BLOCK) {
        Raw<S> x = neutral<Raw<S>>();
#pragma unroll 1
        for (u32 k = 0; k < copies; k++) { // each thread begins at another copy: no bank conflicts
            x = both(x, cells[c * copies + ((k + threadIdx.x) & (copies - 1))]);
        }
        native((Raw<S> *)(at + (i64)c * axes.at[0].stride), x);
    }
}
