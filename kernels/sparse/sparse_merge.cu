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
enum { TILE = BLOCK * ITEMS, SPREAD = TILE + TILE / 32, VALUE = sizeof(A) > sizeof(Raw<R>) ? sizeof(A) : sizeof(Raw<R>) };

// Where result k of a tile is kept: threads that write ITEMS of them one after another are in different banks.
GNP_FN u32 kept_at(u32 k) { return k + k / 32; }

// Behind the tile's elements is the next one of the second matrix. Results take the elements' places.
struct Shared {
    alignas(16) u32 rows[TILE + 4]; // of each element, less the tile's first row: see find_rows
    I columns[SPREAD];              // of the first matrix's elements, then of the other one's
    alignas(16) u8 values[SPREAD * VALUE];
    I found_columns[TILE]; // of each thread's results, until their places are known
    alignas(16) u8 found[TILE * sizeof(Raw<R>)];
    u32 places[BLOCK], kept[BLOCK];
    alignas(16) u32 sums[2][BLOCK / 32]; // of rows, of results
    i64 tile, before; // the tile's number, and the results before it
    u32 last_row[2];  // of each matrix's element before the tile, where that is in the tile's first row
    I last_column[2];
    bool goes_on; // the first matrix's next element may be in the place of its last one
};

// The place of an element: a row of the tile, NONE behind the last element, and a column.
struct Place {
    u32 row;
    I column;

    GNP_FN bool is(const Place &other) const { return row == other.row && column == other.column; }
};
#define NONE 0xffffffffu

// One matrix's elements of the tile: in shared memory, and around it in global memory.
template <class S> struct Elements {
    const I *begins, *indices; // begins of the tile's rows, indices and values of its elements
    const Raw<S> *data;
    const u32 *rows;
    const I *columns;
    const A *values;
    i64 first;  // the matrix's first element in the tile
    int count;  // its elements in the tile
    u32 before; // what `rows` has too many

    GNP_FN bool is_inside(int k) const { return (u32)k < (u32)count; }
    GNP_FN u32 row(int k) const { return rows[k] - before; }
    GNP_FN Place place(int k) const { return is_inside(k) ? Place{row(k), columns[k]} : Place{NONE, 0}; }
    GNP_FN A value(int k, bool is_beyond) const { return is_beyond ? In<S, T>::value(data[k]) : values[k]; }
    // Whether element k, of another tile, is in this place.
    GNP_FN bool is_around(int k, const Place &at) const
    {
        return first + k >= (i64)begins[at.row] && first + k < (i64)begins[at.row + 1] && indices[k] == at.column;
    }
    GNP_FN bool is_at(int k, const Place &at) const { return is_inside(k) ? place(k).is(at) : is_around(k, at); }
    // The sum of element k and of those behind it in its place.
    GNP_FN A sum(int k, const Place &at, bool is_beyond) const
    {
        A all = value(k, is_beyond);
#pragma unroll 1
        for (k++; is_at(k, at); k++) {
            all = plus(all, value(k, !is_inside(k)));
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

// Marks the elements, of `count` ones, with which rows [1, nrows) of the tile begin: the first one for those that begin before
// it.
GNP_FN void mark_rows(u32 *rows, const I *begins, i64 first, int count, i64 nrows)
{
#pragma unroll 1
    for (i64 r = threadIdx.x + 1; r < nrows; r += BLOCK) {
        const i64 place = (i64)begins[r] - first;
        if (place < count) {
            atomicAdd(&rows[place > 0 ? (int)place : 0], 1u);
        }
    }
}

// The row of each element is the number of marks up to it; those of the second matrix have all marks of the first one
// besides.
GNP_FN void find_rows(Shared &shared)
{
    u32 row[ITEMS], sum = 0, all;
    u32 *mine = shared.rows + threadIdx.x * ITEMS;
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4) {
        const Vec<u32, 4> several = *(const Vec<u32, 4> *)(mine + k);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            sum += several.at[c];
            row[k + c] = sum;
        }
    }
    const u32 before = count_before<BLOCK>(sum, shared.sums[0], all);
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4) {
        Vec<u32, 4> several;
#pragma unroll
        for (int c = 0; c < 4; c++) {
            several.at[c] = before + row[k + c];
        }
        *(Vec<u32, 4> *)(mine + k) = several;
    }
    if (threadIdx.x == BLOCK - 1) { // of the element behind a full tile
        mine[ITEMS] += before + row[ITEMS - 1];
    }
    __syncthreads();
}

