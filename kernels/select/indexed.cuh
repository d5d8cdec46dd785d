// indexed.cuh: offsets of elements selected by integer arrays. Included after the knobs, which declare Index,
// ND, NINDICES, I (the indices' type) and Item (an element's bytes).
#ifndef GNP_INDEXED_CUH
#define GNP_INDEXED_CUH

#include "math.cuh"

typedef Signed<Index>::type Stride;

// An axis that an index array selects from: the address of the array, the axis' length (0: the array contains
// offsets, not indices) and stride.
typedef GnpIndexAxis Axis;
struct Axes {
    Axis at[NINDICES];
};

// Operands of the layout: the result (or the values), the indexed array, then the index arrays.
// The indexed array's offset, in bytes.
GNP_FN i64 place(const Axes &axes, const Offsets<Index, 2 + NINDICES> &at)
{
    i64 offset = at.at[1];
#pragma unroll
    for (int k = 0; k < NINDICES; k++) {
        i64 i = (i64)*(const I *)(axes.at[k].data + at.at[2 + k]);
        offset += wrap_index(i, axes.at[k].size) * axes.at[k].stride;
    }
    return offset;
}

#endif
