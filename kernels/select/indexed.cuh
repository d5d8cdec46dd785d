// indexed.cuh: offsets of elements selected by integer arrays. Included after the knobs, which declare Index,
// ND, NINDICES, I (the indices' type), Item (an element's bytes) and BLOCK.
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

// An element of the index space: its place in the result (or the values), the indexed array's offset where all
// indices are 0, both in bytes, and the indices.
struct Element {
    Stride beside;
    i64 offset;
    I index[NINDICES];

    // Operands of the layout: the result (or the values), the indexed array, then the index arrays.
    GNP_FN void load(const Axes &axes, const Layout<Index, ND, 2 + NINDICES> &layout, Index o)
    {
        const Offsets<Index, 2 + NINDICES> at = layout.at(o);
        beside = at.at[0];
        offset = at.at[1];
#pragma unroll
        for (int k = 0; k < NINDICES; k++) {
            index[k] = *(const I *)(axes.at[k].data + at.at[2 + k]);
        }
    }

    // The indexed array's offset, in bytes.
    GNP_FN i64 place(const Axes &axes) const
    {
        i64 x = offset;
#pragma unroll
        for (int k = 0; k < NINDICES; k++) {
            x += wrap_index((i64)index[k], axes.at[k].size) * axes.at[k].stride;
        }
        return x;
    }
};

// N elements, BLOCK apart, before anything depends on one of them, so that the reads overlap in time. Beyond the
// last of n, that one again.
template <int N>
GNP_FN void load_elements(Element (&e)[N], const Axes &axes, const Layout<Index, ND, 2 + NINDICES> &layout,
                          Index first, Index n)
{
#pragma unroll
    for (int k = 0; k < N; k++) {
        const Index o = first + k * BLOCK;
        e[k].load(axes, layout, o < n ? o : n - 1);
    }
}

#endif
