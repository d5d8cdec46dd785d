// sparse_merge_rows: an operation of two compressed sparse matrices with sorted indices, element by element, where either
// has one, if no row of both has more than LANES elements. Up to 32 threads of a warp have the elements of a row, and merge
// them by exchanges (K. E. Batcher, "Sorting networks and their applications", AFIPS 1968), without shared memory; only
// the number of results is shared. Elements of one position are summed in the order in which they are stored; results
// of zero are dropped.
// Knobs: I of the indices; J of the result's; Key: unsigned, has the bits of a column above those of an element's place; SA,
// SB, R of the values and the result; T: computed in; DUPLICATES: a matrix may have several elements of one position;
// LANES, of which 64 are two of a thread; EACH elements of a thread, of several rows; BLOCK threads. op(a, b) is the
// operation.
// Launch: a block for every BLOCK / LANES * EACH rows. `state`, zeros at first, is that of results.cuh. `indices` and `out`
// have room for all elements.
#include "knobs/sparse_merge_rows.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { HALVES = LANES > 32 ? 2 : 1, WIDTH = LANES / HALVES, GROUPS = 32 / WIDTH }; // WIDTH threads of a row
enum { SETS = EACH / HALVES, ROWS = GROUPS * SETS, WARPS = BLOCK / 32 };            // a thread has elements of SETS rows
enum { PLACE_BITS = LANES > 32 ? 6 : 5, PLACES = 1 << PLACE_BITS };
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
        word[w] = WAY == FROM_BEHIND  ? __shfl_down_sync(0xffffffffu, word[w], k, WIDTH)
                  : WAY == FROM_OTHER ? __shfl_xor_sync(0xffffffffu, word[w], k, WIDTH)
                                      : __shfl_sync(0xffffffffu, word[w], k, WIDTH);
    }
    memcpy(&x, word, sizeof(X));
    return x;
}

// What a row's threads have in place `k` of all of them.
template <class X> GNP_FN X at_place(const X (&x)[HALVES], u32 k)
{
    const X one = exchange<FROM_PLACE>(x[0], k);
    if constexpr (HALVES == 1) {
        return one;
    }
    else {
        const X other = exchange<FROM_PLACE>(x[HALVES - 1], k);
        return k < WIDTH ? one : other;
    }
}

// What follows on x[half]; x[half] itself in the last place.
template <class X> GNP_FN X behind(const X (&x)[HALVES], int half)
{
    if (half == HALVES - 1) {
        return exchange<FROM_BEHIND>(x[half], 1);
    }
    const u32 lane = threadIdx.x % WIDTH;
    return exchange<FROM_PLACE>(lane == 0 ? x[HALVES - 1] : x[0], lane + 1);
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

// A row, of which a thread has one element or two. Without an element the key is all ones.
struct Row {
    Key key[HALVES]; // the column above the place among the first matrix's elements and then the second one's
    A value[HALVES];
    u32 count_a; // elements of the first matrix

    GNP_FN bool is_a(Key k) const { return (u32)k % PLACES < count_a; }
};
GNP_FN bool has_element(Key key) { return key != (Key) ~(Key)0; }
GNP_FN u32 place(int half) { return threadIdx.x % WIDTH + half * WIDTH; }

// Elements of the first matrix ascend from the first place on, and those of the second one from the last one down.
GNP_FN void load(Row (&mine)[SETS], const I *begins_a, const I *indices_a, const Raw<SA> *data_a, const I *begins_b,
                 const I *indices_b, const Raw<SB> *data_b, u32 rows)
{
    const u32 thread = threadIdx.x % 32, lane = place(0), from_end = LANES - 1 - lane;
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
        const u32 of = k / HALVES * GROUPS + thread / WIDTH, more = k % HALVES * WIDTH;
        const u32 both = from_lane(counts, of);
        const I a = from_lane(begin_a, of) + (I)more, b = from_lane(begin_b, of) - (I)more;
        mine[k / HALVES].count_a = both % 256;
        is_a[k] = lane + more < both % 256;
        is[k] = is_a[k] || from_end - more < both / 256;
        if (is[k]) {
            const I at = is_a[k] ? a : b;
            column[k] = (is_a[k] ? indices_a : indices_b)[at];
            value[k].load(data_a, data_b, is_a[k], at);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        Row &of = mine[k / HALVES];
        const u32 more = k % HALVES * WIDTH;
        const Key key = (Key)column[k] << PLACE_BITS | (is_a[k] ? lane + more : of.count_a + from_end - more);
        of.key[k % HALVES] = is[k] ? key : (Key) ~(Key)0;
        of.value[k % HALVES] = value[k].value(is_a[k]);
    }
}

// Sorts each row's elements, which first ascend and then descend.
GNP_FN void sort(Row (&mine)[SETS])
{
    const u32 lane = threadIdx.x % WIDTH;
    if constexpr (HALVES == 2) {
#pragma unroll
        for (int r = 0; r < SETS; r++) {
            const Key one = mine[r].key[0], other = mine[r].key[HALVES - 1];
            mine[r].key[0] = min(one, other);
            mine[r].key[HALVES - 1] = max(one, other);
        }
    }
#pragma unroll
    for (u32 d = WIDTH / 2; d > 0; d /= 2) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            Key &key = mine[k / HALVES].key[k % HALVES];
            const Key other = exchange<FROM_OTHER>(key, d);
            key = (lane & d) != 0 ? max(key, other) : min(key, other);
        }
    }
