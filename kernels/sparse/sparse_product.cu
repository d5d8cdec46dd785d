// sparse_product: a compressed sparse matrix times a vector, or the sums of its rows. Matrices with rows of
// similar lengths take LANES threads per row; others follow the merge path of row ends and elements, so that
// every thread has the same work (D. Merrill and M. Garland, "Merge-based parallel sparse matrix-vector
// multiplication", SC 2016). Which of both is decided on the device by the longest row. Sums are formed in an
// order that depends on the structure alone. Elements whose index is no element of the vector are zeros: nothing is read
// or written out of bounds, whatever begins and indices are.
// Knobs: I of the indices; S, X, R of the matrix, the vector and the result; T: computed in; VECTOR: 0 sums of
// rows; PERMUTED: element k of the matrix is data[places[k]], or ordered[k] where `changed` is given and false; LANES;
// ITEMS of the path per thread; BLOCK.
// Launch: enough blocks for both ways; sparse_carry follows where the path has several blocks.
#include "knobs/sparse_product.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
// Rows of columns have any lengths, of which twice the mean are on their way at once. As many blocks run at once as can.
enum { TILE = BLOCK * ITEMS, WARPS = BLOCK / 32, AT_ONCE = PERMUTED ? 4 : 2, RESIDENT = sizeof(A) <= 4 ? 2048 / BLOCK : 1 };

struct Matrix {
    const I *begins, *indices, *places;
    const Raw<S> *data;
    const Raw<X> *x;
    i64 step; // between elements of x
    u64 count; // of them

    GNP_FN A term(i64 k) const
    {
        const A a = In<S, T>::value(data[PERMUTED && places != nullptr ? (i64)places[k] : k]);
        if constexpr (VECTOR) {
            const u64 at = (u64)(i64)indices[k];
            const A product = times(a, In<X, T>::value(x[(i64)(at < count ? at : 0) * step]));
            return at < count ? product : A(0);
        }
        else {
            return a;
        }
    }
};

GNP_FN void by_lanes(const Matrix &a, Raw<R> *out, i64 rows, i64 n)
{
    const i64 row = ((i64)blockIdx.x * BLOCK + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    A sum = A(0);
    if (row < rows) {
        const Span span = row_span(a.begins, row, n);
        const i64 end = span.end;
#pragma unroll 1
        for (i64 k = span.begin + lane; k < end; k += AT_ONCE * LANES) {
            A term[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) { // elements past the end repeat the last one, so that loads overlap
                term[u] = a.term(k + u * LANES < end ? k + u * LANES : end - 1);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                sum = k + u * LANES < end ? plus(sum, term[u]) : sum;
            }
        }
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) {
        sum = plus(sum, from_lane(sum, (threadIdx.x % 32) ^ d));
    }
    if (row < rows && lane == 0) {
        out[row] = Out<R, T>::raw(sum);
    }
}

// A sum and the row that it belongs to, combined over the threads before: rows ascend with threads.
struct Carry {
    A sum;
    i64 row;
};

struct Shared {
    alignas(16) u8 terms[TILE * sizeof(A)];
    I ends[TILE + 1];
    alignas(16) u8 sums[WARPS * sizeof(A)];
    i64 rows[WARPS];
    i64 split[2];
};

// What the threads up to this one carry in the row in which this one ends; in `before` that of the threads
// before it.
GNP_FN A carry_over(Shared &shared, Carry mine, A &before)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    A *sums = (A *)shared.sums;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const A sum = from_before(mine.sum, d);
        const i64 row = from_before(mine.row, d);
        if (lane >= d && row == mine.row) {
            mine.sum = plus(sum, mine.sum);
        }
    }
    const A left = from_before(mine.sum, 1);
    const i64 left_row = from_before(mine.row, 1);
    if (lane == 31) {
        sums[warp] = mine.sum;
        shared.rows[warp] = mine.row;
    }
    __syncthreads();
    A carried = A(0), all = A(0);
    const i64 last = warp > 0 ? shared.rows[warp - 1] : -1;
