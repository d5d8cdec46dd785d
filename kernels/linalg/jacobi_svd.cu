// jacobi_svd: singular values, descending, and where VECTORS singular vectors of small matrices that are not
// wider than tall, by one-sided Jacobi rotations (M. R. Hestenes, J. SIAM 6, 1958): columns are rotated in
// pairs until all are orthogonal. N lanes share a matrix; each has a column of it and of the right vectors in
// registers. Left vectors of zero singular values, and the additional ones of a full square matrix, are unit
// vectors orthogonalised against the others.
// Knobs: T; N, a power of two from 4 to 32, not less than the rows; VECTORS; BLOCK threads.
// Launch: BLOCK / N matrices to a block.
#include "knobs/jacobi_svd.cuh"
#include "linalg/matrix.cuh"

enum { MOST_SWEEPS = 30, PITCH = N + 1 };

// `lefts` left vectors are wanted. Steps of the results in elements; right vectors go out conjugated.
typedef GnpSvdOutputs Svd;

struct Columns {
    T a[N];
    T v[VECTORS ? N : 1];
};

GNP_FN Real square_of(const T (&x)[N])
{
    T sum = T(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        sum = mad(conjugate(x[i]), x[i], sum);
    }
    return real(sum);
}

// x times 2^-exponent, in two steps whose factors are both representable.
GNP_FN T lowered(T x, int exponent)
{
    const int half = exponent / 2;
    return times(times(x, scalbn(Real(1), -half)), scalbn(Real(1), half - exponent));
}
GNP_FN int exponent_of(Real largest) { return largest > 0 && is_finite_size(largest) ? ilogb(largest) : 0; }

// The length of a column, however small.
GNP_FN Real length_of(const T (&x)[N])
{
    Real largest = 0;
    T scaled[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        largest = fmax(largest, pivot_size(x[i]));
    }
    const int exponent = exponent_of(largest);
#pragma unroll
    for (int i = 0; i < N; i++) {
        scaled[i] = lowered(x[i], exponent);
    }
    return scalbn(sqrt(square_of(scaled)), exponent);
}

// The partner of a column in a step of a round-robin tournament with an even number of players.
GNP_FN int partner_of(int lane, int step, int players)
{
    const int odd = players - 1;
    if (lane >= players) {
        return lane;
    }
    if (lane == odd) {
        return step * (players / 2) % odd;
    }
    const int other = (step - lane + odd) % odd;
    return other == lane ? odd : other;
}

// One step; returns whether this lane's column was rotated.
GNP_FN bool rotate(Columns &column, int lane, int partner, Real limit)
{
    const bool is_low = lane < partner;
    T theirs[N], sum = T(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        theirs[i] = lane_value<N>(column.a[i], partner);
        sum = mad(conjugate(column.a[i]), theirs[i], sum);
    }
    const T product = lane_value<N>(sum, is_low ? lane : partner); // the same in both
    const Real mine = square_of(column.a), other = lane_value<N>(mine, partner);
    const bool is_rotated = lane != partner && modulus(product) > limit * sqrt(mine) * sqrt(other);
    if (!__any_sync(0xffffffffu, is_rotated)) {
        return false;
    }
    const Rotation rotation = is_rotated ? rotation_of(is_low ? mine : other, is_low ? other : mine, product)
                                        : Rotation{Real(1), T(0)};
    const T sine = is_low ? -conjugate(rotation.s) : rotation.s;
#pragma unroll
    for (int i = 0; i < N; i++) {
        column.a[i] = mad(sine, theirs[i], times(column.a[i], rotation.c));
        if (VECTORS) {
            column.v[i] = mad(sine, lane_value<N>(column.v[i], partner), times(column.v[i], rotation.c));
        }
    }
    return is_rotated;
}

