// sparse_merge_rows: an operation of two compressed sparse matrices with sorted indices, element by element, where either
// has one, if no row of both has more than LANES elements. LANES threads of a warp have the elements of a row, and merge
// them by exchanges (K. E. Batcher, "Sorting networks and their applications", AFIPS 1968), without shared memory; only
// the number of results is shared. Elements of one position are summed in the order in which they are stored; results
// of zero are dropped.
// Knobs: I of the indices; J of the result's; Key: unsigned, has the bits of a column above those of a thread; SA, SB, R
// of the values and the result; T: computed in; DUPLICATES: a matrix may have several elements of one position; LANES;
// EACH rows that so many threads merge at once; BLOCK threads. op(a, b) is the operation.
// Launch: a block for every BLOCK / LANES * EACH rows. `state`, zeros at first, is that of results.cuh. `indices` and `out`
// have room for all elements.
#include "knobs/sparse_merge_rows.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { WARPS = BLOCK / 32, GROUPS = 32 / LANES, ROWS = GROUPS * EACH, PLACE_BITS = 5, PLACES = 1 << PLACE_BITS };
// As many blocks run at once as can.
enum { RESIDENT = sizeof(A) <= 4 && sizeof(Key) <= 4 ? 2048 / BLOCK : 1 };
enum Way { FROM_BEHIND, FROM_OTHER, FROM_PLACE };

// x of another thread of the row's: the one that is `k` behind this one (this one's beyond the last), whose number differs
// in the bits of k, or number k.
template <Way WAY, class X> GNP_FN X exchange(X x, u32 k)
{
    u32 word[(sizeof(X) + 3) / 4];
    word[(sizeof(X) + 3) / 4 - 1] = 0;
    memcpy(word, &x, sizeof(X));
#pragma unroll
    for (int w = 0; w < (int)(sizeof(X) + 3) / 4; w++) {
        word[w] = WAY == FROM_BEHIND  ? __shfl_down_sync(0xffffffffu, word[w], k, LANES)
                  : WAY == FROM_OTHER ? __shfl_xor_sync(0xffffffffu, word[w], k, LANES)
                                      : __shfl_sync(0xffffffffu, word[w], k, LANES);
    }
    memcpy(&x, word, sizeof(X));
    return x;
}

// A value of one of the matrices as it is in memory; loaded without a branch where they have the same type.
template <class U, class V> struct Given {
    Raw<U> a;
    Raw<V> b;

    GNP_FN void load(const Raw<U> *all_a, const Raw<V> *all_b, bool is_a, i64 at)
    {
        if (is_a) {
            a = all_a[at];
        }
        else {
            b = all_b[at];
        }
    }
    GNP_FN A value(bool is_a) const { return is_a ? In<U, T>::value(a) : In<V, T>::value(b); }
};
template <class U> struct Given<U, U> {
    Raw<U> one;

    GNP_FN void load(const Raw<U> *a, const Raw<U> *b, bool is_a, i64 at) { one = (is_a ? a : b)[at]; }
    GNP_FN A value(bool) const { return In<U, T>::value(one); }
};

// The thread's element of a row, and which one of the first matrix's and then the second one's it is. Without an element the
// key is all ones.
struct Element {
    Key key; // the column above the place among the row's elements
    A value;
    u32 count_a; // the row's elements of the first matrix

    GNP_FN bool is() const { return key != (Key) ~(Key)0; }
    GNP_FN bool is_a() const { return (u32)key % PLACES < count_a; }
    GNP_FN bool is_with(Key other) const { return key >> PLACE_BITS == other >> PLACE_BITS; }
};

// Elements of the first matrix ascend from the first thread on, and those of the second one from the last one down.
GNP_FN void load(Element (&mine)[EACH], const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b,
                 const I *indices_b, const Raw<SB> *data_b, u32 rows)
{
    const u32 thread = threadIdx.x % 32, lane = thread % LANES, from_end = LANES - 1 - lane;
    const u32 row = thread < rows ? thread : rows;
    const I begin_a = begins_a[row], begin_b = begins_b[row];
    // Rows behind the last one have no elements.
    const u32 counts = (u32)(from_lane(begin_a, thread + 1) - begin_a) | (u32)(from_lane(begin_b, thread + 1) - begin_b) << 8;
    I column[EACH];
    Given<SA, SB> value[EACH];
    bool is[EACH], is_a[EACH];
    indices_a += lane;
    data_a += lane;
    indices_b += from_end;
    data_b += from_end;
#pragma unroll
    for (int k = 0; k < EACH; k++) { // all on their way before one is used
        const u32 of = k * GROUPS + thread / LANES;
        const u32 both = from_lane(counts, of);
        const I a = from_lane(begin_a, of), b = from_lane(begin_b, of);
        mine[k].count_a = both % 256;
        is_a[k] = lane < mine[k].count_a;
        is[k] = is_a[k] || from_end < both / 256;
        if (is[k]) {
            const I at = is_a[k] ? a : b;
            column[k] = (is_a[k] ? indices_a : indices_b)[at];
            value[k].load(data_a, data_b, is_a[k], at);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const Key key = (Key)column[k] << PLACE_BITS | (is_a[k] ? lane : mine[k].count_a + from_end);
        mine[k].key = is[k] ? key : (Key) ~(Key)0;
        mine[k].value = value[k].value(is_a[k]);
    }
}

// Sorts each row's elements, which first ascend and then descend.
GNP_FN void sort(Element (&mine)[EACH])
{
    const u32 lane = threadIdx.x % LANES;
#pragma unroll
    for (u32 d = LANES / 2; d > 0; d /= 2) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const Key key = mine[k].key, other = exchange<FROM_OTHER>(key, d);
            mine[k].key = (lane & d) != 0 ? max(key, other) : min(key, other);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) { // values stayed where they were loaded
        const u32 place = (u32)mine[k].key % PLACES, count_a = mine[k].count_a;
        mine[k].value = exchange<FROM_PLACE>(mine[k].value, mine[k].is_a() ? place : count_a + LANES - 1 - place);
    }
}