#pragma unroll
    for (int w = 0; w < WARPS - 1; w++) {
        if (w < warp && shared.rows[w] == last) {
            carried = plus(carried, sums[w]);
        }
        if (w < warp && shared.rows[w] == mine.row) {
            all = plus(all, sums[w]);
        }
    }
    before = lane == 0 ? carried : left_row == last ? plus(carried, left) : left;
    return plus(all, mine.sum);
}

GNP_FN void by_path(const Matrix &a, Raw<R> *out, i64 rows, i64 n, i64 *carry_rows, A *carries, Shared &shared)
{
    const i64 first = (i64)blockIdx.x * TILE;
    if (first >= rows + n) {
        return;
    }
    const i64 end = first + TILE < rows + n ? first + TILE : rows + n;
    if (threadIdx.x < 2) { // how many rows end before a place of the path
        const i64 at = threadIdx.x == 0 ? first : end;
        i64 low = at > n ? at - n : 0, high = at < rows ? at : rows;
#pragma unroll 1
        while (low < high) {
            const i64 middle = (low + high) / 2;
            const bool ends = (i64)a.begins[middle + 1] <= at - 1 - middle;
            low = ends ? middle + 1 : low;
            high = ends ? high : middle;
        }
        shared.split[threadIdx.x] = low;
    }
    __syncthreads();
    const i64 row0 = shared.split[0], k0 = first - row0;
    // Where begins do not ascend, the two searches may disagree: no more rows or elements than there are.
    const i64 ended_rows = shared.split[1] - row0, steps = end - first;
    const int nrows = (int)(ended_rows < 0 ? 0 : ended_rows < steps ? ended_rows : steps);
    const int count = (int)(steps - nrows < n - k0 ? steps - nrows : n - k0);
    A *terms = (A *)shared.terms;
#pragma unroll 2
    for (int k = threadIdx.x; k < count; k += BLOCK) {
        terms[k] = a.term(k0 + k);
    }
#pragma unroll 1
    for (int r = threadIdx.x; r < nrows; r += BLOCK) {
        shared.ends[r] = (I)((i64)a.begins[row0 + r + 1] - k0);
    }
    __syncthreads();

    const int place = (int)threadIdx.x * ITEMS < nrows + count ? (int)threadIdx.x * ITEMS : nrows + count;
    int low = place > count ? place - count : 0, high = place < nrows ? place : nrows;
#pragma unroll 1
    while (low < high) {
        const int middle = (low + high) / 2;
        const bool ends = (i64)shared.ends[middle] <= place - 1 - middle;
        low = ends ? middle + 1 : low;
        high = ends ? high : middle;
    }
    int row = low, k = place - low, ended = -1;
    A sum = A(0), first_sum = A(0);
#pragma unroll 1
    for (int item = place; item < place + ITEMS && item < nrows + count; item++) {
        if (row < nrows && ((i64)shared.ends[row] <= k || k >= count)) {
            if (ended < 0) {
                ended = row;
                first_sum = sum;
            }
            else {
                out[row0 + row] = Out<R, T>::raw(sum);
            }
            sum = A(0);
            row++;
        }
        else {
            sum = plus(sum, terms[k]);
            k++;
        }
    }
    A before;
    const A all = carry_over(shared, Carry{sum, row0 + row}, before);
    if (ended >= 0) {
        out[row0 + ended] = Out<R, T>::raw(threadIdx.x > 0 ? plus(before, first_sum) : first_sum);
    }
    if (threadIdx.x == BLOCK - 1 && carries != nullptr) {
        carry_rows[blockIdx.x] = row0 + row;
        carries[blockIdx.x] = all;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
sparse_product(const I *begins, const I *indices, const I *places, const Raw<S> *data, const Raw<X> *x, Raw<R> *out,
               const I *longest, const Raw<S> *ordered, const bool *changed, i64 *carry_rows, A *carries, const i64 rows, const i64 n, const i64 step,
               const i64 limit, const i64 count)
{
    __shared__ Shared shared;
    const bool is_ordered = PERMUTED && changed != nullptr && !*changed;
    const Matrix a = {begins, indices, is_ordered ? nullptr : places, is_ordered ? ordered : data, x, step, (u64)count};
    if (longest == nullptr || (i64)*longest <= limit) {
        by_lanes(a, out, rows, n);
    }
    else {
        by_path(a, out, rows, n, carry_rows, carries, shared);
    }
}
