// jacobi: eigenvalues, ascending, and where VECTORS eigenvectors of small Hermitian matrices, of which one
// triangle is read (the upper one where UPPER), by cyclic Jacobi rotations of N / 2 disjoint pairs at once. N
// lanes share a matrix; each has a row of it and of the eigenvectors in registers.
//
// Registers are numbered places, and pair k of a step is in the places 2 k and 2 k + 1; after each step the
// columns move as in a round-robin tournament, so that a sweep of N - 1 steps meets all pairs and returns
// every column to its place (R. P. Brent and F. T. Luk, SIAM J. Sci. Stat. Comput. 6, 1985). Rows stay in
// their lanes. Columns beyond the matrix are zero and never mix with it.
// Knobs: T; N, a power of two from 4 to 32; VECTORS, UPPER; BLOCK threads.
// Launch: BLOCK / N matrices to a block.
#include "knobs/jacobi.cuh"
#include "linalg/matrix.cuh"

enum { MOST_SWEEPS = 20 };

// The source of a place after a step.
GNP_FN constexpr int source_of(int place)
{
    return place == 0       ? 0
           : place == 2     ? 1
           : place % 2 == 0 ? place - 2
           : place == N - 1 ? N - 2
                            : place + 2;
}
// The destination of a place after a step.
GNP_FN int target_of(int place)
{
    return place == 0       ? 0
           : place == 1     ? 2
           : place == N - 2 ? N - 1
           : place % 2 == 0 ? place + 2
                            : place - 2;
}

// Selects one of N registers by the bits of its number: dynamic indexing would put the array into local
// memory.
template <int M> GNP_FN T chosen(const T (&x)[M], int place)
{
    if constexpr (M == 1) {
        return x[0];
    }
    else {
        T half[M / 2];
#pragma unroll
        for (int c = 0; c < M / 2; c++) {
            half[c] = place & 1 ? x[2 * c + 1] : x[2 * c];
        }
        return chosen(half, place >> 1);
    }
}

struct Rows {
    T a[N];
    T v[VECTORS ? N : 1];
};

// One step. `place` is the place of this lane's column, `owner` the lane whose column is in place `lane`.
// Returns the magnitude of the off-diagonal element of this lane's pair.
GNP_FN Real rotate(Rows &row, int lane, int &place, int &owner, Real least)
{
    const T diagonal = chosen(row.a, place), beside = chosen(row.a, place ^ 1);
    const int other = lane_value<N>(owner, lane ^ 1);
    const int low = lane % 2 ? other : owner, high = lane % 2 ? owner : other; // the lanes of this lane's pair
    const T off = lane_value<N>(beside, low);
    const Real p = lane_value<N>(real(diagonal), low), q = lane_value<N>(real(diagonal), high);
    const Real size = modulus(off);
    const Rotation rotation = size > least ? rotation_of(p, q, off) : Rotation{Real(1), T(0)};
    T a[N], v[VECTORS ? N : 1];
#pragma unroll
    for (int c = 0; c < N; c += 2) {
        const Real cosine = lane_value<N>(rotation.c, c);
        const T sine = lane_value<N>(rotation.s, c), back = -conjugate(sine);
        a[c] = mad(back, row.a[c + 1], times(row.a[c], cosine));
        a[c + 1] = mad(sine, row.a[c], times(row.a[c + 1], cosine));
        if (VECTORS) {
            v[c] = mad(back, row.v[c + 1], times(row.v[c], cosine));
            v[c + 1] = mad(sine, row.v[c], times(row.v[c + 1], cosine));
        }
    }
    // The same for the rows, with the rotation of this lane's place.
    const Real cosine = lane_value<N>(rotation.c, place);
    const T s = lane_value<N>(rotation.s, place), sine = place % 2 ? conjugate(s) : -s;
    const int partner = lane_value<N>(owner, place ^ 1);
#pragma unroll
    for (int c = 0; c < N; c++) {
        const T theirs = lane_value<N>(a[source_of(c)], partner);
        row.a[c] = mad(sine, theirs, times(a[source_of(c)], cosine));
        if (VECTORS) {
            row.v[c] = v[source_of(c)];
        }
    }
    owner = lane_value<N>(owner, source_of(lane));
    place = target_of(place);
    return size;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
jacobi(const Place a, Real *const values, T *const vectors, i32 *const flag, const i64 count, const int n)
{
    const int lane = (int)threadIdx.x % N;
    const i64 mine = (i64)blockIdx.x * (BLOCK / N) + (int)threadIdx.x / N;
    const i64 matrix = mine < count ? mine : count - 1; // all lanes take part in warp-wide operations
    Rows row;
    Real largest = 0;
#pragma unroll
    for (int c = 0; c < N; c++) {
        const bool is_read = UPPER ? lane <= c : c <= lane;
        T x = lane >= n || c >= n ? T(0) : is_read ? a.at(matrix, lane, c) : conjugate(a.at(matrix, c, lane));
        row.a[c] = c == lane ? T(real(x)) : x;
        largest = fmax(largest, pivot_size(row.a[c]));
        if (VECTORS) {
            row.v[c] = T(c == lane);
        }
    }
    largest = largest_of<N>(largest);
    const bool failed = !is_finite_size(largest);
    const Real least = largest * epsilon();
    int place = lane, owner = lane;
#pragma unroll 1
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        bool is_rotated = false;
#pragma unroll 1
        for (int step = 0; step < N - 1; step++) {
            is_rotated |= rotate(row, lane, place, owner, least) > least;
        }
        if (!__any_sync(0xffffffffu, is_rotated && !failed)) {
            break;
        }
    }
    const Real value = real(chosen(row.a, lane));
    int rank = 0;
#pragma unroll 4
    for (int other = 0; other < n; other++) {
        const Real theirs = lane_value<N>(value, other);
        rank += theirs < value || (theirs == value && other < lane);
    }
    const bool is_written = lane < n && mine < count;
    if (is_written) {
        values[matrix * n + (failed ? lane : rank)] = failed ? real(not_a_number()) : value;
    }
    if (VECTORS) {
        T *to = vectors + (matrix * n + lane) * n;
#pragma unroll
        for (int c = 0; c < N; c++) {
            const int column = lane_value<N>(rank, c);
            if (is_written && c < n) {
                to[failed ? c : column] = failed ? not_a_number() : row.v[c];
            }
        }
    }
    tell_failure(failed && is_written, flag);
}
