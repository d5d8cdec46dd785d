// Eigenvalues of symmetric tridiagonal matrices by bisection with counts of negative pivots (J. W. Demmel, Applied
// Numerical Linear Algebra, 1997, section 5.3.4). The matrix M says its rows, from low to high, by diagonal(k) and
// square(k), that of the number between the rows k and k + 1; the wanted eigenvalue has `index` smaller ones.
#ifndef GNP_SPECIAL_TRIDIAGONAL_CUH
#define GNP_SPECIAL_TRIDIAGONAL_CUH

#include "special/common.cuh"

namespace special {

#define TRIDIAGONAL_MOST_ROWS 30000.0

// Whether at most `index` eigenvalues lie below x. Rows that are left out at the low end count as smaller.
template <class M> static __device__ __noinline__ bool eigenvalue_is_above(const M &matrix, f64 x)
{
    int count = matrix.low;
    f64 pivot = 1, square = 0;
#pragma unroll 1
    for (int k = matrix.low; k < matrix.high; k++) {
        pivot = matrix.diagonal(k) - x - square / pivot;
        if (fabs(pivot) < 1e-290) pivot = -1e-290;
        count += pivot < 0;
        square = matrix.square(k);
    }
    return count <= matrix.index;
}

// The eigenvalue of [low, high], to a part of `scale`.
template <class M> GNP_FN f64 eigenvalue_between(const M &matrix, f64 low, f64 high, f64 scale)
{
#pragma unroll 1
    for (int i = 0; i < 80; i++) {
        const f64 middle = 0.5 * (low + high);
        if (middle <= low || middle >= high || high - low <= 0x1p-54 * scale) break;
        if (eigenvalue_is_above(matrix, middle)) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}
}

#endif
