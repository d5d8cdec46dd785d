// sparse_merge: an operation of two compressed sparse matrices with sorted indices, element by element, where either
// has one. Their elements in the order of rows and columns are cut into equal tiles by sparse_split; the first of
// equal elements computes the result. Results of zero are dropped.
// Each tile learns by look-back how many results the tiles before it have: results.cuh has the words of `state`.
// Knobs: I of the indices; J of the result's; SA, SB, R of the values and the result; T: computed in; DUPLICATES: a
// matrix may have several elements of one position, which are summed; ITEMS of a thread; BLOCK threads. op(a, b) is the
// operation.
// Launch: a block for every BLOCK * ITEMS elements. `indices` and `out` have room for all elements.
#include "knobs/sparse_merge.cuh"
#include "scan.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { TILE = BLOCK * ITEMS, ROWS = TILE / 2, VALUE = sizeof(A) > sizeof(Raw<R>) ? sizeof(A) : sizeof(Raw<R>) };

struct Shared {
    I columns[TILE + 1];
    I begins[2][ROWS];
    alignas(16) u8 values[TILE * VALUE];
    I found_columns[TILE]; // of each thread's results, until their places are known
    alignas(16) u8 found[TILE * sizeof(Raw<R>)];
    u32 places[BLOCK], kept[BLOCK];
    u32 sums[BLOCK / 32 + 1];
    i64 tile, before; // the tile's number, and the results before it
};

// One matrix's elements of the tile: in shared memory, and around it in global memory.
template <class S> struct Elements {
    const I *begins, *indices;
    const Raw<S> *data;
    const I *near_begins, *columns; // of the tile
    const A *values;
    i64 first;       // the matrix's first element in the tile
    int count;       // its elements in the tile
    i64 begin, end;  // of the row
    int stop;        // the end of the row in the tile

    GNP_FN void set_row(i64 base, i64 row, bool near)
    {
        begin = near ? (i64)near_begins[row] : (i64)begins[base + row];
        end = near ? (i64)near_begins[row + 1] : (i64)begins[base + row + 1];
        stop = end - first < count ? (int)(end - first) : count;
    }
    GNP_FN I column(int k) const { return (u32)k < (u32)count ? columns[k] : indices[first + k]; }
    GNP_FN A value(int k) const { return (u32)k < (u32)count ? values[k] : In<S, T>::value(data[first + k]); }
    GNP_FN bool has(int k) const { return first + k < end; }
    GNP_FN bool follows(int k, I x) const { return first + k > begin && column(k - 1) == x; }
    // The sum of element k and of those behind it in the same column.
    GNP_FN A sum(int k) const
    {
        A all = value(k);
        if constexpr (DUPLICATES != 0) {
            const I x = column(k);
#pragma unroll 1
            for (k++; has(k) && column(k) == x; k++) {
                all = plus(all, value(k));
            }
        }
        return all;
    }
};

// An element of one of the matrices; without a branch where they have the same type.
template <class U, class V> GNP_FN A element(const Raw<U> *a, const Raw<V> *b, bool from_a, i64 at)
{
    if constexpr (Same<U, V>::value) {
        return In<U, T>::value((from_a ? a : b)[at]);
    }
    else {
        return from_a ? In<U, T>::value(a[at]) : In<V, T>::value(b[at]);
    }
}

