// sparse_runs: compressed rows of elements whose keys (sparse.cuh) ascend; runs of equal keys are summed in their
// order.
// Knobs: K of the keys; J of the result's indices; S of the values; PERMUTED: the value of key k is data[places[k]];
// FILL: results are written, instead of counted; MOST: longer runs are reported, as LONG in a count, and not summed
// here; ITEMS of a thread; BLOCK threads.
// Launch: a block for every BLOCK * ITEMS keys; first the counts, then, with their sums in `counts`, the results.
#include "knobs/sparse_runs.cuh"
#include "scan.cuh"
#include "sparse/sparse.cuh"

typedef Compute<S> A;
enum { TILE = BLOCK * ITEMS };
#define LONG ((i64)1 << 48)

struct Shared {
    K keys[TILE];
    alignas(16) u8 values[FILL ? TILE * sizeof(A) : 16];
    u32 places[BLOCK], kept[BLOCK];
    u32 sums[BLOCK / 32 + 1];
};

struct Elements {
    const K *keys;
    const i64 *places;
    const Raw<S> *data;
    i64 n;

    GNP_FN A value(i64 k) const { return In<S, S>::value(data[PERMUTED ? places[k] : k]); }
};

// The number of keys of rows before r.
GNP_FN int count_rows(const K *keys, int n, i64 r, i64 bits)
{
    int low = 0, high = n;
#pragma unroll 1
    while (low < high) {
        const int middle = (low + high) / 2;
        const bool before = (i64)(keys[middle] >> bits) < r;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_runs(const K *keys, const i64 *places, const Raw<S> *data, i64 *counts, J *begins, J *indices, Raw<S> *out,
            const i64 n, const i64 rows, const i64 bits)
{
    __shared__ Shared shared;
    const Elements all = {keys, places, data, n};
    const i64 first = (i64)blockIdx.x * TILE;
    const int count = (int)(n - first < TILE ? n - first : TILE);
    A *values = (A *)shared.values;
    K key[ITEMS];
    A sum[ITEMS];
    bool is_long = false;
#pragma unroll
    for (int item = 0; item < ITEMS; item++) { // places past the end repeat the last one, so that loads overlap
        const int k = item * BLOCK + threadIdx.x;
        const i64 at = first + (k < count ? k : count - 1);
        key[item] = keys[at];
        if constexpr (FILL) {
            sum[item] = all.value(at);
        }
        else {
            const K ahead = keys[at + MOST < n ? at + MOST : n - 1];
            is_long |= at + MOST < n && ahead == key[item];
        }
    }
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        const int k = item * BLOCK + threadIdx.x;
        if (k < count) {
            shared.keys[k] = key[item];
            if constexpr (FILL) {
                values[k] = sum[item];
            }
        }
    }
    const K last = first > 0 ? keys[first - 1] : K(-1);
    is_long = __syncthreads_or(is_long);
    u32 kept = 0;
    const int mine = threadIdx.x * ITEMS;
    K before = mine == 0 || mine > count ? last : shared.keys[mine - 1];
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        if (mine + item < count) {
            key[item] = shared.keys[mine + item];
            kept |= (key[item] != before ? 1u : 0u) << item;
            before = key[item];
        }
    }
    u32 total;
    u32 at = sum_before<BLOCK>((u32)__popc(kept), shared.sums, total);
    if constexpr (!FILL) {
        if (threadIdx.x == 0) {
            counts[blockIdx.x] = total + (is_long ? LONG : 0);
        }
    }
    else {
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            if (kept >> item & 1) {
                int k = mine + item;
                sum[item] = values[k];
#pragma unroll 1
                for (k++; first + k < n && (k < count ? shared.keys[k] : keys[first + k]) == key[item]; k++) {
                    sum[item] = plus(sum[item], k < count ? values[k] : all.value(first + k));
                }
            }
        }
        shared.places[threadIdx.x] = at;
        shared.kept[threadIdx.x] = kept;
        __syncthreads();
        const i64 to = blockIdx.x == 0 ? 0 : counts[blockIdx.x - 1];
        // Rows that begin behind the tile before this one, up to the tile's last element.
        const i64 before_tile = first > 0 ? (i64)(last >> bits) : -1, last_row = (i64)(shared.keys[count - 1] >> bits);
        const i64 begin = before_tile < 0 ? 0 : before_tile + 1;
        const i64 end = first + count < n && last_row < rows ? last_row + 1 : rows + 1;
#pragma unroll 1
        for (i64 r = begin + threadIdx.x; r < end; r += BLOCK) {
            const int place = count_rows(shared.keys, count, r, bits), thread = place / ITEMS;
            const u32 inside =
                place < count ? shared.places[thread] + __popc(shared.kept[thread] & ((1u << place % ITEMS) - 1)) : total;
            begins[r] = (J)(to + inside);
        }
        __syncthreads();
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            if (kept >> item & 1) {
                shared.keys[at] = key[item];
                values[at] = sum[item];
                at++;
            }
        }
        __syncthreads();
#pragma unroll 1
        for (u32 k = threadIdx.x; k < total; k += BLOCK) {
            indices[to + k] = (J)(shared.keys[k] & (((K)1 << bits) - 1));
            out[to + k] = Out<S, S>::raw(values[k]);
        }
    }
}