#pragma unroll
    for (int r = 0; r < SETS; r++) { // values stayed where they were loaded
        A value[HALVES];
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
            const u32 k = (u32)mine[r].key[h] % PLACES;
            value[h] = at_place(mine[r].value, mine[r].is_a(k) ? k : mine[r].count_a + LANES - 1 - k);
        }
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
            mine[r].value[h] = value[h];
        }
    }
}

// Adds up the elements that one matrix has in one position, for the first of them; `next` becomes the place behind them.
GNP_FN void sum_repeated(Row &mine, u32 (&next)[HALVES])
{
    A sum[HALVES];
    bool more[HALVES];
#pragma unroll
    for (int h = 0; h < HALVES; h++) {
        sum[h] = mine.value[h];
        next[h] = place(h) + 1;
        more[h] = has_element(mine.key[h]);
    }
#pragma unroll 1
    for (u32 d = 1; d < LANES; d++) {
        bool any = false;
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
            const A value = at_place(mine.value, place(h) + d);
            const Key own = mine.key[h], key = at_place(mine.key, place(h) + d);
            more[h] = more[h] && place(h) + d < LANES && own >> PLACE_BITS == key >> PLACE_BITS && mine.is_a(own) == mine.is_a(key);
            sum[h] = more[h] ? plus(sum[h], value) : sum[h];
            next[h] += more[h] ? 1 : 0;
            any |= more[h];
        }
        if (!__any_sync(0xffffffffu, any)) {
            break;
        }
    }
#pragma unroll
    for (int h = 0; h < HALVES; h++) {
        mine.value[h] = sum[h];
    }
}

struct Result {
    J column;
    Compute<R> value;
    u32 kept; // threads of the warp that have a result
};

// The results of sorted elements; the first one of a position has it.
GNP_FN void merge(Row (&mine)[SETS], Result (&found)[EACH])
{
    u32 follows[EACH], repeated = 0; // threads whose next element has the same position
    bool with_next[EACH];
#pragma unroll
    for (int r = 0; r < SETS; r++) {
        u32 of_a[HALVES];
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
            // Keys of a row differ, so this one is the next one in the last place, or where there are no elements.
            const Key differs = mine[r].key[h] ^ behind(mine[r].key, h);
            with_next[r * HALVES + h] = (Key)(differs - 1) < PLACES - 1;
            follows[r * HALVES + h] = __ballot_sync(0xffffffffu, with_next[r * HALVES + h]);
            of_a[h] = __ballot_sync(0xffffffffu, mine[r].is_a(mine[r].key[h]));
        }
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
            const u32 next = of_a[h] >> 1 | (h + 1 < HALVES ? of_a[HALVES - 1] << 31 : 0);
            repeated |= follows[r * HALVES + h] & ~(of_a[h] & ~next);
        }
    }
    A other[EACH];
    if (DUPLICATES != 0 && repeated != 0) {
#pragma unroll
        for (int r = 0; r < SETS; r++) {
            u32 next[HALVES];
            sum_repeated(mine[r], next);
#pragma unroll
            for (int h = 0; h < HALVES; h++) {
                const Key key = at_place(mine[r].key, next[h]);
                with_next[r * HALVES + h] = next[h] < LANES && mine[r].key[h] >> PLACE_BITS == key >> PLACE_BITS;
                other[r * HALVES + h] = at_place(mine[r].value, next[h]);
            }
        }
    }
    else {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            other[k] = behind(mine[k / HALVES].value, k % HALVES);
        }
    }
    const u32 bit = 1u << threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const Key key = mine[k / HALVES].key[k % HALVES];
        const A value = mine[k / HALVES].value[k % HALVES];
        const bool is_a = mine[k / HALVES].is_a(key);
        const Compute<R> z = op(is_a ? value : A(0), !is_a ? value : with_next[k] ? other[k] : A(0));
        const u32 seconds = follows[k] << 1 | (k % HALVES > 0 ? follows[k - k % HALVES] >> 31 : 0);
        const bool kept = has_element(key) && (seconds & bit) == 0 && z != Compute<R>(0);
        found[k] = {(J)(key >> PLACE_BITS), z, __ballot_sync(0xffffffffu, kept)};
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
    Row row[SETS];
    Result found[EACH];
    load(row, begins_a + first, indices_a, data_a, begins_b + first, indices_b, data_b, mine);
    sort(row);
    merge(row, found);
    u32 count = 0, inside = 0; // results, and those before row `thread` of the warp's
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 before = count + __popc(found[k].kept & ((1u << thread % GROUPS * WIDTH) - 1));
        inside = thread / GROUPS * HALVES == k ? before : inside;
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