// The last of the rows from `low` on that begins at `at` or before it; row `high` begins behind it.
template <class F> GNP_FN i64 last_row(i64 low, i64 high, i64 at, F begin)
{
#pragma unroll 1
    while (high - low > 1) {
        const i64 middle = (low + high) / 2;
        const bool right = begin(middle) <= at;
        low = right ? middle : low;
        high = right ? high : middle;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_merge(const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
             const Raw<SB> *data_b, const i64 *splits, u64 *state, J *begins, J *indices, Raw<R> *out, const i64 rows)
{
    __shared__ Shared shared;
    if (threadIdx.x == 0) {
        shared.tile = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
    __syncthreads();
    const i64 tile = shared.tile, low = splits[2 * tile], a0 = splits[2 * tile + 1];
    const i64 next = splits[2 * tile + 2], a1 = splits[2 * tile + 3];
    const i64 all = (i64)begins_a[rows] + begins_b[rows];
    const i64 first = tile * TILE < all ? tile * TILE : all, b0 = first - a0;
    const int count = (int)(all - first < TILE ? all - first : TILE), count_a = (int)(a1 - a0);
    // The rows of the tile: the one in which it begins, and those that begin in it.
    const i64 base = low > 0 ? low - 1 : 0, nrows = next - base;
    const bool near = nrows < ROWS;
    A *values = (A *)shared.values;
    Elements<SA> a = {begins_a, indices_a, data_a, shared.begins[0], shared.columns, values, a0, count_a};
    Elements<SB> b = {begins_b,         indices_b, data_b, shared.begins[1], shared.columns + count_a,
                  values + count_a, b0,        count - count_a};
    if (count > 0) {
        I column[ITEMS];
        A value[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) { // places past the end repeat the last one, so that loads overlap
            const int k = item * BLOCK + threadIdx.x, place = k < count ? k : count - 1;
            const bool from_a = place < count_a;
            const i64 at = from_a ? a0 + place : b0 + (place - count_a);
            column[item] = (from_a ? indices_a : indices_b)[at];
            value[item] = element<SA, SB>(data_a, data_b, from_a, at);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            const int k = item * BLOCK + threadIdx.x;
            if (k < count) {
                shared.columns[k] = column[item];
                values[k] = value[item];
            }
        }
    }
    if (near) {
#pragma unroll 1
        for (int r = threadIdx.x; r <= (int)nrows; r += BLOCK) {
            shared.begins[0][r] = begins_a[base + r];
            shared.begins[1][r] = begins_b[base + r];
        }
    }
    __syncthreads();

    const auto row_begin = [&](i64 r) {
        return near && r <= nrows ? (i64)shared.begins[0][r] + shared.begins[1][r]
                                  : (i64)begins_a[base + r] + begins_b[base + r];
    };
    const int place = threadIdx.x * ITEMS;
    i64 row = 0;
    int i = 0, j = 0;
    Raw<R> *found = (Raw<R> *)shared.found + threadIdx.x;
    u32 kept = 0;
#pragma unroll 1
    for (int item = 0; item < ITEMS && place + item < count; item++) {
        const i64 at = first + place + item;
        if (item == 0 || (i >= a.stop && j >= b.stop)) { // mostly the next row, unless it is empty
            const bool is_next = item > 0 && row_begin(row + 2) > at;
            row = is_next ? row + 1 : last_row(item > 0 ? row + 1 : 0, nrows, at, row_begin);
            a.set_row(base, row, near);
            b.set_row(base, row, near);
        }
        if (item == 0) {
            i = a.begin > a0 ? (int)(a.begin - a0) : 0;
            j = b.begin > b0 ? (int)(b.begin - b0) : 0;
            const int ahead = place - i - j;
            const int split = split_at<int>(a.columns + i, b.columns + j, a.stop - i, b.stop - j, ahead);
            i += split;
            j += ahead - split;
        }
        const bool has_a = i < a.stop, has_b = b.has(j);
        const I x = has_a ? a.columns[i] : I(0), y = has_b ? b.column(j) : I(0);
        const bool from_a = has_a && (j >= b.stop || x <= y);
        const bool with_b = from_a ? has_b && x == y : !a.follows(i, y);
        const bool is_first = DUPLICATES == 0 || (from_a ? !a.follows(i, x) : !b.follows(j, y));
        if (is_first && (from_a || with_b)) {
            const Compute<R> z = op(from_a ? a.sum(i) : A(0), with_b ? b.sum(j) : A(0));
            shared.found_columns[item * BLOCK + threadIdx.x] = from_a ? x : y;
            found[item * BLOCK] = Out<R, R>::raw(z);
            kept |= (z != Compute<R>(0) ? 1u : 0u) << item;
        }
        i += from_a;
        j += !from_a;
    }
    u32 total;
    u32 at = sum_before<BLOCK>((u32)__popc(kept), shared.sums, total);
    shared.places[threadIdx.x] = at;
    shared.kept[threadIdx.x] = kept;
    if (threadIdx.x < 32) {
        const u64 sum = results_before(state, tile, total);
        if (threadIdx.x == 0) {
            shared.before = (i64)sum;
        }
    }
    __syncthreads();
    const i64 to = shared.before;
    Raw<R> *results = (Raw<R> *)shared.values;
#pragma unroll 1
    for (int item = 0; item < ITEMS; item++) {
        if (kept >> item & 1) {
            shared.columns[at] = shared.found_columns[item * BLOCK + threadIdx.x];
            results[at] = found[item * BLOCK];
            at++;
        }
    }
    __syncthreads();
#pragma unroll 1
    for (u32 k = threadIdx.x; k < total; k += BLOCK) {
        indices[to + k] = (J)shared.columns[k];
        out[to + k] = results[k];
    }
    const i64 end = tile + 1 == gridDim.x ? rows + 1 : next;
#pragma unroll 1
    for (i64 r = low + threadIdx.x; r < end; r += BLOCK) { // the results before the row, in the tile and before it
        const int before = (int)(row_begin(r - base) - first), thread = before / ITEMS;
        const u32 inside = before < count
                               ? shared.places[thread] + __popc(shared.kept[thread] & ((1u << before % ITEMS) - 1))
                               : total;
        begins[r] = (J)(to + inside);
    }
}
