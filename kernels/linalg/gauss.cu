// gauss: Gaussian elimination with partial pivoting of small matrices in shared memory: x of a x = b
// (GAUSS_SOLVE), inverses (GAUSS_INVERT), determinants (GAUSS_DET), or their signs and logarithms
// (GAUSS_SLOGDET). N lanes share a matrix, one row each. Rows are not exchanged: `step` is the step in which
// a lane's row was the pivot row. Of singular matrices solutions and inverses are NaN.
// Knobs: T; N, a power of two up to 32; OP; EACH right-hand sides at once; BLOCK threads.
// Launch: BLOCK / N matrices to a block.
#include "knobs/gauss.cuh"
#include "linalg/matrix.cuh"

typedef GnpGaussOutputs Outputs;

// A lane's row, 32 elements apart, and its position in the order of pivots.
struct Row {
    T *at;
    T diagonal;
    int step, chosen; // chosen: the lane that had the pivot of step `lane`
    GNP_FN T &operator[](int column) const { return at[column * 32]; }
};

// Product of the pivots, or its sign and logarithm, and whether a pivot was zero.
struct Pivots {
    T product;
    Real log;
    bool is_singular;
    GNP_FN void include(T pivot)
    {
        is_singular |= pivot == T(0);
        if constexpr (OP == GAUSS_DET) {
            product = product * pivot;
        }
        if constexpr (OP == GAUSS_SLOGDET) {
            const Real size = modulus(pivot);
            product = product * over(pivot, size);
            log += ::log(size);
        }
    }
};

GNP_FN Pivots eliminate(Row &row, int lane, int n)
{
    Pivots pivots = {T(1), 0, false};
    row.step = N;
    row.chosen = 0;
    row.diagonal = T(1);
#pragma unroll 1
    for (int step = 0; step < n; step++) {
        const T first = row[step];
        Candidate best = {row.step == N && lane < n ? pivot_size(first) : Real(-1), lane};
        best.elect<N>();
        const T *upper = row.at - lane + best.row;
        const T pivot = upper[step * 32];
        pivots.include(pivot);
        if (lane == step) {
            row.chosen = best.row;
        }
        if (lane == best.row) {
            row.step = step;
            row.diagonal = pivot;
        }
        if (row.step == N && pivot != T(0)) {
            const T factor = first / pivot;
            row[step] = factor;
#pragma unroll 4
            for (int c = step + 1; c < n; c++) {
                row[c] = mad(-factor, upper[c * 32], row[c]);
            }
        }
        __syncwarp();
    }
    return pivots;
}

// EACH right-hand sides, one element per lane; the result is x of row `step`.
GNP_FN void substitute(const Row &row, T (&x)[EACH], T inverse, int n)
{
#pragma unroll 2
    for (int step = 0; step < n; step++) {
        const int pivot = lane_value<N>(row.chosen, step);
        const T factor = -row[step];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const T known = lane_value<N>(x[e], pivot);
            x[e] = row.step > step ? mad(factor, known, x[e]) : x[e];
        }
    }
#pragma unroll 2
    for (int step = n - 1; step >= 0; step--) {
        const int pivot = lane_value<N>(row.chosen, step);
        const T factor = -row[step];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            x[e] = row.step == step ? x[e] * inverse : x[e];
            const T known = lane_value<N>(x[e], pivot);
            x[e] = row.step < step ? mad(factor, known, x[e]) : x[e];
        }
    }
}

// Whether a permutation, whose i-th image is in lane i, is odd: by counting inversions.
GNP_FN bool is_odd(int image, int lane, int n)
{
    int inversions = 0;
#pragma unroll 1
    for (int other = 0; other < n; other++) {
        inversions += lane_value<N>(image, other) > image && other < lane && lane < n;
    }
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2) {
        inversions += __shfl_xor_sync(0xffffffffu, inversions, d, N);
    }
    return inversions % 2 != 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
gauss(const Place a, const Place b, const Outputs out, const i64 count, const int n, const int columns)
{
    __shared__ alignas(16) u8 chip[BLOCK * N * sizeof(T)];
    const int lane = (int)threadIdx.x % N;
    const i64 mine = (i64)blockIdx.x * (BLOCK / N) + (int)threadIdx.x / N;
    const i64 matrix = mine < count ? mine : count - 1; // all lanes take part in warp-wide operations
    const bool is_written = lane < n && mine < count;
    Row row;
    row.at = (T *)chip + (int)threadIdx.x / 32 * (N * 32) + (int)threadIdx.x % 32;
#pragma unroll 4
    for (int c = 0; c < n; c++) {
        row[c] = lane < n ? a.at(matrix, lane, c) : T(0);
    }
    __syncwarp();
    const Pivots pivots = eliminate(row, lane, n);
    if (OP == GAUSS_DET || OP == GAUSS_SLOGDET) {
        const T sign = is_odd(row.chosen, lane, n) ? T(-1) : T(1);
        if (is_written && lane == 0) {
            ((T *)out.x)[matrix] = pivots.is_singular ? T(0) : pivots.product * sign;
            if (OP == GAUSS_SLOGDET) {
                ((Real *)out.log)[matrix] =
                    pivots.is_singular ? -(Real)__int_as_float(0x7f800000) : pivots.log;
            }
        }
        return;
    }
    const T inverse = T(1) / row.diagonal;
    T *to = (T *)out.x + (matrix * n + row.step) * columns;
#pragma unroll 1
    for (int first = 0; first < columns; first += EACH) {
        T x[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            if (OP == GAUSS_INVERT) {
                x[e] = T(lane == first + e);
            }
            else {
                x[e] = lane < n && first + e < columns ? b.at(matrix, lane, first + e) : T(0);
            }
        }
        substitute(row, x, inverse, n);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            if (is_written && first + e < columns) {
                to[first + e] = pivots.is_singular ? not_a_number() : x[e];
            }
        }
    }
    tell_failure(pivots.is_singular && is_written, (i32 *)out.flag);
}