// Adds up the elements that one matrix has in one position, for the first of them; returns how many there are.
GNP_FN u32 sum_repeated(Element &mine)
{
    const u32 lane = threadIdx.x % LANES, is_a = mine.is_a();
    const A value = mine.value;
    u32 count = 1;
    bool more = mine.is();
#pragma unroll 1
    for (u32 d = 1; d < LANES; d++) {
        const A next = exchange<FROM_BEHIND>(value, d);
        const Key key = exchange<FROM_BEHIND>(mine.key, d);
        const u32 other = exchange<FROM_BEHIND>(is_a, d);
        more = more && lane + d < LANES && mine.is_with(key) && other == is_a;
        if (!__any_sync(0xffffffffu, more)) {
            break;
        }
        mine.value = more ? plus(mine.value, next) : mine.value;
        count += more ? 1 : 0;
    }
    return count;
}

struct Result {
    J column;
    Compute<R> value;
    u32 kept; // threads of the warp that have a result
};

// The results of sorted elements; the first one of a position has it.
GNP_FN void merge(Element (&mine)[EACH], Result (&found)[EACH])
{
    const u32 thread = threadIdx.x % 32;
    u32 follows[EACH], repeated = 0; // threads whose next one has the same position
    bool with_next[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        // Keys of a row differ, so this thread's is the next one's in the last thread, or where there are no elements.
        const Key differs = mine[k].key ^ exchange<FROM_BEHIND>(mine[k].key, 1);
        with_next[k] = (Key)(differs - 1) < PLACES - 1;
        follows[k] = __ballot_sync(0xffffffffu, with_next[k]);
        if constexpr (DUPLICATES != 0) {
            const u32 of_a = __ballot_sync(0xffffffffu, mine[k].is_a());
            repeated |= follows[k] & ~(of_a & ~(of_a >> 1));
        }
    }
    A other[EACH];
    if (DUPLICATES != 0 && repeated != 0) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const u32 next = threadIdx.x % LANES + sum_repeated(mine[k]);
            const Key key = exchange<FROM_PLACE>(mine[k].key, next);
            with_next[k] = next < LANES && mine[k].is_with(key);
            other[k] = exchange<FROM_PLACE>(mine[k].value, next);
        }
    }
    else {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            other[k] = exchange<FROM_BEHIND>(mine[k].value, 1);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const bool is_a = mine[k].is_a();
        const Compute<R> z = op(is_a ? mine[k].value : A(0), !is_a ? mine[k].value : with_next[k] ? other[k] : A(0));
        const bool is_first = (follows[k] << 1 & 1u << thread) == 0;
        found[k] = {(J)(mine[k].key >> PLACE_BITS), z,
                    __ballot_sync(0xffffffffu, mine[k].is() && is_first && z != Compute<R>(0))};
    }
}

// The number of the block's results before the warp's; `total` over all.
GNP_FN u32 before_warp(u32 count, u32 *sums, u32 &total)
{
    const u32 warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        sums[warp] = count;
    }
    __syncthreads();
    u32 before = 0;
    total = 0;
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) {
        const u32 one = sums[w];
        before += w < warp ? one : 0;
        total += one;
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
sparse_merge_rows(const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b, const I *indices_b,
                  const Raw<SB> *data_b, u64 *state, J *begins, J *indices, Raw<R> *out, const i64 rows)
{
    __shared__ i64 shared_tile, shared_before;
    __shared__ alignas(16) u32 sums[WARPS];
    if (threadIdx.x == 0) {
        shared_tile = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
    __syncthreads();
    const u32 thread = threadIdx.x % 32;
    const i64 tile = shared_tile, first = min((tile * WARPS + threadIdx.x / 32) * ROWS, rows);
    const u32 mine = (u32)min(rows - first, (i64)ROWS); // the warp's rows
    Element element[EACH];
    Result found[EACH];
    load(element, begins_a + first, indices_a, data_a, begins_b + first, indices_b, data_b, mine);
    sort(element);
    merge(element, found);
    u32 count = 0, inside = 0; // results, and those before row `thread` of the warp's
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 before = count + __popc(found[k].kept & ((1u << thread % GROUPS * LANES) - 1));
        inside = thread / GROUPS == k ? before : inside;
        count += __popc(found[k].kept);
    }
    u32 total;
    const u32 before = before_warp(count, sums, total);
    if (threadIdx.x == 0) {
        post_results(state, tile, total);
    }
    if (threadIdx.x < 32) {
        const u64 sum = results_before(state, tile, total);
        if (threadIdx.x == 0) {
            shared_before = (i64)sum;
        }
    }
    __syncthreads();
    const i64 to = shared_before + before;
    J *column = (J *)based(indices + to);
    Raw<R> *value = (Raw<R> *)based(out + to);
    u32 done = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 at = done + __popc(found[k].kept & ((1u << thread) - 1));
        if (found[k].kept >> thread & 1) {
            column[at] = found[k].column;
            value[at] = Out<R, R>::raw(found[k].value);
        }
        done += __popc(found[k].kept);
    }
    if (thread < mine) {
        begins[first + thread] = (J)(to + inside);
    }
    if (tile + 1 == gridDim.x && threadIdx.x == 0) {
        begins[rows] = (J)(shared_before + total);
    }
}
