// banded.cuh: what the kernels of banded systems share.
//
// The equations are blocks of `width` rows; block q couples the unknowns q and q + 1, each of `width` numbers. A pair
// of neighbours has the unknown between them alone, which reflections of its 2 width rows eliminate: width rows give
// it by the unknowns beside, and width rows are a block that couples those (structured orthogonal factorisation,
// Wright, SIAM J. Sci. Stat. Comput. 13, 1992). log2 of the number of blocks such steps leave one block.
//
// A pair keeps: 2 width rows of width, the triangle of the unknown with the reflections below; the reflections' first
// numbers; width rows of 2 width for the unknowns beside.
#ifndef GNP_BANDED_CUH
#define GNP_BANDED_CUH
#include "linalg/matrix.cuh"

typedef Compute<T> A;

struct Kept {
    const A *data;
    int width;
    GNP_FN Kept(const A *all, i64 pair, int width) : data(all + pair * (4 * width + 1) * width), width(width) {}
    GNP_FN A at(int i, int j) const { return data[i * width + j]; }
    GNP_FN A first(int j) const { return data[2 * width * width + j]; }
    GNP_FN A beside(int i, int j) const { return data[(2 * width + 1 + 2 * i) * width + j]; }
};

#endif