// Completes the columns of `u` one by one: the unit vector furthest from the span of the others is
// orthogonalised against them, twice for accuracy (Gram-Schmidt). Lanes are rows now; `beside` is memory for
// one column.
GNP_FN void complete(T *u, T *beside, bool is_missing, int lane, int rows)
{
#pragma unroll 1
    for (int d = 0; d < N; d++) {
        const bool wanted = lane_value<N>((int)is_missing, d) != 0;
        if (!__any_sync(0xffffffffu, wanted)) {
            continue;
        }
        Real taken = 0;
        for (int c = 0; c < N; c++) {
            taken += real(u[c * PITCH + lane] * conjugate(u[c * PITCH + lane]));
        }
        Candidate axis = {lane < rows ? 2 - taken : Real(-1), lane};
        axis.elect<N>();
        T x = T(lane == axis.row);
#pragma unroll 1
        for (int pass = 0; pass < 2; pass++) {
            beside[lane] = x;
            __syncwarp();
            T part = T(0);
            for (int i = 0; i < rows; i++) {
                part = mad(conjugate(u[lane * PITCH + i]), beside[i], part);
            }
            __syncwarp();
            for (int c = 0; c < N; c++) {
                x = mad(-lane_value<N>(part, c), u[c * PITCH + lane], x);
            }
        }
        Real square = real(x * conjugate(x));
#pragma unroll
        for (int step = N / 2; step > 0; step /= 2) {
            square += __shfl_xor_sync(0xffffffffu, square, step, N);
        }
        if (wanted) {
            u[d * PITCH + lane] = lane < rows ? over(x, sqrt(square)) : T(0);
        }
        __syncwarp();
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
jacobi_svd(const Place a, const Svd s, const i64 count)
{
    const int lane = (int)threadIdx.x % N, group = (int)threadIdx.x / N;
    const i64 mine = (i64)blockIdx.x * (BLOCK / N) + group;
    const i64 matrix = mine < count ? mine : count - 1; // all lanes take part in warp-wide operations
    Columns column;
    Real largest = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        column.a[i] = i < s.rows && lane < s.columns ? a.at(matrix, i, lane) : T(0);
        largest = fmax(largest, pivot_size(column.a[i]));
        if (VECTORS) {
            column.v[i] = T(i == lane);
        }
    }
    largest = largest_of<N>(largest);
    const bool failed = !is_finite_size(largest);
    // Scales the matrix to magnitudes near 1, so that no square overflows and underflow is negligible.
    const int exponent = exponent_of(largest);
#pragma unroll
    for (int i = 0; i < N; i++) {
        column.a[i] = failed ? T(0) : lowered(column.a[i], exponent);
    }
    const int players = s.columns + s.columns % 2;
    const Real limit = epsilon() * sqrt((Real)s.rows);
#pragma unroll 1
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        bool is_rotated = false;
#pragma unroll 1
        for (int step = 0; step < players - 1; step++) {
            is_rotated |= rotate(column, lane, partner_of(lane, step, players), limit);
        }
        if (!__any_sync(0xffffffffu, is_rotated)) {
            break;
        }
    }
    const Real size = length_of(column.a);
    const Real value = lane < s.columns ? size : Real(-1);
    int rank = 0;
#pragma unroll 1
    for (int other = 0; other < N; other++) {
        const Real theirs = lane_value<N>(value, other);
        rank += theirs > value || (theirs == value && other < lane);
    }
    const bool is_there = mine < count;
    if (is_there && lane < s.columns) {
        const Real x = scalbn(size, exponent);
        ((Real *)s.values)[matrix * s.columns + (failed ? lane : rank)] = failed ? real(not_a_number()) : x;
    }
    if (VECTORS) {
        __shared__ alignas(16) u8 chip[(VECTORS ? BLOCK * (PITCH + 1) : 1) * sizeof(T)];
        T *u = (T *)chip + group * N * (PITCH + 1), *beside = u + N * PITCH;
        const bool is_zero = size < (sizeof(Real) == 4 ? Real(1e-15) : Real(1e-145));
#pragma unroll
        for (int i = 0; i < N; i++) {
            u[lane * PITCH + i] = is_zero ? T(0) : over(column.a[i], size);
        }
        __syncwarp();
        complete(u, beside, is_zero && lane < s.lefts, lane, s.rows);
        T *left = (T *)s.left + matrix * s.left_batch + lane * s.left_row;
#pragma unroll 1
        for (int c = 0; c < s.lefts; c++) {
            const int to = lane_value<N>(rank, c);
            if (is_there && lane < s.rows) {
                left[(failed ? c : to) * s.left_column] = failed ? not_a_number() : u[c * PITCH + lane];
            }
        }
        T *right = (T *)s.right + matrix * s.right_batch + (failed ? lane : rank) * s.right_column;
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (is_there && lane < s.columns && i < s.columns) {
                right[i * s.right_row] = failed ? not_a_number() : conjugate(column.v[i]);
            }
        }
    }
    tell_failure(failed && is_there, (i32 *)s.flag);
}
