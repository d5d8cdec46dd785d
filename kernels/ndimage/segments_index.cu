// segments_index: an index of labels as a table in ascending order, and places[i] = where number i of the index is there,
// the first of equal ones. An index that ascends is the table. In others, numbers are counted: how many are less, and how
// many equal ones come before. NaN is the greatest.
// Launch: a thread per number; each block reads all of them.
#include "knobs/segments_index.cuh"
#include "ndimage/segments.cuh"

GNP_FN bool is_below(Compute<X> x, Compute<X> y)
{
    return x < y || (is_nan(y) && !is_nan(x));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
segments_index(const Raw<K> *index, Raw<X> *table, i64 *places, const i64 size)
{
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    bool ascends = true;
#pragma unroll 4
    for (i64 j = threadIdx.x; j < size - 1; j += BLOCK) {
        ascends = ascends && is_below(In<K, X>::value(index[j]), In<K, X>::value(index[j + 1]));
    }
    const bool is_table = __syncthreads_and(ascends);
    if (i >= size) {
        return;
    }
    const Compute<X> x = In<K, X>::value(index[i]);
    i64 less = is_table ? i : 0, equal = 0;
#pragma unroll 4
    for (i64 j = 0; j < (is_table ? 0 : size); j++) {
        const Compute<X> y = In<K, X>::value(index[j]);
        const bool is_less = is_below(y, x);
        less += is_less;
        equal += j < i && !is_less && !is_below(x, y);
    }
    table[less + equal] = Out<X, X>::raw(x);
    places[i] = less;
}
