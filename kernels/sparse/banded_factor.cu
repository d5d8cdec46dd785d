// banded_factor: eliminates the unknown between each two neighbouring blocks of equations (banded.cuh). The last of
// an odd number of blocks is copied.
// Knobs: T: the elements; MOST: the largest width. Launch: 32 threads a block, which take several pairs where they
// are small.
#include "knobs/banded_factor.cuh"
#include "sparse/banded.cuh"

enum { GROUP = MOST <= 2 ? 8 : MOST <= 4 ? 16 : 32, GROUPS = 32 / GROUP };

// One reflection: column j of the rows from j on becomes one number.
GNP_FN void reflect(A *m, A *firsts, int j, int rows, int columns, int lane)
{
    Real square = 0;
#pragma unroll 4
    for (int i = j; i < rows; i++) { // in all lanes alike
        const A x = m[i * columns + j];
        square += real(conjugate(x) * x);
    }
    const A x = m[j * columns + j];
    const Real length = sqrt(square), size = modulus(x);
    const Real scale = length > 0 ? 1 / sqrt(length * (length + size)) : Real(0);
    const A turned = times(size > 0 ? over(x, size) : A(1), length), first = times(x + turned, scale);
#pragma unroll 1
    for (int c = j + 1 + lane; c < columns; c += GROUP) {
        A dot = conjugate(first) * m[j * columns + c];
#pragma unroll 4
        for (int i = j + 1; i < rows; i++) {
            dot = mad(times(conjugate(m[i * columns + j]), scale), m[i * columns + c], dot);
        }
        m[j * columns + c] = mad(-first, dot, m[j * columns + c]);
#pragma unroll 4
        for (int i = j + 1; i < rows; i++) {
            m[i * columns + c] = mad(-times(m[i * columns + j], scale), dot, m[i * columns + c]);
        }
    }
    __syncwarp();
#pragma unroll 1
    for (int i = j + lane; i < rows; i += GROUP) {
        m[i * columns + j] = i == j ? -turned : times(m[i * columns + j], scale);
    }
    if (lane == 0) {
        firsts[j] = first;
    }
    __syncwarp();
}

extern "C" __global__ void __launch_bounds__(32)
banded_factor(const A *blocks, A *kept, A *next, const i64 count, const i64 width)
{
    __shared__ alignas(16) u8 chip[GROUPS * 6 * MOST * MOST * sizeof(A)], firsts_chip[GROUPS * MOST * sizeof(A)];
    const int w = (int)width, lane = (int)threadIdx.x % GROUP, group = (int)threadIdx.x / GROUP, columns = 3 * w;
    const i64 pairs = (count + 1) / 2, pair = (i64)blockIdx.x * GROUPS + group;
    const bool is_there = pair < pairs, is_whole = 2 * pair + 1 < count;
    A *m = (A *)chip + group * 6 * MOST * MOST, *firsts = (A *)firsts_chip + group * MOST;
    const A *above = blocks + (is_there ? pair : 0) * 4 * w * w, *below = is_whole ? above + 2 * w * w : above;
#pragma unroll 1
    for (int e = lane; e < 2 * w * columns; e += GROUP) { // columns: the middle unknown, the left one, the right one
        const int i = e / columns, c = e % columns, part = c / w;
        const bool is_above = i < w, is_zero = is_above ? part == 2 : part == 1;
        const int from = is_above == (part == 0) ? w : 0;
        const A x = (is_above ? above + i * 2 * w : below + (i - w) * 2 * w)[from + c % w];
        m[e] = is_zero ? A(0) : x;
    }
    __syncwarp();
#pragma unroll 1
    for (int j = 0; j < w; j++) {
        reflect(m, firsts, j, 2 * w, columns, lane);
    }
    if (!is_there) {
        return;
    }
    A *out = next + pair * 2 * w * w, *keep = kept + pair * (4 * w + 1) * w;
#pragma unroll 1
    for (int e = lane; e < 2 * w * w; e += GROUP) {
        const int i = e / (2 * w), c = e % (2 * w);
        out[e] = is_whole ? m[(i + w) * columns + w + c] : above[e];
        if (is_whole) {
            keep[e] = m[e / w * columns + e % w];
            keep[(2 * w + 1) * w + e] = m[i * columns + w + c];
        }
    }
#pragma unroll 1
    for (int j = lane; is_whole && j < w; j += GROUP) {
        keep[2 * w * w + j] = firsts[j];
    }
}
