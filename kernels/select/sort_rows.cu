// sort_rows: sorts rows that fit into one tile, several to a block, in shared memory. The passes sort the
// whole tile; a last, stable one by row number separates the rows again, each of which stays sorted.
// Knobs: T, DESCENDING, BLOCK (at least 256), ITEMS, MATCH as in sort_pass.cu; KEYS and INDICES say what
// is stored; SEVERAL: more than one row to a tile, of at most 256.
// Launch: one block for each `together` rows.
#include "knobs/sort_rows.cuh"
#include "select/sort.cuh"

typedef Raw<T> Item;
enum { PLACES = INDICES || SEVERAL };

extern "C" __global__ void __launch_bounds__(BLOCK)
sort_rows(const Item *in, Item *keys, i64 *indices, const u64 rows, const u32 n, const u32 together)
{
    __shared__ u32 counts[WARPS * RADIX];
    __shared__ Item items[TILE];
    __shared__ u16 places[PLACES ? TILE : 1];
    __shared__ alignas(16) u32 sums[WARPS];
    const u64 first = (u64)blockIdx.x * together;
    const u32 count = (u32)(rows - first < together ? rows - first : together) * n;

    Item item[ITEMS];
    u32 digit[ITEMS], rank[ITEMS];
    u16 place[ITEMS];
    in += first * n;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        place[k] = (u16)place_of(k);
        if (place[k] < count) {
            item[k] = in[place[k]];
        }
    }
#pragma unroll 1
    for (int pass = 0; pass < PASSES + SEVERAL; pass++) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) { // elements past the end rank last in every pass
            if (place_of(k) >= count) {
                digit[k] = RADIX - 1;
            }
            else if (SEVERAL && pass == PASSES) {
                digit[k] = place[k] / n;
            }
            else {
                digit[k] = digit_of(key_of<T>(item[k]), 8 * pass);
            }
        }
        count_digits(digit, counts);
        __syncthreads();
        u32 total = digit_total(counts), all;
        if (__syncthreads_or(total == TILE)) {
            continue;
        }
        counts_to_places(counts, count_before<BLOCK>(total, sums, all));
        __syncthreads();
        rank_items(digit, counts, rank);
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            items[rank[k]] = item[k];
            if constexpr (PLACES != 0) {
                places[rank[k]] = place[k];
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            item[k] = items[place_of(k)];
            if constexpr (PLACES != 0) {
                place[k] = places[place_of(k)];
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        u32 j = place_of(k);
        if (j < count) {
            if constexpr (KEYS != 0) {
                keys[first * n + j] = item[k];
            }
            if constexpr (INDICES != 0) {
                indices[first * n + j] = SEVERAL ? place[k] % n : place[k];
            }
        }
    }
}