// Of the tile's first `at` elements in order, how many come from the first matrix (split_at, for rows and columns).
template <class U, class V> GNP_FN int split_tile(const Elements<U> &a, const Elements<V> &b, int at)
{
    int low = at > b.count ? at - b.count : 0, high = at < a.count ? at : a.count;
#pragma unroll 1
    while (low < high) {
        const int middle = (low + high) / 2, other = at - 1 - middle;
        const u32 r = a.row(middle), q = b.row(other);
        const bool right = r < q || (r == q && a.columns[middle] <= b.columns[other]);
        low = right ? middle + 1 : low;
        high = right ? high : middle;
    }
    return low;
}

// The next element of a matrix.
struct Next {
    u32 row;
    I column;
    A value;

    GNP_FN Next(const Shared &shared, int at, u32 before)
        : row(shared.rows[at] - before), column(shared.columns[at]), value(((const A *)shared.values)[at])
    {
    }
    GNP_FN Place place() const { return {row, column}; }
    GNP_FN void take(const Next &other, bool is_taken)
    {
        row = is_taken ? other.row : row;
        column = is_taken ? other.column : column;
        value = is_taken ? other.value : value;
    }
};

// A thread's items where elements of one position are summed, some of which may be in other tiles. `i` of the elements before
// them are the first matrix's.
template <class U, class V> GNP_FN u32 merge_items(Shared &shared, const Elements<U> &a, const Elements<V> &b, int i)
{
    const int start = threadIdx.x * ITEMS, left = a.count + b.count - start;
    Raw<R> *found = (Raw<R> *)shared.found + threadIdx.x;
    u32 kept = 0;
    int j = start - i;
    Place next_a = a.place(i), next_b = b.place(j), last_a = a.place(i - 1);
#pragma unroll 1
    for (int item = 0; item < ITEMS && item < left; item++) {
        const bool from_a = next_a.row < next_b.row || (next_a.row == next_b.row && next_a.column <= next_b.column);
        const Place here = from_a ? next_a : next_b, other = from_a ? next_b : last_a;
        const bool is_beyond = other.row == NONE; // the other matrix's element is in another tile
        bool same = other.is(here); // it follows, or has come already
        if (is_beyond) {
            same = from_a ? b.is_around(j, here) : a.is_around(i - 1, here);
        }
        const bool is_first = (from_a || !same) && (from_a ? !a.is_at(i - 1, here) : !b.is_at(j - 1, here));
        if (is_first) {
            const bool with_b = from_a == same;
            const Compute<R> z = op(from_a ? a.sum(i, here, false) : A(0), with_b ? b.sum(j, here, from_a && is_beyond) : A(0));
            shared.found_columns[item * BLOCK + threadIdx.x] = here.column;
            found[item * BLOCK] = Out<R, R>::raw(z);
            kept |= (z != Compute<R>(0) ? 1u : 0u) << item;
        }
        last_a = from_a ? next_a : last_a;
        i += from_a;
        j += !from_a;
        const bool more = from_a ? i < a.count : j < b.count;
        const int at = from_a ? i : a.count + j;
        const Place next = more ? Place{shared.rows[at] - (from_a ? 0 : b.before), shared.columns[at]} : Place{NONE, 0};
        next_a = from_a ? next : next_a;
        next_b = from_a ? next_b : next;
    }
    return kept;
}

// Whether the element of the second matrix that the first one's last element was added to may be followed by one in its place.
template <class V> GNP_FN bool is_repeated(const Shared &shared, const Elements<V> &b, int j, int count)
{
    return j >= count || Next(shared, j + 1, b.before).place().is(Next(shared, j, b.before).place());
}

