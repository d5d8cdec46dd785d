// parts.cuh: a tile of elements dealt out to the three parts of a partition. Included after the knobs.
#ifndef GNP_PARTS_CUH
#define GNP_PARTS_CUH

#include "select/rank.cuh"

// Which part an element is in: less than the pivot, equal, or more.
template <class Key> GNP_FN int part_of(Key key, Key pivot) { return key < pivot ? 0 : key == pivot ? 1 : 2; }

// The first elements of a tile, part after part, and how many are in the first two parts. `items` has the elements,
// or `places` where they were, as GIVES says.
struct Dealt {
    Raw<T> *items;
    u16 *places;
    u32 less, equal;
};

// Element k of a thread is k * BLOCK + threadIdx.x of the tile, of which `count` exist; it is in part `part_at(k)`. Every
// thread of the block calls this; the caller reads `items` or `places` and synchronises before the next tile.
template <class PartAt> GNP_FN Dealt deal_out(const Raw<T> (&item)[ITEMS], PartAt part_at, u32 count)
{
    __shared__ u64 sums[BLOCK / 32 + 1];
    __shared__ Raw<T> items[GIVES == NTH_PARTITION ? TILE : 1];
    __shared__ u16 places[GIVES == NTH_POSITIONS ? TILE : 1];
    u64 mine = 0, total; // how many are in each part: 20 bits each
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (k * BLOCK + threadIdx.x < count) {
            mine += 1ull << 20 * part_at(k);
        }
    }
    const u64 before = sum_before<BLOCK>(mine, sums, total);
    const u32 mask = (1u << 20) - 1, less = (u32)total & mask, equal = (u32)(total >> 20) & mask;
    u32 next[3] = {(u32)before & mask, less + ((u32)(before >> 20) & mask), less + equal + (u32)(before >> 40)};
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const u32 j = k * BLOCK + threadIdx.x;
        if (j < count) {
            const int part = part_at(k);
            const u32 to = part == 0 ? next[0]++ : part == 1 ? next[1]++ : next[2]++;
            if constexpr (GIVES == NTH_PARTITION) {
                items[to] = item[k];
            }
            else {
                places[to] = (u16)j;
            }
        }
    }
    __syncthreads();
    return {items, places, less, equal};
}

#endif
