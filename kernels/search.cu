// search: where each value would be inserted into a sorted sequence to keep it sorted, or whether it is in it.
// Knobs: T, the type both have; Index; RIGHT: behind equal elements instead of before them; SORTER: the
// sequence is in the order that `sorter` tells; MEMBER: the result is a bool, whether the value is in the
// sequence, other than `invert`; SHARED: so many elements at most, copied into shared
// memory first (0: read where it is); UNROLL searches at once; BLOCK threads. DESCENDING, MATCH and ITEMS are
// not used.
// Launch: a grid of any size; each block takes values BLOCK * UNROLL at a time.
#include "knobs/search.cuh"
#include "sort.cuh"

typedef Raw<T> Item;

extern "C" __global__ void __launch_bounds__(BLOCK)
search(const Item *sorted, const i64 *sorter, const Item *values, char *out, const u64 n, const u64 nvalues,
       const u32 invert)
{
    __shared__ Item near[SHARED ? SHARED : 1];
    const Item *from = sorted;
    if constexpr (SHARED != 0) {
        for (u32 i = threadIdx.x; i < n; i += BLOCK) {
            near[i] = sorted[i];
        }
        __syncthreads();
        from = near;
    }
#pragma unroll 1
    for (u64 first = (u64)blockIdx.x * (BLOCK * UNROLL); first < nvalues; first += (u64)gridDim.x * (BLOCK * UNROLL)) {
        decltype(key_of<T>(values[0])) key[UNROLL];
        Index low[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            u64 i = first + k * BLOCK + threadIdx.x;
            key[k] = key_of<T>(values[i < nvalues ? i : first]);
            low[k] = 0;
        }
        // The same steps for all: the answer lies in [low, low + size].
#pragma unroll 1
        for (Index size = (Index)n; size > 0;) {
            const Index half = (size + 1) / 2;
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                Index middle = low[k] + half - 1;
                if constexpr (SORTER != 0) { // a position out of bounds reads the last element
                    u64 at = (u64)sorter[middle];
                    middle = (Index)(at < n ? at : n - 1);
                }
                auto other = key_of<T>(from[middle]);
                bool beyond = RIGHT ? !key_less(key[k], other) : key_less(other, key[k]);
                low[k] += beyond ? half : 0;
            }
            size -= half;
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            u64 i = first + k * BLOCK + threadIdx.x;
            if (i >= nvalues) {
                break;
            }
            if constexpr (MEMBER != 0) { // NaN is nowhere
                typename In<T, T>::Computed x = In<T, T>::value(values[i]);
                bool found = low[k] < n && x == In<T, T>::value(from[low[k]]);
                ((u8 *)out)[i] = found != (invert != 0);
            }
            else {
                ((i64 *)out)[i] = (i64)low[k];
            }
        }
    }
}