// A thread's items: results that are not zero are marked in the returned bits. Of equal elements the first matrix's comes
// first, and the second one's follows at once and has no result. What is read behind the first matrix's elements is not used.
// A thread that meets two elements of one matrix in one position begins anew as merge_items.
template <class U, class V> GNP_FN u32 merge_distinct(Shared &shared, const Elements<U> &a, const Elements<V> &b)
{
    const int start = threadIdx.x * ITEMS, count = a.count + b.count, left = count - start;
    Raw<R> *found = (Raw<R> *)shared.found + threadIdx.x;
    I *columns = shared.found_columns + threadIdx.x;
    u32 kept = 0;
    if (left <= 0) {
        return kept;
    }
    const int split = split_tile(a, b, start);
    int i = split, j = a.count + start - i;
    Next next_a(shared, i, 0), next_b(shared, j, b.before);
    const Place last = i > 0 ? a.place(i - 1) : Place{shared.last_row[0], shared.last_column[0]};
    bool is_taken = last.is(next_b.place()); // the first matrix has had the second one's next element
    bool repeats = false;
    if constexpr (DUPLICATES != 0) {
        const Place last_b =
            j > a.count ? b.place(j - a.count - 1) : Place{shared.last_row[1], shared.last_column[1]};
        repeats = (i < a.count && last.is(next_a.place())) || last_b.is(next_b.place());
    }
    const u32 end = left < ITEMS ? 1u << left : 1u << ITEMS;
#pragma unroll 1
    for (u32 bit = 1; bit != end; bit *= 2) {
        const bool is_row = next_a.row == next_b.row, same = is_row && next_a.column == next_b.column;
        const bool from_a =
            i < a.count && (next_a.row < next_b.row || (is_row && next_a.column <= next_b.column));
        const Compute<R> z = op(from_a ? next_a.value : A(0), from_a && !same ? A(0) : next_b.value);
        const Place here = from_a ? next_a.place() : next_b.place();
        *columns = here.column;
        *found = Out<R, R>::raw(z);
        columns += BLOCK;
        found += BLOCK;
        kept |= (from_a || !is_taken) && z != Compute<R>(0) ? bit : 0;
        is_taken = from_a && same;
        i += from_a;
        j += !from_a;
        const Next next(shared, from_a ? i : j, from_a ? 0 : b.before);
        if constexpr (DUPLICATES != 0) {
            repeats |= next.place().is(here);
        }
        next_a.take(next, from_a);
        next_b.take(next, !from_a);
    }
    if constexpr (DUPLICATES != 0) {
        repeats |= (i == a.count && shared.goes_on) || (is_taken && is_repeated(shared, b, j, count));
        return repeats ? merge_items(shared, a, b, split) : kept;
    }
    return kept;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_merge(const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
             const Raw<SB> *data_b, const i64 *splits, u64 *state, J *begins, J *indices, Raw<R> *out, const i64 rows)
{
    __shared__ Shared shared;
    if (threadIdx.x == 0) {
        shared.tile = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        shared.rows[k * BLOCK + threadIdx.x] = 0;
    }
    if (threadIdx.x < 4) {
        shared.rows[TILE + threadIdx.x] = 0;
    }
    __syncthreads();
    const i64 tile = shared.tile, low = splits[2 * tile], a0 = splits[2 * tile + 1];
    const i64 next = splits[2 * tile + 2], a1 = splits[2 * tile + 3];
    const i64 all = (i64)begins_a[rows] + begins_b[rows];
    const i64 first = tile * TILE < all ? tile * TILE : all, b0 = first - a0;
    const int count = (int)(all - first < TILE ? all - first : TILE), count_a = (int)(a1 - a0);
    // The rows of the tile: the one in which it begins, and those that begin in it.
    const i64 base = low > 0 ? low - 1 : 0, nrows = next - base;
    A *values = (A *)shared.values;
    I column[ITEMS];
    A value[ITEMS];
    if (threadIdx.x == BLOCK - 1) {
        const i64 b1 = first + count - a1;
        const bool follows = b1 < (i64)begins_b[next]; // in the tile's last row; otherwise a column greater than all
        shared.columns[count] = follows ? indices_b[b1] : (I)((u64)~(u64)0 >> (65 - 8 * sizeof(I)));
        values[count] = follows ? In<SB, T>::value(data_b[b1]) : A(0);
    }
    else if (threadIdx.x >= BLOCK - (DUPLICATES == 0 ? 2 : 3)) {
        const bool is_a = threadIdx.x == BLOCK - 2;
        const i64 before = is_a ? a0 : b0;
        const bool precedes = before > (i64)(is_a ? begins_a : begins_b)[base];
        shared.last_row[!is_a] = precedes ? 0 : NONE;
        shared.last_column[!is_a] = precedes ? (is_a ? indices_a : indices_b)[before - 1] : 0;
    }
    else if (DUPLICATES != 0 && threadIdx.x == BLOCK - 4) {
        shared.goes_on = a1 > 0 && a1 < (i64)begins_a[next] && indices_a[a1 - 1] == indices_a[a1];
    }
    if (count > 0) {
        // Elements are on their way while rows are marked. The other matrix's come behind the first one's.
        const I *mine_a = indices_a + a0, *mine_b = indices_b + (b0 - count_a);
        const Raw<SA> *values_a = data_a + a0;
        const Raw<SB> *values_b = data_b + (b0 - count_a);
#pragma unroll
        for (int item = 0; item < ITEMS; item++) { // places past the end repeat the last one, so that loads overlap
            const int k = item * BLOCK + threadIdx.x, place = k < count ? k : count - 1;
            column[item] = (place < count_a ? mine_a : mine_b)[place];
            value[item] = element<SA, SB>(values_a, values_b, place < count_a, place);
        }
    }
    mark_rows(shared.rows, begins_a + base, a0, count_a, nrows);
    mark_rows(shared.rows + count_a, begins_b + base, b0, count - count_a + 1, nrows); // and the next element
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        const int k = item * BLOCK + threadIdx.x;
        if (k < count) {
            shared.columns[k] = column[item];
            values[k] = value[item];
        }
    }
    __syncthreads();
    find_rows(shared);
    const u32 before_b = count_a > 0 ? shared.rows[count_a - 1] : 0;
    const Elements<SA> a = {begins_a + base, indices_a + a0, data_a + a0, shared.rows,
                            shared.columns,  values,         a0,          count_a,     0};
    const Elements<SB> b = {begins_b + base,
                            indices_b + b0,
                            data_b + b0,
                            shared.rows + count_a,
                            shared.columns + count_a,
                            values + count_a,
                            b0,
                            count - count_a,
                            before_b};
    const u32 kept = merge_distinct(shared, a, b);
    u32 total;
    u32 at = count_before<BLOCK>((u32)__popc(kept), shared.sums[1], total);
    if (threadIdx.x == 0) {
        post_results(state, tile, total);
    }
    shared.places[threadIdx.x] = at;
    shared.kept[threadIdx.x] = kept;
    Raw<R> *results = (Raw<R> *)shared.values;
    I found_column[ITEMS];
    Raw<R> found[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; item++) { // all on their way before one is written
        if (kept >> item & 1) {
            found_column[item] = shared.found_columns[item * BLOCK + threadIdx.x];
            found[item] = ((const Raw<R> *)shared.found)[item * BLOCK + threadIdx.x];
        }
    }
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        if (kept >> item & 1) {
            shared.columns[kept_at(at)] = found_column[item];
            results[kept_at(at)] = found[item];
            at++;
        }
    }
    if (threadIdx.x < 32) {
        const u64 sum = results_before(state, tile, total);
        if (threadIdx.x == 0) {
            shared.before = (i64)sum;
        }
    }
    __syncthreads();
    const i64 to = shared.before;
    enum { AT_ONCE = 4 };
#pragma unroll 1
    for (u32 k = threadIdx.x; k < total; k += AT_ONCE * BLOCK) {
        J *index = indices + to + k;
        Raw<R> *result = out + to + k;
#pragma unroll
        for (u32 u = 0; u < AT_ONCE * BLOCK; u += BLOCK) {
            if (k + u < total) {
                index[u] = (J)shared.columns[kept_at(k + u)];
                result[u] = results[kept_at(k + u)];
            }
        }
    }
    const i64 end = tile + 1 == gridDim.x ? rows + 1 : next;
#pragma unroll 1
    for (i64 r = low + threadIdx.x; r < end; r += BLOCK) { // the results before the row, in the tile and before it
        const int before = (int)((i64)begins_a[r] + begins_b[r] - first), thread = before / ITEMS;
        const u32 inside = before < count
                               ? shared.places[thread] + __popc(shared.kept[thread] & ((1u << before % ITEMS) - 1))
                               : total;
        begins[r] = (J)(to + inside);
    }
}
