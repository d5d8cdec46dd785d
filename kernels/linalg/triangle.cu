// triangle: x of t x = b for triangles t of a stack, lower ones where LOWER, with ones on the diagonal where
// UNIT, conjugated where CONJ. A block has EACH right-hand sides in shared memory, and goes through the
// triangle by DIAGONAL rows: a warp for each right-hand side solves with the diagonal block, all threads do
// the rest. Where ALONG, memory is contiguous along the rows of t, and the rest is the product of the next
// rows with the known part of x; else the product of the last part of x with the remaining rows.
// Knobs: T; LOWER, UNIT, CONJ, ALONG; EACH up to BLOCK / 32; BLOCK threads.
// Launch: x counts the matrices, y covers the right-hand sides of each; EACH * pitch elements of shared
// memory.
#include "knobs/triangle.cuh"
#include "linalg/matrix.cuh"

enum { DIAGONAL = 32, WARPS = BLOCK / 32, PITCH = DIAGONAL + 1 };

struct Triangle : GnpTriangle {
    GNP_FN T get(i64 matrix, int i, int k) const
    {
        const T x = Place{at}.at(matrix, i, k);
        return CONJ ? conjugate(x) : x;
    }
};

// The sum over the lanes of a warp, in all of them.
GNP_FN T sum_of_warp(T x)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        x = x + lane_value<32>(x, (int)threadIdx.x % 32 ^ d);
    }
    return x;
}

// Rows [first, first + DIAGONAL) less the product of t with x in [from, to).
GNP_FN void subtract_known(const Triangle &t, i64 matrix, T *x, int first, int from, int to)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int i = first + (int)threadIdx.x / 32; i < first + DIAGONAL && i < t.n; i += WARPS) {
        T sum[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            sum[e] = T(0);
        }
#pragma unroll 4
        for (int k = from + lane; k < to; k += 32) {
            const T factor = t.get(matrix, i, k);
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                sum[e] = mad(factor, x[e * t.pitch + k], sum[e]);
            }
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            sum[e] = sum_of_warp(sum[e]);
            if (lane == e) {
                x[e * t.pitch + i] = x[e * t.pitch + i] - sum[e];
            }
        }
    }
}

// Rows [from, to) less the product of t with x in [first, first + size).
GNP_FN void subtract_found(const Triangle &t, i64 matrix, T *x, int first, int size, int from, int to)
{
#pragma unroll 1
    for (int i = from + (int)threadIdx.x; i < to; i += BLOCK) {
        T rest[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            rest[e] = x[e * t.pitch + i];
        }
#pragma unroll 8
        for (int k = first; k < first + size; k++) {
            const T factor = -t.get(matrix, i, k);
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                rest[e] = mad(factor, x[e * t.pitch + k], rest[e]);
            }
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            x[e * t.pitch + i] = rest[e];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
triangle(const Triangle t, const Place b, const Place out, const int columns, i32 *const flag)
{
    extern __shared__ __align__(16) u8 chip[];
    __shared__ alignas(16) u8 square_chip[DIAGONAL * PITCH * sizeof(T)];
    T *x = (T *)chip, *square = (T *)square_chip; // column by column
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, n = t.n;
    const int column = (int)blockIdx.y * EACH;
    const i64 matrix = blockIdx.x;
    bool is_singular = false;
    // Neighbouring threads read along the contiguous axis.
    for (int e = (int)threadIdx.x; e < EACH * n; e += BLOCK) {
        const int i = b.row == 1 ? e % n : e / EACH, j = b.row == 1 ? e / n : e % EACH;
        x[j * t.pitch + i] = column + j < columns ? b.at(matrix, i, column + j) : T(0);
    }
    const int parts = (n + DIAGONAL - 1) / DIAGONAL;
#pragma unroll 1
    for (int part = 0; part < parts; part++) {
        const int first = (LOWER ? part : parts - 1 - part) * DIAGONAL;
        const int size = n - first < DIAGONAL ? n - first : DIAGONAL;
        for (int e = (int)threadIdx.x; e < DIAGONAL * DIAGONAL; e += BLOCK) {
            const int i = ALONG ? e / DIAGONAL : e % DIAGONAL, k = ALONG ? e % DIAGONAL : e / DIAGONAL;
            const bool is_there = i < size && k < size && (LOWER ? k <= i : k >= i) && !(UNIT && i == k);
            square[k * PITCH + i] = is_there ? t.get(matrix, first + i, first + k) : T(i == k);
        }
        if (ALONG) {
            __syncthreads();
            subtract_known(t, matrix, x, first, LOWER ? 0 : first + size, LOWER ? first : n);
        }
        __syncthreads();
        if (warp < EACH) {
            T mine = lane < size ? x[warp * t.pitch + first + lane] : T(0);
            const T pivot = square[lane * PITCH + lane], inverse = T(1) / pivot;
            is_singular |= pivot == T(0);
#pragma unroll 4
            for (int step = 0; step < size; step++) {
                const int k = LOWER ? step : size - 1 - step;
                mine = lane == k && !UNIT ? mine * inverse : mine;
                const T known = lane_value<32>(mine, k);
                mine = (LOWER ? lane > k : lane < k) ? mad(-square[k * PITCH + lane], known, mine) : mine;
            }
            if (lane < size) {
                x[warp * t.pitch + first + lane] = mine;
            }
        }
        __syncthreads();
        if (!ALONG) {
            subtract_found(t, matrix, x, first, size, LOWER ? first + size : 0, LOWER ? n : first);
            __syncthreads();
        }
    }
    for (int e = (int)threadIdx.x; e < EACH * n; e += BLOCK) {
        const int i = e / EACH, j = e % EACH;
        if (column + j < columns) {
            ((T *)out.data)[matrix * out.batch + i * out.row + (column + j) * out.column] = x[j * t.pitch + i];
        }
    }
    tell_failure(is_singular, flag);
}
