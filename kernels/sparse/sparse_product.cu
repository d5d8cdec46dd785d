// sparse_product: a compressed sparse matrix times a vector, or the sums of its rows. Matrices with rows of
// similar lengths take LANES threads per row; others follow the merge path of row ends and elements, so that
// every thread has the same work (D. Merrill and M. Garland, "Merge-based parallel sparse matrix-vector
// multiplication", SC 2016). Which of both is decided on the device by the longest row. Sums are formed in an
// order that depends on the structure alone. Elements whose index is no element of the vector are zeros: nothing is read
// or written out of bounds, whatever begins and indices are.
// Knobs: I of the indices; S, X, R of the matrix, the vector and the result; T: computed in; VECTOR: 0 sums of
// rows; PERMUTED: 1 element k of the matrix is data[places[k]], and nothing is done where `changed` is given and zero; 2 it is
// kept[k], and `changed` becomes one where the n elements of `data` differ from those behind the first n of `kept`; LANES; ITEMS of
// the path per thread; BLOCK.
// Launch: enough blocks for both ways, or some, if PERMUTED is 1; sparse_carry follows where the path has several blocks.
#include "knobs/sparse_product.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
// Rows of columns have any lengths, of which twice the mean are on their way at once. As many blocks run at once as can.
enum { TILE = BLOCK * ITEMS, WARPS = BLOCK / 32, AT_ONCE = PERMUTED ? 4 : 2, RESIDENT = sizeof(A) <= 4 ? 2048 / BLOCK : 1 };

struct Matrix {
    const I *begins, *indices, *places;
    const Raw<S> *data; // in the order of the elements, or of `places`
    const Raw<X> *x;
    i64 step; // between elements of x
    u64 count; // of them

    GNP_FN A term(i64 k) const
    {
        const A a = In<S, T>::value(data[PERMUTED == 1 ? (i64)places[k] : k]);
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

template <int BYTES> struct WordOf { typedef u64 Type; };
template <> struct WordOf<4> { typedef u32 Type; };
template <> struct WordOf<2> { typedef u16 Type; };
template <> struct WordOf<1> { typedef u8 Type; };

// Tells whether values differ from what they were, each of which a thread of one of the blocks compares.
GNP_FN void compare(const Raw<S> *data, const Raw<S> *before, i64 n, u32 *changed)
{
    typedef typename WordOf<sizeof(Raw<S>)>::Type Word;
    enum { WORDS = sizeof(Raw<S>) / sizeof(Word) };
    const Word *a = (const Word *)data, *b = (const Word *)before;
    Word differ = 0;
    const i64 all = (i64)gridDim.x * BLOCK;
#pragma unroll 2
    for (i64 k = (i64)blockIdx.x * BLOCK + threadIdx.x; k < n * WORDS; k += all) {
        differ |= (Word)(a[k] ^ b[k]);
    }
    if (differ != 0) {
        *changed = 1;
    }
}

GNP_FN void by_lanes(const Matrix &a, Raw<R> *out, i64 rows, i64 n, i64 block)
{
    const i64 row = (block * BLOCK + threadIdx.x) / LANES;
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

GNP_FN void by_path(const Matrix &a, Raw<R> *out, i64 rows, i64 n, i64 *carry_rows, A *carries, Shared &shared, i64 tile)
{
    const i64 first = tile * TILE;
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
        carry_rows[tile] = row0 + row;
        carries[tile] = all;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
sparse_product(const I *begins, const I *indices, const I *places, const Raw<S> *data, const Raw<X> *x, Raw<R> *out,
               const I *longest, const Raw<S> *kept, u32 *changed, i64 *carry_rows, A *carries, const i64 rows, const i64 n, const i64 step,
               const i64 limit, const i64 count)
{
    __shared__ Shared shared;
    if (PERMUTED == 1 && changed != nullptr && *changed == 0) {
        return;
    }
    const Matrix a = {begins, indices, places, PERMUTED == 2 ? kept : data, x, step, (u64)count};
    const bool is_short = longest == nullptr || (i64)*longest <= limit;
    const i64 blocks = is_short ? (rows + BLOCK / LANES - 1) / (BLOCK / LANES) : (rows + n + TILE - 1) / TILE;
#pragma unroll 1
    for (i64 block = blockIdx.x; block < blocks; block += gridDim.x) {
        if (is_short) {
            by_lanes(a, out, rows, n, block);
        }
        else {
            by_path(a, out, rows, n, carry_rows, carries, shared, block);
        }
        if (PERMUTED != 1) { // there is a block for each
            break;
        }
        __syncthreads();
    }
    if constexpr (PERMUTED == 2) {
        compare(data, kept + n, n, changed);
    }
}
